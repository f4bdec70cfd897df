"""A release about a corpus, paid for from a ledger of budgets: each person once, before anything is drawn."""

import contextlib
import hashlib
import platform
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import scipy

from textveil.aggregates.request import CorpusRequest, Records
from textveil.corpora.jobs.folder import JobFolder
from textveil.corpora.jobs.job import written_or_refused
from textveil.corpora.jobs.receipt import JobReceipt
from textveil.corpora.payment import Payer
from textveil.errors import InputError, ParameterError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee
from textveil.randomness import derived_generator, is_secure, secure_generator
from textveil.version import VERSION

Fact: TypeAlias = bytes | str | int | float | tuple[str, ...] | None
"""A setting of a release; told from others by its ``repr``."""


class Paid:
    """What is paid for and may be drawn.

    Args:
        begin: says that it is drawn from now on.
    """

    def __init__(self, rng: np.random.Generator, begin: Callable[[], None]) -> None:
        self._rng = rng
        self._begin = begin

    @property
    def rng(self) -> np.random.Generator:
        """The randomness of the release. Whoever takes it has drawn: from now on the cost stays, whatever happens."""
        self._begin()
        return self._rng


@contextlib.contextmanager
def paid(request: CorpusRequest, guarantee: Guarantee, settings: Sequence[Fact]) -> Iterator[Paid]:
    """Take the cost of a release from every person's budget; note at the end of the block that it was drawn.

    A block that fails before it takes the randomness costs nothing; see ``budget.drawing.paying``. Where the payer has
    a folder, a release that was paid for and not written is drawn again, the same, and not paid for again: its
    randomness depends on a secret in that folder, on all records and on all settings.

    Args:
        request: its records have been read. If they name no persons, the payer's own account pays once. The block has
            its randomness from what is yielded, and from nowhere else.
        guarantee: of the whole release.
        settings: all public facts by which it is determined what noise is drawn and what it is added to.

    Raises:
        BudgetExhausted: a person's budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
        ParameterError: the payer's folder remembers a release of other records or settings.
    """
    payer, records, rng = request.payer, request.records, request.rng
    if payer is None:
        yield Paid(secure_generator() if rng is None else rng, lambda: None)
        return
    from textveil.budget.ledger import Ledger, paying, tell_charged  # needs the extra

    cost = Accountant(guarantee.adjacency).compose(guarantee)
    names = [None] if not records.names else [name.encode("utf-8", "surrogatepass") for name in records.names]
    wanted = [(payer.account(name), cost) for name in names]
    folder, receipt = payer.folder, None
    if folder is not None:
        seeded = None if rng is None or is_secure(rng) else repr(rng.bit_generator.state)
        about = _about(payer, guarantee, records, [*settings, seeded])
        secret, receipt = _remembered(folder, about, anew=payer.anew)
        rng = derived_generator(secret, b"release of a corpus", about) if seeded is None else rng
    with Ledger(payer.ledger) as ledger, paying(ledger, wanted, receipt) as drawing:
        try:
            yield Paid(secure_generator() if rng is None else rng, drawing.begin)
        except InputError as error:
            if folder is not None and drawing.begun:  # drawn again, nothing else would come of it
                folder.cleared()
                tell_charged(error)
            raise


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
                "others. Repeat that command as it was, or say `overwrite` to forget that release and pay for this one."
            )
    with written_or_refused():
        secret = folder.begun()
    return secret, _receipt(folder, secret, about)


def _receipt(folder: JobFolder, secret: bytes, about: bytes) -> JobReceipt:
    return JobReceipt(folder, hashlib.blake2b(about, key=secret, digest_size=32, person=b"textveil paid").hexdigest())
