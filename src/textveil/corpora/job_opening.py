"""Opens a job, or goes on with one: compares its terms with those wanted now, by public names alone."""

import hashlib
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from textveil.corpora.file_by_file import FileByFile
from textveil.corpora.formats.records import CorpusFormat
from textveil.corpora.inputs import is_whole
from textveil.corpora.job import Job, KeptMap, MapWanted, refused, written_or_refused
from textveil.corpora.job_ledger import DamagedLedger, JobFolder, LedgerState, Totals, append, read_ledger
from textveil.errors import OutputError, ParameterError
from textveil.whole_files import need_new, sync_folder

_NAMED = {
    "textveil": "the version of textveil",
    "mechanism": "mechanism",
    "policy": "policy",
    "digit_keep_limit": "digit keep limit",
    "marks": "marks",
    "vocabulary": "vocabulary",
    "secure": "seed",
    "format": "format",
    "fields": "fields",
    "unit": "unit",
    "scope_column": "scope column",
    "known": "known columns",
    "block_bytes": "block size",
    "private_map": "private map",
}
"""Settings whose difference is named first; guarantees, and mostly the budget of a number, follow from these."""


class Changed(NamedTuple):
    """Names of options that differ, and whether the inputs (with a seed: or the seed) do."""

    options: tuple[str, ...]
    inputs: str

    def __bool__(self) -> bool:
        return bool(self.options or self.inputs)

    @property
    def began(self) -> str:
        """Return what differs, as the end of "needs"."""
        kinds = [kind for kind, differs in (("options", self.options), ("inputs", self.inputs)) if differs]
        return f"the {' and '.join(kinds)} with which the job began"

    @property
    def named(self) -> str:
        return ", ".join([*self.options, *([self.inputs] if self.inputs else [])])


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that a job depends on."""

    settings: Mapping[str, Any]  # public facts; they stand in the ledger
    private: str  # inputs and seed, of which the ledger holds a salted digest
    stamps: str  # when the inputs were last written, likewise; where these differ, the job goes on and says so

    def begin(self, salt: str) -> dict[str, Any]:
        """The line that begins a ledger."""
        inputs, stamps = salted(salt, self.private), salted(salt, self.stamps)
        return {"begin": 1, "settings": self.settings, "salt": salt, "inputs": inputs, "stamps": stamps}

    def modified(self, begin: Mapping[str, Any]) -> bool:
        """Return whether an input was written since that line, as far as the file system tells."""
        return "stamps" in begin and begin["stamps"] != salted(begin["salt"], self.stamps)

    def changed(self, begin: Mapping[str, Any]) -> Changed:
        """Return what differs between that line and now."""
        settings = self.settings
        old, seeded = begin["settings"], not settings.get("secure", True)
        same = begin["inputs"] == salted(begin["salt"], self.private)
        inputs = "" if same else "inputs or seed" if seeded else "inputs"
        names = [name for key, name in _NAMED.items() if old.get(key) != settings.get(key)]
        if old.get("mechanism") == settings.get("mechanism"):
            before, now = old.get("parameters") or {}, settings.get("parameters") or {}
            names += sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        if not names and old.get("number_epsilon") != settings.get("number_epsilon"):
            names = ["number epsilon"]
        if not names and not inputs and old != dict(settings):
            rest = sorted(key for key in {*old, *settings} if old.get(key) != settings.get(key))
            names = [key.replace("_", " ") for key in rest]
        if "seed" in names and inputs:  # the digest is over the seed too
            inputs = ""
        return Changed(tuple(names), inputs)


def salted(salt: str, private: str) -> str:
    """A digest of what is private.

    Not keyed by the secret: what a finished job was about can be asked when that is gone. Whoever has the ledger can
    test a guess of names, sizes and seed.
    """
    raw = private.encode("utf-8", "surrogateescape")
    return hashlib.blake2b(raw, key=bytes.fromhex(salt), digest_size=32, person=b"textveil inputs").hexdigest()


class JobFinished(Exception):
    """There is nothing left to do; holds the job's totals, and whether an input was written since it began."""

    def __init__(self, totals: Totals, modified: bool) -> None:
        super().__init__("the job is finished")
        self.totals = totals
        self.modified = modified


def opened_job(
    output: Path,
    corpus_format: CorpusFormat,
    terms: Terms,
    *,
    resume: bool,
    sync_seconds: float,
    private_map: MapWanted | None = None,
) -> Job:
    """Begin the job of an output, or go on with it.

    Args:
        terms: what the job depends on; it must not differ from what it was begun with.
        resume: go on with a job that is not finished; without one a new job begins.

    Raises:
        ParameterError: there is a job to go on with, and ``resume`` is not set; settings or inputs are others now; or
            another run is at it.
        JobFinished: there is nothing left to do.
        OutputError: the folder cannot be made.
    """
    folder = JobFolder(Path(os.path.realpath(output)))
    if (several := isinstance(corpus_format, FileByFile)) and not folder.path.exists():
        _need_room(folder.output)
    ledger = folder.opened(several=several)
    try:
        with written_or_refused():
            there = folder.partial.stat().st_size if folder.partial.exists() else None
            state = read_ledger(ledger, there)
            has_map = state.begin is not None and bool(state.begin["settings"].get("private_map"))
            if private_map is not None and not state.finished and has_map:
                kept = folder.private_map.stat().st_size if folder.private_map.exists() else 0
                state = read_ledger(ledger, there, kept)
            if there is None and not state.ended:
                state = read_ledger(ledger, 0)
            if several and not (resume and state.whole is not None):
                _need_room(folder.output)
            _check(folder, state, terms, private_map, resume=resume)
            return _opened(folder, ledger, corpus_format, state, terms, resume, sync_seconds, private_map)
    except DamagedLedger as damaged:
        ledger.close()
        number = damaged.number
    except BaseException:
        ledger.close()
        raise
    raise OutputError(
        f"the ledger of the job must be as it was written; line {number} is not. Delete {folder.told} to forget it."
    )


def _need_room(output: Path) -> None:
    if output.exists() and not (output.is_dir() and not any(output.iterdir())):
        raise ParameterError(
            "`output` must be a new or an empty folder for several files; got another. Name a new one, or go on with "
            "an unfinished job with `resume=True`."
        )


def _check(folder: JobFolder, state: LedgerState, terms: Terms, private_map: MapWanted | None, *, resume: bool) -> None:
    begun = state.totals.blocks > 0 or state.ended
    if begun and not state.finished and not resume:
        raise ParameterError(
            f"`output` has an unfinished job, in which {state.totals.tally.documents} documents are released. Go on "
            f"with `resume=True`, or delete {folder.told} to forget it."
        )
    if not (resume and begun and state.begin is not None):
        return
    differs = terms.changed(state.begin)
    if state.finished:
        if differs:
            raise ParameterError(
                f"`resume=True` needs {differs.began}, which is finished; these differ now: {differs.named}. Name "
                f"another `output`, or delete {folder.told} to release again."
            )
        if state.whole is None or not is_whole(folder.output, state.whole):
            raise ParameterError(
                f"`resume=True` needs the output of the job, which is finished; it is gone or was changed. Delete "
                f"{folder.told} to release again."
            )
        if private_map is not None and (state.map_whole is None or not is_whole(private_map.path, state.map_whole)):
            raise ParameterError(
                f"`resume=True` needs the private map of the job, which is finished; it is gone or was changed. Put it "
                f"back, or delete {folder.told} to release again."
            )
        folder.cleared()
        raise JobFinished(state.totals, terms.modified(state.begin))
    if differs:
        raise refused(folder, differs.began, f"these differ now: {differs.named}")
    if folder.remembered() is None:
        raise refused(folder, "the secret of the job", "it is gone")


def _opened(
    folder: JobFolder,
    ledger: BinaryIO,
    corpus_format: CorpusFormat,
    state: LedgerState,
    terms: Terms,
    resume: bool,
    sync_seconds: float,
    private_map: MapWanted | None,
) -> Job:
    """The job, gone on with if that is asked for and something of it is there, else begun anew."""
    secret = folder.remembered()
    goes_on = resume and state.begin is not None and not terms.changed(state.begin)
    if goes_on and secret is not None:
        totals, ended, whole = state.totals, state.ended, state.whole
        written_since = state.begin is not None and terms.modified(state.begin)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, totals.map_length)
        ledger.truncate(state.length)
    else:
        if private_map is not None:
            need_new(private_map.path, "private_map")
        totals, ended, whole, written_since = Totals(), False, None, False
        ledger.truncate(0)
        secret, salt = folder.begun(), secrets.token_hex(16)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, 0)
        append(ledger, [terms.begin(salt)])
        sync_folder(folder.path)
    stream = None if ended else folder.continued(totals.length)
    facts = (folder, secret, totals, totals.blocks, ended, corpus_format, ledger, stream, sync_seconds, kept, whole)
    return Job(*facts, modified=written_since)
