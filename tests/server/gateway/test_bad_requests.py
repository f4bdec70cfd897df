"""Requests that are wrong, or hold what nobody can read: told by their place, without their text, and not sent on."""

import json
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import CODE, NAME, PRIVATE
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Provider, repeating

JSON = {"Content-Type": "application/json"}
USER = {"role": "user", "content": f"I am {NAME}."}


def part(**fields: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": NAME}, fields]}]}


def tool(**fields: Any) -> dict[str, Any]:
    return {"messages": [USER], "tools": [{"type": "function", "function": {"name": "f", **fields}}]}


ROUTES = ("chat/completions", "completions", "embeddings", "responses", "messages", "messages/count_tokens")

BAD: list[tuple[dict[str, Any], str, str | None]] = [
    ({}, "missing_field", "messages"),
    ({"messages": None}, "missing_field", "messages"),
    ({"messages": []}, "invalid_value", "messages"),
    ({"messages": NAME}, "invalid_type", "messages"),
    ({"messages": [NAME]}, "invalid_type", "messages[0]"),
    ({"messages": [{"content": NAME}]}, "invalid_role", "messages[0].role"),
    ({"messages": [USER, {"role": NAME, "content": NAME}]}, "invalid_role", "messages[1].role"),
    ({"messages": [{"role": ["user"], "content": NAME}]}, "invalid_role", "messages[0].role"),
    ({"messages": [{"role": "user"}]}, "missing_field", "messages[0].content"),
    ({"messages": [{"role": "user", "content": 7}]}, "invalid_type", "messages[0].content"),
    ({"messages": [{"role": "user", "content": {"text": NAME}}]}, "invalid_type", "messages[0].content"),
    ({"messages": [{"role": "user", "content": f"\ud800 {NAME}"}]}, "invalid_text", "messages[0].content"),
    (part(type="image_url", image_url={"url": NAME}), "unsupported_content", "messages[0].content[1].type"),
    (part(type="input_audio", input_audio={}), "unsupported_content", "messages[0].content[1].type"),
    (part(type="file", file={"file_data": NAME}), "unsupported_content", "messages[0].content[1].type"),
    (part(type=NAME), "unsupported_content", "messages[0].content[1].type"),
    (part(type=["text"]), "unsupported_content", "messages[0].content[1].type"),
    (part(text=NAME), "unsupported_content", "messages[0].content[1].type"),
    (part(type="text"), "missing_field", "messages[0].content[1].text"),
    (part(type="text", text=[NAME]), "invalid_type", "messages[0].content[1].text"),
    ({"messages": [{"role": "assistant", "audio": {"id": NAME}}, USER]}, "unsupported_content", "messages[0].audio"),
    ({"messages": [{"role": "tool", "content": NAME}]}, "missing_field", "messages[0].tool_call_id"),
    ({"messages": [USER], "model": NAME}, "invalid_value", "model"),
    ({"messages": [USER], "model": 3}, "invalid_value", "model"),
    ({"messages": [USER], "temperature": NAME}, "invalid_value", "temperature"),
    ({"messages": [USER], "temperature": True}, "invalid_value", "temperature"),
    ({"messages": [USER], "max_tokens": 4111111111111111}, "invalid_value", "max_tokens"),
    ({"messages": [USER], "n": 0}, "invalid_value", "n"),
    ({"messages": [USER], "stream": NAME}, "invalid_type", "stream"),
    ({"messages": [USER], "stop": [1]}, "invalid_type", "stop[0]"),
    ({"messages": [USER], "reasoning_effort": NAME}, "invalid_value", "reasoning_effort"),
    ({"messages": [USER], "response_format": {"type": NAME}}, "invalid_value", "response_format.type"),
    ({"messages": [USER], "modalities": ["text", "audio"]}, "invalid_value", "modalities[1]"),
    ({"messages": [USER], "tool_choice": NAME}, "invalid_value", "tool_choice"),
    (
        {"messages": [USER], "tool_choice": {"type": "function", "function": {"name": "g"}}},
        "invalid_value", "tool_choice.function.name",
    ),
    ({"messages": [USER], "tools": [{"type": "web_search"}]}, "unsupported_content", "tools[0].type"),
    ({"messages": [USER], "tools": NAME}, "invalid_type", "tools"),
    (tool(name=NAME), "invalid_value", "tools[0].function.name"),
    (tool(parameters={"properties": {NAME: {}}}), "invalid_value", "tools[0].function.parameters.properties"),
    (tool(parameters={"properties": {"n4815162342": {}}}), "invalid_value", "tools[0].function.parameters.properties"),
    (tool(parameters={"properties": {"a.b@c.org": {}}}), "invalid_value", "tools[0].function.parameters.properties"),
    (tool(parameters={"required": [NAME]}), "invalid_value", "tools[0].function.parameters.required[0]"),
    (tool(parameters={"type": NAME}), "invalid_value", "tools[0].function.parameters.type"),
    (tool(parameters={"$ref": f"# {NAME}"}), "invalid_value", "tools[0].function.parameters.$ref"),
    (tool(parameters=[NAME]), "invalid_type", "tools[0].function.parameters"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "code", "param"), BAD, ids=lambda one: one if isinstance(one, str) else "")
def test_a_chat_that_is_wrong(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, fields: dict[str, Any], code: str, param: str | None
) -> None:
    answer = client.post("/v1/chat/completions", content=json.dumps({"model": "m", **fields}), headers=JSON)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"]) == (400, "invalid_request_error"), answer.text
    assert (error["code"], error["param"]) == (code, param) and "; got " in error["message"]
    assert NAME not in answer.text and "4111" not in answer.text
    assert provider.got == b"" and ledger.calls == [], "nothing was sent, and nothing paid"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b'{"model": "\xff"}', b'{"a": NaN}', b'{"a": Infinity}',
        b"[" * 100_000, b'{"a":' * 200 + b"1" + b"}" * 200, b'{"a": 1' + b"0" * 5000 + b"}", b"\0", b'{"a": 1} x',
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ROUTES)
def test_what_is_no_json_object(client: httpx.Client, provider: Provider, path: str, body: bytes) -> None:
    answer = client.post(f"/v1/{path}", content=body, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_json"), answer.text
    assert provider.got == b""


@pytest.mark.parametrize("kind", ["text/plain", "text/plain; a=application/json", "application/jsonp", "", None])
@pytest.mark.parametrize("path", ROUTES)
def test_a_body_of_another_content_type_is_refused(
    client: httpx.Client, provider: Provider, path: str, kind: str | None
) -> None:
    """A page of a stranger can let a browser send plain text to any server, unasked."""
    texts = {"messages": [USER], "prompt": NAME, "input": NAME}
    headers = {} if kind is None else {"Content-Type": kind}
    answer = client.post(f"/v1/{path}", content=json.dumps({"model": "m", **texts}), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type"), answer.text
    assert provider.got == b"" and NAME not in answer.text
    answer = client.post(
        f"/v1/{path}", content=json.dumps({"model": "m"}), headers={"Content-Type": "Application/JSON; charset=utf-8"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "missing_field")


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("completions", {"prompt": [1, 2]}),
        ("completions", {"prompt": [[1, 2], [3]]}),
        ("embeddings", {"input": [[1, 2]]}),
        ("embeddings", {"input": [1]}),
    ],
)
def test_numbers_of_tokens_are_not_read(
    client: httpx.Client, provider: Provider, path: str, fields: dict[str, Any]
) -> None:
    answer = client.post(f"/v1/{path}", json={"model": "m", **fields})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unsupported_content") and provider.got == b""


def test_a_stop_that_spells_a_word_by_symbols_is_text(client: httpx.Client, provider: Provider) -> None:
    """Circled letters are symbols and no letters; what is punctuation goes on as it is."""
    name = "".join(chr(0x24B6 + ord(one) - ord("A")) for one in "ZYRQEL")
    asked = {"model": "m", "messages": [USER], "stop": [name, "\n\n", "###", "\u300d"]}
    assert (
        client.post("/v1/chat/completions", json=asked, headers={"X-Textveil-Policy": "all-words"}).status_code == 200
    )
    assert provider.bodies[-1]["stop"][1:] == ["\n\n", "###", "\u300d"]
    assert provider.bodies[-1]["stop"][0] != name


def test_numbers_beyond_all_floats_are_refused(client: httpx.Client, provider: Provider) -> None:
    for written in ("1" + 400 * "0", "1e999", "-1e999"):
        body = f'{{"model": "m", "messages": [{{"role": "user", "content": "x"}}], "temperature": {written}}}'
        answer = client.post("/v1/chat/completions", content=body, headers=JSON)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_value")
    assert provider.got == b""


@pytest.mark.parametrize("value", [5551234567, 12.5, True, None, ["x", 7], {"a": False}])
def test_values_of_a_schema_are_json_after_every_policy(client: httpx.Client, provider: Provider, value: Any) -> None:
    made = tool(parameters={"type": "object", "properties": {"a": {"default": value, "enum": [value]}}})
    for policy in ("all-words", "identifiers"):
        asked = {"model": "m", **made}
        answer = client.post("/v1/chat/completions", json=asked, headers={"X-Textveil-Policy": policy})
        assert answer.status_code == 200, answer.text


def test_unknown_fields_are_left_out_and_named(client: httpx.Client, provider: Provider) -> None:
    body = {
        "model": "m", "user": NAME, "metadata": {"who": NAME}, "logit_bias": {"481516234208": 3}, NAME: 1, "seed": None,
        "web_search_options": {"user_location": NAME}, "safety_identifier": NAME, "prompt_cache_key": NAME,
        "messages": [{**USER, "name": "Zyrqel", "x": NAME, "content": [{"type": "text", "text": NAME, "y": NAME}]}],
        **{"tools": tool(parameters={"z": NAME, "properties": {"ü": {NAME: 1}}})["tools"]},
    }  # fmt: skip
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    assert set(answer.headers["x-textveil-left-out"].split(", ")) == {
        "user", "metadata", "logit_bias", "(a field)", "web_search_options", "safety_identifier", "prompt_cache_key",
        "messages.name", "messages.x", "messages.content.y", "tools.function.parameters.z",
        "tools.function.parameters.properties.(a field).(a field)",
    }  # fmt: skip
    sent = provider.bodies[0]
    assert set(sent) == {"model", "messages", "tools"} and provider.heard(*PRIVATE) == []
    assert sent["tools"][0]["function"]["parameters"] == {"properties": {"ü": {}}}


def test_what_says_how_to_answer_goes_on(client: httpx.Client, provider: Provider) -> None:
    facts = {
        "temperature": 0.25, "top_p": 0.5, "n": 1, "seed": -7, "max_tokens": 12, "stop": ["\n", "</s>"], "top_k": 40,
        "top_logprobs": 2, "presence_penalty": -1, "frequency_penalty": 1.5, "parallel_tool_calls": False,
        "logprobs": True, "store": False,
        "reasoning_effort": "low", "verbosity": "high", "service_tier": "auto", "modalities": ["text"],
        "response_format": {"type": "json_object"}, "tool_choice": "none", "max_completion_tokens": 7,
    }  # fmt: skip
    answer = client.post("/v1/chat/completions", json={"model": "org/m-1:free", "messages": [USER], **facts})
    assert answer.status_code == 200, answer.text
    sent = provider.bodies[0]
    assert {**sent, "messages": 0} == {"model": "org/m-1:free", "messages": 0, **facts}
    assert "x-textveil-left-out" not in answer.headers


def test_every_text_of_a_request_is_sanitized(client: httpx.Client, provider: Provider) -> None:
    """Wherever a text can stand; and all of it is one request of one price."""
    values: dict[str, Any] = {"enum": [NAME, 1], "default": {"a": NAME}, "const": NAME, "examples": [[NAME]]}
    schema = {
        "type": "object", "description": NAME, "$defs": {"d": {"title": NAME}}, "additionalProperties": False,
        "properties": {"who": {"type": ["string", "null"], "description": NAME, "pattern": NAME, **values}},
        "anyOf": [{"$ref": "#/$defs/d"}, {"items": {"title": NAME}}], "required": ["who"], "$comment": NAME,
    }  # fmt: skip
    function = {"name": "f", "description": NAME, "parameters": schema, "strict": True}
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "f", "arguments": json.dumps({"who": NAME, "x": CODE})},
    }
    body = {
        "model": "m", "stop": NAME, "tools": [{"type": "function", "function": function}], "functions": [function],
        "prediction": {"type": "content", "content": [{"type": "text", "text": NAME}]},
        "response_format": {"type": "json_schema", "json_schema": {"name": "s", "description": NAME, "schema": schema}},
        "messages": [
            {"role": "system", "content": NAME}, {"role": "developer", "content": [{"type": "text", "text": NAME}]},
            {"role": "user", "content": f"{NAME}\0 is {CODE}."}, {"role": "user", "content": ""},
            {"role": "user", "content": '{"who": "Z\\u0079rqel Quxbolt"}'},
            {"role": "assistant", "content": NAME, "refusal": NAME, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": json.dumps({NAME: [CODE, True, None, -1.5]})},
            {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": f"no JSON: {NAME}"}},
            {"role": "function", "name": "f", "content": f"{NAME} again"},
        ],
    }  # fmt: skip
    provider.answer = repeating("")
    answer = client.post("/v1/chat/completions", content=json.dumps(body, ensure_ascii=True), headers=JSON)
    assert answer.status_code == 200, answer.text
    assert provider.heard(*PRIVATE, "u0079") == []
    sent = provider.bodies[0]
    arguments = json.loads(sent["messages"][5]["tool_calls"][0]["function"]["arguments"])
    assert list(arguments) != ["who", "y"] and "who" in arguments, "a parameter's name goes on"
    (inner,) = json.loads(sent["messages"][6]["content"]).values()
    assert inner[1:] == [True, None, -1.5], "what is no name or code stays under this policy"
    assert sent["messages"][3]["content"] == "" and "\0" in sent["messages"][2]["content"]
    assert answer.json()["choices"][0]["message"]["content"] == f"{NAME} again"


@pytest.mark.parametrize("model", ["../files", "a b", "x" * 200, "%2e%2e/files"])
def test_a_model_is_no_path(client: httpx.Client, provider: Provider, model: str) -> None:
    assert client.get(f"/v1/models/{model}").status_code in (400, 404) and provider.got == b""


def test_another_policy_can_be_named(client: httpx.Client, provider: Provider) -> None:
    other = client.post(
        "/v1/chat/completions", json={"model": "m", "messages": [USER]}, headers={"X-Textveil-Policy": "identifiers"}
    )
    assert other.headers["x-textveil-policy"] == "identifiers" and other.headers["x-textveil-guarantee"]
    none = client.post(
        "/v1/chat/completions", json={"model": "m", "messages": [USER]}, headers={"X-Textveil-Policy": NAME}
    )
    assert none.status_code == 400 and NAME not in none.text and len(provider.bodies) == 1
