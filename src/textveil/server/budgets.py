"""What is left of a budget, for whoever asks: in nats, and in words at a policy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from textveil.budget.balance import Balance
from textveil.sanitize.setting import Setting


def budget_data(balance: Balance, setting: Setting) -> dict[str, Any]:
    """A balance as JSON data, with ``words_left``: None where there is no limit, or words cost nothing.

    Args:
        balance: of an account.
        setting: of the policy at which words are counted.
    """
    return {**balance.as_data(), "words_left": words_left(balance, setting)}


def words_left(balance: Balance, setting: Setting) -> int | None:
    """How many more words can be drawn, rounded down; numbers cost as words do unless the policy says otherwise."""
    words = [one.guarantee for one in setting.protected if one.kind == "word"]
    if balance.remaining is None or not words or not words[0].promises:
        return None
    cost = words[0].approximate()
    pairs = ((balance.remaining.epsilon, cost.epsilon), (balance.remaining.delta, cost.delta))
    fits = [max(0, Fraction(left) // Fraction(each)) for left, each in pairs if each > 0]
    return min(fits, default=None)
