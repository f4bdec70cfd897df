"""JSON text as commands print it, the one reader of JSON that others may have made, and the leaves of such a text."""

import json
import math
import re
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

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
    return [finite_json(part) for part in value] if isinstance(value, list | tuple) else value


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
    """Tell whether more than so many arrays and objects are inside one another; level by level, without recursion."""
    level = [data]
    for _ in range(nesting + 1):
        if not (level := [value for value in level if isinstance(value, dict | list)]):
            return False
        level = [inner for value in level for inner in (value.values() if isinstance(value, dict) else value)]
    return True


NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""A number as JSON writes it."""

_LEAF: Final = re.compile(
    rf'(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")(?P<key>\s*:)?|(?P<number>{NUMBER.pattern})|true|false'
)

_STRING: Final = json.JSONDecoder()


class LeafKind(Enum):
    """The kind of a piece of JSON."""

    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    WORD = "word"


class Leaf(NamedTuple):
    """A piece of JSON with content: its characters without quotes and escapes, and as written in the JSON text."""

    kind: LeafKind
    text: str
    written: str

    def with_text(self, text: str) -> str:
        """Return JSON for another text in its place: of its own kind if possible, else a string."""
        if text == self.text:
            return self.written
        plain = (self.kind is LeafKind.NUMBER and NUMBER.fullmatch(text)) or (
            self.kind is LeafKind.WORD and text in ("true", "false")
        )
        return text if plain else f'"{escaped(text)}"'


def leaves(text: str) -> list[str | Leaf] | None:
    """Return the pieces of an array or an object, in order; None if the text is no JSON, or neither."""
    if not is_json(text):
        return None
    parts: list[str | Leaf] = []
    at = 0
    for match in _LEAF.finditer(text):
        parts.append(text[at : match.start()])
        parts.append(_leaf(match))
        at = match.end("string") if match["string"] else match.end()
        if match["key"]:
            parts.append(match["key"])
            at = match.end()
    return [*parts, text[at:]]


def _leaf(match: re.Match[str]) -> Leaf:
    if match["string"]:
        kind = LeafKind.KEY if match["key"] else LeafKind.STRING
        return Leaf(kind, _STRING.decode(match["string"]), match["string"])
    return Leaf(LeafKind.NUMBER if match["number"] else LeafKind.WORD, match[0], match[0])


def is_json(text: str) -> bool:
    """Tell whether a text is an array or an object of JSON by the standard, not nested too deep."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json_data(text, constants=no_constant)
    except ValueError:
        return False
    return True


def no_constant(name: str) -> Any:
    """Refuse ``NaN`` and ``Infinity``. Raises ValueError: always."""
    raise ValueError


def escaped(text: str) -> str:
    """Return a text as it stands between the quotes of a JSON string."""
    return json.dumps(text, ensure_ascii=not is_encodable(text))[1:-1]


def is_encodable(text: str) -> bool:
    """Tell whether UTF-8 can write a text: it holds no lone surrogate of UTF-16."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
