"""Callers by their API keys: without keys, every caller on this machine is the local tenant; and keys in the database.

Keys are made, listed, rotated, revoked, and found again by what a client sends. A key is ``tv_ID_SECRET``. The secret,
32 random bytes, is shown once; the ledger's database has an argon2 hash of it, a check under the ledger's key that
tells wrong secrets at once, and its owner, encrypted.
"""

import asyncio
import hashlib
import hmac
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from fastapi import Request
from sqlalchemy.engine import RowMapping
from starlette.datastructures import Headers

from textveil.budget.account import Account
from textveil.budget.database import told, writing
from textveil.budget.ledger import ledger_key
from textveil.errors import ParameterError, need
from textveil.json_text import json_data
from textveil.server.errors import ApiError
from textveil.server.sealed import KEYS, Sealing, ServerTables, microseconds

PREFIX: Final = "tv"

MOST_SECONDS: Final = 100 * 366 * 86_400  # how far ahead a key may end; without a time it never ends
_WRITTEN: Final = re.compile(rf"{PREFIX}_([0-9a-f]{{16}})_([A-Za-z0-9_-]{{20,100}})")

# OWASP's smallest recommended argon2id: nobody can try out 256 random bits anyway
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_MOST_PROVED: Final = 10_000  # secrets that were found right, by their hash and their check under the ledger's key


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


class ApiKeys(ServerTables):
    """The keys of a database. Every method raises LedgerError if the database fails.

    ``url``: of the ledger's database; see ``budget.ledger.Ledger``; ``clock``: microseconds since 1970.
    Raises LedgerError: the database cannot be opened; ParameterError: there is no key of the ledger.
    """

    def __init__(self, url: str, *, clock: Callable[[], int] = microseconds) -> None:
        self._sealing = Sealing(ledger_key(url), "API keys")
        super().__init__(url, clock)
        self._fitted: OrderedDict[tuple[str, bytes], None] = OrderedDict()

    def exist(self) -> bool:
        """Tell whether there ever was a key: a server that had some stays closed to callers without one."""
        with told(), self.engine.connect() as connection:
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
        now = self.clock()
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
        with told(), writing(self.engine) as connection:
            connection.execute(KEYS.insert(), [row])
        return facts, f"{PREFIX}_{facts.identity}_{secret}"

    def rotate(self, identity: str, *, grace_seconds: float = 0) -> str:
        """Give a key another secret; its budgets stay.

        ``identity``: of the key; ``grace_seconds``: for which the secret before is still taken.
        Raises ParameterError: there is no such key, or it was revoked.
        """
        need(0 <= grace_seconds <= MOST_SECONDS, "grace_seconds", grace_seconds, f"from 0 to {MOST_SECONDS}")
        secret = secrets.token_urlsafe(32)
        with told(), writing(self.engine) as connection:
            row = connection.execute(sa.select(KEYS).where(KEYS.c.id == identity)).mappings().first()
            _need_key(row is not None and row["revoked"] is None, "of a key that is not revoked")
            assert row is not None
            old = {"old_check": row["check"], "old_hash": row["hash"]} if grace_seconds else dict(_NO_OLD)
            until = {"old_until": self.clock() + round(grace_seconds * 1e6)} if grace_seconds else {}
            changed = {**self._secret_columns(identity, secret), **old, **until}
            connection.execute(KEYS.update().where(KEYS.c.id == identity).values(**changed))
        return f"{PREFIX}_{identity}_{secret}"

    def revoke(self, identity: str) -> None:
        """Take a key no more; a revoked key stays so. Raises ParameterError: there is no such key."""
        with told(), writing(self.engine) as connection:
            at = sa.func.coalesce(KEYS.c.revoked, self.clock())
            done = connection.execute(KEYS.update().where(KEYS.c.id == identity).values(revoked=at, **_NO_OLD))
            _need_key(done.rowcount == 1, "of a key")

    def all(self) -> list[KeyFacts]:
        """Return every key, the oldest first."""
        with told(), self.engine.connect() as connection:
            rows = connection.execute(sa.select(KEYS).order_by(KEYS.c.created, KEYS.c.id)).mappings().all()
        return [self._facts(row) for row in rows]

    def find(self, sent: str) -> KeyFacts | None:
        """Return the key that a client sends; None if it is none, or its secret is another.

        The caller checks whether it has ended. This takes as long as argon2 if the secret is right and was not found
        right before.
        """
        if (written := _WRITTEN.fullmatch(sent)) is None:
            return None
        identity, secret = written.groups()
        with told(), self.engine.connect() as connection:
            row = connection.execute(sa.select(KEYS).where(KEYS.c.id == identity)).mappings().first()
        given = self._check(identity, secret)
        if row is None:
            return None
        hashed = None
        if hmac.compare_digest(given, row["check"]):
            hashed = row["hash"]
        elif row["old_check"] is not None and hmac.compare_digest(given, row["old_check"]):
            hashed = row["old_hash"] if row["old_until"] > self.clock() else None
        return self._facts(row) if hashed is not None and self._fits(hashed, secret, given) else None

    def _fits(self, hashed: str, secret: str, check: bytes) -> bool:
        if (hashed, check) in self._fitted:
            return True
        try:
            _HASHER.verify(hashed, secret)
        except VerifyMismatchError:
            return False
        self._fitted[hashed, check] = None
        if len(self._fitted) > _MOST_PROVED:
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


LOCAL_TENANT: Final = "local"  # pays if a server has no keys
_REMEMBERED: Final = 10_000
# verifications that may wait: argon2 takes tens of milliseconds, and only right secrets come that far
_WAITING: Final = 100


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request."""

    tenant: str = field(repr=False)  # the owner of the key
    # the person whose texts the key is for; None: each request may name one
    unit: str | None = field(default=None, repr=False)
    key_id: str | None = None  # of the key; None if the server has none
    admin: bool = False  # whether it may ask about others; it releases nothing
    policies: tuple[str, ...] = ()  # that its requests may name, its default first; none is all of the server's

    def policy(self, asked: str | None) -> str | None:
        """Return the policy of a request that names ``asked``; None is the server's default.

        A smaller epsilon (``NAME@4``) is always allowed. Raises ApiError: the key, or its tenant, may not use it.
        """
        if not self.policies:
            return asked
        name = self.policies[0] if asked is None else asked
        if name in self.policies or name.rpartition("@")[0] in self.policies:
            return name
        message = f"this key may use the policies {', '.join(self.policies)}; the request names another."
        raise ApiError(403, "other_policy", message, "permission_error", param="policy")

    def account(self, unit: str | None = None) -> Account:
        """Return the account that pays for a request that names the person ``unit``.

        Raises ApiError: the key is for another person.
        """
        if unit is not None and self.unit is not None and unit != self.unit:
            message = "this key is for one person, and `unit` names another. Leave it out, or use another key."
            raise ApiError(403, "other_unit", message, "permission_error", param="unit")
        return Account(self.tenant, self.unit if unit is None else unit, self.key_id)


class _Remembered(NamedTuple):
    facts: KeyFacts
    until: float


class Callers:
    """Tells callers by their keys; a verified key is taken for some seconds without asking the database again.

    Args:
        keys: of the database; None: nobody needs one.
        seconds: how long a verified key, or that there are none, is remembered; a revoked key is taken for so long at
            most.
        per_second: requests of one key on average, and at once; 0 is no limit.
        bound: whether only keys of one person, and admins', are taken.
        policies: of tenants by name, for keys without policies of their own.
    """

    def __init__(
        self,
        keys: ApiKeys | None,
        *,
        seconds: float = 5.0,
        per_second: float = 0.0,
        bound: bool = False,
        policies: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self._keys = keys
        self._policies = policies
        self._bound = bound
        self._seconds = seconds
        self._rate = Rate(per_second)
        self._secret = secrets.token_bytes(32)
        self._known: OrderedDict[bytes, _Remembered] = OrderedDict()
        self._verifying: dict[bytes, asyncio.Future[KeyFacts | None]] = {}
        self._open_until = 0.0
        self._closed = False
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="textveil-keys")

    def close(self) -> None:
        """Finish work under way."""
        self._pool.shutdown(wait=True)

    def forget(self) -> None:
        """Ask the database again for every key."""
        self._known.clear()

    async def of(self, authorization: str | None) -> Caller:
        """Return the caller of an ``Authorization`` header.

        Raises:
            ApiError: a key is missing, or is not taken; or it comes too often.
            LedgerError: the database fails.
        """
        scheme, _, sent = (authorization or "").partition(" ")
        token = sent.strip() if scheme.lower() == "bearer" else ""
        if not self._bound and not token.startswith(f"{PREFIX}_") and await self._is_open():
            self._rate.need(LOCAL_TENANT)
            return Caller(LOCAL_TENANT, policies=self._policies.get(LOCAL_TENANT, ()))
        if not token:
            raise _refused("an API key is wanted: Authorization: Bearer KEY. Ask whoever runs the server for one.")
        facts = await self._facts(token)
        self._rate.need(facts.identity)
        if self._bound and facts.unit is None and not facts.admin:
            message = "this key is of no person, and this server takes keys of persons alone. Ask for one of your own."
            raise ApiError(403, "unbound_key", message, "permission_error")
        policies = facts.policies or self._policies.get(facts.tenant, ())
        return Caller(facts.tenant, facts.unit, facts.identity, facts.admin, policies)

    async def _is_open(self) -> bool:
        if self._keys is None:
            return True
        now = time.monotonic()
        if not self._closed and now >= self._open_until:
            self._closed = await asyncio.get_running_loop().run_in_executor(self._pool, self._keys.exist)
            self._open_until = now + self._seconds
        return not self._closed

    async def _facts(self, token: str) -> KeyFacts:
        digest = hmac.new(self._secret, token.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
        if (known := self._known.get(digest)) is None or known.until <= time.monotonic():
            self._known.pop(digest, None)
            if (facts := await self._verified_once(digest, token)) is None:
                raise _refused("this API key is not one of this server's.")
            known = self._known[digest] = _Remembered(facts, time.monotonic() + self._seconds)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        if (ended := known.facts.ends(microseconds())) is not None:
            raise _refused(f"this API key was {ended}." if ended == "revoked" else "this API key has expired.", ended)
        return known.facts

    async def _verified_once(self, digest: bytes, token: str) -> KeyFacts | None:
        if (under_way := self._verifying.get(digest)) is None:
            under_way = self._verifying[digest] = asyncio.ensure_future(self._verified(token))

            def ended(task: asyncio.Future[KeyFacts | None]) -> None:
                del self._verifying[digest]
                if not task.cancelled():
                    task.exception()  # whoever waited may be gone

            under_way.add_done_callback(ended)
        return await asyncio.shield(under_way)

    async def _verified(self, token: str) -> KeyFacts | None:
        if self._keys is None:
            return None
        if self._waiting >= _WAITING:
            message = "too many API keys are being verified. Try again soon."
            raise ApiError(503, "overloaded", message, "server_error", headers={"retry-after": "1"})
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._keys.find, token)
        finally:
            self._waiting -= 1


class Rate:
    """So many requests a second on average and at once, for each of many callers; 0 is no limit."""

    def __init__(self, per_second: float) -> None:
        self._per_second = per_second
        self._most = max(1.0, per_second)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def need(self, name: str) -> None:
        """Count a request. Raises ApiError: it comes too soon."""
        if self._per_second == 0:
            return
        now = time.monotonic()
        left, at = self._left.pop(name, (self._most, now))
        left = min(self._most, left + (now - at) * self._per_second)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _REMEMBERED:
            self._left.popitem(last=False)
        if left < 1:
            wait = max(1, round((1 - left) / self._per_second + 0.5))
            message = f"this key may send {self._per_second:g} requests a second; got more. Wait, and send it again."
            raise ApiError(429, "rate_limit_exceeded", message, "rate_limit_error", headers={"retry-after": str(wait)})


def _refused(message: str, ended: str | None = None) -> ApiError:
    code = "invalid_api_key" if ended is None else f"{ended}_api_key"
    return ApiError(401, code, message, "authentication_error", headers={"www-authenticate": "Bearer"})


async def caller(request: Request) -> Caller:
    """Return the caller, as a dependency of a route that releases or restores; admins are refused."""
    who = await _caller(request)
    if who.admin:
        message = "an admin's key releases nothing. Use a tenant's key."
        raise ApiError(403, "admin_key", message, "permission_error")
    return who


async def admin(request: Request) -> Caller:
    """Return the caller, as a dependency of a route about others: an admin, or anybody if the server has no keys."""
    who = await _caller(request)
    if not who.admin and who.key_id is not None:
        raise ApiError(403, "not_admin", "this route wants an admin's key.", "permission_error")
    return who


async def _caller(request: Request) -> Caller:
    who: Caller | ApiError = request.state.caller
    if isinstance(who, ApiError):
        raise who
    return who


def sent_key(headers: Headers) -> str | None:
    """Return the key of a request as ``Callers.of`` takes it; None if it has none."""
    key = headers.get("x-api-key")  # as Anthropic's clients send it
    return headers.get("authorization", None if key is None else f"Bearer {key}")
