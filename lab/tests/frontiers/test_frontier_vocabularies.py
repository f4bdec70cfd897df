"""One frontier over several vocabularies: the numbers of each are its own, and everything says whose they are."""

import csv
import json
import re

import pytest
from tests.helpers.browsers import browser
from tests.helpers.vocabularies import lettered_vocabulary, made_vocabulary

import textveil as tv
from textveil.errors import ParameterError
from textveil_lab.frontiers import comparison
from textveil_lab.frontiers.comparison import labelled_vocabularies
from textveil_lab.frontiers.page import drawn_frontier, shown_label, write_frontier
from textveil_lab.frontiers.points import OF_VOCABULARY
from textveil_lab.frontiers.study import Sizes

pytest.importorskip("matplotlib")

SMALL = Sizes(draws=100, neighbors=5, pairs=50, texts=20, noisy=10)
NAMES = ["randomized-response", "exponential"]


def _named(name: str, size: int, seed: int = 7) -> tv.Vocabulary:
    made = lettered_vocabulary(size, seed=seed)
    return tv.Vocabulary(made.words, made.vectors, name)


FIRST, SECOND = _named("first", 30), _named("second", 45, seed=8)
SETTING = {"epsilons": [1.0, 4.0], "sizes": SMALL}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    found = tv.frontier(NAMES, [FIRST, SECOND], **SETTING)
    return found, folder, write_frontier(found, folder)


@pytest.mark.parametrize("words", [FIRST, SECOND], ids=lambda one: one.name)
def test_each_vocabulary_has_the_numbers_that_it_has_alone(written, words):
    alone = tv.frontier(NAMES, words, **SETTING)
    for table in ("table", "limit_table", "shown_losses"):
        whole = getattr(written[0], table)()
        assert whole.columns[-1] == "vocabulary"
        rows = tuple(row for row in whole.rows if row[-1] == words.name)
        assert rows == getattr(alone, table)().rows != ()
    part = next(one for one in written[0].parts if one.vocabulary == words.name)
    assert part.facts == alone.parts[0].facts and part.baselines == alone.baselines


def test_the_facts_of_a_single_one_stand_where_they_stood_and_those_of_several_apart(written):
    alone = tv.frontier(NAMES[:1], [FIRST], **SETTING).facts
    assert alone["vocabulary"] == FIRST.digest and alone["words"] == 30
    assert alone["vocabularies"] == [{"label": "first", **{key: alone[key] for key in OF_VOCABULARY}}]
    facts = written[0].facts
    assert [(one["label"], one["words"], one["vocabulary"]) for one in facts["vocabularies"]] == [
        ("first", 30, FIRST.digest),
        ("second", 45, SECOND.digest),
    ]
    assert not set(OF_VOCABULARY) & set(facts) and facts["epsilons"] == [1.0, 4.0]
    for asked in (lambda: written[0].baselines, lambda: written[0].levels("cosine")):
        with pytest.raises(ParameterError, match="a single one; got 2 vocabularies"):
            asked()


def test_files_say_whose_each_number_is(written):
    _, folder, _ = written
    for name in ("frontier", "limits", "shown-losses"):
        with (folder / f"{name}.csv").open() as file:
            assert {row["vocabulary"] for row in csv.DictReader(file)} == {"first", "second"}
        whole = json.loads((folder / f"{name}.json").read_text())
        assert {row[whole["columns"].index("vocabulary")] for row in whole["rows"]} == {"first", "second"}


def test_the_figure_has_a_panel_for_each_measure_and_vocabulary_on_one_scale(written):
    found = written[0]
    panels = drawn_frontier(found).panels
    titles = [one.axes.get_title(loc="left") for one in panels]
    assert len(panels) == 2 * len(found.measured) == len(set(titles))
    assert [title.split("\n")[1] for title in titles] == ["first", "second"] * len(found.measured)
    for left, right in zip(panels[::2], panels[1::2], strict=True):
        assert left.axes.get_ylim() == right.axes.get_ylim()
        for panel, part in ((left, found.parts[0]), (right, found.parts[1])):
            drawn = [line for line in panel.axes.lines if line.get_label() == "randomized-response"]
            key = found.measured[panels.index(panel) // 2]
            points = [one for one in part.points if one.contender.label == "randomized-response"]
            assert list(drawn[0].get_ydata()) == [one.scores[key].estimate for one in points]


def test_the_page_draws_the_numbers_of_every_vocabulary(written):
    found, folder, _ = written
    data = json.loads(re.search(r"const FOUND=(.*?);\n", (folder / "index.html").read_text())[1])
    assert data["vocabularies"] == ["first", "second"]
    drawn = {
        (line["vocabulary"], line["measure"], line["label"], point["epsilon"]): point["y"]
        for line in data["lines"]
        for point in line["points"]
    }
    assert drawn == {(one.vocabulary, key, shown_label(one), one.epsilon): bound.estimate
                     for one in found.points for key, bound in one.scores.items()}  # fmt: skip
    limits = {(one["vocabulary"], one["measure"], one["x"]): one["y"] for one in data["limits"]}
    assert limits == {(one.vocabulary, one.measure, one.epsilon): one.value for one in found.limits}


@pytest.mark.slow
def test_a_vocabulary_is_chosen_on_the_page(written, tmp_path):
    found, folder, _ = written
    tv.frontier(NAMES[:1], FIRST, output=tmp_path / "one", **SETTING)
    with browser() as started:
        page = started.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((folder / "index.html").as_uri())
        told = {}
        for part in found.parts:
            page.select_option("#vocabulary", part.vocabulary)
            told[part.vocabulary] = page.locator("#chart circle title").all_text_contents()
            lines = [one for one in part.points if "cosine" in one.scores]
            assert len(told[part.vocabulary]) == len(lines)
            assert all(f"over {part.vocabulary} at epsilon" in one for one in told[part.vocabulary])
        assert told["first"] != told["second"]
        page.goto((tmp_path / "one" / "index.html").as_uri())
        assert page.locator("#vocabulary").is_hidden()
        assert " over " not in page.locator("#chart circle title").first.text_content()
        assert wrong == []


@pytest.mark.slow
def test_tables_of_the_page_name_measures_in_words_and_the_vocabulary(written):
    page = (written[1] / "index.html").read_text()
    losses = page[page.index("Losses that readers showed") : page.index("All panels")]
    assert ">Two words told apart by surface</th>" in losses and "words_apart_surface" not in losses
    for head in re.findall(r"<thead><tr><th scope='col'>(.*?)</th>", page[page.index("What was verified") :]):
        assert head == "vocabulary"


def test_a_stopped_run_goes_on_with_what_is_kept_and_with_one_more(tmp_path, monkeypatch):
    cells = tmp_path / "cells"
    measure = comparison.measured_cell

    def stopped(study, cell):
        if study.vocabulary is SECOND:
            raise KeyboardInterrupt
        return measure(study, cell)

    monkeypatch.setattr(comparison, "measured_cell", stopped)
    with pytest.raises(KeyboardInterrupt):
        tv.frontier(NAMES[:1], [FIRST, SECOND], cells=cells, **SETTING)
    seen = []

    def counted(study, cell):
        seen.append(study.vocabulary.name)
        return measure(study, cell)

    monkeypatch.setattr(comparison, "measured_cell", counted)
    again = tv.frontier(NAMES[:1], [FIRST, SECOND], cells=cells, **SETTING)
    assert set(seen) == {"second"} and len(again.parts) == 2
    seen.clear()
    third = _named("third", 20)
    more = tv.frontier(NAMES[:1], [third, SECOND, FIRST], cells=cells, **SETTING)
    assert set(seen) == {"third"}
    assert [one.vocabulary for one in more.parts] == ["third", "second", "first"]
    with pytest.raises(ParameterError, match="a folder of cells measured under this setting; got others: seed"):
        tv.frontier(NAMES[:1], [FIRST, SECOND], cells=cells, seed=5, **SETTING)
    with pytest.raises(ParameterError, match="under this setting; got others: prior none there"):
        tv.frontier(NAMES[:1], FIRST, cells=cells, **SETTING)


def test_cells_of_other_numbers_of_texts_are_refused(tmp_path):
    options = {"epsilons": [1.0], "cells": tmp_path / "cells"}
    tv.frontier(NAMES[:1], FIRST, sizes=SMALL, **options)
    more = Sizes(draws=100, neighbors=5, pairs=50, texts=40, noisy=10)
    with pytest.raises(ParameterError, match="pairs of texts 20 there, 40 now"):
        tv.frontier(NAMES[:1], FIRST, sizes=more, **options)


@pytest.mark.slow
def test_progress_rises_to_the_end():
    shares: list[float] = []
    tv.frontier(NAMES, [FIRST, SECOND], progress=shares.append, **SETTING)
    assert shares == sorted(shares) and shares[-1] == 1.0 and any(0 < one < 0.5 for one in shares)


def test_two_of_one_name_are_told_apart_by_their_digests():
    one, other = _named("same", 20), _named("same", 25)
    labels = list(labelled_vocabularies([one, other]))
    assert labels == [f"same ({one.digest[:8]})", f"same ({other.digest[:8]})"]
    assert list(labelled_vocabularies([one])) == ["same"] == list(labelled_vocabularies(one))
    assert list(labelled_vocabularies(None)) == [tv.load_vocabulary().name]


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ([], "an empty list"),
        ("glove.txt", "one str"),
        ([FIRST, "glove.txt"], "str"),
        ([FIRST, _named("another name", 30)], "the same words and vectors twice"),
    ],
)
def test_bad_lists_are_refused(given, got):
    wanted = f"vocabulary must be one vocabulary or a list of them, each once; got {got}."
    with pytest.raises(ParameterError, match=re.escape(wanted)):
        tv.frontier(NAMES, given, **SETTING)


def test_every_vocabulary_is_checked_before_any_is_measured(monkeypatch):
    monkeypatch.setattr(comparison, "measured_cell", lambda study, cell: pytest.fail("measured"))
    with pytest.raises(ParameterError, match="neighbors must be below the 4 words"):
        tv.frontier(NAMES, [FIRST, made_vocabulary(4)], **SETTING)
