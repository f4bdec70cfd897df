"""What was released in a conversation, so that a history that is sent again is released again byte for byte."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from typing import final

from textveil.sanitize.release import Release
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.scopes import MemoryScope


@final
class ConversationState:
    """The releases of one conversation, by a keyed digest of the message and its policy.

    Attributes:
        lock: held by whoever releases in this conversation: a message is paid for once.
    """

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self._key = secrets.token_bytes(32)
        self._scopes: dict[str, MemoryScope] = {}
        self._releases: dict[bytes, Release] = {}

    def scope(self, policy: str) -> MemoryScope:
        """Where one value has one surrogate, under a policy."""
        return self._scopes.setdefault(policy, MemoryScope())

    def known(self, policy: str, text: str) -> Release | None:
        """What was released for this text under this policy before."""
        return self._releases.get(self._digest(policy, text))

    def remember(self, policy: str, text: str, release: Release) -> None:
        """Release this from now on for the text."""
        self._releases[self._digest(policy, text)] = release

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """The private maps of all releases."""
        return tuple(one.private_map for one in self._releases.values() if one.private_map is not None)

    def _digest(self, policy: str, text: str) -> bytes:
        data = policy.encode("utf-8") + b"\0" + text.encode("utf-8", "surrogatepass")
        return hmac.new(self._key, data, hashlib.sha256).digest()
