"""PrivacyRestore: the noisy vector has length-1 inputs; the query without its spans is sent beside it."""

import json
import math

EPSILON, DIM = 1.0, 2
first, other = (1.0, 0.0), (-1.0, 0.0)  # the two farthest unit vectors
loss = EPSILON * math.dist(first, other)  # noise with density exp(-epsilon |z|) is worst on the line through both
queries = "the patient has _ and _", "the patient has _"
whole = math.inf if queries[0] != queries[1] else loss
readings = {
    "the vector alone": {"claimed": 2 * EPSILON, "found": loss},
    "all that is sent, for two queries with different spans": {"claimed": 2 * EPSILON, "found": whole},
}
print(json.dumps({"readings": readings}))
