"""Firms and institutions by a word that only their names have: a legal form, or what sort of house it is.

Capitals before a legal form of any language are the firm's name, whatever words they are (Prickly Pear Print Co-op).
So are those before what an English house is called by, and behind what a house of another language is called by; there
a word tells it from others of its sort: Hawthorn Surgery, but General Surgery; Farmacia Rossi.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, either, holding, joined_words, matching, places_of
from textveil.detection.language_words import is_compound
from textveil.detection.lists import EPONYMS, LANGUAGES, Marks, frequent_words, lists, ordinary_words
from textveil.detection.names_in_one_case import is_small
from textveil.detection.people_in_records import is_thing
from textveil.text.patterns import either_of, lazy_regex, matches, matches_at

_W: Final = r"(?:[A-Z]\.|St\.|[A-Z][A-Za-z]{0,30}+(?:['-][A-Za-z]{1,30}+){0,3}+)"
_JOINT: Final = (
    r"(?: & | - |'s | (?:(?:of|de|del|della|di|da|do) (?:(?:the|la|los|las) )?"
    r"|(?:and|und|og|och|et|e|y|i|en|dos|das|des|du) )?)"
)
_RUN_BEFORE: Final = lazy_regex(rf"(?<![A-Za-z0-9_@#-]){_W}(?:{_JOINT}{_W}){{0,7}}+'?s?,?\Z")
_RUN_BEHIND: Final = lazy_regex(
    rf" (?P<name>(?:'t |[Dd]e |[Hh]et |[Zz]u[mr] |Les? "
    rf"|d(?:u|es|[ao]s?|el|ella|e[il]|elle|egli|e l[ao]s?) |de l'|dell')?"
    rf"{_W}(?:(?: & | (?:(?:de|del|della|di|da|do|des|du|e|y|et) )?){_W}){{0,3}}+)"
    r"(?![A-Za-z0-9_@])"
)
_WORD: Final = lazy_regex(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_BACK: Final = 80

FORM: Final = lazy_regex(
    r" (?:gGmbH|(?:GmbH|AG|SE|UG)(?: & Co\.? ?(?:KG(?:aA)?|OHG))|GmbH|mbH|UG|KGaA|OHG|eG|e\. ?[VKG]\.|GbR"
    r"|(?P<weak>Limited|KG|AG|SA|SAS|AB|AS|BV|NV|SL)|LLC|L\.L\.C|LLP|Ltd|LTD|LIMITED|plc|PLC|CIC|Co-op(?:erative)?|Pty|SARL"
    r"|S\.A\.R\.L|EURL|SASU|SCI|SNC|S\. ?L(?:\. ?[UP]|\.N\.E)?"
    r"|S\.A(?:\.[CDST])?|S/A|S\.Com|SPA|E\.I\.R\.L|S\. ?Coop|S\.C\.C\.L|[Ss]\.? ?r\.? ?l|SRL|S\.R\.L"
    r"|S\.p\.A|[Ss]\.(?:n\.c|a\.s)"
    r"|Ltda|Lda|EIRELI"
    r"|B\.V|N\.V"
    r"|V\.O\.F|VOF|s\. ?c|[Ss]p\. ?z ?o\. ?o(?:\. [Ss]p\. ?[jk])?|[Ss]p\. ?[jk]|spol\. s r\. ?o"
    r"|s\. ?r\. ?o|a\. ?s|ASA|A/S|ApS|Oyj?|[KB]ft"
    r"|Zrt|Nyrt|d\. ?o\. ?o"
    r"|(?:et |e |y |i |und |en )(?:Pere et Fils|Fils|Freres|[Ff]igli[oe]?|Hijos|Filhos|Irmaos|Soh?ne?|Zone?n"
    r"|[Ss]yn(?:owie)?|Cie)(?: s\.c)?"
    r"|Pere et Fils|& (?:Sons?|Daughters?|Co\.?(?: KG)?|Partners?|Associates|Sohne?|Tochter|Figli[oe]?|F\.lli|Fils"
    r"|Freres|Hijos|Filhos|Zone?n|Zn|Cie|Bro(?:ther)?s))"
    r"(?:(?:(?<=[. ][A-Za-z])|(?<=Ltd|LTD|tda|Lda|Pty| Co|ros))\.(?=[ ,;:)]? ?[-a-z,;:(|)\n]|\Z))?"
    r"(?![A-Za-z0-9_]|(?<=NV) [0-9]{5}(?![\w.,]))"
)
"""A legal form behind a firm's name, or who else it belongs to."""
_FORM_WORDS: Final = joined_words(
    """gmbh ggmbh mbh ug kgaa ohg gbr kg ag sa sas ab bv nv sl llc llp ltd limited plc cic pty sarl eurl sasu sci snc
    srl spa lda ltda eireli vof sp spol asa aps oy oyj kft bft zrt nyrt
    fils freres figli figlio hijos filhos irmaos sohne sohn zonen zoon synowie"""
)
_PIECES: Final = (
    " eG", " e.V", " e. V", " e.K", " e. K", " e.G", " e. G", " AS", " L.L.C", "Co-op", " S.A", " S.L", " S. L", " S.C",
    " S. C", " S.p", " S.r", " S. r", " S r", " S.R", " s.n.c", " s.a.s", " S.n.c",
    " S.a.s", " B.V", " N.V", " V.O", " s.r", " s. r",
    " S/A", " syn",
    " s.c", " s. c",
    " a.s", " a. s", " A/S", " d.o", " d. o", " & ",
)  # fmt: skip
_MEETINGS: Final = frozenset(("meeting", "agm", "minutes", "committee", "trustees", "governors", "members", "friends"))
"""Words before "of" that tell who of a house, or what of it: Minutes of Kilwhin Rowing Club."""
_HOMES: Final = words_in("care nursing rest retirement residential")
"""Words before "home" that make it a house."""
_GENERIC: Final = known.GENERIC | known.GENERIC_CARE | frozenset(known.written("en")["generic houses"])
_HOUSE: Final = lazy_regex(r"(?:[Ii][mn]s?|[Aa][mn]s?|[Vv]om|[Zz]um|[Dd]as|[Dd]em|[Aa]us|[Dd]es|:|\n|\A) {0,4}\Z")
"""Words before a German house with a name: im Haus Abendsonne, but Haus Nummer 7."""
_INNS: Final = words_in("hotel gasthof gasthaus wirtshaus")
"""Sorts of houses whose name may be any German noun: Gasthof Krone."""
_FORMS_BEFORE: Final = ("EHPAD", "SCI", "GAEC", "SCEA", "EARL", "ASBL")
"""Words before a name in capitals."""
_GOODS: Final = words_in(
    "aridos conservas quesos frutas carnes reformas instalaciones excavaciones pinturas automoviles muebles textiles"
    " viajes construcciones transportes moveis elevadores impianti trasporti charpente couverture facades taxis viacao"
)
"""Sorts of firms, in capitals alone."""
_COUNTED_HOUSE: Final = words_in("nummer nr nord sud ost west mitte eins zwei drei")
_HYPHENED: Final = frozenset(known.written("de")["hyphened houses"])
"""Sorts of houses behind a name and a hyphen: Albert-Schweitzer-Gymnasium."""
_SORTS: Final = frozenset(known.written("de")["sorts of houses"])
"""Words before such a word that name no house: Reha-Klinik."""
_PARTS_BEFORE: Final = lazy_regex(
    r"(?<![A-Za-z0-9_@-])(?P<saint>(?:St\.|Sankt|Sint) ?-?)?(?P<parts>(?:[A-Z][a-z]{1,20}-){1,4}+)\Z"
)
_SAINTS: Final = joined_words("st sankt sint")
_OF_SAINT: Final = lazy_regex(r"\.?[ -]{1,2}(?P<house>[A-Z][a-z]{5,30})(?![A-Za-z0-9_@-])")
_ENDS_OF_HOUSES: Final = ("kirche", "kapelle", "schule", "stift", "klinik", "spital", "kerk", "school", "krankenhaus")
"""A house that a saint's name begins, in one word: St. Josefskirche, Sint-Agathakerk."""
_TRADES: Final = words_in("immobilien haustechnik elektrotechnik logistik transporte reisen bau kollegen partner")
_ARTICLES: Final = words_in(
    """the die der das den dem des von bei an fur de het een une un w z dal dalla alla della nella sulla dear from to
    by at in for with and or if we she he they contact call see"""
)
_ARTICLES_TOO: Final = words_in("le la les il lo gli i el los las o a os as")
"""Articles of the languages that also begin names: Las Vegas Wedding Chapel."""


@cache
def _foreign() -> dict[str, str]:
    return {word: language for language, words in known.by_language("houses").items() for word in words}


@cache
def _heads() -> dict[str, str]:
    heads = _foreign()
    english = known.written("en")
    placed = dict.fromkeys(english["placed houses"], "weak")
    strong, weak = (dict.fromkeys(english[f"{sort} houses"], sort) for sort in ("strong", "weak"))
    return heads | placed | strong | weak


@cache
def house_words() -> frozenset[str]:
    """Return what houses of any sort are called by, in plain small letters."""
    return frozenset(_heads())


FIRM_GATE: Final = either(WithWords(lambda: house_words() | _FORM_WORDS | _HYPHENED | _SAINTS), holding(*_PIECES))
_CUED: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?:work(?:s|ed|ing)?|employed|interned|temp(?:s|ing)|job)(?: as an? [a-z]{3,20}"
    r"(?: [a-z]{3,20})?)? (?:at|by) (?:the )?|(?<![A-Za-z])(?:coach(?:es)?|minibus|taxis?|transport"
    r"|catering|cakes?|flowers|music|photos|printing|survey|repairs?|removals) (?:by|from|with) (?:the )?"
    r"|(?:\A|[\n.;|*\xb7-] {0,8}| {2})(?:Client|Customer|Agency|Landlord|Insurers|Shop|Venue"
    r"|Flowers|Catering|Coach|Transport|Removals|Printer|Employer|Church|School"
    r"|Insurer"
    r"|Company|Firm|Supplier|Pharmacy|Organi[sz]ation|Workplace|Nursery|Garage|Vet|Bank|Publisher"
    r"|Sponsor|Band|Caterer|Florist|Photographer|Cake|Hotel|Contractor|Vendor|Builder)(?: name)?:[ \t]{1,20}"
    r"|(?<![A-Za-z])(?:our|their|the|from|with|for|to|and|new|,|\.) (?:customer|client|supplier|vendor|contractor) "
    r"(?=(?:[A-Z][A-Za-z'&-]* ){2,4}(?:is|are|was|has|have|wants?|says?|said|asked|will|needs?|called|delivers?)\b))"
    rf"(?P<name>{_W}(?:(?: & |'s | (?:of |and |at )?){_W}){{1,5}}+)(?=[ ,.;:)\n]|\Z)(?! [A-Z0-9])"
)
"""The name behind "works at" or the label of a house; two words or more, since brands have one."""
_BEFORE_CUE: Final = 9  # characters that it matches at most before one of ``_CUES``
_INN: Final = lazy_regex(
    r"(?:pub|inn|cafe|bar|restaurant|bistro|shop|bookshop|bakery|hotel|hostel|guesthouse|nursery|salon|farm)"
    r"(?:,? (?:called|named)|,) (?P<name>The (?:[A-Z][a-z']{2,20})(?: (?:(?:of|and|&) )?[A-Z][a-z']{2,20}){0,3})"
    r"(?![A-Za-z0-9])"
)
"""A house beside what it is: the pub, The Speckled Hen."""
_INN_WORDS: Final = joined_words(
    "pub inn cafe bar restaurant bistro shop bookshop bakery hotel hostel guesthouse nursery salon farm"
)
_CUES: Final = joined_words(
    """work works worked working employed interned temps temping job venue employer church school insurer company firm
    supplier pharmacy coach coaches minibus taxi taxis transport catering cake cakes flowers music photos printing
    survey repair repairs removals printer organisation organization workplace nursery garage vet bank publisher sponsor
    band caterer florist photographer cake hotel contractor vendor builder customer client agency landlord insurers
    shop"""
)
_SORTS_OF_FIRMS: Final = joined_words(
    "charities companies firms businesses suppliers vendors agencies nonprofits contractors retailers publishers rivals"
    " competitors insurers startups landlords"
)
_SORTS_OF_GROUPS: Final = joined_words(
    "organizations organisations groups clubs customers clients employers partners bands"
)
"""Words for several houses; what the second ones are called by one word may be no house: clients such as Firefox."""
_SUCH: Final = lazy_regex(
    r"(?:(?P<such>,? (?:such as|like|including) )|, (?:and |or )?| (?:and|or) )(?:the )?"
    rf"(?P<name>{_W}(?:(?: & | (?:of )?){_W}){{0,4}}+)(?![A-Za-z0-9_@-])"
)
_MOST_SUCH: Final = 8
CUED_FIRM_GATE: Final = WithWords(lambda: _CUES | _INN_WORDS | _SORTS_OF_FIRMS | _SORTS_OF_GROUPS)


def find_cued_firms(text: str) -> Iterator[Found]:
    """Yield what stands where an employer or a house is named: works at The Copper Whisk."""
    for match in matches_at(_CUED, text, _cued_places(text)):
        words = [word[0] for word in _WORD.finditer(match["name"])]
        lows = [word.lower() for word in words]
        if (
            not _is_given(lows[0])
            and lows[0] not in known.TITLES
            and not (all(low in _GENERIC for low in lows) or any(map(is_thing, lows)))
        ):
            yield Found(*match.span("name"), "organization", 0.5, "cue")
    for start, _ in places_of(text, _INN_WORDS):
        if (inn := _INN.match(text, start)) is not None:
            yield Found(*inn.span("name"), "organization", 0.5, "cue")
    for start, end in places_of(text, _SORTS_OF_FIRMS | _SORTS_OF_GROUPS):
        yield from _such(text, end, fewest=1 + (text[start:end].lower() in _SORTS_OF_GROUPS))


def _is_given(low: str) -> bool:
    marks = lists().words.get(low, 0)
    return bool(marks & Marks.GIVEN) and not marks & Marks.COMMON


def _such(text: str, end: int, fewest: int) -> Iterator[Found]:
    """Yield the houses of a list: suppliers such as Bright Ladder, Tidewater and others."""
    item = _SUCH.match(text, end)
    for _ in range(_MOST_SUCH):
        if item is None or (item["such"] is None) == (item.start() == end):
            return
        lows = item["name"].lower().split()
        if len(lows) >= fewest and not (_is_given(lows[0]) or all(low in _GENERIC for low in lows)):
            yield Found(*item.span("name"), "organization", 0.5, "cue")
        item = _SUCH.match(text, item.end())


_SIGNS: Final = frozenset(known.written("en")["inn signs"])
_WEAK_SIGNS: Final = frozenset(known.written("en")["weak inn signs"])
_BEFORE_SIGNS: Final = frozenset(known.written("en")["before inn signs"])
_SURE_SIGNS: Final = words_in("crown compasses feathers anchor hounds plough keys thistle mow barrel")
"""Signs that with another one beside it name an inn wherever they stand: Rose & Crown."""
_SIGN: Final = either_of(" ".join(_SIGNS | _WEAK_SIGNS))
_INN_NAME: Final = lazy_regex(
    rf"(?i:(?:(?P<before>{either_of(' '.join(_BEFORE_SIGNS))}) )?(?P<first>{_SIGN})(?![a-z])"
    rf"(?: (?:&|and) (?P<second>{_SIGN})(?![a-z]))?(?: (?:inn|tavern|arms|head|hotel|pub|restaurant)(?![a-z]))?)"
    r"(?!'?\w|-\w)(?P<more>(?= [A-Z][a-z]))?"
)
_AT_INN: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?P<sure>(?i:in|at|outside|opposite|past|passes|round|down|left|leaving|into|behind|called|runs|owns"
    r"|manages))|(?i:to|from|near|by)) [Tt]he \Z"
)
INN_GATE: Final = WithWords(lambda: _SIGNS | _WEAK_SIGNS)


def find_inns(text: str) -> Iterator[Found]:
    """Yield inns by their signs: in the Plough, Rose & Crown; on a page in small letters by two words or more."""
    places = (start for start, _ in places_of(text, _SIGNS | _WEAK_SIGNS | _BEFORE_SIGNS))
    for match in matches_at(_INN_NAME, text, places):
        if text[match.start() - 1 : match.start()] in ("-", "'", "_", "@", "#"):
            continue
        at = _AT_INN.search(text, max(0, match.start() - 16), match.start())
        signs = {match["first"].lower(), (match["second"] or match["first"]).lower()}
        words = [word for word in match[0].split(" ") if word not in ("and", "&")]
        several = len(words) > 1 and (len(signs) > 1 or not _WEAK_SIGNS.issuperset(signs))
        if all(word[0].isupper() and not word.isupper() for word in words):
            found = at if several or not _WEAK_SIGNS.issuperset(signs) else at and at["sure"]
            found = found or (len(signs) > 1 and not _SURE_SIGNS.isdisjoint(signs))
        else:
            found = at and several and all(map(str.islower, words)) and is_small(text)
        if found and (len(signs) > 1 or match["more"] is None):
            yield Found(*match.span(), "organization", 0.6, "institution")


def _cued_places(text: str) -> list[int]:
    """Return the places at which ``_CUED`` can match, and some more, in order."""
    starts = (start for start, _ in places_of(text, _CUES))
    return sorted({place for start in starts for place in range(max(0, start - _BEFORE_CUE), start + 1)})


def find_firms(text: str) -> Iterator[Found]:
    """Yield firms and institutions, by start or not."""
    formed = any(piece in text for piece in _PIECES) or next(places_of(text, _FORM_WORDS), None) is not None
    for form in matches(FORM, text) if formed else ():
        start = _begun(text, form.start(), weak=form["weak"] is not None)
        if (
            start >= 0
            and form["weak"]
            and text[form.end() : form.end() + 3].istitle()
            and _is_german(text[start : form.start()])
        ):
            continue  # zum Aufsteiger AS Livorno
        if start >= 0:
            yield Found(start, form.end(), "organization", 0.75, "company-end")
    for start, end in places_of(text, house_words()):
        low = text[start:end].lower()
        sort, foreign = _heads()[low], _foreign().get(low)
        stop = 0
        if foreign and not (text[start].islower() and low in _GOODS):  # quesos Cabrales
            stop = _named_behind(text, start, end, foreign)
        if stop and (sort == foreign or any(map(_is_proper, text[end:stop].split()))):
            begin = start if text[start].isupper() else end + 1
            yield Found(begin, stop, "organization", 0.6, "institution")
        elif sort != foreign and text[start - 1 : start] == " " and text[start].isupper():
            if _GOES_ON.match(text, end):
                continue
            begin = _named_before(text, start, weak=sort == "weak")
            if begin >= 0:
                tail = _OF.match(text, end)
                stop = start - 2 if text[start - 2] == "," else tail.end() if tail else end  # Hale & Dee, Solicitors
                yield Found(begin, stop, "organization", 0.6, "institution")
    yield from _hyphened_houses(text)
    if is_small(text):
        yield from _small_houses(text)


_SMALL_BEFORE: Final = lazy_regex(
    r"(?<![a-z])(?:at|from|by|with|called|outside|behind|near|past|opposite|to|into|for|runs|own|\()"
    r" ?(?P<name>(?:[a-z][a-z']{1,14} (?P<joint>(?:&|and|n) )?){1,3})\Z"
)
_SMALL_BEHIND: Final = lazy_regex(
    r" (?P<name>(?P<article>(?:el|la|il|'t|le|zum|zur|am|de|da|do|di|du|des|chez) )?(?P<first>[a-z][a-z']{2,16})"
    r"(?P<second> [a-z][a-z']{2,16})?)(?![A-Za-z0-9_@'-])"
)
_NEXT: Final = lazy_regex(r" (?P<next>[a-z']{1,16})")
_KIN_OF_FIRM: Final = words_in("daughter daughters son sons co bros brothers")


def _small_houses(text: str) -> Iterator[Found]:
    """Yield houses on a page in small letters, by their sort and what stands beside it: from tickety boo removals."""
    for start, end in places_of(text, house_words() | _KIN_OF_FIRM):
        low = text[start:end]
        if not low.islower() or text[start - 1 : start].isalnum() or text[end : end + 1] in ("-", "_", "@", "/"):
            continue
        foreign = _foreign().get(low)
        following = _NEXT.match(text, end)
        ends = following is None or _is_no_name(following["next"]) or low in _KIN_OF_FIRM
        named = _SMALL_BEFORE.search(text, max(0, start - _BACK), start) if ends else None
        if named is not None and low in _heads().keys() - _foreign().keys() | _KIN_OF_FIRM:
            words = named["name"].replace("&", " ").split()
            joined = named["joint"] is not None
            if (joined or low not in _KIN_OF_FIRM) and not any(map(_is_no_name, words)) and _tells(words):
                yield Found(named.start("name"), end, "organization", 0.5, "institution")
        elif foreign and (behind := _SMALL_BEHIND.match(text, end)):
            plain = frequent_words(foreign) if foreign in LANGUAGES else frozenset()
            last = (behind["second"] or "").strip()
            if last and last not in plain and not _is_no_name(last):
                yield Found(start, behind.end(), "organization", 0.5, "institution")
            elif behind["first"] not in plain and not _is_no_name(behind["first"]):
                yield Found(start, behind.end("first"), "organization", 0.5, "institution")


def _is_no_name(low: str) -> bool:
    return low in known.FUNCTION_WORDS or low in known.RELATIONS or low in known.chat_words() or low in _GENERIC


def _tells(words: list[str]) -> bool:
    """Return whether words tell a firm from others: two of them, or one that is no ordinary word."""
    return len(words) > 1 or not lists().words.get(words[0], 0) & Marks.COMMON


def _is_german(run: str) -> bool:
    words = ordinary_words("de")
    return all(low in words or is_compound(low, words) for low in _WORD.findall(run.lower()))


def _hyphened_houses(text: str) -> Iterator[Found]:
    for start, end in places_of(text, _HYPHENED):
        before = text[start - 1 : start] == "-" and _PARTS_BEFORE.search(text, max(0, start - _BACK), start)
        if before and text[end : end + 1] not in ("-", "@", "_") and (before["saint"] or _names_house(before["parts"])):
            yield Found(before.start(), end, "organization", 0.75, "institution")
    for start, end in places_of(text, _SAINTS):
        house = _OF_SAINT.match(text, end) if text[start].isupper() else None
        if house is not None and house["house"].endswith(_ENDS_OF_HOUSES):
            yield Found(start, house.end(), "organization", 0.75, "institution")


def _names_house(parts: str) -> bool:
    """Return whether a word before the sort of a house names it: no ordinary German word, or somebody's name."""
    named = parts.lower().split("-")[:-1]
    return any(
        part not in _SORTS and (lists().words.get(part, 0) & Marks.GIVEN or part not in ordinary_words("de"))
        for part in named
    )


_PLACED: Final = frozenset(known.written("en")["placed houses"])
_BEFORE_PLACED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:(?P<at>at)|near|outside|opposite|behind|past|inside|beside|into|in|to|from|tour|left|owns|runs)"
    r" (?:the )?\Z"
)
"""Words before a place that one can be at: moved into Rosewood Lodge."""
_ADDRESS_BEHIND: Final = lazy_regex(r",[ \n]{1,2}[A-Z][a-z]+[ ,.\n]")
"""The street or town of a house that is somebody's: Woodpecker Cottage, Back Lane."""
_OF: Final = lazy_regex(rf" of (?:the )?{_W}(?: {_W}){{0,2}}+")
"""What a school is of: Darpana Academy of Performing Arts."""
_GOES_ON: Final = lazy_regex(r"[A-Za-z0-9_(@-]| [A-Z][a-z]| [0-9]")


def _words_before(text: str, end: int) -> list[tuple[int, str]]:
    """Return the capitalized words that end here, but for articles and prepositions that begin a sentence."""
    run = _RUN_BEFORE.search(text, max(0, end - _BACK), end)
    words = [] if run is None else [(word.start(), word[0]) for word in _WORD.finditer(text, run.start(), end)]
    told = [at for at, word in enumerate(words[1:], 1) if word[1] == "of" and words[at - 1][1].lower() in _MEETINGS]
    words = words[told[-1] :] if told else words
    while words and (
        words[0][1].lower() in _ARTICLES or words[0][1].lower() in known.TITLES or words[0][1][0].islower()
    ):
        del words[0]
    return words


def _is_proper(word: str) -> bool:
    """Return whether a word tells a house from others: a name, or no word of English and of programs."""
    low = word.lower()
    if low in _GENERIC or low in known.FUNCTION_WORDS or is_thing(low):
        return False
    marks = lists().words.get(low, 0)
    return bool(marks & (Marks.GIVEN | Marks.FAMILY | Marks.PLACE)) or not marks & (Marks.COMMON | Marks.OTHER)


def _begun(text: str, end: int, *, weak: bool) -> int:
    words = _words_before(text, end)
    of = next((place for place, (_, word) in enumerate(words) if word == "of"), 0)
    houses = known.INSTITUTIONS | house_words()
    if of > 1 and all(len(word) < 2 or (_is_proper(word) and word.lower() not in houses) for _, word in words[:of]):
        words = words[of + 1 :]  # Auberon Tench of Tench Mallory LLP
    if not words or all(word.lower() in _GENERIC or len(word) < 2 for _, word in words):
        return -1
    if weak and (all(word.isupper() for _, word in words) or not any(_is_proper(word) for _, word in words)):
        return -1
    return words[0][0]


def _named_before(text: str, end: int, *, weak: bool) -> int:
    """Return where the name of an English house begins whose sort stands at ``end``; -1 if it has none."""
    words = _words_before(text, end - 1)
    named = [word for _, word in words if word[0].isupper() and word.lower() not in _GENERIC]
    if not named:
        return -1
    start = words[0][0]
    house = _WORD.match(text, end)
    placed = house is not None and house[0].lower() in _PLACED and not _ADDRESS_BEHIND.match(text, house.end())
    before = _BEFORE_PLACED.search(text, max(0, start - 16), start)
    near = before is not None and (placed or (len(named) > 1 and before["at"] is not None))  # at Elm Bank Surgery
    at = near and not named[0].isupper()
    if any(is_thing(word.lower()) for word in named) and not at:
        return -1
    proper = any(len(word) > 2 and _is_proper(word) for word in named)
    weak = weak and words[-1][1].lower() not in _HOMES
    if (weak or named[0].isupper()) and not proper and not at:
        return -1
    if text[max(0, start - 4) : start] == "The " and not _opens(text, start - 4):
        return start - 4
    return -1 if not proper and len(named) < 2 and _opens(text, start) else start


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - 3) : start]
    return not before.strip() or "\n" in before or before.rstrip(' "(').endswith((*".!?:;|*>-",))


@cache
def trade_words(language: str) -> frozenset[str]:
    """Return the sorts of firms of a language that are words as well."""
    return frozenset(known.written(language)["weak houses"])


def find_trades(text: str, language: str) -> Iterator[Found]:
    """Yield firms behind such a word, if one behind it is no ordinary word of the language: Reisebüro Okkenga."""
    function, ordinary = known.written(language)["function"], ordinary_words(language)
    for start, end in places_of(text, trade_words(language)):
        stop = _named_behind(text, start, end, language) if text[start].isupper() else 0
        words = [word[0] for word in _WORD.finditer(text, end, stop) if word[0][0].isupper()] if stop else []
        for low in map(str.lower, words):
            made = language in ("de", "nl") and is_compound(low, ordinary)
            if low not in ordinary and not made and low not in function:
                yield Found(start, stop, "organization", 0.6, "institution")
                break


def _named_behind(text: str, start: int, end: int, language: str) -> int:
    """Return where the name of a house behind its sort ends; 0 if it has none."""
    run = _RUN_BEHIND.match(text, end)
    if run is None or text[start - 1 : start].isalnum():
        return 0
    ordinary = ordinary_words(language)
    words = list(_WORD.finditer(text, *run.span("name")))
    none = _ARTICLES | _ARTICLES_TOO | known.FUNCTION_WORDS
    first = next((word for word in words if word[0].lower() not in none and word[0][0].isupper()), None)
    if first is None or (first[0].isupper() and len(first[0]) < 5):
        return 0
    if language == "de":
        if text[start:end] == "Haus":  # of which any noun is the name, but never a second one
            named = _HOUSE.search(text, max(0, start - 8), start) and first[0].lower() not in _COUNTED_HOUSE
            return first.end() if named and first.start() == end + 1 and len(first[0]) > 3 else 0
        inn = text[start:end].lower() in _INNS
        stop = 0
        for word in words:
            low = word[0].lower()
            marks = lists().words.get(low, 0)
            plain = marks & Marks.COMMON if inn else low in ordinary and low not in _TRADES
            if plain and not marks & (Marks.GIVEN | Marks.FAMILY):
                break
            stop = word.end()
        return stop
    if text[start].isupper() and text[start:end].isupper() and text[start:end] not in _FORMS_BEFORE:
        return 0
    return run.end("name")


_AT: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?:[Aa]t|[Ff]rom|[Oo]utside|[Oo]pposite|[Nn]ear|[Bb]ehind|[Pp]ast|[Ii]nside|[Bb]eside|[Tt]o"
    r"|[Ii]n|[Ii]nto|[Bb]y|[Rr]ound|[Cc]alled|[Nn]amed) |@ ?|[£€$][0-9][0-9.,]{0,9} |[0-9] x |Venue: )\Z"
)
"""What stands before a house, or a payment in it."""
_COMMA: Final = lazy_regex(r"[a-z0-9], \Z")
_ENDS: Final = lazy_regex(
    r"'[sS](?=[.,;:!?)\"\n]|\Z| (?:in|on|at|for|and|or|this|last|next|after|before|opens|closes|is|was|to|again"
    r"|today|tonight|tomorrow|[0-9-])\b| [-\u2013(0-9]| {2})"
)
_CELL: Final = lazy_regex(r"'[sS](?=[,|\n]|\Z)")
_NAMED: Final = lazy_regex(
    r"'(?:s|S)(?P<run>(?: (?:& |and |AND |of )?[A-Z][A-Za-z]{2,20}){1,4})(?![A-Za-z0-9_'@-]| ?:)"
)
_ALSO: Final = words_in(
    """tea room rooms cafe bar grill kitchen diner deli pizza pizzeria pub inn salon barbers garage shop stores store
    bakery treasures plaice chippy takeaway cakes flowers florist boutique nails hair spa gym yard hard reach wharf
    landing lodge place piece farm house court cottage catfish travel shoes fabric minibuses meadow"""
)
_FAR: Final = 12
_TITLED: Final = "[A-Z][a-z]{2,20}"
_AND_BEFORE: Final = lazy_regex(
    rf"(?:(?<![A-Za-z0-9&'-] )(?<![A-Za-z0-9_'@-])(?:{_TITLED} )?|(?<=[a-z] ))(?P<rest>{_TITLED}) & \Z"
)
_FIRM: Final = lazy_regex(
    r"(?:(?<=from )|(?<=for )|(?<=with )|(?<=at )|(?<=by )|(?<=of )|(?<=\| )|(?<=: ))"
    rf"(?P<one>{_TITLED}) & (?P<other>{_TITLED})(?=[,.;)\n\"]|\Z| \|)",
    holds=(" & ",),
)
PARTNERS_GATE: Final = matching(r" & [A-Z][a-z]", amid=" & ")


def find_partners(text: str) -> Iterator[Found]:
    """Yield firms of two names, one of them at least a family or a place: from Hale & Marsh, dated Monday."""
    for match in matches(_FIRM, text):
        marks = [lists().words.get(match[part].lower(), 0) for part in ("one", "other")]
        given = any(mark & Marks.GIVEN and not mark & Marks.FAMILY for mark in marks)  # from Tom & Meg
        if not given and any(mark & _NAMES and not mark & Marks.OTHER for mark in marks):
            yield Found(*match.span(), "organization", 0.5, "pair")


def with_partners(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, names with the word before them that a sign for "and" joins to them: Harbour & Lyle."""
    if " & " not in text:
        return list(spans)
    whole: list[Found] = []
    for span in spans:
        both = [(part.kind, part.why) for part in (*whole[-1:], span)]
        if both == _GUESSED and text[whole[-1].end : span.start] == " & ":
            span = span._replace(start=whole.pop().start)  # Nook & Cranny
        elif span.kind in ("person", "place", "organization") and text[span.start].isupper():
            low = max(whole[-1].end if whole else 0, span.start - _LONGEST_PARTNERS)
            before = _AND_BEFORE.search(text, low, span.start)
            if before is not None and not lists().words.get(before["rest"].lower(), 0) & Marks.GIVEN:
                span = span._replace(start=before.start(), kind="organization")
        whole.append(span)
    return whole


_GUESSED: Final = [("organization", "tagger")] * 2
_LONGEST_PARTNERS: Final = 46
_NAMES: Final = int(Marks.FAMILY | Marks.PLACE)


def with_owned_houses(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, those of names that stand for their owner's house with its s, and what it is called by."""
    if "'s" not in text and "'S" not in text:
        return list(spans)
    whole: list[Found] = []
    for span in spans:
        if whole and span.start < whole[-1].end:  # Tea Room, of Winnie's Tea Room
            whole[-1] = whole[-1]._replace(end=max(span.end, whole[-1].end))
            continue
        if text[span.end : span.end + 2] in ("'s", "'S") and span.kind in ("person", "place", "organization"):
            end = _end(text, span)
            if end:
                span = span._replace(end=end, kind="organization")
        whole.append(span)
    return whole


def _end(text: str, span: Found) -> int:
    """Return where the house ends whose owner's name a span holds; 0 where it is none."""
    if text[span.start : span.end].lower() in EPONYMS:
        return 0
    named = _NAMED.match(text, span.end)
    at = _AT.search(text, max(0, span.start - _FAR), span.start)
    if named is not None:
        lows = [word for word in named["run"].lower().split() if word not in _JOINTS]
        sorted_by = not (house_words() | _ALSO).isdisjoint(lows)
        unlisted = text[named.end() : named.end() + 2] in _STOPS and not any(map(_is_listed, lows))
        return named.end() if sorted_by or at or unlisted else 0
    if at is not None and span.kind == "person" and _is_listed(text[span.start : span.end].lower()):
        return 0  # the keys are at Hope's
    if at is None:
        listed = _COMMA.search(text, max(0, span.start - 3), span.start) and _CELL.match(text, span.end)
        return span.end + 2 if listed else 0
    return span.end + 2 if _ENDS.match(text, span.end) else 0


def _is_listed(low: str) -> bool:
    marks = lists().words.get(low, 0)
    return bool(marks & (Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.KNOWN_PLACE)) or is_thing(low)


_STOPS: Final = frozenset((", ", ".\n", ". ", ".", "", ",", "; ", ") ", ")", "\n"))
_JOINTS: Final = frozenset(("&", "and", "of"))
