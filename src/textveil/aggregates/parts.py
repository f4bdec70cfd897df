"""Sums over parts of a corpus: each person is whole in one part, and only sums leave the process that holds it.

All sums are whole numbers, so they are the same in any order and however persons are parted.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Protocol, TypeVar, final

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")


class Parts(Protocol[T_co]):
    """Values for the parts of a corpus, which stay where they are."""

    def kept(self, work: Callable[[T_co], R]) -> "Parts[R]":
        """Return what ``work`` makes of each part, held in the same place."""

    def total(self, work: Callable[[T_co], R]) -> R:
        """Return the sum, by ``added``, of what ``work`` makes of each part."""


@final
class InProcess(Parts[T_co]):
    """Parts in this process: one for a corpus that is read here, several where tests compare."""

    def __init__(self, values: Sequence[T_co]) -> None:
        self._values = values

    def kept(self, work: Callable[[T_co], R]) -> Parts[R]:
        return InProcess([work(value) for value in self._values])

    def total(self, work: Callable[[T_co], R]) -> R:
        total: R = reduce(added, map(work, self._values))
        return total


def added(first: Any, second: Any) -> Any:
    """Return the sum of two results: of tuples part by part, of sets their union."""
    if isinstance(first, tuple):
        sums = [added(*pair) for pair in zip(first, second, strict=True)]
        return type(first)(*sums) if hasattr(first, "_fields") else tuple(sums)
    return first | second if isinstance(first, set) else first + second
