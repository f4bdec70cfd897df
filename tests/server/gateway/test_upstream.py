"""What stands behind the gateway: reached at checked addresses alone, and not trusted."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import NAME
from tests.helpers.servers import running
from tests.helpers.upstream import (
    UPSTREAM_KEY,
    Answering,
    Handler,
    Provider,
    chunk,
    completion,
    drop,
    events,
    repeating,
    reset,
    send,
    send_json,
    send_pieces,
)

from textveil.errors import ParameterError
from textveil.server.config import Config
from textveil.server.errors import ApiError
from textveil.server.gateway.upstream import Upstream, is_near, is_public, literal

CANARY = NAME
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": f"I am {CANARY}."}]}
KEY = UPSTREAM_KEY


def asked(client: httpx.Client, *, stream: bool = False) -> httpx.Response:
    answer = client.post("/v1/chat/completions", json={**ASKED, "stream": stream})
    assert KEY not in answer.text and KEY[-8:] not in answer.text and "PRIVATE" not in answer.text
    return answer


def error_of(answer: httpx.Response) -> tuple[int, str]:
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"} and CANARY not in answer.text
    return answer.status_code, error["code"]


def test_only_headers_of_ours_go_on_and_only_harmless_ones_come_back(client: httpx.Client, provider: Provider) -> None:
    provider.answer = lambda handler, body: send_json(
        handler, completion({"content": "Yes."}), x_request_id="r-1", set_cookie="id=1", server="x", x_other="PRIVATE",
        x_ratelimit_remaining_tokens="12", location="https://example.org", openai_organization="o",
    )  # fmt: skip
    headers = {"Authorization": "Bearer of-the-asker", "Cookie": "a=b", "X-Forwarded-For": "10.0.0.1", "X-Own": CANARY}
    answer = client.post("/v1/chat/completions", json=ASKED, headers={**headers, "User-Agent": CANARY})
    assert answer.status_code == 200
    assert set(provider.headers[0]) == {
        "host", "accept", "accept-encoding", "user-agent", "content-type", "authorization", "content-length",
    }  # fmt: skip
    assert provider.headers[0]["authorization"] == f"Bearer {KEY}"
    assert provider.headers[0]["user-agent"].startswith("textveil/") and provider.heard(CANARY, "of-the-asker") == []
    assert answer.headers["x-upstream-request-id"] == "r-1" and answer.headers["x-ratelimit-remaining-tokens"] == "12"
    assert not {"set-cookie", "x-other", "location", "openai-organization"} & set(answer.headers)


def _hangs(handler: Handler, body: dict[str, Any]) -> None:
    time.sleep(30)


def _hangs_within(handler: Handler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices"')
    handler.wfile.flush()
    time.sleep(30)


ANSWER = completion({"content": "Yes."})
HTML = {"content_type": "text/html"}
JSON = {"content_type": "application/json"}

FAULTS: dict[str, tuple[Answering, int, str]] = {
    "hangs": (_hangs, 504, "upstream_timeout"),
    "hangs within": (_hangs_within, 504, "upstream_timeout"),
    "resets": (lambda to, body: reset(to), 502, "upstream_invalid"),
    "drops": (lambda to, body: drop(to), 502, "upstream_invalid"),
    "HTML": (lambda to, body: send(to, b"<html>PRIVATE", **HTML), 502, "upstream_invalid"),
    "HTML as an error": (lambda to, body: send(to, b"<html>PRIVATE", 500, **HTML), 502, "upstream_error"),
    "no JSON": (lambda to, body: send(to, b"{PRIVATE", **JSON), 502, "upstream_invalid"),
    "a list": (lambda to, body: send_json(to, ["PRIVATE"]), 502, "upstream_invalid"),
    "deep": (lambda to, body: send(to, b"[" * 99999, **JSON), 502, "upstream_invalid"),
    "shorter than it says": (lambda to, body: _cut(to, 9999), 502, "upstream_invalid"),
    "longer than it says": (lambda to, body: _cut(to, 20), 502, "upstream_invalid"),
    "half a chunk": (lambda to, body: send_pieces(to, [b"{"], "application/json", end=False), 502, "upstream_invalid"),
    "compressed": (lambda to, body: send_json(to, {}, content_encoding="gzip"), 502, "upstream_invalid"),
    "redirects": (
        lambda to, body: send(to, b"{}", 307, location="http://127.0.0.1:1/", **JSON),
        502,
        "upstream_invalid",
    ),
    "our key is wrong": (lambda to, body: _wrong(to, 401, f"Incorrect: {KEY[:8]}***"), 502, "upstream_refused"),
    "tells our key": (lambda to, body: _wrong(to, 400, f"no {KEY[3:]}!"), 400, "upstream_error"),
    "no error in its error": (lambda to, body: send_json(to, {"error": ["PRIVATE"]}, 418), 418, "upstream_error"),
}


def _cut(handler: Handler, length: int) -> None:
    send_json(handler, ANSWER, content_length=str(length))
    drop(handler)


def _wrong(handler: Handler, status: int, message: str) -> None:
    send_json(handler, {"error": {"message": message, "code": KEY, "type": "a b"}}, status)


@pytest.fixture(scope="module")
def hurried(provider: Provider) -> Iterator[httpx.Client]:
    """A server that waits for a second, for upstreams that never answer."""
    with running(Config(upstream=provider.url, upstream_key=KEY, upstream_seconds=1)) as made:
        yield made


@pytest.mark.parametrize("fault", FAULTS)
def test_an_upstream_that_fails(client: httpx.Client, hurried: httpx.Client, provider: Provider, fault: str) -> None:
    provider.answer, status, code = FAULTS[fault]
    assert error_of(asked(hurried if status == 504 else client)) == (status, code)
    assert provider.heard(CANARY) == [] and len(provider.paths) == 1, "asked once, and not again"


BROKEN: dict[str, tuple[list[bytes], bool]] = {
    "breaks off": ([events(chunk({"content": "Well, I"}))], False),
    "ends before its end": ([events(chunk({"content": "Well, I"}))], True),
    "half an event": ([events(chunk({"content": "Well, I"})), b'data: {"choices"'], True),
    "no JSON": ([events(chunk({"content": "Well, I"}), b"PRIVATE")], True),
    "a list": ([events(chunk({"content": "Well, I"}), b'["PRIVATE"]')], True),
    "no UTF-8": ([events(chunk({"content": "Well, I"})), b"data: \xff\xfe\n\n"], True),
    "an error": ([events(chunk({"content": "Well, I"}), {"error": {"message": "PRIVATE", "code": KEY}})], True),
}  # fmt: skip


@pytest.mark.parametrize("fault", BROKEN)
def test_a_stream_that_breaks_tells_so(client: httpx.Client, provider: Provider, fault: str) -> None:
    pieces, end = BROKEN[fault]
    provider.answer = lambda handler, body: send_pieces(handler, pieces, end=end)
    answer = asked(client, stream=True)
    assert answer.status_code == 200 and "[DONE]" not in answer.text
    data = [json.loads(line[6:]) for line in answer.text.split("\n\n") if line]
    text = "".join(one["choices"][0]["delta"].get("content", "") for one in data if "choices" in one)
    assert text == "Well, I", "nothing of what came is lost"
    assert (
        set(data[-1]["error"]) == {"message", "type", "param", "code"} and data[-1]["error"]["type"] == "upstream_error"
    )


def test_a_stream_that_hangs(client: httpx.Client, hurried: httpx.Client, provider: Provider) -> None:
    def answer(handler: Handler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(events(chunk({"content": "Well"})))
        handler.wfile.flush()
        time.sleep(30)

    provider.answer = answer
    assert '"upstream_timeout"' in asked(hurried, stream=True).text


def test_an_upstream_that_cannot_stream_is_read_whole(client: httpx.Client, provider: Provider) -> None:
    provider.answer = lambda handler, body: send_json(handler, completion({"content": "Yes."}))
    assert asked(client, stream=True).json()["choices"][0]["message"]["content"] == "Yes."


def test_an_asker_who_goes_away_lets_the_upstream_go(client: httpx.Client, provider: Provider) -> None:
    ended: list[str] = []

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        try:
            send_pieces(handler, (events(chunk({"content": "x" * 1000})) for _ in iter(lambda: time.sleep(0.01), 1)))
        except OSError:
            ended.append("gone")

    provider.answer = answer
    with client.stream("POST", "/v1/chat/completions", json={**ASKED, "stream": True}) as streamed:
        next(streamed.iter_bytes())
    give_up = time.monotonic() + 20
    while not ended and time.monotonic() < give_up:
        time.sleep(0.02)
    assert ended == ["gone"]


def test_a_server_without_an_upstream_sends_nothing() -> None:
    with running(Config()) as client:
        for path in ("chat/completions", "completions", "embeddings", "responses"):
            assert error_of(client.post(f"/v1/{path}", json=ASKED)) == (404, "no_upstream")
        assert error_of(client.get("/v1/models")) == (404, "no_upstream")


@pytest.fixture
def dead_port() -> Iterator[int]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        yield one.getsockname()[1]


async def _code(upstream: Upstream) -> str:
    try:
        async with upstream.send("POST", "/x", b"{}") as answer:
            return str((await answer.data())["choices"][0]["message"]["content"])
    except ApiError as error:
        return error.code
    finally:
        await upstream.aclose()


def test_nobody_listens(dead_port: int) -> None:
    assert asyncio.run(_code(Upstream(f"http://127.0.0.1:{dead_port}"))) == "upstream_unreachable"


@pytest.mark.parametrize(
    ("addresses", "code"),
    [
        ([["127.0.0.1"]], "upstream_forbidden"),
        ([["8.8.8.8", "127.0.0.1"]], "upstream_forbidden"),
        ([["::ffff:127.0.0.1"]], "upstream_forbidden"),
        ([["169.254.169.254"]], "upstream_forbidden"),
        ([["fe80::1%eth0"]], "upstream_forbidden"),
        ([["no address"]], "upstream_forbidden"),
        ([[]], "upstream_unreachable"),
    ],
)
def test_a_name_of_a_private_place_is_not_connected_to(
    provider: Provider, addresses: list[list[str]], code: str
) -> None:
    provider.forget()

    async def look_up(host: str, port: int) -> list[str]:
        return addresses[0]

    upstream = Upstream(f"http://models.example:{provider.port}", addresses=look_up)
    assert asyncio.run(_code(upstream)) == code and provider.got == b""


def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(provider: Provider) -> None:
    """A name server that answers with a private place the second time gets no request there."""
    asked_for: list[str] = []
    provider.answer, said = repeating(), completion({"content": "Yes."})
    provider.answer = lambda handler, body: send_json(handler, said)

    async def look_up(host: str, port: int) -> list[str]:
        asked_for.append(host)
        return ["127.0.0.1"] if len(asked_for) == 1 else ["169.254.169.254"]

    provider.forget()
    upstream = Upstream(f"http://models.example:{provider.port}/v1", private=True, addresses=look_up)
    assert asyncio.run(_code(upstream)) == "Yes."
    assert asked_for == ["models.example"] and provider.headers[0]["host"] == f"models.example:{provider.port}"


def test_link_local_places_are_refused_even_where_private_ones_are_allowed() -> None:
    async def look_up(host: str, port: int) -> list[str]:
        return ["169.254.169.254"]

    assert (
        asyncio.run(_code(Upstream("http://metadata.example", private=True, addresses=look_up))) == "upstream_forbidden"
    )
    assert asyncio.run(_code(Upstream("http://169.254.169.254"))) == "upstream_forbidden"


@pytest.mark.parametrize(
    ("address", "public", "near"),
    [
        ("8.8.8.8", True, False),
        ("2606:4700:4700::1111", True, False),
        ("127.0.0.1", False, True),
        ("127.9.9.9", False, True),
        ("10.1.2.3", False, True),
        ("172.16.0.1", False, True),
        ("192.168.1.1", False, True),
        ("::1", False, True),
        ("fd00::1", False, True),
        ("::ffff:10.0.0.1", False, True),
        ("169.254.169.254", False, False),
        ("::ffff:169.254.169.254", False, False),
        ("fe80::1", False, False),
        ("0.0.0.0", False, False),
        ("::", False, False),
        ("255.255.255.255", False, False),
        ("224.0.0.1", False, False),
        ("ff02::1", False, False),
        ("100.64.0.1", False, False),
        ("64:ff9b::7f00:1", False, False),
        ("64:ff9b::a9fe:a9fe", False, False),
        ("64:ff9b::808:808", False, False),
        ("2002:7f00:1::", False, False),
        ("2002:c0a8:101::", False, False),
        ("2002:a9fe:a9fe::", False, False),
        ("64:ff9b:1::a9fe:a9fe", False, False),
        ("fd00:ec2::254", False, False),
    ],
)
def test_addresses(address: str, public: bool, near: bool) -> None:
    found = literal(address)
    assert found is not None and (is_public(found), is_near(found)) == (public, near)


@pytest.mark.parametrize(
    "url",
    [
        "", "models.example", "ftp://models.example", "http://", "http://a.example?x=1", "http://[",
        "http://u:p@a.example/v1", "http://a.example:99999/", "file:///etc/passwd",
    ],
)  # fmt: skip
def test_what_is_no_base_url_is_refused(url: str) -> None:
    with pytest.raises(ParameterError, match=r"^upstream must be .*; got ") as caught:
        Upstream(url)
    assert "passwd" not in str(caught.value)


def test_hosts_that_are_allowed() -> None:
    Upstream("https://API.example/v1", hosts=("api.example", "b.example"))
    with pytest.raises(ParameterError, match="upstream_hosts"):
        Upstream("https://c.example/v1", hosts=("api.example",))


def test_a_key_goes_nowhere_unencrypted() -> None:
    with pytest.raises(ParameterError, match="unencrypted"):
        Upstream("http://api.example/v1", key=KEY)
    for url in ("https://api.example/v1", "http://127.0.0.1:1/v1", "http://localhost/v1"):
        assert KEY not in repr(Upstream(url, key=KEY))


def test_a_base_url_without_a_path_means_the_first_version(provider: Provider) -> None:
    provider.answer = lambda handler, body: send_json(handler, completion({"content": "Yes."}))
    for url in (f"http://127.0.0.1:{provider.port}", f"http://127.0.0.1:{provider.port}/", provider.url):
        provider.forget()
        assert asyncio.run(_code(Upstream(url))) == "Yes." and provider.paths == ["/v1/x"]
