"""``textveil sanitize --report x.html``: the page goes with the release or not at all; the sample stays private."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.helpers.deadly import made_vocabulary
from tests.helpers.runs import worker_of

from textveil.corpora.blocks import Block
from textveil.corpora.formats.choice import FormatChoice
from textveil.mechanisms.randomized_response import randomized_response

NAMES = ("Mr Abernathy", "Maria Gonzalez", "Mrs Fitzgerald", "Mr Okonkwo")
ROWS = [{"who": name[-3:], "text": f"{name} called on 14 March 2020."} for name in NAMES]
RISK = {
    "linkage": [{"attacker": "tf-idf", "against": "originals", "top1": 0.14, "top5": 0.3, "low": 0.06, "high": 0.27}],
    "kept": {"words": 0.5, "content_words": 0.18},
    "release_sha256": "ab" * 32,
}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "risk.json").write_text(json.dumps(RISK))
    return path


def test_records_are_released_with_a_page_and_a_private_sample(command, records: Path, tmp_path: Path) -> None:
    out, page, sender = tmp_path / "out.jsonl", tmp_path / "r.html", tmp_path / "s.html"
    options = ("--policy", "identifiers", "--unit", "who", "--report", page)
    code, _, err = command("sanitize", records, "-o", out, *options, "--sender-report", sender, "--sample", 2)
    assert code == 0
    assert err.splitlines()[-1] == "text      as a whole it has no guarantee; who is recognized in it: textveil risk"
    text = page.read_text()
    assert hashlib.sha256(out.read_bytes()).hexdigest() in text
    assert "One person, at most" in text and "Not measured." in text
    assert not any(name.split()[1] in text for name in NAMES)
    assert sender.stat().st_mode & 0o777 == 0o600
    shown = re.sub("</?mark>", "", sender.read_text())
    assert sum(name in shown for name in NAMES) == 2
    released = [json.loads(line)["text"] for line in out.read_text().splitlines()]
    assert sum(line in shown for line in released) == 2


@pytest.mark.parametrize("resumed", [(), ("--resume",)])
@pytest.mark.parametrize("to_file", [True, False])
def test_each_report_is_written(
    command, records: Path, tmp_path: Path, resumed: tuple[str, ...], to_file: bool
) -> None:
    out, page, data = tmp_path / "out.jsonl", tmp_path / "r.html", tmp_path / "r.json"
    where = ("-o", out, *resumed) if to_file else ()
    code, _, _ = command("sanitize", records, "-p", "identifiers", "--report", data, "--report", page, *where)
    assert code == 0
    assert json.loads(data.read_text())["documents"] == len(ROWS) and "<html" in page.read_text()
    code, _, err = command("sanitize", records, "-p", "identifiers", "--report", data, "--report", data)
    assert code == 2 and "every report must be different files; got one twice" in err


@pytest.mark.parametrize(
    ("unit", "told"),
    [(("--unit", "who"), ["per person", "per docume"]), ((), ["per docume", "whole inpu"])],
)
def test_all_of_it_is_told_as_one_persons_only_where_no_column_says_whose_it_is(
    command, records: Path, tmp_path: Path, unit: tuple[str, ...], told: list[str]
) -> None:
    page = tmp_path / "r.html"
    written = ("-o", tmp_path / "o.jsonl", "--report", page, "--verbose")
    _, _, err = command("sanitize", records, "--policy", "clinical", *unit, *written)
    assert [line[:10] for line in err.splitlines() if line.startswith(("per ", "whole "))] == told
    assert ("as if one person" in page.read_text()) == (not unit)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--report", "r.json", "--risk", "risk.json"), 2, "--risk must be with a --report that ends in .html"),
        (("--risk", "risk.json"), 2, "--risk must be with a --report that ends in .html"),
        (("--report", "r.html", "--risk", "in.jsonl"), 2, "--risk must be a JSON file that can be read"),
        (("--report", "r.html", "--risk", "none.json"), 2, "--risk must be a JSON file that can be read"),
        (("--sample", "2"), 2, "--sample must be with a --sender-report"),
        (("--sender-report", "s.json", "--sample", "-1"), 2, "--sample must be from 0 to 1000"),
        (("--report", "none/r.html"), 1, "the folder of an output must exist"),
        (("--report", "."), 1, "the output must be a file; got a folder"),
    ],
)
def test_what_cannot_be_reported_is_refused_and_nothing_is_written(
    command, records: Path, tmp_path: Path, monkeypatch, options: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    got, _, err = command("sanitize", records, "-o", "out.jsonl", "--policy", "identifiers", *options)
    assert (got, err.count("\n"), said in err) == (code, 1, True), err
    assert sorted(tmp_path.iterdir()) == before


def test_a_finished_job_gets_its_page_later_and_keeps_its_sample(command, records: Path, tmp_path: Path) -> None:
    out, page, sender = tmp_path / "out.jsonl", tmp_path / "r.html", tmp_path / "s.json"
    job = ("sanitize", records, "-o", out, "--policy", "identifiers", "--resume")
    assert command(*job, "--sender-report", sender, "--sample", 3)[0] == 0
    sampled, released = sender.read_bytes(), out.read_bytes()
    assert len(json.loads(sampled)["sample"]) == 3
    assert command("risk", out, "--original", records, "-o", tmp_path / "risk")[0] == 0
    later = ("--sender-report", sender, "--sample", 3, "--report", page, "--risk", tmp_path / "risk/risk.json")
    code, _, err = command(*job, *later)
    assert (code, "nothing was released now" in err) == (0, True)
    assert (sender.read_bytes(), out.read_bytes()) == (sampled, released)
    assert hashlib.sha256(released).hexdigest() in page.read_text()
    assert "Not measured." not in page.read_text().split("HIPAA")[0].split("recognition")[1]


@pytest.mark.parametrize("where", ["", "-o out.jsonl", "-o out.jsonl --resume", "-o old.jsonl --resume"])
def test_the_risk_of_another_release_is_refused_before_anything_is_drawn(
    command, records: Path, tmp_path: Path, monkeypatch, where: str
) -> None:
    """To a stream, to a new file, to one under a job that has not begun, and to one whose release was made anew."""
    monkeypatch.chdir(tmp_path)
    job = ("sanitize", records, "--policy", "identifiers", *where.split())
    Path("old.jsonl").write_text("a release of another command")
    digest = hashlib.sha256(Path("old.jsonl").read_bytes()).hexdigest()
    Path("risk.json").write_text(json.dumps({**RISK, "release_sha256": digest}))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = command(*job, "--report", "r.html", "--risk", "risk.json")
    assert (code, out, err.count("\n")) == (2, b"", 1)
    assert "--risk must be of this release, by the digest of its file; got one of another. Release with --resume" in err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_the_report_of_another_release_is_refused(command, records: Path, tmp_path: Path) -> None:
    """By review, for which it names the policy; a report that was written with the release is taken."""
    out, report, page = tmp_path / "out.jsonl", tmp_path / "r.json", tmp_path / "review.html"
    job = ("sanitize", records, "-o", out, "--policy", "identifiers", "--report", report)
    review = ("review", out, "--original", records, "--report", report, "-o", page)
    assert command(*job)[0] == 0
    assert json.loads(report.read_text())["release_sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert command(*review)[0] == 0
    out.write_bytes(out.read_bytes() + b"\n")
    code, _, err = command(*review)
    assert (code, "--report must be of the release, by the digest of its file; got one of another" in err) == (2, True)


def test_a_stream_has_a_page_and_no_digest(command, records: Path, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    code, out, _ = command("sanitize", records, "--policy", "identifiers", "--report", page)
    assert (code, out.count(b"\n")) == (0, len(ROWS))
    assert "no digest" in page.read_text()


def test_no_draw_depends_on_the_sample(command, records: Path, tmp_path: Path) -> None:
    seeded = ("sanitize", records, "--policy", "identifiers", "--seed", 5)
    with_sample = command(*seeded, "--sender-report", tmp_path / "s.json", "--sample", 4)[1]
    assert with_sample == command(*seeded)[1]


def test_each_document_is_sampled_as_often_whatever_its_block() -> None:
    """Blocks of 1 and 3 documents: each of the 4 is drawn in a quarter of 2,000 samples of one, to alpha 1e-6 each.

    A sample of one block, or blocks with equal shares, gives the lone document half: 26 standard deviations.
    """
    drawn = randomized_response(made_vocabulary(), epsilon=0.5)
    corpus_format = FormatChoice().reader(["in.txt"])
    release = worker_of(mechanism=drawn, corpus_format=corpus_format, secret=bytes(32), sample=1).opened()
    blocks = [
        Block(number=n, source=1, first=1, count=0, payload=p) for n, p in enumerate((b"one\n", b"two\nsix\nten\n"))
    ]
    trials = 2000
    counts = Counter(
        min(one for block in blocks for one in release(block).sampled).before.strip() for _ in range(trials)
    )
    assert set(counts) == {"one", "two", "six", "ten"}
    spread = 4.9 * (trials * 0.25 * 0.75) ** 0.5
    assert all(abs(count - trials / 4) < spread for count in counts.values()), counts
