"""DP-MLM: one prediction, the clipped logits divided by 2 sensitivity / epsilon: the worst ratio over all logits."""

import json
import math

LOW, HIGH, EPSILON = -3.2093127, 16.304797887802124, 10.0  # the bounds of dpmlm 1.3.0, core.py
temperature = 2 * (HIGH - LOW) / EPSILON
worst = 0.0
for others in (1, 10, 50_000):  # one token at its best against its worst, all other tokens at the other end
    best = HIGH / temperature - math.log(math.exp(HIGH / temperature) + others * math.exp(LOW / temperature))
    least = LOW / temperature - math.log(math.exp(LOW / temperature) + others * math.exp(HIGH / temperature))
    worst = max(worst, best - least)
print(json.dumps({"claimed": EPSILON, "found": worst}))
