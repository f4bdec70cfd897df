"""RANTEXT as its code has it: candidates within a random radius around the word, for audits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.base import checked_ids
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.parameters import Epsilon
from textveil.noise.unbounded import exponentials
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve, seeded_generator
from textveil.types import Ids, Reals
from textveil.vocabulary.geometry import diameter
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION: Final = "privacy/proofs/rantext_published.md"

_FIT = (0.01658160142016071, 19.064721649556482, 38.1294334077209, 9.311083811697406)
"""a, b, c, d of the published f(epsilon) = a ln(b epsilon - c) + d."""

_SCORES = 1 << 20
"""Scores that are held at once: 8 MB."""
_WITNESS_DRAWS = 1 << 16
_WITNESS_SEED = 12
_WITNESS_CONFIDENCE = 1e-9


def _sharpness(epsilon: float) -> float:
    """By what the range of a coordinate is divided to give the scale of its noise: epsilon below 2, else f(epsilon)."""
    if epsilon < 2:
        return epsilon
    a, b, c, d = _FIT
    return a * math.log(epsilon * b - c) + d  # 2 b exceeds c by 1e-5


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rantext:
    """y among the words closer to x than r, with weight exp(epsilon / 2 (r - d(x, y)) / r); r is random.

    r is the norm of a vector of Laplace noise with a scale for each coordinate. Source: Tong et al. 2023 (InferDPT),
    and public code; refutation: privacy/proofs/rantext_published.md.

    Attributes:
        vocabulary: the public words and vectors.
        guarantee: as claimed: refuted where a witness was found for this vocabulary and epsilon, else claimed.
        scales: of the noise, shape (dim,).
        witness: two words and what was found of them.
    """

    vocabulary: Vocabulary
    guarantee: PureDP
    scales: Reals = field(repr=False)
    witness: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "rantext-published"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "witness": dict(self.witness)}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        """One draw for each id; see ``WordMechanism.privatize``."""
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        out = np.empty(len(words), dtype=np.int64)
        grid = integer_grid(self.vocabulary)
        rows = max(1, _SCORES // len(self.vocabulary))
        for start in range(0, len(words), rows):
            part = words[start : start + rows]
            radius = _radii(self.scales, len(part), generator)[:, None]
            distances = grid.distances(part)
            scores = np.where(distances < radius, -self.guarantee.epsilon / 2 * distances / radius, -np.inf)
            # The largest of scores with Gumbel noise, -ln of exponentials, is a draw by their exponentials.
            scores -= np.log(exponentials(distances.size, generator).reshape(distances.shape))
            out[start : start + len(part)] = scores.argmax(axis=1)
        return out


def _radii(scales: Reals, count: int, rng: np.random.Generator) -> Reals:
    """Norms of vectors of independent Laplace noise, shape (count,)."""
    noise = exponentials(count * len(scales), rng).reshape(count, len(scales)) * scales
    norms: Reals = np.sqrt((noise**2).sum(axis=1))
    return norms


@declared(
    family="perturb and project",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="Tong et al. 2023 (InferDPT), and its public code",
    summary="Words within a random radius, which differ from word to word; its claim is false.",
    instead="exponential",
)
def rantext_published(vocabulary: Vocabulary, *, epsilon: Epsilon) -> Rantext:
    """RANTEXT with the published scales. Use ``exponential`` for a guarantee that holds.

    Source: Tong et al. 2023 (InferDPT), and its public code; refutation:
    privacy/proofs/rantext_published.md.

    Args:
        vocabulary: public words and vectors; the range of each coordinate gives the scale of its noise.
        epsilon: the claimed nats for any two words; above 2 it hardly changes the radius.

    Raises:
        ParameterError: epsilon is outside its domain, or all words share one vector.
    """
    vectors = vocabulary.vectors.astype(np.float64)
    ranges = vectors.max(axis=0) - vectors.min(axis=0)
    need(bool((ranges > 0).any()), "vocabulary", "one vector for all words", "one with two different vectors at least")
    scales = ranges / _sharpness(epsilon)
    witness = _witness(vocabulary, scales)
    status = Status.REFUTED if witness["loss_at_least"] > epsilon else Status.CLAIMED
    return Rantext(vocabulary, PureDP(epsilon=epsilon, status=status, source=REFUTATION), scales, witness)


def _witness(vocabulary: Vocabulary, scales: Reals) -> dict[str, Any]:
    """A lower bound on ln P(y | y) / P(y | x) for the two words that are farthest apart, at confidence 1 - 2e-9.

    P(y | x) is at most P(r > d(x, y)); P(y | y) at least P(r <= t) / (words closer to y than t), for any t. Both
    probabilities are of the radius alone and are bounded from draws under a public seed (proof, section 2).
    """
    from scipy.stats import beta

    far = diameter(vocabulary.vectors, 2)
    grid = integer_grid(vocabulary)
    rng, rows = seeded_generator(_WITNESS_SEED), max(1, _SCORES // len(scales))
    radii = np.concatenate(
        [_radii(scales, min(rows, _WITNESS_DRAWS - at), rng) for at in range(0, _WITNESS_DRAWS, rows)]
    )
    ends = np.array([far.first, far.second])
    distances = grid.distances(ends)
    apart = float(distances[0, far.second]) * (1 - 1e-9)
    beyond = int((radii > apart).sum())
    upper = (
        float(beta.ppf(1 - _WITNESS_CONFIDENCE, beyond + 1, _WITNESS_DRAWS - beyond)) if beyond < len(radii) else 1.0
    )
    middle = float(np.median(radii))
    within = int((radii <= middle).sum())
    lower = float(beta.ppf(_WITNESS_CONFIDENCE, within, _WITNESS_DRAWS - within + 1))
    words = (distances < middle * (1 + 1e-9)).sum(axis=1)
    likely = int(words.argmin())
    return {
        "output": vocabulary.words[ends[likely]],
        "other": vocabulary.words[ends[1 - likely]],
        "loss_at_least": math.log(lower / int(words[likely]) / upper),
    }
