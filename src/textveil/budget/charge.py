"""Costs of releases in whole numbers: nothing is added up in floating point.

Epsilon is counted in 2^-80 nats and delta in 2^-130, rounded up. Any epsilon of 2^-27 nats or more is a whole number
of them, so sums are exact.

The rule of moments is a stopping rule for draws whose later ones are chosen by outputs of earlier ones. Of a limit
(E, D) an order lambda > 0 is fixed before the first draw, and a part S of D is set aside for deltas of draws: half of
it, or the limit's ``draw_delta``, which may be 0 if all draws are pure. A draw of an epsilon-DP mechanism costs

    K(e) = e - (1/lambda) ln((1 + exp(-e)) / (1 + exp(-e (1 + 2 lambda))))

which is no more than e, and about (1 + lambda) e^2 / 2 if e is small. As long as the costs add up to at most

    B = E + (1/lambda) [ln(D - S) + (1 + lambda) ln(1 + lambda) - lambda ln(lambda)]

all draws together are (E, D)-DP, however later draws were chosen. Proof: privacy/proofs/ledger.md. The order is the
one that admits most draws of a small epsilon; any other would be as right.

The rule of Gaussian noise adds up the squares of mu = sensitivity / sigma: ``gaussian_allowance``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import starmap
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.errors import UnsupportedGuarantee
from textveil.privacy.accountant import Accountant
from textveil.privacy.composition import as_approximate, gaussian_epsilon, gaussian_log_delta
from textveil.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Status
from textveil.privacy.units import Adjacency, Unit

EPSILON_UNIT: Final = 2**80
DELTA_UNIT: Final = 2**130
_SCALE = 1000  # the least float above 0 is 2^-1074

# what an account's costs add up to
ONE_ACCOUNT: Final = Adjacency(
    Unit.PERSON,
    "two inputs that differ in the texts of this account alone, each pair of them as the report of its release says",
)


class Drawn(NamedTuple):
    """Draws of one guarantee."""

    epsilon: float
    log_delta: float | None  # None is no delta
    times: int
    status: str
    squared_mu: float = 0.0  # of the Gaussian noise that one draw is made of, rounded up; 0 where none is known
    log_failure: float | None = None  # of the probability beside that noise, rounded up; None is none

    def to_data(self) -> list[float | int | str | None]:
        """Return JSON data; without noise as before there was any."""
        return list(self if self.squared_mu else self[:4])


_ORDER: Final = tuple(status.value for status in (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED))


def worse(first: str, second: str) -> str:
    """Return the status that is trusted less."""
    return max(first, second, key=_ORDER.index)


@dataclass(frozen=True, slots=True)
class Charge:
    """The cost of one release."""

    draws: tuple[Drawn, ...]  # equal guarantees together
    epsilon: int  # the sum of all epsilons in units, rounded up
    delta: int  # the sum of all deltas in units, rounded up; any delta is at least one unit
    status: str  # of the draw that is trusted least

    @classmethod
    def of(cls, cost: Accountant) -> Charge:
        """Return the charge for the draws of a cost.

        Raises UnsupportedGuarantee: a draw promises nothing, so that its cost is unknown.
        """
        counts: Counter[Drawn] = Counter()
        for guarantee, times, _, gaussian in cost.draws:
            if not getattr(guarantee, "promises", True):
                raise UnsupportedGuarantee(
                    f"a ledger counts what is promised; got {guarantee}. Use a mechanism whose guarantee holds."
                )
            part = as_approximate(guarantee)
            one = Drawn(part.epsilon, _finite(part.log_delta), 1, part.status.value)
            if gaussian is not None:
                squared_mu = _rounded_up(gaussian.squared_mu.numerator, gaussian.squared_mu.denominator)
                one = one._replace(squared_mu=squared_mu, log_failure=_finite(gaussian.log_failure))
            counts[one] += times
        return cls.of_draws([one._replace(times=times) for one, times in counts.items() if times])

    @classmethod
    def of_draws(cls, draws: Iterable[tuple[Any, ...]]) -> Charge:
        """Return the charge for draws, each with the parts of ``Drawn``."""
        held = tuple(starmap(Drawn, draws))
        status = Status.PROVED.value
        for draw in held:
            status = worse(status, draw.status)
        return cls(held, _epsilons(held), sum(_delta_units(draw.log_delta) * draw.times for draw in held), status)

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Charge:
        """Return the charge with the draws of JSON data, added up again.

        Raises ValueError, KeyError, TypeError, IndexError, OverflowError: the data is none of a charge.
        """
        if any(draw[4:] and not draw[4] > 0 for draw in data["draws"]):
            raise ValueError("noise must be above 0")
        return cls.of_draws((float(draw[0]), draw[1], int(draw[2]), str(draw[3]), *draw[4:]) for draw in data["draws"])

    @property
    def guarantee(self) -> Guarantee:
        """The sum, as the guarantee of an account."""
        return guarantee_of(self.epsilon, self.delta, self.status)

    def to_data(self) -> dict[str, Any]:
        """Return JSON data: the draws, and their sums in units as decimal digits."""
        draws = [draw.to_data() for draw in self.draws]
        return {"draws": draws, "epsilon": str(self.epsilon), "delta": str(self.delta)}


@lru_cache(maxsize=4096)
def _scaled(epsilon: float) -> int:
    """Return an epsilon in units times 2^``_SCALE``: a whole number for any float."""
    return int(Fraction(epsilon) * (EPSILON_UNIT << _SCALE))


def _finite(logarithm: float) -> float | None:
    return None if logarithm == -math.inf else logarithm


def _epsilons(draws: Iterable[Drawn]) -> int:
    return -((-sum(_scaled(draw.epsilon) * draw.times for draw in draws)) >> _SCALE)


@lru_cache(maxsize=4096)
def _delta_units(log_delta: float | None) -> int:
    if log_delta is None:
        return 0
    part = ApproximateDP(epsilon=0.0, log_delta=log_delta)
    return max(1, math.ceil(Fraction(part.delta) * DELTA_UNIT))


def epsilon_up(units: int) -> float:
    """Return nats, rounded up."""
    return _rounded_up(units, EPSILON_UNIT)


def delta_up(units: int) -> float:
    """Return delta as a float, rounded up; at most 1."""
    return min(1.0, _rounded_up(units, DELTA_UNIT))


def epsilon_down(units: int) -> float:
    """Return nats, rounded down."""
    return -_rounded_up(-units, EPSILON_UNIT) + 0.0  # no zero below zero


def delta_down(units: int) -> float:
    """Return delta as a float, rounded down."""
    return -_rounded_up(-units, DELTA_UNIT) + 0.0


@lru_cache(maxsize=4096)
def units_within(value: float, unit: int) -> int:
    """Return how many whole units a limit holds."""
    return math.floor(Fraction(value) * unit)


def guarantee_of(epsilon: int, delta: int, status: str) -> Guarantee:
    """Return the guarantee of an account that spent this."""
    about: dict[str, Any] = {
        "epsilon": epsilon_up(epsilon),
        "status": Status(status),
        "source": "privacy/proofs/ledger.md",
        "adjacency": ONE_ACCOUNT,
    }
    if delta == 0:
        return PureDP(**about)
    return ApproximateDP(log_delta=math.log(delta_up(delta)), **about)


def canonical(data: Any) -> str:
    """Return JSON text of data, the same for the same data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _rounded_up(units: int, unit: int) -> float:
    nearest = units / unit  # of whole numbers: the nearest float there is
    top, below = nearest.as_integer_ratio()
    return nearest if top * unit >= units * below else math.nextafter(nearest, math.inf)


_LEAST, _MOST, _POINTS = -4.0, 4.0, 801  # decimal logarithms between which the order is searched
_MARGIN: Final = 2.0**-44  # relative error that covers the rounding of a dozen operations, many times


class Order(NamedTuple):
    """The order of a limit."""

    value: float  # lambda; its rounding only moves which order was chosen
    allowance: int  # B in units, rounded down; below 0 if the rule admits nothing
    offset: int  # E - B in units, rounded up


@lru_cache(maxsize=4096)
def order_of(epsilon: float, delta: float, draw_delta: float | None = None) -> Order:
    """Return the order of the limit (epsilon, delta), delta in (0, 1); a ``draw_delta`` of None is half of delta."""
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
    """Return K(epsilon) in units, rounded up."""
    if epsilon == 0:
        return 0
    saved = math.log1p(math.exp(-epsilon)) - math.log1p(math.exp(-epsilon * (1 + 2 * order)))
    raised = epsilon - saved / order + _MARGIN * (epsilon + 1 / order)
    return _coarse(min(epsilon, raised))


def _coarse(nats: float) -> int:
    """Round nats up to 2^-34, in units: machines whose logarithms differ in the last bit agree on it."""
    return math.ceil(nats * 2**34) * (EPSILON_UNIT >> 34)


def moments_of(draws: tuple[Drawn, ...], order: Order) -> int:
    """Return the cost of draws by this rule, in units; their deltas are paid for beside it."""
    return sum(moment_cost(draw.epsilon, order.value) * draw.times for draw in draws)


def one_more(left: int, order: Order) -> float:
    """Return the largest epsilon, to 40 bits, of one more draw if ``left`` units are left by this rule."""
    if left <= 0:
        return 0.0
    low, high = 0.0, epsilon_up(left) + 2 / order.value
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if moment_cost.__wrapped__(middle, order.value) <= left else (low, middle)
    return low


class GaussianSums(NamedTuple):
    """Costs by the rule of Gaussian noise, in units."""

    epsilon: int  # of draws that are not known to be Gaussian
    delta: int  # of these, and of failures beside Gaussian noise
    squared_mu: int


@lru_cache(maxsize=4096)
def gaussian_sums(draws: tuple[Drawn, ...]) -> GaussianSums:
    """Return the cost of draws by this rule, rounded up."""
    failures = [(draw.log_failure if draw.squared_mu else draw.log_delta, draw.times) for draw in draws]
    return GaussianSums(
        _epsilons(draw for draw in draws if not draw.squared_mu),
        sum(_delta_units(logarithm) * times for logarithm, times in failures),
        sum(math.ceil(Fraction(draw.squared_mu) * EPSILON_UNIT) * draw.times for draw in draws),
    )


@lru_cache(maxsize=4096)
def gaussian_allowance(epsilon: float, pure_epsilon: float, delta: float) -> int:
    """Return how far squares of mu may add up, in units, beside pure draws of ``pure_epsilon`` in all; rounded down.

    All draws together then have a privacy loss above ``epsilon`` by at most ``delta``, however later ones were chosen:
    with m^2 the sum, p = 1 / (1 + exp(-pure_epsilon)) and d(x) the least delta of Gaussian noise of mu = m at x,

        p d(epsilon - pure_epsilon) + (1 - p) d(epsilon + pure_epsilon) <= delta.

    Proof: privacy/proofs/ledger.md. ``delta``: what is kept for noise, >= 0.
    """
    if epsilon == 0 or delta == 0:
        return 0
    likely = -math.log1p(math.exp(-pure_epsilon))
    log_shares = (likely, likely - pure_epsilon)
    # Differences of floats are not exact: less is left for noise.
    ends = ((epsilon - pure_epsilon) * (1 - _MARGIN), (epsilon + pure_epsilon) * (1 - _MARGIN))
    wanted = math.log(delta) - _MARGIN * (abs(math.log(delta)) + 1)

    def within(mu: float) -> bool:
        first, second = (
            share + gaussian_log_delta(end, sigma=1.0, l2_sensitivity=mu)
            for share, end in zip(log_shares, ends, strict=True)
        )
        larger, smaller = max(first, second), min(first, second)
        return larger + math.log1p(math.exp(smaller - larger)) <= wanted

    low, high = 0.0, 1.0
    while within(high):
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    # Rounded down to 34 bits, so that machines whose logarithms differ in the last bit agree on it.
    return math.floor(low * low * (1 - _MARGIN) * 2**34) * (EPSILON_UNIT >> 34)


@lru_cache(maxsize=4096)
def epsilon_of_noise(squared_mu: int, delta: float) -> float:
    """Return the least epsilon of Gaussian noise with this square of mu, in units, at delta > 0; rounded up."""
    if squared_mu <= 0:
        return 0.0
    return gaussian_epsilon(delta, sigma=1.0, l2_sensitivity=math.sqrt(squared_mu / EPSILON_UNIT) * (1 + _MARGIN))
