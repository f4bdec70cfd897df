"""Composition over the tokens of a document (proof: ``proofs/composition.md``).

Draws are independent given the text, so basic composition holds and is exact for the worst text: the
log-ratios of the tokens add up. Sums of epsilon are exact fractions, rounded up once; deltas carry a margin
that covers the rounding of their logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import (
    ApproximateDP,
    Guarantee,
    MetricDP,
    NoGuarantee,
    PureDP,
    Status,
    raised_log,
    to_pure,
)

# From the most to the least trusted; what is put together is as good as its worst part.
_ORDER = (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED, Status.NONE)


class _Part(NamedTuple):
    """A guarantee of any two words by its numbers."""

    epsilon: Fraction
    log_delta: float
    status: Status
    source: str


def _part(guarantee: Guarantee) -> _Part:
    if isinstance(guarantee, PureDP | MetricDP):
        pure = to_pure(guarantee)
        return _Part(Fraction(pure.epsilon), -math.inf, pure.status, pure.source)
    if isinstance(guarantee, ApproximateDP):
        return _Part(Fraction(guarantee.epsilon), guarantee.log_delta, guarantee.status, guarantee.source)
    raise UnsupportedGuarantee(f"cannot compose {type(guarantee).__name__}: no rule for it.")


def _whole(epsilon: Fraction, log_delta: float, parts: Sequence[_Part]) -> PureDP | ApproximateDP:
    """A guarantee with these numbers and the worst status of the parts; epsilon is rounded up."""
    nearest = float(epsilon)
    rounded = nearest if Fraction(nearest) >= epsilon else math.nextafter(nearest, math.inf)
    worst = max(parts, key=lambda part: _ORDER.index(part.status))
    if log_delta == -math.inf:
        return PureDP(epsilon=rounded, status=worst.status, source=worst.source)
    return ApproximateDP(epsilon=rounded, log_delta=min(0.0, log_delta), status=worst.status, source=worst.source)


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
    part = _part(guarantee)
    if times == 0:
        return PureDP(epsilon=0.0, status=Status.PROVED, source="privacy/proofs/composition.md")
    if times == 1:
        return to_pure(guarantee) if isinstance(guarantee, PureDP | MetricDP) else guarantee
    log_delta = part.log_delta
    if log_delta > -math.inf:
        log_delta = raised_log(log_delta + math.log(times))
    return _whole(part.epsilon * times, log_delta, [part])


def compose(guarantees: Sequence[Guarantee]) -> Guarantee:
    """The guarantee of independent draws with these guarantees, one after another.

    The result is pure where every part is pure or metric, approximate where one part is, and nothing
    where one part promises nothing. Its status is the worst of its parts'.
    """
    nothing = next((one for one in guarantees if isinstance(one, NoGuarantee)), None)
    if nothing is not None:
        return nothing
    parts = [_part(one) for one in guarantees]
    if not parts:
        return repeat(PureDP(epsilon=0.0), 0)
    top = max(part.log_delta for part in parts)
    log_delta = top
    if top > -math.inf:
        log_delta = raised_log(top + math.log(math.fsum(math.exp(part.log_delta - top) for part in parts)))
    return _whole(sum((part.epsilon for part in parts), Fraction(0)), log_delta, parts)


def weakest(guarantees: Sequence[Guarantee]) -> Guarantee:
    """What holds for each of several draws: the largest epsilon, the largest delta, the worst status.

    Where one of them is the weakest in every respect, it is returned as it is.
    """
    need(len(guarantees) > 0, "guarantees", "none", "at least one")
    nothing = next((one for one in guarantees if isinstance(one, NoGuarantee)), None)
    if nothing is not None:
        return nothing
    parts = [_part(one) for one in guarantees]
    epsilon = max(part.epsilon for part in parts)
    log_delta = max(part.log_delta for part in parts)
    worst = max(_ORDER.index(part.status) for part in parts)
    for guarantee, part in zip(guarantees, parts, strict=True):
        if part.epsilon == epsilon and part.log_delta == log_delta and _ORDER.index(part.status) == worst:
            return guarantee
    return _whole(epsilon, log_delta, parts)
