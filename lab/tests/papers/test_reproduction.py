"""A run: every item on a tiny vocabulary, whole or not at all, the same bytes for the same seed."""

import json
import re
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.errors import MissingExtra, OutputError, ParameterError
from textveil_lab.papers import reproduction
from textveil_lab.papers.curse.items import PAPER_SETTINGS
from textveil_lab.papers.report import Basis, Item, Paper, StudyRun, paper, papers
from textveil_lab.papers.reproduction import reproduce
from textveil_lab.papers.setting import Comparison, ItemOutcome, Judgment, Reproduced, StudySetting
from textveil_lab.papers.truncated_laplace import items as truncated_laplace
from textveil_lab.tables import Table

pytest.importorskip("matplotlib")

CURSE = paper("curse")


def tiny_setting(**options: object) -> StudySetting:
    return StudySetting(
        vocabularies=(made_vocabulary(150),), origin="made", named=True, quick=True, sample=20, **options
    )


def measured(setting: StudySetting) -> ItemOutcome:
    setting.progress(0.5)
    return ItemOutcome(
        tables={"": Table(columns=("value",), rows=((1.5,),)), "more": Table(columns=("word",), rows=(("<b>",),))},
        findings=("One <finding>.",),
        comparisons=(Comparison(what="a|b", paper="1.4", ours="1.5", note="smaller & odd"),),
    )


def judged(setting: StudySetting) -> ItemOutcome:
    return ItemOutcome(
        tables={"": Table(columns=("value",), rows=((1.5,),))},
        comparisons=(Comparison(what="loss", paper="1.2", ways={"as the text says": "9.1", "valid": "9.3"}),),
        settings={"epsilon": (0.5, 1.0), "rate": tuple(float(one) for one in range(1, 31)), "close": 100},
        judgment=Judgment(reproduced=Reproduced.PARTLY, why="The order is the same; the size is not."),
    )


def failing(setting: StudySetting) -> ItemOutcome:
    raise ParameterError("the item must be another; got this.")


def toy(*targets: str) -> Paper:
    items = tuple(
        Item(name=f"item-{index}", title="An item", basis=Basis.PAPER, about="About.", target=f"{__name__}:{target}")
        for index, target in enumerate(targets)
    )
    return Paper(name="toy", title="Toy", citation="Nobody 2026", sources="None.", items=items)


@pytest.fixture(autouse=True)
def _importable(monkeypatch) -> None:
    """The toy items are found by their target, as an installed study's are."""
    module = types.ModuleType(__name__)
    module.measured, module.failing, module.judged = measured, failing, judged
    monkeypatch.setitem(sys.modules, __name__, module)


def test_every_item_runs_on_a_tiny_vocabulary(tmp_path) -> None:
    shares: list[float] = []
    setting = tiny_setting(progress=shares.append)
    run = reproduce(CURSE, CURSE.items, tmp_path / "out", setting)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"index.html", "report.md", "report.json"} <= names
    for item in CURSE.items:
        assert {f"{item.name}.csv", f"{item.name}.json"} <= names
        drawn = {f"{item.name}.png", f"{item.name}.svg"} <= names
        assert drawn or not item.draws
        rows = json.loads((tmp_path / "out" / f"{item.name}.json").read_text())["rows"]
        assert rows
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert {file for files in run.files.values() for file in files} < names
    text = (tmp_path / "out/report.md").read_text()
    assert "none of them may be released" in text
    assert str(Path.cwd()) not in text
    assert "Left out, for in this vocabulary they have none so small: tgm." in text
    _every_item_of_the_paper_is_judged(run)
    page = (tmp_path / "out/index.html").read_text()
    links = re.findall(r"(?:src|href)='([^']+)'", page)
    assert {link for link in links if not link.startswith("data:")} == {f"#{item.name}" for item in CURSE.items}
    assert "http://" not in re.sub(r"='data:[^']*'", "", page)


def _every_item_of_the_paper_is_judged(run: StudyRun) -> None:
    """What is computed comes out anywhere; what needs the paper's vocabularies does not come out on others."""
    for item, outcome in run.results:
        assert (outcome.judgment is not None) == (item.basis is Basis.PAPER), item.name
    judged = {item.name: outcome.judgment.reproduced for item, outcome in run.results if outcome.judgment}
    exact = {f"figure-{number}" for number in (1, 3, 4, 5, 6, 7, 10)} | {"theorem-8"}
    assert {name for name, one in judged.items() if one is Reproduced.YES} == exact
    assert {judged[name] for name in ("figure-2", "figure-8", "figure-9", "table-1", "table-2")} == {Reproduced.NO}


def test_a_quick_report_states_the_words_that_were_drawn(tmp_path) -> None:
    vocabulary = made_vocabulary(250)
    setting = StudySetting(vocabularies=(vocabulary,), origin="made", named=True, quick=True)
    run = reproduce(
        CURSE, CURSE.chosen(["figure-1", "figure-2", "table-2", "neighbor-distances"]), tmp_path / "out", setting
    )
    drawn = {name: [tuple(one) for one in samples] for name, samples in run.samples.items()}
    whole, part = (vocabulary.name, 200, 250), (vocabulary.name, 100, 250)
    assert drawn == {"figure-1": [], "figure-2": [whole], "table-2": [whole], "neighbor-distances": [part]}
    facts = json.loads((tmp_path / "out/report.json").read_text())
    assert facts["items"][2]["samples"] == [{"vocabulary": vocabulary.name, "words": 200, "of": 250}]
    for file in ("report.md", "index.html"):
        text = (tmp_path / "out" / file).read_text()
        assert text.count(f"200 of the 250 of {vocabulary.name}") == 2
        assert text.count("100 of the 250 of") == 1
        assert "A quick run" in text


def test_wide_things_scroll_in_a_box_of_their_own(tmp_path) -> None:
    reproduce(CURSE, CURSE.chosen(["figure-9", "table-2"]), tmp_path / "out", tiny_setting())
    page = (tmp_path / "out/index.html").read_text()
    assert "name='viewport' content='width=device-width" in page
    assert ".wide{overflow-x:auto" in page
    assert (
        page.count("<table")
        == len(re.findall(r"<div class='wide'[^>]*><table class='(?:stacked|numbers|prose)'>", page))
        > 0
    )
    figures = re.findall(r"<div class='wide'[^>]*><img ", page)
    assert page.count("<img ") == len(figures) == 1, "a table is text, not its picture"


def test_the_same_seed_gives_the_same_bytes(tmp_path) -> None:
    items = CURSE.chosen(["figure-2", "table-2"])
    for name in ("one", "two"):
        reproduce(CURSE, items, tmp_path / name, tiny_setting())
    reproduce(CURSE, items, tmp_path / "three", tiny_setting(seed=1))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    assert (tmp_path / "one/figure-2.csv").read_bytes() != (tmp_path / "three/figure-2.csv").read_bytes()


def test_the_report_escapes_and_compares(tmp_path) -> None:
    run = reproduce(toy("measured"), toy("measured").items, tmp_path / "out", tiny_setting())
    page = (tmp_path / "out/index.html").read_text()
    assert "One &lt;finding&gt;." in page
    assert "smaller &amp; odd" in page
    assert "<b>" not in page
    assert "| a\\|b | 1.4 | 1.5 | smaller & odd |" in (tmp_path / "out/report.md").read_text()
    facts = json.loads((tmp_path / "out/report.json").read_text())
    assert facts == json.loads(json.dumps(run.facts()))
    assert facts["for_release"] is False
    assert facts["items"][0]["comparisons"][0]["paper"] == "1.4"


def test_settings_ways_and_judgments_are_in_both_reports(tmp_path) -> None:
    study = toy("judged", "measured")
    item = replace(study.items[0], settings={"epsilon": "0.5 and 1", "clip": "not stated"})
    study = replace(study, items=(item, replace(study.items[1], basis=Basis.BEYOND)))
    reproduce(study, study.items, tmp_path / "out", tiny_setting())
    text = (tmp_path / "out/report.md").read_text()
    assert "Figures, tables and examples of the paper: 1 reproduced in part. Beyond the paper: 1." in text
    assert "| item-0: An item | reproduced in part | The order is the same; the size is not. |" in text
    assert "| item-1: An item | beyond the paper | One <finding>. |" in text
    assert "| epsilon | 0.5 and 1 | 0.5, 1 |" in text
    assert "| clip | not stated | the same |" not in text
    assert "| clip | not stated | - |" in text
    assert "| rate |  | 1 to 30, 30 values |" in text
    assert "| quantity | the paper | as the text says | valid |" in text
    assert "| loss | 1.2 | 9.1 | 9.3 |" in text
    page = (tmp_path / "out/index.html").read_text()
    assert "<td data-label='item'><a href='#item-0'>item-0: An item</a></td>" in page
    for cell in ("reproduced in part", "1 to 30, 30 values", "as the text says", "not stated"):
        assert cell in page
    first = json.loads((tmp_path / "out/report.json").read_text())["items"][0]
    assert first["judgment"]["reproduced"] == "reproduced in part"
    assert first["settings"]["here"]["epsilon"] == [0.5, 1.0]


def test_a_comparison_has_one_number_of_ours_or_one_a_way() -> None:
    for wrong in ({}, {"ours": "1", "ways": {"valid": "1"}}):
        with pytest.raises(ParameterError, match="one of the two"):
            Comparison(what="loss", paper="1", **wrong)


def test_a_failure_leaves_nothing(tmp_path) -> None:
    study = toy("measured", "failing")
    with pytest.raises(ParameterError, match="got this"):
        reproduce(study, study.items, tmp_path / "out", tiny_setting())
    assert list(tmp_path.iterdir()) == []
    kept = tmp_path / "kept"
    reproduce(toy("measured"), toy("measured").items, kept, tiny_setting())
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    with pytest.raises(ParameterError, match="got this"):
        reproduce(study, study.items, kept, tiny_setting())
    assert {path.name: path.read_bytes() for path in kept.iterdir()} == before


def test_without_matplotlib_figures_fail_at_once_and_tables_do_not(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="plots"):
        reproduce(CURSE, CURSE.chosen(["figure-2"]), tmp_path / "out", tiny_setting())
    assert list(tmp_path.iterdir()) == []
    reproduce(CURSE, CURSE.chosen(["table-2"]), tmp_path / "out", tiny_setting())
    assert (tmp_path / "out/table-2.csv").exists()


@pytest.mark.parametrize(
    "report",
    [
        None,
        "",
        "{",
        "[]",
        "[1]",
        '{"items": [{"files": []}]}',
        '{"items": 3, "for_release": false}',
        "\\xff",
        "[" * 9999,
    ],
)
def test_a_folder_of_others_is_refused_and_left_alone(tmp_path, report: str | None) -> None:
    (tmp_path / "index.html").write_text("somebody's")
    if report is not None:
        (tmp_path / "report.json").write_text(report)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ParameterError, match=r"`output` must be a new or empty folder, .*report\.json"):
        reproduce(toy("failing"), toy("failing").items, tmp_path, tiny_setting())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_an_empty_folder_is_taken(tmp_path) -> None:
    (tmp_path / ".textveil-0123.partial").mkdir()  # of a run that was killed
    reproduce(toy("measured"), toy("measured").items, tmp_path, tiny_setting())
    assert (tmp_path / "index.html").exists()


def test_a_second_run_leaves_no_orphans_and_keeps_what_is_not_its_own(tmp_path) -> None:
    both = toy("measured", "measured")
    reproduce(both, both.items, tmp_path, tiny_setting())
    orphans = {"item-1.csv", "item-1.json", "item-1-more.csv", "item-1-more.json"}
    assert orphans < {path.name for path in tmp_path.iterdir()}
    (tmp_path / "notes.txt").write_text("mine")
    reproduce(both, both.items[:1], tmp_path, tiny_setting())
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"index.html", "report.md", "report.json", "notes.txt"} | {
        name.replace("-1", "-0") for name in orphans
    }
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_changed_report_removes_nothing_elsewhere(tmp_path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    folder = tmp_path / "out"
    reproduce(toy("measured"), toy("measured").items, folder, tiny_setting())
    (folder / "notes.txt").write_text("mine")
    (folder / "deep").mkdir()
    (folder / "deep.csv").mkdir()
    (folder / "deep/x.csv").write_text("mine")
    facts = json.loads((folder / "report.json").read_text())
    facts["items"][0]["files"] += [
        "../mine.csv",
        str(tmp_path / "mine.csv"),
        "notes.txt",
        "deep.csv",
        "deep/x.csv",
        "",
        ".",
    ]
    (folder / "report.json").write_text(json.dumps(facts))
    reproduce(toy("measured"), toy("measured").items, folder, tiny_setting())
    assert [path.exists() for path in (tmp_path / "mine.csv", folder / "notes.txt", folder / "deep/x.csv")] == [
        True
    ] * 3


def test_folders_that_cannot_be_written(tmp_path) -> None:
    study = toy("measured")
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path / "file", tmp_path / "missing/out"):
        with pytest.raises(ParameterError, match="`output` must be a folder"):
            reproduce(study, study.items, folder, tiny_setting())


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch) -> None:
    def full(*arguments: object) -> list[Path]:
        raise OutputError("the disk is full.")

    monkeypatch.setattr(reproduction, "save_table", full)
    with pytest.raises(OutputError):
        reproduce(toy("measured"), toy("measured").items, tmp_path / "out", tiny_setting())
    assert list(tmp_path.iterdir()) == []


def test_corpora_at_hand_and_not_are_named(tmp_path) -> None:
    study = replace(toy("measured"), texts=("agnews", "yelp", "yahoo"))
    setting = tiny_setting(texts={"yelp": tmp_path})
    reproduce(study, study.items, tmp_path / "out", setting)
    for file in ("report.md", "index.html"):
        assert "Corpora at hand: yelp. Corpora not at hand: agnews, yahoo." in (tmp_path / "out" / file).read_text()
    reproduce(toy("measured"), toy("measured").items, tmp_path / "words", tiny_setting())
    assert "Corpora" not in (tmp_path / "words/report.md").read_text()


def test_many_comparisons_are_folded_and_few_are_not(tmp_path) -> None:
    for count, folded in ((30, 0), (31, 1)):
        outcome = ItemOutcome(
            tables={}, comparisons=tuple(Comparison(what=f"{i}", paper="1", ours="1") for i in range(count))
        )
        sys.modules[__name__].many = lambda setting, outcome=outcome: outcome
        reproduce(toy("many"), toy("many").items, tmp_path / f"{count}", tiny_setting())
        page = (tmp_path / f"{count}/index.html").read_text()
        assert page.count("<summary>The paper's numbers beside ours") == folded


@pytest.mark.parametrize("study", papers(), ids=lambda study: study.name)
def test_descriptions_state_no_settings(study: Paper) -> None:
    """Settings stand in ``Item.settings`` and in outcomes: a run that drew less must not read as if it drew more."""
    setting = re.compile(
        r"\d[\d,]* (?:random )?(?:words|draws|sentences|documents|epochs|vectors)|epsilon \(?\d|c = \d"
    )
    assert setting.search("The paper draws 5,000 words") and setting.search("against epsilon (1 to 50)")
    assert not [item.name for item in study.items if setting.search(item.about)]


def test_the_papers_settings_are_those_of_items_that_exist() -> None:
    for study, settings in ((CURSE, PAPER_SETTINGS), (paper("truncated-laplace"), truncated_laplace.PAPER_SETTINGS)):
        assert set(settings) <= {item.name for item in study.items}
    assert CURSE.chosen(["figure-8"])[0].settings["c"] == "GloVe-Wiki 300d: 0.04, word2vec 300d: 0.007"
