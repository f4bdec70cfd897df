"""Requests of very many texts, and streams that are very long: refused or cut, and looked at a few at a time."""

import asyncio
import contextlib
import json
import threading
import tracemalloc
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import Handler, Provider, chunk, events, say, send_json, send_pieces

from textveil.budget.account import Account
from textveil.server.budgets import UncountedLedger
from textveil.server.config import Config
from textveil.server.conversations import ConversationState
from textveil.server.gateway.answers import Event, Restoration
from textveil.server.gateway.bodies import RequestMemory
from textveil.server.gateway.streams import ChatEvents
from textveil.server.policies import OfferedPolicies
from textveil.server.service import SanitizingService
from textveil.surrogates.restoring import Restorer
from textveil.surrogates.urls import UrlRule

LEDGER = MemoryLedger()
STREAM = 200_000
"""Bytes of a stream at the most."""


@pytest.fixture(scope="module")
def client(provider: Provider) -> Iterator[httpx.Client]:
    config = Config(upstream=provider.url, request_texts=5, upstream_stream_bytes=STREAM)
    with running(config, LEDGER) as made:
        yield made


BODIES: dict[str, Any] = {
    "/v1/embeddings": {"model": "m", "input": ["Maria"] * 6},
    "/v1/completions": {"model": "m", "prompt": ["Maria"] * 6},
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "Maria"}] * 6},
    "/v1/sanitize": {"text": ["Maria"] * 6},
}


@pytest.mark.parametrize("path", BODIES)
def test_a_request_of_too_many_texts_is_refused_and_nothing_is_sent_or_paid(
    client: httpx.Client, provider: Provider, path: str
) -> None:
    provider.answer, before = say("Yes."), (len(provider.bodies), len(LEDGER.calls))
    answer = client.post(path, json=BODIES[path])
    assert answer.status_code == 413 and answer.json()["error"]["code"] == "too_many_texts"
    assert "at most 5 texts (`request_texts`)" in answer.json()["error"]["message"]
    assert before == (len(provider.bodies), len(LEDGER.calls))


def test_as_many_texts_as_are_allowed_are_sent(client: httpx.Client, provider: Provider) -> None:
    provider.answer = lambda handler, body: send_json(handler, {"object": "list", "data": []})
    assert client.post("/v1/embeddings", json={"model": "m", "input": ["Maria"] * 5}).status_code == 200
    assert client.post("/v1/sanitize", json={"text": ["Maria"] * 5}).status_code == 200


def test_texts_of_a_conversation_are_looked_up_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills: one digest for each text of a request, all in a row on the event loop."""
    in_a_row, longest, turns, here = 0, 0, 0, threading.current_thread()

    def counted(real: Any) -> Any:
        def one(*args: Any) -> Any:
            nonlocal in_a_row, longest
            if threading.current_thread() is here:
                in_a_row += 1
                longest = max(longest, in_a_row)
            return real(*args)

        return one

    for name in ("digest", "remember"):
        monkeypatch.setattr(ConversationState, name, counted(getattr(ConversationState, name)))
    service = SanitizingService(OfferedPolicies("identifiers"), UncountedLedger(), threads=2)

    async def release() -> None:
        nonlocal in_a_row, turns
        texts = [f"text {number}" for number in range(2000)]
        state = ConversationState()
        made = asyncio.ensure_future(
            service.release(texts, policy=None, account=Account("ward"), conversation=state, labels=texts)
        )
        while not made.done():
            in_a_row, turns = 0, turns + 1
            await asyncio.sleep(0)
        assert len(made.result().releases) == 2000

    try:
        asyncio.run(release())
    finally:
        service.close()
    assert 0 < longest <= 256 and turns > 2000 // 256


@pytest.mark.parametrize("route", ["chat/completions", "messages"])
def test_a_stream_that_is_too_long_is_cut_and_its_asker_is_told(
    client: httpx.Client, provider: Provider, route: str
) -> None:
    sent = 0

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        def pieces() -> Iterator[bytes]:
            nonlocal sent
            while sent < 100 * STREAM:
                piece = events(chunk({"content": "word " * 200})) if route != "messages" else b": on\n\n" * 200
                sent += len(piece)
                yield piece

        with contextlib.suppress(OSError):  # the server goes away
            send_pieces(handler, pieces())

    provider.answer = answer
    body = {"model": "m", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "Go on."}]}
    read = client.post(f"/v1/{route}", json=body).text
    assert len(read) < 3 * STREAM
    told = json.loads(read.rstrip().rpartition("data: ")[2])["error"]
    assert told["code"] == "upstream_invalid" and "`upstream_stream_bytes`" in told["message"]


@pytest.mark.slow  # .ci/run names it
def test_a_stream_takes_about_as_much_memory_as_it_has_bytes() -> None:
    """Kills: each piece of an answer is kept as an object of its own, many times as large as what it holds."""

    restoring = ChatEvents(Restoration(Restorer(()), RequestMemory(ConversationState()), UrlRule()))
    piece = Event(json.dumps(chunk({"content": "ab"})))
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20_000):
            list(restoring.event(piece))
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert held < 20_000 * 2 * 2 * 5, "what was written and what was read, and some to grow"
