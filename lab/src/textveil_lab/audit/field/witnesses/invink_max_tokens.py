"""invink: the default cap of a text's length is the mean plus two deviations of the private texts' lengths."""

import importlib.util
import json
import math
import statistics
from pathlib import Path

spec = importlib.util.find_spec("invink")  # read, not imported: its models are not needed here
assert spec is not None and spec.submodule_search_locations is not None
source = Path(spec.submodule_search_locations[0], "generate.py").read_text(encoding="utf-8")
assert "max_toks = int((np.mean(token_lengths) + 2 * np.std(token_lengths)) // 1)" in source
assert "for _ in range(max_toks):" in source  # besides the cap only a model's own end of text stops it


def cap(lengths: list[int]) -> int:
    """Return the cap as invink computes it."""
    return int((statistics.mean(lengths) + 2 * statistics.pstdev(lengths)) // 1)


caps = cap([100] * 70), cap([100] * 69 + [2000])  # one of 70 references changes
print(json.dumps({"claimed": 10.0, "found": math.inf if caps[0] != caps[1] else 0.0, "caps": caps}))
