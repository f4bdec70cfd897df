"""privfill: PrivFillDP gives every sentence, and in it every token, the whole epsilon of the call."""

import json
import sys
from unittest.mock import MagicMock

for name in ("nltk", "torch", "torch.utils", "torch.utils.data", "transformers", "mpmath", "numpy"):
    sys.modules[name] = MagicMock()
sys.modules["torch.utils.data"].Dataset = object
sys.modules["transformers"].LogitsProcessor = object
from privfill import main  # noqa: E402

spent: list[float] = []
main.nltk.sent_tokenize = lambda text: text.split(". ")
filler = object.__new__(main.PrivFillDP)
filler.model = MagicMock()
filler.model.privatize_dp = lambda texts, epsilon, max_new_tokens=32: (
    spent.extend([epsilon * max_new_tokens] * len(texts)) or ["drawn"] * len(texts)
)
filler.privatize("One. Two. Three. Four", epsilon=10.0)
readings = {
    "epsilon of one token": {"claimed": 10.0, "found": 10.0},
    "epsilon of the text": {"claimed": 10.0, "found": sum(spent)},
}
print(json.dumps({"readings": readings}))
