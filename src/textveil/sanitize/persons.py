"""What all documents of one person cost together, where a column says whose each one is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

from textveil.privacy.units import Adjacency, Unit
from textveil.sanitize.costs import Costliest, Counts, costliest, guarantee_line, optimal_lines, with_largest
from textveil.sanitize.setting import Setting


@final
@dataclass(frozen=True, slots=True)
class Persons:
    """The persons of a run, by the values of a column; none of those values is here.

    Attributes:
        largest: counts of every person whom no other one exceeds in all (``costs.with_largest``).
    """

    column: str
    count: int
    largest: tuple[Counts, ...]

    @classmethod
    def of(cls, column: str, counts: Iterable[Counts]) -> Persons:
        """The persons whose draws are counted, one after another."""
        number, largest = 0, list[Counts]()
        for person in counts:
            number += 1
            largest = with_largest(largest, person)
        return cls(column, number, tuple(largest))

    def cost(self, setting: Setting) -> Costliest:
        """What the costliest person pays: the composition over all documents of that person."""
        return costliest(setting, self.largest, one_person(setting))

    def to_data(self, setting: Setting) -> dict[str, Any]:
        """JSON data for reports."""
        return {"column": self.column, "persons": self.count, **self.cost(setting).to_data()}

    def lines(self, setting: Setting) -> list[str]:
        """The same for a reader."""
        cost = self.cost(setting)
        persons = "1 person" if self.count == 1 else f"{self.count} persons"
        tokens = "1 draw" if cost.tokens == 1 else f"{cost.tokens} draws"
        return [
            f"per person  {guarantee_line(cost.guarantee)} for the costliest of {persons}, {tokens}, by {self.column}",
            *optimal_lines(cost.accountants),
        ]


def one_person(setting: Setting) -> Adjacency:
    """Two inputs that differ in the documents of one person; whose each document is, is the same in both."""
    return Adjacency(
        Unit.PERSON,
        "two inputs that differ in the documents of one person alone, who has as many in both, each of them as in "
        f"{setting.one_document.text}",
        shared=setting.one_document.shared,
    )
