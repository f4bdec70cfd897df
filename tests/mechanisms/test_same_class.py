"""A word of the same public class: its law, epsilon 0 by enumeration, draws, and what it refuses."""

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import table, worst_integer_ratio
from tests.helpers.shared import needs_lab

import textveil as tv
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import GroupedChannel, class_rows, same_class
from textveil.randomness import seeded_generator
from textveil.vocabulary.facts import word_classes
from textveil.vocabulary.vocabulary import Vocabulary

ALPHA = 1e-6
WORDS = ("lawyer", "bread", "the", "nurse", "soup", "child", "paris", "cheese", "london", "happy")


@pytest.fixture(scope="module")
def few() -> Vocabulary:
    """Ten words: three persons, three foods, two places, and two that are alone in their class."""
    return Vocabulary(WORDS, np.random.default_rng(7).normal(size=(len(WORDS), 4)).astype(np.float32))


@pytest.fixture(scope="module")
def channel(few: Vocabulary) -> GroupedChannel:
    return same_class(few)


@needs_lab
def test_rows_of_one_class_are_equal_so_epsilon_is_zero(channel: GroupedChannel) -> None:
    from textveil_lab.audit.report.report import Verdict

    assert channel.guarantee.epsilon == 0.0
    for group in (["lawyer", "nurse", "child"], ["bread", "soup", "cheese"], ["paris", "london"]):
        rows = table(channel)[[WORDS.index(word) for word in group]]
        reached = rows[:, rows.any(axis=0)]
        assert reached.shape == (len(group), len(group))
        assert (
            worst_integer_ratio(channel.integer_weights(np.array([WORDS.index(w) for w in group]))[:, rows.any(0)]) == 1
        )
    assert tv.audit(channel).verdict is Verdict.CERTIFIED


def test_guarantee_says_that_classes_are_public(channel: GroupedChannel) -> None:
    assert channel.guarantee.adjacency.shared == "the public class of every word"
    assert "own public class alone" in str(channel.guarantee.adjacency)


def test_word_alone_in_its_class_is_in_no_group(channel: GroupedChannel) -> None:
    alone = [WORDS.index("the"), WORDS.index("happy")]
    assert [int(group) for group in channel.groups[alone]] == [-1, -1]
    assert channel.privatize(np.array(alone * 5), seeded_generator(3)).tolist() == alone * 5
    assert (np.delete(channel.groups, alone) >= 0).all()


def test_probabilities_are_the_public_counts_within_the_class(few: Vocabulary, tmp_path) -> None:
    counts = tmp_path / "counts.txt"
    counts.write_text("bread 6\nsoup 3\ncheese 1\n")
    row = same_class(few, prior=str(counts)).probabilities(WORDS.index("soup"))
    expected = {"bread": 0.6, "soup": 0.3, "cheese": 0.1}
    assert row.tolist() == pytest.approx([expected.get(word, 0.0) for word in WORDS])


def test_draws_follow_the_law() -> None:
    """Chi-squared test at alpha = 1e-6; kills a draw by ranks in place of counts, and one shifted by a word."""
    classes, counts = np.array([1, 0, 1, 0, 1, 2]), np.array([5, 2, 3, 8, 12, 1])
    rows = class_rows(classes, counts)
    for word in (0, 1):
        drawn = rows.draw(np.full(40_000, word), seeded_generator(11 + word))
        members = np.flatnonzero(classes == classes[word])
        law = counts[members] / counts[members].sum()
        found = np.bincount(drawn, minlength=len(counts))
        assert found.sum() == found[members].sum()
        assert chisquare(found[members], law * 40_000).pvalue > ALPHA


def test_weights_are_the_law_of_the_draws() -> None:
    classes, counts = np.array([1, 0, 1]), np.array([5, 2, 3])
    assert class_rows(classes, counts).weights(np.array([0, 1, 2])).tolist() == [[5, 0, 3], [0, 2, 0], [5, 0, 3]]


def test_every_word_stays_in_its_class(embedded: Vocabulary) -> None:
    ids = np.arange(len(embedded))
    classes = word_classes(embedded.words)
    drawn = same_class(embedded).privatize(ids, seeded_generator(5))
    assert np.array_equal(classes[drawn], classes)
    assert (drawn != ids).mean() > 0.9


def test_vocabulary_without_two_words_of_a_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="share a class"):
        same_class(Vocabulary(("lawyer", "bread"), np.eye(2, dtype=np.float32)))
