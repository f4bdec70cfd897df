"""A stopping rule by the moments of losses, for draws of which later ones are chosen by what earlier ones released.

Of a limit (E, D) an order lambda > 0 is fixed before the first draw, and a part S of D set aside for deltas of draws:
half of it, or what the limit says, which may be 0 where all draws are pure. A draw of an epsilon-DP mechanism costs

    K(e) = e - (1/lambda) ln((1 + exp(-e)) / (1 + exp(-e (1 + 2 lambda))))

which is no more than e, and about (1 + lambda) e^2 / 2 where e is small. As long as the costs add up to at most

    B = E + (1/lambda) [ln(D - S) + (1 + lambda) ln(1 + lambda) - lambda ln(lambda)]

everything together is (E, D)-DP, whatever later draws were chosen by. Proof: privacy/proofs/ledger.md. The order is the
one that admits most draws of a small epsilon; any other would be as right.
"""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from textveil.budget.charge import EPSILON_UNIT, Drawn, epsilon_up

_LEAST, _MOST, _POINTS = -4.0, 4.0, 801
"""Decimal logarithms between which the order is looked for."""

_MARGIN: Final = 2.0**-44
"""Relative error that covers the rounding of a dozen operations, many times."""


class Order(NamedTuple):
    """The order of a limit.

    Attributes:
        value: lambda; its rounding moves nothing but which order was chosen.
        allowance: B in units, rounded down; below 0 where the rule admits nothing.
        offset: E - B in units, rounded up.
    """

    value: float
    allowance: int
    offset: int


@lru_cache(maxsize=4096)
def order_of(epsilon: float, delta: float, draw_delta: float | None = None) -> Order:
    """The order of the limit (epsilon, delta), delta in (0, 1), of which ``draw_delta`` is set aside; None is half."""
    orders = 10.0 ** np.linspace(_LEAST, _MOST, _POINTS)
    log_kept = math.log(delta) - math.log(2) if draw_delta is None else math.log(delta - draw_delta)
    gains = (1 + orders) * np.log1p(orders) - orders * np.log(orders)
    allowances = epsilon + (log_kept + gains) / orders
    place = int(np.argmax(allowances / (1 + orders)))
    # Of a short decimal, so that every machine has the same order whatever its logarithms round to.
    value = float(f"{orders[place]:.2g}")
    gain = (1 + value) * math.log1p(value) - value * math.log(value)
    offset = -(log_kept + gain) / value
    size = (abs(log_kept) + abs(gain) + 1) / value
    whole = _coarse(offset + _MARGIN * size) if offset < 2.0**60 else 2**200
    return Order(value, math.floor(epsilon * EPSILON_UNIT) - whole, whole)


@lru_cache(maxsize=1 << 14)
def moment_cost(epsilon: float, order: float) -> int:
    """K(epsilon) in units, rounded up."""
    if epsilon == 0:
        return 0
    saved = math.log1p(math.exp(-epsilon)) - math.log1p(math.exp(-epsilon * (1 + 2 * order)))
    raised = epsilon - saved / order + _MARGIN * (epsilon + 1 / order)
    return _coarse(min(epsilon, raised))


def _coarse(nats: float) -> int:
    """Nats in units, rounded up to 2^-34 nats: machines whose logarithms differ in the last bit agree on it."""
    return math.ceil(nats * 2**34) * (EPSILON_UNIT >> 34)


def moments_of(draws: tuple[Drawn, ...], order: Order) -> int:
    """What draws cost by this rule, in units; their deltas are paid for beside it."""
    return sum(moment_cost(draw[0], order.value) * draw[2] for draw in draws)


def one_more(left: int, order: Order) -> float:
    """The largest epsilon, to 40 bits, that one more draw may have where ``left`` units are left by this rule."""
    if left <= 0:
        return 0.0
    low, high = 0.0, epsilon_up(left) + 2 / order.value
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if moment_cost.__wrapped__(middle, order.value) <= left else (low, middle)
    return low
