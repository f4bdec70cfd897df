"""Surrogates that are drawn value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias, final

import numpy as np

from textveil.privacy.guarantees import Guarantee, PureDP
from textveil.privacy.proved import status_under
from textveil.privacy.units import ONE_VALUE, Adjacency
from textveil.surrogates.declaration import PSEUDONYMS
from textveil.surrogates.scopes import TAKEN, Scope
from textveil.surrogates.surrogate import Counts, Mention

Draw: TypeAlias = Callable[[str, Scope, np.random.Generator], str]
"""The surrogate of one value in a scope."""

OfMentions: TypeAlias = Callable[[Sequence[Mention], Sequence[str]], Draw]
"""The draw of the values of one text, by all its mentions and its ages as they are released."""

DrawMentions: TypeAlias = Callable[[Sequence[Mention], Scope, np.random.Generator], list[str]]
"""``Surrogate.draw``."""

BUT_FOR_CASE: Final = "which are equal, but for case"
"""What is public of values whose case is not looked at: see ``Surrogate.equality``."""

AS_READ: Final = "which are equal as they are read"
"""What is public of values that are read first, so that 9:30 and 09:30 are one."""

UNREAD: Final = "unread: "
"""What the key of a value begins with that cannot be read, so that no value that was read has the same."""

_ATTEMPTS: Final = 64


def _settled(values: Sequence[str]) -> bool:
    return False


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Drawn:
    """Each value by itself: its surrogate is a function of the value, the scope and randomness.

    Attributes:
        equality: what is public of several values together, where equal ones get equal surrogates; empty where nothing.
        consistent: whether equal values of a scope get equal surrogates.
        entries: how many surrogates there are for a value, all equally probable; None where that depends on the value's
            public form, or they are not.
        of_mentions: the draw of the mentions of one text, where it depends on public facts of all of them, or on what
            the text's release says elsewhere; None where it does not.
        unsettled: whether the values of a text leave open how they are to be read (3/4/2024), which is public.
        read: what values are told apart by, in draws and in counts (``Surrogate.key``); None takes them as they are
            written.
    """

    name: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee
    public: tuple[str, ...]
    equality: str = ""
    counts: Counts = "value"
    consistent: bool = True
    entries: int | None = None
    surrogate_of: Draw = field(repr=False)
    of_mentions: OfMentions | None = field(default=None, repr=False)
    unsettled: Callable[[Sequence[str]], bool] = field(default=_settled, repr=False)
    read: Callable[[str], str] | None = field(default=None, repr=False)

    def key(self, value: str) -> str:
        return value if self.read is None else self.read(value)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        return self.of_text(mentions)(mentions, scope, rng)

    def of_text(self, mentions: Sequence[Mention], ages: Sequence[str] = ()) -> DrawMentions:
        """What draws any mentions of a text.

        Args:
            ages: of the text, in order, as they are released.
        """
        draw = self.surrogate_of if self.of_mentions is None else self.of_mentions(mentions, ages)
        return lambda some, scope, rng: [draw(mention.value, scope, rng) for mention in some]


def proved(epsilon: float, proof: str, adjacency: Adjacency = ONE_VALUE) -> PureDP:
    """Pure DP of one value, by a proof of textveil's own."""
    return PureDP(epsilon=epsilon, status=status_under(proof), source=proof, adjacency=adjacency)


def pseudonym(
    name: str,
    public: tuple[str, ...],
    surrogate_of: Draw,
    entries: int | None = None,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    *,
    equality: str = "which are equal",
    read: Callable[[str], str] | None = None,
) -> Drawn:
    """A surrogate that is an entry of a public pool: 0-DP by privacy/proofs/pseudonyms.md."""
    return Drawn(
        name=name,
        parameters=parameters,
        guarantee=proved(0.0, PSEUDONYMS),
        public=public,
        equality=equality,
        entries=entries,
        surrogate_of=surrogate_of,
        read=read,
    )


def agreed(
    scope: Scope,
    label: str,
    value: str,
    rng: np.random.Generator,
    make: Callable[[np.random.Generator], str],
    *,
    distinct: bool = False,
) -> str:
    """What ``make`` drew for this value in this scope, drawn once.

    Args:
        label: the surrogate with its parameters, and whatever else ``make`` depends on but the value.
        make: draws, from the generator alone where ``distinct`` is true.
        distinct: draw again while another value of the scope has the same, 64 times at most; only for draws whose
            distribution does not depend on the value: elsewhere how often it is done would.
    """
    known = scope.remembered(label)
    drawn = known.get(value)
    if drawn is None:
        taken = scope.remembered(label + TAKEN) if distinct else {}
        source = scope.generator(label, value, rng)
        drawn = make(source)
        for _ in range(_ATTEMPTS):
            if drawn not in taken:
                break
            drawn = make(source)
        taken[drawn] = known[value] = drawn
    return drawn
