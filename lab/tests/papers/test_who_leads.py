"""Who leads whom at one guarantee: the best of the catalog against each baseline, and what may not be compared."""

from dataclasses import replace

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.statistics import Bound
from textveil_lab.downstream.corpora import training_frequencies
from textveil_lab.downstream.scorers import COSINE, UNCHANGED
from textveil_lab.frontiers.downstream.measured import ON_TEXTS, Measured
from textveil_lab.frontiers.downstream.tasks import LabelledPart, LabelledTask, Repetition
from textveil_lab.papers.truncated_laplace.equal_guarantee import (
    CONTENDERS,
    QUICK_SIZE,
    SCORES,
    ComparisonStudy,
    GuaranteeCell,
    measured_cell,
)
from textveil_lab.papers.truncated_laplace.who_leads import LeaderRow, leads, reported
from textveil_lab.vocabulary.documents import Documents

SCORE = f"linear, {ON_TEXTS}"


def _row(
    label: str, epsilon: float, cosine: float, accuracy: float, verdict: str, *, baseline: bool = False
) -> LeaderRow:
    noise = np.array([0.0, 0.01, -0.01])
    scores = {COSINE: cosine + noise, SCORE: accuracy + noise[::-1], UNCHANGED: np.full(3, 0.1)}
    found = Measured(scores, Bound(0.1, 0.2, 0.3, 0.95) if verdict else None)
    return LeaderRow(label=label, baseline=baseline, epsilon=epsilon, measured=found, verdict=verdict)


CLEAN = _row("as they are", 0, 1, 0.9, "")
ROWS = [
    _row("channel", 2, 0.5, 0.5, "certified"),
    _row("other channel", 2, 0.4, 0.6, "certified"),
    _row("noise", 2, 0.3, 0.59, "proved", baseline=True),
    _row("better noise", 2, 0.45, 0.7, "proved", baseline=True),
    _row("claimed noise", 2, 0.9, 0.9, "refuted", baseline=True),
]


def test_the_best_of_each_score_meets_every_verified_baseline() -> None:
    found = {(one.score, one.baseline): one for one in leads(ROWS, [COSINE, SCORE])}
    assert set(found) == {(score, name) for score in (COSINE, SCORE) for name in ("noise", "better noise")}
    assert {one.best for one in found.values() if one.score == COSINE} == {"channel"}
    assert {one.best for one in found.values() if one.score == SCORE} == {"other channel"}
    assert found[COSINE, "noise"].lead.estimate == pytest.approx(0.2)
    assert found[SCORE, "better noise"].lead.estimate == pytest.approx(-0.1)


def test_what_is_lost_or_left_out_is_said() -> None:
    outcome = reported(CLEAN, ROWS, {"words": 7})
    told = "\n".join(outcome.findings)
    assert "4 of 5 claims were proved or certified" in told
    assert "claimed noise at epsilon 2" in told
    assert f"Not shown: {SCORE} at epsilon 2, other channel against better noise: -0.100" in told
    assert "in 3 of 4 comparisons" in told
    table = outcome.tables["leads"]
    holds = [row[table.columns.index("holds")] for row in table.rows]
    assert holds.count(True) == 3
    assert len(outcome.tables[""].rows) == 6
    assert outcome.settings["words"] == 7


def _study() -> ComparisonStudy:
    rng = np.random.default_rng(1)
    parts = [LabelledPart(Documents(rng.integers(0, 50, 60), np.arange(13) * 5), np.arange(12) % 4) for _ in range(4)]
    runs = (Repetition(parts[0], parts[1]), Repetition(parts[2], parts[3]))
    size = QUICK_SIZE._replace(words=50, runs=2, train=12, test=12, longest=5)
    return ComparisonStudy(made_vocabulary(50, 6), LabelledTask(name="made", classes=4, runs=runs), size, 3)


@pytest.mark.parametrize("contender", range(len(CONTENDERS)))
def test_every_contender_is_measured_attacked_and_verified(contender: int) -> None:
    values = measured_cell(_study(), GuaranteeCell(contender, 3.0))
    assert values["verdict"] in ("proved", "certified")
    assert values["audited_epsilon"] <= 3 * (1 + 1e-9)
    assert set(values["scores"]) == set(SCORES)
    assert len(values["recovered"]) == 4


def test_the_attacker_knows_the_training_documents() -> None:
    study = _study()
    words = np.concatenate([run.train.documents.ids for run in study.task.runs])
    assert np.array_equal(training_frequencies(study.task, 50), np.bincount(words, minlength=50) + 1)


def test_a_device_that_is_absent_is_refused_here_too() -> None:
    study = replace(_study(), device="mtia")
    with pytest.raises(ParameterError, match="got mtia"):
        measured_cell(study, GuaranteeCell(None, 0.0))
