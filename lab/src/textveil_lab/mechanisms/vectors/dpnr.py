"""Vectors of a cube with independent noise on a public grid, and DPNR with the right sensitivity of such vectors."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.numerics.discrete_noise import LARGEST_SCALE
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP, PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_VECTOR
from textveil.randomness import resolve
from textveil.registry.options import Option, interval
from textveil.types import Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import (
    REPRESENTATIONS,
    Highest,
    Lowest,
    VectorDelta,
    VectorDim,
    VectorEpsilon,
    checked_vectors,
    dim_of,
)
from textveil_lab.noise.capabilities import PrivacyProfile
from textveil_lab.noise.integer_noise import DiscreteLaplace, IntegerNoise, RoundedGaussian

PROOF: Final = "textveil_lab/proofs/noisy_vectors.md"
STEPS: Final = 1 << 16  # steps of the public grid between 0 and 1: a released number is a whole number of them


@dataclass(frozen=True, slots=True, kw_only=True)
class Cube:
    """Domain of vectors: numbers between two public ends, mapped to [0, 1]."""

    dim: int  # numbers of a vector
    lowest: float  # becomes 0, as every smaller number
    highest: float  # becomes 1, as every larger number

    def __post_init__(self) -> None:
        need(self.lowest < self.highest, "lowest", self.lowest, f"below `highest`, {self.highest:g}")
        wide = math.isfinite(self.highest - self.lowest)
        need(wide, "highest", self.highest, "at a finite distance from `lowest`")

    def scaled(self, vectors: ArrayLike) -> Reals:
        """Return the vectors on [0, 1], shape (batch, dim)."""
        inside = np.clip(checked_vectors(vectors, self.dim), self.lowest, self.highest)
        return np.clip((inside - self.lowest) / (self.highest - self.lowest), 0.0, 1.0)

    def corners(self) -> tuple[Reals, Reals]:
        return np.full(self.dim, self.lowest), np.full(self.dim, self.highest)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, kw_only=True)
class NoisyCube:
    """Release a vector on [0, 1]^dim, rounded to a grid of 2^-16, plus independent noise on that grid.

    The noise is on integers, so no low digit of a float is released. Proof: textveil_lab/proofs/noisy_vectors.md.
    """

    name: str
    cube: Cube  # domain of vectors, mapped to [0, 1]
    noise: IntegerNoise  # of one number, in steps of the grid
    guarantee: PureDP | ApproximateDP
    parameters: Mapping[str, Any]

    @property
    def dim(self) -> int:
        return self.cube.dim

    @property
    def released_dim(self) -> int:
        return self.cube.dim

    def privatize_vectors(self, vectors: ArrayLike, rng: np.random.Generator | None = None) -> Reals:
        """Return noisy vectors; 0 and 1 stand for the two ends. See ``VectorMechanism``."""
        places = self._places(vectors)
        noise = self.noise.sample(places.size, resolve(rng)).reshape(places.shape)
        return (places + noise) / STEPS

    def worst_inputs(self) -> tuple[NDArray[Any], NDArray[Any]]:
        return self.cube.corners()

    def worst_profile(self) -> PrivacyProfile:
        return self.noise.profile([STEPS] * self.dim)

    def log_ratio(self, first: NDArray[Any], second: NDArray[Any], released: NDArray[Any]) -> Reals:
        masses: list[Reals] = [
            self.noise.log_mass(released * STEPS - self._places(vector[None]).astype(np.float64))
            for vector in (first, second)
        ]
        return np.asarray((masses[0] - masses[1]).sum(axis=1))

    def _places(self, vectors: ArrayLike) -> Integers:
        return np.rint(self.cube.scaled(vectors) * STEPS).astype(np.int64)


def noisy_cube(name: str, cube: Cube, epsilon: float, delta: float | None, **more: Any) -> NoisyCube:
    """Return the mechanism with Laplace noise of scale dim / epsilon, or Gaussian at the L2 sensitivity sqrt(dim).

    Args:
        cube: domain that is mapped to [0, 1].
        epsilon: nats for any two vectors, finite and > 0.
        delta: of the Gaussian noise; None is Laplace noise and pure DP.
        **more: further public parameters.
    """
    stated: dict[str, Any] = {"epsilon": epsilon}
    if delta is None:
        # The smallest whole number of steps that is not below dim 2^16 / epsilon.
        scale = least_scale(cube.dim * STEPS, epsilon)
        noise: IntegerNoise = DiscreteLaplace(scale=scale)
        promise: PureDP | ApproximateDP = PureDP(
            epsilon=epsilon, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_VECTOR
        )
        stated["scale"] = scale / STEPS
    else:
        sigma = analytic_gaussian_sigma(epsilon, delta, math.nextafter(math.sqrt(cube.dim), math.inf))
        noise = RoundedGaussian(sigma=sigma * STEPS)
        promise = ApproximateDP(
            epsilon=epsilon,
            log_delta=math.log(delta),
            status=status_of(__name__, PROOF),
            source=PROOF,
            adjacency=ANY_VECTOR,
        )
        stated |= {"delta": delta, "sigma": sigma}
    ends = {"vector_dim": cube.dim, "lowest": cube.lowest, "highest": cube.highest}
    return NoisyCube(name=name, cube=cube, noise=noise, guarantee=promise, parameters={**stated, **ends, **more})


def least_scale(sensitivity: int, epsilon: float) -> int:
    """Return the smallest integer t with sensitivity / t <= epsilon, exactly.

    Raises:
        ParameterError: epsilon is too small for 64-bit draws; the message has the smallest valid one.
    """
    top, bottom = epsilon.as_integer_ratio()
    scale = max(1, -(-sensitivity * bottom // top))
    least = sensitivity / LARGEST_SCALE
    need(scale <= LARGEST_SCALE, "epsilon", epsilon, f">= {least:.3g} for as many numbers", "Release fewer numbers.")
    return scale


_DROPOUT = Option(
    interval("in [0, 1)", 0, 1, without=(1,)),
    "Probability with which each word was dropped before the vector was computed, mu in the paper.",
    "MU",
    REPRESENTATIONS,
)


@proved(
    family="vectors",
    notion="pure or approximate DP",
    proof=PROOF,
    adjacency=ANY_VECTOR,
    source=f"Lyu, He and Li 2020 (Findings of EMNLP); sensitivity: {PROOF}",
    summary="A vector on [0, 1] with Laplace noise of scale k / epsilon, or Gaussian noise, on each of its k numbers.",
)
def dpnr(
    vocabulary: Vocabulary,
    *,
    epsilon: VectorEpsilon,
    delta: VectorDelta | None = None,
    vector_dim: VectorDim | None = None,
    lowest: Lowest = -1.0,
    highest: Highest = 1.0,
    dropout: Annotated[float, _DROPOUT] = 0.0,
) -> NoisyCube:
    """The vector on [0, 1]^k plus noise: the L1 sensitivity is k and the L2 sensitivity sqrt(k); the paper has 1.

    The paper maps each vector to [0, 1] by its own smallest and largest number; here the two ends are public. With word
    dropout (``text_vectors.mean_word_vectors``), which drops each word with probability mu, two texts that differ in
    one word cost ``epsilon_of_one_word`` = ln((1 - mu) e^epsilon + mu), as in the paper; ``parameters`` states it. Any
    two texts cost epsilon.

    Without ``vector_dim`` the dimension is the vocabulary's.
    """
    cube = Cube(dim=dim_of(vocabulary, vector_dim), lowest=lowest, highest=highest)
    pure = {"epsilon_of_one_word": _one_word(epsilon, dropout)} if delta is None else {}
    return noisy_cube("dpnr", cube, epsilon, delta, dropout=dropout, **pure)


def _one_word(epsilon: float, dropout: float) -> float:
    if dropout == 0:
        return epsilon
    exact = epsilon + math.log1p(-dropout) + math.log1p(dropout / (1 - dropout) * math.exp(-epsilon))
    return min(epsilon, exact + 2.0**-48 * (1 + epsilon))
