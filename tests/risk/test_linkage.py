"""Linkage: ranks, ties, intervals and the order of candidates, on scores and texts that are known."""

import numpy as np
import pytest
from scipy.stats import beta, binom

from textveil.errors import ParameterError
from textveil.risk.attack import Style
from textveil.risk.linkage import Attacker, Linkage, TfIdf, linkage, strongest

ATTACKERS: tuple[type[TfIdf] | type[Style], ...] = (TfIdf, Style)

SENTENCES = [
    "The baker of Oslo bakes bread; his bread is warm, and he sells it to us.",
    "A sailor sailed along the coast without a map (or so they say).",
    "We never knew why she left Lagos, nor when: nobody asked!",
    "Of the four judges, two were ill; the others had not been paid.",
    "Is it true that you can see the tower from here? I doubt it.",
]


def texts(count: int, rng: np.random.Generator, length: int = 40) -> list[str]:
    """Documents of random words; each has words of its own."""
    words = np.array([f"w{number}" for number in range(2000)])
    return [" ".join(rng.choice(words, length)) for _ in range(count)]


def test_ranks_and_shares_are_those_of_the_scores() -> None:
    scores = np.array([[3, 2, 1, 0, -1, -2, -3], [0, 5, 1, 9, 1, 1, 1], [7, 6, 5, 4, 3, 2, 1]], dtype=np.float32)
    found = linkage(scores, np.array([0, 1, 6]), attacker="a", against="background")
    assert found.ranks.tolist() == [1, 2, 7]
    assert found.margins.tolist() == [1, -4, -6]
    assert (found.top1, found.top5, found.median_rank) == (1 / 3, 2 / 3, 2)
    assert (found.attacker, found.against, found.records, found.candidates) == ("a", "background", 3, 7)


def test_ties_are_broken_as_an_attacker_would_break_them() -> None:
    """All alike is chance, be it at the first try or at five; a tie of two at the top is half a hit."""
    found = linkage(np.zeros((30, 60)), np.arange(30))
    assert found.top1 == pytest.approx(1 / 60) and found.top5 == pytest.approx(5 / 60)
    assert found.median_rank == 30.5
    assert linkage(np.array([[1.0, 1.0, 0.0]]), np.array([0])).top1 == 0.5
    assert linkage(np.array([[2.0, 1, 1, 1, 1, 1, 1]]), np.array([1])).top5 == pytest.approx(4 / 6)


def test_scores_that_differ_by_rounding_tie() -> None:
    scores = np.float32([[0.3, 0.3 + 1e-7], [0.3 + 1e-7, 0.3]])
    assert linkage(scores, np.array([0, 1])).top1 == 0.5


def test_interval_is_clopper_pearson_and_absent_below_twenty_records() -> None:
    scores = np.eye(40)
    scores[:10] = np.roll(scores[:10], 1, axis=1)  # ten of forty are named wrongly
    found = linkage(scores, np.arange(40))
    assert found.top1 == 0.75
    assert found.low == pytest.approx(beta.ppf(0.025, 30, 11)) and found.high == pytest.approx(beta.ppf(0.975, 31, 10))
    few = linkage(np.eye(19), np.arange(19))
    assert (few.top1, few.low, few.high) == (1, None, None)


def test_scores_that_are_not_finite_or_rows_without_truth_are_refused() -> None:
    with pytest.raises(ParameterError, match="finite"):
        linkage(np.array([[np.nan, 1.0]]), np.array([0]))
    with pytest.raises(ParameterError, match="one for each of 1 rows"):
        linkage(np.array([[1.0, 1.0]]), np.array([0, 1]))


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_identity_release_is_linked_whole(attacker: type[TfIdf] | type[Style]) -> None:
    whole: Attacker = attacker()
    found = linkage(whole.scores(SENTENCES, SENTENCES), np.arange(5))
    assert (found.top1, found.median_rank) == (1, 1)


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("constant", ["", "_ _ _", "[person] [place]", "the baker of Oslo"])
def test_constant_release_is_linked_by_chance(attacker: type[TfIdf] | type[Style], constant: str) -> None:
    found = linkage(attacker().scores([constant] * 5, SENTENCES), np.arange(5))
    assert found.top1 == pytest.approx(1 / 5)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_order_of_candidates_does_not_matter(attacker: type[TfIdf] | type[Style]) -> None:
    rng = np.random.default_rng(5)
    originals = [f"{text}; of {place * 'the '}" for place, text in enumerate(texts(40, rng))]
    released = [" ".join(text.split()[:12]) for text in originals]
    straight = linkage(attacker().scores(released, originals), np.arange(40))
    order = rng.permutation(40)
    shuffled = [originals[place] for place in order]
    again = linkage(attacker().scores(released, shuffled), np.argsort(order))
    np.testing.assert_array_equal(straight.ranks, again.ranks)


def test_planted_leak_is_found() -> None:
    """One rare word of forty, left in every record, names them all; a common one does not."""
    rng = np.random.default_rng(8)
    originals = [f"{text} leak{place} same" for place, text in enumerate(texts(60, rng))]
    leaks = [f"nothing of the text but leak{place} is left" for place in range(60)]
    assert linkage(TfIdf().scores(leaks, originals), np.arange(60)).top1 == 1
    harmless = ["nothing of the text but same is left"] * 60
    assert linkage(TfIdf().scores(harmless, originals), np.arange(60)).top1 <= 2 / 60


def test_pairs_of_words_tell_what_words_alone_do_not() -> None:
    background = ["red door blue house", "red house blue door"]
    scores = TfIdf().scores(["a red house"], background)[0]
    assert scores[1] > scores[0]


def test_tfidf_is_the_cosine_of_weighted_counts() -> None:
    """Against the formula, term by term."""
    background, released = ["a a b", "b c"], ["a b"]
    idf = {gram: np.log(3 / (1 + df)) + 1 for gram, df in {"a": 1, "b": 2, "c": 1, "aa": 1, "ab": 1, "bc": 1}.items()}
    rows = [
        {"a": 1 + np.log(2), "b": 1, "aa": 1, "ab": 1},
        {"b": 1, "c": 1, "bc": 1},
    ]
    ours = {gram: idf[gram] for gram in ("a", "b", "ab")}

    def cosine(row: dict[str, float]) -> float:
        weighted = {gram: count * idf[gram] for gram, count in row.items()}
        inner = sum(weighted.get(gram, 0) * weight for gram, weight in ours.items())
        lengths = [np.sqrt(sum(weight**2 for weight in side.values())) for side in (weighted, ours)]
        return float(inner / (lengths[0] * lengths[1]))

    assert TfIdf().scores(released, background)[0] == pytest.approx([cosine(row) for row in rows], rel=1e-5)


def test_style_names_the_author_of_other_words() -> None:
    """Two authors of the same content words: one writes "upon" and semicolons, the other "on" and commas."""
    public = ["upon the hill; upon the sea; it was cold", "on the hill, on the sea, it was cold"] * 2
    scores = Style().scores(["on a boat, on a train, we slept", "upon a boat; upon a train; we slept"], public)
    assert scores[0, 1] > scores[0, 0] and scores[1, 0] > scores[1, 1]


def test_style_is_the_cosine_of_shares_in_deviations_from_the_background() -> None:
    """Against the formula, with three features; words that are none count for nothing."""
    public, released = ["the the of, x", "the of of", "the, the, of x x"], ["the the the of, x"]
    shares = np.array([[2, 1, 1], [1, 2, 0], [2, 1, 2]]) / [[4], [3], [5]]
    mean, deviation = shares.mean(axis=0), shares.std(axis=0)
    rows = (shares - mean) / deviation
    ours = (np.array([3, 1, 1]) / 5 - mean) / deviation
    expected = rows @ ours / np.linalg.norm(rows, axis=1) / np.linalg.norm(ours)
    assert Style().scores(released, public)[0] == pytest.approx(expected, rel=1e-5)


def test_attacker_is_fitted_to_each_background_once_and_never_to_another() -> None:
    attacker = TfIdf()
    first = attacker.scores(SENTENCES, SENTENCES)
    other = attacker.scores(SENTENCES[:2], SENTENCES[::-1])
    np.testing.assert_array_equal(other, TfIdf().scores(SENTENCES[:2], SENTENCES[::-1]))
    np.testing.assert_array_equal(first, attacker.scores(SENTENCES, SENTENCES))


def _attack(name: str, named: int, records: int) -> Linkage:
    """An attacker that names so many records at the first try."""
    scores = np.eye(records)
    scores[named:] = np.roll(scores[named:], 1, axis=1)
    return linkage(scores, np.arange(records), attacker=name)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.62, 0.9])
def test_the_interval_of_the_best_of_several_attackers_holds(share: float) -> None:
    """Coverage is computed, not sampled: three attackers of one true share, each with its own luck."""
    records, attackers = 60, 3
    law = binom(records, share)
    largest = np.diff(law.cdf(np.arange(-1, records + 1)) ** attackers)  # P(the best names so many)
    held = own = 0.0
    for named, probability in enumerate(largest):
        attacks = [_attack("best", named, records), _attack("other", 0, records), _attack("third", 0, records)]
        best = strongest(attacks)
        assert best.attacker == "best" and best.top1 == named / records
        assert best.low is not None and best.high is not None
        held += probability * (best.low <= share <= best.high)
        alone = attacks[0]
        assert alone.low is not None and alone.high is not None
        own += probability * (alone.low <= share <= alone.high)
    assert held >= 0.95 - 1e-12
    assert own < held


def test_one_attacker_alone_keeps_its_interval_and_few_records_have_none() -> None:
    attack = _attack("best", 30, 60)
    assert strongest([attack]).to_data() == attack.to_data()
    assert strongest([_attack("best", 3, 6), _attack("other", 1, 6)]).low is None
