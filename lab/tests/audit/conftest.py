"""Fixtures of the tests of audits."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a script of benchmarks/, which is no package."""

    def load(name: str) -> Any:
        path = Path(__file__).parents[3] / "benchmarks" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)  # its data classes look their annotations up there
        spec.loader.exec_module(module)
        return module

    return load
