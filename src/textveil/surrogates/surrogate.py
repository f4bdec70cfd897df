"""What a surrogate is: the private values of spans in, values that pass for real out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from textveil.privacy.guarantees import Guarantee
from textveil.surrogates.page import UNKNOWN, Page
from textveil.surrogates.scopes import Scope

Counts: TypeAlias = Literal["mention", "value", "scope"]  # what pays a surrogate's epsilon once


class Mention(NamedTuple):
    """One span of a text."""

    value: str  # its characters: private
    # up to 24 characters of the same text that stand before it, outside every span: what a draw may look at freely
    # where these are released as they are (a title before a name), and empty if they are not
    before: str = ""
    after: str = ""  # the same of what stands behind it, up to 48 characters
    age: str = ""  # of a date: the nearest age of the text as it is released, up to 120 characters away
    page: Page = UNKNOWN  # what the released words of the same text show; the same for all its mentions


class Surrogate(Protocol):
    """Draws values in the place of spans of one kind."""

    @property
    def name(self) -> str:
        """The name by which policies ask for it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters for reports: JSON values, by name."""

    @property
    def guarantee(self) -> Guarantee:
        """The unit of one value: a mention, or all its mentions in a scope where one value has one surrogate."""

    @property
    def counts(self) -> Counts:
        """The unit that pays the guarantee's epsilon once.

        ``"mention"``: every mention draws for itself. ``"value"``: all mentions of one value in a scope share a draw,
        so one value pays once, however often it stands there. ``"scope"``: all values of a scope share one draw,
        and the guarantee is for a change of all of them as its adjacency says, not for a change of one.
        """

    @property
    def consistent(self) -> bool:
        """True if equal values of a scope get equal surrogates, so that which mentions are equal is public."""

    def key(self, value: str) -> str:
        """Return the key of a value: two values with one key are one value, with one draw in a scope."""

    @property
    def public(self) -> tuple[str, ...]:
        """Phrases for reports of what stays public of one value: "its format", "how many digits it has"."""

    @property
    def equality(self) -> str:
        """Phrases for reports of what equal surrogates for equal values make public: "which are equal, but for case".

        Empty if every mention has a surrogate of its own, or nothing closer is to be said.
        """

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        """Return a surrogate for each mention of one text, in order.

        A draw looks at the value only in the way that its guarantee says: at ``epsilon`` 0 the distribution of the
        output is the same for every value with the same public facts.

        Args:
            scope: what the surrogates so far were, where they are to agree.
        """
