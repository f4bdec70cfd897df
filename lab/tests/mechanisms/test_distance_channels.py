"""TEM, SanText, SanText+, PRIVIC and words of one tag: laws, losses by enumeration, draws, and what they refuse."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import table, worst_log_ratio, worst_metric_loss
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.randomized_response import GroupedChannel, IntegerChannel
from textveil.privacy.guarantees import MetricDP, PureDP
from textveil.randomness import seeded_generator
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.mechanisms.channels.privic import prior_weights
from textveil_lab.mechanisms.channels.same_tag import ending_of, word_tags
from textveil_lab.vocabulary.grid_distances import distances_on

NAMES = ("tem", "santext", "santext-plus", "privic", "same-tag")


def made(name: str, vocabulary: Vocabulary, **options: Any) -> Any:
    found = mechanism(name, vocabulary, **options)
    assert isinstance(found, IntegerChannel | GroupedChannel)
    return found


def distances(vocabulary: Vocabulary, clip: float | None) -> np.ndarray:
    return distances_on(integer_grid(vocabulary), np.arange(len(vocabulary)), clip)


def compared(channel: Any) -> list[np.ndarray]:
    """The words that the guarantee compares with each other."""
    groups = getattr(channel, "groups", np.zeros(len(channel.vocabulary), dtype=int))
    return [np.flatnonzero(groups == group) for group in np.unique(groups[groups >= 0])]


@pytest.mark.parametrize("epsilon", [0.4, 1.0, 8.0, 60.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_loss_is_within_a_pure_guarantee(tiny, name: str, epsilon: float) -> None:
    channel = made(name, tiny, epsilon=epsilon)
    assert isinstance(channel.guarantee, PureDP)
    assert channel.guarantee.epsilon <= epsilon
    for words in compared(channel):
        rows = table(channel)[words]
        assert worst_log_ratio(rows[:, rows.any(axis=0)]) <= channel.guarantee.epsilon * (1 + 1e-12)
    assert tv.audit(channel).verdict is Verdict.CERTIFIED


@pytest.mark.parametrize("per_distance", [0.3, 2.0, 25.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_loss_is_within_a_guarantee_per_distance(tiny, name: str, per_distance: float) -> None:
    channel = made(name, tiny, epsilon_per_distance=per_distance)
    promise = channel.guarantee
    assert isinstance(promise, MetricDP) and promise.epsilon_per_distance == per_distance
    far = distances(tiny, channel.parameters["clip"])
    cut = np.minimum(far, promise.diameter)  # of the truncated metric, which is the smaller one
    for words in compared(channel):
        rows = table(channel)[words]
        rows = rows[:, rows.any(axis=0)]
        assert worst_metric_loss(rows, cut[np.ix_(words, words)]) <= per_distance
    # It is no proof of nothing: a quarter of the promise is broken by some pair.
    assert any(
        worst_metric_loss(rows[:, rows.any(axis=0)], cut[np.ix_(words, words)]) > per_distance / 4
        for words in compared(channel)
        for rows in [table(channel)[words]]
    )


@pytest.mark.parametrize("per_distance", [1.0, 12.0])
def test_tem_is_the_paper_s_algorithm(tiny, per_distance: float) -> None:
    """Score by score: the words within gamma, and one element for all others, which are then drawn alike."""
    beta = 0.05
    channel = made("tem", tiny, epsilon_per_distance=per_distance, beta=beta)
    gamma = 2 * math.log((1 - beta) * 39 / beta) / per_distance
    far = distances(tiny, 1.0)
    cut = 0
    for word in range(40):
        within = far[word] <= gamma
        weights = np.where(within, np.exp(per_distance / 2 * -far[word]), 0.0)
        if not within.all():
            last = -gamma + 2 * math.log((~within).sum()) / per_distance
            weights[~within] = math.exp(per_distance / 2 * last) / (~within).sum()
            cut += 1
        assert channel.probabilities(word) == pytest.approx(weights / weights.sum(), rel=1e-4)
    assert cut == (40 if per_distance == 12.0 else 0)


def test_tem_spends_no_more_than_its_truncation_allows(tiny) -> None:
    most = 2 * math.log(0.999 * 39 / 0.001)
    # Where normalizers are nearly alike, half of that is lost; with 55 bits of weights, no more than their logarithm.
    assert most / 2 <= made("tem", tiny, epsilon=60.0).guarantee.epsilon <= most
    by_bits = made("tem", tiny, epsilon=60.0, truncation=0.5).guarantee.epsilon
    assert by_bits == pytest.approx(55 * math.log(2), rel=0.01)
    steep, flat = (
        made("tem", tiny, epsilon=4.0, truncation=truncation).probabilities(3)[3] for truncation in (0.5, 3.0)
    )
    assert steep != flat


def test_santext_is_exponential_without_clipping_and_with_the_paper_s_epsilon(tiny) -> None:
    default = made("santext", tiny)
    assert default.guarantee.epsilon_per_distance == 3.0
    assert default.parameters == {"epsilon_per_distance": 3.0, "clip": None}
    other = mechanism("exponential", tiny, epsilon=2.0, clip=None)
    assert table(made("santext", tiny, epsilon=2.0)) == pytest.approx(table(other), rel=1e-9)
    weights = np.exp(-1.5 * distances(tiny, None)[7])
    assert default.probabilities(7) == pytest.approx(weights / weights.sum(), rel=1e-3, abs=1e-9)


def test_sensitive_words_become_sensitive_words_and_others_mostly_stay(tiny) -> None:
    channel = made("santext-plus", tiny, epsilon=2.0, p=0.3, w=0.25)
    rare = np.zeros(40, dtype=bool)
    rare[np.argsort(word_frequencies(tiny).counts, kind="stable")[:10]] = True
    assert ((channel.groups == 0) == rare).all()
    rows = table(channel)
    assert rows[np.ix_(rare, ~rare)].max() == 0
    assert np.diag(rows)[~rare] == pytest.approx(0.7)
    assert rows[np.ix_(~rare, rare)].sum(axis=1) == pytest.approx(0.3)
    assert audit_channel(channel, Claim(epsilon=1e6)).verdict is Verdict.REFUTED  # any two words
    assert (
        "which words are on the list of sensitive words, and every word that is not"
        in tv.Sanitizer(channel).setting.public
    )


def test_privic_is_near_the_fixed_point_of_blahut_and_arimoto(tiny) -> None:
    prior = np.arange(1.0, 41.0)
    channel = made("privic", tiny, epsilon_per_distance=4.0, prior=prior, rounds=400)
    rows, pi = table(channel), prior / prior.sum()
    far = distances(tiny, 1.0)
    kernel = np.exp(-2.0 * far)
    weights = rows[0] / kernel[0]
    weights /= weights.sum()
    expected = pi @ (kernel * weights / (kernel @ weights)[:, None])
    assert expected == pytest.approx(weights, abs=2e-3)
    information, distance = _information(rows, pi), float(pi @ (rows * far).sum(axis=1))
    plain = table(made("tem", tiny, epsilon_per_distance=4.0, truncation=100.0))
    # Less mean distance at less mutual information than with equal weights.
    assert distance < float(pi @ (plain * far).sum(axis=1)) or information < _information(plain, pi)
    value = information + 2.0 * distance
    assert value < _information(plain, pi) + 2.0 * float(pi @ (plain * far).sum(axis=1))


def _information(rows: np.ndarray, pi: np.ndarray) -> float:
    out = pi @ rows
    return float((pi[:, None] * rows * np.log(rows / out)).sum())


def test_any_public_weights_keep_the_guarantee(tiny) -> None:
    for prior in (np.r_[np.full(39, 1e-9), 1.0], "flat", "zipf"):
        for rounds in (1, 30):
            channel = made("privic", tiny, epsilon=3.0, prior=prior, rounds=rounds)
            assert worst_log_ratio(table(channel)) <= 3.0
    assert prior_weights(tiny, np.full(40, 1 / 40), 1.0, 1.0, 3).min() >= 1


def test_tags_stay_and_come_from_a_file_or_from_python(tiny, tmp_path: Path) -> None:
    tags = {word: "verb" if index % 3 else "noun" for index, word in enumerate(tiny.words)}
    file = tmp_path / "tags.txt"
    file.write_text("".join(f"{word}\t{tag}\n" for word, tag in tags.items()), encoding="utf-8")
    channel = made("same-tag", tiny, epsilon=2.0, tags=str(file))
    same = made("same-tag", tiny, epsilon=2.0, tags=tags)
    assert (channel.groups == same.groups).all() and len(np.unique(channel.groups)) == 2
    rows = table(channel)
    noun = np.array([tags[word] == "noun" for word in tiny.words])
    assert rows[np.ix_(noun, ~noun)].max() == rows[np.ix_(~noun, noun)].max() == 0
    far = distances(tiny, 1.0)
    weights = np.where(noun, np.exp(-channel.parameters["epsilon_per_distance"] / 2 * far[0]), 0.0)
    assert rows[0] == pytest.approx(weights / weights.sum(), rel=1e-6)
    assert "the public tag of every word" in tv.Sanitizer(channel).setting.public
    alone = made("same-tag", tiny, epsilon=2.0, tags={**tags, tiny.words[4]: "other"})
    assert alone.groups[4] == -1 and alone.probabilities(4)[4] == 1.0
    assert tv.audit(alone).verdict is Verdict.CERTIFIED


def test_endings_are_a_rule_of_the_word_alone() -> None:
    found = [ending_of(word) for word in ("The", "running", "quickly", "cats", "glass", "ring", "b2b")]
    assert found == ["function word", "participle", "adverb", "plural or third person", "other", "other", "other"]
    words = Vocabulary(["cats", "dogs", "walked"], np.eye(3, dtype=np.float32), "three")
    assert word_tags(words).groups.tolist() == [1, 1, 0]


@pytest.mark.parametrize("name", NAMES)
def test_draws_follow_the_rows(name: str) -> None:
    """Chi-squared at alpha 1e-6, over 130 words in spans of 64; rows of 1.15 times the rate are the mutant it kills."""
    vocabulary = made_vocabulary(130)
    draws = made(name, vocabulary, epsilon=20.0).privatize(np.full(100_000, 3), seeded_generator(5))
    counts = np.bincount(draws, minlength=130)

    def p_value(epsilon: float) -> float:
        expected = made(name, vocabulary, epsilon=epsilon).probabilities(3) * len(draws)
        assert counts[expected == 0].sum() == 0
        many = expected > 5
        rest, more = counts[~many].sum(), expected[~many].sum()
        observed, wanted = np.append(counts[many], rest), np.append(expected[many], more)
        return float(chisquare(observed[wanted > 0], wanted[wanted > 0]).pvalue)

    assert p_value(20.0) > 1e-6
    if name != "santext-plus":  # word 3 is frequent there: it mostly stays at any epsilon
        assert p_value(23.0) < 1e-6


def test_a_draw_for_many_words_is_a_draw_for_each(tiny) -> None:
    for name in NAMES:
        channel = made(name, tiny, epsilon=3.0)
        ids = np.tile(np.arange(40), 50)
        drawn = channel.privatize(ids, seeded_generator(2))
        assert (channel.integer_weights(ids)[np.arange(len(ids)), drawn] > 0).all()
        assert len({tuple(part) for part in drawn.reshape(50, 40).tolist()}) == 50


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("tem", {"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of `epsilon` or `epsilon_per_distance`"),
        ("tem", {"epsilon": 1.0, "beta": 1.0}, r"beta must be in \(0, 1\); got 1"),
        ("tem", {"epsilon": 1.0, "truncation": 0.0}, "truncation must be finite and > 0"),
        ("santext", {"epsilon": 1.0, "epsilon_per_distance": 1.0}, "exactly one of"),
        ("santext-plus", {"epsilon": 1.0, "p": 0.0}, r"p must be a multiple of 1/1000 in \(0, 1\)"),
        ("santext-plus", {"epsilon": 1.0, "w": 0.01}, r"w must be at least 0.05, which makes two of the 40 words"),
        ("santext-plus", {"epsilon": 1.0, "w": 1.5}, r"w must be in \(0, 1\]; got 1.5"),
        ("privic", {"epsilon": 1.0, "prior": np.zeros(40)}, "prior must be finite and > 0 for every word"),
        ("privic", {"epsilon": 1.0, "prior": np.ones(39)}, r"prior must be one number for each of 40 words"),
        ("privic", {"epsilon": 1.0, "rounds": 0}, "rounds must be an integer >= 1"),
        (
            "same-tag",
            {"epsilon": 1.0, "tags": {"wa0": "noun"}},
            "`tags` must cover all 40 words; got none for 39 of",
        ),
        ("same-tag", {"epsilon": 1.0, "tags": "nowhere.txt"}, "tags must be endings or a file"),
    ],
)
def test_what_they_do_not_take(tiny, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism(name, tiny, **options)


def test_tags_that_are_no_tags_are_refused(tiny, tmp_path: Path) -> None:
    file = tmp_path / "tags.txt"
    for text, error, message in (
        ("word\n", InputError, "line 1 of the tags must be a word and its tag"),
        ("wa0 noun\nwa0 verb\n", ParameterError, "line 2 of the tags must be one for a word"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(error, match=message):
            mechanism("same-tag", tiny, epsilon=1.0, tags=str(file))
    with pytest.raises(ParameterError, match="such that two words share one"):
        mechanism("same-tag", tiny, epsilon=1.0, tags={word: word for word in tiny.words})


@pytest.mark.parametrize("name", ["tem", "santext", "privic"])
def test_a_rate_at_which_all_integers_are_one_is_refused(name: str) -> None:
    vectors = np.array([[1e-6, 0], [0, 1e-6], [-1e-6, 0]], dtype=np.float32)
    small = Vocabulary(["one", "two", "three"], vectors, "close together")
    with pytest.raises(ParameterError, match=r"epsilon_per_distance must be above \S+, what rounding takes; got 1e-14"):
        made(name, small, epsilon_per_distance=1e-14)
