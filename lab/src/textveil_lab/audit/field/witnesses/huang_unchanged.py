"""Huang et al., table 1: 81.3 % of words unchanged at epsilon 0.05; what word-level privacy allows at most.

Of any mechanism within (epsilon, delta), P(unchanged) <= e^epsilon max prior + delta. The prior is Zipf's law over
10,000 words, as in English; a corpus in which one word is three quarters of all would be needed for the table.
"""

import json
import math

EPSILON, LOG_DELTA, WORDS = 0.05, -300 * math.log(4), 10_000
most = 1 / sum(1 / rank for rank in range(1, WORDS + 1))
limit = math.exp(EPSILON) * most + math.exp(LOG_DELTA)
print(json.dumps({"claimed": limit, "found": 0.813, "most frequent word needed": 0.813 / math.exp(EPSILON)}))
