"""Cape: tokens fall into equal-width buckets of the input's own scores; a bucket is drawn, then a token in it."""

import json
import math
from collections import Counter

EPSILON, BUCKETS = 2.0, 4
first, other = [1.0, *[0.0] * 199], [*[0.0] * 199, 1.0]  # scores in [0, 1] of 200 tokens


def law(scores: list[float], *, by_size: bool) -> list[float]:
    """Return the tokens' probabilities: a bucket by exp(epsilon score / 2), with its size or not, then a token."""
    low, width = min(scores), (max(scores) - min(scores)) / BUCKETS
    at = [min(BUCKETS - 1, int((score - low) / width)) for score in scores]
    size = Counter(at)
    weights = [math.exp(EPSILON * (low + (b + 0.5) * width) / 2) / (1 if by_size else size[b]) for b in at]
    return [weight / sum(weights) for weight in weights]


found = {
    by_size: max(
        abs(math.log(p / q)) for p, q in zip(law(first, by_size=by_size), law(other, by_size=by_size), strict=True)
    )
    for by_size in (True, False)
}
readings = {
    "a bucket counts once for each of its tokens": {"claimed": EPSILON, "found": found[True]},
    "a bucket counts once": {"claimed": EPSILON, "found": found[False]},
}
print(json.dumps({"readings": readings}))
