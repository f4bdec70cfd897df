"""Limits, headers, logs and counters around every route, over real connections."""

import contextlib
import io
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running, serving

from textveil.server.config import Config
from textveil.server.monitoring import LogLines

NOTE = "CANARY Maria Gonzalez"


def _raw(client: httpx.Client, sent: bytes, *, seconds: float = 10) -> bytes:
    """What a server answers to these bytes, until it closes."""
    with socket.create_connection((client.base_url.host, client.base_url.port), timeout=seconds) as connection:
        connection.sendall(sent)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def _head(client: httpx.Client, *more: str) -> bytes:
    lines = ["POST /v1/sanitize HTTP/1.1", f"Host: {client.base_url.netloc.decode()}", *more]
    return "\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode()


@pytest.fixture(scope="module")
def small() -> Iterator[httpx.Client]:
    with running(Config(body_bytes=2000, body_seconds=0.5, send_seconds=0.5)) as client:
        yield client


def test_a_body_that_is_too_large_is_refused_before_it_is_read(small: httpx.Client) -> None:
    answer = _raw(small, _head(small, f"Content-Length: {100 * 2**20}"))
    assert answer.startswith(b"HTTP/1.1 413 ") and b'"code":"body_too_large"' in answer


def test_a_body_that_tells_no_length_is_refused_when_it_grows_too_large(small: httpx.Client) -> None:
    chunk = b"%x\r\n%b\r\n" % (1500, b" " * 1500)
    answer = _raw(small, _head(small, "Transfer-Encoding: chunked") + chunk + chunk)
    assert answer.startswith(b"HTTP/1.1 413 ") and b"at most 2000 bytes" in answer


def test_a_body_that_is_large_enough_passes(small: httpx.Client) -> None:
    assert small.post("/v1/sanitize", json={"text": "a" * 1900}).status_code == 200


@pytest.mark.parametrize("sent", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_body_that_does_not_come_is_not_waited_for(small: httpx.Client, sent: str) -> None:
    answer = _raw(small, _head(small, sent) + b"4\r\n")
    assert answer.startswith(b"HTTP/1.1 408 ") and b'"code":"request_timeout"' in answer


@pytest.mark.parametrize("sent", [b"", b"P", b"POST /v1/sanitize HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(small: httpx.Client, sent: bytes) -> None:
    with contextlib.suppress(ConnectionResetError):
        assert _raw(small, sent) == b""


def test_the_next_head_on_a_connection_is_waited_for_no_longer(small: httpx.Client) -> None:
    whole = f"GET /healthz HTTP/1.1\r\nHost: {small.base_url.netloc.decode()}\r\n\r\n".encode()
    with contextlib.suppress(ConnectionResetError):  # a server that waits is a TimeoutError of the socket
        assert _raw(small, whole + b"GET /hea").startswith(b"HTTP/1.1 200 ")


class _Endless:
    """An application that sends as long as somebody takes it, and a gigabyte at the most."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            raise RuntimeError
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(1024):
                await send({"type": "http.response.body", "body": b" " * 2**20, "more_body": True})
        finally:
            self.ended.set()


def test_a_head_that_does_not_end_ends_the_connection() -> None:
    sent = b"GET /healthz HTTP/1.1\r\nX: " + b"a" * 2**20
    with serving(_Endless(), Config()) as client, pytest.raises((ConnectionError, AssertionError)):
        assert _raw(client, sent, seconds=5) != b""


def test_a_reader_that_takes_nothing_is_cut_off() -> None:
    endless = _Endless()
    with serving(endless, Config(send_seconds=0.3)) as client, socket.socket() as connection:
        connection.settimeout(30)
        connection.connect((client.base_url.host, client.base_url.port))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert endless.ended.wait(20), "it is cut off though nothing is taken"
        taken = 0
        with contextlib.suppress(ConnectionResetError):
            while part := connection.recv(2**20):
                taken += len(part)
        assert taken < 2**29  # what lay in the buffers, and nothing that was sent later


def test_what_is_no_http_is_told_in_the_shape_of_all_errors(small: httpx.Client) -> None:
    answer = _raw(small, b"CANARY\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ") and b"invalid_http" in answer and b"CANARY" not in answer


def test_more_requests_than_are_answered_at_one_time_are_told_to_come_again() -> None:
    with running(Config(concurrent_requests=1)) as client, socket.socket() as waiting:
        waiting.connect((client.base_url.host, client.base_url.port))
        waiting.sendall(_head(client, "Content-Length: 100"))
        give_up = time.monotonic() + 20
        while (answer := client.get("/v1/policies")).status_code != 503:
            assert time.monotonic() < give_up
        assert answer.json()["error"]["code"] == "overloaded" and answer.headers["retry-after"] == "1"
        waiting.close()
        while client.get("/v1/policies").status_code != 200:
            assert time.monotonic() < give_up


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::1"])
def test_a_name_that_is_not_the_servers_is_refused(small: httpx.Client, host: str) -> None:
    answer = small.post("/v1/sanitize", json={"text": "x"}, headers={"host": host})
    assert answer.status_code == 421 and answer.json()["error"]["code"] == "unknown_host"


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_pages_of_another_origin_are_refused(small: httpx.Client, origin: str) -> None:
    answer = small.post("/v1/sanitize", json={"text": "x"}, headers={"origin": origin})
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "other_origin"
    assert "access-control-allow-origin" not in answer.headers


def test_its_own_page_may_call_it(small: httpx.Client) -> None:
    own = str(small.base_url).rstrip("/")
    assert small.post("/v1/sanitize", json={"text": "x"}, headers={"origin": own}).status_code == 200


def test_other_names_are_taken_where_the_configuration_has_them() -> None:
    with running(Config(hosts=("veil.example",))) as client:
        assert client.get("/healthz", headers={"host": "veil.example"}).status_code == 200
        assert client.get("/healthz", headers={"host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("path", ["/healthz", "/nothing", "/v1/policies"])
def test_every_answer_has_the_headers_that_keep_browsers_in(small: httpx.Client, path: str) -> None:
    headers = small.get(path).headers
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert len(headers["x-request-id"]) == 16 and "server" not in headers


class Broken(MemoryLedger):
    def reserve(self, account: object, cost: object) -> int:
        raise RuntimeError(f"no row for {NOTE}")


def test_what_nobody_foresaw_is_told_and_logged_without_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="textveil")
    lines, handler = io.StringIO(), logging.StreamHandler()
    handler.setStream(lines)
    handler.setFormatter(LogLines())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with running(ledger=Broken()) as client:
            assert client.post("/v1/sanitize?CANARY", json={"text": NOTE}).status_code == 400
            answer = client.post("/v1/sanitize", json={"text": NOTE}, headers={"x-canary": NOTE})
            assert answer.status_code == 500 and answer.json()["error"]["code"] == "internal_error"
            client.post("/CANARY", content=NOTE)
            client.post("/v1/sanitize", json={"text": NOTE, NOTE: NOTE, "policy": NOTE})
            _raw(client, b"CANARY / CANARY\r\n\r\n")
            counted = client.get("/metrics").text
    finally:
        root.removeHandler(handler)
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    places = [one["place"] for one in told if one["message"] == "internal error"]
    assert len(places) == 1 and places[0].startswith("RuntimeError in test_guard")
    requests = [(one["route"], one["status"], one.get("code")) for one in told if one["message"] == "request"]
    wanted = [
        ("/v1/sanitize", 400, "unknown_field"),
        ("/v1/sanitize", 500, "internal_error"),
        ("other", 404, "not_found"),
        ("/v1/sanitize", 400, "unknown_field"),
    ]
    following = iter(requests)  # the last lines of another test's server may stand among them
    assert all(request in following for request in wanted), requests
    assert 'textveil_requests_total{method="POST",route="/v1/sanitize",status="500"} 1.0' in counted
    for text in (lines.getvalue(), counted, answer.text):
        assert "CANARY" not in text and "Gonzalez" not in text


def test_messages_of_other_packages_are_logged_without_what_was_put_into_them() -> None:
    record = logging.LogRecord("httpx", logging.WARNING, "", 0, "sent %s", (NOTE,), None)
    assert json.loads(LogLines().format(record))["message"] == "sent %s"
    record = logging.LogRecord("httpx", logging.WARNING, "", 0, ValueError(NOTE), (), None)
    assert json.loads(LogLines().format(record))["message"] == "ValueError"


def test_releases_are_counted_by_policy(small: httpx.Client) -> None:
    small.post("/v1/sanitize", json={"text": ["a", "b"], "policy": "clinical"})
    counted = small.get("/metrics").text
    assert 'textveil_releases_total{policy="clinical"} 2.0' in counted
    assert 'textveil_request_seconds_count{route="/v1/sanitize"}' in counted
