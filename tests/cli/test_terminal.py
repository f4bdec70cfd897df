"""What commands print on a terminal of 80 columns, as files that a person has read: tests/golden/terminal."""

import json
import sys
from pathlib import Path

import pytest

from textveil.cli import main as cli

GOLDEN = Path(__file__).parents[1] / "golden" / "terminal"
TRADES = ("baker", "sailor", "nurse", "tailor")
LINES = [
    f"{name} the {trade} met Anna Tierney in {town} on {day} May 2016, and paid {10 * day + 3} pounds."
    for day, (name, town) in enumerate([("John Smith", "Leeds"), ("Mary Jones", "York"), ("Amir Khan", "Bath")] * 2, 1)
    for trade in TRADES
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with texts."""
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("".join(line + "\n" for line in LINES))
    Path("public.jsonl").write_text("".join(json.dumps({"text": line.upper()}) + "\n" for line in LINES))
    Path("released.txt").write_text("".join(line.replace("Anna Tierney", "Mia Low") + "\n" for line in LINES))
    rows = [{"who": number, "text": line, "kind": TRADES[number % 4]} for number, line in enumerate(LINES)]
    Path("records.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shares = [("place", "Leeds", 0.01), ("place", "York", 0.002), *(("occupation", trade, 0.002) for trade in TRADES)]
    rows = ["attribute,value,share", *(",".join(map(str, share)) for share in shares)]
    Path("shares.csv").write_text("".join(f"{row}\n" for row in rows))
    Path("odd.txt").write_text("Sivanallu rocks.\n")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("risk", "risk notes.txt --original notes.txt --background public.jsonl --documents 22 --seed 1"),
        ("risk-limit", "risk released.txt --original notes.txt --background public.jsonl --limit .05 -o r --seed 1"),
        ("risk-population", "risk released.txt --original notes.txt --marginals shares.csv --population 90000"),
        ("learn", "learn records.jsonl --unit who --label kind --labels baker,nurse --epsilon 4 --delta 1e-3 -o model"),
        ("topics", "topics records.jsonl --unit who --epsilon 4 --public notes.txt -o t.jsonl --topics 4"),
        (
            "synthesize",
            "synthesize records.jsonl --unit who --epsilon 4 --delta 1e-3 --public public.jsonl --documents 5 -o s",
        ),
        ("synthesize-without-pool", "synthesize records.jsonl --unit who --epsilon 4 --delta 1e-3 --documents 5"),
        ("review", "review odd.txt --original odd.txt --policy clinical"),
        ("review-other", "review released.txt --original odd.txt"),
    ],
)
def test_what_is_printed_is_what_was_read(
    folder: Path,
    name: str,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", *command.split()])
    cli._exit_code()
    printed = capsys.readouterr()
    shown = f"$ textveil {command}\n{printed.out}{printed.err}"
    golden = GOLDEN / f"{name}.txt"
    if not golden.exists():  # delete a file to write it anew; then read it
        golden.write_text(shown)
    assert shown == golden.read_text()
    lines = [line for line in shown.splitlines()[1:] if not line.startswith("textveil: ")]  # an error is one line
    assert max(map(len, lines), default=0) <= 80
