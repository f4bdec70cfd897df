"""``topics``: what one person's votes change, the law of noisy votes, and groups that other rows cannot move."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.aggregates.budget import GaussianBudget
from textveil.aggregates.request import EACH_RECORD, CorpusRequest, PersonalRecords
from textveil.aggregates.synthesis import NORM
from textveil.aggregates.topics import nearest_group, readable, topics, votes
from textveil.errors import ParameterError
from textveil.privacy.composition import gaussian_delta
from textveil.randomness import seeded_generator
from textveil.types import Integers

VOCABULARY = lettered_vocabulary(60, dim=5)


def _sums(corpus: tuple[tuple[int, ...], ...]) -> Integers:
    """Votes of a corpus: the groups of each person's records."""
    rows = [(person, group) for person, own in enumerate(corpus) for group in own]
    owners, groups = (np.array([row[k] for row in rows], dtype=np.int64) for k in range(2))
    return votes([(owners, groups)], 2, by_person=True)[0]


def test_removing_any_person_of_any_small_corpus_changes_votes_by_at_most_the_norm() -> None:
    """All corpora of three persons with 1 to 3 records in two groups; votes that are not bounded would fail."""
    own = [each for size in (1, 2, 3) for each in itertools.product(range(2), repeat=size)]
    reached = 0
    for corpus in itertools.product(own, repeat=3):
        whole = _sums(corpus)
        for person in range(3):
            change = whole - _sums(corpus[:person] + corpus[person + 1 :])
            reached = max(reached, int(np.square(change).sum()))
    assert reached == NORM**2


def test_the_budget_covers_the_norm() -> None:
    noise = GaussianBudget(1.0, 1e-6).noise(NORM**2)
    assert 0.97e-6 < gaussian_delta(1.0, 1.0, NORM / noise.continuous_sigma) <= 1e-6


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
    return CorpusRequest(records, epsilon=epsilon, delta=1e-6, vocabulary=VOCABULARY, rng=seeded_generator(4))


def test_noise_on_votes_of_nobody_has_the_stated_variance(tmp_path: Path) -> None:
    """Alpha 1e-6; half of the noise, or none, would fail."""
    records = PersonalRecords(inputs=_file(tmp_path, [""]), unit="who")
    made = topics(_request(records, 1.0), _pool(300), topics=200)
    sigma = made.report.noise["votes"]
    assert sigma == GaussianBudget(1.0, 1e-6).noise(NORM**2).sigma / NORM and made.persons <= 1
    square = sum((theme.votes / sigma) ** 2 for theme in made.themes)
    assert chi2.ppf(5e-7, 200) < square < chi2.isf(5e-7, 200)


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
    assert made.report.to_data()["guarantee"]["status"] == "proved"
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
