"""JSON as records have it: objects with the letters of their members, and how they are written again."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from textveil.corpora.formats.fields import FieldChoice, other_name
from textveil.corpora.formats.rows import Cell
from textveil.errors import InputError


def _number(written: str) -> float:
    """Some number: the letters stay what they are, and none is too long to be one."""
    return 0.0


DECODER = json.JSONDecoder(parse_int=_number, parse_float=_number)
"""Reads any value; numbers are told by their type alone."""

_HALVES = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\r\n]*").match


def after_space(text: str, index: int) -> int:
    """The first place from ``index`` on that is no white space of JSON's."""
    if text[index : index + 1] > " ":  # mostly there is none
        return index
    match = _SPACE(text, index)
    return match.end() if match else index


def parsed(text: str, where: str) -> Cell:
    """The value that a text is, by itself. Raises InputError: it is none; names ``where``, and never quotes."""
    try:
        start = after_space(text, 0)
        value, end = DECODER.raw_decode(text, start)
        if after_space(text, end) == len(text):
            return Cell(value, text[start:end])
    except (ValueError, RecursionError):
        pass
    # Raised out here: the decoder's errors hold the line, and a context would keep them.
    raise InputError(f"{where} must be one JSON object; it is not valid JSON.")


def members_of(text: str, where: str) -> list[tuple[str, Cell]]:
    """Names and values of the object that a text is, in order, each value with the characters that write it.

    Raises:
        InputError: the text is no JSON object; names ``where``, and never quotes.
    """
    try:
        members = _members(text)
    except (ValueError, RecursionError, IndexError, StopIteration):
        members = None
    if members is None:
        other = parsed(text, where)
        problem = "it is not valid JSON" if isinstance(other.value, dict) else f"got {other.kind}"
        raise InputError(f"{where} must be one JSON object; {problem}.")
    return members


def _members(text: str) -> list[tuple[str, Cell]] | None:
    """The members of an object; None if the text is of another type."""
    index = after_space(text, 0)
    if text[index] != "{":
        return None
    members: list[tuple[str, Cell]] = []
    index = after_space(text, index + 1)
    while text[index] != "}":
        if text[index] != '"':
            raise ValueError
        name, index = DECODER.raw_decode(text, index)
        index = after_space(text, index)
        if text[index] != ":":
            raise ValueError
        start = after_space(text, index + 1)
        value, index = DECODER.raw_decode(text, start)
        members.append((name, Cell(value, text[start:index])))
        index = after_space(text, index)
        if text[index] == ",":
            index = after_space(text, index + 1)
            if text[index] != '"':
                raise ValueError
        elif text[index] != "}":
            raise ValueError
    if after_space(text, index + 1) != len(text):
        raise ValueError
    return members


def chosen_cells(members: Iterable[tuple[str, Cell]], choice: FieldChoice, where: str) -> dict[str, Cell]:
    """The chosen fields of a record, in its own order.

    Raises:
        InputError: one is missing, stands there twice, or is to be sanitized and neither a string nor null.
    """
    cells: dict[str, Cell] = {}
    others: list[str] = []
    wanted = choice.needed()
    for name, cell in members:
        if name not in wanted:
            others.append(name)
        elif name in cells:
            raise InputError(f"{where} must name the field {name!r} once; it does so twice or more.")
        else:
            cells[name] = cell
    for name in wanted:
        if name not in cells:
            raise InputError(f"{where} must have the field {name!r}; it has not. {other_name(name, others)}")
    for name in choice.sanitized:
        if not isinstance(cells[name].value, str | None):
            raise InputError(f"{where}: the field {name!r} must be a string; got {cells[name].kind}.")
    return cells


def beside_of(records: Sequence[Mapping[str, Cell]], choice: FieldChoice) -> dict[str, list[Cell]]:
    """The cells of each field that is read beside the output, of records by ``chosen_cells``."""
    return {name: [record[name] for record in records] for name in choice.read}


def first_order(texts: Iterable[str], choice: FieldChoice) -> list[str] | None:
    """The order of the chosen fields in the first record that has them all; None if none has.

    One record's order is told, of a whole job: every record's own would be one more thing that an output tells of it.
    """
    for text in texts:
        try:
            members = _members(text)
            if members is not None:
                return [name for name in chosen_cells(members, choice, "") if name in choice.all()]
        except (ValueError, RecursionError, IndexError, StopIteration):  # an InputError is a ValueError
            continue
    return None


def written_object(names: Sequence[str], row: Sequence[Cell]) -> str:
    """A record on one line; ``names`` as JSON writes them."""
    return on_a_line("{" + ", ".join([f"{name}: {cell.json}" for name, cell in zip(names, row, strict=True)]) + "}")


def json_bytes(written: str) -> bytes:
    """JSON in UTF-8; a half of a pair of UTF-16, which that cannot write, stands as an escape."""
    try:
        return written.encode()
    except UnicodeEncodeError:
        pass
    return _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", written).encode()


def on_a_line(written: str) -> str:
    """JSON without line ends, which stand only between its values."""
    return written.replace("\r", " ").replace("\n", " ") if "\n" in written or "\r" in written else written
