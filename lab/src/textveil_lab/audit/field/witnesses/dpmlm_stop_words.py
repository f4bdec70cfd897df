"""dpmlm: with its defaults, stop words (negations among them) and punctuation are released unchanged."""

import json
import math
import sys
from unittest.mock import MagicMock

names = "torch nltk nltk.tokenize nltk.tokenize.treebank nltk.corpus nltk.stem nltk.stem.wordnet transformers"
for name in (*names.split(), "presidio_analyzer", "presidio_anonymizer", "importlib_resources", "tqdm", "tqdm.auto"):
    sys.modules[name] = MagicMock()
from dpmlm import core  # noqa: E402

core.stop = {"not", "is", "she"}
core.nltk.word_tokenize = str.split
model = object.__new__(core.DPMLM)
model.hybrid, model.detokenizer = False, MagicMock(detokenize=" ".join)
model.privatize = lambda tokens, word, place, **_: {f"{word}_{place}": "drawn"}
released = str(model.dpmlm_rewrite("she is not pregnant", epsilon=1.0))
print(json.dumps({"claimed": 4.0, "found": math.inf if "not" in released else 0.0}))
