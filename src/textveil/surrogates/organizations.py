"""Organizations: a family and what it might run."""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np

from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import Drawn, agreed, pseudonym
from textveil.surrogates.pools import pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, key_of, without_possessive

FORMS: Final = (
    *(
        "{} & Sons",
        "{} and Partners",
        "{} Associates",
        "{} Brothers",
        "{} Consulting",
        "{} Corporation",
        "{} Enterprises",
    ),
    *("{} Foundation", "{} Group", "{} Holdings", "{} Inc.", "{} Industries", "{} Institute", "{} International"),
    *("{} Laboratories", "{} Ltd.", "{} LLC", "{} Logistics", "{} Media", "{} Services", "{} Solutions", "{} Systems"),
    *("{} Technologies", "{} Trading", "{} Trust", "{} Works"),
)
"""A family and one of these: the names are made up, and some company may be called so by chance."""

_NAME: Final = "organization"
_ACRONYM: Final = range(2, 6)
"""How many letters an acronym has."""


@declared(summary="A made-up company, or as many capitals for an acronym.", kinds=("organization",), proof=PSEUDONYMS)
def organization() -> Drawn:
    """A pseudonym for the whole name: a family of the public pool and one of 26 forms.

    Two to five capitals of any writing alone are an acronym, and become as many capitals, which spell nothing.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        bare, ending = without_possessive(unicodedata.normalize("NFC", value))
        label = _label(bare)
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
    return pseudonym("organization", public, surrogate_of, organizations(), equality=equality, read=_key)


def _label(bare: str) -> str:
    """What organizations like this one are drawn under: names, and acronyms by their length."""
    acronym = len(bare) in _ACRONYM and bare.isalpha() and bare.isupper()
    return f"{_NAME}, {len(bare)} capitals" if acronym else _NAME


def _key(value: str) -> str:
    """What organizations are told apart by."""
    bare, _ = without_possessive(unicodedata.normalize("NFC", value))
    return f"{_label(bare)}: {key_of(bare)}"


def organizations() -> int:
    """How many there are."""
    return len(pool("family")) * len(FORMS)
