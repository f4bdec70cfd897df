"""JSON text as commands print it and reports keep it, and the one reader of JSON that others may have made."""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

NESTING: Final = 100  # arrays and objects inside one another, at most: code that walks over data is recursive
FILE_BYTES: Final = 1 << 28
"""Size of a JSON file, at most: far above any report, model or setting, far below what fills a memory."""


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


def json_data(
    text: str | bytes | bytearray,
    *,
    nesting: int = NESTING,
    pairs: Callable[[list[tuple[str, Any]]], Any] | None = None,
    floats: Callable[[str], Any] | None = None,
    integers: Callable[[str], Any] | None = None,
    constants: Callable[[str], Any] | None = None,
) -> Any:
    """Read a JSON text that anybody may have made.

    Args:
        text: in UTF-8 if it is bytes.
        nesting: maximum number of arrays and objects inside one another.
        pairs: makes an object of its keys and values; None makes a dictionary.
        floats: makes a number of one with a point or an exponent; None is ``float``.
        integers: makes a number of any other; None is ``int``.
        constants: makes a value of ``NaN`` and ``Infinity``, which the standard does not have; None makes floats.

    Raises ValueError: it is no JSON, or nested too deep. The message may quote the text: do not repeat it.
    """
    try:
        data = json.loads(
            text, object_pairs_hook=pairs, parse_float=floats, parse_int=integers, parse_constant=constants
        )
    except RecursionError:
        raise ValueError("nested too deep") from None
    if _brackets(text) > nesting and _is_deeper(data, nesting):
        raise ValueError("nested too deep")
    return data


def json_file(path: Path, *, most_bytes: int = FILE_BYTES) -> Any:
    """Read a JSON file that anybody may have made.

    Raises OSError: it cannot be read; ValueError: it is larger, or as ``json_data``.
    """
    with path.open("rb") as stream:
        text = stream.read(most_bytes + 1)
    if len(text) > most_bytes:
        raise ValueError("too large")
    return json_data(text)


def _brackets(text: str | bytes | bytearray) -> int:
    return text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")


def _is_deeper(data: Any, nesting: int) -> bool:
    """Whether more than so many arrays and objects are inside one another; level by level, without recursion."""
    level = [data]
    for _ in range(nesting + 1):
        level = [value for value in level if isinstance(value, dict | list)]
        if not level:
            return False
        level = [inner for value in level for inner in (value.values() if isinstance(value, dict) else value)]
    return True
