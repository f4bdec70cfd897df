"""``learn``: shares of the budget, the law of what comes out, labels that few have, models in folders."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2, norm
from tests.helpers.records import MemoryRecords
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.classifier import FACTS, WEIGHTS, load_model
from textveil.aggregates.learning import Moments, _drawn, _noise, learn
from textveil.aggregates.payment import SELECTION, Selection, label_part, selected
from textveil.aggregates.request import CorpusRequest
from textveil.errors import InputError, ModelError, ParameterError
from textveil.privacy.composition import gaussian_delta
from textveil.privacy.units import Unit
from textveil.randomness import seeded_generator

VOCABULARY = lettered_vocabulary(60, dim=5)


def _corpus(number: int, seed: int) -> MemoryRecords:
    """Two kinds of texts: each favors the words near one of two others. Every third person wrote two."""
    rng, words = np.random.default_rng(seed), VOCABULARY.words
    chances = np.exp(VOCABULARY.vectors @ VOCABULARY.vectors[[0, 1]].T / 4).T
    kinds = rng.integers(0, 2, number)
    texts = [
        " ".join(words[one] for one in rng.choice(60, size=12, p=chances[kind] / chances[kind].sum())) for kind in kinds
    ]
    return MemoryRecords(
        [k - (k % 3 == 2) for k in range(number)], texts, [("rouge", "Grün 2")[kind] for kind in kinds]
    )


@pytest.mark.parametrize("epsilon", [0.05, 0.25, 1.0, 8.0])
@pytest.mark.parametrize("selected", [False, True])
def test_all_noises_together_cost_what_is_stated(epsilon: float, selected: bool) -> None:
    rest = 1 - SELECTION if selected else Fraction(1)
    budget = GaussianBudget(epsilon, 1e-6, Fraction(1, 4) if selected else Fraction(0))
    noise = _noise(budget, rest / 2, rest / 2)
    # The worst persons: all of their second moments on the diagonal, or beside it.
    for diagonal, beside in ((noise.norm**4, 0.0), (0.0, noise.norm**4 / 2)):
        spent = diagonal / noise.diagonal.continuous_sigma**2 + beside / noise.beside.continuous_sigma**2
        spent += noise.norm**2 / noise.cross.continuous_sigma**2
        if selected:
            spent += GRID**2 / budget.noise(GRID**2, SELECTION).continuous_sigma ** 2
        delta = gaussian_delta(epsilon, 1.0, math.sqrt(spent))
        assert 0.95e-6 < delta / (0.75 if selected else 1.0) <= 1e-6
    for labels in range(1, 65):
        assert labels * label_part(labels) ** 2 <= GRID**2
    assert label_part(1) == GRID


def test_what_comes_out_of_nothing_has_the_stated_variance() -> None:
    """Alpha 1e-6 for each of three noises; a sigma that is 20 % too small would fail."""
    dim, labels = 60, 40
    noise = _noise(GaussianBudget(1.0, 1e-6), Fraction(1, 2), Fraction(1, 2))
    zeros = Moments(np.zeros((dim, dim), np.int64), np.zeros((dim, labels), np.int64))
    drawn = _drawn(zeros, noise, seeded_generator(7))
    assert np.array_equal(drawn.second, drawn.second.T)
    upper = drawn.second[np.triu_indices(dim, 1)]
    again = [np.diag(_drawn(zeros, noise, seeded_generator(seed)).second) for seed in range(20)]
    for values, law in ((upper, noise.beside), (np.concatenate(again), noise.diagonal), (drawn.cross, noise.cross)):
        statistic = float(np.square(values / law.sigma).sum())
        assert chi2.ppf(5e-7, values.size) < statistic < chi2.isf(5e-7, values.size)
        assert statistic / 0.64 > chi2.isf(5e-7, values.size)  # the mutant


def test_a_label_of_one_person_does_not_come_out_and_one_of_many_does() -> None:
    """A single person's label passes with probability 2.5e-10 in each of 500 draws: alpha 1.3e-7."""
    selection = Selection.of(GaussianBudget(1.0, 1e-9, Fraction(1, 4)))
    for held in (1, 64):  # all labels that one person alone has, with what each of them may get at most
        passes = held * norm.sf((selection.threshold - 1 - GRID) / selection.noise.sigma)
        assert held / 64 * 0.249e-9 < passes <= held / 64 * 0.25e-9
    rng = seeded_generator(1)
    used = {"many": 1000 * GRID, **{f"only{k}": label_part(64) for k in range(63)}, "mine": GRID}
    chosen = {selected(used, selection, rng) for _ in range(500)}
    assert chosen == {("many",)}
    with pytest.raises(InputError, match=r"about .* persons use them; none was"):
        selected({"mine": GRID}, selection, rng)


def _request(records: MemoryRecords, labels: tuple[str, ...] = (), epsilon: float = 2.0) -> CorpusRequest:
    return CorpusRequest(
        records, epsilon=epsilon, delta=1e-6, labels=labels, vocabulary=VOCABULARY, rng=seeded_generator(3)
    )


def test_a_classifier_learns_and_says_labels_as_they_stood(tmp_path: Path) -> None:
    corpus, test = _corpus(6000, 1), _corpus(400, 2)
    for labels in ((), ("Grün 2", "rouge")):
        learned = learn(_request(corpus, labels, epsilon=4.0))
        said = learned.model.predict(test.texts)
        assert sum(a == b for a, b in zip(said, test.labels, strict=True)) > 360
        assert learned.persons == len(set(corpus.persons))
    model = learned.model
    assert model.guarantee.unit is Unit.PERSON and model.guarantee.epsilon == 4.0
    assert "not for release" in model.report["randomness"]
    model.save(tmp_path)
    loaded = load_model(tmp_path, vocabulary=VOCABULARY)
    assert loaded.predict(test.texts) == said and loaded.predict([]) == []
    assert loaded.guarantee == model.guarantee and loaded.report == model.report
    with pytest.raises(ParameterError, match="Put it into a list"):
        model.predict("one text")
    with pytest.raises(ModelError, match="vocabulary that it was learned with"):
        load_model(tmp_path)


def test_labels_outside_the_public_list_do_not_count() -> None:
    corpus = _corpus(300, 1)
    more = MemoryRecords([*corpus.persons, 9999], [*corpus.texts, "some text"], [*corpus.labels, "secret"])
    models = [learn(_request(records, ("rouge", "Grün 2"))).model for records in (corpus, more)]
    assert np.array_equal(models[0].weights, models[1].weights)
    with pytest.raises(ParameterError, match="`labels` must be different"):
        CorpusRequest(corpus, epsilon=2.0, delta=1e-6, labels=("a", "a"))


def test_damaged_models_are_refused_in_one_line(tmp_path: Path) -> None:
    model = learn(replace(_request(_corpus(300, 1), ("rouge",)), rng=None)).model
    assert model.report["randomness"] == "operating system"
    assert model.report["guarantee"]["status"] == model.guarantee.status.value == "proved"
    with pytest.raises(ModelError, match="No such file"):
        load_model(tmp_path, vocabulary=VOCABULARY)
    model.save(tmp_path)
    facts, weights = (tmp_path / FACTS).read_bytes(), (tmp_path / WEIGHTS).read_bytes()
    data = json.loads(facts)
    for broken, says in (
        (b"{", "other content"),
        (b"[]", "other content"),
        (json.dumps({**data, "format": "another"}).encode(), "another format"),
        (json.dumps({**data, "labels": ["a", "b"]}).encode(), "other numbers"),
        (json.dumps({**data, "labels": [1]}).encode(), "other numbers"),
        (json.dumps({**data, "report": {}}).encode(), "other content"),
    ):
        (tmp_path / FACTS).write_bytes(broken)
        with pytest.raises(ModelError, match=says):
            load_model(tmp_path, vocabulary=VOCABULARY)
    (tmp_path / FACTS).write_bytes(facts)
    (tmp_path / WEIGHTS).write_bytes(weights[:-4])
    with pytest.raises(ModelError, match="damaged numbers"):
        load_model(tmp_path, vocabulary=VOCABULARY)
