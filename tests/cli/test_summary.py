"""The summary of a release: at most ten lines of 80 columns, in the user's words."""

import sys
from pathlib import Path

import pytest

from textveil.cli import main as cli

NOTES = """note_id,text,ward
1,"Mrs Anna Tierney, 54, seen on 3/4/2015 at 10:30 in Leeds, call 0113 496 0123. 5 mg daily.",W1
2,"John Smith of Leeds, 3 May 2016. Sivanallu rocks.",W2
"""
SUMMARY = """\
2 texts -> {out}   (text sanitized; copied: ward; other fields dropped)
hidden    2 names, 2 places, 1 phone; nothing leaks [proved]
shifted   2 dates, 1 time; one shift a kind: gaps stay; epsilon 1 [proved]
in part   1 age; near the true ones; epsilon 2 each [proved]
kept      1 measurement
CHECK     1 text: day or month first? Read as month first: --date-order
left      1 likely name below the threshold, which the review marks
CHECK     values not found stay; add --marks M.jsonl to measure how many:
          textveil review {out} --policy clinical --original in.csv
text      as a whole it has no guarantee; who is recognized in it: textveil risk
"""
WORDS = """\
2 texts -> {out}   (text sanitized; other fields dropped)
released  Every word and number: hidden in part (8-DP each, proved). What stays:
          marks and the number, order and kinds of tokens. The text as a whole:
          costs add up over its words and numbers; see `textveil risk`.
CHECK     1 word not in the vocabulary, drawn as others (for you only)
"""


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (("--policy", "clinical", "--keep", "ward"), SUMMARY),
        (("--policy", "clinical", "--keep", "ward", "--date-order", "day-first"), SUMMARY),
        ((), WORDS),
    ],
)
def test_the_summary(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    wanted: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(NOTES, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["textveil", "sanitize", "in.csv", "-o", "out.csv", *options])
    assert cli._exit_code() == 0
    lines = wanted.format(out="out.csv").splitlines(keepends=True)
    if "--date-order" in options:
        del lines[5:6]
    summary = capsys.readouterr().err
    assert summary == "".join(lines)
    assert len(lines) <= 10 and max(map(len, lines)) <= 81


def test_an_order_of_dates_is_refused_without_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.txt").write_text("A word.\n")
    for options, message in (
        (("--policy", "common-words"), "--date-order must be left out: policy common-words draws no dates"),
        ((), "--date-order must be left out where there is no --policy"),
    ):
        arguments = ["textveil", "sanitize", str(tmp_path / "in.txt"), *options, "--date-order", "day-first"]
        monkeypatch.setattr(sys, "argv", arguments)
        assert cli._exit_code() == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("learn", "in.jsonl"), "--label, --unit, --epsilon, --delta, --output must be given; got none."),
        (("count",), "INPUT..., --unit, --epsilon, --delta must be given; got none."),
        (("sanitize", "in.txt", "--report", "r.txt"), "a report's name must end in .json, or in .html for a page"),
    ],
)
def test_all_that_is_missing_is_named_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.setattr(sys, "argv", ["textveil", *arguments])
    assert cli._exit_code() == 2
    assert message in capsys.readouterr().err
