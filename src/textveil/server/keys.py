"""Who calls: by an API key, or nobody in particular where there are no keys and only this machine can connect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from fastapi import Request

from textveil.budget.account import Account
from textveil.server.errors import ApiError

LOCAL_TENANT: Final = "local"
"""Who pays where a server has no keys."""


@final
@dataclass(frozen=True, slots=True)
class Caller:
    """Whose request it is.

    Attributes:
        tenant: who has the key.
        unit: the person whose texts the key is for; None: each request may name one.
        key_id: of the key; None where the server has none.
        admin: whether it may ask about others.
    """

    tenant: str
    unit: str | None = None
    key_id: str | None = None
    admin: bool = False

    def account(self, unit: str | None = None) -> Account:
        """Who pays.

        Args:
            unit: the person whose texts these are, as the request names one.

        Raises:
            ApiError: the key is for another person.
        """
        if unit is not None and self.unit is not None and unit != self.unit:
            message = "this key is for one person, and `unit` names another. Leave it out, or use another key."
            raise ApiError(403, "other_unit", message, "permission_error", param="unit")
        return Account(self.tenant, self.unit if unit is None else unit, self.key_id)


async def caller(request: Request) -> Caller:
    """Who calls, as a dependency of a route."""
    return Caller(LOCAL_TENANT)
