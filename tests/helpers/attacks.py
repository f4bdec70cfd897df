"""The scripts of ``benchmarks`` as modules, for tests that run a little of them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def loaded(script: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """The module of a script, until the patch is undone; ``script``: its path without the suffix."""
    path = BENCHMARKS / f"{script}.py"
    patch.syspath_prepend(str(BENCHMARKS))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    return module


def loaded_attack(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """The module of an attack, until the patch is undone."""
    return loaded(f"attacks/{name}", patch)
