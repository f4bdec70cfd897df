"""Plain texts, what searches find in them, and how a phase of searches resolves overlaps."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, pairwise
from typing import Final, NamedTuple, TypeAlias, TypeVar

from textveil.cuts import replaced
from textveil.detection.gates import Gate, Gates, glance
from textveil.detection.kinds import KINDS
from textveil.detection.spans import DetectedSpan, covering
from textveil.errors import InternalError, need
from textveil.text.patterns import check_time, lacks, lazy_regex, matches, translated, words_of
from textveil.text.tokens import spelling

ORDINARY: Final = "ordinary"
"""The kind of what names nobody; no detector gives it."""


class Found(NamedTuple):
    """The characters ``start`` to ``end`` of a plain text, what they are, how sure that is (0 to 1), and why."""

    start: int
    end: int
    kind: str
    score: float
    why: str = ""


def words_in(text: str) -> frozenset[str]:
    """Return the words of a public list, written in a row."""
    return frozenset(text.split())


Search: TypeAlias = Callable[[str], Iterator[Found]]
"""Finds spans in a plain text, in linear time; what of them overlaps is settled by ``settled``."""


def settled(text: str, spans: Iterable[Found]) -> list[Found]:
    """Return the spans of one search by start and disjoint (``covering``): no letter or digit of a span is left out.

    Spans of white space alone, such as a field that is only padded, are none.
    """
    if not (found := list(spans)):
        return found
    ordered = sorted([span for span in found if text[span.start : span.end].strip()])
    if len(ordered) < 2 or all(before.end <= after.start for before, after in pairwise(ordered)):
        return ordered
    joined = covering(text, [DetectedSpan(*span[:4], "", span.why) for span in ordered])
    return [Found(span.start, span.end, span.kind, span.score, span.why) for span in joined]


class Row(NamedTuple):
    """A search of a phase."""

    name: str  # unique among all rows; decides between spans that nothing else decides between
    search: Search  # finds spans in a plain text
    gate: Gate  # closed for texts in which the search finds nothing
    kinds: str  # the kinds that it finds, parted by spaces
    score: float  # the highest score that it gives
    evidence: str  # the words that its spans give as their reason, parted by spaces
    finds: str  # a text in which it finds a span
    ignores: str  # a text that looks alike, in which it finds none


class Phase(NamedTuple):
    """Rows that all look at the same text: what the phases before theirs left of it. Their order means nothing."""

    name: str
    rows: tuple[Row, ...]


class Phases(tuple[Phase, ...]):
    """Phases in order, and the gates of all their rows."""

    @cached_property
    def gates(self) -> Gates:
        """Return the gates, made once."""
        return Gates([row.gate for phase in self for row in phase.rows])


LEAST_SCORE: Final = 0.35
"""The least score that presets ask for: a search below it finds what they release."""


def checked_phases(*phases: Phase) -> Phases:
    """Return phases whose rows each find what presets ask for; raise ParameterError if not."""
    wanted = f"at least {LEAST_SCORE}, or presets would not draw what it finds"
    low = [row for phase in phases for row in phase.rows if row.score < LEAST_SCORE]
    for row in low:
        need(not any(kind in KINDS for kind in row.kinds.split()), f"search {row.name}: score", row.score, wanted)
    return Phases(phases)


_ROUNDS: Final = 4
"""Times that the rows of a phase look together; after that they look one by one, so that time stays linear."""


def in_phases(text: str, phases: Phases) -> tuple[list[Found], str]:
    """Return what the rows of each phase find in what the phases before it left, and the text with all of it covered.

    In a phase, the span with the higher score covers its characters; of equal scores the longer span, then the one that
    starts first, then the one of the row whose name comes first. A row that lost a span looks again at what is left.
    Every character outside the spans stands where it stood. Gates are asked of the whole text, and again where covering
    a part of a word left another word.

    Raises InternalError: a search gave spans outside the text, or the characters do not stand where they stood.
    """
    seen = glance(text)
    opened = phases.gates.opened(text, seen)
    spans: list[Found] = []
    rest = text
    first = 0
    for phase in phases:
        rows = list(compress(phase.rows, opened[first : first + len(phase.rows)]))
        first += len(phase.rows)
        if not rows:
            continue
        covered = rest
        for here in _rounds(covered, rows):
            spans += here
            cut = any(_cuts_a_word(covered, span) for span in here)
            covered = without(covered, [(span.start, span.end) for span in here])
            if cut and not (words := words_of(covered)) <= seen.words:
                seen = seen._replace(words=words)
                opened = phases.gates.opened(covered, seen)
        rest = covered
    if spans and without(text, _places(spans)) != rest:
        raise InternalError(
            "what searches leave of a text must be the text outside their spans; got another. Report it."
        )
    return spans, rest


def _places(spans: Iterable[Found]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for span in sorted(spans):
        if joined and span.start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], span.end))
        else:
            joined.append((span.start, span.end))
    return joined


def _rounds(text: str, rows: Sequence[Row]) -> Iterator[list[Found]]:
    for _ in range(_ROUNDS):
        findings = []
        for row in rows:
            check_time()
            if spans := settled(text, row.search(text)):
                findings.append((row, spans))
        if not findings:
            return
        winners, rows = _winners(len(text), findings)
        yield winners
        if not rows:
            return
        text = without(text, [(span.start, span.end) for span in winners])
    for row in sorted(rows, key=lambda row: row.name):
        check_time()
        if spans := settled(text, row.search(text)):
            yield spans
            text = without(text, [(span.start, span.end) for span in spans])


def _winners(length: int, findings: Sequence[tuple[Row, list[Found]]]) -> tuple[list[Found], list[Row]]:
    if len(findings) == 1:
        return findings[0][1], []
    spans = sorted(span for _, here in findings for span in here)
    if all(before.end <= after.start for before, after in pairwise(spans)):
        return spans, []
    ranked = sorted(
        (-span.score, span.start - span.end, span.start, row.name, span, number)
        for number, (row, here) in enumerate(findings)
        for span in here
    )
    taken = bytearray(length)
    winners: list[Found] = []
    losers: set[int] = set()
    for *_, span, number in ranked:
        if taken.find(1, span.start, span.end) >= 0:
            losers.add(number)
        else:
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
            winners.append(span)
    return sorted(winners), [findings[number][0] for number in sorted(losers)]


def _cuts_a_word(text: str, span: Found) -> bool:
    """Tell if a letter stands beside a letter of a span, so that covering it leaves a word that was none before."""
    return text[span.start - 1 : span.start + 1].isalpha() or text[span.end - 1 : span.end + 1].isalpha()


def finding(
    pattern: re.Pattern[str],
    kind: str,
    score: float,
    why: str = "",
    *,
    group: str | int = 0,
    by: Callable[[re.Pattern[str], str], Iterator[re.Match[str]]] = matches,
) -> Search:
    """Return the search for all matches of a pattern, or for one group of each."""
    return lambda text: (Found(*match.span(group), kind, score, why) for match in by(pattern, text))


def near(
    pattern: re.Pattern[str], text: str, anchor: re.Pattern[str], before: int, after: int
) -> Iterator[re.Match[str]]:
    """Yield the matches of a slow pattern, looked for only around what a fast one finds.

    Each match holds a match of ``anchor``, begins at most ``before`` characters before it, and ends at most ``after``
    characters behind it.
    """
    return near_places(pattern, text, map(re.Match.span, matches(anchor, text)), before, after)


def near_places(
    pattern: re.Pattern[str], text: str, places: Iterable[tuple[int, int]], before: int, after: int
) -> Iterator[re.Match[str]]:
    """Yield matches as ``near`` does, around places, which come by start."""
    if lacks(pattern, text):
        return
    low, high, reached = -1, -1, 0
    for begin, end in places:
        start, stop = max(0, begin - before), end + after
        if start > high:
            if high >= 0:
                for match in matches(pattern, text, low, _at_a_gap(text, high)):
                    reached = match.end()
                    yield match
            low = max(start, reached)
        high = stop
    if high >= 0:
        yield from matches(pattern, text, low, _at_a_gap(text, high))


def _at_a_gap(text: str, end: int) -> int:
    """``end``, moved on to where no word or number is cut in two, by 40 characters at most."""
    for place in range(end, min(end + 40, len(text))):
        if text[place] in " \n\t":
            return place
    return min(end, len(text))


T = TypeVar("T")
Judge: TypeAlias = Callable[[int, int, bool], T | None]
"""Judges the characters ``text[start:end]``: their kind, and whether all match; None refuses them."""
_GAP: Final = lazy_regex(r"(?<=[A-Za-z0-9)])[ ./-]+(?=[A-Za-z0-9(+])")


def readings(pattern: re.Pattern[str], text: str, judge: Judge[T], *, every: bool = False) -> Iterator[T]:
    """Yield what a judge takes of a pattern's matches: all of it, else without groups at its end, else at its start.

    Groups are parted by spaces, points, strokes and hyphens. A shorter reading matches the pattern too, without regard
    to what stands behind it. The search goes on behind what was taken, and at the next group if nothing was, so a
    number is found whatever groups stand before and behind it. Takes time linear in the text if matches are bounded.

    The judge gets the start and the end of a reading, and whether it is a match of its own: not shorter than the
    pattern has it, and not inside a match that was refused. With ``every``, readings count too that begin inside one
    that was taken: of two that overlap, either may be right by chance.
    """
    place = refused = 0
    while (match := next(matches(pattern, text, place), None)) is not None:
        start, end = match.span()
        gap = _GAP.search(text, start, end)
        place = end if gap is None else gap.end()
        for stop in shorter(text, start, end):
            taken = (
                judge(start, stop, start >= refused and stop == end)
                if stop == end or pattern.fullmatch(text, start, stop)
                else None
            )
            if taken is not None:
                place = place if every else stop
                yield taken
                break
        else:
            refused = max(refused, end)


def shorter(text: str, start: int, end: int) -> Iterator[int]:
    """Yield ends of readings from ``start``: ``end``, and before each gap between groups, the longest first."""
    yield end
    yield from reversed([gap.start() for gap in _GAP.finditer(text, start, end)])


CURRENCY, LARGE, SMALL, SECTION, OTHER = "\xa4\xde\xfe\xa7\xb7"
"""Stand for a currency sign but the dollar, a capital and a small letter of another writing, the sign of a section, and
for the rest."""
_REMEMBERED: Final = 1 << 14


class Plain(NamedTuple):
    """A text in plain form."""

    text: str  # printable ASCII, white space, and the five characters above
    # for each character of it, and one past its end, where it stands in the original; None: where it is
    places: list[int] | None
    length: int  # characters of the original

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]`` begins and ends in the original, with the marks attached to it."""
        return (start, end) if self.places is None else (self.places[start], self.places[end])


def plain(text: str) -> Plain:
    """Return any string, lone surrogates included, as detectors read it, in linear time."""
    if text.isascii():
        return Plain(text, None, len(text))
    converted = translated(text, _TABLE)
    if len(converted) == len(text):
        return Plain(converted, None, len(text))
    places = [place for place, character in enumerate(text) if _TABLE[ord(character)]]
    return Plain(converted, [*places, len(text)], len(text))


_GLUED: Final = lazy_regex(
    # Dashes without spaces, but within ranges; a space of no width, but not one of many; a hyphen before digits.
    r"(?<=[^\W\d_])\u2013(?=[+(]?[0-9])|(?<=[0-9])\u2013(?=[^\W\d_])"
    r"|(?<=[^\s\d])[\u2014\u2015](?=\S)|(?<=\S)[\u2014\u2015](?=[^\s\d])"
    r"|(?<=[^\W\d_])(?<!\u200b.)\u200b(?=[0-9+](?!\u200b))|(?<=[0-9])(?<!\u200b.)\u200b(?=[^\W\d_](?!\u200b))"
    r"|(?<!\S)-(?=[0-9]{2,4}[-/][0-9]|[0-9]{4} [0-9]{4} )"
)


def unglued(text: str) -> str:
    """Return a text, as long as it was, in which marks that part values do so where they are glued to them.

    These are dashes without spaces, and spaces of no width.
    """
    return _GLUED.sub(";", text)


def without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a plain text in which spans, which are in order and disjoint, are covered by what nothing looks for."""
    return replaced(text, [(start, end, OTHER * (end - start)) for start, end in spans])


def folded(entry: str) -> str:
    """Return the plain form of a public list's entry, in small letters."""
    return plain(entry).text.lower()


def _form(character: str) -> str:
    if (category := unicodedata.category(character)) == "Nd":
        return str(unicodedata.decimal(character))
    if category in ("Mn", "Me", "Mc", "Cf"):
        return ""
    if category[0] == "L":
        letter = spelling(character)[:1]
        if "a" <= letter <= "z":
            return letter.upper() if character.isupper() or category == "Lt" else letter
        if category == "Lm" and not letter:
            return "'"  # the okina of Hawaii, a modifier apostrophe
        return LARGE if category == "Lu" else SMALL
    return _mark(character, category)


def _mark(character: str, category: str) -> str:
    """Return the plain form of a character that is no letter, digit or combining mark."""
    if character in "\x85\u2028\u2029":
        return "\n"
    if character.isspace():
        return " "
    if category == "Pd" or character == "\N{MINUS SIGN}":
        return "-"
    if character in "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{PRIME}\N{ACUTE ACCENT}":
        return "'"
    if category in ("Pi", "Pf"):
        return '"'
    wide = unicodedata.normalize("NFKC", character)
    if len(wide) == 1 and " " < wide < "\x7f":
        return wide
    if category == "Sc":
        return CURRENCY
    return SECTION if character == SECTION else OTHER


class _Forms(dict[int, str]):
    """A table for ``str.translate`` that fills itself, up to a bound, as characters are met."""

    def __missing__(self, code: int) -> str:
        form = chr(code) if code < 0x80 else _form(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = form
        return form


_TABLE: Final = _Forms()
