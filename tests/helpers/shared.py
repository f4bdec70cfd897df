"""Where the shared vectors, texts and reference numbers lie; tests that need them skip where they are absent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def shared_path(relative: str) -> Path:
    """The path below shared/, or a skip that says what is missing."""
    path = _ROOT / relative
    if not path.exists():
        pytest.skip(f"needs {relative} in a folder named shared beside the checkout, or in $TEXTVEIL_SHARED")
    return path


@cache
def _reference() -> dict[str, Any]:
    return json.loads((_ROOT / "reference/reference.json").read_text(encoding="utf-8"))


def reference(key: str) -> Any:
    """One table of reference.json: numbers from a second method."""
    shared_path("reference/reference.json")
    return _reference()[key]


def interruptible(command: list[str], **options) -> subprocess.Popen[bytes]:
    """A process that can be interrupted even where this one cannot: a shell's background jobs ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)
