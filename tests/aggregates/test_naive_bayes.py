"""Naive Bayes: what a person adds is bounded exactly, the noise is the one that is paid for, models say labels."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from tests.helpers.records import MemoryRecords
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.classifier import load_model
from textveil.aggregates.features import PublicWords
from textveil.aggregates.learning import learn
from textveil.aggregates.naive_bayes import PersonDocuments, _documents, log_ratios, word_sums
from textveil.aggregates.payment import DELTA_OF_SELECTION, SELECTION
from textveil.aggregates.request import CorpusRequest
from textveil.errors import ParameterError
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.privacy.units import ONE_RECORD_MORE, Unit
from textveil.randomness import seeded_generator
from textveil.types import Integers

VOCABULARY = lettered_vocabulary(40, dim=3)
WORDS = PublicWords(VOCABULARY)


def _square(array: Integers) -> int:
    return sum(value * value for value in array.ravel().tolist())


def _corpus(number: int, seed: int) -> MemoryRecords:
    """Kinds of texts that favor one half of the words; every third person wrote two."""
    rng, words = np.random.default_rng(seed), VOCABULARY.words
    kinds = rng.integers(0, 2, number)
    texts = [" ".join(words[w] for w in rng.integers(0, 30, 8) + 10 * kind) for kind in kinds]
    return MemoryRecords(
        [k - (k % 3 == 2) for k in range(number)], texts, [("rouge", "Grün 2")[kind] for kind in kinds]
    )


def _request(
    records: MemoryRecords,
    rng: np.random.Generator | None = None,
    *,
    epsilon: float = 2.0,
    labels: tuple[str, ...] = (),
) -> CorpusRequest:
    return CorpusRequest(records, epsilon=epsilon, delta=1e-6, labels=labels, vocabulary=VOCABULARY, rng=rng)


def test_rows_depend_on_their_own_document_and_are_bounded() -> None:
    words = VOCABULARY.words
    texts = [" ".join(words[: 1 + k % 30]) for k in range(60)] + ["", "1 2 3", "zzzzqqqq", words[3] * 2000]
    together = WORDS.vectors(texts, GRID).toarray()
    alone = np.vstack([WORDS.vectors([text], GRID).toarray() for text in texts])
    assert np.array_equal(together, alone) and together.dtype == np.int64 and together.min() == 0
    assert max(map(_square, together)) <= GRID**2 < max(map(_square, together)) / 0.99
    assert np.all(together[:, -1] == WORDS.constant(GRID))
    read = WORDS.read([f"{words[0]} {words[0]} {words[2]}", ""]).toarray()
    assert [np.flatnonzero(row).tolist() for row in read] == [[0, 2, 40], [40]] and read.max() == 1


def test_every_neighbor_of_all_small_corpora_is_within_the_bound() -> None:
    """Brute force: all corpora of three persons, with one or two of four documents each and two labels."""
    texts = [VOCABULARY.words[0], " ".join(VOCABULARY.words[:3])]
    documents = list(product(texts, ("a", "b")))
    choices = [(one,) for one in range(4)] + list(combinations_with_replacement(range(4), 2)) + [(0,) * 9]

    def total(corpus: list[tuple[int, ...]]) -> Integers:
        rows = [(who, *documents[one]) for who, held in enumerate(corpus) for one in held]
        rows.sort(key=lambda row: row[1:])  # a person's documents stand apart
        records = MemoryRecords(*map(list, zip(*rows, strict=True)))  # type: ignore[arg-type]
        return word_sums(_documents(_request(records), ("a", "b"), WORDS), WORDS.dim, 2)

    alone = {held: total([held]) for held in choices}
    assert 0.99 * GRID**2 < max(map(_square, alone.values())) <= GRID**2
    for corpus in combinations_with_replacement(choices, 3):
        # What others wrote changes nothing of what a person adds: the sum moves by the bounded part alone.
        assert np.array_equal(total(list(corpus)), sum(alone[held] for held in corpus))


def test_persons_are_gathered_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = _corpus(90, 4)
    parts = list(_documents(_request(corpus), ("rouge",), WORDS))
    whole = word_sums(parts, WORDS.dim, 1)
    for block in (1, 7, 1000):
        monkeypatch.setattr("textveil.aggregates.naive_bayes._BLOCK", block)
        assert np.array_equal(word_sums(parts, WORDS.dim, 1), whole)
    each = MemoryRecords(list(range(90)), corpus.texts, corpus.labels)
    single = word_sums(_documents(_request(each), ("rouge",), WORDS), WORDS.dim, 1)
    each.adjacency = ONE_RECORD_MORE
    assert np.array_equal(single, word_sums(_documents(_request(each), ("rouge",), WORDS), WORDS.dim, 1))
    assert single[-1, 0] == Counter(corpus.labels)["rouge"] * WORDS.constant(GRID) > whole[-1, 0]


def test_a_person_of_very_many_documents_is_bounded_too() -> None:
    """Squares of these sums do not fit into 64 bits."""
    rows = WORDS.vectors([VOCABULARY.words[0]] * 4, GRID)
    rows.data *= 2**30
    part = PersonDocuments(np.zeros(4, np.int64), np.zeros(4, np.int64), rows)
    assert 0.99 * GRID**2 < _square(word_sums([part], WORDS.dim, 1)) <= GRID**2


@pytest.mark.parametrize("labels", [(), ("rouge", "Grün 2")])
def test_the_noise_is_the_one_that_is_paid_for(labels: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out of a corpus, less its sums: alpha 1e-6; a sigma that is 20 % too small would fail."""
    held: list[Integers] = []

    def kept(noisy: Integers, noise: DiscreteGaussian, features: PublicWords) -> np.ndarray:
        held.append(noisy)
        return log_ratios(noisy, noise, features)

    monkeypatch.setattr("textveil.aggregates.naive_bayes.log_ratios", kept)
    corpus, rng = _corpus(600, 1), seeded_generator(3)
    for _ in range(8):
        model = learn(_request(corpus, rng, labels=labels), method="naive-bayes").model
    sums = word_sums(_documents(_request(corpus), model.labels, WORDS), WORDS.dim, 2)
    budget = GaussianBudget(2.0, 1e-6, Fraction(0) if labels else DELTA_OF_SELECTION)
    sigma = budget.noise(GRID**2, Fraction(1) if labels else 1 - SELECTION).sigma
    assert model.report["noise"] == {"words for each label": sigma / GRID}
    assert model.report["guarantee"]["status"] == model.guarantee.status.value == "proved"
    values = np.concatenate([(noisy - sums).ravel() for noisy in held])
    statistic = float(np.square(values / sigma).sum())
    assert chi2.ppf(5e-7, values.size) < statistic < chi2.isf(5e-7, values.size)
    assert statistic / 0.64 > chi2.isf(5e-7, values.size)  # the mutant


def test_a_classifier_learns_and_says_labels_as_they_stood(tmp_path: Path) -> None:
    corpus, test = _corpus(6000, 1), _corpus(400, 2)
    learned = learn(_request(corpus, seeded_generator(3), epsilon=4.0), method="naive-bayes")
    model = learned.model
    said = model.predict(test.texts)
    assert sum(a == b for a, b in zip(said, test.labels, strict=True)) > 360
    assert learned.persons == len(set(corpus.persons))
    assert model.guarantee.unit is Unit.PERSON and model.guarantee.epsilon == 4.0
    model.save(tmp_path)
    loaded = load_model(tmp_path, vocabulary=VOCABULARY)
    assert loaded.predict(test.texts) == said and loaded.predict([]) == []
    assert loaded.guarantee == model.guarantee and loaded.report == model.report
    assert str(learned.persons) not in (tmp_path / "model.json").read_text()


def test_bad_methods_and_labels_are_refused_before_anything_is_read() -> None:
    corpus = MemoryRecords([], [], [])
    with pytest.raises(ParameterError, match="method must be regression or naive-bayes"):
        learn(_request(corpus), method="bayes")
    with pytest.raises(ParameterError, match="`labels` must be different"):
        learn(_request(corpus, labels=("a", "a")), method="naive-bayes")


def test_weights_are_log_ratios_where_noise_is_small() -> None:
    """Two words, each in texts of one label alone, and one in all."""
    texts = {"a": "{0} {2}", "b": "{1} {2}"}
    labels = ["a"] * 300 + ["b"] * 100
    corpus = MemoryRecords(list(range(400)), [texts[label].format(*VOCABULARY.words) for label in labels], labels)
    sums = word_sums(_documents(_request(corpus), ("a", "b"), WORDS), WORDS.dim, 2)
    weights = log_ratios(sums, DiscreteGaussian(sigma=64), WORDS)
    assert np.allclose(weights[-1], np.log([0.75, 0.25])) and np.allclose(weights[3:-1], 0)
    assert np.allclose(weights[2], 0, atol=0.1) and weights[0, 0] > 0.28 and weights[1, 1] > 1.35
    assert weights[0, 1] < -5 and weights[1, 0] < -5
