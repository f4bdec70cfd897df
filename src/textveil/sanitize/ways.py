"""The ways through a sanitizer: token by token or a whole text at once, here; by a policy with spans, in ``by_policy``.

A way makes texts ready for draws (``prepared``, which no draw depends on), and then draws and puts releases together
(``releases``). What it draws, and under which guarantee, is ``protected``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, final, runtime_checkable

import numpy as np

from textveil.detection.spans import DetectedSpan
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.channels.common_word_response import CommonWordResponse
from textveil.mechanisms.channels.digits import KEEP_LIMIT, DigitResponse
from textveil.mechanisms.kinds import TextMechanism
from textveil.privacy.composition import narrowed
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import ONE_CONTENT_TOKEN, ONE_TOKEN, Adjacency, Unit, beside_common_words
from textveil.sanitize.left_out import LEFT_OUT, LeftOut
from textveil.sanitize.release import Release
from textveil.sanitize.setting import Protected, Setting
from textveil.sanitize.token_draws import CountedTexts, DrawsWords, TokenDraws
from textveil.surrogates.scopes import Scope
from textveil.text.marks import Marks
from textveil.text.passing import Passing
from textveil.text.render import written_texts
from textveil_lab.posterior.word_vectors import WordVectors


class Way(Protocol):
    """How texts become releases."""

    @property
    def protected(self) -> tuple[Protected, ...]:
        """What is drawn, with the guarantee of one draw of each kind."""

    @property
    def number_epsilon(self) -> float | None:
        """Nats that the digits of one number are drawn with; None where numbers have no draws of their own."""

    @property
    def digit_keep_limit(self) -> float | None:
        """Probability above which no digit stays; None where numbers have no draws of their own."""

    @property
    def marks(self) -> Marks | None:
        """What is done with white space and punctuation; None where none of a text's own is released."""

    def prepared(self, texts: Sequence[str], first: int = 1) -> Any:
        """Texts made ready for draws, all of them strings; ``first`` is the number of the first, for errors."""

    def counts(self, prepared: Any) -> Sequence[Mapping[str, int]]:
        """Of each text, how many draws of each kind it takes: the ``kinds`` of the release that it becomes."""

    def releases(self, prepared: Any, setting: Setting, rng: np.random.Generator, wanted: Wanted) -> list[Release]:
        """A release of each text."""


@runtime_checkable
class FindsValues(Protocol):
    """A way that finds spans, and among them values that stand in other columns of a text's record."""

    def prepared_with(self, texts: Sequence[str], values: Sequence[Sequence[tuple[str, str]]]) -> Any:
        """As ``Way.prepared``; ``values`` are for each text those of its record, each with its kind."""

    def prepared_from(self, texts: Sequence[str], spans: Sequence[Sequence[DetectedSpan]]) -> Any:
        """As ``Way.prepared``; ``spans`` are what ``SpanFinder.found`` gave for each text."""

    def within(self, prepared: Any, scopes: Sequence[Scope]) -> Any:
        """The texts, of each of which it is known now where one value has one surrogate."""


@final
class Wanted(NamedTuple):
    """What is asked of releases, beside their text.

    Attributes:
        scopes: for each text, where one value has one surrogate; None makes new ones.
    """

    spans: bool = True
    maps: bool = False
    scopes: Sequence[Scope] | None = None


@final
class ByTokens:
    """Every word by the mechanism and every number digit by digit; everything else is public or a placeholder.

    Args:
        mechanism: draws the words, each alone or by what the same document released before; or leaves them out.
        promise: the guarantee that releases carry, of one token.
        number_epsilon: nats for one number; None takes what the mechanism guarantees for one word, and leaves numbers
            out where that is 0.
        digit_keep_limit: see ``Sanitizer``.
        marks: see ``Sanitizer``.
        passing: public words that are released as they are; None is none.

    Raises:
        UnsupportedGuarantee: the guarantee is not of one token.
        ParameterError: ``number_epsilon`` is not given and cannot be derived.
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
            number_epsilon = _epsilon_of_a_word(mechanism.guarantee)
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
            response = isinstance(mechanism, CommonWordResponse)
            share = ONE_TOKEN if response else _sharing(passing, promise)
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
        """The codes of the texts' tokens, and what is to be drawn for them."""
        return self._tokens.counted(self._tokens.codes.encode(texts))

    def counts(self, prepared: CountedTexts) -> Sequence[Mapping[str, int]]:
        return prepared.counts

    def releases(
        self, prepared: CountedTexts, setting: Setting, rng: np.random.Generator, wanted: Wanted
    ) -> list[Release]:
        """Draw for every token of several documents, then put them together."""
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


@final
class ByTexts:
    """Every text by one draw of the mechanism; nothing but its output is released.

    Args:
        mechanism: draws the texts.
        promise: the guarantee that releases carry, of a document or of all spans of one.

    Raises:
        UnsupportedGuarantee: the guarantee is of another unit, so that what a text costs would not be known.
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
        """The texts: nothing about them is known but what the mechanism releases."""
        return texts

    def counts(self, prepared: Sequence[str]) -> Sequence[Mapping[str, int]]:
        return [{"text": 1} for _ in prepared]

    def releases(
        self, prepared: Sequence[str], setting: Setting, rng: np.random.Generator, wanted: Wanted
    ) -> list[Release]:
        """Draw for every text; the tokens of what is released are no tokens of the text, so there are no spans."""
        drawn = self._mechanism.privatize_texts(prepared, rng)
        if len(drawn) != len(prepared) or not all(isinstance(text, str) for text in drawn):
            raise UnsupportedGuarantee(
                f"a mechanism of whole texts must return {len(prepared)} strings; got {len(drawn)} values, or others. "
                "Correct its `privatize_texts`."
            )
        vectors = self._vectors
        return [
            Release(text=text, spans=(), kinds={"text": 1}, setting=setting, mapped=0, word_vectors=vectors)
            for text in drawn
        ]


def _base_mass(mechanism: object) -> float:
    """Probability of a draw by base weights alone; 0 where a mechanism does not say."""
    if not hasattr(mechanism, "base_mass"):
        return 0.0
    from textveil.mechanisms.capabilities import BaseDraws

    return mechanism.base_mass if isinstance(mechanism, BaseDraws) else 0.0


def _sharing(passing: Passing, promise: Guarantee) -> Adjacency:
    """Which two texts are compared where public words pass."""
    return ONE_CONTENT_TOKEN if passing.kind == "function-word" else beside_common_words(promise.adjacency.shared)


def _epsilon_of_a_word(guarantee: Guarantee) -> float:
    """The epsilon that one word costs, which is a number's budget where none is given."""
    if guarantee.promises:
        return guarantee.approximate().epsilon
    raise ParameterError("number_epsilon must be given for a mechanism without a guarantee; got none.")
