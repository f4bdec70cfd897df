"""No level of the common words is linked more often than its record claims.

The attack of ``benchmarks/linkage.py`` on its people, with texts as long as those that the claims are for. A level
fails if the lower end of a one-sided interval for persons named at the first try is above its claim; a true claim fails
with probability 0.001 at most, all levels together. The mutants claim less than they have: the next higher level, the
classes of the other words, and the raw text.
"""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.helpers.shared import shared_path

from textveil.risk.linkage import TfIdf, linkage
from textveil.statistics import clopper_pearson
from textveil.text.english import LEVELS, measured

pytestmark = pytest.mark.slow

ALPHA = 0.001
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
CLAIMED = {level: measured()["levels"][level]["linkage"] for level in LEVELS}


class Task(NamedTuple):
    """The benchmark, and its short private texts with what is public."""

    benchmark: ModuleType
    private: list[str]
    public: list[str]


@pytest.fixture(scope="module")
def task() -> Any:
    shared_path("data/text/wikipedia/articles.jsonl.gz")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        import linkage as benchmark

        persons = benchmark.people(benchmark.PEOPLE)
        private = [benchmark.first_words(person.private, benchmark.SHORT) for person in persons]
        yield Task(benchmark, private, [person.public for person in persons])
        for name in ("linkage", "people", "measure"):
            sys.modules.pop(name, None)


def least_linkage(task: Task, level: str, others: str) -> float:
    """What the best attacker names at least: the lower end of the interval."""
    released = task.benchmark.by_policy("common-words", {"level": level, "others": others}, task.private)
    attackers = (TfIdf(), task.benchmark.PolicyKnown(f"common-words, {level}, {others}", Path()))
    return max(lower_end(attacker.scores(released, task.public)) for attacker in attackers)


def lower_end(scores: Any) -> float:
    attack = linkage(scores, np.arange(len(scores)))
    named = int(attack.top1 * attack.records + 1e-9)
    return clopper_pearson(named, attack.records, 1 - 2 * ALPHA / len(LEVELS)).lower


@pytest.mark.parametrize("level", LEVELS)
def test_level_is_linked_no_more_often_than_it_claims(task, level) -> None:
    assert least_linkage(task, level, "blank") <= CLAIMED[level]


@pytest.mark.parametrize("claimed", LEVELS[:-1])
def test_claim_of_a_lower_level_fails(task, claimed) -> None:
    higher = LEVELS[LEVELS.index(claimed) + 1]
    assert least_linkage(task, higher, "blank") > CLAIMED[claimed]


def test_claim_for_blanks_fails_for_classes_and_for_raw_text(task) -> None:
    assert least_linkage(task, "low", "class") > CLAIMED["low"]
    assert lower_end(TfIdf().scores(task.private, task.public)) > CLAIMED["high"]
