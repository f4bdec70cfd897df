"""The default sanitizer."""

import pytest

from textveil.catalog import mechanism
from textveil.sanitize.sanitizer import Sanitizer


@pytest.fixture(scope="module")
def sanitizer(embedded) -> Sanitizer:
    return Sanitizer(mechanism("neighborhood", embedded, epsilon=8.0))
