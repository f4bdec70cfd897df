"""Attacks on word-level mechanisms, and how often they succeed: exactly for channels, else with intervals.

The attacker knows the mechanism, the public vocabulary and a prior pi over the words. A success is a right
guess of the input word. Under epsilon-DP no attack on one release succeeds more often than
``privacy.limits.unchanged_limit`` (flat prior) or e^epsilon max pi: a guess is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike

from textveil.audit.channels.extremes import extremes_of
from textveil.audit.channels.rows import IntegerRows, Rows, RowSource, blocks, source_of
from textveil.audit.methods import Audit, Method, first_of, is_a
from textveil.errors import need
from textveil.mechanisms.capabilities import IntegerWeights
from textveil.mechanisms.kinds import Channel, WordMechanism
from textveil.randomness import resolve
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.types import Integers, Progress, Reals
from textveil.vocabulary.geometry import nearest_neighbors

CONFIDENCE = 0.99
"""Of each interval, on its own."""

_BATCH = 1 << 16


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """How often one attack guesses the input word.

    Attributes:
        success: probability of a right guess, over the prior and the mechanism's randomness.
        baseline: success of the best guess without any release, max pi.
        samples: draws of inputs that ``success`` rests on; 0 where it is exact.
    """

    name: str
    success: Bound
    baseline: float
    samples: int
    notes: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """The result as JSON data."""
        return {
            "name": self.name,
            "success": self.success._asdict(),
            "baseline": self.baseline,
            "samples": self.samples,
            "notes": list(self.notes),
        }


def bayes_vulnerability(
    rows: Rows, prior: ArrayLike | None = None, *, progress: Progress | None = None
) -> AttackResult:
    """Success of the best attack there is: sum over y of max over x of pi(x) P(y|x). Exact.

    Args:
        rows: a channel, a source, or a table of shape (n, k).
        prior: pi, shape (n,), sums to 1; None is flat.

    Raises:
        ParameterError: the rows are not a channel, or the prior does not fit them.

    Source: Smith 2009 (vulnerability); Alvim et al. 2020, chapter 5.
    """
    source = source_of(rows)
    pi = _checked_prior(prior, source.shape[0])
    if prior is None and isinstance(source, IntegerRows):
        best = extremes_of(source, progress)[0].share * pi
    else:
        best = _best_guesses(source, pi, progress)
    success = exactly(min(1.0, float(best.sum())))
    return AttackResult(name="Bayes", success=success, baseline=float(pi.max()), samples=0)


def nearest_neighbor_inversion(
    mechanism: WordMechanism,
    prior: ArrayLike | None = None,
    *,
    neighbors: int = 1,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
    confidence: float = CONFIDENCE,
) -> AttackResult:
    """The attacker guesses the released word, or names its ``neighbors`` nearest words and is right with any.

    Args:
        mechanism: any; its public vectors say what is near (Euclidean, the released word first).
        prior: over the vocabulary; None is flat.
        neighbors: words named for each release, >= 1; with more than one the baseline is that of naming as many.
        samples: inputs drawn from the prior, one release each.
    """
    n = len(mechanism.vocabulary)
    need(1 <= neighbors <= n, "neighbors", neighbors, f"between 1 and {n}")
    need(samples >= 1, "samples", samples, ">= 1")
    pi = _checked_prior(prior, n)
    generator = resolve(rng)
    hits = 0
    for count in _batches(samples):
        inputs = _drawn(pi, count, generator)
        outputs = mechanism.privatize(inputs, generator)
        if neighbors == 1:
            hits += int(np.count_nonzero(outputs == inputs))
            continue
        distinct, which = np.unique(outputs, return_inverse=True)
        near = nearest_neighbors(mechanism.vocabulary.vectors, distinct, neighbors, metric="euclidean")
        hits += int(np.count_nonzero((near[which] == inputs[:, None]).any(axis=1)))
    return AttackResult(
        name="nearest neighbor" if neighbors == 1 else f"{neighbors} nearest neighbors",
        success=clopper_pearson(hits, samples, confidence),
        baseline=min(1.0, float(np.sort(pi)[-neighbors:].sum())),
        samples=samples,
    )


def _best_guesses(source: RowSource, prior: Reals, progress: Progress | None) -> Reals:
    """The largest pi(x) P(y|x) over x, for every y."""
    best = np.zeros(source.shape[1])
    for start, stop in blocks(source.shape):
        np.maximum(best, (source.rows(start, stop) * prior[start:stop, None]).max(axis=0), out=best)
        if progress is not None:
            progress(stop, source.shape[0])
    return best


def _drawn(distribution: Reals, count: int, rng: np.random.Generator) -> Integers:
    """Places drawn with these probabilities; a place of probability 0 is never drawn."""
    edges = np.cumsum(distribution)
    # A product may round up to the last edge; the last place that can be drawn takes it.
    last = int(np.flatnonzero(distribution)[-1])
    return np.minimum(np.searchsorted(edges, rng.random(count) * edges[-1], side="right"), last)


def _batches(samples: int) -> list[int]:
    whole, rest = divmod(samples, _BATCH)
    return [_BATCH] * whole + ([rest] if rest else [])


def _checked_prior(prior: ArrayLike | None, size: int) -> Reals:
    if prior is None:
        return np.full(size, 1.0 / size)
    pi = np.asarray(prior, dtype=np.float64)
    need(pi.shape == (size,), "prior", f"shape {pi.shape}", f"of shape ({size},)")
    fine = bool((pi >= 0).all() and abs(float(pi.sum()) - 1.0) <= 1e-9)
    need(fine, "prior", "other values", "probabilities that add to 1")
    return pi


def _run_bayes(audit: Audit) -> None:
    audit.attacked = (bayes_vulnerability(audit.source, progress=audit.progress).to_data(),)


def _run_inversion(audit: Audit) -> None:
    audit.attacked = (nearest_neighbor_inversion(audit.mechanism, samples=4000, rng=audit.rng).to_data(),)


ATTACK: Final = first_of(
    Method(_run_bayes, is_a(Channel | IntegerWeights)), Method(_run_inversion), wanted=lambda audit: audit.attacks
)
"""The best recovery of a word: exactly for channels, by sampling for noise."""
