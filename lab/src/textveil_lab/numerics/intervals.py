"""Intervals of means and ratios, from independent measurements or groups."""

import math

from textveil.errors import need
from textveil.statistics import Bound
from textveil.types import Integers, Reals


def student_reach(error: float, freedom: int, confidence: float) -> float:
    """Return half the width of Student's two-sided interval.

    Args:
        error: standard error of the estimate, >= 0.
        freedom: degrees of freedom of that error, >= 1.
        confidence: of the interval, in (0, 1).
    """
    from scipy.special import stdtrit  # a third of a second, which most releases do not need

    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    return float(stdtrit(freedom, (1 + confidence) / 2)) * error


def ratio_of_sums(hits: Integers, trials: Integers, confidence: float = 0.95) -> Bound:
    """Return a share of trials that come in independent groups, in which trials may depend on one another.

    The interval is Student's for the linearized ratio, cut to [0, 1]: its coverage holds for many groups, not for few.

    Args:
        hits: of each group, shape (groups,).
        trials: of each group, >= 1, shape (groups,), groups >= 2.
        confidence: of the two-sided interval, in (0, 1).

    Source: Cochran 1977, section 6.3 (the variance of a ratio estimate).
    """
    groups = len(trials)
    need(groups >= 2, "trials", f"{groups} groups", "at least two")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    total = int(trials.sum())
    share = int(hits.sum()) / total
    squares = float(((hits - share * trials) ** 2).sum())
    error = math.sqrt(squares * groups / (groups - 1)) / total
    reach = student_reach(error, groups - 1, confidence)
    return Bound(max(0.0, share - reach), share, min(1.0, share + reach), confidence)


def student_mean(values: Reals, confidence: float = 0.95) -> Bound:
    """Return the mean of independent measurements of one kind, with Student's interval.

    ``values``: of shape (measurements,), at least two; close to normal if there are few; ``confidence``: of the
    two-sided interval, in (0, 1).
    """
    count = len(values)
    need(count >= 2, "values", f"{count} measurements", "at least two")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    mean = float(values.mean())
    reach = student_reach(float(values.std(ddof=1)) / math.sqrt(count), count - 1, confidence)
    return Bound(mean - reach, mean, mean + reach, confidence)
