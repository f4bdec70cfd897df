"""Identifiers: those with a checksum or a fixed form, rows of cards, and codes after a word such as "MRN"."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from textveil.detection.found import Found, finding, near, readings, without, words_in
from textveil.detection.gates import at_digits, both, either, holding, joined_words, matching, places_of, with_words
from textveil.detection.lists import Marks, letters, lists
from textveil.detection.national_ids import checked_label, luhn
from textveil.text.patterns import either_of, lazy_regex, matches, matches_at

_IBAN: Final = lazy_regex(
    r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?:[A-Za-z0-9]{11,30}|(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,3})?)"
    r"(?![A-Za-z0-9])",
    within="[0-9]{2}(?<=[A-Za-z]{2}..)",
)
_IBAN_BEFORE: Final = lazy_regex(
    r"\b(?:IBAN|compte|konto|cuenta|conto|conta|rekening|account)"
    r"(?: ?(?:nummer|number|no\.?|nr\.?|code|is|:|=|#)){0,3} ?\Z",
    re.IGNORECASE,
)
_IBAN_GROUPS: Final = lazy_regex(
    r"(?:A[DELT]|B[AEGHR]|C[HRYZ]|D[EKO]|E[ES]|F[IR]|G[BEIR]|H[RU]|I[ELST]|KW|KZ|L[BITUV]|M[CDEKTU]|N[LO]|P[KLT]|QA"
    r"|R[OS]|S[AEIK]|T[NR]|UA|XK)[0-9]{2}(?: [0-9A-Z]{4}){3,7}(?: [0-9A-Z]{1,3})?"
)
"""An account of a country that has such numbers, in groups of four."""
_FIXED: Final = lazy_regex(
    r"(?<![\w.-])(?:(?P<ssn>[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w]|-[0-9]))|(?P<uuid>[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}["
    r"0-9A-Fa-f]{12}(?![\w-]))|(?P<mac>(?<!:[0-9A-Fa-f]{2}:)[0-9A-Fa-f]{2}(?P<by>[:-])[0-9A-Fa-f]{2}(?:(?P=by)[0-9A-Fa-f]{2}){4}"
    r"(?![\w:-])|(?=[0-9a-fA-F.]{0,13}[0-9])[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}(?![\w.-]))"
    r"|(?P<nino>[A-CEGHJ-PR-TW-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D](?!\w))"
    r"|(?P<nhs>(?<!\+[0-9] )(?<!\+[0-9]{2} )(?<!\+[0-9]{3} )[0-9]{3} [0-9]{3}"
    r" [0-9]{4}(?![\w]|-[0-9]))|(?P<code>(?=[A-Z]{0,9}[0-9])(?=[A-Z0-9]{7,40}(?![\w]|-[0-9]))[A-Z0-9]{0,8}[A-Z][A-Z0-9]"
    r"{0,39}+(?:/[0-9]{1,4}(?!\w))?))"
)
_SPACED_SSN: Final = lazy_regex(r"[0-9](?<![\w.-].)[0-9]{2} [0-9]{2} [0-9]{4}(?![\w]|[ -][0-9])")

_NAMED: Final = lazy_regex(
    r"(?<![A-Za-z])(?P<label>"
    r"MRN|mrn|SSN|ssn|EIN|NPI|DEA|VIN|IMEI|IMSI|ICCID|MEID|UDID|NHS|NIN|NINO|TIN|ITIN|UTR|HCN|DOB ID|S/N|SN"
    r"|BSN|PESEL|CNPJ?|EGN|AMKA|[NC]IF|NIE|DNI|TFN|SIN|TAJ|OIB|IdNr|Steuer-I[Dd]|PAN|CPR|SVNR|PPSN?|CPF|RFC|CURP"
    r"|RUT|ABN"
    r"|ACN|GSTIN|[Aa]adhaar|AADHAAR|[Pp]ersonnummer|[Bb]urgerservicenummer|[Cc]odice [Ff]iscale|Steuer\w{0,20}nummer"
    r"|[A-Z][a-z]{2,20}nummer|Aktenzeichen|Personalausweis|Reisepass|[Pp]asseport|[Pp]asaporte|[Pp]assaporto"
    r"|[Ee]xpediente"
    r"|[Dd]ossier|[Mm]edicare|[Nn]ational [Ii]nsurance|[Dd]ocket|[Pp]etition|[Cc]omplaint|[Pp]ermit|[Cc]ertificate"
    r"|[Dd]evice"
    r"|[Pp]rotocol|[Pp]risoner|[Ii]nmate|[Mm]edical [Rr]ecord|[Hh]ealth [Cc]ard|[Aa]sset [Tt]ag|[Rr]egistration"
    r"|[Aa]pplication"
    r"|[Ss]ocial [Ss]ecurity|[Pp]assport|[Dd]river'?s?'? [Ll]icen[sc]e|[Ll]icen[sc]e(?: [Pp]late)?|[Ii]nsurance"
    r"|[Aa]ccount|[Aa]cct|[Pp]olicy|[Cc]laim|[Cc]ase|[Ff]ile|[Oo]rder|[Ii]nvoice|[Tt]icket|[Rr]eference|[Rr]ef|[Rr]eg"
    r"|[Ss]erial|[Mm]ember(?:ship)?|[Cc]ustomer|[Pp]atient|[Ee]mployee|[Ss]tudent|[Ss]ubscriber|[Bb]ooking"
    r"|[Cc]onfirmation|[Tt]racking|[Rr]outing|[Tt]ax(?:payer)?|[Nn]ational|[Rr]ecord|[Cc]hart|[Aa]ccession|[Ss]pecimen"
    r"|[Bb]adge|(?:[Ss]taff|[Pp]ayroll)(?= ?(?:[Nn]|[Ii][Dd]|#))|[Vv]oucher|[Pp]in|PIN|[Ii]d|ID"
    r")\.?(?: ?(?:[Ii]d|ID|[Cc]ode|[Nn]umbers?|[Nn]os?\.?|[Nn]um\.?|[Nn]r\.?|[Ii]dentifier|[Cc]ard)){0,4}"
    r"(?: ?(?:is|:|=|#|no\.?|\()){0,6} ?#?"
    r"(?P<path>s?/(?=[0-9]))?(?:(?<![A-Za-z0-9])|(?!s?/)(?=[A-Za-z/-]{0,38}[0-9]))"  # "filename 2024": no number
    r"(?P<value>(?:[A-Za-z0-9](?:[A-Za-z0-9/-]|\.(?=[0-9])){2,38}[A-Za-z0-9]|[0-9]{1,3}(?= [0-9]{2,6} [0-9]))"
    r"(?(path)|(?: [0-9]{2,6}){0,6}))(?![\w-])"
)
_LABEL_WORDS: Final = """
    policy poliza polizza polis polisnummer apolice police claim sinistre siniestro sinistro schaden schadennummer
    dossier dossiernummer dossiernr expediente pratica processo zaak zaaknummer sprawy umowa umowy aktenzeichen facture
    klienta pacjenta akt polisy zamowienia rachunku
    factura fattura fatura faktura faktury factuur factuurnummer rechnung rechnungsnummer pedido commande ordine
    bestelling zamowienie carte tarjeta tessera utente usuario cliente client klantnummer kundennummer fallnummer
    matricule cedula contrato contrat contratto contract account acct serial badge ref reference quoting booking
    membership student employee customer case file invoice ticket warrant permit licence license docket urn enrolment
    registration application order prescription referral accession specimen hospital chart works ni tel phone
    mobile fax birth dob uid col colegiado colegiada firmenbuch
    allocataire caf kvk siret siren ext durchwahl poste ramal toestel pager bleep dect regd prontuario historia lot
    incident chassis insurance"""
_WEAK_LABEL_WORDS: Final = """
    vertrag mietvertrag vorgang vorgangsnummer tagebuchnummer kassenzeichen angebot angebotsnummer auftrag
    auftragsnummer lieferschein kundennr mitgliedsnr mitgliedsnummer seriennummer matrikelnummer geschaftszeichen
    bestellung bestellnummer sendungsnummer zahlernummer ausweisnr ausweisnummer reklamation schadensnr
    schadensnummer meldung permis devis demande plainte colis reclamation presupuesto albaran referencia atestado
    diligencias solicitud incidencia denuncia recibo envio reclamacion preventivo bolla ddt protocollo prot rif
    matricola segnalazione ricevuta reclamo spedizione verbale orcamento protocolo encomenda ocorrencia chamado guia
    boletim reclamacao offerte kenmerk melding klacht pakbon pakket lidmaatschapsnr ordernummer aangiftenummer
    lidnummer serienummer bonnummer oferta sygnatura sygn zgloszenie reklamacja paragon przesylka wniosek szkoda
    decyzja sprawa polisa"""
"""Words before a number as often as before a count: the number must have letters or a sign."""
_WEAK_LABELS: Final = frozenset(_WEAK_LABEL_WORDS.split())
_LABELS: Final = either_of(f"{_LABEL_WORDS} {_WEAK_LABEL_WORDS}")
_BEGINS_LABEL: Final = joined_words(f"{_LABEL_WORDS} {_WEAK_LABEL_WORDS} n no nr num number numero nummer id az")
_NUMBER_MARK: Final = r"(?:[Nn](?:[or0\xb7]|\.[o\xb7]?|[o\xb7]\.|r\.)\.?|(?i:number|numero|nummer|num\.?|id)|NO|#)"
_DIGITLIKE: Final = "[0-9OoIlSB]"
_LABELLED: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:(?i:{_LABELS})\.?(?: {_NUMBER_MARK})?(?: is| ?:| =|,)? ?#?"
    r"|(?:(?:(?<=[A-Za-z] )N|(?<=(?:ab|it|OP|IP|RD|ef|ob) )n)o(?= {1,3}[0-9][0-9A-Z/-])"
    r"|(?:[Nn](?:[r0\xb7]|o[.:]|\.[o\xb7]?|[o\xb7]\.|r\.)\.?|A[Zz]\."
    r"|(?:[Nn]umber|[Nn]umero|[Nn]ummer|[Nn]um\.?|ID|[Ii]d)(?=[: ])):?"
    r"(?P<of>(?: (?:d[aei] |del |d')?[A-Za-z]{3,14}+\.?+){1,2}+:?+)?))"
    r" {0,3}\(?"
    rf"(?P<value>(?:[A-Z]{{1,4}}[-/ ]?)?(?=[OIlSB-]{{0,6}}[0-9]){_DIGITLIKE}{{1,10}}(?:[-/. ]?(?:[A-Z]"
    rf"(?=[-/]))?(?:[A-Z]{{1,3}} ?)?{_DIGITLIKE}{{2,10}}"
    r"|[-/][A-Z]{1,3}(?![A-Za-z])|[-/][A-Z0-9]{1,8}){0,4}(?:[A-Z]| [A-Za-z](?=\s{2}|[.,;:)\n]|\Z))?)(?![\w%]|[.,][0-9])"
)
_MISREAD: Final = lazy_regex(r"(?i)(?:tel|phone|mobile|fax|birth|dob)\b")
"""Labels whose values are ids only if a scanner misread a digit: others are found as what they are."""
_A_YEAR: Final = lazy_regex(r"(?:1[5-9]|20)[0-9]{2}")
_SIGNS: Final = (":", "=", "#", "\xb7", "Nr", "nr", "No", "no", "N.", "n.")
_CODED: Final = lazy_regex(r"[0-9](?<![0-9].)(?:[A-Za-z0-9/-]{3}|(?<=[#:=].)|(?<=[#:=] .)|[A-Za-z/-])")
_ID_SCORE: Final = 0.6

_ROMAN_OR_NUMBER: Final = "(?:[IVX]{1,5}|[0-9]{1,2})"
_CASES: Final = lazy_regex(
    r"(?<![\w./-])(?:[Nn](?:os?|rs?|[\xb7o])\.? ?(?P<numbered>(?:[0-9]{3,8}(?:/[0-9]{1,5}){0,2}"
    r"|[0-9]{1,2}/[0-9]{1,5})(?:,? (?:and |& )?[0-9]{2,6}(?:/[0-9]{1,5})?(?![\w%]|[.,/-][0-9])){0,20})(?![\w%]"
    r"|[.,-][0-9]|[/-][0-9A-Z])|(?P<slash>[0-9]{4,6}/(?:19|20)?[0-9]{2})(?![\w%]|[.,/-][0-9]| [0-9]{2}\b)"
    rf"|(?P<chamber>{_ROMAN_OR_NUMBER} (?!BP |RR |TA |PA )"
    rf"[A-Z][A-Za-z]{{0,4}}(?: [A-Z][a-z]{{0,3}})? [0-9]{{1,6}}/[0-9]{{2,4}})(?![\w/])"
    r"|(?P<report>[A-Z]{2,5} (?:19|20)[0-9]{2} p\. [0-9]{1,5})(?!\w)|(?P<docket>(?:[0-9]{1,2}:)?[0-9]{2}-(?:cv|cr|mj|bk"
    r"|ap|mc|md|CV|CR)-[0-9]{3,6}(?:-[A-Z]{1,5}){0,3})(?!\w))"
)
_SERIAL: Final = lazy_regex("[0-9]+(?:/[0-9]+)*")
_CASE_CLUE: Final = lazy_regex(
    r"[Nn](?:os?|rs?|\xb7)\.? ?[0-9]|[0-9]/[0-9]{2}(?![0-9/])|[0-9]/(?:19|20)[0-9]{2}(?![0-9/])|[0-9] p\. [0-9]"
    r"|[0-9]-[cmbaCM][vrjkpcdVR]-[0-9]"
)
CASE_GATE: Final = at_digits(_CASE_CLUE.pattern.replace("(?![0-9/])", ""))
_PUBLIC_CODES: Final = words_in("""CVE CWE RFC ISO PMID PMC GHSA KB DOI ARXIV NCT MS USB""")
_CODING: Final = lazy_regex(r"(?i)\b(?:snomed|icd|loinc|opcs|atc|icpc)[^\n;.]{0,24}\Z")
_LONG_CODE: Final = lazy_regex(
    r"(?<![\w./:@-])(?:[A-Za-z]{1,10}(?:(?:[-_][A-Za-z0-9]{1,8}){0,3}[-_][0-9]{6,14}"
    r"|(?<=[^A-Za-z][A-Z])-[0-9]{5}(?! [A-Z][a-z]))"
    r"|[A-Z]{1,5}(?:[/-]?(?:19|20)[0-9]{2}[/-][0-9]{4,8}|[0-9]{2}-[0-9]{6,8}))(?![\w-]|[./][0-9A-Za-z])"
)
LONG_CODE_GATE: Final = at_digits(
    "[0-9](?:(?<=[A-Za-z0-9][-_].)[0-9]{4}|(?:(?<=[A-Z].)|(?<=[A-Z][/-].))(?:(?<=1)9|(?<=2)0)[0-9]{2}[/-][0-9]{4}"
    "|(?<=[A-Z].)[0-9]-[0-9]{6})"
)
_CARD_CODE: Final = lazy_regex(
    r"(?i)(?<!\w)(?:cvv2?|cvc2?|cvn2?|csc|(?:card )?(?:security|verification) (?:code|number|value))(?: ?(?:code|number"
    r"|no\.?)){0,2}(?: ?(?:is|was|:|=|#|\()){0,3}[ \"']{0,3}(?P<value>[0-9]{3,4})(?![\w]|[.,/-][0-9])"
)
_CODE_WORDS: Final = either(
    with_words("cvv cvc cvn csc"),
    holding("ecurity code", "ecurity Code", "ECURITY CODE", "erification code", "erification value"),
)
_PLATE: Final = lazy_regex(
    r"(?i:(?<!\w)(?:(?:licen[sc]e|number|registration|index|vehicle) plates?|plates?|registration(?: mark)?|vehicle"
    r" reg(?:istration)?|car reg(?:istration)?|reg|vrm|kennzeichen|nummernschild|immatriculation|plaque|matricula|targa"
    r"|kenteken(?:plaat|nummer)?|placa|rejestracj[aie]|(?:nr )?rej|tablic[aey](?: rejestracyjn[aey])?"
    r"|(?:[A-Z]{2}|license) tags?)\.?"
    r"(?: (?:number|no\.?|nr\.?|of|the|his|her|car|vehicle|for [a-z]{3,10})){0,3}"
    r"(?: ?(?:is|was|:|=|#|\()){0,3}"
    r" {0,2}[\"']?)(?P<value>[A-Z0-9]{1,4}(?:[ \xb7-]{0,2}[A-Z0-9]{1,4}){0,3})(?![\w-])"
)

_BOOKING: Final = lazy_regex(
    r"(?i:(?<![A-Za-z])(?:(?:booking|reservation|confirmation|itinerary) (?:ref(?:erence)?|code|number|no|locator)"
    r"|booking|pnr|(?:record|booking) locator|airline ref(?:erence)?|e-?ticket"
    r"|reservation(?=:? ?[A-Z0-9-]{0,7}[0-9]|: ?[A-Z]{6}(?![A-Za-z]))"
    r"|buchungs-?(?:nummer|code|nr)"
    r"|(?:reference|numero|code) de (?:reservation|dossier)|(?:numero|codigo|localizador) de (?:la )?(?:reserva"
    r"|reservacion)"
    r"|localizador|codice (?:di )?prenotazione|boekings(?:nummer|code)|reserverings(?:nummer|code)"
    r"|numer rezerwacji)\.?)"
    r"(?:[ \t]?(?i:is|ist|est|es|e|code|number|no\.?|nr\.?|:|=|#)(?![A-Za-z])){0,3}[ \t]{0,2}[\"'(]?"
    r"(?P<value>[A-Z0-9]{5,10}|(?=[A-Z-]{0,9}[0-9])[A-Z0-9]{2,4}-[A-Z0-9]{3,6}|[0-9]{3}-[0-9]{10})(?![\w-])"
)
_AIRCRAFT: Final = lazy_regex(
    r"(?i:(?<![A-Za-z])(?:aircraft|airplane|aeroplane|plane|helicopter|jet|glider|cessna|piper|beech(?:craft)?"
    r"|cirrus|tail"
    r"|flugzeug|avion|aereo|vliegtuig|reg(?:istration|istered)?)(?:[ \t](?:number|no\.?|mark|reg(?:istration)?"
    r"|as)){0,2})"
    r"(?:[ \t]?(?i:is|was|:|=|\())?[ \t(]{0,2}(?P<value>[A-Z0-9]{1,2}-[A-Z]{3,4}|N[0-9]{1,5}[A-Z]{0,2})(?![\w-])"
)
_KEYED: Final = lazy_regex(
    r"(?i:(?<![a-z])(?:(?:customer|cust|client|patient|member|account|acct|employee|emp|staff|student|subscriber|policy"
    r"|claim|case|order|invoice|ticket|booking|reservation|passenger|driver|vehicle|contract|person|applicant|candidate"
    r"|guest|tenant|loan|card|device|badge|payroll|hospital|mrn|chart|visit|encounter)(?:[_ -]?(?:id|no|number|num"
    r"|nr|ref))?"
    r"|user[_-]?id(?=\W{1,4}[0-9]{5}))[\"']? ?(?:[:=#] ?)?[=#][\"']?|(?i:(?<![a-z])(?:customer|client|patient"
    r"|member|account|acct"
    r"|employee|emp|staff|student|subscriber|policy|claim|case|order|invoice|ticket|booking|contract|person|badge)"
    r"(?:_?(?:id|no|number|num|nr|ref)))[\"']? ?: ?[\"']?"
    r"|(?<=\")(?:id|account|acct|customer|policy|claim|booking|member|patient|contract|badge|ref|reference)\" ?: ?\""
    r"(?=[A-Z]))"
    r"(?P<value>[A-Z]?[0-9]{4,12}|(?<=\")[A-Z]{1,5}-[0-9]{4,12})(?![\w.-])"
)
KEYED_GATE: Final = at_digits(r"[:=#][ \"']{0,2}[A-Z]{0,5}-?[0-9]{4}")
_VEHICLE: Final = (
    "panda ducato sprinter passat polo corsa astra clio kangoo berlingo transit fiesta focus fabia octavia golf punto "
    "opla opel kia citroen dacia hyundai suzuki mazda transporter caddy vivaro trafic scooter vespa piaggio caravan "
    "camper trailer furgone furgoneta moto estate hatchback minibus jeep tractor vauxhall land rover lexus mini "
    "car van truck lorry vehicle motorbike motorcycle taxi wagen auto pkw lkw kfz fahrzeug coche vehiculo voiture "
    "camion "
    "vehicule macchina veicolo carro veiculo voertuig samochod parked drove driving bmw audi vw golf ford opel toyota "
    "renault peugeot fiat seat skoda volvo mercedes tesla nissan honda"
)
_VEHICLES: Final = joined_words(_VEHICLE)
_ON_VEHICLE: Final = lazy_regex(
    rf"(?i:(?<![a-z])(?:{_VEHICLE.replace(' ', '|')})(?![a-z]))[^\n.;]{{0,40}}?(?<![\w-])"
    r"(?P<value>[A-Z]{1,3}-[A-Z]{1,2} ?[0-9]{2,4}"
    r"|[0-9]{4} ?[A-Z]{3}|[A-Z]{2}[ -][0-9]{3}[ -][A-Z]{2}|[0-9]{1,2}-[A-Z]{2,3}-[0-9]{1,2}|[A-Z]{2}[0-9]{2} ?[A-Z]{3}"
    r"|[0-9][A-Z]{3}[0-9]{3}|[A-Z]{1,2}-[0-9]{3,5} ?[A-Z]{1,3}|[A-Z0-9]{1,3}-(?=[A-Z0-9-]*[A-Z])(?=[A-Z0-9-]*[0-9])"
    r"[A-Z0-9]{2,3}-[A-Z0-9]{1,3}|[A-Z]{2,3} [0-9][0-9A-Z]{3,4}|[a-z]{2}[0-9]{2} [a-z]{3})(?![\w-])"
)
PLATE_GATE: Final = with_words(
    "plate plates registration reg vrm kennzeichen nummernschild immatriculation plaque matricula targa kenteken "
    "kentekenplaat kentekennummer placa rejestracja rejestracji rejestracje rej tablica tablice tablicy "
    "tag tags " + _VEHICLE
)
BOOKING_GATE: Final = with_words(
    "booking reservation confirmation itinerary pnr locator airline ticket eticket buchungs buchungsnummer "
    "buchungscode "
    "buchungsnr reference numero code codigo localizador prenotazione boekingsnummer boekingscode reserveringsnummer "
    "reserveringscode rezerwacji aircraft airplane aeroplane plane helicopter jet glider cessna piper beech beechcraft "
    "cirrus tail flugzeug avion aereo vliegtuig reg registration registered"
)

IBAN_GATE: Final = at_digits("[A-Za-z][0-9]")
FIXED_GATE: Final = either(
    at_digits(
        "[0-9]{3}-[0-9]{2}-[0-9]|[0-9]{3} [0-9]{3} [0-9]|[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"
        "|(?=[A-Z0-9]{7})(?:[A-Z]{1,9}[0-9]|[0-9]{1,9}[A-Z])"
    ),
    either(matching(r"[-.][0-9A-Fa-f]{2}(?:[0-9A-Fa-f]{2})?[-.]"), matching(":[0-9A-Fa-f]{2}:")),
)
SPACED_SSN_GATE: Final = at_digits("[0-9]{3} [0-9]{2} [0-9]")
LABELLED_GATE: Final = at_digits(r"[A-Za-z.#:(\xb7] {0,3}[#(]?(?:[A-Z]{1,4}[-/ ]?)?[OIlSB-]{0,6}[0-9]")
NAMED_GATE: Final = at_digits("[0-9](?:[A-Za-z0-9/-]{3}|[A-Za-z/-])|[#:=] ?[0-9]")


def find_ibans(text: str) -> Iterator[Found]:
    """Account numbers whose check digits are right, in a country's form, or behind a word for an account."""

    def iban(start: int, end: int, whole: bool) -> Found | None:
        return Found(start, end, "id", 0.95, "check") if valid_iban(text[start:end]) else None

    checked = list(readings(_IBAN, text, iban))
    yield from checked
    left = without(text, [(span.start, span.end) for span in checked])
    for match in matches(_IBAN, left):
        grouped = _IBAN_GROUPS.fullmatch(match[0]) is not None
        if grouped or _IBAN_BEFORE.search(left, max(0, match.start() - 24), match.start()):
            yield Found(*match.span(), "id", _ID_SCORE, "label")


def find_fixed_forms(text: str) -> Iterator[Found]:
    """Social security, national insurance and NHS numbers, UUIDs, MAC addresses, long codes of letters and digits."""
    for match in matches(_FIXED, text):
        group = match.lastgroup or ""
        if group == "nhs" and not valid_nhs(match[0].replace(" ", "")):
            continue
        if group == "code" and sum(map(str.isdigit, match[0])) < 4:
            continue
        valid = group not in ("code", "nhs") and (group != "ssn" or valid_ssn(match[0]))
        yield Found(match.start(), match.end(), "id", 0.9 if valid else 0.5)


def find_spaced_ssns(text: str) -> Iterator[Found]:
    """Social security numbers in three groups parted by spaces."""
    for match in matches(_SPACED_SSN, text):
        if valid_ssn(match[0]):
            yield Found(match.start(), match.end(), "id", 0.5)


def find_named_ids(text: str) -> Iterator[Found]:
    """Yield what follows "account number", "MRN", "ticket #" and the like, and holds a digit."""
    for match in near(_NAMED, text, _CODED, 80, 60):
        start, value = match.start("value"), match["value"]
        digits = sum(map(str.isdigit, value))
        serial = match["label"].lower() in ("s/n", "sn", "serial") and value.isupper() and len(value) > 5
        if digits < (2 if serial or any(mark in match[0][: start - match.start()] for mark in "#:=") else 4):
            continue
        *words, last = value.split(" ")  # "record from 1983"
        year = len(last) == 4 and last.isdigit() and last[:2] in ("19", "20") and "#" not in match[0]
        glued = text[start - 1].isalnum()
        if glued or not (year and all(word.isalpha() and word.islower() for word in words)):
            right = checked_label(match["label"], value)
            yield Found(start, start + len(value), "id", 0.95 if right else 0.7, "check" if right else "label")


def find_labelled_ids(text: str) -> Iterator[Found]:
    """Yield what follows the word for a number in any language: Sinistre S-44 719, Acct no: 4S7l-88O2."""
    reached = 0
    for start, end in places_of(text, _BEGINS_LABEL):
        match = _LABELLED.match(text, start) if start >= reached else None
        if match is None:
            continue
        reached, value = match.end(), match["value"]
        digits = sum(map(str.isdigit, value))
        mixed = digits < sum(map(str.isalnum, value)) or "/" in value
        if _MISREAD.match(match[0]) and not any(map(str.isalpha, value)):
            continue
        weak = text[start:end].lower() in _WEAK_LABELS
        counts = (weak or match["of"]) and not (mixed and digits > 3)
        told = text[max(start, match.start("of")) : match.start("value")]
        if counts and not any(map(told.__contains__, _SIGNS)):
            continue
        if digits >= (3 if mixed else 4) and not _A_YEAR.fullmatch(value):
            yield Found(*match.span("value"), "id", _ID_SCORE, "label")


_MISREAD_ROW: Final = lazy_regex(
    r"(?<![\w/.-])(?:[A-Z]{2}[ /])?[0-9OlI]{1,5}(?:(?: ?[/.-] ?| )[0-9OlI]{1,5}){1,4}(?: [A-D])?(?![\w/-])"
)
_MIXED_READ: Final = lazy_regex("[0-9][OlI]|[OlI][0-9]")
MISREAD_GATE: Final = at_digits("[0-9][OlI]|[OlI][0-9]")


def find_misread_rows(text: str) -> Iterator[Found]:
    """Yield rows of digits in which a scanner took some for letters: O77OO 9OO l53."""
    for match in matches(_MISREAD_ROW, text):
        mixed = _MIXED_READ.search(match[0]) is not None
        if mixed and sum(map(str.isdigit, match[0])) > 2 and sum(map(str.isalnum, match[0])) > 5:
            yield Found(*match.span(), "id", 0.5, "shape")


def find_case_numbers(text: str) -> Iterator[Found]:
    """Yield numbers of courts' cases and applications: "no. 36391/02", "nos. 511 and 513", "II Ca 123/05"."""
    for match in near(_CASES, text, _CASE_CLUE, 48, 32):
        start, end = match.span(match.lastgroup or 0)
        if match.lastgroup == "numbered":
            for number in _SERIAL.finditer(text, start, end):
                yield Found(*number.span(), "id", _ID_SCORE, "label")
            continue
        first, _, second = text[start:end].partition("/")
        years = first[:2] in ("18", "19", "20") and len(first) == 4 and (len(second) == 4 or first[2:] <= second)
        if not years:
            yield Found(start, end, "id", _ID_SCORE, "shape")


def find_long_codes(text: str) -> Iterator[Found]:
    """Codes with hyphens that end in six digits at least: "US-DL-4710485154"."""
    for match in matches(_LONG_CODE, text):
        coded = _CODING.search(text, max(0, match.start() - 32), match.start())
        if match[0].partition("-")[0].upper() not in _PUBLIC_CODES and coded is None:
            yield Found(*match.span(), "id", _ID_SCORE, "shape")


_LAST_DIGITS: Final = lazy_regex(
    r"(?i)\b(?:cards?|visa|mastercard|amex|account|iban|ssn|social|karte|carte|tarjeta|carta|kaart|karta|cartao)\b"
    r"[^\n.]{0,20}?\b(?:ending(?: in| with)?|ends (?:in|with)|last (?:four|4)(?: digits)?\)?:?|endet auf|endend auf"
    r"|(?:se )?termin(?:ant|e) par|finissant par|termina(?:da)? (?:en|em|in|con)|eindig(?:end|t) op|konczaca sie na)"
    r"[ :#*x]{1,6}(?P<value>[0-9]{3,4})(?![\w]|[.,/-][0-9])"
)
CARD_CODE_GATE: Final = either(
    _CODE_WORDS,
    both(
        with_words(
            "card cards visa mastercard amex account iban ssn social karte carte tarjeta carta kaart karta cartao"
        ),
        with_words(
            "ending ends last endet endend terminant termine finissant termina terminada eindigend eindigt konczaca"
        ),
    ),
)


def find_card_codes(text: str) -> Iterator[Found]:
    """Yield codes of cards behind their label, and the last digits of a card or an account."""
    for pattern in (_CARD_CODE, _LAST_DIGITS):
        for match in matches(pattern, text):
            yield Found(*match.span("value"), "id", 0.8, "label")


def find_bookings(text: str) -> Iterator[Found]:
    """References of bookings and tickets, and marks of aircraft, behind a word for them."""
    for match in matches(_BOOKING, text):
        value = match["value"]
        if not value.isalpha() or (len(value) == 6 and not lists().words.get(value.lower(), 0)):
            yield Found(*match.span("value"), "id", 0.7, "label")
    for match in matches(_AIRCRAFT, text):
        yield Found(*match.span("value"), "id", 0.7, "label")


find_keyed_ids: Final = finding(_KEYED, "id", 0.9, "label", group="value")  # above inches: "48213"


def find_plates(text: str) -> Iterator[Found]:
    """Plates of vehicles behind a word such as "plate" or "registration", or in a usual form behind a vehicle."""
    for match in matches_at(_ON_VEHICLE, text, (start for start, _ in places_of(text, _VEHICLES))):
        yield Found(*match.span("value"), "id", 0.6, "label")
    for match in matches(_PLATE, text):
        value = match["value"]
        if any(map(str.isdigit, value)) and (any(map(str.isalpha, value)) or len(value) >= 5):
            yield Found(*match.span("value"), "id", 0.7, "label")


def valid_iban(written: str) -> bool:
    """Return whether the check digits of an IBAN are right: ISO 7064, modulo 97."""
    letters = written.replace(" ", "").upper()
    if not 15 <= len(letters) <= 34:
        return False
    return int("".join(str(int(character, 36)) for character in letters[4:] + letters[:4])) % 97 == 1


def valid_ssn(written: str) -> bool:
    """Tell if a number in three groups can be one of US social security, by the rules of its area, group and serial."""
    area, group, serial = re.split("[ -]", written)
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def valid_nhs(digits: str) -> bool:
    """Return whether ten digits are a number of the UK's National Health Service: weights 10 to 2, modulo 11."""
    rest = 11 - sum(int(digit) * weight for digit, weight in zip(digits, range(10, 1, -1), strict=False)) % 11
    return rest % 11 == int(digits[9]) and rest != 10


_NUMBER: Final = r"[0-9](?:[ -]?[0-9]){11,18}"
_CARD: Final = lazy_regex(rf"(?=[0-9])(?<![\w.+-]){_NUMBER}(?![\w]|\.[0-9])")
_USUAL: Final = lazy_regex(
    r"[2-6][0-9]{3}([ -]?)[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{1,3})?|3[0-9]{3}([ -]?)[0-9]{6}\2[0-9]{4,5}"
    r"|[2-6][0-9]{12,18}"
)
"""Groups of digits as issuers print them. Beside other digits only these count: one in ten has a right check digit."""
_PAYMENT: Final = lazy_regex(
    r"(?i)\b(?:cards?|credit|debit|visa|mastercard|amex|american express|maestro|discover|diners|jcb|unionpay|cc|pan"
    r"|pay(?:s|ing|ments?)?|paid|charged?|iban|bank|acc(?:oun)?t|[a-z]{0,16}karten?(?:nummern?|nr)?|konto(?:nummer|nr)?"
    r"|girocard|zahl(?:ung|en|t)|bezahlt|uberweisung|cartes?|bancaire|cb|compte|rib|paiement|payer|virement|tarjetas?"
    r"|cuenta|pag[aoe]r?|credito|debito|carta|conto|bancomat|pagamento|bonifico|[a-z]{0,16}kaart(?:nummer)?|pinpas"
    r"|rekening(?:nummer)?|betal(?:ing|en)|betaald|cartao|cartoes|conta|boleto)\b"
)
"""Words of payment in seven languages, in plain form."""
_BEFORE, _BEHIND = 40, 24
_GAP: Final = r"[\s,;:|/()\"'.-]{1,4}"
_HOLDER: Final = r"(?:[ ,;|]{1,3}[A-Z][A-Za-z.'-]{0,20}){0,3}"
_EXPIRES: Final = (
    r"(?:(?i:exp(?:iry|ires|iration)?(?: date)?|valid (?:thru|until|to)|good thru|gultig bis|ablauf(?:datum)?"
    r"|expire(?: fin)?|expiration|valable jusqu'au|vence|caduca(?:a|do)?|caducidad|scad(?:enza|e)|geldig tot"
    r"|validade|vencimento)[ .:=]{0,3})?"
)
_CARD_CODED: Final = (
    r"(?:(?i:cvv2?|cvc2?|cvn2?|csc|cid|(?:security |verification )?code|prufziffer|(?:karten)?prufnummer"
    r"|codigo(?: de seguridad| de seguranca)?|codice(?: di sicurezza)?|cryptogramme|beveiligingscode)[ .:=]{0,3})?"
)
_EXPIRY: Final = r"(?:0?[1-9]|1[0-2])(?: ?[/.|-] ?| )(?:20)?[0-9]{2}|(?:0[1-9]|1[0-2])(?:20)?[0-9]{2}"
_BEHIND_CARD: Final = lazy_regex(
    rf"{_HOLDER}{_GAP}{_EXPIRES}(?P<expiry>{_EXPIRY})(?![0-9])(?:{_GAP}{_CARD_CODED}(?P<code>[0-9]{{3,4}})(?![\w]"
    rf"|[.,/-][0-9]))?|{_GAP}{_CARD_CODED}(?P<alone>[0-9]{{3}})(?![\w]|[ .,/-][0-9])"
)
_MARKED: Final = lazy_regex(r"[/.|-]")
_DIGIT_BEHIND: Final = lazy_regex(r"[ -][0-9]")
_DIGIT_BEFORE: Final = lazy_regex(r"[0-9][ -]\Z")
_SCORE: Final = 0.6
CARD_GATE: Final = at_digits("[0-9](?:[ -]?[0-9]){4}|[0-9]{4}[._/:|,\n ]")
_PARTED: Final = lazy_regex(
    r"(?<![\w.+-])[2-6][0-9]{3}(?P<mark>[._/:|,\n]|  | - )[0-9]{4}(?P=mark)[0-9]{4}(?P=mark)[0-9]{4}(?!\w)"
)
"""Cards in groups of four that other marks than a space and a hyphen part."""


def find_cards(text: str) -> Iterator[Found]:
    """Payment card numbers: 12 to 19 digits that pass Luhn's check, or stand beside a word of payment."""

    def card(start: int, end: int, whole: bool) -> Found | None:
        usual = _USUAL.fullmatch(text, start, end) is not None
        right = (usual or not _has_neighbor(text, start, end)) and is_card(text[start:end])
        return Found(start, end, "id", 0.9, "check") if right else None

    parted = [Found(*match.span(), "id", 0.9, "check") for match in matches(_PARTED, text) if is_card(match[0])]
    checked = _joined(sorted([*readings(_CARD, text, card, every=True), *parted]))
    yield from checked
    left = without(text, [(span.start, span.end) for span in checked])
    for match in matches(_CARD, left):
        if of_payment(text, *match.span()):
            yield Found(*match.span(), "id", _SCORE, "label")


def _joined(spans: Iterable[Found]) -> list[Found]:
    joined: list[Found] = []
    for span in spans:
        if joined and span.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def find_card_rows(text: str) -> Iterator[Found]:
    """Yield a card with its expiry or its code behind it, or both: each of them is a span.

    The card passes Luhn's check, or a word of payment stands beside it, or the row is complete: a card in groups of
    four, a month and a year with a mark between, and a code.
    """

    def row(start: int, end: int, whole: bool) -> list[Found] | None:
        usual = _USUAL.fullmatch(text, start, end) is not None
        if not usual and _DIGIT_BEFORE.search(text, max(0, start - 2), start):
            return None
        behind = _BEHIND_CARD.match(text, end)
        if behind is None:
            return None
        marked = behind["expiry"] is not None and _MARKED.search(behind["expiry"]) is not None
        complete = usual and marked and behind["code"] is not None
        if not (complete or is_card(text[start:end]) or of_payment(text, start, end)) or not (usual or marked):
            return None
        parts = (behind.span(part) for part in ("expiry", "code", "alone") if behind[part] is not None)
        return [Found(*span, "id", 0.9, "check") for span in ((start, end), *parts)]

    reached = 0
    for spans in readings(_CARD, text, row):
        if spans[0].start >= reached:
            reached = spans[-1].end
            yield from spans


def _has_neighbor(text: str, start: int, end: int) -> bool:
    return (
        _DIGIT_BEHIND.match(text, end) is not None or _DIGIT_BEFORE.search(text, max(0, start - 2), start) is not None
    )


def is_card(number: str) -> bool:
    """Return whether a number with marks between its digits passes Luhn's check."""
    digits = re.sub("[^0-9]", "", number)
    return len(set(digits)) > 1 and luhn(digits)


def of_payment(text: str, start: int, end: int) -> bool:
    """Return whether a word of payment stands beside a number."""
    before = _PAYMENT.search(text, max(0, start - _BEFORE), start)
    return before is not None or _PAYMENT.search(text, end, min(len(text), end + _BEHIND)) is not None


_CODE_LIKE: Final = lazy_regex(
    r"[A-Z0-9](?<![\w./@#&=+:$-].)[A-Z0-9]{0,19}(?:[/.-][A-Z0-9]{1,20}){0,6}(?![\w@]|[/.:-][A-Za-z0-9])"
)
_LEAST_DIGITS: Final = 3  # beside several letters
_TAGGED: Final = lazy_regex(r"[A-Z]-?[0-9]+(?:(?:[./][0-9]+){2}|[.][0-9]{2})|[A-Z]-[0-9]{1,2}")
"""A field and its date or amount (QIF), and a letter of a sort: B-12."""
_PARTED_CODE: Final = lazy_regex(
    r"(?:[A-Z](?<![\w./@#&=+:$-].)(?P<letters>[A-Z]{0,3})[ /-]{1,2}(?:[0-9]{2,}|[0-9]+(?=[/ -][A-Z0-9]))"
    r"|[0-9](?<![\w./@#&=+:$,-].)(?<![A-Z] .)[0-9]{2,11}(?= [B-HJ-Z](?![\w'.&/-]| [A-Z])))"
    r"(?:[ /-][0-9]+|[/-][A-Z]{1,2}(?![A-Za-z0-9])| [B-HJ-Z](?![A-Za-z0-9'.&]| [A-Z])){0,4}+"
    r"(?![\w@%:]|[.,/-][A-Za-z0-9])"
)
"""A code in pieces, some of them capitals: LP 0093 T."""


def with_guessed_ids(rest: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start with guesses: capitals and digits in one piece or side by side, which no search knows.

    If numbers are drawn, half of such a code would stay. ``rest`` is the text with what searches found covered.
    """
    codes = [match for match in matches(_CODE_LIKE, rest) if _is_code(match[0]) and not _is_public(rest, match)]
    codes += [match for match in matches(_PARTED_CODE, rest) if _is_parted_code(match) and not _is_public(rest, match)]
    if not codes:
        return list(spans)
    taken = bytearray(len(rest))
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    guesses = [Found(*code.span(), "id", 0.3, "guess") for code in codes if 1 not in taken[code.start() : code.end()]]
    return sorted([*spans, *guesses])


def _is_code(written: str) -> bool:
    tagged = _TAGGED.fullmatch(written)
    digits, capitals = sum(map(str.isdigit, written)), sum(map(str.isalpha, written))
    return (digits >= _LEAST_DIGITS or capitals == 1) and digits > 0 < capitals and tagged is None


def _is_parted_code(code: re.Match[str]) -> bool:
    """Return whether a code in pieces has letters, and those that begin it stand for nothing that a list knows."""
    if code["letters"] is None:
        return any(map(str.isalpha, code[0]))
    low = code[0][: 1 + len(code["letters"])].lower()
    few = len(low) < 2 and code[0][1] in " -"  # grade A 12, B-12
    return not (few or low in letters() or lists().words.get(low, 0) & _STANDS_FOR)


_STANDS_FOR: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)


def _is_public(text: str, code: re.Match[str]) -> bool:
    coded = _CODING.search(text, max(0, code.start() - 32), code.start())
    return coded is not None or code[0].partition("-")[0] in _PUBLIC_CODES
