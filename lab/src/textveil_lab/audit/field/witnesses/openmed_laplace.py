"""OpenMed: outputs near 0 that no draw around 1 can give, because doubles near 1 are coarser than near 0."""

import json

from openmed.risk.differential_privacy import laplace_mechanism

TRIALS = 6000


def fine(value: float) -> bool:
    """Tell whether an output below 1/32 needs more than 53 binary places."""
    return 0 < abs(value) < 2**-5 and (value * 2.0**53) % 1 != 0


hits = [sum(fine(laplace_mechanism(true, epsilon=1.0)) for _ in range(TRIALS)) for true in (0.0, 1.0)]
print(json.dumps({"epsilon": 1.0, "delta": 0.0, "hits": hits, "trials": TRIALS}))
