"""What a mechanism may offer beyond drawing: asked for by Protocol, whoever made the mechanism.

A capability is a promise about the mechanism's draws that audits rely on. A mechanism that offers none is sampled.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray

from textveil.mechanisms.kinds import OverWords
from textveil.mechanisms.sampling.output_columns import Columns
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
        """How far what is released of the first is from what is released of the second."""


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
class ChannelColumns(Protocol):
    """A channel that can be read by its outputs; ``channel_columns.columns_of`` makes one of any integer channel."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words: inputs and outputs."""

    def columns(self, outputs: Ids) -> Columns:
        """For each output the inputs that make it likelier than the others do.

        ``outputs``: word ids, shape (outputs,); a word may come twice.
        """


@runtime_checkable
class TabulatedColumns(ChannelColumns, Protocol):
    """A channel whose columns are read from other tables than its draws, built with the first column if need be."""

    @property
    def column_tables(self) -> tuple[PublicTable, ...]:
        """The tables, whether they are there or not."""


@runtime_checkable
class SequenceColumns(OverWords, Protocol):
    """A sequence mechanism whose draws can be read by their outputs, given what the document released before each."""

    def columns_of_documents(self, outputs: Ids, bounds: Integers) -> Columns:
        """A column for every place of released documents: P(y | x) there, given the document's outputs before it.

        ``outputs``: released word ids of all documents in a row, shape (places,); ``bounds``: where each document
        begins in them and the last ends, shape (documents + 1,).
        """


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


@runtime_checkable
class WithinGroups(Protocol):
    """A mechanism whose guarantee compares words of one public group alone; that group may be released."""

    @property
    def groups(self) -> Integers:
        """The group of every word of the vocabulary, int64, shape (n,); -1 is a word that nothing protects."""


@runtime_checkable
class SequenceWeights(OverWords, Protocol):
    """A sequence mechanism that is drawn by integers, given what the document has released so far."""

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        """The very integers w(x, y) that the next draw uses after the outputs ``past``, int64, shape (batch, n).

        ``past``: the document's earlier outputs, in order, shape (released,); ``ids``: inputs x at the next place,
        shape (batch,).
        """
