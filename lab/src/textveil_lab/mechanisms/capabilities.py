"""What a mechanism may offer beyond drawing: asked for by Protocol, whoever made the mechanism.

A capability is a promise about the mechanism's draws that audits rely on. A mechanism that offers none is sampled.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from textveil.mechanisms.kinds import IntegerWeights, OverWords, PrivacyProfile, TextMechanism, WordMechanism
from textveil.types import Flags, Ids, Integers, Reals, Vectors
from textveil.vocabulary.public_tables import PublicTable
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import CodeBound
from textveil_lab.mechanisms.sampling.output_columns import Columns, OverBase
from textveil_lab.nearest.projection import Projection
from textveil_lab.noise.distribution import NoiseDistribution
from textveil_lab.vocabulary.metrics.metric import WordMetric


@runtime_checkable
class WeightsOverBase(IntegerWeights, Protocol):
    """An integer channel that states its rows as base weights that all share and gains: audits then skip the rest."""

    def over_base(self) -> OverBase:
        """The integers of ``integer_weights``, those of all inputs in one pass."""


@runtime_checkable
class NoisyVectors(WordMechanism, Protocol):
    """A mechanism whose output is computed from the word's vector plus noise, and from nothing else that is private."""

    @property
    def distribution(self) -> NoiseDistribution:
        """The distribution of the noise, which is fresh for every token."""

    @property
    def clip(self) -> float | None:
        """The norm to which longer vectors of the vocabulary were shortened; None where they were not."""

    @property
    def points(self) -> Vectors:
        """What noise is added to: the vocabulary's vectors after clipping, or what a public map makes of them."""


class WorstStates(NamedTuple):
    """Two words whose noisy states are farther apart than those of any other two, at every epsilon."""

    first: int  # word id
    second: int  # word id
    distance: float  # between them, in the metric of the guarantee
    profile: PrivacyProfile  # of their noisy states


@runtime_checkable
class NoisyStates(WordMechanism, Protocol):
    """A mechanism whose output is computed from a noisy state of the word, and from nothing else that is private.

    Noisy bits are such a state, or a noisy point of a curved space.
    """

    def worst_pair(self) -> WorstStates:
        """The worst pair of the vocabulary; the state's dependence on the word is as the mechanism's proof has it."""


@runtime_checkable
class NoisyTextCodes(TextMechanism, Protocol):
    """A mechanism of texts whose output is computed from a text's bounded code plus noise, and from nothing else."""

    @property
    def distribution(self) -> NoiseDistribution:
        """The distribution of the noise, which is fresh for every text."""

    @property
    def bound(self) -> CodeBound:
        """The set in which all codes are."""

    def codes(self, texts: Sequence[str]) -> Reals:
        """Return what noise is added to, for texts that are public, shape (texts, dim)."""

    def takes(self, texts: Sequence[str]) -> Flags:
        """Return which texts are not refused for their length, shape (texts,)."""


@runtime_checkable
class NearestSearch(Protocol):
    """A mechanism that ends with the word nearest to a point."""

    @property
    def projection(self) -> Projection:
        """The search; its ``exact`` says whether the nearest word is always found."""


@runtime_checkable
class NearestWord(NearestSearch, NoisyVectors, Protocol):
    """A mechanism that releases the word nearest to the noisy vector, ties to any, or what is drawn from that word."""

    @property
    def resampling(self) -> object | None:
        """What is drawn from the nearest word by public rules; None where it is released itself."""


@runtime_checkable
class OnWordMetric(Protocol):
    """A mechanism whose guarantee per distance rests on a metric on words."""

    @property
    def metric(self) -> WordMetric:
        """The metric."""


@runtime_checkable
class OnWordDistances(Protocol):
    """A mechanism whose guarantee per distance is put to the test on the pairs that it speaks of."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words."""

    def word_distances(self, ids: Ids) -> Reals:
        """d(x, y) of the guarantee from each id to every word, shape (batch, n)."""


@runtime_checkable
class DocumentRows(Protocol):
    """A mechanism of whole texts that draws a word for each word, independently given the document."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words."""

    def document_rows(self, ids: Ids) -> Reals:
        """P(output i = y | the document of these words) for each place and word y, float64, shape (words, n)."""


@runtime_checkable
class AdjacentTexts(Protocol):
    """A mechanism of whole texts that does not protect any two: it names public ones that its guarantee compares."""

    def adjacent_texts(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of texts made of public words that the guarantee compares; at least one."""


class CostlyOutput(NamedTuple):
    """Two texts and how an output begins, with what it tells of which of them was written about."""

    first: str  # the text under which it is likelier
    second: str  # the other
    tokens: tuple[int, ...]  # the output's first tokens; what follows them is left open
    output: str  # the same as text
    loss: float  # the logarithm of the ratio of their probabilities, from the numbers that are drawn by


@runtime_checkable
class KnownOutputs(Protocol):
    """A mechanism of whole texts that knows how probable its outputs are, and searches for one that tells much."""

    def costliest_output(self, pairs: Sequence[tuple[str, str]], enough: float = ...) -> CostlyOutput:
        """The output of greatest loss that was found; others may lose more.

        Args:
            pairs: of public texts, one at least.
            enough: a loss above which the search ends.
        """


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
class SequenceColumns(Protocol):
    """A sequence mechanism whose draws can be read by their outputs, given what the document released before each."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The public words: inputs and outputs."""

    def columns_of_documents(self, outputs: Ids, bounds: Integers) -> Columns:
        """A column for every place of released documents: P(y | x) there, given the document's outputs before it.

        ``outputs``: released word ids of all documents in a row, shape (places,); ``bounds``: where each document
        begins in them and the last ends, shape (documents + 1,).
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
