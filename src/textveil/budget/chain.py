"""Entries that are chained: each holds the digest of all before it, so that none can be changed, left out or moved.

The entry with number n of a tenant has the digest

    SHA-256 of the JSON text [tenant, n, at, what, unit, key, data, digest of n - 1]

with bytes as hexadecimal digits and 64 zeros before the first: whoever has the entries can compute it. The last one is
sealed under the ledger's key, so that whoever can write to the database and lacks the key cannot make another chain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from textveil.budget.charge import canonical
from textveil.budget.names import Names

BEFORE_ALL: Final = bytes(32)
"""In the place of a digest before the first entry."""

What: TypeAlias = Literal["reserve", "commit", "cancel", "limit", "unprotected"]


class Entry(NamedTuple):
    """Something that happened.

    Attributes:
        tenant: digest of the tenant.
        number: from 1, for each tenant.
        at: microseconds since 1970, UTC; never less than that of the entry before.
        what: "reserve", "commit", "cancel", "limit" or "unprotected".
        unit: digest of the person; None where there is none.
        key: digest of the API key; None where there is none.
        data: canonical JSON text.
        digest: of this entry and all before it.
    """

    tenant: bytes
    number: int
    at: int
    what: str
    unit: bytes | None
    key: bytes | None
    data: str
    digest: bytes

    def digests(self) -> dict[str, bytes | None]:
        """The parts that are bytes, by name."""
        return {"tenant": self.tenant, "unit": self.unit, "key": self.key, "digest": self.digest}

    @classmethod
    def of_hex(cls, data: Mapping[str, Any]) -> Entry:
        """The entry of JSON data in which bytes are hexadecimal digits.

        Raises:
            KeyError: a part is missing.
            TypeError: one is of another kind.
            ValueError: one has other digits.
        """
        unit, key = (None if data[name] is None else bytes.fromhex(data[name]) for name in ("unit", "key"))
        tenant, digest = (bytes.fromhex(data[name]) for name in ("tenant", "digest"))
        number, at = int(data["number"]), int(data["at"])
        return cls(tenant, number, at, str(data["what"]), unit, key, str(data["data"]), digest)

    def chained(self, before: bytes) -> bytes:
        """The digest that it must have behind an entry with digest ``before``."""
        unit, key = (None if digest is None else digest.hex() for digest in (self.unit, self.key))
        parts = [self.tenant.hex(), self.number, self.at, self.what, unit, key, self.data, before.hex()]
        return hashlib.sha256(canonical(parts).encode("ascii")).digest()


@dataclass(slots=True)
class Chain:
    """The end of a tenant's entries.

    Attributes:
        tenant: digest of the tenant.
        number: of the last entry; 0 before the first.
        at: its time.
        head: its digest.
    """

    tenant: bytes
    number: int = 0
    at: int = 0
    head: bytes = BEFORE_ALL

    def seal(self, names: Names) -> bytes:
        """The mark under the key that this is the end."""
        end = self.number.to_bytes(8, "big") + self.at.to_bytes(8, "big", signed=True)
        return names.seal(b"chain" + self.tenant + end + self.head)

    def append(self, now: int, what: What, unit: bytes | None, key: bytes | None, data: Any) -> Entry:
        """The next entry; the chain ends with it."""
        self.number += 1
        self.at = max(self.at, now)
        bare = Entry(self.tenant, self.number, self.at, what, unit, key, canonical(data), b"")
        self.head = bare.chained(self.head)
        return bare._replace(digest=self.head)

    def as_row(self, names: Names) -> dict[str, Any]:
        """What is written of it."""
        return {
            "tenant": self.tenant,
            "number": self.number,
            "at": self.at,
            "head": self.head,
            "seal": self.seal(names),
        }
