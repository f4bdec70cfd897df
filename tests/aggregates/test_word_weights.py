"""Weights of words: what one person adds is bounded exactly, the noises cost what is stated, and they pay."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2, norm
from tests.helpers.records import MemoryRecords
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates import word_weights
from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.classifier import FACTS, load_model
from textveil.aggregates.features import MODEL_NORM, PublicFeatures, public_transform
from textveil.aggregates.learning import _noise, learn
from textveil.aggregates.parts import InProcess
from textveil.aggregates.payment import SELECTION
from textveil.aggregates.person_words import GatheredVectors, PersonVectors
from textveil.aggregates.request import CorpusRequest
from textveil.aggregates.word_weights import (
    COUNT,
    COUNTED,
    CROSS,
    CROSS_ALONE,
    ENOUGH,
    LONGEST,
    NORM,
    ONE,
    SECOND,
    SECOND_ALONE,
    WORD_NORM,
    WordNoise,
    coordinates,
    counted_persons,
    residuals,
    round_sums,
    signal_of,
    word_sums,
    words_pay,
)
from textveil.errors import ModelError
from textveil.numerics.discrete_noise import LARGEST_SIGMA, DiscreteGaussian
from textveil.privacy.composition import gaussian_delta
from textveil.randomness import seeded_generator
from textveil.types import Integers, Reals

VOCABULARY = lettered_vocabulary(40, dim=3)
FEATURES = PublicFeatures(VOCABULARY, public_transform(VOCABULARY))


def _square(array: Integers) -> int:
    return sum(value * value for value in array.ravel().tolist())


def _part(texts: list[str], persons: list[int], labels: list[int]) -> PersonVectors:
    counts = FEATURES.counts(texts)
    return PersonVectors(
        np.array(persons, dtype=np.int64),
        FEATURES.vectors_of(counts, MODEL_NORM),
        np.array(labels, dtype=np.int64),
        counts,
    )


def _weights(scale: float, labels: int) -> tuple[Reals, Reals]:
    rng = np.random.default_rng(7)
    return scale * rng.normal(size=(FEATURES.dim, labels)), scale * rng.normal(size=(40, labels))


def test_words_depend_on_their_own_document_and_are_bounded() -> None:
    words = VOCABULARY.words
    texts = [" ".join(words[: 1 + k % 40]) for k in range(60)] + ["", "1 2 3", words[3] * 3, f"{words[5]} " * 100_000]
    together = FEATURES.words_of(FEATURES.counts(texts), WORD_NORM).toarray()
    alone = np.vstack([FEATURES.words_of(FEATURES.counts([text]), WORD_NORM).toarray() for text in texts])
    assert np.array_equal(together, alone) and together.dtype == np.int64
    squares = [_square(row) for row in together]
    assert 0.99 * WORD_NORM**2 < max(squares) <= WORD_NORM**2
    assert together[63, 5] == WORD_NORM


@pytest.mark.parametrize("labels", [1, 2, 3, 64])
def test_residuals_are_bounded_and_those_of_their_own_document(labels: int) -> None:
    """Up to scores beyond what 32 bits hold, and far too large for the table."""
    rng = np.random.default_rng(labels)
    scores = np.rint(rng.normal(size=(500, labels)) * 2.0 ** rng.uniform(0, 45, (500, 1))).astype(np.int64)
    scores[0], numbers = 0, rng.integers(0, labels, 500)
    together = residuals(scores, numbers)
    alone = [residuals(scores[k : k + 1], numbers[k : k + 1]) for k in range(500)]
    assert np.array_equal(together, np.vstack(alone))
    assert max(map(_square, together)) <= LONGEST**2
    if labels > 1:  # a document whose label had no chance counts in full
        assert max(map(_square, together)) > 0.98 * LONGEST**2
        # Close to the logistic residual where nothing is cut: a part of the grid for each label, and the table's step.
        flat = np.exp((scores - scores.max(axis=1, keepdims=True)) / 2**24)
        real = np.eye(labels)[numbers] - flat / flat.sum(axis=1, keepdims=True)
        short = np.linalg.norm(real, axis=1) * ONE < LONGEST - 2
        assert np.abs(together - real * ONE)[short].max(initial=0) < 8


def test_every_neighbor_of_all_small_corpora_is_within_the_bound() -> None:
    """Brute force: all corpora of three persons, with one or two of four documents each and two labels."""
    documents = list(product((VOCABULARY.words[0], " ".join(VOCABULARY.words[1:4])), range(2)))
    choices = [(one,) for one in range(4)] + list(combinations_with_replacement(range(4), 2))
    for scale, tight in ((0.0, 0.99), (30.0, 0.9)):
        weights = _weights(scale, 2)

        @cache
        def total(
            corpus: tuple[tuple[int, ...], ...], weights: tuple[Reals, Reals] = weights
        ) -> tuple[Integers, Integers]:
            rows = [documents[one] for held in corpus for one in held]
            persons = [number for number, held in enumerate(corpus) for _ in held]
            parts = [_part([text for text, _ in rows], persons, [label for _, label in rows])]
            return word_sums(parts, FEATURES), round_sums(parts, FEATURES, weights)

        largest = [0, 0]
        for corpus in combinations_with_replacement(choices, 3):
            whole = total(corpus)
            for left_out in range(3):
                rest = total(tuple(held for number, held in enumerate(corpus) if number != left_out))
                moved = [_square(a - b) for a, b in zip(whole, rest, strict=True)]
                largest = [max(a, b) for a, b in zip(largest, moved, strict=True)]
        assert tight * WORD_NORM**2 < largest[0] <= WORD_NORM**2
        assert tight * (NORM * LONGEST) ** 2 < largest[1] <= (NORM * LONGEST) ** 2


def test_a_person_of_very_many_documents_adds_no_more_than_one() -> None:
    """Sums whose squares no longer fit into 64 bits are shortened all the same."""
    text = " ".join(VOCABULARY.words[:9])
    part = _part([text] * 4000, [0] * 4000, [0] * 4000)
    weights = _weights(0.0, 2)
    assert _square(word_sums([part], FEATURES)) <= WORD_NORM**2
    assert 0.9 * (NORM * LONGEST) ** 2 < _square(round_sums([part], FEATURES, weights)) <= (NORM * LONGEST) ** 2
    many = word_weights.shortened(np.full((300, 4), 2**40, dtype=np.int64), 2**18)
    assert 0.99 * 2**36 < _square(many) <= 2**36


def test_documents_come_back_from_the_disk_by_person() -> None:
    texts = [" ".join(VOCABULARY.words[k % 7 : k % 11 + 1]) for k in range(50)]
    persons, labels = [k * 7 % 13 for k in range(50)], [k % 3 for k in range(50)]
    parts = [_part(texts[a : a + 9], persons[a : a + 9], labels[a : a + 9]) for a in range(0, 50, 9)]
    order = np.argsort(persons, kind="stable").tolist()
    expected = _part([texts[k] for k in order], [persons[k] for k in order], [labels[k] for k in order])
    gathered = GatheredVectors(parts, FEATURES.dim)
    for _ in range(2):  # each round reads them again
        [got] = gathered
        assert np.array_equal(got.persons, expected.persons) and np.array_equal(got.labels, expected.labels)
        assert np.array_equal(got.vectors, expected.vectors)
        assert got.counts is not None and expected.counts is not None
        assert np.array_equal(got.counts.toarray(), expected.counts.toarray())
    assert list(GatheredVectors([], FEATURES.dim)) == []


@pytest.mark.parametrize("epsilon", [0.1, 0.25, 1.0, 8.0])
@pytest.mark.parametrize("selected", [False, True])
def test_all_noises_together_cost_what_is_stated(epsilon: float, selected: bool) -> None:
    rest = 1 - SELECTION if selected else Fraction(1)
    budget = GaussianBudget(epsilon, 1e-6, Fraction(1, 4) if selected else Fraction(0))
    noise, words = _noise(budget, SECOND * rest, CROSS * rest), WordNoise.of(budget, rest)
    assert words is not None
    counted = COUNTED**2 / budget.noise(COUNTED**2, COUNT * rest).continuous_sigma ** 2
    spent = counted + noise.norm**4 / noise.diagonal.continuous_sigma**2
    spent += noise.norm**2 / noise.cross.continuous_sigma**2 + WORD_NORM**2 / words.words.continuous_sigma**2
    spent += word_weights.ROUNDS * (NORM * LONGEST) ** 2 / words.round.continuous_sigma**2
    other = _noise(budget, SECOND_ALONE * rest, CROSS_ALONE * rest)
    without = counted + other.norm**4 / other.diagonal.continuous_sigma**2
    without += other.norm**2 / other.cross.continuous_sigma**2
    for total in (spent, without):
        if selected:
            total += GRID**2 / budget.noise(GRID**2, SELECTION).continuous_sigma ** 2
        delta = gaussian_delta(epsilon, 1.0, math.sqrt(total))
        assert 0.95e-6 < delta / (0.75 if selected else 1.0) <= 1e-6


def test_noise_that_cannot_be_drawn_is_not_asked_for() -> None:
    for epsilon in (0.001, *(0.01 * k for k in range(1, 11))):
        budget = GaussianBudget(epsilon, 1e-9)
        noise = WordNoise.of(budget, Fraction(1))
        assert epsilon < 0.095 if noise is None else noise.round.sigma < LARGEST_SIGMA


def test_the_number_of_persons_is_noisy_and_decides() -> None:
    """Alpha 1e-6 for the variance of 400 draws; a sigma that is 20 % too small would fail."""
    budget, rng = GaussianBudget(1.0, 1e-6), seeded_generator(5)
    noise, mu = budget.noise(COUNTED**2, COUNT), math.sqrt(budget.squared_mu)
    documents = np.repeat([1, 2, 9, 10, 10**9], 2000)
    exact = 2000 * (1 + 22 / 16 + 3 * 3)
    drawn = np.array([signal_of(counted_persons(documents), budget, noise, rng) for _ in range(400)]) / mu - exact
    statistic = float(np.square(drawn * 16 / noise.sigma).sum())
    assert chi2.ppf(5e-7, 400) < statistic < chi2.isf(5e-7, 400)
    assert statistic / 0.64 > chi2.isf(5e-7, 400)  # the mutant
    assert [words_pay(ENOUGH, labels) for labels in (2, 64, 65)] == [True, True, False]
    assert not words_pay(ENOUGH - 1, 2)
    assert [coordinates(signal, 300) for signal in (0, 200, 400, 600, 1e6)] == [40, 40, 133, 300, 300]
    assert coordinates(100.0, 25) == 25


def test_rounds_of_no_document_have_the_stated_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alpha 1e-6 for words, for each round, and for the correlation of each two of them.

    A sigma that is 20 % too small would fail, and so would two noises of one seed.
    """
    drawn: list[tuple[Integers, int]] = []
    plain = word_weights.noisy

    def kept(sums: Integers, noise: DiscreteGaussian, rng: np.random.Generator) -> Integers:
        assert not sums.any()
        drawn.append((plain(sums, noise, rng), noise.sigma))
        return drawn[-1][0]

    monkeypatch.setattr(word_weights, "noisy", kept)
    noise = WordNoise.of(GaussianBudget(1.0, 1e-6), Fraction(1))
    assert noise is not None
    vocabulary = lettered_vocabulary(676, dim=2)
    features, empty = PublicFeatures(vocabulary, public_transform(vocabulary)), InProcess([GatheredVectors([], 3)])
    word_weights.refined(empty, features, np.zeros((3, 4)), np.eye(3), 1.0, noise, seeded_generator(1))
    sizes = [(values.shape, sigma) for values, sigma in drawn]
    assert sizes == [((676,), noise.words.sigma), *[((679, 4), noise.round.sigma)] * word_weights.ROUNDS]
    for values, sigma in drawn:
        statistic = float(np.square(values / sigma).sum())
        assert chi2.ppf(5e-7, values.size) < statistic < chi2.isf(5e-7, values.size)
        assert statistic / 0.64 > chi2.isf(5e-7, values.size)  # the mutant
    for (one, sigma), (other, of_other) in combinations(drawn, 2):
        size = min(one.size, other.size)
        product_sum = float((one.ravel()[:size] / sigma) @ (other.ravel()[:size] / of_other))
        assert abs(product_sum) < norm.isf(5e-7) * math.sqrt(size)  # the mutant has ``size``, 26 or 52 deviations


def test_fewer_coordinates_are_the_first_directions_of_public_text(tmp_path: Path) -> None:
    vocabulary = lettered_vocabulary(200, dim=60)
    words, all_of_them = vocabulary.words, PublicFeatures(vocabulary, public_transform(vocabulary))
    few = PublicFeatures(vocabulary, public_transform(vocabulary, 40))
    assert (all_of_them.dim, few.dim) == (61, 41) and few.digest != all_of_them.digest
    assert np.array_equal(public_transform(vocabulary, 60), public_transform(vocabulary))
    vectors = few.vectors([" ".join(words[k : k + 5]) for k in range(100)], 2**10)
    assert all(0.9 * 2**20 < _square(row) <= 2**20 for row in vectors)
    texts = [" ".join(words[k % 2 * 100 : k % 2 * 100 + 9]) for k in range(500)]
    records = MemoryRecords(list(range(500)), texts, [str(k % 2) for k in range(500)])
    model = learn(CorpusRequest(records, epsilon=1.0, delta=1e-6, vocabulary=vocabulary, rng=seeded_generator(1))).model
    assert model.features.dim == 41 and model.predict(texts[:2]) == ["0", "1"]
    model.save(tmp_path)
    assert load_model(tmp_path, vocabulary=vocabulary).predict(texts) == model.predict(texts)
    assert '"textveil classifier 2"' in (tmp_path / FACTS).read_text()


def _corpus(number: int, seed: int) -> MemoryRecords:
    """Texts of common words, and one rare word by which alone the labels differ; every third person wrote two."""
    rng, words = np.random.default_rng(seed), VOCABULARY.words
    kinds = rng.integers(0, 2, number)
    texts = [" ".join([*rng.choice(words[:38], 9), words[38 + kind]]) for kind in kinds]
    return MemoryRecords([k - (k % 3 == 2) for k in range(number)], texts, [("a", "b")[kind] for kind in kinds])


def test_models_of_many_persons_weigh_words_and_old_models_load(tmp_path: Path) -> None:
    train, test = _corpus(6000, 1), _corpus(500, 2)
    request = CorpusRequest(train, epsilon=4.0, delta=1e-6, vocabulary=VOCABULARY, rng=seeded_generator(3))
    model = learn(request).model
    assert model.words is not None and model.report["public"]["words"] == "weighed"
    said = model.predict(test.texts)
    assert sum(a == b for a, b in zip(said, test.labels, strict=True)) > 490
    model.save(tmp_path)
    assert load_model(tmp_path, vocabulary=VOCABULARY).predict(test.texts) == said
    old = (tmp_path / FACTS).read_text().replace("classifier 2", "classifier 1")
    (tmp_path / FACTS).write_text(old)
    with pytest.raises(ModelError, match="another format"):
        load_model(tmp_path, vocabulary=VOCABULARY)
    replace(model, words=model.words[1:]).save(tmp_path)
    with pytest.raises(ModelError, match="other numbers"):
        load_model(tmp_path, vocabulary=VOCABULARY)
    few = learn(replace(request, records=_corpus(600, 1), rng=seeded_generator(3))).model
    assert few.words is None and few.report["public"]["words"] == "in vectors alone"
    few.save(tmp_path)
    assert '"textveil classifier 1"' in (tmp_path / FACTS).read_text()
    assert load_model(tmp_path, vocabulary=VOCABULARY).predict(test.texts) == few.predict(test.texts)


def test_public_labels_that_nobody_has_are_learned_from_nothing() -> None:
    request = CorpusRequest(
        _corpus(6000, 1), epsilon=4.0, delta=1e-6, labels=("x", "y"), vocabulary=VOCABULARY, rng=seeded_generator(3)
    )
    model = learn(request).model
    assert model.words is None and set(model.predict(["", VOCABULARY.words[0]])) <= {"x", "y"}
