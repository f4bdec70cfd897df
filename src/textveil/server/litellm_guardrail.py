"""A guardrail of LiteLLM's proxy: requests go on sanitized, answers come back readable, also streamed.

It stands on what the gateway stands on: every text of a request is released by the one service of ``server.service``,
and what cannot be read is refused. Before the proxy stands ``litellm_gate``: routes, fields and headers that are not
read do not reach LiteLLM, and the texts of a request reach it released.
"""

import asyncio
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from textveil.budget.account import Account
from textveil.errors import MissingExtra, need
from textveil.server.conversations import Conversations, ConversationState
from textveil.server.errors import ApiError, as_api_error
from textveil.server.foreign import ForeignValues
from textveil.server.gateway.answers import restore_chat
from textveil.server.gateway.bodies import SanitizedBody, beginning, sanitized_body
from textveil.server.gateway.events import Event
from textveil.server.gateway.memory import RequestMemory
from textveil.server.gateway.sending import restoration_of
from textveil.server.gateway.streams import ChatEvents
from textveil.server.litellm_gate import CHATS, COMPLETIONS, EMBEDDINGS, CallKind, install, withheld
from textveil.server.policies import OfferedPolicies
from textveil.server.request_json import parsed
from textveil.server.service import BudgetLedger, SanitizingService
from textveil.server.uncounted import ledger_of

try:
    import litellm
    from fastapi import HTTPException
    from litellm.integrations.custom_guardrail import CustomGuardrail, get_session_id_from_request_data
    from litellm.types.guardrails import GuardrailEventHooks
    from litellm.types.utils import ModelResponse, ModelResponseStream, TextCompletionResponse
except ImportError:
    raise MissingExtra("litellm", "litellm") from None

_MARK: Final = "textveil"
"""Where LiteLLM's metadata of a request say that it was sanitized: by a random word that no client can know."""

_KINDS: Final[dict[str, CallKind]] = {
    **dict.fromkeys(("completion", "acompletion"), CHATS),
    **dict.fromkeys(("text_completion", "atext_completion"), COMPLETIONS),
    **dict.fromkeys(("embedding", "aembedding", "embeddings"), EMBEDDINGS),
}
"""By LiteLLM's name of a call; all others are refused."""

_LITELLM: Final = frozenset(
    [
        "api_base",
        "api_key",
        "api_version",
        "cache",
        "caching",
        "custom_llm_provider",
        "guardrails",
        "litellm_call_id",
        "litellm_logging_obj",
        "litellm_metadata",
        "litellm_session_id",
        "litellm_trace_id",
        "max_retries",
        "metadata",
        "model_info",
        "no-log",
        "num_retries",
        "proxy_server_request",
        "request_timeout",
        "secret_fields",
        "stream_timeout",
        "tags",
        "timeout",
    ]
)
"""What LiteLLM needs for itself and sends to nobody; every other field of a request is read, or left out."""


_SESSIONS: Final = frozenset(("litellm_session_id", "litellm_trace_id", "session_id", "trace_id"))
"""Names that a client gives to what belongs together."""

_ROUTES: Final = frozenset(("guardrails", "session_id", "tags", "trace_id"))
"""What a client may write into metadata for LiteLLM alone."""

_SECONDS: Final = 900.0
"""How long an answer may take: after that it is not restored any more."""

_MOST: Final = 100_000
"""Requests under way at one time; of more, the oldest are not restored."""


class _Handled(NamedTuple):
    """A request that went on; its memory is dropped with its answer."""

    memory: RequestMemory | None
    headers: dict[str, str]
    until: float


class TextveilGuardrail(CustomGuardrail):
    """Sanitizes what LiteLLM sends, and restores what comes back.

    Chats, completions and embeddings are sanitized, every other kind of request is refused, and so is a part of a
    message that cannot be read. Any error before a request goes on means that it does not go on.

    Args:
        guardrail_name: as LiteLLM's configuration has it.
        event_hook: ``mode`` there: ``[pre_call, post_call]``; ``pre_call`` alone leaves answers as they come.
        default_on: must be true: a request that asks for no guardrail would go on unread.
        policy: what happens to each kind of word and span.
        policies: a folder of policies of your own, each by the name of its file.
        database: of budgets: a URL of SQLAlchemy or a path; None counts nothing.
        maps_seconds: how long what puts originals back is kept, in memory.
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
        """Before every request, and after it where the mode says so; no request and no key can turn it off."""
        return event_type.value in self.event_hook  # type: ignore[operator]

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """The request with every text of it released.

        Raises:
            HTTPException: it does not go on; the message holds nothing of the text.
        """
        try:
            await self._sanitize(data, call_type, user_api_key_dict)
        except Exception as error:
            _forget(data)
            _refuse(error)
        return data

    async def async_pre_call_deployment_hook(self, kwargs: dict[str, Any], call_type: Any) -> dict[str, Any]:
        """The same where LiteLLM's Python functions are called and no proxy did it before; the asynchronous ones."""
        if self._known(kwargs) is not None:
            return kwargs
        data = dict(kwargs)
        kind = getattr(call_type, "value", call_type)
        return await self.async_pre_call_hook(None, None, data, kind if isinstance(kind, str) else "unknown")

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """The answer with its originals, as a copy: what LiteLLM logs stays as it came."""
        memory = self._taken(data)
        if memory is None or not isinstance(response, ModelResponse | TextCompletionResponse):
            return response
        restoration = await restoration_of(memory)
        answer = response.model_dump()
        restore_chat(answer, restoration)
        memory.restored()
        return _like(response, answer)

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> Any:
        """The same where no proxy does it afterwards."""
        proxied = "proxy_server_request" in request_data
        return None if proxied else await self.async_post_call_success_hook(request_data, None, response)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        """A streamed answer, restored as it comes."""
        memory = self._taken(request_data)
        if memory is None:
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
        """What the request cost, by which policy, and which of its fields were left out."""
        handled = self._known(data)
        return None if handled is None else handled.headers

    async def _sanitize(self, data: dict[str, Any], call_type: str, key: Any) -> None:
        kind = _KINDS.get(call_type)
        if kind is None:
            raise ApiError(400, "unsupported_call", "only chats, completions and embeddings can be sanitized.")
        if litellm.enable_preview_features:  # would send metadata on, which nobody reads
            raise ApiError(500, "unsafe_setting", "LiteLLM's `enable_preview_features` must be off.", "server_error")
        account, asked = _account(key), {name: value for name, value in data.items() if name not in _LITELLM}
        if key is not None and key is not account:  # the proxy's: what it was given is a stand-in
            request = withheld()
            if request is None or request.kind is not kind:
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
        named = get_session_id_from_request_data(dict(data))
        if named:
            return self._conversations.of(account, f"named {named}")
        return self._conversations.of(account, f"begun {beginning(asked, kind.begins)}")

    def _rename(self, data: dict[str, Any], account: Account) -> None:
        """Put keyed digests in the place of a client's names of sessions: LiteLLM sends them to some providers."""
        for place in (data, data.get("metadata"), data.get("litellm_metadata")):
            if isinstance(place, dict):
                for name in [name for name in _SESSIONS if place.get(name) is not None]:
                    said = repr([account.tenant, account.unit, account.key, str(place[name])])
                    place[name] = hmac.digest(self._key, said.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]

    def _mark(self, data: dict[str, Any], sanitized: SanitizedBody) -> None:
        """Note that the request was sanitized; what LiteLLM repeats of it for logs is sanitized too."""
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
        """What restores the answer to a request, once."""
        handled = self._known(data)
        if handled is None:
            return None
        self._handled[_word_of(data)] = handled._replace(memory=None)
        return handled.memory


def _word_of(data: Mapping[str, Any]) -> str:
    """What LiteLLM's metadata of a request say of us; empty where they say nothing."""
    for place in ("litellm_metadata", "metadata"):
        metadata = data.get(place)
        word = metadata.get(_MARK) if isinstance(metadata, dict) else None
        if isinstance(word, str):
            return word
    return ""


def _like(answer: Any, data: dict[str, Any]) -> Any:
    """An answer of the same class with other data; what LiteLLM keeps beside the data is kept."""
    restored = type(answer)(**data)
    for name in ("_hidden_params", "_response_headers"):
        if hasattr(answer, name):
            setattr(restored, name, getattr(answer, name))
    return restored


def _refuse_synchronous(text: str) -> None:
    """A rule of LiteLLM, before a chat: it runs no guardrail for those of its functions that are not asynchronous.

    Raises:
        ParameterError: this chat would go on unread.
    """
    if any(isinstance(callback, TextveilGuardrail) for callback in litellm.callbacks):
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            wanted = "acompletion, or that of textveil.server.litellm_calls.GuardedCalls"
            need(False, "completion", "one that LiteLLM runs no guardrail for", wanted)


def _account(key: Any) -> Account:
    """Who pays: an account, or of a key its team, its person or that of the request, and its digest by LiteLLM."""
    if isinstance(key, Account):
        return key
    person = getattr(key, "user_id", None)
    if person in (None, "", "default_user_id"):
        person = getattr(key, "end_user_id", None)
    return Account(getattr(key, "team_id", None) or "litellm", person or None, getattr(key, "api_key", None) or None)


def _need_known(others: Mapping[str, Any]) -> None:
    """Refuse a setting that nobody reads: a slip of the pen would leave another in force."""
    from litellm.types.guardrails import LitellmParams

    for name in others:
        need(name in LitellmParams.model_fields, "settings", name[:40], "those of textveil and of LiteLLM")


def _forget(data: dict[str, Any]) -> None:
    """Take the text out of a request that does not go on: LiteLLM tells those who log of it."""
    for name in [name for name in data if name not in _LITELLM and name != "model"]:
        del data[name]
    for place in ("metadata", "litellm_metadata"):
        if isinstance(data.get(place), dict):
            _forget_metadata(data[place])
    if isinstance(data.get("proxy_server_request"), dict):
        data["proxy_server_request"]["body"] = {}


def _forget_metadata(metadata: dict[str, Any]) -> None:
    """Take out what a client wrote of a request: some providers get its user, and those who log get all of it."""
    written = metadata.pop("requester_metadata", None)
    for name, value in (written if isinstance(written, dict) else {}).items():
        if name not in _ROUTES and name in metadata and metadata[name] == value:
            del metadata[name]
    metadata.pop("user_id", None)


def _refuse(error: Exception) -> NoReturn:
    """Tell LiteLLM that a request does not go on."""
    told = as_api_error(error)
    raise HTTPException(told.status, detail=told.to_data(), headers=told.headers) from None
