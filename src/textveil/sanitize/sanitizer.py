"""Sanitizer and conversation: text in, release out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from typing import Any, Final

import numpy as np

from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, ParameterError, RandomnessError, UnsupportedGuarantee, need
from textveil.mechanisms.kinds import Mechanism
from textveil.randomness import is_secure, resolve, seeded_generator
from textveil.sanitize.by_policy import ByPolicy
from textveil.sanitize.chosen import SanitizerOptions, chosen_way, mostly_unchanged
from textveil.sanitize.policy.choice import policy_named
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.release import Release, Report, SanitizedTexts, Tally
from textveil.sanitize.setting import Setting
from textveil.sanitize.ways import Prepared, Wanted
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.scopes import MemoryScope, Scope
from textveil.text.marks import Marks
from textveil.text.no_text import ADVICE, what_it_is
from textveil.version import VERSION

_STREAM_CHARACTERS = 500_000  # documents are gathered up to this many characters and drawn together


class Sanitizer:
    """Replaces every word and number of a text by a draw; everything else is public or a placeholder.

    A mechanism of whole texts replaces each text by one draw instead. A policy says what happens to each kind.

    Args:
        mechanism: a mechanism of words or of whole texts; a policy (``tv.policy``); or the name of a preset or the path
            of a policy's file.
        number_epsilon: nats for one number, shared over its digits; None takes the guarantee of one word.
        digit_keep_limit: no digit stays with a larger probability, even if that leaves some of the number's budget
            unspent; between 0.1 and 1, which is no limit. None is 0.5.
        marks: "normalize", as None does, puts white space and punctuation into plain form (``text.marks``), since
            unusual ones can carry data; "keep" releases them as they are.
        rng: None is the operating system's randomness. Any other stamps releases "not for release".
        allow_refuted: run a mechanism whose claim is refuted; its releases carry no guarantee.
        key: 32 secret bytes for a policy whose scope is a corpus: sanitizers with one key give a value the same
            surrogate. None makes a key for this sanitizer alone.

    Raises:
        RefutedGuarantee: the mechanism's claim is refuted and ``allow_refuted`` is not set.
        UnknownNameError: no preset has that name.
        ParameterError: an option is outside its domain, or is given beside a policy that decides it; ``number_epsilon``
            cannot be derived; or the policy cannot be made.

    Safe to use from several threads at once. Proof of the whole release: privacy/proofs/sanitizer.md.
    """

    def __init__(
        self,
        mechanism: Mechanism | Policy | str | os.PathLike[str],
        *,
        number_epsilon: float | None = None,
        digit_keep_limit: float | None = None,
        marks: Marks | None = None,
        rng: np.random.Generator | None = None,
        allow_refuted: bool = False,
        key: bytes | None = None,
    ) -> None:
        options = SanitizerOptions(
            mechanism=policy_named(mechanism) if isinstance(mechanism, str | os.PathLike) else mechanism,
            number_epsilon=number_epsilon,
            digit_keep_limit=digit_keep_limit,
            marks=marks,
            allow_refuted=allow_refuted,
            key=key,
        )
        self._set(options, rng)

    def __repr__(self) -> str:
        policy = self.setting.policy
        return f"Sanitizer({self.setting.mechanism if policy is None else policy.name!r})"

    @classmethod
    def of(cls, options: SanitizerOptions, secret: bytes | None = None) -> Sanitizer:
        """Make a sanitizer with these options; a seeded one if they have a seed. Raises as ``Sanitizer`` does.

        ``options``: of the sanitizer; ``secret``: of a job; see ``SanitizerOptions.of_job``.
        """
        rng = None if options.seed is None else seeded_generator(options.seed)
        return _made(options if secret is None else options.of_job(secret), rng)

    def _set(self, options: SanitizerOptions, rng: np.random.Generator | None) -> None:
        chosen = chosen_way(options, rng)
        way, words = chosen.way, chosen.mechanism
        self.options, self.mechanism = options, words
        self._rng, self._way = rng, way
        self.setting = Setting(
            mechanism="" if words is None else words.name,
            parameters={} if words is None else words.parameters,
            protected=way.protected,
            number_epsilon=way.number_epsilon,
            digit_keep_limit=way.digit_keep_limit,
            marks=way.marks,
            vocabulary=_vocabulary_facts(words),
            secure=is_secure(rng),
            version=VERSION,
            policy=chosen.policy,
            mostly_unchanged=words is not None and mostly_unchanged(words),
            unchanged_kinds=chosen.unchanged_kinds,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        mechanism = self.options.mechanism
        if isinstance(mechanism, Policy) and mechanism.keyed and self.options.key is None:
            raise RandomnessError(
                "a sanitizer whose scope is a corpus must be given `key` to be copied: copies would give one value two "
                "surrogates. Pass key=secrets.token_bytes(32)."
            )
        # A copy is made anew: what this one remembers of the texts it has seen stays here.
        return _made, (self.options, self._rng)

    def __call__(self, text: str) -> Release:
        """Sanitize one document, with fresh draws on every call.

        Calling it again on the same text releases it again: the costs of both releases add up. Raises InputError:
        ``text`` is not a str; or it is a mail with encoded parts, another file or base64 alone.
        """
        return self.batch([text])[0]

    @property
    def remembers(self) -> bool:
        """True if equal values get equal surrogates in all texts that share one of ``batch``'s ``scopes``."""
        policy = self.setting.policy
        return policy is not None and policy.finds_spans and policy.data["scope"] in ("document", "conversation")

    def conversation(self) -> Conversation:
        """Sanitize one text after another, in which a value keeps its surrogate; see ``Conversation``.

        Raises UnsupportedGuarantee: the sanitizer has no policy with spans.
        """
        if self.setting.policy is None or not self.setting.policy.finds_spans:
            raise UnsupportedGuarantee(
                "a conversation needs a policy that finds spans; got none. Use tv.Sanitizer(tv.policy('prompts'))."
            )
        return Conversation(lambda text, scope: self.batch([text], scopes=[scope])[0])

    def batch(
        self,
        texts: Sequence[str],
        *,
        spans: bool = True,
        rng: np.random.Generator | None = None,
        maps: bool = True,
        scopes: Sequence[Scope] | None = None,
        values: Sequence[Sequence[tuple[str, str]]] | None = None,
        found: Sequence[Sequence[DetectedSpan]] | None = None,
    ) -> list[Release]:
        """Sanitize documents together; every token of every document has a draw of its own.

        Args:
            texts: documents.
            spans: whether releases carry the spans of their tokens (about twice the time).
            rng: draws for these documents alone, such as a job's stream of one block; None is the sanitizer's.
            maps: whether releases carry private maps, if there are any.
            scopes: under a policy with spans, a scope for each text: texts that share a scope share surrogates. None
                does what the policy says.
            values: under a policy with spans, for each text, values of its record with their kinds, such as a name that
                has a column of its own. They are spans wherever they stand in the text.
            found: see ``prepare``.

        Raises InputError: a document is not a str (named by its number, from 1); ParameterError: ``rng`` is seeded and
        the sanitizer's releases are not stamped so; or there are scopes, values or spans, and not one for each text, or
        no policy with spans.
        """
        need(
            is_secure(rng) or not self.setting.secure,
            "rng",
            "a seeded one",
            "secure, as the sanitizer's releases say",
            "Make the sanitizer with a seeded generator too.",
        )
        wanted = Wanted(spans, maps, _one_for_each(scopes, texts))
        return self._releases(self._ready(texts, values, found), wanted, rng)

    def sanitize(self, texts: Iterable[Any]) -> SanitizedTexts:
        """Return the released texts of a list, and the report of all.

        ``texts``: documents, such as a list or a column of pandas, Polars or Arrow. None, NaN and pandas.NA are missing
        texts: they stay as they are, and count. Raises InputError: it is one text or a table, which would be taken
        letter by letter or by the names of its columns; or a value is neither a text nor missing (named by its number,
        from 1).
        """
        if isinstance(texts, str | bytes | Mapping) or getattr(texts, "ndim", 1) != 1 or hasattr(texts, "columns"):
            raise InputError(
                f"the texts must be a list or a column; got {type(texts).__name__}. Use sanitizer(text) for one text, "
                'and sanitizer.sanitize(table["text"]) for a column.'
            )
        values = texts.to_pylist() if hasattr(texts, "to_pylist") else list(texts)
        gaps = [_is_missing(value) for value in values]
        for number, (value, gap) in enumerate(zip(values, gaps, strict=True), start=1):
            if not (gap or isinstance(value, str)):
                raise InputError(f"document {number} must be a str or missing; got {type(value).__name__}.")
        released = self.stream([value for value, gap in zip(values, gaps, strict=True) if not gap])
        tally, out = Tally(), []
        for value, gap in zip(values, gaps, strict=True):
            if gap:
                out.append(value)
                continue
            release = next(released)
            tally.add_document([release])
            out.append(release.text)
        return SanitizedTexts(out, Report(setting=self.setting, tally=tally, nulls=sum(gaps)))

    def prepare(
        self,
        texts: Sequence[str],
        *,
        scopes: Sequence[Scope] | None = None,
        maps: bool = True,
        spans: bool = False,
        values: Sequence[Sequence[tuple[str, str]]] | None = None,
        found: Sequence[Sequence[DetectedSpan]] | None = None,
    ) -> Prepared:
        """Make documents ready for their draws, and tell what they will cost; nothing is drawn yet.

        A budget pays before randomness is used: ``Prepared.accountant`` is the cost, which follows from the texts alone
        and which the releases then report; ``Prepared.release()`` draws. Arguments and errors are those of ``batch``.

        Args:
            texts: documents.
            scopes: see ``batch``.
            maps: see ``batch``.
            spans: see ``batch``.
            values: see ``batch``.
            found: the spans of each text, found by the same policy in another process; instead of ``values``.
        """
        wanted = Wanted(spans, maps, _one_for_each(scopes, texts))
        ready = self._ready(texts, values, found)
        if scopes is not None and isinstance(self._way, ByPolicy):
            ready = self._way.within(ready, scopes)
        return Prepared(self.setting, self._way.counts(ready), partial(self._releases, ready, wanted))

    def stream(self, texts: Iterable[str], *, spans: bool = False, maps: bool = False) -> Iterator[Release]:
        """Sanitize documents one after another in constant memory, in order.

        ``texts``: documents, read at most two batches of half a million characters ahead; ``spans``: see ``batch``;
        ``maps``: see ``batch``.
        """
        wanted = Wanted(spans, maps)
        # The next batch is tokenized while this one is drawn: the draws run mostly outside the
        # interpreter's lock. Texts are read, and draws made, by the caller's thread only.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="textveil-tokens") as worker:
            waiting: Future[Any] | None = None
            first = 1
            for held in _gathered(texts):
                upcoming = worker.submit(self._prepared, held, first)
                first += len(held)
                if waiting is not None:
                    yield from self._releases(waiting.result(), wanted)
                waiting = upcoming
            if waiting is not None:
                yield from self._releases(waiting.result(), wanted)

    def _prepared(self, texts: Sequence[str], first: int = 1) -> Any:
        _need_texts(texts, first)
        return self._way.prepared(texts, first)

    def _ready(
        self,
        texts: Sequence[str],
        values: Sequence[Sequence[tuple[str, str]]] | None,
        found: Sequence[Sequence[DetectedSpan]] | None,
    ) -> Any:
        if found is not None:
            need(values is None, "values", "some", "left out where spans are given")
            return self._finding("found", found, texts).prepared_from(texts, found)
        if values is not None:
            return self._finding("values", values, texts).prepared_with(texts, values)
        return self._prepared(texts)

    def _finding(self, name: str, entries: Sequence[Any], texts: Sequence[str]) -> ByPolicy:
        _need_texts(texts)
        need(len(entries) == len(texts), name, len(entries), f"one entry for each of {len(texts)} texts")
        if not isinstance(self._way, ByPolicy):
            raise ParameterError(f"{name} must be left out where nothing is found; there is no policy with spans.")
        return self._way

    def _releases(self, prepared: Any, wanted: Wanted, rng: np.random.Generator | None = None) -> list[Release]:
        generator = resolve(self._rng if rng is None else rng)
        return self._way.releases(prepared, self.setting, generator, wanted)


def _made(options: SanitizerOptions, rng: np.random.Generator | None) -> Sanitizer:
    sanitizer = Sanitizer.__new__(Sanitizer)
    sanitizer._set(options, rng)
    return sanitizer


def _one_for_each(scopes: Sequence[Scope] | None, texts: Sequence[str]) -> Sequence[Scope] | None:
    if scopes is not None:
        need(len(scopes) == len(texts), "scopes", len(scopes), f"one for each of {len(texts)} texts")
    return scopes


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def _need_texts(texts: Sequence[str], first: int = 1) -> None:
    """Refuse what is no text, by its number. Files and servers pass here too (``text.no_text``)."""
    for number, text in enumerate(texts, start=first):
        if not isinstance(text, str):
            many = " For several texts, a column too: sanitizer.sanitize(texts)." if hasattr(text, "__iter__") else ""
            raise InputError(f"document {number} must be a str; got {type(text).__name__}.{many}")
        instead = what_it_is(text)
        if instead:
            raise InputError(f"document {number} must be text; got {instead}. {ADVICE}")


def _gathered(texts: Iterable[str]) -> Iterator[list[str]]:
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


def _vocabulary_facts(mechanism: Mechanism | None) -> dict[str, Any]:
    vocabulary = getattr(mechanism, "vocabulary", None)
    if vocabulary is None:
        return {}
    return {"name": vocabulary.name, "words": len(vocabulary), "dim": vocabulary.dim, "digest": vocabulary.digest}


_BETWEEN: Final = "\n"


class Conversation:
    """Sanitizes texts of one scope; made by ``Sanitizer.conversation``.

    It remembers every value and its surrogate, in memory alone. Each release is counted as if it were alone: a value
    that was seen before counts again, which is more than it costs. ``released``: sanitizes a text, whose surrogates
    agree with those of the scope.

    Example:
        >>> conversation = sanitizer.conversation()
        >>> release = conversation("Ask Maria Gonzalez.")
        >>> answer = tv.restore(model(release.text), conversation.private_map)
    """

    def __init__(self, released: Callable[[str, Scope], Release]) -> None:
        self._released = released
        self._scope = MemoryScope()
        self._maps: list[PrivateMap] = []

    def __call__(self, text: str) -> Release:
        """Sanitize the next text. Raises InputError: ``text`` is not a str."""
        release = self._released(text, self._scope)
        if release.private_map is not None:
            self._maps.append(release.private_map)
        return release

    @property
    def private_map(self) -> PrivateMap:
        """Map of all releases so far, as of one text in which they stand one a line."""
        starts = accumulate((len(map_of_text.released) + len(_BETWEEN) for map_of_text in self._maps), initial=0)
        pieces = tuple(
            piece._replace(start=piece.start + start, end=piece.end + start)
            for map_of_text, start in zip(self._maps, starts, strict=False)
            for piece in map_of_text.replaced
        )
        return PrivateMap(released=_BETWEEN.join(map_of_text.released for map_of_text in self._maps), replaced=pieces)
