"""Published forms of the catalog: each is made over a few public words and audited as any mechanism is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from textveil.audit.field.cases import ClaimBasis, ClaimText
from textveil.audit.field.rows import FieldRow
from textveil.audit.report.verdict import Finding
from textveil.audit.run import audit_mechanism
from textveil.catalog import entries
from textveil.errors import TextveilError
from textveil.mechanisms.declaration import CatalogEntry
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary

EPSILONS = (1.0, 3.0, 8.0, 40.0, 0.5)
"""Tried in this order: a form is audited at the first at which it does not hold. Some formulas are right at others."""

OPTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "diffractor-published": MappingProxyType({"epsilon": 8.0}),
        "tem-published": MappingProxyType({"epsilon_per_distance": 0.5, "beta": 0.9}),
        "vickrey-published": MappingProxyType({"epsilon": 0.5, "t": 0.25}),
    }
)
"""Options of forms that no epsilon alone shows at their worst."""

SEED = 13
"""Of sampled audits: the table comes out the same again. Nothing that is drawn here is released."""


def public_words() -> Vocabulary:
    """Forty made-up words with Gaussian vectors of eight numbers."""
    vectors = np.random.default_rng(7).normal(size=(40, 8)).astype(np.float32) * 2
    return Vocabulary([f"word{i}" for i in range(40)], vectors, "forty words")


def published_forms() -> dict[str, CatalogEntry]:
    """Entries of the catalog whose claim is refuted, by name."""
    return {name: one for name, one in entries().items() if one.status is Status.REFUTED}


def forms(entries_by_name: Mapping[str, CatalogEntry], works: Mapping[str, str]) -> Iterator[FieldRow]:
    """A row for each of these entries.

    Args:
        entries_by_name: as of ``published_forms``.
        works: the library or paper of a form, where a case names it; else it is what the entry's source begins with.
    """
    for name, entry in entries_by_name.items():
        yield _row(name, entry, works.get(name, entry.source.partition(";")[0].partition(",")[0]))


def _row(name: str, entry: CatalogEntry, work: str) -> FieldRow:
    found, note = _audited(name, entry)
    about = ClaimText(
        name=name,
        work=work,
        part=name,
        claim=f"{entry.notion}: {entry.adjacency}",
        source=f"{entry.source}; textveil/{entry.proof}",
        basis=ClaimBasis.CATALOG,
        why=entry.summary,
        repair=f"textveil's {entry.instead}" if entry.instead else "",
        instead=entry.instead,
        form=name,
    )
    return FieldRow(about=about, finding=found, note=note)


def _audited(name: str, entry: CatalogEntry) -> tuple[Finding | None, str]:
    """The leading finding of an audit; or why there is none."""
    if entry.needs:
        return None, f"it needs {entry.needs}: textveil audit --mechanism {name} ..."
    words = public_words()
    try:
        makings = (entry.constructor()(words, **options) for options in _tried(name, entry))
        first = next(makings)
        failing = (made for made in (first, *makings) if made.guarantee.status is Status.REFUTED)
        return audit_mechanism(next(failing, first), attacks=False, seed=SEED).leading, ""
    except TextveilError as error:  # no audit reaches it, or it cannot be made of these words
        return None, str(error)


def _tried(name: str, entry: CatalogEntry) -> list[Mapping[str, Any]]:
    """Options in the order in which they are tried."""
    if name in OPTIONS or "epsilon" not in entry.options():
        return [OPTIONS.get(name, {})]
    return [{"epsilon": one} for one in EPSILONS if entry.takes(one)]
