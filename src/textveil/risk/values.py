"""Values of records and of their releases: what a detector finds, which of it is left, and which was drawn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from textveil.detection.given import SHIPPED, KeepList, shipped_words
from textveil.detection.kinds import OWN
from textveil.detection.spans import DetectedSpan, Detector
from textveil.risk.words import words_of
from textveil.surrogates.calendars import Known, read_date
from textveil.surrogates.quantities import age_of

LISTED: Final = "listed name"
"""The kind of a name on a public keep list, such as that of a medicine or a product: of nobody, but it may tell."""

_NAMES: Final = ("person", "place", "organization")

QUASI: Final = (
    *_NAMES,
    LISTED,
    *(kind.name for kind in OWN if kind.singles_out == "together" and kind.name not in _NAMES),
)
"""Kinds of which several together single a person out."""

DIRECT: Final = tuple(kind.name for kind in OWN if kind.singles_out == "alone")
"""Kinds of which one value does so alone."""

_UNDATED: Final = (Known.ANNIVERSARY, Known.WEEKDAY, Known.NOTHING)
_TELLING: Final = 4
"""Characters from which a value is the same wherever its words stand; a shorter one ("59", "May") must be found."""


class Value(NamedTuple):
    """What a span says: its kind, and its words in small letters with one space between them."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class RecordValues:
    """What stands in one record and in its release.

    Attributes:
        original: values in the record, with the number of their mentions.
        left: values found in both texts, and those found in one of them that stand in the other word for word.
        drawn: values found in the release of which no word stands in the record.
        coarse: ages in the release by decade, dates by year; only those that the record has too.
        coarse_original: the same of the record.
    """

    original: Counter[Value]
    left: frozenset[Value]
    drawn: frozenset[Value]
    coarse: frozenset[Value]
    coarse_original: frozenset[Value]


def record_values(originals: Sequence[str], releases: Sequence[str], detector: Detector) -> list[RecordValues]:
    """The values of each record and of its release.

    Args:
        detector: finds values; what it misses in both texts is not counted.
    """
    pairs = zip(originals, detector.detect(originals), releases, detector.detect(releases), strict=True)
    return [_compared(*texts) for texts in pairs]


def _compared(
    original: str, its_spans: Iterable[DetectedSpan], release: str, release_spans: Iterable[DetectedSpan]
) -> RecordValues:
    private, public = _in_row(original), _in_row(release)
    words = set(private.split())
    its_spans, release_spans = list(its_spans), list(release_spans)
    here, there = Counter(_values(original, its_spans)), Counter(_values(release, release_spans))
    coarse_here, coarse_there = frozenset(_coarse(original, its_spans)), frozenset(_coarse(release, release_spans))
    return RecordValues(
        original=here,
        left=frozenset(
            value
            for value in {*here, *there}
            if (value in here and value in there)
            or (len(value.words) >= _TELLING and all(f" {value.words} " in row for row in (private, public)))
        ),
        drawn=frozenset(value for value in there if words.isdisjoint(value.words.split())),
        coarse=coarse_here & coarse_there,
        coarse_original=coarse_here,
    )


def _in_row(text: str) -> str:
    return f" {' '.join(words_of(text))} "


def _values(text: str, spans: Iterable[DetectedSpan]) -> Iterator[Value]:
    """What the spans say; titles are no part of the detector's persons."""
    is_listed = _public_names().keeping(text)
    for span in spans:
        if span.kind not in QUASI and span.kind not in DIRECT:
            continue
        words = words_of(text[span.start : span.end])
        if words:
            listed = span.kind in _NAMES and is_listed(span)
            yield Value(LISTED if listed else span.kind, " ".join(words))


@cache
def _public_names() -> KeepList:
    return KeepList([phrase for name in SHIPPED for phrase in shipped_words(name)], public=True)


def _coarse(text: str, spans: Iterable[DetectedSpan]) -> Iterator[Value]:
    for span in spans:
        value = text[span.start : span.end]
        if span.kind == "age":
            age = age_of(value)
            if age is not None:
                number, unit = age
                yield Value("age", f"{number // 10 * 10 if unit == 'y' else 0}s")
        elif span.kind == "date":
            date = read_date(value)
            if date is not None and date.known not in _UNDATED:
                yield Value("date", str(date.day.year))
