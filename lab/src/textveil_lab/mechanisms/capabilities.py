"""Capabilities of mechanisms beyond drawing; callers ask for them by Protocol.

A capability is a promise about the mechanism's draws that audits rely on. A mechanism that offers none is sampled.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.kinds import (
    IntegerWeights,
    OverWords,
    SetMechanism,
    TextMechanism,
    VectorMechanism,
    WordMechanism,
)
from textveil.types import Flags, Ids, Integers, Reals, Vectors
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import CodeBound
from textveil_lab.mechanisms.sampling.output_columns import Columns, OverBase
from textveil_lab.nearest.projection import Projection
from textveil_lab.noise.capabilities import PrivacyProfile
from textveil_lab.noise.distribution import NoiseDistribution
from textveil_lab.vocabulary.metrics.metric import WordMetric


@runtime_checkable
class WeightsOverBase(IntegerWeights, Protocol):
    """Integer channel that states its rows as shared base weights plus gains: audits then skip the rest."""

    def over_base(self) -> OverBase:
        """Return the integers of ``integer_weights``, for all inputs in one pass."""


@runtime_checkable
class NoisyVectors(WordMechanism, Protocol):
    """Mechanism whose output depends on the word's vector plus noise, and on nothing else that is private."""

    @property
    def distribution(self) -> NoiseDistribution:
        """Distribution of the noise, which is fresh for every token."""

    @property
    def clip(self) -> float | None:
        """Norm to which longer vectors of the vocabulary are shortened; None if they are not."""

    @property
    def points(self) -> Vectors:
        """Points to which noise is added: the clipped vectors, or their images under a public map."""


class WorstStates(NamedTuple):
    """Two words whose noisy states are farther apart than those of any other two, at every epsilon."""

    first: int  # word id
    second: int  # word id
    distance: float  # between them, in the metric of the guarantee
    profile: PrivacyProfile  # of their noisy states


@runtime_checkable
class NoisyStates(WordMechanism, Protocol):
    """Mechanism whose output depends on a noisy state of the word, and on nothing else that is private.

    Noisy bits are such a state, and so is a noisy point of a curved space.
    """

    def worst_pair(self) -> WorstStates:
        """Return the vocabulary's worst pair; the proof of the mechanism says how the state depends on the word."""


@runtime_checkable
class NoisyTextCodes(TextMechanism, Protocol):
    """Mechanism of texts whose output depends on a text's bounded code plus noise, and on nothing else."""

    @property
    def distribution(self) -> NoiseDistribution:
        """Distribution of the noise, which is fresh for every text."""

    @property
    def bound(self) -> CodeBound:
        """Set that contains all codes."""

    def codes(self, texts: Sequence[str]) -> Reals:
        """Return the codes of public texts, to which noise is added; shape (texts, dim)."""

    def takes(self, texts: Sequence[str]) -> Flags:
        """Return which texts are not refused for their length, shape (texts,)."""


@runtime_checkable
class NearestSearch(Protocol):
    """Mechanism that ends with the word nearest to a point."""

    @property
    def projection(self) -> Projection:
        """Nearest-word search; its ``exact`` says whether the nearest word is always found."""


@runtime_checkable
class NearestWord(NearestSearch, NoisyVectors, Protocol):
    """Mechanism that releases the word nearest to the noisy vector, ties to any, or a draw from that word."""

    @property
    def resampling(self) -> object | None:
        """Public rule that draws from the nearest word; None if that word itself is released."""


@runtime_checkable
class OnWordMetric(Protocol):
    """Mechanism whose guarantee per distance rests on a metric on words."""

    @property
    def metric(self) -> WordMetric:
        """Metric of the guarantee."""


@runtime_checkable
class OnWordDistances(Protocol):
    """Mechanism whose guarantee per distance can be tested on the pairs that it is about."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Public words."""

    def word_distances(self, ids: Ids) -> Reals:
        """Return d(x, y) of the guarantee from each id to every word, shape (batch, n)."""


@runtime_checkable
class DocumentRows(Protocol):
    """Mechanism of whole texts that draws a word for each word, independently given the document."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Public words."""

    def document_rows(self, ids: Ids) -> Reals:
        """Return P(output i = y | document) for each position i and word y, float64, shape (words, n)."""


@runtime_checkable
class AdjacentTexts(Protocol):
    """Mechanism of whole texts that protects only some pairs: it names public pairs that its guarantee compares."""

    def adjacent_texts(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Return pairs of texts made of public words that the guarantee compares; at least one."""


class CostlyOutput(NamedTuple):
    """Two texts and the beginning of an output, with its loss between them."""

    first: str  # the text under which it is likelier
    second: str  # the other
    tokens: tuple[int, ...]  # the output's first tokens; any may follow
    output: str  # the same as text
    loss: float  # the logarithm of the ratio of their probabilities, from the numbers that are drawn by


@runtime_checkable
class KnownOutputs(Protocol):
    """Mechanism of whole texts that knows its outputs' probabilities, and searches for one of large loss."""

    def costliest_output(self, pairs: Sequence[tuple[str, str]], enough: float = ...) -> CostlyOutput:
        """Return the found output of largest loss; others may lose more.

        Args:
            pairs: of public texts, at least one.
            enough: a loss above which the search ends.
        """


@runtime_checkable
class ChannelColumns(Protocol):
    """Channel that can be read by its outputs; ``channel_columns.columns_of`` makes one of any integer channel."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Public words: inputs and outputs."""

    def columns(self, outputs: Ids) -> Columns:
        """Return, for each output, the inputs that make it likelier than the others do.

        ``outputs``: word ids, shape (outputs,); a word may be repeated.
        """


@runtime_checkable
class TabulatedColumns(ChannelColumns, Protocol):
    """Channel whose columns come from other tables than its draws; the first column builds them if need be."""

    @property
    def column_tables(self) -> tuple[PublicTable, ...]:
        """Tables of the columns, built or not."""


@runtime_checkable
class SequenceColumns(Protocol):
    """Sequence mechanism whose draws can be read by their outputs, given the document's earlier releases."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Public words: inputs and outputs."""

    def columns_of_documents(self, outputs: Ids, bounds: Integers) -> Columns:
        """Return a column for every position of released documents: P(y | x) there, given the document so far.

        ``outputs``: released word ids of all documents in a row, shape (positions,); ``bounds``: start of each document
        in them and end of the last, shape (documents + 1,).
        """


@runtime_checkable
class WithinGroups(Protocol):
    """Mechanism whose guarantee compares only words of one public group, which may be released."""

    @property
    def groups(self) -> Integers:
        """Group of every word of the vocabulary, int64, shape (n,); -1: a word without protection."""


@runtime_checkable
class SequenceWeights(OverWords, Protocol):
    """Sequence mechanism that draws by integers, given the document's earlier releases."""

    def integer_weights_after(self, past: Ids, ids: Ids) -> Integers:
        """Return the integers w(x, y) that the next draw uses after the outputs ``past``, int64, shape (batch, n).

        ``past``: the document's earlier outputs, in order, shape (released,); ``ids``: inputs x at the next position,
        shape (batch,).
        """


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

        It is infinite if one of the two cannot give what was released, and 0 if neither can.
        """


_SHOWN = 4  # numbers of a vector that are shown


def released(
    mechanism: VectorMechanism | SetMechanism, value: Any, count: int, rng: np.random.Generator
) -> NDArray[Any]:
    """Independent releases of one input, one a row.

    ``mechanism``: releases vectors, or sets of words; ``value``: a vector of shape (dim,), or a word id.
    """
    if isinstance(mechanism, VectorMechanism):
        return mechanism.privatize_vectors(np.tile(value, (count, 1)), rng)
    return mechanism.privatize_sets(np.full(count, value, dtype=np.int64), rng)


def shown_input(mechanism: VectorMechanism | SetMechanism, value: Any) -> str:
    """A public word, or the first numbers of a vector that is nobody's."""
    if isinstance(mechanism, SetMechanism):
        return mechanism.vocabulary.words[int(value)]
    numbers = np.ravel(value)
    more = ", ..." if numbers.size > _SHOWN else ""
    return f"({', '.join(f'{number:g}' for number in numbers[:_SHOWN])}{more})"
