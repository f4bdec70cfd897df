"""The folder of a job beside its output, and its ledger: what was released, spent and paid for, before it counts."""

import contextlib
import json
import os
import shutil
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from textveil.corpora.blocks import Outcome, Sampled, Skip
from textveil.corpora.inputs import Whole, same_file
from textveil.documents.model import Certificate
from textveil.errors import OutputError, ParameterError
from textveil.json_text import json_data, json_file
from textveil.randomness import SECRET_BYTES, new_secret
from textveil.sanitize.costs import Counts, added
from textveil.sanitize.release import Tally
from textveil.whole_files import no_folder, sync_folder

LISTED = 1000  # Skipped records that are kept one by one; the rest are counted


@dataclass(slots=True)
class Totals:
    """The sums over all committed blocks of a job."""

    blocks: int = 0  # committed blocks, which is the number of the next one
    bytes_read: int = 0
    length: int = 0  # output bytes written, as they lie on the disk
    map_length: int = 0  # bytes of the private map, where one is kept
    chain: str = ""  # digest of the input up to here
    tally: Tally = field(default_factory=Tally)
    # draws of each person, where a column says whose a record is; some 220 bytes for each of them
    persons: dict[bytes, Counts] = field(default_factory=dict)
    nulls: int = 0  # sanitized fields that have no text
    skipped: list[Skip] = field(default_factory=list)  # the first ``LISTED`` of the records that were not released
    more_skipped: int = 0
    certificate: Certificate | None = None  # of all documents that were written anew; None if there was none
    # documents that this run released, before and after; in no ledger, for they are private
    sampled: list[Sampled] = field(default_factory=list, repr=False)

    def add(self, outcome: Outcome, length: int, map_length: int = 0) -> None:
        """Count one more block, behind which the output has ``length`` bytes, and the private map ``map_length``."""
        self.blocks = outcome.number + 1
        self.bytes_read = outcome.bytes_read
        self.length = length
        self.map_length = map_length
        self.chain = outcome.chain
        self.tally.merge(outcome.tally)
        for person, counts in outcome.persons.items():
            self.persons[person] = added(self.persons.get(person, ()), counts)
        self.nulls += outcome.nulls
        if outcome.certificate is not None:
            before = self.certificate
            self.certificate = outcome.certificate if before is None else before.plus(outcome.certificate)
        room = LISTED - len(self.skipped)
        self.skipped += outcome.skipped[:room]
        self.more_skipped += len(outcome.skipped[room:])


@dataclass(frozen=True, slots=True)
class LedgerState:
    """The contents of a ledger."""

    begin: Mapping[str, Any] | None  # the settings of the job; None if it never began
    totals: Totals  # over the committed blocks whose output is there
    ended: bool
    finished: bool
    whole: Whole | None  # the complete output, noted before it gets its name; None if it is not complete
    length: int  # bytes of the ledger up to the last line that counts
    map_whole: Whole | None = None  # the private map as it got its name; None if none did


class DamagedLedger(Exception):
    """A line of a ledger, by number, is whole and yet none that textveil writes."""

    def __init__(self, number: int) -> None:
        super().__init__(f"line {number}")
        self.number = number


def block_line(outcome: Outcome, length: int, map_length: int = 0) -> dict[str, Any]:
    """The line of a block."""
    tally = outcome.tally
    return {
        "block": outcome.number,
        "place": outcome.bytes_read,
        "output": length,
        **({"map": map_length} if map_length else {}),
        "documents": tally.documents,
        "kinds": dict(sorted(tally.kinds.items())),
        "largest": tally.largest,
        "mapped": tally.mapped,
        "nulls": outcome.nulls,
        **(
            {"persons": {person.hex(): counts for person, counts in outcome.persons.items()}} if outcome.persons else {}
        ),
        **({} if outcome.certificate is None else {"document": outcome.certificate.to_data()}),
        "skipped": outcome.skipped,
        "chain": outcome.chain,
    }


def append(stream: BinaryIO, lines: list[dict[str, Any]]) -> None:
    """Write lines and bring them to the disk."""
    stream.write(b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines))
    stream.flush()
    os.fsync(stream.fileno())


def read_ledger(stream: BinaryIO, output_bytes: int | None, map_bytes: int | None = None) -> LedgerState:
    """Read a ledger from its start, line by line; a line that is torn does not count, nor what stands behind it.

    Args:
        output_bytes: size of the partial output; blocks that end behind it do not count. None: it has its name.
        map_bytes: likewise of the private map; None: none is kept.

    Raises DamagedLedger: a line is JSON, but not what stands there in any job.
    """
    state = LedgerState(None, Totals(), False, False, None, 0)
    stream.seek(0)
    for number, raw in enumerate(stream, start=1):
        line = _parsed(raw)
        if line is None and (number > 1 or not raw.endswith(b"\n")):
            break
        after = None
        try:
            if line is not None:
                ends = ((output_bytes, "output"), (map_bytes, "map")) if "block" in line else ()
                if any(there is not None and line[name] > there for there, name in ends):
                    break  # it ends behind the output, or the private map, that is there
                after = _after(state, line, len(raw))
        except (KeyError, TypeError, ValueError, AttributeError):
            pass
        if after is None:
            raise DamagedLedger(number)
        state = after
    return state


def _after(state: LedgerState, line: Mapping[str, Any], length: int) -> LedgerState:
    """Return the state with one more line; any error of a missing or wrong part says that it cannot stand here."""
    if ("begin" in line) != (state.begin is None):
        raise ValueError
    length += state.length
    if "begin" in line:
        bytes.fromhex(line["salt"])
        if not (isinstance(line["settings"], dict) and isinstance(line["inputs"], str)):
            raise TypeError
        return replace(state, begin=line, length=length)
    if "block" in line:
        if line["block"] != state.totals.blocks or state.ended or line["output"] < state.totals.length:
            raise ValueError
        state.totals.add(_outcome(line), line["output"], line.get("map", 0))
        return replace(state, length=length)
    if "end" in line:
        if line["end"] != state.totals.blocks:
            raise ValueError
        return replace(state, ended=True, length=length)
    facts = line["finished"] if "finished" in line else line["whole"]
    whole = Whole(int(facts["bytes"]), str(facts["sha256"]))
    if not state.ended:
        raise ValueError
    private = line.get("map")
    map_whole = None if private is None else Whole(int(private["bytes"]), str(private["sha256"]))
    return replace(state, whole=whole, finished="finished" in line, length=length, map_whole=map_whole)


def block_ends(stream: BinaryIO) -> Iterator[int]:
    """Return the offsets in the output at which the blocks of a ledger end."""
    stream.seek(0)
    for raw in stream:
        if (line := _parsed(raw)) is not None and "block" in line:
            yield line["output"]


def totals_line(totals: Totals) -> dict[str, Any]:
    """Return the line that ends a job."""
    tally = totals.tally
    facts = {"documents": tally.documents, "kinds": dict(sorted(tally.kinds.items())), "mapped": tally.mapped}
    return {"end": totals.blocks, **facts, "skipped": len(totals.skipped) + totals.more_skipped}


def whole_line(whole: Whole, map_whole: Whole | None = None, *, finished: bool) -> dict[str, Any]:
    """Return the note about a complete output: before it gets its name, and after; then of its private map too."""
    private = {} if map_whole is None else {"map": map_whole._asdict()}
    return {"finished" if finished else "whole": whole._asdict(), **private}


def _parsed(raw: bytes) -> dict[str, Any] | None:
    if not raw.endswith(b"\n"):
        return None
    try:
        line = json_data(raw)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None


def _counts(listed: list[int]) -> tuple[int, ...]:
    if not (len(listed) >= 2 and all(isinstance(count, int) for count in listed)):
        raise TypeError
    return tuple(listed)


def _outcome(line: Mapping[str, Any]) -> Outcome:
    return Outcome(
        number=line["block"],
        bytes_read=line["place"],
        chain=line["chain"],
        tally=Tally(
            documents=line["documents"],
            kinds=Counter(line["kinds"]),
            largest=[_counts(counts) for counts in line["largest"]],
            mapped=line["mapped"],
        ),
        nulls=line["nulls"],
        persons={bytes.fromhex(person): _counts(counts) for person, counts in line.get("persons", {}).items()},
        certificate=Certificate.of_data(line["document"]) if "document" in line else None,
        skipped=tuple(Skip(*skip) for skip in line["skipped"]),
    )


ENDING = ".textveil-job"
PAID = ".textveil-paid"
"""Endings of the folders of a job, and of a release of a corpus that was paid for and is not written yet."""

_TRIES = 100  # times that a folder is made anew which a run that ends removes at the same moment


@dataclass(frozen=True, slots=True)
class JobFolder:
    """Paths of a job's state."""

    output: Path  # the file that the job will make, links resolved
    ending: str = ENDING

    @property
    def path(self) -> Path:
        """``.NAME.textveil-job`` beside the output, or with the other ending."""
        return self.output.with_name(f".{self.output.name}{self.ending}")

    @property
    def told(self) -> str:
        """The folder, as messages name it."""
        name = self.path.name if self.path.name.isprintable() else f"*{self.ending}"
        return f"the hidden folder {name} beside the output"

    @property
    def secret(self) -> Path:
        return self.path / "secret"  # while it is not finished

    @property
    def partial(self) -> Path:
        return self.path / "partial"  # the output so far

    @property
    def assembled(self) -> Path:
        return self.path / "assembled"  # the output file, where it is assembled from the partial one

    @property
    def private_map(self) -> Path:
        return self.path / "map"  # so far, where one is kept

    @property
    def paid(self) -> Path:
        return self.path / "paid"  # what was taken from a ledger of budgets, where one is asked

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.jsonl"  # one line a block

    def opened(self, *, several: bool = False) -> BinaryIO:
        """The ledger, made if it is not there, locked against other runs until it is closed.

        ``several``: the output is a folder of files. Raises ParameterError: another run has it, or the folder is not
        this user's alone; OutputError: it cannot be made.
        """
        if self.output.is_dir() and not several:
            raise OutputError("the output must be a file; got a folder. Name a file in it.")
        for _ in range(_TRIES):
            if (stream := self._ledger_opened()) is None:
                continue
            if not _locked(stream):
                stream.close()
                break
            # The run that had the lock may have removed the file meanwhile: then it guards nothing.
            if self.holds(stream):
                return stream
            stream.close()
        raise ParameterError("the job of this output must be run once at a time; it is under way. Wait for it.")

    def _ledger_opened(self) -> BinaryIO | None:
        """The ledger, unlocked; None if the folder goes away at this moment."""
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
        else:
            try:
                self._check()
                return os.fdopen(os.open(self.ledger, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "r+b")
            except FileNotFoundError:
                return None
            except OSError as error:
                reason = error.strerror or type(error).__name__
        raise no_folder(reason)

    def holds(self, ledger: BinaryIO) -> bool:
        """Tell if an open ledger is the one in the folder: the folder may have been deleted, and made by another."""
        return same_file(ledger.fileno(), self.ledger)

    def remembered(self) -> bytes | None:
        """The secret, or None if it is not there or not whole."""
        with contextlib.suppress(OSError):
            secret = self.secret.read_bytes()
            return secret if len(secret) == SECRET_BYTES else None
        return None

    def begun(self) -> bytes:
        """A new secret, on the disk, and an empty partial output."""
        self.cleared()
        secret = new_secret()
        for path, content in ((self.secret, secret), (self.partial, b"")):
            with self.written_anew(path) as stream:
                stream.write(content)
        sync_folder(self.path)
        return secret

    @contextlib.contextmanager
    def written_anew(self, path: Path) -> Iterator[BinaryIO]:
        """A file of this folder that is written from its start, and is on the disk at the end."""
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())

    def continued(self, length: int, path: Path | None = None) -> RawIOBase:
        """The partial output, or ``path``, cut to ``length`` bytes, to be written behind them; unbuffered."""
        stream = os.fdopen(os.open(path or self.partial, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0)
        stream.truncate(length)
        stream.seek(length)
        return stream

    def cleared(self) -> None:
        """Remove everything but the ledger; the secret first."""
        strays = self.path.glob(".textveil-*")  # of a run that was killed while it wrote its report
        for path in (self.secret, self.partial, self.assembled, self.private_map, self.paid, *strays):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    def removed(self) -> None:
        """Remove the folder, the ledger last; for who holds the ledger's lock.

        A ledger that cannot be removed while it is open (not on POSIX systems) stays; a finished one does no harm.
        """
        self.cleared()
        with contextlib.suppress(OSError):  # a file of someone else's
            self.ledger.unlink(missing_ok=True)
            self.path.rmdir()

    def _check(self) -> None:
        status = self.path.lstat()
        mine = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        if not (stat.S_ISDIR(status.st_mode) and mine):
            raise ParameterError(f"{self.told} must be a folder that only you can open; it is not. Remove it.")


def _locked(stream: BinaryIO) -> bool:
    """Take the file for this process alone; the lock ends with the process. True if there are no locks."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system
        return True
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


@dataclass(frozen=True, slots=True)
class JobReceipt:
    """The numbers of reservations, in the job's folder."""

    folder: JobFolder
    paid_for: str  # digest, under the job's secret, of all that was paid for: of anything else nothing is remembered

    def numbers(self) -> list[int] | None:
        """The numbers by which just this was paid for; None if it was not."""
        paid_for, numbers = self._noted()
        return numbers if paid_for == self.paid_for else None

    def is_for_another(self) -> bool:
        """Return whether something else was paid for; a note that is not whole is of a run that drew nothing."""
        return self._noted()[0] not in (None, self.paid_for)

    def _noted(self) -> tuple[str | None, list[int]]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            data = json_file(self.folder.paid)
            return str(data["paid_for"]), [int(number) for number in data["numbers"]]
        return None, []

    def keep(self, numbers: Sequence[int]) -> None:
        """Note the numbers; if that fails, a job that goes on pays again."""
        data = {"paid_for": self.paid_for, "numbers": list(numbers)}
        with contextlib.suppress(OSError), self.folder.written_anew(self.folder.paid) as stream:
            stream.write(json.dumps(data).encode("ascii"))

    def forget(self) -> None:
        self.folder.paid.unlink(missing_ok=True)
