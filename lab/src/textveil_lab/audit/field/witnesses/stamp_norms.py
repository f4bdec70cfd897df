"""STAMP: a direction is drawn on the circle with density exp(kappa cos), the length stays; two words in the plane."""

import json
import math

KAPPA, WORDS = 3.0, {"short": (1.0, 0.0), "long": (2.0, 0.5)}  # length, angle
steps = 3600
angles = [2 * math.pi * step / steps for step in range(steps)]


def law(angle: float) -> list[float]:
    """Return the density of the noisy direction at each angle; its sum is the same for every word."""
    weights = [math.exp(KAPPA * math.cos(at - angle)) for at in angles]
    return [weight / sum(weights) for weight in weights]


laws = [law(angle) for _, angle in WORDS.values()]
loss = max(math.log(p / q) for p, q in zip(*laws, strict=True))
claimed = KAPPA * 2 * math.sin(0.25)  # kappa times the distance of the two unit vectors
readings = {
    "the word nearest to the noisy direction is released": {"claimed": claimed, "found": loss},
    "the noisy vector with its length is released": {"claimed": claimed, "found": math.inf},
}
print(json.dumps({"readings": readings}))
