"""A ledger as lines of JSON: for auditors, who need no key and no database to go through it again."""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from textveil.budget.chain import Entry
from textveil.budget.charge import canonical
from textveil.budget.replay import Replay
from textveil.budget.verification import Verification, heads_of
from textveil.errors import InputError
from textveil.json_text import FILE_BYTES, json_data

TITLE: Final = {"textveil": "ledger of budgets", "form": 1}
"""The first line."""


def write_export(entries: Iterable[Entry], stream: BinaryIO) -> int:
    """Write a title, a line for each entry, and a line that ends it with the last entry of each tenant.

    Returns:
        How many entries there are.
    """
    stream.write(_line(TITLE))
    heads: dict[str, list[Any]] = {}
    count = 0
    for entry in entries:
        stream.write(_line(to_data(entry)))
        heads[entry.tenant.hex()] = [entry.number, entry.digest.hex()]
        count += 1
    stream.write(_line({"entries": count, "heads": heads}))
    return count


def to_data(entry: Entry) -> dict[str, Any]:
    """An entry as JSON data; ``data`` stays the text that its digest was made of."""
    hexed = {name: None if value is None else value.hex() for name, value in entry.digests().items()}
    return {**entry._asdict(), **hexed}


def verified_export(path: Path, noted: Collection[str] = ()) -> Verification:
    """Go through an exported ledger again: chain, sums and limits, but no seal and no key.

    Args:
        path: of the export.
        noted: heads that were noted before, which must be there.

    Raises:
        InputError: the file cannot be read, or is no export.
    """
    replay = Replay(lambda: _read(path), noted)
    replay.run()
    last = _last(path)
    heads = heads_of(replay)
    ends = {"entries": replay.entries, "heads": {tenant: list(head) for tenant, head in heads.items()}}
    cut = [] if last == ends else ["the export ends elsewhere than it says; entries were cut off or added"]
    return Verification(replay.entries, heads, (*replay.problems, *cut))


def _line(data: dict[str, Any]) -> bytes:
    return canonical(data).encode("ascii") + b"\n"


def _lines(path: Path) -> Iterator[tuple[int, Any]]:
    number = 0
    try:
        with path.open("rb") as stream:
            while line := stream.readline(FILE_BYTES):
                number += 1
                yield number, json_data(line)
    except OSError as error:
        reason = f"it cannot be read: {error.strerror}"
    except ValueError:
        reason = f"line {number} is no JSON"
    else:
        return
    raise InputError(f"the input must be an exported ledger; {reason}.")


def _read(path: Path) -> Iterator[Entry]:
    for number, data in _lines(path):
        if number == 1:
            if data != TITLE:
                raise InputError("the input must be an exported ledger; its first line says something else.")
            continue
        if "heads" in data:
            return
        try:
            yield Entry.of_hex(data)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"the input must be an exported ledger; line {number} is no entry.") from None


def _last(path: Path) -> Any:
    return max(_lines(path), key=lambda line: line[0], default=(0, None))[1]
