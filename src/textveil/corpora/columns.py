"""What columns of a record are for, beside those that are sanitized or kept: whose record it is."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final, final

PERSON_BYTES = 16
"""Length of what stands for a person in memory and in ledgers."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RecordColumns:
    """Names of columns that are read, and released only where they are kept too.

    Attributes:
        unit: whose record it is, for what one person's records cost together; None: nobody asks.
    """

    unit: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All of them, each once."""
        return () if self.unit is None else (self.unit,)

    def __bool__(self) -> bool:
        return bool(self.names)


NO_COLUMNS: Final = RecordColumns()
"""Nothing is read beside what is sanitized or kept."""


def person(secret: bytes, value: str | None) -> bytes:
    """What stands for the person whom a column names: the same in all processes of a job, another in another job.

    A keyed digest (BLAKE2b): whoever does not hold the secret, which goes when the job ends, cannot test a guess.

    Args:
        secret: the job's.
        value: of the column; None is null, and all such records are taken for one person's.
    """
    mixed = hashlib.blake2b(key=secret, digest_size=PERSON_BYTES, person=b"textveil person")
    mixed.update(b"" if value is None else b"=" + value.encode("utf-8", "surrogatepass"))
    return mixed.digest()
