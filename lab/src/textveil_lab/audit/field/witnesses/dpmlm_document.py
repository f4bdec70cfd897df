"""DP-MLM: each of n predictions sees the whole sentence, so one changed word can move all of them."""

import json
import math

EPSILON, WORDS = 10.0, 12
strong = EPSILON / 2  # a model whose logits are at one bound if the first word is "he", else at the other
token = math.log((1 + math.exp(strong)) / (1 + math.exp(-strong)))
readings = {
    "epsilon of one prediction": {"claimed": EPSILON, "found": token},
    "epsilon of one changed word of the sentence": {"claimed": EPSILON, "found": WORDS * token},
}
print(json.dumps({"readings": readings}))
