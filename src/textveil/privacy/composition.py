"""Composition over the tokens of a document (proof: ``proofs/composition.md``).

Draws are independent given the text, so basic composition holds and is exact for the worst text:
the log-ratios of the tokens add up. Sums are rounded up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import (
    ApproximateDP,
    Guarantee,
    MetricDP,
    NoGuarantee,
    PureDP,
    Status,
    to_pure,
)

# From the most to the least trusted; a composition is as good as its worst part.
_ORDER = (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED, Status.NONE)


def _up(value: float) -> float:
    """The next float above a positive value: a guarantee is never rounded down."""
    return math.nextafter(value, math.inf) if value > 0 else 0.0


def repeat(guarantee: Guarantee, times: int) -> Guarantee:
    """The guarantee of ``times`` independent draws, one for each token of a document.

    Two documents of ``times`` protected tokens each are compared, any number of which may differ.
    A metric guarantee becomes pure through the diameter first: distances of unrelated tokens have no
    common bound other than it. For delta the union bound is used, capped at 1.

    Args:
        guarantee: of one token.
        times: number of tokens, >= 0. Zero tokens cost nothing.

    Raises:
        UnsupportedGuarantee: an unknown kind of guarantee.
    """
    need(times >= 0, "times", times, ">= 0")
    if isinstance(guarantee, NoGuarantee):
        return guarantee
    if times == 0:
        return PureDP(epsilon=0.0, status=Status.PROVED, source="proofs/composition.md")
    if isinstance(guarantee, PureDP | MetricDP):
        pure = to_pure(guarantee)
        if times == 1:
            return pure
        return PureDP(epsilon=_up(times * pure.epsilon), status=pure.status, source=pure.source)
    if isinstance(guarantee, ApproximateDP):
        if times == 1:
            return guarantee
        return ApproximateDP(
            epsilon=_up(times * guarantee.epsilon),
            log_delta=min(0.0, _toward_zero(guarantee.log_delta + math.log(times))),
            status=guarantee.status,
            source=guarantee.source,
        )
    raise UnsupportedGuarantee(f"cannot compose {type(guarantee).__name__}: no rule for it.")


def _toward_zero(log_delta: float) -> float:
    """A log-delta rounded to the private (larger) side."""
    return math.nextafter(log_delta, math.inf) if math.isfinite(log_delta) else log_delta


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """The guarantee of independent draws with these guarantees, one after another.

    The result is pure where every part is pure or metric, approximate where one part is, and nothing
    where one part promises nothing. Its status is the worst of its parts'.
    """
    epsilon, delta, log_deltas = 0.0, 0.0, []
    worst: Guarantee | None = None
    for part in guarantees:
        if isinstance(part, NoGuarantee):
            return part
        if worst is None or _ORDER.index(part.status) > _ORDER.index(worst.status):
            worst = part
        if isinstance(part, ApproximateDP):
            epsilon = _up(epsilon + part.epsilon)
            log_deltas.append(part.log_delta)
        elif isinstance(part, PureDP | MetricDP):
            epsilon = _up(epsilon + to_pure(part).epsilon)
        else:
            raise UnsupportedGuarantee(f"cannot compose {type(part).__name__}: no rule for it.")
    if worst is None:
        return repeat(PureDP(epsilon=0.0), 0)
    if not log_deltas:
        return PureDP(epsilon=epsilon, status=worst.status, source=worst.source)
    top = max(log_deltas)
    delta = sum(math.exp(value - top) for value in log_deltas) if math.isfinite(top) else 0.0
    log_delta = _toward_zero(top + math.log(delta)) if delta > 0 else -math.inf
    return ApproximateDP(epsilon=epsilon, log_delta=min(0.0, log_delta), status=worst.status, source=worst.source)
