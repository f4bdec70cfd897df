"""``textveil reproduce``: lists, one line for bad input, code 2, and nothing half written."""

import io
import json
import os
import sys

import numpy as np
import pytest

from textveil.cli import main as cli
from textveil_lab.papers.report import Item
from textveil_lab.papers.setting import ItemOutcome, StudySetting

pytest.importorskip("matplotlib")


@pytest.fixture
def textveil(capsysbinary, monkeypatch):
    monkeypatch.delenv("TEXTVEIL_SHARED", raising=False)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out.decode(), captured.err.decode()

    return run


def glove(path, size: int, twins: bool = False):
    vectors = np.random.default_rng(5).normal(size=(size, 6)).round(4)
    if twins:
        vectors[1] = vectors[0]
    path.write_text("".join(f"w{row} {' '.join(map(str, vector))}\n" for row, vector in enumerate(vectors)))
    return path


def refused(code: int, err: str, *, holds: str) -> None:
    assert code == 2
    assert err.startswith("textveil: ")
    assert err.count("\n") == 1
    assert holds in err


def test_papers_are_listed(textveil) -> None:
    code, out, err = textveil("reproduce")
    assert (code, err) == (0, "")
    assert "curse: dX-Privacy for Text" in out
    assert "figure-10" in out


@pytest.mark.parametrize(
    "options",
    [
        ("--quick",),
        ("-o", "x"),
        ("--json",),
        ("--seed", 0),
        ("--sample", 3),
        ("--vocabulary", "x"),
        ("--cells", "x"),
        ("--device", "cpu"),
    ],
)
def test_options_without_a_paper_are_refused(textveil, options: tuple[object, ...]) -> None:
    code, out, err = textveil("reproduce", *options)
    refused(code, err, holds="PAPER must be one of curse, truncated-laplace; got none")
    assert out == ""


def test_a_shared_folder_that_is_not_there(textveil, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TEXTVEIL_SHARED", str(tmp_path / "nonexistent"))
    code, out, err = textveil("reproduce", "curse", "table-2", "--quick", "-o", tmp_path / "out")
    refused(code, err, holds="TEXTVEIL_SHARED must be a folder")
    assert (out, list(tmp_path.iterdir())) == ("", [])


def test_data_that_is_named_is_read_and_the_variable_is_left_as_it_was(textveil, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TEXTVEIL_SHARED", "elsewhere")
    folder = tmp_path / "public/data/vectors/glove-6b-50d-10000"
    folder.mkdir(parents=True)
    glove(folder / f"{folder.name}.txt", 140)
    command = ("reproduce", "curse", "table-2", "--quick", "-o", tmp_path / "out")
    code, out, _ = textveil(*command, "--data", tmp_path / "public")
    assert (code, os.environ["TEXTVEIL_SHARED"]) == (0, "elsewhere")
    assert "Public subsets" in out
    code, _, err = textveil(*command, "--data", tmp_path)
    refused(code, err, holds="--data must be a folder that holds data/text or data/vectors")


def test_a_corpus_that_is_missing_is_told_before_anything_is_measured(textveil, tmp_path, monkeypatch) -> None:
    """The corpus of the last item: before, a run told of it after all the others."""
    monkeypatch.setattr(Item, "run", lambda item, setting: pytest.fail(item.name))
    command = ("reproduce", "truncated-laplace", "variance", "bleu-scale", "--quick", "-o", tmp_path / "out")
    code, _, err = textveil(*command)
    refused(code, err, holds="corpus yelp must be the folder data/text/yelp")
    assert "Give --data FOLDER" in err
    assert list(tmp_path.iterdir()) == []


def test_results_are_told_as_they_come(textveil, tmp_path, monkeypatch) -> None:
    run, told = Item.run, []

    def watched(item: Item, setting: StudySetting) -> ItemOutcome:
        told.append(sys.stdout.tell())
        return run(item, setting)

    monkeypatch.setattr(Item, "run", watched)
    words = glove(tmp_path / "small.txt", 140)
    textveil("reproduce", "curse", "table-1", "table-2", "--quick", "--vocabulary", words, "-o", tmp_path / "out")
    assert told[0] == 0 < told[1]


def test_a_folder_with_one_table_names_the_file(textveil, tmp_path) -> None:
    (tmp_path / "words").mkdir()
    glove(tmp_path / "words/table.txt", 140)
    code, _, err = textveil("reproduce", "curse", "table-2", "--vocabulary", tmp_path / "words", "-o", tmp_path / "o")
    assert code in (1, 2)
    assert "Give its file table.txt instead." in err
    assert not (tmp_path / "o").exists()


def test_a_folder_of_others_is_refused(textveil, tmp_path) -> None:
    (tmp_path / "index.html").write_text("somebody's")
    code, _, err = textveil("reproduce", "curse", "table-2", "--quick", "--sample", 30, "-o", tmp_path)
    refused(code, err, holds="--output must be a new or empty folder")
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_a_quick_run(textveil, tmp_path) -> None:
    words = glove(tmp_path / "small.txt", 140)
    code, out, _ = textveil(
        "reproduce", "curse", "table-2", "figure-9", "--quick", "--vocabulary", words, "-o", tmp_path / "o"
    )
    assert code == 0
    assert "not for release" in out
    assert {"index.html", "report.md", "figure-9.svg", "table-2.csv"} <= {
        path.name for path in (tmp_path / "o").iterdir()
    }


def test_a_quick_run_on_the_embedded_vocabulary_in_json(textveil, tmp_path) -> None:
    code, out, _ = textveil("reproduce", "curse", "table-2", "--quick", "--sample", 30, "--json", "-o", tmp_path / "o")
    assert code == 0
    facts = json.loads(out)
    assert facts["origin"].startswith("The embedded vocabulary")
    assert facts["items"][0]["name"] == "table-2"


def test_words_that_share_a_vector_are_left_out_and_counted(textveil, tmp_path) -> None:
    twins = glove(tmp_path / "twins.txt", 120, twins=True)
    code, out, err = textveil("reproduce", "curse", "table-2", "--vocabulary", twins, "-o", tmp_path / "out")
    assert (code, err) == (0, "")
    assert "left out: an earlier word has their vector" in out


def test_bad_input_is_one_line(textveil, tmp_path) -> None:
    small = glove(tmp_path / "small.txt", 90)
    target = tmp_path / "out"
    cases = [
        (("cursed",), "one of curse"),
        (("curse", "figure-99"), "figure-10, table-1"),
        (("curse", "figure-1"), "--output"),
        (("curse", "figure-1", "-o", tmp_path / "missing/out"), "--output must be a folder"),
        (("curse", "figure-1", "-o", small), "--output must be a folder"),
        (("curse", "table-2", "--vocabulary", small, "-o", target), "more than 101 words"),
        (("curse", "table-2", "--vocabulary", small, "--sample", 91, "-o", target), "at most the 90 words"),
        (("curse", "figure-1", "--seed", -1, "-o", target), "seed"),
        (("curse", "figure-1", "--cells", target, "-o", target), "for studies of texts; curse is of words"),
        (("curse", "figure-1", "--device", "cpu", "-o", target), "for studies of texts"),
        (("curse", "figure-1", "--processes", 2, "-o", target), "for studies of texts"),
        (("curse", "figure-2", "--quick", "--vocabulary", small, "-o", target), "between 1 and 89"),
    ]
    for arguments, holds in cases:
        code, out, err = textveil("reproduce", *arguments)
        refused(code, err, holds=holds)
        assert out == ""
        assert sorted(path.name for path in tmp_path.iterdir()) == ["small.txt"]
