"""The ledger of a job: what was released and spent, one line of JSON a block, on the disk before it counts."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, final

from textveil.corpora.blocks import Outcome, Skip
from textveil.release import Tally

LISTED = 1000
"""Skipped records that are kept one by one; the rest are counted."""


@final
@dataclass(slots=True)
class Totals:
    """What all committed blocks of a job come to.

    Attributes:
        blocks: committed blocks, which is the number of the next one.
        place: input bytes read.
        length: output bytes written, as they lie on the disk.
        chain: digest of the input up to here.
        tally: counts over the documents.
        skipped: the first ``LISTED`` of the records that were not released.
        more_skipped: how many entries were left out of ``skipped``.
    """

    blocks: int = 0
    place: int = 0
    length: int = 0
    chain: str = ""
    tally: Tally = field(default_factory=Tally)
    skipped: list[Skip] = field(default_factory=list)
    more_skipped: int = 0

    def add(self, outcome: Outcome, length: int) -> None:
        """Count one more block, behind which the output has ``length`` bytes."""
        self.blocks = outcome.number + 1
        self.place = outcome.place
        self.length = length
        self.chain = outcome.chain
        self.tally.merge(outcome.tally)
        room = LISTED - len(self.skipped)
        self.skipped += outcome.skipped[:room]
        self.more_skipped += len(outcome.skipped[room:])


@final
@dataclass(frozen=True, slots=True)
class Past:
    """What a ledger says.

    Attributes:
        begin: the settings of the job; None where it never began.
        totals: over the committed blocks whose output is there.
        ended: whether every block of the input is committed.
        finished: whether the output has its name.
        length: bytes of the ledger up to the last line that counts.
    """

    begin: Mapping[str, Any] | None
    totals: Totals
    ended: bool
    finished: bool
    length: int


def block_line(outcome: Outcome, length: int) -> dict[str, Any]:
    """The line of a block."""
    tally = outcome.tally
    return {
        "block": outcome.number,
        "place": outcome.place,
        "output": length,
        "documents": tally.documents,
        "kinds": dict(sorted(tally.kinds.items())),
        "largest": tally.largest,
        "mapped": tally.mapped,
        "skipped": outcome.skipped,
        "chain": outcome.chain,
    }


def append(stream: BinaryIO, lines: list[dict[str, Any]]) -> None:
    """Write lines and bring them to the disk."""
    stream.write(b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines))
    stream.flush()
    os.fsync(stream.fileno())


def past(stream: BinaryIO, output_bytes: int | None) -> Past:
    """Read a ledger from its start, line by line; a last line that is torn does not count.

    Args:
        stream: the ledger.
        output_bytes: size of the partial output; blocks that end behind it do not count. None: it has its name.
    """
    begin: Mapping[str, Any] | None = None
    totals = Totals()
    stream.seek(0)
    ended = finished = False
    length = 0
    for raw in stream:
        line = _parsed(raw)
        if line is None:
            break
        if "block" in line:
            if output_bytes is not None and line["output"] > output_bytes:
                break
            totals.add(_outcome(line), line["output"])
        begin = line if "begin" in line else begin
        ended = ended or "end" in line
        finished = finished or "finished" in line
        length += len(raw)
    return Past(begin, totals, ended, finished, length)


def block_ends(stream: BinaryIO) -> Iterator[int]:
    """Where in the output each block of a ledger ends."""
    stream.seek(0)
    for raw in stream:
        line = _parsed(raw)
        if line is not None and "block" in line:
            yield line["output"]


def totals_line(totals: Totals) -> dict[str, Any]:
    """What stands in the line that ends a job."""
    tally = totals.tally
    facts = {"documents": tally.documents, "kinds": dict(sorted(tally.kinds.items())), "mapped": tally.mapped}
    return {"end": totals.blocks, **facts, "skipped": len(totals.skipped) + totals.more_skipped}


def _parsed(raw: bytes) -> dict[str, Any] | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        line = json.loads(raw)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _outcome(line: Mapping[str, Any]) -> Outcome:
    return Outcome(
        number=line["block"],
        place=line["place"],
        chain=line["chain"],
        tally=Tally(
            documents=line["documents"],
            kinds=Counter(line["kinds"]),
            largest=[(words, numbers) for words, numbers in line["largest"]],
            mapped=line["mapped"],
        ),
        skipped=tuple(Skip(*one) for one in line["skipped"]),
    )
