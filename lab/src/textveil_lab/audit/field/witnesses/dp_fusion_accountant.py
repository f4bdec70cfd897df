"""dp-fusion-lib: two private prompts, each within the divergence bound of the public one, one token, alpha 2, beta 0.1.

The token has probability q under the public prompt, `likely` under one private prompt, `rare` under the other. The
divergence of order 2 to the public law is within alpha beta both ways, so lambda is 1 and both laws are sampled as is.
"""

import importlib.util
import json
import math
from pathlib import Path

spec = importlib.util.find_spec("dp_fusion_lib")
assert spec is not None and spec.submodule_search_locations is not None
here = Path(spec.submodule_search_locations[0], "epsilon.py")  # its accountant alone needs no torch
accountant: dict[str, object] = {"__name__": "accountant"}
exec(compile(here.read_text(encoding="utf-8"), str(here), "exec"), accountant)
ALPHA, BETA, DELTA, Q = 2.0, 0.1, 1e-5, 4e-5


def divergence(p: float, q: float) -> float:
    """Return the larger of the two Renyi divergences of order 2 of two coins."""
    both = [math.log(a * a / b + (1 - a) ** 2 / (1 - b)) for a, b in ((p, q), (q, p))]
    return max(both)


gain = math.expm1(ALPHA * BETA)
likely, rare = 0.99 * math.sqrt(Q * gain), 1.01 * Q * Q / gain
spent = [divergence(likely, Q), divergence(rare, Q)]
assert max(spent) <= ALPHA * BETA  # what `find_lambda` demands
epsilon = accountant["compute_epsilon_single_group"]([max(spent)], ALPHA, DELTA)["empirical"]  # type: ignore[operator]
print(json.dumps({"claimed": DELTA, "found": likely - math.exp(epsilon) * rare, "epsilon": epsilon}))
