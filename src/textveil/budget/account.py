"""Who pays for a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Account:
    """Whose budgets a release is taken from: a tenant's, a person's and a key's, where they have one.

    Attributes:
        tenant: who runs what asks for releases.
        unit: the person whose text it is; None where none is told.
        key: the id of the API key that was used; None where none was.
    """

    tenant: str
    unit: str | None = None
    key: str | None = None
