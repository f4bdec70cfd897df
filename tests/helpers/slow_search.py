"""A search that never ends, in processes that find values."""

from pathlib import Path

import pytest

SLOW = "a text that a search never ends with"


def make_searches_slow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes that are started from now on, one search takes years for a text that holds ``SLOW``.

    Args:
        folder: an empty one.
    """
    (folder / "sitecustomize.py").write_text(
        f"""
import re
from textveil.sanitize.policy.finding import SpanFinder
found_in = SpanFinder.found_in
def slow(self, readings, first=1, values=None):
    if any({SLOW!r} in reading.source for reading in readings):
        re.match("(a+)+$", "a" * 100 + "b")
    return found_in(self, readings, first, values)
SpanFinder.found_in = slow
"""
    )
    monkeypatch.syspath_prepend(str(folder))
