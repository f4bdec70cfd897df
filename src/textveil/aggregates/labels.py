"""Labels that a corpus uses: counted by person, and selected with noise where they are not public."""

import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.payment import Fact, Paid, paid
from textveil.aggregates.request import CorpusRequest
from textveil.errors import InputError
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import Unit

SELECTION: Final = Fraction(1, 20)
"""Share of the noise's budget that finds the labels, where they are not public."""

DELTA_OF_SELECTION: Final = Fraction(1, 4)
"""Part of delta that finds them."""

LABELS_OF_A_PERSON: Final = 64
"""Distinct labels of one person that count towards which labels there are: the first ones."""


class PaidLabels(NamedTuple):
    """Labels, given or selected, of a release that is paid for; how many persons wrote its records is private."""

    labels: tuple[str, ...]
    persons: int
    drawing: Paid


def budget_of_labels(request: CorpusRequest) -> tuple[GaussianBudget, Fraction]:
    """Return the budget of a release by label, and the share of it that is left for noise on the sums.

    Raises:
        ParameterError: a number is outside.
    """
    epsilon, delta = request.epsilon, request.delta
    if request.public_labels:
        return GaussianBudget(epsilon, delta), Fraction(1)
    return GaussianBudget(epsilon, delta, DELTA_OF_SELECTION), 1 - SELECTION


@contextlib.contextmanager
def paid_labels(
    request: CorpusRequest, budget: GaussianBudget, guarantee: Guarantee, settings: Sequence[Fact]
) -> Iterator[PaidLabels]:
    """Read the labels, pay for the release, then select labels; the block draws the rest.

    Args:
        request: its records are read once here.
        guarantee: of the release, which the payer pays.
        settings: see ``payment.paid``; labels and budget are added here.

    Raises:
        InputError: a record cannot be read; no label is used by enough persons.
        BudgetExhausted: a person's budget does not reach.
    """
    used, persons = used_labels(request)
    labels = request.public_labels
    with paid(request, guarantee, [repr(budget), labels, *settings]) as drawing:
        yield PaidLabels(labels or selected(used, budget, drawing.rng), persons, drawing)


def used_labels(request: CorpusRequest) -> tuple[dict[str, int], int]:
    """Return how many persons use each label, in parts of ``GRID``, and how many persons there are: not noisy yet."""
    counts: Counter[str] = Counter()
    if request.records.adjacency.unit is Unit.DOCUMENT:
        for batch in request.batches():
            counts.update(batch.labels)
        return {label: count * GRID for label, count in counts.items()}, counts.total()
    held: dict[int, dict[str, None]] = {}
    for batch in request.batches():
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
