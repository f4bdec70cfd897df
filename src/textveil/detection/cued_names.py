"""Persons that a word of any language in Latin letters announces: kin, titles, labels, closings, headers of mails.

A document may mix languages, so the words of all of them are looked up together, in one scan. What stands behind a word
is a name only where it is written as one and is no ordinary word of that language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.firms import FORM
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, places_of
from textveil.detection.languages import ORDINARY
from textveil.detection.lists import LANGUAGES, Marks, lists, ordinary_words
from textveil.detection.name_evidence import is_camel
from textveil.detection.people_in_records import is_plain_form, is_plain_word
from textveil.text.patterns import check_time, lazy_regex


class Cue(NamedTuple):
    """One way in which words announce a person."""

    name: str
    before: re.Pattern[str]  # what must stand before the word
    behind: re.Pattern[str]  # what stands between it and the name
    score: float
    why: str
    finds: str
    ignores: str
    words: MappingProxyType[str, str]  # by ISO 639-1 code, in plain small letters; "" for any language


_ONE: Final = r"[A-Z][A-Za-z]{0,40}+(?:['-][A-Za-z]{1,40}+){0,4}+"
_PARTICLE: Final = (
    r"(?:(?:v[oa]n|zu|zum|den|de[rlnm]?|della|d[aio]s?|du|des|la|las|los|le|y|ten?|ter|'t|af|bin|al|el) )"
)
_NAME: Final = lazy_regex(
    rf"{_PARTICLE}{{0,3}}(?:(?:[A-Z]\.[ -]?){{1,3}})?{_ONE}(?:(?: | [A-Z]\. ){_PARTICLE}{{0,3}}{_ONE}){{0,3}}"
    r"(?![A-Za-z0-9_@])"
)
_WORD: Final = lazy_regex(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_TITLES: Final = (
    r"(?:(?:[DdPp]rs?|[Pp]rof|[Dd]ott(?:\.?s?sa)?|[Mm]rs?|[Mm]s|[Mm]me|[Ss]ra?|[Hh]r|[Dd]hr|[Ii]ng|[Ii]r|[Dd]ra|[Mm]gr"
    r"|[Cc]llr|[Rr]ev|[Hh]ab|[Mm]ed|[Dd]ipl|[Hh]err|[Ff]rau|[Hh]errn|[Pp]ani?|[Aa]vv|i\. ?[AV]|gez|Maitre|Me)\.?[ -]+)"
)
"""Titles between a cue and the name; they stay."""
_LINE: Final = r"(?:\A|[\n|;>\t{}]|[.!?]['\")]?[ ]|[ ]{2})[ \t>*_#\"'-]{0,8}"
_ANY: Final = lazy_regex(r"")
_BESIDE_KIN: Final = lazy_regex(
    rf"(?:-in-law)?(?:\.? (?:of|von|des|de|di|do|da|van|af|av) |,? ){_TITLES}{{0,2}}(?=[A-Zv])"
)
_WHO_IS: Final = lazy_regex(
    r"(?:\b(?:girl|boy|man|woman|lady|guy|bloke|friend|child|kid|baby|someone|somebody|patient|colleague|chap|fella|nurse"
    r"|neighbou?r|driver|student|person|lad|lass|kind|mann|frau|homme|femme|fille|mujer|hombre|nin[ao]|uomo|donna|ragazz[ao]"
    r"|homem|mulher|menin[ao]|meisje|jongen|vrouw|known|also)(?:,? (?:is|was|who is|who was|she|he|now))? )\Z"
)
_NAMED: Final = lazy_regex(rf" (?:as )?(?:\"|')?{_TITLES}{{0,2}}(?=[A-Za-z])")
_SPACE: Final = lazy_regex(rf"\.? {_TITLES}{{0,3}}(?=[A-Zavdlebt])")
_POINT: Final = lazy_regex(rf"\. ?(?:(?:ra|ssa|na|as?|os?)\.? )?{_TITLES}{{0,3}}(?=[A-Zavdlebt])")
_LABEL: Final = lazy_regex(
    r"(?:(?:/?(?:e?[rn]|in|rin|a))?(?: [A-Za-z'&/]{1,14}){0,3})?(?: \([A-Za-z ]{1,20}\))?\.?[\"'*_]{0,2} ?[:=]"
    rf"[ \t*_\"']{{0,8}}(?:\n[ \t]{{0,8}})?{_TITLES}{{0,3}}(?=[A-Zavdlebt])"
)
_LABEL_BEFORE: Final = lazy_regex(rf"{_LINE}(?:[A-Za-z][A-Za-z'/-]{{0,20}}\.? ){{0,3}}\Z")
_CLOSING: Final = lazy_regex(
    r"(?:[,.!;-]{0,2}[ \t]{0,4}(?:\n[ \t>*_-]{0,8}){1,3}|, )"
    rf"(?:Your(?: [a-z]{{3,10}})? )?{_TITLES}{{0,3}}(?=[A-Zvd])"
)
_CLOSING_BEFORE: Final = lazy_regex(rf"(?P<line>{_LINE})(?:[A-Za-z][A-Za-z'.]{{0,20}},? ){{0,5}}\Z")
_OPENING: Final = lazy_regex(rf" {_TITLES}{{0,3}}(?=[A-Zvd])")
_AT_LINE: Final = lazy_regex(rf"{_LINE}\Z")
_ENDS_VALUE: Final = lazy_regex(
    r"['\"*_]{0,2}(?:\Z|[ \t]{0,20}[\n,;<(|/)}]|[ \t]{2}|\.?[ \t]{0,20}(?:\n|\Z)|\. [A-Z]| - | \(|[ \t]{1,20}[+0-9\[])"
)
_ENDS_GREETING: Final = lazy_regex(r"[,!:;.]|[ \t]{0,20}(?:\n|\Z)| (?:og|und|en|et|y|e|i|a|och|ja|ve) [A-Z]| - ")
_ENDS_LINE: Final = lazy_regex(r"[,.]?(?: \([A-Za-z /]{1,20}\))?[ \t]{0,20}(?:\n|\Z)|, |[,.]? {1,20}\|")
_ALSO: Final = "(?:and|und|et|e|y|en|och|og|i|ja|ve|si|es)"
_AND: Final = lazy_regex(rf",? {_ALSO} (?=[A-Z])|, (?=[A-Z][a-z]+(?:,| {_ALSO} [A-Z]))")
_MOST_LISTED: Final = 6
_SHORTEST_ROLE: Final = 4  # letters from which on a role may be written in small letters
_BACK: Final = 80


def _by_language(**words: str) -> MappingProxyType[str, str]:
    return MappingProxyType(words)


_KIN: Final = _by_language(
    en="""dau husband wife son daughter brother sister mother father partner fiance fiancee uncle aunt cousin nephew
    niece sons daughters brothers sisters stepson stepdaughter stepfather stepmother grandson granddaughter
    grandmother grandfather grandchildren children spouse widow widower twin twins lodger roommate flatmate
    housemate girlfriend boyfriend godson goddaughter godfather godmother nanny carer caregiver""",
    de="""ehemann ehefrau sohn tochter bruder schwester mutter vater onkel tante oma opa enkel enkelin neffe nichte
    lebensgefahrte lebensgefahrtin lebenspartner schwager schwagerin cousine soehne tochtern sohne partnerin
    freundin schwiegersohn schwiegertochter schwiegermutter schwiegervater nachbar nachbarin witwe gatte gattin""",
    fr="""epoux epouse mari femme fils fille frere soeur mere pere oncle tante neveu niece cousin cousine conjoint
    conjointe compagnon compagne voisin voisine belle-mere gendre fiance""",
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
    kuzyn kuzynka narzeczony narzeczona sasiad sasiadka""",
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
_CALLED: Final = _by_language(
    en="called named nicknamed known alias",
    de="namens genannt",
    fr="nomme nommee appele appelee surnomme prenommee",
    es="llamado llamada apodado",
    it="chiamato chiamata nome",
    pt="chamado chamada apelidado",
    nl="genaamd geheten",
)
_ROLES: Final = _by_language(
    en="""rn lpn midwife headteacher pc dc ds di wpc solicitor barrister cllr councillor matron consultant postman
    plumber sergeant constable detective inspector registrar paramedic warden nursery nurse vicar curate rector
    canon deacon verger churchwarden alderman magistrate coroner""",
    de="""herr herrn frau fraulein kollege kollegin kollegen rechtsanwalt rechtsanwaltin oberarzt oberarztin
    chefarzt chefarztin assistenzarzt assistenzarztin zeuge zeugin klager klagerin beklagte beklagter angeklagte
    angeklagter mandant mandantin pfarrer pfarrerin richter richterin notar notarin burgermeister burgermeisterin
    minister ministerin kanzler kanzlerin hausmeister mieter mieterin steuerberater hausarzt hausarztin professor
    professorin doktor familie kommissar hauptkommissar schwester pfleger patient patientin ehepaar eheleute
    geschwister gebruder staatsanwalt""",
    fr="""monsieur madame mademoiselle docteur professeur maitre collegue patient patiente temoin maire adjoint
    adjointe depute deputee senateur ministre juge infirmier infirmiere avocat avocate notaire abbe directeur
    directrice mm mme mlle famille confrere consoeur commissaire inspecteur""",
    es="""don dona senor senora senorita doctor doctora abogado abogada profesor profesora enfermero enfermera
    paciente testigo juez alcalde alcaldesa diputado diputada ministro ministra companero companera colega familia
    inspector notario magistrado magistrada""",
    it="""signor signora signorina dottor dottore dottoressa avvocato ingegner ingegnere professor professore
    professoressa paziente infermiere infermiera collega notaio giudice teste maestro maestra suor famiglia coniugi
    onorevole ragionier ragioniere geometra""",
    pt="""senhor senhora doutor doutora professor professora paciente utente colega testemunha deputado deputada
    vereador vereadora enfermeiro enfermeira padre juiz juiza advogado advogada dona familia engenheiro
    engenheira""",
    nl="""mevrouw meneer heer collega patient patiente huisarts getuige wethouder burgemeester minister advocaat
    notaris verpleegkundige dokter juf meester client cliente leerling familie echtpaar zuster broeder rechter""",
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
_SHORTENED: Final = _by_language(
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
_LABELS: Final = _by_language(
    en="""name names forename forenames surname patient client employee authorised authorized reported signed
    approved prepared checked verified requested written reviewed witnessed collected dictated transcribed issued
    received completed ordered referred countersigned contact kin consultant physician doctor gp nurse surgeon
    anaesthetist anesthetist midwife therapist author tutor teacher student pupil parent guardian tenant landlord
    owner driver passenger witness officer clerk secretary chair chairman chairperson treasurer manager supervisor
    director applicant claimant defendant plaintiff respondent beneficiary payee holder cardholder recipient sender
    attn guest customer buyer seller bride groom mother father spouse husband wife informant deceased host organiser
    organizer instructor coach carer worker interviewer interviewee operator technician investigator examiner
    assessor trustee executor sister matron attending""",
    de="""vorname nachname familienname geburtsname patient patientin ansprechpartner ansprechpartnerin
    sachbearbeiter sachbearbeiterin unterzeichner unterzeichnerin arzt arztin hausarzt hausarztin oberarzt
    oberarztin verfasser verfasserin autor autorin absender empfanger bearbeiter bearbeiterin zeuge zeugin klager
    beklagter mieter mieterin vermieter vermieterin kunde kundin betreuer betreuerin gepruft erstellt unterschrieben
    freigegeben gez kontakt leitung pflegekraft ehemann ehefrau kontaktperson versicherter versicherte inhaber
    inhaberin vorsitz protokoll""",
    fr="""astreinte inf nom prenom prenoms medecin infirmier infirmiere redige signe valide prescrit patient
    patiente destinataire expediteur contact responsable auteur temoin locataire bailleur client cliente conducteur
    titulaire interlocuteur confiance suivi etabli approuve rapporteur""",
    es="""nombre nombres apellido apellidos paciente medico enfermera enfermero firmado firma redactado elaborado
    autorizado remitente destinatario responsable contacto solicitante autor testigo cliente titular tutor tutora
    inquilino arrendador arrendatario conductor fdo""",
    it="""inf nome cognome nominativo paziente medico infermiere infermiera firmato redatto approvato mittente
    destinatario referente responsabile contatto richiedente autore teste cliente intestatario conducente curante
    inquilino locatore firma""",
    pt="""enf nome apelido sobrenome paciente utente medico medica enfermeiro enfermeira assinado elaborado
    remetente destinatario responsavel contato contacto solicitante autor testemunha cliente titular condutor
    inquilino senhorio assinatura""",
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
_CLOSINGS: Final = _by_language(
    en="""regards wishes sincerely faithfully truly cheers thanks love yours best respectfully cordially fraternally
    xx xxx""",
    de="gruen grusen gruss gruse gruesse grus gruessen hochachtungsvoll herzlichst mfg lg vg",
    fr="cordialement salutations amicalement bises bisous sincerement distingues devoues vous toi amities",
    es="atentamente saludos saludo abrazo abrazos cordialmente besos cordial",
    it="saluti saluto cordialmente abbraccio ossequi baci cordialita",
    pt="atenciosamente cumprimentos abraco abracos cordialmente beijos beijinhos atentamente",
    nl="groet groeten hoogachtend groetjes liefs mvg",
    pl="powazaniem pozdrawiam pozdrowieniami szacunkiem pozdrowienia",
    cs="pozdravem uctou zdravi pozdravom",
    sv="halsning halsningar halsar mvh hilsen hilsner hilsninger vh kh",
    fi="terveisin terveiset ystavallisin kunnioittavasti",
    tr="saygilarimla saygilar selamlar sevgiler sevgilerimle",
    ro="stima respect",
    hu="udvozlettel tisztelettel",
    hr="postovanjem pozdrav",
    id="hormat salam",
)  # fmt: skip
_GREETINGS: Final = _by_language(
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

# fmt: off
CUES: Final = (
    Cue("kin", _ANY, _BESIDE_KIN, 0.6, "cue", "his wife, Orla", "his wife, a nurse", _KIN),
    Cue("called", _WHO_IS, _NAMED, 0.6, "cue", "a girl called tash", "a tool called tash", _CALLED),
    Cue("role", _ANY, _SPACE, 0.6, "title", "Overlege Solveig Bakke", "overlege og Lege", _ROLES),
    Cue("short", _ANY, _POINT, 0.7, "title", "dal rag. Brunelli", "The rag. Brunelli", _SHORTENED),
    Cue("label", _LABEL_BEFORE, _LABEL, 0.7, "field", "Firmado: G. Ibarra", "Firmado: Tesoreria", _LABELS),
    Cue("closing", _CLOSING_BEFORE, _CLOSING, 0.7, "cue", "Groet,\nSjoerd", "Groet aan allen", _CLOSINGS),
    Cue("greeting", _AT_LINE, _OPENING, 0.6, "cue", "Hej Solveig,", "Hej igen,", _GREETINGS),
)
"""The example that is found is found by the cue of its row."""
# fmt: on
_KIN_CUE, _CALLED_CUE, _ROLE_CUE, _SHORT_CUE, _LABEL_CUE, _CLOSING_CUE, _GREETING_CUE = CUES


@cache
def _cues() -> dict[bytes, tuple[tuple[Cue, str], ...]]:
    by_word: dict[bytes, list[tuple[Cue, str]]] = {}
    for cue in CUES:
        for language, words in cue.words.items():
            for word in words.split():
                by_word.setdefault(word.rpartition("-")[2].encode("ascii"), []).append((cue, language))
    return {word: tuple(cues) for word, cues in by_word.items()}


@cache
def _words() -> frozenset[bytes]:
    return frozenset(_cues())


@cache
def label_words() -> frozenset[str]:
    """Return the words that a label of a person's name holds, in any language."""
    return frozenset(" ".join(_LABELS.values()).split())


CUED_GATE: Final = WithWords(_words)


def find_cued_names(text: str) -> Iterator[Found]:
    """Yield the persons that a word announces, and as ordinary the closings and labels that announced them."""
    reached = 0
    for start, end in places_of(text, _words()):
        check_time()
        if start < reached or text[start - 1 : start] in _INSIDE:
            continue
        for cue, language in _cues()[text[start:end].lower().encode("ascii")]:
            for span in _announced(text, start, end, cue, language):
                reached = max(reached, span.end)
                yield span
            if reached > start:
                break


_INSIDE: Final = frozenset("0123456789_@/.\\$#")
_MARKS_OF_WORD: Final = int(Marks.COMMON | Marks.SMALL)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_EARLIER: Final = lazy_regex(r"([A-Za-z]{1,40})[ ]\Z")


def _announced(text: str, start: int, end: int, cue: Cue, language: str) -> Iterator[Found]:
    behind = cue.behind.match(text, end)
    before = cue.before.search(text, max(0, start - _BACK), start) if behind is not None else None
    if behind is None or before is None:
        return
    low = text[start:end].lower()
    if cue is _ROLE_CUE and language == "en" and end - start < _SHORTEST_ROLE and not text[start:end].isupper():
        return  # di Marco, but DI Marco
    if language != "en" and low in _ENGLISH_TOO and not _amid_others(text, start):
        return
    silent = cue in (_CLOSING_CUE, _GREETING_CUE, _ROLE_CUE) and language != "en" and text[start].isupper()
    if silent and not lists().words.get(low, 0) & _NAMES:
        yield Found(start, end, ORDINARY, 0.0)  # Groet, Merhaba, Herr Kollege
        silent = False
    at = behind.end()
    if text[at].islower() and cue is _CALLED_CUE:
        stop = _small_end(text, at)
    else:
        aside = cue is _KIN_CUE and text[start].islower() and text[at - 2 : at] == ", "
        stop = _name_end(text, at, language, cue, small=aside or (cue is _KIN_CUE and language != "en"))
    if not stop:
        return
    if cue is _LABEL_CUE or silent or (cue is _CLOSING_CUE and language == "en"):
        yield Found(start, end, ORDINARY, 0.0)
    for _ in range(_MOST_LISTED):
        yield Found(at, stop, "person", cue.score, cue.why)
        joint = _AND.match(text, stop) if cue in (_KIN_CUE, _LABEL_CUE, _GREETING_CUE) else None
        if joint is None or not (following := _name_end(text, joint.end(), language, cue)):
            return
        at, stop = joint.end(), following


_ENGLISH_TOO: Final = words_in(
    """cousin far faster femme isa make man mere mor nicht partner prima zone client don doctor inspector maestro
    meester mm patient professor minister arch cap des dip doc eng ing med pr rag sen ver wed arts contact nom
    nome rapporteur specialist titular tutor cordial respect vous gentile caro toi ad fam rector rev hon col gen
    maj insp comm ds"""
)
"""Words of English that announce a person in another language: there, a word of that language stands before them."""


def _amid_others(text: str, start: int) -> bool:
    """Return whether the word before is none of English, so that an English word may be a title: dal rag. Bruni."""
    earlier = _EARLIER.search(text, max(0, start - 24), start)
    low = "" if earlier is None else earlier[1].lower()
    return bool(low) and not lists().words.get(low, 0) & Marks.COMMON and low not in known.FUNCTION_WORDS


def _name_end(text: str, at: int, language: str, cue: Cue, *, small: bool = False) -> int:
    """Return where the name ends that begins here; 0 where none does. ``small``: it may be an ordinary word."""
    match = _NAME.match(text, at)
    if match is None:
        return 0
    bare = cue in (_KIN_CUE, _ROLE_CUE, _SHORT_CUE)
    parts = [part for part in _WORD.finditer(text, at, match.end()) if part[0][0].isupper() and len(part[0]) > 1]
    lows = [part[0].lower().removesuffix("'s") for part in parts]
    if lows and label_words().issuperset(lows):
        return 0  # Hasta Adi Soyadi: a label goes on
    marks = [lists().words.get(low, 0) or _of_parts(low) for low in lows]
    end = count = 0
    for number, (part, low, mark) in enumerate(zip(parts, lows, marks, strict=True)):
        if is_camel(part[0]) or low in known.FUNCTION_WORDS or mark & Marks.OTHER or _names_none(low):
            break
        if not mark & _NAMES and (mark & _PLAIN or _is_ordinary(low, language)):
            following = lows[number + 1] if number + 1 < len(lows) else ""
            rare = not (mark & _PLAIN or not following or _is_english(following) or _is_ordinary(following, language))
            if number == 0 and (bare or cue is _CLOSING_CUE) and not mark & _PLAIN and not _NOUN_ENDING.search(low):
                pass  # Groet, Marjolein: listed among the words of Dutch
            elif number == 0 and bare and (small or language != "en") and not _NOUN_ENDING.search(low):
                pass  # Kollege Ruprecht, her niece, Saffron,
            elif (number == 0 and not rare) or (
                number and not (number == 1 and len(parts) == 2 and marks[0] & Marks.GIVEN)
            ):
                break
        if cue is _LABEL_CUE and not mark & _NAMES and is_plain_form(low):
            break
        end, count = part.start() + len(low), number + 1
    if not end or (not bare and not _fits(text, end, cue, marks[:count], parts)):
        return 0
    if (form := FORM.search(text, end, match.end() + 12)) and _CAPITALS.fullmatch(text, end, form.start()):
        end = match.start() + len(_LINK.split(text[match.start() : end], 1)[0])  # Frau Matthiesen von der Deichbau GmbH
    if count == 1 and not bare and marks[0] & Marks.KNOWN_PLACE and not marks[0] & Marks.GIVEN:
        return 0
    if cue is _LABEL_CUE and count < 4 and (turned := _GIVEN_BEHIND.match(text, end)):
        low = turned["given"].lower()
        if not is_plain_form(low) or lists().words.get(low, 0) & Marks.GIVEN:
            return turned.end("given")
    return end


def _is_ordinary(low: str, language: str) -> bool:
    return language in LANGUAGES and low in ordinary_words(language)


def _names_none(low: str) -> bool:
    if any(cue is _ROLE_CUE for cue, _ in _cues().get(low.encode("ascii"), ())):
        return not lists().words.get(low, 0) & _NAMES  # Herr Kollege, but Herr Richter
    return low in known.TITLES or low in known.INSTITUTIONS or low in known.COMPANY_ENDS


_CAPITALS: Final = lazy_regex("(?: [A-Z][A-Za-z-]{1,40}){0,4}")
_LINK: Final = lazy_regex(" (?:von|van|de|del|della|di|da|do) ")
_SMALL_NAME: Final = lazy_regex(r"[a-z]{3,20}(?![A-Za-z0-9_@.-])")


def _small_end(text: str, at: int) -> int:
    """Return the end of a name in small letters that is no ordinary word: a girl called tash."""
    word = _SMALL_NAME.match(text, at)
    return 0 if word is None or is_plain_form(word[0]) or word[0] in known.FUNCTION_WORDS else word.end()


def _is_english(word: str) -> bool:
    return bool(lists().words.get(word, 0) & _MARKS_OF_WORD) or word in known.FUNCTION_WORDS


_NOUN_ENDING: Final = lazy_regex(
    "(?:ung|heit|keit|schaft|tion|nahme|tat|ismus|zione|cion|cao|heid|ing|tie|ment|age)s?$"
)
_GIVEN_BEHIND: Final = lazy_regex(
    r", (?P<given>[A-Z][a-z]+(?:['-][A-Za-z]+)*)(?: [A-Z]\.?)?(?=[ \t]*(?:\Z|[\n;(\[<|]|[ \t]{2}))"
)


def _fits(text: str, end: int, cue: Cue, marked: list[int], parts: list[re.Match[str]]) -> bool:
    """Return whether what stands behind a name fits a label's value, a line of its own, or a greeting."""
    if cue is _CLOSING_CUE:
        return len(marked) == len(parts) and _ENDS_LINE.match(text, end) is not None
    if cue is _GREETING_CUE:
        return _ENDS_GREETING.match(text, end) is not None
    if len(marked) > 1:
        return True
    written = text[parts[0].start() : parts[0].end()]
    if written.isupper() and not marked[0] & _NAMES:
        return False
    return _ENDS_VALUE.match(text, end) is not None and not is_plain_word(written.lower())


def _of_parts(low: str) -> int:
    """Return the marks of a name with a hyphen: those of its parts, but for ordinary words."""
    if "-" not in low:
        return 0
    marks = [lists().words.get(part, 0) for part in low.split("-")]
    return (marks[0] | marks[-1]) & ~_PLAIN if any(mark & _NAMES or not mark for mark in marks) else marks[-1]
