"""An upstream that answers too long, or too much: not waited for, and not taken for the answer to another request."""

import asyncio
import contextlib
import itertools
import json
import time
from collections.abc import Iterator
from typing import Any

import httpcore
import pytest
from tests.helpers.servers import running
from tests.helpers.upstream import Answering, Handler, Provider, chunk, completion, events, send_pieces

from textveil.server.config import Config
from textveil.server.errors import ApiError
from textveil.server.gateway import upstream as upstream_module
from textveil.server.gateway.upstream import Upstream


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Of one test alone: a request that was given up may come to be read when the next test has begun."""
    with Provider() as made:
        yield made


async def _said_by(upstream: Upstream) -> str:
    try:
        async with upstream.send("POST", "/x", b"{}") as answer:
            return str((await answer.data())["choices"][0]["message"]["content"])
    except ApiError as error:
        return error.code


def _dribbles(handler: Handler, body: dict[str, Any]) -> None:
    """Sends a byte every now and then, and no end."""
    with contextlib.suppress(OSError):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)


def _dribbles_its_head(handler: Handler, body: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(0.02)


@pytest.mark.parametrize("answer", [_dribbles, _dribbles_its_head])
def test_an_answer_that_never_ends_is_not_waited_for(provider: Provider, answer: Answering) -> None:
    provider.answer, started = answer, time.monotonic()
    assert asyncio.run(_said_by(Upstream(provider.url, answer_seconds=0.3))) == "upstream_timeout"
    assert time.monotonic() - started < 10


def test_a_stream_that_never_ends_is_ended(provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):
            send_pieces(handler, (_later(events(chunk({"content": "on "}))) for _ in range(1000)))

    config = Config(upstream=provider.url, upstream_answer_seconds=2, upstream_stream_seconds=3)
    provider.answer = answer
    with running(config) as client:
        asked = {"model": "m", "messages": [{"role": "user", "content": "Hi."}], "stream": True}
        answered = client.post("/v1/chat/completions", json=asked)
    last = json.loads(answered.text.strip().split("\n\n")[-1][6:])
    assert answered.status_code == 200 and last["error"]["code"] == "upstream_timeout"
    assert answered.text.count('"content":') > 1, "what came before is not lost"


def _later(piece: bytes) -> bytes:
    time.sleep(0.02)
    return piece


def _said(text: str, *, chunked: bool = False) -> bytes:
    """A whole answer, as it goes over the wire."""
    body = json.dumps(completion({"content": text})).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
    if chunked:
        return head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    return head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _says_more(chunked: bool) -> Answering:
    """Answers the first request with two answers at once, and the next ones with their own."""
    count = itertools.count()

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        first = next(count) == 0
        handler.wfile.write(_said("first", chunked=chunked) + _said("of nobody") if first else _said("own"))

    return answer


@pytest.mark.parametrize("chunked", [False, True])
def test_what_comes_behind_an_answer_is_no_answer_to_another_request(provider: Provider, chunked: bool) -> None:
    async def twice() -> list[str]:
        upstream, said = Upstream(provider.url), []
        for _ in range(3):
            said.append(await _said_by(upstream))
        await upstream.aclose()
        return said

    provider.answer = _says_more(chunked)
    assert asyncio.run(twice()) == ["first", "own", "own"]


def test_why_no_connection_is_used_twice(provider: Provider) -> None:
    """The client below takes what is left over for the next answer: where that changes, connections may be kept."""
    provider.answer = _says_more(chunked=False)
    with httpcore.ConnectionPool() as pool:
        answers = [pool.request("POST", f"{provider.url}/x", content=b"{}").content for _ in range(2)]
    assert b'"first"' in answers[0] and b'"of nobody"' in answers[1]


def test_connections_are_kept_where_that_is_asked_for_and_closed_before_the_upstream_does(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def callers(**chosen: bool) -> int:
        upstream = Upstream(provider.url, **chosen)
        seen.clear()
        for _ in range(3):
            assert await _said_by(upstream) == "own"
            await asyncio.sleep(idle)
        await upstream.aclose()
        return len(set(seen))

    seen: list[Any] = []
    idle = 0.0

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        seen.append(handler.client_address)
        handler.wfile.write(_said("own"))

    provider.answer = answer
    assert asyncio.run(callers()) == 3
    assert asyncio.run(callers(kept=True)) == 1
    monkeypatch.setattr(upstream_module, "_IDLE_SECONDS", 0.001)
    idle = 0.05
    assert asyncio.run(callers(kept=True)) == 3
