"""RootGuard: roots are drawn once, and what follows is computed from the draws: every function costs nothing more."""

import json
import math
from collections import defaultdict

EPSILON, VALUES = 1.0, range(6)


def law(root: int) -> dict[int, float]:
    """Return the law of the exponential mechanism on whole numbers: epsilon for each step."""
    weights = {y: math.exp(-EPSILON * abs(y - root) / 2) for y in VALUES}
    return {y: weight / sum(weights.values()) for y, weight in weights.items()}


def derived(root: int) -> dict[tuple[float, ...], float]:
    """Return three values of the drawn root, released together."""
    released: dict[tuple[float, ...], float] = defaultdict(float)
    for y, p in law(root).items():
        released[(y**2, math.exp(y), y % 2)] += p
    return released


loss = max(math.log(p / derived(3)[value]) for value, p in derived(2).items())
print(json.dumps({"claimed": EPSILON, "found": loss}))
