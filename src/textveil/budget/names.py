"""Keyed digests in the place of names: without the key nobody can try names out, and with another key none is found."""

import hmac
from functools import lru_cache
from typing import Final, NamedTuple

from textveil.budget.account import Account
from textveil.errors import ParameterError
from textveil.whole_files import SECRET_BYTES

DIGEST_BYTES: Final = 16
"""Length of a name's digest."""


_REMEMBERED = 1 << 14


class BudgetLevel(NamedTuple):
    """An account that a release is charged to, by its digests.

    Attributes:
        digest: of the account itself.
        account: the account.
        each: digest of what holds for each of its kind; None where nothing can.
        tenant: digest of its tenant.
        unit: digest of its person; None where it is no person's.
        key: digest of its key; None where it is no key's.
    """

    digest: bytes
    account: Account
    each: bytes | None
    tenant: bytes
    unit: bytes | None
    key: bytes | None

    @property
    def kept_on_demand(self) -> bool:
        """Whether it is counted only once it has a limit: there may be as many as persons times keys."""
        return self.unit is not None and self.key is not None


class Digests(NamedTuple):
    """The digests of an account.

    Attributes:
        tenant: of its tenant: the chain that its entries stand in.
        unit: of its person: of two tenants, one name has two.
        key: of its key, likewise.
        levels: what a release is charged to, the largest first; the last is the account itself.
    """

    tenant: bytes
    unit: bytes | None
    key: bytes | None
    levels: tuple[BudgetLevel, ...]


class Names:
    """HMAC-SHA256 under the ledger's key, cut to 16 bytes.

    Args:
        key: 32 secret bytes.

    Raises:
        ParameterError: it has another length.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) != SECRET_BYTES:
            raise ParameterError(f"key must be {SECRET_BYTES} bytes long; got {len(key)}.")
        self._key = key
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._digests)

    @property
    def check(self) -> bytes:
        """What a database holds to tell its key from another."""
        return self.seal(b"key of this ledger")

    def of(self, account: Account) -> Digests:
        """The digests of an account."""
        return self._remembered(account)

    def every(self, account: Account, each: str) -> bytes:
        """The digest of what holds for each person or key of the account's tenant."""
        return self.of_each(self._digest("tenant", account.tenant), each)

    def of_each(self, tenant: bytes, each: str) -> bytes:
        """The same, of a tenant's digest."""
        return self.seal(b"each" + tenant + each.encode("ascii"))[:DIGEST_BYTES]

    def of_both(self, unit: bytes, key: bytes) -> bytes:
        """The digest of a person by a key, of their digests."""
        return self.seal(b"both" + unit + key)[:DIGEST_BYTES]

    def seal(self, data: bytes) -> bytes:
        """A mark on data that nobody makes without the key."""
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
