"""The gate before LiteLLM's proxy, around an application that keeps all it is given."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from textveil.errors import ParameterError
from textveil.server.litellm_gate import STAND_IN, Gate, Withheld, withheld

CANARY = "Zyxwell"
MESSAGES = [{"role": "user", "content": CANARY}]
CHAT = {"model": "m", "messages": MESSAGES}
JSON = {"content-type": "application/json"}


class Inner:
    """Stands for LiteLLM."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.bodies: list[bytes] = []
        self.requests: list[Withheld | None] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scopes.append(scope)
        self.requests.append(withheld())
        if scope["type"] == "http":
            self.bodies.append(await Request(scope, receive).body())
            await PlainTextResponse("inner")(scope, receive, send)

    @property
    def got(self) -> str:
        kept = ("path", "query_string", "headers")
        return str([{name: scope[name] for name in kept} for scope in self.scopes]) + str(self.bodies)


@pytest.fixture
def inner() -> Inner:
    return Inner()


def call(inner: Inner, method: str, url: str, routes: Any = (), opened: Any = (), **sent: Any) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(Gate(inner, routes, opened))
        async with httpx.AsyncClient(transport=transport, base_url="http://proxy") as client:
            answer = await client.request(method, url, **sent)
            assert withheld() is None
            return answer

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "needed"),
    [
        ("/v1/chat/completions", "messages"),
        ("/chat/completions", "messages"),
        ("/engines/m/chat/completions", "messages"),
        ("/openai/deployments/a/b.c/completions", "prompt"),
        ("/v1/completions", "prompt"),
        ("/v1/embeddings", "input"),
    ],
)
def test_a_request_goes_in_as_its_stand_in(inner: Inner, path: str, needed: str) -> None:
    body = {"model": "m", needed: MESSAGES if needed == "messages" else CANARY, "litellm_params": {"a": CANARY}}
    headers = {"authorization": "Bearer k", "x-litellm-tags": CANARY, "user-agent": CANARY, "cookie": CANARY}
    assert call(inner, "POST", f"{path}?api-version={CANARY}", json=body, headers=headers).text == "inner"
    assert CANARY not in inner.got and "Bearer k" in inner.got
    stand_in = [{"role": "user", "content": STAND_IN}] if needed == "messages" else STAND_IN
    assert json.loads(inner.bodies[0]) == {"model": "m", needed: stand_in}
    request = inner.requests[0]
    assert request is not None and request.asked == body and request.kind.needed == (needed,)


def test_numbers_switches_the_user_and_a_digest_of_the_session_are_shown(inner: Inner) -> None:
    body = {
        **CHAT, "stream": True, "temperature": 0.5, "n": 10**40, "stop": CANARY, "tools": [CANARY], "seed": CANARY,
        "stream_options": {"include_usage": True, "a": CANARY}, "timeout": 3, "num_retries": CANARY, "ssn": 123456789,
        "user": "maria", "metadata": {"session_id": CANARY, "tags": [CANARY]},
    }  # fmt: skip
    call(inner, "POST", "/v1/chat/completions", json=body)
    shown = json.loads(inner.bodies[0])
    assert len(shown.pop("litellm_session_id")) == 32 and CANARY not in inner.got
    assert shown == {
        "model": "m", "messages": [{"role": "user", "content": STAND_IN}], "stream": True, "temperature": 0.5,
        "stream_options": {"include_usage": True}, "timeout": 3, "user": "maria",
    }  # fmt: skip


def test_one_session_has_one_name_however_it_is_told(inner: Inner) -> None:
    gate = Gate(inner)
    told = [
        ({"litellm_session_id": "a"}, {}),
        ({"metadata": {"session_id": "a"}}, {}),
        ({}, {"x-litellm-session-id": "a"}),
        ({"litellm_session_id": "\ud800"}, {}),
    ]

    async def run() -> None:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(gate), base_url="http://proxy") as client:
            for fields, headers in told:
                content = json.dumps({**CHAT, **fields})
                await client.post("/chat/completions", content=content, headers={**headers, **JSON})

    asyncio.run(run())
    names = [json.loads(body)["litellm_session_id"] for body in inner.bodies]
    assert len(names) == 4 and len(set(names)) == 2 and names[0] == names[2]


def test_what_litellm_sets_meanwhile_is_kept() -> None:
    """An alias of the model, an option of its own; never what it made of the stand-in."""
    asked = {**CHAT, "stream": True, "stop": "x", "timeout": "y", "litellm_session_id": "z"}
    inner = Inner()
    call(inner, "POST", "/chat/completions", json=asked)
    request = inner.requests[0]
    assert request is not None
    data = {**request.shown, "model": "other", "stream_options": {"include_usage": True}, "metadata": {"a": 1}}
    assert request.body(data) == {
        **CHAT, "model": "other", "stream": True, "stop": "x", "timeout": "y",
        "stream_options": {"include_usage": True},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/messages/count_tokens"),
        ("POST", "/v1/responses/input_tokens"),
        ("POST", "/utils/token_counter"),
        ("POST", "/v1/responses"),
        ("POST", "/v1/models"),
        ("POST", "/v1/chat/completions/"),
        ("POST", f"/openai/deployments/{CANARY} m/chat/completions"),
        ("PUT", "/v1/chat/completions"),
        ("GET", "/v1/chat/completions"),
        ("GET", f"/v1/models/{CANARY}"),
        ("GET", "/v1/files/f"),
        ("GET", "/"),
        ("OPTIONS", "/v1/messages"),
        ("POST", "/keys"),
        ("POST", "/unheard/of"),
    ],
)
def test_every_other_route_is_blocked(inner: Inner, method: str, path: str) -> None:
    answer = call(inner, method, path, routes=["/key"], json=CHAT)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unsupported_call")
    assert inner.scopes == [] and CANARY not in answer.text


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/models"), ("GET", "/health/readiness"), ("OPTIONS", "/v1/chat/completions")],
)
def test_what_tells_of_the_proxy_goes_in_without_anything_of_the_client(inner: Inner, method: str, path: str) -> None:
    call(inner, method, f"{path}?q={CANARY}", json=CHAT, headers={"x-other": CANARY, "origin": "http://a"})
    assert CANARY not in inner.got and "http://a" in inner.got and inner.requests == [None]


def test_what_the_operator_opens_goes_in_as_it_is(inner: Inner) -> None:
    for path in ("/key", "/key/info"):
        call(inner, "POST", f"{path}?q={CANARY}", routes=["/key"], json=CHAT, headers={"x-other": CANARY})
    assert inner.got.count(CANARY) == 6 and inner.requests == [None, None]


def test_a_header_that_the_operator_opens_goes_in(inner: Inner) -> None:
    call(inner, "POST", "/chat/completions", opened=["X-Other"], json=CHAT, headers={"x-other": "o", "x-another": "o"})
    names = [name for name, _ in inner.scopes[0]["headers"]]
    assert b"x-other" in names and b"x-another" not in names


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        ({"content": json.dumps(CHAT)}, 415, "unsupported_media_type"),
        ({"data": {"messages": CANARY}}, 415, "unsupported_media_type"),
        ({"files": {"messages": CANARY}}, 415, "unsupported_media_type"),
        ({"json": [CANARY]}, 400, "invalid_json"),
        ({"json": {"messages": MESSAGES, "model": f"{CANARY} m"}}, 400, "invalid_value"),
        ({"json": {"messages": MESSAGES, "model": [CANARY]}}, 400, "invalid_value"),
        ({"content": b'{"user": "Zyxwell", "user": ""}', "headers": JSON}, 400, "duplicate_field"),
        ({"content": b" " * (32 * 2**20 + 1), "headers": JSON}, 413, "body_too_large"),
    ],
)  # fmt: skip
def test_what_is_no_request_does_not_go_in(inner: Inner, sent: dict[str, Any], status: int, code: str) -> None:
    answer = call(inner, "POST", "/v1/chat/completions", **sent)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert inner.scopes == [] and CANARY not in answer.text


def test_websockets_are_closed_and_the_start_of_the_proxy_goes_through(inner: Inner) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    def scope(kind: str, path: str = "/v1/realtime") -> Scope:
        return {"type": kind, "path": path, "headers": [], "query_string": b""}

    gate = Gate(inner, ["/open"])
    asyncio.run(gate(scope("websocket"), receive, send))
    assert sent == ["websocket.close"] and inner.scopes == []
    asyncio.run(gate(scope("websocket", "/open/a"), receive, send))
    asyncio.run(gate({"type": "lifespan"}, receive, send))
    assert [one["type"] for one in inner.scopes] == ["websocket", "lifespan"]


def test_a_client_that_goes_away_is_let_go(inner: Inner) -> None:
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Any:
        return messages.pop(0)

    scope = {"type": "http", "method": "POST", "path": "/chat/completions", "query_string": b""}
    asyncio.run(Gate(inner)({**scope, "headers": [(b"content-type", b"application/json")]}, receive, receive))
    assert inner.scopes == []


def test_a_root_path_is_no_part_of_a_route(inner: Inner) -> None:
    for path in ("/proxy/v1/models", "/v1/models"):
        scope = {"type": "http", "method": "GET", "path": path, "root_path": "/proxy", "headers": []}

        async def ignored(*message: Any) -> Any:
            return {"type": "http.request"}

        asyncio.run(Gate(inner)(scope, ignored, ignored))
    assert len(inner.scopes) == 2


@pytest.mark.parametrize(
    ("routes", "headers", "told"),
    [
        (["/"], [], "unread_routes"),
        (["key"], [], "unread_routes"),
        (["/key/"], [], "unread_routes"),
        ("/key", [], "unread_routes"),
        ([7], [], "unread_routes"),
        ([], ["a b"], "unread_headers"),
        ([], "x-other", "unread_headers"),
    ],
)
def test_settings_that_open_too_much_or_nothing_are_refused(inner: Inner, routes: Any, headers: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        Gate(inner, routes, headers)
