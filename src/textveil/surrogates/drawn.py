"""Surrogates that are drawn value by value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from textveil.privacy.guarantees import Guarantee, PureDP
from textveil.privacy.proved import status_under
from textveil.privacy.units import ONE_VALUE, Adjacency
from textveil.surrogates.making import PSEUDONYMS
from textveil.surrogates.scopes import TAKEN, Scope
from textveil.surrogates.surrogate import Counts, Mention
from textveil.text.numbers import has_numerals, in_digits

Draw: TypeAlias = Callable[[str, Scope, np.random.Generator], str | None]
"""The surrogate of one value in a scope; None if the value cannot be read and nothing of it may stay."""


@dataclass(frozen=True, slots=True)
class Together:
    """A draw for which all values of a scope in a text are seen first: what rises along it is drawn then."""

    draw: Draw
    first: Callable[[Sequence[str], Scope, np.random.Generator], None]

    def __call__(self, value: str, scope: Scope, rng: np.random.Generator) -> str | None:
        return self.draw(value, scope, rng)


OfMentions: TypeAlias = Callable[[Sequence[Mention], Sequence[str]], Draw]
"""The draw of the values of one text, by all its mentions and its ages as they are released."""

DrawMentions: TypeAlias = Callable[[Sequence[Mention], Scope, np.random.Generator], list[str]]  # ``Surrogate.draw``
BUT_FOR_CASE: Final = "which are equal, but for case"
"""Public equality of values whose case is ignored: see ``Surrogate.equality``."""

AS_READ: Final = "which are equal as they are read"
"""Public equality of values that are read first, so that 9:30 and 09:30 are one."""

IN_ANY_DIGITS: Final = "which are equal, whatever writing their digits are in"
"""Public equality of values of which only digits are read: 0 to 9 stand for those of every writing."""

UNREAD: Final = "unread: "
"""Prefix of the key of a value that cannot be read, so that no value that was read has the same."""

_ATTEMPTS: Final = 64


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Drawn:
    """Each value by itself: its surrogate is a function of the value, the scope and randomness.

    Digits of every writing are read as 0 to 9 before a draw sees them. A value that cannot be read is blanked, and so
    is one whose surrogate still has a number in another writing, which no draw writes: it would be the value's own.
    """

    name: str
    parameters: Mapping[str, Any]
    guarantee: Guarantee
    public: tuple[str, ...]
    # what is public of several values together, where equal ones get equal surrogates; empty if nothing
    equality: str = ""
    counts: Counts = "value"
    consistent: bool = True  # whether equal values of a scope get equal surrogates
    # how many surrogates there are for a value, all equally probable; None if that depends on the value's public form,
    # or they are not
    entries: int | None = None
    surrogate_of: Draw = field(repr=False)
    # the draw of the mentions of one text, where it depends on public facts of all of them, or on what the text's
    # release says elsewhere; None if it does not
    of_mentions: OfMentions | None = field(default=None, repr=False)
    # whether the values of a text leave open how they are to be read (3/4/2024), which is public
    unsettled: Callable[[Sequence[str]], bool] = field(default=lambda values: False, repr=False)
    # what values are told apart by, in draws and in counts (``Surrogate.key``); None takes them as they are written
    read: Callable[[str], str] | None = field(default=None, repr=False)
    # whether every surrogate is an entry of a public pool, so that the value is never read, and an entry may have
    # numbers of any writing
    of_pool: bool = False

    def key(self, value: str) -> str:
        read = self._legible(value)
        return read if self.read is None else self.read(read)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        return self.of_text(mentions)(mentions, scope, rng)

    def of_text(self, mentions: Sequence[Mention], ages: Sequence[str] = ()) -> DrawMentions:
        """Return a function that draws any mentions of a text, given its ``ages`` in order, as they are released."""
        draw = self.surrogate_of
        if self.of_mentions is not None:
            legible = [mention._replace(value=self._legible(mention.value)) for mention in mentions]
            draw = self.of_mentions(legible, ages)

        def drawn(some: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
            values = [self._legible(mention.value) for mention in some]
            if isinstance(draw, Together) and scope.remembers:
                draw.first(values, scope, rng)
            return [self._checked(draw(value, scope, rng)) for value in values]

        return drawn

    def _legible(self, value: str) -> str:
        return value if self.of_pool else in_digits(value)

    def _checked(self, drawn: str | None) -> str:
        """Return what was drawn, or a blank: a function of it alone, so it says nothing more."""
        if drawn is None or (not self.of_pool and has_numerals(drawn)):
            return f"[{self.name}]"
        return drawn


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
    """Return a surrogate that is an entry of a public pool: 0-DP by privacy/proofs/pseudonyms.md."""
    return Drawn(
        name=name,
        parameters=parameters,
        guarantee=proved(0.0, PSEUDONYMS),
        public=public,
        equality=equality,
        entries=entries,
        surrogate_of=surrogate_of,
        read=read,
        of_pool=True,
    )


def agreed(
    scope: Scope,
    label: str,
    value: str,
    rng: np.random.Generator,
    make: Callable[[np.random.Generator], str],
    *,
    distinct: bool = False,
    taken_of: str = "",
) -> str:
    """Return what ``make`` draws for this value in this scope, drawn once.

    ``label`` is the surrogate with its parameters, and whatever else ``make`` depends on but the value. ``distinct``
    draws again while another value of the scope has the same, 64 times at most: only for draws whose distribution does
    not depend on the value, for elsewhere how often it is done would. ``taken_of``: the label of those others, if it is
    not the same.
    """
    known = scope.remembered(label)
    drawn = known.get(value)
    if drawn is None:
        taken = scope.remembered((taken_of or label) + TAKEN) if distinct else {}
        source = scope.generator(label, value, rng)
        drawn, attempts = make(source), _ATTEMPTS
        while drawn in taken and attempts:
            drawn, attempts = make(source), attempts - 1
        taken[drawn] = known[value] = drawn
    return drawn
