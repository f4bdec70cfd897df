"""Small models with random weights: read as any other model is, the same again under a seed."""

from pathlib import Path

import numpy as np
import pytest
from tests.helpers.tiny_models import needed

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.autoencoder.coder import sentence_coder
from textveil_lab.models.encoder_decoder import encoder_decoder
from textveil_lab.models.next_tokens import next_tokens
from textveil_lab.models.random_models import random_bart, random_gpt2, random_network

WORDS = ("tea", "milk", "rome")


@pytest.fixture(autouse=True)
def installed() -> None:
    needed("torch", "transformers", "safetensors", extra="transformers")


def test_language_models_are_read_from_their_folders_and_know_their_words(tmp_path: Path) -> None:
    made = next_tokens(random_gpt2(tmp_path / "first", WORDS))
    assert made.decoded(made.encoded("tea rome unknown")).split()[:2] == ["tea", "rome"]
    logits = made.read([made.encoded("tea"), made.encoded("rome milk")]).logits
    assert logits.shape == (2, made.size) and not np.allclose(logits[0], logits[1])
    wide = next_tokens(random_gpt2(tmp_path / "wide", WORDS, spread=5.0))
    assert wide.read([wide.encoded("tea")]).logits.std() > 3 * logits[0].std()
    assert encoder_decoder(random_bart(tmp_path / "bart", WORDS)).width > 0


def test_a_seed_decides_all_weights_and_torch_s_own_generator_goes_on_as_it_was(tmp_path: Path) -> None:
    import torch

    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    first, again, other = (
        next_tokens(random_gpt2(tmp_path / str(place), WORDS, seed)).digest for place, seed in enumerate((1, 1, 2))
    )
    assert first == again != other
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_network_is_read_with_its_words(tmp_path: Path) -> None:
    import torch

    words = Vocabulary(WORDS, np.eye(3, 4), "three")
    made = sentence_coder(random_network(tmp_path / "network", words))
    torch.manual_seed(made.dim)  # what torch would draw decides nothing
    assert made.digest == sentence_coder(random_network(tmp_path / "again", words)).digest
    codes = made.encode(["tea", "rome milk"])
    assert made.vocabulary.words == words.words and not np.allclose(codes[0], codes[1])
