"""Budgets as people read them: what is left and what a release costs, in nats, words, values and messages."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from textveil.budget.balance import Balance
from textveil.budget.limit import Limit, Period
from textveil.errors import ParameterError
from textveil.privacy.accountant import Accountant
from textveil.sanitize.costs import TextCosts, rounded_down

MESSAGE_DRAWS: Final = {"word": 20, "value": 4, "text": 1}
"""Draws of the kind that costs most in the message by which a budget is set; a text of its own costs what it holds."""

_BUDGET: Final = re.compile(
    r"(?P<amount>[0-9]+(?:\.[0-9]+)?) *(?P<of>nats|messages?)?(?: *(?:a|per) *(?P<period>day|week|month))?"
)
_SPELLINGS: Final = 'a number of nats or messages, perhaps for a period: "20", "40 messages" or "40 messages a day"'


def budget_data(balance: Balance, costs: TextCosts, cost: Accountant | None = None) -> dict[str, Any]:
    """A balance as JSON data, with how much text it pays for.

    These are ``words_left``, ``values_left``, ``messages_left`` (of the cost of the one just sent) and ``left``.

    Args:
        balance: of an account.
        costs: of the policy at which words and values are counted.
        cost: of the message that was just released; None where there was none.
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
    """What a message costs, kind by kind, and how that is made free.

    Args:
        kinds: what is drawn: "kind", "count", "text", "epsilon", "delta" and perhaps "pays".
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
    """The limit that a budget means.

    Args:
        spelled: nats or messages: "20", "40 messages", "40 messages a day".
        costs_of: of the policy at which messages are counted; one is ``MESSAGE_DRAWS`` of the kind that costs most.
        delta: of the limit.
        period: as for ``Limit``; None where the budget says it or is for ever.

    Raises:
        ParameterError: it is spelled otherwise; or messages cost nothing, or promise nothing, at the policy.
    """
    read = _BUDGET.fullmatch(spelled.strip())
    if read is None:
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
        raise _wrong(f"budget must be nats where messages have no price: at this policy {why}.")
    times = MESSAGE_DRAWS[costs.noun] * amount
    return Limit(
        max(draw.epsilon for draw in draws) * times, max(delta, *(draw.delta * times for draw in draws)), period=chosen
    )


def _wrong(message: str) -> ParameterError:
    error = ParameterError(message)
    error.parameter = "budget"
    return error
