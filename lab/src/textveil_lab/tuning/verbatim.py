"""Entities of a text that stand verbatim anywhere in its release.

A sample for tuning has texts, and may have labels of a task and the entities that texts name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.detection.evaluation import read_labelled
from textveil.detection.spans import DetectedSpan, Detector, checked_spans
from textveil.errors import InputError, need
from textveil.statistics import Bound, clopper_pearson
from textveil.text.tokens import Kind, classify, split
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil_lab.numerics.intervals import ratio_of_sums

LEAST_DOCUMENTS: Final = 10  # Shares with intervals need some


LEAST_OF_A_CLASS: Final = 4
"""Documents of rarer classes are left out of the task: they could not be on both sides of a split."""


class Entity(NamedTuple):
    """Entity that a document names, as it is written there."""

    kind: str
    value: str  # private


Entities: TypeAlias = tuple[Entity, ...]  # Those of one document, each value once


@dataclass(frozen=True, slots=True, eq=False)
class TuningSample:
    """Private texts, or public stand-ins.

    Raises:
        InputError: there are too few documents, or not one label, or one tuple of entities, for each.
    """

    texts: tuple[str, ...]  # documents, at least ``LEAST_DOCUMENTS``
    labels: tuple[str, ...] | None = None  # the class of each for the task; None if there is no task
    entities: tuple[Entities, ...] = ()  # of each; empty if nobody searched for them
    found_by: str = ""  # "labels", the name of the detector that found the entities, or empty

    def __post_init__(self) -> None:
        if len(self.texts) < LEAST_DOCUMENTS:
            raise InputError(
                f"a sample must have at least {LEAST_DOCUMENTS} documents; got {len(self.texts)}. Give more text."
            )
        for name, others in (("label", self.labels), ("tuple of entities", self.entities or None)):
            if others is not None and len(others) != len(self.texts):
                raise InputError(f"a sample must have one {name} for each of {len(self.texts)} documents; got others.")

    def part(self, size: int, rng: np.random.Generator) -> "TuningSample":
        """Return ``size`` random documents, in their order; all if there are no more.

        Args:
            size: at least ``LEAST_DOCUMENTS``.
        """
        need(size >= LEAST_DOCUMENTS, "size", size, f">= {LEAST_DOCUMENTS}")
        if size >= len(self.texts):
            return self
        chosen = sorted(rng.choice(len(self.texts), size, replace=False).tolist())
        return TuningSample(
            texts=tuple(self.texts[index] for index in chosen),
            labels=None if self.labels is None else tuple(self.labels[index] for index in chosen),
            entities=tuple(self.entities[index] for index in chosen) if self.entities else (),
            found_by=self.found_by,
        )

    def with_detected(self, detector: Detector) -> "TuningSample":
        spans_of_texts = checked_spans(detector, self.texts)
        return TuningSample(self.texts, self.labels, entities_of(self.texts, spans_of_texts), detector.name)


def entities_of(texts: Sequence[str], spans: Sequence[Sequence[DetectedSpan]]) -> tuple[Entities, ...]:
    """Return the entities of each text, from the spans that name them."""
    return tuple(
        tuple(dict.fromkeys(Entity(span.kind, text[span.start : span.end]) for span in here))
        for text, here in zip(texts, spans, strict=True)
    )


def labelled_sample(path: Path | str) -> "TuningSample":
    """Return a sample with labelled entities.

    Raises:
        InputError: it cannot be read, or has too few documents.
    """
    labelled = read_labelled(path)
    entities = tuple(
        tuple(
            dict.fromkeys(
                Entity(span.kinds[0], document.text[span.start : span.end]) for span in document.spans if span.kinds
            )
        )
        for document in labelled
    )
    return TuningSample(tuple(document.text for document in labelled), None, entities, "labels")


ALL: Final = "all kinds"
_BETWEEN: Final = "\0"  # Stands between tokens; no token of a release holds it but symbols, which are not compared
_COMPARED: Final = (Kind.WORD, Kind.NUMBER, Kind.EMAIL, Kind.URL, Kind.HANDLE, Kind.SCRIPT)
"""Kinds of tokens that distinguish entities: marks and spaces may be written in another form."""


FREQUENT: Final = 200
"""Number of most frequent words ("of", "new", "may") that reveal nothing of a name that contains them."""

_SHORTEST: Final = 3  # Letters of a word that tells something


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbatimShare:
    """Share of the entities of one kind that still stand in the release of their document."""

    kind: str
    count: int
    share: Bound
    in_part: Bound  # as a whole, or a telling word or a number of it

    def to_data(self) -> dict[str, Any]:
        bounds = {"share": self.share._asdict(), "in_part": self.in_part._asdict()}
        return {"kind": self.kind, "count": self.count, **bounds}


def verbatim(entities: Sequence[Entities], releases: Sequence[str], confidence: float) -> tuple[VerbatimShare, ...]:
    """Return shares by kind, the commonest kind first, after that of all kinds.

    An entity counts as verbatim if its words and numbers stand in the release of the same document, in a row and in any
    letter case, by chance or because nothing was drawn for it.

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
    kept = [surface.casefold() for surface in split(text) if classify(surface) in _COMPARED]
    return _BETWEEN + "".join(surface + _BETWEEN for surface in kept)


def _telling(compared: str) -> Iterator[str]:
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
    # Student's interval has no width if all documents agree, as when nothing is left: that of single trials has.
    if hit in (0, there) or len(trials) < 2:
        return clopper_pearson(hit, there, confidence)
    return ratio_of_sums(hits, trials, confidence)
