"""The gateway: the OpenAI API, or Anthropic's, in front of another server of it that gets only sanitized text."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from textveil.server.conversations import Conversations
from textveil.server.errors import ApiError
from textveil.server.gateway import sending
from textveil.server.gateway.answers import Restoration, restore_chat, restore_message, restore_response
from textveil.server.gateway.chat import CHAT, COMPLETION, EMBEDDING
from textveil.server.gateway.messages import COUNT, MESSAGE
from textveil.server.gateway.reading import MODEL, Reader, refuse
from textveil.server.gateway.responses import RESPONSE
from textveil.server.gateway.streams import ChatEvents, MessageEvents, ResponseEvents, RestoringEvents
from textveil.server.gateway.upstream import invalid_answer
from textveil.server.keys import Caller, caller

CallerNow = Annotated[Caller, Depends(caller)]

Whole: TypeAlias = Callable[[dict[str, Any], Restoration], None]
Streamed: TypeAlias = Callable[[Restoration], RestoringEvents]

_JSON: Final = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}


def gateway_router() -> APIRouter:
    """The routes of the gateway."""
    router = APIRouter(tags=["gateway"])

    @router.post("/v1/chat/completions", openapi_extra=_JSON)
    async def chat_completions(request: Request, who: CallerNow) -> Response:
        """A chat: messages go on sanitized, the answer comes back readable."""
        exchange = await sending.Exchange.of(request, who, ("messages",))
        return await _sent(exchange, "/chat/completions", CHAT, ("model", "messages"), restore_chat, ChatEvents)

    @router.post("/v1/completions", openapi_extra=_JSON)
    async def completions(request: Request, who: CallerNow) -> Response:
        """A text to be gone on with."""
        exchange = await sending.Exchange.of(request, who, ("prompt", "suffix"))
        return await _sent(exchange, "/completions", COMPLETION, ("model", "prompt"), restore_chat, ChatEvents)

    @router.post("/v1/embeddings", openapi_extra=_JSON)
    async def embeddings(request: Request, who: CallerNow) -> Response:
        """Vectors of sanitized texts."""
        exchange = await sending.Exchange.of(request, who, ("input",))
        return await _sent(exchange, "/embeddings", EMBEDDING, ("model", "input"), _nothing, None)

    @router.post("/v1/responses", openapi_extra=_JSON)
    async def responses(request: Request, who: CallerNow) -> Response:
        """The API of responses."""
        exchange = await sending.Exchange.of(request, who, ("instructions", "input"))
        conversations: Conversations = request.app.state.conversations

        def noted(answer: str) -> None:
            conversations.note_answer(exchange.account, exchange.state, answer)

        def whole(data: dict[str, Any], restoration: Restoration) -> None:
            restore_response(data, restoration, exchange.asked)
            if isinstance(data.get("id"), str):
                noted(data["id"])

        def events(restoration: Restoration) -> RestoringEvents:
            return ResponseEvents(restoration, exchange.asked, noted)

        return await _sent(exchange, "/responses", RESPONSE, ("model", "input"), whole, events)

    @router.post("/v1/messages", openapi_extra=_JSON)
    async def messages(request: Request, who: CallerNow) -> Response:
        """A message of Anthropic's API."""
        exchange = await sending.Exchange.of(request, who, ("system", "messages"))
        return await _sent(exchange, "/messages", MESSAGE, ("model", "messages"), restore_message, MessageEvents)

    @router.post("/v1/messages/count_tokens", openapi_extra=_JSON)
    async def count_tokens(request: Request, who: CallerNow) -> Response:
        """The tokens of the sanitized texts of a message, by the upstream's count."""
        exchange = await sending.Exchange.of(request, who, ("system", "messages"))
        return await _sent(exchange, "/messages/count_tokens", COUNT, ("model", "messages"), _nothing, None)

    @router.api_route("/v1/messages/batches{rest:path}", methods=["GET", "POST", "DELETE"], include_in_schema=False)
    async def batches(request: Request, who: CallerNow) -> Response:
        """Refused."""
        message = "batches are not taken: their answers come later, and cannot be restored. Send each message alone."
        raise ApiError(400, "unsupported_call", message)

    @router.get("/v1/models")
    async def models(request: Request, who: CallerNow) -> Response:
        """The upstream's models."""
        return await _asked(request, "/models")

    @router.get("/v1/models/{model:path}")
    async def model(model: str, request: Request, who: CallerNow) -> Response:
        """One of the upstream's models."""
        if not MODEL.fullmatch(model) or ".." in model:
            refuse("model", "the name of a model: up to 128 letters, digits and ._:/@+-")
        return await _asked(request, f"/models/{model}")

    return router


def _nothing(data: dict[str, Any], restoration: Restoration) -> None:
    """Leave vectors and counts as they are: they hold no text."""


async def _asked(request: Request, path: str) -> Response:
    upstream = sending.upstream_of(request)
    async with upstream.send("GET", path, api=sending.api_headers(request)) as answer:
        await sending.refuse_failure(answer, upstream)
        return sending.answered(await answer.data(), answer, {})


async def _sent(
    exchange: sending.Exchange,
    path: str,
    readers: Mapping[str, Reader],
    needed: Sequence[str],
    whole: Whole,
    streamed: Streamed | None,
) -> Response:
    upstream = sending.upstream_of(exchange.request)
    api = sending.api_headers(exchange.request)
    body, memory, headers = await exchange.sanitized(readers, needed)
    wants_stream = streamed is not None and exchange.asked.get("stream") is True
    async with AsyncExitStack() as held:
        sent = asyncio.Event()
        making = sending.restoration_of(memory, exchange.request.app.state.config.restore_in_urls, sent)
        held.callback(memory.restored)
        held.callback(making.cancel)
        answer = await held.enter_async_context(upstream.send("POST", path, body, api, sent.set))
        sent.set()  # whatever carried it
        try:
            await sending.refuse_failure(answer, upstream, making)
            restoration = await making
            if streamed is not None and wants_stream and answer.kind == "text/event-stream":
                keep, scope = exchange.keep_answer, exchange.request.scope
                return sending.RestoredStream(answer, streamed(restoration), headers, held.pop_all(), keep, scope)
            if answer.kind != "application/json":
                raise invalid_answer("it is no JSON")
            data = await answer.data()
            await exchange.restored(data, partial(whole, data, restoration))
            await exchange.keep_answer()
            return sending.answered(data, answer, headers)
        except Exception as error:
            raise sending.after_sending(error) from None
