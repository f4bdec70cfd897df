"""RAPT: the words among a model's tokens with their own vectors, the noise on them, and folders that are refused."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kstest
from tests.helpers import tiny_models

from textveil.errors import ModelError, ParameterError
from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.additive.rapt import PROOF, rapt
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.models.token_table import token_vocabulary

ALPHA = 1e-6
WHOLE = ["person", "location", "maria", "gon", "ber", "rome", "lives", "in", "with", "a", "b", "c"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    tiny_models.needed("torch", "transformers", extra="transformers")
    return tiny_models.token_classifier(tmp_path_factory.mktemp("rapt") / "bert", learned=False)


def test_words_are_the_tokens_that_are_whole_with_the_models_own_vectors(folder: Path) -> None:
    import transformers

    words, digest = token_vocabulary(folder)
    assert list(words.words) == WHOLE and words.name == "bert" and len(digest) == 64
    table = transformers.AutoModel.from_pretrained(folder).get_input_embeddings().weight.detach().numpy()
    assert np.array_equal(words.vectors[2], table[tiny_models.WORDS.index("maria")])


def test_the_law_is_spherical_laplace_noise_on_these_vectors(folder: Path, tiny, rng) -> None:
    made = rapt(tiny, model=str(folder), epsilon_per_distance=200.0, clip=None)
    same = spherical_laplace(token_vocabulary(folder)[0], epsilon_per_distance=200.0, clip=None)
    ids = np.arange(12).repeat(50)
    assert np.array_equal(made.privatize(ids, seeded_generator(4)), same.privatize(ids, seeded_generator(4)))
    assert made.guarantee.epsilon_per_distance == 200.0 and made.guarantee.source == PROOF
    norms = np.linalg.norm(made.distribution.sample(20_000, rng, np.float64), axis=1)
    assert kstest(norms, "gamma", args=(32, 0, 1 / 200)).pvalue > ALPHA
    assert kstest(norms, "gamma", args=(32, 0, 1 / 210)).pvalue < ALPHA  # the mutant: a rate 5 % higher


def test_the_cost_of_any_two_words_is_the_one_asked_for(folder: Path, tiny) -> None:
    made = rapt(tiny, model=str(folder), epsilon=5.0)
    assert isinstance(made, PerturbProject)
    points = made.points.astype(np.float64)
    farthest = np.linalg.norm(points[:, None] - points[None], axis=2).max()
    assert 4.99 < made.distribution.rate * farthest <= 5.0
    assert made.guarantee.worst_case().epsilon <= 5.0


def test_a_text_is_released_word_by_word_and_nothing_passes(folder: Path, tiny) -> None:
    sanitizer = Sanitizer(rapt(tiny, model=str(folder), epsilon=3.0), rng=seeded_generator(5))
    released = sanitizer("maria lives in rome with zzyzx")
    assert {word.lower() for word in released.text.split()} <= set(WHOLE)
    assert len(released.text.split()) == 6


def test_folders_that_do_not_serve_are_refused(folder: Path, tiny, tmp_path) -> None:
    with pytest.raises(ParameterError, match="model must be the folder of a model"):
        rapt(tiny, model=str(tmp_path / "none"), epsilon=1.0)
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in folder.iterdir():
        if not path.name.startswith(("tokenizer", "vocab")):
            (bare / path.name).write_bytes(path.read_bytes())
    with pytest.raises(ModelError, match=r"got no tokenizer\. Copy its files there too"):
        rapt(tiny, model=str(bare), epsilon=1.0)
    with pytest.raises(ModelError, match=r"2 tokens at least are whole words; got 0\. Take a model whose tokenizer"):
        rapt(tiny, model=str(tiny_models.encoder_decoder(tmp_path / "bytes")), epsilon=1.0)


def test_the_given_vocabulary_is_not_used(folder: Path) -> None:
    other = Vocabulary(["x", "y"], np.eye(2, dtype=np.float32), "other")
    assert len(rapt(other, model=str(folder), epsilon=1.0).vocabulary) == 12
