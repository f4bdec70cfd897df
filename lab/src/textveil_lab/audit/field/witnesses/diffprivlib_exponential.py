"""diffprivlib: the probabilities of the exponential mechanism for utilities that differ by the sensitivity."""

import json
import math
from itertools import pairwise

from diffprivlib.mechanisms import Exponential

first, other = [0.0, 1.0, 2.0, 0.5], [1.0, 0.0, 1.0, 1.5]  # each utility moves by 1


def law(utility: list[float]) -> list[float]:
    """Return the probabilities of the four outputs."""
    sums = [0.0, *(float(p) for p in Exponential(epsilon=1.0, sensitivity=1.0, utility=utility)._probabilities)]
    return [b - a for a, b in pairwise(sums)]


loss = max(abs(math.log(p / q)) for p, q in zip(law(first), law(other), strict=True))
print(json.dumps({"claimed": 1.0, "found": loss}))
