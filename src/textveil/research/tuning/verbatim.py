"""Which entities of a text still stand in its release, word for word, wherever that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from textveil.research.tuning.sample import Entities
from textveil.statistics import Bound, clopper_pearson, ratio_of_sums
from textveil.text.tokens import Kind, classify, split

ALL: Final = "all kinds"

_BETWEEN: Final = "\0"
"""Stands between tokens; no token of a release holds it but symbols, which are not compared."""

_COMPARED: Final = (Kind.WORD, Kind.NUMBER, Kind.EMAIL, Kind.URL, Kind.HANDLE, Kind.SCRIPT)
"""Kinds of tokens that tell one entity from another: marks and spaces may be written in another form."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VerbatimShare:
    """Of the entities of one kind, the share that still stands in the release of its document.

    Attributes:
        kind: of the entities, or ``ALL``.
        count: how many there are.
        share: with its interval over documents.
    """

    kind: str
    count: int
    share: Bound

    def as_dict(self) -> dict[str, Any]:
        """JSON data."""
        return {"kind": self.kind, "count": self.count, "share": self.share._asdict()}


def verbatim(entities: Sequence[Entities], releases: Sequence[str], confidence: float) -> tuple[VerbatimShare, ...]:
    """Shares by kind, the commonest kind first, after that of all kinds.

    An entity counts as verbatim where its words and numbers stand in the release of the same document, in a row and in
    any letter case, be it by chance or because nothing was drawn for it.

    Args:
        entities: of each document.
        releases: of each document.
        confidence: of each interval.
    """
    hits: dict[str, list[tuple[int, int]]] = {}
    for here, release in zip(entities, releases, strict=True):
        shown = _compared(release)
        found: dict[str, list[bool]] = {}
        for kind, value in here:
            stands = _compared(value)
            if stands != _BETWEEN:  # nothing to compare: a name of symbols alone
                found.setdefault(kind, []).append(stands in shown)
        for kind, those in found.items():
            hits.setdefault(kind, []).append((sum(those), len(those)))
        if found:
            hits.setdefault(ALL, []).append((sum(map(sum, found.values())), sum(map(len, found.values()))))
    made = [_share(kind, np.array(counts), confidence) for kind, counts in hits.items()]
    return tuple(sorted(made, key=lambda one: (one.kind != ALL, -one.count, one.kind)))


def _compared(text: str) -> str:
    """What is compared of a text: its words, numbers and addresses in small letters, one after the other."""
    kept = [surface.casefold() for surface in split(text) if classify(surface) in _COMPARED]
    return _BETWEEN + "".join(surface + _BETWEEN for surface in kept)


def _share(kind: str, counts: np.ndarray[Any, Any], confidence: float) -> VerbatimShare:
    found, there = int(counts[:, 0].sum()), int(counts[:, 1].sum())
    # Student's interval has no width where all documents agree, as where nothing is left: that of single trials has.
    agree = found in (0, there) or len(counts) < 2
    share = (
        clopper_pearson(found, there, confidence) if agree else ratio_of_sums(counts[:, 0], counts[:, 1], confidence)
    )
    return VerbatimShare(kind=kind, count=there, share=share)
