"""dp-fusion-lib: the reported epsilon is computed from the private prompt, and itself tells prompts apart."""

import importlib.util
import json
from pathlib import Path

spec = importlib.util.find_spec("dp_fusion_lib")
assert spec is not None and spec.submodule_search_locations is not None
here = Path(spec.submodule_search_locations[0], "epsilon.py")
accountant: dict = {"__name__": "accountant"}
exec(compile(here.read_text(encoding="utf-8"), str(here), "exec"), accountant)
reports = [accountant["compute_epsilon_single_group"]([d] * 10, 2.0, 1e-5, 0.1) for d in (0.01, 0.2)]
told = float("inf") if reports[0]["empirical"] != reports[1]["empirical"] else 0.0
readings = {
    "the worst case of the settings is reported": {"claimed": 1.0, "found": 1.0},
    "the empirical epsilon is reported beside the text": {"claimed": reports[0]["theoretical"], "found": told},
}
print(json.dumps({"readings": readings}))
