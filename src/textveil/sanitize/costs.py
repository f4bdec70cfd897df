"""Costs of the costliest of several documents or persons, what is left of a limit, and how reports write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

from textveil.privacy.accountant import Accountant, shown_optimal
from textveil.privacy.composition import weakest
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import Adjacency, Unit
from textveil.sanitize.setting import Setting

Counts: TypeAlias = tuple[int, ...]  # how many of each kind that costs something (`Setting.counted`)


def trimmed(kinds: Mapping[str, int], counted: Sequence[str]) -> Counts:
    """Return the counts of a unit, without zeros at the end if there are more than two."""
    counts = [kinds.get(kind, 0) for kind in counted]
    while len(counts) > 2 and not counts[-1]:
        counts.pop()
    return (*counts, *(0 for _ in range(2 - len(counts))))


def added(first: Counts, second: Counts) -> Counts:
    """Return the counts of two units that are one."""
    return tuple(count + other for count, other in zip_longest(first, second, fillvalue=0))


def with_largest(largest: list[Counts], here: Counts) -> list[Counts]:
    """Those counts that no other one exceeds in all, with one more unit among them.

    The costliest of all units is among them whatever a draw of each kind costs.
    """
    if any(_within(here, other) for other in largest):
        return largest
    return [here, *(other for other in largest if not _within(other, here))]


def _within(first: Counts, second: Counts) -> bool:
    return all(count <= other for count, other in zip_longest(first, second, fillvalue=0))


class Costliest(NamedTuple):
    """Largest costs of several units."""

    tokens: int  # protected tokens of the one with the largest epsilon
    guarantee: Guarantee  # a bound for each of them
    accountants: Sequence[Accountant]

    def to_data(self) -> dict[str, Any]:
        return {"protected_tokens": self.tokens, **self.guarantee.to_data(), "optimal": optimal_data(self.accountants)}


def costliest(setting: Setting, largest: Sequence[Counts], into: Adjacency | None = None) -> Costliest:
    """Account for the costliest of several units.

    ``largest``: of ``with_largest``; none is one unit without a token; ``into``: whose change is paid for; None is one
    document.
    """
    units = largest or [(0, 0)]
    accountants = [setting.accountant(dict(zip(setting.counted, counts, strict=False)), into) for counts in units]
    costs = [counts.spent for counts in accountants]
    epsilons = [cost.approximate().epsilon if cost.promises else 0.0 for cost in costs]
    return Costliest(sum(units[epsilons.index(max(epsilons))]), weakest(costs), accountants)


def _optimal(accountants: Sequence[Accountant]) -> tuple[Guarantee, bool]:
    exact = all(accountant.exact for accountant in accountants)
    return weakest([accountant.optimal() for accountant in accountants]), exact


def optimal_data(accountants: Sequence[Accountant]) -> dict[str, Any]:
    """Return the bound by optimal composition, for reports."""
    guarantee, exact = _optimal(accountants)
    return {**guarantee.to_data(), "method": "exact" if exact else "upper bound"}


def optimal_lines(accountants: Sequence[Accountant]) -> list[str]:
    """Return the bound for a reader; empty if nothing is promised."""
    guarantee, exact = _optimal(accountants)
    return [f"            {shown_optimal(guarantee, exact=exact)}"] if guarantee.promises else []


def guarantee_line(guarantee: Guarantee) -> str:
    """Return a guarantee with its status."""
    return f"{guarantee} [{guarantee.status.shown}]" if guarantee.promises else str(guarantee)


@dataclass(frozen=True, slots=True)
class Persons:
    """Persons of a run, by a column, without its values."""

    column: str
    count: int
    largest: tuple[Counts, ...]  # counts of every person whom no other one exceeds in all (`with_largest`)

    @classmethod
    def of(cls, column: str, counts: Iterable[Counts]) -> Persons:
        number, largest = 0, list[Counts]()
        for person in counts:
            number += 1
            largest = with_largest(largest, person)
        return cls(column, number, tuple(largest))

    def cost(self, setting: Setting) -> Costliest:
        """Return what the costliest person pays: the composition over all documents of that person."""
        return costliest(setting, self.largest, one_person(setting))

    def to_data(self, setting: Setting) -> dict[str, Any]:
        return {"column": self.column, "persons": self.count, **self.cost(setting).to_data()}

    def lines(self, setting: Setting) -> list[str]:
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


Affords: TypeAlias = Callable[[Accountant], int | None]
"""Number of releases of a cost that a budget pays for, one after another; None if nothing limits them."""


class TextLeft(NamedTuple):
    """Text that a budget still pays for, rounded down.

    ``words``: that can be drawn if nothing else is; None if words are not drawn, cost nothing or promise nothing, or
    nothing limits them; ``values``: of the kind that costs most that can be drawn if nothing else is; None likewise,
    and if no spans are.
    """

    words: int | None
    values: int | None
    said: str  # for readers: "about 2,300 words left"


@dataclass(frozen=True, slots=True)
class TextCosts:
    """Costs of one draw of each kind at a setting, made once for many budgets."""

    kinds: tuple[tuple[str, Accountant], ...]  # those whose draws cost something, and their cost
    noun: str  # what a text is told in: "word", "value", "text"
    unpriced: bool  # whether nothing is promised of some draw, so that no budget can pay for it

    @classmethod
    def of(cls, setting: Setting) -> TextCosts:
        spans = setting.policy is not None and setting.policy.finds_spans
        noun = "text" if setting.whole_texts else "value" if spans else "word"
        if any(not protected.guarantee.promises for protected in setting.protected):
            return cls((), noun, unpriced=True)
        kinds = tuple(
            (protected.kind, setting.accountant({protected.kind: 1}))
            for protected in setting.protected
            if protected.costs
        )
        return cls(kinds, noun, unpriced=False)

    def left(self, affords: Affords) -> TextLeft:
        """Say how much more a budget pays for.

        It is told by the kind that costs most: of a text of cheaper kinds it pays for more. ``affords``:
        ``Ledger.affords`` of an account, or that of a ``Balance``.
        """
        if self.unpriced:
            return TextLeft(None, None, "nothing is promised of something that is drawn: there is no count")
        if not self.kinds:
            return TextLeft(None, None, "nothing that is drawn costs anything")
        counts = {kind: affords(cost) for kind, cost in self.kinds}
        if (count := min((number for number in counts.values() if number is not None), default=None)) is None:
            return TextLeft(None, None, "no limit")
        about = "about " if count >= 100 else ""
        said = f"{about}{rounded_down(count):,} {self.noun}{'' if count == 1 else 's'} left"
        return TextLeft(counts.get("word"), count if self.noun == "value" else None, said)


def text_left(setting: Setting, affords: Affords) -> str:
    """Say how much more a budget pays for: "about 2,300 words left"."""
    return TextCosts.of(setting).left(affords).said


def rounded_down(count: int) -> int:
    """Two digits of a count."""
    step = 10 ** max(0, len(str(count)) - 2)
    return count // step * step
