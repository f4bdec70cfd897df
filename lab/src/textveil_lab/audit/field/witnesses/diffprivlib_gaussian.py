"""diffprivlib: the classical Gaussian refuses epsilon above 1, and below it delta is within the claim."""

import json
import math

from diffprivlib.mechanisms import Gaussian


def delta(sigma: float, epsilon: float) -> float:
    """Return delta by Balle and Wang 2018, theorem 8, at sensitivity 1."""
    tails = [math.erfc((epsilon * sigma + sign / (2 * sigma)) / math.sqrt(2)) / 2 for sign in (-1, 1)]
    return tails[0] - math.exp(epsilon) * tails[1]


found = [delta(Gaussian(epsilon=e / 10, delta=1e-5, sensitivity=1.0)._scale, e / 10) for e in range(1, 11)]
try:
    Gaussian(epsilon=1.5, delta=1e-5, sensitivity=1.0)
    found.append(1.0)  # accepted: the formula would be used where it is not proved
except ValueError:
    pass
print(json.dumps({"claimed": 1e-5, "found": max(found)}))
