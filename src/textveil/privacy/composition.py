"""Composition over the tokens of a document (proof: ``proofs/composition.md``).

Draws are independent given the text, so basic composition holds and is exact for the worst text: the
log-ratios of the tokens add up. Sums of epsilon are exact fractions, rounded up once; deltas carry a margin
that covers the rounding of their logarithms.

What is added up has a unit. The draws for the tokens of a document add up to a guarantee of the document; guarantees of
different units are never added as if they were the same: ``into`` says what they add up to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import ApproximateDP, Guarantee, PureDP, Status, raised_log
from textveil.privacy.proved import status_of
from textveil.privacy.units import ONE_TOKEN, Adjacency, Unit

# From the most to the least trusted; what is put together is as good as its worst part.
_ORDER = (Status.PROVED, Status.CERTIFIED, Status.CLAIMED, Status.REFUTED, Status.NONE)


def as_approximate(guarantee: Guarantee) -> ApproximateDP:
    """Return a guarantee by its epsilon and delta.

    Raises:
        UnsupportedGuarantee: it promises nothing, or is no guarantee that composition knows.
    """
    convert = getattr(guarantee, "approximate", None)
    if convert is None:
        raise UnsupportedGuarantee(f"cannot compose {type(guarantee).__name__}: no rule for it.")
    return convert()


def added_up(guarantees: Sequence[Guarantee], into: Adjacency | None = None) -> Adjacency:
    """Add up draws with these guarantees that one change of the unit can all reach.

    Draws for tokens or spans add up to the document that holds them; draws for one document (released twice, say) to
    that document. Other mixes must be named by ``into``, whose unit is at least as large as every part's: the sum is
    then right where ``guarantees`` lists every draw that a change of that unit can reach.

    Raises:
        UnsupportedGuarantee: different units, and ``into`` does not say what they add up to; or it is smaller.
    """
    parts = {guarantee.adjacency for guarantee in guarantees}
    if into is not None:
        if not all(into.unit.holds(adjacency.unit) for adjacency in parts):
            raise UnsupportedGuarantee(
                f"guarantees of {_units(parts)} cannot add up to one of a {into.unit.value}; wanted a unit that is at "
                "least as large. Use narrowed() for what follows for a smaller unit."
            )
        _need_shared(parts, into)
        return into
    if len(parts) > 1:
        raise UnsupportedGuarantee(
            f"guarantees of one unit and adjacency can be added; got {_units(parts)}. Say by into= what they add up to."
        )
    adjacency = parts.pop() if parts else ONE_TOKEN
    within = adjacency.unit in (Unit.TOKEN, Unit.SPAN, Unit.ENTITY, Unit.GROUP)
    return adjacency.larger if within and adjacency.larger is not None else adjacency


def _need_shared(parts: set[Adjacency], adjacency: Adjacency) -> None:
    """Refuse to state for any two words what holds for some of them alone."""
    narrow = next((other for other in parts if other.shared not in ("", adjacency.shared)), None)
    if narrow is not None:
        raise UnsupportedGuarantee(
            f"a guarantee that leaves {narrow.shared} public says nothing of {adjacency}; wanted one for any two "
            "words. Choose a mechanism whose adjacency is that of one token (`textveil mechanisms`)."
        )


def _units(parts: set[Adjacency]) -> str:
    return " and ".join(sorted(f"a {adjacency.unit.value} ({adjacency})" for adjacency in parts))


def narrowed(guarantee: Guarantee, adjacency: Adjacency) -> Guarantee:
    """State a guarantee for a unit that is not larger: two texts that differ in one token are two documents.

    Raises:
        UnsupportedGuarantee: the unit is larger, or more words may be exchanged than the guarantee compares.
    """
    if not guarantee.unit.holds(adjacency.unit):
        raise UnsupportedGuarantee(
            f"a guarantee of a {guarantee.unit.value} says nothing of a {adjacency.unit.value}. Add up the draws "
            "that it takes, by repeat()."
        )
    _need_shared({guarantee.adjacency}, adjacency)
    return replace(guarantee, adjacency=adjacency)


def _whole(
    epsilon: Fraction, log_delta: float, parts: Sequence[Guarantee], adjacency: Adjacency
) -> PureDP | ApproximateDP:
    """Return a guarantee with these numbers and the worst status of the parts; epsilon is rounded up."""
    nearest = float(epsilon)
    rounded = nearest if Fraction(nearest) >= epsilon else math.nextafter(nearest, math.inf)
    worst = worst_of(parts)
    status, source = worst.status, worst.source
    if log_delta == -math.inf:
        return PureDP(epsilon=rounded, status=status, source=source, adjacency=adjacency)
    bounded = min(0.0, log_delta)
    return ApproximateDP(epsilon=rounded, log_delta=bounded, status=status, source=source, adjacency=adjacency)


def worst_of(parts: Sequence[Guarantee]) -> Guarantee:
    """Return the part that is trusted least; the first of several."""
    return max(parts, key=lambda part: _ORDER.index(part.status))


def repeat(guarantee: Guarantee, times: int, into: Adjacency | None = None) -> Guarantee:
    """Return the guarantee of ``times`` independent draws, such as those of a document's tokens.

    Two documents of ``times`` protected tokens each are compared, any number of which may differ.
    A metric guarantee becomes pure through the diameter first: distances of unrelated tokens have no
    common bound other than it. For delta the union bound is used, capped at 1.

    Args:
        guarantee: of one draw.
        times: number of draws, >= 0. None of them cost nothing.
        into: what they add up to; None is the document that holds them, see ``added_up``.

    Raises:
        UnsupportedGuarantee: an unknown kind of guarantee, or ``into`` is of a smaller unit.
    """
    need(times >= 0, "times", times, ">= 0")
    if not getattr(guarantee, "promises", True):
        return replace(guarantee, adjacency=added_up([guarantee], into))
    part = as_approximate(guarantee)
    adjacency = added_up([guarantee], into)
    if times == 0:
        source = "privacy/proofs/composition.md"
        return PureDP(epsilon=0.0, status=status_of(__name__, source), source=source, adjacency=adjacency)
    if times == 1:
        return replace(guarantee.worst_case(), adjacency=adjacency)
    log_delta = part.log_delta
    if log_delta > -math.inf:
        log_delta = raised_log(log_delta + math.log(times))
    return _whole(Fraction(part.epsilon) * times, log_delta, [part], adjacency)


def compose(guarantees: Sequence[Guarantee], into: Adjacency | None = None) -> Guarantee:
    """Return the guarantee of independent draws with these guarantees, one after another.

    The result is pure where every part is pure or metric, approximate where one part is, and nothing
    where one part promises nothing. Its status is the worst of its parts'.

    Args:
        guarantees: one for each draw.
        into: what they add up to; None is the document that holds them, see ``added_up``.

    Raises:
        UnsupportedGuarantee: an unknown kind of guarantee, or units that differ where ``into`` is None.
    """
    nothing = next((guarantee for guarantee in guarantees if not getattr(guarantee, "promises", True)), None)
    if nothing is not None:
        return replace(nothing, adjacency=added_up(guarantees, into))
    parts = [as_approximate(guarantee) for guarantee in guarantees]
    # What costs nothing for one unit costs nothing for any, so it has no say in the sum's unit.
    costly = [part for part in parts if part.epsilon > 0 or part.log_delta > -math.inf]
    adjacency = added_up(costly or parts, into)
    if not parts:
        return repeat(PureDP(epsilon=0.0), 0, adjacency)
    top = max(part.log_delta for part in parts)
    log_delta = top
    if top > -math.inf:
        log_delta = raised_log(top + math.log(math.fsum(math.exp(part.log_delta - top) for part in parts)))
    return _whole(sum((Fraction(part.epsilon) for part in parts), Fraction(0)), log_delta, parts, adjacency)


def weakest(guarantees: Sequence[Guarantee]) -> Guarantee:
    """Return what holds for each of several draws: the largest epsilon, the largest delta, the worst status.

    Where one of them is the weakest in every respect, it is returned as it is.

    Raises:
        UnsupportedGuarantee: they speak of different units; or one is unknown.
    """
    need(len(guarantees) > 0, "guarantees", "none", "at least one")
    nothing = next((guarantee for guarantee in guarantees if not getattr(guarantee, "promises", True)), None)
    if nothing is not None:
        return nothing
    parts = [as_approximate(guarantee) for guarantee in guarantees]
    adjacencies = {part.adjacency for part in parts}
    if len(adjacencies) > 1:
        raise UnsupportedGuarantee(
            f"only guarantees of one unit and adjacency can be compared; got {_units(adjacencies)}. "
            "Use narrowed() for what follows for the smaller unit."
        )
    epsilon = max(part.epsilon for part in parts)
    log_delta = max(part.log_delta for part in parts)
    worst = _ORDER.index(worst_of(parts).status)
    for guarantee, part in zip(guarantees, parts, strict=True):
        if part.epsilon == epsilon and part.log_delta == log_delta and _ORDER.index(part.status) == worst:
            return guarantee
    return _whole(Fraction(epsilon), log_delta, parts, parts[0].adjacency)
