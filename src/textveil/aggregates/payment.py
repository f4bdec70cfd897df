"""A release about a corpus, paid for from a ledger of budgets: each person once, before anything is drawn."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from textveil.corpora.payment import Payer
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Guarantee


@contextlib.contextmanager
def paid(payer: Payer | None, guarantee: Guarantee, persons: Sequence[str]) -> Iterator[None]:
    """Take the cost of a release from every person's budget; note at the end of the block that it was drawn.

    Args:
        payer: None pays nothing.
        guarantee: of the whole release.
        persons: whose records were read; where there are none, the payer's own account pays once.

    Raises:
        BudgetExhausted: a person's budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
    """
    if payer is None:
        yield
        return
    from textveil.budget.ledger import Ledger  # needs the extra

    cost = Accountant(guarantee.adjacency).compose(guarantee)
    names = [None] if not persons else [name.encode("utf-8", "surrogatepass") for name in persons]
    with Ledger(payer.ledger) as ledger:
        reservations = ledger.reserve_together([(payer.account(name), cost) for name in names])
        yield
        for reservation in reservations:
            ledger.commit(reservation)
