"""Budget that was taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

from textveil.budget.account import Account
from textveil.budget.balance import Balance
from textveil.budget.charge import Charge
from textveil.privacy.guarantees import Guarantee


@final
@dataclass(frozen=True, slots=True)
class Reservation:
    """Budget that was taken; it is spent whether or not it is committed.

    Attributes:
        account: whose.
        number: of its entry in the ledger, among those of the tenant.
        charge: what was taken.
        balance: what was left then.
    """

    account: Account
    number: int
    charge: Charge = field(repr=False)
    balance: Balance = field(repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """What was taken, as the guarantee of the account."""
        return self.charge.guarantee
