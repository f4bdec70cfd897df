"""Records whose standard tells by position what a field is: HL7 version 2, X12, vCard and GEDCOM; fields of markup.

Lines whose words two spaces, three or a tab part, and no columns, are yielded with single spaces.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.detection.found import Found, words_in
from textveil.detection.gates import holding
from textveil.detection.secrets import apart
from textveil.text.patterns import lazy_regex, matches

SEGMENT_GATE: Final = holding("MSH|", "PID|", "NM1*", "BEGIN:VCARD", "1 NAME ")


def _fields(written: str) -> dict[str, dict[int, str]]:
    """Read a table: a line for each segment, with the numbers of fields and what they hold."""
    rows = (line.split() for line in written.strip().splitlines())
    return {name: {int(field[:-1]): field[-1] for field in fields} for name, *fields in rows}


_OF_SEGMENTS: Final = MappingProxyType(
    _fields("""
    MSH 3o 5o
    EVN 5c
    PID 2i 3i 4i 5n 6n 7d 9n 11a 12p 13t 14t 18i 19i 20i 21i 23p
    PD1 4c
    NK1 2n 4a 5t 6t 12i 13o 16d 30n 31t 32a 33i 37i
    PV1 3l 7c 8c 9c 17c 19i 52c
    GT1 2i 3n 4n 5a 6t 7t 8d 12i 16o 17a 18t 19i
    IN1 5a 6n 7t 8i 11o 16n 18d 19a 36i 49i
    IN2 1i 2i 3n 6i 7n 8i 52n 61i 63t
    MRG 1i 3i 4i 7n
    ORC 10c 11c 12c 14t 19c 24a 25a
    OBR 10c 16c 17t 28c 32c 33c 34c 35c
    OBX 16c 23o 24a 25c
    DG1 16c
    PR1 8c 11c 12c
    ROL 4c
    SCH 12c 13t 16c 17t 20c
    AIP 3c
    STF 2i 3n 6d 10t 11a 12d
    PRD 2n 3a 5t 7i
    RXE 13c
    RXA 10c
    SPM 30i
    """)
)
"""Fields of HL7: ids, names, persons with their id first, addresses, telephones, dates, places, facilities."""
_OF_LOOPS: Final = MappingProxyType(
    _fields("""
    NM1 3n 4n 5n 9i
    N1 2o 4i
    N2 1n
    N3 1p 2p
    N4 1p 2p 3p
    DMG 2d
    PER 2n 4t 6t 8t
    SUB 1i
    CLM 1i
    """)
)
"""Fields of X12, which asterisks part."""
_SEGMENT: Final = lazy_regex(r"(?<![^\n\r])[ \t>]{0,8}(?P<name>[A-Z][A-Z0-9]{2})\|(?P<rest>[^\n\r]*)")
_LOOP: Final = lazy_regex(r"(?:\A|(?<=[\n\r~]))[ \t]{0,8}(?P<name>[A-Z][A-Z0-9]{1,2})\*(?P<rest>[^\n\r~]*)")
_REPEATED: Final = lazy_regex(r"[^~]+")
_CARD: Final = lazy_regex(
    r"(?<![^\n])(?:item[0-9]{1,2}\.)?(?P<name>N|FN|NICKNAME|ADR|LABEL|ORG|BDAY|TEL)(?:;[^:\n]{1,80})?:(?P<rest>[^\n\r]*)"
)
_TREE: Final = lazy_regex(
    r"(?<![^\n])[ \t]{0,16}[0-9]{1,2} (?P<name>NAME|GIVN|SURN|NICK|_MARNM|PLAC|ADDR|CITY|POST|PHON)"
    r" (?P<rest>[^\n\r]*)"
)
_LEVEL: Final = lazy_regex(
    r"(?<![^\n])[ \t]{0,16}(?P<level>[0-9]{1,2}) (?:(?P<first>@[A-Z]{1,4}[0-9]{1,8}@) )?[A-Z_][A-Z0-9_]{2,15}"
    r"(?: (?P<second>@[A-Z]{1,4}[0-9]{1,8}@))?(?=[ \r\n]|\Z)"
)
"""Levels of GEDCOM, and what its records are called in their file."""
_OF_CARDS: Final = MappingProxyType(
    {"N": "n", "FN": "n", "NICKNAME": "n", "ADR": "p", "LABEL": "p", "ORG": "o", "BDAY": "d", "TEL": "t"}
)
_OF_TREES: Final = MappingProxyType(
    {"NAME": "n", "GIVN": "n", "SURN": "n", "NICK": "n", "_MARNM": "n"}
    | {"PLAC": "p", "ADDR": "p", "CITY": "p", "POST": "p", "PHON": "t"}
)
_PIECE: Final = lazy_regex(r"[^;/]+")
_STEP: Final = lazy_regex(r"[^;,/]+")
_KINDS: Final = MappingProxyType(
    {"n": "person", "p": "place", "o": "organization", "t": "phone", "i": "id", "d": "date"}
)
_SHORTEST: Final = MappingProxyType({"t": 5, "d": 4, "i": 3})
_NAME_PARTS: Final = 3  # of a name: family, given, middle
_ADDRESS_PARTS: Final = 5  # of an address: street, other, city, state, code
_SORTS: Final = words_in("MR MRN PI PT SS SSN VN AN DL PPN NH NI EI EN FI ISO DNS HL70203")
"""Sorts of an id, which some senders write where its issuer stands."""
_SCORE: Final = 0.8


@apart
def find_segments(text: str) -> Iterator[Found]:
    """Yield the values of fields that a standard gives to persons, places, ids, telephones and births, by start."""
    for match in matches(_SEGMENT, text):
        yield from _in_fields(match, "|", _OF_SEGMENTS.get(match["name"], {}))
    if "*" in text:
        for match in matches(_LOOP, text):
            yield from _in_fields(match, "*", _OF_LOOPS.get(match["name"], {}))
    if "BEGIN:VCARD" in text:
        yield from _in_lines(text, _CARD, _OF_CARDS)
    if "1 NAME " in text:
        yield from _in_lines(text, _TREE, _OF_TREES)
        for match in matches(_LEVEL, text):
            groups = ("level", "first", "second")
            yield from (Found(*match.span(name), "numbering", _SCORE, "sequence") for name in groups if match[name])


def _in_lines(text: str, pattern: re.Pattern[str], kinds: Mapping[str, str]) -> Iterator[Found]:
    for match in matches(pattern, text):
        code = kinds[match["name"]]
        parts = match["rest"].split(";")[:_NAME_PARTS] if match["name"] == "N" else [match["rest"]]
        start = match.start("rest")
        for piece in (_STEP if code == "p" else _PIECE).finditer(text, start, start + len(";".join(parts))):
            yield from _value(text, *piece.span(), code)


def _in_fields(segment: re.Match[str], mark: str, codes: Mapping[int, str]) -> Iterator[Found]:
    text, start = segment.string, segment.start("rest")
    for number, field in enumerate(segment["rest"].split(mark) if codes else (), 1):
        code = codes.get(number)
        if code and field:
            for repeated in _REPEATED.finditer(text, start, start + len(field)):
                yield from _in_components(text, *repeated.span(), code)
        start += len(field) + 1


def _in_components(text: str, start: int, end: int, code: str) -> Iterator[Found]:
    """Yield the values of one field, whose parts have places of their own."""
    for number, part in enumerate(text[start:end].split("^"), 1):
        kind = code
        if code == "c":  # a person with an id before the name
            kind = "i" if number == 1 else "n" if number <= _NAME_PARTS + 1 else ""
        elif code == "n":
            kind = "n" if number <= _NAME_PARTS else ""
        elif code == "a":
            kind = "p" if number <= _ADDRESS_PARTS else ""
        elif code == "i":
            kind = "i" if number == 1 else "o" if number == 4 and part not in _SORTS else ""
        elif code == "l":
            kind = "o" if number == 4 else ""
        elif code == "t":
            kind = "t" if sum(map(str.isdigit, part)) > 4 else ""
        elif number > 1:
            kind = ""
        if part and kind:
            yield from _value(text, start, start + len(part), kind)
        start += len(part) + 1


def _value(text: str, start: int, end: int, code: str) -> Iterator[Found]:
    """Yield a value without the white space around it, if it can be one of its kind."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    written = text[start:end]
    digits = sum(map(str.isdigit, written))
    if not any(map(str.isalnum, written)) or written == '""':
        return
    if (digits if code in "td" else len(written)) >= _SHORTEST.get(code, 1):
        yield Found(start, end, _KINDS[code], _SCORE, "field")


_KEY: Final = lazy_regex(
    r"(?<![A-Za-z0-9])(?P<key>[A-Za-z][A-Za-z0-9]{1,24}(?:[ _.-][A-Za-z0-9#]{1,20}){0,4})(?P<marks>[\"'*\\` ]{0,6})\Z"
)
_ODD_KEY: Final = lazy_regex(r"(?:[\"'*\\`]|_[A-Za-z]{1,20}|[a-z][A-Z][a-z]{1,20}) ?\Z")
_VALUE: Final = lazy_regex(r"(?:[=>:]|[^\S\n]){0,4}[*\\\"'` ]{0,6}(?P<value>[A-Za-z0-9+(#][^\n\t\"'<>|;={}\\`]{0,60}+)")
_ELEMENT: Final = lazy_regex(r"<(?P<key>[A-Za-z][\w.-]{1,30})>(?P<value>[^<>\n]{1,60})</", holds=("</",))
_CELLS: Final = lazy_regex(
    r"<(?:td|th|dt|b|strong|label)>(?P<key>[A-Za-z][^<>\n:]{1,30}):?</(?:td|th|dt|b|strong|label)>\s{0,4}"
    r"(?:<(?:td|dd|span)>)?(?P<value>[^<>\n]{1,60})<",
    holds=("</",),
)
_ATTRIBUTES: Final = lazy_regex(
    r"(?:name|id|key|field|property)=[\"'](?P<key>[A-Za-z][\w.-]{1,30})[\"'][^<>\n]{0,60}? (?:value|content)=[\"']"
    r"(?P<value>[^\"'\n<>]{1,60})[\"']",
    holds=("value=", "content="),
)
SECRETS: Final = words_in("password passwd passphrase passcode pwd pw token secret apikey")
"""Labels of cells and of lines with a dash; what assigns a secret is read as it stands."""
_WORDS: Final = lazy_regex("[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_CAPITALS: Final = words_in("mrn dob ssn nhs vin imei iban nin nino pnr dni nif bsn ein npi ni id cpf nie")
LABELS: Final = words_in(
    """policy member membership customer client patient account acct employee emp staff student case claim booking
    reservation confirmation pnr locator hospital chart mrn contract licence license permit passport serial badge
    payroll tax vehicle vrm vin chassis iban ssn nin nino nhs reg registration plate kennzeichen phone telephone mobile
    cell tel postcode zip age aged dob birth born birthday birthdate insurance insured record account reference user
    username login dni nif bsn pesel national card incident ticket appointment gps coordinates tracking parcel
    address addr city town street ship location ether mac hw"""
)
"""Words of keys whose values are read as those of a form's line."""


def form_lines(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what markup, a setting or a row says of somebody as a line of a form, and where its value stands.

    ``<dob>2/3/61</dob>``, ``name="dob" value="2/3/61"``, ``"dob": "2/3/61"``, ``dob=2/3/61`` and ``**DOB:** 2/3/61``
    are all ``DOB: 2/3/61``. Plain lines of forms are not among them.
    """
    for pattern in (_ELEMENT, _CELLS, _ATTRIBUTES):
        for match in matches(pattern, text):
            if label := form_label(match["key"]):
                yield label, *match.span("value")
    for start, sign in _signs(text):
        key = _KEY.search(text, max(0, start - 40), start)
        label = form_label(key["key"], secrets=sign in _HEADINGS) if key else ""
        value = _VALUE.match(text, start + len(sign)) if label else None
        if value and (sign != ": " or len(list(readings_of(label, value["value"]))) > 1):
            yield label, *value.span("value")


_HEADINGS: Final = ("\t", "->", " - ", "** ", " `")
"""What stands behind a heading; behind a key, it is a sign of equality or a colon."""
_ODD_MARKS: Final = ('"', "_", "*", "`", "\n  ")


def _signs(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands between a key and its value, and where.

    Behind a plain key that is a colon without a space, or one before a value in small letters.
    """
    for sign in ("=", *_HEADINGS):
        start = text.find(sign)
        while start >= 0:
            yield start, sign
            start = text.find(sign, start + 1)
    odd = any(map(text.__contains__, _ODD_MARKS))
    start = text.find(":")
    while start >= 0:
        behind = text[start + 1 : start + 3]
        if behind[:1] == "*" or (odd and _ODD_KEY.search(text, max(0, start - 24), start)):
            yield start, ":"
        elif behind[:1] == " ":
            if behind[1:].islower() or behind[1:].isdigit() or behind[1:] in ("'", '"'):
                yield start, ": "
        elif behind[:1].isalnum() and text[start - 1 : start].isalpha():
            yield start, ":"
        start = text.find(":", start + 1)


def readings_of(label: str, value: str) -> Iterator[str]:
    """Yield a value as forms have it: codes in capitals, addresses with capitals, each as long as it stands."""
    yield value
    coded = any(map(str.isdigit, value)) and sum(map(str.isalnum, value)) > 4 and not value.startswith("0x")
    if coded and value.islower() and _SMALL_CODE.fullmatch(value):
        yield value.upper()
    lined = coded and _ONE_CASE_LINE.fullmatch(value) and (value.islower() or value.isupper())
    if lined and not PLACED.isdisjoint(label[:-1].split(" ")):
        yield value.title()


_SMALL_CODE: Final = lazy_regex(
    r"(?=[a-z0-9]{0,40}[a-z][0-9]|[a-z0-9]{0,40}[0-9][a-z]|[a-z]{1,3}[ /.-]?[0-9])"
    r"[a-z0-9]{1,40}(?:[ /.-][a-z0-9]{1,14}){0,6}"
)
"""Letters and digits in one word, or a code of a few letters before its number: mx73 ytv, hx-9145-5011."""
_ONE_CASE_LINE: Final = lazy_regex("[A-Za-z0-9]{1,20}[,.]?(?: [A-Za-z0-9'-]{1,20}[,.]?){1,8}")
PLACED: Final = words_in("address addr street location city town ship")


def form_label(key: str, *, secrets: bool = False) -> str:
    """Return a key as the label of a form's line, with a colon; nothing if it does not say what somebody is told by."""
    words = [word.lower() for word in _WORDS.findall(key)]
    if LABELS.isdisjoint(words) and not (secrets and SECRETS.intersection(words)):
        return ""
    return " ".join([word.upper() if word in _CAPITALS else word for word in words[-4:]]) + ":"


class SpacedLine(NamedTuple):
    """A line with single spaces in place of its gaps."""

    text: str
    at: int  # where the line begins in the source
    gaps: list[int]  # where a single space stands for more
    widths: list[int]

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where a span stands in the source; None unless gaps of one width are all its spaces, and of labels."""
        first, last = bisect_right(self.gaps, start), bisect_right(self.gaps, end - 1)
        if len(set(self.widths[first:last])) != 1 or self.text.count(" ", start, end) > last - first:
            return None
        behind = self.text[end : end + 6]
        told = behind.lstrip().partition(" ")[0]
        if ":" in told or "=" in told or (self.text[end - 1].isalpha() and behind.lstrip(". ")[:1] in _BEGINS_A_VALUE):
            return None
        before = self.at + sum(self.widths[:first]) - first
        return before + start, before + end + sum(self.widths[first:last]) - (last - first)


def spaced_lines(text: str) -> Iterator[SpacedLine]:
    """Yield lines in which gaps part words, but for those that are columns: 12   Main   Street.

    A wide gap behind a sentence parts a line in two.
    """
    if "  " not in text and "\t" not in text:
        return
    lines = text.split("\n")
    starts = accumulate([len(line) + 1 for line in lines], initial=0)
    edges = [_edges(line) if "  " in line or "\t" in line else _NO_EDGES for line in ("", *lines, "")]
    for number, (line, start) in enumerate(zip(lines, starts, strict=False)):
        own = edges[number + 1]
        if own and not any(_ALIKE * len(own & edges[other]) >= len(own) for other in (number, number + 2)):
            ends = [end.end() for end in _SENTENCE_END.finditer(line)] if ".  " in line else []
            for first, last in pairwise([0, *ends, len(line)]):
                gaps = [gap.span() for gap in matches(_GAP, line, first, last)]
                if gaps:
                    widths = [end - begin for begin, end in gaps]
                    before = accumulate([width - 1 for width in widths], initial=first)
                    places = [begin - more for (begin, _), more in zip(gaps, before, strict=False)]
                    yield SpacedLine(_GAP.sub(" ", line[first:last]), start + first, places, widths)


_NO_EDGES: Final[frozenset[int]] = frozenset()


def _edges(line: str) -> AbstractSet[int]:
    """Return where gaps of a line end and, as negative numbers, where they begin; of tabs, only how many there are."""
    if "\t" in line:
        return {line.count("\t")}
    gaps = [gap.span() for gap in matches(_COLUMN, line)]
    if any(end - start > _WIDEST for start, end in gaps):
        return set()
    return {end for _, end in gaps} | {-start for start, _ in gaps}


_ALIKE: Final = 2.5  # columns are lines of which two edges of five stand above each other
_WIDEST: Final = 4  # spaces that part words of a value
_COLUMN: Final = lazy_regex(r"(?<=[^ :]) {2,}(?=[^ ])")
_GAP: Final = lazy_regex(
    r"(?<=[A-Za-z0-9\u00c0-\u052f,;&)/.-])(?: {2,4}|\t{1,2})(?=[A-Za-z0-9\u00c0-\u052f(&+])"
    r"(?![^\s:=,;]{1,24}(?: [^\s:=,;]{1,24}){0,2} ?[:=])"
)
"""Not before a label, nor in a script that writes no spaces."""
_SENTENCE_END: Final = lazy_regex(
    r"(?:(?:(?<! ) |(?<=[0-9]\.  ))(?:(?=[a-z]{3}|[A-Z][a-z]{5})[A-Za-z-]{1,24}|[(]?[A-Za-z0-9/-]{1,12}\)"
    r"|[A-Z]{3,8}(?=\. {2,4}[A-Z][a-z])|(?![0-9]{1,2}\. )[A-Z]?[0-9][0-9/%.-]{0,10})"
    r"|(?:(?<![^\n])|(?<=\.  ))[0-9]{1,2}(?=\. {2,4}[A-Z][a-z-]{1,24}(?:\.| (?! ))))"
    r"\. {2,4}(?=[A-Z]|[0-9]{1,2}\.  )"
)
"""Behind a word or a number that is not cut short (Thos.  Hardy), or the number of an item."""
_BEGINS_A_VALUE: Final = tuple("0123456789+")  # behind a label
