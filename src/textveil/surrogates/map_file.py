"""Private maps: what was replaced in one release, for whoever may put it back; and such maps in an encrypted file.

A map is never part of a release: whoever has it, or its file with the key, has the text. Files are written block by
block, read document by document. Without the key nobody can read, change or move their bytes: a header, and frames.

    header  a line that says what this is, with the version; 16 bytes of salt; 16 that tell the key; 8 that tell damage
    frame   its mark, the length of what follows, 12 bytes of nonce, the encrypted text with its tag

A file has a frame about itself, one for each block of documents, in order, and one that ends it. Each is encrypted
under a key of its file alone (HKDF-SHA256 of the user's key and the salt) by ChaCha20-Poly1305 with a random nonce,
bound to the header, its number and its mark. So a frame that was changed, left out, put elsewhere or taken from another
file is refused, and so is a file that ends before its last frame.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeAlias

from textveil import whole_files as key_files
from textveil.cuts import replaced
from textveil.errors import InputError, MissingExtra, ParameterError
from textveil.json_text import json_data
from textveil.whole_files import SECRET_BYTES


class Replaced(NamedTuple):
    """A piece of a released text that differs from the original, or is a surrogate that happens to equal it."""

    start: int  # its first character in the released text, from 0
    end: int  # one past its last; equal to ``start`` where something was dropped
    original: str  # the private characters that stood there
    kind: str  # the span's kind; empty if it is no span (a word that was drawn, a mark in plain form)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateMap:
    """The way from one release back to its text; holds private text, so it prints as nothing but its size."""

    released: str = field(repr=False)
    # every piece of it that does not stand in the original as it is, by ``start``, none overlapping
    replaced: tuple[Replaced, ...] = field(repr=False)

    def original(self) -> str:
        """Return the text that was released, character for character."""
        return replaced(self.released, [(piece.start, piece.end, piece.original) for piece in self.replaced])

    def __repr__(self) -> str:
        return f"PrivateMap({len(self.replaced)} pieces)"


TITLE: Final = b"textveil private map 1: not part of a release\n"
"""First line of a map file; the number is the version of its form."""

_TITLE_BEGINS: Final = b"textveil private map "
_SALT, _KEY_MARK, _SUM, _NONCE, _TAG = 16, 16, 8, 12, 16
HEADER_BYTES: Final = len(TITLE) + _SALT + _KEY_MARK + _SUM  # length of the header
_LENGTH_BYTES = 4
_FRAME_HEAD = 1 + _LENGTH_BYTES
_MOST = 2**31 - 1
_PIECE = 2**20
ABOUT, BLOCK, END = b"A", b"B", b"E"  # marks of frames: the first, those of documents, the last


class Frame(NamedTuple):
    """A frame, opened; holds private text."""

    mark: bytes
    plain: bytes


def need_package() -> tuple[Any, Any, Any, type[Exception]]:
    """Return the cipher, key derivation, digest and tag error of ``cryptography``. Raises MissingExtra without it."""
    with MissingExtra("cryptography", "maps"):
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    return ChaCha20Poly1305, HKDF, SHA256, InvalidTag


@dataclass(frozen=True, slots=True)
class MapCipher:
    """Seals and opens the frames of one map file; picklable, and as private as the user's key."""

    header: bytes
    key: bytes = field(repr=False)

    @classmethod
    def new(cls, secret: bytes) -> MapCipher:
        """Make the cipher of a new file from the user's key of 32 bytes. Raises MissingExtra, ParameterError."""
        salt = secrets.token_bytes(_SALT)
        key, mark = _derived(secret, salt)
        start = TITLE + salt + mark
        return cls(start + _checksum(start), key)

    @classmethod
    def of_file(cls, secret: bytes, header: bytes) -> MapCipher:
        """Make the cipher of a file with this header; refuse another key, and what is no such header or was changed."""
        if not header.startswith(TITLE):
            if header.startswith(_TITLE_BEGINS):
                raise InputError("the private map must have a form that this version knows; got another. Update.")
            raise InputError("the private map must be a file that textveil made; this is none.")
        start = header[: HEADER_BYTES - _SUM]
        if len(header) != HEADER_BYTES or header[len(start) :] != _checksum(start):
            raise damaged("its header")
        key, mark = _derived(secret, start[len(TITLE) : len(TITLE) + _SALT])
        if not hmac.compare_digest(mark, start[-_KEY_MARK:]):
            error = ParameterError("map_key must be the one with which the private map was made; got another.")
            error.parameter = "map_key"
            raise error
        return cls(header, key)

    def sealed(self, number: int, mark: bytes, plain: bytes) -> bytes:
        """Return the frame of that number, from 0. Raises ParameterError: it would be larger than a frame can be."""
        if len(plain) + _NONCE + _TAG > _MOST:
            raise ParameterError("a private map's block must have at most 2 GB; got more. Use smaller documents.")
        cipher, *_ = need_package()
        nonce = secrets.token_bytes(_NONCE)
        text = nonce + cipher(self.key).encrypt(nonce, plain, self._bound(number, mark))
        return mark + len(text).to_bytes(_LENGTH_BYTES, "big") + text

    def opened(self, number: int, stream: BinaryIO) -> Frame:
        """Read and open the frame of that number. Raises InputError if it is missing or was changed."""
        cipher, _, _, invalid = need_package()
        head = stream.read(_FRAME_HEAD)
        mark, length = head[:1], int.from_bytes(head[1:], "big")
        if len(head) < _FRAME_HEAD:
            raise _cut_short(number)
        if mark not in (ABOUT, BLOCK, END) or not _NONCE + _TAG <= length <= _MOST:
            raise damaged(f"frame {number}")
        text = _read(stream, length)
        if len(text) < length:
            raise _cut_short(number)
        try:
            plain = cipher(self.key).decrypt(text[:_NONCE], text[_NONCE:], self._bound(number, mark))
        except invalid:
            plain = None
        if plain is None:
            raise damaged(f"frame {number}")
        return Frame(mark, plain)

    def _bound(self, number: int, mark: bytes) -> bytes:
        return self.header + number.to_bytes(8, "big") + mark


def damaged(what: str) -> InputError:
    """Return the error of a file that was changed."""
    return InputError(f"the private map must be as it was written; {what} was changed or moved. Take another copy.")


def _cut_short(number: int) -> InputError:
    return InputError(f"the private map must be whole; it ends before the end of frame {number}. Take another copy.")


def _read(stream: BinaryIO, length: int) -> bytes:
    """Read so many bytes, or those that there are: what a changed length asks for is not made room for."""
    parts, left = [], length
    while left and (data := stream.read(min(left, _PIECE))):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)


def _derived(secret: bytes, salt: bytes) -> tuple[bytes, bytes]:
    if len(secret) != SECRET_BYTES:
        raise ParameterError(f"map_key must have {SECRET_BYTES} bytes; got {len(secret)}.")
    _, hkdf, digest, _ = need_package()
    derived = hkdf(algorithm=digest(), length=SECRET_BYTES + _KEY_MARK, salt=salt, info=TITLE).derive(secret)
    return derived[:SECRET_BYTES], derived[SECRET_BYTES:]


def _checksum(start: bytes) -> bytes:
    """Tells damage from another key; it is no secret."""
    return hashlib.sha256(start).digest()[:_SUM]


def read_key(path: Path) -> bytes:
    """Return the key in a file, for ``map_key``; see ``key_files.read_key``."""
    return key_files.read_key(path, "map_key")


def read_or_made_key(path: Path) -> bytes:
    """The key in a file that is made if it is not there, for ``map_key``; see ``key_files.read_or_made_key``."""
    return key_files.read_or_made_key(path, "map_key")


Document: TypeAlias = tuple[PrivateMap, ...]  # the maps of a document: one for each of its texts


def begun(cipher: MapCipher, about: Mapping[str, Any]) -> bytes:
    """Return the beginning of a file; ``about`` holds public facts about the release: its format and fields."""
    return cipher.header + cipher.sealed(0, ABOUT, json.dumps(dict(about)).encode("ascii"))


def block(cipher: MapCipher, number: int, documents: Sequence[Document]) -> bytes:
    """Return the bytes of a block of documents, numbered from 0 without gaps."""
    facts: list[list[Any]] = []
    texts: list[str] = []
    for maps in documents:
        facts.append([])
        for private_map in maps:
            pieces = [[piece.start, piece.end, len(piece.original), piece.kind] for piece in private_map.replaced]
            facts[-1].append([len(private_map.released), pieces])
            texts += [private_map.released, *(piece.original for piece in private_map.replaced)]
    plain = json.dumps(facts).encode("ascii") + b"\n" + "".join(texts).encode("utf-8", "surrogatepass")
    return cipher.sealed(number + 1, BLOCK, zlib.compress(plain))


def ended(cipher: MapCipher, blocks: int, documents: int) -> bytes:
    """Return the end of a file of so many blocks and documents."""
    return cipher.sealed(blocks + 1, END, json.dumps({"documents": documents}).encode("ascii"))


class MapFile:
    """A map file; every way through it reads the file again, a block at a time.

    Raises InputError: it cannot be read, is no map file, or was changed; ParameterError: the key is another one;
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
        """Yield the maps of document after document; a file that was changed ends them in an ``InputError``."""
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
        """Return the maps of one document, from 1; reads the whole file, so that it is known to be whole.

        Raises ParameterError: there are fewer; InputError: the file was changed.
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
