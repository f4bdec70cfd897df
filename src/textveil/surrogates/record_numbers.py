"""Record, card and account numbers: the format stays, what stands in it is drawn, checksums come out right."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from textveil.surrogates.declaration import SURROGATES, declared
from textveil.surrogates.drawn import IN_ANY_DIGITS, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import HEX, LARGE_HEX, filled, shape_of
from textveil.text.patterns import lazy_regex

_CARD: Final = lazy_regex(r"9(?:[\s-]?9){12,18}")
_IBAN: Final = lazy_regex(r"AA99(?: ?[Aa9]){11,30}")
_SOCIAL: Final = lazy_regex(r"999([\s-])99\1 ?9999")
"""Each by the shape alone: whether a letter is one of A to Z is private."""

_UUID: Final = lazy_regex("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEXADECIMAL: Final = lazy_regex(
    r"(?P<lead>0[xX])?(?:[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\2[0-9a-fA-F]{2}){4,6}"
    r"|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}|(?(lead)[0-9a-fA-F]{3,}|(?:[0-9a-f]{16,}|[0-9A-F]{16,})))"
)
_COORDINATE: Final = lazy_regex(
    r"(?P<before>[NSEWnsew]? ?)(?P<degrees>[0-9]{1,3})"
    r"(?P<rest>\.[0-9]+|(?:[\u00b0 ] ?[0-9]{1,2}(?:['\u2032 ] ?[0-9]{1,2})?(?:\.[0-9]+)?))?"
    r"(?P<after>[\u00b0\"'\u2032\u2033 ]{0,3}[NSEWnsew]?)(?![A-Za-z0-9])"
)
_VERSIONS: Final = "12345678"
_HEMISPHERES: Final = str.maketrans("NSEWnsew", "nneennee")


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
    Hexadecimal stays hexadecimal, and coordinates stay on the globe.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        shape, country = formal_shape(value), ""
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
            "whether it is hexadecimal, with the version of a UUID, or geographic coordinates",
        ),
        equality=IN_ANY_DIGITS,
        surrogate_of=surrogate_of,
    )


def formal_shape(value: str) -> str:
    """The shape of an id, with a symbol of its own for what is hexadecimal, or a coordinate."""
    if not value.isascii() and not any(mark in value for mark in "\u00b0\u2032\u2033"):
        return shape_of(value)
    if _UUID.fullmatch(value):
        shape = _hexadecimal(value)
        version = value[14] if value[14] in _VERSIONS else shape[14]
        variant = "V" if LARGE_HEX in shape else "v"
        return f"{shape[:14]}{version}{shape[15:19]}{variant}{shape[20:]}"
    form = _HEXADECIMAL.fullmatch(value)
    if form and (not value.isalnum() or form["lead"] or not (value.isdigit() or value.isalpha())):
        lead = form["lead"] or ""
        return lead + _hexadecimal(value[len(lead) :])
    return _coordinates(value) or shape_of(value)


def _hexadecimal(value: str) -> str:
    """The shape of digits of 16: in capitals where a capital and no small letter is among them."""
    symbol = LARGE_HEX if value.isupper() else HEX
    return "".join(symbol if character.isalnum() else character for character in value)


def _coordinates(value: str) -> str:
    """The shape of coordinates: degrees below 90 or 180, hemispheres, minutes and seconds; empty for other values."""
    if not any(mark in value for mark in ".\u00b0"):
        return ""
    parts, position = [], 0
    for coordinate in _COORDINATE.finditer(value):
        between = value[position : coordinate.start()]
        if between.strip(" ,;/-+()[]"):
            return ""
        degrees = {1: "9", 2: "d9", 3: "ct9"}[len(coordinate["degrees"])]
        rest = re.sub(
            "[0-9]+", lambda digits: "m9" if len(digits[0]) == 2 else "9" * len(digits[0]), coordinate["rest"] or ""
        )
        rest = "." + "9" * (len(rest) - 1) if (coordinate["rest"] or "").startswith(".") else rest
        parts.append(between + coordinate["before"].translate(_HEMISPHERES) + degrees + rest)
        parts.append(coordinate["after"].translate(_HEMISPHERES))
        position = coordinate.end()
    pair = len(parts) == 4 or (len(parts) == 2 and parts[1].strip() != "")
    whole = pair and not value[position:].strip(" )]")
    return "".join(parts) + value[position:] if whole else ""


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
    digits = [int(character) for character in number if character.isdigit()][:-1]
    doubled = [sum(divmod(2 * digit, 10)) if index % 2 == 0 else digit for index, digit in enumerate(reversed(digits))]
    return number[:-1] + str(-sum(doubled) % 10)


def with_iban_check(number: str) -> str:
    """An IBAN with the two check digits that ISO 13616 asks for: the rest after dividing by 97 is 1."""
    bare = number.replace(" ", "").upper()
    moved = "".join(str(int(character, 36)) for character in f"{bare[4:]}{bare[:2]}00")
    return f"{number[:2]}{98 - int(moved) % 97:02d}{number[4:]}"
