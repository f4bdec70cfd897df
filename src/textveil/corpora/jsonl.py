"""JSON lines: one object a line, some of its fields sanitized, some kept, the others dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, final

from textveil.corpora.fields import FieldChoice
from textveil.corpora.records import MAX_DOCUMENT_BYTES, Record, checked_size, lines
from textveil.errors import InputError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLines:
    """One JSON object a line; blank lines are skipped.

    Attributes:
        choice: which fields are sanitized, which are kept; all others are dropped.
        max_document_bytes: longer lines are refused.
    """

    choice: FieldChoice
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def __post_init__(self) -> None:
        checked_size(self.max_document_bytes)

    def records(self, stream: BinaryIO) -> Iterator[Record]:
        """See ``CorpusFormat.records``."""
        for number, line in lines(stream, self.max_document_bytes):
            if line.isspace():
                continue
            yield self._record(_parsed(line, number), f"line {number}")

    def header(self) -> bytes:
        """Nothing stands before JSON lines."""
        return b""

    def _record(self, values: dict[str, Any], where: str) -> Record:
        for name in self.choice.all():
            if name not in values:
                raise InputError(
                    f"{where} must have the field {name!r}; it has not. Name another with --field or --keep."
                )
        texts = tuple(_text(values[name], name, where) for name in self.choice.sanitized)
        kept = {name: value for name, value in values.items() if name in self.choice.all()}

        def assemble(released: Sequence[str]) -> bytes:
            kept.update(zip(self.choice.sanitized, released, strict=True))
            return _line(kept)

        return Record(texts, assemble)


def _parsed(line: str, number: int) -> dict[str, Any]:
    """The object on a line; errors name the line and never quote it."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"line {number} must be one JSON object; it is not valid JSON.") from None
    if not isinstance(values, dict):
        raise InputError(f"line {number} must be one JSON object; got a JSON {type(values).__name__}.")
    return values


def _text(value: Any, name: str, where: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{where}: the field {name!r} must be a string; got {type(value).__name__}.")
    return value


def _line(values: dict[str, Any]) -> bytes:
    """One line of JSON; escaped throughout where a kept field cannot be encoded (lone surrogates)."""
    try:
        return (json.dumps(values, ensure_ascii=False) + "\n").encode("utf-8")
    except UnicodeEncodeError:
        return (json.dumps(values) + "\n").encode("utf-8")
