"""Word metrics that somebody else made: put to the test where they enter: guarantees per distance rest on them."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.types import Ids, Integers, Progress
from textveil_lab.audit.channels.exact import metric_epsilon
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.mechanisms.channels.metric_exponential import certified_guarantee, metric_exponential
from textveil_lab.vocabulary.metrics import axioms
from textveil_lab.vocabulary.metrics.axioms import check_axioms, need_metric
from textveil_lab.vocabulary.metrics.metric import MetricFacts, NearWords, distances


@dataclass(frozen=True, eq=False)
class Table:
    """Distances by a table of levels."""

    levels: Integers
    facts: MetricFacts

    def near(self, ids: Ids) -> list[NearWords]:
        out = []
        for word in ids.tolist():
            order = np.argsort(self.levels[word], kind="stable")
            kept = order[self.levels[word][order] < self.facts.top]
            out.append(NearWords(kept, np.bincount(self.levels[word][kept], minlength=self.facts.top)))
        return out

    def level_counts(self, progress: Progress | None = None) -> Integers:
        return np.array([np.bincount(row, minlength=self.facts.top + 1) for row in self.levels])


def table(levels, steps: tuple[int, ...]) -> Table:
    array = np.array(levels)
    return Table(array, MetricFacts(name="foreign", description="foreign", size=len(array), distances=steps))


CORNER = table([[0, 1, 2], [1, 0, 1], [2, 1, 0]], (0, 1, 9))
"""d(x, z) = 9 > 1 + 1."""

CASES = {
    "triangle": CORNER,
    "symmetry": table([[0, 1, 2], [2, 0, 1], [2, 1, 0]], (0, 1, 2)),
    "contradicts itself": table([[0, 0, 1], [0, 0, 1], [1, 1, 0]], (0, 1)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("option", ["epsilon", "epsilon_per_distance"])
def test_what_is_no_metric_is_refused(case: str, option: str) -> None:
    with pytest.raises(ParameterError, match=case):
        metric_exponential(made_vocabulary(3), metric=CASES[case], **{option: 1.0})


def test_what_became_none_is_neither_certified_nor_audited() -> None:
    straight = table([[0, 1, 2], [1, 0, 1], [2, 1, 0]], (0, 1, 2))
    mechanism = metric_exponential(made_vocabulary(3), metric=straight, epsilon_per_distance=1.0)
    assert mechanism.guarantee.status is Status.PROVED
    assert certified_guarantee(mechanism).status is Status.CERTIFIED
    found = metric_epsilon(mechanism, distances(straight, np.arange(3)).astype(float)).epsilon_per_distance
    assert found.lower <= 1.0
    assert audit_mechanism(mechanism, attacks=False).verdict.value == "certified"
    swapped = replace(mechanism, metric=CORNER)
    with pytest.raises(ParameterError, match="triangle"):
        certified_guarantee(swapped)
    with pytest.raises(ParameterError, match="triangle"):
        audit_mechanism(swapped, attacks=False)


def test_verdicts_on_a_metric_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    straight = table([[0, 1, 2], [1, 0, 1], [2, 1, 0]], (0, 1, 2))
    assert need_metric(straight)
    monkeypatch.setattr(axioms, "check_axioms", pytest.fail)
    assert need_metric(straight)


def test_a_metric_of_many_words_is_only_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    line = np.minimum(np.abs(np.subtract.outer(np.arange(30), np.arange(30))), 3)
    many = table(line, (0, 1, 2, 3))
    monkeypatch.setattr(axioms, "check_axioms", lambda metric, **options: check_axioms(metric, most=20, **options))
    mechanism = metric_exponential(made_vocabulary(30), metric=many, epsilon_per_distance=1.0)
    assert mechanism.guarantee.status is Status.CLAIMED
    assert certified_guarantee(mechanism).status is Status.CLAIMED
    assert metric_exponential(made_vocabulary(30), metric=many, epsilon=1.0).guarantee.status is Status.PROVED


def test_counts_that_contradict_the_lists_are_refused() -> None:
    class Liar:
        facts = CORNER.facts

        def near(self, ids: Ids) -> list[NearWords]:
            return CORNER.near(ids)

        def level_counts(self, progress: Progress | None = None) -> Integers:
            return CORNER.level_counts()[::-1] + np.array([0, 1, -1])

    with pytest.raises(ParameterError, match="contradicts itself"):
        need_metric(Liar())


def test_textveils_own_metrics_pass() -> None:
    vocabulary = made_vocabulary(40)
    for name in ("shared-neighbors", "neighbor-graph", "ultrametric"):
        mechanism = metric_exponential(vocabulary, metric=name, neighbors=5, epsilon_per_distance=0.3)
        assert need_metric(mechanism.metric)
        assert math.isfinite(certified_guarantee(mechanism).epsilon_per_distance)
