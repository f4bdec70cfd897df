"""Sentence vectors of an encoder on disk: windows, pooling, and folders that hold none."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.tiny_models import needed, tokenizer

from textveil.errors import WrongModel
from textveil.risk.attack import WINDOWS, sentence_vectors
from textveil.risk.linkage import linkage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small encoder that reads eight tokens at once, with weights drawn once."""
    needed("torch", "transformers", extra="transformers")
    import torch
    import transformers

    torch.manual_seed(4)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer()),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=40,
    )
    place = tmp_path_factory.mktemp("encoder")
    transformers.BertModel(config).save_pretrained(place)
    tokenizer().save_pretrained(place)
    (place / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 8}))
    return place


TEXTS = ["Maria lives in Berlin.", "Maria lives in Rome, with Gonzalez", "a, b, c", ""]


def test_same_text_is_likeliest_and_vectors_have_length_one(folder: Path) -> None:
    attacker = sentence_vectors(folder)
    assert linkage(attacker.scores(TEXTS, TEXTS), np.arange(4)).top1 == 1
    np.testing.assert_allclose(np.linalg.norm(attacker.vectors(TEXTS), axis=1), 1, rtol=1e-5)


def test_vector_is_the_mean_of_the_tokens_in_any_company(folder: Path) -> None:
    import torch

    attacker = sentence_vectors(folder)
    text = "maria lives in rome"
    alone = attacker.vectors([text])[0]
    np.testing.assert_allclose(attacker.vectors([*TEXTS, text])[-1], alone, atol=1e-5)
    read = attacker.foreign.tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        mean = attacker.foreign.model(**read).last_hidden_state[0].mean(dim=0).numpy()
    np.testing.assert_allclose(alone, mean / np.linalg.norm(mean), atol=1e-5)


def test_first_token_stands_for_the_text_where_the_folder_says_so(folder: Path, tmp_path: Path) -> None:
    import shutil

    place = shutil.copytree(folder, tmp_path / "first")
    (place / "1_Pooling").mkdir()
    (place / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    assert not np.allclose(sentence_vectors(place).vectors(TEXTS[:1]), sentence_vectors(folder).vectors(TEXTS[:1]))


def test_windows_of_a_long_text_count_up_to_their_number(folder: Path) -> None:
    """Windows of six words: what stands in the last that is read counts, what stands behind it does not."""
    attacker = sentence_vectors(folder)
    words = ["a"] * 6 * WINDOWS
    plain = attacker.vectors([" ".join(words)])
    assert not np.allclose(plain, attacker.vectors([" ".join([*words[:-1], "rome"])]), atol=1e-4)
    np.testing.assert_allclose(plain, attacker.vectors([" ".join([*words, "rome", "maria"])]), atol=1e-5)


def test_folder_without_weights_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    with pytest.raises(WrongModel, match="without weights"):
        sentence_vectors(tmp_path)
