"""Text in, release out: the only place where text and mechanisms meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np

from textveil.errors import InputError, ParameterError, RefutedGuarantee, UnsupportedGuarantee, need
from textveil.mechanisms.base import Mechanism
from textveil.mechanisms.digits import DigitResponse
from textveil.privacy.guarantees import (
    ApproximateDP,
    Guarantee,
    MetricDP,
    NoGuarantee,
    PureDP,
    Status,
    to_pure,
)
from textveil.randomness import is_secure, resolve
from textveil.release import Release, Setting
from textveil.text.numbers import digits, with_digits
from textveil.text.render import render, render_text
from textveil.text.tokens import PLACEHOLDERS, Kind, classify, split
from textveil.text.unknown import WordIndex
from textveil.types import Ids, Integers
from textveil.version import VERSION

_MEMO_LIMIT = 500_000
"""Surfaces that are remembered with their ids; past it the memory is emptied."""

_MEMO_LENGTH = 64
"""Longer surfaces are not remembered."""

_STREAM_CHARACTERS = 500_000
"""Documents are gathered up to this many characters and drawn together."""

_NAMES = {int(kind): kind.name.lower() for kind in Kind}


@final
class _Codes(dict[str, int]):
    """Surface to code: a word's id, its id + n where it was mapped by spelling, or -1 - kind."""

    __slots__ = ("_index", "_size")

    def __init__(self, index: WordIndex, size: int) -> None:
        super().__init__()
        self._index = index
        self._size = size

    def __missing__(self, surface: str) -> int:
        kind = classify(surface)
        if kind == Kind.WORD:
            word_id, mapped = self._index.lookup(surface)
            code = word_id + self._size if mapped else word_id
        else:
            code = -1 - int(kind)
        # Addresses are rarely met twice, and need not be kept; nor need anything long.
        if kind not in PLACEHOLDERS and len(surface) <= _MEMO_LENGTH:
            self[surface] = code
        return code


class _Batch(NamedTuple):
    """Documents in a row: their tokens, where each document begins and the last ends, and the codes."""

    surfaces: list[str]
    bounds: list[int]
    codes: Integers


@final
class Sanitizer:
    """Replaces every word and number of a text by a draw; everything else is public or a placeholder.

    Args:
        mechanism: draws the words.
        number_epsilon: nats for one number, shared over its digits; None takes what the mechanism
            guarantees for one word.
        rng: None is the operating system's randomness. Anything but it stamps releases "not for release".
        allow_refuted: run a mechanism whose claim is refuted; its releases carry no guarantee.

    Raises:
        RefutedGuarantee: the mechanism's claim is refuted and ``allow_refuted`` is not set.
        ParameterError: ``number_epsilon`` is not finite and > 0, or cannot be derived.

    Safe to use from several threads at once. Proof of the whole release: privacy/proofs/sanitizer.md.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        number_epsilon: float | None = None,
        rng: np.random.Generator | None = None,
        allow_refuted: bool = False,
    ) -> None:
        promise = _promise(mechanism.guarantee, allow_refuted)
        self.mechanism = mechanism
        self._rng = rng
        self._options: dict[str, Any] = {"number_epsilon": number_epsilon, "rng": rng, "allow_refuted": allow_refuted}
        self._digits = DigitResponse(_number_epsilon(mechanism.guarantee, number_epsilon))
        self._words = np.array(mechanism.vocabulary.words, dtype=object)
        self._codes = _Codes(WordIndex(mechanism.vocabulary.words), len(self._words))
        vocabulary = mechanism.vocabulary
        self.setting = Setting(
            mechanism=mechanism.name,
            parameters=mechanism.parameters,
            word=promise,
            number=promise if isinstance(promise, NoGuarantee) else self._digits.guarantee,
            vocabulary={
                "name": vocabulary.name,
                "words": len(vocabulary),
                "dim": vocabulary.dim,
                "digest": vocabulary.digest,
            },
            secure=is_secure(rng),
            version=VERSION,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made anew: what this one remembers of the texts it has seen stays here.
        return partial(Sanitizer, **self._options), (self.mechanism,)

    def __call__(self, text: str) -> Release:
        """Sanitize one document, with fresh draws on every call.

        Calling it again on the same text releases it again: the costs of both releases add up.

        Raises:
            InputError: ``text`` is not a str.
        """
        return self.batch([text])[0]

    def batch(
        self, texts: Sequence[str], *, spans: bool = True, rng: np.random.Generator | None = None
    ) -> list[Release]:
        """Sanitize documents together; every token of every one has a draw of its own.

        Args:
            texts: documents.
            spans: whether releases carry the spans of their tokens (about twice the time).
            rng: draws for these documents alone, where a job derives a stream for each block of its own; None
                draws from the sanitizer's.

        Raises:
            InputError: one of them is not a str (named by its number, from 1).
            ParameterError: ``rng`` is seeded and the sanitizer's releases are not stamped so.
        """
        need(
            is_secure(rng) or not self.setting.secure,
            "rng",
            "a seeded one",
            "secure, as the sanitizer's releases say",
            "Make the sanitizer with a seeded generator too.",
        )
        return list(self._releases(self._tokenized(texts), spans=spans, rng=rng))

    def stream(self, texts: Iterable[str], *, spans: bool = False) -> Iterator[Release]:
        """Sanitize documents one after another in constant memory, in order.

        Args:
            texts: documents, read at most two batches of half a million characters ahead.
            spans: whether releases carry the spans of their tokens (about twice the time).
        """
        # The next batch is tokenized while this one is drawn: the draws run mostly outside the
        # interpreter's lock. Texts are read, and draws made, by the caller's thread only.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="textveil-tokens") as worker:
            waiting: Future[_Batch] | None = None
            first = 1
            for held in _gathered(texts):
                upcoming = worker.submit(self._tokenized, held, first)
                first += len(held)
                if waiting is not None:
                    yield from self._releases(waiting.result(), spans=spans)
                waiting = upcoming
            if waiting is not None:
                yield from self._releases(waiting.result(), spans=spans)

    def _tokenized(self, texts: Sequence[str], first: int = 1) -> _Batch:
        """Tokens of several documents in a row, with their codes; ``first`` is the number of the first."""
        surfaces: list[str] = []
        bounds = [0]
        for number, text in enumerate(texts, start=first):
            if not isinstance(text, str):
                raise InputError(f"document {number} must be a str; got {type(text).__name__}.")
            surfaces += split(text)
            bounds.append(len(surfaces))
        if len(self._codes) > _MEMO_LIMIT:
            self._codes.clear()
        codes = np.fromiter(map(self._codes.__getitem__, surfaces), dtype=np.int64, count=len(surfaces))
        return _Batch(surfaces, bounds, codes)

    def _releases(self, batch: _Batch, *, spans: bool, rng: np.random.Generator | None = None) -> Iterator[Release]:
        """Draw for every token of a batch, then put its documents together."""
        surfaces, bounds, codes = batch
        kinds = np.where(codes >= 0, int(Kind.WORD), -1 - codes)
        rng = resolve(self._rng if rng is None else rng)
        self._draw_words(surfaces, codes, rng)
        self._draw_numbers(surfaces, np.flatnonzero(kinds == Kind.NUMBER), rng)
        for kind, placeholder in PLACEHOLDERS.items():
            for place in np.flatnonzero(kinds == kind).tolist():
                surfaces[place] = placeholder
        unknown = codes >= len(self._words)
        for start, stop in pairwise(bounds):
            yield self._release(surfaces[start:stop], kinds[start:stop], unknown[start:stop], spans=spans)

    def _draw_words(self, surfaces: list[str], codes: Integers, rng: np.random.Generator) -> None:
        """Replace every word by the word that the mechanism draws for it."""
        places = np.flatnonzero(codes >= 0)
        ids = codes[places] % len(self._words)
        drawn = _checked_draw(self.mechanism.privatize(ids, rng), len(ids), len(self._words))
        for place, word in zip(places.tolist(), self._words[drawn].tolist(), strict=True):
            surfaces[place] = word

    def _draw_numbers(self, surfaces: list[str], places: Integers, rng: np.random.Generator) -> None:
        """Replace the digits of every number by drawn ones."""
        if len(places) == 0:
            return
        values = [digits(surfaces[place]) for place in places.tolist()]
        lengths = np.array([len(value) for value in values], dtype=np.int64)
        flat = np.fromiter((digit for value in values for digit in value), dtype=np.int64)
        drawn = self._digits.privatize(flat, lengths, rng).tolist()
        start = 0
        for place, length in zip(places.tolist(), lengths.tolist(), strict=True):
            surfaces[place] = with_digits(surfaces[place], drawn[start : start + length])
            start += length

    def _release(
        self, surfaces: list[str], kinds: Integers, unknown: np.ndarray[tuple[int], np.dtype[np.bool_]], *, spans: bool
    ) -> Release:
        counts = np.bincount(kinds, minlength=len(_NAMES))
        if spans:
            text, found = render(surfaces, kinds.tolist())
        else:
            text, found = render_text(surfaces), []
        return Release(
            text=text,
            spans=tuple(found),
            kinds={_NAMES[kind]: count for kind, count in enumerate(counts.tolist()) if count},
            setting=self.setting,
            mapped=int(np.count_nonzero(unknown)),
        )


def _gathered(texts: Iterable[str]) -> Iterator[list[str]]:
    """Documents in lists of about ``_STREAM_CHARACTERS`` characters."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text) + 1 if isinstance(text, str) else 1
        if size >= _STREAM_CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


def _promise(guarantee: Guarantee, allow_refuted: bool) -> Guarantee:
    """The guarantee that releases carry: the mechanism's, or none where it is refuted or nothing is promised."""
    if guarantee.status is Status.NONE and not isinstance(guarantee, NoGuarantee):
        return NoGuarantee(reason="the mechanism promises nothing", source=guarantee.source)
    if guarantee.status is not Status.REFUTED:
        return guarantee
    if not allow_refuted:
        raise RefutedGuarantee(
            f"the claim {guarantee} of this mechanism is refuted ({guarantee.source}). "
            "Use truncated-laplace, the valid form, or allow refuted mechanisms; the release then has no guarantee."
        )
    return NoGuarantee(reason=f"the claim {guarantee} is refuted", source=guarantee.source)


def _number_epsilon(guarantee: Guarantee, asked: float | None) -> float:
    """The budget of a number: as asked, else the epsilon that one word costs."""
    if asked is not None:
        return asked
    if isinstance(guarantee, PureDP | MetricDP):
        return to_pure(guarantee).epsilon
    if isinstance(guarantee, ApproximateDP):
        return guarantee.epsilon
    raise ParameterError("number_epsilon must be given for a mechanism without a guarantee; got none.")


def _checked_draw(drawn: Ids, count: int, size: int) -> Ids:
    """The mechanism's answer, refused unless it is one id of the vocabulary for each token."""
    array = np.asarray(drawn)
    fits = array.shape == (count,) and array.dtype.kind in "iu"
    inside = fits and (count == 0 or (int(array.min()) >= 0 and int(array.max()) < size))
    if not inside:
        raise UnsupportedGuarantee(
            f"a mechanism must return {count} word ids in [0, {size}); got {array.dtype} of shape {array.shape}, "
            "or ids outside. Mend the mechanism."
        )
    return array
