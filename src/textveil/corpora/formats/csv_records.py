"""Where the records of a CSV file begin and end: once in haste for cutting, once by the ``csv`` module itself."""

import csv
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from textveil.corpora.formats.records import Cut, too_large
from textveil.corpora.formats.text_lines import marked_pieces
from textveil.errors import InputError

_LARGEST_FIELD = 2**31 - 1  # the `csv` module's limit, out of the way: records are limited here, by their bytes
_REST = "The rest of this input is left out: text could stand in the kept columns. Correct it, or do without `kept`."


class CsvRow(NamedTuple):
    """One record: where it lies in the payload, and its fields.

    Attributes:
        values: its fields; empty for a blank line; None if it is not valid CSV.
    """

    start: int
    end: int
    values: list[str] | None
    closed: bool


def rows(payload: bytes, *, ended: bool = True, delimiter: str = ",") -> Iterator[CsvRow]:
    """The records of a payload that begins with one.

    After a record that is not valid, the line behind the one in which it began begins a record: a stray quote takes no
    more than its own line with it. Bytes that are not UTF-8 become lone surrogates.

    Args:
        ended: whether nothing follows; else a last record that stands inside quotes is not told.
        delimiter: stands between fields; one ASCII character.
    """
    csv.field_size_limit(_LARGEST_FIELD)
    lines = _lines(payload)
    index = consumed = 0
    exhausted = False

    def fed() -> Iterator[str]:
        nonlocal index, consumed, exhausted
        while index < len(lines):
            line = lines[index]
            index, consumed = index + 1, consumed + len(line)
            yield line.decode("utf-8", "surrogateescape")
        exhausted = True

    reader = csv.reader(fed(), delimiter=delimiter, strict=True)
    while True:
        start, began = consumed, index
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error:
            if exhausted and not ended:
                return
            values, exhausted = None, False
            index, consumed = began + 1, start + len(lines[began])
            reader = csv.reader(fed(), delimiter=delimiter, strict=True)
        yield CsvRow(start, consumed, values, payload[consumed - 1 : consumed] == b"\n")


def _lines(payload: bytes) -> list[bytes]:
    lines = [line + b"\n" for line in payload.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def cut_rows(stream: BinaryIO, size: int, limit: int, *, sure: bool = False, delimiter: str = ",") -> Iterator[Cut]:
    """Whole records in pieces of about ``size`` bytes, the header row being number 1.

    A record of more than ``limit`` bytes may be dropped as a fault, up to the next line end outside quotes.

    Args:
        size: bytes of a piece, about.
        limit: bytes of a record, at most.
        sure: end at the first record that is not valid or too large: where it ends, and so what is a row behind it,
            cannot be known.
        delimiter: stands between fields; one ASCII character.

    Raises:
        InputError: the rest of the stream cannot be read, was dropped because a quote is never closed, or is not sure.
    """
    held = bytearray()
    first, wanted = 1, 0
    dropping: bool | None = None  # None, or whether the bytes that are dropped stand inside quotes
    for piece, last in marked_pieces(stream, size):
        end = 0
        if dropping is not None:
            quoted, end = _dropped(piece, dropping)
            dropping = None if end else quoted
            if dropping is not None:
                continue
        held += piece[end:]
        if len(held) < wanted and not last:
            continue
        if sure:
            end, count, doubtful = _surely(bytes(held), last, delimiter)
            if doubtful and first + count > 1:  # the header row is checked by who reads it
                if count:
                    yield Cut(bytes(held[:end]), first, count)
                raise InputError(f"record {first + count - 1} must be valid CSV; it is not. {_REST}")
        if last:
            end, count = len(held), sum(1 for _ in rows(bytes(held), delimiter=delimiter))
        else:
            end, count = _ended(bytes(held), delimiter)
        if end:
            yield Cut(bytes(held[:end]), first, count)
            first, wanted = first + count, 0
            del held[:end]
        elif len(held) > limit:  # said at once: its end may never come
            if sure:
                raise InputError(f"{too_large(f'record {first - 1}', limit)} {_REST}")
            yield Cut(b"", first, 1, too_large(f"record {first - 1}", limit))
            quoted, end = _dropped(bytes(held), False)
            dropping = None if end else quoted
            first, wanted = first + 1, 0
            del held[: end or len(held)]
        else:  # scanned again only when it has doubled
            wanted = min(2 * len(held), limit + 1)
    if dropping:
        raise InputError("a quote must be closed; it is not, and all behind it is left out. Correct the record before.")


def _surely(held: bytes, last: bool, delimiter: str) -> tuple[int, int, bool]:
    """Bytes and number of the records before the first that is not valid, and whether there is one."""
    parts = held.split(b'"')
    if len(parts) == 1 or (_orderly(held, parts, delimiter) and (not last or len(parts) % 2 == 1)):
        return 0, 0, False
    for count, row in enumerate(rows(held, ended=last, delimiter=delimiter)):
        if row.values is None:
            return row.start, count, True
    return 0, 0, False


def _dropped(piece: bytes, quoted: bool) -> tuple[bool, int]:
    """Return whether the piece ends inside quotes, and the place behind the first line end outside them, or 0."""
    end = 0
    for number, part in enumerate(piece.split(b'"')):
        if number:
            quoted = not quoted
            end += 1
        if not quoted and (newline := part.find(b"\n")) >= 0:
            return quoted, end + newline + 1
        end += len(part)
    return quoted, 0


def _ended(held: bytes, delimiter: str) -> tuple[int, int]:
    """Bytes and number of the whole records at the start of ``held``, which may end anywhere."""
    if b'"' not in held:
        return held.rfind(b"\n") + 1, held.count(b"\n")
    parts = held.split(b'"')
    if not _orderly(held, parts, delimiter):
        whole = [row for row in rows(held, ended=False, delimiter=delimiter) if row.closed]
        return (whole[-1].end, len(whole)) if whole else (0, 0)
    end, behind = 0, len(held)
    count = 0
    for number in range(len(parts) - 1, -1, -1):
        part = parts[number]
        behind -= len(part)
        if number % 2 == 0:
            if not end and (newline := part.rfind(b"\n")) >= 0:
                end = behind + newline + 1
            count += part.count(b"\n")
        behind -= 1
    return end, count


def _orderly(held: bytes, parts: list[bytes], delimiter: str) -> bool:
    """Return whether quotes stand only where fields begin and end, so that every second part is inside them.

    Parts that are not inside must begin with a separator after a closing quote and end with one before an opening
    quote, or be empty between the two quotes that write one. Then ``csv`` finds the same records.
    """
    if held.count(b"\r") != held.count(b"\r\n"):
        return False
    after, before = delimiter.encode() + b"\r\n", delimiter.encode() + b"\n"
    outside = parts[::2]
    closing = all(not part or part[0] in after for part in outside[1:])
    # The last part opens nothing, unless a quote follows it, which makes the number of parts even.
    opening = outside if len(parts) % 2 == 0 else outside[:-1]
    return closing and all(not part or part[-1] in before for part in opening)
