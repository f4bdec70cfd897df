"""OpenMed: delta of `gaussian_scale(1, epsilon, 1e-5)` at each epsilon from 1 to 50, by the exact Gaussian curve."""

import json
import math

from openmed.risk.differential_privacy import gaussian_scale


def delta(sigma: float, epsilon: float) -> float:
    """Return delta by Balle and Wang 2018, theorem 8, at sensitivity 1."""
    tails = [math.erfc((epsilon * sigma + sign / (2 * sigma)) / math.sqrt(2)) / 2 for sign in (-1, 1)]
    return tails[0] - math.exp(epsilon) * tails[1]


found = {epsilon: delta(gaussian_scale(1.0, epsilon, 1e-5), epsilon) for epsilon in range(1, 51)}
false = [epsilon for epsilon, value in found.items() if value > 1e-5]
print(json.dumps({"claimed": 1e-5, "found": max(found.values()), "at 10": found[10], "first false": false[:1]}))
