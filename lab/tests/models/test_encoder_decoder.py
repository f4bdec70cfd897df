"""Encoder-decoders on disk: rows of one length, states of every place, texts written of states alone, bad folders."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.helpers import tiny_models

from textveil.errors import ModelError, ParameterError
from textveil_lab.models.encoder_decoder import EncoderDecoder, StateCoder, encoder_decoder

TEXTS = ["a cat", "", "a text of far more than twelve bytes"]


@pytest.fixture(scope="module", params=["bart", "t5"])
def folder(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models.needed("torch", "transformers", extra="transformers")
    return tiny_models.encoder_decoder(tmp_path_factory.mktemp("model"), request.param)


@pytest.fixture(scope="module")
def model(folder: Path) -> EncoderDecoder:
    return encoder_decoder(folder)


def test_texts_become_rows_of_one_length(model: EncoderDecoder) -> None:
    rows = model.rows(TEXTS, 12)
    assert rows.ids.shape == rows.inside.shape == (3, 12)
    assert rows.inside.sum(axis=1).tolist() == [7, 2, 12]
    assert (rows.ids[~rows.inside] == 1).all()


def test_a_texts_states_do_not_depend_on_the_others(model: EncoderDecoder) -> None:
    together = model.states(TEXTS, 12)
    assert together.shape == (3, 12, model.width) and together.dtype == np.float64
    for row, text in enumerate(TEXTS):
        np.testing.assert_allclose(model.states([text], 12)[0], together[row], atol=1e-5)
    assert np.abs(together[0] - together[2]).max() > 0.1


def test_the_decoder_attends_to_every_place_and_is_given_no_token(
    model: EncoderDecoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mask of the text's own places would say how long it was."""
    seen: list[dict[str, Any]] = []
    real = model.foreign.model.generate
    monkeypatch.setattr(model.foreign.model, "generate", lambda **given: seen.append(given) or real(**given))
    said = model.written(model.states(TEXTS, 12), beams=2)
    assert len(said) == 3 and all(isinstance(one, str) for one in said)
    assert "input_ids" not in seen[0] and "inputs" not in seen[0]
    assert bool((seen[0]["attention_mask"] == 1).all()) and seen[0]["attention_mask"].shape == (3, 12)
    assert seen[0]["max_new_tokens"] == 12 and seen[0]["do_sample"] is False


def test_a_copy_reads_the_folder_again(model: EncoderDecoder) -> None:
    coder = StateCoder(model, 6, 1)
    again = pickle.loads(pickle.dumps(coder))
    assert len(pickle.dumps(coder)) < 1000
    np.testing.assert_array_equal(again.encode(TEXTS), coder.encode(TEXTS))
    assert again.facts == coder.facts and coder.dim == 6 * model.width


def test_lengths_that_the_model_does_not_take_are_refused(model: EncoderDecoder) -> None:
    for length in (0, model.room + 1):
        with pytest.raises(ParameterError, match=rf"^length must be from 1 to {model.room}, the tokens that"):
            model.check_length(length)
    model.check_length(model.room)
    assert model.states(["x" * 9999], 60).shape == (1, 60, model.width)


def test_folders_without_a_part_are_refused(folder: Path, tmp_path: Path) -> None:
    wanted = "must hold an encoder-decoder with its tokenizer, weights in safetensors; got"
    without = shutil.copytree(folder, tmp_path / "tokens", ignore=shutil.ignore_patterns("tokenizer*"))
    with pytest.raises(ModelError, match=f"{wanted} no tokenizer"):
        encoder_decoder(without)
    with pytest.raises(ModelError, match=f"{wanted} no config.json there"):
        encoder_decoder(tmp_path)
    other = tiny_models.token_classifier(tmp_path / "classifier")
    with pytest.raises(ModelError, match=f"{wanted} a model of another kind. Take one like BART or T5"):
        encoder_decoder(other)
    larger = shutil.copytree(folder, tmp_path / "larger")
    tokens = tiny_models.byte_tokenizer()
    tokens.add_tokens(["more", "tokens"])
    tokens.save_pretrained(larger)
    with pytest.raises(ModelError, match="a tokenizer of more tokens than the model has"):
        encoder_decoder(larger)
    bare = shutil.copytree(folder, tmp_path / "bare")
    tokens = tiny_models.byte_tokenizer()
    tokens.pad_token = None
    tokens.save_pretrained(bare)
    with pytest.raises(ModelError, match="must have a token for padding; got none"):
        encoder_decoder(bare)
