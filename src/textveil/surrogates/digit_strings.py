"""Numbers digit by digit, in the format that they have."""

from __future__ import annotations

import unicodedata
from typing import Annotated

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.digits import BASE, KEEP_LIMIT, DigitResponse
from textveil.registry.options import Option, interval
from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import IN_ANY_DIGITS, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, shape_of

_LIMIT = Option(
    domain=interval(f"between {1 / BASE} and 1", 1 / BASE, 1),
    help="No digit stays with a larger probability, whatever epsilon is; 1 is no limit.",
    metavar="P",
    unset=f"{KEEP_LIMIT:g} where epsilon is above 0",
)


@declared(
    summary="Each digit by randomized response, epsilon shared over the digits of a value; the format is kept.",
    kinds=("number", "id", "money"),
    proof=SURROGATES,
)
def digits(*, epsilon: OptionalEpsilon = 0.0, digit_keep_limit: Annotated[float, _LIMIT] | None = None) -> Drawn:
    """Digits by ``DigitResponse``, uniform ones at epsilon 0; letters are drawn uniformly, marks stay.

    ``epsilon`` is for any two values of one format.
    """
    if epsilon == 0:
        hint = "Leave `digit_keep_limit` out for uniform draws."
        need(digit_keep_limit is None, "epsilon", epsilon, "> 0 with `digit_keep_limit`", hint)
    limit = KEEP_LIMIT if digit_keep_limit is None else digit_keep_limit
    response = DigitResponse(epsilon, limit) if epsilon > 0 else None
    label = f"digits {epsilon!r} {limit!r}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        shape = shape_of(value)
        if response is None:
            return agreed(scope, label, value, rng, lambda source: filled(shape, source), distinct=True)
        return agreed(scope, label, value, rng, lambda source: _answered(response, value, shape, source))

    return Drawn(
        name="digits",
        parameters={"epsilon": epsilon} | ({"digit_keep_limit": limit} if epsilon > 0 else {}),
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: which characters are digits, capitals or other letters, and the marks and white space between "
            "them",
        ),
        equality=IN_ANY_DIGITS,
        surrogate_of=surrogate_of,
    )


def _answered(response: DigitResponse, value: str, shape: str, rng: np.random.Generator) -> str:
    """A draw for each digit, in the places of the digits of a string that is drawn for the shape."""
    places = [place for place, character in enumerate(shape) if character == "9"]
    out = list(filled(shape, rng))
    if places:
        true = np.array([unicodedata.digit(value[place]) for place in places], dtype=np.int64)
        for place, digit in zip(places, response.privatize(true, np.array([len(places)]), rng).tolist(), strict=True):
            out[place] = str(digit)
    return "".join(out)
