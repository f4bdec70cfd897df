"""The attacks of ``benchmarks/attacks`` as modules, for tests that run a little of them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

_BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def loaded_attack(name: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """The module of an attack, until the patch is undone."""
    patch.syspath_prepend(str(_BENCHMARKS))
    spec = importlib.util.spec_from_file_location(name, _BENCHMARKS / "attacks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    patch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module
