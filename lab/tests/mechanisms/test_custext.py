"""CusText: exact within clusters and said so; a list for every word is refuted; what is public is stated everywhere."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.exactness import table, worst_log_ratio
from tests.helpers.vocabularies import lettered_vocabulary

import textveil as tv
from textveil.catalog import mechanism
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.randomized_response import GroupedChannel, IntegerChannel
from textveil.privacy.composition import narrowed, repeat
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT, ONE_TOKEN
from textveil.randomness import seeded_generator
from textveil.sanitize.ways import ByTokens, DrawnOutside
from textveil.text.english import PASSING_FUNCTION_WORDS
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.channels.exact import audit_channel
from textveil_lab.audit.channels.groups import audit_within_groups
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.vocabulary.clusters import distances_among, frequency_clusters
from textveil_lab.vocabulary.grid_distances import distances_on

LINE = Vocabulary(list("abcd"), np.array([[0.0], [1.0], [2.0], [10.0]], dtype=np.float32), "line")


def made(vocabulary: Vocabulary, **options) -> GroupedChannel:
    found = mechanism("custext", vocabulary, **options)
    assert isinstance(found, GroupedChannel)
    return found


def test_clusters_follow_the_rule_of_the_paper(tiny) -> None:
    clusters = frequency_clusters(tiny, 8)
    left = list(np.argsort(-word_frequencies(tiny).counts, kind="stable"))
    distances = np.linalg.norm(tiny.vectors[:, None] - tiny.vectors[None], axis=2)
    for cluster in range(5):
        nearest = sorted(left, key=lambda word: distances[left[0], word])[:8]
        assert sorted(nearest) == np.flatnonzero(clusters == cluster).tolist()
        left = [word for word in left if word not in nearest]
    assert frequency_clusters(tiny, 7).tolist().count(4) == 12  # the last has what is left


@pytest.mark.parametrize("measure", ["euclidean", "cosine"])
def test_rows_are_the_formula_over_the_cluster(tiny, measure: str) -> None:
    channel = made(tiny, epsilon=3.0, top_k=8, measure=measure)
    vectors = tiny.vectors.astype(np.float64)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for word in (0, 17, 39):
        here = np.flatnonzero(channel.groups == channel.groups[word])
        far = (
            np.linalg.norm(vectors[here] - vectors[word], axis=1)
            if measure == "euclidean"
            else 1 - unit[here] @ unit[word]
        )
        row = channel.probabilities(word)
        rate = np.log(row[here].max() / row[here].min())  # calibrated: between half of epsilon and all of it
        assert 1.5 <= rate <= 3.0
        expected = np.exp(-rate * (far - far.min()) / (far.max() - far.min()))
        assert row[here] == pytest.approx(expected / expected.sum(), rel=1e-6)
        assert row.sum() == pytest.approx(1.0) and np.count_nonzero(row) == 8


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 5.0, 200.0])
def test_the_loss_within_a_cluster_is_within_the_guarantee_and_across_it_is_infinite(tiny, epsilon: float) -> None:
    channel = made(tiny, epsilon=epsilon, top_k=8)
    rows = table(channel)
    with np.errstate(divide="ignore", invalid="ignore"):
        for cluster in range(5):
            here = np.flatnonzero(channel.groups == cluster)
            assert worst_log_ratio(rows[np.ix_(here, here)]) <= channel.guarantee.epsilon
    assert channel.guarantee.epsilon <= epsilon
    report = tv.audit(channel)
    assert report.verdict is Verdict.CERTIFIED
    assert "for any two words of one public group." in report.sentence()
    assert audit_channel(channel, Claim(epsilon=1e6)).verdict is Verdict.REFUTED  # any two words


def test_an_audit_within_groups_finds_one_bad_cluster(tiny) -> None:
    sound = made(tiny, epsilon=1.0, top_k=8)

    class Leaky:
        """One word of one cluster has the weights of twice the epsilon."""

        vocabulary, groups = tiny, sound.groups

        def integer_weights(self, ids):
            rows = sound.integer_weights(ids)
            steep = made(tiny, epsilon=4.0, top_k=8).integer_weights(ids)
            return np.where(ids[:, None] == 13, steep, rows)

    leaky = Leaky()
    claim = Claim(epsilon=1.0)
    assert audit_within_groups(sound, sound, claim, tiny).verdict is Verdict.CERTIFIED
    found = audit_within_groups(leaky, leaky, claim, tiny)
    assert found.verdict is Verdict.REFUTED
    assert tiny.words[13] in (found.witness["input"], found.witness["other_input"])
    group = {tiny.words[word] for word in np.flatnonzero(sound.groups == sound.groups[13])}
    assert {found.witness[key] for key in ("input", "other_input", "output")} <= group
    delta = audit_within_groups(leaky, leaky, Claim(epsilon=1.0, log_delta=math.log(1e-6)), tiny)
    assert delta.verdict is Verdict.REFUTED and delta.delta.lower > 1e-3
    alone = replace(sound, groups=np.arange(40))
    with pytest.raises(UnsupportedGuarantee, match="a group of two words"):
        audit_within_groups(sound, alone, claim, tiny)


def test_draws_follow_the_rows(tiny) -> None:
    """Chi-squared at alpha 1e-6; the rows of epsilon 3.6 in place of 3 are the mutant that it kills."""
    draws = made(tiny, epsilon=3.0, top_k=8).privatize(np.full(60_000, 5), seeded_generator(1))
    counts = np.bincount(draws, minlength=40)

    def p_value(epsilon: float) -> float:
        expected = made(tiny, epsilon=epsilon, top_k=8).probabilities(5) * len(draws)
        assert counts[expected == 0].sum() == 0
        return float(chisquare(counts[expected > 0], expected[expected > 0]).pvalue)

    assert p_value(3.0) > 1e-6
    assert p_value(3.6) < 1e-6


def test_distances_among_words_are_those_of_the_grid(tiny) -> None:
    grid = integer_grid(tiny)
    assert np.array_equal(distances_among(grid, 3, np.arange(40), "euclidean"), distances_on(grid, np.array([3]))[0])


def test_function_words_are_kept_and_in_no_group() -> None:
    vocabulary = Vocabulary(["the", "cat", "of", "dog", "cow", "hen"], np.eye(6, dtype=np.float32), "six")
    channel = mechanism("custext-plus", vocabulary, epsilon=1.0, top_k=3)
    assert isinstance(channel, GroupedChannel)
    assert (channel.groups >= 0).tolist() == [False, True, False, True, True, True]
    for word in (0, 2):
        assert channel.probabilities(word)[word] == 1.0
    assert tv.audit(channel).verdict is Verdict.CERTIFIED
    words = lettered_vocabulary(6)
    only = Vocabulary(["the", "of"], words.vectors[:2], "kept")
    with pytest.raises(ParameterError, match="one with other words"):
        mechanism("custext-plus", only, epsilon=1.0)


def test_a_list_for_every_word_is_refuted_unless_it_is_the_vocabulary() -> None:
    channel = mechanism("custext-published", LINE, epsilon=1.0, top_k=2)
    assert isinstance(channel, IntegerChannel)
    assert [np.flatnonzero(channel.probabilities(word)).tolist() for word in range(4)] == [
        [0, 1],
        [0, 1],
        [1, 2],
        [2, 3],
    ]
    assert channel.probabilities(0)[0] == pytest.approx(math.exp(0.5) / (1 + math.exp(0.5)))
    found = audit_channel(channel, Claim(epsilon=50.0))
    assert found.verdict is Verdict.REFUTED and found.epsilon.lower == math.inf
    whole = mechanism("custext-published", LINE, epsilon=1.0, top_k=4)
    assert whole.guarantee.status is Status.PROVED
    assert tv.audit(whole).verdict is Verdict.CERTIFIED


def test_a_release_says_what_is_public_and_whom_it_compares() -> None:
    vocabulary = lettered_vocabulary(40)
    sanitizer = tv.Sanitizer(mechanism("custext", vocabulary, epsilon=1.0, top_k=8))
    release = sanitizer("waa wab 12")
    assert "the public cluster of every word" in sanitizer.setting.public
    for guarantee in (release.guarantee_per_token, release.guarantee):
        assert "its own public cluster alone" in guarantee.adjacency.text
    data = release.report().to_data()["guarantee"]
    assert data["per_document"]["epsilon"] == pytest.approx(3.0)
    assert "its own public cluster alone" in data["per_token"]["adjacency"]
    summary = release.report().summary()
    assert "compares    two texts that differ in one token of the same kind, where a word is exchanged" in summary
    assert "kinds of tokens; the public cluster of every word; digits" in summary
    plain = tv.Sanitizer(mechanism("randomized-response", vocabulary, epsilon=1.0)).setting
    assert not any("cluster" in line for line in plain.public)


def test_function_words_are_never_among_the_words_that_are_compared() -> None:
    """All of "the" stays, so a promise for two words of its cluster would be false of it."""
    vocabulary = Vocabulary(["the", "cat", "of", "dog", "cow", "hen"], np.eye(6, dtype=np.float32), "six")
    release = tv.Sanitizer(mechanism("custext-plus", vocabulary, epsilon=1.0, top_k=6))("the cat")
    for promise in (release.guarantee_per_token, release.guarantee):
        assert "a word that is no English function word is exchanged for another such word of" in promise.adjacency.text
    public = "the public cluster of every word, and every English function word"
    assert public in release.setting.public and f"; {public};" in release.report().summary()


def test_it_is_never_restated_for_any_two_words(tiny) -> None:
    promise = made(tiny, epsilon=1.0).guarantee
    for restate in (lambda: narrowed(promise, ONE_TOKEN), lambda: repeat(promise, 2, ONE_DOCUMENT)):
        with pytest.raises(UnsupportedGuarantee, match="leaves the public cluster of every word public"):
            restate()
    any_two = PureDP(epsilon=2.0)
    assert narrowed(any_two, promise.adjacency).adjacency is promise.adjacency  # what holds for any two holds for these


def test_policies_refuse_it(tiny) -> None:
    """Beside kept function words, and outside spans, a policy compares any two words."""
    channel = made(tiny, epsilon=1.0)
    with pytest.raises(UnsupportedGuarantee, match="wanted one for any two words"):
        ByTokens(channel, channel.guarantee, None, 0.5, "normalize", PASSING_FUNCTION_WORDS)
    with pytest.raises(UnsupportedGuarantee, match="wanted one for any two words"):
        DrawnOutside(channel, channel.guarantee, "normalize", None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"top_k": 7},
            r"top_k must be a divisor of the 40 words \(2, 4, 5, 8, 10, 20, 40\); got 7. Leave it out for 20",
        ),
        ({"top_k": 80}, r"top_k must be a divisor of the 40 words"),
        ({"top_k": 1}, r"top_k must be an integer >= 2; got 1"),
        ({"measure": "l1"}, r"measure must be euclidean or cosine"),
    ],
)
def test_what_it_does_not_take(tiny, options, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        mechanism("custext", tiny, epsilon=1.0, **options)
    if "top_k" in options and options["top_k"] == 80:
        with pytest.raises(ParameterError, match="between 2 and the 40 words"):
            mechanism("custext-published", tiny, epsilon=1.0, top_k=80)
