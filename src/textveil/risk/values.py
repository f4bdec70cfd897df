"""Values left in releases: which single records out, which name other persons, which join documents."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.detection.given import SHIPPED, KeepList, shipped_words
from textveil.detection.kinds import OWN
from textveil.detection.spans import DetectedSpan, Detector
from textveil.risk.linkage import Share, share_of, words_of
from textveil.surrogates.calendars import Known, read_date
from textveil.surrogates.quantities import age_of
from textveil.types import Ids

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
    """Key of a span: its kind, and its words in small letters with one space between them."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class RecordValues:
    """The values of one record and of its release."""

    original: Counter[Value]  # values in the record, with the number of their mentions
    # values found in both texts, and those found in one of them that stand in the other word for word
    left: frozenset[Value]
    drawn: frozenset[Value]  # values found in the release of which no word stands in the record
    coarse: frozenset[Value]  # ages in the release by decade, dates by year; only those that the record has too
    coarse_original: frozenset[Value]  # the same of the record


def record_values(originals: Sequence[str], releases: Sequence[str], detector: Detector) -> list[RecordValues]:
    """The values of each record and of its release.

    ``detector``: finds values; what it misses in both texts is not counted.
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
    """Return the values of the spans; titles are no part of the detector's persons."""
    is_listed = _public_names().keeping(text)
    for span in spans:
        if span.kind not in QUASI and span.kind not in DIRECT:
            continue
        if words := words_of(text[span.start : span.end]):
            listed = span.kind in _NAMES and is_listed(span)
            yield Value(LISTED if listed else span.kind, " ".join(words))


@cache
def _public_names() -> KeepList:
    return KeepList([phrase for name in SHIPPED for phrase in shipped_words(name)], public=True)


def _coarse(text: str, spans: Iterable[DetectedSpan]) -> Iterator[Value]:
    for span in spans:
        value = text[span.start : span.end]
        if span.kind == "age" and (age := age_of(value)) is not None:
            number, unit = age
            yield Value("age", f"{number // 10 * 10 if unit == 'y' else 0}s")
        elif span.kind == "date" and (date := read_date(value)) is not None and date.known not in _UNDATED:
            yield Value("date", str(date.day.year))


_SMALL: Final = 5  # records of a group that counts as small


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOfKind:
    """Counts of the values of one kind that are left."""

    records: int  # of these many records a value of the kind is left
    values: int  # so many are left, each counted once a record
    alone: int  # so many records are singled out by what is left of this kind alone
    low: float | None  # of the interval of their share, as ``Share``
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """Records singled out by the values that are left in their releases.

    A record's group is all persons whose records hold every value which is left in its release: those whom a reader
    cannot tell apart who knows these values of everybody and which ones are real. A record of whose values none is left
    is in the group of all.
    """

    alone: Share  # records in a group of one
    small: Share  # records in a group of fewer than five
    coarse: Share  # records in a group of one where dates count by year and ages by decade
    kinds: dict[str, LeftOfKind]  # what is left of each kind

    def to_data(self) -> dict[str, Any]:
        """JSON data; of the records in a group of one at the top."""
        kinds = {kind: asdict(left) for kind, left in self.kinds.items()}
        return {**asdict(self.alone), "fewer_than_5": asdict(self.small), "coarse": asdict(self.coarse), "kinds": kinds}


def unique(records: Sequence[RecordValues], persons: Ids) -> Unique:
    """Return the records that the values left in releases single out; ``persons``: the id of each record's person."""
    groups = _groups(
        [record.left for record in records], [{*record.original, *record.left} for record in records], persons
    )
    coarse = _groups(
        [_coarsened(record.left) | record.coarse for record in records],
        [_coarsened([*record.original, *record.left]) | record.coarse_original for record in records],
        persons,
    )
    return Unique(
        alone=share_of(groups == 1, persons),
        small=share_of(groups < _SMALL, persons),
        coarse=share_of(coarse == 1, persons),
        kinds={kind: left for kind in (*QUASI, *DIRECT) if (left := _of_kind(kind, records, persons)).values},
    )


def _of_kind(kind: str, records: Sequence[RecordValues], persons: Ids) -> LeftOfKind:
    left = [frozenset(value for value in record.left if value.kind == kind) for record in records]
    singled = _groups(left, [{*record.original, *record.left} for record in records], persons) == 1
    alone = share_of(singled, persons)
    return LeftOfKind(
        records=sum(map(bool, left)),
        values=sum(map(len, left)),
        alone=int(singled.sum()),
        low=alone.low,
        high=alone.high,
    )


def _coarsened(values: Iterable[Value]) -> frozenset[Value]:
    return frozenset(value for value in values if value.kind not in ("date", "age"))


def _groups(left: Sequence[frozenset[Value]], held: Sequence[Iterable[Value]], persons: Ids) -> Ids:
    """Return, for each record, how many persons hold all values that are left."""
    holders: dict[Value, set[int]] = {}
    for person, values in zip(persons.tolist(), held, strict=True):
        for value in values:
            holders.setdefault(value, set()).add(person)
    everybody = set(persons.tolist())
    return np.array([len(everybody.intersection(*(holders[value] for value in values))) for values in left])


_JOINING: Final = ("person", *DIRECT)
_MISTAKEN: Final = ("place", "organization")  # kinds of originals whose surrogates may be found as persons
_JOINING_LETTERS: Final = 3  # letters of a word that may join documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """Names of other persons that are left.

    The person whom a record names most often counts as its subject, everybody else in it as another person.
    """

    names: int  # of other persons in the records, each counted once a record
    left: int  # of them, those that stand whole in the release
    records: int  # with such a name left
    share: Share  # of these records among all


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Pairs of documents that share a value which was drawn."""

    values: int  # drawn values that stand in two releases or more
    pairs: int  # pairs of releases that share one, or more
    right: int  # of them, pairs whose records share a value: the joint tells that the same value stood in both
    # of the right ones, how many would be joined if a shared value made no difference: as large a share as of the pairs
    # that share none
    by_chance: float


def others(records: Sequence[RecordValues], persons: Ids) -> Others:
    """Names of other persons in the records, and those left in the releases; ``persons``: as in ``unique``."""
    names = left = 0
    affected = np.zeros(len(records), dtype=bool)
    for row, record in enumerate(records):
        mentions = {value.words: count for value, count in record.original.items() if value.kind == "person"}
        kept = {value.words for value in record.left if value.kind == "person"}
        here = _whole_names([*mentions, *kept])
        subject = max(here, key=lambda name: (_mentions(name, mentions), name), default=None)
        standing = sum(name in kept for name in here if name != subject)
        names += max(len(here) - 1, 0)
        left += standing
        affected[row] = standing > 0
    return Others(names=names, left=left, records=int(affected.sum()), share=share_of(affected, persons))


def _whole_names(names: Iterable[str]) -> list[str]:
    words = {frozenset(name.split()): name for name in names}
    return [name for part, name in words.items() if not any(part < whole for whole in words)]


def _mentions(name: str, mentions: Mapping[str, int]) -> int:
    words = set(name.split())
    return sum(count for part, count in mentions.items() if words.issuperset(part.split()))


def joined(records: Sequence[RecordValues]) -> Joined:
    """Pairs of releases that equal drawn values join."""
    drawn, values = _pairs([_parts(record.drawn, _JOINING) for record in records])
    same, _ = _pairs([_parts(record.original, (*_JOINING, *_MISTAKEN)) for record in records])
    right = len(drawn & same)
    apart = len(records) * (len(records) - 1) // 2 - len(same)
    rate = (len(drawn) - right) / apart if apart else 0.0
    return Joined(values=values, pairs=len(drawn), right=right, by_chance=rate * len(same))


def _parts(values: Iterable[Value], kinds: Iterable[str]) -> set[str]:
    """The words that join documents: of persons each word that is no initial, of other values all together."""
    parts: set[str] = set()
    for value in values:
        if value.kind in kinds:
            words = value.words.split() if value.kind == "person" else [value.words]
            parts.update(word for word in words if len(word) >= _JOINING_LETTERS)
    return parts


def _pairs(documents: Sequence[set[str]]) -> tuple[set[tuple[int, int]], int]:
    holders: dict[str, list[int]] = {}
    for number, parts in enumerate(documents):
        for part in parts:
            holders.setdefault(part, []).append(number)
    shared = [those for those in holders.values() if len(those) > 1]
    return {pair for those in shared for pair in combinations(those, 2)}, len(shared)
