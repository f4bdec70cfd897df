"""Inputs of a run as one row of numbered blocks; which file is which, and where a run reads and writes."""

import contextlib
import hashlib
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from textveil.corpora.blocks import BLOCK_BYTES, Block
from textveil.corpora.file_by_file import folder_digest, format_of
from textveil.corpora.formats.records import CorpusFormat, Cut, Records
from textveil.corpora.sources import one_file, opened
from textveil.errors import InputError, ParameterError, need
from textveil.randomness import SECRET_BYTES
from textveil.types import Progress
from textveil.whole_files import need_new


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Files in their order, read once from the first to the last."""

    inputs: tuple[str, ...]  # as ``sources.expanded`` gives them; ``-`` is standard input
    corpus_format: CorpusFormat
    # the job's: keys the chain of digests, which would otherwise tell what the input is
    secret: bytes = field(repr=False)
    size: int = BLOCK_BYTES  # bytes that a block aims at. Blocks, and with them the draws, depend on it
    max_expansion: float | None = None  # bytes that a byte of a compressed input may come to; None is no limit

    def __post_init__(self) -> None:
        need(len(self.inputs) > 0, "inputs", "none", "at least one")
        need(self.size >= 1, "block size", self.size, "at least 1")
        need(self.max_expansion is None or self.max_expansion >= 1, "max_expansion", self.max_expansion, ">= 1")

    def blocks(self) -> Iterator[Block]:
        """The blocks in order. What cannot be read is a block with a fault, and the next input follows."""
        number, before, chain = 0, 0, ""
        for source, name in enumerate(self.inputs, start=1):
            first, bytes_read, corpus_format = 1, 0, format_of(self.corpus_format, source)
            try:
                with opened(name, self.max_expansion) as (stream, _, consumed):
                    for cut in corpus_format.cut(stream, self.size):
                        chain, bytes_read = self._chained(chain, source, cut.first, cut.payload), consumed()
                        yield self._block(number, source, cut, before + bytes_read, chain)
                        number, first = number + 1, cut.first + cut.count
            except InputError as error:
                where = f"from {corpus_format.unit} {first} on: " if first > 1 else ""
                chain = self._chained(chain, source, first, b"")
                yield self._block(number, source, Cut(b"", first, 0, f"{where}{error}"), before + bytes_read, chain)
                number += 1
            before += bytes_read

    def _block(self, number: int, source: int, cut: Cut, bytes_read: int, chain: str) -> Block:
        return Block(
            number=number,
            source=source,
            first=cut.first,
            count=cut.count,
            payload=cut.payload,
            bytes_read=bytes_read,
            chain=chain,
            fault=cut.fault,
            unit=format_of(self.corpus_format, source).unit,
        )

    def total(self) -> int | None:
        """Bytes of all inputs as they lie on the disk; None if one is no regular file."""
        sizes = [file_size(name) for name in self.inputs]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    def _chained(self, chain: str, source: int, first: int, payload: bytes) -> str:
        mixed = hashlib.blake2b(key=self.secret, digest_size=32, person=b"textveil chain")
        mixed.update(f"{chain} {source} {first} ".encode())
        mixed.update(payload)
        return mixed.hexdigest()


def file_stamp(name: str) -> list[int]:
    """Return when a regular file was last written and last changed in any way, in nanoseconds; else nothing."""
    status = _status(name)
    return [] if status is None else [status.st_mtime_ns, status.st_ctime_ns]


def file_size(name: str) -> int | None:
    """Bytes of a regular file, else None."""
    status = _status(name)
    return None if status is None else status.st_size


def _status(name: str) -> os.stat_result | None:
    if name != "-":
        with contextlib.suppress(OSError):
            status = Path(name).stat()
            return status if stat.S_ISREG(status.st_mode) else None
    return None


_PIECE = 2**20


class Whole(NamedTuple):
    """An output that is complete: its bytes, and their digest (of a release; it tells nothing else)."""

    bytes: int
    sha256: str


def whole_of(path: Path) -> Whole | None:
    """Length and digest of a file, or of a folder's files; None if they cannot be read."""
    try:
        if path.is_dir():
            return Whole(*folder_digest(path))
        if not path.is_file():
            return None
        digest, length = hashlib.sha256(), 0
        with path.open("rb") as stream:
            while data := stream.read(_PIECE):
                digest.update(data)
                length += len(data)
    except OSError:
        return None
    return Whole(length, digest.hexdigest())


def check_release(stated: object, names: Sequence[str]) -> None:
    """Refuse the report of another release than the file that is read.

    Args:
        stated: SHA-256 of the released file as the report has it; empty or None if it has none.
        names: what is read. Of pipes and several files nobody can tell.

    Raises ParameterError: the digests differ.
    """
    whole = whole_of(Path(names[0])) if stated and len(names) == 1 else None
    if whole is not None and whole.sha256 != stated:
        raise ParameterError(
            "`report` must be of the release, by the digest of its file; got one of another, or the file was changed "
            "since. Give the report that was written with it; pipe a part of a release in."
        )


def is_whole(path: Path, whole: Whole) -> bool:
    """Return whether the file is there with the same bytes; other lengths are seen without reading it."""
    try:
        if path.is_file() and path.stat().st_size != whole.bytes:
            return False
    except OSError:
        return False
    return whole_of(path) == whole


def same_file(handle: int, path: Path) -> bool:
    """Return whether an open file still stands under its name; False if the name is gone."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


_NO_SECRET = bytes(SECRET_BYTES)  # of a chain of digests that nobody reads


class LeftOut(NamedTuple):
    """Records of an input that have no release, as a report lists them."""

    input: int  # number of the input, from 1
    first: int  # number of the first record
    last: int  # number of the last one; 0 is the last of the input

    def holds(self, number: int) -> bool:
        """Return whether a record of the input is one of them."""
        return self.first <= number and (number <= self.last or self.last == 0)


class ReleasedBlock(NamedTuple):
    """Records in a row, all of them good."""

    records: Records
    first: int  # number of the first record in its input, for messages
    place: str  # what stands before a message about it: the input's number, if there are several

    @property
    def texts(self) -> list[str]:
        """One for each record and chosen field that has a text."""
        return [text for parts in self.records.texts for text in parts]


def released_blocks(
    corpus_format: CorpusFormat,
    inputs: tuple[str, ...],
    progress: Progress | None = None,
    *,
    block_bytes: int = BLOCK_BYTES,
    max_expansion: float | None = None,
    left_out: Sequence[LeftOut] = (),
) -> Iterator[ReleasedBlock]:
    """The records of all inputs in their order, block by block, in constant memory.

    Args:
        block_bytes: input bytes a block aims at.
        max_expansion: bytes that a byte of a compressed input may come to; None is no limit.
        left_out: records that are not read, and need not be readable.

    Raises InputError: an input or a record cannot be read; says which, never what.
    """
    rows = Inputs(
        inputs=inputs, corpus_format=corpus_format, secret=_NO_SECRET, size=block_bytes, max_expansion=max_expansion
    )
    total = rows.total()
    for block in rows.blocks():
        place = f"input {block.source}, " if len(inputs) > 1 else ""
        left = [each for each in left_out if each.input == block.source]
        if block.fault and any(each.holds(block.first) for each in left):
            continue
        if block.fault:
            raise InputError(f"{place}{block.fault}")
        records = format_of(corpus_format, block.source).records(block.payload, block.first)
        for fault in records.faults:
            if not any(each.holds(fault.number) for each in left):
                raise InputError(f"{place}{fault.reason}")
        if left:
            unread = [spot for spot, number in enumerate(records.numbers) if any(each.holds(number) for each in left)]
            records = records.without(dict.fromkeys(unread, ""), 0)
        yield ReleasedBlock(records, block.first, place)
        if progress is not None:
            progress(block.bytes_read, total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Inputs and outputs of one run.

    Raises:
        ParameterError: a report has no name of a file; two of them are one file; there is no job to go on with; one of
            private map and key stands without the other; or the private map exists.
        InputError: standard input is wanted and closed.
    """

    inputs: tuple[str, ...]  # as ``sources.expanded`` gives them; ``-`` is standard input
    output: Path | None = None  # where the release goes; None is a stream that the caller has
    reports: tuple[Path, ...] = ()  # where the report goes: a page to file where a name ends in .html, else JSON
    sender_report: Path | None = None  # where what is for the sender alone goes, likewise
    resume: bool = False  # go on with the job of the output, or begin it
    private_map: Path | None = None  # where the private map goes, if one is kept
    map_key: Path | None = None

    def __post_init__(self) -> None:
        check_outputs(self.output, [*self.reports, self.sender_report], self.private_map, resume=self.resume)
        secret = [path for path in (self.private_map, self.map_key) if path is not None]
        files = [*self.files, *secret]
        again = len({os.path.realpath(path) for path in files}) != len(files)
        if again or any(one_file(name, path) for name in self.inputs for path in files):
            every = "`output`, every report, `private_map` and `map_key`" if secret else "`output` and every report"
            raise ParameterError(f"the input, {every} must be different files; got one twice.")
        if self.private_map is None and self.map_key is not None:
            raise ParameterError("`map_key` needs `private_map`, which it encrypts; got none.")
        if self.private_map is not None and self.map_key is None:
            raise ParameterError("`private_map` needs `map_key`, by which it is encrypted; got none.")
        if self.private_map is not None and not self.resume:  # a job sees to it where it begins
            need_new(self.private_map, "private_map")
        if "-" in self.inputs and sys.stdin is None:
            raise InputError("standard input must be open; got a closed one. Name a file.")

    @property
    def files(self) -> list[Path]:
        """All that is written by name, but for the private map: the output first."""
        return [path for path in (self.output, *self.reports, self.sender_report) if path is not None]

    @property
    def job(self) -> Path | None:
        """The output if it is a regular file, or if one will be: only then there is a job."""
        return self.output if self.output is not None and _is_file(self.output) else None


_REPORTS: Final = ("", ".json", ".html")


def check_outputs(
    output: Path | None, reports: Sequence[Path | None], private_map: Path | None = None, *, resume: bool
) -> None:
    """Refuse outputs that no inputs could make right.

    Raises ParameterError: a report or the private map has no name that it may have, or there is no job to go on with.
    """
    if private_map is not None and (str(private_map) == "-" or not _is_file(private_map)):
        raise ParameterError("`private_map` must be a regular file; got none. It is never part of the text's stream.")
    if any(path is not None and str(path) == "-" for path in reports):
        raise ParameterError("a report must be a file; got -, which is the text's. Name a file.")
    if strange := [path.suffix for path in reports if path is not None and path.suffix.lower() not in _REPORTS]:
        raise ParameterError(f"a report's name must end in .json, or in .html for a page; got {strange[0][:20]}.")
    if resume and (output is None or not _is_file(output)):
        raise ParameterError("`resume=True` needs `output` and a regular file; the job is kept beside it.")


def _is_file(output: Path) -> bool:
    return not output.exists() or output.is_file() or output.is_dir()
