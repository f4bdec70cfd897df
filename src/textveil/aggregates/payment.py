"""A release about a corpus, paid for from a ledger of budgets: each person once, before anything is drawn."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import final

import numpy as np

from textveil.corpora.payment import Payer
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee


@final
class Paid:
    """What is paid for and may be drawn.

    Args:
        rng: of the release.
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
def paid(payer: Payer | None, guarantee: Guarantee, persons: Sequence[str], rng: np.random.Generator) -> Iterator[Paid]:
    """Take the cost of a release from every person's budget; note at the end of the block that it was drawn.

    A block that fails before it takes the randomness costs nothing; see ``budget.drawing.paying``.

    Args:
        payer: None pays nothing.
        guarantee: of the whole release.
        persons: whose records were read; where there are none, the payer's own account pays once.
        rng: of the release; the block has it from what is yielded, and from nowhere else.

    Raises:
        BudgetExhausted: a person's budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
    """
    if payer is None:
        yield Paid(rng, lambda: None)
        return
    from textveil.budget.drawing import paying  # needs the extra
    from textveil.budget.ledger import Ledger

    cost = Accountant(guarantee.adjacency).compose(guarantee)
    names = [None] if not persons else [name.encode("utf-8", "surrogatepass") for name in persons]
    with Ledger(payer.ledger) as ledger, paying(ledger, [(payer.account(name), cost) for name in names]) as drawing:
        yield Paid(rng, drawing.begin)
