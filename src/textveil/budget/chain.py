"""Keyed digests in place of names, and entries in a chain: none can be changed, left out or moved.

Nobody can try names out without the ledger's key, and another key finds none. Entry number n of a tenant has the
digest

    SHA-256 of the JSON text [tenant, n, at, what, unit, key, data, digest of n - 1]

with bytes as hexadecimal digits and 64 zeros before the first: whoever has the entries can compute it. The last one
is sealed under the ledger's key, so that whoever can write to the database without the key cannot make another chain.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from textveil.budget.account import Account
from textveil.budget.charge import canonical
from textveil.errors import ParameterError
from textveil.whole_files import SECRET_BYTES

DIGEST_BYTES: Final = 16  # of a name
_REMEMBERED = 1 << 14


class BudgetLevel(NamedTuple):
    """An account that a release is charged to, by its digests."""

    digest: bytes  # of the account
    account: Account
    each: bytes | None  # digest of the rule for each person or key; None if no rule can hold
    tenant: bytes  # digest of its tenant
    unit: bytes | None  # digest of its person; None if it has none
    key: bytes | None  # digest of its key; None if it has none

    @property
    def kept_on_demand(self) -> bool:
        """Tell whether it is counted only once it has a limit: there may be as many as persons times keys."""
        return self.unit is not None and self.key is not None


class Digests(NamedTuple):
    """The digests of an account's tenant, person and key; of two tenants, one name has two digests.

    ``levels`` holds what a release is charged to, the largest first; the last is the account itself.
    """

    tenant: bytes
    unit: bytes | None
    key: bytes | None
    levels: tuple[BudgetLevel, ...]


class Names:
    """HMAC-SHA256 under the ledger's key (32 secret bytes), cut to 16 bytes.

    Raises ParameterError: the key has another length.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != SECRET_BYTES:
            raise ParameterError(f"key must be {SECRET_BYTES} bytes long; got {len(key)}.")
        self._key = key
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._digests)

    @property
    def check(self) -> bytes:
        """The value by which a database tells its key from another."""
        return self.seal(b"key of this ledger")

    def of(self, account: Account) -> Digests:
        return self._remembered(account)

    def every(self, account: Account, each: str) -> bytes:
        """Return the digest of the rule for each person or key of the account's tenant."""
        return self.of_each(self._digest("tenant", account.tenant), each)

    def of_each(self, tenant: bytes, each: str) -> bytes:
        """Return the same, given a tenant's digest."""
        return self.seal(b"each" + tenant + each.encode("ascii"))[:DIGEST_BYTES]

    def of_both(self, unit: bytes, key: bytes) -> bytes:
        """Return the digest of a person by a key, given their digests."""
        return self.seal(b"both" + unit + key)[:DIGEST_BYTES]

    def seal(self, data: bytes) -> bytes:
        """Return a mark on data that nobody makes without the key."""
        return hmac.digest(self._key, b"textveil ledger seal\0" + data, "sha256")

    def _digests(self, account: Account) -> Digests:
        tenant, unit, key = account.tenant, account.unit, account.key
        of_tenant = self._digest("tenant", tenant)
        of_unit = None if unit is None else self._digest("unit", tenant, unit)
        of_key = None if key is None else self._digest("key", tenant, key)
        levels = [BudgetLevel(of_tenant, Account(tenant), None, of_tenant, None, None)]
        if unit is not None:
            each = self.of_each(of_tenant, "unit")
            levels.append(BudgetLevel(of_unit or b"", Account(tenant, unit), each, of_tenant, of_unit, None))
        if key is not None:
            each = self.of_each(of_tenant, "key")
            levels.append(BudgetLevel(of_key or b"", Account(tenant, key=key), each, of_tenant, None, of_key))
        if of_unit is not None and of_key is not None:
            both = self.of_both(of_unit, of_key)
            levels.append(BudgetLevel(both, account, None, of_tenant, of_unit, of_key))
        return Digests(of_tenant, of_unit, of_key, tuple(levels))

    def _digest(self, kind: str, *names: str) -> bytes:
        parts = [part.encode("utf-8", "surrogatepass") for part in (kind, *names)]
        data = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
        return hmac.digest(self._key, b"textveil ledger name\0" + data, "sha256")[:DIGEST_BYTES]


BEFORE_ALL: Final = bytes(32)  # in the place of a digest before the first entry
What: TypeAlias = Literal["reserve", "commit", "cancel", "limit"]


class Entry(NamedTuple):
    """Something that happened."""

    tenant: bytes  # digest of the tenant
    number: int  # from 1, for each tenant
    at: int  # microseconds since 1970, UTC; never less than that of the entry before
    what: str  # one of ``What``
    unit: bytes | None  # digest of the person; None if there is none
    key: bytes | None  # digest of the API key; None if there is none
    data: str  # canonical JSON text
    digest: bytes  # of this entry and all before it

    def digests(self) -> dict[str, bytes | None]:
        """Return the parts that are bytes, by name."""
        return {"tenant": self.tenant, "unit": self.unit, "key": self.key, "digest": self.digest}

    @classmethod
    def of_hex(cls, data: Mapping[str, Any]) -> Entry:
        """Return the entry of JSON data in which bytes are hexadecimal digits.

        Raises KeyError, TypeError, ValueError: a part is missing, of another kind, or has other digits.
        """
        unit, key = (None if data[name] is None else bytes.fromhex(data[name]) for name in ("unit", "key"))
        tenant, digest = (bytes.fromhex(data[name]) for name in ("tenant", "digest"))
        number, at = int(data["number"]), int(data["at"])
        return cls(tenant, number, at, str(data["what"]), unit, key, str(data["data"]), digest)

    def chained(self, before: bytes) -> bytes:
        """Return the digest that it must have behind an entry with digest ``before``."""
        unit, key = (None if digest is None else digest.hex() for digest in (self.unit, self.key))
        parts = [self.tenant.hex(), self.number, self.at, self.what, unit, key, self.data, before.hex()]
        return hashlib.sha256(canonical(parts).encode("ascii")).digest()


@dataclass(slots=True)
class Chain:
    """The end of a tenant's entries: number, time and digest of the last one; number 0 before the first."""

    tenant: bytes
    number: int = 0
    at: int = 0
    head: bytes = BEFORE_ALL

    def seal(self, names: Names) -> bytes:
        """Return the mark under the key that this is the end."""
        end = self.number.to_bytes(8, "big") + self.at.to_bytes(8, "big", signed=True)
        return names.seal(b"chain" + self.tenant + end + self.head)

    def append(self, now: int, what: What, unit: bytes | None, key: bytes | None, data: Any) -> Entry:
        """Return the next entry; the chain ends with it."""
        self.number += 1
        self.at = max(self.at, now)
        bare = Entry(self.tenant, self.number, self.at, what, unit, key, canonical(data), b"")
        self.head = bare.chained(self.head)
        return bare._replace(digest=self.head)

    def as_row(self, names: Names) -> dict[str, Any]:
        return {
            "tenant": self.tenant,
            "number": self.number,
            "at": self.at,
            "head": self.head,
            "seal": self.seal(names),
        }
