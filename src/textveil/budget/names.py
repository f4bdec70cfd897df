"""Keyed digests in the place of names: without the key nobody can try names out, and with another key none is found."""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, final

from textveil.budget.account import Account
from textveil.errors import ParameterError
from textveil.key_files import SECRET_BYTES

DIGEST_BYTES: Final = 16
"""Length of a name's digest."""


@final
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

    @property
    def check(self) -> bytes:
        """What a database holds to tell its key from another."""
        return self.seal(b"key of this ledger")

    def tenant(self, account: Account) -> bytes:
        """The digest of the account's tenant."""
        return self._digest("tenant", account.tenant)

    def unit(self, account: Account) -> bytes | None:
        """The digest of the account's person: of two tenants, one name has two."""
        return None if account.unit is None else self._digest("unit", account.tenant, account.unit)

    def key(self, account: Account) -> bytes | None:
        """The digest of the account's key."""
        return None if account.key is None else self._digest("key", account.tenant, account.key)

    def level(self, account: Account) -> bytes:
        """The digest of the account itself."""
        if account.unit is not None and account.key is not None:
            return self._digest("unit and key", account.tenant, account.unit, account.key)
        return self.unit(account) or self.key(account) or self.tenant(account)

    def every(self, account: Account, each: str) -> bytes:
        """The digest of what holds for each person or key of the account's tenant."""
        return self._digest(f"each {each}", account.tenant)

    def seal(self, data: bytes) -> bytes:
        """A mark on data that nobody makes without the key."""
        return hmac.new(self._key, b"textveil ledger seal\0" + data, hashlib.sha256).digest()

    def _digest(self, kind: str, *names: str) -> bytes:
        parts = [one.encode("utf-8", "surrogatepass") for one in (kind, *names)]
        data = b"".join(len(one).to_bytes(8, "big") + one for one in parts)
        return hmac.new(self._key, b"textveil ledger name\0" + data, hashlib.sha256).digest()[:DIGEST_BYTES]
