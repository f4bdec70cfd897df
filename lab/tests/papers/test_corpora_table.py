"""Table 4: corpora at hand counted by hand, beside the paper's."""

from pathlib import Path

import pytest
from tests.helpers.shared import shared_path

from textveil.errors import InputError
from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.papers.report import paper
from textveil_lab.papers.setting import ItemOutcome, Reproduced, StudySetting


def run(texts: dict[str, Path]) -> ItemOutcome:
    (item,) = paper("truncated-laplace").chosen(["table-4"])
    vocabulary = first_words(load_vocabulary(), 20)
    return item.run(StudySetting(vocabularies=(vocabulary,), origin="embedded", texts=texts))


def folder(path: Path, files: dict[str, str]) -> Path:
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text, encoding="utf-8")
    return path


def at_hand(outcome: ItemOutcome) -> dict[object, tuple[object, ...]]:
    return {row[0]: row[2:] for row in outcome.tables[""].rows if row[1] == "at hand"}


def test_parts_and_classes_are_counted(tmp_path) -> None:
    yelp = folder(
        tmp_path / "yelp",
        {"train.neg.txt": "a b\nc\n", "train.pos.txt": "d e f\n", "test.neg.txt": "g\n", "test.pos.txt": "h\ni\nj\n"},
    )
    yahoo = folder(tmp_path / "yahoo", {"train.txt": "a b\n", "test.txt": "c d\ne f\n"})
    head = "sentence\tlabel\n"
    sst2 = folder(
        tmp_path / "sst2",
        {"train.tsv": f"{head}a b \t1\nc \t0\n", "dev.tsv": f"{head}d\t1\n", "test.tsv": f"{head}e f\x85g\t0\n"},
    )
    agnews = folder(
        tmp_path / "agnews", {"train.tsv": "label\tsource\ttext\n4\tx\ta b c\n", "test.csv": '"1","A","b c"\n'}
    )
    outcome = run({"yelp": yelp, "yahoo": yahoo, "sst2": sst2, "agnews": agnews})
    assert at_hand(outcome) == {
        "yelp": (round(10 / 7, 1), 2, 1, 1, 3, 7),
        "yahoo": (2.0, 1, None, 2, None, 3),
        "sst-2": (1.8, 1, 2, 1, None, 4),
        "ag-news": (3.0, 1, None, 1, None, 2),
    }
    assert outcome.judgment is not None
    assert outcome.judgment.reproduced is Reproduced.NO
    assert len(outcome.comparisons) == 4


def test_without_corpora_the_paper_s_stand_alone() -> None:
    outcome = run({})
    assert [row[0] for row in outcome.tables[""].rows] == ["yahoo", "yelp", "sst-2", "ag-news"]
    assert outcome.judgment is not None
    assert "No corpus is at hand" in outcome.judgment.why


def test_a_folder_without_its_files_is_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"train.tsv must be a readable UTF-8 text; got FileNotFoundError"):
        run({"sst2": folder(tmp_path / "sst2", {})})
    with pytest.raises(InputError, match=r"yelp must hold"):
        run({"yelp": folder(tmp_path / "yelp", {})})


def test_sst2_at_hand_has_the_paper_s_classes() -> None:
    outcome = run({"sst2": shared_path("data/text/sst2")})
    assert outcome.judgment is not None
    assert outcome.judgment.reproduced is Reproduced.PARTLY
    assert "30,208 negative and 38,013 positive" in outcome.findings[0]
    assert outcome.findings[0].endswith("adds up to 30,208 and 38,013.")
