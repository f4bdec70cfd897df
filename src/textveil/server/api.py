"""The routes of textveil's own API.

The routes of those who run the server: they tell of others, and release nothing.
"""

import time
from functools import partial
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Query, Request, Response

from textveil.budget.account import Account
from textveil.mechanisms.randomized_response import CommonWordResponse
from textveil.receipts import Signer
from textveil.sanitize.costs import TextCosts
from textveil.sanitize.explanation import explain
from textveil.sanitize.policy.making import words_of
from textveil.sanitize.policy_report import value_data
from textveil.sanitize.release import Report, Tally
from textveil.sanitize.token_draws import LeftOut
from textveil.server import bodies
from textveil.server.budgets import budget_data
from textveil.server.config import Config
from textveil.server.conversations import PUBLIC_OF_CONVERSATIONS
from textveil.server.errors import ApiError, refuse_unread_query, too_many_texts
from textveil.server.inspection import NO_RECEIPTS, Inspection, noted
from textveil.server.kept_data import MapKeeper
from textveil.server.keys import ApiKeys, Caller, KeyFacts, admin, caller
from textveil.server.monitoring import ServerMetrics
from textveil.server.policies import OfferedPolicies
from textveil.server.service import PaidReleases, SanitizingService
from textveil.surrogates.restoring import Restored, Restorer
from textveil.surrogates.urls import InUrls

router = APIRouter(dependencies=[Depends(refuse_unread_query)], route_class=bodies.StrictRoute)

CallerNow = Annotated[Caller, Depends(caller)]
"""Who calls, in a route's signature."""


def service_of(request: Request) -> SanitizingService:
    """The service of the application that a request came to."""
    return cast(SanitizingService, request.app.state.service)


def _maps_of(request: Request) -> MapKeeper:
    return cast(MapKeeper, request.app.state.maps)


@router.post("/v1/sanitize", response_model_exclude_none=True)
async def sanitize(
    body: bodies.SanitizeRequest, request: Request, who: CallerNow, response: Response
) -> bodies.SanitizeAnswer:
    """Sanitize a text or several; what it costs is taken from the budget before anything is drawn."""
    texts = [body.text] if isinstance(body.text, str) else body.text
    most = cast(Config, request.app.state.config).request_texts
    if len(texts) > most:
        raise too_many_texts(most)
    account = who.account(body.unit)
    service = service_of(request)
    policy = service.policies.at(who.policy(body.policy), body.epsilon)
    paid = await service.release(texts, policy=policy, account=account)
    response.headers.update(noted(request, Inspection(paid.policy, paid.releases)))
    released = [release.text for release in paid.releases]
    maps = (
        [release.private_map for release in paid.releases if release.private_map is not None] if body.restorable else []
    )
    kept = None
    if maps:
        keep = partial(_maps_of(request).keep, (account.tenant, account.unit), maps)
        kept = await service.in_thread(keep)
    return bodies.SanitizeAnswer(
        text=released[0] if isinstance(body.text, str) else released,
        guarantee=paid.guarantee,
        budget=paid.budget,
        report=report_data(paid) if body.report else None,
        release=kept,
    )


@router.post("/v1/restore")
async def restore(body: bodies.RestoreRequest, request: Request, who: CallerNow) -> bodies.RestoreAnswer:
    """Put originals back into what was released, or into what somebody wrote with it."""
    find = partial(_maps_of(request).find, (who.tenant, who.unit), body.release)
    if (maps := await service_of(request).in_thread(find)) is None:
        message = "`release` names nothing that is kept: it may have expired. Sanitize with `restorable` again."
        raise ApiError(404, "unknown_release", message, param="release")
    texts = [body.text] if isinstance(body.text, str) else body.text
    in_urls = cast(Config, request.app.state.config).restore_in_urls
    restored = await service_of(request).in_thread(partial(_restored, maps, texts, in_urls))
    return bodies.RestoreAnswer(
        text=restored[0].text if isinstance(body.text, str) else [each.text for each in restored],
        replaced=sum(each.replaced for each in restored),
        ambiguous=sum(len(each.ambiguous) for each in restored),
    )


def _restored(maps: Any, texts: list[str], in_urls: InUrls) -> list[Restored]:
    restorer = Restorer(maps, in_urls=in_urls)
    return [restorer.restore(text) for text in texts]


@router.post("/v1/detect")
async def detect(body: bodies.DetectRequest, request: Request, who: CallerNow) -> bodies.DetectAnswer:
    """Show what a policy's detectors find in a text; it costs nothing, for nothing is released."""
    service = service_of(request)
    name = service.policies.name(who.policy(body.policy))
    spans = await service.found(name, body.text)
    shown = [bodies.FoundSpan(start=span.start, end=span.end, kind=span.kind, score=span.score) for span in spans]
    return bodies.DetectAnswer(policy=name, spans=shown)


@router.post("/v1/explain")
async def explain_policy(body: bodies.ExplainRequest, request: Request, who: CallerNow) -> dict[str, Any]:
    """Show what a policy does with each kind and what that guarantees, or what a word becomes. Costs nothing."""
    service = service_of(request)
    name = service.policies.at(who.policy(body.policy), body.epsilon)
    return await service.in_thread(partial(_explained, service.policies, name, body))


def _explained(policies: OfferedPolicies, name: str, body: bodies.ExplainRequest) -> dict[str, Any]:
    chosen, setting = policies.policy(name), policies.sanitizer(name).setting
    data: dict[str, Any] = {
        "policy": name,
        "describes": chosen.describes,
        "by_kind": [protected.to_data() for protected in setting.protected],
        "per_value": value_data(setting),
        "not_covered": [] if setting.policy is None else list(setting.policy.not_covered),
        "public": list(setting.public),
        "public_of_conversations": list(PUBLIC_OF_CONVERSATIONS),
        "warnings": setting.warnings(),
    }
    if body.word is not None:
        if (words := words_of(chosen)) is None:
            message = "`word` must be left out: this policy keeps words as they are."
            raise ApiError(400, "invalid_field", message, param="word")
        if isinstance(words, LeftOut | CommonWordResponse):
            message = "`word` must be left out: this policy draws no word of a vocabulary."
            raise ApiError(400, "invalid_field", message, param="word")
        data["word"] = explain(words, body.word, top=body.top).to_data()
    return data


@router.get("/v1/policies")
async def policies(request: Request, who: CallerNow) -> dict[str, Any]:
    """The policies that a request may name, the default first."""
    return {"data": service_of(request).policies.to_data(who.policies)}


@router.get("/v1/budget")
async def budget(
    request: Request,
    who: CallerNow,
    unit: Annotated[bodies.UnitName | None, Query(description="A person, where the key is not one person's.")] = None,
    policy: Annotated[str | None, Query(description="At which words are counted; the default if left out.")] = None,
) -> dict[str, Any]:
    """Show what was spent of the caller's budget and what is left, in nats and in words."""
    service = service_of(request)
    name = service.policies.name(who.policy(policy))
    balance = await service.balance(who.account(unit))
    setting = (await service.in_thread(partial(service.policies.sanitizer, name))).setting
    return budget_data(balance, TextCosts.of(setting))


@router.get("/v1/receipts/key")
async def receipt_key(request: Request) -> dict[str, str]:
    """The public key by which this server signs receipts, for everybody who can reach it."""
    if (signer := cast(Signer | None, request.app.state.signer)) is None:
        raise ApiError(404, "not_found", NO_RECEIPTS)
    return {"algorithm": "Ed25519", "key": signer.public}


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Tell whether the process runs."""
    return {"status": "ok"}


@router.get("/readyz")
async def readyz(request: Request) -> dict[str, str]:
    """Tell whether requests can be answered: the ledger can be read."""
    await service_of(request).balance(Account("textveil"))
    return {"status": "ok"}


@router.get("/metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Counters for Prometheus, without text and without names; for an admin, unless the configuration opens them."""
    if cast(Config, request.app.state.config).metrics != "open":
        await admin(request)
    counted = cast(ServerMetrics, request.app.state.metrics)
    return Response(counted.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def report_data(paid: PaidReleases) -> dict[str, Any] | None:
    """The report of all texts of a call together."""
    if not paid.releases:
        return None
    tally = Tally()
    for release in paid.releases:
        tally.add_document([release])
    return Report(setting=paid.releases[0].setting, tally=tally).to_data()


admin_router = APIRouter(prefix="/v1/admin", tags=["admin"])

AdminNow = Annotated[Caller, Depends(admin)]


@admin_router.get("/budget")
async def budget_of(
    request: Request,
    who: AdminNow,
    tenant: Annotated[bodies.UnitName, Query(description="Whose budget.")],
    unit: Annotated[bodies.UnitName | None, Query(description="A person of the tenant.")] = None,
    key: Annotated[bodies.UnitName | None, Query(description="The id of a key of the tenant.")] = None,
) -> dict[str, Any]:
    """Show what an account has spent and has left."""
    return (await service_of(request).balance(Account(tenant, unit, key))).to_data()


@admin_router.get("/keys")
async def keys(request: Request, who: AdminNow) -> dict[str, Any]:
    """Every key, without its secret."""
    keys = await service_of(request).in_thread(_keys_of(request).all)
    now = time.time_ns() // 1000
    return {"data": [_data(key, now) for key in keys]}


@admin_router.post("/keys/{identity}/revoke")
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
