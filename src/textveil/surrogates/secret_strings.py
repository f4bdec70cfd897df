"""Secrets: what their issuers write in front stays, and so does their form; all else is drawn."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from textveil.detection.secret_forms import KEPT_BEGINNINGS, PEM_LABEL
from textveil.surrogates.declaration import SURROGATES, declared
from textveil.surrogates.drawn import IN_ANY_DIGITS, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import ANY, HEX, LARGE_HEX, LARGE_MIXED, MIXED, filled, shape_of
from textveil.text.patterns import lazy_regex

_BEGINNING: Final = lazy_regex("|".join(map(re.escape, KEPT_BEGINNINGS)))
_FRAME: Final = lazy_regex(rf"-----(?:BEGIN|END) {PEM_LABEL}-----")
_FRAME_AND_BREAKS: Final = lazy_regex(rf"{_FRAME.pattern}|\\[rn]")
"""Line breaks that are written as letters: behind a backslash in other secrets, such letters are drawn."""
_SYMBOLS: Final = {"9": "9", "a": "a", "A": "A", "9a": MIXED, "9A": LARGE_MIXED, "Aa": "w", "9Aa": ANY}
_SMALL_HEX: Final = lazy_regex("[^0-9a-f]")
_CAPITAL_HEX: Final = lazy_regex("[^0-9A-F]")
_SHORTEST_HEX: Final = 16
_DRAWN: Final = frozenset("9aA")


@declared(
    summary="A public beginning such as ghp_, marks, length and alphabet are kept; all letters and digits are drawn.",
    kinds=("secret",),
    proof=SURROGATES,
    name="secret",
)
def secret_surrogate() -> Drawn:
    """A uniform string in the place of a secret.

    Beginnings that name an issuer stay, and the first and last line of a private key. Which characters are digits and
    which are letters is drawn too: only the alphabet of the whole is public.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        kept, shape = secret_shape(value)
        return agreed(scope, "secret", value, rng, lambda source: _drawn(kept, shape, source), distinct=True)

    return Drawn(
        name="secret",
        parameters={},
        guarantee=proved(0.0, SURROGATES),
        public=(
            "its beginning, where that is one of a public list (ghp_, AKIA); the first and last line of a private key",
            "how long it is, its marks and white space; which of digits, small letters and capitals it has; whether it "
            "is hexadecimal",
        ),
        equality=IN_ANY_DIGITS,
        surrogate_of=surrogate_of,
    )


def secret_shape(value: str) -> tuple[str, str]:
    """What stays of a secret, with a null character for each other one; and the shape of these."""
    kept = list("\0" * len(value))
    beginning = _BEGINNING.match(value)
    frames = [(beginning.start(), beginning.end())] if beginning else []
    framed = _FRAME_AND_BREAKS.finditer(value) if _FRAME.search(value) else ()
    for start, end in [*frames, *(frame.span() for frame in framed)]:
        kept[start:end] = value[start:end]
    rest = "".join(character for character, mark in zip(value, kept, strict=True) if mark == "\0")
    shape = shape_of(rest)
    symbol = _symbol(rest, shape)
    return "".join(kept), "".join(symbol if character in _DRAWN else character for character in shape)


def _symbol(rest: str, shape: str) -> str:
    """The symbol of the alphabet that letters and digits are drawn from."""
    classes = "".join(symbol for symbol in "9Aa" if symbol in shape)
    word = "".join(character for character in rest if character.isalnum())
    if len(word) >= _SHORTEST_HEX and classes in ("9a", "9A"):
        if not _SMALL_HEX.search(word):
            return HEX
        if not _CAPITAL_HEX.search(word):
            return LARGE_HEX
    return _SYMBOLS.get(classes, "9")


def _drawn(kept: str, shape: str, rng: np.random.Generator) -> str:
    drawn = iter(filled(shape, rng))
    return "".join(next(drawn) if character == "\0" else character for character in kept)
