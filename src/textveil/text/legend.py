"""What codes of texts stand for (``text.codes``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textveil.types import Integers


@final
@dataclass(frozen=True, slots=True, eq=False)
class Legend:
    """What codes stand for; indexed by code. Words are written as released: with the capital that they keep.

    Attributes:
        written: the string that is released, an array of str.
        lengths: its length.
        kinds: the kind of the token that the code begins; GOES_ON where it begins none.
    """

    written: NDArray[Any]
    lengths: Integers
    kinds: NDArray[np.int8]
