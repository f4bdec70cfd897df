"""How far Gaussian noise and its copy moved by a shift are apart, in logarithms."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import final

from textveil.errors import need
from textveil.privacy.calibration import gaussian_log_delta
from textveil.statistics import Bound, exactly

_LOWEST = -sys.float_info.max
_ROUNDED = 2.0**-36
"""``gaussian_log_delta`` is rounded up by less than this, relatively."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianProfile:
    """See ``capabilities.PrivacyProfile``; exact up to 1e-11 of the logarithm.

    Attributes:
        sigma: standard deviation of one coordinate, finite and > 0.
        distance: L2 norm of the shift, finite and > 0.
    """

    sigma: float
    distance: float

    @property
    def largest_loss(self) -> float:
        """Losses have no bound: no epsilon holds with delta 0."""
        return math.inf

    @property
    def log_outside(self) -> Bound:
        """No mass leaves the support, which is everything."""
        return exactly(-math.inf)

    def log_delta(self, epsilon: float) -> Bound:
        """Natural logarithm of the least delta at epsilon."""
        need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
        # At 0 it is the total variation, which the least epsilon bounds to rounding.
        value = gaussian_log_delta(epsilon or 2.0**-1000, self.sigma, self.distance)
        if value < _LOWEST:
            return Bound(-math.inf, _LOWEST, _LOWEST, 1.0)
        return Bound(value * (1 + _ROUNDED), value, value, 1.0)
