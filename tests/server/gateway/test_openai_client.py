"""The official client of the OpenAI API works unchanged, with the gateway as its base URL."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import ACCENTED, CODE, NAME, NOTE, OTHER_CODE, PRIVATE
from tests.helpers.upstream import (
    UPSTREAM_KEY,
    Handler,
    Provider,
    chunk,
    completion,
    events,
    repeating,
    saying,
    send_json,
    send_pieces,
)

openai = pytest.importorskip("openai")

WEATHER: Any = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": f"The record of a person as {NAME}.",
        "parameters": {
            "type": "object",
            "properties": {"who": {"type": "string", "description": f"as {NAME}"}, "code": {"type": "string"}},
            "required": ["who"],
            "additionalProperties": False,
        },
        "strict": True,
    },
}


@pytest.fixture
def gateway(client: httpx.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{client.base_url}/v1", api_key="none", max_retries=0) as made:
        yield made


def test_a_chat(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = repeating()
    messages: Any = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": NOTE}]
    answer = gateway.chat.completions.create(model="gpt-4o", messages=messages, temperature=0.5, user=NAME)
    assert answer.choices[0].message.content == f"You said: {NOTE}"
    assert answer.usage is not None and answer.usage.total_tokens == 2
    assert provider.bodies[0]["temperature"] == 0.5 and "user" not in provider.bodies[0]
    assert provider.heard(*PRIVATE) == []


def test_a_streamed_chat(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = saying(lambda body: f"Of {body['messages'][0]['content']} I know.", 3)
    messages: Any = [{"role": "user", "content": NOTE}]
    stream = gateway.chat.completions.create(model="m", messages=messages, stream=True)
    chunks = list(stream)
    assert "".join(one.choices[0].delta.content or "" for one in chunks) == f"Of {NOTE} I know."
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert provider.heard(*PRIVATE) == []


def _calling(handler: Handler, body: dict[str, Any]) -> None:
    """Call the tool with the person and the number that the last message of the user names; then say what came."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        record = json.loads(last["content"])
        send_json(handler, completion({"content": f"{record['who']} lives {record['city']}, {record['code']}."}))
        return
    who, _, code = last["content"].removeprefix("Call ").partition(" by ")
    arguments = json.dumps({"who": who, "code": code.rstrip("."), "n": [1, True, None]})
    call = {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": arguments}}
    if not body.get("stream"):
        send_json(handler, completion({"content": None, "tool_calls": [call]}, "tool_calls"))
        return
    pieces = [chunk({"role": "assistant", "content": None})]
    first = {**call, "index": 0, "function": {"name": "look_up", "arguments": ""}}
    pieces.append(chunk({"tool_calls": [first]}))
    for at in range(0, len(arguments), 3):
        piece = {"index": 0, "function": {"arguments": arguments[at : at + 3]}}
        pieces.append(chunk({"tool_calls": [piece]}))
    send_pieces(handler, [events(*pieces, chunk({}, "tool_calls"), b"[DONE]")])


ASKED = f"Call {ACCENTED} by {CODE}."


def test_a_tool_is_called_with_originals_and_answers_sanitized(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = _calling
    messages: list[Any] = [{"role": "user", "content": ASKED}]
    answer = gateway.chat.completions.create(model="m", messages=messages, tools=[WEATHER])
    (call,) = answer.choices[0].message.tool_calls or []
    assert isinstance(call.function.arguments, str)  # type: ignore[union-attr]
    arguments = json.loads(call.function.arguments)  # type: ignore[union-attr]
    assert arguments == {"who": ACCENTED, "code": CODE, "n": [1, True, None]}
    written = provider.bodies[0]["messages"][0]["content"]
    messages.append(answer.choices[0].message.model_dump(exclude_none=True))
    record = json.dumps({"who": ACCENTED, "city": "here", "code": OTHER_CODE})
    messages.append({"role": "tool", "tool_call_id": call.id, "content": record})
    last = gateway.chat.completions.create(model="m", messages=messages, tools=[WEATHER])
    assert last.choices[0].message.content == f"{ACCENTED} lives here, {OTHER_CODE}."
    again, called, output = provider.bodies[1]["messages"]
    assert again["content"] == written, "what was released goes on byte for byte"
    assert called["tool_calls"][0]["id"] == "call_1" == output["tool_call_id"]
    sent = json.loads(called["tool_calls"][0]["function"]["arguments"])
    assert f"Call {sent['who']} by {sent['code']}." == written, "the call goes back as the upstream wrote it"
    assert json.loads(output["content"])["who"] == sent["who"]
    assert provider.heard(*PRIVATE) == []


def test_a_call_is_streamed_with_originals(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = _calling
    messages: Any = [{"role": "user", "content": ASKED}]
    stream = gateway.chat.completions.create(model="m", messages=messages, tools=[WEATHER], stream=True)
    arguments, names = "", []
    for one in stream:
        for call in one.choices[0].delta.tool_calls or []:
            assert call.function is not None
            arguments += call.function.arguments or ""
            names += [call.function.name] if call.function.name else []
    assert names == ["look_up"]
    assert json.loads(arguments) == {"who": ACCENTED, "code": CODE, "n": [1, True, None]}
    assert provider.heard(*PRIVATE) == []


def test_structured_answers_are_parsed(gateway: openai.OpenAI, provider: Provider) -> None:
    from pydantic import BaseModel

    class Person(BaseModel):
        who: str
        code: str

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        assert body["response_format"]["json_schema"]["schema"]["properties"].keys() == {"who", "code"}
        said = body["messages"][0]["content"].removesuffix(".").split(" has ")
        send_json(handler, completion({"content": json.dumps(dict(zip(("who", "code"), said, strict=True)))}))

    provider.answer = answer
    messages: Any = [{"role": "user", "content": f"{NAME} has {CODE}."}]
    parsed = gateway.chat.completions.parse(model="m", messages=messages, response_format=Person)
    assert parsed.choices[0].message.parsed == Person(who=NAME, code=CODE)
    assert provider.heard(*PRIVATE) == []


def test_a_completion(gateway: openai.OpenAI, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        choice = {"index": 0, "text": f"{body['prompt']} Indeed.", "finish_reason": "stop", "logprobs": None}
        send_json(handler, {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]})

    provider.answer = answer
    made = gateway.completions.create(model="m", prompt=NOTE, echo=True, stop=["\n\n"])
    assert made.choices[0].text == f"{NOTE} Indeed."
    assert provider.bodies[0]["stop"] == ["\n\n"] and provider.heard(*PRIVATE) == []


def test_a_streamed_completion(gateway: openai.OpenAI, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        text = body["prompt"][0]
        choices = [{"index": 0, "text": one, "finish_reason": None, "logprobs": None} for one in text]
        choices[-1]["finish_reason"] = "stop"
        head = {"id": "c", "object": "text_completion", "created": 1, "model": "m"}
        send_pieces(handler, [events(*({**head, "choices": [one]} for one in choices), b"[DONE]")])

    provider.answer = answer
    stream = gateway.completions.create(model="m", prompt=[NOTE], stream=True)
    assert "".join(one.choices[0].text for one in stream) == NOTE
    assert provider.heard(*PRIVATE) == []


def test_vectors(gateway: openai.OpenAI, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        vectors = [{"object": "embedding", "index": at, "embedding": [0.5]} for at, _ in enumerate(body["input"])]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        send_json(handler, {"object": "list", "data": vectors, "model": "m", "usage": usage})

    provider.answer = answer
    made = gateway.embeddings.create(model="m", input=[NOTE, "Hello."], encoding_format="float")
    assert [one.embedding for one in made.data] == [[0.5], [0.5]]
    assert provider.bodies[0]["input"][1] == "Hello." and provider.heard(*PRIVATE) == []


def test_models(gateway: openai.OpenAI, provider: Provider) -> None:
    model = {"id": "org/m:1", "object": "model", "created": 1, "owned_by": "o"}
    provider.answer = lambda handler, body: send_json(
        handler, {"object": "list", "data": [model]} if handler.path.endswith("models") else model
    )
    assert [one.id for one in gateway.models.list()] == ["org/m:1"]
    assert gateway.models.retrieve("org/m:1").id == "org/m:1"
    assert provider.paths == ["/v1/models", "/v1/models/org/m:1"]


@pytest.mark.parametrize(
    ("status", "kind", "code"),
    [
        (400, openai.BadRequestError, "context_length_exceeded"),
        (404, openai.NotFoundError, "model_not_found"),
        (422, openai.UnprocessableEntityError, None),
        (429, openai.RateLimitError, "rate_limit_exceeded"),
        (500, openai.InternalServerError, "server_error"),
        (503, openai.InternalServerError, "server_error"),
    ],
)
def test_errors_of_the_upstream(
    gateway: openai.OpenAI, provider: Provider, status: int, kind: type[openai.APIStatusError], code: str | None
) -> None:
    error = {"message": "that cannot be done", "type": "some_error", "param": "messages", "code": code}
    provider.answer = lambda handler, body: send_json(
        handler, {"error": error}, status, retry_after="7", set_cookie="a=b", x_request_id="r-1"
    )
    messages: Any = [{"role": "user", "content": NOTE}]
    with pytest.raises(kind) as caught:
        gateway.chat.completions.create(model="m", messages=messages)
    assert caught.value.code == (code or "upstream_error") and "that cannot be done" in caught.value.message
    headers = caught.value.response.headers
    assert headers["retry-after"] == "7" and headers["x-upstream-request-id"] == "r-1" and "set-cookie" not in headers


def test_an_error_that_quotes_the_request_has_originals_again(
    client: httpx.Client, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(handler: Any, body: Any) -> None:
        sent = body["messages"][0]["content"]
        assert "Maria" not in sent
        send_json(handler, {"error": {"message": f"invalid: {sent}", "type": "some_error"}}, 400)

    provider.answer = answer
    asked = {"model": "m", "messages": [{"role": "user", "content": "Maria Gonzalez called."}]}
    answer_of_gateway = client.post("/v1/chat/completions", json=asked)
    assert answer_of_gateway.status_code == 400
    assert answer_of_gateway.json()["error"]["message"] == "invalid: Maria Gonzalez called."
    assert not [each for each in caplog.records if "Gonzalez" in str(vars(each))]


def test_what_an_upstream_writes_in_an_error_is_in_no_counter_and_no_log(
    client: httpx.Client, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    error = {"message": "no", "type": "some_error", "code": "Zyrqel_wrote_this"}
    provider.answer = lambda handler, body: send_json(handler, {"error": error}, 400)
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hello."}]}
    assert client.post("/v1/chat/completions", json=asked).json()["error"]["code"] == "Zyrqel_wrote_this"
    counted = client.get("/metrics").text
    assert 'textveil_refused_total{code="upstream_error"}' in counted and "Zyrqel" not in counted
    assert [one for one in caplog.records if "Zyrqel" in str(vars(one))] == []


def test_an_error_within_a_stream(gateway: openai.OpenAI, provider: Provider) -> None:
    pieces = [chunk({"content": "Well"}), {"error": {"message": UPSTREAM_KEY, "type": "x"}}]
    provider.answer = lambda handler, body: send_pieces(handler, [events(*pieces)])
    messages: Any = [{"role": "user", "content": NOTE}]
    with pytest.raises(openai.APIError) as caught:
        list(gateway.chat.completions.create(model="m", messages=messages, stream=True))
    assert "sk-" not in str(caught.value) and "stopped with an error" in caught.value.message


async def _asynchronous(base_url: str) -> str:
    async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as made:
        messages: Any = [{"role": "user", "content": NOTE}]
        async with made.chat.completions.stream(model="m", messages=messages) as stream:
            return (await stream.get_final_completion()).choices[0].message.content or ""


def test_the_asynchronous_client_and_its_helper_for_streams(client: httpx.Client, provider: Provider) -> None:
    import asyncio

    provider.answer = repeating()
    assert asyncio.run(_asynchronous(f"{client.base_url}/v1")) == f"You said: {NOTE}"
    assert provider.heard(*PRIVATE) == []
