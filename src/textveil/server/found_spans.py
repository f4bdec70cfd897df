"""Spans of texts that an account sent before: a system prompt and tools stand in each of its conversations.

What a detector finds in a text depends on the text alone, so a release does not tell whether its spans were remembered.
Each account remembers its own texts only: how quickly a text is read tells nobody what others sent.
"""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from textveil.budget.account import Account
from textveil.detection.spans import DetectedSpan
from textveil.server.kept_data import KeyedDigests

Spans: TypeAlias = Sequence[DetectedSpan]

MOST: Final = 50_000
"""Spans and texts that are remembered, together: about 10 MB."""


class FoundSpans:
    """Remembers where values stand, under keyed digests of texts; no text.

    Args:
        seconds: how long after a text was last sent.
        clock: seconds.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._digest = KeyedDigests(secrets.token_bytes(32))
        self._known: OrderedDict[bytes, tuple[float, Spans]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()  # long texts are prepared in threads

    def recall(self, account: Account, policy: str, texts: Iterable[str]) -> "Recalled":
        """Return what is known of private texts under a policy."""
        whose = (account.tenant, account.unit or "", account.key or "", policy)
        keys = [self._digest(*whose, text) for text in texts]
        with self._lock:
            self._forget()
            return Recalled(self, keys, [self._used(key) for key in keys])

    def note(self, key: bytes, spans: Spans) -> None:
        """Remember the spans of a text, unless they are so many that few others would be."""
        if len(spans) > MOST // 2:
            return
        with self._lock:
            if key not in self._known:  # what is found in a text is always the same
                self._size += 1 + len(spans)
            self._known[key] = (self._clock(), tuple(spans))
            self._known.move_to_end(key)
            self._forget()

    def _used(self, key: bytes) -> Spans | None:
        known = self._known.get(key)
        if known is None:
            return None
        self._known[key] = (self._clock(), known[1])
        self._known.move_to_end(key)
        return known[1]

    def _forget(self) -> None:
        over = self._clock() - self._seconds
        while self._known and (self._size > MOST or next(iter(self._known.values()))[0] <= over):
            self._size -= 1 + len(self._known.popitem(last=False)[1][1])


class Recalled:
    """What is known of some texts."""

    def __init__(self, memory: FoundSpans, keys: Sequence[bytes], known: Sequence[Spans | None]) -> None:
        self._memory, self._keys, self._known = memory, keys, known

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return those of the texts whose spans are to be found, each once."""
        new = {key: text for key, text, known in zip(self._keys, texts, self._known, strict=True) if known is None}
        return list(new.values())

    def completed(self, found: Iterable[Spans]) -> list[Spans]:
        """Return the spans of all texts, given those of the missing ones, which are remembered."""
        new = dict.fromkeys(key for key, known in zip(self._keys, self._known, strict=True) if known is None)
        spans = dict(zip(new, found, strict=True))
        for key, each in spans.items():
            self._memory.note(key, each)
        return [spans[key] if known is None else known for key, known in zip(self._keys, self._known, strict=True)]
