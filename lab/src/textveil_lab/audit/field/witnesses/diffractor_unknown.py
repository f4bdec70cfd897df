"""dp-diffractor: a word that is in none of its lists is released unchanged."""

import json
import math
import sys
from unittest.mock import MagicMock

for name in (
    "faiss",
    "gensim",
    "gensim.models",
    "nltk",
    "nltk.tokenize",
    "nltk.tokenize.treebank",
    "importlib_resources",
):
    sys.modules[name] = MagicMock()  # not called here
sys.modules["requests"] = sys.modules["tqdm"] = sys.modules["tqdm.auto"] = MagicMock()
from diffractor.core import Diffractor  # noqa: E402

released = object.__new__(Diffractor)._pick_final_word("abernathy", [None] * 5)  # no list knows it
print(json.dumps({"claimed": 1.0, "found": math.inf if released == "abernathy" else 0.0}))
