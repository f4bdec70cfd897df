"""``textveil synthesize`` and ``topics``: files, warnings for the sender alone, exit codes, no private text."""

import json
import stat
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.endpoints import EndpointServer, completion, send
from tests.helpers.records import SECRET

from textveil.aggregates.text_repair import REWRITING

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
    (tmp_path / "pool.txt").write_text("".join(text + "\n" for text in POOL))
    return tmp_path


COMMON = ("in.jsonl", "--unit", "who", "--epsilon", "4", "--delta", "1e-3", "--public", "pool.txt")


def test_synthesize_writes_so_many_labelled_texts_of_the_pool_and_a_report(command, corpus: Path) -> None:
    code, out, err = command(
        "synthesize", *COMMON, "--documents", len(POOL), "--label", "kind", "--labels", "a,b", "-o", "out.jsonl",
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
    first, again = (command("synthesize", *COMMON, "--documents", 5, "--seed", 3) for _ in range(2))
    assert first == again and [list(json.loads(line)) for line in first[1].splitlines()] == [["text"]] * 5
    code, out, _ = command("synthesize", *COMMON, "--documents", 5, "--seed", 3, "--json", "-o", "s.jsonl")
    assert code == 0 and json.loads(out)["randomness"] == "seeded: not for release"


def test_the_language_model_writes_a_pool_where_it_is_named(command, corpus: Path) -> None:
    asked = (*COMMON[:-1], "embedded", "--documents", 3, "--label", "kind", "--labels", "a,b", "--seed", 3)
    code, out, err = command("synthesize", *asked, "--report", "r.json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and len({row["text"] for row in rows}) == 3 and "pool" not in err
    assert [len(row["text"].split(" ")) for row in rows] == [25] * 3
    public = json.loads((corpus / "r.json").read_text())["public"]
    assert (public["pool"], public["texts of the pool"]) == ("texts of the embedded language model", 12)
    assert command("synthesize", *asked)[1] == out
    code, _, err = command("synthesize", *COMMON[:-1], "embedded", "--documents", 0)
    assert code == 2 and "--documents must be >= 1" in err
    (corpus / "v.txt").write_text("2 2\nmarket 1 0\nteam 0 1\n")
    code, _, err = command("synthesize", *COMMON[:-1], "embedded", "--documents", 1, "--vocabulary", "v.txt")
    assert code == 2 and "--public must be given for this vocabulary" in err
    code, _, err = command("synthesize", *COMMON[:-2], "--documents", 1)
    assert code == 2 and err.count("\n") == 1 and "sentences of Wikipedia" in err and "--public embedded" in err


@pytest.mark.parametrize("works", [True, False])
def test_an_endpoint_sees_chosen_texts_alone_and_if_it_fails_these_stay(
    command, corpus: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    """What is paid for is written in any case, and paid for once."""
    monkeypatch.setattr("textveil.models.endpoint.sleep", lambda seconds: None)
    command("ledger", "limit", "budget.db", "--epsilon", "5", "--delta", "1e-2", "--each", "unit")
    plain = ("synthesize", *COMMON, "--documents", 30, "--label", "kind", "--labels", "a,b", "--seed", 3)
    chosen = [json.loads(line) for line in command(*plain)[1].splitlines()]

    def reply(handler, body) -> None:
        assert [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()] == chosen
        assert body["messages"][0]["content"] == REWRITING
        lines = body["messages"][1]["content"]
        send(handler, completion(lines.replace("market", "bazaar") if works else "1: too few"))

    with EndpointServer() as server:
        server.reply = reply
        service = ("--endpoint", server.url, "--endpoint-model", "tiny", "--ledger", "budget.db")
        code, _, err = command(*plain, *service, "-o", "out.jsonl", "--report", "r.json")
        sent = [
            line.split(": ", 1)[1] for *_, body in server.asked for line in body["messages"][1]["content"].split("\n")
        ]
        assert sorted(sent) == sorted(row["text"] for row in chosen)
        assert SECRET not in json.dumps(server.asked) and '"a"' not in json.dumps(server.asked)
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert json.loads(Path("r.json").read_text())["public"].get("rewritten by") == ("tiny" if works else None)
    if works:
        assert code == 0 and rows == [{**row, "text": row["text"].replace("market", "bazaar")} for row in chosen]
    else:
        assert (code, rows) == (1, chosen) and "30 of 30 lines stay as they were" in err
    assert command(*plain, *service)[0] == 3  # one release is all that the budget allows


def test_topics_writes_themes_by_falling_votes(command, corpus: Path) -> None:
    code, out, err = command("topics", *COMMON, "--topics", 3, "--report", "r.json")
    assert "1 record in the pool word by word" in err
    themes = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [list(theme) for theme in themes] == [["votes", "low", "high", "words", "texts"]] * 3
    assert [theme["votes"] for theme in themes] == sorted((theme["votes"] for theme in themes), reverse=True)
    assert json.loads((corpus / "r.json").read_text())["release"] == "topics"


@pytest.mark.parametrize("what", [("synthesize", "--documents", "5"), ("topics", "--topics", "3")])
def test_a_second_release_beyond_the_budget_is_refused_and_writes_nothing(command, corpus: Path, what) -> None:
    command("ledger", "limit", "budget.db", "--epsilon", "5", "--delta", "1e-2", "--each", "unit")
    paying = (what[0], *COMMON, *what[1:], "--ledger", "budget.db")
    assert command(*paying, "-o", "first.jsonl")[0] == 0
    code, _, err = command(*paying, "-o", "second.jsonl")
    assert code == 3 and "budget" in err and not (corpus / "second.jsonl").exists()


def test_bad_input_is_one_line(command, corpus: Path) -> None:
    code, _, err = command("synthesize", *COMMON, "--documents", len(POOL) + 1)
    assert code == 2 and err.count("\n") == 1 and f"texts of the public pool, {len(POOL)}; got {len(POOL) + 1}" in err
    for name, asked in (("synthesize", ("--documents", "1")), ("topics", ())):
        for output in (("-o", "pool.txt"), ("-o", "in.jsonl"), ("--json",)):
            code, _, err = command(name, *COMMON, *asked, *output)
            assert code == 2 and err.count("\n") == 1
        code, _, err = command(name, "/dev/null", "-f", "jsonl", *COMMON[1:], *asked)
        assert code == 2 and "got a stream" in err
    (corpus / "pool.txt").write_text("\n")
    for name, asked in (("synthesize", ("--documents", "1")), ("topics", ())):
        code, _, err = command(name, *COMMON, *asked)
        assert code != 0 and "the public pool must hold texts; it is empty" in err
