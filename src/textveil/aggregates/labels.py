"""Labels that a corpus uses: counted by person, and selected with noise where they are not public."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, Protocol

import numpy as np

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.records import Batch
from textveil.errors import InputError
from textveil.privacy.units import Adjacency, Unit
from textveil.types import Progress

SELECTION: Final = Fraction(1, 20)
"""Share of the noise's budget that finds the labels, where they are not public."""

DELTA_OF_SELECTION: Final = Fraction(1, 4)
"""Part of delta that finds them."""

LABELS_OF_A_PERSON: Final = 64
"""Distinct labels of one person that count towards which labels there are: the first ones."""


class Source(Protocol):
    """Labelled records by person, as ``PersonalRecords`` reads them; read twice."""

    @property
    def adjacency(self) -> Adjacency:
        """What a release of them compares."""

    @property
    def names(self) -> Sequence[str]:
        """Of the persons, as far as they have been read."""

    @property
    def limit(self) -> int | None:
        """Records of one person that count."""

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The records."""


def used_labels(records: Source, progress: Progress | None) -> tuple[dict[str, int], int]:
    """How many persons use each label, in parts of ``GRID``, and how many persons there are: not noisy yet."""
    counts: Counter[str] = Counter()
    if records.adjacency.unit is Unit.DOCUMENT:
        for batch in records.batches(progress):
            counts.update(batch.labels)
        return {label: count * GRID for label, count in counts.items()}, counts.total()
    held: dict[int, dict[str, None]] = {}
    for batch in records.batches(progress):
        for person, label in zip(batch.persons.tolist(), batch.labels, strict=True):
            own = held.setdefault(person, {})
            if len(own) < LABELS_OF_A_PERSON:
                own[label] = None
    for own in held.values():
        part = label_part(len(own))
        for label in own:
            counts[label] += part
    return dict(counts), len(held)


def label_part(labels: int) -> int:
    """What a person with so many labels gives to each: all together have an L2 norm of at most ``GRID``."""
    return math.isqrt(GRID * GRID // labels)


def selected(used: dict[str, int], budget: GaussianBudget, rng: np.random.Generator) -> tuple[str, ...]:
    """The labels whose noisy counts reach the threshold, in their order."""
    noise = budget.noise(GRID * GRID, SELECTION)
    threshold = budget.threshold(noise, GRID, LABELS_OF_A_PERSON)
    names = sorted(used)
    noisy = np.array([used[name] for name in names], dtype=np.int64) + noise.sample(len(names), rng)
    chosen = tuple(name for name, value in zip(names, noisy.tolist(), strict=True) if value >= threshold)
    if not chosen:
        raise InputError(
            f"labels are selected where about {threshold // GRID + 1:,} persons use them; none was. "
            "Name public labels with `labels`, or raise epsilon."
        )
    return chosen
