"""Record, card and account numbers: the format stays, what stands in it is drawn, checksums come out right."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from textveil.surrogates.declaration import SURROGATES, declared
from textveil.surrogates.drawn import Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, shape_of

_CARD: Final = re.compile(r"9(?:[\s-]?9){12,18}")
_IBAN: Final = re.compile(r"AA99(?: ?[Aa9]){11,30}")
_SOCIAL: Final = re.compile(r"999([\s-])99\1 ?9999")
"""Each by the shape alone: whether a letter is one of A to Z is private."""


@declared(
    summary="The format is kept, digits and letters are drawn; card numbers and IBANs have valid checksums.",
    kinds=("id",),
    proof=SURROGATES,
    name="id",
)
def id_surrogate() -> Drawn:
    """A uniform string of the format of a value.

    What a reader would check is made right wherever the format alone says that it would be checked: 13 to 19 digits end
    in a Luhn digit; two capitals, two digits and 11 to 30 letters or digits more are an IBAN, whose country is kept,
    with its check digits; three, two and four digits are a social security number of a range that is never given out.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        shape, country = shape_of(value), ""
        if _IBAN.fullmatch(shape) and value[:2].isascii():
            country = value[:2]
        return agreed(
            scope, f"id {country}", value, rng, lambda source: drawn_id(shape, country, source), distinct=True
        )

    return Drawn(
        name="id",
        parameters={},
        guarantee=proved(0.0, SURROGATES),
        public=(
            "its format: which characters are digits, capitals or other letters, and the marks and white space between "
            "them",
            "the country of what is written as an IBAN, where it is two letters of A to Z",
        ),
        equality="which are equal",
        surrogate_of=surrogate_of,
    )


def drawn_id(shape: str, country: str, rng: np.random.Generator) -> str:
    """A string of that shape; ``country`` is what an IBAN begins with, or empty where that is drawn."""
    drawn = filled(shape, rng)
    if _IBAN.fullmatch(shape):
        return with_iban_check((country or drawn[:2]) + drawn[2:])
    if _CARD.fullmatch(shape):
        return with_luhn_digit("3456"[int(rng.integers(4))] + drawn[1:])
    if _SOCIAL.fullmatch(shape):
        group, serial = int(rng.integers(1, 50)), int(rng.integers(1, 10_000))
        return f"9{drawn[1:3]}{shape[3]}{group:02d}{shape[6:-4]}{serial:04d}"
    return drawn


def with_luhn_digit(number: str) -> str:
    """A card number with its last digit such that the Luhn sum is a multiple of ten."""
    digits = [int(one) for one in number if one.isdigit()][:-1]
    doubled = [sum(divmod(2 * one, 10)) if index % 2 == 0 else one for index, one in enumerate(reversed(digits))]
    return number[:-1] + str(-sum(doubled) % 10)


def with_iban_check(number: str) -> str:
    """An IBAN with the two check digits that ISO 13616 asks for: the rest after dividing by 97 is 1."""
    bare = number.replace(" ", "").upper()
    moved = "".join(str(int(one, 36)) for one in f"{bare[4:]}{bare[:2]}00")
    return f"{number[:2]}{98 - int(moved) % 97:02d}{number[4:]}"
