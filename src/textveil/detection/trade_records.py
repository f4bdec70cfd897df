"""Records of trades and machines in which a tag or a place tells who somebody is.

EDIFACT, DICOM, RIS, chess games, certificates, accounts of money, logs of games, parish registers, cells with the
family name first, and lines of KEY=value; pairs.
"""

from collections.abc import Iterator
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import ORDINARY, Found, words_in
from textveil.detection.gates import at_digits, both, either, holding, matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import is_plain_form, names_somebody, names_user
from textveil.detection.secrets import apart
from textveil.text.patterns import lazy_regex, matches

_SCORE: Final = 0.75
_FIELD: Final = "field"
_WORD: Final = lazy_regex("[A-Za-z]+")
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_NONE: Final = int(Marks.OTHER | Marks.KNOWN_PLACE)


def _can_be_family(word: str) -> bool:
    """Return whether a word can be a family: a listed one, or none of English, of programs and of known places."""
    lows = _WORD.findall(word.lower())
    marks = [lists().words.get(low, 0) for low in lows]
    if not lows or any(
        low in known.FUNCTION_WORDS or low in known.INSTITUTIONS or low in known.closing_words() for low in lows
    ):
        return False
    plain = [is_plain_form(low) or bool(mark & _NONE) for low, mark in zip(lows, marks, strict=True)]
    return not all(plain) or bool(marks[0] & Marks.FAMILY and not marks[0] & Marks.COMMON)


def _is_given(word: str) -> bool:
    return bool(lists().words.get(word.lower(), 0) & Marks.GIVEN)


_PARTY: Final = lazy_regex(r"NAD\+(?P<rest>[A-Z0-9]{1,3}\+[^'\n]{3,240})'")
_CONTACT: Final = lazy_regex(
    r"CTA\+[A-Z0-9]{0,3}\+[^:'\n]{0,17}:(?P<person>[^'+:\n]{2,60})'|COM\+(?P<phone>[^:'\n]{4,80}):(?:TE|FX|AL)'"
)
_PARTY_FIELDS: Final = ("", "id", "place", "name", "place", "place", "place", "place")
"""Elements of NAD: the party's function, id, address in lines, name, street, city, region, postal code."""
_CARETS: Final = lazy_regex(
    r"(?<![A-Za-z0-9^])(?P<family>[A-Z][A-Za-z'-]{2,30}(?: [A-Za-z'-]{2,20})?)"
    r"\^(?P<given>[A-Z][A-Za-z'-]{0,24}(?: [A-Za-z'-]{3,20})?)"
    r"(?P<middle>\^[A-Z][A-Za-z'-]{0,20})?"
    r"(?:\^{1,3}[A-Za-z]{0,8}\.?){0,2}(?![A-Za-z0-9^])"
)
_AUTHOR: Final = lazy_regex(
    r"(?<![^\n])(?:(?:AU|A[1-4U]|ED|FAU|FED)  ?-|%[AE]) (?P<name>[^\W\d_][^\n]{2,60}?)[ \t]*(?=\n|\Z)"
)
_GAME: Final = lazy_regex(
    r"\[(?:White|Black|Annotator|WhiteTeam|BlackTeam) \"(?P<name>[^\"\n?]{2,60})\"\]"
    r"|\[Site \"(?P<place>[A-Z][^\"\n?/:]{2,60})\"\]"
)
_FIELD_OF_MARC: Final = lazy_regex(
    r"(?<![^\n])=?(?P<tag>[0-9]{3})  ?[0-9_# \\]{1,2} ?(?=[|$][a-z] ?\S)"
    r"(?:[|$]a ?(?P<name>[^|$\n]{3,60}))?"
)


RECORD_GATE: Final = holding(
    "NAD+", "CTA+", "COM+", "^", "AU  ", "AU -", "A1  ", "A2  ", "A3  ", "A4  ", "ED  ", "%A ", "%E ", "FAU ", "FED ",
    "[White", "[Black", "[Site", "|a", "$a", "[Annot",
)  # fmt: skip


@apart
def find_in_records(text: str) -> Iterator[Found]:
    """Yield persons, places and numbers that EDIFACT, DICOM, RIS, MARC and files of chess tell by their tags."""
    for match in matches(_PARTY, text):
        start = match.start("rest")
        for kind, element in zip(_PARTY_FIELDS, match["rest"].split("+"), strict=False):
            place = start
            for part in element.split(":") if kind else ():
                if part and any(map(str.isalnum, part)) and (kind != "id" or len(part) > 3):
                    yield Found(place, place + len(part), _named(part) if kind == "name" else kind, _SCORE, _FIELD)
                place += len(part) + 1
            start += len(element) + 1
    for match in matches(_CONTACT, text):
        kind = match.lastgroup or ""
        yield Found(*match.span(kind), "email" if "@" in match[kind] else kind, _SCORE, _FIELD)
    for match in matches(_CARETS, text):
        given = match["given"].split(" ")[0]
        if _can_be_family(match["family"]) and (len(given) == 1 or _is_given(given)):
            yield Found(*match.span("family"), "person", _SCORE, _FIELD)
            yield Found(*match.span("given"), "person", _SCORE, _FIELD)
            if match["middle"]:
                yield Found(match.start("middle") + 1, match.end("middle"), "person", _SCORE, _FIELD)
    for match in matches(_AUTHOR, text):
        if _can_be_family(match["name"].split(",")[0]):
            yield Found(*match.span("name"), "person", _SCORE, _FIELD)
    for match in matches(_GAME, text):
        kind = match.lastgroup or ""
        yield Found(*match.span(kind), "person" if kind == "name" else kind, _SCORE, _FIELD)
    for match in matches(_FIELD_OF_MARC, text):
        yield Found(*match.span("tag"), "numbering", _SCORE, "sequence")
        if match["tag"] in ("100", "600", "700") and match["name"]:
            end = match.start("name") + len(match["name"].rstrip(" ,."))
            yield Found(match.start("name"), end, "person", _SCORE, _FIELD)


def _named(value: str) -> str:
    words = _WORD.findall(value.lower())
    firm = any(word in known.COMPANY_ENDS or word in known.INSTITUTIONS for word in words)
    return "organization" if firm else "person"


_HOLDER: Final = lazy_regex(
    r"(?:(?<=[,/ ])|(?<![^\n]))(?P<key>O|OU|L|ST|CN) ?= ?\"?(?P<value>[^\W\d_][^,/\n\"=+]{1,60}?)\"?"
    r"(?=, ?[A-Za-z]{1,24} ?= ?|/[A-Za-z]{1,24}=|[ \t]*(?:\n|\Z))"
)
_IN_CERTIFICATE: Final = lazy_regex(r"(?:CN|C) ?= ?[A-Za-z0-9*\"]")
_SERIAL: Final = lazy_regex(
    r"(?i:\bserial(?: number| no\.?)?) ?[:=]\s{0,24}(?P<value>(?:[0-9a-fA-F]{2}:){2,40}[0-9a-fA-F]{2})(?![\w:])"
)
_AUTHORITIES: Final = words_in(
    "encrypt digicert google amazon microsoft globalsign sectigo comodo verisign entrust isrg geotrust"
)
CERTIFICATE_GATE: Final = either(
    holding("CN =", "CN=", "C =", "C="),
    both(with_words("serial"), matching(":(?:(?<=[0-9a-f]{2}:)[0-9a-f]{2}|(?<=[0-9A-F]{2}:)[0-9A-F]{2})")),
)


@apart
def find_holders(text: str) -> Iterator[Found]:
    """Yield who and where a certificate is for, and its number."""
    yield from (Found(*match.span("value"), "id", _SCORE, "label") for match in matches(_SERIAL, text))
    if _IN_CERTIFICATE.search(text) is None:
        return
    for match in matches(_HOLDER, text):
        key, words = match["key"], _WORD.findall(match["value"].lower())
        if not _AUTHORITIES.isdisjoint(words) or all(map(is_plain_form, words)) or not match["value"][0].isupper():
            continue
        if key in ("L", "ST"):
            yield Found(*match.span("value"), "place", _SCORE, _FIELD)
        elif key == "O":
            yield Found(*match.span("value"), "organization", _SCORE, _FIELD)
        elif key == "CN" and " " in match["value"] and names_somebody(match["value"]):
            yield Found(*match.span("value"), "person", _SCORE, _FIELD)


_PLAYER: Final = lazy_regex(
    r"(?:(?<=\]: )|(?<=\] ))(?:<(?P<said>[A-Za-z0-9_]{3,24})>"
    r"|(?P<name>[A-Za-z0-9_]{3,24})(?= (?:joined|left) the game| lost connection| was (?:slain|killed|shot|blown)"
    r"| has (?:made the|just earned)"
    r"| issued server command|\[/))",
    holds=("]: ", "] "),
)
_MAILBOX: Final = lazy_regex(
    r"(?<![^\n])(?:X-Original-To|Delivered-To|X-Envelope-To|Envelope-To|X-Authenticated-User|X-Sender): "
    r"(?P<name>[a-z][a-z0-9_.-]{2,30})(?![\w@.-])"
)
PLAYER_GATE: Final = either(
    both(holding("] ", "]: "), holding("the game", "lost connection", "<", " was ", " has ", "server command", "[/")),
    holding("-To: ", "X-Auth", "X-Sender"),
)


@apart
def find_players(text: str) -> Iterator[Found]:
    """Yield who plays on a server by its log, and whose mailbox a mail came to."""
    for match in matches(_PLAYER, text):
        name = match.lastgroup or ""
        if match[name].lower() not in ("server", "console") and not match[name].isdigit():
            yield Found(*match.span(name), "handle", _SCORE, _FIELD)
    for match in matches(_MAILBOX, text):
        if names_user(match["name"]) or _is_given(match["name"]):
            yield Found(*match.span("name"), "handle", _SCORE, _FIELD)


_NAME: Final = r"[A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20}){0,2}"
_REGISTERED: Final = lazy_regex(
    rf"\b(?:bapt|bpt|baptiz|nupt|sep|[Ff]il|filius|filia|Sp|Spons|[Ss]usc|Patr|[Uu]x|uxor|Test)\.? (?P<name>{_NAME})"
    rf"(?: et (?P<second>{_NAME}))?(?:, (?P<third>{_NAME})(?=\.))?"
)
REGISTER_GATE: Final = holding("bapt.", "fil.", "nupt.", "Spons", "filius", "filia ", "uxor")


@apart
def find_registered(text: str) -> Iterator[Found]:
    """Yield who was baptized and married in a parish register: bapt. Brigida, fil. Joannis Skelhorn et Honorae Fenn."""
    for match in matches(_REGISTERED, text):
        for name in ("name", "second", "third"):
            if match[name] and not all(map(is_plain_form, map(str.lower, match[name].split()))):
                yield Found(*match.span(name), "person", _SCORE, _FIELD)


_TURNED: Final = lazy_regex(
    r"(?:(?<![^\n])|(?<=[\"'|;\t>\[({])|(?<=  )|(?<=[:|] ))(?P<name>(?P<family>[A-Z](?:[A-Za-z'-]{1,30}))"
    r", (?:(?P<initials>[A-Z]\.?(?:[ -]?[A-Z]\.?){0,2})|(?P<given>[A-Z][A-Za-z'-]{1,20})(?: [A-Z]\.?)?))"
    r"(?=[\"'|;\t\])}\n]|\Z|  | [-|])"
)
_IN_COLUMNS: Final = lazy_regex(
    r"(?<![^\n])(?=[^\n]*?[0-9]{1,2}[-/.](?:[0-9]{1,2}|[A-Z]{3})[-/.][0-9]{2,4})[A-Z0-9][^\n]{0,30}? {2,}"
    r"(?P<family>[A-Z][A-Z'-]{3,30}) {2,}(?P<given>[A-GIJKMO-Z]|[A-Z]{3,20}(?: [A-Z]{1,20})?) {2,}",
    holds=("  ",),
)
_CUED_WORDS: Final = "pt pat pts res client re"
_CUED: Final = lazy_regex(
    r"\b(?:pt|pat|pts?\.|res|client|re) (?P<name>[A-Z][A-Z'-]{2,20}(?: [A-Z](?![A-Za-z]))?)(?=[ ,.;:)\n]|\Z)",
    words=_CUED_WORDS,
)
_OFFICER_WORDS: Final = "pc wpc dc wdc ds ps di dci pcso sgt constable officer deputy badge"
_OFFICER: Final = lazy_regex(
    r"\b(?:W?PC|W?DC|DS|PS|DI|DCI|PCSO|[Ss]gt|[Cc]onstable|[Oo]fficer|[Dd]eputy|[Bb]adge) #?(?P<number>[0-9]{2,7}) "
    r"(?P<name>[A-Z][A-Za-z'-]{2,20}(?: [A-Z][a-z'-]{2,20})?)(?![A-Za-z])",
    words=_OFFICER_WORDS,
)
_VOWEL: Final = lazy_regex("[aeiouy]")
_SIDES: Final = (
    "Claimant|Defendant|Plaintiff|Petitioner|Respondent|Appellant|Applicant|Pursuer|Defender|Prosecutor|Accused|Debtor"
    "|Creditor"
)
_SIDE: Final = rf"(?:(?:First|Second|Third|1st|2nd|Joint) )?(?:{_SIDES})s?(?![a-z])"
_LITIGANT: Final = lazy_regex(
    r"(?<![^\n])[ \t]{0,40}(?:\([0-9]\) )?(?P<name>[A-Z][A-Z.,'-]{0,30}(?: [A-Z(][A-Z.,'&)-]{0,30}){1,6})"
    rf"(?:,? ?\n?[ \t]{{1,60}}|,[ \t]?){_SIDE}",
)
TURNED_GATE: Final = either(
    either(
        matching(", (?<=[A-Za-z], )[A-Z]"),
        both(with_words(_CUED_WORDS), matching(r"\b(?:pt|pat|res|client|re)[s.]{0,2} [A-Z][A-Z]")),
    ),
    either(
        either(
            both(with_words(_OFFICER_WORDS), matching("[A-Za-z] #?[0-9]{2,7} [A-Z]")),
            matching(rf"(?<![a-z] )(?:{_SIDES})"),
        ),
        both(at_digits("[0-9][-/.]"), matching("[A-Z]{3}  ", amid="  ")),
    ),
)


@apart
def find_turned(text: str) -> Iterator[Found]:
    """Yield names in cells with the family first: Umbridge, B; and in columns of capitals beside a date."""
    for match in matches(_TURNED, text):
        given = match["given"]
        listed = lists().words.get(match["family"].lower(), 0)
        named = _is_given(given) and given.lower() not in known.FUNCTION_WORDS if given else not listed & Marks.PLACE
        # A word that is a family too, before a sure given name in a cell that others follow: Green, Lucy | 1980
        beside = text[match.end() : match.end() + 2].lstrip(" ")[:1] in ("\t", "|", ";", "") and match.end() < len(text)
        sure = beside and given and listed & Marks.FAMILY and not lists().words.get(given.lower(), 0) & Marks.COMMON
        if named and (sure or _can_be_family(match["family"])):
            yield Found(*match.span("name"), "person", _SCORE, _FIELD)
    for match in matches(_CUED, text):
        low = match["name"].split(" ")[0].lower()
        listed = lists().words.get(low, 0) & Marks.FAMILY
        if _can_be_family(low) and (listed or (len(low) > 4 and _VOWEL.search(low))) and low not in known.letters():
            yield Found(*match.span("name"), "person", _SCORE, _FIELD)
    for match in matches(_OFFICER, text):
        if _can_be_family(match["name"].split(" ")[-1]):
            yield Found(*match.span("number"), "id", _SCORE, "label")
            yield Found(*match.span("name"), "person", _SCORE, _FIELD)
    for match in matches(_LITIGANT, text):
        if not all(map(is_plain_form, map(str.lower, _WORD.findall(match["name"])))):
            end = match.start("name") + len(match["name"].rstrip(",. "))
            yield Found(match.start("name"), end, _named(match["name"]), _SCORE, _FIELD)
    for match in matches(_IN_COLUMNS, text):
        if _can_be_family(match["family"]) and (len(match["given"]) == 1 or _is_given(match["given"].split()[0])):
            yield Found(*match.span("family"), "person", _SCORE, _FIELD)
            yield Found(*match.span("given"), "person", _SCORE, _FIELD)


_PAIR: Final = lazy_regex(
    r"(?:(?<![^\n])|(?<=[;&|,] )|(?<=[;&|,]))(?P<key>[A-Z][A-Z_]{1,15})"
    r"=(?P<value>[^;\n=&|]{2,60}?)(?=[ \t]*(?:[;&|]|\n|\Z))"
)
_KEYS: Final = {
    key: kind
    for kind, keys in (
        (
            "person",
            "HALTER INHABER NAME SURNAME FORENAME NACHNAME VORNAME KEEPER OWNER HOLDER TO FROM PAX GUEST NOM PRENOM "
            "NOMBRE",
        ),
        ("place", "STR STRASSE STREET ADDR ADDRESS ORT CITY TOWN WOHNORT VILLE RUE CALLE CIUDAD PLZ POSTCODE ZIP"),
        ("id", "KENNZ KENNZEICHEN VRM REG PLATE FIN VIN LIC ID PASSPORT DOC MATRICULA IMMAT"),
    )
    for key in keys.split()
}
PAIR_GATE: Final = both(holding("="), matching("[A-Z]="))


@apart
def find_pairs(text: str) -> Iterator[Found]:
    """Yield persons, places and ids in lines of pairs: HALTER=Wippermann;STR=Amselweg 9."""
    found = list(matches(_PAIR, text))
    for match in found if len(found) > 1 else ():
        kind, value = _KEYS.get(match["key"], ""), match["value"]
        letters = sum(map(str.isalpha, value))
        if kind == "person" and (letters < 3 or any(map(str.isdigit, value)) or not value[0].isupper()):
            continue
        words = _WORD.findall(value.lower())
        if (kind == "person" and all(map(is_plain_form, words))) or (kind == "id" and not any(map(str.isdigit, value))):
            continue
        if kind and (kind != "place" or value[0].isupper() or value[0].isdigit()):
            yield Found(*match.span("value"), kind, _SCORE, _FIELD)


_PAID: Final = lazy_regex(r"(?<![^\n])P(?P<payee>[A-Z][^\n]{2,60})(?=\n)")
_LETTER: Final = lazy_regex(r"(?<![^\n])[MLNA](?=[a-z])")
_ENTRY: Final = lazy_regex(r"(?<![^\n])D[0-9][0-9/.' -]{5,9}\n(?:[A-Z][^\n]{0,80}\n){1,8}\^")
MONEY_GATE: Final = holding("\n^")


@apart
def find_payees(text: str) -> Iterator[Found]:
    """Yield who was paid by entries of QIF; the letters before values stay."""
    for entry in matches(_ENTRY, text):
        yield from (Found(*letter.span(), ORDINARY, 0.0) for letter in _LETTER.finditer(text, *entry.span()))
        for match in _PAID.finditer(text, *entry.span()):
            if names_somebody(match["payee"]):
                yield Found(*match.span("payee"), "person", _SCORE, _FIELD)
