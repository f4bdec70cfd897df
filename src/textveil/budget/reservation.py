"""Budget that was taken."""

from dataclasses import dataclass, field

from textveil.budget.account import Account
from textveil.budget.balance import Balance
from textveil.budget.charge import Charge
from textveil.privacy.guarantees import Guarantee


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
