"""Texts released message by message: what a dialogue released before comes again byte for byte and costs nothing.

Clients of language models send a whole history with each message. A message is known by a keyed digest, and by how
often it stands in the history before: two equal messages of one history are two texts with a draw each.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, final

from textveil.errors import InputError, need
from textveil.privacy.guarantees import Guarantee
from textveil.sanitize.prepared import Prepared
from textveil.sanitize.release import Release
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import Restored, Restorer
from textveil.surrogates.scopes import MemoryScope

if TYPE_CHECKING:
    from textveil.budget.account import Account
    from textveil.budget.ledger import Ledger

LARGEST: Final = 4_000_000
"""Characters that the texts of one call may have together."""


def paying(ledger: Ledger, account: Account) -> Callable[[Prepared], list[Release]]:
    """Draws what was prepared once its cost is taken from every budget of an account, and notes that it was drawn.

    Args:
        ledger: of the budgets.
        account: whose texts these are. What fails after its cost was taken counts as spent.
    """

    def draw(prepared: Prepared) -> list[Release]:
        reservation = ledger.reserve(account, prepared.accountant)
        releases = prepared.release()
        ledger.commit(reservation)
        return releases

    return draw


@final
class Passed(NamedTuple):
    """Texts that may be handed over.

    Attributes:
        texts: one for each that was given, in order.
        guarantee: what holds for the ones that were released now, together.
        fresh: how many those are; the others were released before.
    """

    texts: tuple[str, ...]
    guarantee: Guarantee
    fresh: int


@final
class Dialogue:
    """One exchange with a model: its surrogates, its releases and how to undo them, in memory; ``Dialogues`` makes it.

    Args:
        sanitizer: releases the messages.
        draw: turns what was prepared into releases: takes the cost from a ledger first, where there is one.
    """

    def __init__(self, sanitizer: Sanitizer, draw: Callable[[Prepared], list[Release]]) -> None:
        self._sanitizer = sanitizer
        self._draw = draw
        self._scope = MemoryScope()
        self._key = secrets.token_bytes(32)
        self._known: dict[tuple[bytes, int], str] = {}
        self._answers: Counter[bytes] = Counter()
        self._maps: list[PrivateMap] = []
        self._restorer: Restorer | None = None
        self._lock = threading.Lock()

    def release(self, texts: Sequence[str]) -> Passed:
        """The texts of one request, released: those of earlier requests as they were, the others drawn and paid for.

        Nothing is drawn, and nothing is remembered, unless all of them can be.

        Args:
            texts: every text of the request, the history first.

        Raises:
            InputError: one of them is no text, or holds characters that UTF-8 cannot write; or they are too long.
        """
        need_plain(texts)
        with self._lock:
            places = self._places(texts)
            unknown = {place: text for place, text in zip(places, texts, strict=True) if place not in self._known}
            scopes = [self._scope] * len(unknown) if self._sanitizer.remembers else None
            prepared = self._sanitizer.prepare(list(unknown.values()), scopes=scopes)
            if unknown:
                releases = self._draw(prepared)
                self._known |= {place: one.text for place, one in zip(unknown, releases, strict=True)}
                self._maps += [one.private_map for one in releases if one.private_map is not None]
                self._restorer = None
            return Passed(tuple(self._known[place] for place in places), prepared.accountant.spent, len(unknown))

    def restore(self, answer: str) -> Restored:
        """An answer with its originals, and remembered: where a later history holds it, the answer itself is sent.

        Raises:
            InputError: it is no text.
        """
        need_plain([answer])
        restored = self.restorer().restore(answer)
        self.remember(restored.text, answer)
        return restored

    def remember(self, restored: str, answer: str) -> None:
        """Send ``answer``, which came from outside, wherever a later history holds ``restored``."""
        digest = self._digest(restored)
        with self._lock:
            self._known.setdefault((digest, self._answers[digest]), answer)
            self._answers[digest] += 1

    def restorer(self) -> Restorer:
        """Puts originals back into what speaks of any text released so far."""
        with self._lock:
            if self._restorer is None:
                self._restorer = Restorer(tuple(self._maps))
            return self._restorer

    def _places(self, texts: Sequence[str]) -> list[tuple[bytes, int]]:
        """For each text its digest, and how many equal ones stand before it."""
        met: Counter[bytes] = Counter()
        places = []
        for text in texts:
            digest = self._digest(text)
            places.append((digest, met[digest]))
            met[digest] += 1
        return places

    def _digest(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode(), hashlib.sha256)


@final
class Dialogues:
    """Dialogues by name, the ones last used, each for a while.

    Args:
        sanitizer: releases the messages of all of them.
        draw: turns what was prepared into releases; None draws, without a budget.
        limit: of dialogues that are remembered; the one that was not used for longest is forgotten first.
        seconds: after which one that is not used is forgotten.
        clock: seconds that never go back.

    A forgotten dialogue cannot be undone, and what it said is drawn and paid for again.
    """

    def __init__(
        self,
        sanitizer: Sanitizer,
        draw: Callable[[Prepared], list[Release]] | None = None,
        *,
        limit: int = 1000,
        seconds: float = 3600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        need(limit >= 1, "limit", limit, "at least 1")
        need(seconds > 0, "seconds", seconds, "above 0")
        self.sanitizer = sanitizer
        self._draw = draw or Prepared.release
        self._limit = limit
        self._seconds = seconds
        self._clock = clock
        self._held: OrderedDict[tuple[str, ...], tuple[float, Dialogue]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            self._forget()
            return len(self._held)

    def open(self, *name: str) -> Dialogue:
        """The dialogue of this name, begun where there is none."""
        with self._lock:
            self._forget()
            found = self._held.pop(name, None)
            dialogue = Dialogue(self.sanitizer, self._draw) if found is None else found[1]
            self._held[name] = self._clock(), dialogue
            if len(self._held) > self._limit:
                self._held.popitem(last=False)
            return dialogue

    def known(self, *name: str) -> Dialogue | None:
        """The dialogue of this name; None where there is none, or none any more."""
        with self._lock:
            self._forget()
            return self._held[name][1] if name in self._held else None

    def _forget(self) -> None:
        """Drop those that were not used for too long; the first ones are the oldest."""
        last = self._clock() - self._seconds
        while self._held and next(iter(self._held.values()))[0] <= last:
            self._held.popitem(last=False)


def need_plain(texts: Sequence[str]) -> None:
    """Refuse what cannot be sent, by its number.

    Raises:
        InputError: a text is no string, holds NUL or what UTF-8 cannot write; or all together are too long.
    """
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str):
            raise InputError(f"text {number} must be a string; got {type(text).__name__}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"text {number} must be Unicode that UTF-8 can write; got a lone surrogate.") from None
        if "\0" in text:
            raise InputError(f"text {number} must hold no NUL character; got one. Take it out.")
    size = sum(map(len, texts))
    if size > LARGEST:
        raise InputError(f"the texts must have {LARGEST} characters at the most; got {size}. Send fewer at a time.")
