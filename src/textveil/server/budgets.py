"""What is left of a budget, for whoever asks: in nats, and in words or values at a policy."""

from __future__ import annotations

from typing import Any

from textveil.budget.balance import Balance
from textveil.sanitize.left import TextCosts


def budget_data(balance: Balance, costs: TextCosts) -> dict[str, Any]:
    """A balance as JSON data, with how much text it pays for: ``words_left``, ``values_left`` and ``left``.

    Args:
        balance: of an account.
        costs: of the policy at which words and values are counted.
    """
    left = costs.left(balance.affords)
    return {**balance.to_data(), "words_left": left.words, "values_left": left.values, "left": left.said}
