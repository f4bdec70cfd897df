"""``textveil sanitize --record-seconds``."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.helpers.slow_search import SLOW, make_searches_slow


def test_the_command_names_the_record_and_goes_on(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").mkdir()
    make_searches_slow(tmp_path / "site", monkeypatch)
    source, sender = tmp_path / "in.txt", tmp_path / "s.json"
    source.write_text(f"Call 555-0101.\n{SLOW}\nMail a@b.co.\n")
    code, out, err = command(
        "sanitize",
        source,
        "--policy",
        "identifiers",
        "--record-seconds",
        2,
        "--on-error",
        "skip",
        "--sender-report",
        sender,
    )
    assert code == 1 and out.count(b"\n") == 2 and SLOW.encode() not in out
    assert "skipped: line 2 must take at most 2 s to be read; it takes longer. Raise --record-seconds" in err
    assert SLOW not in err + sender.read_text()
    assert json.loads(sender.read_text())["skipped"]["first"][0]["first"] == 2
