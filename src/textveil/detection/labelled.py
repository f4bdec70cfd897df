"""Texts whose spans somebody has labelled, from files: JSON of Presidio's evaluator, JSON lines, CoNLL columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from textveil.detection.kinds import KINDS
from textveil.detection.labels import kind_of_label
from textveil.errors import InputError
from textveil.json_text import json_data

_LABELS: Final = MappingProxyType({"DATE_TIME": ("date", "time"), "DOMAIN_NAME": ("url",), "TITLE": (), "PREFIX": ()})
"""The kinds that count as right for labels that mean another thing here than in ``labels``, the first of which they are
reported under; what is labelled without a kind (a title, a people, a work) is no fault if found and none if missed."""


class LabelledSpan(NamedTuple):
    """The characters ``start`` to ``end`` of a text, and the kinds that are right for them; none: any is."""

    start: int
    end: int
    kinds: tuple[str, ...]


class LabelledText(NamedTuple):
    """A text with its labelled spans, by start."""

    text: str
    spans: tuple[LabelledSpan, ...]


def read_labelled(path: Path | str) -> list[LabelledText]:
    """The labelled texts of a file.

    Args:
        path: ``.json``: a list of objects with ``full_text`` and ``spans`` (``entity_type``, ``start_position``,
            ``end_position``); ``.jsonl``: an object a line with ``text`` and ``spans`` (``start``, ``end``, ``kind`` or
            ``label``); ``.conll`` or another ending: a token and its tag a line, parted by a tab or spaces, in
            B-, I- and O, with an empty line between texts.

    Raises:
        InputError: the file cannot be read, or a record is of another form or has an unknown label; by number.
    """
    place = Path(path)
    try:
        content = place.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"the labelled file must be readable UTF-8 text; got {kind}. Check its path.") from None
    reader = {".json": _objects, ".jsonl": _lines}.get(place.suffix.lower(), _columns)
    texts = list(reader(content))
    if not any(text.spans for text in texts):
        raise InputError("the labelled file must hold a labelled span at least; got none. Is it the right file?")
    return texts


def _objects(content: str) -> Iterator[LabelledText]:
    data = _parsed(content, "the labelled file")
    if not isinstance(data, list):
        raise InputError("the labelled file must be a JSON list of texts; got another value.")
    for number, record in enumerate(data, start=1):
        yield _record(record, number)


def _lines(content: str) -> Iterator[LabelledText]:
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield _record(_parsed(line, f"record {number} of the labelled file"), number)


def _parsed(content: str, what: str) -> Any:
    try:
        return json_data(content)
    except ValueError:
        raise InputError(f"{what} must be JSON; it is not.") from None


_TEXT: Final = ("full_text", "text")
_SPAN: Final = (("start_position", "start"), ("end_position", "end"), ("entity_type", "kind", "label"))


def _record(record: Any, number: int) -> LabelledText:
    try:
        text = next(record[key] for key in _TEXT if key in record)
        spans = [
            [next(span[key] for key in keys if key in span) for keys in _SPAN] for span in record.get("spans") or ()
        ]
        labels = sorted(LabelledSpan(start, end, kinds_of(label, number)) for start, end, label in spans)
        sound = isinstance(text, str) and all(0 <= span.start < span.end <= len(text) for span in labels)
    except (AttributeError, KeyError, StopIteration, TypeError):
        sound = False
    if not sound:
        raise InputError(
            f"record {number} of the labelled file must have a text and spans inside it (start, end, kind); "
            "it has not. Correct it."
        )
    return LabelledText(text, tuple(labels))


def kinds_of(label: object, number: int) -> tuple[str, ...]:
    """The kinds that are right for a label.

    Raises:
        InputError: it has none; the message holds the label, which names a kind and no person.
    """
    name = str(label)
    if name.upper() in _LABELS:
        return _LABELS[name.upper()]
    kind = kind_of_label(name)
    if kind is None:
        raise InputError(
            f"record {number} of the labelled file must have labels that are known; got {name[:40]!r}. "
            f"Use one of {', '.join(KINDS)}."
        )
    return (kind,) if kind else ()


def _columns(content: str) -> Iterator[LabelledText]:
    rows: list[tuple[str, str]] = []
    for number, line in enumerate([*content.split("\n"), ""], start=1):
        fields = line.rsplit(None, 1)
        if len(fields) == 2:
            rows.append((fields[0].strip(), fields[1]))
        elif rows and not line.strip():
            yield _joined(rows, number)
            rows = []


def _joined(rows: Sequence[tuple[str, str]], number: int) -> LabelledText:
    parts: list[str] = []
    spans: list[LabelledSpan] = []
    position, last = 0, ""
    for token, tag in rows:
        prefix, _, label = tag.partition("-")
        end = position + len(token)
        if label:
            kinds = kinds_of(label, number)
            if prefix == "I" and label == last:
                spans[-1] = spans[-1]._replace(end=end)
            else:
                spans.append(LabelledSpan(position, end, kinds))
        last = label
        parts.append(token)
        position = end + 1
    return LabelledText(" ".join(parts), tuple(spans))
