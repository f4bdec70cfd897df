"""What was released in a conversation: a history that is sent again goes on byte for byte as it did, at no cost.

Texts are told apart by keyed digests under a key that this process draws; what was released for them, and what puts
the originals back, is kept in memory alone and expires.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, final

from textveil.budget.account import Account
from textveil.sanitize.release import Release
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.scopes import MemoryScope

PUBLIC_OF_CONVERSATIONS: Final = (
    "which requests belong to one conversation; without a name, whether they begin alike",
    "at each place of a conversation, whether a text is one that stood there before",
)
"""What no guarantee of a text covers where releases of a conversation are used again."""

_KINDS_OF_HANDLES: Final = re.compile(r"(call|fc|msg|rs|toolu)_")
_HANDLE_DIGITS: Final = 24

_FORGETS_EVERY: Final = 30.0
"""Seconds after which what is over is looked for at the latest."""


@final
class Size:
    """How many bytes conversations take together, about."""

    def __init__(self) -> None:
        self.bytes = 0
        self._lock = threading.Lock()

    def add(self, count: int) -> None:
        """So many more; less where it is negative."""
        with self._lock:
            self.bytes += count


@final
class Written(NamedTuple):
    """What the upstream wrote.

    Attributes:
        text: as it wrote it, with surrogates.
        maps: private; by which it was restored.
    """

    text: str
    maps: tuple[PrivateMap, ...]


@final
class ConversationState:
    """The releases of one conversation, and what the upstream wrote in it.

    Args:
        total: to which the size of this one is added; None adds it nowhere.

    Attributes:
        lock: held by whoever releases in this conversation: a message is paid for once.
        size: bytes of its texts, about.
        answers: digests of answers by whose identifiers it is found.
    """

    def __init__(self, total: Size | None = None) -> None:
        self.lock = asyncio.Lock()
        self.size = 0
        self.answers: list[bytes] = []
        self._total = total
        self._key = secrets.token_bytes(32)
        self._scopes: dict[str, MemoryScope] = {}
        self._releases: dict[bytes, Release] = {}
        self._written: dict[bytes, list[Written]] = {}

    def scope(self, policy: str) -> MemoryScope:
        """Where one value has one surrogate, under a policy."""
        return self._scopes.setdefault(policy, MemoryScope())

    @property
    def policies(self) -> tuple[str, ...]:
        """Those under which something of it was, or is being, released."""
        return tuple(self._scopes)

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """Private: what puts the originals of all its releases back."""
        return tuple(one.private_map for one in self._releases.values() if one.private_map is not None)

    def known(self, policy: str, label: str, text: str) -> Release | None:
        """What was released for this text under this policy before.

        Args:
            policy: its name.
            label: what tells the text from equal ones of the conversation: they are other texts.
            text: private.
        """
        return self._releases.get(self._digest("text", policy, label, text))

    def remember(self, policy: str, label: str, text: str, release: Release) -> None:
        """Release this from now on for the text."""
        self._releases[self._digest("text", policy, label, text)] = release
        self._grow(2 * len(text) + len(release.text))

    def written(self, place: str, read: str, number: int = 0) -> Written | None:
        """What the upstream wrote where its asker read this, at a place of a message; None where it wrote no such.

        Args:
            place: of a message.
            read: private.
            number: how many equal ones stand before it in the history: answers that read the same may be written
                otherwise. Behind the last it is the last.
        """
        known = self._written.get(self._digest("wrote", place, read))
        return known[min(number, len(known) - 1)] if known else None

    def wrote(self, place: str, read: str, written: Written) -> None:
        """Note what the upstream wrote at a place of a message, where its asker read ``read``."""
        known = self._written.setdefault(self._digest("wrote", place, read), [])
        same = next((at for at, one in enumerate(known) if one.text == written.text), None)
        if same is None:
            known.append(written)
            self._grow(len(written.text))
        else:
            known[same] = written

    def handle(self, text: str) -> str:
        """An identifier: the upstream's own as it is, any other as a keyed digest."""
        if self.written("handle", text) is not None:
            return text
        kind = _KINDS_OF_HANDLES.match(text)
        return (kind[0] if kind else "call_") + self._digest("handle", text).hex()[:_HANDLE_DIGITS]

    def forget(self) -> None:
        """It is kept no more; whoever still answers a request of it goes on, and that counts for nobody."""
        if self._total is not None:
            self._total.add(-self.size)
        self._total = None

    def _grow(self, count: int) -> None:
        self.size += count
        if self._total is not None:
            self._total.add(count)

    def _digest(self, *parts: str) -> bytes:
        return _digest(self._key, parts)


@final
class Conversations:
    """The conversations of a server; of those that take too much memory, the least used are forgotten.

    Args:
        seconds: how long one is kept after its last request.
        most_bytes: of text that all of them may take, about.
        clock: seconds.
    """

    def __init__(self, *, seconds: float, most_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._size = Size()
        self._states: OrderedDict[bytes, tuple[float, ConversationState]] = OrderedDict()
        self._answers: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        return len(self._states)

    def of(self, account: Account, name: str) -> ConversationState:
        """A conversation of an account; that of another account is another, whatever its name."""
        self.expire()
        digest = self._digest(account, "conversation", name)
        known = self._states.pop(digest, None)
        return self._used(digest, ConversationState(self._size) if known is None else known[1])

    def find(self, account: Account, name: str) -> ConversationState | None:
        """A conversation of an account, where there is one still."""
        self.expire()
        digest = self._digest(account, "conversation", name)
        return self._used(digest, self._states.pop(digest)[1]) if digest in self._states else None

    def of_answer(self, account: Account, answer: str) -> ConversationState | None:
        """The conversation of an answer by its identifier; None where this account has none."""
        self.expire()
        digest = self._answers.get(self._digest(account, "answer", answer))
        return None if digest is None else self._used(digest, self._states.pop(digest)[1])

    def note_answer(self, account: Account, state: ConversationState, answer: str) -> None:
        """Note the identifier of an answer, by which its asker may go on."""
        digest = next((one for one, (_, held) in reversed(self._states.items()) if held is state), None)
        if digest is not None:
            state.answers.append(self._digest(account, "answer", answer))
            self._answers[state.answers[-1]] = digest

    async def forget(self, every: float | None = None) -> None:
        """Expire what nobody asks for either, for ever; a task of the server.

        Args:
            every: seconds; None is a quarter of the time that one is kept, and half a minute at the most.
        """
        while True:
            await asyncio.sleep(min(_FORGETS_EVERY, self._seconds / 4) if every is None else every)
            self.expire()

    def expire(self) -> None:
        """Forget what is too old, and the least used of what is too much."""
        oldest = self._clock() - self._seconds
        while self._states:
            digest, (used, state) = next(iter(self._states.items()))
            if used > oldest and self._size.bytes <= self._most_bytes:
                return
            del self._states[digest]
            state.forget()
            for answer in state.answers:
                self._answers.pop(answer, None)

    def _used(self, digest: bytes, state: ConversationState) -> ConversationState:
        self._states[digest] = (self._clock(), state)
        return state

    def _digest(self, account: Account, *parts: str) -> bytes:
        return _digest(self._key, [account.tenant, account.unit or "", account.key or "", *parts])


def _digest(key: bytes, parts: Sequence[str]) -> bytes:
    """A digest of several strings, whose ends count."""
    made = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8, "big") + data)
    return made.digest()
