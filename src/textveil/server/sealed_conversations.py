"""Conversations that are kept encrypted in the database, where that was asked for: they outlive the process.

A conversation is named by a keyed digest (``conversations.Conversations``), whose key is derived from the ledger's. It
lies at a digest of its name and is encrypted under a key that is derived from the name; neither is in the database.
"""

import hashlib
import hmac
import json
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from textveil.budget.database import opened, told, url_of, writing
from textveil.budget.ledger import ledger_key
from textveil.budget.statements import set_rows
from textveil.json_text import json_data
from textveil.server.sealing import Sealing
from textveil.server.tables import CONVERSATIONS, MAPS, delete_expired, make_tables


class SealedConversations:
    """Keeps conversations for a while; see ``kept_data.ConversationStore``.

    Args:
        url: of the ledger's database.
        seconds: how long each is kept after it was last written.
        only_traces: see ``kept_data.ConversationStore``.
        clock: microseconds since 1970.

    Attributes:
        key: of names, the same in every process that has the ledger's.

    Raises:
        LedgerError: the database cannot be opened.
        ParameterError: there is no key of the ledger.
    """

    def __init__(
        self,
        url: str,
        seconds: float,
        *,
        only_traces: bool = False,
        clock: Callable[[], int] = lambda: time.time_ns() // 1000,
    ) -> None:
        self.only_traces = only_traces
        self.key = hmac.new(ledger_key(url), b"textveil names of conversations", hashlib.sha256).digest()
        self._seconds = seconds
        self._clock = clock
        self._engine = opened(url_of(url))
        make_tables(self._engine)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def save(self, name: bytes, data: Any, answers: Sequence[bytes]) -> None:
        """Keep a conversation as it is now, in place of what was kept of it; what has expired is deleted on the way.

        Args:
            name: its digest.
            data: of it, as JSON can write it: private.
            answers: digests that lead to it too.

        Raises:
            LedgerError: the database fails; what was kept before is kept still.
        """
        now = self._clock()
        until = now + round(self._seconds * 1e6)
        rows = [
            _row(name, "conversation", data, until),
            *(_row(digest, "answer", name.hex(), until) for digest in answers),
        ]
        rows.sort(key=lambda row: bytes(row["id"]))  # two processes that write the same rows do not wait for each other
        with told(), writing(self._engine) as connection:
            set_rows(connection, CONVERSATIONS, rows)
            delete_expired(connection, CONVERSATIONS, now)

    def load(self, name: bytes) -> Any:
        """What was kept of a conversation; None where nothing is, or its time is over.

        Raises:
            LedgerError: the database fails, or what it holds was changed.
        """
        return self._read(name, "conversation")

    def conversation_of(self, answer: bytes) -> bytes | None:
        """The name of the conversation to which an answer leads; None where it leads to none.

        Raises:
            LedgerError: the database fails, or what it holds was changed.
        """
        name = self._read(answer, "answer")
        return None if name is None else bytes.fromhex(name)

    def expire(self) -> None:
        """Delete what is too old, of private maps too.

        Raises:
            LedgerError: the database fails.
        """
        now = self._clock()
        with told(), writing(self._engine) as connection:
            for table in (CONVERSATIONS, MAPS):
                delete_expired(connection, table, now)

    def _read(self, name: bytes, what: str) -> Any:
        wanted = (CONVERSATIONS.c.id == _place(name)) & (CONVERSATIONS.c.until > self._clock())
        with told(), self._engine.connect() as connection:
            sealed = connection.execute(sa.select(CONVERSATIONS.c.sealed).where(wanted)).scalar()
        return None if sealed is None else json_data(zlib.decompress(_sealing(name).opened(sealed, what)))


def _row(name: bytes, what: str, data: Any, until: int) -> dict[str, Any]:
    plain = zlib.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), 1)  # written in every turn
    return {"id": _place(name), "until": until, "sealed": _sealing(name).sealed(plain, what)}


def _place(name: bytes) -> bytes:
    """Where the data of a name lies; the name cannot be told from it."""
    return hmac.new(name, b"place", hashlib.sha256).digest()


def _sealing(name: bytes) -> Sealing:
    return Sealing(name, "conversations")
