"""Tests of what an extra brings, where it is not installed."""

import re

import pytest


def skip_without_extra(message: str) -> None:
    """Skip the test whose process said that an extra is not installed."""
    extra = r"`[\w-]+` is not installed\. Run: pip install 'textveil\[[\w-]+\]'|needs the package textveil-lab"
    if missing := re.search(extra, message):
        pytest.skip(missing[0])
