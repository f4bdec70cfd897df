"""Where the shared vectors and texts lie; tests that need them skip where they are absent."""

import os
import re
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

_ROOT = Path(os.environ.get("TEXTVEIL_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def shared_path(relative: str) -> Path:
    """The path below shared/, or a skip that says what is missing.

    Call it inside a test or a fixture: elsewhere the skip would stop the run of a machine without the folder, so the
    call fails on a machine with it, too.
    """
    if "PYTEST_CURRENT_TEST" not in os.environ:
        raise RuntimeError(
            f"shared_path({relative!r}) must be called inside a test or a fixture, which can be skipped; got a call "
            "while a module is imported"
        )
    path = _ROOT / relative
    if not path.exists():
        pytest.skip(f"needs {relative} in a folder named shared beside the checkout, or in $TEXTVEIL_SHARED")
    return path


def interruptible(command: list[str], **options) -> subprocess.Popen[bytes]:
    """A process that can be interrupted even where this one cannot: a shell's background jobs ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)


needs_lab = pytest.mark.skipif(find_spec("textveil_lab") is None, reason="needs the package textveil-lab")


def skip_without_extra(message: str) -> None:
    """Skip the test whose process said that an extra is not installed."""
    extra = r"`[\w-]+` is not installed\. Run: pip install 'textveil\[[\w-]+\]'|needs the package textveil-lab"
    if missing := re.search(extra, message):
        pytest.skip(missing[0])
