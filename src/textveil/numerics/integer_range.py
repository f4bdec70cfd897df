"""Whether integers lie in a range, told in one look."""

from __future__ import annotations

import numpy as np

from textveil.types import Integers


def all_below(values: Integers, limit: int) -> bool:
    """Whether every one of ``values``, integers and at least one of them, is in [0, limit)."""
    if values.dtype == np.int64:  # as unsigned integers the negative ones are the largest
        return bool(np.maximum.reduce(values.view(np.uint64)) < limit)
    return bool(values.min() >= 0 and values.max() < limit)
