"""How a job is begun, or gone on with: what is in its folder against what is wanted now."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import BinaryIO, final

from textveil.corpora.files.identity import is_whole
from textveil.corpora.formats.records import CorpusFormat
from textveil.corpora.jobs.folder import JobFolder
from textveil.corpora.jobs.job import Job, refused, written_or_refused
from textveil.corpora.jobs.kept_map import KeptMap, MapWanted
from textveil.corpora.jobs.ledger import DamagedLedger, LedgerState, Totals, append, read_ledger
from textveil.corpora.jobs.terms import Terms
from textveil.errors import OutputError, ParameterError
from textveil.whole_files import sync_folder


@final
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
        output: a file, or where one will be.
        corpus_format: the format of both.
        terms: what the job depends on; it must not differ from what it was begun with.
        resume: go on with a job that is not finished; without one a new job begins.
        sync_seconds: blocks are committed together about this often.
        private_map: the private map that is to be kept.

    Raises:
        ParameterError: there is a job to go on with, and ``resume`` is not set; settings or inputs are others now; or
            another run is at it.
        JobFinished: there is nothing left to do.
        OutputError: the folder cannot be made.
    """
    folder = JobFolder(Path(os.path.realpath(output)))
    ledger = folder.opened()
    try:
        with written_or_refused():
            there = folder.partial.stat().st_size if folder.partial.exists() else None
            found = read_ledger(ledger, there)
            if private_map is not None and not found.finished and _has_map(found):
                kept = folder.private_map.stat().st_size if folder.private_map.exists() else 0
                found = read_ledger(ledger, there, kept)
            if there is None and not found.ended:
                found = read_ledger(ledger, 0)
            _check(folder, found, terms, private_map, resume=resume)
            return _opened(folder, ledger, corpus_format, found, terms, resume, sync_seconds, private_map)
    except DamagedLedger as damaged:
        ledger.close()
        number = damaged.number
    except BaseException:
        ledger.close()
        raise
    raise OutputError(
        f"the ledger of the job must be as it was written; line {number} is not. Delete {folder.told} to forget it."
    )


def _has_map(found: LedgerState) -> bool:
    """Whether the job was begun with a private map."""
    return found.begin is not None and bool(found.begin["settings"].get("private_map"))


def _check(folder: JobFolder, found: LedgerState, terms: Terms, private_map: MapWanted | None, *, resume: bool) -> None:
    """Refuse to go on with what cannot go on, and to begin over what is not finished."""
    begun = found.totals.blocks > 0 or found.ended
    if begun and not found.finished and not resume:
        raise ParameterError(
            f"`output` has an unfinished job, in which {found.totals.tally.documents} documents are released. Go on "
            f"with `resume=True`, or delete {folder.told} to forget it."
        )
    if not (resume and begun and found.begin is not None):
        return
    differs = terms.changed(found.begin)
    if found.finished:
        if differs:
            raise ParameterError(
                f"`resume=True` needs {differs.began}, which is finished; these differ now: {differs.named}. Name "
                f"another `output`, or delete {folder.told} to release again."
            )
        if found.whole is None or not is_whole(folder.output, found.whole):
            raise ParameterError(
                f"`resume=True` needs the output of the job, which is finished; it is gone or was changed. Delete "
                f"{folder.told} to release again."
            )
        if private_map is not None and (found.map_whole is None or not is_whole(private_map.path, found.map_whole)):
            raise ParameterError(
                f"`resume=True` needs the private map of the job, which is finished; it is gone or was changed. Put it "
                f"back, or delete {folder.told} to release again."
            )
        folder.cleared()
        raise JobFinished(found.totals, terms.modified(found.begin))
    if differs:
        raise refused(folder, differs.began, f"these differ now: {differs.named}")
    if folder.remembered() is None:
        raise refused(folder, "the secret of the job", "it is gone")


def _opened(
    folder: JobFolder,
    ledger: BinaryIO,
    corpus_format: CorpusFormat,
    found: LedgerState,
    terms: Terms,
    resume: bool,
    sync_seconds: float,
    private_map: MapWanted | None,
) -> Job:
    """The job, gone on with where that is asked for and something of it is there, else begun anew."""
    secret = folder.remembered()
    goes_on = resume and found.begin is not None and not terms.changed(found.begin)
    if goes_on and secret is not None:
        totals, ended, whole = found.totals, found.ended, found.whole
        written_since = found.begin is not None and terms.modified(found.begin)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, totals.map_length)
        ledger.truncate(found.length)
    else:
        totals, ended, whole, written_since = Totals(), False, None, False
        ledger.truncate(0)
        secret, salt = folder.begun(), secrets.token_hex(16)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, 0)
        append(ledger, [terms.begin(salt)])
        sync_folder(folder.path)
    stream = None if ended else folder.continued(totals.length)
    return Job(
        folder,
        secret,
        totals,
        totals.blocks,
        ended,
        corpus_format,
        ledger,
        stream,
        sync_seconds,
        kept,
        whole,
        modified=written_since,
    )
