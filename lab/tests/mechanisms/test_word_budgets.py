"""Budgets by public classes: the rate of each class, no bound across them, and tables that are refused."""

import math

import numpy as np
import pytest
from scipy.stats import kstest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import InputError, ParameterError
from textveil.privacy.units import within_groups
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.audit.sampled.draws import audit_mechanism_sampled
from textveil_lab.mechanisms.additive.word_budgets import word_budgets
from textveil_lab.mechanisms.capabilities import WithinGroups

ALPHA = 1e-6
LINE = Vocabulary(["a", "b", "c", "d"], np.array([[0.0], [1.0], [2.0], [3.0]], dtype=np.float32), "line")


def law(position: float, rate: float) -> np.ndarray:
    """P(nearest of 0, 1, 2, 3) for one-dimensional Laplace noise."""

    def below(point: float) -> float:
        gap = point - position
        return 0.5 * math.exp(rate * gap) if gap < 0 else 1 - 0.5 * math.exp(-rate * gap)

    edges = [0.0, *(below(edge) for edge in (0.5, 1.5, 2.5)), 1.0]
    return np.diff(edges)


def test_each_class_loses_its_own_rate_and_two_classes_have_no_bound() -> None:
    """On a line the law of the output is exact: within a class the loss per distance is below the rate."""
    made = word_budgets(LINE, epsilon_per_distance=2.0, sensitive_share=0.25, clip=None)
    assert isinstance(made, WithinGroups) and made.guarantee.adjacency == within_groups("class of words")
    assert made.groups.tolist() == [1, 1, 0, 0] and made.shares.tolist() == [0.25, 1.0]
    assert made.guarantee.epsilon_per_distance == 2.0
    for first, second, rate in ((0, 1, 2.0), (2, 3, 0.5)):
        ratio = np.log(law(first, rate) / law(second, rate))
        assert np.abs(ratio).max() <= rate * abs(first - second) * (1 + 1e-12)
    same_place = np.abs(np.log(law(1.0, 2.0) / law(1.0, 0.5))).max()
    assert same_place > 0.7  # at distance 0 of two words of different classes


def test_draws_follow_the_rate_of_the_class(rng) -> None:
    made, count = word_budgets(LINE, epsilon_per_distance=2.0, sensitive_share=0.25, clip=None), 100_000
    for word, rate, mutant in ((0, 2.0, 0.5), (3, 0.5, 2.0)):
        drawn = np.bincount(made.privatize(np.full(count, word), rng), minlength=4)
        expected = law(word, rate) * count
        assert abs(drawn[word] - expected[word]) < 6 * math.sqrt(expected[word])  # two-sided 2e-9
        assert abs(drawn[word] - law(word, mutant)[word] * count) > 60 * math.sqrt(expected[word])


def test_noise_is_fresh_and_of_the_right_size_for_words_of_both_classes_in_one_call(rng) -> None:
    fine = Vocabulary([f"w{i}" for i in range(2001)], (np.arange(2001, dtype=np.float32)[:, None] - 1000) / 50, "fine")
    made = word_budgets(fine, epsilon_per_distance=2.0, sensitive_share=0.5, clip=None)
    assert made.groups[999] == 1 and made.groups[1001] == 0  # of the frequent half, and of the rare
    words = np.tile([999, 1001], 4000)
    moved = fine.vectors[made.privatize(words, rng), 0] - fine.vectors[words, 0]
    noise = moved + rng.uniform(-0.01, 0.01, len(moved))  # undoes the grid
    assert kstest(noise[::2] * 2.0, "laplace").pvalue > ALPHA
    assert kstest(noise[1::2], "laplace").pvalue > ALPHA
    assert kstest(noise[1::2] * 2.0, "laplace").pvalue < ALPHA  # the mutant: one rate for all


def test_the_claim_is_about_words_of_one_class(rng) -> None:
    made = word_budgets(LINE, epsilon_per_distance=1.0, sensitive_share=0.05, clip=None)
    found = audit_mechanism_sampled(made, samples=4000, confidence=1 - ALPHA, rng=rng)
    assert found.verdict is Verdict.NOT_REFUTED
    across = audit_mechanism_sampled(made, Claim(epsilon=1.0), pairs=[(1, 2)], samples=20_000, rng=rng)
    assert across.verdict is Verdict.REFUTED


def test_a_file_says_the_shares_and_words_that_it_lacks_have_all(tmp_path) -> None:
    path = tmp_path / "budgets.txt"
    path.write_text("b 0.5\nunknown 0.1\n\nd 0.25\n", encoding="utf-8")
    made = word_budgets(LINE, epsilon=1.0, budgets=str(path))
    assert made.shares[made.groups].tolist() == [1.0, 0.5, 1.0, 0.25]
    assert made.parameters["budgets"] == "budgets.txt"
    for wrong in ("b\n", "b 0\n", "b 1.5\n", "b x\n", "b 0.5 c\n", "b nan\n"):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match=r"a word and a share in \(0, 1\] in each line; line 1 has others"):
            word_budgets(LINE, epsilon=1.0, budgets=str(path))


def test_a_table_of_one_word_classes_promises_nothing_and_is_refused(tmp_path) -> None:
    path = tmp_path / "budgets.txt"
    path.write_text("b 0.5\nc 0.25\nd 0.125\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"^budgets must be a table with two words of one class at least; got 4"):
        word_budgets(LINE, epsilon=1.0, budgets=str(path))
    path.write_text("b 0.5\nc 0.25\nd 0.5\n", encoding="utf-8")
    assert np.bincount(word_budgets(LINE, epsilon=1.0, budgets=str(path)).groups).tolist() == [1, 2, 1]


def test_names_have_less_where_they_are_known(embedded) -> None:
    made = word_budgets(embedded, epsilon=8.0, budgets="names", projection="numpy")
    assert made.groups[embedded.id_of("maria")] == 0 and made.groups[embedded.id_of("because")] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 1.0, "budgets": "elsewhere"}, "budgets must be rare, names or a file"),
        ({"epsilon": 1.0, "budgets": "names"}, "budgets must be rare or a file for a vocabulary whose names"),
        ({"epsilon": 1.0, "sensitive_share": 1.0}, r"sensitive_share must be in \(0, 1\)"),
        ({}, "exactly one of"),
    ],
)
def test_bad_options_are_refused(options, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        word_budgets(made_vocabulary(9), **options)
