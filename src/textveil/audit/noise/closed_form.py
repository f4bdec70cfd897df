"""Additive noise audited in closed form: the privacy profile of a shift, and of the vocabulary's worst pair.

The profile is that of the noisy vector. Where a mechanism then releases the nearest word, a profile within the
claim proves the claim for the word; a profile beyond it refutes the claim for the noisy vector, which is what the
proofs of these mechanisms speak of. Per distribution, for a shift v and scale, rate or sigma of the noise:

=====================  =====================================================================================
Gaussian               exact: Phi(D/2s - e s/D) - e^e Phi(-D/2s - e s/D), D = ||v||_2
spherical Laplace      quadrature over losses and radii, 0 from e = rate ||v||_2 on, exactly
coordinate Laplace     composed loss distribution of the coordinates between two sides, 0 from ||v||_1/scale on
truncated Laplace      exact from e = ||v||_1/scale on; below it as coordinate Laplace
=====================  =====================================================================================

Over all pairs of words: delta grows with ||v||_2 for the first two, so the farthest pair is the worst, exactly.
For the other two the witness is the pair farthest in L1, whose profile is a lower bound of the worst; the upper
bound holds for every pair (see ``worst_delta``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from textveil.audit.noise.shift_profile import Distribution, ShiftProfile
from textveil.audit.report.verdict import Claim, Finding, Verdict, claim_of
from textveil.errors import need
from textveil.mechanisms.capabilities import NoisyVectors
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.noise.gaussian import Gaussian
from textveil.noise.spherical_laplace import SphericalLaplace
from textveil.noise.truncated_laplace import TruncatedLaplace
from textveil.privacy.calibration import gaussian_log_delta
from textveil.privacy.truncation import truncated_delta
from textveil.randomness import seeded_generator
from textveil.statistics import Bound
from textveil.types import Ids, Progress, Reals
from textveil.vocabulary.geometry import clipped_diameter, diameter, norm_range

METHOD = "closed form"

_UP = 1 + 2.0**-30
_VECTOR_NOTE = (
    "The profile is that of the noisy vector; the released word is computed from it, so the claim holds for the "
    "word where it holds for the vector, and the refutation is of the claim for the vector."
)
_PAIR_ENTRIES = 1 << 22


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WorstPair:
    """The vocabulary's worst pair of words for a distribution.

    Attributes:
        first: word id.
        second: word id.
        shift: difference of their vectors as noise is added to them, float64, shape (dim,).
        norm: 1 or 2, the norm in which the pair is farthest.
        reach: an upper bound on that distance for every pair of words.
    """

    first: int
    second: int
    shift: Reals
    norm: int
    reach: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """Deltas over pairs of the most frequent words.

    Attributes:
        epsilon: at which they are taken, nats.
        words: how many words the pairs come from.
        pairs: how many pairs were looked at.
        all_pairs: whether those are all pairs; else a fixed public sample.
        least: smallest delta.
        median: middle delta.
        largest: largest delta.
    """

    epsilon: float
    words: int
    pairs: int
    all_pairs: bool
    least: float
    median: float
    largest: float


def audit_shift(distribution: Distribution, shift: ArrayLike, claim: Claim) -> Finding:
    """Put a claim to the test for two vectors that differ by ``shift``.

    Args:
        distribution: of the noise.
        shift: shape (dim,).
        claim: for any two words, so for these two.

    Returns:
        ``REFUTED`` where the lower bound of delta is above the claim, ``PROVED`` (for this shift alone) where the
        upper bound is within it, else ``NOT_REFUTED``.

    Raises:
        ParameterError: the shift is zero or of another shape, or the distribution is none of the four.
    """
    profile = ShiftProfile.of(distribution, shift)
    delta = profile.delta(claim.epsilon)
    notes = (f"The verdict is about one shift, of L2 norm {profile.l2:.6g} and L1 norm {profile.l1:.6g}.",)
    return _finding(claim, profile, delta, profile.epsilon(claim.delta), profile.max_loss, {}, notes)


def audit_noise(mechanism: NoisyVectors, claim: Claim | None = None, progress: Progress | None = None) -> Finding:
    """Put the claim of a perturb-and-project mechanism to the test over all pairs of its vocabulary.

    Args:
        mechanism: with one of the four distributions.
        claim: None is the mechanism's own.
        progress: called as blocks of pairs are done, where no stored fact names the farthest pair.

    Returns:
        ``PROVED``: an upper bound for every pair is within the claim. ``REFUTED``: the witness pair exceeds it.
        ``NOT_REFUTED``: the claim lies between the two bounds.

    Raises:
        ParameterError: another distribution, or a vocabulary of one single point.
        UnsupportedGuarantee: no claim is given and the mechanism promises nothing.
    """
    claim = claim_of(mechanism.guarantee) if claim is None else claim
    distribution = checked_distribution(mechanism.distribution)
    pair = worst_pair(mechanism, progress)
    profile = ShiftProfile.of(distribution, pair.shift)
    at_witness = profile.delta(claim.epsilon)
    upper = max(at_witness.upper, worst_delta(distribution, mechanism, pair, claim.epsilon))
    delta = Bound(at_witness.lower, at_witness.estimate, upper, 1.0)
    found = profile.epsilon(claim.delta)
    largest = pair.reach * _rate(distribution)
    epsilon = Bound(found.lower, found.estimate, _worst_epsilon(distribution, mechanism, pair, claim, found.upper), 1.0)
    words = mechanism.vocabulary.words
    witness = {"words": [words[pair.first], words[pair.second]], "ids": [pair.first, pair.second]}
    notes = (_VECTOR_NOTE, f"No two words are farther apart than {pair.reach:.6g} in the L{pair.norm} norm.")
    return _finding(claim, profile, delta, epsilon, largest, witness, notes)


def checked_distribution(distribution: object) -> Distribution:
    """``distribution`` where it is one of the four that have a closed form."""
    known = isinstance(distribution, Gaussian | CoordinateLaplace | SphericalLaplace | TruncatedLaplace)
    need(
        known,
        "distribution",
        type(distribution).__name__,
        "Gaussian, CoordinateLaplace, SphericalLaplace or TruncatedLaplace",
    )
    assert isinstance(distribution, Gaussian | CoordinateLaplace | SphericalLaplace | TruncatedLaplace)
    return distribution


def worst_pair(mechanism: NoisyVectors, progress: Progress | None = None) -> WorstPair:
    """The pair of words farthest apart, in L2 for spherically symmetric distributions, else in L1.

    The pair is the stored one where clipping shortens all rows or none, else it is searched for.
    """
    vocabulary, points = mechanism.vocabulary, mechanism.points
    norm = 2 if isinstance(checked_distribution(mechanism.distribution), Gaussian | SphericalLaplace) else 1
    least, greatest = norm_range(vocabulary)
    clip = mechanism.clip
    kind = "raw" if clip is None or greatest < clip * (1 - 1e-9) else "unit" if clip <= least else ""
    stored = vocabulary.facts.get(kind) if kind else None
    if stored is None:
        found = diameter(points, norm, progress)
        first, second, reach = found.first, found.second, found.value
    else:
        entry = stored["diameter"][str(norm)]
        first, second = int(entry["first"]), int(entry["second"])
        reach = clipped_diameter(vocabulary, clip, norm, progress)
    shift = points[first].astype(np.float64) - points[second].astype(np.float64)
    need(bool(np.any(shift != 0)), "vocabulary", "vectors that are all the same", "one with two different vectors")
    return WorstPair(first=first, second=second, shift=shift, norm=norm, reach=reach)


def worst_delta(distribution: Distribution, mechanism: NoisyVectors, pair: WorstPair, epsilon: float) -> float:
    """An upper bound on delta at epsilon for every pair of words.

    Gaussian and spherical: the profile at the upper bound of the distance. Otherwise every finite loss is at most
    t = reach / scale, so what the overlap of the supports adds is at most 1 - e^(epsilon - t). Truncation adds at
    most the sum of the strips F(w_i) <= G(w_i) with G(w) = (e^(w/s) - 1) / (2 (e^(A/s) - 1)), convex with G(0) = 0:
    with M the widest coordinate and sum w_i <= reach, at most (reach / M) G(M), and 1 - e^(-(reach / M) g(M))
    for g = -ln(1 - F), which is convex too where M <= A.
    """
    if isinstance(distribution, Gaussian):
        return _gaussian_delta(distribution, pair.reach, epsilon)
    if isinstance(distribution, SphericalLaplace):
        return ShiftProfile.of(distribution, _along(distribution.dim, pair.reach)).delta(epsilon).upper
    excess = -math.expm1(min(0.0, epsilon - pair.reach / distribution.scale * _UP))
    if pair.reach / distribution.scale <= epsilon:
        excess = 0.0
    if isinstance(distribution, CoordinateLaplace):
        return excess
    points = mechanism.points
    widest = float((points.max(axis=0).astype(np.float64) - points.min(axis=0)).max())
    return min(1.0, excess + _strips(distribution, pair.reach, min(widest, pair.reach)) * _UP)


def delta_over_pairs(
    mechanism: NoisyVectors,
    epsilon: float | None = None,
    *,
    words: int = 10_000,
    pairs: int | None = 200_000,
    progress: Progress | None = None,
) -> PairSummary:
    """The least, median and largest delta over pairs of the most frequent words, at one epsilon.

    Exact for each pair: for Gaussian noise at any epsilon, for the others where no finite loss exceeds epsilon.
    The sample is fixed and public: a seeded generator draws pairs of different words.

    Args:
        mechanism: with Gaussian or truncated Laplace noise.
        epsilon: nats; None is the claimed one.
        words: take the first so many words; vocabularies are ordered by frequency.
        pairs: size of the sample; None takes all pairs (minutes for 10,000 words in 300 dimensions).
        progress: called with pairs done and in all.

    Raises:
        ParameterError: another distribution, or an epsilon below some finite loss of truncated noise.
    """
    distribution = mechanism.distribution
    chosen = claim_of(mechanism.guarantee).epsilon if epsilon is None else epsilon
    need(0 <= chosen < math.inf, "epsilon", chosen, "finite and >= 0")
    known = isinstance(distribution, Gaussian | TruncatedLaplace)
    need(known, "distribution", type(distribution).__name__, "Gaussian or TruncatedLaplace")
    assert isinstance(distribution, Gaussian | TruncatedLaplace)
    table = mechanism.points[:words].astype(np.float64)
    n = len(table)
    need(words >= 2 and (pairs is None or pairs >= 1), "words and pairs", (words, pairs), ">= 2 and >= 1")
    blocks = _all_pairs(n) if pairs is None else iter(_sampled_pairs(n, pairs))
    total = n * (n - 1) // 2 if pairs is None else pairs
    values = np.empty(total)
    done = 0
    step = max(1, _PAIR_ENTRIES // table.shape[1])
    for first, second in blocks:
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            gaps = np.abs(table[first[part]] - table[second[part]])
            stop = done + len(gaps)
            values[done:stop] = _pair_values(distribution, gaps, chosen)
            done = stop
        if progress is not None:
            progress(done, total)
    least, median, largest = (float(value) for value in np.quantile(values, [0.0, 0.5, 1.0]))
    if isinstance(distribution, Gaussian):  # values are distances, in which delta grows
        least, median, largest = (_gaussian_delta(distribution, value, chosen) for value in (least, median, largest))
    return PairSummary(
        epsilon=chosen,
        words=n,
        pairs=total,
        all_pairs=pairs is None,
        least=least,
        median=median,
        largest=largest,
    )


def _pair_values(distribution: Gaussian | TruncatedLaplace, gaps: Reals, epsilon: float) -> Reals:
    if isinstance(distribution, Gaussian):
        return np.sqrt(np.einsum("nd,nd->n", gaps, gaps))
    largest = float(gaps.sum(axis=1).max()) / distribution.scale
    need(largest <= epsilon * _UP, "epsilon", epsilon, f">= {largest:.6g}, the largest finite loss of a pair")
    return truncated_delta(gaps, distribution.scale, distribution.bound)


def _sampled_pairs(n: int, pairs: int) -> list[tuple[Ids, Ids]]:
    rng = seeded_generator(0)
    first = rng.integers(0, n, pairs)
    second = (first + rng.integers(1, n, pairs)) % n
    edges = range(0, pairs, 1 << 16)
    return [(first[start : start + (1 << 16)], second[start : start + (1 << 16)]) for start in edges]


def _all_pairs(n: int) -> Iterator[tuple[Ids, Ids]]:
    for row in range(n - 1):
        yield np.full(n - 1 - row, row), np.arange(row + 1, n)


def _finding(
    claim: Claim,
    profile: ShiftProfile,
    delta: Bound,
    epsilon: Bound,
    largest: float,
    witness: Mapping[str, Any],
    notes: tuple[str, ...],
) -> Finding:
    """The verdict, with the profile of the witness pair around the claim."""
    log_lower = math.log(delta.lower) if delta.lower > 0 else -math.inf
    pure = claim.log_delta == -math.inf
    within = delta.upper == 0 if pure else delta.upper > 0 and math.log(delta.upper) <= claim.log_delta
    if log_lower > claim.log_delta:
        verdict = Verdict.REFUTED
    elif within or delta.upper == 0:
        verdict = Verdict.PROVED
    else:
        verdict = Verdict.NOT_REFUTED
    end = max(2 * claim.epsilon, 1.2 * largest if math.isfinite(largest) else 0.0, 1.0)
    indices = sorted({*np.linspace(0.0, end, 33).tolist(), claim.epsilon})
    norms = {"l1": profile.l1, "l2": profile.l2, "largest_coordinate": profile.largest_coordinate}
    return Finding(
        verdict=verdict,
        claim=claim,
        epsilon=epsilon,
        delta=delta,
        method=METHOD,
        witness={**witness, "shift": norms},
        profile=tuple((index, profile.delta(index).upper) for index in indices),
        notes=notes,
    )


def _rate(distribution: Distribution) -> float:
    """Nats per unit of distance: the largest finite loss over the distance; infinite for Gaussian noise."""
    if isinstance(distribution, Gaussian):
        return math.inf
    return distribution.rate if isinstance(distribution, SphericalLaplace) else 1 / distribution.scale


def _worst_epsilon(
    distribution: Distribution, mechanism: NoisyVectors, pair: WorstPair, claim: Claim, witnessed: float
) -> float:
    """An upper bound, for every pair of words, on the least epsilon at the claimed delta."""
    if isinstance(distribution, Gaussian):
        if claim.delta == 0:
            return math.inf
        return max(
            witnessed, ShiftProfile.of(distribution, _along(distribution.dim, pair.reach)).epsilon(claim.delta).upper
        )
    largest = pair.reach * _rate(distribution)
    if worst_delta(distribution, mechanism, pair, math.nextafter(largest * _UP, math.inf)) <= claim.delta:
        return max(witnessed, math.nextafter(largest, math.inf))
    return math.inf


def _strips(distribution: TruncatedLaplace, reach: float, widest: float) -> float:
    """The bound of ``worst_delta`` on the mass that leaves the moved support."""
    width, ratio = widest / distribution.scale, distribution.bound / distribution.scale
    # (e^w - 1) / (2 (e^r - 1)), without overflow.
    single = 0.5 * math.exp(min(width - ratio, 700.0)) * math.expm1(-width) / math.expm1(-ratio)
    bounds = [1.0, reach / widest * single]
    if widest <= distribution.bound:
        bounds.append(-math.expm1(reach / widest * math.log1p(-single)))
    return min(bounds)


def _gaussian_delta(distribution: Gaussian, distance: float, epsilon: float) -> float:
    if distance == 0:
        return 0.0
    return min(1.0, math.exp(gaussian_log_delta(epsilon or 2.0**-1000, distribution.sigma, distance)))


def _along(dim: int, length: float) -> Reals:
    """A shift of this length along the first coordinate."""
    shift = np.zeros(dim)
    shift[0] = length
    return shift
