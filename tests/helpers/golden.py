"""Numbers from a second method, in tests/golden beside the scripts that make them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

_GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@cache
def _read(name: str) -> dict[str, Any]:
    return json.loads((_GOLDEN / name).read_text(encoding="utf-8"))


def reference(key: str) -> Any:
    """One table of reference.json: laws, mechanisms and limits."""
    return _read("reference.json")[key]


def release_reference() -> dict[str, Any]:
    """All of release_reference.json: rows, decoding and estimation over six words."""
    return _read("release_reference.json")
