"""Text in, release out: the only place where text and mechanisms meet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, ParameterError, RefutedGuarantee, UnsupportedGuarantee, need
from textveil.mechanisms.base import Mechanism
from textveil.mechanisms.channels.digits import KEEP_LIMIT, DigitResponse
from textveil.privacy.guarantees import Guarantee, NoGuarantee, Status
from textveil.randomness import is_secure, resolve
from textveil.sanitize.release import Release
from textveil.sanitize.setting import Protected, Setting
from textveil.sanitize.unchanged import mostly_unchanged
from textveil.text.codes import GOES_ON, EncodedTexts, TextCodes, token_kinds
from textveil.text.marks import Marks
from textveil.text.render import spans as rendered_spans
from textveil.text.render import with_capitals
from textveil.text.tokens import Kind
from textveil.types import Ids, Integers
from textveil.version import VERSION

_STREAM_CHARACTERS = 500_000
"""Documents are gathered up to this many characters and drawn together."""

Flags: TypeAlias = NDArray[np.bool_]

_NAMES = [kind.name.lower() for kind in Kind]


@final
class Sanitizer:
    """Replaces every word and number of a text by a draw; everything else is public or a placeholder.

    Args:
        mechanism: draws the words.
        number_epsilon: nats for one number, shared over its digits; None takes what the mechanism
            guarantees for one word.
        digit_keep_limit: no digit stays with a larger probability, even if that leaves some of the number's budget
            unspent; between 0.1 and 1, which is no limit.
        marks: "normalize" puts white space and punctuation into plain form (``text.marks``), since unusual ones can
            carry data; "keep" releases them as they are.
        rng: None is the operating system's randomness. Anything but it stamps releases "not for release".
        allow_refuted: run a mechanism whose claim is refuted; its releases carry no guarantee.

    Raises:
        RefutedGuarantee: the mechanism's claim is refuted and ``allow_refuted`` is not set.
        ParameterError: ``number_epsilon`` is not finite and > 0, or cannot be derived; ``digit_keep_limit``
            is outside; ``marks`` is neither.

    Safe to use from several threads at once. Proof of the whole release: privacy/proofs/sanitizer.md.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        number_epsilon: float | None = None,
        digit_keep_limit: float = KEEP_LIMIT,
        marks: Marks = "normalize",
        rng: np.random.Generator | None = None,
        allow_refuted: bool = False,
    ) -> None:
        promise = _promise(mechanism.guarantee, allow_refuted)
        self.mechanism = mechanism
        self._rng = rng
        self._options: dict[str, Any] = {
            "number_epsilon": number_epsilon,
            "digit_keep_limit": digit_keep_limit,
            "marks": marks,
            "rng": rng,
            "allow_refuted": allow_refuted,
        }
        self._digits = DigitResponse(_number_epsilon(mechanism.guarantee, number_epsilon), digit_keep_limit)
        vocabulary = mechanism.vocabulary
        self._codes = TextCodes(vocabulary.words, marks)
        self.setting = Setting(
            mechanism=mechanism.name,
            parameters=mechanism.parameters,
            protected=(
                Protected("word", promise),
                Protected("number", self._digits.guarantee if promise.promises else promise),
            ),
            number_epsilon=self._digits.epsilon,
            digit_keep_limit=digit_keep_limit,
            marks=marks,
            vocabulary={
                "name": vocabulary.name,
                "words": len(vocabulary),
                "dim": vocabulary.dim,
                "digest": vocabulary.digest,
            },
            secure=is_secure(rng),
            version=VERSION,
            mostly_unchanged=mostly_unchanged(mechanism, promise),
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
        return self._releases(self._coded(texts), spans=spans, rng=rng)

    def stream(self, texts: Iterable[str], *, spans: bool = False) -> Iterator[Release]:
        """Sanitize documents one after another in constant memory, in order.

        Args:
            texts: documents, read at most two batches of half a million characters ahead.
            spans: whether releases carry the spans of their tokens (about twice the time).
        """
        # The next batch is tokenized while this one is drawn: the draws run mostly outside the
        # interpreter's lock. Texts are read, and draws made, by the caller's thread only.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="textveil-tokens") as worker:
            waiting: Future[EncodedTexts] | None = None
            first = 1
            for held in _gathered(texts):
                upcoming = worker.submit(self._coded, held, first)
                first += len(held)
                if waiting is not None:
                    yield from self._releases(waiting.result(), spans=spans)
                waiting = upcoming
            if waiting is not None:
                yield from self._releases(waiting.result(), spans=spans)

    def _coded(self, texts: Sequence[str], first: int = 1) -> EncodedTexts:
        """The codes of documents; ``first`` is the number of the first, for errors."""
        for number, text in enumerate(texts, start=first):
            if not isinstance(text, str):
                raise InputError(f"document {number} must be a str; got {type(text).__name__}.")
        return self._codes.encode(texts)

    def _releases(self, coded: EncodedTexts, *, spans: bool, rng: np.random.Generator | None = None) -> list[Release]:
        """Draw for every token of several documents, then put them together."""
        legend, rng = self._codes.legend, resolve(self._rng if rng is None else rng)
        kinds = token_kinds(coded, legend)
        words, numbers = self._codes.words(coded.codes), self._codes.numbers(coded)
        size = len(self.mechanism.vocabulary)
        ids = _checked_draw(self.mechanism.privatize(words.ids, rng), len(words.ids), size)
        digits = self._digits.privatize(numbers.digits, numbers.lengths, rng)
        drawn = self._codes.replaced(coded.codes, words, ids, numbers, digits)
        strings = legend.written[drawn].tolist()
        counts, mapped = _counts(kinds, numbers.going_on, coded.bounds), _sums(words.out_of_vocabulary, coded.bounds)
        releases = []
        for index, (start, stop) in enumerate(pairwise(coded.bounds.tolist())):
            found = rendered_spans(legend.lengths[drawn[start:stop]], kinds[start:stop]) if spans else ()
            releases.append(
                Release(
                    text=with_capitals("".join(strings[start:stop])),
                    spans=tuple(found),
                    kinds={name: count for name, count in zip(_NAMES, counts[index], strict=True) if count},
                    setting=self.setting,
                    mapped=mapped[index],
                )
            )
        return releases


def _counts(kinds: NDArray[np.int8], going_on: Ids, bounds: Integers) -> list[list[int]]:
    """How many tokens of each kind each document has; a number counts once, however many tokens it is."""
    documents = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    begun = kinds != GOES_ON
    begun[going_on] = False
    cells = documents[begun] * len(_NAMES) + kinds[begun]
    counts = np.bincount(cells, minlength=(len(bounds) - 1) * len(_NAMES))
    return counts.reshape(-1, len(_NAMES)).tolist()


def _sums(flags: Flags, bounds: Integers) -> list[int]:
    """How many flags are set in each document."""
    return np.diff(np.concatenate([[0], np.cumsum(flags)])[bounds]).tolist()


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
    if guarantee.status is Status.NONE and guarantee.promises:
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
        need(0 < asked < math.inf, "number_epsilon", asked, "finite and > 0")
        return asked
    if guarantee.promises:
        return guarantee.approximate().epsilon
    raise ParameterError("number_epsilon must be given for a mechanism without a guarantee; got none.")


def _checked_draw(drawn: Ids, count: int, size: int) -> Ids:
    """The mechanism's answer, refused unless it is one id of the vocabulary for each token."""
    array = np.asarray(drawn)
    fits = array.shape == (count,) and array.dtype.kind in "iu"
    inside = fits and (count == 0 or (int(array.min()) >= 0 and int(array.max()) < size))
    if not inside:
        raise UnsupportedGuarantee(
            f"a mechanism must return {count} word ids in [0, {size}); got {array.dtype} of shape {array.shape}, "
            "or ids outside. Correct its `privatize`."
        )
    return array
