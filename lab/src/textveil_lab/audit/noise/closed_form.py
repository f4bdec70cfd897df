"""Additive noise audited in closed form: the privacy profile of a shift, and of the vocabulary's worst pair.

The profile is that of the noisy vector. If a mechanism then releases the nearest word, a profile within the claim
proves the claim for the word. A profile beyond it refutes the claim for the noisy vector, which the proofs of these
mechanisms are about, and says nothing about the word (see ``word_channel``). Distributions offer their profiles
(``noise.capabilities``): textveil's four and any other's.

Over all pairs of words: for spherically symmetric noise delta grows with the L2 distance, so the farthest pair is the
worst, exactly. For other noise the witness is the pair farthest in L1, whose profile is a lower bound of the worst; the
upper bound holds for every pair.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import ParameterError, need
from textveil.randomness import seeded_generator
from textveil.statistics import Bound
from textveil.types import Ids, Progress, Reals
from textveil_lab.audit.noise.profiles import epsilon_at, profile_finding
from textveil_lab.audit.report.report import Claim, Finding, Subject, claim_of
from textveil_lab.mechanisms.capabilities import NoisyStates, NoisyVectors
from textveil_lab.noise.capabilities import PrivacyProfile
from textveil_lab.noise.distribution import BoundedSupport, OwnCoordinates, ProfiledNoise, checked_shift
from textveil_lab.vocabulary.geometry import clip as clip_vectors
from textveil_lab.vocabulary.geometry import clipped_diameter, farthest_pair, norm_range

_UP = 1 + 2.0**-30
_ROUNDED = 2.0**-30
_VECTOR_NOTE = (
    "The profile is that of the noisy vector; the released word is computed from it, so the claim holds for the "
    "word where it holds for the vector, and a refutation is of the claim for the vector. The noise is that of the "
    "proof, in real numbers; rounding in its sampler is not part of it."
)
_STATE_NOTE = (
    "The profile is that of the noisy state; the released word is computed from it, so the claim holds for the word "
    "where it holds for the state, and a refutation is of the claim for the state."
)
_PAIR_ENTRIES = 1 << 22
_OWN = 1 + 2.0**-23  # Covers the error of lengths in a noise's own coordinates


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WorstPair:
    """Vocabulary's worst pair of words for a distribution."""

    first: int
    second: int
    shift: Reals  # difference of their vectors as noise is added to them, float64, shape (dim,)
    norm: int  # 1 or 2, the norm in which the pair is farthest, in the noise's own coordinates if it has them
    distance: float  # of the two words in that norm
    reach: float  # an upper bound on that distance for every pair of words
    widest: float  # an upper bound on every coordinate of a difference of two words


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary:
    """Deltas over pairs of the most frequent words."""

    epsilon: float  # at which they are taken, nats
    words: int
    pairs: int
    all_pairs: bool  # whether those are all pairs; else a fixed public sample
    least: float
    median: float
    largest: float


def audit_shift(distribution: object, shift: ArrayLike, claim: Claim) -> Finding:
    """Test a claim for two vectors that differ by ``shift``.

    Args:
        distribution: noise that offers its profile.
        shift: shape (dim,).

    Returns:
        ``REFUTED`` if the lower bound of delta is above the claim, ``PROVED`` (for this shift only) if the upper bound
        is within it, else ``NOT_REFUTED``.

    Raises:
        ParameterError: the shift is zero or of another shape, or the distribution offers no profile.
    """
    known = checked_distribution(distribution)
    checked = checked_shift(shift, known.dim)
    profile = known.privacy_profile(checked)
    norms = _norms(checked)
    notes = (f"The verdict is about one shift, of L2 norm {norms['l2']:.6g} and L1 norm {norms['l1']:.6g}.",)
    epsilon = epsilon_at(profile, claim.log_delta)
    return finding_of(claim, profile, profile.log_delta(claim.epsilon), epsilon, profile.largest_loss, norms, {}, notes)


def audit_noise(mechanism: NoisyVectors, claim: Claim | None = None, progress: Progress | None = None) -> Finding:
    """Test the claim of a mechanism that adds noise to vectors, over all pairs of its vocabulary.

    Args:
        mechanism: its noise offers its profile.
        claim: None is the mechanism's own.

    Returns:
        ``PROVED``: an upper bound for every pair is within the claim. ``REFUTED``: the witness pair exceeds it.
        ``NOT_REFUTED``: the claim lies between the two bounds.

    Raises:
        ParameterError: the noise has no profile, or the vocabulary is a single point.
        UnsupportedGuarantee: no claim is given and the mechanism has none.
    """
    claim = claim_of(mechanism.guarantee) if claim is None else claim
    distribution = checked_distribution(mechanism.distribution)
    pair = worst_pair(mechanism, progress)
    words = mechanism.vocabulary.words
    witness = {"words": [words[pair.first], words[pair.second]], "ids": [pair.first, pair.second]}
    measured = "norm of the noise" if isinstance(distribution, OwnCoordinates) else f"L{pair.norm} norm"
    notes = (_VECTOR_NOTE, f"No two words are farther apart than {pair.reach:.6g} in the {measured}.")
    return worst_finding(distribution, pair, claim, witness, notes)


def worst_finding(
    distribution: ProfiledNoise, pair: WorstPair, claim: Claim, witness: Mapping[str, Any], notes: tuple[str, ...]
) -> Finding:
    """Return the finding that a witness pair and a bound for every pair give.

    Args:
        pair: the witness, and the largest distance of any two inputs.
    """
    profile = distribution.privacy_profile(pair.shift)
    worst = _Worst(distribution, profile, pair)
    log_delta = worst.log_delta(claim.epsilon)
    at_witness = epsilon_at(profile, claim.log_delta)
    upper = epsilon_at(worst, claim.log_delta).upper
    epsilon = Bound(at_witness.lower, at_witness.estimate, max(at_witness.upper, upper), 1.0)
    return finding_of(claim, profile, log_delta, epsilon, worst.largest_loss, _norms(pair.shift), witness, notes)


@dataclass(frozen=True, slots=True, eq=False)
class _Worst:
    distribution: ProfiledNoise
    witness: PrivacyProfile
    pair: WorstPair

    @property
    def largest_loss(self) -> float:
        return self.witness.largest_loss * max(1.0, self.pair.reach / self.pair.distance) * (1 + _ROUNDED)

    @property
    def log_outside(self) -> Bound:
        return self.witness.log_outside

    def log_delta(self, epsilon: float) -> Bound:
        at_witness = self.witness.log_delta(epsilon)
        upper = max(at_witness.upper, self.distribution.worst_log_delta(epsilon, self.pair.reach, self.pair.widest))
        return Bound(at_witness.lower, at_witness.estimate, upper, 1.0)


def checked_distribution(distribution: object) -> ProfiledNoise:
    """Return ``distribution`` if it offers its privacy profile; else refuse it."""
    if isinstance(distribution, ProfiledNoise):
        return distribution
    raise ParameterError(
        f"distribution must offer its privacy profile (textveil_lab.noise.distribution.ProfiledNoise); got "
        f"{type(distribution).__name__}. Use a sampled audit."
    )


def worst_pair(mechanism: NoisyVectors, progress: Progress | None = None) -> WorstPair:
    """Return the pair of words farthest apart: in L2 for spherically symmetric noise, else in L1.

    The stored pair is used if noise is added to the vocabulary's vectors and clipping shortens all rows or none; else
    the pair is searched for.
    """
    vocabulary, points, clip = mechanism.vocabulary, mechanism.points, mechanism.clip
    noise = checked_distribution(mechanism.distribution)
    norm = noise.norm
    compared = _compared(noise, points)
    stored = _stored_facts(mechanism) if compared is points else None
    if stored is None:
        farthest = farthest_pair(vocabulary, compared, norm, progress)
        first, second, reach = farthest.first, farthest.second, farthest.value
        reach *= 1.0 if compared is points else _OWN
    else:
        entry = stored["diameter"][str(norm)]
        first, second = int(entry["first"]), int(entry["second"])
        reach = clipped_diameter(vocabulary, clip, norm, progress)
    shift = points[first].astype(np.float64) - points[second].astype(np.float64)
    need(bool(np.any(shift != 0)), "vocabulary", "vectors that are all the same", "one with two different vectors")
    widest = float((points.max(axis=0).astype(np.float64) - points.min(axis=0)).max())
    lengths = _norms(compared[first].astype(np.float64) - compared[second].astype(np.float64))
    distance = lengths["l1"] if norm == 1 else lengths["l2"]
    return WorstPair(first=first, second=second, shift=shift, norm=norm, distance=distance, reach=reach, widest=widest)


def _compared(noise: ProfiledNoise, points: NDArray[Any]) -> NDArray[Any]:
    return noise.coordinates(points) if isinstance(noise, OwnCoordinates) else points


def _stored_facts(mechanism: NoisyVectors) -> Mapping[str, Any] | None:
    vocabulary, points, clip = mechanism.vocabulary, mechanism.points, mechanism.clip
    least, greatest = norm_range(vocabulary)
    kind = "raw" if clip is None or greatest < clip * (1 - 1e-9) else "unit" if clip <= least else ""
    stored: Mapping[str, Any] | None = vocabulary.facts.get(kind) if kind else None
    own = vocabulary.vectors if clip is None else clip_vectors(vocabulary.vectors, clip)
    return stored if stored is not None and np.array_equal(points, own) else None


def delta_over_pairs(
    mechanism: NoisyVectors,
    epsilon: float | None = None,
    *,
    words: int = 10_000,
    pairs: int | None = 200_000,
    progress: Progress | None = None,
) -> PairSummary:
    """Return the smallest, median and largest delta over pairs of the most frequent words, at one epsilon.

    Each delta is exact: for Gaussian noise at any epsilon, for others if no finite loss exceeds epsilon. The sample is
    fixed and public: a seeded generator draws pairs of different words.

    Args:
        mechanism: its noise is spherically symmetric or of bounded support.
        epsilon: nats; None is the claimed one.
        words: number of words, the first of the vocabulary, which is ordered by frequency.
        pairs: size of the sample; None takes all pairs (minutes for 10,000 words in 300 dimensions).

    Raises:
        ParameterError: another distribution, or an epsilon below some finite loss of truncated noise.
    """
    distribution = checked_distribution(mechanism.distribution)
    chosen = claim_of(mechanism.guarantee).epsilon if epsilon is None else epsilon
    need(0 <= chosen < math.inf, "epsilon", chosen, "finite and >= 0")
    if distribution.norm != 2 and not isinstance(distribution, BoundedSupport):
        raise ParameterError(
            f"distribution must be spherically symmetric or of bounded support; got {type(distribution).__name__}. "
            "Use audit_noise, which bounds all pairs at once."
        )
    table = _compared(distribution, mechanism.points[:words]).astype(np.float64)
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
    quantiles = [float(value) for value in np.quantile(values, [0.0, 0.5, 1.0])]
    if distribution.norm == 2:  # values are distances, in which delta grows
        quantiles = [_delta_at_distance(distribution, value, chosen) for value in quantiles]
    least, median, largest = quantiles
    return PairSummary(
        epsilon=chosen, words=n, pairs=total, all_pairs=pairs is None, least=least, median=median, largest=largest
    )


def _pair_values(distribution: ProfiledNoise, gaps: Reals, epsilon: float) -> Reals:
    if distribution.norm == 2:
        return np.sqrt(np.einsum("nd,nd->n", gaps, gaps))
    assert isinstance(distribution, BoundedSupport)
    worst = gaps[int(np.argmax(gaps.sum(axis=1)))]
    if worst.any():
        largest = distribution.privacy_profile(worst).largest_loss
        need(largest <= epsilon * _UP, "epsilon", epsilon, f">= {largest:.6g}, the largest finite loss of a pair")
    return np.exp(distribution.log_outside(gaps))


def _sampled_pairs(n: int, pairs: int) -> list[tuple[Ids, Ids]]:
    rng = seeded_generator(0)
    first = rng.integers(0, n, pairs)
    second = (first + rng.integers(1, n, pairs)) % n
    edges = range(0, pairs, 1 << 16)
    return [(first[start : start + (1 << 16)], second[start : start + (1 << 16)]) for start in edges]


def _all_pairs(n: int) -> Iterator[tuple[Ids, Ids]]:
    for row in range(n - 1):
        yield np.full(n - 1 - row, row), np.arange(row + 1, n)


def finding_of(
    claim: Claim,
    profile: PrivacyProfile,
    log_delta: Bound,
    epsilon: Bound,
    largest: float,
    norms: Mapping[str, float],
    witness: Mapping[str, Any],
    notes: tuple[str, ...],
) -> Finding:
    """Return the verdict, with the profile of the witness pair around the claim."""
    if math.isinf(largest):
        notes = (*notes, "The loss of this noise has no bound: with delta 0 no epsilon holds for the vector.")
    elif profile.log_outside.lower > -math.inf:
        notes = (*notes, "Some noisy vectors of one word cannot come from the other: with delta 0 no epsilon holds.")
    shown = {**witness, "shift": dict(norms)}
    return profile_finding(
        claim, profile, log_delta, epsilon, subject=Subject.NOISY_VECTOR, witness=shown, notes=notes, largest=largest
    )


def _norms(shift: Reals) -> dict[str, float]:
    sizes = np.abs(shift)
    return {
        "l1": math.fsum(sizes.tolist()),
        "l2": math.hypot(*shift.tolist()),
        "largest_coordinate": float(sizes.max()),
    }


def _delta_at_distance(distribution: ProfiledNoise, distance: float, epsilon: float) -> float:
    return min(1.0, math.exp(distribution.worst_log_delta(epsilon, distance, distance))) if distance > 0 else 0.0


def audit_states(mechanism: NoisyStates, claim: Claim | None = None) -> Finding:
    """Test a claim for noisy bits, or a noisy point of a curved space, at the pair that the mechanism names.

    Args:
        claim: None is the mechanism's own.

    Returns:
        ``PROVED`` if the profile is within the claim, ``REFUTED`` if it is beyond, else ``NOT_REFUTED``.

    Raises:
        UnsupportedGuarantee: no claim is given and the mechanism has none.
    """
    claim = claim_of(mechanism.guarantee) if claim is None else claim
    pair = mechanism.worst_pair()
    log_delta = pair.profile.log_delta(claim.epsilon)
    words = mechanism.vocabulary.words
    return finding_of(
        claim,
        pair.profile,
        log_delta,
        epsilon_at(pair.profile, claim.log_delta),
        pair.profile.largest_loss,
        {"distance": pair.distance},
        {"words": [words[pair.first], words[pair.second]], "ids": [pair.first, pair.second]},
        (_STATE_NOTE, f"No two words are farther apart than {pair.distance:.6g}."),
    )
