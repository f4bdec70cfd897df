"""Figure 4: its cells, the three ways, and what its report says."""

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import ParameterError
from textveil.privacy.guarantees import Status
from textveil.statistics import Bound
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.downstream.network import ClassifierSettings, Reader
from textveil_lab.downstream.scorers import UNCHANGED
from textveil_lab.frontiers.cells import cell_seed
from textveil_lab.frontiers.downstream.measured import ON_RELEASES, ON_TEXTS, Measured
from textveil_lab.frontiers.downstream.tasks import LabelledPart, LabelledTask, Repetition
from textveil_lab.papers.setting import StudySetting
from textveil_lab.papers.truncated_laplace import results as kept
from textveil_lab.papers.truncated_laplace.figure_4 import (
    DEFAULT_SIZE,
    FASTTEXT,
    GLOVE,
    METRIC,
    QUICK_SIZE,
    RANDOM,
    AccuracyCell,
    AccuracyStudy,
    cells_of,
    disturbed_by,
    embeddings_at_hand,
    measured_cell,
    released_by,
)
from textveil_lab.papers.truncated_laplace.figure_4_report import CALLED, Point, reported
from textveil_lab.papers.truncated_laplace.verdicts import ExperimentWay
from textveil_lab.vocabulary.documents import Documents

VOCABULARY = made_vocabulary(30, 8)
TINY = QUICK_SIZE._replace(all=(1.0,), networks=ClassifierSettings(reader=Reader.SUM, hidden=4, epochs=1, batch=8))


def _study() -> AccuracyStudy:
    rng = np.random.default_rng(1)
    parts = [LabelledPart(Documents(rng.integers(0, 30, 60), np.arange(13) * 5), np.arange(12) % 2) for _ in range(4)]
    task = LabelledTask(name="made", classes=2, runs=(Repetition(parts[0], parts[1]), Repetition(parts[2], parts[3])))
    return AccuracyStudy(
        vocabularies={GLOVE: VOCABULARY}, tasks={("sst2", GLOVE): task}, size=TINY, seed=3, device="cpu"
    )


def test_cells_of_another_version_are_refused(tmp_path, monkeypatch) -> None:
    setting = StudySetting(vocabularies=(VOCABULARY,), origin="made", cells=tmp_path / "cells")
    cells = cells_of((RANDOM,), QUICK_SIZE)[:1]
    found = kept.kept_cells(setting, "figure-4", {"seed": 1}, cells, lambda cell: {"value": 1})
    assert found == kept.kept_cells(setting, "figure-4", {"seed": 1}, cells, lambda cell: {"value": 2})
    monkeypatch.setattr(kept, "VERSION", "another")
    with pytest.raises(ParameterError, match="version"):
        kept.kept_cells(setting, "figure-4", {"seed": 1}, cells, lambda cell: {"value": 2})


def test_cells_have_names_and_seeds_of_their_own() -> None:
    cells = cells_of((FASTTEXT, GLOVE, RANDOM), DEFAULT_SIZE)
    assert len({cell.name for cell in cells}) == len({cell_seed(cell, 1) for cell in cells}) == len(cells)
    assert {cell.epsilon for cell in cells if cell.embeddings == GLOVE and cell.way} == set(DEFAULT_SIZE.all)
    assert {cell.way for cell in cells} == {None, *ExperimentWay}
    few = cells_of((FASTTEXT, GLOVE, RANDOM), QUICK_SIZE)
    assert [cell.name for cell in few if cell.embeddings == RANDOM] == ["sst2_random", "agnews_random"]


def test_embeddings_are_those_at_hand() -> None:
    fast = Vocabulary(VOCABULARY.words, VOCABULARY.vectors, "fasttext-small")
    setting = StudySetting(vocabularies=(fast, VOCABULARY), origin="made")
    found = embeddings_at_hand(setting, 20)
    assert list(found) == [FASTTEXT, GLOVE, RANDOM]
    assert found[GLOVE].words == found[RANDOM].words == VOCABULARY.words[:20]
    assert not np.allclose(found[RANDOM].vectors, found[GLOVE].vectors)
    again = embeddings_at_hand(setting, 20)[RANDOM]
    assert np.array_equal(again.vectors, found[RANDOM].vectors)


@pytest.mark.parametrize(
    "cell", [one for one in cells_of((GLOVE,), TINY) if one.corpus == "sst2"], ids=lambda one: one.name
)
def test_every_cell_is_measured(cell: AccuracyCell) -> None:
    values = measured_cell(_study(), cell)
    found = Measured.of_dict(values)
    assert {f"linear, {ON_RELEASES}", f"network, {ON_RELEASES}"} <= set(found.scores)
    assert all(len(runs) == 2 for runs in found.scores.values())
    assert (UNCHANGED in found.scores) == (cell.way != ExperimentWay.CODE) == (f"linear, {ON_TEXTS}" in found.scores)
    assert (found.recovered is not None) == (cell.way in (ExperimentWay.TEXT, ExperimentWay.VALID))


def test_what_would_have_to_be_is_proved_and_what_is_printed_may_be_refuted() -> None:
    cells = [one for one in cells_of((GLOVE,), TINY) if one.corpus == "sst2"]
    for cell in (one for one in cells if one.way == ExperimentWay.VALID):
        promise = released_by(cell, VOCABULARY).guarantee
        assert promise.status in (Status.PROVED, Status.CERTIFIED)
        assert promise.approximate().epsilon <= (cell.epsilon or 0) * (1 + 1e-9)
    printed = AccuracyCell("sst2", GLOVE, ExperimentWay.TEXT, "truncated-laplace", 0.05)
    assert released_by(printed, VOCABULARY).guarantee.status is Status.REFUTED
    for name in METRIC:
        if name in {
            one.mechanism for one in cells if one.way == ExperimentWay.TEXT
        }:  # in the paper epsilon is one of a unit of distance
            metric = released_by(AccuracyCell("sst2", GLOVE, ExperimentWay.TEXT, name, 5.0), VOCABULARY)
            assert metric.parameters["epsilon_per_distance"] == 5.0


def test_the_public_code_moves_a_whole_batch_by_one_vector() -> None:
    disturb = disturbed_by(AccuracyCell("sst2", GLOVE, ExperimentWay.CODE, "truncated-laplace", 0.05), VOCABULARY)
    moved = disturb(VOCABULARY.vectors, np.random.default_rng(1)) - VOCABULARY.vectors
    assert np.allclose(moved, moved[0], atol=1e-6)
    assert (moved > -1e-6).all()


def _point(way: str, mechanism: str, epsilon: float | None, score: float) -> Point:
    runs = score + np.array([-0.01, 0.01])
    names = [f"{name}, {tested}" for name in ("linear", "network") for tested in (ON_RELEASES, ON_TEXTS)]
    found = Measured(
        dict.fromkeys(names, runs), Bound(0, 0.1, 0.2, 0.95) if way == CALLED[ExperimentWay.TEXT] else None
    )
    return Point(corpus="sst2", embeddings="GloVe", way=way, mechanism=mechanism, epsilon=epsilon, measured=found)


@pytest.mark.parametrize(("code", "held"), [(0.88, "reproduced in part"), (0.55, "not reproduced")])
def test_the_report_says_in_which_way_the_pattern_comes_out(code: float, held: str) -> None:
    points = [_point("", "", None, 0.9)]
    for way, score in ((ExperimentWay.TEXT, 0.5), (ExperimentWay.CODE, code), (ExperimentWay.VALID, 0.52)):
        points += [_point(CALLED[way], "truncated-laplace", epsilon, score) for epsilon in (0.05, 20.0)]
    points.append(replace(_point("", "", None, 0.7), embeddings="random"))  # read as it is and no other way
    facts = {"words": 30, "networks": {"batch": 8}, "vocabularies": MappingProxyType({"GloVe": "made"})}
    outcome = reported(points, facts)
    assert outcome.judgment is not None
    assert outcome.judgment.reproduced.value == held
    assert f"noise of the public code, {100 * (code - 0.5) / 0.4:.0f} %" in outcome.judgment.why
    assert "classifiers read no noise" in outcome.judgment.why  # in the public code itself
    assert outcome.comparisons[0].paper == "0.8997"
    assert any("attacker 0.10" in finding for finding in outcome.findings)
    assert len(outcome.tables[""].rows) == 8
    assert set(outcome.charts) == {"GloVe"}
