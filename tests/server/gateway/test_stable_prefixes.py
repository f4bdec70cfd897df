"""What was sent before is sent again byte for byte, so that caches of prefixes hit: an agent's turns in both APIs.

Compared are the bytes of each request from its first to the end of its messages with those of the next request.
"""

import contextlib
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import CODE, NAME, NAMES, OTHER_CODE, PRIVATE
from tests.helpers.servers import serving
from tests.helpers.upstream import (
    Handler,
    Provider,
    answering,
    chunk,
    completion,
    events,
    send_json,
    send_pieces,
)

from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.conversations import ConversationState
from textveil.server.gateway.bodies import RequestMemory
from textveil.server.kept_data import Written
from textveil.server.keys import ApiKeys

SCHEMA = {
    "type": "object",
    "properties": {"who": {"type": "string", "description": f"as {NAME}", "enum": [NAME, NAMES[1]]}, "n": {}},
}
SYSTEM = f"You serve {NAMES[2]}, number {CODE}. Be kind."
MARK = {"cache_control": {"type": "ephemeral"}}

Message = dict[str, Any]
Turn = Callable[[httpx.Client, list[Message], bool], None]


def restarted(told: Config) -> contextlib.AbstractContextManager[httpx.Client]:
    """A client of a server that knows what its database holds, and nothing else."""
    return serving(make_app(told), told)


def words(message: Message) -> str:
    """All that a message says."""
    return json.dumps(message["content"])


def arguments(body: dict[str, Any]) -> dict[str, Any]:
    """Of a call: the surrogate that the last message names, at a place of its own in each turn."""
    said = words(body["messages"][-1])
    return {"who": said.partition("ask ")[2].partition(" by")[0], "n": [len(body["messages"]), 1.0, -0.5, "é\n"]}


def answer_message(handler: Handler, body: dict[str, Any]) -> None:
    """Think, speak and call a tool; speak alone where it has answered."""
    number = len(body["messages"])
    if "tool_result" in words(body["messages"][-1]):
        answering(lambda body: [{"type": "text", "text": f"{number}: {words(body['messages'][-1])[:90]}"}])(
            handler, body
        )
        return
    made = arguments(body)
    blocks = [
        {"type": "thinking", "thinking": f"Of {made['who']}?", "signature": f"seal-{number}=="},
        {"type": "redacted_thinking", "data": f"hidden-{number}=="},
        {"type": "text", "text": f" I ask for {made['who']}.\n"},
        {"type": "tool_use", "id": f"toolu_{number}", "name": "look_up", "input": made},
        {"type": "tool_use", "id": f"toolu_{number}_b", "name": "look_up", "input": {}},
    ]
    answering(lambda body: blocks, cut=4)(handler, body)


def answer_chat(handler: Handler, body: dict[str, Any]) -> None:
    """The same in the OpenAI API."""
    number, last = len(body["messages"]), body["messages"][-1]
    made: Message = {"content": f"{number}: {words(last)[:90]}"}
    if last["role"] != "tool":
        function = {"name": "look_up", "arguments": json.dumps(arguments(body), indent=1)}
        made["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    if body.get("stream"):
        send_pieces(handler, [events(chunk(made), chunk({}, "stop"), b"[DONE]")])
    else:
        send_json(handler, completion(made))


def message_turn(client: httpx.Client, history: list[Message], stream: bool, **fields: Any) -> None:
    """One request of Anthropic's API; its answer is added to the history."""
    tool = {"name": "look_up", "description": f"The record of {NAME}.", "input_schema": SCHEMA, **MARK}
    body = {"model": "m", "max_tokens": 9, "tools": [tool], "messages": history, "stream": stream, **fields}
    system = [{"type": "text", "text": SYSTEM, **MARK}, {"type": "text", "text": f"Of {NAMES[3]}."}]
    answer = client.post("/v1/messages", json={"system": system, **body})
    assert answer.status_code == 200 and "x-textveil-left-out" not in answer.headers, answer.text
    blocks = streamed_blocks(answer.text) if stream else answer.json()["content"]
    history.append({"role": "assistant", "content": blocks})
    calls = [one["id"] for one in blocks if one["type"] == "tool_use"]
    if calls:
        record = json.dumps({"who": NAMES[len(history) % 5], "code": OTHER_CODE, "n": [1, True]})
        results = [{"type": "tool_result", "tool_use_id": one, "content": record} for one in calls]
        history.append({"role": "user", "content": [*results, {"type": "text", "text": f"Of {NAME}: go on."}]})
        message_turn(client, history, stream, **fields)


def streamed_blocks(text: str) -> list[Message]:
    """The blocks of a streamed message, as a client puts them together."""
    blocks: list[Message] = []
    for line in text.splitlines():
        data = json.loads(line[6:]) if line.startswith("data: ") else {}
        if data.get("type") == "content_block_start":
            blocks.append({**data["content_block"], "json": ""})
        for field, value in data.get("delta", {}).items() if data.get("type") == "content_block_delta" else ():
            if field != "type":
                name = "json" if field == "partial_json" else field
                blocks[data["index"]][name] += value
    for block in blocks:
        said = block.pop("json")
        if block["type"] == "tool_use":
            block["input"] = json.loads(said or "{}")
    return blocks


def chat_turn(client: httpx.Client, history: list[Message], stream: bool) -> None:
    """One request of the OpenAI API; its answer is added to the history."""
    function = {"name": "look_up", "description": f"The record of {NAME}.", "parameters": SCHEMA}
    body = {"model": "m", "tools": [{"type": "function", "function": function}], "stream": stream}
    system = {"role": "system", "content": SYSTEM}
    answer = client.post("/v1/chat/completions", json={**body, "messages": [system, *history]})
    assert answer.status_code == 200, answer.text
    if stream:
        lines = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        deltas = [one["choices"][0]["delta"] for one in lines]
        made: Message = {"role": "assistant", "content": "".join(one.get("content") or "" for one in deltas)}
        pieces = [call for one in deltas for call in one.get("tool_calls", ())]
        if pieces:
            said = "".join(one["function"].get("arguments", "") for one in pieces)
            call = {"id": pieces[0]["id"], "type": "function", "function": {"name": "look_up", "arguments": said}}
            made["tool_calls"] = [call]
    else:
        made = answer.json()["choices"][0]["message"]
    history.append(made)
    for call in made.get("tool_calls", ()):
        record = json.dumps({"who": NAMES[len(history) % 5], "code": OTHER_CODE, "n": [1, True]})
        history.append({"role": "tool", "tool_call_id": call["id"], "content": record})
    if made.get("tool_calls"):
        chat_turn(client, history, stream)


def prefixes(provider: Provider) -> Iterator[tuple[bytes, bytes]]:
    """Of each request the bytes to the end of its messages, with the next request."""
    for (body, raw), (_, later) in pairwise(zip(provider.bodies, provider.raw, strict=True)):
        messages = json.dumps(body["messages"], ensure_ascii=False, separators=(",", ":")).encode()[:-1]
        yield raw[: raw.index(messages) + len(messages)], later


@pytest.mark.parametrize("kept", [False, True], ids=["one process", "restarted"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", ["messages", "chat"])
def test_each_turn_begins_with_the_bytes_of_the_last(
    told: Config, provider: Provider, api: str, stream: bool, kept: bool
) -> None:
    turn: Turn = message_turn if api == "messages" else chat_turn
    provider.answer = answer_message if api == "messages" else answer_chat
    history: list[Message] = []
    with contextlib.ExitStack() as held:
        client = held.enter_context(restarted(told))
        for number in range(3):
            history.append({"role": "user", "content": f"{number}: ask {NAMES[number]} by ZQ-48151623420{number}."})
            turn(client, history, stream)
            if kept:
                held.close()
                client = held.enter_context(restarted(told))
    assert len(provider.raw) == 6
    for earlier, later in prefixes(provider):
        assert later.startswith(earlier)
    assert provider.heard(*PRIVATE, "4815162342") == []
    assert api == "chat" or b'"signature":"seal-1=="' in provider.raw[-1]


def test_marks_of_caches_that_move_change_no_text(told: Config, provider: Provider) -> None:
    """A client marks its last message in each turn, and writes it as a block there; the conversation stays the same."""
    provider.answer = answering(lambda body: [{"type": "text", "text": "Yes."}])
    history: list[Message] = []
    with restarted(told) as client:
        for number in range(3):
            text = f"{number}: ask {NAMES[number]} by ZQ-48151623420{number}."
            marked = {"role": "user", "content": [{"type": "text", "text": text, **MARK}]}
            asked = [*history, marked]
            message_turn(client, asked, False)
            history += [{"role": "user", "content": text}, asked[-1]]
    sent = [[words_of(one) for one in body["messages"]] for body in provider.bodies]
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier
    assert all(body["system"] == provider.bodies[0]["system"] for body in provider.bodies)
    assert provider.bodies[-1]["messages"][-1]["content"][0]["cache_control"] == {"type": "ephemeral"}


def words_of(message: Message) -> str:
    """The text of a message, in a block or not."""
    content = message["content"]
    return content if isinstance(content, str) else "".join(one["text"] for one in content)


def test_a_key_that_is_rotated_goes_on_and_another_tenant_begins_anew(told: Config, provider: Provider) -> None:
    provider.answer = answer_message
    keys = ApiKeys(str(told.database))
    facts, key = keys.create("ward", "p1")
    _, other = keys.create("office", "p1")
    history: list[Message] = [{"role": "user", "content": f"0: ask {NAME} by {CODE}."}]
    with restarted(told) as client:
        client.headers["x-api-key"] = key
        message_turn(client, history, False)
        first = len(provider.raw)
        client.headers["x-api-key"] = keys.rotate(facts.identity)
        history.append({"role": "user", "content": f"1: ask {NAMES[1]} by {OTHER_CODE}."})
        message_turn(client, list(history), True)
        for earlier, later in prefixes(provider):
            assert later.startswith(earlier)
        client.headers["x-api-key"] = other
        asked: dict[str, Any] = {"model": "m", "system": SYSTEM, "messages": history}
        told_tool = {"name": "look_up", "input_schema": {"type": "object"}}
        answer = client.post("/v1/messages", json={**asked, "tools": [told_tool]})
        assert answer.status_code == 200, answer.text
        left_out = answer.headers["x-textveil-left-out"]
        assert left_out == "messages.content.thinking, messages.content.redacted_thinking"
        client.headers["x-api-key"] = "tv_unknown_key"
        refused = client.post("/v1/messages", json=asked)
    keys.close()
    assert (refused.status_code, refused.json()["error"]["type"]) == (401, "authentication_error")
    ours, theirs = provider.bodies[first], provider.bodies[-1]
    assert words(ours["messages"][0]) != words(theirs["messages"][0]), "the codes differ but with chance below 10^-10"
    assert provider.heard(*PRIVATE) == []


def test_each_goes_back_as_it_was_written() -> None:
    state = ConversationState()
    for text in ("Yes, Anna.", "Yes, Berta.", "Yes, Anna."):  # an answer that came again is the same one
        state.wrote("content", "Yes, Carla.", Written(text, ()))
    for _ in range(2):
        memory = RequestMemory(state)
        sent = [memory.answer("content", "Yes, Carla. ") for _ in range(3)]
        assert sent == ["Yes, Anna.", "Yes, Berta.", "Yes, Berta."]
        assert memory.answer("refusal", "Yes, Carla.") is None
    twice = ConversationState()
    for text in ("Yes, Anna.", "Yes, Berta."):
        twice.wrote("content", "Yes, Carla.", Written(text, ()))
    assert state.size == twice.size


def test_each_goes_back_where_it_was_written() -> None:
    """Another version would tell that what was written otherwise reads the same: that a guess was right."""
    state, written = ConversationState(), ["Ask Berta.", "Ask Anna.", "Ask Berta.", "Ask Anna.", "Ask Berta."]
    for number, text in enumerate(written):
        memory = RequestMemory(state)
        memory.behind = str(number)
        memory.wrote("content", "Ask Anna.", text)
    for places in (range(5), (1, 2, 4), (4,), (3, 4)):
        memory = RequestMemory(state)
        assert [memory.answer("content", "Ask Anna.", str(at)) for at in places] == [written[at] for at in places]


def test_calls_go_back_by_their_handles() -> None:
    state = ConversationState()
    memory = RequestMemory(state)
    written = {"call_1": '{"a":"Berta"}', "call_2": '{"a":"Anna"}', "call_3": '{"a":"Berta"}'}
    for handle, text in written.items():
        memory.wrote("arguments", '{"a":"Anna"}', text, handle)
    for handles in (("call_1", "call_2", "call_3"), ("call_3", "call_2")):
        memory = RequestMemory(state)
        back = [memory.answer("arguments", '{"a": "Anna"}', "", handle) for handle in handles]
        assert back == [written[handle] for handle in handles]
    assert (call := memory.called("call_2")) is not None and call.words == "a\nAnna"
    memory.wrote("arguments", '{"a":"Anna"}', '{"a":"Carla"}', "call_2")
    assert memory.called("call_2") is None, "it says two things"
