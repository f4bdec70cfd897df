"""privfill: DPBart clips to [-0.2, 0.1], a width of 0.3, and scales its noise for 0.2; delta at its epsilon 100."""

import json
import math
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

for name in ("nltk", "torch", "torch.utils", "torch.utils.data", "transformers"):
    sys.modules[name] = MagicMock()
sys.modules["torch.utils.data"].Dataset = object
sys.modules["transformers"].LogitsProcessor = object
from privfill import mechanisms  # noqa: E402

scales: list[float] = []
mechanisms.torch.from_numpy = lambda noise: noise
mechanisms.np = SimpleNamespace(
    sqrt=math.sqrt, random=SimpleNamespace(normal=lambda mean, scale, size: scales.append(scale) or 0.0)
)
bart, epsilon, width = mechanisms.DPBart(), 100.0, 768
bart.noise(MagicMock(shape=(1, 1, width)), epsilon)  # one token: what more tokens cost is left out
ratio = (bart.c_max - bart.c_min) * math.sqrt(width) / scales[0]
first = math.erfc((epsilon / ratio - ratio / 2) / math.sqrt(2)) / 2
second = math.exp(epsilon + math.log(math.erfc((epsilon / ratio + ratio / 2) / math.sqrt(2)) / 2))
print(json.dumps({"claimed": bart.delta, "found": first - second}))
