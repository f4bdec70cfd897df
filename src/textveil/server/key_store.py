"""API keys in the ledger's database: made, listed, rotated, revoked, and found again by what a client sends.

A key is ``tv_ID_SECRET``. The secret, 32 random bytes, is shown once; the database has an argon2 hash of it, a check
under the ledger's key that tells wrong secrets at once, and its owner, encrypted.
"""

import hmac
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from sqlalchemy.engine import RowMapping

from textveil.budget.database import opened, told, url_of, writing
from textveil.budget.ledger import ledger_key
from textveil.errors import ParameterError, need
from textveil.json_text import json_data
from textveil.server.sealed import KEYS, Sealing, make_tables

PREFIX: Final = "tv"

MOST_SECONDS: Final = 100 * 366 * 86_400  # how far ahead a key may end; without a time it never ends
_WRITTEN: Final = re.compile(rf"{PREFIX}_([0-9a-f]{{16}})_([A-Za-z0-9_-]{{20,100}})")

# OWASP's smallest recommended argon2id: nobody can try out 256 random bits anyway
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_REMEMBERED: Final = 10_000  # secrets that were found right, by their hash and their check under the ledger's key


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """Facts about a key, all but its secret."""

    identity: str  # names the key in budgets too; it survives rotation
    tenant: str = field(repr=False)  # the owner
    unit: str | None = field(repr=False)  # the person whose texts it is for; None is any of the tenant's
    admin: bool  # whether it may ask about others, and release nothing
    created: int  # microseconds since 1970, as all times
    expires: int | None  # when it ends; None: never
    revoked: int | None  # when it was revoked
    policies: tuple[str, ...] = ()  # that it may name, its default first; none is all

    def ends(self, now: int) -> str | None:
        """Return why it is not taken now; None if it is."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else None


class ApiKeys:
    """The keys of a database. Every method raises LedgerError if the database fails.

    ``url``: of the ledger's database; see ``budget.ledger.Ledger``; ``clock``: microseconds since 1970.
    Raises LedgerError: the database cannot be opened; ParameterError: there is no key of the ledger.
    """

    def __init__(self, url: str, *, clock: Callable[[], int] = lambda: time.time_ns() // 1000) -> None:
        self._sealing = Sealing(ledger_key(url), "API keys")
        self._clock = clock
        self._fitted: OrderedDict[tuple[str, bytes], None] = OrderedDict()
        self._engine = opened(url_of(url))
        make_tables(self._engine)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def exist(self) -> bool:
        """Tell whether there ever was a key: a server that had some stays closed to callers without one."""
        with told(), self._engine.connect() as connection:
            return connection.execute(sa.select(KEYS.c.id).limit(1)).first() is not None

    def create(
        self,
        tenant: str,
        unit: str | None = None,
        *,
        admin: bool = False,
        expires: int | None = None,
        policies: Sequence[str] = (),
    ) -> tuple[KeyFacts, str]:
        """Make a key; return its facts, and the key itself, which cannot be shown again.

        Raises ParameterError: a name is empty; an admin's key is for a person; it would end before it begins.
        """
        need(bool(tenant), "tenant", "an empty name", "a name of at least one character")
        need(unit is None or bool(unit), "unit", "an empty name", "a name of at least one character")
        need(not (admin and unit is not None), "unit", "one", "left out for an admin's key, which releases nothing")
        now = self._clock()
        need(expires is None or expires > now, "expires", "the past", "later than now")
        far = expires is not None and expires > now + MOST_SECONDS * 10**6
        need(not far, "expires", "a later time", "within a hundred years", "Leave it out for a key that never ends.")
        facts = KeyFacts(secrets.token_hex(8), tenant, unit, admin, now, expires, None, tuple(policies))
        secret = secrets.token_urlsafe(32)
        owner = json.dumps([tenant, unit, *policies]).encode("ascii")
        row = {
            "id": facts.identity,
            "owner": self._sealing.sealed(owner, facts.identity),
            **self._secret_columns(facts.identity, secret),
            "admin": admin,
            "created": now,
            "expires": expires,
        }
        with told(), writing(self._engine) as connection:
            connection.execute(KEYS.insert(), [row])
        return facts, f"{PREFIX}_{facts.identity}_{secret}"

    def rotate(self, identity: str, *, grace_seconds: float = 0) -> str:
        """Give a key another secret; its budgets stay.

        ``identity``: of the key; ``grace_seconds``: for which the secret before is still taken.
        Raises ParameterError: there is no such key, or it was revoked.
        """
        need(0 <= grace_seconds <= MOST_SECONDS, "grace_seconds", grace_seconds, f"from 0 to {MOST_SECONDS}")
        secret = secrets.token_urlsafe(32)
        with told(), writing(self._engine) as connection:
            row = connection.execute(sa.select(KEYS).where(KEYS.c.id == identity)).mappings().first()
            _need_key(row is not None and row["revoked"] is None, "of a key that is not revoked")
            assert row is not None
            old = {"old_check": row["check"], "old_hash": row["hash"]} if grace_seconds else dict(_NO_OLD)
            until = {"old_until": self._clock() + round(grace_seconds * 1e6)} if grace_seconds else {}
            changed = {**self._secret_columns(identity, secret), **old, **until}
            connection.execute(KEYS.update().where(KEYS.c.id == identity).values(**changed))
        return f"{PREFIX}_{identity}_{secret}"

    def revoke(self, identity: str) -> None:
        """Take a key no more; a revoked key stays so. Raises ParameterError: there is no such key."""
        with told(), writing(self._engine) as connection:
            at = sa.func.coalesce(KEYS.c.revoked, self._clock())
            done = connection.execute(KEYS.update().where(KEYS.c.id == identity).values(revoked=at, **_NO_OLD))
            _need_key(done.rowcount == 1, "of a key")

    def all(self) -> list[KeyFacts]:
        """Return every key, the oldest first."""
        with told(), self._engine.connect() as connection:
            rows = connection.execute(sa.select(KEYS).order_by(KEYS.c.created, KEYS.c.id)).mappings().all()
        return [self._facts(row) for row in rows]

    def find(self, sent: str) -> KeyFacts | None:
        """Return the key that a client sends; None if it is none, or its secret is another.

        The caller checks whether it has ended. This takes as long as argon2 if the secret is right and was not found
        right before.
        """
        written = _WRITTEN.fullmatch(sent)
        if written is None:
            return None
        identity, secret = written.groups()
        with told(), self._engine.connect() as connection:
            row = connection.execute(sa.select(KEYS).where(KEYS.c.id == identity)).mappings().first()
        given = self._check(identity, secret)
        if row is None:
            return None
        hashed = None
        if hmac.compare_digest(given, row["check"]):
            hashed = row["hash"]
        elif row["old_check"] is not None and hmac.compare_digest(given, row["old_check"]):
            hashed = row["old_hash"] if row["old_until"] > self._clock() else None
        return self._facts(row) if hashed is not None and self._fits(hashed, secret, given) else None

    def _fits(self, hashed: str, secret: str, check: bytes) -> bool:
        if (hashed, check) in self._fitted:
            return True
        try:
            _HASHER.verify(hashed, secret)
        except VerifyMismatchError:
            return False
        self._fitted[hashed, check] = None
        if len(self._fitted) > _REMEMBERED:
            self._fitted.popitem(last=False)
        return True

    def _facts(self, row: RowMapping) -> KeyFacts:
        tenant, unit, *policies = json_data(self._sealing.opened(row["owner"], row["id"]))
        times = (row["created"], row["expires"], row["revoked"])
        return KeyFacts(row["id"], tenant, unit, row["admin"], *times, tuple(policies))

    def _secret_columns(self, identity: str, secret: str) -> dict[str, Any]:
        return {"check": self._check(identity, secret), "hash": _HASHER.hash(secret)}

    def _check(self, identity: str, secret: str) -> bytes:
        return self._sealing.check(f"{identity}_{secret}".encode("ascii"))


_NO_OLD: Final = {"old_check": None, "old_hash": None, "old_until": None}


def _need_key(condition: bool, wanted: str) -> None:
    if not condition:
        error = ParameterError(f"identity must be that {wanted}; got another. See: textveil keys list.")
        error.parameter = "identity"
        raise error
