"""Auto-encoders of sentences that are trained in seconds on words drawn here, kept as any other would be."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from textveil.vocabulary.vocabulary import Vocabulary

WORDS = ("maria", "lives", "rome", "sits", "the", "cat", "dog", "runs")


@cache
def network_folder(words: int = 6, code: int = 6, length: int = 2, epochs: int = 50) -> Path:
    """A network that has learned to say sentences of 1 to ``length`` of the first so many words, with its words."""
    for package in ("torch", "safetensors"):
        pytest.importorskip(package, reason="needs the extra torch", exc_type=ImportError)
    from textveil.randomness import seeded_generator
    from textveil.vocabulary.grid import load_torch
    from textveil_lab.models.autoencoder.coder import keep_words
    from textveil_lab.models.autoencoder.files import facts_of, write_network
    from textveil_lab.models.autoencoder.network import AutoencoderSettings, new_autoencoder
    from textveil_lab.models.autoencoder.training import Epochs, Training, Views, adam

    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(words, 8)).astype(np.float32)
    vocabulary = Vocabulary(list(WORDS[:words]), vectors, "few")
    sentences = [rng.integers(0, words, size=rng.integers(1, length + 1)) for _ in range(256)]
    settings = AutoencoderSettings(
        hidden=32, code=code, dropout=0.0, learning_rate=0.01, batch=64, epochs=epochs, length=length
    )
    folder = Path(mkdtemp(prefix="textveil-network-")) / "network"
    keep_words(vocabulary, folder)
    torch = load_torch()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(seeded_generator(1, 0).integers(2**62)))
        network = new_autoencoder(vocabulary.vectors, settings)
    views = Views(sentences, sentences, sentences)
    done = Training(network, views, lambda rng: None, seed=1).run(Epochs((), ()), adam(network), None, None)
    write_network(folder, network, facts_of(network, vocabulary, done))
    return folder
