"""Classifiers that are networks: they learn, repeat by their seed, stop, and refuse what cannot be trained."""

import dataclasses

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ModelError, ParameterError
from textveil_lab.downstream.network import FAST, ClassifierSettings, NetworkLearner, Reader
from textveil_lab.frontiers.downstream.accuracy import BatchNoise
from textveil_lab.frontiers.downstream.tasks import LabelledPart
from textveil_lab.vocabulary.documents import Documents

torch = pytest.importorskip("torch")

VECTORS = made_vocabulary(40, 6, seed=5).vectors + np.repeat([[0.0], [4.0]], 20, axis=0).astype(np.float32)
SETTINGS = {
    Reader.SUM: ClassifierSettings(reader=Reader.SUM, hidden=16, learning_rate=0.02, batch=32, epochs=8),
    Reader.LSTM: ClassifierSettings(reader=Reader.LSTM, hidden=8, learning_rate=0.02, batch=32, epochs=4),
}


def _part(seed: int, documents: int = 200) -> LabelledPart:
    """Documents of two to five words of one half of the vocabulary each; the first one is empty."""
    rng = np.random.default_rng(seed)
    classes = np.arange(documents) % 2
    lengths = rng.integers(2, 6, documents)
    lengths[0] = 0
    ids = rng.integers(0, 20, lengths.sum()) + 20 * np.repeat(classes, lengths)
    return LabelledPart(Documents(ids, np.concatenate([[0], np.cumsum(lengths)])), classes)


@pytest.mark.parametrize("reader", Reader)
def test_it_learns_and_repeats(reader: Reader) -> None:
    learner = NetworkLearner(vectors=VECTORS, settings=SETTINGS[reader])
    fresh = _part(2)
    found = [learner.fit(_part(1), 2, seed).predict(fresh.documents) for seed in (3, 3)]
    assert np.array_equal(*found)
    assert np.mean(found[0] == fresh.classes) > 0.9


@pytest.mark.parametrize("reader", Reader)
def test_noise_at_the_input_is_there_in_training_and_in_testing(reader: Reader) -> None:
    seen: list[int] = []

    def disturb(vectors: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        seen.append(len(vectors))
        return 0 * vectors + rng.standard_normal((1, 6))

    part = _part(1)
    learner = NetworkLearner(vectors=VECTORS, settings=SETTINGS[reader], noise=BatchNoise(disturb, 50))
    answers = learner.fit(part, 2, 3).predict(part.documents)
    assert sum(seen) == 2 * len(part.documents.ids)
    assert np.mean(answers == part.classes) < 0.75  # nothing of the words is left


def test_what_torch_draws_elsewhere_is_left_alone() -> None:
    torch.manual_seed(11)
    wanted = torch.rand(3)
    torch.manual_seed(11)
    NetworkLearner(vectors=VECTORS, settings=SETTINGS[Reader.SUM]).fit(_part(1), 2, 3)
    assert torch.equal(torch.rand(3), wanted)


def test_a_loss_that_is_no_number_stops_with_its_step() -> None:
    broken = VECTORS.copy()
    broken[:] = np.nan
    with pytest.raises(ModelError, match="the loss must be a finite number; got nan at step 1 of epoch 1"):
        NetworkLearner(vectors=broken, settings=SETTINGS[Reader.LSTM]).fit(_part(1), 2, 3)


def test_a_gpu_that_is_absent_is_refused() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ParameterError, match="device must be one that torch finds on this machine; got cuda"):
        NetworkLearner(vectors=VECTORS, settings=FAST, device="cuda")


@pytest.mark.parametrize(
    ("name", "value"),
    [("hidden", 0), ("batch", 0), ("epochs", -1), ("patience", 0), ("dropout", 1.0), ("learning_rate", 0.0)],
)
def test_settings_outside_their_domain_are_refused(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be"):
        dataclasses.replace(FAST, **{name: value})


def test_the_paper_s_settings_are_the_defaults() -> None:
    found = ClassifierSettings()
    assert (found.learning_rate, found.dropout, found.batch, found.epochs) == (1e-4, 0.2, 256, 50)
