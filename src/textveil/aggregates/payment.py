"""A release about a corpus, paid for from a ledger of budgets before anything is drawn; labels, selected if private.

Proofs: privacy/proofs/ledger.md; of labels, privacy/proofs/corpus_learn.md.
"""

import contextlib
import hashlib
import math
import os
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import scipy

from textveil.aggregates.budget import GRID, GaussianBudget
from textveil.aggregates.request import Batch, CorpusRequest, Records
from textveil.corpora.job import written_or_refused
from textveil.corpora.job_ledger import PAID, JobFolder, JobReceipt
from textveil.corpora.payment import Payer
from textveil.errors import InputError, OutputError, ParameterError
from textveil.numerics.discrete_noise import DiscreteGaussian
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import Unit
from textveil.randomness import derived_generator, is_secure, secure_generator
from textveil.version import VERSION

Fact: TypeAlias = bytes | str | int | float | tuple[str, ...] | None
"""A setting of a release; told from others by its ``repr``."""


class Paid:
    """A release that is paid for and may be drawn. Only ``paid`` makes one; each report of a release needs one."""

    def __init__(
        self,
        request: CorpusRequest,
        guarantee: Guarantee,
        rng: np.random.Generator | None,
        begin: Callable[[], None] = lambda: None,  # says that it is drawn from now on
    ) -> None:
        self.secure = request.rng is None  # whether it is the operating system's randomness, or derived from a secret
        self._guarantee = guarantee
        self._rng = secure_generator() if rng is None else rng
        self._begin = begin
        self._drawn = False

    @property
    def rng(self) -> np.random.Generator:
        """The randomness of the release. Whoever takes it has drawn: from now on the cost stays, whatever happens."""
        self._begin()
        self._drawn = True
        return self._rng

    def covers(self, guarantee: Guarantee) -> bool:
        """Return whether this guarantee was paid for and drawn; who states it may have another proof of it."""
        stated = replace(guarantee, status=self._guarantee.status, source=self._guarantee.source)
        return self._drawn and stated == self._guarantee


@contextlib.contextmanager
def paid(
    request: CorpusRequest, guarantee: Guarantee, settings: Sequence[Fact], budget: GaussianBudget | None = None
) -> Iterator[Paid]:
    """Take the cost of a release from every person's budget; note at the end of the block that it was drawn.

    A block that fails before it takes the randomness costs nothing; see ``budget.drawing.paying``. If the payer has
    a folder, a release that was paid for and not written is drawn again, the same, and not paid for again: its
    randomness depends on a secret in that folder, on all records and on all settings.

    Args:
        request: its records have been read. If they name no persons, the payer's own account pays once. The block has
            its randomness from what is yielded, and from nowhere else.
        guarantee: of the whole release.
        settings: all public facts by which it is determined what noise is drawn and what it is added to.
        budget: that all noise comes from, if it is Gaussian.

    Raises:
        BudgetExhausted: a person's budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
        ParameterError: the payer's folder remembers a release of other records or settings.
    """
    payer, records, rng = request.payer, request.records, request.rng
    if payer is None:
        yield Paid(request, guarantee, rng)
        return
    from textveil.budget.ledger import Ledger, paying, tell_charged  # needs the extra

    cost = Accountant(guarantee.adjacency).compose(guarantee, gaussian=None if budget is None else budget.part)
    names = [None] if not records.names else [name.encode("utf-8", "surrogatepass") for name in records.names]
    wanted = [(payer.account(name), cost) for name in names]
    folder, receipt = payer.folder, None
    if folder is not None:
        seeded = None if rng is None or is_secure(rng) else repr(rng.bit_generator.state)
        about = _about(payer, guarantee, records, [*settings, seeded])
        secret, receipt = _remembered(folder, about, anew=payer.anew)
        rng = derived_generator(secret, b"release of a corpus", about) if seeded is None else rng
    with Ledger(payer.ledger) as ledger, paying(ledger, wanted, receipt) as drawing:
        payer.note(drawing.charged)
        try:
            yield Paid(request, guarantee, rng, drawing.begin)
        except InputError as error:
            if folder is not None and drawing.begun:  # drawn again, nothing else would come of it
                folder.cleared()
                tell_charged(error)
            raise


@contextlib.contextmanager
def remembered(payer: Payer, output: Path, *, anew: bool = False) -> Iterator[Payer]:
    """Yield the payer with a folder beside ``output``, until the block ends, in which that is written.

    If the block fails after it paid, or is killed, the same release goes on with the same draws and does not pay again.
    ``output``: the file that the block writes; ``anew``: forget a release that was paid for and not written. Raises
    ParameterError: another run has the folder; OutputError: it cannot be made.
    """
    folder = JobFolder(Path(os.path.realpath(output)), PAID)
    with folder.opened():  # no other run may go on with it meanwhile
        try:
            yield replace(payer, folder=folder, anew=anew)
        except BaseException as error:
            if not folder.paid.exists():
                folder.removed()
            elif isinstance(error, OutputError):
                error.args = (f"{error} The release is paid: the same command goes on with it.",)
            raise
        folder.removed()


def _about(payer: Payer, guarantee: Guarantee, records: Records, settings: Sequence[Fact]) -> bytes:
    versions = (VERSION, platform.python_version(), np.__version__, scipy.__version__, platform.machine())
    facts = (versions, payer.ledger, payer.tenant, repr(guarantee), records.limit, tuple(settings))
    mixed = hashlib.blake2b(records.digest, digest_size=32, person=b"textveil release")
    mixed.update(repr(facts).encode("utf-8", "surrogatepass"))
    return mixed.digest()


def _remembered(folder: JobFolder, about: bytes, *, anew: bool) -> tuple[bytes, JobReceipt]:
    """Return the secret of a release, a new one if there is none, and what remembers that it is paid for."""
    secret = folder.remembered()
    if secret is not None:
        receipt = _receipt(folder, secret, about)
        if receipt.numbers() is not None:
            return secret, receipt
        if receipt.is_for_another() and not anew:
            raise ParameterError(
                "`output` has a release that is paid and not written; its records and settings must be the same, got "
                "others. Repeat that command as it was, or set `overwrite` to forget that release and pay for this one."
            )
    with written_or_refused():
        secret = folder.begun()
    return secret, _receipt(folder, secret, about)


def _receipt(folder: JobFolder, secret: bytes, about: bytes) -> JobReceipt:
    return JobReceipt(folder, hashlib.blake2b(about, key=secret, digest_size=32, person=b"textveil paid").hexdigest())


SELECTION: Final = Fraction(1, 20)  # Share of the noise's budget that finds the labels, where they are not public
DELTA_OF_SELECTION: Final = Fraction(1, 4)  # Part of delta that finds them

LABELS_OF_A_PERSON: Final = 64
"""Distinct labels of one person that count towards which labels there are: the first ones."""


class Selection(NamedTuple):
    """Noise on how many persons use a label, and the least noisy value of one that comes out, in parts of ``GRID``."""

    noise: DiscreteGaussian
    threshold: int

    @classmethod
    def of(cls, budget: GaussianBudget) -> "Selection":
        """The selection that takes its share of the budget; raises ParameterError as ``GaussianBudget.noise``."""
        noise = budget.noise(GRID * GRID, SELECTION)
        return cls(noise, budget.threshold(noise, GRID, LABELS_OF_A_PERSON))


class PaidLabels(NamedTuple):
    """Labels, given or selected, of a release that is paid for; how many persons wrote its records is private."""

    labels: tuple[str, ...]
    selection: Selection | None  # of labels that are not given
    persons: int
    drawing: Paid


def budget_of_labels(request: CorpusRequest) -> tuple[GaussianBudget, Fraction]:
    """Return the budget of a release by label, and the share of it that is left for noise on the sums.

    Raises ParameterError: a number is outside.
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
        settings: see ``payment.paid``; labels and budget are added here.

    Raises:
        InputError: a record cannot be read; no label is used by enough persons.
        ParameterError: epsilon is too small for noise that is drawn exactly; nothing was read or paid.
        BudgetExhausted: a person's budget does not reach.
    """
    labels = request.public_labels
    selection = None if labels else Selection.of(budget)
    alone = request.records.adjacency.unit is Unit.DOCUMENT
    used, persons = request.parts.total(partial(used_labels, alone=alone))
    with paid(request, guarantee, [repr(budget), labels, *settings], budget) as drawing:
        chosen = labels if selection is None else selected(used, selection, drawing.rng)
        yield PaidLabels(chosen, selection, persons, drawing)


def used_labels(batches: Iterable[Batch], *, alone: bool) -> tuple[Counter[str], int]:
    """Return how many persons use each label, in parts of ``GRID``, and how many persons there are: not noisy yet.

    ``alone``: each record counts as a person.
    """
    counts: Counter[str] = Counter()
    if alone:
        for batch in batches:
            counts.update(batch.labels)
        return Counter({label: count * GRID for label, count in counts.items()}), counts.total()
    held: dict[int, dict[str, None]] = {}
    for batch in batches:
        for person, label in zip(batch.persons.tolist(), batch.labels, strict=True):
            own = held.setdefault(person, {})
            if len(own) < LABELS_OF_A_PERSON:
                own[label] = None
    for own in held.values():
        part = label_part(len(own))
        for label in own:
            counts[label] += part
    return counts, len(held)


def label_part(labels: int) -> int:
    """Return a person's share for each of so many labels: all together have an L2 norm of at most ``GRID``."""
    return math.isqrt(GRID * GRID // labels)


def selected(used: dict[str, int], selection: Selection, rng: np.random.Generator) -> tuple[str, ...]:
    """The labels whose noisy counts reach the threshold, in their order."""
    noise, threshold = selection
    names = sorted(used)
    noisy = np.array([used[name] for name in names], dtype=np.int64) + noise.sample(len(names), rng)
    chosen = tuple(name for name, value in zip(names, noisy.tolist(), strict=True) if value >= threshold)
    if not chosen:
        raise InputError(
            f"labels are selected where about {threshold // GRID + 1:,} persons use them; none was. "
            "Name public labels with `labels`, or raise epsilon."
        )
    return chosen
