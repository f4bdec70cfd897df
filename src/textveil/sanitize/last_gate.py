"""Last gate: checks of every release by spans before anything of it is handed out.

Two checks, each by another way than the one on which the release was made:

- What stands outside the released spans is what the input says outside its spans, character for character, where words
  stay; where marks are put into plain form, it is the plain form of that.
- A value that came out as it was is drawn again, and so is a neighbor of it. A draw that returns both of them time and
  again is no draw of the law that its surrogate states.

A refusal depends on the private text, as every error does. Where the first check fails, textveil has a fault, and what
would be released instead tells more. Where every draw follows its law, the second one refuses a value with a
probability of at most ``ALPHA``: that is what it adds to the delta of a release, for each value.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

from textveil.cuts import between
from textveil.detection.quantities import AFTER_SECTION, LIST_NUMBER
from textveil.detection.units import WITH_DIGITS
from textveil.errors import InternalError
from textveil.privacy.units import ONE_VALUE
from textveil.randomness import resolve
from textveil.surrogates.drawn import DrawMentions
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention, Surrogate
from textveil.text.marks import plain_text
from textveil.text.patterns import lazy_regex

ALPHA: Final = 1e-12  # probability that a value is refused though its draws follow their law
_HIGHEST_EPSILON: Final = 4.0  # above it, a law may keep a value so often that few draws say nothing
_NAMES_WITH_DIGITS: Final = lazy_regex(rf"(?<![A-Za-z0-9])(?:{WITH_DIGITS})(?![A-Za-z0-9])")
_SMALL, _LARGE = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NEXT_LETTER: Final = str.maketrans(_SMALL + _LARGE, _SMALL[1:] + "a" + _LARGE[1:] + "A")


def check_outside(
    text: str, spans: Sequence[Sequence[Any]], released: str, places: Sequence[Sequence[Any]], *, normalized: bool
) -> None:
    """Refuse a release whose words outside its spans are not those that the text has outside its spans.

    Args:
        text: the private text.
        spans: of it, each begins with its start and its end.
        released: what would be handed out.
        places: of what stands there for the spans, in order.
        normalized: whether marks outside are in plain form.

    Raises InternalError: they differ, or spans do not lie in their text, by start and disjoint.
    """
    own, shown = between(text, spans), between(released, places)
    if own == shown:
        return
    last = len(own) - 1
    if normalized and len(own) == len(shown):
        ends = [(place > 0, place < last) for place in range(len(own))]
        if all(
            here == there or plain_text(here, *end) == there for here, there, end in zip(own, shown, ends, strict=True)
        ):
            return
    raise InternalError(
        "a release must be its text outside of spans; got another text. Nothing was released; report it."
    )


def check_draws(surrogate: Surrogate, mentions: Sequence[Mention], drawn: Sequence[str], draw: DrawMentions) -> None:
    """Refuse draws that return their input though their law says that they do not always.

    Let a draw be epsilon-DP for any two values of one public form, and let it return x for x with probability a, and y
    for y with b. Then a + b e^-epsilon <= 1 and b + a e^-epsilon <= 1, so a b <= (1 + e^-epsilon)^-2. So many pairs of
    draws are taken that all of them return their inputs with probability ``ALPHA`` at most; one that does not ends it.

    Args:
        surrogate: draws a kind of spans.
        mentions: of that kind, in one text.
        drawn: what was drawn for each.
        draw: the surrogate's, for the text of the mentions.

    Raises InternalError: a value and its neighbor are always returned, and are not public as a whole.
    """
    same = [mention for mention, value in zip(mentions, drawn, strict=True) if value == mention.value]
    epsilon = _epsilon(surrogate) if same else None
    if epsilon is None:
        return
    for mention in same:
        if _public(surrogate, mention):
            continue
        pair = (mention, mention._replace(value=neighbor(mention.value)))
        rng = resolve(None)  # of its own, so that a seeded release does not depend on it
        copies = (draw([other], MemoryScope(), rng) == [other.value] for _ in range(_pairs(epsilon)) for other in pair)
        if pair[0] != pair[1] and all(copies):
            raise InternalError(
                f"the surrogate {surrogate.name} must draw what it is given; got values that it returns as they are. "
                "Nothing was released; report it."
            )


def neighbor(value: str) -> str:
    """Another value, of the same form for most surrogates: with other digits of any writing, or with other letters."""
    other = "".join(map(_other_digit, value))
    return value.translate(_NEXT_LETTER) if other == value else other


def _other_digit(character: str) -> str:
    """Return another digit in place of one, of the same writing if that has one next to it; all else as it is."""
    if not character.isnumeric():
        return character
    for other in (chr(ord(character) + 1), chr(ord(character) - 1)):
        if other.isnumeric() and other.isdecimal() == character.isdecimal():
            return other
    return "\xb2"


def _epsilon(surrogate: Surrogate) -> float | None:
    """Return the nats between any two values; None without such a promise, or if it allows nearly everything."""
    guarantee = surrogate.guarantee
    if not guarantee.promises or guarantee.adjacency != ONE_VALUE:
        return None
    part = guarantee.approximate()
    return part.epsilon if part.delta == 0 and part.epsilon <= _HIGHEST_EPSILON else None


def _pairs(epsilon: float) -> int:
    return math.ceil(-math.log(ALPHA) / (2 * math.log1p(math.exp(-epsilon))))


def _public(surrogate: Surrogate, mention: Mention) -> bool:
    """Tell whether a value is public as a whole: numbers of items and sections, names with digits."""
    if surrogate.name != "measurement":
        return False
    numbers = _NAMES_WITH_DIGITS.sub("", mention.value)
    if not any(map(str.isnumeric, numbers)):
        return True
    return LIST_NUMBER.fullmatch(mention.value) is not None or AFTER_SECTION.search(mention.before) is not None
