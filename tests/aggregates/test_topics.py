"""``topics``: what one person's votes change, the law of noisy votes, and groups that other rows cannot move."""

import itertools
import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare, dlaplace
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.request import EACH_RECORD, CorpusRequest, PersonalRecords
from textveil.aggregates.synthesis import NORM
from textveil.aggregates.topics import VoteNoise, nearest_group, readable, topics, votes
from textveil.errors import ParameterError
from textveil.randomness import seeded_generator
from textveil.types import Integers

VOCABULARY = lettered_vocabulary(60, dim=5)


def _sums(corpus: tuple[tuple[int, ...], ...], grid: int) -> Integers:
    """Votes of a corpus: the groups of each person's records."""
    rows = [(person, group) for person, own in enumerate(corpus) for group in own]
    owners, groups = (np.array([row[k] for row in rows], dtype=np.int64) for k in range(2))
    return votes([(owners, groups)], 2, grid, by_person=True)[0]


def _largest_loss(noise: VoteNoise, change: Integers) -> float:
    """The largest |log ratio| of the exact laws of noisy sums that differ by a change, coordinate by coordinate."""
    return sum(_loss_of_step(noise.epsilon / noise.grid, int(step)) for step in change)


@cache
def _loss_of_step(rate: float, step: int) -> float:
    reach, logs = np.arange(-40, 41), dlaplace(rate).logpmf
    return float(np.abs(logs(reach) - logs(reach - step)).max())


def _reached(noise: VoteNoise, sizes: tuple[int, ...]) -> float:
    """The largest loss of all corpora of three persons with so many records in two groups, and any one removed."""
    own = [each for size in sizes for each in itertools.product(range(2), repeat=size)]
    reached = 0.0
    for corpus in itertools.product(own, repeat=3):
        whole = _sums(corpus, noise.grid)
        for person in range(3):
            change = whole - _sums(corpus[:person] + corpus[person + 1 :], noise.grid)
            reached = max(reached, _largest_loss(noise, change))
    return reached


@pytest.mark.parametrize(("grid", "sizes"), [(1, (1,)), (6, (1, 2, 3))])
def test_removing_any_person_of_any_small_corpus_costs_epsilon(grid: int, sizes: tuple[int, ...]) -> None:
    """All corpora of three persons; votes shared by their L2 norm would cost up to 1.41 epsilon."""
    assert _reached(VoteNoise(1.5, grid), sizes) == pytest.approx(1.5, rel=1e-12)


def test_votes_that_are_not_bounded_by_their_sum_would_cost_more() -> None:
    assert _largest_loss(VoteNoise(1.5, 6), np.array([4, 4])) > 1.9
    assert _reached(VoteNoise(1.5, 1), (1, 2, 3)) <= 1.5 * (1 + 1e-12)


@pytest.mark.parametrize(("epsilon", "grid"), [(0.3, 1), (1.0, 1), (4.0, 1), (40.0, 1), (1.0, NORM), (4.0, NORM)])
def test_deviation_and_reach_are_those_of_the_law(epsilon: float, grid: int) -> None:
    noise, law = VoteNoise(epsilon, grid), dlaplace(epsilon / grid)
    assert noise.deviation == pytest.approx(float(law.std()) / grid, rel=1e-9)
    reach = round(noise.reach * grid)
    assert 2 * law.sf(reach) <= 0.05 * (1 + 1e-9) and (reach == 0 or 2 * law.sf(reach - 1) > 0.05)
    assert noise.deviation < GaussianBudget(epsilon, 1e-6).noise(NORM**2).sigma / NORM


def _fit(drawn: list[float], noise: VoteNoise) -> float:
    """The p-value of draws on votes of nobody, in eight equally likely cells or so."""
    law = dlaplace(noise.epsilon / noise.grid)
    ends = np.unique(law.ppf(np.arange(1, 8) / 8))
    cells = np.searchsorted(ends, np.array(drawn) * noise.grid)
    expected = np.diff([0.0, *law.cdf(ends), 1.0]) * len(drawn)
    return float(chisquare(np.bincount(cells, minlength=len(expected)), expected).pvalue)


@pytest.mark.parametrize("grid", [1, NORM])
def test_noisy_votes_have_the_stated_law(grid: int, rng: np.random.Generator) -> None:
    """Alpha 1e-6; the mutant that dies has noise of 1.3 epsilon."""
    nobody = np.zeros(4000, dtype=np.int64)
    noise = VoteNoise(0.7, grid)
    assert _fit(noise.on(nobody, rng), noise) > 1e-6 > _fit(VoteNoise(0.91, grid).on(nobody, rng), noise)


def test_the_nearest_group_of_a_row_depends_on_that_row_alone() -> None:
    rng = np.random.default_rng(1)
    rows, centers = rng.integers(-700, 700, (500, 30)), rng.integers(-50, 50, (40, 30))
    centers[7] = centers[3]
    together = nearest_group(rows, centers)
    assert together.tolist() == [int(nearest_group(row[None], centers)[0]) for row in rows]
    exact = [min(range(40), key=lambda k: (int(np.square(row - centers[k]).sum()), k)) for row in rows[:50]]
    assert together[:50].tolist() == exact and 7 not in together


def _pool(number: int) -> list[str]:
    rng = np.random.default_rng(2)
    return sorted({" ".join(rng.choice(VOCABULARY.words, size=6)) for _ in range(number)})


def _file(folder: Path, texts: list[str]) -> tuple[str, ...]:
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps({"who": str(k), "text": text}) + "\n" for k, text in enumerate(texts)))
    return (str(path),)


def _request(records: PersonalRecords, epsilon: float) -> CorpusRequest:
    return CorpusRequest(records, epsilon=epsilon, delta=0.0, vocabulary=VOCABULARY, rng=seeded_generator(4))


@pytest.mark.parametrize(("unit", "limit", "grid"), [("who", None, NORM), ("who", 1, 1), (EACH_RECORD, None, 1)])
def test_votes_of_nobody_are_noise_of_the_stated_law(tmp_path: Path, unit: str, limit: int | None, grid: int) -> None:
    """Alpha 1e-6; the mutants that die draw at twice epsilon, or on the other grid."""
    records = PersonalRecords(inputs=_file(tmp_path, [""]), unit=unit, limit=limit)
    made = topics(_request(records, 0.25), _pool(400), topics=400)
    noise = VoteNoise(0.25, grid)
    assert made.report.noise["votes"] == noise.deviation and made.persons <= 1
    drawn = [theme.votes for theme in made.themes]
    assert _fit(drawn, noise) > 1e-6 > _fit(drawn, VoteNoise(0.5, grid))
    assert all(votes * grid == round(votes * grid) for votes in drawn)
    assert any(votes != round(votes) for votes in drawn) == (grid > 1)


def test_a_delta_is_refused_because_none_is_spent(tmp_path: Path) -> None:
    records = PersonalRecords(inputs=_file(tmp_path, ["a"]), unit="who")
    for epsilon, delta, told in ((1.0, 1e-6, "delta must be left out"), (math.inf, 0.0, "epsilon must be finite")):
        with pytest.raises(ParameterError, match=told):
            topics(CorpusRequest(records, epsilon=epsilon, delta=delta), ["a", "b"], topics=2)


@pytest.mark.parametrize("unit", ["who", EACH_RECORD])
def test_the_theme_that_most_records_are_near_comes_first_with_its_public_texts(tmp_path: Path, unit: str) -> None:
    pool = _pool(100)
    records = PersonalRecords(inputs=_file(tmp_path, [pool[3]] * 400 + pool[:50]), unit=unit)
    made = topics(_request(records, 2.0), pool, topics=10)
    votes_of = [theme.votes for theme in made.themes]
    assert votes_of == sorted(votes_of, reverse=True) and made.themes[0].low < 420 and made.themes[0].high > 400
    assert all(set(theme.texts) <= set(pool) and theme.texts and theme.words for theme in made.themes)
    assert made.persons == 450 and made.report.to_data()["guarantee"]["epsilon"] == 2.0
    assert "450" not in made.report.to_json()
    stated = made.report.to_data()["guarantee"]
    assert (stated["status"], stated["notion"], stated["delta"]) == ("proved", "pure DP", 0.0)
    again = topics(_request(records, 2.0), pool, topics=10)
    assert again.themes == made.themes


def test_more_themes_than_public_texts_are_refused(tmp_path: Path) -> None:
    records = PersonalRecords(inputs=_file(tmp_path, ["a"]), unit="who")
    with pytest.raises(ParameterError, match="topics must be between 2 and the texts of the public pool, 2"):
        topics(_request(records, 1.0), ["a", "b"], topics=3)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I 'm not sure , but it is n't  good ( at all ) .", "I'm not sure, but it isn't good (at all)."),
        ("`` Two days '' , he said", '"Two days", he said'),
        ("Bonjour ! It costs  5 : 3\nat most.", "Bonjour ! It costs 5 : 3 at most."),
    ],
)
def test_public_texts_are_shown_as_people_write_them(text: str, wanted: str) -> None:
    assert readable(text) == wanted
