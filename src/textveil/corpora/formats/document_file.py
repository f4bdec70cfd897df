"""A file of an office, a mail, a page or a PDF as one record: its text is sanitized where it stands."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import BinaryIO, ClassVar, NoReturn

from textveil.corpora.formats.records import MAX_DOCUMENT_BYTES, Cut, RecordError, Records, Rewritten, read, too_large
from textveil.documents.apart import Apart
from textveil.documents.model import Images
from textveil.documents.registry import Limits, is_picture
from textveil.errors import InputError
from textveil.surrogates.map_file import PrivateMap


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFile:
    """One document: see the package ``documents``.

    ``ending``: of its format, as in ``documents.registry``; ``images``: what becomes of pictures; ``seconds``: of a
    processor to read it, and again to write it, None is the default of ``documents.limits``; ``beside``: columns of its
    record, and their values.
    """

    choice: ClassVar[None] = None
    unit: ClassVar[str] = "document"
    ending: str
    images: Images = "blank"
    max_document_bytes: int = MAX_DOCUMENT_BYTES
    seconds: float | None = field(default=None, repr=False)
    beside: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def cut(self, stream: BinaryIO, size: int) -> Iterator[Cut]:
        """The whole file, whatever the size; raises InputError: it is too large."""
        parts: list[bytes] = []
        left = self.max_document_bytes
        while data := read(stream.read, 2**20):
            left -= len(data)
            if left < 0:
                raise InputError(too_large("the file", self.max_document_bytes))
            parts.append(data)
        yield Cut(b"".join(parts), 1, 1)

    def records(self, payload: bytes, first: int) -> Records:
        """The one record; a file that cannot be read is a fault."""
        name = f"a{self.ending}"
        try:
            opened = _apart(os.getpid(), self.seconds).opened(name, payload, self.images)
        except InputError as error:
            return Records(texts=[], faults=[RecordError(first, str(error))], joined=_nothing, numbers=[])

        def file(maps: Sequence[Sequence[PrivateMap]]) -> Rewritten:
            done = opened.rewritten(maps[0][0])
            return Rewritten(done.data, done.certificate)

        beside = {name: [value] for name, value in self.beside}
        return Records([[opened.text]], (), _nothing, [first], beside=beside, rewritten=file)


@cache
def _apart(process: int, seconds: float | None) -> Apart:
    """Return what reads documents for a worker: one that was forked starts its own."""
    return Apart(None if seconds is None else Limits(seconds=seconds))


FILE, FOLDER = "file", "folder"
"""Columns that documents have: the name of the file, and that of the folder in which it lies."""


@dataclass(frozen=True, slots=True)
class Documents:
    """Files that are documents, each one record, to be read: a format of its own ``of`` each input."""

    choice: ClassVar[None] = None
    unit: ClassVar[str] = "document"
    inputs: tuple[str, ...] = field(repr=False)
    max_document_bytes: int = MAX_DOCUMENT_BYTES

    def of(self, source: int) -> DocumentFile:
        """The format of an input, by its number from 1."""
        path = Path(self.inputs[source - 1])
        beside = ((FILE, path.name), (FOLDER, path.resolve().parent.name))
        images: Images = "ocr" if is_picture(path.name) else "blank"  # a picture by itself has no other text
        return DocumentFile(
            ending=path.suffix.lower(), images=images, max_document_bytes=self.max_document_bytes, beside=beside
        )

    def cut(self, stream: BinaryIO, size: int) -> NoReturn:
        raise AssertionError("documents are cut one by one")

    def records(self, payload: bytes, first: int) -> NoReturn:
        raise AssertionError("documents are read one by one")


def _nothing(released: Sequence[Sequence[str] | None]) -> bytes:
    """No bytes: the file is made of what was replaced in its text, never of the text alone."""
    return b""
