"""What a mechanism may offer beyond drawing: asked for by Protocol, whoever made the mechanism.

A capability is a promise about the mechanism's draws that audits rely on. A mechanism that offers none is sampled.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from textveil.statistics import Bound
from textveil.types import Ids, Integers, Reals
from textveil.vocabulary.tables.public import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary


@runtime_checkable
class IntegerWeights(Protocol):
    """A channel that is drawn by integers: P(y | x) = w(x, y) / sum over y of w(x, y), over its vocabulary."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words: inputs and outputs."""

    def integer_weights(self, ids: Ids) -> Integers:
        """The very integers w(x, y) that draws use, int64, shape (batch, n); a row's sum is below 2^62."""


@runtime_checkable
class BaseDraws(Protocol):
    """A channel whose rows are base weights, the same for every word, and what each row adds to them."""

    @property
    def base_mass(self) -> float:
        """Probability of a draw by the base weights alone; rows are at most e^epsilon times as likely, everywhere."""


@runtime_checkable
class WorstInputs(Protocol):
    """A mechanism of vectors or sets for which two inputs are known that no two others are easier to tell apart than.

    Inputs are vectors of shape (dim,), or word ids of shape ().
    """

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The two, such that the largest loss is that of the first against the second."""

    def worst_profile(self) -> PrivacyProfile:
        """Return the distances between the releases of the first words and those of the second."""


@runtime_checkable
class LikelihoodRatio(Protocol):
    """A mechanism of vectors or sets whose law is known: audits then sample by the best events there are."""

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        """The natural logarithm of P(released | first) / P(released | second) of each row, shape (batch,).

        It is infinite where one of the two cannot give what was released, and 0 where neither can.
        """


@runtime_checkable
class Tabulated(Protocol):
    """A mechanism whose draws read public tables where there are any; without them it draws the same, only later."""

    @property
    def tables(self) -> tuple[PublicTable, ...]:
        """The tables, whether they are there or not; a mechanism finds those that ``build`` makes by itself."""


@runtime_checkable
class PrivacyProfile(Protocol):
    """How far the noise and its copy moved by a shift are apart: the least delta at every epsilon."""

    @property
    def largest_loss(self) -> float:
        """Supremum of the finite losses, nats, the least float that is not below it; inf where there is none."""

    @property
    def log_outside(self) -> Bound:
        """Natural logarithm of the mass that leaves the moved support; -inf, exactly, where none does."""

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon, between two bounds that hold; never above 0.

        It equals ``log_outside`` from ``largest_loss`` on, and is above -inf below it.

        ``epsilon``: nats, finite and >= 0.
        """
