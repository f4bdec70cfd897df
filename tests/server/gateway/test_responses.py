"""The API of responses, by the official client."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import ACCENTED, CODE, NAME, NOTE, PRIVATE
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Handler, Provider, send_json, send_pieces

openai = pytest.importorskip("openai")

LOOK_UP: Any = {
    "type": "function",
    "name": "look_up",
    "description": f"The record of {NAME}.",
    "parameters": {"type": "object", "properties": {"who": {"type": "string", "enum": [NAME, ACCENTED]}}},
    "strict": False,
}


@pytest.fixture
def gateway(client: httpx.Client) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{client.base_url}/v1", api_key="none", max_retries=0) as made:
        yield made


def said(body: dict[str, Any]) -> str:
    """The text of the last item."""
    if isinstance(body["input"], str):
        return body["input"]
    item = body["input"][-1]
    content = item.get("content", item.get("output"))
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def message(text: str, number: int = 1) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": [part]}


def call(who: str) -> dict[str, Any]:
    arguments = json.dumps({"who": who})
    head = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look_up", "status": "completed"}
    return {**head, "arguments": arguments}


def reasoning(text: str) -> dict[str, Any]:
    return {
        "type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": text}],
        "encrypted_content": "gAAAAB-sealed",
    }  # fmt: skip


def response(
    body: dict[str, Any], *output: dict[str, Any], status: str = "completed", number: int = 1
) -> dict[str, Any]:
    return {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "status": status, "model": "m", "error": None,
        "incomplete_details": None, "output": list(output), "parallel_tool_calls": True, "tool_choice": "auto",
        "tools": body.get("tools", []), "instructions": body.get("instructions"), "temperature": 1.0, "top_p": 1.0,
        "metadata": {}, "text": body.get("text", {"format": {"type": "text"}}),
    }  # fmt: skip


def speak(handler: Handler, body: dict[str, Any]) -> None:
    """Think of what was said, and say it again; in a stream, three characters an event."""
    text = f"You said: {said(body)}"
    if not body.get("stream"):
        send_json(handler, response(body, reasoning(f"Of {said(body)}"), message(text)))
        return
    events: list[dict[str, Any]] = [{"type": "response.created", "response": response(body, status="in_progress")}]
    at = {"item_id": "msg_1", "output_index": 0}
    events.append({"type": "response.output_item.added", "output_index": 0, "item": {**message(""), "content": []}})
    part = message("")["content"][0]
    events.append({"type": "response.content_part.added", **at, "content_index": 0, "part": part})
    events += [
        _delta("output_text", text[cut : cut + 3], content_index=0, logprobs=[], **at) for cut in range(0, len(text), 3)
    ]
    done = {"type": "response.output_text.done", **at, "content_index": 0, "text": text, "logprobs": []}
    events += [done, {"type": "response.content_part.done", **at, "content_index": 0, "part": {**part, "text": text}}]
    events.append({"type": "response.output_item.done", "output_index": 0, "item": message(text)})
    events.append({"type": "response.completed", "response": response(body, message(text))})
    send_numbered(handler, events)


def _delta(kind: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "delta": text, **fields}


def send_numbered(handler: Handler, events: list[dict[str, Any]]) -> None:
    """Events with the names and numbers that the API gives them."""
    data = [json.dumps({**one, "sequence_number": number}) for number, one in enumerate(events)]
    kinds = [one["type"] for one in events]
    send_pieces(handler, [f"event: {kind}\ndata: {one}\n\n".encode() for kind, one in zip(kinds, data, strict=True)])


def test_a_response(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = speak
    made = gateway.responses.create(
        model="m", input=NOTE, instructions=f"You know {NAME}.", metadata={"who": NAME}, store=False,
        include=["reasoning.encrypted_content"], reasoning={"effort": "low"}, text={"verbosity": "low"},
    )  # fmt: skip
    assert made.output_text == f"You said: {NOTE}" and made.instructions == f"You know {NAME}."
    thought: Any = made.output[0]
    assert thought.summary[0].text == f"Of {NOTE}"
    assert "metadata" not in provider.bodies[0] and provider.heard(*PRIVATE) == []


def test_a_streamed_response(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = speak
    with gateway.responses.stream(model="m", input=[{"role": "user", "content": NOTE}]) as stream:
        events = list(stream)
        final = stream.get_final_response()
    deltas = "".join(one.delta for one in events if one.type == "response.output_text.delta")
    whole = next(one.text for one in events if one.type == "response.output_text.done")
    assert deltas == whole == final.output_text == f"You said: {NOTE}"
    assert [one.sequence_number for one in events if hasattr(one, "sequence_number")] == list(range(len(events)))
    assert provider.heard(*PRIVATE) == []


def test_a_history_of_items_goes_back_as_it_was(
    gateway: openai.OpenAI, provider: Provider, ledger: MemoryLedger
) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        if body["input"][-1].get("type") == "function_call_output":
            speak(handler, body)
        else:
            name = said(body).removeprefix("Ask ").removesuffix(".")
            send_json(handler, response(body, reasoning(f"Ask {name}?"), call(name)))

    provider.answer = answer
    items: list[Any] = [{"role": "user", "content": f"Ask {ACCENTED}."}]
    first = gateway.responses.create(model="m", input=items, tools=[LOOK_UP])
    called: Any = first.output[1]
    assert json.loads(called.arguments) == {"who": ACCENTED}
    assert first.tools[0].description == LOOK_UP["description"]  # type: ignore[union-attr]
    items += [one.model_dump(exclude_none=True) for one in first.output]
    items.append({"type": "function_call_output", "call_id": called.call_id, "output": json.dumps({"code": CODE})})
    second = gateway.responses.create(model="m", input=items, tools=[LOOK_UP])
    assert json.loads(second.output_text.removeprefix("You said: ")) == {"code": CODE}
    before, after = provider.bodies[0], provider.bodies[1]
    assert after["input"][0] == before["input"][0] and after["tools"] == before["tools"]
    name = before["input"][0]["content"].removeprefix("Ask ").removesuffix(".")
    assert after["input"][1] == {**reasoning(f"Ask {name}?")}
    assert after["input"][2] == call(name), "names of tools and identifiers are the upstream's own"
    assert name in before["tools"][0]["parameters"]["properties"]["who"]["enum"]
    assert provider.heard(*PRIVATE) == [] and ledger.calls == ["reserve", "commit"] * 2


def test_a_call_is_streamed(gateway: openai.OpenAI, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        made = call(said(body).removeprefix("Ask ").removesuffix("."))
        at = {"item_id": "fc_1", "output_index": 0}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": response(body, status="in_progress")}]
        events.append({"type": "response.output_item.added", "output_index": 0, "item": {**made, "arguments": ""}})
        arguments = made["arguments"]
        pieces = [arguments[cut : cut + 4] for cut in range(0, len(arguments), 4)]
        events += [_delta("function_call_arguments", piece, **at) for piece in pieces]
        events.append(
            {"type": "response.function_call_arguments.done", **at, "arguments": arguments, "name": "look_up"}
        )
        events.append({"type": "response.output_item.done", "output_index": 0, "item": made})
        events.append({"type": "response.completed", "response": response(body, made)})
        send_numbered(handler, events)

    provider.answer = answer
    stream = gateway.responses.create(model="m", input=f"Ask {ACCENTED}.", tools=[LOOK_UP], stream=True)
    events: list[Any] = list(stream)
    deltas = "".join(one.delta for one in events if one.type == "response.function_call_arguments.delta")
    done = next(one.arguments for one in events if one.type == "response.function_call_arguments.done")
    assert json.loads(deltas) == json.loads(done) == {"who": ACCENTED}
    assert events[-1].response.output[0].arguments == done and provider.heard(*PRIVATE) == []


def test_a_history_that_the_upstream_keeps_is_gone_on_with(gateway: openai.OpenAI, provider: Provider) -> None:
    provider.answer = speak
    first = gateway.responses.create(model="m", input=f"I am {NAME}.")
    surrogate = provider.bodies[0]["input"]
    provider.answer = lambda handler, body: send_json(handler, response(body, message(surrogate, 2), number=2))
    second = gateway.responses.create(model="m", input="Who am I?", previous_response_id=first.id)
    assert second.output_text == f"I am {NAME}."
    third = gateway.responses.create(model="m", input="Again?", previous_response_id=second.id)
    assert third.output_text == f"I am {NAME}." and provider.bodies[2]["previous_response_id"] == "resp_2"
    for other in ({"X-Textveil-Unit": "another person"}, {"X-Textveil-Conversation": "another"}):
        provider.forget()
        with pytest.raises(openai.BadRequestError) as caught:
            gateway.responses.create(model="m", input="Who?", previous_response_id=first.id, extra_headers=other)
        assert caught.value.code == "previous_response_not_found" and provider.got == b""


def test_equal_texts_behind_two_answers_that_the_upstream_keeps_are_two(
    gateway: openai.OpenAI, provider: Provider
) -> None:
    provider.answer = lambda handler, body: send_json(handler, response(body, message("Yes.", 1), number=1))
    drawn: Any = {"model": "m", "input": "the doctor saw a cancer in her lung " * 40}  # equal twice below 10^-9
    drawn["extra_headers"] = {"X-Textveil-Policy": "all-words"}
    first = gateway.responses.create(**drawn)
    for _ in range(2):
        gateway.responses.create(**drawn, previous_response_id=first.id)
    begun, behind, again = [body["input"] for body in provider.bodies]
    assert begun != behind == again


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"input": [{"type": "input_image", "image_url": "x"}]}, "unsupported_content"),
        ({"input": [{"role": "user", "content": [{"type": "input_image", "image_url": NAME}]}]}, "unsupported_content"),
        ({"input": [{"role": "user", "content": [{"type": "input_file", "file_id": NAME}]}]}, "unsupported_content"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "unsupported_content"),
        ({"input": [{"role": "critic", "content": NAME}]}, "invalid_role"),
        ({"input": []}, "invalid_value"),
        ({"input": [NAME]}, "invalid_type"),
        ({"input": 3}, "invalid_type"),
        ({"input": NAME, "tools": [{"type": "web_search"}]}, "unsupported_content"),
        ({"input": NAME, "background": True}, "unsupported_content"),
        ({"input": NAME, "previous_response_id": "resp_of_others"}, "previous_response_not_found"),
        ({"input": NAME, "include": ["file_search_call.results"]}, "invalid_value"),
        (
            {"input": [{"type": "reasoning", "summary": [], "encrypted_content": "of nobody"}]},
            "unsupported_content",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_not_sent(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, fields: dict[str, Any], code: str
) -> None:
    answer = client.post("/v1/responses", json={"model": "m", **fields})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, code), answer.text
    assert NAME not in answer.text and provider.got == b"" and ledger.calls == []
