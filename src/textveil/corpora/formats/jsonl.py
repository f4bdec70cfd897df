"""JSON lines: one object a line, some of its fields sanitized, some kept, the others dropped."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple, final

from textveil.corpora.formats.fields import FieldChoice, other_name
from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, Cut, RecordError, Records, checked_size, decoded
from textveil.corpora.formats.text_lines import cut_lines, split_lines
from textveil.errors import InputError

_DECODER = json.JSONDecoder()
_JSON_NAMES = {
    type(None): "null",
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
    str: "a string",
}
_SPACE = re.compile(r"[ \t\r\n]*").match


class _Member(NamedTuple):
    """A field's value, and how it is written."""

    value: Any
    written: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """One JSON object a line; blank lines are skipped.

    The output has the sanitized fields, then the kept ones, in the order in which they are chosen: the order of a
    record's own fields is not public. Kept values are written to the letter as they were.

    Attributes:
        choice: which fields are sanitized, which are kept; all others are dropped.
        max_document_bytes: longer lines are refused.
    """

    choice: FieldChoice
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    @property
    def unit(self) -> str:
        """See ``CorpusFormat.unit``."""
        return "line"

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """See ``CorpusFormat.cut``."""
        return cut_lines(stream, size, self.max_document_bytes)

    def records(self, payload: bytes, first: int) -> Records:
        """See ``CorpusFormat.records``."""
        texts: list[Sequence[str]] = []
        tails: list[str] = []
        faults: list[RecordError] = []
        for number, raw in enumerate(split_lines(payload, first), start=first):
            if raw.isspace():
                continue
            try:
                line = decoded(raw, f"line {number}", self.max_document_bytes)
                found, tail = self._record(_parsed(line, number), f"line {number}")
            except InputError as error:
                faults.append(RecordError(number, str(error)))
                continue
            texts.append(found)
            tails.append(tail)

        names = [json.dumps(name) for name in self.choice.sanitized]

        def joined(released: Sequence[Sequence[str]]) -> bytes:
            lines = []
            for fresh, tail in zip(released, tails, strict=True):
                pairs = zip(names, fresh, strict=True)
                fields = ", ".join([f"{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in pairs])
                lines.append(f"{{{fields}{tail}}}\n")
            return "".join(lines).encode()

        return Records(texts, faults, joined)

    def _record(self, members: list[tuple[str, _Member]], where: str) -> tuple[Sequence[str], str]:
        """The texts that are sanitized, and the kept fields as they will end the output's line."""
        values: dict[str, _Member] = {}
        for name, member in members:
            if name in values and name in self.choice.all():
                raise InputError(f"{where} must name the field {name!r} once; it does so twice or more.")
            values[name] = member
        for name in self.choice.all():
            if name not in values:
                raise InputError(f"{where} must have the field {name!r}; it has not. {other_name(name, values)}")
        texts = tuple(_text(values[name].value, name, where) for name in self.choice.sanitized)
        return texts, "".join(f", {json.dumps(name)}: {values[name].written}" for name in self.choice.kept)


def _parsed(line: str, number: int) -> list[tuple[str, _Member]]:
    """The members of the object on a line; errors name the line and never quote it."""
    try:
        return _members(line)
    except (ValueError, RecursionError, IndexError, StopIteration):
        problem = "it is not valid JSON"
    except _NotAnObject as error:
        problem = f"got {error}"
    # Raised out here: the decoder's errors hold the line, and a context would keep them.
    raise InputError(f"line {number} must be one JSON object; {problem}.")


class _NotAnObject(Exception):
    """The line is valid JSON of another type, which is the message."""


def _members(line: str) -> list[tuple[str, _Member]]:
    """Names and members in order, each value with the characters that write it."""
    index = _after_space(line, 0)
    if line[index] != "{":
        raise _NotAnObject(_JSON_NAMES[type(json.loads(line))])
    members: list[tuple[str, _Member]] = []
    index = _after_space(line, index + 1)
    while line[index] != "}":
        if line[index] != '"':
            raise ValueError
        name, index = _DECODER.raw_decode(line, index)
        index = _after_space(line, index)
        if line[index] != ":":
            raise ValueError
        start = _after_space(line, index + 1)
        value, index = _DECODER.raw_decode(line, start)
        members.append((name, _Member(value, line[start:index])))
        index = _after_space(line, index)
        if line[index] == ",":
            index = _after_space(line, index + 1)
            if line[index] != '"':
                raise ValueError
        elif line[index] != "}":
            raise ValueError
    if _after_space(line, index + 1) != len(line):
        raise ValueError
    return members


def _after_space(line: str, index: int) -> int:
    found = _SPACE(line, index)
    return found.end() if found else index


def _text(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: the field {name!r} must be a string; got {_JSON_NAMES[type(value)]}.")
    return value
