"""mldp-text: Vickrey on four words of a line, epsilon 1 a unit of distance; the event is the input of the second."""

import json
import warnings

import numpy as np
from gensim.models import KeyedVectors
from mldp_text import get_mechanism

warnings.simplefilter("ignore")
TRIALS, WORDS = 8000, ["north", "east", "south", "west"]
vectors = KeyedVectors(1)
vectors.add_vectors(WORDS, np.arange(4, dtype=np.float32)[:, None])
mechanism = get_mechanism("vickrey", epsilon=1.0, embedding_matrix=vectors, dim=1, use_faiss=False, vocab=set(WORDS))
hits = [sum(mechanism.replace_word(word) == "north" for _ in range(TRIALS)) for word in ("east", "north")]
print(json.dumps({"epsilon": 1.0, "delta": 0.0, "hits": hits, "trials": TRIALS}))
