"""Draws for sampled audits: of mechanisms, noise distributions and foreign callables; and pairs worth trying."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from textveil.errors import need
from textveil.mechanisms.kinds import WordMechanism
from textveil.randomness import resolve
from textveil.types import Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.foreign.callables import ForeignCallable, WordCallable, in_process
from textveil_lab.audit.report.report import Claim, Finding, Subject, claim_of
from textveil_lab.audit.sampled.bounds import CONFIDENCE, SAMPLES, Draw, Score, audit_sampled
from textveil_lab.mechanisms.capabilities import WithinGroups
from textveil_lab.noise.distribution import NoiseDistribution

_SCANNED = 512  # Largest number of words whose nearest neighbor is searched for the nearest pair
_ROUNDED = 9  # Decimals of a log-likelihood ratio: a loss that many outputs share is one level, not rounding noise


def mechanism_draw(mechanism: WordMechanism, rng: np.random.Generator | None = None) -> Draw:
    """Return a function that draws output ids for one input id; ``rng=None`` is the operating system's randomness."""
    generator = resolve(rng)

    def draw(word_id: Any, count: int) -> NDArray[Any]:
        return mechanism.privatize(np.full(count, word_id, dtype=np.int64), generator)

    return draw


def callable_draw(function: ForeignCallable | WordCallable, batch: int = 1) -> Draw:
    """Return a function that draws output words for one input word.

    Args:
        function: a watched callable; a bare one is watched in this process.
        batch: words in one call. Above 1 the bounds hold only if the draws of one call are independent;
            ``hygiene.check_batch`` tests that.

    Raises:
        ParameterError: batch is below 1.
    """
    need(batch >= 1, "batch", batch, "an integer >= 1")
    watched = function if isinstance(function, ForeignCallable) else in_process(function)

    def draw(word: Any, count: int) -> NDArray[Any]:
        outputs: list[str] = []
        while len(outputs) < count:
            outputs += watched([word] * min(batch, count - len(outputs)))
        return np.array(outputs)

    return draw


def noise_draw(distribution: NoiseDistribution, rng: np.random.Generator | None = None) -> Draw:
    """Return a function that draws center + noise, float64, shape (count, dim), for a center of shape (dim,)."""
    generator = resolve(rng)
    return lambda center, count: distribution.sample(count, generator, np.float64) + center


def noise_score(distribution: NoiseDistribution) -> Score:
    """Return the log-likelihood ratio of two centers by the distribution's own density, as a function."""

    def score(first: Any, second: Any, outputs: NDArray[Any]) -> Reals:
        with np.errstate(invalid="ignore"):
            ratio = distribution.log_density(outputs - first) - distribution.log_density(outputs - second)
        # Rounding can move an output a hair beyond both supports: it then tells nothing.
        informative: Reals = np.nan_to_num(ratio, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return informative.round(_ROUNDED)

    return score


def audit_noise_sampled(
    distribution: NoiseDistribution,
    shift: ArrayLike,
    claim: Claim,
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    rng: np.random.Generator | None = None,
) -> Finding:
    """Audit additive noise by sampling, before any projection, for one difference of two words' vectors.

    The events are thresholds of the log-likelihood ratio: by the Neyman-Pearson lemma no events tell more.

    Args:
        shift: v(x') - v(x), shape (dim,), not zero.
        samples: draws for each of the two words.
    """
    vector = np.asarray(shift, dtype=np.float64)
    need(vector.shape == (distribution.dim,), "shift", f"shape {vector.shape}", f"of shape ({distribution.dim},)")
    need(bool(np.isfinite(vector).all()), "shift", "an entry that is not finite", "finite")
    finding = audit_sampled(
        noise_draw(distribution, rng),
        [(np.zeros(distribution.dim), vector)],
        claim,
        samples=samples,
        confidence=confidence,
        score=noise_score(distribution),
        name=lambda center: "v(x')" if np.any(center) else "v(x)",
    )
    return replace(finding, subject=Subject.NOISY_VECTOR)


def audit_mechanism_sampled(
    mechanism: WordMechanism,
    claim: Claim | None = None,
    *,
    pairs: list[tuple[int, int]] | None = None,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    rng: np.random.Generator | None = None,
) -> Finding:
    """Audit a mechanism on word ids by sampling.

    Args:
        mechanism: draws the ids.
        claim: None is the mechanism's guarantee for any two words.
        pairs: of ids; None takes four by ``candidate_pairs``, or within groups if only those are compared.
        samples: draws for each word of each pair.

    Raises:
        UnsupportedGuarantee: no claim is given and the mechanism makes none.
    """
    words = mechanism.vocabulary.words
    if claim is None:
        claim = claim_of(mechanism.guarantee)
    groups = mechanism.groups if isinstance(mechanism, WithinGroups) else None
    if pairs is None and groups is not None:
        pairs = _pairs_of_groups(groups, 4, rng)
    elif pairs is None:
        pairs = candidate_pairs(mechanism.vocabulary, 4, rng)
    finding = audit_sampled(
        mechanism_draw(mechanism, rng),
        pairs,
        claim,
        samples=samples,
        confidence=confidence,
        name=lambda word_id: words[int(word_id)],
    )
    return finding if groups is None else replace(finding, inputs="any two words of one public group")


def _pairs_of_groups(groups: Integers, count: int, rng: np.random.Generator | None) -> list[tuple[int, int]]:
    order = np.argsort(groups, kind="stable")
    beside = np.flatnonzero((np.diff(groups[order]) == 0) & (groups[order[1:]] >= 0))
    need(len(beside) > 0, "groups", "none of two words", "of two words at least")
    chosen = resolve(rng).permutation(beside)[:count]
    return [(int(order[place]), int(order[place + 1])) for place in chosen]


def candidate_pairs(
    vocabulary: Vocabulary, count: int, rng: np.random.Generator | None = None
) -> list[tuple[int, int]]:
    """Return pairs of ids that are worth a try: a far pair, a near pair, then random ones; all different.

    Two sweeps find the far pair (from the word farthest from the mean to the word farthest from that); the near pair is
    the nearest among up to 512 evenly spaced words and their nearest words. Neither is proved to be extreme.

    Args:
        count: number of pairs, >= 1; fewer if there are fewer.
    """
    from textveil_lab.vocabulary.geometry import nearest_neighbors

    need(count >= 1, "count", count, "an integer >= 1")
    vectors, n = vocabulary.vectors, len(vocabulary)
    start = _farthest(vectors, vectors.mean(axis=0))
    chosen = [tuple(sorted((start, _farthest(vectors, vectors[start]))))]
    ids = np.unique(np.linspace(0, n - 1, min(n, _SCANNED)).astype(np.int64))
    near = nearest_neighbors(vectors, ids, 2, metric="euclidean")
    lengths = np.linalg.norm(vectors[near[:, 0]] - vectors[near[:, 1]], axis=1)
    chosen.append(tuple(sorted(near[int(np.argmin(lengths))].tolist())))
    generator = resolve(rng)
    wanted = min(count, n * (n - 1) // 2)
    pairs = {(a, b): None for a, b in chosen if a != b}
    while len(pairs) < wanted:
        a, b = sorted(generator.choice(n, 2, replace=False).tolist())
        pairs[a, b] = None
    return list(pairs)[:count]


def _farthest(vectors: NDArray[Any], point: NDArray[Any]) -> int:
    return int(np.argmax(np.linalg.norm(vectors - point, axis=1)))
