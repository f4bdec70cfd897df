"""``synthesize``: what comes out is public, is a function of noisy sums, and has exactly so many texts."""

from pathlib import Path

import numpy as np
import pytest
from tests.helpers.records import MemoryRecords
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates import learning
from textveil.aggregates.learning import Moments
from textveil.aggregates.request import CorpusRequest
from textveil.aggregates.synthesis import (
    SyntheticText,
    chosen,
    compared,
    read_pool,
    shares,
    synthesize,
)
from textveil.errors import InputError, ParameterError
from textveil.randomness import seeded_generator

VOCABULARY = lettered_vocabulary(60, dim=5)


def _texts(number: int, seed: int) -> tuple[list[str], list[str]]:
    """Two kinds of texts, each of words near one of two others, and their kinds."""
    rng, words = np.random.default_rng(seed), VOCABULARY.words
    chances = np.exp(VOCABULARY.vectors @ VOCABULARY.vectors[[0, 1]].T / 4).T
    kinds = rng.integers(0, 2, number)
    texts = [
        " ".join(words[word] for word in rng.choice(60, size=12, p=chances[kind] / chances[kind].sum()))
        for kind in kinds
    ]
    return texts, [("rouge", "Grün 2")[kind] for kind in kinds]


def _made(texts: list[str], labels: list[str], pool: list[str], documents: int, seed: int = 5) -> SyntheticText:
    request = CorpusRequest(
        MemoryRecords(list(range(len(texts))), texts, labels),
        epsilon=2.0,
        delta=1e-6,
        labels=("rouge", "Grün 2"),
        vocabulary=VOCABULARY,
        rng=seeded_generator(seed),
    )
    return synthesize(request, pool, documents=documents)


def test_texts_are_of_the_pool_each_once_and_have_the_labels_of_their_kind() -> None:
    pool, kinds = _texts(1000, 1)
    made = _made(*_texts(2000, 2), pool, 300)
    assert len(made.texts) == len(made.labels) == 300 == len(set(made.texts)) and set(made.texts) <= set(pool)
    truth = dict(zip(pool, kinds, strict=True))
    assert np.mean([truth[text] == label for text, label in zip(made.texts, made.labels, strict=True)]) > 0.9
    assert made == _made(*_texts(2000, 2), pool, 300) and made != _made(*_texts(2000, 2), pool, 300, seed=6)
    assert "not for release" in made.report.to_json()
    assert made.report.to_data()["guarantee"]["status"] == "proved"


def test_equal_noisy_sums_give_equal_texts_and_reports_whatever_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything after the noise is post-processing; shares of labels that were counted exactly would fail."""
    rng = np.random.default_rng(3)
    fixed = Moments(np.eye(6, dtype=np.int64) * 10**7, rng.integers(0, 10**5, (6, 2)))

    def noisy(sums: Moments, noise: object, drawing: np.random.Generator) -> Moments:
        assert sums.second.shape == fixed.second.shape and sums.cross.shape == fixed.cross.shape
        return fixed

    monkeypatch.setattr(learning, "_drawn", noisy)
    pool, _ = _texts(200, 1)
    texts, labels = _texts(300, 2)
    first, second = _made(texts, labels, pool, 50), _made(texts[:7], ["rouge"] * 7, pool, 50)
    assert (first.texts, first.labels) == (second.texts, second.labels)
    assert first.report.to_json() == second.report.to_json()
    assert first.persons == 300 and second.persons == 7  # told to the sender alone


def test_without_labels_texts_are_like_the_corpus() -> None:
    pool, kinds = _texts(1000, 1)
    texts, labels = _texts(3000, 2)
    red = [text for text, label in zip(texts, labels, strict=True) if label == "rouge"]
    records = MemoryRecords(list(range(len(red))), red, [], labelled=False)
    request = CorpusRequest(records, epsilon=4.0, delta=1e-6, vocabulary=VOCABULARY, rng=seeded_generator(1))
    made = synthesize(request, pool, documents=100)
    truth = dict(zip(pool, kinds, strict=True))
    assert made.labels == [] and np.mean([truth[text] == "rouge" for text in made.texts]) > 0.9
    with pytest.raises(ParameterError, match="`labels` needs `label`"):
        CorpusRequest(records, epsilon=1.0, delta=1e-6, labels=["a"])


@pytest.mark.parametrize("documents", [1, 2, 7, 100])
def test_shares_sum_up_exactly(documents: int) -> None:
    for seed in range(20):
        weights = np.random.default_rng(seed).random(5)
        whole = shares(weights, documents)
        assert whole.sum() == documents and np.abs(whole - weights / weights.sum() * documents).max() < 1
    assert shares(np.array([0.0, 3.0]), documents).tolist() == [0, documents]


@pytest.mark.parametrize("quotas", [[3, 3, 3], [9, 0, 0], [20, 0, 0], [0, 19, 1], [7, 7, 6]])
def test_every_label_gets_its_texts_and_no_text_comes_twice(quotas: list[int]) -> None:
    scores = np.random.default_rng(0).random((20, 3))
    texts, numbers = chosen(scores, np.array(quotas), seeded_generator(1))
    assert len(set(texts.tolist())) == sum(quotas) and np.bincount(numbers, minlength=3).tolist() == quotas


def test_more_texts_than_the_pool_has_are_refused_before_anything_is_read() -> None:
    with pytest.raises(ParameterError, match="documents must be at most the texts of the public pool, 2; got 3"):
        _made([], [], ["a", "b"], 3)
    with pytest.raises(ParameterError, match="documents must be >= 1"):
        _made([], [], ["a"], 0)


def test_a_pool_is_lines_or_records_each_once(tmp_path: Path) -> None:
    lines = tmp_path / "pool.txt"
    lines.write_text("one\n two \n\none\n", encoding="utf-8")
    assert read_pool(str(lines)) == ["one", "two"]
    records = tmp_path / "pool.jsonl"
    records.write_text('{"text": "one"}\n{"text": "two"}\n', encoding="utf-8")
    assert read_pool(str(records)) == ["one", "two"]
    lines.write_text("\n \n", encoding="utf-8")
    with pytest.raises(InputError, match="public pool must hold texts"):
        read_pool(str(lines))


def test_runs_of_words_that_coincide_with_records_are_listed_with_their_lines() -> None:
    pool = ["A b c d e.", "other words", "short"]
    comparison = compared(["x a B, c y", "nothing", "short"], pool, ["z: a b c d", "short", "other words"], run=3)
    assert [(each.line, each.words) for each in comparison.overlaps] == [(1, "a b c"), (3, "short")]
    assert comparison.in_pool == 2
