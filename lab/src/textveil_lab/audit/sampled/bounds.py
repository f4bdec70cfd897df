"""Lower bounds on epsilon and delta from samples, for anything that can be called.

The claim promises P(S|x) <= e^epsilon P(S|x') + delta for a pair (x, x') and an event S. One half of the draws chooses
S, by likelihood ratio; the other half, which is independent of the choice, gives Clopper-Pearson limits p <= P(S|x) and
q >= P(S|x'). Both hold with the stated confidence for all pairs, directions and events tried at once (Bonferroni), so
ln((p - delta) / q) and p - e^epsilon q are lower bounds on the true epsilon at the claimed delta and on the true delta
at the claimed epsilon. A sampled audit refutes, or does not; it never proves. The draws of one word must be
independent: see ``hygiene`` for what breaks that.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, bdtrik, betaincinv

from textveil.errors import InputError, need
from textveil.statistics import Bound
from textveil.types import Integers, Reals
from textveil_lab.audit.report.report import Claim, Finding, Verdict

Draw: TypeAlias = Callable[[Any, int], NDArray[Any]]
"""Function from x and ``count`` to ``count`` independent outputs for the input x, one a row; see ``draws``."""

Score: TypeAlias = Callable[[Any, Any, NDArray[Any]], Reals]
"""Function from x, x' and outputs to ln P(output|x) / P(output|x') of each output, shape (count,)."""

SAMPLES = 20_000  # Draws for each word of a pair, unless told otherwise
CONFIDENCE = 0.999
POWER = 0.95  # Probability with which the violation that is named as detectable would have been found
_THRESHOLDS = 256  # Likelihood ratios at which the half that chooses is cut
_LISTED = 20  # Outputs of an event that a witness lists; the event may hold more


class Interrupted(InputError):
    """The callable under audit failed before all pairs were drawn, and its draws refute nothing.

    Attributes:
        partial: finding on the complete pairs; None if there are none.
    """

    def __init__(self, message: str, partial: Finding | None) -> None:
        super().__init__(message)
        self.partial = partial


@dataclass(frozen=True, slots=True)
class _Trial:
    first: Any
    second: Any
    event: Mapping[str, Any]
    hits: int
    other_hits: int
    trials: int
    tail: float
    detectable: float

    def epsilon(self, delta: float) -> float:
        """Return a lower bound on epsilon at ``delta``; -inf if p - delta <= 0."""
        high = _upper(self.other_hits, self.trials, self.tail)
        return float(_log_excess(_lower(self.hits, self.trials, self.tail) - delta) - np.log(high))

    def delta(self, epsilon: float) -> float:
        """Return a lower bound on delta at ``epsilon``; it may be below 0."""
        high = float(_upper(self.other_hits, self.trials, self.tail))
        return float(_lower(self.hits, self.trials, self.tail)) - float(_scaled(high, epsilon))


def audit_sampled(
    draw: Draw,
    pairs: Sequence[tuple[Any, Any]],
    claim: Claim,
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    score: Score | None = None,
    name: Callable[[Any], Any] = str,
) -> Finding:
    """Try to refute ``claim`` on ``pairs``, in both directions of each.

    Args:
        draw: draws outputs, with its own randomness.
        pairs: pairs of distinct inputs.
        claim: epsilon and delta claimed for each pair.
        samples: draws for each word of each pair; half choose the events, half test them.
        confidence: of all bounds together, in (0, 1): a correct claim is refuted with probability at most 1 -
            confidence.
        score: log-likelihood ratios, if the densities are known; None counts the outputs of the first half.
        name: how the witness shows an input or an output: public words, JSON values.

    Returns:
        A finding of method ``"sampled"``; REFUTED if the lower bound on epsilon exceeds the claim. Both upper bounds
        are trivial. If nothing is refuted, the last note states the power.

    Raises:
        ParameterError: no pairs, a pair of identical inputs, or a number outside its domain.
        InputError: too few samples for any outcome to refute the claim, or a draw of the wrong shape.
        Interrupted: a draw failed and the pairs before it refute nothing.
    """
    _check(pairs, samples, confidence)
    trials = samples // 2
    tail = (1 - confidence) / (8 * len(pairs))  # two directions, two events, two limits
    if trials < 1 or not can_refute(trials, tail, claim):
        enough = minimum_samples(claim, len(pairs), confidence)
        raise InputError(
            f"{samples} samples a word are too few to say anything: no outcome could refute the claim. "
            f"Draw at least {enough}."
        )
    outcomes: list[_Trial] = []
    for number, (first, second) in enumerate(pairs):
        try:
            outputs = [_drawn(draw, word, samples, score is None) for word in (first, second)]
        except InputError as error:
            done = f"Stopped early, after {number} of {len(pairs)} pairs: {error}"
            partial = _finding(outcomes, claim, confidence, samples, number, name, (done,)) if outcomes else None
            if partial is not None and partial.verdict is Verdict.REFUTED:
                return partial
            raise Interrupted(done, partial) from error
        outcomes += _trials(first, second, outputs[0], outputs[1], claim, tail, score, name)
    return _finding(outcomes, claim, confidence, samples, len(pairs), name, ())


def audit_sampled_metric(
    draw: Draw,
    pairs: Sequence[tuple[Any, Any]],
    distances: Sequence[float],
    epsilon_per_distance: float,
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    name: Callable[[Any], Any] = str,
) -> Finding:
    """Try to refute a metric claim: epsilon_per_distance * distance nats for each pair.

    Args:
        pairs: pairs of distinct inputs.
        distances: of the pairs, finite and > 0, in the metric of the claim.
        epsilon_per_distance: nats per unit of distance, finite and >= 0.
        samples: draws for each word of each pair.
        confidence: of the bounds of all pairs together.
        name: how the witness shows an input or an output.

    Returns:
        The finding of the pair whose lower bound is the largest multiple of its claim. The claim is the pair's, the
        confidence that of all pairs together.

    Raises:
        As ``audit_sampled``.
    """
    _check(pairs, samples, confidence)
    need(len(distances) == len(pairs), "distances", len(distances), f"one for each of the {len(pairs)} pairs")
    good = all(0 < distance < math.inf for distance in distances)
    need(good, "distances", "another number", "finite and > 0")
    alone = 1 - (1 - confidence) / len(pairs)
    findings = []
    for pair, distance in zip(pairs, distances, strict=True):
        claim = Claim(epsilon=epsilon_per_distance * distance)
        findings.append(audit_sampled(draw, [pair], claim, samples=samples, confidence=alone, name=name))
    worst = max(findings, key=lambda finding: finding.epsilon.lower / max(finding.claim.epsilon, 1e-300))
    return replace(
        worst,
        epsilon=worst.epsilon._replace(confidence=confidence),
        delta=worst.delta._replace(confidence=confidence),
        samples=sum(finding.samples for finding in findings),
        notes=(f"Metric claim: {epsilon_per_distance:g} nats per unit of distance, {len(pairs)} pairs.", *worst.notes),
    )


def minimum_samples(claim: Claim, pairs: int = 1, confidence: float = CONFIDENCE) -> int:
    """Return the smallest number of samples for each word at which the clearest outcome refutes ``claim``.

    That outcome is: all hits for one word, none for the other.
    """
    tail = (1 - confidence) / (8 * pairs)
    many = 1
    while not can_refute(many, tail, claim):
        many *= 2
        need(many < 2**62, "claim", f"epsilon {claim.epsilon:g}, delta {claim.delta:g}", "one that samples can refute")
    few = many // 2
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if can_refute(middle, tail, claim) else (middle, many)
    return 2 * many


def detectable_epsilon(probability: float, trials: int, claim: Claim, tail: float) -> float:
    """Return the smallest epsilon that a test of an event refutes with probability ``POWER``.

    The event has ``probability`` under the second word and e^epsilon times that, plus delta, under the first. Each
    count may fail with half of 1 - ``POWER``, so the power is at least ``POWER``. The result is ``inf`` if no epsilon
    suffices.

    Args:
        probability: under the second word, in (0, 1).
        trials: draws that test, for each word.
        tail: probability with which one Clopper-Pearson limit may fail.
    """
    miss = (1 - POWER) / 2
    most = _quantile(1 - miss, trials, probability)
    bar = claim.delta + _scaled(float(_upper(most, trials, tail)), claim.epsilon)
    few, many = 0, trials
    if float(_lower(trials, trials, tail)) <= bar:
        return math.inf
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if float(_lower(middle, trials, tail)) > bar else (middle, many)
    # The smallest P(S|x) at which fewer than ``many`` hits are as rare as allowed.
    hit = float(betaincinv(many, trials - many + 1, 1 - miss))
    return math.log((hit - claim.delta) / probability)


def _check(pairs: Sequence[tuple[Any, Any]], samples: int, confidence: float) -> None:
    need(len(pairs) > 0, "pairs", "none", "at least one pair")
    need(samples >= 1, "samples", samples, "an integer >= 1")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    for number, (first, second) in enumerate(pairs, 1):
        same = np.array_equal(first, second)
        need(not same, f"pair {number}", "one word twice", "two different words", "Identical words differ in nothing.")


def _drawn(draw: Draw, word: Any, samples: int, counted: bool) -> NDArray[Any]:
    outputs = np.asarray(draw(word, samples))
    if outputs.ndim < 1 or len(outputs) != samples or (counted and outputs.ndim != 1):
        raise InputError(f"a draw had shape {outputs.shape}; wanted {samples} outputs. Check the callable.")
    return outputs


def _trials(
    first: Any,
    second: Any,
    ours: NDArray[Any],
    theirs: NDArray[Any],
    claim: Claim,
    tail: float,
    score: Score | None,
    name: Callable[[Any], Any],
) -> list[_Trial]:
    half = len(ours) // 2
    if score is None:
        values, codes = np.unique(np.concatenate([ours[: 2 * half], theirs[: 2 * half]]), return_inverse=True)
        codes = codes.reshape(-1)
        counts = [np.bincount(codes[start : start + half], minlength=len(values)) for start in (0, 2 * half)]
        ratios = np.log(counts[0] + 1.0) - np.log(counts[1] + 1.0)
        scores = ratios[codes]
    else:
        values, ratios = None, None
        scores = np.concatenate([score(first, second, ours[: 2 * half]), score(first, second, theirs[: 2 * half])])
        if np.isnan(scores).any():
            raise InputError("a log-likelihood ratio is NaN. Check the log density.")
    parts = scores.reshape(4, half)
    trials = []
    for sign, likely, other, rows in ((1, first, second, (0, 1, 2, 3)), (-1, second, first, (2, 3, 0, 1))):
        chooses, tests, against, tests_against = (sign * parts[row] for row in rows)
        for threshold in _thresholds(chooses, against, claim, tail):
            seen = max(1, int(np.count_nonzero(against >= threshold)))
            level = threshold if math.isfinite(threshold) else str(threshold)  # JSON has no infinity
            event: dict[str, Any] = {"log_likelihood_ratio_at_least": level}
            if values is not None and ratios is not None:
                inside = values[sign * ratios >= threshold]
                event = {"outputs": [name(value) for value in inside[:_LISTED].tolist()], "size": len(inside)}
            trial = _Trial(
                likely,
                other,
                event,
                int(np.count_nonzero(tests >= threshold)),
                int(np.count_nonzero(tests_against >= threshold)),
                half,
                tail,
                math.inf if seen >= half else detectable_epsilon(seen / half, half, claim, tail),
            )
            trials.append(trial)
    return trials


def _thresholds(chooses: Reals, against: Reals, claim: Claim, tail: float) -> tuple[float, float]:
    levels = np.unique(np.concatenate([chooses, against]))
    if len(levels) > _THRESHOLDS:
        levels = levels[np.linspace(0, len(levels) - 1, _THRESHOLDS).astype(np.int64)]
    half = len(chooses)
    low = _lower(half - np.searchsorted(np.sort(chooses), levels), half, tail)
    high = _upper(half - np.searchsorted(np.sort(against), levels), half, tail)
    by_epsilon = _log_excess(low - claim.delta) - np.log(high)
    by_delta = low - _scaled(high, claim.epsilon)
    return float(levels[np.argmax(by_epsilon)]), float(levels[np.argmax(by_delta)])


def _finding(
    trials: Sequence[_Trial],
    claim: Claim,
    confidence: float,
    samples: int,
    pairs: int,
    name: Callable[[Any], Any],
    notes: tuple[str, ...],
) -> Finding:
    best = max(trials, key=lambda trial: (trial.epsilon(claim.delta), trial.delta(claim.epsilon)))
    lower = best.epsilon(claim.delta)
    lower_delta = max(trial.delta(claim.epsilon) for trial in trials)
    sharpest = min(trials, key=lambda trial: trial.detectable)
    p, q = ((hits + 0.5) / (best.trials + 1) for hits in (best.hits, best.other_hits))
    log_p = float(_log_excess(p - claim.delta))
    guess = max(0.0, lower, log_p - math.log(q))
    guess_delta = min(1.0, max(0.0, lower_delta, p - float(_scaled(q, claim.epsilon))))
    witness = {
        "pair": [name(best.first), name(best.second)],
        "event": dict(best.event),
        "hits": [best.hits, best.other_hits],
        "trials": best.trials,
        "probability_at_least": float(_lower(best.hits, best.trials, best.tail)),
        "other_probability_at_most": float(_upper(best.other_hits, best.trials, best.tail)),
    }
    refuted = lower > claim.epsilon
    return Finding(
        verdict=Verdict.REFUTED if refuted else Verdict.NOT_REFUTED,
        claim=claim,
        epsilon=Bound(max(0.0, lower), guess, math.inf, confidence),
        delta=Bound(max(0.0, lower_delta), guess_delta, 1.0, confidence),
        method="sampled",
        witness=witness,
        samples=2 * samples * pairs,
        notes=notes if refuted else (*notes, _power_note(sharpest, claim, name)),
    )


def _power_note(trial: _Trial, claim: Claim, name: Callable[[Any], Any]) -> str:
    at = "" if claim.delta == 0 else f" at delta {claim.delta:.3g}"
    if trial.detectable == math.inf:
        return (
            f"No power: with {trial.trials} test draws for each of two inputs, no epsilon above {claim.epsilon:g}{at} "
            "would be found."
        )
    return (
        f"Power: on the pair {_named(name(trial.first))} and {_named(name(trial.second))}, an epsilon of "
        f"{trial.detectable:.4g}{at} or more on the chosen event is found with {POWER:.0%} probability by "
        f"{trial.trials} test draws for each of the two."
    )


def _named(shown: Any) -> str:
    text = str(shown)
    return text if text and " " not in text else repr(text)


def _lower(hits: int | Integers, trials: int, tail: float) -> Reals:
    counts = np.asarray(hits, dtype=np.float64)
    return np.where(counts > 0, betaincinv(np.maximum(counts, 1), trials - np.maximum(counts, 1) + 1, tail), 0.0)


def _upper(hits: int | Integers, trials: int, tail: float) -> Reals:
    counts = np.asarray(hits, dtype=np.float64)
    rest = np.maximum(trials - counts, 1)
    return np.where(counts < trials, betaincinv(trials - rest + 1, rest, 1 - tail), 1.0)


def _quantile(level: float, trials: int, probability: float) -> int:
    k = max(0, math.ceil(float(bdtrik(level, trials, probability))))
    return min(trials, k if float(bdtr(k, trials, probability)) >= level else k + 1)


def _log_excess(excess: ArrayLike) -> Reals:
    values = np.asarray(excess, dtype=np.float64)
    return np.log(values, out=np.full(values.shape, -np.inf), where=values > 0)


def _scaled(probability: Any, epsilon: float) -> Any:
    return np.exp(np.minimum(epsilon + np.log(probability), 700.0))


def can_refute(trials: int, tail: float, claim: Claim) -> bool:
    """Tell whether all hits for one word and none for the other would exceed the claim."""
    low, high = float(_lower(trials, trials, tail)), float(_upper(0, trials, tail))
    return bool(_log_excess(low - claim.delta) - math.log(high) > claim.epsilon)
