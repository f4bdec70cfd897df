"""Estimates that carry their interval."""

from collections.abc import Sequence
from math import ceil, e, floor, fsum
from typing import Final, NamedTuple

from textveil.errors import need

_ROUNDING: Final = 1e-9  # of sums of shares: a count is not moved to the next one by it


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

    ``successes``: between 0 and trials; ``trials``: >= 1; ``confidence``: of the two-sided interval, in (0, 1). Source:
    Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv  # a third of a second, which most releases do not need

    need(trials >= 1, "trials", trials, ">= 1")
    need(0 <= successes <= trials, "successes", successes, f"between 0 and {trials}")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    tail = (1 - confidence) / 2
    lower = float(betaincinv(successes, trials - successes + 1, tail)) if successes > 0 else 0.0
    upper = float(betaincinv(successes + 1, trials - successes, 1 - tail)) if successes < trials else 1.0
    return Bound(lower, successes / trials, upper, confidence)


def mean_of_shares(shares: Sequence[float], confidence: float = 0.99) -> Bound:
    """Mean of a distribution on [0, 1], from independent draws of it: exact for any number of draws and any law.

    If all draws are 0 or 1, this is Clopper and Pearson's interval. For others, the probability that their sum is at
    least (at most) s is at most e times that of a binomial variable of the same mean, with s rounded down (up).
    ``shares``: at least one, each from 0 to 1; ``confidence``: of the two-sided interval, in (0, 1).

    Source: Bentkus 2004, theorem 1.2.
    """
    need(len(shares) >= 1, "shares", "none", "at least one")
    need(all(0 <= share <= 1 for share in shares), "shares", "others", "numbers from 0 to 1")
    total, trials = fsum(shares), len(shares)
    if all(share in (0, 1) for share in shares):
        return clopper_pearson(round(total), trials, confidence)
    wide = 1 - (1 - confidence) / e
    lower = clopper_pearson(floor(total + _ROUNDING), trials, wide).lower
    upper = clopper_pearson(min(ceil(total - _ROUNDING), trials), trials, wide).upper
    return Bound(lower, total / trials, upper, confidence)


def median(values: Sequence[float], confidence: float = 0.99) -> Bound:
    """Median of a distribution, from independent draws of it: exact for any law, by order statistics.

    The lower end is the r-th smallest draw and the upper end the r-th largest, for the largest r with P(Binomial(n,
    1/2) < r) <= (1 - confidence) / 2. ``values``: so many that there is such an r >= 1: 6 for 0.95, 8 for 0.99;
    ``confidence``: of the two-sided interval, in (0, 1). Source: David and Nagaraja 2003, section 7.1.
    """
    from scipy.special import bdtr

    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    ordered, number, place = sorted(values), len(values), 0
    while place < number / 2 and bdtr(place, number, 0.5) <= (1 - confidence) / 2:
        place += 1
    need(place >= 1, "values", f"{number} of them", "enough for an interval", "Take a lower confidence.")
    middle = (ordered[(number - 1) // 2] + ordered[number // 2]) / 2
    return Bound(ordered[place - 1], middle, ordered[-place], confidence)
