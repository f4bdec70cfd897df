"""Several files in, as many out: each in its own format, under its own name, in one folder that is whole or not there.

A job has one output and one ledger: the data of its blocks stand there in frames that say whose they are, and are taken
apart when all of them are there.
"""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO, ClassVar, Final, NoReturn, cast

from textveil.corpora.formats import records as base
from textveil.corpora.formats.choice import FormatChoice
from textveil.corpora.formats.document_file import DocumentFile, Documents
from textveil.corpora.formats.text_lines import PlainText
from textveil.corpora.sources import COMPRESSED, compressing, files_in
from textveil.documents.model import Images
from textveil.documents.registry import is_document
from textveil.errors import InputError, ParameterError
from textveil.surrogates.map_file import PrivateMap

_FRAME: Final = struct.Struct(">IQQ")  # number of the input, bytes of what stands before all its records, of records
_PIECE: Final = 2**20
_SHORT: Final = ("number", "numbering")
_LONG_NUMBER: Final = re.compile(r"\d{5}").search


@dataclass(frozen=True, slots=True)
class Folder:
    """Files of one run with their names in the folder of the output."""

    inputs: tuple[str, ...]  # files to read, in the order of ``names``
    names: tuple[str, ...]  # relative, with ``/`` between parts; no two are equal

    @classmethod
    def of(cls, sources: Sequence[str], output: Path) -> Folder:
        """Files by name, and those of folders at any depth, hidden ones left out.

        Raises InputError: a source cannot be read, a folder has no files, or two files would get one name;
        ParameterError: the output lies in a folder that is read.
        """
        pairs: dict[str, str] = {}
        read: set[str] = set()
        for number, source in enumerate(sources, start=1):
            root = Path(source)
            if root.is_dir() and Path(os.path.realpath(output)).is_relative_to(os.path.realpath(root)):
                raise ParameterError("`output` must not lie in a folder that is read; it does. Name another.")
            files = files_in(root) if root.is_dir() else [root] if root.is_file() else []
            if not files:
                raise InputError(f"input {number} must be a file, or a folder with files; got none.")
            for file in files:
                if (place := os.path.realpath(file)) in read:  # another name of a file that is released
                    continue
                read.add(place)
                name = file.relative_to(root).as_posix() if root.is_dir() else file.name
                if name in pairs:
                    raise InputError(f"input {number} has a file of a name that an earlier one has. Use two outputs.")
                pairs[name] = str(file)
        return cls(tuple(pairs.values()), tuple(pairs))


def renamed(names: Sequence[str], hides: Callable[[Sequence[str]], Sequence[Iterable[str]]]) -> dict[str, str]:
    """Names that are released in place of those that would tell what is hidden in texts, by number.

    ``hides``: the kinds of values that a release would hide in each of some texts.
    """
    parts = sorted({part for name in names for part in PurePosixPath(name).parts})
    plain = [re.sub(r"[_.\W]+", " ", part) for part in parts]
    kinds = zip(parts, hides(parts), hides(plain), strict=True)
    secret = [
        part
        for part, *found in kinds
        if any(kind not in _SHORT or _LONG_NUMBER(part) for each in found for kind in each)
    ]
    number, fresh, taken = 0, dict[str, str](), set(parts)
    for part in secret:
        while True:
            number += 1
            fresh[part] = f"{number:04d}{''.join(PurePosixPath(part).suffixes[-2:]) if _known(part) else ''}"
            if fresh[part] not in taken:
                break
    moved = {name: "/".join(fresh.get(part, part) for part in PurePosixPath(name).parts) for name in names}
    return {name: new for name, new in moved.items() if name != new}


def _known(part: str) -> bool:
    return all(suffix[1:].isalnum() and len(suffix) <= len(".parquet") for suffix in PurePosixPath(part).suffixes[-2:])


@dataclass(frozen=True, slots=True, kw_only=True)
class FileByFile:
    """A format for each input; ``of`` one input is a format of its own."""

    unit: ClassVar[str] = "record"
    formats: tuple[base.CorpusFormat, ...]
    names: tuple[str, ...] = field(repr=False)  # in the folder of the output, as ``Folder.names``
    renamed: Mapping[str, str] = field(default_factory=dict, repr=False)  # names that differ in the output

    @classmethod
    def chosen(
        cls,
        folder: Folder,
        choice: FormatChoice,
        *,
        in_place: bool,
        images: Images = "blank",
        seconds: float | None = None,
    ) -> FileByFile:
        """The formats of files by their endings, or as the choice says; what has none is refused when it is read.

        ``in_place``: whether values are replaced where they stand, which documents need; ``images``: what becomes of
        pictures in them; ``seconds``: see ``DocumentFile``.
        """
        formats = [
            _document(name, choice, in_place, images, seconds) if is_document(name) else _format(name, choice)
            for name in folder.inputs
        ]
        return cls(formats=tuple(formats), names=folder.names)

    def hiding(self, hides: Callable[[Sequence[str]], Sequence[Iterable[str]]]) -> FileByFile:
        """The same, with numbers in place of names that tell what a release would hide (see ``renamed``)."""
        return replace(self, renamed=renamed(self.names, hides))

    def __repr__(self) -> str:
        return f"FileByFile({sorted({repr(each) for each in self.formats})})"

    @property
    def choice(self) -> base.FieldChoice | None:
        """Fields of the files that have some."""
        return next((each.choice for each in self.formats if each.choice is not None), None)

    def of(self, source: int) -> base.CorpusFormat:
        """The format of an input, by its number from 1."""
        return _One(self.formats[source - 1], source)

    def released(self, source: int) -> str:
        """The name of an input's release."""
        name = self.names[source - 1]
        return self.renamed.get(name, name)

    def cut(self, stream: BinaryIO, size: int) -> NoReturn:
        raise AssertionError("files are cut one by one")

    def records(self, payload: bytes, first: int) -> NoReturn:
        raise AssertionError("files are read one by one")

    def write(self, frames: BinaryIO, folder: Path) -> None:
        """Write the files of a folder from all frames, which come in the order of the inputs."""
        folder.mkdir()
        with ExitStack() as stack:
            last, write = 0, cast("Callable[[bytes], object]", None)
            while head := frames.read(_FRAME.size):
                source, before, size = _FRAME.unpack(head)
                start = frames.read(before)
                if source != last:
                    stack.close()
                    last, write = source, self._opened(source, folder, stack)
                    write(start)
                if isinstance(self.formats[source - 1], base.Assembled):
                    write(frames.read(size))
                    continue
                while size:
                    data = frames.read(min(_PIECE, size))
                    size -= len(data)
                    write(data)

    def _opened(self, source: int, folder: Path, stack: ExitStack) -> Callable[[bytes], object]:
        path, corpus_format = folder / self.released(source), self.formats[source - 1]
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = stack.enter_context(path.open("xb"))
        stack.callback(lambda: os.fsync(stream.fileno()))
        frames = compressing(stream, path.name)
        stack.callback(frames.flush_frame)
        if not isinstance(corpus_format, base.Assembled):
            return frames.write
        sink = corpus_format.sink(cast("BinaryIO", frames) if path.suffix.lower() in COMPRESSED else stream)
        stack.callback(sink.close)
        return lambda data: sink.write(data) if data else None


@dataclass(frozen=True, slots=True)
class _One:
    inner: base.CorpusFormat
    source: int

    @property
    def choice(self) -> base.FieldChoice | None:
        return self.inner.choice

    @property
    def unit(self) -> str:
        return self.inner.unit

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        if isinstance(self.inner, PlainText) and stream.seekable():
            _check_text(stream, self.inner.encoding)
        return self.inner.cut(stream, size)

    def records(self, payload: bytes, first: int) -> base.Records:
        records = self.inner.records(payload, first)

        def framed(data: bytes) -> bytes:
            return _FRAME.pack(self.source, len(records.head), len(data)) + records.head + data if data else b""

        def joined(released: Sequence[Sequence[str] | None]) -> bytes:
            return framed(records.joined(released))

        def rewritten(maps: Sequence[Sequence[PrivateMap]]) -> base.Rewritten:
            assert records.rewritten is not None
            done = records.rewritten(maps)
            return done._replace(data=framed(done.data))

        return replace(records, joined=joined, head=b"", rewritten=None if records.rewritten is None else rewritten)


def _check_text(stream: BinaryIO, encoding: str | None) -> None:
    """Refuse a file that is no text to its end: its readable lines alone would look like all of it."""
    text, decoder, place = base.recoded(stream, encoding), codecs.getincrementaldecoder("utf-8")(), stream.tell()
    reason = ""
    while not reason:
        data = text.read(_PIECE)
        try:
            decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            reason = f"UTF-8; it is not. {base.LIKELY}"
        if b"\0" in data:
            reason = "text; got a NUL character. Is this a binary file?"
        if not data:
            break
    if reason:
        raise InputError(f"the file must be {reason}")
    stream.seek(place)


@dataclass(frozen=True, slots=True)
class _Unread:
    """A file that is no corpus, such as a PDF: refused when it is its turn."""

    reason: str
    choice: ClassVar[None] = None
    unit: ClassVar[str] = "file"

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        raise InputError(self.reason)

    def records(self, payload: bytes, first: int) -> NoReturn:
        raise AssertionError("never cut")


def _document(
    name: str, choice: FormatChoice, in_place: bool, images: Images, seconds: float | None
) -> base.CorpusFormat:
    if choice.read:
        return _Unread("a document has no columns, which were named. Sanitize it on its own.")
    if not in_place:
        return _Unread("a document needs a `policy` that finds spans, as its look stays. Try `policy=identifiers`.")
    ending = Path(name).suffix.lower()
    return DocumentFile(ending=ending, images=images, max_document_bytes=choice.max_document_bytes, seconds=seconds)


def _format(name: str, choice: FormatChoice) -> base.CorpusFormat:
    try:
        if choice.name([name]) == "txt":
            if choice.read:
                return _Unread("a text file has no columns, which were named. Sanitize it on its own.")
            return replace(choice, sanitized=(), kept=(), delimiter=None).reader([name])
        wanted = choice if choice.name([name]) == "csv" else replace(choice, delimiter=None)
        encoding = None if choice.name([name]) == "parquet" else choice.encoding
        return replace(wanted, whole=False, encoding=encoding).reader([name])
    except ParameterError as error:
        if choice.corpus_format is not None:
            raise
        return _Unread(str(error))


def format_of(corpus_format: base.CorpusFormat, source: int) -> base.CorpusFormat:
    """The format of an input of a run, by the input's number from 1."""
    return corpus_format.of(source) if isinstance(corpus_format, FileByFile | Documents) else corpus_format


def formats_of(corpus_format: base.CorpusFormat) -> tuple[base.CorpusFormat, ...]:
    """The formats of all inputs of a run."""
    return corpus_format.formats if isinstance(corpus_format, FileByFile) else (corpus_format,)


def folder_digest(folder: Path) -> tuple[int, str]:
    """Bytes of all files of a folder, and the digest of their names and contents."""
    digest, length = hashlib.sha256(), 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        inner = hashlib.sha256()
        with path.open("rb") as stream:
            while data := stream.read(_PIECE):
                inner.update(data)
                length += len(data)
        digest.update(
            f"{path.relative_to(folder).as_posix()}\0{inner.hexdigest()}\n".encode("utf-8", "surrogateescape")
        )
    return length, digest.hexdigest()
