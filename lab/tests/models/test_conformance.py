"""``check_language_model``: what is a language model passes, and each fault is found."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel, TrigramModel
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.errors import ParameterError
from textveil.models.language_model import Continuations, check_contexts, check_words
from textveil.models.ngram import embedded_language_model
from textveil_lab.models.ngram_build import ngram_model
from textveil_lab.testing import check_language_model


class Checked:
    """A trigram model that refuses what it must; ``spoilt`` changes what it says."""

    def __init__(self, spoilt: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda logs, words: logs) -> None:
        self._made, self._spoilt = TrigramModel(9), spoilt
        self.name, self.digest, self.size, self.order = "checked", "0" * 64, 9, 3

    def log_probabilities(self, contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        check_contexts(contexts, 2, 9)
        check_words(words, len(contexts), 9)
        return self._spoilt(self._made.log_probabilities(contexts, words), words)


class Listing(Checked):
    """One that lists two words after each context, ``off`` times as probable as they are."""

    def __init__(self, off: float = 1.0, twice: bool = False) -> None:
        super().__init__()
        self._bigram = BigramModel(np.random.default_rng(0).gamma(1.0, size=(9, 9)), np.ones(9))
        self.order, self._off, self._twice = 2, off, twice

    @property
    def unigram(self) -> np.ndarray:
        return np.full(9, -np.log(9), dtype=np.float32)

    def log_probabilities(self, contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        check_contexts(contexts, 1, 9)
        check_words(words, len(contexts), 9)
        return self._bigram.log_probabilities(contexts, words)

    def continuations(self, contexts: np.ndarray) -> Continuations:
        found = self._bigram.continuations(contexts)
        words = np.where(found.words == 1, 0, found.words) if self._twice else found.words
        return found._replace(words=words, probabilities=found.probabilities * np.float32(self._off))


def test_language_models_pass() -> None:
    check_language_model(Checked())
    check_language_model(Listing())
    check_language_model(embedded_language_model())
    vocabulary = lettered_vocabulary(30)
    text = " ".join(vocabulary.words[word] for word in np.random.default_rng(3).integers(0, 25, 900))
    check_language_model(ngram_model(vocabulary, [text], name="small", max_bytes=1 << 16))


FAULTS = {
    "must be float32": Checked(lambda logs, words: logs.astype(np.float64)),
    "must have shape": Checked(lambda logs, words: logs[:, :-1]),
    "not NaN": Checked(lambda logs, words: np.where(words == 3, np.nan, logs).astype(np.float32)),
    "must sum to 1": Checked(lambda logs, words: logs - np.float32(0.05)),
    "must not depend on what else": Checked(lambda logs, words: logs + np.float32(words.shape[1] < 9)),
    "no contexts must give": Checked(lambda logs, words: logs if len(logs) else logs[:, :0]),
    "must say what log_probabilities say": Listing(1.01),
    "listed twice": Listing(twice=True),
    "must have name, digest": object(),
}


@pytest.mark.parametrize("wanted", FAULTS)
def test_each_fault_is_found(wanted: str) -> None:
    with pytest.raises(AssertionError, match=wanted):
        check_language_model(FAULTS[wanted])


@pytest.mark.parametrize("wanted", ["the word id 9", "fewer rows of words", "the context id 11"])
def test_a_model_that_refuses_nothing_is_found(wanted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Checked()
    inner = model.log_probabilities

    def lenient(contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        try:
            return inner(contexts, words)
        except ParameterError as error:
            fault = {"words": "the word id 9", "contexts": "the context id 11"}[error.parameter]
            fault = "fewer rows of words" if len(words) != len(contexts) else fault
            if fault == wanted:
                return np.zeros(words.shape, dtype=np.float32)
            raise

    monkeypatch.setattr(model, "log_probabilities", lenient)
    with pytest.raises(AssertionError, match=f"must refuse {wanted}"):
        check_language_model(model)
