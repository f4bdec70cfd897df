"""invink: after its default seed the same logits give the same token every time, so tokens tell logits apart."""

import importlib.util
import json
import math
import re
from pathlib import Path

import numpy as np

spec = importlib.util.find_spec("invink")  # read, not imported: its models are not needed here
assert spec is not None and spec.submodule_search_locations is not None
source = Path(spec.submodule_search_locations[0], "generate.py").read_text(encoding="utf-8")
default = re.search(r"random_seed: int = (\d+)", source)
assert default is not None and "setup_seed(seed = random_seed)" in source
line = "np.random.choice(np.arange(vocab_size), p = probs)"
assert line in source


def drawn(probability: float) -> int:
    """Return the first token that invink draws: 1 with this probability."""
    np.random.seed(int(default[1]))  # what `setup_seed` does with it
    return int(eval(line, {"np": np, "vocab_size": 2, "probs": [1 - probability, probability]}))


first, other = 0.62, 0.63  # one logit moved by 0.04: far within the clip of epsilon 10
tokens = {drawn(first), drawn(other)}
assert all(drawn(p) == drawn(p) for p in (first, other))
print(json.dumps({"claimed": 10.0, "found": math.inf if len(tokens) == 2 else 0.0, "seed": int(default[1])}))
