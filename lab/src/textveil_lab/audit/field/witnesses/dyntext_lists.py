"""DYNTEXT: the exponential mechanism over all words, or over a list that is built around the word itself."""

import json
import math

EPSILON, WORDS = 2.0, range(8)


def law(word: int, listed: list[int]) -> dict[int, float]:
    """Return the probabilities by exp(-epsilon distance / 2), distances scaled to [0, 1]."""
    weights = {y: math.exp(-EPSILON * abs(y - word) / 7 / 2) for y in listed}
    return {y: weight / sum(weights.values()) for y, weight in weights.items()}


def loss(first: dict[int, float], other: dict[int, float]) -> float:
    """Return the largest loss; infinite if one word can give an output that the other cannot."""
    return max(math.log(p / other[y]) if y in other else math.inf for y, p in first.items())


near = [law(word, [y for y in WORDS if abs(y - word) <= 2]) for word in (2, 3)]
whole = [law(word, list(WORDS)) for word in (2, 3)]
readings = {
    "a list holds every word, and only scores depend on the input": {"claimed": EPSILON, "found": loss(*whole)},
    "a list holds the words near to the input": {"claimed": EPSILON, "found": loss(*near)},
}
print(json.dumps({"readings": readings}))
