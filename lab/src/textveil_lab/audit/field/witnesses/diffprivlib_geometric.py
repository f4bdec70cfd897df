"""diffprivlib: integers with geometric noise around 0 and around 1; the event is an output of 1 or more."""

import json

from diffprivlib.mechanisms import Geometric

TRIALS = 20_000
mechanism = Geometric(epsilon=1.0, sensitivity=1, random_state=1)  # a fixed seed: the row comes out the same again
hits = [sum(int(mechanism.randomise(true)) >= 1 for _ in range(TRIALS)) for true in (1, 0)]
print(json.dumps({"epsilon": 1.0, "delta": 0.0, "hits": hits, "trials": TRIALS}))
