"""The guardrail of LiteLLM: its hooks as the proxy calls them, with LiteLLM's own classes of answers."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks a server for prices when it is imported
pytest.importorskip("litellm")

import litellm
from fastapi import HTTPException
from litellm.types.guardrails import GuardrailEventHooks
from litellm.types.utils import EmbeddingResponse, ModelResponse, ModelResponseStream, TextCompletionResponse
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import chunk, completion

from textveil.errors import ParameterError
from textveil.server.litellm_gate import Gate
from textveil.server.litellm_guardrail import TextveilGuardrail
from textveil.server.service import SanitizingService

# LiteLLM declares fields of pydantic that pydantic does not keep.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier:UserWarning")

TEXT = "Ask Maria Zyxwell, who came on 4 May."
CANARY = "Xylophon Quartermaine"
FIND = {"type": "function", "function": {"name": "find"}}
LITELLM = ("metadata", "litellm_metadata", "litellm_session_id", "litellm_trace_id", "proxy_server_request")


class Key:
    """What LiteLLM knows of the key of a request."""

    def __init__(self, api_key: str = "digest", team: str | None = "team", user: str | None = None) -> None:
        self.api_key, self.team_id, self.user_id, self.end_user_id = api_key, team, user, "end"


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def guardrail(ledger) -> TextveilGuardrail:
    return TextveilGuardrail("textveil", ["pre_call", "post_call"], True, policy="prompts", ledger=ledger)


def chat(*messages: dict[str, Any] | str, **fields: Any) -> dict[str, Any]:
    """A request as the proxy has it."""
    said = [{"role": "user", "content": one} if isinstance(one, str) else one for one in messages]
    body = {"model": "m", "messages": said, **fields}
    return {**body, "metadata": {"requester_metadata": {"a": CANARY}}, "proxy_server_request": {"body": dict(body)}}


def before(guardrail: TextveilGuardrail, data: dict[str, Any], kind: str = "completion", key: Any = None) -> str:
    """The one text that goes on, of a request that came through the gate; ``data`` becomes what LiteLLM sends.

    What stands in ``data`` beside the body is there as if LiteLLM had put it there.
    """
    names = {"text_completion": "completions", "embeddings": "embeddings", "aembedding": "embeddings"}
    asked = {name: value for name, value in data.items() if name not in LITELLM}

    async def litellm_itself(scope: Any, receive: Any, send: Any) -> None:
        for name in asked:
            del data[name]
        data.update(json.loads((await receive())["body"]))
        assert await guardrail.async_pre_call_hook(key or Key(), None, data, kind) is data

    async def receive() -> Any:
        return {"type": "http.request", "body": json.dumps(asked).encode()}

    async def refused(message: Any) -> None:
        if message["type"] == "http.response.body":
            raise HTTPException(400, detail=json.loads(message["body"]))

    path = f"/{names.get(kind, 'chat/completions')}"
    scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"content-type", b"application/json")]}
    asyncio.run(Gate(litellm_itself)(scope, receive, refused))
    return data["messages"][-1]["content"] if "messages" in data else data.get("prompt", data.get("input"))


def after(guardrail: TextveilGuardrail, data: dict[str, Any], answer: Any) -> Any:
    return asyncio.run(guardrail.async_post_call_success_hook(data, Key(), answer))


def streamed(guardrail: TextveilGuardrail, data: dict[str, Any], chunks: list[Any]) -> list[Any]:
    async def coming() -> AsyncIterator[Any]:
        for one in chunks:
            yield one

    async def run() -> list[Any]:
        return [one async for one in guardrail.async_post_call_streaming_iterator_hook(Key(), coming(), data)]

    return asyncio.run(run())


def test_a_chat_goes_on_sanitized_and_comes_back_readable(guardrail, ledger) -> None:
    data = chat(TEXT, user=CANARY, unknown=CANARY)
    sent = before(guardrail, data)
    assert "Zyxwell" not in sent and sent.startswith("Ask ")
    # Nothing of the request is left anywhere that LiteLLM sends or logs; what it repeats of it is what goes on.
    assert data["proxy_server_request"]["body"]["messages"] == data["messages"]
    assert "Zyxwell" not in json.dumps(data) and CANARY not in json.dumps(data)
    answer = ModelResponse(**completion({"content": f"I did: {sent}"}))
    restored = after(guardrail, data, answer)
    assert restored.choices[0].message.content == f"I did: {TEXT}" and restored.usage.total_tokens == 2
    assert answer.choices[0].message.content == f"I did: {sent}"  # which LiteLLM logs
    headers = asyncio.run(guardrail.async_post_call_response_headers_hook(data, Key(), restored, None, None))
    assert headers["X-Textveil-Policy"] == "prompts" and headers["X-Textveil-Left-Out"] == "user, unknown"
    assert ledger.calls == ["reserve", "commit"]


def test_what_a_client_writes_into_metadata_goes_to_no_provider_and_no_log(guardrail) -> None:
    """Anthropic gets a ``user_id`` of metadata, Google labels of what the client wrote there."""
    written = {"user_id": CANARY, "case": CANARY, "session_id": "s-1", "headers": {"x": CANARY}}
    data = chat(TEXT)
    own = {"user_api_key_user_id": "maria", "headers": {"host": "proxy"}}
    data["metadata"] = {**written, **own, "requester_metadata": written}
    before(guardrail, data)
    assert CANARY not in json.dumps(data)
    assert data["metadata"].items() >= own.items() and data["metadata"]["session_id"] != "s-1"
    for place in ("metadata", "litellm_metadata"):  # also where LiteLLM notes no copy of what a client wrote
        data = {**chat(TEXT), place: {"user_id": CANARY, "mine": 1}}
        data["metadata"].pop("requester_metadata", None)
        before(guardrail, data)
        assert CANARY not in json.dumps(data) and data[place]["mine"] == 1


def test_a_clients_name_of_a_session_goes_on_as_a_digest(guardrail) -> None:
    """LiteLLM writes it into a header to some providers; it is one name still, and of one key alone."""

    def named(**fields: Any) -> dict[str, Any]:
        data = {**chat(TEXT, **fields), "litellm_trace_id": CANARY, "litellm_metadata": {"trace_id": CANARY}}
        data["metadata"]["session_id"] = CANARY
        return data

    datas = [named(litellm_session_id=f"{CANARY}\ud800") for _ in range(2)]
    others = [named(litellm_session_id=CANARY), named(litellm_session_id=f"{CANARY}\ud800")]
    for data, key in zip([*datas, *others], [Key(), Key(), Key(), Key("another")], strict=True):
        before(guardrail, data, key=key)
        assert CANARY not in str(data)
    names = [one["litellm_session_id"] for one in [*datas, *others]]
    assert names[0] == names[1] and len(set(names)) == 3 and all(re.fullmatch("[0-9a-f]{32}", one) for one in names)


@pytest.mark.parametrize("kind", ["completion", "embeddings"])
def test_what_did_not_come_through_the_gate_does_not_go_on(guardrail, ledger, kind) -> None:
    data = {**chat(TEXT), "input": TEXT}
    with pytest.raises(HTTPException, match="gate"):
        asyncio.run(guardrail.async_pre_call_hook(Key(), None, data, kind))
    assert "Zyxwell" not in str(data) and ledger.calls == []


def test_a_request_is_released_as_what_it_came_as_alone(guardrail, ledger) -> None:
    """A body that the gate took for a chat is none for LiteLLM's other calls."""
    with pytest.raises(HTTPException, match="gate"):
        before(guardrail, chat(TEXT), "atext_completion")
    assert ledger.calls == []


def test_nothing_goes_on_where_litellm_would_send_metadata(guardrail, ledger, monkeypatch) -> None:
    monkeypatch.setattr("litellm.enable_preview_features", True)
    with pytest.raises(HTTPException, match="enable_preview_features"):
        before(guardrail, chat(TEXT))
    assert ledger.calls == []


def test_nothing_is_counted_without_a_database(monkeypatch) -> None:
    """And no texts are logged, whether or not anything is counted."""
    data = chat(TEXT)
    monkeypatch.setattr("litellm.turn_off_message_logging", False)
    guardrail = TextveilGuardrail("textveil", ["pre_call", "post_call"], True)
    assert litellm.turn_off_message_logging is True
    answer = ModelResponse(**completion({"content": before(guardrail, data)}))
    assert after(guardrail, data, answer).choices[0].message.content == TEXT
    assert "Zyxwell" not in before(guardrail, chat(TEXT))


def test_a_history_is_paid_for_once_and_answers_go_back_as_they_came(guardrail, ledger) -> None:
    history, earlier = [], []
    for turn in ("once", "twice", "again", "more", "still"):
        data = chat(*history, f"Now {turn}: {TEXT}")
        sent = before(guardrail, data)
        assert [one["content"] for one in data["messages"][:-1]] == earlier
        came = f"Yes, {sent}"
        restored = after(guardrail, data, ModelResponse(**completion({"content": came}))).choices[0].message.content
        history += [f"Now {turn}: {TEXT}", {"role": "assistant", "content": restored}]
        earlier += [sent, came]
    assert ledger.calls == ["reserve", "commit"] * 5


def test_a_streamed_answer_is_restored_however_it_is_cut(guardrail) -> None:
    for cut in (1, 3, 7, 1000):
        data = chat(TEXT, stream=True)
        sent = before(guardrail, data)
        came = f"Well. {sent} Done."
        pieces = [chunk({"content": came[at : at + cut]}) for at in range(0, len(came), cut)]
        chunks = [ModelResponseStream(**one) for one in [chunk({"role": "assistant"}), *pieces, chunk({}, "stop")]]
        done = streamed(guardrail, data, chunks)
        assert all(isinstance(one, ModelResponseStream) for one in done)
        assert "".join(one.choices[0].delta.content or "" for one in done) == f"Well. {TEXT} Done."
        assert [one.choices[0].finish_reason for one in done][-1] == "stop"


def test_arguments_of_calls_are_restored_and_go_back_as_they_came(guardrail, ledger) -> None:
    tool = {"type": "function", "function": {"name": "find", "parameters": {"properties": {"who": {"type": "string"}}}}}
    data = chat("Find Maria Zyxwell.", tools=[tool])
    name = before(guardrail, data).removeprefix("Find ").removesuffix(".")
    call = {"id": "call_1", "type": "function", "function": {"name": "find", "arguments": json.dumps({"who": name})}}
    answer = ModelResponse(**completion({"content": None, "tool_calls": [call]}, "tool_calls"))
    called = after(guardrail, data, answer).choices[0].message.tool_calls[0]
    assert json.loads(called.function.arguments) == {"who": "Maria Zyxwell"}
    again = {"role": "assistant", "content": None, "tool_calls": [called.model_dump()]}
    result = {"role": "tool", "tool_call_id": "call_1", "content": "Maria Zyxwell is in."}
    data = chat("Find Maria Zyxwell.", again, result, tools=[tool])
    assert before(guardrail, data) == f"{name} is in."
    assert json.loads(data["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"who": name}


@pytest.mark.parametrize("foreign_values", ["apart", "shared"])
def test_a_guess_that_comes_back_from_a_tool_has_no_surrogate_of_the_user(ledger, foreign_values) -> None:
    guardrail = TextveilGuardrail("textveil", policy="prompts", ledger=ledger, foreign_values=foreign_values)
    data = chat("Maria Zyxwell", tools=[FIND])
    user = before(guardrail, data)
    asked = {name: {"name": "find", "arguments": json.dumps({"a": name})} for name in (user, "Maria Zyxwell")}
    calls = [{"id": f"call_{name}", "type": "function", "function": one} for name, one in asked.items()]
    answer = ModelResponse(**completion({"content": None, "tool_calls": calls}))
    message = after(guardrail, data, answer).model_dump()["choices"][0]["message"]
    said = {call["id"]: json.loads(call["function"]["arguments"])["a"] for call in message["tool_calls"]}
    tools = [{"role": "tool", "tool_call_id": one, "content": f"Nobody is {name}."} for one, name in said.items()]
    data = chat("Maria Zyxwell", message, *tools, tools=[FIND])
    before(guardrail, data)
    own, guess = [one["content"].removeprefix("Nobody is ").removesuffix(".") for one in data["messages"][-2:]]
    assert own == user and (guess == user) is (foreign_values == "shared")


def test_completions_and_embeddings(guardrail) -> None:
    data = {"model": "m", "prompt": TEXT}
    sent = before(guardrail, data, "text_completion")
    answer = TextCompletionResponse(model="m", choices=[{"text": sent, "index": 0, "finish_reason": "stop"}])
    assert after(guardrail, data, answer).choices[0].text == TEXT
    for kind in ("embeddings", "aembedding"):
        data = {"model": "m", "input": [TEXT, "Hello."]}
        assert "Zyxwell" not in before(guardrail, data, kind)[0]
        vectors = EmbeddingResponse(model="m", data=[])
        assert after(guardrail, data, vectors) is vectors


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        ({"model": "m", "input": CANARY}, "aresponses", 400),
        ({"model": "m", "prompt": CANARY}, "image_generation", 400),
        ({"messages": [{"role": "user", "content": CANARY}]}, "anthropic_messages", 400),
        (chat({"role": "user", "content": [{"type": "image_url", "image_url": {"url": CANARY}}]}), "completion", 400),
        (chat({"role": CANARY, "content": CANARY}), "completion", 400),
        (chat({"role": "user", "content": f"{CANARY}\ud800"}), "completion", 400),
        (chat(CANARY, temperature=CANARY), "completion", 400),
        ({"model": "m"}, "completion", 400),
        ({"model": "m", "messages": CANARY}, "acompletion", 400),
    ],
)
def test_what_cannot_be_read_does_not_go_on(guardrail, ledger, caplog, data, kind, status) -> None:
    with pytest.raises(HTTPException) as told:
        before(guardrail, data, kind)
    assert told.value.status_code == status and told.value.detail["error"]["message"]
    assert CANARY not in str(data)  # LiteLLM tells those who log of it
    assert CANARY not in str(told.value.detail) + caplog.text and ledger.calls == []


@pytest.mark.parametrize("step", ["prepare", "reserve", "draw", "commit"])
def test_any_failure_on_the_way_means_that_nothing_goes_on(guardrail, ledger, monkeypatch, caplog, step) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(CANARY)

    target = {
        "prepare": ("textveil.sanitize.sanitizer.Sanitizer.prepare",),
        "reserve": (ledger, "reserve"),
        "draw": ("textveil.sanitize.ways.Prepared.release",),
        "commit": (ledger, "commit"),
    }[step]
    with monkeypatch.context() as patch:
        patch.setattr(*target, broken)
        with pytest.raises(HTTPException) as told:
            before(guardrail, chat(CANARY))
    assert told.value.status_code == 500 and CANARY not in str(told.value.detail) + caplog.text
    assert told.value.__suppress_context__


def test_answers_are_restored_for_their_request_alone(guardrail) -> None:
    """Another's request, and one that says of itself that it was sanitized, get nothing back."""
    data = chat(TEXT)
    sent = before(guardrail, data)
    answer = ModelResponse(**completion({"content": sent}))
    for other in ({"metadata": {"textveil": "0" * 32}}, {"metadata": {"textveil": 3}}, {}):
        assert after(guardrail, other, answer).choices[0].message.content == sent
    forged = {**chat(TEXT), "metadata": {"textveil": "0" * 32}}
    assert "Zyxwell" not in before(guardrail, forged, key=Key("another"))
    pieces = [ModelResponseStream(**chunk({"content": sent}, "stop"))]
    assert streamed(guardrail, {}, pieces) == pieces


def test_what_restores_an_answer_is_dropped_with_it(guardrail, monkeypatch) -> None:
    """And does not heap up where answers never come."""
    data = chat(TEXT)
    answer = ModelResponse(**completion({"content": before(guardrail, data)}))
    assert after(guardrail, data, answer).choices[0].message.content == TEXT
    assert after(guardrail, data, answer) is answer
    assert asyncio.run(guardrail.async_post_call_response_headers_hook(data, Key(), answer)) is not None
    own = type(guardrail).async_pre_call_hook.__globals__  # LiteLLM may have loaded the module by its file
    monkeypatch.setitem(own, "_MOST", 3)
    requests = [chat(TEXT) for _ in range(5)]
    answers = [ModelResponse(**completion({"content": before(guardrail, one)})) for one in requests]
    restored = [after(guardrail, one, made) is not made for one, made in zip(requests, answers, strict=True)]
    assert restored == [False, False, True, True, True]


def test_keys_teams_and_persons_have_conversations_and_budgets_of_their_own(guardrail, ledger) -> None:
    keys = [Key("a"), Key("b"), Key("a", team="other"), Key("a", user="person")]
    for key in keys:
        before(guardrail, chat(TEXT), key=key)
    assert ledger.calls.count("reserve") == len(keys)
    accounts = {(one.tenant, one.unit, one.key) for one in ledger._spent}
    assert accounts == {
        ("team", "end", "a"),
        ("team", "end", "b"),
        ("other", "end", "a"),
        ("team", "person", "a"),
    }
    before(guardrail, chat(TEXT), key=keys[0])
    assert ledger.calls.count("reserve") == len(keys)
    before(guardrail, {**chat(TEXT), "litellm_session_id": "s"}, key=keys[0])
    assert ledger.calls.count("reserve") == len(keys) + 1


def test_nothing_can_turn_it_off(guardrail) -> None:
    for data in ({}, {"guardrails": []}, {"metadata": {"user_api_key_metadata": {"disable_global_guardrails": True}}}):
        for event in (GuardrailEventHooks.pre_call, GuardrailEventHooks.post_call):
            assert guardrail.should_run_guardrail(data, event)
        assert not guardrail.should_run_guardrail(data, GuardrailEventHooks.during_call)
    only = TextveilGuardrail("textveil", "pre_call", True)
    assert not only.should_run_guardrail({}, GuardrailEventHooks.post_call)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"event_hook": "post_call"}, "mode must be"),
        ({"event_hook": ["pre_call", "during_call"]}, "mode must be"),
        ({"event_hook": "logging_only"}, "mode must be"),
        ({"default_on": False}, "default_on must be true"),
        ({"default_on": None}, "default_on must be true"),
        ({"run_in_parallel": True}, "run_in_parallel must be left out"),
        ({"scan_raw_request": True}, "scan_raw_request must be left out"),
        ({"polcy": "prompts"}, "settings must be"),
        ({"policy": "promts"}, "policy must be one of"),
    ],
)
def test_settings_by_which_text_could_go_on_unread_are_refused(settings, told) -> None:
    with pytest.raises(ParameterError, match=told):
        TextveilGuardrail("textveil", **settings)


def test_litellms_own_functions_are_guarded_too(guardrail) -> None:
    """Where no proxy called the first hook; and not twice where one did."""
    asked = {"model": "m", "messages": [{"role": "user", "content": TEXT}]}
    sent = asyncio.run(guardrail.async_pre_call_deployment_hook(asked, "acompletion"))
    assert "Zyxwell" not in json.dumps(sent) and asked["messages"][0]["content"] == TEXT
    text = sent["messages"][0]["content"]
    assert asyncio.run(guardrail.async_pre_call_deployment_hook(sent, "acompletion")) is sent
    answer = ModelResponse(**completion({"content": text}))
    done = asyncio.run(guardrail.async_post_call_success_deployment_hook(sent, answer, "acompletion"))
    assert done.choices[0].message.content == TEXT
    proxied = {**sent, "proxy_server_request": {}}
    assert asyncio.run(guardrail.async_post_call_success_deployment_hook(proxied, answer, "acompletion")) is None
    forged = {**asked, "metadata": {"textveil": "0" * 32}}
    assert "Zyxwell" not in json.dumps(asyncio.run(guardrail.async_pre_call_deployment_hook(forged, "acompletion")))
    with pytest.raises(HTTPException):
        asyncio.run(guardrail.async_pre_call_deployment_hook(dict(asked), None))


def test_the_service_is_the_only_way(guardrail, monkeypatch) -> None:
    called: list[Any] = []
    whole = SanitizingService.release

    async def counted(self: Any, texts: Any, **options: Any) -> Any:
        called.append(list(texts))
        return await whole(self, texts, **options)

    monkeypatch.setattr(SanitizingService, "release", counted)
    before(guardrail, chat(TEXT))
    assert called == [[TEXT]]
