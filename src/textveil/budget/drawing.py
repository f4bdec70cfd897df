"""Pay, then draw: what fails before anything was drawn costs nothing, and what fails after it says what was charged."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from textveil.budget.account import Account
from textveil.budget.ledger import Ledger
from textveil.errors import LedgerError, TextveilError
from textveil.privacy.accountant import Accountant


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


class Receipt(Protocol):
    """Remembers what was paid for a run that may go on: its draws are the same ones then, and cost nothing more."""

    def numbers(self) -> list[int] | None:
        """Of the reservations that an earlier run made for just these draws; None: there is none."""

    def keep(self, numbers: Sequence[int]) -> None:
        """Remember reservations, before anything is drawn."""

    def forget(self) -> None:
        """Forget them: nothing was drawn, and they are taken back."""


@contextlib.contextmanager
def paying(
    ledger: Ledger, wanted: Sequence[tuple[Account, Accountant]], receipt: Receipt | None = None
) -> Iterator[Drawing]:
    """Reserve costs, all or none, for what the block draws, and note at its end that it was drawn.

    If the block fails before ``Drawing.begin``, the reservations are taken back. If it fails later, they stay: without
    a receipt its error says so, with one a later run goes on with them.

    Args:
        receipt: what it remembers is not reserved again, if this ledger holds it.

    Raises:
        BudgetExhausted: a budget does not reach; nothing was taken from anybody.
        LedgerError: the ledger fails.
    """
    accounts = [account for account, _ in wanted]
    numbers = None if receipt is None else receipt.numbers()
    before = numbers is not None and len(numbers) == len(wanted)  # an earlier run may have drawn
    if numbers is None or not before or not ledger.holds(list(zip(accounts, numbers, strict=True))):
        numbers = [reservation.number for reservation in ledger.reserve_together(wanted)]
        if receipt is not None:
            receipt.keep(numbers)
    reserved = list(zip(accounts, numbers, strict=True))
    drawing = Drawing()
    try:
        yield drawing
    except BaseException as error:
        if drawing.begun:
            _commit(ledger, reserved)
            if receipt is None:
                tell_charged(error)
        elif not before:
            if receipt is not None:
                receipt.forget()
            _take_back(ledger, reserved)
        raise
    _commit(ledger, reserved)


def _commit(ledger: Ledger, reserved: Sequence[tuple[Account, int]]) -> None:
    for account, number in reserved:
        ledger.commit_entry(account, number)


def _take_back(ledger: Ledger, reserved: Sequence[tuple[Account, int]]) -> None:
    """Take reservations back of which nothing was drawn; if the ledger fails, they count as spent."""
    with contextlib.suppress(LedgerError):
        ledger.cancel_entries(reserved)


def tell_charged(error: BaseException) -> None:
    """Add to an error of textveil's own that its release was charged."""
    if isinstance(error, TextveilError) and error.args:
        error.args = (f"{error.args[0]} The release is charged in full, because its noise was drawn.", *error.args[1:])
