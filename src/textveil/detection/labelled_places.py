"""Places that their label tells, and addresses without digits: named houses, streets alone, numbers in words."""

from collections.abc import Iterator, Sequence, Set
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.gates import both, either, holding, joined_words, places_of, with_words
from textveil.detection.languages import language_of
from textveil.detection.lists import LANGUAGES, Marks, frequent_words, lists, ordinary_words, places, written
from textveil.detection.mentions import EVIDENCE
from textveil.detection.name_evidence import ACTS
from textveil.detection.names_in_one_case import is_small
from textveil.detection.people_in_records import is_plain_form
from textveil.detection.units import BELOW_HUNDRED, NUMBER_WORDS
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import lazy_regex, matches

_LABELS: Final = """address adresse anschrift wohnanschrift lieferadresse rechnungsadresse lieferanschrift wohnadresse
    adres woonadres bezorgadres domicilio domicile direccion indirizzo residenza morada endereco adress
    hometown birthplace geburtsort geboorteplaats naturalidade town city village ort wohnort ville ciudad localidad
    poblacion citta comune cidade localidade concelho plaats woonplaats miasto miejscowosc
    birth naissance nacimiento nascita nascimento urodzenia zamieszkania
    bairro barrio quartier frazione wijk dzielnica ortsteil stadtteil naturalidade freguesia tatort unfallort einsatzort
    lieferort treffpunkt wohnsitz zamieszkala zamieszkaly domiciliado residente sehir sehri"""
_FIRM_LABELS: Final = """employer arbeitgeber employeur empleador empleadora lavoro empregador empregadora werkgever
    pracodawca empresa azienda ditta firma isveren unternehmen entreprise bedrijf"""
LABELLED_GATE: Final = both(with_words(f"{_LABELS} {_FIRM_LABELS}"), either(holding(":"), holding("   ")))
_OF_FIRMS: Final = words_in(_FIRM_LABELS)
_LABEL_WORDS: Final = joined_words(_LABELS) | _OF_FIRMS
_HEADS: Final = words_in(
    f"{_LABELS} phone email e-mail mail tel telephone telefon fax mobile name date dob postcode zip code state county"
    " country status notes role age sex id plz street type amount"
)
_OF_BIRTH: Final = words_in("birth naissance nacimiento nascita nascimento urodzenia zamieszkania")
_BEFORE: Final = lazy_regex(
    r"(?i)(?:(?P<of>\b(?:place of|lieu de|lugar de|luogo di|local de|miejsce) )"
    r"|(?P<no>\b(?:ip|e-?mail|mac|web|memory|wallet|btc|bus|base|source|destination|mail|http|internet)[ -]?)"
    r"|(?P<field>(?:\A|\n|  |[;|>\t] ?)[ \t>*-]{0,8}(?:[0-9]{1,2}[.)] )?(?:(?:home|postal|delivery|current|mailing"
    r"|billing|shipping|permanent|present|private|work|full|h0me|nome e|data e) ?){0,2}))\Z"
)
_VALUE: Final = lazy_regex(
    r"(?: ?\([^()\n]{1,20}\))?(?P<sign> ?:[ \t]{0,16}\n?|[ \t]{3,24})"
    r"(?P<place>[A-Z0-9][^\n;|=@<>{}()\[\]\t\"_]{1,90}?)"
    r"(?=[ \t]{0,2}(?:\n|;|\||  |\t|\(|\"|\Z|(?<=[a-z]{4})\. [A-Z]|, (?i:tel|phone|mob)))"
)
_SMALL_PART: Final = words_in(
    "of the and upon on under next in le la les du des de del della di d da do dos das van von der den am an bei im"
    " near y e et sur sous aan op"
)
_NO_VALUE: Final = words_in(
    "unknown none n/a na same see not as above below string text null optional required tbc tbd"
)


def find_labelled_places(text: str) -> Iterator[Found]:
    """Yield what stands behind "Address:", "Wohnort:" and the like, and in a form behind the wide space."""
    for start, end in places_of(text, _LABEL_WORDS):
        before = _BEFORE.search(text, max(0, start - 60), start)
        value = _VALUE.match(text, end)
        if value is None or (before is not None and before["no"]):
            continue
        low = text[start:end].lower()
        of_birth = low in _OF_BIRTH
        if of_birth != (before is not None and before["of"] is not None):
            continue
        field = of_birth or (before is not None and before["field"] is not None)
        if not field and (":" not in value["sign"] or not low.startswith(("ad", "an", "ind"))):
            continue
        if low in _OF_FIRMS:
            if field and ":" in value["sign"] and _names_firm(value["place"]):
                yield Found(value.start("place"), value.end("place"), "organization", 0.65, "field")
            continue
        place = value["place"].rstrip(" .,:")
        heads = ":" not in value["sign"] and place.split()[0].lower() in _HEADS  # a row of a table's heads
        if _names_place(place) and not heads and place.lower() != low:
            yield Found(value.start("place"), value.start("place") + len(place), "place", 0.65, "field")


def _names_firm(value: str) -> bool:
    """Return whether a value has few words, of which the first has a capital and is no ordinary one alone."""
    words = value.split()
    first = words[0].lower().rstrip(".,")
    ordinary = len(words) == 1 and (is_plain_form(first) or any(first in frequent_words(each) for each in LANGUAGES))
    return (
        value[0].isupper()
        and len(words) < 9
        and first not in _NO_VALUE
        and not ordinary
        and not value.endswith((".", "?"))
    )


def _names_place(value: str) -> bool:
    words = value.replace(",", " ").replace("/", " ").split()
    if not words or words[0].lower() in _NO_VALUE or "://" in value or value.count(".") > 2:
        return False
    if any(map(str.isdigit, value)):
        return len(words) < 14 and any(word[0].isupper() and word[1:].islower() for word in words)
    capital = all(word[0].isupper() or word.lower() in _SMALL_PART or "'" in word for word in words)
    return (
        capital
        and len(words) < 7
        and value.upper() != value.lower()
        and words[0].lower() not in FUNCTION_WORDS - {"the"}
    )


_KINDS_OF_HOUSE: Final = """Manse Smithy Gables Maltings Rectory Vicarage Parsonage Forge Granary Stables Barn Lodge
    Schoolhouse Bakery Grange Cottage Farmhouse Croft Elms Laurels Willows Firs Beeches Hollies Poplars Cedars Oaks Nook
    Bungalow Hermitage Paddock Dairy Gatehouse Boathouse Priory Mill Orchard Retreat Hollow Homestead Pines Limes"""
_AFTER_NAME: Final = "Cottage House Farm Farmhouse Lodge Barn Villa Croft Grange Manse Mill Bungalow"
_HOUSE: Final = "|".join(_KINDS_OF_HOUSE.split())
_END: Final = "|".join(_AFTER_NAME.split())
_WORD: Final = "[A-Z][A-Za-z'-]{2,20}"
_STREET_END: Final = (
    "(?:Street|Road|Avenue|Terrace|Villas|Crescent|Mews|Lane|Parade|Gardens|Drive|Close|Gate|Steps|Quay|Brow|Fold|Row|Way"
    "|Walk|Place|Piece|Grove|Rise|Hill|Wharf|Track|Court|Square|Wynd|Yard)"
)
_NAMED: Final = lazy_regex(
    rf"(?<![\w'-])(?:(?:The|THE) (?:Old |New |OLD )?(?:{_HOUSE}|{_HOUSE.upper()})"
    rf"|(?!(?:White|Random|Opera|Full|Upper|Lower|The|Waffle|Animal|Orient) )(?:{_WORD} ){{1,2}}(?:{_END}))"
    rf", ?\n?(?P<behind>{_WORD}(?: {_WORD}){{0,2}})(?![\w'])"
)
_FLAT: Final = lazy_regex(
    r"(?<![\w'-])(?:(?:(?:[Bb]asement|[Gg]round[ -][Ff]loor|[Tt]op[ -][Ff]loor|[Ff]irst[ -][Ff]loor|[Gg]arden|[Uu]pper"
    r"|[Ll]ower|[Tt]op) [Ff]lat|[Tt]op floor"
    r"|(?:[Cc]aravan|[Pp]itch|[Pp]lot|[Uu]nit|[Ff]lat|[Bb]erth) [0-9]{1,3}[A-Za-z]?)"
    rf",? (?:[0-9]{{1,4}}[A-Za-z]? )?(?:{_WORD} ){{1,3}}(?:{_STREET_END}|Park|House|Point|Marina|Site))(?![\w'])"
)
_FLAT_IN: Final = lazy_regex(
    rf"(?<![\w'-])(?:[Ff]lat|[Aa]partment|[Aa]pt\.?) [0-9]{{1,3}}[A-Za-z]?, "
    rf"(?!(?:Mr|Mrs|Ms|Miss|Dr)\b)(?:The )?{_WORD}(?: {_WORD}){{0,2}}(?=[,.;)\n]| [a-z]|\Z)"
)
_SURE_ENDS: Final = tuple(written("en")["sure street ends"])
_VAGUE_ENDS: Final = (
    *("Parade", "Yard", "Wharf", "Quay", "Croft", "Fold", "Row", "Walk", "Close", "Rise", "Hill", "Steps", "Place"),
    *("Drive", "Grove", "Gate", "Brow", "Acre", "Way", "Square", "Gardens", "Villas", "Garth", "Buildings", "Cottages"),
)
_STREET: Final = rf"(?:St\.? |Old |Upper |Lower |Great |Little )?(?:{_WORD} ){{1,2}}"
_ALONE: Final = lazy_regex(
    rf"(?<![\w'&-])(?P<name>{_STREET})(?P<end>{'|'.join(_SURE_ENDS)})(?![\w'-]| ?[&:=])(?P<more> [A-Z])?",
    holds=_SURE_ENDS,
)
_BEHIND: Final = lazy_regex(
    r"(?:\b(?:on|in|at|from|off|near|down|up|along|outside|opposite|to|of|and|with) |(?P<part>, |(?<![^\n])))"
    rf"(?P<name>{_STREET})(?P<end>{'|'.join(_VAGUE_ENDS)})(?![\w'-]| [A-Z]| ?[:=])",
    holds=_VAGUE_ENDS,
)
_TOWN_AFTER: Final = lazy_regex(r"(?:,|,?\n) ?[A-Z][a-z]{2,}")
_PLACING: Final = lazy_regex(
    r"\b(?:on|in|at|from|off|near|down|up|along|outside|opposite|to|of|and|with|[0-9]{1,4}[A-Za-z]?,?) \Z"
)
_PUBLIC_STREETS: Final = words_in(
    """scotland ship canary wall downing fleet sesame abbey memory fast silk high main bond penny coronation harley dear
    quality lois express tobacco yellow sunset easy jump cross ring access service toll private public trunk rail dirt
    gravel open hard rocky revolutionary bus bike cycle passing inside outside left right middle slow one side back each
    every this that any my our your whole next first second third another same times milky"""
)
"""First words of streets that name no home: public ones, works, ways of a kind."""
_FIRSTS: Final = frozenset(written("en")["street firsts"])
_SMALL_ALONE: Final = lazy_regex(
    r"\b(?:on|in|at|from|near|off) (?P<place>(?P<name>[a-z]{4,15}) (?P<end>st|street|road|rd|lane|ave|avenue|court|mews"
    r"|terrace|crescent|close))(?![\w'-])"
)
_SMALL_WAYS: Final = (
    "via viale piazza corso vicolo calle avenida plaza paseo rue impasse ruelle quai rua travessa largo"
)
_WAY_ENDS: Final = (
    "strasse",
    "gasse",
    "straat",
    "laan",
    "gracht",
    "steeg",
    "plein",
    "weg",
    "allee",
    "kade",
    "dijk",
    "platz",
)
_SMALL_WAY: Final = lazy_regex(
    rf"(?<![a-z])(?:in|en|na|no|em|dans|sur|nella|sulla|da|de|a|la|le|el) (?P<place>(?:{_SMALL_WAYS.replace(' ', '|')})"
    r" (?P<joint>(?:d[aeo]s?|de[il]|dell[ae]|degli|du|de las?|de los|de l'|d') ?)?"
    r"(?P<name>[a-z]{4,16})(?P<more> [a-z]{4,16})?)(?![\w'-])"
)
_SMALL_COMPOUND: Final = lazy_regex(
    r"(?<![a-z])(?:in|an|auf|aus|von|op|aan|bij|naar|ab) (?:der|dem|die|de|het|d') (?P<place>[a-z]{2,20}"
    rf"(?:{'|'.join(_WAY_ENDS)}))(?![\w-])"
)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL)
_SPOKEN: Final = lazy_regex(
    rf"(?<![\w-])(?i:(?:number |no\. )?(?:{BELOW_HUNDRED} hundred (?:and )?)?(?:{BELOW_HUNDRED} (?:oh )?)?"
    rf"{BELOW_HUNDRED})"
    rf" (?:{_WORD} ){{1,2}}{_STREET_END}(?![\w'])(?:,? (?:apartment|flat|apt|unit) [A-Z0-9]{{1,3}}(?!\w))?",
    holds=tuple(_STREET_END.strip("(?:)").split("|")),
)
_SMALL: Final = lazy_regex(
    r"(?:(?<=[:,(] )|(?<=\bat )|(?<=\n))(?P<place>(?P<name>[a-z]{3,16}) (?:cottage|farm|house|lodge|barn|villa|croft)"
    r"(?:, (?P<town>[a-z]{5,20})(?=[.,\n]))?)(?![\w'-])"
)
NAMED_GATE: Final = with_words(f"{_KINDS_OF_HOUSE} {_AFTER_NAME}".lower())
FLAT_GATE: Final = with_words("basement floor caravan pitch plot unit flat berth apartment apt")
ALONE_GATE: Final = either(
    with_words(" ".join((*_SURE_ENDS, *_VAGUE_ENDS, "st court", _SMALL_WAYS)).lower()),
    holding(*_WAY_ENDS),
)
SPOKEN_GATE: Final = both(with_words(NUMBER_WORDS), with_words(_STREET_END.strip("(?:)").replace("|", " ").lower()))


def find_named_houses(text: str) -> Iterator[Found]:
    """Yield houses that have a name in place of a number, with the street or town behind it."""
    for match in matches(_NAMED, text):
        yield Found(*match.span(), "place", 0.65)
    for match in matches(_SMALL, text):
        if not lists().words.get(match["name"], 0):
            yield Found(*match.span("place"), "place", 0.6)


def find_flats(text: str) -> Iterator[Found]:
    """Yield flats, pitches and plots with the street or the park that they lie in."""
    for pattern in (_FLAT, _FLAT_IN):
        for match in matches(pattern, text):
            yield Found(*match.span(), "place", 0.8)


_DATELINE: Final = lazy_regex(
    r"(?<![^\n])(?P<place>[A-Z][A-Z'-]{2,20}(?: [A-Z][A-Z'-]{2,20}){0,2}),? "
    r"(?=(?:\([A-Za-z/ ]{2,20}\)|[0-9]{1,2}\.? [A-Z][a-z]{2,9}|[A-Z][a-z]{2,9}\.? [0-9]{1,2})(?:,? [0-9]{4})? ?-{1,3} )"
)
DATELINE_GATE: Final = holding(" - ", " -- ")


def find_datelines(text: str) -> Iterator[Found]:
    """Yield the place in capitals from which news is told: KILWHIN, 3 May - The mill closed."""
    for match in matches(_DATELINE, text):
        if not all(is_plain_form(word) for word in match["place"].lower().split(" ")):
            yield Found(*match.span("place"), "place", 0.7, "cue")


def find_streets_alone(text: str) -> Iterator[Found]:
    """Yield streets without a number: of an end that is a street's, or behind a word that tells a place."""
    for match in matches(_ALONE, text):
        words = match["name"].lower().replace("'s", "").split()
        placed = _PLACING.search(text, max(0, match.start() - 14), match.start()) is not None
        given = len(words) == 1 and match["end"] in ("Street", "Lane") and lists().words.get(words[0], 0) & Marks.GIVEN
        town = match["more"] is None and _TOWN_AFTER.match(text, match.end()) is not None
        plain = is_plain_form(words[0]) and words[0] not in _FIRSTS
        if words[0] in _PUBLIC_STREETS:
            street = town and words[0] in ("main", "high")
        else:
            street = placed or not (given or plain or match["more"])
        if street:
            yield Found(match.start(), match.end("end"), "place", 0.55)
    for match in matches(_BEHIND, text):
        words = match["name"].lower().replace("'s", "").split()
        part = match["part"] is not None and not _TOWN_AFTER.match(text, match.end())
        plain = is_plain_form(words[0]) and words[0] not in _FIRSTS
        if not (part or plain) and words[0] not in _PUBLIC_STREETS:
            yield Found(match.start("name"), match.end("end"), "place", 0.5)
    if is_small(text):
        yield from _small_ways(text)
    for match in matches(_SMALL_ALONE, text):
        marks = lists().words.get(match["name"], 0)
        if not marks & _PLAIN and (marks or match["end"] not in ("court", "close")):
            yield Found(*match.span("place"), "place", 0.5)


def _small_ways(text: str) -> Iterator[Found]:
    """Yield streets of other languages on a page in small letters: in via dei mille, in der farbergasse."""
    language = language_of(text)
    if language not in LANGUAGES:
        return
    ordinary, frequent = ordinary_words(language), frequent_words(language)
    for match in matches(_SMALL_WAY, text):
        last = (match["more"] or "").strip()
        named = match["name"] not in frequent or (match["joint"] and lists().words.get(match["name"], 0) & _NAMED_TOO)
        if named or match["joint"] in ("dei ", "des ", "dos ", "degli ", "de los "):
            end = match.end() if last and last not in frequent and last not in FUNCTION_WORDS else match.end("name")
            yield Found(match.start("place"), end, "place", 0.5)
    for match in matches(_SMALL_COMPOUND, text):
        if match["place"] not in ordinary:
            yield Found(*match.span("place"), "place", 0.5)


_NAMED_TOO: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)


def find_spoken_streets(text: str) -> Iterator[Found]:
    """Yield addresses whose number is said in words: forty one Rossall Gate."""
    for match in matches(_SPOKEN, text):
        yield Found(*match.span(), "place", 0.65)


_PLACED_BY: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?P<strong>(?:trip|moved|emigrated|commutes?) to|dep\.|arr\.|Co\.|Mayor of"
    r"|(?:city|town|village|port|county|yacht \"[^\"\n]{1,24}\") of)"
    r"|in|(?:off|back|up|down|over|train|bus|ferry|road|on) to) \Z"
)
"""Words that a place stands behind; behind those that are not strong it is none if it is listed as a given name."""
_IN_PLACE: Final = lazy_regex(r"(?<![A-Za-z])(?:in|near|of|around|outside) \Z")
_PERSONAL_BEFORE: Final = lazy_regex(
    r"(?<![A-Za-z])(?i:asked|told|ask|tell|thanked|remind(?:ed)?|emailed|texted|phoned|rang|invited|married|hugged|paid"
    r"|helped|ping(?:ed)?|spoke (?:to|with)|talked (?:to|with)|heard from|cc|hi|hello|dear|thanks|sorry|hoi|hallo|hola"
    r"|ciao|salut|bonjour|merci|danke|bedankt|gracias|grazie|obrigad[oa]|chez|bei|apologies:|regrets:),? \Z"
)
_PERSONAL_BEHIND: Final = lazy_regex(
    r",? (?:here|hier)(?![A-Za-z])|'s (?:own |new |old |work |home )?(?:account|phone|desk|mum|mom|mother|dad"
    r"|father|husband|wife|partner|son"
    r"|daughter|sister|brother|birthday|house|car|laptop|office|number|e-?mail|mails?|keys?|password|login|chart|appointment"
    r"|shift|room|flat|letter|bag|coat|notes?|handwriting|turn|idea|fault|kids?|dog|cat|bike|tablet|boss|manager|message"
    r"|calendar)\b"
)
_CAPITAL_CITIES: Final = words_in(
    "london paris washington israel india china america berlin rome madrid dublin kenya cuba"
)
"""Places that speak in the news, and given names too."""
_IN_ZONE: Final = lazy_regex(
    r"(?<![\w/])(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)/\Z"
)
_ROYAL: Final = lazy_regex(r"(?<![A-Za-z])(?:Queen|King|Prince|Princess|Royal) \Z")
_SHORT_TITLES: Final = words_in("sig sra srta sr dott dssa mevr dhr frl tel fax mob")
_LONGEST_ZONE: Final = 12


_PERSON_BEFORE: Final = lazy_regex(
    r"(?:(?<![^\n])|[;|,\t] ?)[ \t>*-]{0,8}(?i:patient(?:in)?|pt|(?:sur|family |full |last |client |patient )?name"
    r"|client|resident|customer|paciente|paziente|pacjent|nom|nombre|nome|naam|cognome|apellidos?|nachname"
    r"|signed(?: by)?|witness|gp|consultant|nurse|tenant|contact) ?: {0,3}\Z|(?<![A-Za-z.])[A-Z]\. \Z"
)
"""The label of a person, or an initial."""


def _is_labelled(text: str, span: Found, value: str) -> bool:
    """Return whether a make is somebody's family name: Patient: Bosch, O. Porsche."""
    named = lists().words.get(value, 0) & (Marks.GIVEN | Marks.FAMILY)
    return bool(named) and _PERSON_BEFORE.search(text, max(0, span.start - 32), span.start) is not None


_OF_PLACE: Final = lazy_regex(
    r"(?:University|College|City|Port|Diocese|Bishop|Bank|Borough|Town|Mayor) of (?P<place>[A-Z][a-z]{2,20})"
)
_BESIDE_PLACE: Final = lazy_regex(
    r" (?:office|branch|depot|campus|warehouse|showroom|airport|factory|suburbs|marathon|ferry)s?(?![A-Za-z])"
)


def _is_beside_place(text: str, span: Found, bounds: Set[int]) -> bool:
    """Return whether a name stands behind a street, before a state or what a town has: 3 Abbey Close, Whitby."""
    if text[span.start - 2 : span.start] == ", " and 2 - span.start in bounds:
        return True
    return (text[span.end : span.end + 2] == ", " and span.end + 2 in bounds) or bool(
        _BESIDE_PLACE.match(text, span.end)
    )


def _acts(text: str, span: Found) -> bool:
    return span.why in ("title", "field", "column") or bool(
        ACTS.match(text, span.end) or _PERSONAL_BEHIND.match(text, span.end)
    )


def _is_of(text: str, span: Found, value: str, named: Set[str], bounds: Set[int]) -> bool:
    """Return whether a place is a given name of a person of the text, and nothing says that something lies there."""
    if value not in named or not lists().words.get(value, 0) & Marks.GIVEN or _is_beside_place(text, span, bounds):
        return False
    strong = _PLACED_BY.search(text, max(0, span.start - 40), span.start)
    return not (strong and strong["strong"]) and not _IN_PLACE.search(text, max(0, span.start - 8), span.start)


_HOUSE_END: Final = words_in("House Hall Mill Mills Lodge Cottage Grange Manor Tower Towers Works Rooms Barn")
_HOUSE_BEFORE: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?:at|in|outside|near)|(?i:location|venue|place|address|where) ?:) {1,8}\Z"
)
_ADDRESS_BEHIND: Final = lazy_regex(r", [0-9]{1,4}[A-Za-z]? [A-Z][a-z]")


_NAME_OF: Final = lazy_regex(
    r"(?i)(?<![a-z])name of (?:the )?(?:ship|vessel|boat|company|firm|school|employer|bank|hospital|hotel) ?: ?\Z"
)
_BEFORE_TOWN: Final = lazy_regex(
    r"(?<![A-Za-z])(?P<in>(?:in|near|from|to|of) )?(?P<town>[A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20}){0,2}), \Z"
)
_TOWN_SCORE: Final = 0.5


def _with_towns(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, with towns before a state that are words: from Hope, AR."""
    met: list[Found] = []
    for number, span in enumerate(spans):
        if span.kind != "place" or not _is_state_code(text[span.start : span.start + 2]):
            continue
        town = _BEFORE_TOWN.search(text, max(0, span.start - 72), span.start)
        beside = [other for other in spans[max(number - 2, 0) : number] if other.score > EVIDENCE]
        free = town is not None and all(other.end <= town.start("town") for other in beside)
        if town is not None and free and (town["in"] or any(town["town"].lower() in listed for listed in places())):
            met.append(Found(*town.span("town"), "place", _TOWN_SCORE, "cue"))
    ends = {town.end for town in met}
    return sorted([*(span for span in spans if span.end not in ends), *met]) if met else list(spans)


def _is_state_code(written: str) -> bool:
    return written.isalpha() and written.isupper() and len(written) == 2


def _kind_of(text: str, span: Found) -> str:
    """Return the kind of a person, who may be named as a house or behind the label of a thing: Name of ship."""
    if _NAME_OF.search(text, max(0, span.start - 32), span.start):
        return "organization"
    return "place" if _is_house(text, span) else span.kind


_SAINT: Final = lazy_regex(r"sainte?-[^\W\d_][\w-]*+")
_TITLED_SAINT: Final = lazy_regex(r"(?<![A-Za-z])(?:MM?\.|Mme|Mlle|Dr|Pr|Me|[Mm]onsieur|[Mm]adame|[Dd]octeur) Saint\Z")


def _is_titled_saint(text: str, span: Found) -> bool:
    """Return whether a title stands before what towns of France are called: Mme Saint-Gaudens."""
    return _TITLED_SAINT.search(text, max(0, span.start - 12), span.start + len("Saint")) is not None


def _is_house(text: str, span: Found) -> bool:
    """Return whether somebody is named as a house in which one is: at Calloway Mills; Tavish House, 4 Elm Street."""
    if text[span.start : span.end].rpartition(" ")[2] not in _HOUSE_END:
        return False
    before = _HOUSE_BEFORE.search(text, max(0, span.start - 20), span.start)
    return before is not None or _ADDRESS_BEHIND.match(text, span.end) is not None


def with_kinds(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans with the kind that words before a lone name tell: off to Grimsby, dep. Falmouth, Co. Kerry.

    A name that is a place once is one everywhere, but not beside a person of it. A place that is a given name too
    is a person where it does what persons do and nothing lies in it (asked Petra; Petra's desk), or somebody of the
    text is called so. What begins with Saint- is a town, but not behind a title. A listed place is one behind a
    street and before a state, and if a university is of it. Short titles are none, the place of a time zone
    (Europe/Paris) stays, and a hospital has its queen.
    """
    spans = [
        span._replace(kind=_kind_of(text, span)) if span.kind == "person" else span for span in _with_towns(text, spans)
    ]
    named, placed, ends = set[str](), set[str](), {span.end for span in spans if span.kind == "person"}
    bounds = {place for span in spans if span.kind == "place" for place in (span.start, -span.end)}
    lone: list[tuple[str, Found]] = []
    for span in spans:
        value = text[span.start : span.end].lower()
        if span.kind == "person" and (
            " " in value or (span.start - 1 in ends and text[span.start - 1] == " ") or _is_titled_saint(text, span)
        ):
            named.update(value.split(" "))
        elif span.kind in ("person", "place") and value.isalpha():
            lone.append((value, span))
    for value, span in lone:
        given = lists().words.get(value, 0) & Marks.GIVEN
        before = _PLACED_BY.search(text, max(0, span.start - 40), span.start) if span.kind == "person" else None
        if (span.kind == "place" or before is not None) and (not given or (before is not None and before["strong"])):
            placed.add(value)
    sure = {value for value, span in lone if span.kind == "person" and _is_beside_place(text, span, bounds)}
    for span in spans:
        if span.kind == "organization" and (of := _OF_PLACE.search(text, span.start, span.end)) is not None:
            sure.add(of["place"].lower())
    sure = {value for value in sure - named if any(value in listed for listed in places())}
    placed -= named
    personal = {
        value for value, span in lone if value not in _CAPITAL_CITIES
        and lists().words.get(value, 0) & Marks.GIVEN
        and (ACTS.match(text, span.end) or _PERSONAL_BEHIND.match(text, span.end)
             or _PERSONAL_BEFORE.search(text, max(0, span.start - 14), span.start))
    }  # fmt: skip
    personal -= {
        value for value, span in lone
        if value in personal and _IN_PLACE.search(text, max(0, span.start - 8), span.start)
        and not _PERSONAL_BEHIND.match(text, span.end)
    }  # fmt: skip
    kept: list[Found] = []
    for found in spans:
        value = text[found.start : found.end].lower()
        span = found
        if found.kind == "organization" and _is_labelled(text, found, value):
            span = found._replace(kind="person", why="field")
        elif found.kind == "place" and (value in personal or _is_of(text, found, value, named, bounds)):
            span = found._replace(kind="person")
        elif found.kind == "person" and (
            value in placed
            or (value in sure and not _acts(text, found))
            or (value not in named and _SAINT.fullmatch(value) is not None)
        ):
            span = found._replace(kind="place", score=max(found.score, _TOWN_SCORE))
        if (
            span.kind == "person"
            and text[span.start - 1 : span.start].isdigit()
            and text[span.start + 1 : span.start + 2] == " "
        ):
            span = span._replace(start=span.start + 2)  # 42F SKELHORN: the letter is a sex
        royal = _ROYAL.search(text, max(0, span.start - 10), span.start) if span.kind == "organization" else None
        if royal is not None and royal.start() >= (kept[-1].end if kept else 0):
            span = span._replace(start=royal.start())
        if not _is_none(text, span, value):
            kept.append(span)
    return kept


def _is_none(text: str, span: Found, value: str) -> bool:
    """Return whether a span is a short title, the heading of a form (IMO FAL Form 5), or the place of a time zone."""
    if value in _SHORT_TITLES and text[span.end : span.end + 1] == ".":
        return True
    if (
        span.why == "cue"
        and text[span.start : span.end].isupper()
        and text[span.end : span.end + 6].rstrip() in (" Form", " FORM")
    ):
        return True
    return span.kind == "place" and _IN_ZONE.search(text, max(0, span.start - _LONGEST_ZONE), span.start) is not None
