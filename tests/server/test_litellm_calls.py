"""LiteLLM's functions that are not asynchronous: guarded by ours, refused where they would go on unread."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks a server for prices when it is imported
pytest.importorskip("litellm")

import litellm
from fastapi import HTTPException
from tests.helpers.servers import MemoryLedger
from tests.helpers.upstream import Answering, Handler, Provider, repeating, send_json

from textveil.budget.account import Account
from textveil.errors import ParameterError
from textveil.server.litellm_guardrail import GuardedCalls, TextveilGuardrail

# LiteLLM declares fields of pydantic that pydantic does not keep.
pytestmark = pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier:UserWarning")

TEXT = "Ask Maria Zyxwell, who came on 4 May."
MARIA = Account("ward", "maria")


@pytest.fixture(autouse=True)
def settings(monkeypatch) -> None:
    """What LiteLLM keeps for the whole process is as it was behind each test."""
    for name in ("callbacks", "input_callback", "success_callback", "failure_callback", "pre_call_rules"):
        monkeypatch.setattr(litellm, name, list(getattr(litellm, name)) if name != "pre_call_rules" else [])
    monkeypatch.setattr(litellm, "turn_off_message_logging", False)
    monkeypatch.setattr(litellm, "disable_aiohttp_transport", True)  # its sessions complain of not having been closed


def closing(answer: Answering) -> Answering:
    """Close connections: LiteLLM keeps them until the process ends, and they complain of their loop's end."""

    def answered(handler: Handler, body: dict[str, Any]) -> None:
        whole = handler.end_headers
        handler.end_headers = lambda: (handler.send_header("Connection", "close"), whole())[0]  # type: ignore[method-assign]
        answer(handler, body)

    return answered


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider() as made:
        made.answer = closing(repeating("You said: "))
        yield made


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def calls(provider, ledger) -> Iterator[GuardedCalls]:
    provider.forget()
    with GuardedCalls(TextveilGuardrail(ledger=ledger), MARIA) as made:
        yield made


def asked(provider: Provider, **fields: Any) -> dict[str, Any]:
    return {"model": "openai/m", "api_base": provider.url, "api_key": "none", "max_retries": 0, **fields}


def chat(provider: Provider, *said: str, **fields: Any) -> dict[str, Any]:
    return asked(provider, messages=[{"role": "user", "content": one} for one in said], **fields)


def test_a_chat_goes_on_sanitized_and_comes_back_readable(calls, provider, ledger) -> None:
    text = f"{TEXT} Born 4 May 1981, her number is 481516234208."
    answer = calls.completion(**chat(provider, text, user="Zyxwell"))
    assert answer.choices[0].message.content == f"You said: {text}"
    history = [{"role": "user", "content": text}, answer.choices[0].message.model_dump()]
    again = calls.completion(**asked(provider, messages=[*history, {"role": "user", "content": "Shorter."}]))
    assert again.choices[0].message.content == "You said: Shorter."
    assert len(provider.bodies) == 2 and provider.heard("Zyxwell", "4 May 1981", "481516234208") == []
    assert provider.bodies[1]["messages"][0] == provider.bodies[0]["messages"][0]
    assert set(ledger._spent) == {MARIA} and ledger.calls == ["reserve", "commit"] * 2


def test_a_streamed_answer_is_restored(calls, provider) -> None:
    chunks = list(calls.completion(**chat(provider, TEXT, stream=True)))
    assert "".join(one.choices[0].delta.content or "" for one in chunks) == f"You said: {TEXT}"
    assert provider.heard("Zyxwell") == []


def test_completions_and_embeddings(calls, provider, monkeypatch) -> None:
    sent = {"id": "c", "object": "text_completion", "created": 1, "model": "m"}
    vector = {"object": "embedding", "index": 0, "embedding": [0.5]}

    def answer(handler: Any, body: dict[str, Any]) -> None:
        if "input" in body:
            send_json(handler, {"object": "list", "model": "m", "data": [vector], "usage": {"total_tokens": 1}})
        else:
            prompt = body["prompt"] if isinstance(body["prompt"], str) else body["prompt"][0]
            choice = {"text": prompt, "index": 0, "finish_reason": "stop", "logprobs": None}
            send_json(handler, {**sent, "choices": [choice], "usage": {"total_tokens": 1}})

    monkeypatch.setattr(provider, "answer", closing(answer))
    told = asked(provider) | {"model": "text-completion-openai/m"}
    assert calls.text_completion(prompt=TEXT, **told).choices[0].text == TEXT
    assert calls.embedding(input=[TEXT], **asked(provider)).data[0]["embedding"] == [0.5]
    assert len(provider.bodies) == 2 and provider.heard("Zyxwell") == []


def test_an_answer_stays_as_it_comes_where_the_mode_says_so(provider) -> None:
    with GuardedCalls(TextveilGuardrail(event_hook="pre_call")) as calls:
        answer = calls.completion(**chat(provider, TEXT)).choices[0].message.content
        chunks = calls.completion(**chat(provider, TEXT, stream=True))
        streamed = "".join(one.choices[0].delta.content or "" for one in chunks)
    assert "Zyxwell" not in answer + streamed and answer == streamed


@pytest.mark.parametrize("step", ["prepare", "reserve", "draw", "commit"])
def test_any_failure_on_the_way_means_that_nothing_is_sent(calls, provider, ledger, monkeypatch, step) -> None:
    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(TEXT)

    target = {
        "prepare": ("textveil.sanitize.sanitizer.Sanitizer.prepare",),
        "reserve": (ledger, "reserve"),
        "draw": ("textveil.sanitize.ways.Prepared.release",),
        "commit": (ledger, "commit"),
    }[step]
    monkeypatch.setattr(*target, broken)
    with pytest.raises(HTTPException) as told:
        calls.completion(**chat(provider, TEXT))
    assert told.value.status_code == 500 and "Zyxwell" not in str(told.value.detail)
    assert provider.bodies == []


def test_what_cannot_be_read_is_not_sent(calls, provider, ledger) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/Zyxwell.png"}}
    with pytest.raises(HTTPException):
        calls.completion(**asked(provider, messages=[{"role": "user", "content": [picture]}]))
    assert provider.bodies == [] and ledger.calls == []


def test_what_litellm_does_not_guard_is_refused_where_it_is_told_to_guard(provider, ledger) -> None:
    guardrail = TextveilGuardrail(ledger=ledger)
    provider.forget()
    litellm.callbacks.append(guardrail)
    for function in (litellm.completion, litellm.completion_with_retries):
        with pytest.raises(ParameterError, match="GuardedCalls") as told:
            function(**chat(provider, TEXT))
        assert "Zyxwell" not in str(told.value)
    assert provider.bodies == [] and ledger.calls == []
    litellm.callbacks.remove(guardrail)
    assert [rule(TEXT) for rule in litellm.pre_call_rules] == [None], "a program that asks for no guardrail goes on"


def test_a_guardrail_that_litellm_calls_too_sanitizes_once(calls, provider, ledger) -> None:
    litellm.callbacks.append(calls._guardrail)
    assert calls.completion(**chat(provider, TEXT)).choices[0].message.content == f"You said: {TEXT}"
    assert ledger.calls == ["reserve", "commit"] and provider.heard("Zyxwell") == []
