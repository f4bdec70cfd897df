"""A job: its output grows in a hidden folder, block by block, and can go on after any kind of death.

The order of writes, by which no document is released twice and none is lost: (1) a block's bytes are brought to the
disk in the partial output, (2) its line is brought to the disk in the ledger, and the block is *committed*. A job that
goes on cuts the partial output back to the last committed block and does the ones behind it. Their draws depend on the
job's secret, the settings and the block alone: one that was written, but not committed, comes back byte for byte.
"""

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

from textveil.corpora.blocks import Block, Outcome
from textveil.corpora.file_by_file import FileByFile
from textveil.corpora.formats.records import Assembled, CorpusFormat
from textveil.corpora.inputs import Whole, is_whole, same_file, whole_of
from textveil.corpora.job_ledger import JobFolder, Totals, append, block_ends, block_line, totals_line, whole_line
from textveil.corpora.sources import COMPRESSED, compressing
from textveil.errors import OutputError, ParameterError
from textveil.surrogates import map_file
from textveil.surrogates.map_file import HEADER_BYTES, MapCipher
from textveil.whole_files import atomic_writers, sync_folder

_PIECE = 2**20


@dataclass(frozen=True, slots=True)
class MapWanted:
    """The place of a run's private map."""

    path: Path
    key: bytes = field(repr=False)  # the user's, 32 bytes
    about: Mapping[str, Any]  # what the map says of the release: JSON data, public

    def begun(self) -> tuple[MapCipher, bytes]:
        """The cipher of a new map, and the bytes that begin it."""
        cipher = MapCipher.new(self.key)
        return cipher, map_file.begun(cipher, self.about)


def frame_of(cipher: MapCipher, outcome: Outcome) -> bytes:
    """Return a map's frame for a block: its worker's, or one of no documents if nothing was released."""
    return outcome.private or map_file.block(cipher, outcome.number, [])


@dataclass(slots=True)
class KeptMap:
    """A map that grows."""

    cipher: MapCipher
    length: int
    _folder: JobFolder
    _stream: RawIOBase = field(repr=False)

    @classmethod
    def opened(cls, folder: JobFolder, wanted: MapWanted, length: int) -> Self:
        """The map of a job, cut to ``length`` bytes; 0 begins it anew.

        Raises ParameterError: the key is not the one with which it was begun; InputError: it was changed.
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


SYNC_SECONDS = 1.0  # blocks are committed together about this often


@dataclass(slots=True)
class Job:
    """An output under way. Make it with ``opening.opened_job``."""

    folder: JobFolder
    secret: bytes = field(repr=False)  # from which all draws are derived
    totals: Totals  # over the committed blocks and those written since
    committed: int
    ended: bool
    _corpus_format: CorpusFormat
    _ledger: BinaryIO = field(repr=False)
    _output: RawIOBase | None = field(repr=False)
    _sync_seconds: float
    _map: KeptMap | None = None
    _whole: Whole | None = None
    modified: bool = False
    stuck: bool = False  # whether the job cannot go on as things are: the input is another, or the folder is gone
    _closed: bool = False
    _lines: list[dict[str, Any]] = field(default_factory=list)
    _synced: float = field(default_factory=time.monotonic)

    @property
    def cipher(self) -> MapCipher | None:
        """With which the frames of the private map are sealed; None if none is kept."""
        return None if self._map is None else self._map.cipher

    def remaining(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The blocks that are not committed, after those that are were compared with what they were.

        Raises ParameterError: the input is another.
        """
        done, chain = self.totals.blocks, self.totals.chain
        last_chain = ""
        for block in blocks:
            if block.number >= done:
                if last_chain != chain:
                    break
                yield block
            else:
                last_chain = block.chain
        if last_chain != chain:
            self.stuck = True
            raise refused(self.folder, "the input with which the job began", "its first records are other ones now")

    def write(self, outcome: Outcome) -> None:
        """Add a block; it is committed soon. Raises OutputError: the disk is full, or fails."""
        length, map_length = self.totals.length, 0 if self._map is None else self._map.length
        data = outcome.data if length or not outcome.data else outcome.head + outcome.data
        with written_or_refused():
            try:
                self._append(data)
                if self._map is not None:
                    self._map.add(outcome)
            except OSError:
                # The blocks before this one are whole and can still be committed.
                with contextlib.suppress(OSError):
                    self._append(b"", at=length)
                    if self._map is not None:
                        self._map.cut(map_length)
                raise
        length += len(data)
        map_length = 0 if self._map is None else self._map.length
        self.totals.add(outcome, length, map_length)
        self._lines.append(block_line(outcome, length, map_length))
        if time.monotonic() - self._synced >= self._sync_seconds:
            self.commit()

    def commit(self) -> None:
        """Bring what was written to the disk, then its lines to the ledger.

        Raises OutputError: the disk is full, or fails; or the folder is another one now.
        """
        if self._lines and self._output is not None:
            self._need_own()
            with written_or_refused():
                os.fsync(self._output.fileno())
                if self._map is not None:
                    self._map.sync()
                append(self._ledger, self._lines)
            self.committed = self.totals.blocks
            self._lines = []
        self._synced = time.monotonic()

    def end(self, spent: Mapping[str, Any]) -> None:
        """Note that there are no more blocks, and what was spent in all."""
        self.commit()
        if not self.ended:
            with written_or_refused():
                append(self._ledger, [{**totals_line(self.totals), "guarantee": spent}])
            self.ended = True

    def finish(
        self,
        reports: Callable[[Whole], Mapping[Path, str]],
        *,
        keep: bool,
        private_map: Path | None = None,
        sender_report: Path | None = None,
    ) -> None:
        """Give the output, the reports and the private map their names, together; then forget the secret.

        ``reports``: gives texts by where they go, for the output that is complete; ``keep``: leave the ledger where it
        is, so that the job can be told to be finished; ``sender_report``: that of the reports that nobody but its owner
        may open.
        """
        assert self.ended
        self._need_own()
        with written_or_refused():
            hidden = self._complete()
            if hidden is not None:
                # Before it gets its name: a run that dies behind that can tell that this is the job's.
                self._whole = whole_of(hidden)
                assert self._whole is not None
                append(self._ledger, [whole_line(self._whole, finished=False)])
        assert self._whole is not None
        also = [] if hidden is None else [(hidden, self.folder.output)]
        maps = [] if private_map is None else [private_map]
        map_whole = None
        texts = reports(self._whole)
        with atomic_writers([*texts, *maps], also, self.folder.path, [sender_report, private_map]) as sinks:
            for sink, text in zip(sinks, texts.values(), strict=False):
                sink.write(text.encode("utf-8"))
            if self._map is not None:
                self._map.close()
                map_whole = self._map.copy(sinks[-1], self.totals.blocks, self.totals.tally.documents)
        sync_folder(self.folder.output.parent)
        with written_or_refused():
            append(self._ledger, [whole_line(self._whole, map_whole, finished=True)])
        self._leave(self.folder.cleared if keep else self.folder.removed)

    def close(self) -> None:
        """Commit what can be; a job without a committed block leaves nothing behind. A second call does nothing."""
        if self._closed:
            return
        with contextlib.suppress(OSError):
            self.commit()
        if self._output is not None:
            with contextlib.suppress(OSError):
                self._output.close()
        if self._map is not None:
            with contextlib.suppress(OSError):
                self._map.close()
        self._leave(self.folder.removed if self.committed == 0 and not self.ended else None)

    def _leave(self, last: Callable[[], None] | None) -> None:
        """Do what is left to do in the folder, and only then let others have it."""
        self._closed = True
        with contextlib.suppress(OSError):
            if last is not None and self.folder.holds(self._ledger):
                last()
        with contextlib.suppress(OSError):
            self._ledger.close()

    def _need_own(self) -> None:
        """Raise ``OutputError`` if the folder is no longer the one in which this job writes."""
        here = self.folder.holds(self._ledger)
        if here and (self._output is None or same_file(self._output.fileno(), self.folder.partial)):
            return
        self.stuck = True
        raise OutputError(
            f"{self.folder.told} must stay while the job runs; it was removed or replaced. Nothing stands under the "
            "output's name. Run it again."
        )

    def hint(self) -> str:
        """Return a sentence on what can be done with a job that did not end; empty if nothing is left of it."""
        if self.stuck or (self.committed == 0 and not self.ended):
            return ""
        return (
            f"{self.totals.tally.documents} documents are kept: `resume=True` goes on behind them, "
            f"deleting {self.folder.told} forgets them."
        )

    def forget(self) -> None:
        self._lines = []
        self.committed, self.ended = 0, False

    def _append(self, data: bytes, at: int | None = None) -> None:
        """Write behind what is there, or behind ``at`` bytes of it."""
        assert self._output is not None
        if at is not None:
            self._output.truncate(at)
            self._output.seek(at)
        written_whole(self._output, data)

    def _complete(self) -> Path | None:
        """Return the complete output under its hidden name, on the disk; None if it has its own already."""
        if self._output is not None:
            self._output.close()
            self._output = None
        elif self._whole is not None and is_whole(self.folder.output, self._whole):
            return None
        if not self.folder.partial.exists():
            self.stuck = True
            raise OutputError(
                f"the output of the job must be in its folder or under its name; it is gone, or was changed. Delete "
                f"{self.folder.told} to release again."
            )
        if isinstance(self._corpus_format, FileByFile):
            if self.folder.assembled.is_dir():  # of a run that was killed here
                shutil.rmtree(self.folder.assembled)
            with self.folder.partial.open("rb") as frames:
                self._corpus_format.write(frames, self.folder.assembled)
            return self.folder.assembled
        if is_direct(self._corpus_format, self.folder.output):
            return self.folder.partial
        with self.folder.partial.open("rb") as partial, self.folder.written_anew(self.folder.assembled) as target:
            writer = compressing(target, self.folder.output.name)
            if isinstance(self._corpus_format, Assembled):
                packed = self.folder.output.suffix.lower() in COMPRESSED
                sink = self._corpus_format.sink(cast("BinaryIO", writer) if packed else target)
                for length in block_ends(self._ledger):
                    if length > partial.tell():
                        sink.write(partial.read(length - partial.tell()))
                sink.close()
            else:
                # Not by block: where blocks end depends on how long the private words are.
                while data := partial.read(_PIECE):
                    writer.write(data)
            writer.flush_frame()
        return self.folder.assembled


def is_direct(corpus_format: CorpusFormat, output: Path) -> bool:
    """Return whether the data of the blocks, one after another, are the output file."""
    return not isinstance(corpus_format, Assembled) and output.suffix.lower() not in COMPRESSED


def refused(folder: JobFolder, wanted: str, got: str) -> ParameterError:
    """The error of a job that cannot go on."""
    return ParameterError(f"`resume=True` needs {wanted}; {got}. Delete {folder.told} to forget the job.")


@contextlib.contextmanager
def written_or_refused() -> Iterator[None]:
    """Raise ``OutputError`` if the disk is full, or fails."""
    try:
        yield
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        reason = error.strerror or type(error).__name__
    else:
        return
    raise OutputError(f"the output could not be written: {reason}. No incomplete file is left.") from None
