"""Houses that their owner's name stands for, with the s that makes them some: lunch at Rosalba's; Winnie's Tea Room."""

from collections.abc import Iterator, Sequence
from typing import Final

from textveil.detection.firms import house_words
from textveil.detection.found import Found, words_in
from textveil.detection.gates import matching
from textveil.detection.lists import EPONYMS, Marks, lists
from textveil.detection.people_in_records import is_thing
from textveil.text.patterns import lazy_regex, matches

_AT: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?:[Aa]t|[Ff]rom|[Oo]utside|[Oo]pposite|[Nn]ear|[Bb]ehind|[Pp]ast|[Ii]nside|[Bb]eside|[Tt]o"
    r"|[Ii]n|[Ii]nto|[Rr]ound|[Cc]alled|[Nn]amed) |@ ?|[£€$][0-9][0-9.,]{0,9} |[0-9] x |Venue: )\Z"
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
_WORD: Final = "[A-Z][a-z]{2,20}"
_AND_BEFORE: Final = lazy_regex(
    rf"(?:(?<![A-Za-z0-9&'-] )(?<![A-Za-z0-9_'@-])(?:{_WORD} )?|(?<=[a-z] ))(?P<rest>{_WORD}) & \Z"
)
_FIRM: Final = lazy_regex(
    r"(?:(?<=from )|(?<=for )|(?<=with )|(?<=at )|(?<=by )|(?<=of )|(?<=\| )|(?<=: ))"
    rf"(?P<one>{_WORD}) & (?P<other>{_WORD})(?=[,.;)\n\"]|\Z| \|)",
    holds=(" & ",),
)
FIRM_GATE: Final = matching(r" & [A-Z][a-z]", amid=" & ")


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
        if span.kind in ("person", "place", "organization") and text[span.start].isupper():
            low = max(whole[-1].end if whole else 0, span.start - _LONGEST_PARTNERS)
            before = _AND_BEFORE.search(text, low, span.start)
            if before is not None and not lists().words.get(before["rest"].lower(), 0) & Marks.GIVEN:
                span = span._replace(start=before.start(), kind="organization")
        whole.append(span)
    return whole


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
