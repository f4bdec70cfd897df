"""Published forms that release vectors: DPNR, CAPE, DPText and OME. For audits."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.mechanisms.declaration import refuted
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_VECTOR
from textveil.randomness import resolve
from textveil.registry.options import POSITIVE, Option, at_least
from textveil.types import Flags, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import (
    REPRESENTATIONS,
    Highest,
    Lowest,
    VectorDim,
    VectorEpsilon,
    checked_vectors,
    dim_of,
)
from textveil_lab.mechanisms.published.claims import (
    FormTrial,
    MovedNoise,
    PublishedClaim,
    TrialSetting,
    line,
    noise_on_two,
)
from textveil_lab.mechanisms.vectors.dpnr import Cube
from textveil_lab.mechanisms.vectors.unary_encoding import (
    TOTAL,
    BitOdds,
    FixedPoint,
    FractionBits,
    IntegerBits,
    NoisyBits,
    facts,
)
from textveil_lab.noise.calibration import laplace_scale
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.integer_noise import ShownInput

_PROOF: Final = "textveil_lab/proofs/{}_published.md"

DimOfTwo = Option(
    at_least(2), "Numbers of a vector, two at least.", "K", REPRESENTATIONS, unset="that of the vocabulary's vectors"
)
"""Dimension option of published forms that map a vector by its own smallest and largest number."""

_SAME: Final = 1e-9  # Relative: numbers that differ by less are one number


def _refuted(work: str, epsilon: float) -> PureDP:
    return PureDP(epsilon=epsilon, status=Status.REFUTED, source=_PROOF.format(work), adjacency=ANY_VECTOR)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class PublishedVectors:
    """Base of the published forms; see ``VectorMechanism``."""

    name: str
    parameters: Mapping[str, Any]
    dim: int  # numbers of a vector; as many come out
    guarantee: PureDP  # the claim, refuted

    @property
    def released_dim(self) -> int:
        return self.dim

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return two unit vectors; see ``capabilities.WorstInputs``."""
        first, second = np.eye(self.dim)[:2]
        return first, second

    def worst_profile(self) -> ShownInput:
        """Return a profile in which the release shows its input; see ``capabilities.WorstInputs``."""
        return ShownInput(log_shown=0.0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OneNoise(PublishedVectors):
    """A vector mapped to [0, 1] by its own smallest and largest number, plus one Laplace number on all of it.

    The release has the same differences between numbers as the vector. ``noise`` has one dimension and scale 1 /
    epsilon.
    """

    noise: CoordinateLaplace

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        inside = self._scaled(vectors)
        return inside + self.noise.sample(len(inside), rng, np.float64)

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        here, there = (self._on_line(released - self._scaled(vector[None])) for vector in (first, second))
        return np.where(here & ~there, math.inf, np.where(there & ~here, -math.inf, 0.0))

    def _scaled(self, vectors: ArrayLike) -> Reals:
        array = checked_vectors(vectors, self.dim)
        low, high = array.min(axis=1, keepdims=True), array.max(axis=1, keepdims=True)
        wide = np.where(high > low, high - low, 1.0)
        return (array - low) / wide

    def _on_line(self, rest: Reals) -> Flags:
        return np.ptp(rest, axis=1) <= _SAME * (1 + np.abs(rest).max(axis=1))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ConstantOffset(PublishedVectors):
    """Vectors mapped to [0, 1] by the smallest and the largest number of their batch, plus one vector for all of them.

    ``offset`` is drawn once, with the mechanism: whoever knows one released text knows the offset, and so all others.
    """

    offset: Reals = field(repr=False)

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """Return vectors plus the offset; nothing is drawn. See ``VectorMechanism``."""
        return self._scaled(vectors) + self.offset

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        rest = released - self.offset
        off = [np.abs(rest - self._scaled(vector[None])).max(axis=1) for vector in (first, second)]
        same = _SAME * (1 + np.abs(self.offset).max())
        return np.where(off[0] <= same, np.where(off[1] <= same, 0.0, math.inf), -math.inf)

    def _scaled(self, vectors: ArrayLike) -> Reals:
        array = checked_vectors(vectors, self.dim)
        low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 1.0)
        return (array - low) / (high - low if high > low else 1.0)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OneSided(PublishedVectors):
    """Vector on [0, 1]^k plus noise: -scale ln(1 - 2 u) in each number, u uniform on (0, 1), and 0 if u > 1/2.

    Vectors are mapped to [0, 1] from ``cube``; ``scale`` is k / epsilon.
    """

    cube: Cube
    scale: float

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        inside = self.cube.scaled(vectors)
        uniform = resolve(rng).random(inside.shape)
        drawn = -np.log1p(-2 * np.where(uniform < 0.5, uniform, 0.0))  # NaN becomes 0 there, as in the code
        return inside + self.scale * drawn

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return a corner below which the other's releases never lie; see ``capabilities.WorstInputs``."""
        return self.cube.corners()

    def worst_profile(self) -> ShownInput:
        """Return the probability that some number stays below 1; see ``capabilities.WorstInputs``."""
        return ShownInput(log_shown=math.log1p(-math.exp(-self.dim * math.log(2) - self.dim / self.scale)))

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        rests = [released - self.cube.scaled(vector[None]) for vector in (first, second)]
        possible = [(rest >= 0).all(axis=1) for rest in rests]
        kept = [(rest == 0).sum(axis=1) for rest in rests]
        density = (rests[1] - rests[0]).sum(axis=1) / self.scale
        inside = np.where(kept[0] > kept[1], math.inf, np.where(kept[0] < kept[1], -math.inf, density))
        either = np.where(possible[0], math.inf, np.where(possible[1], -math.inf, 0.0))
        return np.where(possible[0] & possible[1], inside, either)


@refuted(
    family="vectors",
    notion="pure DP",
    proof=_PROOF.format("dpnr"),
    adjacency=ANY_VECTOR,
    source="Lyu, He and Li 2020 (Findings of EMNLP), and its public code",
    summary="One Laplace number on all of a vector: differences of its numbers are released as they are.",
    instead="dpnr",
)
def dpnr_published(
    vocabulary: Vocabulary, *, epsilon: VectorEpsilon, vector_dim: Annotated[int, DimOfTwo] | None = None
) -> OneNoise:
    """The published form: each vector to [0, 1] by its own ends, plus one Laplace number of scale 1 / epsilon.

    Use ``dpnr`` for a guarantee that holds. Source: Lyu, He and Li 2020, and its public code (xlhex/dpnlp,
    model.py); refutation: textveil_lab/proofs/dpnr_published.md.
    """
    dim = max(2, vocabulary.dim) if vector_dim is None else vector_dim
    claim = _refuted("dpnr", epsilon)
    scale = 1 / epsilon
    facts = {"epsilon": epsilon, "vector_dim": dim, "scale": scale}
    noise = CoordinateLaplace(dim=1, scale=scale)
    return OneNoise(name="dpnr-published", parameters=facts, dim=dim, guarantee=claim, noise=noise)


@refuted(
    family="vectors",
    notion="pure DP",
    proof=_PROOF.format("cape"),
    adjacency=ANY_VECTOR,
    source="Plant, Gkatzia and Giuffrida 2021 (EMNLP), and its public code",
    summary="One Laplace vector for all texts of a model: differences of texts are released as they are.",
    instead="cape",
)
def cape_published(
    vocabulary: Vocabulary, *, epsilon: VectorEpsilon, vector_dim: Annotated[int, DimOfTwo] | None = None
) -> ConstantOffset:
    """The published form: vectors to [0, 1] by their batch, plus Laplace numbers of scale 1 / epsilon drawn once.

    Use ``cape`` for a guarantee that holds. Source: Plant, Gkatzia and Giuffrida 2021, and its public code
    (NapierNLP/CAPE, models.py); refutation: textveil_lab/proofs/cape_published.md.
    """
    dim = max(2, dim_of(vocabulary, vector_dim))
    claim = _refuted("cape", epsilon)
    offset: Reals = CoordinateLaplace(dim=dim, scale=1 / epsilon).sample(1, None, np.float64)[0]
    offset.flags.writeable = False
    facts = {"epsilon": epsilon, "vector_dim": dim}
    return ConstantOffset(name="cape-published", parameters=facts, dim=dim, guarantee=claim, offset=offset)


@refuted(
    family="vectors",
    notion="pure DP",
    proof=_PROOF.format("dptext"),
    adjacency=ANY_VECTOR,
    source="Beigi et al. 2019; refuted by Habernal 2022 (ACL)",
    summary="Noise from a wrong inverse of Laplace's distribution: never negative, and 0 half of the time.",
    instead="dpnr",
)
def dptext_published(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    lowest: Lowest = -1.0,
    highest: Highest = 1.0,
) -> OneSided:
    """The published draw: the inverse of Laplace's distribution on (-1/2, 1/2), fed with a number uniform on (0, 1).

    Use ``dpnr`` for a guarantee that holds. Source: Beigi, Shu, Guo, Wang and Liu 2019, as in Habernal 2022 and its
    public code; refutation: textveil_lab/proofs/dptext_published.md.
    """
    cube = Cube(dim=dim_of(vocabulary, vector_dim), lowest=lowest, highest=highest)
    claim = _refuted("dptext", epsilon)
    scale = cube.dim / epsilon
    facts = {"epsilon": epsilon, "scale": scale, "vector_dim": cube.dim, "lowest": lowest, "highest": highest}
    name = "dptext-published"
    return OneSided(name=name, parameters=facts, dim=cube.dim, guarantee=claim, cube=cube, scale=scale)


_FACTOR = Option(POSITIVE, "Randomization factor, lambda in the paper.", "L", REPRESENTATIONS)


@refuted(
    family="vectors",
    notion="pure DP",
    proof=_PROOF.format("ome"),
    adjacency=ANY_VECTOR,
    source="Lyu et al. 2020 (SIGIR), optimized multiple encoding, as public code has it",
    summary="Bits at even places stay with probability lambda / (1 + lambda); its claim is false for lambda above 1.",
    instead="unary-encoding",
)
def ome_published(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    vector_dim: VectorDim | None = None,
    integer_bits: IntegerBits = 5,
    fraction_bits: FractionBits = 4,
    randomization: Annotated[float, _FACTOR] = 100.0,
) -> NoisyBits:
    """P(1 | 1) = L / (1 + L) at even places and 1 / (1 + L^3) at odd ones, P(1 | 0) = 1 / (1 + L e^(epsilon / b)).

    Use ``unary-encoding`` for a guarantee that holds. The status is computed: ``PROVED`` if the exact loss of all b
    bits is within the claim (as at L = 1), else ``REFUTED``. Source: Lyu, Li, He and Xiao 2020, with the formula of two
    public codes, since the paper was not available; refutation: textveil_lab/proofs/ome_published.md.
    """
    encoding = FixedPoint(dim=dim_of(vocabulary, vector_dim), integer_bits=integer_bits, fraction_bits=fraction_bits)
    factor, nats = math.log(randomization), epsilon / encoding.size
    zeros = _parts(-factor - nats)
    claim = _refuted("ome", epsilon)
    mechanism = NoisyBits(
        name="ome-published",
        encoding=encoding,
        even=BitOdds(ones=_parts(factor), zeros=zeros),
        odd=BitOdds(ones=_parts(-3 * factor), zeros=zeros),
        guarantee=claim,
        parameters={},
    )
    loss = mechanism.worst_profile().largest_loss
    status = status_of(__name__, claim.source) if loss <= epsilon else Status.REFUTED
    stated = facts(encoding, epsilon, randomization=randomization, true_epsilon=loss)
    return replace(mechanism, guarantee=replace(claim, status=status), parameters=stated)


def _parts(log_odds: float) -> int:
    """Return 1 / (1 + e^-log_odds) in units of 2^-53, neither 0 nor all."""
    if log_odds >= 0:
        return TOTAL - _parts(-log_odds) if log_odds > 0 else TOTAL // 2
    odds = math.exp(max(log_odds, -700.0))
    return max(1, round(TOTAL * (odds / (1 + odds))))


def _unit_cube(sensitivity: Callable[[int], float]) -> Callable[[TrialSetting], MovedNoise]:
    def law(setting: TrialSetting) -> MovedNoise:
        scale = laplace_scale(setting.epsilon, sensitivity(setting.dim))
        return MovedNoise(
            distribution=CoordinateLaplace(dim=setting.dim, scale=scale),
            shift=np.where(np.arange(setting.dim) % 2 == 0, 1.0, -1.0),
            epsilon=setting.epsilon,
            facts={"vectors": "0, 1, 0, 1, ... and 1, 0, 1, 0, ..."},
        )

    return law


_paid_for_one = _unit_cube(lambda dim: 1.0)
_paid_for_all = _unit_cube(float)
_COORDINATES: Final = ("a text whose first coordinates are equal", "one whose are not")
_TEXTS: Final = ("two texts with equal vectors", "two with others")
_BERT: Final = line(1.0, 0.0, 1.0, dim=768)

CLAIMS: Final = (
    PublishedClaim(
        name="dpnr-scalar",
        work="DPNR",
        part="noise of run_dp.py",
        claim="epsilon, for the representations of two texts",
        source="github.com/xlhex/dpnlp, model.py (noise.view(-1, 1)) and run_dp.py; Lyu et al., arXiv 2010.01285",
        why="One number is added to all coordinates of a text: differences of coordinates are exact.",
        repair="noise of its own for every coordinate, of the scale that all coordinates together need",
        instead="dpnr",
        form="dpnr-published",
        published=noise_on_two(_COORDINATES, shared=True),
        repaired=noise_on_two(_COORDINATES, shared=False),
    ),
    PublishedClaim(
        name="cape-constant",
        work="CAPE",
        part="noise of models.py",
        claim="epsilon, for the representations of two texts",
        source="github.com/NapierNLP/CAPE, models.py; Plant et al., arXiv 2108.12318",
        why="The noise is drawn once while the model is built, so every text of its lifetime gets the same vector.",
        repair="noise drawn anew for every text, of the scale that all coordinates together need",
        instead="cape",
        form="cape-published",
        reading="models.py draws the noise where the model is built. None of that code was run: if a model is built "
        "anew for each text, the noise is new for each text too.",
        published=noise_on_two(_TEXTS, shared=True),
        repaired=noise_on_two(_TEXTS, shared=False),
    ),
    PublishedClaim(
        name="dpnr-sensitivity",
        work="DPNR",
        part="scale of the noise",
        claim="epsilon, for the representations of two texts (without dropped words)",
        source="github.com/xlhex/dpnlp, run_dp.py (laplace(epsilon, 1)); Lyu et al., arXiv 2010.01285",
        why="Coordinates in [0, 1] have L1 sensitivity dim, and 1 is paid for.",
        repair="scale dim / epsilon",
        instead="dpnr",
        form="dpnr-published",
        setting=_BERT,
        published=_paid_for_one,
        repaired=_paid_for_all,
    ),
    PublishedClaim(
        name="cape-sensitivity",
        work="CAPE",
        part="scale of the noise",
        claim="epsilon, for the representations of two texts",
        source="github.com/NapierNLP/CAPE, models.py (scale 1 / epsilon); Plant et al., arXiv 2108.12318",
        why="Coordinates in [0, 1] have L1 sensitivity dim, and 1 is paid for.",
        repair="scale dim / epsilon",
        instead="cape",
        form="cape-published",
        setting=_BERT,
        published=_paid_for_one,
        repaired=_paid_for_all,
    ),
)

OME_TRIAL: Final = FormTrial(work="OME (Lyu et al. 2020)")
DPTEXT_TRIAL: Final = FormTrial(work="DPText (Beigi et al. 2019)")
