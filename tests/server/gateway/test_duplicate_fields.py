"""Bodies that say a thing twice, or come encoded: refused by their place, without their text, and not sent on."""

import contextlib
import gzip
import json
from types import ModuleType

import httpx
import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.canaries import NAME
from tests.helpers.servers import MemoryLedger, running
from tests.helpers.upstream import Provider

from textveil.server.bodies import request_json
from textveil.server.config import Config
from textveil.server.errors import ApiError

JSON = {"content-type": "application/json"}
CHAT = "/v1/chat/completions"
TWICE = [
    ("/v1/sanitize", '{"text": "%s", "text": "b"}', "text"),
    ("/v1/sanitize", '{"text": ["%s"], "unit": "a", "unit": "a"}', "unit"),
    ("/v1/sanitize", '{"text": "%s", "policy": {"a": 1, "a": 2}}', "policy.a"),
    ("/v1/sanitize", '{"text": "%s", "te\\u0078t": "b"}', "text"),
    ("/v1/detect", '{"text": "b", "text": "%s"}', "text"),
    ("/page/restore", '{"text": "b", "maps": [{"text": "a", "pieces": [], "pieces": ["%s"]}]}', "maps[0].pieces"),
    (CHAT, '{"model": "m", "model": "n", "messages": [{"role": "user", "content": "%s"}]}', "model"),
    (
        CHAT,
        '{"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "", "role": "user", "content": "%s"}]}',
        "messages[1].role",
    ),
    (CHAT, '{"model": "m", "messages": [], "messages": [{"role": "user", "content": "%s"}]}', "messages"),
    (CHAT, '{"model": "m", "x %s": {"%s!": 1, "%s!": 2}}', "(a field).(a field)"),
    ("/v1/embeddings", '{"model": "m", "input": ["%s"], "input": "a"}', "input"),
]


def _refused(answer: httpx.Response, status: int, code: str, param: str | None) -> None:
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["param"]) == (status, code, param), error
    assert set(error) == {"message", "type", "param", "code"} and error["type"] == "invalid_request_error"
    assert NAME not in answer.text


@pytest.mark.parametrize(("path", "body", "place"), TWICE)
def test_a_field_that_occurs_twice_is_refused_by_its_place(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, path: str, body: str, place: str
) -> None:
    answer = client.post(path, content=body.replace("%s", NAME), headers=JSON)
    _refused(answer, 400, "duplicate_field", place)
    assert ledger.calls == [] and provider.got == b""


def test_the_first_key_that_occurs_twice_is_found_among_a_million_characters_of_others() -> None:
    others = ", ".join(f'"{number}": 1' for number in range(100_000))
    with pytest.raises(ApiError) as refused:
        request_json(f'{{{others}, "text": 1, "text": 2}}'.encode())
    assert refused.value.param == "text"


def test_equal_fields_of_different_objects_are_no_field_twice(client: httpx.Client, provider: Provider) -> None:
    messages = [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]
    assert client.post(CHAT, json={"model": "m", "messages": messages}).status_code == 200
    said = json.dumps({"a": 1})[:-1] + ', "a": 2}'  # JSON within a text is the text's
    assert client.post("/v1/sanitize", json={"text": said}).status_code == 200


@pytest.mark.parametrize("path", ["/v1/sanitize", CHAT, "/v1/nothing"])
@pytest.mark.parametrize("encodings", [["gzip"], ["GZIP"], ["br"], ["identity", "deflate"], ["identity, x"]])
def test_a_body_that_is_encoded_is_refused(
    client: httpx.Client, provider: Provider, ledger: MemoryLedger, path: str, encodings: list[str]
) -> None:
    body = gzip.compress(json.dumps({"text": NAME}).encode())
    headers = [*JSON.items(), *(("content-encoding", one) for one in encodings)]
    answer = client.post(path, content=body, headers=headers)
    _refused(answer, 415, "unsupported_encoding", None)
    assert answer.headers["accept-encoding"] == "identity" and ledger.calls == [] and provider.got == b""


def test_a_body_that_says_it_is_not_encoded_is_taken(client: httpx.Client) -> None:
    headers = {"content-encoding": "identity"}
    assert client.post("/v1/sanitize", json={"text": "Hello."}, headers=headers).status_code == 200


@pytest.fixture
def attacks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded_attack("gateway_fields", monkeypatch)


@pytest.mark.slow
def test_hostile_requests_bring_nothing_to_the_upstream(attacks: ModuleType) -> None:
    with contextlib.ExitStack() as held:
        upstream = held.enter_context(contextlib.closing(attacks.Upstream()))
        client = held.enter_context(running(Config(upstream=upstream.url, requests_per_second=0)))
        outcome = attacks.attack(client, upstream, requests=300, seed=3)
    assert outcome.went_on > 60 and (outcome.leaks, outcome.quotes) == (0, 0)


def test_the_attack_sees_what_comes_unread(attacks: ModuleType) -> None:
    with contextlib.ExitStack() as held:
        upstream = held.enter_context(contextlib.closing(attacks.Upstream()))
        client = held.enter_context(httpx.Client(base_url=upstream.url.removesuffix("/v1"), trust_env=False))
        outcome = attacks.attack(client, upstream, requests=20, seed=3)
    assert outcome.went_on == outcome.leaks == 20
