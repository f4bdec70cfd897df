"""A note that is sanitized by itself, with the defaults that are meant for it."""

from __future__ import annotations

import io
import json
import sys

import pytest

from textveil.cli import main as cli


@pytest.fixture
def textveil(capsysbinary, monkeypatch):
    """The command in this process, with the embedded vocabulary."""

    def run(*arguments: object, stdin: bytes = b"") -> tuple[int, bytes, str]:
        monkeypatch.setattr(sys, "argv", ["textveil", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = cli._exit_code()
        captured = capsysbinary.readouterr()
        return code, captured.out, captured.err.decode()

    return run


def test_a_note_is_drawn_with_context(textveil, tmp_path) -> None:
    report = tmp_path / "r.json"
    code, _, _ = textveil("sanitize", "--whole-file", "--report", report, stdin=b"one\ntwo\n")
    data = json.loads(report.read_text())
    assert (code, data["documents"]) == (0, 1)
    assert data["mechanism"]["parameters"]["context"] == "released"


@pytest.mark.parametrize(
    "options", [(), ("--whole-file", "--context", "none"), ("--whole-file", "--base-weights", "flat")]
)
def test_only_a_note_is_drawn_with_context(textveil, tmp_path, options) -> None:
    report = tmp_path / "r.json"
    code, _, _ = textveil("sanitize", *options, "--report", report, stdin=b"one\ntwo\n")
    assert code == 0
    assert "context" not in json.loads(report.read_text())["mechanism"]["parameters"]
