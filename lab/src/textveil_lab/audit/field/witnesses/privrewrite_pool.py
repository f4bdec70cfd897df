"""PrivRewrite: the exponential mechanism among candidates that both inputs share, or that each has of its own."""

import json
import math

EPSILON = 2.0


def law(scores: dict[str, float]) -> dict[str, float]:
    """Return the probabilities by exp(epsilon score / 2), scores in [0, 1]."""
    weights = {text: math.exp(EPSILON * score / 2) for text, score in scores.items()}
    return {text: weight / sum(weights.values()) for text, weight in weights.items()}


def loss(first: dict[str, float], other: dict[str, float]) -> float:
    """Return the largest loss; infinite if one input can give an output that the other cannot."""
    return max(math.log(p / other[text]) if text in other else math.inf for text, p in first.items())


shared = loss(law({"a": 1.0, "b": 0.0, "c": 0.0}), law({"a": 0.0, "b": 1.0, "c": 1.0}))
own = loss(law({"a": 1.0, "b": 0.5}), law({"c": 1.0, "d": 0.5}))
readings = {
    "candidates are made from a text that was sanitized before": {"claimed": EPSILON, "found": shared},
    "candidates are made from the private text": {"claimed": EPSILON, "found": own},
}
print(json.dumps({"readings": readings}))
