"""The numbers of the study against brute force, exact distributions and the expectations on the shared subsets."""

import json

import numpy as np
import pytest
from tests.helpers.shared import shared_path
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.statistics import Bound
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.laws.rank_profile import RankProfile, exact_rank_profile
from textveil_lab.papers.curse import equal_guarantee, facts, table_two
from textveil_lab.papers.curse import rank_no_metric as labels
from textveil_lab.papers.curse.facts import TableTwo
from textveil_lab.papers.curse.fix_profiles import figure_8
from textveil_lab.papers.curse.profiles import (
    Curve,
    FigureClaim,
    close_are_rare,
    close_lead,
    exponential_profiles,
    figure_2,
    judged,
    profiles_of,
)
from textveil_lab.papers.curse.small_dimensions import IntegerLaplace, integer_vocabulary
from textveil_lab.papers.curse.table_two import table_2
from textveil_lab.papers.setting import Reproduced, StudySetting

pytest.importorskip("matplotlib")


def setting_of(vocabulary: Vocabulary, **options: object) -> StudySetting:
    return StudySetting(vocabularies=(vocabulary,), origin="made", named=True, **options)


def test_table_2_by_brute_force() -> None:
    words = made_vocabulary(130, dim=6)
    points = words.vectors.astype(np.float64)
    wanted = []
    for own in range(len(points)):
        distances = np.linalg.norm(points - points[own], axis=1)
        order = np.argsort(distances)[1:]
        first, second, far = order[0], order[1], order[100]
        gaps = [
            (distances[other] ** 2 - distances[first] ** 2) / (2 * np.linalg.norm(points[other] - points[first]))
            for other in (second, far)
        ]
        wanted.append([distances[first] / 2, *gaps])
    table = table_2(setting_of(words)).tables[""]
    position = table.columns.index("mean")
    assert np.allclose([row[position] for row in table.rows[-3:]], np.mean(wanted, axis=0), rtol=1e-6)


def test_table_2_has_ten_rows_whatever_is_at_hand() -> None:
    """A vocabulary that is none of the paper's adds its rows; the ten stay, with their printed numbers."""
    outcome = table_2(setting_of(made_vocabulary(130)))
    table = outcome.tables[""]
    assert len(table.rows) == 33
    assert [row[2] for row in table.rows[:3]] == [1.078, 0.132, 0.692]
    assert {row[3] for row in table.rows[:30]} == {None}
    assert [one.ours for one in outcome.comparisons] == ["not at hand"] * 10
    assert "needs glove.6B.100d.txt (400,000 words)" in outcome.comparisons[5].note
    assert outcome.judgment.reproduced is Reproduced.NO
    assert "10 are not at hand" in outcome.judgment.why


@pytest.mark.parametrize(("factor", "reproduced"), [(1.0, Reproduced.YES), (1.1, Reproduced.NO)])
def test_table_2_on_whole_vocabularies_is_judged_by_its_means(monkeypatch, factor, reproduced) -> None:
    """A table of one row whose whole vocabulary is at hand: the paper's means, and means 10 % above."""
    made = made_vocabulary(130, dim=50)
    words = Vocabulary(made.words, made.vectors, "glove.6B.50d.txt")
    printed = [row[3] for row in table_2(setting_of(words)).tables[""].rows if row[0] == "GloVe-Wiki 50d (130 words)"]
    row = TableTwo(130, *(factor * mean for mean in printed), "glove.6B.50d.txt")
    for module in (facts, table_two, labels):
        monkeypatch.setattr(module, "TABLE_2", {"GloVe-Wiki 50d": row})
    judged = table_2(setting_of(words)).judgment
    assert judged.reproduced is reproduced
    assert "not at hand" not in judged.why and "part" not in judged.why


def test_table_2_holds_the_numbers_of_the_paper() -> None:
    printed = json.loads(shared_path("papers/curse.json").read_text())
    table = printed["table-2"]
    rows = {f"{name} {dim}d": cells for name in table if name != "columns" for dim, *cells in table[name]}
    assert {name: [row.half_first, row.second, row.far] for name, row in facts.TABLE_2.items()} == rows
    sizes = {f"{name} {dim}d": words for name, (dims, words) in printed["table-1"].items() for dim in dims}
    assert {name: row.words for name, row in facts.TABLE_2.items()} == sizes


def test_table_2_needs_a_101st_neighbor() -> None:
    with pytest.raises(ParameterError, match="more than 101 words"):
        table_2(setting_of(made_vocabulary(101)))


def test_the_exponential_distribution_by_brute_force() -> None:
    words = made_vocabulary(140, dim=5)
    points = words.vectors.astype(np.float64)
    chosen, epsilons = np.array([3, 77, 139]), (0.4, 2.0)
    found = exponential_profiles(words, chosen, epsilons, lambda share: None)
    for epsilon, profile in zip(epsilons, found, strict=True):
        shares = []
        for own in chosen:
            distances = np.linalg.norm(points - points[own], axis=1)
            distribution = np.exp(-epsilon * distances / 2)[np.argsort(distances)]
            distribution /= distribution.sum()
            shares.append([distribution[0], distribution[1:101].sum(), distribution[101:].sum()])
        ours = [profile.original.estimate, profile.near.estimate, profile.distant.estimate]
        assert np.allclose(ours, np.mean(shares, axis=0), rtol=1e-5)
        assert profile.near.confidence == 1


def test_profiles_hold_the_exact_distribution_in_one_dimension() -> None:
    """Intervals of 99 % around shares whose distribution is known; noise of another rate is refuted by them."""
    numbers = integer_vocabulary(301)
    setting = setting_of(numbers)
    words = np.repeat(np.arange(301), 40)
    epsilons = (0.05, 0.3)
    made = [mechanism("spherical-laplace", numbers, epsilon_per_distance=one, clip=None) for one in epsilons]
    for epsilon, profile in zip(epsilons, profiles_of(setting, made, words, 0, lambda share: None), strict=True):
        exact = exact_rank_profile(IntegerLaplace(epsilon, numbers), np.arange(301))
        mutant = exact_rank_profile(IntegerLaplace(1.15 * epsilon, numbers), np.arange(301))
        inside = []
        for field in ("original", "near", "distant"):
            bound = getattr(profile, field)
            assert bound.lower <= getattr(exact, field).estimate <= bound.upper
            inside.append(bound.lower <= getattr(mutant, field).estimate <= bound.upper)
        assert not all(inside)


def test_shares_sum_to_one() -> None:
    table = figure_2(setting_of(made_vocabulary(130), quick=True, sample=30)).tables[""]
    names = ["original word", "close: ranks 1 to 100", "distant"]
    for row in table.rows:
        assert sum(row[table.columns.index(name)] for name in names) == pytest.approx(1)


def share_of(near: float) -> RankProfile:
    def bound(value: float) -> Bound:
        return Bound(value, value, value, 1.0)

    return RankProfile(
        mechanism="made",
        original=bound(0.0),
        near=bound(near),
        distant=bound(1 - near),
        words=10,
        draws_per_word=None,
        close=100,
        edges=np.array([0, 1, 101, 200]),
        shares=np.array([0.0, near, 1 - near]),
    )


def test_a_claim_is_judged_on_the_papers_own_panels() -> None:
    whole = Vocabulary(*_words_and_vectors(), "glove.6B.300d.txt")
    other = made_vocabulary(5)
    claim = FigureClaim("few are close", ("GloVe-Wiki 300d",), close_are_rare)

    def judged_as(vocabulary: Vocabulary, near: float) -> Reproduced:
        return judged([Curve(vocabulary, (1.0, 2.0), [share_of(0.0), share_of(near)])], claim).reproduced

    assert judged_as(whole, 0.1) is Reproduced.PARTLY, "5 words are a part of 400,000"
    assert judged_as(whole, 0.2) is Reproduced.NO
    assert judged_as(other, 0.1) is Reproduced.NO, "none of the paper's panels"
    why = judged([Curve(other, (1.0,), [share_of(0.1)])], claim).why
    assert why == "The paper shows: few are close. Not at hand: GloVe-Wiki 300d."


def test_a_claim_on_whole_vocabularies_is_reproduced(monkeypatch) -> None:
    monkeypatch.setattr(labels, "TABLE_2", {"GloVe-Wiki 300d": TableTwo(5, 1.0, 1.0, 1.0, "glove.6B.300d.txt")})
    whole = Vocabulary(*_words_and_vectors(), "glove.6B.300d.txt")
    claim = FigureClaim("many are close", ("GloVe-Wiki 300d",), close_lead)
    assert judged([Curve(whole, (1.0,), [share_of(0.6)])], claim).reproduced is Reproduced.YES
    both = [Curve(whole, (1.0,), [share_of(0.6)]), Curve(whole, (1.0,), [share_of(0.4)], "c = 1")]
    found = judged(both, claim)
    assert found.reproduced is Reproduced.PARTLY
    assert "It does not for GloVe-Wiki 300d (5 words), c = 1 (40 % at most)." in found.why


def test_figure_8_shows_both_constants_and_why_they_differ() -> None:
    rng = np.random.default_rng(8)
    vectors = rng.normal(size=(130, 300)).astype(np.float32)
    words = Vocabulary([f"w{index}" for index in range(130)], vectors, "glove.6B.300d.txt")
    outcome = figure_8(setting_of(words, quick=True, sample=20))
    names = list(dict.fromkeys(row[0] for row in outcome.tables[""].rows))
    assert [name.rsplit(", ", 1)[1] for name in names] == ["the paper's", "by the criterion"]
    assert "c = 0.04, the paper's" in outcome.settings["c"]
    fits = outcome.tables["constants"].rows
    assert (fits[0][1], fits[-1][1]) == (2, 100)
    assert {row[3] for row in fits} == {0.04}
    assert any("the paper's c = 0.04 is" in finding for finding in outcome.findings)


def _words_and_vectors() -> tuple[list[str], np.ndarray]:
    vectors = np.random.default_rng(3).normal(size=(5, 300)).astype(np.float32)
    return [f"w{index}" for index in range(5)], vectors


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("glove-6b-300d-pool-4612", 2.8),
        ("glove-6b-50d-10000/glove-6b-50d-10000.txt", 1.33),
        ("glove-twitter-25d-11925/glove-twitter-25d-11925.txt", 0.98),
    ],
)
def test_the_first_column_on_the_shared_subsets(name: str, first: float) -> None:
    vocabulary = load_vocabulary(shared_path(f"data/vectors/{name}"))
    outcome = table_2(setting_of(vocabulary, sample=1000))
    table = outcome.tables[""]
    (row, *_) = [row for row in table.rows if row[3] is not None]
    assert row[table.columns.index("mean")] == pytest.approx(first, rel=0.04)
    assert len(outcome.comparisons) == 3 + 9
    assert sum("subset" in one.note for one in outcome.comparisons) == 3


def test_the_neighborhood_mechanism_gives_neighbors_at_equal_guarantee(embedded: Vocabulary) -> None:
    """On 10,000 words at epsilon 8 it puts most of its outputs among the 100 nearest; noise puts a few."""
    setting = StudySetting(vocabularies=(embedded,), origin="embedded", sample=1000)
    vocabulary = equal_guarantee.base_vocabulary(setting)
    assert len(vocabulary) == 10_000
    makers = [(name, equal_guarantee._maker(name, vocabulary)) for name in ("neighborhood", "gaussian")]
    found = equal_guarantee.measured(setting, vocabulary, makers, (8.0,))
    near = {name: one.near.estimate + one.original.estimate for (name, _), one in found.items()}
    assert 0.75 < near["neighborhood"] < 0.9
    assert near["gaussian"] < 0.08
