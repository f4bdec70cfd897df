"""Records through a sanitizer, in order, in constant memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from textveil.corpora.records import CorpusFormat, Record
from textveil.release import Release, Tally
from textveil.sanitizer import Sanitizer

_CHUNK = 2**20
"""Released bytes that are gathered before they are handed on."""


def released_records(
    sanitizer: Sanitizer, reader: CorpusFormat, stream: BinaryIO, tally: Tally
) -> Iterator[tuple[bytes, int]]:
    """Chunks of output with the number of input bytes read so far.

    Args:
        sanitizer: draws the releases.
        reader: the corpus's format.
        stream: the private input.
        tally: counts every document; one with several sanitized fields counts as one document.
    """
    waiting: deque[Record] = deque()
    place = 0

    def texts() -> Iterator[str]:
        nonlocal place
        for record in reader.records(stream):
            waiting.append(record)
            place += sum(map(len, record.texts)) + 1
            yield from record.texts

    released: list[Release] = []
    out = bytearray()
    first = True
    for release in sanitizer.stream(texts()):
        if first:
            out += reader.header()
            first = False
        released.append(release)
        record = waiting[0]
        if len(released) == len(record.texts):
            waiting.popleft()
            out += record.assemble([one.text for one in released])
            count(tally, released)
            released = []
        if len(out) >= _CHUNK:
            yield bytes(out), place
            out.clear()
    yield bytes(out), place


def count(tally: Tally, releases: list[Release]) -> None:
    """Add one document, made of these releases, to the tally."""
    if len(releases) == 1:
        tally.add(releases[0].kinds, releases[0].mapped)
        return
    kinds: dict[str, int] = {}
    for release in releases:
        for kind, number in release.kinds.items():
            kinds[kind] = kinds.get(kind, 0) + number
    tally.add(kinds, sum(release.mapped for release in releases))
