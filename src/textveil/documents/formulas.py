"""Formulas of sheets: their strings are text, and what is outside of these is changed apart."""

import re
from collections.abc import Callable
from typing import Final

from textveil.documents.model import STATED, Piece
from textveil.documents.names import listed


def strings_of(formula: str) -> list[str]:
    """Return the parts of a formula: every second one is a string, without its quotes."""
    parts: list[str] = []
    for part in formula.split('"'):
        if len(parts) > 2 and len(parts) % 2 and not parts[-1]:  # two quotes in a string are one
            parts.pop()
            parts[-1] += f'"{part}'
        else:
            parts.append(part)
    return parts


def quoted(parts: list[str]) -> str:
    """Return a formula of its parts."""
    doubled = [part.replace('"', '""') if number % 2 else part for number, part in enumerate(parts)]
    return '"'.join(doubled)


def outside(formula: str, change: Callable[[str], str]) -> str:
    """Change a formula outside of its strings."""
    return quoted([part if number % 2 else change(part) for number, part in enumerate(strings_of(formula))])


def pieces_of(
    parts: list[str], store: Callable[[str], object], joined: Callable[[list[str]], str] = quoted, between: str = "; "
) -> list[Piece]:
    """Return pieces for every second one of some parts, of which ``store`` keeps what ``joined`` makes of them."""
    pieces: list[Piece] = []
    for place in range(1, len(parts), 2):

        def write(text: str, place: int = place) -> None:
            parts[place] = text
            store(joined(parts))

        if pieces and between:
            pieces.append(Piece(between, lambda text: between))
        pieces.append(Piece(parts[place], write))
    return pieces


def pieces_of_formula(formula: str, store: Callable[[str], object]) -> list[Piece]:
    """Return pieces for the strings and long numbers of a formula; ``store`` keeps the whole formula."""
    parts: list[str] = []
    numbers: set[int] = set()
    for number, part in enumerate(strings_of(formula)):
        if number % 2:
            parts.append(part)
            continue
        outside, *more = _LONG_NUMBER.split(part)
        parts.append(outside)
        for at, one in enumerate(more):
            if not at % 2:
                numbers.add(len(parts))
            parts.append(one)

    def joined(parts: list[str]) -> str:
        def spelled(number: int, part: str) -> str:
            if not number % 2 or (number in numbers and part.isascii() and part.isdigit()):
                return part
            return '"' + part.replace('"', '""') + '"'

        return "".join(spelled(number, part) for number, part in enumerate(parts))

    return pieces_of(parts, store, joined)


_LONG_NUMBER: Final = re.compile(r"(?<![\w.$:!'])(\d{7,20})(?![\w(!:'])")
"""A number that may be somebody's: a row has seven digits, but stands at a colon."""
_FUNCTIONS: Final = listed("functions.txt")
_ERROR: Final = re.compile(STATED.pattern.partition("false|")[2])
_WORD: Final = re.compile(r"[\w.$\\]+\(?")
_PLACE: Final = (
    r"\$?(?:[A-Z]{1,2}|[A-W][A-Z]{2}|X[A-E][A-Z]|XF[A-D])(?:\$?\d{1,7})?|\$?\d{1,7}"
    r"|\d{1,20}\.?\d{0,20}(?:E[+-]?\d{0,3})?|\.\d{1,20}|TRUE|FALSE|Name_\d{1,6}\(?"
)
_KNOWN: Final = re.compile(_PLACE, re.IGNORECASE)
_PREFIX: Final = re.compile(r"\A(?:_xlfn\.)?(?:_xlws\.)?")


def is_plain(outside: str, built_in: re.Pattern[str]) -> bool:
    """Return whether a formula outside of its strings has only cells and known functions; references are cut before."""
    rest = _ERROR.sub("", outside)
    return _MARKS.fullmatch(rest) is not None and all(
        _PREFIX.sub("", word[0])[:-1].upper() in _FUNCTIONS
        if word[0][-1] == "(" and word[0][:5] != "Name_"
        else _KNOWN.fullmatch(word[0]) or built_in.fullmatch(word[0])
        for word in _WORD.finditer(rest)
    )


_MARKS: Final = re.compile(r"[\w.$\\\s,;:+*/^&=<>()%{}|@#-]*")
