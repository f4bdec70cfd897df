"""The server's own tables in the ledger's database, and what lies there encrypted: private maps and conversations.

Keys are derived from the ledger's key. That of a private map is also derived from the id by which it is asked for,
which stays with the client: the database and the ledger's key open no map. A conversation is named by a keyed digest
(``conversations.Conversations``). It lies at a digest of its name and is encrypted under a key that is derived from
the name; neither is in the database.
"""

import hashlib
import hmac
import json
import secrets
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import sqlalchemy as sa
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy.engine import Connection, Engine

from textveil.budget.database import add_rows, migrate, opened, reading, rows_of, set_rows, told, url_of, writing
from textveil.budget.ledger import ledger_key
from textveil.errors import LedgerError
from textveil.json_text import json_data
from textveil.server.kept_data import KeptParts, Owner, map_data, map_of, new_identity
from textveil.surrogates.map_file import PrivateMap

METADATA = sa.MetaData()

KEYS: Final = sa.Table(
    "server_keys",
    METADATA,
    sa.Column("id", sa.String(16), primary_key=True),
    sa.Column("owner", sa.LargeBinary, nullable=False),
    sa.Column("check", sa.LargeBinary(16), nullable=False),
    sa.Column("hash", sa.String(200), nullable=False),
    sa.Column("admin", sa.Boolean, nullable=False),
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("expires", sa.BigInteger),
    sa.Column("revoked", sa.BigInteger),
    sa.Column("old_check", sa.LargeBinary(16)),
    sa.Column("old_hash", sa.String(200)),
    sa.Column("old_until", sa.BigInteger),
)
"""A key: its owner, encrypted; a keyed check and an argon2 hash of its secret, and of the one before for a while.

Times are microseconds since 1970. Rows are never deleted, so that no two keys ever have one id.
"""


def _sealed_table(name: str) -> sa.Table:
    return sa.Table(
        name,
        METADATA,
        sa.Column("id", sa.LargeBinary(32), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sa.Index(f"{name}_until", "until"),
    )


MAPS: Final = _sealed_table("server_maps")  # private maps, encrypted, under a digest of their id
CONVERSATIONS: Final = _sealed_table("server_conversations")
"""The number of parts of a conversation, and the answers that lead to it; encrypted, under digests of names.

Before form 4 a conversation stood here as a whole.
"""

PARTS: Final = sa.Table(
    "server_conversation_parts",
    METADATA,
    sa.Column("id", sa.LargeBinary(32), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("sealed", sa.LargeBinary, nullable=False),
)
"""Additions to a conversation, in order, encrypted. They are deleted with the conversation."""

VERSION_TABLE: Final = "server_version"

_LOCK = 0x74767372766B6579  # for PostgreSQL's advisory locks


def make_tables(engine: Engine) -> None:
    """Make the tables, or bring them into today's form; LedgerError if the database fails."""
    with told(), writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        migrate(connection, "textveil.server", VERSION_TABLE)


def delete_expired(connection: Connection, table: sa.Table, now: int) -> None:
    """Delete rows whose time ``until`` is over, except those that another transaction deletes or renews."""
    over = sa.select(table.c.id).where(table.c.until <= now).with_for_update(skip_locked=True)  # none waits for another
    connection.execute(table.delete().where(table.c.id.in_(over)))


def _delete_conversations(connection: Connection, now: int) -> None:
    """Delete conversations whose time is over, with their parts; see ``delete_expired``."""
    over = sa.select(CONVERSATIONS.c.id).where(CONVERSATIONS.c.until <= now).with_for_update(skip_locked=True)
    ids = list(connection.execute(over).scalars())
    for first in range(0, len(ids), _AT_ONCE):
        for table in (PARTS, CONVERSATIONS):
            connection.execute(table.delete().where(table.c.id.in_(ids[first : first + _AT_ONCE])))


_AT_ONCE: Final = 500  # rows that one statement names
_NONCE: Final = 12
_CHECK: Final = 16


class Sealing:
    """Encrypts by ChaCha20-Poly1305 with a random nonce, bound to the place of the data; and makes keyed checks.

    ``key``: the ledger's, 32 bytes; ``purpose``: keys of two purposes tell nothing of each other.
    """

    def __init__(self, key: bytes, purpose: str) -> None:
        keys = HKDF(algorithm=SHA256(), length=64, salt=None, info=f"textveil {purpose}".encode()).derive(key)
        self._cipher = ChaCha20Poly1305(keys[:32])
        self._check_key = keys[32:]

    def sealed(self, plain: bytes, place: str) -> bytes:
        """Encrypt private data; it opens at this place and nowhere else."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + self._cipher.encrypt(nonce, plain, place.encode("utf-8"))

    def opened(self, sealed: bytes, place: str) -> bytes:
        """Decrypt data. Raises LedgerError: it was changed, moved, or sealed under another key."""
        try:
            return self._cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], place.encode("utf-8"))
        except (InvalidTag, ValueError):  # a value of a few bytes has no nonce
            pass
        raise LedgerError("what is encrypted in the database was changed, or has another key. Restore it from a copy.")

    def check(self, data: bytes) -> bytes:
        """Return a digest under the key: nobody can try data out without it."""
        return hmac.new(self._check_key, data, hashlib.sha256).digest()[:_CHECK]


def microseconds() -> int:
    """Return the time since 1970."""
    return time.time_ns() // 1000


class ServerTables:
    """The server's tables in the ledger's database.

    Raises LedgerError: the database cannot be opened; ParameterError: there is no key of the ledger.
    """

    def __init__(self, url: str, clock: Callable[[], int]) -> None:
        self.clock = clock
        self.engine = opened(url_of(url))
        make_tables(self.engine)

    def close(self) -> None:
        self.engine.dispose()


class SealedMaps(ServerTables):
    """Keeps maps as ``kept_data.KeptMaps`` does, in the ledger's database.

    Every method raises LedgerError if the database fails or its data was changed. ``url``: of the ledger's database;
    ``seconds``: how long each is kept; ``clock``: microseconds since 1970. Raises LedgerError: the database cannot be
    opened; ParameterError: there is no key of the ledger.
    """

    def __init__(self, url: str, seconds: float, *, clock: Callable[[], int] = microseconds) -> None:
        self._key = ledger_key(url)
        super().__init__(url, clock)
        self._seconds = seconds

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """See ``KeptMaps.keep``; expired maps are deleted."""
        identity, now = new_identity(), self.clock()
        tenant, unit = owner
        plain = zlib.compress(json.dumps([unit, [map_data(private_map) for private_map in maps]]).encode("ascii"))
        sealed = self._sealing(identity).sealed(plain, tenant)
        row = {"id": self._digest(tenant, identity), "until": now + round(self._seconds * 1e6), "sealed": sealed}
        with told(), writing(self.engine) as connection:
            delete_expired(connection, MAPS, now)
            connection.execute(MAPS.insert(), [row])
        return identity

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        tenant, unit = owner
        wanted = (MAPS.c.id == self._digest(tenant, identity)) & (MAPS.c.until > self.clock())
        with told(), self.engine.connect() as connection:
            sealed = connection.execute(sa.select(MAPS.c.sealed).where(wanted)).scalar()
        if sealed is None:
            return None
        whose, maps = json_data(zlib.decompress(self._sealing(identity).opened(sealed, tenant)))
        return tuple(map_of(private_map) for private_map in maps) if unit in (None, whose) else None

    def _sealing(self, identity: str) -> Sealing:
        return Sealing(hmac.new(self._key, _bytes(identity), hashlib.sha256).digest(), "private maps")

    def _digest(self, tenant: str, identity: str) -> bytes:
        return hmac.new(self._key, _bytes(json.dumps([tenant, identity])), hashlib.sha256).digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class SealedConversations(ServerTables):
    """Keeps conversations for a while; see ``kept_data.ConversationStore``.

    Every method raises LedgerError if the database fails or its data was changed. ``url``: of the ledger's database;
    ``seconds``: how long each is kept after it was last written; ``only_traces``: see ``kept_data.ConversationStore``;
    ``clock``: microseconds since 1970.

    Attributes:
        key: of names, the same in every process that has the ledger's.

    Raises LedgerError: the database cannot be opened; ParameterError: there is no key of the ledger.
    """

    def __init__(
        self, url: str, seconds: float, *, only_traces: bool = False, clock: Callable[[], int] = microseconds
    ) -> None:
        self.only_traces = only_traces
        self.key = hmac.new(ledger_key(url), b"textveil names of conversations", hashlib.sha256).digest()
        super().__init__(url, clock)
        self._seconds = seconds

    def save(
        self, name: bytes, data: Any, answers: Sequence[bytes], behind: KeptParts | None = None
    ) -> KeptParts | None:
        """Keep a conversation, or what was added to it.

        Args:
            name: its digest.
            data: private; JSON can write it.
            answers: digests that lead to it too.
            behind: what was kept of it so far, to which the data are added; None: in place of all that was kept.

        Returns:
            What is kept of it now; None, and nothing is written, if it is kept otherwise than ``behind`` says.
        """
        until = self.clock() + round(self._seconds * 1e6)
        place, sealing = _place(name), _sealing(name)
        writer, number = (secrets.token_hex(8), 0) if behind is None else behind[:2]
        head = _row(name, "conversation", {"writer": writer, "parts": number + 1}, until)
        rows = [_row(digest, "answer", name.hex(), until) for digest in sorted(answers)]
        part = {"id": place, "number": number, "sealed": sealing.sealed(_packed(data), f"part {number} of {writer}")}
        with told(), writing(self.engine) as connection:
            # The first row decides who writes: no two processes wait for each other.
            there = rows_of(connection, CONVERSATIONS, "id", place, locked=True)
            if behind is not None and [bytes(row["sealed"]) for row in there] != [behind.head]:
                return None
            set_rows(connection, CONVERSATIONS, [head, *rows])
            if behind is None:
                connection.execute(PARTS.delete().where(PARTS.c.id == place))
            add_rows(connection, PARTS, [part])
        return KeptParts(writer, number + 1, head["sealed"])

    def load(self, name: bytes) -> list[Any] | None:
        """Return the data of a conversation, in the order in which they were added; None if its time is over."""
        with told(), reading(self.engine) as connection:
            if (head := self._opened(connection, name, "conversation")) is None or "parts" not in head:
                return None if head is None else [head]  # a whole one, of form 3
            parts = {row["number"]: bytes(row["sealed"]) for row in rows_of(connection, PARTS, "id", _place(name))}
        writer, sealing = head["writer"], _sealing(name)
        numbers = range(head["parts"])
        return [_unpacked(sealing.opened(parts.get(number, b""), f"part {number} of {writer}")) for number in numbers]

    def conversation_of(self, answer: bytes) -> bytes | None:
        """Return the name of the conversation to which an answer leads; None if there is none."""
        with told(), self.engine.connect() as connection:
            name = self._opened(connection, answer, "answer")
        return None if name is None else bytes.fromhex(name)

    def expire(self) -> None:
        """Delete conversations and private maps that are too old."""
        now = self.clock()
        with told(), writing(self.engine) as connection:
            _delete_conversations(connection, now)
            delete_expired(connection, MAPS, now)

    def _opened(self, connection: Connection, name: bytes, what: str) -> Any:
        rows = rows_of(connection, CONVERSATIONS, "id", _place(name))
        now = self.clock()
        sealed = [bytes(row["sealed"]) for row in rows if row["until"] > now]
        return _unpacked(_sealing(name).opened(sealed[0], what)) if sealed else None


def _row(name: bytes, what: str, data: Any, until: int) -> dict[str, Any]:
    return {"id": _place(name), "until": until, "sealed": _sealing(name).sealed(_packed(data), what)}


def _packed(data: Any) -> bytes:
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode("ascii"), 1)  # written in every turn


def _unpacked(plain: bytes) -> Any:
    return json_data(zlib.decompress(plain))


def _place(name: bytes) -> bytes:
    return hmac.new(name, b"place", hashlib.sha256).digest()


def _sealing(name: bytes) -> Sealing:
    return Sealing(name, "conversations")
