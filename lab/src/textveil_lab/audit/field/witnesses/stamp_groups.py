"""STAMP: randomized response on two words, whose budgets are fixed, or chosen from what the words are."""

import json
import math

BUDGETS = {"sensitive": 0.5, "other": 4.0}


def keep(epsilon: float) -> float:
    """Return the probability that a bit is kept."""
    return 1 / (1 + math.exp(-epsilon))


def loss(first: float, other: float) -> float:
    """Return the largest loss of one bit between value 1 at budget `first` and value 0 at budget `other`."""
    p, q = keep(first), 1 - keep(other)
    return max(abs(math.log(p / q)), abs(math.log((1 - p) / (1 - q))))


claimed = BUDGETS["sensitive"]  # what the group of the sensitive word promises
readings = {
    "which words are sensitive is public": {"claimed": claimed, "found": loss(0.5, 0.5)},
    "it is read from the word, and hidden with it": {"claimed": claimed, "found": loss(0.5, 4.0)},
}
print(json.dumps({"readings": readings}))
