"""Emoji: one of a public set for those in a row."""

from __future__ import annotations

from typing import Final

import numpy as np

from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import Drawn, pseudonym
from textveil.surrogates.scopes import Scope

EMOJI: Final = tuple(
    chr(code)
    for code in (
        *range(0x1F600, 0x1F645),
        *range(0x1F90D, 0x1F918),
        *(0x1F44B, 0x1F44D, 0x1F44E, 0x1F44F, 0x1F64C, 0x1F64F, 0x1F4AA, 0x1F389, 0x1F381, 0x1F525, 0x2728, 0x1F4AF),
        *(0x1F30D, 0x1F31E, 0x1F308, 0x2B50, 0x1F340, 0x1F339, 0x1F436, 0x1F431, 0x1F98B, 0x1F34E, 0x1F355, 0x1F382),
        *(0x1F37B, 0x2615, 0x26BD, 0x1F3C6, 0x1F3B5, 0x1F4DA, 0x1F4BB, 0x1F4F7, 0x1F680, 0x1F697, 0x1F3E0, 0x23F0),
    )
)
"""Faces, hearts and hands, signs of nature, food and things: public, and every one a whole emoji by itself."""


@declared(summary="One of a public set of common emoji, for emoji in a row.", kinds=("emoji",), proof=PSEUDONYMS)
def emoji() -> Drawn:
    """A pseudonym out of ``EMOJI``: nothing of which emoji stood there, or how many in a row, is told."""

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        return EMOJI[scope.place("emoji", value, len(EMOJI), rng)]

    return pseudonym("emoji", (), surrogate_of, len(EMOJI), equality="which rows of emoji are equal")
