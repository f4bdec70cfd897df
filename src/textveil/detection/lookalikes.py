"""Words that are written as names and name nobody: labels and headings, cars, letters behind names, statutes.

They are found as ordinary words, so that the search for names, which takes a capital for a sign of one, passes them.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection import lists as known
from textveil.detection.cued_names import label_words
from textveil.detection.found import Found, near, words_in
from textveil.detection.gates import Seen, WithWords, at_digits, holding, joined_words, places_of, with_words
from textveil.detection.languages import ORDINARY
from textveil.detection.lists import Marks, lists
from textveil.detection.name_evidence import is_field
from textveil.detection.people_in_records import is_plain_form
from textveil.text.patterns import lazy_regex, matches, words_of

_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL)

_LABEL: Final = lazy_regex(r"[A-Z][A-Za-z'/.()&-]{0,24}(?: [A-Za-z'/.()&-]{1,20}){0,4}")
_BEFORE_LABEL: Final = ("\n", "\t", "|", "  ", ". ", "; ", " - ")
_LONGEST: Final = 100
_VALUE: Final = lazy_regex(r"[ \t]*(?:[^ \t\n]{1,80}(?: (?! ))?){0,8}")
_DESCRIBES: Final = lazy_regex(r" (?:[0-9]|(?:an?|the|one|two|three|no|all|new|old)\b) ?[A-Za-z]")
_WORD: Final = lazy_regex(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_FORM: Final = 3  # labels with short values that make a text a form
_SHORT_VALUE: Final = 4
_HEAD: Final = lazy_regex(r"(?:\A|(?<=\n))[ ]{0,3}\|[^\n]*(?=\n[ ]{0,3}\|[ :]{0,3}-[ :|-]{1,300}(?:\n|\Z))")
_CELL: Final = lazy_regex(r"[^|\n]+")
LABEL_GATE: Final = holding(":", "|-", "| -", "|:-")


def find_labels(text: str) -> Iterator[Found]:
    """Yield the labels of fields and the heads of columns that are no person's name, by start."""
    labels = list(_labels(text))
    often = Counter(label for _, label, _ in labels)
    firsts = Counter(label.split()[0] for label in often if " " in label)
    short = sum(map(_is_short, (value for *_, value in labels)))
    form = short >= _FORM and 2 * short > len(labels)
    headed = sum(" " not in label and _is_word(label) for label in often) >= _FORM
    spans = [
        Found(start, start + len(label), ORDINARY, 0.0)
        for start, label, value in labels
        if often[label] == 1
        and (
            _is_label(label, value, form=form) or _is_of_several(label, firsts) or (headed and _describes(label, value))
        )
        and not is_field(text, text.index(":", start + len(label)) + 1)
    ]
    for head in matches(_HEAD, text) if "|" in text and "-" in text else ():
        cells = (cell for cell in matches(_CELL, text, *head.span()))
        spans += [Found(*cell.span(), ORDINARY, 0.0) for cell in cells if cell[0].strip() and not _is_given(cell[0])]
    yield from sorted(spans)


def _labels(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield what stands before each colon that white space follows: its start, the words, and the value behind it."""
    colon = text.find(":")
    while colon >= 0:
        if text[colon + 1 : colon + 2].isspace():
            begin = _label_start(text, colon)
            if text[begin : begin + 1].islower() and text[begin - 2 : begin] == ". ":
                begin = _label_start(text, begin - 2)  # Hosp. no.
            label = text[begin:colon].rstrip(" ")
            start = begin + len(label) - len(label.lstrip(" >*#-"))
            label = text[start : begin + len(label)]
            value = _VALUE.match(text, colon + 1) if _LABEL.fullmatch(label) else None
            if value is not None:
                yield start, label, value[0]
        colon = text.find(":", colon + 1)


def _label_start(text: str, end: int) -> int:
    low = max(0, end - _LONGEST)
    places = ((text.rfind(mark, low, end), len(mark)) for mark in _BEFORE_LABEL)
    return max([place + length for place, length in places if place >= 0], default=low)


def _is_short(value: str) -> bool:
    return len(value.split()) <= _SHORT_VALUE and not value.rstrip().endswith(("?", "!"))


_SAYS: Final = words_in("replied commented said says asked asks wrote writes added answered texted posted")


def _is_label(label: str, value: str, *, form: bool) -> bool:
    words = [word.lower() for word in _WORD.findall(label)]
    marks = [lists().words.get(word, 0) for word in words]
    if any(mark & Marks.GIVEN and not mark & _PLAIN for mark in marks):
        return False
    if len(words) > 1 and (words[-1] in _SAYS or (label.endswith(")") and not marks[0] & _PLAIN)):
        return False  # Fenn replied: nice; Fenn (crying): go
    if any(word in label_words() for word in words) or (len(words) > 1 and label.endswith(".")):
        return True
    named = any(mark & _NAMES and word not in known.NOUNS for word, mark in zip(words, marks, strict=True))
    if len(words) > 1 and any(mark & Marks.COMMON and not mark & _NAMES for mark in marks):
        return True
    if "." in label and len(words) == 1:
        return form
    return form and _is_short(value) and (not named or (len(words) == 1 and bool(marks[0] & _PLAIN)))


def _is_word(label: str) -> bool:
    return lists().words.get(label.lower(), 0) & (_NAMES | Marks.COMMON) == Marks.COMMON


def _describes(label: str, value: str) -> bool:
    """Return whether a word that is a name too is the label of what is described: Hall: one doormat."""
    return _DESCRIBES.match(value) is not None and bool(lists().words.get(label.lower(), 0) & _PLAIN)


def _is_of_several(label: str, firsts: Counter[str]) -> bool:
    """Return whether a label begins as others do, and has ordinary words behind: Registrant Street, Registrant City."""
    first, *words = label.split()
    marked = lists().words.get(first.lower(), 0) & _NAMES
    return firsts[first] > 1 and bool(words) and not marked and all(map(is_plain_form, map(str.lower, words)))


def _is_given(cell: str) -> bool:
    marks = [lists().words.get(word.lower(), 0) for word in _WORD.findall(cell)]
    return any(mark & Marks.GIVEN and not mark & _PLAIN for mark in marks)


_MAKES: Final = """audi bmw chevrolet chrysler citroen cupra dacia daihatsu dodge fiat ford honda hyundai isuzu
    iveco jaguar jeep kia lada lancia lexus maserati mazda mercedes mitsubishi nissan opel peugeot polestar porsche
    renault saab seat skoda smart subaru suzuki tesla toyota vauxhall volkswagen volvo vw yamaha kawasaki ducati
    piaggio vespa mini cadillac pontiac gmc daewoo ssangyong ktm komatsu kubota shimano garmin castrol stihl
    husqvarna makita viessmann grundfos siemens miele electrolux dyson samsung huawei xiaomi lenovo asus motorola
    nikon sony panasonic toshiba hitachi epson casio seiko"""
_MODEL: Final = lazy_regex(r"(?: [A-Z][A-Za-z-]{1,14}(?![A-Za-z0-9_'])){1,2}")
_MAKE_WORDS: Final = joined_words(_MAKES)
VEHICLE_GATE: Final = with_words(_MAKES)


def find_vehicles(text: str) -> Iterator[Found]:
    """Yield cars and devices by make and model: Kia Ceed, Samsung Galaxy; not what begins a name: Ford Prefect."""
    for start, end in places_of(text, _MAKE_WORDS):
        model = _MODEL.match(text, end) if text[start].isupper() else None
        if model is None:
            continue
        first = model[0].split()[0]
        marks = lists().words.get(first.lower(), 0)
        person = marks & _NAMES and not marks & _PLAIN and lists().words.get(text[start:end].lower(), 0) & Marks.GIVEN
        if not (person or first.lower() in known.COMPANY_ENDS or first.lower() in known.INSTITUTIONS):
            yield Found(start, end + 1 + len(first), ORDINARY, 0.0)


@cache
def _of_a_sort() -> frozenset[str]:
    """Return animals and plants in the singular and the plural."""
    return frozenset(f"{word}{end}" for word in known.written("en")["animals and plants"] for end in ("", "s"))


@cache
def _goods() -> frozenset[str]:
    """Return goods in the singular and the plural, and animals and plants."""
    return _of_a_sort() | {f"{word}{end}" for word in known.written("en")["goods"] for end in ("", "s")}


GOODS_GATE: Final = WithWords(_goods)
_MADE_BY: Final = lazy_regex(r"(?:\A|[^A-Za-z0-9])(?P<make>[A-Z][a-z]{2,14}(?:'s)?(?: [A-Z][a-z]{2,14})?) \Z")
_ARTICLE: Final = lazy_regex(
    r"(?:\b(?:an?|the|my|our|his|her|their|your|this|that|new|old|one|two|three|another|some|any|no|blue|red|black|white|green"
    r"|grey|silver)|[0-9]) \Z"
)
_BEFORE_GOODS: Final = lazy_regex(
    r"(?:\b(?:(?P<amid>with|of|for|about|in|on|than|like|from|into|without|plus|more|extra|fresh|spare)|and|or|is|was)"
    r"|[,:;(\n|*-]|\A) ?\Z"
)
_NAMED_ON: Final = lazy_regex(" (?:(?:de[rn]?|het) )?[A-Z]")
_GIVES: Final = words_in("told tell gave give ask asked send sent show showed bring brought buy bought get got owe")
_PACKED: Final = words_in("wafers crisps biscuits teabags chocolate chocolates beer lager cereal shampoo soap tea")


def find_goods(text: str) -> Iterator[Found]:
    """Yield the makes and sorts of goods and animals: a Festo valve, Border Terrier; nobody's: Orla's boots."""
    for start, end in places_of(text, _goods()):
        if text[start:end] in known.PARTICLES and _NAMED_ON.match(text, end):
            continue  # Quennetia van der Zorndyke, not a van
        make = _MADE_BY.search(text, max(0, start - 34), start)
        small = text[start:end].islower()
        if make is None or not (small or _is_of_a_sort(text[start:end])):
            continue
        first = make["make"].split("'")[0].split(" ")[0].lower()
        marks = lists().words.get(first, 0)
        before = max(0, make.start("make") - 9), make.start("make")
        if first in _GIVES or not (_ARTICLE.search(text, *before) or _is_amid(text, before, marks, text[end - 1])):
            continue
        packed = text[start:end] in _PACKED or text[start:end].lower() in _of_a_sort()
        owner = "'" in make["make"] and (marks & Marks.GIVEN or not packed)
        if not (owner or marks & Marks.KNOWN_PLACE or first in known.RELATIONS or first in known.TITLES):
            yield Found(make.start("make"), make.end("make") if small else end, ORDINARY, 0.0)


def _is_amid(text: str, before: tuple[int, int], marks: int, last: str) -> bool:
    """Return whether the make of goods can stand here without an article: with Bramley apples; not: Patel paints."""
    found = _BEFORE_GOODS.search(text, *before)
    if found is None or (marks & Marks.GIVEN and not marks & _PLAIN):
        return False
    return found["amid"] is not None or not (marks & _NAMES and last == "s")


def _is_of_a_sort(written: str) -> bool:
    """Return whether a word in capitals is an animal or a plant, and nobody's family name: Border Terrier."""
    low = written.lower()
    return written.istitle() and low in _of_a_sort() and not lists().words.get(low, 0) & _NAMES


_GIVEN_DRUGS: Final = lazy_regex(
    r"(?:\A|[\n|;.] {0,8}| {2})(?:(?:Current|Regular|Home) )?(?:Meds|Medications?|DH|Rx|Drugs?(?: history)?|PRN"
    r"|Allerg(?:y|ies)) ?: (?P<listed>[A-Za-z0-9 ,/()-]{3,300})"
)
_DRUG: Final = lazy_regex(r"(?<![A-Za-z])(?:(?<=, )|(?<=: ))[A-Z][a-z]{3,20}(?=,|\Z| [0-9a-z])")
DRUG_GATE: Final = holding("Meds", "Medication", "DH", "Rx", "Drug", "PRN", "Allerg")


def find_drugs(text: str) -> Iterator[Found]:
    """Yield what is listed behind a label of medicines: Meds: memantine, Laxido; no listed given name."""
    for match in matches(_GIVEN_DRUGS, text):
        for drug in _DRUG.finditer(text, *match.span("listed")):
            if not _is_given(drug[0]):
                yield Found(*drug.span(), ORDINARY, 0.0)


_LETTERS: Final = """md phd mbe obe cbe kbe dbe kc qc frcp frcs frcgp frcpch frcpsych frcpath frcr frca mrcp mrcs
    mrcgp mrcpch mrcvs mrcog frcog mbbs mbchb bds dphil msc bsc mba llb llm jp msp rn np dds dvm pharmd facs facp
    faan esq cpa hons beng meng bed pgce ba ma rgn rmn cbt dip frsa fca aca acca mrics frics mice ceng cissp pmp
    mcse pa do fnp anp agnp pmhnp aprn crna cnm dnp lcsw lmsw lmft lpc lmhc otr dpt rd aud ccc slp bcba"""
_LETTER_WORDS: Final = joined_words(_LETTERS)
LETTERS_GATE: Final = with_words(_LETTERS)


_NUMBERED_MODEL: Final = lazy_regex(
    r"(?: (?:[A-Z][a-z]{1,12} )?| ?-)(?P<model>(?!(?:19|20)[0-9]{2}\b)(?:[A-Z]{1,2}-?)?[0-9]{1,4}[a-z]?)(?![\w%]"
    r"|[.,:/-][0-9]| ?(?:km|miles|years))"
)


def find_numbered_models(text: str) -> Iterator[Found]:
    """Yield the numbers in names of cars and devices: Peugeot 208, Nikon D850, Tesla Model 3."""
    for start, end in places_of(text, _MAKE_WORDS):
        model = _NUMBERED_MODEL.match(text, end) if text[start].isupper() else None
        if model is not None:
            yield Found(*model.span("model"), "numbering", 0.6, "sequence")


_MISREAD: Final = lazy_regex(
    r"(?<![\w.@/-])(?=[A-Za-z]{0,12}(?:[A-Za-z]0(?![0-9])|0[A-Za-z]|[A-Za-z]1[A-Za-z]))[A-Za-z01]{2,14}(?![\w@-])",
    within="[01](?<=[A-Za-z].)|0[A-Za-z]",
)
_LEVEL: Final = lazy_regex(
    r"(?i:(?<![a-z])(?:english|german|french|spanish|italian|dutch|polish|portuguese|russian|greek|arabic|turkish|chinese"
    r"|level|niveau|nivel|livello|poziom|deutsch|englisch|franzosisch|anglais|allemand|ingles|aleman|frances|inglese"
    r"|tedesco|francese|engels|duits|frans))\s{1,24}\(?(?P<level>[ABC][12])(?!\w)"
)
_LEVEL_ALONE: Final = lazy_regex(r"[ABC][12](?!\w)")
_SHORT_CODE: Final = lazy_regex(
    r"[A-Z](?<![\w.,/#&+=@:-].)[A-Z]{0,3}-?[0-9]{1,3}(?![\w/@]|-[A-Z0-9]|[.,][0-9]| [0-9][A-Z]{2}(?!\w))"
)
_PUBLIC_CODE: Final = lazy_regex(
    r"U(?:[6-9]|1[0-9]|2[0-3])|P(?:45|60|800)|SA(?:1|100|302)|W[24]|I9|A[345]|B12|G(?:7|8|20)"
)
"""Ages of a team, forms of tax offices, sizes of paper, a vitamin, groups of states."""
_ROAD: Final = lazy_regex(r"[ABM][0-9]{1,3}")
_BEFORE_ROAD: Final = lazy_regex(r"(?i)\b(?:the|via|road|route|junction|motorway|autobahn|der|die) \Z")
_BEFORE_CODE: Final = lazy_regex(
    r"(?i)\b(?:forms?|formular|formulaire|formulario|modulo|class|classe|klasse|size|taglia|talla|taille|grade) \Z"
)
_ANY_MODEL: Final = lazy_regex(r"(?!ID|PT|NHS|MRN|NO|NR|REF|PIN)[A-Z]{1,4}-?[0-9]{1,2}")
_OF_SOMEBODY: Final = lazy_regex(
    r"(?i)\b(?:code|pin|gate|door|room|rm|flat|apt|apartment|unit|suite|house|plot|block|wing|level|floor|bed|ward|bay|desk|locker|key|seat|badge"
    r"|staff|student|employee|patient|user|acc|account|a/c|cust|customer|client|inv|invoice|order|case|file|policy|claim|member|id|no|nr|number|ref|in|at|to|from|near|around|of|zimmer|wohnung|haus|bett)"
    r"[.:#]? (?:is )?\Z"
)
"""Words before such a code that make it the room, the key or the district of somebody."""
MISREAD_GATE: Final = at_digits("[01](?:(?<=[A-Za-z]0)(?![0-9])|(?<=0)(?<![0-9.].)[A-Za-z]|(?<=[A-Za-z]1)[A-Za-z])")
LEVEL_GATE: Final = at_digits(r"[A-Z][0-9]{1,3}(?!\w)")


def find_misread_words(text: str) -> Iterator[Found]:
    """Yield English words and listed names in which a scanner took letters for digits: REP0RT, 0f, HEATHC0TE."""
    marks_of = lists().words.get
    for match in matches(_MISREAD, text):
        word = match[0].lower().replace("0", "o").replace("1", "l")
        digits = sum(map(str.isdigit, match[0]))
        marks = marks_of(word, 0)
        if digits < 3 and digits < len(word) and marks & Marks.COMMON and not marks & _NAMES:
            yield Found(*match.span(), "numbering", 0.5, "sequence")
        elif digits < 3 and digits < len(word) - 3 and marks & _NAMES and not marks & Marks.COMMON:
            yield Found(*match.span(), "person", 0.5, "list")


def find_levels(text: str) -> Iterator[Found]:
    """Yield levels of languages, and short codes of forms, roads, sizes and classes: English C1, Form F250, U12."""
    for match in near(_LEVEL, text, _LEVEL_ALONE, 40, 4):
        yield Found(*match.span("level"), "numbering", 0.6, "sequence")
    for match in matches(_SHORT_CODE, text):
        before = max(0, match.start() - 16), match.start()
        public = _PUBLIC_CODE.fullmatch(match[0]) and not _OF_SOMEBODY.search(text, *before)
        road = _ROAD.fullmatch(match[0]) and _BEFORE_ROAD.search(text, *before)
        model = _ANY_MODEL.fullmatch(match[0]) and not _OF_SOMEBODY.search(text, *before)
        if public or road or model or _BEFORE_CODE.search(text, *before):
            yield Found(*match.span(), "numbering", 0.5, "sequence")


def find_letters_behind_names(text: str) -> Iterator[Found]:
    """Yield degrees, honors and memberships in their own spelling: MRCVS, BEng (Hons)."""
    for start, end in places_of(text, _LETTER_WORDS):
        written = text[start:end]
        behind = text[start - 2 : start] == ", " or text[start - 1 : start] in (" ", "(", "/")
        certified = _CERTIFIED.match(text, end)
        if written in ("PA", "DO", "RD") and certified is None:  # Scranton, PA
            continue
        if written == "Hons" or (behind and sum(map(str.isupper, written)) >= 2):
            yield Found(start, end if certified is None else certified.end(), ORDINARY, 0.0)


_CERTIFIED: Final = lazy_regex(r"-[A-Z]{1,4}(?![A-Za-z0-9])")


_SPACED_HEAD: Final = lazy_regex(r"(?<![^\n])(?P<head>[ ]{0,4}[A-Z#][^\n:|\t0-9]{8,160})\n(?=(?P<below>[^\n]{1,200}))")
_SPACED_CELL: Final = lazy_regex(r"[^ ](?:[^ ]| (?! ))*+")
_LEAST_CELLS: Final = 3
_LONGEST_HEAD: Final = 3  # words of a head
HEAD_GATE: Final = holding("   ")


def find_spaced_heads(text: str) -> Iterator[Found]:
    """Yield the heads of columns parted by spaces, above a row with a number: Qty   Description   Unit."""
    for table in matches(_SPACED_HEAD, text):
        cells = list(matches(_SPACED_CELL, text, *table.span("head")))
        below = sum(1 for _ in matches(_SPACED_CELL, table["below"]))
        if len(cells) < _LEAST_CELLS or below < _LEAST_CELLS or not any(map(str.isdigit, table["below"])):
            continue
        if all(cell[0].count(" ") < _LONGEST_HEAD for cell in cells):
            yield from (Found(*cell.span(), ORDINARY, 0.0) for cell in cells if not _is_given(cell[0]))


_STATUTE: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9'-].)[a-z]{2,20}(?:,? (?:(?:and|of|the|to|for) ){0,2}\(?[A-Z][a-z]{2,20}\)?){0,7}?"
    r" (?:Act|Acts|Regulations|Bill|Ordinance|Order|Directive|Convention|Treaty|Protocol|Accords?|Charter"
    r"|Law)(?![A-Za-z])"
)
_ASIDE: Final = lazy_regex(r"\([A-Z][a-z]{2,20}\)")
STATUTE_GATE: Final = with_words(
    "act acts regulations bill ordinance order directive convention treaty protocol accord accords charter law"
)


def find_statutes(text: str) -> Iterator[Found]:
    """Yield statutes by their titles: Poor Law Act, Basic Law; what is called after somebody stays open."""
    for match in matches(_STATUTE, text):
        start = match.start() + match[0].rfind(" the ") + len(" the ") if " the " in match[0] else match.start()
        words = [word.lower() for word in _WORD.findall(_ASIDE.sub("", match[0][start - match.start() :]))]
        if all(
            lists().words.get(word, 0) & (_PLAIN | Marks.KNOWN_PLACE) or word in known.FUNCTION_WORDS
            for word in words[:-1]
        ) and not (words[-1] == "law" and any(map(_is_called, words))):
            yield Found(start, match.end(), ORDINARY, 0.0)


def _is_called(word: str) -> bool:
    """Return whether a word before a family name may be a title or a given name: Sister Law, Rose Law."""
    return bool(lists().words.get(word, 0) & Marks.GIVEN) or word in known.TITLES | known.RELATIONS


_GLOSS: Final = lazy_regex(
    r"(?:Court|Courts|Appeal|Board|Council|Chamber|Tribunal|Authority|Office|Ministry|Agency|General|Act|Law|Code"
    r"|Regulation|Ordinance|Constitution|Committee|permit|licence|notice|decision|certificate|register|tax|allowance)"
    r" \((?P<gloss>[A-Z][^\W\d_]{2,40}(?: (?:[a-z]{1,3} )?[^\W\d_]{3,30}){0,4})(?=[),])"
)
GLOSS_GATE: Final = holding(" (")
_OF_BODY: Final = lazy_regex(
    r"(?i:gericht|gerichtshof|gesetz|gesetzbuch|behorde|erlaubnis|berechtigung|verordnung|bescheid|anstalt|ausschuss"
    r"|erkenntnis|ratten|domstol\w{0,4}|myndighet\w{0,4}|mahkemesi|kurulu|kanunu|mahkemeler\w{0,3})\b"
    r"|\b(?i:sadu?|urzad|ustawa|tribunal|cour|conseil|consiglio|ministero|juzgado|audiencia|consejo|ministerio|conselho"
    r"|rechtbank|gerechtshof) "
)


def find_glosses(text: str) -> Iterator[Found]:
    """Yield what a body or a paper is called in its own language, in parentheses: the Court (Oberster Gerichtshof)."""
    for match in matches(_GLOSS, text):
        if _OF_BODY.search(match["gloss"]):
            yield Found(*match.span("gloss"), ORDINARY, 0.8)


_AFTER: Final = """enfermedad sindrome morbo morbus malattia maladie syndrome doenca ziekte choroba sjukdom sygdom
    signo segno signe teorema theoreme ley loi legge wet zespol sindroma algoritmo algorithme krankheit syndroom
    sindrom sinal objaw fractura fracture frattura fratura contractura contracture maniobra manovra manobra escala
    scala skala schaal prueba iq"""
_AFTER_WORDS: Final = joined_words(_AFTER)
_NAMED_AFTER: Final = lazy_regex(
    r" (?:(?:d[eiao]l?|von|van|af|av) |d')?(?P<name>[A-Z][a-z]{2,20}(?:-[A-Z][a-z]{2,20})?)(?![A-Za-z0-9])(?! [A-Z])"
)
_RESULTS: Final = """negative positive negativ positiv negativo positivo negativa positiva negatif positif negatief
    positief ujemny dodatni neg pos"""
_RESULT_WORDS: Final = joined_words(_RESULTS)
_SIGN_BEFORE: Final = lazy_regex(
    r"(?:\A|[\n.:;,+/(]) {0,4}(?:and |y |e |et |und |en |i )?(?P<name>[A-Z][a-z]{3,20}(?:-[A-Z][a-z]{2,20})?) \Z"
)
_LONGEST_SIGN: Final = 50
_SIGNS: Final = words_in("murphy bell graves allen perkins wells")
"""Whom signs are called after, of given names."""
_OWNED: Final = "disease syndrome palsy lymphoma sarcoma thyroiditis contracture fracture sign"
_OWNED_WORDS: Final = joined_words(_OWNED)
_OWNER_BEFORE: Final = lazy_regex(r"(?P<before>[A-Za-z]{0,12})\.? (?P<name>[A-Z][a-z]{3,20})(?:'s)? \Z")
AFTER_GATE: Final = with_words(f"{_AFTER} {_RESULTS} {_OWNED}")


def find_eponyms(text: str) -> Iterator[Found]:
    """Yield whom an illness, a sign or a law is called after: enfermedad de Paget, Morbus Crohn, Murphy negativo."""
    for start, end in places_of(text, _AFTER_WORDS):
        named = _NAMED_AFTER.match(text, end)
        band = named is not None and text[start:end].lower() == "zespol" and named["name"][-1] not in "ao"
        if named is not None and not band:  # zespol Downa, but the band Maanam
            yield Found(*named.span("name"), ORDINARY, 0.0, EPONYM)
    for start, _ in places_of(text, _RESULT_WORDS):
        sign = _SIGN_BEFORE.search(text, max(0, start - _LONGEST_SIGN), start)
        low = "" if sign is None else sign["name"].lower()
        if sign is not None and (low in _SIGNS or not lists().words.get(low, 0) & Marks.GIVEN):
            yield Found(*sign.span("name"), ORDINARY, 0.0, EPONYM)
    for start, _ in places_of(text, _OWNED_WORDS):
        owner = _OWNER_BEFORE.search(text, max(0, start - _LONGEST_SIGN), start)
        if owner and owner["name"].lower() in known.EPONYMS and owner["before"].lower() not in known.TITLES:
            yield Found(*owner.span("name"), ORDINARY, 0.0, EPONYM)


EPONYM: Final = "eponym"
"""Why a name that stands there is nobody, even if somebody else of the text bears it."""


_STEMS: Final = tuple(
    words_in(
        """mab ciclib tinib rafenib parib zomib gliptin gliflozin glitazone glutide xaban sartan sartana olol olole
    vastatin vastatina vastatine cillin cilline cilina cillina mycin mycine micina micin cycline ciclina cyclin floxacin
    floxacino floxacina floxacine triptan oxetine oxetin oxetina azepam zolam parin parine parina dipine dipin dipino
    dipina thiazide thiazid tiazida semide semid dronate dronat dronato asone ason asona isolone isolon isolona sonide
    terol tropium lukast setron profen oxicam coxib prazole prazol prazolo conazole conazol conazolo nidazole nidazol
    platin platine platino taxel rubicin rubicina mustine navir tegravir buvir ciclovir cyclovir amivir asvir bendazole
    formin formine formina dazine apine tadine grel relin relix steride stim leukin poetin tacept
    penem kacin bactam fungin vancin zolid fibrate darone racetam tidine trexate trexed vaptan vudine kinra lisib
    barbital peridol"""
    )
)
"""Stems of the international names of medicines (WHO, the stem book), and how seven languages write them."""
_LAST_LETTERS: Final = frozenset([stem[-3:] for stem in _STEMS])
_SHORTEST_MEDICINE: Final = 7


def medicine_gate(text: str, seen: Seen) -> bool:
    """Tell whether a word of the text ends as medicines do."""
    return any(word.endswith(_STEMS) for word in seen.words if word[-3:] in _LAST_LETTERS)


def find_medicines(text: str) -> Iterator[Found]:
    """Yield medicines by the stem of their names, with a capital: Upadacitinib, Bisoprolol."""
    marks_of = lists().words.get
    words = frozenset(
        word
        for word in words_of(text)
        if len(word) >= _SHORTEST_MEDICINE and word.endswith(_STEMS) and not marks_of(word, 0) & _NAMES
    )
    for start, end in places_of(text, words):
        if text[start].isupper():
            yield Found(start, end, ORDINARY, 0.0)
