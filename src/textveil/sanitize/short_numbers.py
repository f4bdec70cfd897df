"""How often short numbers come out as they were: a digit has few values to be drawn from, an age two digits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textveil.mechanisms.channels.digits import KEEP_LIMIT, DigitResponse
from textveil.sanitize.policy.facts import PolicyFacts

LENGTHS: Final = (1, 2)
"""Digits of the numbers that are told of: a count, an age."""

OFTEN: Final = 0.5
"""An unchanged share of two-digit numbers above which releases are warned of."""

_TOLD: Final = 0.2
"""One of one-digit numbers from which summaries speak of it: a uniform draw keeps a tenth."""


def unchanged_numbers(
    number_epsilon: float | None, digit_keep_limit: float | None, policy: PolicyFacts | None = None
) -> dict[int, float]:
    """The probability that a number comes out as it was, by how many digits it has (``LENGTHS``).

    Args:
        number_epsilon: nats of one number; None where numbers have no draws of their own, but by a policy.
        digit_keep_limit: the probability above which no digit stays.
        policy: a policy whose rule may draw digits.

    Returns:
        Nothing where no digits are drawn, or uniform ones.
    """
    if number_epsilon is None or digit_keep_limit is None:
        rules: list[Mapping[str, Any]] = [] if policy is None else policy.data["rules"]
        drawn = [rule for rule in rules if rule.get("surrogate") == "digits" and rule.get("epsilon")]
        if not drawn:
            return {}
        weakest = max(drawn, key=lambda rule: float(rule["epsilon"]))
        number_epsilon, digit_keep_limit = weakest["epsilon"], weakest.get("digit_keep_limit", KEEP_LIMIT)
    response = DigitResponse(float(number_epsilon or 0), float(digit_keep_limit or 0))
    return {length: response.unchanged(length) for length in LENGTHS}


def short_number_lines(unchanged: Mapping[int, float]) -> list[str]:
    """What a summary says of them, where it is worth saying."""
    if unchanged.get(1, 0.0) < _TOLD:
        return []
    one, two = (f"{unchanged[length]:.2g}" for length in LENGTHS)
    return [f"            a number of one digit comes out as it was with probability {one}, of two (an age) with {two}"]


def short_number_warnings(unchanged: Mapping[int, float]) -> list[str]:
    """What must be said of every release: short numbers are mostly as they were."""
    if unchanged.get(2, 0.0) <= OFTEN:
        return []
    return [
        f"SHORT NUMBERS AS THEY WERE: {100 * unchanged[2]:.0f} % of numbers of two digits (ages) come out unchanged; "
        "choose a smaller epsilon for numbers, or a lower digit limit."
    ]
