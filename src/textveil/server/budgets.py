"""Budgets as people read them, reservations of many requests in one transaction, and the ledger that counts nothing."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from textveil.budget.account import Account, Limit, Period
from textveil.budget.charge import Charge, guarantee_of
from textveil.budget.standing import Balance, Reservation
from textveil.errors import BudgetExhausted, LedgerError, ParameterError, TextveilError
from textveil.privacy.accountant import Accountant
from textveil.privacy.guarantees import Status
from textveil.sanitize.costs import TextCosts, rounded_down

MESSAGE_DRAWS: Final = {"word": 20, "value": 4, "text": 1}
"""Draws of the most expensive kind in the message by which a budget is set; a text of its own costs what it holds."""

_BUDGET: Final = re.compile(
    r"(?P<amount>[0-9]+(?:\.[0-9]+)?) *(?P<of>nats|messages?)?(?: *(?:a|per) *(?P<period>day|week|month))?"
)
_SPELLINGS: Final = 'a number of nats or messages, perhaps for a period: "20", "40 messages" or "40 messages a day"'


def budget_data(balance: Balance, costs: TextCosts, cost: Accountant | None = None) -> dict[str, Any]:
    """Return a balance as JSON data, with the amount of text that it pays for.

    These are ``words_left``, ``values_left``, ``messages_left`` (of the cost of the one just sent) and ``left``.

    Args:
        balance: of an account.
        costs: of the policy at which words and values are counted.
        cost: of the message that was just released; None without one.
    """
    left = costs.left(balance.affords)
    messages = None if cost is None or costs.unpriced else balance.affords(cost)
    said = left.said
    if messages:
        about = "about " if messages >= 10 else ""
        said = f"{about}{rounded_down(messages):,} message{'' if messages == 1 else 's'} like this one left"
    return {
        **balance.to_data(),
        "words_left": left.words,
        "values_left": left.values,
        "messages_left": messages,
        "left": said,
    }


def cost_told(kinds: Iterable[Mapping[str, Any]]) -> str:
    """Tell the cost of a message, kind by kind, and how to make a kind free.

    ``kinds``: that are drawn: "kind", "count", "text", "epsilon", "delta" and perhaps "pays".
    """
    paid = [kind for kind in kinds if kind["epsilon"] or kind["delta"]]
    parts = [
        f"{kind['kind']}, {kind['text']} for all together" if kind.get("pays") == "scope"
        else f"{kind['count']:,} of {kind['kind']}, {kind['text']} each"
        for kind in paid
    ]  # fmt: skip
    return f"It costs: {'; '.join(parts)}. A kind whose rule says `placeholder = true` costs nothing."


def limit_of(
    spelled: str, costs_of: Callable[[], TextCosts], *, delta: float = 0.0, period: str | None = None
) -> Limit:
    """Return the limit that a budget means.

    Args:
        spelled: nats or messages: "20", "40 messages", "40 messages a day".
        costs_of: of the policy at which messages are counted; one is ``MESSAGE_DRAWS`` of the kind that costs most.
        delta: of the limit.
        period: as for ``Limit``; None if the budget says it or is for ever.

    Raises:
        ParameterError: it is spelled otherwise; or messages cost nothing, or promise nothing, at the policy.
    """
    if (read := _BUDGET.fullmatch(spelled.strip())) is None:
        raise _wrong(f"budget must be {_SPELLINGS}; got something else.")
    if period is not None and read["period"] not in (None, period):
        raise _wrong(f"budget must be for the period that `period` says, {period}; got one for a {read['period']}.")
    chosen = cast("Period | None", read["period"] or period)
    amount = float(read["amount"])
    if not (read["of"] or "").startswith("message"):
        return Limit(amount, delta, period=chosen)
    costs = costs_of()
    draws = [cost.spent.approximate() for _, cost in costs.kinds]
    if costs.unpriced or not draws:
        why = "nothing is promised of them" if costs.unpriced else "they cost nothing"
        raise _wrong(
            f"budget must be nats where messages have no price: at this policy {why}. Messages cost something at "
            f"{', '.join(_priced_presets())}: name one with `policies`."
        )
    times = MESSAGE_DRAWS[costs.noun] * amount
    return Limit(
        max(draw.epsilon for draw in draws) * times, max(delta, *(draw.delta * times for draw in draws)), period=chosen
    )


def _priced_presets() -> list[str]:
    from textveil.sanitize.policy.choice import PRESETS, policy
    from textveil.sanitize.sanitizer import Sanitizer

    costs = {name: TextCosts.of(Sanitizer(policy(name)).setting) for name in PRESETS}
    return [name for name, cost in costs.items() if cost.kinds and not cost.unpriced]


def _wrong(message: str) -> ParameterError:
    error = ParameterError(message)
    error.parameter = "budget"
    return error


class BudgetLedger(Protocol):
    """The part of ``budget.ledger.Ledger`` that a server uses."""

    def reserve_all(
        self, wanted: Sequence[tuple[Account, Accountant]]
    ) -> Sequence[Reservation | BudgetExhausted | LedgerError]:
        """Take costs from every budget of their accounts, durably."""

    def commit(self, reservation: Reservation) -> None:
        """Note that a reservation was drawn."""

    def balance(self, account: Account) -> Balance:
        """Return what was spent and what is left."""


class _Waiting(NamedTuple):
    account: Account
    cost: Accountant
    answer: Future[Reservation]


class Reserving:
    """One thread that reserves for all requests of a ledger, in one transaction for all that wait."""

    def __init__(self, ledger: BudgetLedger) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textveil-reserve")
        self._waiting: list[_Waiting] = []
        self._writes = False
        self._lock = threading.Lock()

    def reserve(self, account: Account, cost: Accountant) -> Future[Reservation]:
        """Take a cost, with those of other requests; it is on the disk once the future has a result."""
        answer: Future[Reservation] = Future()
        with self._lock:
            self._waiting.append(_Waiting(account, cost, answer))
            idle, self._writes = not self._writes, True
        if idle:
            self._thread.submit(self._write)
        return answer

    def close(self) -> None:
        """Answer waiting requests, and end."""
        self._thread.shutdown(wait=True)

    def _write(self) -> None:
        while True:
            with self._lock:
                batch, self._waiting = self._waiting, []
                if not batch:
                    self._writes = False
                    return
            if wanted := [asked for asked in batch if asked.answer.set_running_or_notify_cancel()]:
                self._answer(wanted)

    def _answer(self, wanted: Sequence[_Waiting]) -> None:
        try:
            reservations = self._ledger.reserve_all([(asked.account, asked.cost) for asked in wanted])
        except Exception as error:
            if len(wanted) > 1 and isinstance(error, TextveilError) and not isinstance(error, LedgerError):
                for asked in wanted:  # nothing was taken, for one of them costs what cannot be added up
                    self._answer([asked])
                return
            for asked in wanted:
                asked.answer.set_exception(error)
            return
        for asked, reservation in zip(wanted, reservations, strict=True):
            if isinstance(reservation, BudgetExhausted | LedgerError):
                asked.answer.set_exception(reservation)
            else:
                asked.answer.set_result(reservation)


if TYPE_CHECKING:
    from textveil.budget.ledger import Ledger


class UncountedLedger:
    """A ledger that counts nothing: nothing is taken, and there is no limit."""

    def reserve_all(self, wanted: Sequence[tuple[Account, Accountant]]) -> list[Reservation]:
        """Take nothing."""
        nothing = Charge(draws=(), epsilon=0, delta=0, status=Status.PROVED.value)
        return [Reservation(account, 0, nothing, self.balance(account)) for account, _ in wanted]

    def commit(self, reservation: Reservation) -> None:
        """Note nothing."""

    def balance(self, account: Account) -> Balance:
        """Return a balance without a limit, and nothing spent."""
        nothing = guarantee_of(0, 0, Status.PROVED.value)
        return Balance(
            scope="tenant", limit=None, spent=nothing, remaining=None, reserved=None, period_end=None, lifetime=nothing,
            releases=0,
        )  # fmt: skip

    def close(self) -> None:
        """Nothing is open."""


def ledger_of(database: str | None) -> Ledger | UncountedLedger:
    """Open the ledger of a database, a path or a URL of SQLAlchemy; None is one that counts nothing."""
    if database is None:
        return UncountedLedger()
    from textveil.budget.ledger import Ledger

    return Ledger(database)
