"""BRR: flip every bit of a word's code at random, then take the word with the nearest code."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal, localcontext
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import gammaln, logsumexp

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.numerics.integer_weights import log_ratio_up
from textveil.privacy.guarantees import MetricDP
from textveil.randomness import resolve
from textveil.registry.options import VECTORS, Option, at_least
from textveil.statistics import Bound, exactly
from textveil.types import Flags, Ids, Progress, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.pte import random_map
from textveil_lab.mechanisms.capabilities import WorstStates
from textveil_lab.mechanisms.parameters import EpsilonPerDistance, given, one_of, proved_metric, rate_within
from textveil_lab.nearest.choice import nearest
from textveil_lab.nearest.projection import Projection
from textveil_lab.vocabulary.geometry import diameter, remembered

_ALL = 1 << 53  # A uniform integer below this decides a flip
_ROUNDING = 2.0**-30  # covers the rounding of logarithms of binomial probabilities and of their sum


@dataclass(frozen=True, slots=True, kw_only=True)
class BitFlips:
    """Law of flips: every bit is flipped with probability flips / 2^53, each by its own integer.

    Source: Warner 1965; proof: textveil_lab/proofs/brr.md.
    """

    flips: int  # an integer between 1 and 2^52

    def __post_init__(self) -> None:
        need(1 <= self.flips <= _ALL // 2, "flips", self.flips, f"between 1 and {_ALL // 2}")

    @property
    def probability(self) -> float:
        """Probability of a flip, exact."""
        return self.flips / _ALL

    @property
    def loss(self) -> float:
        """Largest loss of one bit in nats, rounded up."""
        return log_ratio_up(_ALL - self.flips, self.flips)

    def sample(self, count: int, bits: int, generator: np.random.Generator) -> Flags:
        """Return which bits are flipped; shape (count, bits)."""
        return generator.integers(0, _ALL, size=(count, bits), dtype=np.int64) < self.flips


def bit_flips(epsilon: float) -> BitFlips:
    """Return the flips of smallest probability, in units of 2^-53, at which a bit costs at most epsilon.

    Args:
        epsilon: nats for one bit, finite and > 0. The probability is 1 / (1 + e^epsilon), rounded up; beyond 36.7 less
            is spent.
    """
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    with localcontext() as context:
        context.prec = 60
        wanted = _ALL / (1 + Decimal(min(epsilon, 40.0)).exp())
        rounded = BitFlips(flips=min(_ALL // 2, int(wanted.to_integral_value(rounding=ROUND_CEILING))))
    while (
        rounded.loss > epsilon and rounded.flips < _ALL // 2
    ):  # the loss is rounded up, so it may pass by its last place
        rounded = BitFlips(flips=rounded.flips + 1)
    return rounded


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedBitsProfile:
    """Privacy profile of two codes that differ in some bits; see ``noise.capabilities.PrivacyProfile``.

    With K of those bits flipped the loss is (bits - 2 K) ln((1 - p) / p), and K is binomial.
    """

    log_outside: ClassVar[Bound] = exactly(-math.inf)  # No mass leaves the support, which is all codes

    flips: BitFlips  # the flips
    bits: int  # in how many bits the codes differ, >= 1

    @property
    def largest_loss(self) -> float:
        """Loss if none of those bits is flipped, rounded up."""
        return math.nextafter(self.bits * self.flips.loss, math.inf) if self.bits > 1 else self.flips.loss

    def log_delta(self, epsilon: float) -> Bound:
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        if epsilon >= self.largest_loss:
            return exactly(-math.inf)
        flipped = np.arange(self.bits + 1)
        losses = (self.bits - 2 * flipped) * self.flips.loss
        above = flipped[losses > epsilon]
        if not len(above):
            return Bound(-math.inf, -math.inf, 0.0, 1.0)
        chances = gammaln(self.bits + 1) - gammaln(above + 1) - gammaln(self.bits - above + 1)
        chances += above * math.log(self.flips.probability)
        chances += (self.bits - above) * math.log1p(-self.flips.probability)
        log_sum = float(logsumexp(chances + np.log(-np.expm1(epsilon - losses[above]))))
        slack = _ROUNDING * (1 + abs(log_sum))
        return Bound(log_sum - slack, log_sum, min(0.0, log_sum + slack), 1.0)


PROOF = "textveil_lab/proofs/brr.md"
_MOST_BITS = 8192
_ENTRIES = 1 << 20  # bits that are drawn at once: 8 MB of integers
_BITS = Option(at_least(1), "Bits of a word's code.", "M", VECTORS)
_SEED = Option(at_least(0), "Seed of the public hyperplanes of the codes.", "N", VECTORS)


def binary_codes(vectors: Vectors, bits: int, seed: int) -> Vectors:
    """Return codes of words, entries -1 and 1, float32, shape (n, bits): signs after the mean vector is subtracted.

    Two vectors at an angle a differ in a share near a / pi of the bits. The hyperplanes are those of ``random_map``.
    Source: Charikar 2002.

    Args:
        vectors: float32, shape (n, dim).
        bits: >= 1.
        seed: of the public hyperplanes.
    """
    mean = vectors.mean(axis=0, dtype=np.float64)
    sides = (vectors - mean) @ random_map(seed, vectors.shape[1], bits).T
    return np.where(sides >= 0, np.float32(1), np.float32(-1))


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class BinaryResponse:
    """Release the word whose code is nearest, in the Hamming distance, to the code of x with bits flipped at random.

    Source: Carvalho, Vasiloudis and Feyisetan 2021 (BRR); proof: textveil_lab/proofs/brr.md.
    """

    name: ClassVar[str] = "brr"
    vocabulary: Vocabulary
    parameters: Mapping[str, Any]
    guarantee: MetricDP  # metric DP in the Hamming distance of codes
    flips: BitFlips  # of bits, fresh for every token
    codes: Vectors = field(repr=False)  # entries -1 and 1, shape (n, bits)
    projection: Projection = field(repr=False)  # the search for the nearest code; ties go to the lowest id
    farthest: tuple[int, int]  # two words whose codes differ most

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        bits = self.codes.shape[1]
        rows = max(1, _ENTRIES // bits)
        out = np.empty(len(words), dtype=np.int64)
        for start in range(0, len(words), rows):
            noisy = self.codes[words[start : start + rows]]
            noisy[self.flips.sample(len(noisy), bits, generator)] *= -1
            out[start : start + rows] = self.projection(noisy)
        return out

    def word_distances(self, ids: Ids) -> Reals:
        """Return the number of bits in which two codes differ; see ``capabilities.OnWordDistances``."""
        bits = self.codes.shape[1]
        return (bits - self.codes[checked_ids(ids, len(self.vocabulary))].astype(np.float64) @ self.codes.T) / 2

    def worst_pair(self) -> WorstStates:
        """Return the pair whose codes differ most: more bits tell more at every epsilon.

        See ``capabilities.NoisyStates``.
        """
        first, second = self.farthest
        differing = int(np.count_nonzero(self.codes[first] != self.codes[second]))
        return WorstStates(first, second, differing, FlippedBitsProfile(flips=self.flips, bits=differing))


@proved(
    family="perturb and project",
    notion="metric DP",
    proof=PROOF,
    source="Carvalho, Vasiloudis and Feyisetan 2021 (arXiv 2107.07923)",
    summary="Bits of a binary code flipped with probability 1 / (1 + e^rate), then the word with the nearest code.",
)
def brr(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    bits: Annotated[int, _BITS] = 64,
    code_seed: Annotated[int, _SEED] = 0,
    progress: Progress | None = None,
) -> BinaryResponse:
    """Binary randomized response, calibrated by exactly one of its first two parameters.

    The paper does not say how it makes codes of vectors; here a bit says on which side of a public random hyperplane a
    vector lies, after the mean vector is subtracted. The guarantee is about the codes, however they are made.

    The bits in which the two farthest codes differ share ``epsilon``; ``epsilon_per_distance`` is that of one bit. A
    code has at most 8,192 ``bits``.

    Raises:
        ParameterError: neither or both parameters, one out of its domain, or all words have one code.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    need(bits <= _MOST_BITS, "bits", bits, f"between 1 and {_MOST_BITS}")
    codes = binary_codes(vocabulary.vectors, bits, code_seed)
    diameter_of_codes = remembered(vocabulary, ("codes", bits, code_seed), lambda: diameter(codes, 2, progress))
    differing = int(np.count_nonzero(codes[diameter_of_codes.first] != codes[diameter_of_codes.second]))
    need(differing > 0, "bits", bits, "enough to tell two words apart", "Give more.")
    rate = value if name == "epsilon_per_distance" else rate_within(value, differing)
    flips = bit_flips(rate)
    guarantee = proved_metric(min(rate, flips.loss), f"Hamming between codes of {bits} bits", differing, PROOF)
    return BinaryResponse(
        vocabulary=vocabulary,
        parameters={
            "epsilon": guarantee.epsilon_per_distance * differing,
            **given(epsilon_per_distance=epsilon_per_distance),
            "rate": flips.loss,
            "flip_probability": flips.probability,
            "bits": bits,
            "code_seed": code_seed,
        },
        guarantee=guarantee,
        flips=flips,
        codes=codes,
        projection=nearest(codes, "numpy"),
        farthest=(diameter_of_codes.first, diameter_of_codes.second),
    )
