"""Places (towns that nobody lives in, streets, states) in the format of an address, and organizations."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Final

import numpy as np

from textveil.registry.options import Option, named
from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import Drawn, agreed, pseudonym
from textveil.surrogates.pools import keys_of, pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, in_case_of, key_of, shape_of, without_possessive
from textveil.text.patterns import lazy_regex

BEFORE: Final = ("North ", "East ", "West ", "South ", "New ", "Lake ", "Port ")
AFTER: Final = (
    *("ton", "land", "ville", "berg", "burgh", "borough", "bury", "view", "port", "mouth", "stad", "furt", "chester"),
    *("side", "haven", "shire", " Falls", " Springs", " Heights", " Park"),
)
STREETS: Final = ("Street", "Avenue", "Road", "Lane", "Drive", "Court", "Way", "Place", "Terrace", "Boulevard")
_MARK: Final = lazy_regex(r"([,\n])")  # what parts of a place are parted by
_CODE: Final = lazy_regex(r"AA(?:\s+[9-]{3,10})?")  # the shape of a state, with or without a postal code
# The shape of a postal code with letters: British, Canadian, Dutch.
_POSTAL: Final = lazy_regex(r"A{1,2}9{1,2}A? ?9AA|A9A ?9A9|9999 ?AA")

# The shape of a town behind its postal code: streets have two words behind a number of so many digits.
_CODE_AND_TOWN: Final = lazy_regex(r"9{4,5} [^\s9]+")

# What equality of parts is public, within a place and among places.
_EQUAL: Final = (
    "are equal, but for case and possessive; also which streets are, whatever their house numbers, and which states "
    "and towns are, whatever their postal codes"
)

_LEVEL = Option(
    domain=named("drawn", "kept"),
    help="kept: a country stays a country and a state of the USA a state. Which it is, is public.",
    metavar="NAME",
)


@declared(
    summary="Towns made of public parts; streets and states where the format shows them.",
    kinds=("place",),
    proof=PSEUDONYMS,
)
def place(*, level: Annotated[str, _LEVEL] = "drawn") -> Drawn:
    """A pseudonym for each part of a place between commas: a town, or what its format shows.

    A street, state or town gets its own pseudonym, whatever number or code stands beside it. House numbers and postal
    codes are drawn for the whole part.

    The format is what no list is needed for: four or five digits and one word are a town behind its postal code; any
    other part that begins with digits is a street with its number; two capitals (with a postal code) are a state;
    digits alone are digits; SW1A 1AA, K1A 0B1 and 1012 AB are postal codes by their shape; all else is a town.

    ``level`` kept looks parts up in public lists of countries and states, and draws from the list where one stands.
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
    public += ["of a part of another postal code's shape, that shape; whether one word follows four or five digits"]
    public += ["letter case and possessive of each part", "which of its parts are equal"]
    if level == "kept":
        public.append("whether a part stands in the public lists of countries and of states of the USA")
    equality = f"which parts of places {_EQUAL}"
    return pseudonym(
        "place", tuple(public), surrogate_of, towns(), {"level": level}, equality=equality, read=_place_key
    )


def _place_key(value: str) -> str:
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    parts = (part.strip() for part in _MARK.split(bare)[::2])
    return ", ".join(f"{_format(part, shape_of(part))} {key_of(part)}" for part in parts)


def _format(part: str, shape: str) -> str:
    if _CODE.fullmatch(shape):
        return "state"
    if _POSTAL.fullmatch(shape):
        return "code"
    if not any(map(str.isalpha, part)):
        return "digits"
    if _CODE_AND_TOWN.fullmatch(shape):
        return "code and town"
    return "street" if shape.startswith("9") else "town"


def _part(part: str, level: str, scope: Scope, rng: np.random.Generator) -> str:
    shape, key = shape_of(part), key_of(part)
    written = _format(part, shape)
    if written == "state":
        return _entry("state code", key_of(part[:2]), scope, rng) + _digits(shape[2:], key, scope, rng)
    if written in ("digits", "code"):
        return _digits(shape, key, scope, rng)
    if written in ("street", "code and town"):
        digits = len(shape) - len(shape.lstrip("9"))
        named_place = part[digits:].strip()
        drawn = _street if written == "street" else _town_of
        number = _digits(shape[:digits], key, scope, rng)
        return f"{number} {in_case_of(named_place, drawn(key_of(named_place), scope, rng))}"
    if level == "kept":
        for listed in ("country", "state"):
            if key in keys_of(listed):
                return in_case_of(part, _entry(listed, key, scope, rng))
    return in_case_of(part, _town_of(key, scope, rng))


def towns() -> int:
    """Return how many towns there are."""
    return len(pool("town")) * (len(BEFORE) + len(AFTER))


def _town_of(key: str, scope: Scope, rng: np.random.Generator) -> str:
    return town(scope.place("place", key, towns(), rng))


def town(place: int) -> str:
    """Return the town of a number below ``towns()``."""
    stem, form = divmod(place, len(BEFORE) + len(AFTER))
    name = pool("town")[stem]
    return BEFORE[form] + name if form < len(BEFORE) else name + AFTER[form - len(BEFORE)]


def _street(key: str, scope: Scope, rng: np.random.Generator) -> str:
    stem, form = divmod(scope.place("street", key, len(pool("town")) * len(STREETS), rng), len(STREETS))
    return f"{pool('town')[stem]} {STREETS[form]}"


def _entry(listed: str, key: str, scope: Scope, rng: np.random.Generator) -> str:
    return pool(listed)[scope.place(f"place {listed}", key, len(pool(listed)), rng)]


def _digits(shape: str, key: str, scope: Scope, rng: np.random.Generator) -> str:
    """Draw the digits of a whole part by its key, so that no equality of digits alone is told."""
    return agreed(scope, f"place digits {shape}", key, rng, lambda source: filled(shape, source), distinct="9" in shape)


FORMS: Final = tuple(
    f"{{}} {form}"
    for form in (
        *("& Sons", "and Partners", "Associates", "Brothers", "Consulting", "Corporation", "Enterprises", "Foundation"),
        *("Group", "Holdings", "Inc.", "Industries", "Institute", "International", "Laboratories", "Ltd.", "LLC"),
        *("Logistics", "Media", "Services", "Solutions", "Systems", "Technologies", "Trading", "Trust", "Works"),
    )
)
"""A family and one of these: the names are made up, and some company may be called so by chance."""

_NAME: Final = "organization"
_ACRONYM: Final = range(2, 6)  # how many letters an acronym has


@declared(summary="A made-up company, or as many capitals for an acronym.", kinds=("organization",), proof=PSEUDONYMS)
def organization() -> Drawn:
    """A pseudonym for the whole name: a family of the public pool and one of 26 forms.

    Two to five capitals of any writing alone are an acronym, and become as many capitals, which spell nothing.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        bare, ending = without_possessive(unicodedata.normalize("NFC", value))
        label = _organization_label(bare)
        if label != _NAME:
            shape = "A" * len(bare)
            return agreed(scope, label, key_of(bare), rng, lambda source: filled(shape, source), distinct=True) + ending
        family, form = divmod(scope.place(label, key_of(bare), organizations(), rng), len(FORMS))
        written = FORMS[form].format(pool("family")[family])
        return (written + ending).upper() if bare.isupper() else written + ending

    public = (
        "whether it is written in capitals, and how many letters it has where it is two to five capitals alone",
        "its possessive",
    )
    equality = "which are equal, but for case and possessive"
    return pseudonym("organization", public, surrogate_of, organizations(), equality=equality, read=_organization_key)


def _organization_label(bare: str) -> str:
    acronym = len(bare) in _ACRONYM and bare.isalpha() and bare.isupper()
    return f"{_NAME}, {len(bare)} capitals" if acronym else _NAME


def _organization_key(value: str) -> str:
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    return f"{_organization_label(bare)}: {key_of(bare)}"


def organizations() -> int:
    """Return how many organizations there are."""
    return len(pool("family")) * len(FORMS)
