"""How a job is begun, or gone on with: what is in its folder against what is wanted now."""

import os
import secrets
from pathlib import Path
from typing import BinaryIO

from textveil.corpora.files.identity import is_whole
from textveil.corpora.formats.records import CorpusFormat
from textveil.corpora.jobs.folder import JobFolder
from textveil.corpora.jobs.job import Job, refused, written_or_refused
from textveil.corpora.jobs.kept_map import KeptMap, MapWanted
from textveil.corpora.jobs.ledger import DamagedLedger, LedgerState, Totals, append, read_ledger
from textveil.corpora.jobs.terms import Terms
from textveil.errors import OutputError, ParameterError
from textveil.whole_files import sync_folder


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
    ledger = folder.opened()
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
    """The job, gone on with where that is asked for and something of it is there, else begun anew."""
    secret = folder.remembered()
    goes_on = resume and state.begin is not None and not terms.changed(state.begin)
    if goes_on and secret is not None:
        totals, ended, whole = state.totals, state.ended, state.whole
        written_since = state.begin is not None and terms.modified(state.begin)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, totals.map_length)
        ledger.truncate(state.length)
    else:
        totals, ended, whole, written_since = Totals(), False, None, False
        ledger.truncate(0)
        secret, salt = folder.begun(), secrets.token_hex(16)
        kept = None if private_map is None else KeptMap.opened(folder, private_map, 0)
        append(ledger, [terms.begin(salt)])
        sync_folder(folder.path)
    stream = None if ended else folder.continued(totals.length)
    facts = (folder, secret, totals, totals.blocks, ended, corpus_format, ledger, stream, sync_seconds, kept, whole)
    return Job(*facts, modified=written_since)
