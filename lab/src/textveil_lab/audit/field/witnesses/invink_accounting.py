"""invink: the share of zero-concentrated DP of one token, for a reference that is taken out and for one exchanged."""

import importlib.util
import json
import math
from pathlib import Path

spec = importlib.util.find_spec("invink")  # its accountant alone, which needs the standard library only
assert spec is not None and spec.submodule_search_locations is not None
source = Path(spec.submodule_search_locations[0], "utils.py").read_text(encoding="utf-8")
accountant: dict = {"math": math}
exec(source[source.index("def cdp_delta") :], accountant)
TOKENS, BATCH, EPSILON, DELTA = 100, 8, 10.0, 1e-5
clip = accountant["get_clip"](epsilon=EPSILON, num_toks=TOKENS, temp=1.0, batch_size=BATCH, delta=DELTA)
rho = accountant["cdp_rho"](EPSILON, DELTA) / TOKENS


def spent(width: float) -> float:
    """Return the largest Renyi divergence divided by its order, for two laws whose log-ratios span `width`."""
    worst = 0.0
    for alpha in (1.5, 2.0, 4.0, 16.0):
        for step in range(1, 400):  # shares p and 1 - p of the two ends
            p = step / 400
            low = -math.log(p + (1 - p) * math.exp(width))
            moment = p * math.exp(alpha * low) + (1 - p) * math.exp(alpha * (low + width))
            worst = max(worst, math.log(moment) / (alpha - 1) / alpha)
    return worst


moved = clip / (BATCH - 1)  # how far the mean of clipped logits moves if one reference becomes the public prompt
readings = {
    "one reference becomes the public prompt": {"claimed": rho, "found": spent(2 * moved)},
    "one reference becomes any other": {"claimed": rho, "found": spent(4 * moved)},
}
print(json.dumps({"readings": readings}))
