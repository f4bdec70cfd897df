"""dpst: a text without triples is released unchanged; the extractor is replaced by one that finds none."""

import json
import math
import sys
from unittest.mock import MagicMock

names = "torch torch.nn datasketch nltk weaviate weaviate.classes weaviate.classes.query transformers openie vllm numpy"
for name in (*names.split(), "sentence_transformers", "vllm.utils", "vllm.utils.platform_utils"):
    sys.modules[name] = MagicMock()
sys.modules["tqdm"] = MagicMock()
sys.modules["tqdm.auto"] = MagicMock(tqdm=lambda rows, **_: rows)
from dpst.core import DPST  # noqa: E402

writer = object.__new__(DPST)
writer.get_triples_ie = lambda text: []
released = writer.privatize(["Ada Abernathy: HIV."], epsilon=1.0)
print(json.dumps({"claimed": 1.0, "found": math.inf if "HIV" in str(released) else 0.0}))
