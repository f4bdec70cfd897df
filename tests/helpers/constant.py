"""A mechanism whose answer is known."""

from types import MappingProxyType

import numpy as np

from textveil.privacy.guarantees import PureDP, Status


class Constant:
    """A mechanism that always answers the same word: whatever else comes out fell through."""

    name = "constant"
    parameters = MappingProxyType({})

    def __init__(self, vocabulary, word: str, answer=None) -> None:
        self.vocabulary = vocabulary
        self.guarantee = PureDP(epsilon=0.5, status=Status.PROVED)
        self._id = vocabulary.id_of(word)
        self._answer = answer

    def privatize(self, ids, rng=None):
        return np.full(len(ids), self._id) if self._answer is None else self._answer(ids)
