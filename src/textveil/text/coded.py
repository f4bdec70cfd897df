"""Texts as codes, and what the codes stand for: data that encoding, drawing and writing share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.types import Ids


class EncodedTexts(NamedTuple):
    """Texts in a row: the codes of all, and where each begins in them and the last ends."""

    codes: NDArray[np.int64]
    bounds: NDArray[np.int64]


class WordPlaces(NamedTuple):
    """The words among codes.

    Attributes:
        indices: where they stand, in order.
        ids: the vocabulary's id for each.
        out_of_vocabulary: for every code, whether it is a word that the vocabulary does not have.
    """

    indices: Ids
    ids: Ids
    out_of_vocabulary: NDArray[np.bool_]


class NumberPlaces(NamedTuple):
    """The digits among codes, number by number; a number may be several tokens (``text.numbers``).

    Attributes:
        indices: where they stand, in order.
        digits: the value of each, in [0, 10).
        lengths: how many of them belong to each number.
        going_on: where tokens begin that go on with a number begun by an earlier one.
        zero: the code of the digit 0 where it goes on with a number; the others follow.
    """

    indices: Ids
    digits: Ids
    lengths: Ids
    going_on: Ids
    zero: int
