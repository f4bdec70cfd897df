"""A sample to tune on: texts, with the labels of a task and the entities that they name, where there are any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from textveil.detection.checked import checked_spans
from textveil.detection.labelled import read_labelled
from textveil.detection.spans import DetectedSpan, Detector
from textveil.errors import InputError, need

LEAST_DOCUMENTS: Final = 10  # Shares with intervals need some
LEAST_OF_A_CLASS: Final = 4
"""Documents of rarer classes are left out of the task: they could not stand on both sides of a split."""


class Entity(NamedTuple):
    """What a document names, as it is written there."""

    kind: str
    value: str  # private


Entities: TypeAlias = tuple[Entity, ...]  # Those of one document; a value that it names twice stands there once


@dataclass(frozen=True, slots=True, eq=False)
class TuningSample:
    """Private texts, or public ones in their place.

    Raises:
        InputError: there are fewer documents, or not one label, or one tuple of entities, for each.
    """

    texts: tuple[str, ...]  # documents, at least ``LEAST_DOCUMENTS``
    labels: tuple[str, ...] | None = None  # the class of each for the task; None where there is no task
    entities: tuple[Entities, ...] = ()  # of each; empty where nobody looked for them
    found_by: str = ""  # "labels", the name of the detector that found the entities, or empty

    def __post_init__(self) -> None:
        if len(self.texts) < LEAST_DOCUMENTS:
            raise InputError(
                f"a sample must have at least {LEAST_DOCUMENTS} documents; got {len(self.texts)}. Give more text."
            )
        for name, others in (("label", self.labels), ("tuple of entities", self.entities or None)):
            if others is not None and len(others) != len(self.texts):
                raise InputError(f"a sample must have one {name} for each of {len(self.texts)} documents; got others.")

    def part(self, size: int, rng: np.random.Generator) -> TuningSample:
        """So many documents chosen at random, in their order; all where there are no more.

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

    def with_detected(self, detector: Detector) -> TuningSample:
        """The same texts with the entities that a detector finds."""
        spans_of_texts = checked_spans(detector, self.texts)
        return TuningSample(self.texts, self.labels, entities_of(self.texts, spans_of_texts), detector.name)


def entities_of(texts: Sequence[str], spans: Sequence[Sequence[DetectedSpan]]) -> tuple[Entities, ...]:
    """The entities of each text, from the spans that name them."""
    return tuple(
        tuple(dict.fromkeys(Entity(span.kind, text[span.start : span.end]) for span in here))
        for text, here in zip(texts, spans, strict=True)
    )


def labelled_sample(path: Path | str) -> TuningSample:
    """A sample whose entities somebody has labelled.

    Raises:
        InputError: it cannot be read, or holds too few documents.
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
