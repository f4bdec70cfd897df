"""Budgets by chunk: randomized response on n bits; the total is shared equally, or by the values of the bits."""

import json
import math

EPSILON, BITS = 1.0, 8


def log_same(shares: list[float], *, kept: bool) -> float:
    """Return the logarithm of the probability that all bits are kept, or all flipped."""
    return sum(-math.log1p(math.exp(-share if kept else share)) for share in shares)


equal, one = [EPSILON / BITS] * BITS, [EPSILON, *[0.0] * (BITS - 1)]
readings = {
    "shares are public": {"claimed": EPSILON, "found": log_same(equal, kept=True) - log_same(equal, kept=False)},
    "shares follow from the text": {
        "claimed": EPSILON,
        "found": log_same(equal, kept=True) - log_same(one, kept=False),
    },
}
print(json.dumps({"readings": readings}))
