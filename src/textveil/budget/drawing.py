"""Pay, then draw: what fails before anything was drawn costs nothing, and what fails after it says what was charged."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import final

from textveil.budget.account import Account
from textveil.budget.ledger import Ledger
from textveil.errors import LedgerError, TextveilError
from textveil.privacy.accountant import Accountant


@final
class Drawing:
    """Whether randomness was drawn for a release.

    Attributes:
        begun: whether it may have been.
    """

    def __init__(self) -> None:
        self.begun = False

    def begin(self) -> None:
        """Say, before the first draw, that randomness is drawn from now on."""
        self.begun = True


@contextlib.contextmanager
def paying(ledger: Ledger, wanted: Sequence[tuple[Account, Accountant]]) -> Iterator[Drawing]:
    """Reserve costs, all or none, for what the block draws, and note at its end that it was drawn.

    If the block fails before ``Drawing.begin``, the reservations are taken back. If it fails later, they stay and its
    error says so.

    Raises:
        BudgetExhausted: a budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
    """
    reservations = ledger.reserve_together(wanted)
    drawing = Drawing()
    try:
        yield drawing
    except BaseException as error:
        if not drawing.begun:
            take_back(ledger, [(reservation.account, reservation.number) for reservation in reservations])
            raise
        for reservation in reservations:
            ledger.commit(reservation)
        tell_charged(error)
        raise
    for reservation in reservations:
        ledger.commit(reservation)


def take_back(ledger: Ledger, reserved: Sequence[tuple[Account, int]]) -> None:
    """Take reservations back of which nothing was drawn; if the ledger fails, they count as spent."""
    with contextlib.suppress(LedgerError):
        ledger.cancel_entries(reserved)


def tell_charged(error: BaseException) -> None:
    """Add to an error of textveil's own that its release was charged."""
    if isinstance(error, TextveilError) and error.args:
        error.args = (f"{error.args[0]} The release is charged in full, because its noise was drawn.", *error.args[1:])
