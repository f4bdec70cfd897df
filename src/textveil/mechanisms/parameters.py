"""Checks that several constructors of mechanisms share."""

from __future__ import annotations

import math

from textveil.errors import ParameterError, need

_MARGIN = 1 + 2.0**-20
"""Covers the float32 rounding of clipped vectors: diameters are taken this much larger."""


def one_of(**options: float | None) -> tuple[str, float]:
    """The one option that is given, with its value, finite and > 0.

    Raises:
        ParameterError: none or several are given, or the value is out of its domain.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if len(given) != 1:
        names = " or ".join(options)
        got = " and ".join(given) or "neither"
        raise ParameterError(f"exactly one of {names} must be given; got {got}. Give one of them.")
    ((name, value),) = given.items()
    need(0 < value < math.inf, name, value, "finite and > 0")
    return name, float(value)


def checked_clip(clip: float | None) -> float | None:
    """A clipping norm that is None or finite and > 0."""
    need(clip is None or 0 < clip < math.inf, "clip", clip, "finite and > 0, or None for no clipping")
    return clip


def outward(diameter: float) -> float:
    """A diameter enlarged to hold for the float32 vectors that noise is added to."""
    return diameter * _MARGIN


def metric_name(order: str, clip: float | None) -> str:
    """The metric of a guarantee, with what it is measured on."""
    return order if clip is None else f"{order} on vectors clipped to norm {clip:g}"


def rank_decay(rank_constant: float | None, epsilon: float) -> float | None:
    """Nats per rank of the resampling: the paper's c times epsilon; None where there is no resampling."""
    if rank_constant is None:
        return None
    need(0 < rank_constant < math.inf, "rank_constant", rank_constant, "finite and > 0, or None")
    return rank_constant * epsilon
