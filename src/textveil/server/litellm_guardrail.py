"""A guardrail of LiteLLM's proxy: requests go on sanitized, answers come back readable, also streamed.

As in the gateway, every text of a request is released by the one service of ``server.service``, and unreadable parts
are refused. ``litellm_gate`` stands before the proxy: routes, fields and headers that are not read do not reach
LiteLLM, and the texts of a request reach it released.

``GuardedCalls`` is for programs without a proxy: LiteLLM runs no guardrail for ``litellm.completion`` and its like.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from anyio.from_thread import start_blocking_portal

from textveil.budget.account import Account
from textveil.errors import MissingExtra, need
from textveil.server.bodies import parsed
from textveil.server.budgets import ledger_of
from textveil.server.conversations import Conversations, ConversationState
from textveil.server.errors import ApiError, as_api_error
from textveil.server.foreign import ForeignValues
from textveil.server.gateway.answers import Event, restore_chat
from textveil.server.gateway.bodies import RequestMemory, SanitizedBody, beginning, sanitized_body
from textveil.server.gateway.sending import restoration_of
from textveil.server.gateway.streams import ChatEvents
from textveil.server.litellm_gate import CHATS, COMPLETIONS, EMBEDDINGS, CallKind, install, withheld
from textveil.server.policies import OfferedPolicies
from textveil.server.service import BudgetLedger, SanitizingService

with MissingExtra("litellm", "litellm"):
    import litellm
    from fastapi import HTTPException
    from litellm.integrations.custom_guardrail import CustomGuardrail, get_session_id_from_request_data
    from litellm.types.guardrails import GuardrailEventHooks
    from litellm.types.utils import ModelResponse, ModelResponseStream, TextCompletionResponse

_MARK: Final = "textveil"  # in LiteLLM's metadata of a sanitized request, with a random word that no client can know
# by LiteLLM's name of a call; all others are refused
_KINDS: Final[dict[str, CallKind]] = {
    **dict.fromkeys(("completion", "acompletion"), CHATS),
    **dict.fromkeys(("text_completion", "atext_completion"), COMPLETIONS),
    **dict.fromkeys(("embedding", "aembedding", "embeddings"), EMBEDDINGS),
}

# fields that LiteLLM needs for itself and sends to nobody; every other field is read, or left out
_LITELLM: Final = frozenset((
    "api_base", "api_key", "api_version", "cache", "caching", "custom_llm_provider", "guardrails",
    "litellm_call_id", "litellm_logging_obj", "litellm_metadata", "litellm_session_id", "litellm_trace_id",
    "max_retries", "metadata", "model_info", "no-log", "num_retries", "proxy_server_request", "request_timeout",
    "secret_fields", "stream_timeout", "tags", "timeout",
))  # fmt: skip

# names that a client gives to a session
_SESSIONS: Final = frozenset(("litellm_session_id", "litellm_trace_id", "session_id", "trace_id"))
# metadata that a client may write for LiteLLM alone
_ROUTES: Final = frozenset(("guardrails", "session_id", "tags", "trace_id"))
_SECONDS: Final = 900.0  # how long an answer may take: after that it is not restored any more
_MOST: Final = 100_000  # requests under way at one time; of more, the oldest are not restored


class _Handled(NamedTuple):
    memory: RequestMemory | None
    headers: dict[str, str]
    until: float


class TextveilGuardrail(CustomGuardrail):
    """Sanitizes requests of LiteLLM, and restores answers.

    Chats, completions and embeddings are sanitized; every other kind of request is refused, and so is an unreadable
    part of a message. If anything fails before a request goes on, it does not go on.

    Args:
        guardrail_name: as LiteLLM's configuration has it.
        event_hook: ``mode`` there: ``[pre_call, post_call]``; ``pre_call`` alone leaves answers as they come.
        default_on: must be true: a request that asks for no guardrail would go on unread.
        policy: of each kind of word and span.
        policies: a folder of policies of your own, each by the name of its file.
        database: of budgets: a URL of SQLAlchemy or a path; None counts nothing.
        maps_seconds: how long originals can be put back; they are kept in memory.
        maps_bytes: how much of it, about.
        threads: that sanitize.
        foreign_values: see ``config.Config``, as the next.
        foreign_values_limit: how many a conversation may bring.
        unread_routes: paths of LiteLLM's proxy, each with all below it, that are let through as they are: of keys or
            teams, say. None of them may send a text to a model. All other routes are blocked.
        unread_headers: names of headers that reach LiteLLM as they are, beside those of keys.
        ledger: in place of the database's.
        **others: LiteLLM's own.

    Raises:
        ParameterError: with these settings texts could go on unread; an unknown setting; no such policy.
    """

    def __init__(
        self,
        guardrail_name: str | None = None,
        event_hook: Any = None,
        default_on: bool | None = True,
        *,
        policy: str = "prompts",
        policies: str | None = None,
        database: str | None = None,
        maps_seconds: float = 3600.0,
        maps_bytes: int = 256 * 2**20,
        threads: int = 8,
        foreign_values: str = "apart",
        foreign_values_limit: int = 2000,
        unread_routes: Sequence[str] = (),
        unread_headers: Sequence[str] = (),
        ledger: BudgetLedger | None = None,
        **others: Any,
    ) -> None:
        modes = [event_hook] if isinstance(event_hook, str) else event_hook
        known = isinstance(modes, list) and all(mode in ("pre_call", "post_call") for mode in modes)
        need(modes is None or (known and "pre_call" in modes), "mode", "others", "[pre_call, post_call]")
        need(default_on is True, "default_on", default_on, "true", "Requests that name no guardrail are then read too.")
        for name in ("run_in_parallel", "scan_raw_request"):
            need(not others.get(name), name, "true", "left out", "LiteLLM would send the text as it came.")
        _need_known(others)
        super().__init__(
            guardrail_name=guardrail_name or "textveil",
            supported_event_hooks=[GuardrailEventHooks.pre_call, GuardrailEventHooks.post_call],
            event_hook=[GuardrailEventHooks(mode) for mode in modes or ("pre_call", "post_call")],
            default_on=True,
            **others,
        )
        books = ledger if ledger is not None else ledger_of(database)
        folder = None if policies is None else Path(policies)
        foreign = ForeignValues.of(foreign_values, foreign_values_limit)
        self._service = SanitizingService(OfferedPolicies(policy, folder), books, threads=threads, foreign=foreign)
        self._conversations = Conversations(seconds=maps_seconds, most_bytes=maps_bytes)
        self._key = secrets.token_bytes(32)
        self._handled: OrderedDict[str, _Handled] = OrderedDict()
        # Those who log for LiteLLM would get answers as they were restored, and requests that were refused.
        litellm.turn_off_message_logging = True
        if _refuse_synchronous not in litellm.pre_call_rules:
            litellm.pre_call_rules.append(_refuse_synchronous)
        install(unread_routes, unread_headers)

    def should_run_guardrail(self, data: Any, event_type: GuardrailEventHooks) -> bool:
        """Run before every request, and after it if the mode says so; nothing turns it off."""
        return event_type.value in self.event_hook  # type: ignore[operator]

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Return the request with every text of it released.

        Raises HTTPException: it does not go on; the message holds nothing of the text.
        """
        try:
            await self._sanitize(data, call_type, user_api_key_dict)
        except Exception as error:
            _forget(data)
            _refuse(error)
        return data

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any]:
        """Do the same for LiteLLM's asynchronous functions without a proxy."""
        if self._known(kwargs) is not None:
            return kwargs
        data = dict(kwargs)
        kind = getattr(call_type, "value", call_type)
        return await self.async_pre_call_hook(None, None, data, kind if isinstance(kind, str) else "unknown")

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """Return the answer with its originals, as a copy: LiteLLM logs the other."""
        if (memory := self._taken(data)) is None or not isinstance(response, ModelResponse | TextCompletionResponse):
            return response
        restoration = await restoration_of(memory)
        answer = response.model_dump()
        restore_chat(answer, restoration)
        memory.restored()
        return _like(response, answer)

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> Any:
        """Do the same if no proxy does it afterwards."""
        proxied = "proxy_server_request" in request_data
        return None if proxied else await self.async_post_call_success_hook(request_data, None, response)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """Yield a streamed answer, restored as it comes."""
        if (memory := self._taken(request_data)) is None:
            async for chunk in response:
                yield chunk
            return
        events = ChatEvents(await restoration_of(memory))
        last: Any = None
        try:
            async for chunk in response:
                if not isinstance(chunk, ModelResponseStream | TextCompletionResponse):
                    yield chunk  # nothing that this endpoint streams
                    continue
                last = chunk
                for event in events.event(Event(chunk.model_dump_json(exclude_none=True))):
                    yield _like(chunk, parsed(event.data))
            for event in events.close():
                yield _like(last, parsed(event.data))
        finally:
            memory.restored()

    async def async_post_call_response_headers_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any, *others: Any, **named: Any
    ) -> dict[str, str] | None:
        """Return the cost, the policy, and the fields that were left out."""
        handled = self._known(data)
        return None if handled is None else handled.headers

    async def _sanitize(self, data: dict[str, Any], call_type: str, key: Any) -> None:
        if (kind := _KINDS.get(call_type)) is None:
            raise ApiError(400, "unsupported_call", "only chats, completions and embeddings can be sanitized.")
        if litellm.enable_preview_features:  # would send metadata on, which nobody reads
            raise ApiError(500, "unsafe_setting", "LiteLLM's `enable_preview_features` must be off.", "server_error")
        account, asked = _account(key), {name: value for name, value in data.items() if name not in _LITELLM}
        if key is not None and key is not account:  # the proxy's: what it was given is a stand-in
            if (request := withheld()) is None or request.kind is not kind:
                raise ApiError(
                    500, "no_gate", "the request came past textveil's gate; nothing was sent.", "server_error"
                )
            asked = request.body(data)
        state = self._conversation(data, asked, kind, account)
        sanitized = await sanitized_body(self._service, asked, kind.readers, kind.needed, account=account, state=state)
        _forget(data)
        data |= sanitized.body
        self._rename(data, account)
        self._mark(data, sanitized)

    def _conversation(
        self, data: Mapping[str, Any], asked: Mapping[str, Any], kind: CallKind, account: Account
    ) -> ConversationState:
        if named := get_session_id_from_request_data(dict(data)):
            return self._conversations.of(account, f"named {named}")
        return self._conversations.of(account, f"begun {beginning(asked, kind.begins)}")

    def _rename(self, data: dict[str, Any], account: Account) -> None:
        """Put keyed digests in place of a client's names of sessions: LiteLLM sends them to some providers."""
        for place in (data, data.get("metadata"), data.get("litellm_metadata")):
            if isinstance(place, dict):
                for name in [name for name in _SESSIONS if place.get(name) is not None]:
                    said = repr([account.tenant, account.unit, account.key, str(place[name])])
                    place[name] = hmac.digest(self._key, said.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]

    def _mark(self, data: dict[str, Any], sanitized: SanitizedBody) -> None:
        """Note that the request was sanitized; LiteLLM's copy of it for logs is replaced too."""
        now = time.monotonic()
        while self._handled and (next(iter(self._handled.values())).until <= now or len(self._handled) >= _MOST):
            self._handled.popitem(last=False)
        word = secrets.token_hex(16)
        self._handled[word] = _Handled(sanitized.memory, sanitized.headers, now + _SECONDS)
        metadata = data.get("litellm_metadata") if isinstance(data.get("litellm_metadata"), dict) else None
        if metadata is None:
            metadata = data["metadata"] = data["metadata"] if isinstance(data.get("metadata"), dict) else {}
        metadata[_MARK] = word
        request = data.get("proxy_server_request")
        if isinstance(request, dict) and "body" in request:
            request["body"] = dict(sanitized.body)

    def _known(self, data: Mapping[str, Any]) -> _Handled | None:
        return self._handled.get(_word_of(data))

    def _taken(self, data: Mapping[str, Any]) -> RequestMemory | None:
        if (handled := self._known(data)) is None:
            return None
        self._handled[_word_of(data)] = handled._replace(memory=None)
        return handled.memory


def _word_of(data: Mapping[str, Any]) -> str:
    for place in ("litellm_metadata", "metadata"):
        metadata = data.get(place)
        word = metadata.get(_MARK) if isinstance(metadata, dict) else None
        if isinstance(word, str):
            return word
    return ""


def _like(answer: Any, data: dict[str, Any]) -> Any:
    """Return an answer of the same class with other data; LiteLLM's own attributes are kept."""
    restored = type(answer)(**data)
    for name in ("_hidden_params", "_response_headers"):
        if hasattr(answer, name):
            setattr(restored, name, getattr(answer, name))
    return restored


def _refuse_synchronous(text: str) -> None:
    """Refuse a chat by a synchronous function of LiteLLM, as a rule of LiteLLM: it runs no guardrail for those.

    Raises ParameterError: this chat would go on unread.
    """
    if any(isinstance(callback, TextveilGuardrail) for callback in litellm.callbacks):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            wanted = "acompletion, or that of textveil.server.litellm_guardrail.GuardedCalls"
            need(False, "completion", "one that LiteLLM runs no guardrail for", wanted)


def _account(key: Any) -> Account:
    """Return who pays: an account; or a key's team, its person or the request's, and LiteLLM's digest of the key."""
    if isinstance(key, Account):
        return key
    if (person := getattr(key, "user_id", None)) in (None, "", "default_user_id"):
        person = getattr(key, "end_user_id", None)
    return Account(getattr(key, "team_id", None) or "litellm", person or None, getattr(key, "api_key", None) or None)


def _need_known(others: Mapping[str, Any]) -> None:
    """Refuse a setting that nobody reads: a slip of the pen would leave another in force."""
    from litellm.types.guardrails import LitellmParams

    for name in others:
        need(name in LitellmParams.model_fields, "settings", name[:40], "those of textveil and of LiteLLM")


def _forget(data: dict[str, Any]) -> None:
    """Remove the text of a request that does not go on: LiteLLM passes it to loggers."""
    for name in [name for name in data if name not in _LITELLM and name != "model"]:
        del data[name]
    for place in ("metadata", "litellm_metadata"):
        if isinstance(data.get(place), dict):
            _forget_metadata(data[place])
    if isinstance(data.get("proxy_server_request"), dict):
        data["proxy_server_request"]["body"] = {}


def _forget_metadata(metadata: dict[str, Any]) -> None:
    """Remove what a client wrote: some providers get its user, and loggers get all of it."""
    written = metadata.pop("requester_metadata", None)
    for name, value in (written if isinstance(written, dict) else {}).items():
        if name not in _ROUTES and name in metadata and metadata[name] == value:
            del metadata[name]
    metadata.pop("user_id", None)


def _refuse(error: Exception) -> NoReturn:
    told = as_api_error(error)
    raise HTTPException(told.status, detail=told.to_data(), headers=told.headers) from None


_END: Final = object()


class GuardedCalls:
    """``completion``, ``text_completion`` and ``embedding`` as LiteLLM has them, guarded; use it in a block.

    LiteLLM's asynchronous functions are called in a thread of their own. If anything fails before a request goes on, it
    does not go on. LiteLLM's own options (address, key, retries) go on as they are; other fields are read as the
    gateway reads them, or left out.

    ``guardrail``: of this object alone, and not of ``litellm.callbacks``; ``account``: whose texts these are, and who
    pays.

    Raises:
        HTTPException: by each function: the request was not sent; the message holds nothing of the text.
    """

    def __init__(self, guardrail: TextveilGuardrail, account: Account | None = None) -> None:
        self._guardrail = guardrail
        self._account = Account("litellm") if account is None else account
        self._held = contextlib.ExitStack()
        self._portal = self._held.enter_context(start_blocking_portal())

    def completion(self, model: str, messages: list[Any], **fields: Any) -> Any:
        """Call ``litellm.completion``; with ``stream=True`` return an iterator of chunks."""
        return self._answer(litellm.acompletion, "acompletion", {"model": model, "messages": messages, **fields})

    def text_completion(self, model: str, prompt: Any, **fields: Any) -> Any:
        return self._answer(litellm.atext_completion, "atext_completion", {"model": model, "prompt": prompt, **fields})

    def embedding(self, model: str, input: Any, **fields: Any) -> Any:
        return self._answer(litellm.aembedding, "aembedding", {"model": model, "input": input, **fields})

    def close(self) -> None:
        """End the thread, once calls under way have ended."""
        self._held.close()

    def __enter__(self) -> GuardedCalls:
        """Return this, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, function: Callable[..., Awaitable[Any]], kind: str, asked: dict[str, Any]) -> Any:
        answer = self._portal.call(self._asked, function, kind, asked)
        return self._chunks(answer) if isinstance(answer, AsyncIterator) else answer

    async def _asked(self, function: Callable[..., Awaitable[Any]], kind: str, asked: dict[str, Any]) -> Any:
        sent = await self._guardrail.async_pre_call_hook(self._account, None, asked, kind)
        answer = await function(**sent)
        if not self._guardrail.should_run_guardrail(sent, GuardrailEventHooks.post_call):
            return aiter(answer) if isinstance(answer, AsyncIterable) else answer
        if isinstance(answer, AsyncIterable):
            return self._guardrail.async_post_call_streaming_iterator_hook(None, aiter(answer), sent)
        return await self._guardrail.async_post_call_success_hook(sent, None, answer)

    def _chunks(self, answer: AsyncIterator[Any]) -> Iterator[Any]:
        while (chunk := self._portal.call(anext, answer, _END)) is not _END:
            yield chunk
