"""Failing open: only where the operator asked for it, only where the engine fails, and never unseen."""

import asyncio
import contextlib
import errno
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import write_policy
from tests.helpers.servers import running, serving
from tests.helpers.upstream import UPSTREAM_KEY, Provider
from tests.server.gateway.test_fails_closed import BODY, CANARY, STEPS

import textveil.sanitize.outside as outside
import textveil.server.gateway.bodies as bodies
from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.errors import EndpointError, LedgerError, ModelError, ParameterError, SlowText
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Prepared
from textveil.server.app import make_app, open_books
from textveil.server.config import Config, load_config
from textveil.server.conversations import ConversationState

ENGINE = [(Sanitizer, "prepare"), (Prepared, "release"), (ConversationState, "scope")]
"""Steps of the engine: a fault in any other is refused though the server may fail open."""
CHATS = "/v1/chat/completions"


def fails(*arguments: Any, **named: Any) -> Any:
    raise ModelError(f"a fault that quotes {CANARY}")


def _model_error_of(error: Exception) -> ModelError:
    failure = ModelError("the model cannot be read.")
    failure.__cause__ = error
    return failure


NOT_OF_THE_ENGINE = [
    MemoryError(),
    RuntimeError("can't start new thread"),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    TimeoutError(),
    EndpointError("the service does not answer."),
    BrokenProcessPool(),
    ConnectionResetError(),
    RecursionError(),
    asyncio.CancelledError(),
    _model_error_of(MemoryError()),
]
"""What others can cause: memory, threads, time, and processes that died."""


@pytest.fixture(scope="module")
def told(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Config:
    folder = tmp_path_factory.mktemp("open")
    return Config(
        upstream=provider.url,
        upstream_key=UPSTREAM_KEY,
        policy="canaries",
        policies=write_policy(folder),
        database=str(folder / "ledger.db"),
        on_error="send-unprotected",
    )


@pytest.fixture(scope="module")
def opened(told: Config) -> Iterator[tuple[httpx.Client, Any]]:
    from tests.helpers.servers import MemoryLedger

    ledger = MemoryLedger()
    with running(told, ledger) as client:
        yield client, ledger


@pytest.fixture(autouse=True)
def forgetful(provider: Provider) -> None:
    provider.forget()


def counted(client: httpx.Client) -> float:
    lines = client.get("/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("textveil_unprotected_total"))


@pytest.mark.parametrize(("owner", "name"), STEPS, ids=lambda one: one if isinstance(one, str) else "")
def test_a_fault_of_the_engine_alone_sends_texts_as_they_are_and_each_is_told(
    opened: tuple[httpx.Client, Any],
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    owner: Any,
    name: str,
) -> None:
    client, ledger = opened
    ledger.calls.clear()
    before = counted(client)
    caplog.set_level(logging.DEBUG)
    headers = {"X-Textveil-Conversation": f"{owner.__name__}.{name}"} if name != "beginning" else {}
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, fails)
        answer = client.post(CHATS, json={**BODY, "user": CANARY, "metadata": {"a": CANARY}}, headers=headers)
    assert CANARY not in caplog.text
    if (owner, name) not in ENGINE:
        assert answer.status_code == 500 and provider.got == b"" and "unprotected" not in ledger.calls
        assert counted(client) == before and "x-textveil-unprotected" not in answer.headers
        return
    assert answer.status_code == 200 and answer.headers["x-textveil-unprotected"] == "true"
    assert "x-textveil-guarantee" not in answer.headers, "nothing is promised"
    assert ledger.calls[-1] == "unprotected" and counted(client) == before + 1
    (sent,) = provider.bodies
    contents = [message["content"] for message in sent["messages"]]
    assert contents == [message["content"] for message in BODY["messages"]] and sent["tools"] == BODY["tools"]
    assert "user" not in sent and "metadata" not in sent, "what is always left out is left out"
    assert "a request is sent on unprotected" in caplog.text


def test_a_release_that_the_last_gate_refuses_is_sent_in_no_form(
    opened: tuple[httpx.Client, Any],
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client, ledger = opened
    ledger.calls.clear()
    joined = outside.joined

    def moved(stretches: Any, drawn: Any) -> Any:
        text, places = joined(stretches, drawn)
        return text, [(start + 1, end + 1) for start, end in places]

    caplog.set_level(logging.DEBUG)
    with monkeypatch.context() as patch:
        patch.setattr(outside, "joined", moved)
        answer = client.post(CHATS, json=BODY, headers={"X-Textveil-Conversation": "moved"})
    assert answer.status_code == 500 and answer.json()["error"]["code"] == "release_refused"
    assert provider.got == b"" and "unprotected" not in ledger.calls
    assert CANARY not in answer.text and CANARY not in caplog.text and "a release was refused" in caplog.text
    assert client.post(CHATS, json=BODY, headers={"X-Textveil-Conversation": "moved"}).status_code == 200, "it goes on"
    assert provider.heard(CANARY) == []


def test_a_release_with_parts_too_many_is_sent_in_no_form(
    opened: tuple[httpx.Client, Any], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = opened
    parts = [{"type": "text", "text": f"I am {CANARY},"}, {"type": "text", "text": " and you?"}]
    body = {"model": "m", "messages": [{"role": "user", "content": parts}]}
    with monkeypatch.context() as patch:
        patch.setattr(bodies, "BORDER", " ")
        answer = client.post(CHATS, json=body)
    assert answer.status_code == 500 and answer.json()["error"]["code"] == "release_refused"
    assert provider.got == b"" and CANARY not in answer.text


@pytest.mark.parametrize(
    ("error", "status"),
    [(SlowText("too slow."), 413), (LedgerError("no ledger."), 503), (ParameterError("wrong."), 400)],
    ids=["time limit", "ledger", "request"],
)
def test_what_the_sender_can_mend_and_what_the_ledger_says_is_refused(
    opened: tuple[httpx.Client, Any], provider: Provider, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def refuses(*arguments: Any, **named: Any) -> Any:
        raise error

    monkeypatch.setattr(Sanitizer, "prepare", refuses)
    answer = opened[0].post(CHATS, json=BODY)
    assert answer.status_code == status and provider.got == b""


@pytest.mark.parametrize("error", NOT_OF_THE_ENGINE, ids=repr)
@pytest.mark.parametrize("owner", [Sanitizer, Prepared], ids=lambda one: one.__name__)
def test_a_failure_that_another_caller_can_cause_is_refused(
    opened: tuple[httpx.Client, Any],
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    error: BaseException,
) -> None:
    def exhausted(*arguments: Any, **named: Any) -> Any:
        raise error

    client, ledger = opened
    ledger.calls.clear()
    monkeypatch.setattr(owner, "prepare" if owner is Sanitizer else "release", exhausted)
    with contextlib.suppress(httpx.RemoteProtocolError):  # a cancelled request has no answer
        assert client.post(CHATS, json=BODY).status_code == 500
    assert provider.got == b"" and "unprotected" not in ledger.calls


def test_a_tenant_that_exhausts_memory_sends_no_other_tenants_texts(
    opened: tuple[httpx.Client, Any], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = opened
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
        first = pool.submit(client.post, CHATS, json=greedy, headers={"X-Textveil-Unit": "greedy"})
        assert full.wait(60)
        answers = [client.post(CHATS, json=BODY, headers={"X-Textveil-Unit": f"other {number}"}) for number in range(9)]
        over.set()
        assert first.result().status_code == 200
    assert [answer.status_code for answer in answers] == [500] * 9
    assert not provider.heard(CANARY)


def test_a_model_that_fails_is_a_fault_of_the_engine_and_other_routes_never_fail_open(
    opened: tuple[httpx.Client, Any], provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*arguments: Any, **named: Any) -> Any:
        raise ModelError("the detector does not answer.")

    monkeypatch.setattr(Sanitizer, "prepare", refuses)
    client, _ = opened
    assert client.post(CHATS, json=BODY).headers["x-textveil-unprotected"] == "true"
    image = [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]
    refused = client.post(CHATS, json={"model": "m", "messages": [{"role": "user", "content": image}]})
    assert refused.status_code == 400 and len(provider.bodies) == 1, "what cannot be read is not sent"
    for route in ("/v1/sanitize", "/page/release"):
        answer = client.post(route, json={"text": f"I am {CANARY}."})
        assert answer.status_code == 500 and CANARY not in answer.text


def test_no_budget_pays_for_it_and_the_ledger_keeps_each(
    told: Config, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_books(told) as (ledger, keys):
        free, limited = Account("local", "free"), Account("local", "limited")
        ledger.set_limit(limited, Limit(epsilon=100.0))
        with serving(make_app(told, ledger=ledger, keys=keys), told) as client:
            monkeypatch.setattr(Sanitizer, "prepare", fails)
            for unit, status in (("free", 200), ("limited", 500), ("free", 200)):
                answer = client.post(CHATS, json=BODY, headers={"X-Textveil-Unit": unit})
                assert answer.status_code == status, unit
            assert len(provider.bodies) == 2
            with monkeypatch.context() as patch:
                patch.setattr(Ledger, "note_unprotected", fails)
                assert client.post(CHATS, json=BODY, headers={"X-Textveil-Unit": "free"}).status_code == 500
            assert len(provider.bodies) == 2, "what cannot be entered is not sent"
        assert (ledger.unprotected(free), ledger.unprotected(limited), ledger.unprotected(Account("local"))) == (
            2,
            0,
            2,
        )
        assert ledger.verify().sound
        monkeypatch.setattr("textveil.budget.book.Book._limit", lambda *_: None)
        assert ledger.note_unprotected(limited)
        monkeypatch.undo()
        (problem,) = ledger.verify().problems
        assert "sends a text without protection under a limit" in problem


def test_the_default_refuses_and_an_admin_may_forbid_the_other(tmp_path: Path) -> None:
    assert Config().on_error == "refuse"
    file = tmp_path / "server.toml"
    file.write_text("forbid_unprotected = true\n", encoding="utf-8")
    for environment in (
        {"TEXTVEIL_ON_ERROR": "send-unprotected"},
        {"TEXTVEIL_ON_ERROR": "send-unprotected", "TEXTVEIL_FORBID_UNPROTECTED": "false"},
    ):
        with pytest.raises(ParameterError, match=r'on_error must .*"refuse" where forbid_unprotected is set'):
            load_config(file, environment)
    assert load_config(None, {"TEXTVEIL_ON_ERROR": "send-unprotected"}).on_error == "send-unprotected"
    with contextlib.suppress(ParameterError):
        load_config(None, {"TEXTVEIL_ON_ERROR": "send-unprotected", "TEXTVEIL_FORBID_UNPROTECTED": "1"})
        pytest.fail("the environment forbids it")
