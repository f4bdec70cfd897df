"""Attacks on word-level mechanisms, and how often they succeed: exactly for channels, else with intervals.

The attacker knows the mechanism, the public vocabulary and a prior pi over the words. A success is a right guess of the
input word. Under epsilon-DP no attack on one release succeeds more often than ``privacy.limits.unchanged_limit`` (flat
prior) or e^epsilon max pi: a guess is post-processing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.mechanisms.kinds import Channel, IntegerWeights, WordMechanism
from textveil.randomness import resolve
from textveil.statistics import Bound, clopper_pearson, exactly
from textveil.types import Ids, Integers, Progress, Reals
from textveil_lab.audit.channels.extremes import extremes_of
from textveil_lab.audit.channels.rows import IntegerRows, Rows, RowSource, blocks, source_of
from textveil_lab.audit.methods import Audit, Method, first_of, is_a
from textveil_lab.vocabulary.geometry import nearest_neighbors

CONFIDENCE = 0.99  # Of each interval, on its own
_CANDIDATE_BYTES = 1 << 28  # Size of the table of candidates against outputs that an attack may hold
_BATCH = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackResult:
    """Success of one attack: how often it guesses the input word."""

    name: str
    success: Bound  # probability of a right guess, over the prior and the mechanism's randomness
    baseline: float  # success of the best guess without any release, max pi
    samples: int  # draws of inputs that ``success`` rests on; 0 if it is exact
    notes: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
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
    """Return the success of the best possible attack, exactly: sum over y of max over x of pi(x) P(y|x).

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
        best, _ = _best_guesses(source, pi, progress)
    success = exactly(min(1.0, float(best.sum())))
    return AttackResult(name="Bayes", success=success, baseline=float(pi.max()), samples=0)


def bayes_decoder(rows: Rows, prior: ArrayLike | None = None) -> Ids:
    """Return the best guess for every output: argmax over x of pi(x) P(y|x), the lower x in a tie; shape (k,)."""
    source = source_of(rows)
    return _best_guesses(source, _checked_prior(prior, source.shape[0]), None)[1]


def nearest_neighbor_inversion(
    mechanism: WordMechanism,
    prior: ArrayLike | None = None,
    *,
    neighbors: int = 1,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
    confidence: float = CONFIDENCE,
) -> AttackResult:
    """Return the success of an attacker who names the released word and its nearest words.

    Args:
        mechanism: any mechanism of words; its public vectors say which words are near (Euclidean, released word first).
        prior: over the vocabulary; None is flat.
        neighbors: words named for each release, >= 1; the attack succeeds if one of them is the input. With more than
            one, the baseline names as many.
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


def sampled_bayes(
    mechanism: WordMechanism,
    candidates: Sequence[int] | Ids,
    prior: ArrayLike | None = None,
    *,
    training: int = 2_000,
    samples: int = 20_000,
    rng: np.random.Generator | None = None,
    confidence: float = CONFIDENCE,
) -> AttackResult:
    """Return the success of a Bayes attack that learns from samples, for mechanisms without a table.

    The attacker knows that the input is one of ``candidates``. It releases each of them ``training`` times, counts the
    outputs, and guesses the candidate of the largest prior times frequency; if it never saw the output, it guesses the
    nearest candidate. Its success is measured on fresh releases, so the interval is valid for this attack however poor
    the histogram; the best attack succeeds at least as often.

    Args:
        candidates: distinct word ids, at least two.
        prior: over the candidates; None is flat.
        training: releases of each candidate that the attacker learns from.
        samples: fresh inputs drawn from the prior, one release each.
    """
    n = len(mechanism.vocabulary)
    ids = _checked_candidates(candidates, n, n)
    pi = _checked_prior(prior, len(ids))
    need(training >= 1, "training", training, ">= 1")
    need(samples >= 1, "samples", samples, ">= 1")
    generator = resolve(rng)
    decoder = _learned(mechanism, ids, pi, training, generator)
    hits = 0
    for count in _batches(samples):
        inputs = _drawn(pi, count, generator)
        hits += int(np.count_nonzero(decoder[mechanism.privatize(ids[inputs], generator)] == inputs))
    return AttackResult(
        name="sampled Bayes",
        success=clopper_pearson(hits, samples, confidence),
        baseline=float(pi.max()),
        samples=samples,
        notes=(
            f"The attacker knows that the input is one of {len(ids)} words and learned from {training} releases of "
            "each; the best attack succeeds at least as often.",
        ),
    )


def repeated_releases(
    rows: Rows,
    candidates: Sequence[int] | Ids,
    prior: ArrayLike | None = None,
    *,
    releases: Sequence[int] = (1, 2, 4, 8, 16),
    samples: int = 2_000,
    rng: np.random.Generator | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[AttackResult, ...]:
    """Return the success of the best attack on releases of the same text with fresh noise each time.

    The attacker adds ln P(y|x) over the releases and guesses the candidate with the largest sum plus ln pi(x). No
    attack does better, given the candidates. Its success is estimated from sampled inputs and releases; those of a
    channel are its own draws. Under epsilon-DP, r releases cost r epsilon.

    Args:
        rows: a channel, a source, or a table of shape (n, k).
        candidates: at least two distinct rows; the attacker knows that the input is one of them.
        prior: over the candidates; None is flat.
        releases: numbers of releases to report, each >= 1.
        samples: inputs drawn from the prior, each released ``max(releases)`` times.

    Returns:
        One result for each number in ``releases``, in that order.
    """
    source = source_of(rows)
    ids = _checked_candidates(candidates, source.shape[0], _CANDIDATE_BYTES // (8 * source.shape[1]))
    pi = _checked_prior(prior, len(ids))
    need(len(releases) > 0 and min(releases) >= 1, "releases", list(releases), "numbers >= 1")
    need(samples >= 1, "samples", samples, ">= 1")
    generator = resolve(rng)
    table = np.concatenate([source.rows(word, word + 1) for word in ids.tolist()])
    with np.errstate(divide="ignore"):
        logs, start = np.log(table).T.copy(), np.log(pi)
    inputs = _drawn(pi, samples, generator)
    scores = np.tile(start, (samples, 1))
    hits: dict[int, int] = {}
    for number in range(1, max(releases) + 1):
        if isinstance(rows, WordMechanism):
            outputs = rows.privatize(ids[inputs], generator)
        else:
            outputs = _released(table, inputs, generator)
        scores += logs[outputs]
        if number in releases:
            hits[number] = int(np.count_nonzero(scores.argmax(axis=1) == inputs))
    return tuple(
        AttackResult(
            name=f"Bayes on {number} releases" if number > 1 else "Bayes on 1 release",
            success=clopper_pearson(hits[number], samples, confidence),
            baseline=float(pi.max()),
            samples=samples,
            notes=(f"The attacker knows that the input is one of {len(ids)} words.",),
        )
        for number in releases
    )


def _best_guesses(source: RowSource, prior: Reals, progress: Progress | None) -> tuple[Reals, Ids]:
    best = np.full(source.shape[1], -1.0)
    guess = np.zeros(source.shape[1], dtype=np.int64)
    for start, stop in blocks(source.shape):
        joint = source.rows(start, stop) * prior[start:stop, None]
        index = joint.argmax(axis=0)
        value = joint[index, np.arange(source.shape[1])]
        better = value > best
        best[better], guess[better] = value[better], index[better] + start
        if progress is not None:
            progress(stop, source.shape[0])
    return best, guess


def _learned(mechanism: WordMechanism, ids: Ids, prior: Reals, training: int, rng: np.random.Generator) -> Integers:
    vectors = mechanism.vocabulary.vectors.astype(np.float64)
    near, apart = np.zeros(len(vectors), dtype=np.int64), np.full(len(vectors), np.inf)
    best = np.zeros(len(vectors))
    guess = np.full(len(vectors), -1, dtype=np.int64)
    for index, word in enumerate(ids.tolist()):
        distance = ((vectors - vectors[word]) ** 2).sum(axis=1)
        closer = distance < apart
        near[closer], apart[closer] = index, distance[closer]
        counts = np.zeros(len(vectors))
        for count in _batches(training):
            drawn = mechanism.privatize(np.full(count, word, dtype=np.int64), rng)
            counts += np.bincount(drawn, minlength=len(vectors))
        better = prior[index] * counts > best
        best[better], guess[better] = prior[index] * counts[better], index
    return np.where(guess >= 0, guess, near)


def _released(table: Reals, inputs: Integers, rng: np.random.Generator) -> Ids:
    out = np.empty(len(inputs), dtype=np.int64)
    for index in np.unique(inputs).tolist():
        where = np.flatnonzero(inputs == index)
        out[where] = _drawn(table[index], len(where), rng)
    return out


def _drawn(distribution: Reals, count: int, rng: np.random.Generator) -> Integers:
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


def _checked_candidates(candidates: Sequence[int] | Ids, size: int, most: int) -> Ids:
    ids = np.asarray(candidates)
    need(ids.ndim == 1 and ids.dtype.kind in "iu", "candidates", f"shape {ids.shape}", "a list of integers")
    need(2 <= len(ids) <= max(2, most), "candidates", f"{len(ids)} words", f"between 2 and {max(2, most)} words")
    need(len(np.unique(ids)) == len(ids), "candidates", "one word twice", "distinct")
    need(bool(ids.min() >= 0 and ids.max() < size), "candidates", "a word outside", f"in [0, {size})")
    return ids.astype(np.int64)


def _run_bayes(audit: Audit) -> None:
    audit.attacked = (bayes_vulnerability(audit.source, progress=audit.progress).to_data(),)


def _run_inversion(audit: Audit) -> None:
    audit.attacked = (nearest_neighbor_inversion(audit.mechanism, samples=4000, rng=audit.rng).to_data(),)


ATTACK: Final = first_of(
    Method(_run_bayes, is_a(Channel | IntegerWeights)), Method(_run_inversion), wanted=lambda audit: audit.attacks
)
"""Method that recovers a word best: exactly for channels, by sampling for noise."""
