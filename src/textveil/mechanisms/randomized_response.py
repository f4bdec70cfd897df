"""Channels of two weights: randomized response over words, common words or digits, words of a class, given integers."""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, Prior, checked_ids, checked_word_id, stated_distances
from textveil.numerics.integer_weights import TwoLevelWeights, flip, two_level_weights
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import within_groups
from textveil.randomness import resolve
from textveil.types import Ids, Integers, Reals, WordDistances
from textveil.vocabulary.facts import given_frequencies, word_classes
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/randomized_response.md"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class RandomizedResponse:
    """P(y | x) = e^epsilon / (e^epsilon + n - 1) for y = x, else 1 / (e^epsilon + n - 1).

    The weights are integers, so the loss is the logarithm of their ratio and no more. Source: Kairouz, Oh
    and Viswanath 2014, section 2; proof: privacy/proofs/randomized_response.md.
    """

    name: ClassVar[str] = "randomized-response"
    vocabulary: Vocabulary
    weights: TwoLevelWeights
    guarantee: PureDP

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon}

    @property
    def base_mass(self) -> float:
        return self.weights.base_mass

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return flip(checked_ids(ids, len(self.vocabulary)), self.weights, resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        row = np.full(self.weights.size, self.weights.outside / self.weights.total)
        row[checked_word_id(word_id, self.weights.size)] = self.weights.inside / self.weights.total
        return row

    def integer_weights(self, ids: Ids) -> Integers:
        return self.weights.rows(checked_ids(ids, len(self.vocabulary))[:, None])


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source="Warner 1965; Kairouz, Oh and Viswanath 2014, section 2",
    summary="Keeps the word with weight e^epsilon, else any other with weight 1.",
)
def randomized_response(vocabulary: Vocabulary, *, epsilon: Epsilon) -> RandomizedResponse:
    """Randomized response at ``epsilon`` nats for any two words."""
    weights = two_level_weights(size=len(vocabulary), members=1, epsilon=epsilon)
    promise = PureDP(epsilon=weights.stated(epsilon), status=status_of(__name__, PROOF), source=PROOF)
    return RandomizedResponse(vocabulary, weights, promise)


COMMON_PROOF: Final = "privacy/proofs/common_words.md"


@dataclass(frozen=True, eq=False)
class CommonWordResponse:
    """Every word is one of K common words or the blank, and stays with weight e^epsilon, else is any other with 1.

    So the guarantee holds for any two words, common or not. Proof: privacy/proofs/common_words.md.
    """

    words: tuple[str, ...] = field(repr=False)  # the common words; the blank's id follows theirs
    epsilon: float  # nats for one word, finite and > 0
    name: str = field(default="randomized-response", init=False)

    def __post_init__(self) -> None:
        need(len(self.words) > 0, "words", "none", "one or more")
        self.weights  # noqa: B018 - refuses an epsilon that is none

    @property
    def size(self) -> int:
        return len(self.words) + 1

    @property
    def weights(self) -> TwoLevelWeights:
        """The two integers that are sampled."""
        return two_level_weights(size=self.size, members=1, epsilon=self.epsilon)

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for any two words."""
        return PureDP(
            epsilon=self.weights.stated(self.epsilon), status=status_of(__name__, COMMON_PROOF), source=COMMON_PROOF
        )

    def others(self, words: Sequence[str]) -> list[tuple[int, bool]]:
        """The blank, for words that are not common."""
        return [(len(self.words), False)] * len(words)

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return flip(checked_ids(ids, self.size), self.weights, resolve(rng))


class DrawnRows(Protocol):
    """Rows of integer weights, and draws by them; ids are checked already."""

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id: y with probability w(x, y) / sum over y of w(x, y)."""

    def weights(self, words: Ids) -> Integers:
        """The integers w(x, y), int64, shape (batch, n); a row's sum is below 2^62."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class IntegerChannel:
    """P(y | x) = w(x, y) / Z(x) for integers w(x, y) >= 0, Z(x) their sum; drawn by the very same integers.

    ``distances``: the metric of a guarantee per distance, which cannot do without it.
    """

    vocabulary: Vocabulary
    name: str
    parameters: Mapping[str, Any]
    guarantee: PureDP | MetricDP  # what the weights give; its proof is its `source`
    _rows: DrawnRows = field(repr=False)
    distances: WordDistances | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        stated = self.distances is not None or not isinstance(self.guarantee, MetricDP)
        need(stated, "distances", "none", "stated by a channel that promises something per distance")

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        return self._rows.draw(checked_ids(ids, len(self.vocabulary)), resolve(rng))

    def probabilities(self, word_id: int) -> Reals:
        """P(y | word_id), shape (n,)."""
        word = checked_word_id(word_id, len(self.vocabulary))
        row = self._rows.weights(np.array([word]))[0]
        return row / float(row.sum())

    def integer_weights(self, ids: Ids) -> Integers:
        return self._rows.weights(checked_ids(ids, len(self.vocabulary)))

    def word_distances(self, ids: Ids) -> Reals:
        return stated_distances(self.distances)(checked_ids(ids, len(self.vocabulary)))


@dataclass(frozen=True, slots=True, eq=False)
class GroupedChannel(IntegerChannel):
    """A channel whose guarantee compares words of one public group alone; its adjacency says what a group is.

    ``word_distances`` of words of different groups are not compared, however near.
    """

    groups: Integers = field(kw_only=True)  # the group of every word, shape (n,); -1 is a word that nothing protects


CLASS_PROOF: Final = "privacy/proofs/same_class.md"
CLASSES: Final = within_groups("class")  # which two words are compared


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """One row for each class, the same for all its words; see ``DrawnRows``."""

    classes: Integers  # the class of every word, shape (n,)
    counts: Integers  # the weight of every word as an output, >= 1, shape (n,)
    words: Ids  # all words, class by class, shape (n,)
    sums: Integers  # running sums of their weights, shape (n,)
    starts: Integers  # the sum before each class, one more than classes

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id; each takes one uniform integer below the sum of its class."""
        classes = self.classes[ids]
        low, high = self.starts[classes], self.starts[classes + 1]
        drawn = rng.integers(low, high, dtype=np.int64)
        return self.words[np.searchsorted(self.sums, drawn, side="right")]

    def weights(self, words: Ids) -> Integers:
        """The weight of every output for each word, shape (batch, n)."""
        return np.where(self.classes[words][:, None] == self.classes[None, :], self.counts[None, :], 0)


def class_rows(classes: Integers, counts: Integers) -> ClassRows:
    """Rows of a partition: a word's weight is its count within its own class."""
    words = np.argsort(classes, kind="stable")
    sums = np.cumsum(counts[words])
    ends = np.cumsum(np.bincount(classes))
    starts = np.concatenate(([0], sums))[np.concatenate(([0], ends))]
    return ClassRows(classes, counts, words, sums, starts)


@proved(
    family="channel",
    notion="pure DP",
    proof=CLASS_PROOF,
    source="WordNet's lexicographer files as a public partition; proved here",
    summary="Any word of the same coarse public class (place, food, ...), by public frequency; classes stay visible.",
    adjacency=CLASSES,
)
def same_class(vocabulary: Vocabulary, *, prior: Prior | None = None) -> GroupedChannel:
    """P(y | x) proportional to the public frequency of y over the words y of the class of x.

    The draw depends on the class of the word alone, so it tells nothing else of the word: epsilon is 0 for any two
    words of one class. The class is released, and reports say so.

    Raises:
        ParameterError: no class has two words of the vocabulary.
        InputError: the file of counts cannot be read.
    """
    classes = word_classes(vocabulary.words)
    sizes = np.bincount(classes)
    need(int(sizes.max()) > 1, "vocabulary", "words of which no two share a class", "one with two words of a class")
    frequencies = given_frequencies(vocabulary, prior)
    promise = PureDP(epsilon=0.0, status=status_of(__name__, CLASS_PROOF), source=CLASS_PROOF, adjacency=CLASSES)
    facts = {
        "prior": frequencies.source,
        "classes": int((sizes > 0).sum()),
        "classes_digest": hashlib.sha256(classes.tobytes()).hexdigest()[:16],
    }
    groups = np.where(sizes[classes] > 1, classes, -1)  # a word alone in its class is released as it is
    rows = class_rows(classes, frequencies.counts)
    return GroupedChannel(vocabulary, "same-class", facts, promise, rows, groups=groups)


DIGITS_PROOF = "privacy/proofs/digits.md"
BASE = 10
KEEP_LIMIT = 0.5  # probability above which no digit stays unless somebody asks for it


@lru_cache(maxsize=4096)
def _digit_weights(epsilon: float, keep_limit: float) -> TwoLevelWeights:
    """The integer weights of one digit: of both bounds the stricter one.

    ``epsilon``: nats for the digit, >= 0; ``keep_limit``: bound on the probability that it stays, in [1 / BASE, 1].
    """
    if keep_limit < 1:
        odds = (BASE - 1) * Fraction(keep_limit) / (1 - Fraction(keep_limit))
        epsilon = min(epsilon, math.log(odds))
    # A share too small for a float counts as the least one, for which the integers are equal: the digit is uniform.
    weights = two_level_weights(size=BASE, members=1, epsilon=max(epsilon, math.ulp(0.0)))
    if keep_limit == 1:
        return weights
    # The logarithm may have been rounded up; the integers keep the limit exactly.
    return replace(weights, inside=min(weights.inside, math.floor(odds * weights.outside)))


@dataclass(frozen=True, slots=True)
class DigitResponse:
    """Each of a number's k digits is kept or replaced by randomized response at epsilon / k or less.

    Two numbers of k digits each differ in at most k digits, so the k draws cost at most epsilon together.
    The number of digits is public. Proof: privacy/proofs/digits.md.

    ``keep_limit``: no digit stays with a larger probability, however much of epsilon is then left unspent; in [0.1, 1],
    where 1 is no limit and 0.1 makes every digit uniform. One half is ln 9 nats a digit.
    """

    epsilon: float  # nats for one number, any two numbers with as many digits; finite and > 0
    keep_limit: float = KEEP_LIMIT

    def __post_init__(self) -> None:
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")
        need(1 / BASE <= self.keep_limit <= 1, "digit_keep_limit", self.keep_limit, f"between {1 / BASE} and 1")

    @property
    def guarantee(self) -> PureDP:
        """Pure DP for one number, however many digits it has."""
        return PureDP(epsilon=self.epsilon, status=status_of(__name__, DIGITS_PROOF), source=DIGITS_PROOF)

    def privatize(self, digits: Ids, lengths: Integers, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each digit.

        ``digits``: the digits of all numbers in a row, each in [0, 10), shape (sum of lengths,); ``lengths``: how many
        of them belong to each number, each >= 1, shape (numbers,).

        Returns:
            The drawn digits, int64, shape (sum of lengths,).
        """
        need(int(np.add.reduce(lengths)) == len(digits), "lengths", "another sum", "the number of digits in total")
        if len(digits) == 0:
            return np.empty(0, dtype=np.int64)
        generator = resolve(rng)
        numbers = sorted(Counter(lengths.tolist()).items())
        if len(numbers) == 1:
            return flip(digits, self._weights(numbers[0][0]), generator)
        order = lengths.repeat(lengths).argsort(kind="stable")  # digits of numbers of one length stand together
        out = np.empty(len(digits), dtype=np.int64)
        stop = 0
        for length, count in numbers:
            here = order[stop : stop + length * count]
            stop += length * count
            out[here] = flip(digits[here], self._weights(length), generator)
        return out

    def unchanged(self, length: int) -> float:
        """The probability that a number of so many digits comes out as it was."""
        weights = self._weights(length)
        return float(weights.inside / weights.total) ** length

    def _weights(self, length: int) -> TwoLevelWeights:
        # epsilon / length in floating point may exceed the share by half an ulp; one step down pays it.
        return _digit_weights(math.nextafter(self.epsilon / length, 0.0), self.keep_limit)
