"""One request through the gateway: read, released, sent, restored. A failure before sending sends nothing."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from textveil.budget.account import Account
from textveil.json_text import is_encodable
from textveil.server.bodies import NAME_CHARACTERS, need_json, request_object
from textveil.server.conversations import Conversations, ConversationState
from textveil.server.errors import ApiError, place_of, speaks_anthropic
from textveil.server.gateway.answers import Event, EventReader, Restoration
from textveil.server.gateway.bodies import RequestMemory, beginning, sanitized_body
from textveil.server.gateway.json_text import as_json
from textveil.server.gateway.reading import Reader
from textveil.server.gateway.streams import RestoringEvents
from textveil.server.gateway.upstream import Answer, Upstream, invalid_answer
from textveil.server.inspection import Inspection, noted, receipt_header, wants_receipt
from textveil.server.keys import Caller
from textveil.server.service import LONG_CHARACTERS, SanitizingService, beside
from textveil.surrogates.urls import InUrls, UrlRule

_CONVERSATION: Final = re.compile(r"[\x21-\x7e]{1,200}")
# of requests; a header that nobody reads could charge another person, or use another policy
_HEADERS: Final = frozenset(f"x-textveil-{name}" for name in ("conversation", "policy", "receipt", "unit"))
_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_.\[\]-]{1,80}")
_MESSAGE_CHARACTERS: Final = 1000
_VERSION: Final = "2023-06-01"
_API_WORDS: Final = {
    "anthropic-version": re.compile(r"20\d\d-\d\d-\d\d"),
    "anthropic-beta": re.compile(r"[a-z][a-z0-9-]{0,60}-20\d\d-?\d\d-?\d\d"),
}
_API_FORMS: Final = {"anthropic-version": "a date as 2023-06-01", "anthropic-beta": "names that end with a date"}

logger = logging.getLogger("textveil.server.gateway")


class Exchange(NamedTuple):
    """A request as it came."""

    request: Request  # of HTTP
    asked: dict[str, Any]  # its body
    size: int  # bytes of its body
    account: Account  # that pays
    state: ConversationState  # of its conversation

    @property
    def conversations(self) -> Conversations:
        """The server's settings."""
        conversations: Conversations = self.request.app.state.conversations
        return conversations

    async def restored(self, data: dict[str, Any], restore: Callable[[], None]) -> None:
        """Restore an answer: a long one in a thread, while nothing else is released in the conversation or kept."""
        size = _characters(data)
        async with AsyncExitStack() as alone:
            if size > LONG_CHARACTERS:
                await alone.enter_async_context(self.state.lock)
            await beside(size, restore)

    async def keep_answer(self) -> None:
        """Keep what an answer added to the conversation, before the client reads it."""
        await self.conversations.keep_answer(self.state)

    @classmethod
    async def of(cls, request: Request, who: Caller, begins: Sequence[str]) -> Exchange:
        """Read a request.

        ``request``: of HTTP; ``who``: calls; ``begins``: fields by whose beginning a conversation without a name is
        known.

        Raises:
            ApiError: the body is no JSON object, or declared as something else; or a header is none of this API.
        """
        for header in request.headers:
            if header.startswith("x-textveil-") and header not in _HEADERS:
                known = ", ".join(sorted(_HEADERS))
                raise ApiError(400, "invalid_header", f"headers that begin with x-textveil- must be one of {known}.")
        need_json(request.headers)
        body = await request.body()
        asked = await beside(len(body), partial(request_object, body))
        account = who.account(_unit(request))
        conversations: Conversations = request.app.state.conversations
        if (name := request.headers.get("x-textveil-conversation")) is not None:
            if not _CONVERSATION.fullmatch(name):
                raise ApiError(
                    400, "invalid_header", "X-Textveil-Conversation must be 1 to 200 visible ASCII characters."
                )
            named = f"named {name}"
            await conversations.recall(account, name=named)
            return cls(request, asked, len(body), account, conversations.of(account, named))
        previous = asked.get("previous_response_id")
        state = None
        if isinstance(previous, str) and previous:
            await conversations.recall(account, answer=previous)
            state = conversations.of_answer(account, previous)
        if state is None:
            begun = f"begun {beginning(asked, begins)}"
            await conversations.recall(account, name=begun)
            state = conversations.of(account, begun)
        return cls(request, asked, len(body), account, state)

    async def sanitized(
        self, readers: Mapping[str, Reader], needed: Sequence[str]
    ) -> tuple[bytes, RequestMemory, dict[str, str]]:
        """Return JSON with every text released, the memory that restores its answer, and headers for the client.

        Raises ApiError: a part of it cannot be read, and so does not go on; BudgetExhausted: nothing was drawn.
        """
        service: SanitizingService = self.request.app.state.service
        who: Caller = self.request.state.caller
        policy = who.policy(self.request.headers.get("x-textveil-policy"))
        signs = wants_receipt(self.request)
        sanitized = await sanitized_body(
            service,
            self.asked,
            readers,
            needed,
            account=self.account,
            state=self.state,
            policy=policy,
            size=self.size,
            most=self.request.app.state.config.request_texts,
            documents=self.request.app.state.documents,
        )
        await self.conversations.keep(self.state)  # what goes on is known to whoever goes on with it
        share = service.sampled_share(policy)  # whether this conversation was drawn is told to nobody
        told = {} if share is None else {"X-Textveil-Sample-Share": f"{share:g}"}
        body = as_json(sanitized.body)
        inspection = Inspection(service.policies.name(policy), sanitized.releases)
        told |= noted(self.request, inspection)
        told |= await receipt_header(self.request, inspection, body) if signs else {}
        return body, sanitized.memory, sanitized.headers | told


def _characters(data: Any) -> int:
    left, size = [data], 0
    while left and size <= LONG_CHARACTERS:
        value = left.pop()
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, dict | list):
            left += value.values() if isinstance(value, dict) else value
    return size


def _unit(request: Request) -> str | None:
    """Return the person that a request names; None if it names none.

    The name is read as the API reads it from JSON, as UTF-8 and of the same length: a person named in both ways has
    one account, and one limit.
    """
    if (written := request.headers.get("x-textveil-unit")) is None:
        return None
    try:
        unit = written.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        unit = ""
    if not 1 <= len(unit) <= NAME_CHARACTERS:
        message = f"X-Textveil-Unit must be 1 to {NAME_CHARACTERS} characters in UTF-8; got something else."
        raise ApiError(400, "invalid_header", message)
    return unit


def upstream_of(request: Request) -> Upstream:
    """Return the upstream of the application, or raise an ApiError if it has none."""
    upstream: Upstream | None = request.app.state.upstream
    if upstream is None:
        raise ApiError(404, "no_upstream", "this server has no upstream, so nothing can be sent on. Set `upstream`.")
    return upstream


def api_headers(request: Request) -> dict[str, str] | None:
    """Return the headers of Anthropic's API in a request; None for the OpenAI API.

    Raises ApiError: one is no version.
    """
    if not speaks_anthropic(request.scope):
        return None
    said = {"anthropic-version": request.headers.get("anthropic-version", _VERSION)}
    if betas := ",".join(request.headers.getlist("anthropic-beta")).replace(" ", ""):
        said["anthropic-beta"] = betas
    for name, value in said.items():
        if not all(_API_WORDS[name].fullmatch(word) for word in value.split(",")):
            message = f"{name} must be {_API_FORMS[name]}; got something else."
            raise ApiError(400, "invalid_header", message)
    return said


async def refuse_failure(answer: Answer, upstream: Upstream, making: Awaitable[Restoration] | None = None) -> None:
    """Tell the client of a failure of the upstream.

    ``making``: gives what restores answers to the request, if a text was sent. Raises ApiError: the upstream's answer
    is an error. Its message is repeated, with originals, if it holds nothing of our key.
    """
    if answer.status < 400:
        return
    if answer.status in (401, 403, 407):
        message = "the upstream refuses the key of this server. Its operator must set `upstream_key`."
        raise ApiError(502, "upstream_refused", message, "upstream_error")
    try:
        said = (await answer.data()).get("error")
    except ApiError:
        said = None
    facts = said if isinstance(said, dict) else {}
    told = facts.get("message")
    message = f"the upstream answered with status {answer.status}."
    if isinstance(told, str) and len(told) <= _MESSAGE_CHARACTERS and is_encodable(told) and upstream.hides(told):
        restoring = None if making is None else (await making).stream()
        message = told if restoring is None else restoring.feed(told) + restoring.close()
    words = {name: _word(facts.get(name), upstream) for name in ("code", "type", "param")}
    status = answer.status if answer.status < 500 or answer.status in (503, 504, 529) else 502
    raise ApiError(
        status,
        words["code"] or "upstream_error",
        message,
        words["type"] or "upstream_error",
        param=words["param"],
        headers=answer.headers,
        counted="upstream_error",  # what an upstream writes is in no log and no counter
    )


def _word(value: Any, upstream: Upstream) -> str | None:
    plain = isinstance(value, str) and _PLAIN_WORD.fullmatch(value) and upstream.hides(value)
    return value if plain else None


def restoration_of(
    memory: RequestMemory, in_urls: InUrls = "named-hosts", sent: asyncio.Event | None = None
) -> asyncio.Task[Restoration]:
    """Restore the answer to a request, by a task that runs while the upstream thinks: once the request is ``sent``."""

    async def made() -> Restoration:
        if sent is not None:
            await sent.wait()
        return Restoration(await memory.restorer(), memory, UrlRule(in_urls, memory.hosts))

    task = asyncio.create_task(made())
    task.add_done_callback(_retrieved)
    return task


def _retrieved(task: asyncio.Task[Restoration]) -> None:
    """Take the error of a task that nobody waits for: it would be logged, and may quote text."""
    if not task.cancelled():
        task.exception()


def answered(data: dict[str, Any], answer: Answer, headers: Mapping[str, str]) -> Response:
    """Return an answer to the client."""
    told = {**answer.headers, **headers}
    return Response(as_json(data), status_code=answer.status, headers=told, media_type="application/json")


def after_sending(error: Exception) -> ApiError:
    """Return the answer to an error after the request was sent on: it was sent, and is paid."""
    if isinstance(error, ApiError):
        return error
    logger.error("internal error", extra={"place": place_of(error)})
    message = "the request was sent on and is paid, but the server failed on the answer. See its log."
    return ApiError(500, "answer_failed", message, "server_error")


class RestoredStream(StreamingResponse):
    """A streamed answer, restored as it comes.

    Args:
        upstream: the upstream's answer.
        restoring: restores its events.
        headers: for the client.
        held: released when the answer has gone, or the client.
        keep: keeps what was written, before its end is read.
        scope: of the request: it decides the shape of errors.
    """

    def __init__(
        self,
        upstream: Answer,
        restoring: RestoringEvents,
        headers: Mapping[str, str],
        held: AsyncExitStack,
        keep: Callable[[], Awaitable[None]],
        scope: Scope,
    ) -> None:
        super().__init__(
            self._pieces(upstream, restoring, keep),
            media_type="text/event-stream",
            headers={**upstream.headers, **headers, "Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )
        self._held, self._scope = held, scope

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._held:
            await super().__call__(scope, receive, send)

    async def _pieces(
        self, upstream: Answer, restoring: RestoringEvents, keep: Callable[[], Awaitable[None]]
    ) -> AsyncIterator[bytes]:
        reader = EventReader()
        try:
            async for piece in upstream.pieces():
                if restored := [said.as_bytes() for event in reader.feed(piece) for said in restoring.event(event)]:
                    await keep()
                    yield b"".join(restored)
            reader.close()
            for event in restoring.close():
                yield event.as_bytes()
            if not restoring.complete:
                raise invalid_answer("it ends before its end")
        except Exception as error:
            for event in restoring.close():
                yield event.as_bytes()
            told = after_sending(error)
            name = "error" if speaks_anthropic(self._scope) else ""
            yield Event(as_json(told.to_data(self._scope)).decode("utf-8"), name).as_bytes()
