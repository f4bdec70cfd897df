"""diffprivlib: delta of the analytic Gaussian's scale at epsilon 20 and delta 1e-9, by the exact curve."""

import json
import math

from diffprivlib.mechanisms import GaussianAnalytic


def delta(sigma: float, epsilon: float) -> float:
    """Return delta by Balle and Wang 2018, theorem 8, at sensitivity 1; `math.erfc` keeps tails that 1 + erf loses."""
    tails = [math.erfc((epsilon * sigma + sign / (2 * sigma)) / math.sqrt(2)) / 2 for sign in (-1, 1)]
    return tails[0] - math.exp(epsilon) * tails[1]


found = {e: delta(float(GaussianAnalytic(epsilon=e, delta=1e-9, sensitivity=1.0)._scale), e) for e in (1.0, 20.0)}
print(json.dumps({"claimed": 1e-9, "found": found[20.0], "at 1": found[1.0]}))
