"""What the server writes to its logs in all of these tests is searched for their texts at the end."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest
from tests.helpers.canaries import PRIVATE

from textveil.server.logs import LogLines

_TEXTS = ("CANARY", "Gonzalez", "617-555-0133", *PRIVATE)
"""Parts of the texts, names and keys that tests send."""


@pytest.fixture(scope="session", autouse=True)
def lines_of_all_tests() -> Iterator[io.StringIO]:
    """Everything that was logged, as the server writes it."""
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    handler.setFormatter(LogLines())
    own = logging.getLogger("textveil")
    level = own.level
    own.setLevel(logging.INFO)
    logging.getLogger().addHandler(handler)
    yield lines
    logging.getLogger().removeHandler(handler)
    own.setLevel(level)
    found = [text for text in _TEXTS if text in lines.getvalue()]
    assert found == [], "a log holds text that was sent"
