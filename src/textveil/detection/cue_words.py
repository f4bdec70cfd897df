"""Words that announce a person, by language: kin, roles, labels, closings and greetings of letters, and others."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final


def _by_language(**words: str) -> MappingProxyType[str, str]:
    return MappingProxyType(words)


KIN: Final = _by_language(
    en="""dau husband wife son daughter brother sister mother father partner fiance fiancee uncle aunt cousin nephew
    niece sons daughters brothers sisters stepson stepdaughter stepfather stepmother grandson granddaughter
    grandmother grandfather grandchildren children mom mum dad gran nan nana grandpa grandma spouse widow
    widower twin twins lodger roommate flatmate housemate girlfriend boyfriend godson goddaughter godfather
    godmother nanny carer caregiver""",
    de="""ehemann ehefrau sohn tochter bruder schwester mutter vater onkel tante oma opa enkel enkelin neffe nichte
    lebensgefahrte lebensgefahrtin lebenspartner schwager schwagerin cousine soehne tochtern sohne partnerin
    freundin kind madchen junge schwiegersohn schwiegertochter schwiegermutter schwiegervater nachbar
    nachbarin witwe gatte gattin""",
    fr="""epoux epouse mari femme fils fille frere soeur mere pere oncle tante neveu niece cousin cousine conjoint
    sour conjointe compagnon compagne voisin voisine belle-mere gendre fiance""",
    es="""marido esposo esposa mujer hijo hija hermano hermana madre padre tio tia sobrino sobrina primo prima nieto
    nieta cunado cunada vecino vecina suegra suegro yerno nuera novio novia abuela abuelo""",
    it="""marito moglie figlio figlia fratello sorella madre padre zio zia nipote cugino cugina nonno nonna compagno
    compagna cognato cognata genero nuora suocero suocera vicino vicina fidanzato fidanzata""",
    pt="""marido esposo esposa mulher filho filha irmao irma mae pai tio tia sobrinho sobrinha primo prima neto neta
    avo cunhado cunhada vizinho vizinha namorado namorada genro nora sogra sogro""",
    nl="""echtgenoot echtgenote man vrouw zoon dochter broer broers zus zussen zuster moeder vader oom tante neef
    nicht partner kleinzoon kleindochter schoonzoon schoondochter zwager schoonzus buurman buurvrouw vriend
    vriendin""",
    pl="""maz mezem zona zone syn synem corka corke brat bratem siostra siostre matka ojciec ojcem wujek ciocia
    kuzyn kuzynka synowa synowej ziec ziecia szwagier szwagierka babcia dziadek narzeczony narzeczona sasiad
    sasiadka""",
    cs="""manzel manzelka manzelem manzelkou dcera dcerou bratr bratrem sestra sestrou matka otec soused sousedka
    vnuk vnucka""",
    sv="make maka hustru dotter bror syster mor far moster faster farbror morbror sambo svager svagerska granne kone",
    no="kona ektemann mann datter bror soster onkel tante nabo nabokone samboer svigerfar svigermor svigersonn",
    fi="""puoliso puolisonsa vaimo vaimonsa mies miehensa poika poikansa tytar tyttarensa veli veljensa sisko
    siskonsa aiti isa""",
    tr="esi karisi kocasi oglu kizi kardesi annesi babasi agabeyi ablasi komsusu",
    ro="sotul sotia fiul fiica fratele sora mama tatal",
    hu="ferje felesege fia lanya testvere anyja apja",
    hr="suprug supruga brat sestra majka otac kci",
)  # fmt: skip
BORN: Final = _by_language(
    de="geb geborene geborener",
    fr="nee ne dite dit",
    es="nacida nacido",
    it="nata nato detta",
    pt="nascida nascido",
    nl="geboren",
    pl="domu ur",
    cs="rozena",
    sv="fodd",
    no="fodt",
)
"""Words before the name that somebody was born with, or behind the name of who was born."""
CALLED: Final = _by_language(
    en="called named nicknamed known alias",
    de="namens genannt",
    fr="nomme nommee appele appelee surnomme prenommee",
    es="llamado llamada apodado",
    it="chiamato chiamata nome",
    pt="chamado chamada apelidado",
    nl="genaamd geheten",
)
ROLES: Final = _by_language(
    en="""rn lpn midwife headteacher pc dc ds di wpc solicitor barrister cllr councillor matron consultant postman
    plumber sergeant constable detective inspector registrar paramedic warden nursery nurse vicar curate
    rector canon deacon verger churchwarden alderman magistrate coroner""",
    de="""herr herrn frau fraulein kollege kollegin kollegen rechtsanwalt rechtsanwaltin oberarzt oberarztin
    chefarzt chefarztin assistenzarzt assistenzarztin zeuge zeugin klager klagerin beklagte beklagter
    angeklagte angeklagter mandant mandantin pfarrer pfarrerin richter richterin notar notarin burgermeister
    burgermeisterin minister ministerin kanzler kanzlerin hausmeister mieter mieterin steuerberater hausarzt
    hausarztin professor professorin doktor familie kommissar hauptkommissar schwester pfleger patient
    patientin ehepaar eheleute geschwister gebruder staatsanwalt""",
    fr="""monsieur madame mademoiselle docteur professeur maitre collegue patient patiente temoin maire adjoint
    adjointe depute deputee senateur ministre juge infirmier infirmiere avocat avocate notaire abbe directeur
    directrice mm mme mlle famille confrere consoeur commissaire inspecteur""",
    es="""don dona senor senora senorita doctor doctora abogado abogada profesor profesora enfermero enfermera
    paciente testigo juez alcalde alcaldesa diputado diputada ministro ministra companero companera colega
    familia inspector notario magistrado magistrada""",
    it="""signor signora signorina dottor dottore dottoressa avvocato ingegner ingegnere professor professore
    professoressa paziente infermiere infermiera collega notaio giudice teste maestro maestra suor famiglia
    coniugi onorevole ragionier ragioniere geometra""",
    pt="""senhor senhora doutor doutora professor professora paciente utente colega testemunha deputado deputada
    vereador vereadora enfermeiro enfermeira padre juiz juiza advogado advogada dona familia engenheiro
    engenheira""",
    nl="""mevr dhr mevrouw meneer heer collega patient patiente huisarts getuige wethouder burgemeester minister
    advocaat notaris verpleegkundige dokter juf meester client cliente leerling familie echtpaar zuster
    broeder rechter""",
    pl="""panu pania panem pacjent pacjentka kolega kolezanka swiadek posel poslanka burmistrz mecenas doktor
    profesor siostra panstwo ksiadz sedzia""",
    cs="paci pacient pacientka kolega kolegyne svedek doktor doktorka profesor starosta",
    sv="""herr fru froken overlakare lakare sjukskoterska kollega kollegan patienten doktor professor advokat rektor
    domare familjen""",
    no="""overlege overlaege lege laege sykepleier sygeplejerske kollega kollegaen pasient pasienten ordforer
    statsrad lektor advokat rektor naboen dommer familien""",
    fi="herra rouva tohtori professori kollega potilas laakari hoitaja ylilaakari perhe",
    tr="sayin bayan doktor profesor hemsire avukat hasta",
    ro="domnul doamna domnisoara doctorul pacientul pacienta",
    hr="gospodin gospodja gospoda gospa gospod doktor pacijent",
    id="bapak ibu",
)  # fmt: skip
SHORTENED: Final = _by_language(
    en="cllr rev revd hon messrs fr sr capt sgt cpl lt adm brig maj col gen supt insp",
    de="hr fr frl fam ra dipl dr prof med",
    fr="mme mlle mm pr dr dep sen mgr vve",
    es="sr sra srta sres dr dra lic licda ing arq dip gral cap",
    it="inf sig sigg dott dottssa avv ing geom rag arch prof sen cav comm",
    pt="enf sr sra srs dr dra eng arq prof profa dep ver des",
    nl="dhr mevr mw drs ir ing mr dr prof ds fam wed",
    pl="mgr inz lek hab prof ks dr mec sp",
    cs="ing mgr mudr judr phdr bc doc prof rndr paeddr",
    sv="hr fr dr prof adv",
    tr="dr prof doc av uzm sn",
    ro="dl dna dra ing av",
)  # fmt: skip
LABELS: Final = _by_language(
    en="""name names forename forenames surname patient client employee authorised authorized reported signed
    approved prepared checked verified requested written reviewed witnessed collected dictated transcribed
    issued received completed ordered referred countersigned contact kin consultant physician doctor gp nurse
    surgeon anaesthetist anesthetist midwife therapist author tutor teacher student pupil parent guardian
    tenant landlord owner driver passenger witness officer clerk secretary chair chairman chairperson
    treasurer manager supervisor director applicant claimant defendant plaintiff respondent beneficiary payee
    holder cardholder recipient sender attn guest customer buyer seller bride groom mother father spouse
    husband wife informant deceased host organiser organizer instructor coach carer worker interviewer
    interviewee operator technician investigator examiner assessor trustee executor sister matron attending
    woman lady doula rn lpn triage signature known alias nickname signatory resident""",
    de="""vorname nachname familienname geburtsname bewohner bewohnerin schuler schulerin unterschrift antragsteller
    antragstellerin patient patientin ansprechpartner ansprechpartnerin sachbearbeiter sachbearbeiterin
    unterzeichner unterzeichnerin arzt arztin hausarzt hausarztin oberarzt oberarztin verfasser verfasserin
    autor autorin absender empfanger bearbeiter bearbeiterin zeuge zeugin klager beklagter mieter mieterin
    vermieter vermieterin kunde kundin betreuer betreuerin gepruft erstellt unterschrieben freigegeben gez
    kontakt leitung pflegekraft ehemann ehefrau kontaktperson versicherter versicherte inhaber inhaberin
    vorsitz protokoll""",
    fr="""astreinte signature responsable legal inf nom prenom prenoms medecin infirmier infirmiere redige signe
    valide prescrit patient patiente destinataire expediteur contact responsable auteur temoin locataire
    bailleur client cliente conducteur titulaire interlocuteur confiance suivi etabli approuve rapporteur""",
    es="""presentes ausentes asistentes nombre nombres apellido apellidos paciente medico enfermera enfermero
    firmado firma redactado elaborado autorizado remitente destinatario responsable contacto solicitante autor
    testigo cliente titular tutor tutora inquilino arrendador arrendatario conductor fdo""",
    it="""presenti assenti inf nome cognome nominativo paziente medico infermiere infermiera firmato redatto
    approvato mittente destinatario referente responsabile contatto richiedente autore teste cliente
    intestatario conducente curante inquilino locatore firma""",
    pt="""presentes ausentes enf nome apelido sobrenome paciente utente medico medica enfermeiro enfermeira assinado
    elaborado remetente destinatario responsavel contato contacto solicitante autor testemunha cliente titular
    condutor inquilino senhorio assinatura""",
    nl="""naam voornaam achternaam patient client contactpersoon huisarts arts verpleegkundige ondertekend opgesteld
    afzender ontvanger behandelaar auteur getuige klant huurder verhuurder medewerker bestuurder specialist
    verzekerde""",
    pl="""imie nazwisko pacjent pacjentka lekarz pielegniarka nadawca odbiorca podpisano podpis sporzadzil
    sporzadzila zatwierdzil zatwierdzila kontakt osoba autor swiadek klient najemca wlasciciel""",
    cs="jmeno prijmeni lekar pacient pacientka vypracoval vypracovala schvalil schvalila podpis svedek najemce osoba",
    sv="""namn fornamn efternamn patient lakare handlaggare kontaktperson undertecknad ansvarig skoterska hyresgast
    hyresvard kund vittne""",
    no="""navn fornavn etternavn efternavn pasient lege laege kontaktperson saksbehandler sagsbehandler ansvarlig
    underskrevet sykepleier leietaker utleier kunde vitne""",
    fi="""nimi etunimi sukunimi potilas laakari yhteyshenkilo lahettaja vastaanottaja hoitaja asiakas vuokralainen
    todistaja""",
    tr="soyad soyadi isim hasta doktor hekim hazirlayan onaylayan imza musteri kiraci yetkili ad adi",
    ro="nume prenume numele pacient medic semnat intocmit beneficiar client",
    hu="nev orvos beteg felado cimzett ugyfel",
    hr="ime prezime pacijent lijecnik potpis",
    id="nama pasien dokter",
)  # fmt: skip
KNOWN_BY: Final = _by_language(
    en="""driver plumber builder gardener cleaner landlord landlady boss manager teacher assistant secretary
    receptionist neighbour neighbor colleague friend mate handyman electrician decorator solicitor dentist vet
    coach trainer mechanic courier postman caretaker housekeeper childminder babysitter supervisor foreman
    agent accountant flatmate housemate lodger tenant chef barber hairdresser ex client carer nurse""",
    de="""fahrer fahrerin hausmeister chef chefin kollege kollegin nachbar nachbarin freund freundin putzfrau lehrer
    lehrerin handwerker elektriker klempner mitarbeiter mitarbeiterin gartner vermieter vermieterin hebamme""",
    fr="""voisin voisine patron patronne chef chauffeur plombier collegue ami amie gardien gardienne stagiaire
    nounou proprietaire aide-soignante infirmiere""",
    es="""vecino vecina jefe jefa chofer conductor fontanero amigo amiga portero cuidadora enfermera limpiadora
    encargado encargada""",
    it="""caposala vicino vicina capo autista idraulico amico amica portiere badante infermiera custode muratore
    elettricista titolare""",
    pt="""chefe vizinho vizinha motorista canalizador amigo amiga porteiro empregada enfermeira caseiro pedreiro
    encanador sindico""",
    nl="chauffeur baas loodgieter vriend vriendin buurman buurvrouw collega schoonmaakster oppas conciergo",
    pl="kierowca szef szefowa hydraulik przyjaciel sasiad sasiadka kolega kolezanka dozorca opiekunka",
)  # fmt: skip
CLOSINGS: Final = _by_language(
    en="""regards wishes sincerely faithfully truly cheers thanks love yours best respectfully cordially fraternally
    xx xxx""",
    de="danke gruen grusen gruss gruse gruesse grus gruessen hochachtungsvoll herzlichst mfg lg vg",
    fr="merci cordialement salutations amicalement bises bisous sincerement distingues devoues vous toi amities",
    es="gracias atentamente saludos saludo abrazo abrazos cordialmente besos cordial",
    it="grazie saluti saluto cordialmente abbraccio ossequi baci cordialita",
    pt="obrigado obrigada valeu atenciosamente cumprimentos abraco abracos cordialmente beijos beijinhos atentamente",
    nl="bedankt groet groeten hoogachtend groetjes liefs mvg",
    pl="dzieki dziekuje powazaniem pozdrawiam pozdrowieniami szacunkiem pozdrowienia",
    cs="pozdravem uctou zdravi pozdravom",
    sv="tack tak takk halsning halsningar halsar mvh hilsen hilsner hilsninger vh kh",
    fi="kiitos terveisin terveiset ystavallisin kunnioittavasti",
    tr="saygilarimla saygilar selamlar sevgiler sevgilerimle",
    ro="stima respect",
    hu="udvozlettel tisztelettel",
    hr="postovanjem pozdrav",
    id="hormat salam",
)  # fmt: skip
GREETINGS: Final = _by_language(
    en="dear hello hi hey",
    de="liebe lieber liebes hallo werte werter servus moin",
    fr="cher chere chers bonjour salut bonsoir",
    es="querido querida hola estimado estimada apreciado apreciada",
    it="caro cara ciao gentile egregio egregia gentilissimo gentilissima salve carissimo carissima",
    pt="caro cara ola prezado prezada querido querida estimado estimada oi",
    nl="beste hallo hoi lieve geachte dag",
    pl="drogi droga czesc szanowny szanowna witaj",
    cs="mily mila ahoj vazeny vazena",
    sv="hej basta kara hejsan hei kjaere kaere kare",
    fi="hyva moi terve arvoisa rakas",
    tr="sayin sevgili merhaba",
    ro="draga stimate stimata buna",
    hu="kedves tisztelt szia",
    hr="dragi draga postovani postovana",
)  # fmt: skip
