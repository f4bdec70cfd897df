"""Places: towns that nobody lives in, streets and states, in the format of an address."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Final

import numpy as np

from textveil.mechanisms.options import Option, named
from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import Drawn, agreed, pseudonym
from textveil.surrogates.pools import keys_of, pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, in_case_of, key_of, shape_of, without_possessive

BEFORE: Final = ("North ", "East ", "West ", "South ", "New ", "Lake ", "Port ")
AFTER: Final = (
    *("ton", "land", "ville", "berg", "burgh", "borough", "bury", "view", "port", "mouth", "stad", "furt", "chester"),
    *("side", "haven", "shire", " Falls", " Springs", " Heights", " Park"),
)
STREETS: Final = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Way", "Place", "Terrace", "Boulevard")

_MARK: Final = re.compile(r"([,\n])")
"""What parts of a place are parted by."""

_CODE: Final = re.compile(r"AA(?:\s+[9-]{3,10})?")
"""The shape of a state, with or without a postal code."""

_LEVEL = Option(
    domain=named("drawn", "kept"),
    help="kept: a country stays a country and a state of the USA a state; which of them it is, is public then.",
    metavar="NAME",
)


@declared(
    summary="Towns made of public parts; streets and states where the format shows them.",
    kinds=("place",),
    proof=PSEUDONYMS,
)
def place(*, level: Annotated[str, _LEVEL] = "drawn") -> Drawn:
    """A pseudonym for each part of a place between commas: a town, or what its format shows.

    The format is what no list is needed for: a part that begins with digits is a street with its number, two capitals
    (with a postal code) are a state, digits alone are digits; all else is a town.

    Args:
        level: ``"kept"`` looks parts up in public lists of countries and states, and draws from the list where one
            stands; then which list that is, is public.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        bare, ending = without_possessive(unicodedata.normalize("NFC", value))
        pieces = _MARK.split(bare)
        pieces[::2] = [_part(part.strip(), level, scope, rng) for part in pieces[::2]]
        pieces[1::2] = [", " if mark == "," else mark for mark in pieces[1::2]]
        return "".join(pieces) + ending

    public = ["its format: its parts between commas and line breaks, and which of them are two capitals alone"]
    public += ["how many digits it has that stand at the beginning of a part, or in one without letters, and its marks"]
    public += ["digits, hyphens and spaces of a postal code behind two capitals, by their number and places"]
    public += ["letter case and possessive of each part", "which of its parts are equal, but for case"]
    if level == "kept":
        public.append("whether a part stands in the public lists of countries and of states of the USA")
    equality = "which parts of places are equal, but for case"
    return pseudonym("place", tuple(public), surrogate_of, towns(), {"level": level}, equality=equality)


def _part(part: str, level: str, scope: Scope, rng: np.random.Generator) -> str:
    """The surrogate of what stands between two commas."""
    shape = shape_of(part)
    if _CODE.fullmatch(shape):
        return _entry("state code", part[:2], scope, rng) + _in_shape(part[2:], scope, rng)
    if not any(map(str.isalpha, part)):
        return _in_shape(part, scope, rng)
    if digits := len(shape) - len(shape.lstrip("9")):
        street = part[digits:].strip()
        return f"{_in_shape(part[:digits], scope, rng)} {in_case_of(street, _street(key_of(street), scope, rng))}"
    if level == "kept":
        for listed in ("country", "state"):
            if key_of(part) in keys_of(listed):
                return in_case_of(part, _entry(listed, key_of(part), scope, rng))
    return in_case_of(part, _town(scope.place("place", key_of(part), towns(), rng)))


def towns() -> int:
    """How many towns there are."""
    return len(pool("town")) * (len(BEFORE) + len(AFTER))


def _town(place: int) -> str:
    """The town of that number."""
    stem, form = divmod(place, len(BEFORE) + len(AFTER))
    name = pool("town")[stem]
    return BEFORE[form] + name if form < len(BEFORE) else name + AFTER[form - len(BEFORE)]


def _street(key: str, scope: Scope, rng: np.random.Generator) -> str:
    stem, form = divmod(scope.place("street", key, len(pool("town")) * len(STREETS), rng), len(STREETS))
    return f"{pool('town')[stem]} {STREETS[form]}"


def _entry(listed: str, key: str, scope: Scope, rng: np.random.Generator) -> str:
    return pool(listed)[scope.place(f"place {listed}", key, len(pool(listed)), rng)]


def _in_shape(part: str, scope: Scope, rng: np.random.Generator) -> str:
    shape = shape_of(part)
    return agreed(scope, "place digits", part, rng, lambda source: filled(shape, source), distinct=True)
