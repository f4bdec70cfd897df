"""Which entities of a text still stand in its release, word for word, wherever that is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, Final

import numpy as np

from textveil.statistics import Bound, clopper_pearson, ratio_of_sums
from textveil.text.tokens import Kind, classify, split
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.frequencies import word_frequencies
from textveil_lab.tuning.sample import Entities

ALL: Final = "all kinds"
_BETWEEN: Final = "\0"  # Stands between tokens; no token of a release holds it but symbols, which are not compared
_COMPARED: Final = (Kind.WORD, Kind.NUMBER, Kind.EMAIL, Kind.URL, Kind.HANDLE, Kind.SCRIPT)
"""Kinds of tokens that tell one entity from another: marks and spaces may be written in another form."""


FREQUENT: Final = 200
"""Words among so many most frequent ones ("of", "new", "may") tell nothing of the name that they are part of."""

_SHORTEST: Final = 3  # Letters of a word that tells something


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbatimShare:
    """Of the entities of one kind, the share that still stands in the release of its document."""

    kind: str
    count: int
    share: Bound
    in_part: Bound  # as a whole, or a telling word or a number of it

    def to_data(self) -> dict[str, Any]:
        """JSON data."""
        bounds = {"share": self.share._asdict(), "in_part": self.in_part._asdict()}
        return {"kind": self.kind, "count": self.count, **bounds}


def verbatim(entities: Sequence[Entities], releases: Sequence[str], confidence: float) -> tuple[VerbatimShare, ...]:
    """Shares by kind, the commonest kind first, after that of all kinds.

    An entity counts as verbatim where its words and numbers stand in the release of the same document, in a row and in
    any letter case, be it by chance or because nothing was drawn for it.

    Args:
        entities: of each document.
        releases: of each document.
    """
    counts: dict[str, list[tuple[int, int, int]]] = {}
    for here, release in zip(entities, releases, strict=True):
        shown = _compared(release)
        hits_of_kinds: dict[str, list[tuple[bool, bool]]] = {}
        for kind, value in here:
            stands = _compared(value)
            if stands != _BETWEEN:  # nothing to compare: a name of symbols alone
                whole = stands in shown
                hits_of_kinds.setdefault(kind, []).append(
                    (whole, whole or any(part in shown for part in _telling(stands)))
                )
        everything = (ALL, list(chain.from_iterable(hits_of_kinds.values())))
        for kind, those in [*hits_of_kinds.items(), everything]:
            if those:
                whole, part = (sum(column) for column in zip(*those, strict=True))
                counts.setdefault(kind, []).append((whole, part, len(those)))
    shares = [_shares(kind, np.array(rows), confidence) for kind, rows in counts.items()]
    return tuple(sorted(shares, key=lambda share: (share.kind != ALL, -share.count, share.kind)))


def _compared(text: str) -> str:
    """What is compared of a text: its words, numbers and addresses in small letters, one after the other."""
    kept = [surface.casefold() for surface in split(text) if classify(surface) in _COMPARED]
    return _BETWEEN + "".join(surface + _BETWEEN for surface in kept)


def _telling(compared: str) -> Iterator[str]:
    """The parts of what is compared that tell something of it each alone."""
    frequent = _frequent()
    for word in compared.split(_BETWEEN):
        if word and (not word.isalpha() or (len(word) >= _SHORTEST and word not in frequent)):
            yield _BETWEEN + word + _BETWEEN


@cache
def _frequent() -> frozenset[str]:
    vocabulary = load_vocabulary()
    order = np.argsort(-word_frequencies(vocabulary).counts, kind="stable")
    return frozenset(vocabulary.words[word_id] for word_id in order[:FREQUENT].tolist())


def _shares(kind: str, counts: np.ndarray[Any, Any], confidence: float) -> VerbatimShare:
    whole, part, trials = counts.T
    shares = (_share(hits, trials, confidence) for hits in (whole, part))
    return VerbatimShare(kind=kind, count=int(trials.sum()), share=next(shares), in_part=next(shares))


def _share(hits: np.ndarray[Any, Any], trials: np.ndarray[Any, Any], confidence: float) -> Bound:
    hit, there = int(hits.sum()), int(trials.sum())
    # Student's interval has no width where all documents agree, as where nothing is left: that of single trials has.
    if hit in (0, there) or len(trials) < 2:
        return clopper_pearson(hit, there, confidence)
    return ratio_of_sums(hits, trials, confidence)
