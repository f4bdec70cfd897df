"""Private maps of releases that were made in Python, written to an encrypted file as a run writes its own."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from textveil.surrogates import map_file
from textveil.surrogates.map_file import Document, MapCipher
from textveil.surrogates.private_map import PrivateMap
from textveil.whole_files import atomic_writers

_BLOCK_CHARACTERS: Final = 500_000


def write_map_file(path: Path, key: bytes, maps: Iterable[PrivateMap]) -> int:
    """Write maps, each as a document of its own, to a file that only you can open (mode 0600).

    The file is there whole or not at all; ``MapFile(path, key)`` reads it, and so does ``textveil restore``.

    Args:
        key: the user's, of ``surrogates.map_key.read_or_made_key``.
        maps: read once, and held a block at a time.

    Returns:
        How many there were.

    Raises:
        OutputError: the file cannot be written.
        ParameterError: the key has another length.
        MissingExtra: ``cryptography`` is not installed.
    """
    cipher = MapCipher.new(key)
    blocks = documents = characters = 0
    held: list[Document] = []
    with atomic_writers([path], private=[path]) as (stream,):
        stream.write(map_file.begun(cipher, {}))
        for private_map in maps:
            held.append((private_map,))
            documents += 1
            characters += len(private_map.released)
            if characters >= _BLOCK_CHARACTERS:
                stream.write(map_file.block(cipher, blocks, held))
                blocks, characters, held = blocks + 1, 0, []
        if held:
            stream.write(map_file.block(cipher, blocks, held))
            blocks += 1
        stream.write(map_file.ended(cipher, blocks, documents))
    return documents
