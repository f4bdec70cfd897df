"""Ways from texts to releases: token by token, or a whole text at once. ``by_policy`` has that of a policy with spans.

A way makes texts ready for draws (``prepared``, which no draw depends on), and then draws and puts releases together
(``releases``). What it draws, and under which guarantee, is ``protected``. ``Outside`` is the way of the text outside
spans: as it is, or token by token.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple, NoReturn, Protocol, SupportsIndex

import numpy as np

from textveil.cuts import replaced
from textveil.errors import ParameterError, RandomnessError, UnsupportedGuarantee, told_by_type
from textveil.mechanisms.kinds import TextMechanism
from textveil.mechanisms.randomized_response import KEEP_LIMIT, CommonWordResponse, DigitResponse
from textveil.privacy.accountant import Accountant
from textveil.privacy.composition import narrowed
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import ONE_CONTENT_TOKEN, ONE_TOKEN, ONE_TOKEN_OUTSIDE, Unit, beside_common_words
from textveil.sanitize.release import Release, WordVectors
from textveil.sanitize.setting import Protected, Setting
from textveil.sanitize.token_draws import LEFT_OUT, CountedTexts, DrawsWords, LeftOut, TokenDraws
from textveil.surrogates.map_file import Replaced
from textveil.surrogates.scopes import Scope
from textveil.text.english import Passing
from textveil.text.marks import Marks, plain_edits, plain_text
from textveil.text.render import with_capitals, written_texts


class Way(Protocol):
    """Makes releases of texts. For the properties see the attributes of ``Setting``."""

    @property
    def protected(self) -> tuple[Protected, ...]: ...

    @property
    def number_epsilon(self) -> float | None: ...

    @property
    def digit_keep_limit(self) -> float | None: ...

    @property
    def marks(self) -> Marks | None: ...

    def prepared(self, texts: Sequence[str], first: int = 1) -> Any:
        """Make texts ready for draws; ``first`` is the number of the first, for errors."""

    def counts(self, prepared: Any) -> Sequence[Mapping[str, int]]:
        """Return the draws of each text by kind: the ``kinds`` of its release."""

    def releases(self, prepared: Any, setting: Setting, rng: np.random.Generator, wanted: Wanted) -> list[Release]:
        """Draw, and return a release of each text."""


class Wanted(NamedTuple):
    """Contents of releases beside their text, and a scope for each text; None makes new ones."""

    spans: bool = True
    maps: bool = False
    scopes: Sequence[Scope] | None = None


class ByTokens:
    """Every word by the mechanism and every number digit by digit; everything else is public or a placeholder.

    Args:
        mechanism: draws the words, or leaves them out.
        promise: the guarantee of one token that releases carry.
        number_epsilon: nats for one number; None takes the guarantee of one word, and leaves numbers out if it is 0.
        digit_keep_limit: see ``Sanitizer``.
        marks: see ``Sanitizer``.
        passing: public words that are released as they are.

    Raises UnsupportedGuarantee: the guarantee is not of one token; ParameterError: ``number_epsilon`` is None and
    cannot be derived.
    """

    def __init__(
        self,
        mechanism: DrawsWords,
        promise: Guarantee,
        number_epsilon: float | None,
        digit_keep_limit: float | None,
        marks: Marks | None,
        passing: Passing | None = None,
    ) -> None:
        if promise.unit is not Unit.TOKEN:
            raise UnsupportedGuarantee(
                f"a mechanism of words must promise something of one token; got a promise of one {promise.unit.value}. "
                "State its guarantee for one token."
            )
        if number_epsilon is None:
            if not mechanism.guarantee.promises:
                raise ParameterError("number_epsilon must be given for a mechanism without a guarantee; got none.")
            number_epsilon = mechanism.guarantee.approximate().epsilon
        common = passing is not None and passing.kind == "common-word"
        digits = None
        if number_epsilon > 0 and not (common and isinstance(mechanism, CommonWordResponse)):
            digits = DigitResponse(number_epsilon, KEEP_LIMIT if digit_keep_limit is None else digit_keep_limit)
        self.marks: Marks = "normalize" if marks is None else marks
        self._tokens = TokenDraws(mechanism, digits, self.marks, passing)
        self._vectors = (
            None if isinstance(mechanism, LeftOut | CommonWordResponse) or passing else WordVectors(mechanism)
        )
        self.number_epsilon = None if digits is None else digits.epsilon
        self.digit_keep_limit = None if digits is None else digits.keep_limit
        numbers = LEFT_OUT if digits is None else digits.guarantee
        protected = {"word": promise, "number": numbers if promise.promises else promise}
        if passing is not None:
            share = ONE_TOKEN
            if passing.kind == "function-word":
                share = ONE_CONTENT_TOKEN
            elif not isinstance(mechanism, CommonWordResponse):
                share = beside_common_words(promise.adjacency.shared)
            protected = {kind: narrowed(part, share) for kind, part in protected.items()}
        of_numbers = "digits" if digits is not None else "placeholder"
        if isinstance(mechanism, LeftOut):
            of_numbers = mechanism.name
        done = {"word": mechanism.name, "number": of_numbers} if passing is not None else {}
        base_masses = {"word": _base_mass(mechanism)} if passing is None else {}
        self.protected = tuple(
            Protected(kind, part, done=done.get(kind, ""), base_mass=base_masses.get(kind, 0.0))
            for kind, part in protected.items()
        )

    def prepared(self, texts: Sequence[str], first: int = 1) -> CountedTexts:
        return self._tokens.counted(self._tokens.codes.encode(texts))

    def counts(self, prepared: CountedTexts) -> Sequence[Mapping[str, int]]:
        return prepared.counts

    def releases(
        self, prepared: CountedTexts, setting: Setting, rng: np.random.Generator, wanted: Wanted
    ) -> list[Release]:
        drawn = self._tokens.drawn(prepared, rng)
        written = written_texts(drawn.codes, self._tokens.codes.legend, drawn.kinds, with_spans=wanted.spans)
        return [
            Release(
                text=text.text,
                spans=text.spans,
                kinds=counts,
                setting=setting,
                mapped=outside,
                word_vectors=self._vectors,
            )
            for text, counts, outside in zip(written, drawn.counts, drawn.mapped, strict=True)
        ]


class ByTexts:
    """Every text by one draw of the mechanism; nothing but its output is released.

    ``mechanism``: draws the texts; ``promise``: the guarantee of a document, or of all spans of one, that releases
    carry. Raises UnsupportedGuarantee: the guarantee is of another unit, so that the cost of a text would not be known.
    """

    number_epsilon: None = None
    digit_keep_limit: None = None
    marks: None = None

    def __init__(self, mechanism: TextMechanism, promise: Guarantee) -> None:
        if promise.unit not in (Unit.GROUP, Unit.DOCUMENT):
            raise UnsupportedGuarantee(
                "a mechanism of whole texts must promise something of a document, or of all its spans; got a promise "
                f"of one {promise.unit.value}. State its guarantee for a document."
            )
        self._mechanism = mechanism
        self._vectors = WordVectors(mechanism)
        self.protected = (Protected("text", promise),)

    def prepared(self, texts: Sequence[str], first: int = 1) -> Sequence[str]:
        return texts

    def counts(self, prepared: Sequence[str]) -> Sequence[Mapping[str, int]]:
        return [{"text": 1} for _ in prepared]

    def releases(
        self, prepared: Sequence[str], setting: Setting, rng: np.random.Generator, wanted: Wanted
    ) -> list[Release]:
        with told_by_type(f"the mechanism {self._mechanism.name} must draw"):
            drawn = self._mechanism.privatize_texts([*prepared], rng)
        if len(drawn) != len(prepared) or not all(isinstance(text, str) for text in drawn):
            raise UnsupportedGuarantee(
                f"a mechanism of whole texts must return {len(prepared)} strings; got {len(drawn)} values, or others. "
                "Correct its `privatize_texts`."
            )
        vectors = self._vectors  # the tokens of what is released are no tokens of the text, so there are no spans
        return [
            Release(text=text, spans=(), kinds={"text": 1}, setting=setting, mapped=0, word_vectors=vectors)
            for text in drawn
        ]


def _base_mass(mechanism: object) -> float:
    if not hasattr(mechanism, "base_mass"):
        return 0.0
    from textveil.mechanisms.kinds import BaseDraws

    return mechanism.base_mass if isinstance(mechanism, BaseDraws) else 0.0


class Prepared:
    """Texts of one person, found and counted but not drawn; made by ``Sanitizer.prepare``.

    No randomness has been used yet, so what a release costs can be taken from a budget before it is drawn, and the
    texts dropped if there is not enough.

    ``counts``: of each text, how many draws of each kind it takes.

    Example:
        >>> prepared = sanitizer.prepare(texts)
        >>> reservation = ledger.reserve(account, prepared.accountant)
        >>> releases = prepared.release()
        >>> ledger.commit(reservation)
    """

    def __init__(
        self, setting: Setting, counts: Sequence[Mapping[str, int]], draw: Callable[[], list[Release]]
    ) -> None:
        self.setting = setting
        self.counts: tuple[Mapping[str, int], ...] = tuple(counts)
        self._draw: Callable[[], list[Release]] | None = draw
        self._lock = threading.Lock()

    @cached_property
    def accountant(self) -> Accountant:
        """Cost of all texts together: the draws of one document that is made of them all."""
        return self.cost(0, len(self.counts))

    @cached_property
    def spent(self) -> Guarantee:
        """Sum of the cost: ``accountant.spent``, computed once."""
        return self.accountant.spent

    def cost(self, start: int, stop: int) -> Accountant:
        """Account for the texts from number ``start`` (from 0) up to ``stop``, if several persons' stand together."""
        total: Counter[str] = Counter()
        for counts in self.counts[start:stop]:
            total.update(counts)
        return self.setting.accountant(total)

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        """Refuse copies: each would draw, and one payment was made."""
        raise RandomnessError(
            "prepared texts must be drawn where they were prepared; a copy is not paid. Prepare again."
        )

    def release(self) -> list[Release]:
        """Draw, once: a release of each text, in order.

        Raises RandomnessError: it was called before. A second release has to be paid for, so prepare the texts again.
        """
        with self._lock:
            draw, self._draw = self._draw, None
        if draw is None:
            raise RandomnessError(
                "release must be called once for texts that were prepared once; got a second call. Prepare them again, "
                "and pay for that release too."
            )
        return draw()


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
                [plain_text(stretch, place > 0, place < len(text) - 1) for place, stretch in enumerate(text)]
                for text in texts
            ]
        return [Stretches(stretches, shown=self._shown) for stretches in texts]

    def counts(self, prepared: Sequence[Stretches]) -> Sequence[Mapping[str, int]]:
        return [_NOTHING] * len(prepared)

    def drawn(self, prepared: Sequence[Stretches], rng: np.random.Generator) -> Sequence[Stretches]:
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
