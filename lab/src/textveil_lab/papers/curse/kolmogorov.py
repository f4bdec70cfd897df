"""Draws against the distribution that they should have."""

from collections.abc import Callable

import numpy as np

from textveil.types import Reals


def largest_gap(drawn: Reals, cdf: Callable[[Reals], Reals]) -> float:
    """Kolmogorov's distance between the empirical distribution of draws, shape (draws,), and a distribution function.

    For draws from it, 99.9 % of samples stay below about 1.95 / sqrt(draws).
    """
    exact = cdf(np.sort(drawn))
    steps = np.arange(len(drawn) + 1) / len(drawn)
    return float(max(np.abs(exact - steps[1:]).max(), np.abs(exact - steps[:-1]).max()))


def agrees(gap: float, draws: int) -> bool:
    """Whether chance allows that distance, at 0.1 %."""
    return gap < 1.95 / draws**0.5


def gap_sentence(what: str, gap: float, draws: int) -> str:
    """The distance and what chance allows, as a sentence of a report."""
    return (
        f"{draws:,} draws of {what} differ from the exact distribution function by {gap:.4f} at most; 99.9 % of such "
        f"samples stay below {1.95 / draws**0.5:.4f} (Kolmogorov)."
    )
