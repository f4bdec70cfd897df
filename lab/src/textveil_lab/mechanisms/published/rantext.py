"""RANTEXT as in its code: candidates within a random radius around the word, for audits."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import refuted
from textveil.mechanisms.kinds import Epsilon, checked_ids
from textveil.privacy.guarantees import PureDP, Status
from textveil.randomness import resolve, seeded_generator
from textveil.types import Ids, Reals
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.published.claims import (
    ComputedTable,
    PublishedClaim,
    TrialSetting,
    integral,
    line,
    softmax,
    word_table,
)
from textveil_lab.noise.unbounded import exponentials
from textveil_lab.vocabulary.geometry import diameter
from textveil_lab.vocabulary.grid_distances import distances_on

REFUTATION: Final = "textveil_lab/proofs/rantext_published.md"
_FIT = (0.01658160142016071, 19.064721649556482, 38.1294334077209, 9.311083811697406)
"""Parameters a, b, c, d of the published f(epsilon) = a ln(b epsilon - c) + d."""

_SCORES = 1 << 20  # scores that are held at once: 8 MB
_WITNESS_DRAWS = 1 << 16
_WITNESS_SEED = 12
_WITNESS_CONFIDENCE = 1e-9
_STRETCH, _STRETCHES = 1.1, 15
_CUTS, _SHARES, _TRAPEZOIDS = 8, (0.25, 0.5, 0.75, 1.0), 256
"""Parameters of the bound on large radii: any values give a bound, these a good one within a second."""


def _sharpness(epsilon: float) -> float:
    """Return the divisor of a coordinate's range that gives its noise scale: epsilon below 2, else f(epsilon)."""
    if epsilon < 2:
        return epsilon
    a, b, c, d = _FIT
    return a * math.log(epsilon * b - c) + d  # 2 b exceeds c by 1e-5


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Rantext:
    """Release a word y closer to x than the random radius r, with weight exp(epsilon / 2 (r - d(x, y)) / r).

    r is the norm of a vector of Laplace noise with a scale for each coordinate. Source: Tong et al. 2023 (InferDPT),
    and public code; refutation: textveil_lab/proofs/rantext_published.md.
    """

    name: ClassVar[str] = "rantext-published"
    vocabulary: Vocabulary
    guarantee: PureDP  # as claimed: refuted if a witness was found for this vocabulary and epsilon, else claimed
    scales: Reals = field(repr=False)  # of the noise, shape (dim,)
    witness: Mapping[str, Any]  # the two words, and the result for them

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon, "witness": dict(self.witness)}

    def privatize(self, ids: Ids, rng: np.random.Generator | None = None) -> Ids:
        words, generator = checked_ids(ids, len(self.vocabulary)), resolve(rng)
        out = np.empty(len(words), dtype=np.int64)
        grid = integer_grid(self.vocabulary)
        rows = max(1, _SCORES // len(self.vocabulary))
        for start in range(0, len(words), rows):
            part = words[start : start + rows]
            radius = _radii(self.scales, len(part), generator)[:, None]
            distances = distances_on(grid, part)
            scores = np.where(distances < radius, -self.guarantee.epsilon / 2 * distances / radius, -np.inf)
            # The largest of scores with Gumbel noise, -ln of exponentials, is a draw by their exponentials.
            scores -= np.log(exponentials(distances.size, generator).reshape(distances.shape))
            out[start : start + len(part)] = scores.argmax(axis=1)
        return out


def _radii(scales: Reals, count: int, rng: np.random.Generator) -> Reals:
    noise = exponentials(count * len(scales), rng).reshape(count, len(scales)) * scales
    norms: Reals = np.sqrt((noise**2).sum(axis=1))
    return norms


@refuted(
    family="perturb and project",
    notion="pure DP",
    proof=REFUTATION,
    source="Tong et al. 2023 (InferDPT), and its public code",
    summary="Words within a random radius, which differ from word to word; its claim is false.",
    instead="exponential",
    shown_at={"epsilon": 3.0},
)
def rantext_published(vocabulary: Vocabulary, *, epsilon: Epsilon) -> Rantext:
    """RANTEXT with the published scales. Use ``exponential`` for a guarantee that holds."""
    vectors = vocabulary.vectors.astype(np.float64)
    ranges = vectors.max(axis=0) - vectors.min(axis=0)
    need(bool((ranges > 0).any()), "vocabulary", "one vector for all words", "one with two different vectors at least")
    scales = ranges / _sharpness(epsilon)
    witness = _witness(vocabulary, scales, epsilon)
    status = Status.REFUTED if witness["loss_at_least"] > epsilon else Status.CLAIMED
    return Rantext(vocabulary, PureDP(epsilon=epsilon, status=status, source=REFUTATION), scales, witness)


def _witness(vocabulary: Vocabulary, scales: Reals, epsilon: float) -> dict[str, Any]:
    """Return a lower bound on ln P(y | y) / P(y | x) for the two words farthest apart, at confidence 1 - 2e-9.

    P(y | x) is bounded in two ways, and the better bound counts: by draws of the radius under a public seed, and by a
    bound on its tail; P(y | y) by the same draws (proof, section 2).
    """
    from scipy.stats import beta

    far = diameter(vocabulary.vectors, 2)
    grid = integer_grid(vocabulary)
    rng, rows = seeded_generator(_WITNESS_SEED), max(1, _SCORES // len(scales))
    radii = np.concatenate(
        [_radii(scales, min(rows, _WITNESS_DRAWS - at), rng) for at in range(0, _WITNESS_DRAWS, rows)]
    )
    ends = np.array([far.first, far.second])
    distances = distances_on(grid, ends)
    apart = float(distances[0, far.second]) * (1 - 1e-9)
    beyond = int((radii > apart).sum())
    upper = beta.ppf(1 - _WITNESS_CONFIDENCE, beyond + 1, _WITNESS_DRAWS - beyond) if beyond < len(radii) else 1.0
    log_upper = min(math.log(upper), _log_far(scales, epsilon, apart))
    middle = float(np.median(radii))
    within = int((radii <= middle).sum())
    lower = float(beta.ppf(_WITNESS_CONFIDENCE, within, _WITNESS_DRAWS - within + 1))
    # A word within a smaller radius has a smaller weight, and fewer words are within it.
    near = distances < middle * (1 + 1e-9)
    rivals = np.where(near, np.exp(-epsilon / 2 * distances / middle * (1 - 1e-9)), 0.0).sum(axis=1)
    likely = int(rivals.argmin())
    return {
        "output": vocabulary.words[ends[likely]],
        "other": vocabulary.words[ends[1 - likely]],
        "loss_at_least": math.log(lower / float(rivals[likely])) - log_upper,
    }


def _log_far(scales: Reals, epsilon: float, apart: float) -> float:
    """Return ln of an upper bound on P(y | x) for a word at a distance: sum of P(r > s) e^(-epsilon/2 apart/s').

    The sum runs over stretches (s, s'] of radii from ``apart`` on; the last one has no end, and weight 1.
    """
    ends = apart * _STRETCH ** np.arange(_STRETCHES + 1)
    tails = np.array([_log_tail(scales, float(end)) for end in ends])
    tails[:-1] -= epsilon / 2 * apart / ends[1:]
    return float(np.logaddexp.reduce(tails)) + 1e-9


def _log_tail(scales: Reals, radius: float) -> float:
    """Return ln of an upper bound on P(r > radius): a coordinate beyond a cut, or Chernoff's bound on those within.

    E exp(c z^2) of a coordinate within the cut is an integral of a convex function, which trapezoids exceed.
    """
    positive = scales[scales > 0]
    steps = np.linspace(0.0, 1.0, _TRAPEZOIDS + 1)[:, None]
    best = 0.0
    for cut in (radius * np.linspace(0.3, 1.0, _CUTS)).tolist():
        edges = cut / positive
        single = float(np.logaddexp.reduce(-edges))
        for share in _SHARES:
            power = share / (cut * float(positive.max()))  # at most 1 over both: no exponent rises above 0
            heights = np.exp(power * (positive * steps * edges) ** 2 - steps * edges)
            means = (heights[0] / 2 + heights[1:-1].sum(axis=0) + heights[-1] / 2) * edges / _TRAPEZOIDS
            within = float(np.log(means).sum()) - power * radius**2
            best = min(best, float(np.logaddexp(single, within)) + 1e-9)
    return best


def _law(setting: TrialSetting) -> ComputedTable:
    points, epsilon = setting.points, setting.epsilon
    scale = float(points[-1] - points[0]) / _sharpness(epsilon)

    def row(x: int) -> Reals:
        apart = setting.distances[x]

        def values(radius: Reals) -> Reals:
            within = (apart[None, :] < radius[:, None]) & (radius[:, None] > 0)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores = np.where(within, epsilon / 2 * (1 - apart[None, :] / radius[:, None]), -np.inf)
            weights = np.where(within, np.exp(scores), 0.0)
            total = weights.sum(axis=1, keepdims=True)
            density = np.where(radius > 0, np.exp(-np.abs(radius) / scale) / scale, 0.0)
            return weights / np.where(total > 0, total, 1.0) * density[:, None]

        return integral(values, [0.0, *apart.tolist()], scale)

    return word_table(setting, np.stack([row(x) for x in range(len(points))]), absolute=1e-9)


def _range_rule(setting: TrialSetting) -> ComputedTable:
    return word_table(setting, softmax(-setting.epsilon / 2 * setting.distances / setting.distances.max()))


CLAIMS: Final = (
    PublishedClaim(
        name="rantext",
        work="InferDPT",
        part="RANTEXT",
        claim="epsilon, for any two words",
        source="github.com/mengtong0110/InferDPT, func.py; Tong et al., arXiv 2310.12214",
        why="Outputs lie within a random radius of the input, and the radius is rarely as large as the vocabulary.",
        repair="the exponential mechanism over all words, epsilon for the whole range of distances",
        instead="exponential",
        form="rantext-published",
        setting=line(3.0, 0.0, 1.0, 2.0, 3.0),
        published=_law,
        repaired=_range_rule,
    ),
)
