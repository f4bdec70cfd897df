"""Estimates that carry their interval."""

from __future__ import annotations

from typing import NamedTuple

from textveil.errors import need


class Bound(NamedTuple):
    """A number with an interval that holds it with the stated confidence.

    An exact number has lower = estimate = upper and confidence 1.
    """

    lower: float
    estimate: float
    upper: float
    confidence: float


def exactly(value: float) -> Bound:
    """A number that was computed, not estimated."""
    return Bound(value, value, value, 1.0)


def clopper_pearson(successes: int, trials: int, confidence: float = 0.99) -> Bound:
    """A probability from independent trials, by the exact binomial tails.

    Args:
        successes: between 0 and trials.
        trials: >= 1.
        confidence: of the two-sided interval, in (0, 1).

    Source: Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv  # a third of a second, which most releases do not need

    need(trials >= 1, "trials", trials, ">= 1")
    need(0 <= successes <= trials, "successes", successes, f"between 0 and {trials}")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    tail = (1 - confidence) / 2
    lower = float(betaincinv(successes, trials - successes + 1, tail)) if successes > 0 else 0.0
    upper = float(betaincinv(successes + 1, trials - successes, 1 - tail)) if successes < trials else 1.0
    return Bound(lower, successes / trials, upper, confidence)
