"""Labels that a corpus uses: counted by person, and selected with noise where they are not public."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, Protocol

import numpy as np

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.payment import Fact, Paid, Records, paid
from textveil.aggregates.records import Batch
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import Adjacency, Unit
from textveil.types import Progress

SELECTION: Final = Fraction(1, 20)
"""Share of the noise's budget that finds the labels, where they are not public."""

DELTA_OF_SELECTION: Final = Fraction(1, 4)
"""Part of delta that finds them."""

LABELS_OF_A_PERSON: Final = 64
"""Distinct labels of one person that count towards which labels there are: the first ones."""


class Source(Records, Protocol):
    """Labelled records by person, as ``PersonalRecords`` reads them; read twice, and digested when they were."""

    @property
    def adjacency(self) -> Adjacency:
        """What a release of them compares."""

    def batches(self, progress: Progress | None = None) -> Iterator[Batch]:
        """The records."""


class PaidLabels(NamedTuple):
    """The labels of a release that is paid for.

    Attributes:
        labels: given, or selected; in their order.
        persons: how many wrote the records: private.
        drawing: the randomness of the release.
    """

    labels: tuple[str, ...]
    persons: int
    drawing: Paid


def budget_of_labels(labels: Sequence[str], epsilon: float, delta: float) -> tuple[GaussianBudget, Fraction]:
    """The budget of a release by label, and the share of it that is left for noise on the sums.

    Args:
        labels: public ones; none where they are to be selected.
        epsilon: of the whole release.
        delta: of the whole release.

    Raises:
        ParameterError: a label is given twice, or a number is outside.
    """
    if len(set(labels)) != len(labels):
        raise ParameterError("`labels` must be different; got one twice.")
    if labels:
        return GaussianBudget(epsilon, delta), Fraction(1)
    return GaussianBudget(epsilon, delta, DELTA_OF_SELECTION), 1 - SELECTION


@contextlib.contextmanager
def paid_labels(
    records: Source,
    labels: Sequence[str],
    budget: GaussianBudget,
    guarantee: Guarantee,
    settings: Sequence[Fact],
    *,
    payer: Payer | None,
    rng: np.random.Generator | None,
    progress: Progress | None,
) -> Iterator[PaidLabels]:
    """Read the labels, pay for the release, then select labels; the block draws the rest.

    Args:
        records: with labels; they are read once here.
        labels: public ones; none selects those that many persons use.
        budget: of the release.
        guarantee: of the release, which ``payer`` pays.
        settings: see ``payment.paid``; labels and budget are added here.
        payer: see ``learning.learn``.
        rng: None is the operating system's randomness.
        progress: called with bytes read and in all.

    Raises:
        InputError: a record cannot be read; no label is used by enough persons.
        BudgetExhausted: a person's budget does not reach.
    """
    used, persons = used_labels(records, progress)
    with paid(payer, guarantee, records, [repr(budget), tuple(labels), *settings], rng) as drawing:
        yield PaidLabels(tuple(labels) or selected(used, budget, drawing.rng), persons, drawing)


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
