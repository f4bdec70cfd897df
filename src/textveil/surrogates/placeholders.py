"""One mark for every value."""

from __future__ import annotations

from typing import Annotated

from textveil.registry.options import Domain, Option
from textveil.surrogates.declaration import SURROGATES, declared
from textveil.surrogates.drawn import Drawn, proved

_TEXT = Option(
    domain=Domain(
        "1 to 40 printable characters",
        lambda value: 1 <= len(value) <= 40 and value.isprintable(),
        outside=("", "x" * 41, "a\n"),
    ),
    help="The text that replaces every value.",
    metavar="TEXT",
)


@declared(summary="The same mark for every value.", kinds=(), proof=SURROGATES)
def placeholder(*, text: Annotated[str, _TEXT] = "[removed]") -> Drawn:
    """A constant: it says that a value stood there, and nothing of it, not even whether two are equal."""
    return Drawn(
        name="placeholder",
        parameters={"text": text},
        guarantee=proved(0.0, SURROGATES),
        public=(),
        counts="mention",
        consistent=False,
        entries=1,
        surrogate_of=lambda value, scope, rng: text,
    )
