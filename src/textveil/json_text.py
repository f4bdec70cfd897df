"""JSON text as commands print it and reports keep it: one function, for data of ``to_data``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(data: Any, *, indent: int = 2, sort_keys: bool = False) -> str:
    """JSON text with a line feed at its end, ASCII only; numbers that JSON does not have are null."""
    return json.dumps(finite_json(data), indent=indent, sort_keys=sort_keys, allow_nan=False) + "\n"


def finite_json(value: Any) -> Any:
    """The same data with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite_json(part) for part in value]
    return value
