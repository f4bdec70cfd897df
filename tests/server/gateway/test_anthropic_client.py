"""The official client of Anthropic's API works unchanged, with the gateway as its base URL."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pytest
from tests.helpers.canaries import ACCENTED, CODE, NAME, NOTE, OTHER_CODE, PRIVATE
from tests.helpers.upstream import (
    UPSTREAM_KEY,
    Provider,
    answering,
    last_text,
    message,
    message_events,
    send_json,
    send_pieces,
)

anthropic = pytest.importorskip("anthropic")

LOOK_UP: Any = {
    "name": "look_up",
    "description": f"The record of a person as {NAME}.",
    "input_schema": {
        "type": "object",
        "properties": {"who": {"type": "string", "description": f"as {NAME}"}, "code": {"type": "string"}},
        "required": ["who"],
    },
    "cache_control": {"type": "ephemeral"},
}
VERSION: Final = anthropic.Anthropic(api_key="none").default_headers["anthropic-version"]
SEAL: Final = "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds"
ASKED = f"Call {ACCENTED} by {CODE}."


@pytest.fixture
def gateway(client: httpx.Client) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=str(client.base_url), api_key="none", max_retries=0) as made:
        yield made


def ask(gateway: anthropic.Anthropic, messages: list[Any], *, stream: bool = False, **fields: Any) -> Any:
    """The message that answers, streamed or not."""
    asked: Any = {"model": "m", "max_tokens": 99, "messages": messages, **fields}
    if not stream:
        return gateway.messages.create(**asked)
    with gateway.messages.stream(**asked) as streamed:
        return streamed.get_final_message()


def repeat(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": f"You said: {last_text(body)}"}]


@pytest.mark.parametrize("stream", [False, True])
def test_a_message(gateway: anthropic.Anthropic, provider: Provider, stream: bool) -> None:
    provider.answer = answering(repeat, 3)
    system: Any = [{"type": "text", "text": f"You know {NAME}.", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    answer = ask(gateway, [{"role": "user", "content": NOTE}], stream=stream, system=system, metadata={"user_id": NAME})
    assert [one.text for one in answer.content] == [f"You said: {NOTE}"]
    assert (answer.stop_reason, answer.usage.output_tokens) == ("end_turn", 1)
    (sent,), (headers,) = provider.bodies, provider.headers
    assert sent["max_tokens"] == 99 and "metadata" not in sent
    assert sent["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert (headers["x-api-key"], headers["anthropic-version"]) == (UPSTREAM_KEY, VERSION)
    assert "authorization" not in headers and provider.paths == ["/v1/messages"]
    assert provider.heard(*PRIVATE) == []


def _calling(body: dict[str, Any]) -> list[dict[str, Any]]:
    """Think of the person and the number that the user names, and call the tool with both; then say what came."""
    last = body["messages"][-1]["content"]
    if isinstance(last, list):
        record = json.loads(last[0]["content"][0]["text"])
        return [{"type": "text", "text": f"{record['who']} lives {record['city']}, {record['code']}."}]
    who, _, code = last.removeprefix("Call ").partition(" by ")
    thought = {"type": "thinking", "thinking": f"I shall call {who}.", "signature": SEAL}
    arguments = {"who": who, "code": code.rstrip("."), "n": [1, True, None, -1.5]}
    call = {"type": "tool_use", "id": "toolu_1", "name": "look_up", "input": arguments}
    hidden = {"type": "redacted_thinking", "data": f"{SEAL}=="}
    return [thought, hidden, {"type": "text", "text": f"Of {who}: "}, call]


@pytest.mark.parametrize("stream", [False, True])
def test_a_tool_is_called_with_originals_and_answers_sanitized(
    gateway: anthropic.Anthropic, provider: Provider, stream: bool
) -> None:
    provider.answer = answering(_calling, 3)
    thinking = {"type": "enabled", "budget_tokens": 2000}
    history: list[Any] = [{"role": "user", "content": ASKED}]
    answer = ask(gateway, history, stream=stream, tools=[LOOK_UP], thinking=thinking)
    thought, hidden, text, call = answer.content
    assert (thought.thinking, thought.signature) == (f"I shall call {ACCENTED}.", SEAL)
    assert (hidden.data, text.text) == (f"{SEAL}==", f"Of {ACCENTED}: ")
    assert call.input == {"who": ACCENTED, "code": CODE, "n": [1, True, None, -1.5]} and call.id == "toolu_1"
    assert answer.stop_reason == "tool_use"
    record = json.dumps({"who": ACCENTED, "city": "here", "code": OTHER_CODE})
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": record}]}
    history += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]
    last = ask(gateway, history, stream=stream, tools=[LOOK_UP], thinking=thinking)
    assert last.content[0].text == f"{ACCENTED} lives here, {OTHER_CODE}."
    first, second = provider.bodies
    assert second["messages"][:1] == first["messages"] and second["tools"] == first["tools"], "byte for byte"
    assert second["messages"][1]["content"] == _calling(first), "an answer goes back as the upstream wrote it"
    assert second["messages"][2]["content"][0]["tool_use_id"] == "toolu_1"
    assert provider.heard(*PRIVATE) == []


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_without_arguments_goes_back_as_it_came(
    gateway: anthropic.Anthropic, provider: Provider, stream: bool
) -> None:
    call = {"type": "tool_use", "id": "toolu_2", "name": "look_up", "input": {}}
    provider.answer = answering(lambda body: [call])
    history: list[Any] = [{"role": "user", "content": "Look."}]
    answer = ask(gateway, history, stream=stream, tools=[LOOK_UP])
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "content": f"{NAME} came.", "is_error": True}
    history += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]
    ask(gateway, history, stream=stream, tools=[LOOK_UP])
    assert provider.bodies[1]["messages"][1]["content"] == [call]
    assert provider.bodies[1]["messages"][2]["content"][0]["is_error"] is True and provider.heard(*PRIVATE) == []


@pytest.mark.parametrize("change", [{"thinking": f"I am {NAME}."}, {"signature": "ZmFrZQ=="}, {"thinking": ""}])
def test_thoughts_that_were_changed_do_not_go_on(
    gateway: anthropic.Anthropic, provider: Provider, change: dict[str, str]
) -> None:
    provider.answer = answering(_calling)
    history: list[Any] = [{"role": "user", "content": ASKED}]
    answer = ask(gateway, history, tools=[LOOK_UP])
    thought = {**answer.content[0].model_dump(), **change}
    hidden = {"type": "redacted_thinking", "data": NAME}
    blocks = [thought, hidden, *answer.content[2:]]
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": '{"x": 1}'}]}
    history += [{"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}]
    provider.answer = answering(lambda body: [{"type": "text", "text": "Yes."}])
    raw = gateway.messages.with_raw_response.create(model="m", max_tokens=9, messages=history, tools=[LOOK_UP])
    assert [one["type"] for one in provider.bodies[1]["messages"][1]["content"]] == ["text", "tool_use"]
    left_out = raw.headers["x-textveil-left-out"].split(", ")
    assert {"messages.content.thinking", "messages.content.redacted_thinking"} <= set(left_out)
    assert provider.heard(*PRIVATE) == []


def test_tokens_are_counted_by_the_upstream_from_what_it_would_get(
    gateway: anthropic.Anthropic, provider: Provider, ledger: Any
) -> None:
    provider.answer = lambda handler, body: send_json(handler, {"input_tokens": 42})
    messages: Any = [{"role": "user", "content": NOTE}]
    assert gateway.messages.count_tokens(model="m", messages=messages, system=f"As {NAME}.").input_tokens == 42
    assert provider.paths == ["/v1/messages/count_tokens"] and provider.heard(*PRIVATE) == []
    provider.answer = answering(repeat)
    ledger.calls.clear()
    ask(gateway, messages, system=f"As {NAME}.")
    assert ledger.calls == [], "what was counted is sent as it was counted, at no further cost"
    assert provider.bodies[1].items() >= provider.bodies[0].items()


def test_batches_are_refused(gateway: anthropic.Anthropic, provider: Provider) -> None:
    batch: Any = {"custom_id": "a", "params": {"model": "m", "max_tokens": 9, "messages": []}}
    with pytest.raises(anthropic.BadRequestError, match="batches are not taken"):
        gateway.messages.batches.create(requests=[batch])
    with pytest.raises(anthropic.BadRequestError, match="batches are not taken"):
        gateway.messages.batches.retrieve("msgbatch_1")
    assert provider.got == b""


def test_models_and_betas(gateway: anthropic.Anthropic, provider: Provider) -> None:
    model = {"id": "m-1", "type": "model", "created_at": "2026-01-01T00:00:00Z", "display_name": "M"}
    listed = {"data": [model], "has_more": False, "first_id": "m-1", "last_id": "m-1"}
    provider.answer = lambda handler, body: send_json(handler, listed)
    assert [one.id for one in gateway.models.list()] == ["m-1"]
    provider.answer = answering(repeat)
    betas = ["interleaved-thinking-2025-05-14", "claude-code-20250219"]
    asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": NOTE}]}
    assert gateway.beta.messages.create(**asked, betas=betas).content[0].text == f"You said: {NOTE}"
    assert provider.headers[0]["anthropic-version"] == VERSION
    assert provider.headers[1]["anthropic-beta"] == ",".join(betas)
    with pytest.raises(anthropic.BadRequestError, match="anthropic-beta must be"):
        gateway.beta.messages.create(**asked, betas=[NAME])
    assert len(provider.bodies) == 1 and provider.heard(*PRIVATE) == []


@pytest.mark.parametrize(
    ("status", "kind", "told"),
    [
        (400, "BadRequestError", "invalid_request_error"),
        (404, "NotFoundError", "not_found_error"),
        (413, "RequestTooLargeError", "request_too_large"),
        (429, "RateLimitError", "rate_limit_error"),
        (500, "InternalServerError", "api_error"),
        (529, "OverloadedError", "overloaded_error"),
    ],
)
def test_errors_of_the_upstream(
    gateway: anthropic.Anthropic, provider: Provider, status: int, kind: str, told: str
) -> None:
    error = {"type": "error", "error": {"type": "some_error", "message": "that cannot be done"}}
    provider.answer = lambda handler, body: send_json(handler, error, status, retry_after="7", request_id="req_1")
    with pytest.raises(getattr(anthropic, kind)) as caught:
        ask(gateway, [{"role": "user", "content": NOTE}])
    assert caught.value.body["type"] == "error" and caught.value.body["error"]["type"] == told
    assert caught.value.body["error"]["message"] == "that cannot be done"
    assert caught.value.response.headers["retry-after"] == "7" and caught.value.request_id == "req_1"


def test_errors_of_the_gateway_have_the_shape_of_the_api(gateway: anthropic.Anthropic, provider: Provider) -> None:
    with pytest.raises(anthropic.BadRequestError) as caught:
        ask(gateway, [{"role": "user", "content": [{"type": "image", "source": {"data": NAME}}]}])
    error = caught.value.body["error"]
    assert (error["type"], error["code"]) == ("invalid_request_error", "unsupported_content")
    assert error["param"] == "messages[0].content[0].type" and NAME not in str(caught.value)
    with pytest.raises(anthropic.NotFoundError) as missing:
        gateway.beta.files.list()
    assert missing.value.body["error"]["type"] == "not_found_error" and provider.got == b""


@pytest.mark.parametrize("end", [True, False])
def test_an_error_within_a_stream(gateway: anthropic.Anthropic, provider: Provider, end: bool) -> None:
    begun = message_events({"type": "text", "text": "Well, " * 9})[:6]
    error = b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "sk-4711"}}\n\n'
    pieces = [*begun, error] if end else begun
    provider.answer = lambda handler, body: send_pieces(handler, pieces, end=end)
    with pytest.raises(anthropic.APIStatusError) as caught:
        ask(gateway, [{"role": "user", "content": NOTE}], stream=True)
    assert "sk-" not in str(caught.value) and caught.value.body["error"]["type"] == "api_error"


def test_where_a_stop_was_met_is_told_as_it_was_asked(gateway: anthropic.Anthropic, provider: Provider) -> None:
    provider.answer = lambda handler, body: send_json(
        handler, {**message({"type": "text", "text": "Well"}), "stop_sequence": body["stop_sequences"][1]}
    )
    answer = ask(gateway, [{"role": "user", "content": NOTE}], stop_sequences=["\n\n", NAME])
    assert answer.stop_sequence == NAME
    assert provider.bodies[0]["stop_sequences"][0] == "\n\n" and provider.heard(*PRIVATE) == []


async def _asynchronous(base_url: str) -> str:
    async with anthropic.AsyncAnthropic(base_url=base_url, api_key="none", max_retries=0) as made:
        messages: Any = [{"role": "user", "content": NOTE}]
        async with made.messages.stream(model="m", max_tokens=9, messages=messages) as stream:
            return "".join([one async for one in stream.text_stream])


def test_the_asynchronous_client_and_its_helper_for_streams(client: httpx.Client, provider: Provider) -> None:
    provider.answer = answering(repeat, 2)
    assert asyncio.run(_asynchronous(str(client.base_url))) == f"You said: {NOTE}"
    assert provider.heard(*PRIVATE) == []
