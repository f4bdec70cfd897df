"""The study's own encoder: what it learns, that it says what it is, and bad input. Its numbers are never pinned."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.helpers.tiny_models import needed

from textveil.errors import InputError, ModelError, ParameterError
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.bert_score import bert_score
from textveil_lab.evaluation.encoder import TextEncoder
from textveil_lab.evaluation.study_encoder import WordTokens, static_encoder, study_encoder
from textveil_lab.evaluation.study_network import StudySettings, made_network, train

NAMES = ("one", "two", "three", "four", "five", "six")
WORDS = Vocabulary(NAMES, np.eye(6, 8, dtype=np.float32) + 0.01, "six")
TINY = StudySettings(width=16, layers=1, heads=2, length=12, batch=8, steps=60, rate=0.02, sampled=8)
TEXTS = ["one two three four five six . " * 30]


def made(seed: int = 0, texts: Sequence[str] = TEXTS, settings: StudySettings = TINY, **options: Any) -> Any:
    needed("torch", extra="torch")
    return study_encoder(seed, texts=texts, vocabulary=WORDS, settings=settings, **options)


def test_tokens_are_words_in_any_case_marks_numbers_and_others() -> None:
    tokens = WordTokens(WORDS)
    assert tokens("One  two").tolist() == [0, 1]
    first, number, other = tokens("! 17 zebra").tolist()
    assert (first, number, other) == (6, 6 + 32, 6 + 33)
    assert tokens("zebra").tolist() == tokens("caf\u00e9").tolist() == tokens("\u4e00").tolist() == [6 + 33]
    assert tokens(" \n").tolist() == []


def test_it_learns_what_stands_beside_a_word() -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(f"{word} " * 6 for word in rng.choice(NAMES, size=400))]
    losses = made(texts=texts, settings=replace(TINY, steps=150)).losses
    assert np.mean(losses[-10:]) < 1.4 < np.log(6)  # words stand six times in a row; who knows nothing has log 6


def test_the_same_seed_gives_the_same_vectors_and_another_others() -> None:
    short = StudySettings(width=8, layers=1, heads=2, length=8, batch=2, steps=2, sampled=4)
    one, same, other = (made(seed, settings=short).encode(["two five"])[0].vectors for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)


def test_what_it_gives_is_what_bert_score_takes() -> None:
    encoder = made()
    assert isinstance(encoder, TextEncoder)
    short, empty, long = encoder.encode(["two one", "", "one " * 40])
    assert (len(short.tokens), len(empty.tokens), len(long.tokens)) == (2, 0, TINY.length)
    alone = encoder.encode(["two one"])[0]
    np.testing.assert_allclose(short.vectors, alone.vectors, atol=1e-5)  # padding beside longer texts changes nothing
    found = bert_score(["one two", "one two"], ["one two", ""], encoder)
    np.testing.assert_allclose(found.f1, [1, 0], atol=1e-6)
    assert not np.allclose(*encoder.encode(["one two"])[0].vectors[:1], encoder.encode(["one six"])[0].vectors[0])


def test_its_name_says_what_it_is() -> None:
    encoder = made()
    assert encoder.name.startswith("study encoder (no published model: 1 layers over six, masked words of 210 tokens")
    assert made(1).name != encoder.name
    assert "static vectors of six" in static_encoder(WORDS).name


def test_static_vectors_are_the_vocabularys() -> None:
    encoder = static_encoder(WORDS)
    assert isinstance(encoder, TextEncoder)
    rows = encoder.encode(["two ! zebra two"])[0].vectors
    np.testing.assert_array_equal(rows[0, :8], WORDS.vectors[1])
    np.testing.assert_array_equal(rows[0], rows[3])
    np.testing.assert_array_equal(rows[:3] @ rows[1:3].T, [[0, 0], [1, 0], [0, 1]])
    found = bert_score(["one two three"], ["three one two"], encoder)
    assert found.mean == pytest.approx((1, 1, 1))  # static vectors know no order


def test_progress_is_told() -> None:
    seen: list[tuple[int, int | None]] = []
    made(progress=lambda done, whole: seen.append((done, whole)))
    assert (seen[0], seen[-1]) == ((1, 60), (60, 60))


def test_a_loss_that_is_no_number_stops_it() -> None:
    needed("torch", extra="torch")
    network = made_network(WORDS.vectors, 34, TINY, 0, "cpu")
    network.parts["norm"].weight.data.fill_(np.nan)
    with pytest.raises(ModelError, match=r"^the loss must be a number; got nan at step 0\."):
        train(network, np.arange(6).repeat(5), 0)


def test_bad_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("torch", extra="torch")
    with pytest.raises(ParameterError, match=r"^texts must be of more than 12, one window; got 2 tokens"):
        made(texts=["one two"])
    with pytest.raises(ParameterError, match=r"^width must be a multiple of 4 heads"):
        StudySettings(width=10)
    with pytest.raises(ParameterError, match=r"^steps must be >= 1"):
        StudySettings(steps=0)
    with pytest.raises(ParameterError, match=r"^device must be one that torch finds on this machine"):
        made(device="meteor")
    monkeypatch.delenv("TEXTVEIL_SHARED", raising=False)
    with pytest.raises(InputError, match=r"^the study's encoder must have public texts to learn from; got none"):
        study_encoder(99, vocabulary=WORDS)
