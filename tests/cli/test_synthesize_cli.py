"""``textveil synthesize`` and ``topics``: files, warnings for the sender alone, exit codes, no private text."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.records import SECRET

WORDS = ("market", "shares", "profit", "team", "season", "coach")
POOL = sorted({" ".join(np.random.default_rng(k).choice(WORDS, size=9)) for k in range(60)})


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty persons with two records each; one record stands in the pool."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"who": f"p{k // 2}", "text": f"{SECRET} {' '.join(WORDS[3 * (k % 2) :][:3])}", "kind": "ab"[k % 2]}
        for k in range(39)
    ]
    rows.append({"who": "p19", "text": POOL[0], "kind": "a"})
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "words.txt").write_text("".join(f"{word} {n} {n % 2} 1\n" for n, word in enumerate(WORDS)))
    (tmp_path / "pool.txt").write_text("".join(text + "\n" for text in POOL))
    return tmp_path


EMBEDDED = ("in.jsonl", "--unit", "who", "--epsilon", "4", "--public", "pool.txt")
COMMON = (*EMBEDDED, "--vocabulary", "words.txt")  # the features of all embedded words take a second
DELTA = ("--delta", "1e-3")


def test_synthesize_writes_so_many_labelled_texts_of_the_pool_and_a_report(command, corpus: Path) -> None:
    code, out, err = command(
        "synthesize", *EMBEDDED, *DELTA, "--documents", len(POOL), "--label", "kind", "--labels", "a,b",
        "-o", "out.jsonl",
        "--report", "r.json", "--overlaps", "own.json",
    )  # fmt: skip
    rows = [json.loads(line) for line in (corpus / "out.jsonl").read_text().splitlines()]
    assert (code, out) == (0, b"") and sorted(row["text"] for row in rows) == POOL
    assert {tuple(row) for row in rows} == {("text", "label")} and {row["label"] for row in rows} <= {"a", "b"}
    report = json.loads((corpus / "r.json").read_text())
    assert report["guarantee"]["unit"] == "person" and report["randomness"] == "operating system"
    assert sum(report["facts"]["documents of each label"].values()) == len(POOL)
    told = " ".join(err.split())
    assert "WARNING for you alone: 1 record in the pool word by word" in told and "--overlaps FILE lists them" in told
    overlaps = json.loads((corpus / "own.json").read_text())
    assert POOL[0] in {rows[each["line"] - 1]["text"] for each in overlaps}
    assert stat.S_IMODE((corpus / "own.json").stat().st_mode) == 0o600


def test_synthesize_without_labels_prints_texts_alone_and_a_seed_repeats_them(command, corpus: Path) -> None:
    first, again = (command("synthesize", *COMMON, *DELTA, "--documents", 5, "--seed", 3) for _ in range(2))
    assert first == again and [list(json.loads(line)) for line in first[1].splitlines()] == [["text"]] * 5
    code, out, _ = command("synthesize", *COMMON, *DELTA, "--documents", 5, "--seed", 3, "--json", "-o", "s.jsonl")
    assert code == 0 and json.loads(out)["randomness"] == "seeded: not for release"


def test_topics_writes_themes_by_falling_votes(command, corpus: Path) -> None:
    code, out, err = command("topics", *COMMON, "--topics", 3, "--report", "r.json")
    assert "1 record in the pool word by word" in err
    themes = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [list(theme) for theme in themes] == [["votes", "low", "high", "words", "texts"]] * 3
    assert [theme["votes"] for theme in themes] == sorted((theme["votes"] for theme in themes), reverse=True)
    report = json.loads((corpus / "r.json").read_text())
    assert report["release"] == "topics" and report["guarantee"]["text"] == "4-DP"
    code, _, err = command("topics", *COMMON, *DELTA)
    assert code == 2 and "--delta" in err and err.count("\n") == 1


@pytest.mark.parametrize("what", [("synthesize", "--documents", "5", *DELTA), ("topics", "--topics", "3")])
def test_a_second_release_beyond_the_budget_is_refused_and_writes_nothing(command, corpus: Path, what) -> None:
    command("ledger", "limit", "budget.db", "--epsilon", "5", "--delta", "1e-2", "--each", "unit")
    paying = (what[0], *COMMON, *what[1:], "--ledger", "budget.db")
    assert command(*paying, "-o", "first.jsonl")[0] == 0
    code, _, err = command(*paying, "-o", "second.jsonl")
    assert code == 3 and "budget" in err and not (corpus / "second.jsonl").exists()


def test_bad_input_is_one_line(command, corpus: Path) -> None:
    code, _, err = command("synthesize", *COMMON, *DELTA, "--documents", len(POOL) + 1)
    assert code == 2 and err.count("\n") == 1 and f"texts of the public pool, {len(POOL)}; got {len(POOL) + 1}" in err
    for name, asked in (("synthesize", ("--documents", "1", *DELTA)), ("topics", ())):
        for output in (("-o", "pool.txt"), ("-o", "in.jsonl"), ("--json",)):
            code, _, err = command(name, *COMMON, *asked, *output)
            assert code == 2 and err.count("\n") == 1
        code, _, err = command(name, "/dev/null", "-f", "jsonl", *COMMON[1:], *asked)
        assert code == 2 and "got a stream" in err
    (corpus / "pool.txt").write_text("\n")
    for name, asked in (("synthesize", ("--documents", "1", *DELTA)), ("topics", ())):
        code, _, err = command(name, *COMMON, *asked)
        assert code != 0 and "the public pool must hold texts; it is empty" in err
