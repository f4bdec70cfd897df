"""The routes of those who run the server: they tell of others, and release nothing."""

import time
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request

from textveil.budget.account import Account
from textveil.server.api import service_of
from textveil.server.bodies import UnitName
from textveil.server.errors import ApiError
from textveil.server.key_store import ApiKeys, KeyFacts
from textveil.server.keys import Caller, admin

router = APIRouter(prefix="/v1/admin", tags=["admin"])

AdminNow = Annotated[Caller, Depends(admin)]


@router.get("/budget")
async def budget_of(
    request: Request,
    who: AdminNow,
    tenant: Annotated[UnitName, Query(description="Whose budget.")],
    unit: Annotated[UnitName | None, Query(description="A person of the tenant.")] = None,
    key: Annotated[UnitName | None, Query(description="The id of a key of the tenant.")] = None,
) -> dict[str, Any]:
    """What an account has spent and has left."""
    return (await service_of(request).balance(Account(tenant, unit, key))).to_data()


@router.get("/keys")
async def keys(request: Request, who: AdminNow) -> dict[str, Any]:
    """Every key, without its secret."""
    keys = await service_of(request).in_thread(_keys_of(request).all)
    now = time.time_ns() // 1000
    return {"data": [_data(key, now) for key in keys]}


@router.post("/keys/{identity}/revoke")
async def revoke(identity: str, request: Request, who: AdminNow) -> dict[str, str]:
    """Take a key no more; other processes notice within seconds."""
    await service_of(request).in_thread(partial(_keys_of(request).revoke, identity))
    request.app.state.callers.forget()
    return {"id": identity, "state": "revoked"}


def _keys_of(request: Request) -> ApiKeys:
    keys: ApiKeys | None = request.app.state.keys
    if keys is None:
        raise ApiError(404, "not_found", "this server has no API keys.")
    return keys


def _data(facts: KeyFacts, now: int) -> dict[str, Any]:
    return {
        "id": facts.identity,
        "state": facts.ends(now) or "valid",
        "tenant": facts.tenant,
        "unit": facts.unit,
        "admin": facts.admin,
        "policies": list(facts.policies),
        "created": facts.created // 10**6,
        "expires": None if facts.expires is None else facts.expires // 10**6,
    }
