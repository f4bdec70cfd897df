"""Published forms of the catalog: each is made over a few public words and audited as any mechanism is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import numpy as np

from textveil.audit.field.cases import Case, ClaimBasis, ClaimText
from textveil.audit.field.rows import FieldRow
from textveil.audit.report.verdict import Finding
from textveil.audit.run import WORDS, audit_mechanism
from textveil.catalog import entries
from textveil.errors import TextveilError
from textveil.mechanisms.declaration import CatalogEntry
from textveil.models.random_models import random_bart, random_gpt2, random_network
from textveil.privacy.guarantees import Status
from textveil.vocabulary.vocabulary import Vocabulary

EPSILONS = (1.0, 3.0, 8.0, 40.0, 0.5)
"""Tried in this order: a form is audited at the first at which it does not hold. Some formulas are right at others."""

OPTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "dp-bart-published": MappingProxyType({"epsilon": 250.0}),  # of the sample script
        # The range is LLMDP's, measured on FLAN-T5.
        "dp-prompt-published": MappingProxyType({"epsilon": 8.0, "tokens": 4, "min_logit": -19.23, "max_logit": 7.48}),
        "diffractor-published": MappingProxyType({"epsilon": 8.0}),
        # The largest epsilon of the paper's tables, with its delta 4^-300.
        "gaussian-classical-published": MappingProxyType({"epsilon": 20.0, "noise_dim": 300}),
        "tem-published": MappingProxyType({"epsilon_per_distance": 0.5, "beta": 0.9}),
        "vickrey-published": MappingProxyType({"epsilon": 0.5, "t": 0.25}),
    }
)
"""Options of forms that no epsilon alone shows at their worst."""

OPPOSITES = frozenset({"gaussian-classical-published"})
"""Forms whose claim is of any two vectors of the clipping ball, and fails only for the farthest."""

MODELS: Mapping[str, Callable[[Path, Vocabulary], Mapping[str, Any]]] = MappingProxyType(
    {
        "dp-bart-published": lambda folder, words: {"model": str(random_bart(folder, words.words))},
        "adept-published": lambda folder, words: {"network": str(random_network(folder, words))},
        "dp-prompt-published": lambda folder, words: {"model": str(random_gpt2(folder, words.words, spread=_LARGE))},
    }
)
"""A small model for forms that need one, with random weights: their claims are of every model."""

_LARGE = 16.0
"""Of the weights of a model whose logits leave the range that another model's logits keep."""

MADE_HERE = "of a small model with random weights, made for the audit"

WORKS: Mapping[str, str] = MappingProxyType(
    {
        "ome-published": "OME (Lyu et al. 2020)",
        "dptext-published": "DPText (Beigi et al. 2019)",
        "scored-budgets-published": "Spend Your Budget Wisely (2025)",
    }
)
"""The library or paper of forms that no case is about."""

READINGS: Mapping[str, str] = MappingProxyType(
    {
        "gaussian-classical-published": (
            "Theorem 2 is stated for epsilon up to 1; table 3 has Gaussian noise at epsilon 20, with delta 4^-300. For "
            "its truncated Laplace noise the paper pads vectors to 1,700 dimensions there; if these count for Gaussian "
            "noise too, delta is 4^-1700 and the claim holds."
        ),
        "scored-budgets-published": (
            "Section 3 claims epsilon for a document whose words are scored by WordNet, spaCy and a sentence encoder, "
            "and drawn by 1-Diffractor. Here public substitutes score them and randomized response draws them: the "
            "loss that is found is not that of the published scorers."
        ),
    }
)
"""Why the verdict on a form that no case is about needs a contested reading."""

SEED = 13
"""Of sampled audits: the table comes out the same again. Nothing that is drawn here is released."""


def public_words() -> Vocabulary:
    """Forty made-up words with Gaussian vectors of eight numbers."""
    vectors = np.random.default_rng(7).normal(size=(40, 8)).astype(np.float32) * 2
    return Vocabulary([f"word{i}" for i in range(40)], vectors, "forty words")


def opposite_words() -> Vocabulary:
    """Twenty of the made-up words, and their opposites: clipped, these are as far apart as the claim allows."""
    vectors = public_words().vectors[:20]
    return Vocabulary([f"word{i}" for i in range(40)], np.concatenate([vectors, -vectors]), "words and opposites")


def spoken_words() -> Vocabulary:
    """The common words of which audits make texts, with Gaussian vectors of eight numbers."""
    vectors = np.random.default_rng(7).normal(size=(len(WORDS), 8)).astype(np.float32)
    return Vocabulary(WORDS, vectors, "common words")


def published_forms() -> dict[str, CatalogEntry]:
    """Entries of the catalog whose claim is refuted, by name."""
    return {name: one for name, one in entries().items() if one.status is Status.REFUTED}


def forms(entries_by_name: Mapping[str, CatalogEntry], cases: Mapping[str, Case]) -> Iterator[FieldRow]:
    """A row for each of these entries.

    Args:
        entries_by_name: as of ``published_forms``.
        cases: the case that computes a form, by the form's name; not every form has one.
    """
    for name, entry in entries_by_name.items():
        yield _row(name, entry, cases.get(name))


def _row(name: str, entry: CatalogEntry, case: Case | None) -> FieldRow:
    found, note = _audited(name, entry)
    if found is None and case is not None:
        note = f"{note}; computed as {case.name}"
    first = entry.source.partition(";")[0].partition(",")[0]
    about = ClaimText(
        name=name,
        work=WORKS.get(name, first) if case is None else case.about.work,
        part=name,
        claim=f"{entry.notion}: {entry.adjacency}",
        source=f"{entry.source}; textveil/{entry.proof}",
        basis=ClaimBasis.CATALOG,
        why=entry.summary,
        repair=f"textveil's {entry.instead}" if entry.instead else "",
        instead=entry.instead,
        form=name,
        reading=READINGS.get(name, "") if case is None else case.about.reading,
    )
    return FieldRow(about=about, finding=found, note=note)


def _audited(name: str, entry: CatalogEntry) -> tuple[Finding | None, str]:
    """The leading finding of an audit, and what is to be said of it; or why there is none."""
    if name not in MODELS:
        if entry.needs:
            return None, f"it needs {entry.needs}"
        made_up = opposite_words() if name in OPPOSITES else public_words()
        return _first_failing(name, entry, made_up, {})
    words = spoken_words()
    with TemporaryDirectory(prefix="textveil-") as folder:
        try:
            model = MODELS[name](Path(folder, name), words)
        except TextveilError as error:  # an extra is missing
            return None, f"it needs {entry.needs}: {error}"
        found, note = _first_failing(name, entry, words, model)
    return found, note or MADE_HERE


def _first_failing(
    name: str, entry: CatalogEntry, words: Vocabulary, model: Mapping[str, Any]
) -> tuple[Finding | None, str]:
    try:
        makings = (entry.constructor()(words, **options, **model) for options in _tried(name, entry))
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
