"""diffprivlib: outputs near 0 that no draw around 1 can give, because doubles near 1 are coarser than near 0."""

import json

from diffprivlib.mechanisms import Laplace

TRIALS = 6000
mechanism = Laplace(epsilon=1.0, sensitivity=1.0)


def fine(value: float) -> bool:
    """Tell whether an output below 1/32 needs more than 53 binary places."""
    return bool(0 < abs(value) < 2**-5 and (value * 2.0**53) % 1 != 0)


hits = [sum(fine(float(mechanism.randomise(true))) for _ in range(TRIALS)) for true in (0.0, 1.0)]
print(json.dumps({"epsilon": 1.0, "delta": 0.0, "hits": hits, "trials": TRIALS}))
