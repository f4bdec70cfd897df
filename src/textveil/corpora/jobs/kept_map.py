"""The private map of a job under way: encrypted, beside the partial output, and as long as it at every commit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from textveil.corpora.blocks import Outcome
from textveil.corpora.files.identity import Whole
from textveil.corpora.jobs.folder import JobFolder
from textveil.surrogates import map_file
from textveil.surrogates.map_file import HEADER_BYTES, MapCipher

_PIECE = 2**20


@dataclass(frozen=True, slots=True)
class MapWanted:
    """Where a run's private map goes.

    Attributes:
        key: the user's, 32 bytes.
        about: what the map says of the release: JSON data, public.
    """

    path: Path
    key: bytes = field(repr=False)
    about: Mapping[str, Any]

    def begun(self) -> tuple[MapCipher, bytes]:
        """The cipher of a new map, and the bytes that begin it."""
        cipher = MapCipher.new(self.key)
        return cipher, map_file.begun(cipher, self.about)


def frame_of(cipher: MapCipher, outcome: Outcome) -> bytes:
    """What a map has for a block: its worker's frame, or one of no documents where nothing was released."""
    return outcome.private or map_file.block(cipher, outcome.number, [])


@dataclass(slots=True)
class KeptMap:
    """A map that grows."""

    cipher: MapCipher
    length: int
    _folder: JobFolder
    _stream: RawIOBase = field(repr=False)

    @classmethod
    def opened(cls, folder: JobFolder, wanted: MapWanted, length: int) -> KeptMap:
        """The map of a job, cut to ``length`` bytes; 0 begins it anew.

        Raises:
            ParameterError: the key is not the one with which it was begun.
            InputError: it was changed.
        """
        if length == 0:
            cipher, start = wanted.begun()
            with folder.written_anew(folder.private_map) as stream:
                stream.write(start)
            length = len(start)
        else:
            with folder.private_map.open("rb") as there:
                cipher = MapCipher.of_file(wanted.key, there.read(HEADER_BYTES))
        return cls(cipher, length, folder, folder.continued(length, folder.private_map))

    def add(self, outcome: Outcome) -> None:
        """Write what it has for one more block."""
        self.length += written_whole(self._stream, frame_of(self.cipher, outcome))

    def cut(self, length: int) -> None:
        """Take back what stands behind ``length`` bytes."""
        self._stream.truncate(length)
        self._stream.seek(length)
        self.length = length

    def sync(self) -> None:
        """Bring it to the disk."""
        os.fsync(self._stream.fileno())

    def close(self) -> None:
        """Nothing follows; a second call does nothing."""
        self._stream.close()

    def copy(self, target: BinaryIO, blocks: int, documents: int) -> Whole:
        """Write the whole map of so many blocks, with its end; its length and digest."""
        digest, length = hashlib.sha256(), 0
        end = map_file.ended(self.cipher, blocks, documents)
        with self._folder.private_map.open("rb") as stream:
            while data := stream.read(min(_PIECE, self.length - length)) or end:
                target.write(data)
                digest.update(data)
                length += len(data)
                if data is end:
                    break
        return Whole(length, digest.hexdigest())


def written_whole(stream: RawIOBase, data: bytes) -> int:
    """Write bytes to a stream that may take less at once; how many."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) or 0 :]
    return len(data)
