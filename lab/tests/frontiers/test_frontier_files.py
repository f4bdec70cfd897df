"""The frontier's files: one page that needs nothing else, figures, tables."""

import json
import re

import pytest
from tests.helpers.vocabularies import made_vocabulary

import textveil as tv
from textveil.errors import ParameterError
from textveil_lab.frontiers.page import shown_label, to_html, write_frontier
from textveil_lab.frontiers.study import Sizes

pytest.importorskip("matplotlib")

SMALL = Sizes(draws=100, neighbors=5, pairs=50, texts=20, noisy=10)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frontier")
    names = ["randomized-response", "exponential", "gaussian"]
    found = tv.frontier(names, made_vocabulary(30), epsilons=[1.0, 4.0], sizes=SMALL)
    return found, folder, write_frontier(found, folder)


@pytest.mark.slow
def test_all_files_are_written(written):
    _, folder, files = written
    assert {one.name for one in files} == {one.name for one in folder.iterdir()}
    assert {"frontier.png", "frontier.svg", "frontier.csv", "frontier.json", "index.html"} <= {
        one.name for one in files
    }


def test_the_page_asks_nothing_of_the_network(written):
    page = (written[1] / "index.html").read_text()
    without = re.sub(r"='data:[^']*'", "=''", page)
    assert without != page
    assert set(re.findall(r"""(?:src|href)=['"]([^'"]*)""", without)) == {""}
    assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(|@import|url\(", without)
    assert set(re.findall(r"https?://[^\"' ]*", without)) == {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_page_draws_the_numbers_of_the_table(written):
    found, folder, _ = written
    data = json.loads(re.search(r"const FOUND=(.*?);\n", (folder / "index.html").read_text())[1])
    drawn = {
        (line["measure"], line["label"], point["epsilon"]): point["y"]
        for line in data["lines"]
        for point in line["points"]
    }
    scores = {(key, shown_label(one), one.epsilon): bound.estimate
              for one in found.points for key, bound in one.scores.items()}  # fmt: skip
    assert drawn == scores
    assert set(data["titles"]) == set(found.measured)


def test_the_same_frontier_has_the_same_page(written):
    found, folder, _ = written
    assert to_html(found, folder) == (folder / "index.html").read_text()


def test_a_folder_of_other_files_is_refused(written, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ParameterError, match="must be a new folder, an empty one, or one of an earlier run"):
        write_frontier(written[0], tmp_path)
    with pytest.raises(ParameterError, match="`output` must be a folder that can be written"):
        write_frontier(written[0], tmp_path / "a" / "b")
