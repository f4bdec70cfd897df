"""However many connections strangers open, they take no place of a caller, and health answers."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running, serving

from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.guard import Guard
from textveil.server.keys import ApiKeys, Callers
from textveil.server.monitoring import ServerMetrics

SOCKETS = 256


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    config = Config(body_seconds=60, key_requests=2, requests_per_second=0)
    with contextlib.closing(ApiKeys(f"sqlite:///{tmp_path_factory.mktemp('keys') / 'keys.db'}")) as keys:
        owners = {"ward": ("ward",), "other": ("other",)}
        made = {name: keys.create(*owner)[1] for name, owner in owners.items()}
        made["admin"] = keys.create("root", admin=True)[1]
        with serving(make_app(config, ledger=MemoryLedger(), keys=keys), config) as client:
            yield client, made


@contextlib.contextmanager
def slow_bodies(client: httpx.Client, count: int, *headers: str) -> Iterator[list[socket.socket]]:
    """Connections that announce a body of a thousand bytes and send two."""
    lines = [f"Host: {client.base_url.netloc.decode()}", "Content-Type: application/json", "Content-Length: 1000"]
    head = "\r\n".join(["POST /v1/sanitize HTTP/1.1", *lines, *headers, "", '{"'])
    with contextlib.ExitStack() as opened:
        sockets = []
        for _ in range(count):
            connection = opened.enter_context(
                socket.create_connection((client.base_url.host, client.base_url.port), timeout=60)
            )
            connection.sendall(head.encode())
            sockets.append(connection)
        yield sockets


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.mark.parametrize("header", ["X-None: 1", "Authorization: Bearer tv_0123456789abcdef_" + "a" * 43])
def test_256_slow_bodies_of_a_stranger_block_nobody(served: tuple[httpx.Client, dict[str, str]], header: str) -> None:
    client, keys = served
    with slow_bodies(client, SOCKETS, header) as sockets:
        answer = client.post("/v1/sanitize", json={"text": "a"}, headers=_bearer(keys["ward"]))
        assert answer.status_code == 200
        assert client.get("/healthz").status_code == 200
        counted = client.get("/metrics", headers=_bearer(keys["admin"]))
        assert counted.status_code == 200 and "textveil_requests_under_way 0.0" in counted.text
        assert client.get("/metrics").status_code == 401
        for connection in sockets:
            with connection.makefile("rb") as read:
                assert read.readline().startswith(b"HTTP/1.1 401 ")
                assert b"connection: close" in read.read(), "the rest of its body is not waited for"


def test_a_large_body_without_a_key_is_read_over_so_that_its_sender_reads_the_answer(
    served: tuple[httpx.Client, dict[str, str]],
) -> None:
    client, _ = served
    answer = client.post("/v1/sanitize", json={"text": "a" * 2**20})
    assert answer.status_code == 401 and answer.json()["error"]["code"] == "invalid_api_key"


def test_a_key_holds_its_own_places_alone(served: tuple[httpx.Client, dict[str, str]]) -> None:
    client, keys = served
    with slow_bodies(client, 2, f"Authorization: Bearer {keys['ward']}"):
        for _ in range(1000):
            answer = client.get("/v1/policies", headers=_bearer(keys["ward"]))
            if answer.status_code == 429:
                break
        assert answer.status_code == 429 and answer.json()["error"]["code"] == "rate_limit_exceeded"
        assert client.get("/v1/policies", headers=_bearer(keys["other"])).status_code == 200


def test_health_answers_on_a_server_without_keys_though_every_place_is_taken() -> None:
    config = Config(concurrent_requests=2, body_seconds=60, requests_per_second=0)
    with running(config) as client, slow_bodies(client, 2):
        for _ in range(1000):
            answer = client.get("/v1/policies")
            if answer.status_code == 503:
                break
        assert answer.status_code == 503 and answer.json()["error"]["code"] == "overloaded"
        assert client.get("/healthz").status_code == 200 and client.get("/metrics").status_code == 200


def _scope(app: Any, host: str, path: str = "/docs", **headers: str) -> dict[str, Any]:
    state = {"type": "http", "method": "GET", "path": path, "app": app, "client": (host, 1), "state": {}}
    return state | {"headers": [(name.encode(), value.encode()) for name, value in headers.items()]}


@pytest.mark.parametrize(
    ("same", "another"), [("192.0.2.1", "192.0.2.2"), ("2001:db8::1:2", "2001:db8:0:1::2")], ids=["IPv4", "IPv6"]
)
def test_pages_that_strangers_ask_for_and_never_read_take_the_places_of_their_address_alone(
    tmp_path: Path, same: str, another: str
) -> None:
    async def attacked(keys: ApiKeys, key: str) -> None:
        taken, never = asyncio.Semaphore(0), asyncio.Event()

        async def slow(scope: Any, receive: Any, send: Any) -> None:
            if scope["headers"] == []:
                taken.release()
                await never.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        app = SimpleNamespace(state=SimpleNamespace(callers=Callers(keys)))
        config = Config(concurrent_requests=8, stranger_requests=3, host="0.0.0.0")
        guard, statuses = Guard(slow, config=config, metrics=ServerMetrics()), []

        async def send(message: Any) -> None:
            statuses.append(message.get("status"))

        async def asked(host: str, **headers: str) -> None:
            await guard(_scope(app, host, **headers), asyncio.Event().wait, send)

        strangers = [asyncio.create_task(asked(same)) for _ in range(3)]
        for _ in strangers:
            await taken.acquire()
        await asked("2001:db8::9" if ":" in same else same)
        assert statuses[0] == 429
        await asked(another, x="1")
        await guard(_scope(app, same, authorization=f"Bearer {key}"), _empty, send)
        assert [status for status in statuses[1:] if status] == [200, 200]
        never.set()
        await asyncio.gather(*strangers)
        app.state.callers.close()

    with contextlib.closing(ApiKeys(f"sqlite:///{tmp_path / 'keys.db'}")) as keys:
        asyncio.run(attacked(keys, keys.create("ward")[1]))


async def _empty() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


@pytest.mark.parametrize(
    "name", ["Host", "Origin", "Authorization", "X-Api-Key", "X-Textveil-Unit", "X-Textveil-Policy", "Content-Type"]
)
@pytest.mark.parametrize("path", ["/v1/sanitize", "/v1/chat/completions", "/healthz"])
def test_a_header_that_occurs_twice_is_refused(
    served: tuple[httpx.Client, dict[str, str]], name: str, path: str
) -> None:
    client, keys = served
    own = {"Host": client.base_url.netloc.decode(), "Content-Type": "application/json", **_bearer(keys["ward"])}
    values = [own.get(name, "one"), "two"]
    for first, second in (values, reversed(values)):
        headers = [*(f"{key}: {value}" for key, value in own.items() if key != name), f"{name}: {first}"]
        head = "\r\n".join(
            [f"POST {path} HTTP/1.1", *headers, f"{name.lower()}: {second}", "Connection: close", "", ""]
        )
        with socket.create_connection((client.base_url.host, client.base_url.port), timeout=60) as connection:
            connection.sendall(head.encode())
            with connection.makefile("rb") as read:
                answer = read.read()
        assert answer.startswith(b"HTTP/1.1 400 ") and b"invalid_header" in answer and b"must occur once" in answer
