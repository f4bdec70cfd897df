"""A ledger where there is a database of budgets; where there is none, what stands in its place and counts nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textveil.budget.account import Account
from textveil.budget.balance import Balance
from textveil.budget.charge import Charge, guarantee_of
from textveil.budget.reservation import Reservation
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Status

if TYPE_CHECKING:
    from textveil.budget.ledger import Ledger


class UncountedLedger:
    """Stands for a ledger where nothing is counted: nothing is taken, and there is no limit."""

    def reserve_all(self, wanted: Sequence[tuple[Account, Accountant]]) -> list[Reservation]:
        """Takes nothing."""
        nothing = Charge(draws=(), epsilon=0, delta=0, status=Status.PROVED.value)
        return [Reservation(account, 0, nothing, self.balance(account)) for account, _ in wanted]

    def commit(self, reservation: Reservation) -> None:
        """Notes nothing."""

    def note_unprotected(self, account: Account) -> bool:
        """Notes nothing, so nothing may be sent on."""
        return False

    def balance(self, account: Account) -> Balance:
        """No limit, and nothing that was spent."""
        nothing = guarantee_of(0, 0, Status.PROVED.value)
        return Balance(
            scope="tenant", limit=None, spent=nothing, remaining=None, reserved=None, period_end=None, lifetime=nothing,
            releases=0,
        )  # fmt: skip

    def close(self) -> None:
        """Nothing is open."""


def ledger_of(database: str | None) -> Ledger | UncountedLedger:
    """The ledger of a database: a path, or a URL of SQLAlchemy; None is one that counts nothing. Close it."""
    if database is None:
        return UncountedLedger()
    from textveil.budget.ledger import Ledger

    return Ledger(database)
