"""Text outside the spans: released as it is, or drawn token by token."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, Protocol

import numpy as np

from textveil.cuts import replaced
from textveil.mechanisms.randomized_response import DigitResponse
from textveil.privacy.composition import narrowed
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import ONE_TOKEN_OUTSIDE
from textveil.sanitize.setting import Protected
from textveil.sanitize.token_draws import CountedTexts, DrawsWords, TokenDraws
from textveil.surrogates.map_file import Replaced
from textveil.text.english import Passing
from textveil.text.marks import Marks, plain_edits, plain_text
from textveil.text.render import with_capitals

_NOTHING: Final[Mapping[str, int]] = {}


class Stretches(NamedTuple):
    """Released stretches of one text: before, between and behind its spans."""

    texts: Sequence[str]
    kinds: Mapping[str, int] = _NOTHING  # tokens of each kind in them, where they are drawn
    mapped: int = 0
    shown: int = 0  # characters before a span that its surrogate may look at

    def before(self, place: int) -> str:
        """Return the released characters before a span, by its place; empty if words are drawn."""
        return self.texts[place][-self.shown :] if self.shown else ""

    def after(self, place: int) -> str:
        """Return the released characters behind a span, by its place; empty if words are drawn."""
        return self.texts[place + 1][: self.shown] if self.shown else ""


class Outside(Protocol):
    """Releases the stretches between spans."""

    @property
    def marks(self) -> Marks:
        """Form of their white space and punctuation."""

    @property
    def protected(self) -> tuple[Protected, ...]:
        """Draws in them."""

    def prepared(self, texts: Sequence[Sequence[str]]) -> Any:
        """Make the stretches of several texts ready for their draws."""

    def counts(self, prepared: Any) -> Sequence[Mapping[str, int]]:
        """Count, for each text, the drawn tokens of each kind in its stretches."""

    def drawn(self, prepared: Any, rng: np.random.Generator) -> Sequence[Stretches]:
        """Release the stretches of each text."""

    def joined(self, around: Stretches, drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        """Join released stretches with the surrogates of spans; also return the places of the latter."""

    def pieces(self, original: str, begin: int, ends: tuple[bool, bool], released: str) -> list[Replaced]:
        """Return the pieces of a released stretch that differ from the original.

        ``original``: the stretch of the private text; ``ends``: whether a span stands before it, and behind it.
        """


class Verbatim:
    """Releases stretches as they are, or with their marks in plain form.

    ``marks``: see ``Outside``; ``shown``: characters before a span that its surrogate may look at.
    """

    protected: tuple[Protected, ...] = ()

    def __init__(self, marks: Marks, shown: int) -> None:
        self.marks: Marks = marks
        self._shown = shown

    def prepared(self, texts: Sequence[Sequence[str]]) -> Sequence[Stretches]:
        """The stretches, for which nothing is drawn."""
        if self.marks == "normalize":
            texts = [
                [plain_text(stretch, *_ends(place, len(text))) for place, stretch in enumerate(text)] for text in texts
            ]
        return [Stretches(stretches, shown=self._shown) for stretches in texts]

    def counts(self, prepared: Sequence[Stretches]) -> Sequence[Mapping[str, int]]:
        return [_NOTHING] * len(prepared)

    def drawn(self, prepared: Sequence[Stretches], rng: np.random.Generator) -> Sequence[Stretches]:
        """``prepared``."""
        return prepared

    def joined(self, around: Stretches, drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        return joined(around.texts, drawn)

    def pieces(self, original: str, begin: int, ends: tuple[bool, bool], released: str) -> list[Replaced]:
        """Each run of marks that is in another form."""
        replaced: list[Replaced] = []
        shift = begin
        for start, end, plain in plain_edits(original, *ends) if self.marks == "normalize" else ():
            replaced.append(Replaced(start + shift, start + shift + len(plain), original[start:end], ""))
            shift += len(plain) - (end - start)
        return replaced


class DrawnOutside:
    """Every word of the stretches by a mechanism; all else in them is public or a placeholder.

    Args:
        mechanism: draws the words, each alone or by what the same document released before; or leaves them out.
        marks: see ``Outside``.
        passing: public words that are released as they are; None is none.
    """

    def __init__(self, mechanism: DrawsWords, promise: Guarantee, marks: Marks, passing: Passing | None) -> None:
        # Every digit lies in a span, so no number is ever drawn here.
        common = passing is not None and passing.kind == "common-word"
        self._tokens = TokenDraws(mechanism, None if common else DigitResponse(1.0), marks, passing)
        self.marks: Marks = marks
        guarantee = narrowed(promise, ONE_TOKEN_OUTSIDE)
        self.protected = (Protected("word", guarantee, done=mechanism.name),)

    def prepared(self, texts: Sequence[Sequence[str]]) -> CountedTexts:
        """Encode the texts' tokens, with gaps for spans."""
        return self._tokens.counted(self._tokens.codes.encode_around(texts))

    def counts(self, prepared: CountedTexts) -> Sequence[Mapping[str, int]]:
        return prepared.counts

    def drawn(self, prepared: CountedTexts, rng: np.random.Generator) -> Sequence[Stretches]:
        """Draw for every word."""
        drawn = self._tokens.drawn(prepared, rng)
        codes, bounds = drawn.codes
        strings = self._tokens.codes.legend.written[codes]
        gaps = np.flatnonzero(codes == self._tokens.codes.gap)
        inside = [gaps[low:high] for low, high in pairwise(np.searchsorted(gaps, bounds).tolist())]
        texts = [
            ["".join(strings[low:high]) for low, high in zip([start, *(here + 1)], [*here, stop], strict=True)]
            for here, (start, stop) in zip(inside, pairwise(bounds.tolist()), strict=True)
        ]
        return [
            Stretches(text, kinds=counts, mapped=mapped)
            for text, counts, mapped in zip(texts, drawn.counts, drawn.mapped, strict=True)
        ]

    def joined(self, around: Stretches, drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
        """Join with capitals in what was drawn for words; surrogates keep their own."""
        text, places = joined(around.texts, drawn)
        own = [(*place, value) for place, value in zip(places, drawn, strict=True)]
        return replaced(with_capitals(text), own), places

    def pieces(self, original: str, begin: int, ends: tuple[bool, bool], released: str) -> list[Replaced]:
        """The stretch as a whole."""
        return [Replaced(begin, begin + len(released), original, "")] if original != released else []


def _ends(place: int, count: int) -> tuple[bool, bool]:
    return place > 0, place < count - 1


def joined(stretches: Sequence[str], drawn: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Join stretches with what was drawn between them; also return the places of the latter."""
    parts, places, position = [stretches[0]], [], len(stretches[0])
    for value, stretch in zip(drawn, stretches[1:], strict=True):
        places.append((position, position + len(value)))
        position += len(value) + len(stretch)
        parts += [value, stretch]
    return "".join(parts), places


def plain_value(value: str, marks: Marks) -> str:
    """Return a span's value with its marks in plain form, if ``marks`` asks for it and anything is left then."""
    return plain_text(value, True, True) or value if marks == "normalize" else value
