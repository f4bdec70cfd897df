"""Quasi-identifiers that are left in a release, and the share of records that they single out together."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from textveil.risk.linkage import CONFIDENCE, LEAST_RECORDS
from textveil.risk.values import DIRECT, QUASI, RecordValues, Value
from textveil.statistics import clopper_pearson

_SMALL: Final = 5  # records of a group that counts as small


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A share of records, with its 95 % interval where there are enough of them.

    Attributes:
        records: how many it is a share of.
        share: from 0 to 1.
        low: lower end of the interval; None below ``LEAST_RECORDS`` records.
        high: upper end.
    """

    records: int
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOfKind:
    """What is left of one kind.

    Attributes:
        records: of these many records a value of the kind is left.
        values: so many are left, each counted once a record.
        alone: so many records are singled out by what is left of this kind alone.
    """

    records: int
    values: int
    alone: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unique:
    """Records singled out by the values that are left in their releases.

    A record's group is all records that hold every value which is left in its release: those whom a reader cannot tell
    apart who knows these values of everybody and which ones are real. A record of whose values none is left is in the
    group of all.

    Attributes:
        alone: records in a group of one.
        small: records in a group of fewer than five.
        coarse: records in a group of one where dates count by year and ages by decade.
        kinds: what is left of each kind.
    """

    alone: Share
    small: Share
    coarse: Share
    kinds: dict[str, LeftOfKind]

    def to_data(self) -> dict[str, Any]:
        """JSON data; of the records in a group of one at the top."""
        kinds = {kind: asdict(left) for kind, left in self.kinds.items()}
        return {**asdict(self.alone), "fewer_than_5": asdict(self.small), "coarse": asdict(self.coarse), "kinds": kinds}


def unique(records: Sequence[RecordValues]) -> Unique:
    """Which records the values left in their releases single out."""
    groups = _groups([record.left for record in records], [{*record.original, *record.left} for record in records])
    coarse = _groups(
        [_coarsened(record.left) | record.coarse for record in records],
        [_coarsened([*record.original, *record.left]) | record.coarse_original for record in records],
    )
    return Unique(
        alone=_share(sum(size == 1 for size in groups), len(records)),
        small=_share(sum(size < _SMALL for size in groups), len(records)),
        coarse=_share(sum(size == 1 for size in coarse), len(records)),
        kinds={kind: left for kind in (*QUASI, *DIRECT) if (left := _of_kind(kind, records)).values},
    )


def _of_kind(kind: str, records: Sequence[RecordValues]) -> LeftOfKind:
    left = [frozenset(value for value in record.left if value.kind == kind) for record in records]
    groups = _groups(left, [{*record.original, *record.left} for record in records])
    return LeftOfKind(records=sum(map(bool, left)), values=sum(map(len, left)), alone=sum(size == 1 for size in groups))


def _coarsened(values: Iterable[Value]) -> frozenset[Value]:
    return frozenset(value for value in values if value.kind not in ("date", "age"))


def _groups(left: Sequence[frozenset[Value]], held: Sequence[Iterable[Value]]) -> list[int]:
    holders: dict[Value, set[int]] = {}
    for number, values in enumerate(held):
        for value in values:
            holders.setdefault(value, set()).add(number)
    everybody = set(range(len(held)))
    return [len(everybody.intersection(*(holders[value] for value in values))) for values in left]


def _share(hits: int, records: int) -> Share:
    interval = clopper_pearson(hits, records, CONFIDENCE) if records >= LEAST_RECORDS else None
    return Share(
        records=records,
        share=hits / records,
        low=None if interval is None else interval.lower,
        high=None if interval is None else interval.upper,
    )
