"""``textveil count``: the contract's columns, reports, exit codes, the ledger, one line for bad input, no text."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from textveil.cli import main as cli
from textveil.errors import OutputError

SECRET = "xylophonia"
ROWS = [
    {
        "who": f"p{number % 200}",
        "text": f"The baker has paid {SECRET if number == 3 else ''}",
        "kind": "ab"[number % 2],
        "link": "=A1",
    }
    for number in range(400)
]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def count(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))

    def run(
        *arguments: object, unit: str = "who", epsilon: float = 50.0, delta: float = 1e-6, piped: bool = False
    ) -> tuple[int, str, str]:
        monkeypatch.chdir(tmp_path)
        sent = (tmp_path / "notes.jsonl").read_bytes() if piped else b""
        options = ["-" if piped else "notes.jsonl", "--unit", unit, "--epsilon", str(epsilon), "--delta", str(delta)]
        monkeypatch.setattr(sys, "argv", ["textveil", "count", *options, *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent)))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        assert SECRET not in captured.out.decode() + captured.err.decode()
        return code, captured.out.decode(), captured.err.decode()

    return run


def test_labels_that_a_spreadsheet_would_compute_are_texts(count: Run, tmp_path: Path) -> None:
    code, out, _ = count("--label", "link", "--labels", "=A1")
    labels = {line["label"] for line in csv.DictReader(io.StringIO(out))}
    assert (code, labels) == (0, {"'=A1"})


def test_csv_has_the_columns_of_the_contract(count: Run, tmp_path: Path) -> None:
    code, out, err = count("--ngrams", 2)
    lines = list(csv.DictReader(io.StringIO(out)))
    assert (
        code == 0
        and err
        == f"released  {len(lines)} counts; (50, 1e-06)-DP for each person\n"
        "limits    not covered: what others wrote about a person, and what holds of many\n"
        and list(lines[0]) == ["item", "count", "noise_low", "noise_high"]
    )
    assert {"baker", "paid", "the baker", "has paid"} <= {line["item"] for line in lines}
    assert all(int(line["noise_low"]) <= int(line["count"]) <= int(line["noise_high"]) for line in lines)
    code, out, _ = count("--label", "kind", "-o", "counts.csv", "--json", "--report", "report.json")
    labelled = list(csv.DictReader(io.StringIO((tmp_path / "counts.csv").read_text())))
    assert code == 0 and list(labelled[0]) == ["item", "label", "count", "noise_low", "noise_high"]
    assert {line["label"] for line in labelled} == {"a", "b"}
    assert json.loads(out) == json.loads((tmp_path / "report.json").read_text())


def test_the_report_says_what_is_promised_and_names_no_number_of_the_data(count: Run) -> None:
    code, out, _ = count("-o", "c.csv", "--json", "--repeats", 2, "--items-per-person", 7, "--records-per-person", 3)
    report = json.loads(out)
    assert code == 0 and report["release"] == "counts"
    assert report["guarantee"]["unit"] == "person" and "one more person" in report["guarantee"]["adjacency"]
    assert report["guarantee"]["source"] == "proofs/corpus_counts.md"
    assert report["bounded"] == {
        "items_per_person": 7,
        "items_at_most": 448,
        "repeats": 2,
        "records_per_person": 3,
        "ngrams": 1,
    }
    assert set(report["facts"]) == {"items", "thresholds", "taken_by_the_bound", "confidence", "persons_about"}
    assert report["randomness"] == "operating system"
    again = ("-o", "c.csv", "--overwrite", "--json")
    assert json.loads(count(*again, "--seed", 1)[1])["randomness"] == "seeded: not for release"
    assert json.loads(count(*again, unit="document")[1])["guarantee"]["unit"] == "document"


def test_public_words_come_from_a_file(count: Run, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Baker\nsailor\n")
    code, out, _ = count("--words", "words.txt", "--json", "-o", "c.csv")
    assert code == 0 and json.loads(out)["public"]["number_of_words"] == 2


def test_bad_input_is_told_in_one_line(count: Run) -> None:
    for arguments, options, message, code in (
        (["--ngrams", 5], {}, "--ngrams must be from 1 to 4", 2),
        (["--labels", "a"], {}, "--labels needs --label", 2),
        (["--words", "absent.txt"], {}, "words must be a file of UTF-8 text", 1),
        ([], {"unit": "nobody"}, "nobody", 1),
        ([], {"epsilon": 0.0}, "--epsilon must be finite and > 0", 2),
        ([], {"delta": 0.0}, "--delta must be in (0, 1)", 2),
        ([], {"unit": "text"}, "must be different columns", 2),
        (["--json"], {}, "--output must name a file for the release", 2),
        (["-o", "notes.jsonl"], {}, "got one twice", 2),
        (["-o", "c.csv", "--report", "c.csv"], {}, "got one twice", 2),
        (["-o", "absent/c.csv"], {}, "the folder of an output must exist", 1),
        (["--label", "kind", "--labels", "a,a"], {}, "--labels must be different", 2),
        (["--items-per-person", 0], {}, "--items-per-person must be between 1", 2),
        (["--records-per-person", 0], {}, "--records-per-person must be >= 1", 2),
        ([], {"epsilon": 1e-9}, "--epsilon is too small", 2),
    ):
        got, out, err = count(*arguments, **options)
        assert (got, out) == (code, "") and message in err and err.count("\n") == 1


def test_standard_input_is_counted_like_a_file(count: Run) -> None:
    """One pass is enough; dies with: a second read of what is gone."""
    options = ("--seed", 1, "--ngrams", 2, "--label", "kind")
    piped = count(*options, "--format", "jsonl", piped=True)
    assert piped == count(*options) and piped[0] == 0 and "the baker" in piped[1]


def test_a_delta_above_one_in_the_number_of_persons_is_warned_of(count: Run) -> None:
    code, _, err = count(delta=0.5)
    assert code == 0 and "delta is at least 1 / number of persons" in err


def test_a_second_release_beyond_the_budget_is_refused(count: Run, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Account, Limit
    from textveil.budget.ledger import Ledger

    with Ledger(str(tmp_path / "budget.db")) as ledger:
        ledger.set_limit(Account("local"), Limit(epsilon=1.5, delta=1e-4), each="unit")
    first = count("--ledger", "budget.db", "-o", "first.csv", epsilon=1.0)
    assert first[0] == 0, first
    code, out, _ = count("--ledger", "budget.db", "-o", "second.csv", epsilon=1.0)
    assert (code, out) == (3, "") and not [path.name for path in tmp_path.iterdir() if "second" in path.name]


def test_a_release_that_cannot_be_written_is_paid_once(
    count: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    def full(*_: object, **__: object) -> None:
        raise OutputError("the output could not be written: the disk is full.")

    options = ("--ledger", "budget.db", "-o", "c.csv")
    with monkeypatch.context() as patch:
        patch.setattr("textveil.cli.aggregates.write_release", full)
        code, _, err = count(*options, epsilon=1.0)
    assert code == 1 and err.endswith("full. The release is paid: the same command goes on with it.\n")
    code, out, err = count(*options, epsilon=1.1)
    assert (code, out, err.count("\n")) == (2, "", 1) and "paid and not written" in err and "set --overwrite" in err
    assert count(*options, epsilon=1.0)[0] == 0 and (tmp_path / "c.csv").exists()
    assert not list(tmp_path.glob(".*textveil*"))
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        assert ledger.balance(Account("local", "p1")).spent.approximate().epsilon == 1.0


def test_nobody_pays_for_a_release_that_is_refused(count: Run, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

    for arguments, epsilon in (([], 1e-4), (["-o", "absent/c.csv"], 1.0), (["--json"], 1.0)):
        assert count("--ledger", "budget.db", *arguments, epsilon=epsilon)[0] in (1, 2)
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        assert ledger.balance(Account("local", "p1")).spent.epsilon == 0


def test_an_empty_release_is_told(count: Run) -> None:
    code, out, err = count("--words", "none", epsilon=0.05)
    assert code == 0 and out == "item,count,noise_low,noise_high\n" and "No item stands out of the noise" in err


def test_a_limit_for_all_persons_together_says_that_many_are_charged(count: Run, tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy")
    from textveil.budget.account import Account, Limit
    from textveil.budget.ledger import Ledger

    with Ledger(str(tmp_path / "budget.db")) as ledger:
        ledger.set_limit(Account("local"), Limit(epsilon=5.0, delta=1e-4))
    code, _, err = count("--ledger", "budget.db", epsilon=2.0)
    assert code == 3 and "200 accounts are charged" in err and err.count("\n") == 1
    with Ledger(str(tmp_path / "budget.db")) as ledger:
        assert ledger.balance(Account("local")).spent.epsilon == 0


def test_a_report_is_a_page_where_its_name_says_so(count: Run, tmp_path: Path) -> None:
    code, _, _ = count("-o", "counts.csv", "--report", "r.json", "--report", "r.html")
    data, page = json.loads((tmp_path / "r.json").read_text()), (tmp_path / "r.html").read_text()
    assert code == 0 and page.startswith("<!doctype html>") and data["guarantee"]["text"] in page
    assert all(line.replace("'", "&#39;") in page for line in data["not_covered"])
    assert "words, second round: " in page and f"{data['facts']['items']}</td>" in page
    assert "no limit</td>" in page  # records of a person
    code, _, err = count("-o", "other.csv", "--report", "r.html")
    assert code == 2 and "r.html" not in err and "exists" in err
