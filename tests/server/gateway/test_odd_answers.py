"""Valid answers that clients read and a strict reader would not: handed on, with a true error where they cannot be."""

import copy
import json
import random
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.canaries import NAME
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import (
    Answering,
    Handler,
    Provider,
    chunk,
    completion,
    events,
    last_text,
    message,
    message_events,
    say,
    send,
    send_pieces,
)

import textveil.server.gateway as routes
from textveil.server.errors import ApiError
from textveil.server.gateway import answers
from textveil.server.gateway.answers import EVENT_CHARACTERS, Event, EventReader

CHATS, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
ASKED = {"model": "m", "messages": [{"role": "user", "content": NAME}]}
RESPONSE = {"model": "m", "input": NAME}
JSON = {"content_type": "application/json"}


def _writes(make: Callable[[str], str | bytes]) -> Answering:
    """Answer with JSON that is written by hand of the text that came."""

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        text = body["input"] if "input" in body else last_text(body)
        written = make(text)
        send(handler, written.encode() if isinstance(written, str) else written, **JSON)

    return answer


def _chat(more: str, content: str = "{}") -> Callable[[str], str]:
    """A chat completion that repeats the text, with other JSON beside it."""

    def make(text: str) -> str:
        said = json.dumps(content.format(text))
        return f'{{"choices": [{{"index": 0, "message": {{"role": "assistant", "content": {said}}}}}], {more}}}'

    return make


ODD = {
    "lone surrogate": _chat('"id": "\\ud800"', "{} \ud83d"),
    "NaN": _chat('"usage": {"a": NaN, "b": -Infinity, "c": [NaN]}'),
    "1e999": _chat('"usage": {"a": 1e999, "b": -1e999}'),
    "long number": _chat(f'"usage": {{"a": {"7" * 6000}}}'),
    "nested": _chat('"x": ' + "[" * 150 + "]" * 150),
    "duplicate keys": _chat('"id": "a", "id": "b"'),
    "types that are no strings": _chat('"id": [], "object": {}, "created": "x", "usage": []'),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_handed_on_with_originals(client: httpx.Client, provider: Provider, name: str) -> None:
    provider.answer = _writes(ODD[name])
    answer = client.post(CHATS, json=ASKED)
    assert answer.status_code == 200, answer.text
    said = json.loads(answer.content)
    assert said["choices"][0]["message"]["content"].startswith(NAME)
    json.dumps(said, allow_nan=False)
    if name == "lone surrogate":
        assert said["choices"][0]["message"]["content"] == f"{NAME} \ud83d" and said["id"] == "\ud800"
    if name in ("NaN", "1e999", "long number"):
        assert said["usage"]["a"] is None


def _told_as_sent(answer: httpx.Response, ledger: MemoryLedger) -> None:
    said = answer.json()["error"]["message"]
    assert "was sent on and is paid" in said and "nothing was sent" not in answer.text
    assert ledger.calls == ["reserve", "commit"], "the charge stays"


@pytest.mark.parametrize("depth", [300, 900, 5000, 100_000])
@pytest.mark.parametrize("path", [CHATS, MESSAGES, RESPONSES])
def test_an_answer_that_is_nested_too_deep_is_told_as_sent_and_paid(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, depth: int, path: str
) -> None:
    provider.answer = _writes(lambda text: '{"x": ' + "[" * depth + "]" * depth + "}")
    text = f"{NAME} and {depth} of {path}"  # no conversation of another test: that would cost nothing
    asked = {"input": text} if path == RESPONSES else {"messages": [{"role": "user", "content": text}], "max_tokens": 9}
    answer = client.post(path, json={"model": "m", **asked})
    assert answer.status_code == 502
    _told_as_sent(answer, ledger)


@pytest.mark.parametrize("stream", [False, True])
def test_a_fault_of_the_server_after_sending_is_told_as_such(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    def fails(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError(NAME)

    monkeypatch.setattr(routes, "restore_chat", fails)
    monkeypatch.setattr(routes.ChatEvents, "event", fails)
    user = {
        "role": "user",
        "content": f"{NAME} and a fault, {stream}",
    }  # no conversation of the other case: it would cost nothing
    answer = client.post(CHATS, json={"model": "m", "messages": [user], "stream": stream})
    if not stream:
        assert (answer.status_code, answer.json()["error"]["code"]) == (500, "answer_failed")
        _told_as_sent(answer, ledger)
    else:
        assert "answer_failed" in answer.text and "was sent on and is paid" in answer.text
    assert NAME not in answer.text


def test_a_message_of_an_upstreams_error_that_is_no_text_is_not_repeated(
    client: httpx.Client, provider: Provider
) -> None:
    provider.answer = lambda handler, body: send(handler, b'{"error": {"message": "\\ud800"}}', 400, **JSON)
    answer = client.post(CHATS, json=ASKED)
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "upstream_error"


def _streamed(make: Callable[[str], list[bytes]]) -> Answering:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        send_pieces(handler, make(body["input"] if "input" in body else last_text(body)))

    return answer


def _odd_chat(text: str) -> list[bytes]:
    odd: list[Any] = [
        {"choices": [{"index": {"a": 1}, "delta": {"content": "odd 1"}}]},
        {"choices": [{"index": 0, "delta": {"content": ["odd 2"], "audio": {"x": [text]}}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": [], "function": {"arguments": "odd 3"}}]}}]},
        {"choices": [{"index": 0, "delta": "odd 4"}], "x": float("nan"), "y": float("inf")},
        {"choices": "odd 5"},
    ]
    return [events(each) for each in (*odd, chunk({"content": f"\ud83d {text}"}), chunk({}, "stop"))] + [
        events(b"[DONE]")
    ]


def _odd_messages(text: str) -> list[bytes]:
    odd = [
        {"type": "content_block_start", "index": 7, "content_block": {"type": ["odd 1"]}},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "unknown_delta", "x": "odd 2", "y": 1e999}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "odd 3"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "odd 4"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": {"odd": "odd 5"}}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "odd 6"}},
        {"type": ["odd 7"], "index": []},
    ]
    told = message_events({"type": "text", "text": f"\ud83d {text}"})
    return [*told[:3], *(events(each) for each in odd), *told[3:]]


def _odd_response(text: str) -> list[bytes]:
    odd = [
        {"type": "response.output_text.delta", "item_id": [], "delta": "odd 1"},
        {"type": "response.output_text.delta", "item_id": "a", "content_index": 0, "delta": {"odd": "odd 2"}},
        {"type": "response.unknown.delta", "delta": "odd 3", "x": float("nan")},
        {"type": ["odd 4"]},
    ]
    place = {"item_id": "a", "content_index": 0}
    told = [
        {"type": "response.output_text.delta", **place, "delta": f"\ud83d {text}"},
        {"type": "response.output_text.done", **place, "text": f"\ud83d {text}"},
        {"type": "response.completed", "response": {"id": "r", "output": []}},
    ]
    return [events(each) for each in (*odd, *told)]


@pytest.mark.parametrize(
    ("path", "make", "odd"),
    [(CHATS, _odd_chat, 5), (MESSAGES, _odd_messages, 7), (RESPONSES, _odd_response, 4)],
    ids=["chat", "messages", "responses"],
)
def test_unknown_events_of_a_stream_go_on_as_they_are(
    client: httpx.Client, provider: Provider, path: str, make: Callable[[str], list[bytes]], odd: int
) -> None:
    provider.answer = _streamed(make)
    asked = RESPONSE if path == RESPONSES else {**ASKED, "max_tokens": 9}
    text = client.post(path, json={**asked, "stream": True}).text
    said = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    assert not any(event.get("error") for event in said), text
    for number in range(1, odd + 1):
        assert f"odd {number}" in text
    assert NAME in "".join(_texts(said))


def _texts(said: list[dict[str, Any]]) -> list[str]:
    """The pieces of text, in order."""
    deltas = [event.get("delta") for event in said]
    deltas += [choice.get("delta") for event in said for choice in event.get("choices", []) if isinstance(choice, dict)]
    texts = [delta.get("content", delta.get("text")) if isinstance(delta, dict) else delta for delta in deltas]
    return [text for text in texts if isinstance(text, str)]


VALUES: list[Any] = [None, [], {}, 0, "x", "\ud800", True, [[]], {"type": "text"}, -1.5, ["x", {"index": []}]]


def _mutated(data: Any, rng: random.Random) -> Any:
    """JSON data in which one part is another value."""
    data = copy.deepcopy(data)
    where, at = [], data
    while isinstance(at, dict | list) and at and (not where or rng.random() < 0.8):
        where.append((at, rng.choice(list(at)) if isinstance(at, dict) else rng.randrange(len(at))))
        at = where[-1][0][where[-1][1]]
    container, place = where[-1]
    container[place] = rng.choice(VALUES)
    return data


CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": "x"}'}}
WHOLE = {
    CHATS: completion({"content": "a", "tool_calls": [CALL], "function_call": CALL["function"]}),
    MESSAGES: message(
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": [1]}},
        {"type": "thinking", "thinking": "a", "signature": "b"},
    ),
    RESPONSES: {
        "id": "resp_1",
        "output": [
            {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "a"}]},
            {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "a"}]},
        ],
    },
}


@pytest.mark.parametrize("path", WHOLE)
def test_no_change_of_an_answer_makes_the_server_fail(client: httpx.Client, provider: Provider, path: str) -> None:
    rng = random.Random(7)
    asked = RESPONSE if path == RESPONSES else {**ASKED, "max_tokens": 9}
    for answer in dict.fromkeys(json.dumps(_mutated(WHOLE[path], rng)) for _ in range(300)):
        provider.answer = _writes(lambda text, answer=answer: answer)
        assert client.post(path, json=asked).status_code == 200, answer


def _changed_events(told: list[bytes], rng: random.Random) -> list[bytes]:
    at = rng.randrange(len(told))
    head, _, data = told[at].partition(b"data: ")
    if data.startswith(b"{"):
        told = [*told[:at], head + events(_mutated(json.loads(data), rng)), *told[at + 1 :]]
    return told


@pytest.mark.parametrize("path", [CHATS, MESSAGES])
def test_no_change_of_a_streams_event_makes_the_server_fail(
    client: httpx.Client, provider: Provider, path: str
) -> None:
    rng = random.Random(8)
    if path == CHATS:
        pieces = [{"content": "a"}, {"tool_calls": [{"index": 0, **CALL}]}, {"function_call": CALL["function"]}]
        whole = [events(chunk(piece)) for piece in pieces] + [events(chunk({}, "stop")), events(b"[DONE]")]
    else:
        whole = message_events(*WHOLE[MESSAGES]["content"])
    for told in dict.fromkeys(tuple(_changed_events(whole, rng)) for _ in range(200)):
        provider.answer = lambda handler, body, told=told: send_pieces(handler, list(told))
        answer = client.post(path, json={**ASKED, "max_tokens": 9, "stream": True})
        assert answer.status_code == 200 and "answer_failed" not in answer.text, told


CALLED = {
    CHATS: [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**CALL, "function": {**CALL["function"], "name": "old"}}],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "7"},
        {"role": "assistant", "content": None, "function_call": {"name": f"old {NAME}", "arguments": "{}"}},
        {"role": "function", "name": f"old {NAME}", "content": "7"},
    ],
    MESSAGES: [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "old", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "7"}]},
    ],
}


@pytest.mark.parametrize("tools", [False, True])
@pytest.mark.parametrize("path", CALLED)
def test_a_history_may_name_functions_that_are_no_longer_declared(
    client: httpx.Client, provider: Provider, path: str, tools: bool
) -> None:
    function = {"name": "new", "description": "x"}
    declared = [{**function, "input_schema": {}} if path == MESSAGES else {"type": "function", "function": function}]
    provider.answer = say("Yes.") if path == CHATS else provider.answer
    if path == MESSAGES:
        provider.answer = _writes(lambda text: json.dumps(message({"type": "text", "text": "Yes."})))
    more = {"tools": declared} if tools else {}
    history = [*ASKED["messages"], *CALLED[path], {"role": "user", "content": "Go on."}]
    answer = client.post(path, json={**ASKED, "messages": history, "max_tokens": 9, **more})
    assert answer.status_code == 200, answer.text
    sent = json.dumps(provider.bodies[0]["messages"])
    assert '"old' not in sent and not provider.heard(NAME)
    if path == CHATS:
        called, named = provider.bodies[0]["messages"][3:5]
        assert called["function_call"]["name"] == named["name"], "one name in all of the conversation"


@pytest.mark.parametrize("unit", ["maria", "Zo\u00eb \u738b"])
def test_a_person_of_a_header_and_of_json_has_one_account(
    client: httpx.Client, ledger: MemoryLedger, unit: str
) -> None:
    ledger._spent.clear()
    assert client.post("/v1/sanitize", json={"text": NAME, "unit": unit}).status_code == 200
    headers = {"X-Textveil-Unit": unit.encode()}
    assert client.post(CHATS, json=ASKED, headers=headers).status_code == 200
    assert {account.unit for account in ledger._spent} == {unit}


@pytest.mark.parametrize("unit", [b"", b"a" * 257, b"\xff\xfe"])
def test_a_persons_name_in_a_header_has_the_bounds_of_one_in_json(
    client: httpx.Client, provider: Provider, unit: bytes
) -> None:
    answer = client.post(CHATS, json=ASKED, headers={"X-Textveil-Unit": unit})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_header")
    assert provider.got == b""


STREAM = (
    ": a comment\n\ndata: one\n\nevent: e\r\ndata:two\r\ndata:  lines\r\nid: 7\r\nretry: 3\r\n\r\n"
    "data: ü😀\rdata\r\rdata: last\n\nevent: without data\n\n"
)
EVENTS = [Event("one"), Event("two\n lines", "e"), Event("ü😀\n"), Event("last")]


@given(st.lists(st.integers(0, 200), max_size=12))
def test_events_are_read_however_they_are_cut(cuts: list[int]) -> None:
    data = STREAM.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    reader = EventReader()
    found = [one for start, end in pairwise(places) for one in reader.feed(data[start:end])]
    reader.close()
    assert [one for one in found if one.data != "\n" or one.name] == EVENTS


def test_what_is_written_is_read_again() -> None:
    reader = EventReader()
    assert [one for event in EVENTS for one in reader.feed(event.as_bytes())] == EVENTS


@pytest.mark.parametrize("data", [b"data: x", b"data: x\n", b"da"])
def test_half_an_event_is_told(data: bytes) -> None:
    reader = EventReader()
    assert reader.feed(data) == []
    with pytest.raises(ApiError, match="within an event"):
        reader.close()


def test_events_that_end_by_carriage_returns_or_begin_with_a_byte_order_mark_are_read() -> None:
    for data in (b"data: one\r\r", b"\xef\xbb\xbfdata: one\n\n", b"data: one\r\n\r"):
        reader = EventReader()
        assert reader.feed(data) == [Event("one")], data
        assert reader.feed(b"\ndata: two\n\n") == [Event("two")], "a line feed belongs to the return before it"
        reader.close()


def test_an_event_in_small_pieces_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    class Counting:
        def split(self, text: str) -> list[str]:
            nonlocal looked
            looked += len(text)
            return re.split("\r\n|\n|\r", text)

    monkeypatch.setattr(answers, "_LINE_END", Counting())
    data = b"data: " + b"x" * 50_000 + b"\n\n"
    reader = EventReader()
    read = [event for at in range(0, len(data), 10) for event in reader.feed(data[at : at + 10])]
    assert [len(event.data) for event in read] == [50_000]
    assert looked == len(data)


@pytest.mark.slow
def test_no_utf_8_and_events_without_end_are_told() -> None:
    with pytest.raises(ApiError, match="no UTF-8"):
        EventReader().feed(b"data: \xff\n\n")
    for piece in (b"x" * (EVENT_CHARACTERS + 1), b"data: x\n" * (EVENT_CHARACTERS // 2 + 1)):
        with pytest.raises(ApiError, match="too long"):
            EventReader().feed(piece)
