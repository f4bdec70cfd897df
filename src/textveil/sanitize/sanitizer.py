"""Text in, release out: the only place where text and mechanisms meet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, final

import numpy as np

from textveil.errors import InputError, RefutedGuarantee, need
from textveil.mechanisms.base import Mechanism, TextMechanism
from textveil.mechanisms.channels.digits import KEEP_LIMIT
from textveil.privacy.guarantees import Guarantee, NoGuarantee, Status
from textveil.randomness import is_secure, resolve
from textveil.sanitize.release import Release
from textveil.sanitize.setting import Setting
from textveil.sanitize.unchanged import mostly_unchanged
from textveil.sanitize.ways import ByTexts, ByTokens, Way
from textveil.text.marks import Marks
from textveil.version import VERSION

_STREAM_CHARACTERS = 500_000
"""Documents are gathered up to this many characters and drawn together."""


@final
class Sanitizer:
    """Replaces every word and number of a text by a draw; everything else is public or a placeholder.

    A mechanism of whole texts replaces each text by one draw instead.

    Args:
        mechanism: draws the words, each alone or by what the document released before; or whole texts.
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
        if isinstance(mechanism, TextMechanism):
            need(number_epsilon is None, "number_epsilon", number_epsilon, "left out for a mechanism of whole texts")
            kept = digit_keep_limit == KEEP_LIMIT
            need(kept, "digit_keep_limit", digit_keep_limit, "left out for a mechanism of whole texts")
            need(marks == "normalize", "marks", marks, "left out for a mechanism of whole texts")
            way: Way = ByTexts(mechanism, promise)
        else:
            way = ByTokens(mechanism, promise, number_epsilon, digit_keep_limit, marks)
        self._way = way
        self.setting = Setting(
            mechanism=mechanism.name,
            parameters=mechanism.parameters,
            protected=way.protected,
            number_epsilon=way.number_epsilon,
            digit_keep_limit=way.digit_keep_limit,
            marks=way.marks,
            vocabulary=_vocabulary_facts(mechanism),
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
        return self._releases(self._prepared(texts), spans=spans, rng=rng)

    def stream(self, texts: Iterable[str], *, spans: bool = False) -> Iterator[Release]:
        """Sanitize documents one after another in constant memory, in order.

        Args:
            texts: documents, read at most two batches of half a million characters ahead.
            spans: whether releases carry the spans of their tokens (about twice the time).
        """
        # The next batch is tokenized while this one is drawn: the draws run mostly outside the
        # interpreter's lock. Texts are read, and draws made, by the caller's thread only.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="textveil-tokens") as worker:
            waiting: Future[Any] | None = None
            first = 1
            for held in _gathered(texts):
                upcoming = worker.submit(self._prepared, held, first)
                first += len(held)
                if waiting is not None:
                    yield from self._releases(waiting.result(), spans=spans)
                waiting = upcoming
            if waiting is not None:
                yield from self._releases(waiting.result(), spans=spans)

    def _prepared(self, texts: Sequence[str], first: int = 1) -> Any:
        """Documents ready for their draws; ``first`` is the number of the first, for errors."""
        for number, text in enumerate(texts, start=first):
            if not isinstance(text, str):
                raise InputError(f"document {number} must be a str; got {type(text).__name__}.")
        return self._way.prepared(texts)

    def _releases(self, prepared: Any, *, spans: bool, rng: np.random.Generator | None = None) -> list[Release]:
        """Draw for several documents, then put them together."""
        generator = resolve(self._rng if rng is None else rng)
        return self._way.releases(prepared, self.setting, generator, spans=spans)


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
        reason = "the mechanism promises nothing"
        return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)
    if guarantee.status is not Status.REFUTED:
        return guarantee
    if not allow_refuted:
        raise RefutedGuarantee(
            f"the claim {guarantee} of this mechanism is refuted ({guarantee.source}). "
            "Use truncated-laplace, the valid form, or `allow_refuted=True`; the release then has no guarantee."
        )
    reason = f"the claim {guarantee} is refuted"
    return NoGuarantee(reason=reason, source=guarantee.source, adjacency=guarantee.adjacency)


def _vocabulary_facts(mechanism: Mechanism) -> dict[str, Any]:
    """What reports say of the public words; empty for a mechanism that has none."""
    vocabulary = getattr(mechanism, "vocabulary", None)
    if vocabulary is None:
        return {}
    return {
        "name": vocabulary.name,
        "words": len(vocabulary),
        "dim": vocabulary.dim,
        "digest": vocabulary.digest,
    }
