"""Rewriters on disk: what is kept, what goes on, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from textveil.catalog import mechanism
from textveil.errors import ModelError, ParameterError
from textveil.types import Ids
from textveil_lab.models.autoencoder.files import FACTS
from textveil_lab.models.autoencoder.network import AutoencoderSettings
from textveil_lab.rewriting.injection import Feeding, Injection, Place
from textveil_lab.rewriting.rewriter import load_rewriter, save_rewriter, train_rewriter

VOCABULARY = made_vocabulary(12)
SMALL = AutoencoderSettings(hidden=8, code=4, dropout=0.5, batch=20, epochs=4, length=6)


def sentences() -> list[Ids]:
    rng = np.random.default_rng(3)
    return [rng.integers(0, 12, size=rng.integers(1, 5)) for _ in range(60)]


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    drawn = Injection(place=Place.TOKENS, mechanism=mechanism("neighborhood", VOCABULARY, epsilon=4.0))
    made = train_rewriter(sentences(), VOCABULARY, SMALL, drawn, seed=1)
    save_rewriter(made, tmp_path / "one")
    same = load_rewriter(tmp_path / "one", VOCABULARY, injection=drawn)
    assert (same.losses, same.seconds, same.settings) == (made.losses, made.seconds, SMALL)
    for feeding in Feeding:
        assert same.loss(sentences(), seed=2, feeding=feeding) == made.loss(sentences(), seed=2, feeding=feeding)


def test_a_network_is_not_used_without_its_noise(tmp_path: Path) -> None:
    drawn = Injection(place=Place.TOKENS, mechanism=mechanism("neighborhood", VOCABULARY, epsilon=4.0))
    save_rewriter(train_rewriter(sentences(), VOCABULARY, SMALL, drawn, seed=1), tmp_path)
    other = Injection(place=Place.TOKENS, mechanism=mechanism("neighborhood", VOCABULARY, epsilon=5.0))
    for wrong in (None, other):
        with pytest.raises(ModelError, match="with the noise that it was trained with, at place each-token"):
            load_rewriter(tmp_path, VOCABULARY, injection=wrong)


def test_a_network_of_another_vocabulary_is_refused(tmp_path: Path) -> None:
    save_rewriter(train_rewriter(sentences(), VOCABULARY, SMALL, seed=1), tmp_path)
    other = made_vocabulary(12, seed=8)
    with pytest.raises(ModelError, match=f"of the vocabulary {other.digest[:16]}; got one of {VOCABULARY.digest[:16]}"):
        load_rewriter(tmp_path, other)


def test_a_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    whole = train_rewriter(sentences(), VOCABULARY, SMALL, seed=1)
    train_rewriter(sentences(), VOCABULARY, replace(SMALL, epochs=2), seed=1, checkpoint=tmp_path)
    halfway = load_rewriter(tmp_path, VOCABULARY)
    assert halfway.losses == whole.losses[:2]
    rest = train_rewriter(sentences(), VOCABULARY, SMALL, seed=1, checkpoint=tmp_path)
    assert rest.losses == whole.losses
    assert rest.loss(sentences(), seed=1, feeding=Feeding.FREE) == whole.loss(sentences(), seed=1, feeding=Feeding.FREE)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("settings", "seed", "named"),
    [
        (replace(SMALL, hidden=9), 1, r"hidden \(8 there, 9 here\)"),
        (SMALL, 2, "seed"),
        (replace(SMALL, epochs=1), 1, r"epochs \(4 are done\)"),
    ],
)
def test_other_settings_do_not_go_on(tmp_path: Path, settings: AutoencoderSettings, seed: int, named: str) -> None:
    train_rewriter(sentences(), VOCABULARY, SMALL, seed=1, checkpoint=tmp_path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    with pytest.raises(ParameterError, match=f"checkpoint must be of a run with the same settings.*{named}"):
        train_rewriter(sentences(), VOCABULARY, settings, seed=seed, checkpoint=tmp_path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_other_sentences_do_not_go_on(tmp_path: Path) -> None:
    train_rewriter(sentences(), VOCABULARY, SMALL, seed=1, checkpoint=tmp_path)
    with pytest.raises(ParameterError, match="differs in sentences"):
        train_rewriter(sentences()[::-1], VOCABULARY, SMALL, seed=1, checkpoint=tmp_path)


def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_network(tmp_path: Path) -> None:
    class Breaks:
        """Noise that turns to NaN in the third epoch."""

        steps = 0

        def sample(self, count: int, rng: np.random.Generator | None = None) -> Ids:
            self.steps += count > 1
            return np.full((count, 8), np.nan if self.steps > 6 else 0.0)

    noisy = Injection(place=Place.ENCODER_INPUT, noise=Breaks())
    with pytest.raises(ModelError, match=r"got nan at step 1 of epoch 3\. The network after epoch 2 is kept\."):
        train_rewriter(sentences(), VOCABULARY, SMALL, noisy, seed=1, checkpoint=tmp_path)
    kept = load_rewriter(tmp_path, VOCABULARY, injection=noisy)
    assert len(kept.losses) == 2
    assert np.isfinite(kept.network.modules["vectors"].weight.detach().numpy()).all()


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    save_rewriter(train_rewriter(sentences(), VOCABULARY, SMALL, seed=1), tmp_path)
    (weights,) = tmp_path.glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match="file of its weights; got a damaged one"):
        load_rewriter(tmp_path, VOCABULARY)
    weights.unlink()
    with pytest.raises(ModelError, match="file of its weights; got none"):
        load_rewriter(tmp_path, VOCABULARY)
    (tmp_path / FACTS).unlink()
    with pytest.raises(ModelError, match=r"must hold a network's network\.json; got none"):
        load_rewriter(tmp_path, VOCABULARY)
