"""Tests of textveil that need the package textveil-lab: they are skipped if it is not installed."""

from importlib.util import find_spec

import pytest

needs_lab = pytest.mark.skipif(find_spec("textveil_lab") is None, reason="needs the package textveil-lab")
