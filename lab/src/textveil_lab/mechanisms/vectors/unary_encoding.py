"""Vectors as bits in fixed point, each redrawn by integers: unary encodings, symmetric and optimized."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from typing import Annotated, Any, Final, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_VECTOR
from textveil.randomness import resolve
from textveil.registry.options import Option, interval
from textveil.types import Flags, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import REPRESENTATIONS, VectorDim, VectorEpsilon, checked_vectors, dim_of
from textveil_lab.noise.distribution import float_up
from textveil_lab.noise.integer_noise import BoundedLoss

TOTAL: Final = 1 << 53  # probabilities are whole parts of this
_BITS = interval("an integer between 1 and 20", 1, 20)

IntegerBits: TypeAlias = Annotated[
    int, Option(_BITS, "Bits before the point; larger numbers are cut.", "M", REPRESENTATIONS)
]
FractionBits: TypeAlias = Annotated[int, Option(_BITS, "Bits after the point.", "N", REPRESENTATIONS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPoint:
    """Fixed-point code: a sign and a magnitude of ``integer_bits + fraction_bits`` bits, sorted by bit, then number."""

    dim: int  # numbers of a vector, r in the paper
    integer_bits: int  # before the point; a larger magnitude becomes the largest
    fraction_bits: int  # after the point

    @property
    def width(self) -> int:
        return 1 + self.integer_bits + self.fraction_bits

    @property
    def size(self) -> int:
        return self.dim * self.width

    def bits(self, vectors: ArrayLike) -> Flags:
        """Return the bits of each vector, shape (batch, size)."""
        array = checked_vectors(vectors, self.dim)
        most = float((1 << (self.width - 1)) - 1)
        places = np.rint(np.minimum(np.abs(array) * 2.0**self.fraction_bits, most)).astype(np.int64)
        codes = places | ((array < 0) & (places > 0)).astype(np.int64) << (self.width - 1)
        order = np.arange(self.width - 1, -1, -1)
        return (codes[:, :, None] >> order & 1).astype(np.bool_).reshape(len(array), self.size)

    def values(self, shares: Reals) -> Reals:
        """Return the numbers of bits, linear in each bit; shape (batch, size) to (batch, dim)."""
        parts = shares.reshape(len(shares), self.dim, self.width)
        powers = 2.0 ** np.arange(self.integer_bits - 1, -self.fraction_bits - 1, -1)
        return (1 - 2 * parts[:, :, 0]) * (parts[:, :, 1:] @ powers)


@dataclass(frozen=True, slots=True, kw_only=True)
class BitOdds:
    """P(1 | 1) and P(1 | 0) in units of 2^-53."""

    ones: int  # of 2^53, with which a 1 stays 1; strictly between 0 and 2^53
    zeros: int  # of 2^53, with which a 0 becomes 1; likewise

    def __post_init__(self) -> None:
        for name, value in (("ones", self.ones), ("zeros", self.zeros)):
            need(0 < value < TOTAL, name, value, "strictly between 0 and 2^53")

    def losses(self, first: int) -> tuple[float, float]:
        """Return the larger loss of bit ``first`` against the other, rounded up, and ln of its event's probability."""
        here, there = (self.ones, self.zeros) if first else (self.zeros, self.ones)
        # The released bit that tells more: 1 if it is likelier under the first, else 0.
        if here < there:
            here, there = TOTAL - here, TOTAL - there
        return log_ratio_up(here, there), math.log(here / TOTAL)

    @property
    def leading(self) -> int:
        """Bit with the larger loss against the other."""
        return int(self.losses(1)[0] >= self.losses(0)[0])


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class NoisyBits:
    """Redraw every bit independently, by the odds of its position."""

    name: str
    encoding: FixedPoint  # of vectors as bits
    even: BitOdds  # odds of the bits at places 0, 2, ... of a vector.
    odd: BitOdds  # odds of those at places 1, 3, ..
    guarantee: PureDP
    parameters: Mapping[str, Any]

    @property
    def dim(self) -> int:
        return self.encoding.dim

    @property
    def released_dim(self) -> int:
        """Number of released bits, each 0 or 1."""
        return self.encoding.size

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """Return released bits as numbers; see ``VectorMechanism``."""
        bits = self.encoding.bits(vectors)
        drawn = resolve(rng).integers(0, TOTAL, bits.shape)
        ones, zeros = self._by_place("ones"), self._by_place("zeros")
        return (drawn < np.where(bits, ones, zeros)).astype(np.float64)

    def decoded(self, released: Reals) -> Reals:
        """Return an unbiased estimate of the numbers from released bits, shape (batch, released_dim); (batch, dim)."""
        ones, zeros = self._by_place("ones") / TOTAL, self._by_place("zeros") / TOTAL
        return self.encoding.values((np.asarray(released, dtype=np.float64) - zeros) / (ones - zeros))

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return vectors that differ in every bit; see ``capabilities.WorstInputs``."""
        pattern = np.array([self.even.leading, self.odd.leading] * self.released_dim, dtype=np.float64)
        first = pattern[None, : self.released_dim]
        return self.encoding.values(first)[0], self.encoding.values(1 - first)[0]

    def worst_profile(self) -> BoundedLoss:
        """Return the profile: the losses of all bits add up. See ``capabilities.WorstInputs``."""
        loss, log_probability = Fraction(0), 0.0
        for odds, count in ((self.even, (self.released_dim + 1) // 2), (self.odd, self.released_dim // 2)):
            of_ones, log_one = odds.losses(odds.leading)
            loss += count * Fraction(of_ones)
            log_probability += count * log_one
        return BoundedLoss(largest_loss=float_up(loss), log_probability=log_probability)

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        ones, zeros = self._by_place("ones") / TOTAL, self._by_place("zeros") / TOTAL
        chances = [np.where(self.encoding.bits(vector[None]), ones, zeros) for vector in (first, second)]
        if_one = np.log(chances[0] / chances[1])
        if_zero = np.log((1 - chances[0]) / (1 - chances[1]))
        return np.asarray(np.where(released > 0, if_one, if_zero).sum(axis=1))

    def _by_place(self, name: str) -> NDArray[np.int64]:
        pair = [getattr(self.even, name), getattr(self.odd, name)]
        return np.resize(np.array(pair, dtype=np.int64), self.released_dim)


def share(epsilon: float, parts: int) -> float:
    """Return the largest float that is not above epsilon / parts."""
    rounded = epsilon / parts
    return rounded if Fraction(rounded) * parts <= Fraction(epsilon) else math.nextafter(rounded, 0.0)


def facts(encoding: FixedPoint, epsilon: float, **odds: float) -> dict[str, Any]:
    """Return parameters that all encodings report."""
    return {
        "epsilon": epsilon,
        "vector_dim": encoding.dim,
        "integer_bits": encoding.integer_bits,
        "fraction_bits": encoding.fraction_bits,
        "bits": encoding.size,
        **odds,
    }


PROOF = "textveil_lab/proofs/unary_encoding.md"


@proved(
    family="vectors",
    notion="pure DP",
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="Wang et al. 2017 (USENIX Security); of vectors: Lyu et al. 2020 (SIGIR)",
    summary="Each bit of a vector in fixed point stays with odds e^(epsilon / bits).",
)
def unary_encoding(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
) -> NoisyBits:
    """P(1 | 1) = P(0 | 0) = e^x / (1 + e^x) for each of the b bits of a vector, x = epsilon / b.

    Any two vectors may differ in every bit, so b bits cost b x.

    Without ``vector_dim`` the dimension is the vocabulary's.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    flipped = _flip_parts(share(epsilon, encoding.size))
    return _noisy_bits("unary-encoding", encoding, epsilon, BitOdds(ones=TOTAL - flipped, zeros=flipped))


@proved(
    family="vectors",
    notion="pure DP",
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source="Wang et al. 2017 (USENIX Security); of vectors: Lyu et al. 2020 (SIGIR)",
    summary="Each bit of a vector in fixed point: a 1 stays with probability 1/2, a 0 becomes 1 rarely.",
)
def optimized_unary_encoding(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
) -> NoisyBits:
    """P(1 | 1) = 1/2 and P(1 | 0) = e^-x / 2 for each of the b bits of a vector, x = epsilon / b.

    The paper has P(1 | 0) = 1 / (1 + e^y). For one bit the loss is exactly ln((1 + e^y) / 2), so y is chosen to make it
    x: e^y = 2 e^x - 1.

    Without ``vector_dim`` the dimension is the vocabulary's.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    zeros = exp_minus_half_ceiling(2 * share(epsilon, encoding.size), TOTAL // 2)
    return _noisy_bits("optimized-unary-encoding", encoding, epsilon, BitOdds(ones=TOTAL // 2, zeros=zeros))


def _flip_parts(nats: float) -> int:
    """Return the smallest integer b >= 1 with (2^53 - b) / b <= e^nats."""
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(TOTAL) / (1 + Decimal(min(nats, 100.0)).exp())
        return max(1, int(exact.to_integral_value(rounding=ROUND_CEILING)))


def _noisy_bits(name: str, encoding: FixedPoint, epsilon: float, odds: BitOdds) -> NoisyBits:
    smallest = encoding.size * math.ldexp(1, -48)
    far = odds.ones > odds.zeros and epsilon >= smallest
    need(far, "epsilon", epsilon, f">= {smallest:.3g} for {encoding.size} bits", "Release fewer bits.")
    return NoisyBits(
        name=name,
        encoding=encoding,
        even=odds,
        odd=odds,
        guarantee=PureDP(epsilon=epsilon, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_VECTOR),
        parameters=facts(encoding, epsilon, one_stays=odds.ones / TOTAL, zero_becomes_one=odds.zeros / TOTAL),
    )
