"""The rewriter: what it learns, what it repeats, and what it refuses."""

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.types import Ids
from textveil_lab.models.autoencoder.network import AutoencoderSettings
from textveil_lab.rewriting.injection import Feeding, Injection
from textveil_lab.rewriting.rewriter import Rewriter, train_rewriter

torch = pytest.importorskip("torch")

WORDS = 12
VOCABULARY = made_vocabulary(WORDS)
SMALL = AutoencoderSettings(hidden=32, code=16, dropout=0.0, batch=20, epochs=40, length=6)


def sentences(count: int = 60) -> list[Ids]:
    rng = np.random.default_rng(3)
    return [np.sort(rng.integers(0, WORDS, size=rng.integers(1, 5))) for _ in range(count)]


@pytest.fixture(scope="module")
def trained() -> Rewriter:
    return train_rewriter(sentences(), VOCABULARY, SMALL, seed=1)


def test_it_learns_to_say_what_it_read(trained: Rewriter) -> None:
    assert len(trained.losses) == len(trained.seconds) == SMALL.epochs
    assert trained.losses[-1] < 0.5 * trained.losses[0]
    given = sentences()
    assert trained.loss(given, seed=1, feeding=Feeding.CLEAN) < 1.0
    again = trained.rewrite(given, seed=1)
    assert np.mean([np.array_equal(one, other) for one, other in zip(given, again, strict=True)]) > 0.5


def test_nothing_is_promised_of_the_sentences_of_the_training(trained: Rewriter) -> None:
    told = "no guarantee (the network was trained on this very text)"
    assert str(trained.promise(sentences())) == told
    others = sentences()[::-1]
    assert str(trained.promise(others)) == str(trained.injection.guarantee()) != told
    assert str(trained.promise(others, trained_on=True)) == told


def test_a_seed_repeats_everything(trained: Rewriter) -> None:
    other = train_rewriter(sentences(), VOCABULARY, SMALL, seed=1)
    assert other.losses == trained.losses
    for decoding in ("greedy", "sampled"):
        once, twice = (one.rewrite(sentences(), seed=5, decoding=decoding) for one in (trained, other))
        assert all(map(np.array_equal, once, twice))


@pytest.mark.parametrize("feeding", list(Feeding))
def test_lengths(trained: Rewriter, feeding: Feeding) -> None:
    given = sentences()
    said = trained.rewrite(given, seed=1, feeding=feeding, decoding="sampled", temperature=2.0)
    assert all(1 <= len(one) <= SMALL.length and one.dtype == np.int64 and one.max() < WORDS for one in said)
    told = trained.rewrite(given, seed=1, feeding=feeding, decoding="sampled", same_length=True)
    assert [len(one) for one in told] == [len(one) for one in given]


def test_a_corpus_smaller_than_a_batch_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one batch, 20; got 3"):
        train_rewriter(sentences()[:3], VOCABULARY, SMALL, seed=1)


def test_an_empty_sentence_is_refused_by_its_number(trained: Rewriter) -> None:
    bad = [*sentences()[:20], np.empty(0, dtype=np.int64)]
    with pytest.raises(ParameterError, match="sentence 21 must be of one word at least; got an empty one"):
        train_rewriter(bad, VOCABULARY, SMALL, seed=1)
    with pytest.raises(ParameterError, match="sentence 21 must be"):
        trained.rewrite(bad, seed=1)


@pytest.mark.parametrize("device", ["cuda", "mtia"])
def test_a_device_that_is_not_there_is_refused(device: str) -> None:
    if device == "cuda" and torch.cuda.is_available():
        pytest.skip("there is one here")
    with pytest.raises(ParameterError, match=f"device must be one that torch finds on this machine; got {device}"):
        train_rewriter(sentences(), VOCABULARY, SMALL, Injection.none(), seed=1, device=device)
