"""The linkage that each level of the common words claims is not exceeded by what an attacker measures.

The attack of ``benchmarks/linkage.py`` on its 400 people. A level fails if the lower end of the one-sided interval for
persons named at the first try is above its claim: with alpha 0.001 for all levels together, a true claim fails no more
often than that. The mutants claim less than they have: the list of the next higher level, and every word kept.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from tests.helpers.shared import shared_path

import textveil as tv
from textveil.risk.linkage import TfIdf, linkage
from textveil.statistics import clopper_pearson
from textveil.text.common_words import LEVELS, LINKAGE

pytestmark = pytest.mark.slow

ALPHA = 0.001
PEOPLE = 400


@pytest.fixture(scope="module")
def benchmark(request: pytest.FixtureRequest) -> ModuleType:
    shared_path("data/text/wikipedia/articles.jsonl.gz")
    patch = pytest.MonkeyPatch()
    request.addfinalizer(patch.undo)
    patch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "benchmarks"))
    import people

    return people


@pytest.fixture(scope="module")
def texts(benchmark: ModuleType) -> tuple[list[str], list[str]]:
    """Private texts of the length that the claims are for, and what is public."""
    persons = benchmark.people(PEOPLE)
    return [benchmark.first_words(one.private, benchmark.SHORT) for one in persons], [one.public for one in persons]


def least_linkage(released: list[str], public: list[str]) -> float:
    """What the linkage surely is: the lower end of the interval."""
    attack = linkage(TfIdf().scores(released, public), np.arange(len(released)))
    return clopper_pearson(int(attack.top1 * attack.records + 1e-9), attack.records, 1 - 2 * ALPHA / len(LEVELS)).lower


def released(texts: list[str], level: str) -> list[str]:
    sanitizer = tv.Sanitizer(tv.policy("common-words", level=level), rng=tv.seeded_generator(5))
    return [release.text for release in sanitizer.batch(texts)]


@pytest.mark.parametrize("level", LEVELS)
def test_level_is_not_linked_more_often_than_it_claims(texts, level) -> None:
    private, public = texts
    assert least_linkage(released(private, level), public) <= LINKAGE[level]


@pytest.mark.parametrize("claimed", LEVELS[:-1])
def test_claim_below_the_linkage_fails(texts, claimed) -> None:
    private, public = texts
    higher = LEVELS[LEVELS.index(claimed) + 1]
    assert least_linkage(released(private, higher), public) > LINKAGE[claimed]
    assert least_linkage(private, public) > LINKAGE[claimed]
