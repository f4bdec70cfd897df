"""Names of other persons that are left in releases, and equal surrogates that join documents: counts alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from textveil.risk.values import DIRECT, RecordValues, Value

_JOINING: Final = ("person", *DIRECT)
_MISTAKEN: Final = ("place", "organization")  # kinds of originals whose surrogates may be found as persons
_TELLING: Final = 3  # letters of a word that may join documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """Names of other persons that are left.

    The person whom a record names most often counts as its subject, everybody else in it as another person.

    Attributes:
        names: of other persons in the records, each counted once a record.
        left: of them, those that stand whole in the release.
        records: with such a name left.
    """

    names: int
    left: int
    records: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Pairs of documents that share a value which was drawn.

    Attributes:
        values: drawn values that stand in two releases or more.
        pairs: pairs of releases that share one, or more.
        right: of them, pairs whose records share a value: the joint tells that the same value stood in both.
        by_chance: of the right ones, how many would be joined if a shared value made no difference: as large a share as
            of the pairs that share none.
    """

    values: int
    pairs: int
    right: int
    by_chance: float


def others(records: Sequence[RecordValues]) -> Others:
    """Names of other persons in the records, and those left in the releases."""
    names = left = affected = 0
    for record in records:
        mentions = {value.words: count for value, count in record.original.items() if value.kind == "person"}
        kept = {value.words for value in record.left if value.kind == "person"}
        here = _whole_names([*mentions, *kept])
        subject = max(here, key=lambda name: (_mentions(name, mentions), name), default=None)
        standing = sum(name in kept for name in here if name != subject)
        names += max(len(here) - 1, 0)
        left += standing
        affected += standing > 0
    return Others(names=names, left=left, records=affected)


def _whole_names(names: Iterable[str]) -> list[str]:
    """The names that are no part of another."""
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
            parts.update(word for word in words if len(word) >= _TELLING)
    return parts


def _pairs(documents: Sequence[set[str]]) -> tuple[set[tuple[int, int]], int]:
    holders: dict[str, list[int]] = {}
    for number, parts in enumerate(documents):
        for part in parts:
            holders.setdefault(part, []).append(number)
    shared = [those for those in holders.values() if len(those) > 1]
    return {pair for those in shared for pair in combinations(those, 2)}, len(shared)
