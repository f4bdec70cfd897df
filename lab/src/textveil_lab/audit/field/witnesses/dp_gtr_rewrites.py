"""DP-GTR: ten rewrites of one prompt, each at epsilon; post-processing them costs no more."""

import json
import math

EPSILON, REWRITES = 10.0, 10  # GTR.py: num_rewrites=10; figures name the epsilon of one rewrite
one = math.log((1 / (1 + math.exp(-EPSILON))) / (1 / (1 + math.exp(EPSILON))))  # a rewrite that spends what it may
readings = {
    "epsilon of one rewrite": {"claimed": EPSILON, "found": one},
    "epsilon of the prompt": {"claimed": EPSILON, "found": REWRITES * one},
}
print(json.dumps({"readings": readings}))
