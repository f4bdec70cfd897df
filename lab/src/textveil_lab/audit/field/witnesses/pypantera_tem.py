"""pyPANTERA: TEM on two words at distance 5, radius 1, epsilon 1; the event is the far word."""

import json
import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import numpy as np

names = "gensim gensim.models pandas sklearn sklearn.metrics sklearn.metrics.pairwise tqdm scipy nltk nltk.tokenize"
for name in (*names.split(), "nltk.corpus", "multiprocess", "scipy.stats", "scipy.linalg"):
    sys.modules[name] = MagicMock()  # not called here
from src.SamplingPerturbationMechanism.tem import TEM  # noqa: E402

TRIALS = 4000
places = {"near": np.array([0.0]), "far": np.array([5.0])}
mechanism = object.__new__(TEM)
mechanism.epsilon, mechanism.gamma = 1.0, 1.0
mechanism.vocab = SimpleNamespace(embeddings=places)
mechanism.embMatrix, mechanism._index2word = np.array([[0.0], [5.0]]), {0: "near", 1: "far"}
mechanism.euclideanDistance = lambda one, others: np.abs(one - others.T)
hits = [mechanism.processText([word] * TRIALS).split().count("far") for word in ("far", "near")]
print(json.dumps({"epsilon": 5.0, "delta": 0.0, "hits": hits, "trials": TRIALS}))
