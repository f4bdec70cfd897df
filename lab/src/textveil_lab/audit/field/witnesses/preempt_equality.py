"""Preempt: format-preserving encryption is a permutation, so equal values stay equal and different ones differ."""

import json
import math
import random

cipher = list(range(10_000))
random.Random(7).shuffle(cipher)  # stands for the cipher under one key
texts = (4712, 4712), (4712, 4713)
equal = [cipher[a] == cipher[b] for a, b in texts]
readings = {
    "what one value is, without the key": {"claimed": 1 / 10_000, "found": 1 / 10_000},
    "whether two values of one prompt are equal": {"claimed": 0.0, "found": math.inf if equal[0] != equal[1] else 0.0},
}
print(json.dumps({"readings": readings}))
