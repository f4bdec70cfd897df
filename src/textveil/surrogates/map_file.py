"""Private maps in an encrypted file: written block by block, read document by document.

The file is never part of a release: whoever has it and its key has the text.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, final

from textveil import key_files
from textveil.errors import InputError, ParameterError
from textveil.json_text import json_data
from textveil.surrogates.map_cipher import ABOUT, BLOCK, END, HEADER_BYTES, MapCipher, damaged
from textveil.surrogates.private_map import PrivateMap, Replaced


def read_key(path: Path) -> bytes:
    """The key in a file, for ``map_key``; see ``key_files.read_key``."""
    return key_files.read_key(path, "map_key")


def read_or_made_key(path: Path) -> bytes:
    """The key in a file that is made where it is not there, for ``map_key``; see ``key_files.read_or_made_key``."""
    return key_files.read_or_made_key(path, "map_key")


Document: TypeAlias = tuple[PrivateMap, ...]
"""The maps of a document: one for each of its texts."""


def begun(cipher: MapCipher, about: Mapping[str, Any]) -> bytes:
    """What a file begins with.

    Args:
        about: public facts about the release, as JSON data: its format and fields.
    """
    return cipher.header + cipher.sealed(0, ABOUT, json.dumps(dict(about)).encode("ascii"))


def block(cipher: MapCipher, number: int, documents: Sequence[Document]) -> bytes:
    """What stands in a file for a block of documents.

    Args:
        number: of the block, from 0 and without gaps.
    """
    facts, texts = [], []
    for maps in documents:
        facts.append(
            [[len(private_map.released), [_facts(piece) for piece in private_map.replaced]] for private_map in maps]
        )
        for private_map in maps:
            texts += [private_map.released, *(piece.original for piece in private_map.replaced)]
    plain = json.dumps(facts).encode("ascii") + b"\n" + "".join(texts).encode("utf-8", "surrogatepass")
    return cipher.sealed(number + 1, BLOCK, zlib.compress(plain))


def ended(cipher: MapCipher, blocks: int, documents: int) -> bytes:
    """What ends a file of so many blocks and documents."""
    return cipher.sealed(blocks + 1, END, json.dumps({"documents": documents}).encode("ascii"))


@final
class MapFile:
    """A map file; every way through it reads the file again, a block at a time.

    Args:
        key: the user's, of ``read_key``.

    Raises:
        InputError: it cannot be read, is no map file, or was changed.
        ParameterError: the key is another one.
        MissingExtra: ``cryptography`` is not installed.
    """

    def __init__(self, path: Path, key: bytes) -> None:
        self._path = path
        self._key = key
        with _opened(path) as stream:
            self.about: Mapping[str, Any] = _about(self._cipher(stream), stream)
            """Public facts about the release: its format and fields."""

    def __repr__(self) -> str:
        return "MapFile()"

    def __iter__(self) -> Iterator[PrivateMap]:
        """The maps of all texts, in order."""
        for maps in self.documents():
            yield from maps

    def documents(self) -> Iterator[Document]:
        """The maps of document after document; that the file is whole shows when the last one was given.

        Raises:
            InputError: the file is not as it was written; what was given before is.
        """
        with _opened(self._path) as stream:
            cipher = self._cipher(stream)
            _about(cipher, stream)
            count, number = 0, 1
            while (frame := cipher.opened(number, stream)).mark == BLOCK:
                for maps in _documents(frame.plain):
                    yield maps
                    count += 1
                number += 1
            if frame.mark != END or json_data(frame.plain)["documents"] != count or stream.read(1):
                raise damaged("its end")

    def document(self, number: int) -> Document:
        """The maps of one document, by its number from 1; reads the whole file, so that it is known to be whole.

        Raises:
            ParameterError: there are less.
            InputError: the file is not as it was written.
        """
        wanted, count = None, 0
        for count, maps in enumerate(self.documents(), start=1):
            if count == number:
                wanted = maps
        if wanted is None:
            raise ParameterError(f"`document` must be between 1 and {count}, the documents of the map; got {number}.")
        return wanted

    def _cipher(self, stream: BinaryIO) -> MapCipher:
        return MapCipher.of_file(self._key, stream.read(HEADER_BYTES))


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        reason = error.strerror or type(error).__name__
    raise InputError(f"the private map must be readable: {reason}.")


def _about(cipher: MapCipher, stream: BinaryIO) -> Mapping[str, Any]:
    frame = cipher.opened(0, stream)
    if frame.mark != ABOUT:
        raise damaged("frame 0")
    return json_data(frame.plain)


def _facts(piece: Replaced) -> list[Any]:
    return [piece.start, piece.end, len(piece.original), piece.kind]


def _documents(plain: bytes) -> Iterator[Document]:
    facts, _, raw = zlib.decompress(plain).partition(b"\n")
    text, at = raw.decode("utf-8", "surrogatepass"), 0

    def taken(length: int) -> str:
        nonlocal at
        at += length
        return text[at - length : at]

    for maps in json_data(facts):
        yield tuple(
            PrivateMap(
                released=taken(length),
                replaced=tuple(Replaced(start, end, taken(original), kind) for start, end, original, kind in pieces),
            )
            for length, pieces in maps
        )
