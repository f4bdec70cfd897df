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
from textveil.errors import ParameterError, TextveilError, UnsupportedGuarantee
from textveil.mechanisms.declaration import CatalogEntry
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary

OPTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"gaussian-classical-published": MappingProxyType({"epsilon": 40.0})}
)
"""Options at which a form's claim fails, where that is not so at epsilon 1."""

SEED = 13
"""Of sampled audits: the table comes out the same again. Nothing that is drawn here is released."""

_FAMILY = {
    "vectors": "a vector for a vector",
    "document": "texts",
}


def few_words() -> Vocabulary:
    """Six public words in the plane: three near each other, two a little away, one far."""
    places = [(0.0, 0.0), (0.3, 0.1), (0.1, 0.4), (2.0, 0.5), (2.2, 0.1), (9.0, -1.0)]
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    return Vocabulary(names, np.array(places, dtype=np.float32), "six words")


def published_forms() -> dict[str, CatalogEntry]:
    """Entries of the catalog whose claim is refuted, by name."""
    return {name: one for name, one in entries().items() if one.status is Status.REFUTED}


def forms(names: Mapping[str, CatalogEntry] | None = None) -> Iterator[FieldRow]:
    """A row for each of the forms; all where none are named."""
    for name, entry in (published_forms() if names is None else names).items():
        yield _row(name, entry)


def _row(name: str, entry: CatalogEntry) -> FieldRow:
    found, note = _audited(name, entry)
    about = ClaimText(
        name=name,
        work=entry.source.partition(",")[0].partition(";")[0],
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
        return None, f"needs {entry.needs}: textveil audit --mechanism {name} ..."
    options = dict(OPTIONS.get(name, {"epsilon": 1.0} if entry.takes(1.0) else {}))
    if "epsilon" not in entry.options():
        options.pop("epsilon", None)
    try:
        made = entry.constructor()(few_words(), **options)
        return audit_mechanism(made, attacks=False, seed=SEED).leading, ""
    except (UnsupportedGuarantee, ParameterError) as error:
        return None, f"no audit reaches it here: {error}"
    except TextveilError as error:
        return None, str(error)
    except (AttributeError, TypeError):  # a protocol of its own, which no audit of words reaches
        return None, f"no audit of words reaches it: it draws {_FAMILY.get(entry.family, entry.family)}"
