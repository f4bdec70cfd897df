"""JSON inside a string, in calls of tools and their answers: taken apart at its leaves, and rebuilt.

Everything else, white space too, stays as it is written; so does a piece that does not change.
"""

import json
import math
import re
from typing import Any, Final

from textveil.json_text import NUMBER, escaped, is_json, json_data
from textveil.server.bodies import parsed
from textveil.surrogates.restoring import Restorer, RestoringStream
from textveil.surrogates.urls import UrlRule

_ANSWER_NESTING: Final = 200  # of arrays and objects in an answer: deeper ones cannot be written again
_DIGITS: Final = 4_000  # of a whole number of an answer, at most, for the same reason
_LITERAL: Final = re.compile(r"[A-Za-z0-9+.-]+")
_PLACEHOLDER = r"\[(?!(?:true|false|null)\b)[a-z][a-z0-9 -]*+\]"
_STRING_OR_LITERAL: Final = re.compile(rf'"(?:[^"\\]|\\.)*+"?+|{_PLACEHOLDER}|[^\s,:\[\]{{}}"]++')
_PLAIN: Final = re.compile(r'[^"\\]+')


def with_quoted_draws(text: str) -> str:
    """Return a release with quotes around 05 or [phone], which are no JSON, if that makes it JSON; else as it is.

    The release alone decides: its original may have been JSON or not.
    """
    if is_json(text):
        return text
    quoted = _STRING_OR_LITERAL.sub(_string_or_literal, text)
    return quoted if is_json(quoted) else text


def _string_or_literal(match: re.Match[str]) -> str:
    written = match[0]
    is_draw = written[0] == "[" or (written.lstrip("-")[:1].isdigit() and not NUMBER.fullmatch(written))
    return f'"{escaped(written)}"' if is_draw else written


def as_json(data: Any) -> bytes:
    """Return JSON in UTF-8, as short as possible.

    Raises TypeError, ValueError: JSON cannot hold a value.
    """
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        return written.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")


def answer_data(text: str | bytes | bytearray) -> Any:
    """Read JSON of the upstream as leniently as its clients read it: a paid answer is handed on.

    NaN, infinities and numbers that no double holds become null. Raises ValueError: it is no JSON, or nested too deep.
    """
    return json_data(text, nesting=_ANSWER_NESTING, floats=_double, integers=_whole, constants=lambda name: None)


def _double(written: str) -> float | None:
    value = float(written)
    return value if math.isfinite(value) else None


def _whole(written: str) -> int | None:
    return int(written) if len(written) <= _DIGITS else None


def canonical(text: str) -> str:
    """Return one spelling for all JSON texts that say the same; any other text as it is."""
    try:
        data = parsed(text, floats=_shortest)
    except ValueError:
        return text
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _shortest(written: str) -> float:
    value = float(written)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


class RestoringJson:
    """Restores JSON that comes in pieces: its strings, and its numbers if they stay numbers.

    Text that is no JSON comes out as well, restored between quotes. It holds back no more than ``Restorer.stream``
    does, and a number until it ends. ``restorer``: of what was released; ``rule``: for originals within URLs; None is
    the restorer's own.
    """

    def __init__(self, restorer: Restorer, rule: UrlRule | None = None) -> None:
        self._restorer = restorer
        self._rule = rule
        self._string: RestoringStream | None = None
        self._escape = ""  # of the character that is being read
        self._half = ""  # the first of two escapes that stand for one character
        self._literal: list[str] = []  # its parts

    def feed(self, piece: str) -> str:
        """Take the next characters; return those that are settled."""
        parts: list[str] = []
        at = 0
        while at < len(piece):
            at = self._outside(piece, at, parts) if self._string is None else self._inside(piece, at, parts)
        return "".join(parts)

    def close(self) -> str:
        """Return the rest; nothing can follow."""
        parts: list[str] = []
        if self._string is not None:
            self._end_string(parts)
            parts.append(self._escape)
        self._end_literal(parts)
        return "".join(parts)

    def _outside(self, piece: str, at: int, parts: list[str]) -> int:
        if (literal := _LITERAL.match(piece, at)) is not None:
            self._literal.append(literal[0])
            return literal.end()
        self._end_literal(parts)
        parts.append(piece[at])
        if piece[at] == '"':
            self._string = self._restorer.stream(rule=self._rule, alone=True)
        return at + 1

    def _inside(self, piece: str, at: int, parts: list[str]) -> int:
        if self._escape:
            self._escape += piece[at]
            if len(self._escape) == (6 if self._escape[1] == "u" else 2):
                escape, self._escape = self._escape, ""
                self._say(_unescaped(escape), parts)
            return at + 1
        if (plain := _PLAIN.match(piece, at)) is not None:
            self._say(plain[0], parts)
            return plain.end()
        if piece[at] == "\\":
            self._escape = "\\"
        else:
            self._end_string(parts)
            parts.append('"')
        return at + 1

    def _say(self, text: str, parts: list[str]) -> None:
        assert self._string is not None
        text, self._half = self._half + text, ""
        if len(text) == 2 and _is_half(text[0]) and "\udc00" <= text[1] <= "\udfff":
            text = text.encode("utf-16", "surrogatepass").decode("utf-16")
        if len(text) == 1 and _is_half(text):
            self._half = text
            return
        parts.append(escaped(self._string.feed(text)))

    def _end_string(self, parts: list[str]) -> None:
        assert self._string is not None
        half, self._half = self._half, ""
        parts.append(escaped(self._string.feed(half) + self._string.close()))
        self._string = None

    def _end_literal(self, parts: list[str]) -> None:
        literal = "".join(self._literal)
        self._literal.clear()
        if NUMBER.fullmatch(literal):
            stream = self._restorer.stream()
            restored = stream.feed(literal) + stream.close()
            literal = restored if NUMBER.fullmatch(restored) else literal
        parts.append(literal)


def _is_half(character: str) -> bool:
    return "\ud800" <= character <= "\udbff"


def _unescaped(escape: str) -> str:
    try:
        return str(json_data(f'"{escape}"'))
    except ValueError:
        return escape
