"""A test of a sample against its distribution that holds at every sample size."""

from collections.abc import Callable
from typing import Any

import numpy as np


def p_value(values: np.ndarray, cdf: Callable[[np.ndarray], Any]) -> float:
    """Upper bound 2 exp(-2 n D^2) of the two-sided Kolmogorov-Smirnov p-value (Massart 1990)."""
    heights = cdf(np.sort(np.ravel(values).astype(np.float64)))
    steps = np.arange(heights.size + 1) / heights.size
    distance = max((steps[1:] - heights).max(), (heights - steps[:-1]).max())
    return min(1.0, 2 * np.exp(-2 * heights.size * distance**2))
