"""Whatever fails on the way to the upstream: nothing is sent, and nothing of the text is told."""

import asyncio
import contextlib
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import NAME
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Provider, completion, say, send_json

import textveil.sanitize.ways as outside
import textveil.server.gateway as routes
import textveil.server.gateway.bodies as bodies
import textveil.server.gateway.sending as sending
from textveil.budget.account import Account
from textveil.errors import LedgerError, ModelError, ParameterError, SlowText
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Prepared
from textveil.server.config import load_config
from textveil.server.conversations import Conversations, ConversationState
from textveil.server.gateway.bodies import RequestMemory
from textveil.server.gateway.reading import RequestReading
from textveil.server.gateway.upstream import Upstream
from textveil.server.service import SanitizingService
from textveil.surrogates.restoring import Restorer

CANARY = NAME
BODY = {
    "model": "m",
    "messages": [
        {"role": "system", "content": f"You know {CANARY}."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "x", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": "x", "content": f'{{"a": "{CANARY}"}}'},
        {"role": "user", "content": [{"type": "text", "text": f"I am {CANARY}."}]},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "description": CANARY}}],
}

MESSAGE = {
    "model": "m",
    "system": [{"type": "text", "text": f"You know {CANARY}."}],
    "messages": [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": CANARY, "signature": CANARY},
                {"type": "tool_use", "id": "x", "name": "f", "input": {"a": CANARY}},
            ],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": f'{{"a": "{CANARY}"}}'}]},
        {"role": "user", "content": [{"type": "text", "text": f"I am {CANARY}."}]},
    ],
    "tools": [{"name": "f", "description": CANARY, "input_schema": {"type": "object"}}],
}

STEPS: list[tuple[Any, str]] = [
    (sending, "need_json"),
    (sending, "request_object"),
    (sending, "beginning"),
    (Conversations, "of"),
    (RequestReading, "fields"),
    (RequestReading, "text"),
    (RequestReading, "json_text"),
    (ConversationState, "written"),
    (ConversationState, "handle"),
    (SanitizingService, "release"),
    (ConversationState, "known"),
    (ConversationState, "scope"),
    (ConversationState, "remember"),
    (Sanitizer, "prepare"),
    (Prepared, "release"),
    (MemoryLedger, "reserve"),
    (MemoryLedger, "commit"),
    (RequestMemory, "sent"),
    (bodies, "written"),
    (sending, "as_json"),
    (Upstream, "send"),
]


@pytest.mark.parametrize(
    ("path", "body"), [("/v1/chat/completions", BODY), ("/v1/messages", MESSAGE)], ids=["chat", "message"]
)
@pytest.mark.parametrize(("owner", "name"), STEPS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_fault_at_any_step_sends_nothing(
    client: httpx.Client,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: Any,
    name: str,
    path: str,
    body: dict[str, Any],
) -> None:
    def fails(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError(f"a fault that quotes {CANARY}")

    provider.answer = say("Yes.")
    headers = {"X-Textveil-Conversation": f"{path}-{owner.__name__}.{name}"} if name != "beginning" else {}
    caplog.set_level(logging.DEBUG)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        answer = client.post(path, json=body, headers=headers)
    assert answer.status_code == 500, "a fault elsewhere would show that this step is not on the way"
    assert answer.json()["error"]["code"] == "internal_error"
    assert CANARY not in answer.text and CANARY not in caplog.text and provider.got == b""
    assert client.post(path, json=body, headers=headers).status_code == 200, "it goes on"
    assert provider.heard(CANARY) == []


def test_a_body_with_a_place_to_fill_cannot_be_written(client: httpx.Client, provider: Provider) -> None:
    """If a text were forgotten between reading and sending, there is no JSON for its place."""
    from textveil.server.gateway.json_text import as_json
    from textveil.server.gateway.reading import JsonSlots, Slot, written

    for template in ({"a": Slot(1)}, {"a": JsonSlots((("x"),))}, [Slot(0)]):
        assert as_json(written(template, ["released", "too"]))
        with pytest.raises(TypeError):
            as_json(template)
    with pytest.raises(IndexError):
        written({"a": Slot(1)}, ["one text only"])


class _Exhausted(MemoryLedger):
    """A ledger without budget."""

    def reserve(self, account: Account, cost: Any) -> int:
        from textveil.errors import ParameterError

        raise ParameterError("the budget does not reach.")


def test_a_ledger_that_refuses_is_asked_before_the_draw(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    release = Prepared.release

    def counted(prepared: Prepared) -> Any:
        drawn.append(1)
        return release(prepared)

    monkeypatch.setattr(Prepared, "release", counted)
    monkeypatch.setattr(MemoryLedger, "reserve", _Exhausted.reserve)
    answer = client.post("/v1/chat/completions", json=BODY, headers={"X-Textveil-Conversation": "exhausted"})
    assert answer.status_code == 400 and drawn == [] and provider.got == b""


@pytest.mark.parametrize(("owner", "name"), [(routes, "restore_chat"), (Restorer, "extend")])
def test_an_answer_that_cannot_be_restored_is_an_error(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str
) -> None:
    """It was sent by then, sanitized; its asker is told, and reads no half."""

    def fails(*_: Any) -> None:
        raise RuntimeError(CANARY)

    provider.answer = lambda handler, body: send_json(handler, completion({"content": "Yes."}))
    monkeypatch.setattr(owner, name, fails)
    answer = client.post("/v1/chat/completions", json=BODY)
    assert answer.status_code == 500 and CANARY not in answer.text and provider.heard(CANARY) == []


def test_a_release_that_the_last_gate_refuses_is_sent_in_no_form(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    joined = outside.joined

    def moved(stretches: Any, drawn: Any) -> Any:
        text, places = joined(stretches, drawn)
        return text, [(start + 1, end + 1) for start, end in places]

    caplog.set_level(logging.DEBUG)
    headers = {"X-Textveil-Conversation": "moved"}
    with monkeypatch.context() as patch:
        patch.setattr(outside, "joined", moved)
        answer = client.post("/v1/chat/completions", json=BODY, headers=headers)
    assert answer.status_code == 500 and answer.json()["error"]["code"] == "release_refused"
    assert provider.got == b"" and CANARY not in answer.text and CANARY not in caplog.text
    assert "a release was refused" in caplog.text
    assert client.post("/v1/chat/completions", json=BODY, headers=headers).status_code == 200, "it goes on"
    assert provider.heard(CANARY) == []


def test_a_release_with_parts_too_many_is_sent_in_no_form(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [{"type": "text", "text": f"I am {CANARY},"}, {"type": "text", "text": " and you?"}]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    monkeypatch.setattr(bodies, "BORDER", " ")
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 500 and answer.json()["error"]["code"] == "release_refused"
    assert provider.got == b"" and CANARY not in answer.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SlowText("too slow."), 413),
        (LedgerError("no ledger."), 503),
        (ParameterError("wrong."), 400),
        (ModelError("the model cannot be read."), 500),
        (MemoryError(), 500),
        (asyncio.CancelledError(), None),  # a cancelled request has no answer
    ],
    ids=repr,
)
@pytest.mark.parametrize("owner", [Sanitizer, Prepared], ids=lambda one: one.__name__)
def test_whatever_the_engine_raises_nothing_is_sent(
    client: httpx.Client,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    error: BaseException,
    status: int | None,
) -> None:
    def fails(*arguments: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(owner, "prepare" if owner is Sanitizer else "release", fails)
    headers = {"X-Textveil-Conversation": f"{owner.__name__}.{type(error).__name__}"}
    with contextlib.suppress(httpx.RemoteProtocolError):
        assert client.post("/v1/chat/completions", json=BODY, headers=headers).status_code == (status or 500)
    assert provider.got == b""


def test_a_tenant_that_exhausts_memory_sends_no_other_tenants_texts(
    client: httpx.Client, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, over = threading.Event(), threading.Event()
    prepare = Sanitizer.prepare

    def prepared(self: Sanitizer, texts: Any, **named: Any) -> Any:
        if any("greedy" in text for text in texts):
            full.set()
            assert over.wait(60)
        elif full.is_set():
            raise MemoryError
        return prepare(self, texts, **named)

    monkeypatch.setattr(Sanitizer, "prepare", prepared)
    greedy = {"model": "m", "messages": [{"role": "user", "content": "greedy " * 2000}]}
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(client.post, "/v1/chat/completions", json=greedy, headers={"X-Textveil-Unit": "greedy"})
        assert full.wait(60)
        answers = [
            client.post("/v1/chat/completions", json=BODY, headers={"X-Textveil-Unit": f"other {number}"})
            for number in range(9)
        ]
        over.set()
        assert first.result().status_code == 200
    assert [answer.status_code for answer in answers] == [500] * 9
    assert not provider.heard(CANARY)


@pytest.mark.parametrize("told", ['on_error = "send-unprotected"', 'on_error = "refuse"', "forbid_unprotected = true"])
def test_no_setting_sends_a_text_as_it_is(tmp_path, told: str) -> None:
    name, _, value = told.partition(" = ")
    (tmp_path / "server.toml").write_text(told + "\n", encoding="utf-8")
    wanted = f"{name} is gone: if anything fails, nothing is sent. Leave it out."
    with pytest.raises(ParameterError, match=wanted):
        load_config(tmp_path / "server.toml", {})
    with pytest.raises(ParameterError, match=wanted):
        load_config(None, {f"TEXTVEIL_{name.upper()}": value.strip('"')})
