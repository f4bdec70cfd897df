"""The system's Chromium, driven by Playwright; tests that need it skip with one line where it is not there."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium_path() -> str | None:
    """Where a Chromium is that can be started; None where none is."""
    named = os.environ.get("CHROMIUM")
    if named:
        return named
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A browser without a window that talks to this machine alone."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    path = chromium_path()
    if path is None or not Path(path).exists():
        pytest.skip("needs chromium: none is on the path; install the system's package, or name it in CHROMIUM")
    # A sandbox needs rights that containers seldom give; only this machine's own page is opened.
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-gpu"]
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield started
        finally:
            started.close()
