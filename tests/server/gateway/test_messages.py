"""Messages of Anthropic's API: every field and every shape is released, refused by its place, or left out and named."""

import json
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import CODE, NAME, NAMES, NOTE, PRIVATE
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Provider, answering, message, repeating, saying

USER = {"role": "user", "content": f"I am {NAME}."}
CACHE = {"cache_control": {"type": "ephemeral", "ttl": "5m"}}


def block(role: str = "user", **fields: Any) -> dict[str, Any]:
    return {"messages": [USER, {"role": role, "content": [{"type": "text", "text": NAME}, fields]}]}


def result(content: Any) -> dict[str, Any]:
    return {
        "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": content}]}]
    }


def tool(**fields: Any) -> dict[str, Any]:
    return {"messages": [USER], "tools": [{"name": "f", "input_schema": {"type": "object"}, **fields}]}


def user(**fields: Any) -> dict[str, Any]:
    return {"messages": [USER], **fields}


IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": NAME}}
FILE = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": NAME}}
PLACE = "messages[1].content[1]"
RESULT = "messages[0].content[0].content"

BAD: list[tuple[dict[str, Any], str, str]] = [
    ({}, "missing_field", "messages"),
    ({"messages": []}, "invalid_value", "messages"),
    ({"messages": NAME}, "invalid_type", "messages"),
    ({"messages": [NAME]}, "invalid_type", "messages[0]"),
    ({"messages": [{"role": "tool", "content": NAME}]}, "invalid_role", "messages[0].role"),
    ({"messages": [{"role": ["user"], "content": NAME}]}, "invalid_role", "messages[0].role"),
    ({"messages": [{"role": "user"}]}, "missing_field", "messages[0].content"),
    ({"messages": [{"role": "user", "content": {"text": NAME}}]}, "invalid_type", "messages[0].content"),
    ({"messages": [{"role": "user", "content": f"\ud800 {NAME}"}]}, "invalid_text", "messages[0].content"),
    ({"messages": [{"role": "user", "content": [NAME]}]}, "invalid_type", "messages[0].content[0]"),
    (block(**IMAGE), "unsupported_content", f"{PLACE}.type"),
    (block(**FILE), "unsupported_content", f"{PLACE}.type"),
    *(
        (block(type=kind, text=NAME, content=NAME), "unsupported_content", f"{PLACE}.type")
        for kind in ("search_result", "container_upload", "server_tool_use", "web_search_tool_result", "tool_use", NAME)
    ),
    (block("assistant", type="tool_result", tool_use_id="a", content=NAME), "unsupported_content", f"{PLACE}.type"),
    (block("system", type="thinking", thinking=NAME, signature="s"), "unsupported_content", f"{PLACE}.type"),
    (block(type=["text"]), "unsupported_content", f"{PLACE}.type"),
    (block(text=NAME), "unsupported_content", f"{PLACE}.type"),
    (block(type="text"), "missing_field", f"{PLACE}.text"),
    (block(type="text", text=[NAME]), "invalid_type", f"{PLACE}.text"),
    (block(type="text", text=NAME, cache_control=NAME), "invalid_type", f"{PLACE}.cache_control"),
    (block(type="text", text=NAME, cache_control={"type": NAME}), "invalid_value", f"{PLACE}.cache_control.type"),
    (
        block(type="text", text=NAME, cache_control={"type": "ephemeral", "ttl": NAME}),
        "invalid_value", f"{PLACE}.cache_control.ttl",
    ),
    (block(type="tool_result", content=NAME), "missing_field", f"{PLACE}.tool_use_id"),
    (block(type="tool_result", tool_use_id=[NAME]), "invalid_type", f"{PLACE}.tool_use_id"),
    (block(type="tool_result", tool_use_id="a", is_error=NAME), "invalid_type", f"{PLACE}.is_error"),
    (result([IMAGE]), "unsupported_content", f"{RESULT}[0].type"),
    (result([{"type": "tool_reference", "tool_name": NAME}]), "unsupported_content", f"{RESULT}[0].type"),
    (result({"who": NAME}), "invalid_type", RESULT),
    (result([{"type": "text", "text": 1}]), "invalid_type", f"{RESULT}[0].text"),
    (block("assistant", type="tool_use", id="a", name="f"), "missing_field", f"{PLACE}.input"),
    (
        {**tool(), **block("assistant", type="tool_use", id="a", name="f", input=NAME)},
        "invalid_type", f"{PLACE}.input",
    ),
    (block("assistant", type="thinking", thinking=[NAME], signature="s"), "invalid_type", f"{PLACE}.thinking"),
    (block("assistant", type="thinking", thinking=NAME, signature=7), "invalid_type", f"{PLACE}.signature"),
    (block("assistant", type="redacted_thinking"), "invalid_type", f"{PLACE}.data"),
    (user(system=7), "invalid_type", "system"),
    (user(system=[IMAGE]), "unsupported_content", "system[0].type"),
    (user(model=NAME), "invalid_value", "model"),
    (user(max_tokens=NAME), "invalid_value", "max_tokens"),
    (user(temperature=NAME), "invalid_value", "temperature"),
    (user(stream=NAME), "invalid_type", "stream"),
    (user(stop_sequences=[1]), "invalid_type", "stop_sequences[0]"),
    (user(cache_control=NAME), "invalid_type", "cache_control"),
    (user(thinking={"type": NAME}), "invalid_value", "thinking.type"),
    (user(thinking={"type": "enabled", "budget_tokens": CODE}), "invalid_value", "thinking.budget_tokens"),
    (user(output_config={"effort": NAME}), "invalid_value", "output_config.effort"),
    (user(output_config={"format": {"type": "json_schema"}}), "missing_field", "output_config.format.schema"),
    (user(service_tier=NAME), "invalid_value", "service_tier"),
    (user(inference_geo=NAME), "invalid_value", "inference_geo"),
    (user(speed=NAME), "invalid_value", "speed"),
    (user(tool_choice=NAME), "invalid_type", "tool_choice"),
    (user(tool_choice={"type": "tool", "name": "g"}), "invalid_value", "tool_choice.name"),
    (user(tools=NAME), "invalid_type", "tools"),
    (user(tools=[NAME]), "invalid_type", "tools[0]"),
    *(
        (tool(type=kind), "unsupported_content", "tools[0].type")
        for kind in ("web_search_20250305", "code_execution_20260120", "computer_toolset_20260801", NAME, ["custom"])
    ),
    (tool(name=NAME), "invalid_value", "tools[0].name"),
    (tool(input_schema=None), "missing_field", "tools[0].input_schema"),
    (tool(input_schema={"properties": {NAME: {}}}), "invalid_value", "tools[0].input_schema.properties"),
    (tool(input_examples={"who": NAME}), "invalid_type", "tools[0].input_examples"),
    (tool(type="bash_20250124", max_characters=NAME), "invalid_value", "tools[0].max_characters"),
]  # fmt: skip


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
@pytest.mark.parametrize(("fields", "code", "param"), BAD, ids=lambda one: one if isinstance(one, str) else "")
def test_a_message_that_is_wrong(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, path: str, fields: Any, code: str, param: str
) -> None:
    """Of the fields that only one of both routes has, the other one leaves out the wrong value."""
    answer = client.post(
        path, content=json.dumps({"model": "m", **fields}), headers={"Content-Type": "application/json"}
    )
    alone = ("max_tokens", "temperature", "stream", "stop_sequences", "service_tier", "inference_geo")
    if path.endswith("count_tokens") and param.partition("[")[0] in alone:
        assert answer.status_code == 200 and param.partition("[")[0] in answer.headers["x-textveil-left-out"]
        assert provider.heard(*PRIVATE) == []
        return
    told = answer.json()
    assert (answer.status_code, told["type"], told["error"]["type"]) == (400, "error", "invalid_request_error")
    assert (told["error"]["code"], told["error"]["param"]) == (code, param) and "; got " in told["error"]["message"]
    assert "\n" not in told["error"]["message"] and NAME not in answer.text and CODE not in answer.text
    assert provider.got == b"" and ledger.calls == [], "nothing was sent, and nothing paid"


def test_every_text_of_a_message_is_sanitized(client: httpx.Client, provider: Provider) -> None:
    schema = {
        "type": "object", "description": NAME, "additionalProperties": False, "required": ["who"],
        "properties": {"who": {"type": "string", "description": NAME, "enum": [NAME, 1], "default": NAME}},
    }  # fmt: skip
    record = json.dumps({NAME: [CODE, True, None, -1.5]})
    call = {"type": "tool_use", "id": NAME, "name": "f", "input": {"who": NAME, "x": [CODE, 1, None]}, **CACHE}
    body = {
        "model": "m", "max_tokens": 9, "stop_sequences": [NAME, "\n"], **CACHE,
        "system": [{"type": "text", "text": NAME, **CACHE}, {"type": "text", "text": ""}],
        "tools": [
            {"name": "f", "description": NAME, "input_schema": schema, "input_examples": [{"who": NAME}], **CACHE},
            {"type": "bash_20250124", "name": "bash"},
        ],
        "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": schema}},
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": f"{NAME}\0 is {CODE}.", **CACHE}]},
            {"role": "assistant", "content": [{"type": "text", "text": NAME}, call]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": NAME, "content": record, "is_error": False, **CACHE},
                {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": record, **CACHE}]},
                {"type": "tool_result", "tool_use_id": "c"}, {"type": "text", "text": '{"a": "Z\\u0079rqel Quxbolt"}'},
            ]},
            {"role": "system", "content": NAME},
            {"role": "user", "content": NAME},
            {"role": "assistant", "content": NAME},
        ],
    }  # fmt: skip
    provider.answer = answering(lambda body: [{"type": "text", "text": body["messages"][-2]["content"]}])
    answer = client.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    assert answer.json()["content"][0]["text"] == NAME and "x-textveil-left-out" not in answer.headers
    assert provider.heard(*PRIVATE, "u0079") == []
    (sent,) = provider.bodies
    assert _shape(sent) == _shape(body), "all goes on in its place"
    (text, called), results = sent["messages"][1]["content"], sent["messages"][2]["content"]
    assert called["input"].keys() == {"who", "x"} and called["input"]["x"][1:] == [1, None]
    assert called["id"] == results[0]["tool_use_id"] != NAME and called["cache_control"] == CACHE["cache_control"]
    (inner,) = json.loads(results[0]["content"]).values()
    assert inner[1:] == [True, None, -1.5] and text["text"] != NAME


def _shape(data: Any) -> Any:
    """Names of fields, lengths of lists and types of values."""
    if isinstance(data, dict):
        return {name: _shape(one) for name, one in data.items()}
    return [_shape(one) for one in data] if isinstance(data, list) else type(data).__name__


def test_unknown_fields_are_left_out_and_named(client: httpx.Client, provider: Provider) -> None:
    text = {"type": "text", "text": NAME, "citations": [{"cited_text": NAME}], "y": NAME}
    hidden = {"type": "redacted_thinking", "data": NAME}
    thought = {"type": "thinking", "thinking": NAME, "signature": NAME, "z": NAME}
    body = {
        "model": "m", "max_tokens": 9, "metadata": {"user_id": NAME}, "container": NAME, "mcp_servers": [{"url": NAME}],
        "context_management": {"edits": [NAME]}, "diagnostics": {"previous_message_id": NAME},
        NAME: 1, "fallbacks": NAME, "user_profile_id": NAME, "workspace_id": NAME,
        "thinking": {"type": "adaptive", "x": NAME}, "system": None,
        "messages": [
            {**USER, "content": [text], "name": NAME}, {"role": "assistant", "content": [thought, hidden, text]}, USER
        ],
        "tools": [{"name": "f", "input_schema": {"z": NAME}, "allowed_callers": [NAME], "type": "custom"}],
    }  # fmt: skip
    answer = client.post("/v1/messages", json=body)
    assert answer.status_code == 200, answer.text
    assert set(answer.headers["x-textveil-left-out"].split(", ")) == {
        "metadata", "container", "mcp_servers", "context_management", "diagnostics", "(a field)", "fallbacks",
        "user_profile_id", "workspace_id", "thinking.x", "messages.name", "messages.content.y",
        "messages.content.citations", "messages.content.thinking", "messages.content.redacted_thinking",
        "tools.input_schema.z", "tools.allowed_callers",
    }  # fmt: skip
    assert provider.heard(*PRIVATE) == []
    assert [one["type"] for one in provider.bodies[0]["messages"][1]["content"]] == ["text"]


def test_what_says_how_to_answer_goes_on(client: httpx.Client, provider: Provider) -> None:
    facts = {
        "temperature": 0.25, "top_p": 0.5, "top_k": 40, "max_tokens": 12, "stop_sequences": ["\n", "</s>"],
        "stream": False, "service_tier": "standard_only", "inference_geo": "us", "speed": "fast", **CACHE,
        "thinking": {"type": "enabled", "budget_tokens": 1024, "display": "omitted"},
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        "output_config": {"effort": "max"},
        "tools": [
            {"type": "custom", "name": "f", "input_schema": {"type": "object"}, "strict": True, "defer_loading": False},
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9000},
        ],
    }  # fmt: skip
    answer = client.post("/v1/messages", json={"model": "claude-x-5@20260101", "messages": [USER], **facts})
    assert answer.status_code == 200 and "x-textveil-left-out" not in answer.headers, answer.text
    assert {**provider.bodies[0], "messages": 0} == {"model": "claude-x-5@20260101", "messages": 0, **facts}


@pytest.mark.parametrize("policy", ["all-words", "identifiers"])
def test_arguments_and_results_are_json_after_every_policy(
    client: httpx.Client, provider: Provider, policy: str
) -> None:
    """Also where a number or a truth value is drawn as a word."""
    numbers = [
        5551234567,
        *(number + 0.5 for number in range(10, 50)),
    ]  # some drawn as 05.6, which is no number of JSON
    arguments = {"a": [*numbers, True, None, ""], "b": {"c": False, "d": {}}, "e": "", "f": "the doctor"}
    call = {"type": "tool_use", "id": "a", "name": "f", "input": arguments}
    told = {"type": "tool_result", "tool_use_id": "a", "content": json.dumps(arguments)}
    history = [USER, {"role": "assistant", "content": [call]}, {"role": "user", "content": [told]}]
    body = {**tool(), "model": "m", "messages": history}
    answer = client.post("/v1/messages", json=body, headers={"X-Textveil-Policy": policy})
    assert answer.status_code == 200, answer.text
    sent = provider.bodies[0]["messages"][1]["content"][0]["input"]
    result = json.loads(provider.bodies[0]["messages"][2]["content"][0]["content"])
    assert all(isinstance(one, dict) and one for one in (sent, result)), "two keys may be drawn alike"


@pytest.mark.parametrize("answer", ["tool", "text", "call"])
def test_what_others_may_have_written_shares_no_surrogate_with_the_user(
    client: httpx.Client, provider: Provider, answer: str
) -> None:
    """Else an upstream could write guesses into an answer, and see by their surrogates which are right.

    The five names of both are equal with a chance below 10^-10.
    """
    names = ", ".join(NAMES)
    call = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"of": names} if answer == "call" else {}}
    said = {"type": "text", "text": names if answer == "text" else "Well."}
    found = {"type": "tool_result", "tool_use_id": "toolu_1", "content": names if answer == "tool" else "Well."}
    messages = [
        {"role": "user", "content": names}, {"role": "assistant", "content": [said, call]},
        {"role": "user", "content": [found]},
    ]  # fmt: skip
    assert client.post("/v1/messages", json={**tool(), "model": "m", "messages": messages}).status_code == 200
    asked, (text, called), (back,) = (one["content"] for one in provider.bodies[0]["messages"])
    drawn = called["input"].get("of", next(iter(called["input"].values()), ""))
    theirs = {"tool": back["content"], "text": text["text"], "call": drawn}
    assert len(asked.split(", ")) == len(theirs[answer].split(", ")) == 5
    assert asked.split(", ") != theirs[answer].split(", ") and provider.heard(*PRIVATE) == []


def test_a_tool_result_of_ten_megabytes_is_answered_or_refused_in_one_line(
    client: httpx.Client, provider: Provider
) -> None:
    """The server's limit of a body is smaller: nothing of it is read."""
    answer = client.post("/v1/messages", json={"model": "m", **result(f"{NAME}\n" * 700_000)})
    told = answer.json()
    assert (answer.status_code, told["type"], told["error"]["type"]) == (413, "error", "request_too_large")
    assert provider.got == b"" and NAME not in answer.text


@pytest.mark.parametrize(
    "headers", [{"anthropic-version": NAME}, {"anthropic-version": ""}, {"anthropic-beta": f"a-2025-01-01,{NAME}"}]
)
def test_headers_of_the_api_are_public_words(client: httpx.Client, provider: Provider, headers: dict[str, str]) -> None:
    for path in ("/v1/messages", "/v1/messages/count_tokens"):
        answer = client.post(path, json={"model": "m", **user()}, headers=headers)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_header"), answer.text
        assert NAME not in answer.text and provider.got == b""


def test_answers_that_are_no_messages_are_told_or_handed_on(client: httpx.Client, provider: Provider) -> None:
    """What an upstream writes amiss is no fault of the gateway, and is restored where it can be."""
    from tests.helpers.upstream import send_json

    for content in (None, NAME, [NAME, {"type": ["text"]}, {"type": "text"}, {"type": "tool_use", "input": NAME}]):
        provider.answer = lambda handler, body, content=content: send_json(handler, {**message(), "content": content})  # type: ignore[misc]
        answer = client.post("/v1/messages", json={"model": "m", **user()})
        assert answer.status_code == 200 and answer.json()["content"] == content


def chat(client: httpx.Client, *texts: str, headers: dict[str, str] | None = None, **fields: Any) -> httpx.Response:
    """Texts by turns of a user and an assistant."""
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]
    return client.post("/v1/chat/completions", json={"model": "m", "messages": messages, **fields}, headers=headers)


def content(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return answer.json()["choices"][0]["message"]["content"]


def test_what_goes_on_is_sanitized_and_what_comes_back_is_readable(client: httpx.Client, provider: Provider) -> None:
    provider.answer = repeating()
    assert content(chat(client, NOTE)) == f"You said: {NOTE}"
    assert provider.heard(*PRIVATE) == []
    sent = provider.bodies[0]["messages"][0]["content"]
    assert " has the number " in sent and provider.paths == ["/v1/chat/completions"]


def test_a_streamed_answer_is_restored_though_surrogates_are_cut(client: httpx.Client, provider: Provider) -> None:
    for cut in (1, 2, 3, 7, 1000):
        provider.answer = saying(lambda body: "Of " + body["messages"][0]["content"] + " I know.", cut)
        with client.stream("POST", "/v1/chat/completions", json=_streamed(NOTE)) as answer:
            assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
            lines = [line for line in answer.iter_lines() if line]
        assert lines[-1] == "data: [DONE]"
        chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-1]]
        read = "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks)
        assert read == f"Of {NOTE} I know."
        assert chunks[-1]["choices"][0]["finish_reason"] == "stop"
    assert provider.heard(*PRIVATE) == []


def _streamed(text: str) -> dict[str, Any]:
    return {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
