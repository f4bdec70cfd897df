"""What audits and explanations ask of mechanisms that release vectors or sets of words: draws, and inputs in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.kinds import SetMechanism, VectorMechanism

_SHOWN = 4
"""Numbers of a vector that are shown."""


def released(mechanism: VectorMechanism | SetMechanism, one: Any, count: int, rng: np.random.Generator) -> NDArray[Any]:
    """Independent releases of one input, one a row.

    Args:
        mechanism: releases vectors, or sets of words.
        one: a vector of shape (dim,), or a word id.
        count: number of releases.
        rng: for the draws.
    """
    if isinstance(mechanism, VectorMechanism):
        return mechanism.privatize_vectors(np.tile(one, (count, 1)), rng)
    return mechanism.privatize_sets(np.full(count, one, dtype=np.int64), rng)


def shown_input(mechanism: VectorMechanism | SetMechanism, one: Any) -> str:
    """A public word, or the first numbers of a vector that is nobody's."""
    if isinstance(mechanism, SetMechanism):
        return mechanism.vocabulary.words[int(one)]
    numbers = np.ravel(one)
    more = ", ..." if numbers.size > _SHOWN else ""
    return f"({', '.join(f'{number:g}' for number in numbers[:_SHOWN])}{more})"
