"""Was my request inspected? Headers, log, metrics and receipts, with the official clients."""

import base64
import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.helpers.canaries import CODE, NAME, NOTE, OTHER_CODE, PRIVATE, write_policy
from tests.helpers.servers import MemoryLedger, running, serving
from tests.helpers.upstream import UPSTREAM_KEY, Provider, message, say, saying, send_json

from textveil.budget.ledger import Ledger
from textveil.errors import InputError
from textveil.receipts import Left, read_receipt
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.keys import ApiKeys
from textveil.server.monitoring import LogLines
from textveil.version import VERSION

CHATS = "/v1/chat/completions"
BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": NOTE}]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_policy(tmp_path_factory.mktemp("policies"))


def config(folder: Path, provider: Provider, **more: Any) -> Config:
    own: dict[str, Any] = {"policy": "canaries", "policies": folder, "upstream_key": UPSTREAM_KEY}
    return Config(upstream=provider.url, receipt_key=folder / "signing.key", **own, **more)


@pytest.fixture(scope="module")
def signing(folder: Path, provider: Provider) -> Iterator[httpx.Client]:
    """A server that signs receipts, and tells counts to its clients alone."""
    with running(config(folder, provider), MemoryLedger()) as made:
        yield made


@pytest.fixture(autouse=True)
def nothing_asked(provider: Provider) -> None:
    provider.answer = say("Yes.")
    provider.forget()


def test_the_openai_client_reads_what_was_inspected(signing: httpx.Client, provider: Provider) -> None:
    openai = pytest.importorskip("openai")
    asked: Any = [{"role": "user", "content": f"{NOTE} And {NAME}, {CODE}, {OTHER_CODE}."}]
    with openai.OpenAI(base_url=f"{signing.base_url}/v1", api_key="none", max_retries=0) as client:
        raw = client.chat.completions.with_raw_response.create(model="m", messages=asked)
        plain = client.chat.completions.with_raw_response.create(
            model="m", messages=[{"role": "user", "content": "The sky is blue."}]
        )
    assert raw.headers["x-textveil-counts"] == "code=3, person=2"
    assert plain.headers["x-textveil-counts"] == "none"
    listed = {one["name"]: one["digest"] for one in signing.get("/v1/policies").json()["data"]}
    for answer in (raw, plain):
        assert answer.headers["x-textveil-policy"] == "canaries" and answer.headers["x-textveil-version"] == VERSION
        assert answer.headers["x-textveil-policy-digest"] == listed["canaries"]
        assert "x-textveil-receipt" not in answer.headers, "nobody asked for one"
    assert provider.heard(*PRIVATE) == []


@pytest.mark.parametrize("stream", [False, True])
def test_a_receipt_is_of_the_bytes_that_the_upstream_got(
    signing: httpx.Client, provider: Provider, stream: bool
) -> None:
    openai = pytest.importorskip("openai")
    provider.answer = saying(lambda body: "Yes.", 3) if stream else say("Yes.")
    headers = {"X-Textveil-Receipt": "signed"}
    with openai.OpenAI(base_url=f"{signing.base_url}/v1", api_key="none", max_retries=0) as client:
        raw = client.chat.completions.with_raw_response.create(
            model="m", messages=BODY["messages"], stream=stream, extra_headers=headers
        )
    data = base64.b64decode(raw.headers["x-textveil-receipt"], validate=True)
    key = signing.get("/v1/receipts/key").json()
    assert key["algorithm"] == "Ed25519"
    receipt = read_receipt(data, key["key"])
    assert receipt.left == Left.of("body of a request", provider.raw[0])
    assert receipt.facts["policy"]["name"] == "canaries" and receipt.facts["for_release"]
    assert receipt.facts["policy"]["digest"] == raw.headers["x-textveil-policy-digest"]
    assert not any(value.encode() in data for value in PRIVATE)
    assert "x-textveil-receipt" not in provider.headers[0], "the upstream gets none"
    with pytest.raises(InputError, match="another signed it"):
        read_receipt(data, "0" * 64)


def test_the_anthropic_client_gets_a_receipt(signing: httpx.Client, provider: Provider) -> None:
    anthropic = pytest.importorskip("anthropic")
    provider.answer = lambda handler, body: send_json(handler, message([{"type": "text", "text": "Yes."}]))
    with anthropic.Anthropic(base_url=str(signing.base_url), api_key="none", max_retries=0) as client:
        raw = client.messages.with_raw_response.create(
            model="m", max_tokens=9, messages=BODY["messages"], extra_headers={"X-Textveil-Receipt": "signed"}
        )
    receipt = read_receipt(base64.b64decode(raw.headers["x-textveil-receipt"]))
    assert receipt.left == Left.of("body of a request", provider.raw[0])
    assert raw.headers["x-textveil-counts"] == "code=1, person=1"


def test_a_receipt_of_a_request_without_a_text_has_the_policys_guarantee(
    signing: httpx.Client, provider: Provider
) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": ""}]}
    answer = signing.post(CHATS, json=asked, headers={"X-Textveil-Receipt": "signed"})
    receipt = read_receipt(base64.b64decode(answer.headers["x-textveil-receipt"]))
    assert receipt.left == Left.of("body of a request", provider.raw[0])
    assert answer.headers["x-textveil-counts"] == "none" and receipt.facts["implementation"]["mechanisms"]


@pytest.mark.parametrize("wanted", ["yes", "Signed", "", "signed, signed"])
def test_another_receipt_is_refused_and_nothing_is_sent(signing: httpx.Client, provider: Provider, wanted: str) -> None:
    answer = signing.post(CHATS, json=BODY, headers={"X-Textveil-Receipt": wanted})
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "invalid_header"
    assert provider.raw == []


def test_a_server_without_a_key_refuses_receipts(client: httpx.Client, provider: Provider) -> None:
    answer = client.post(CHATS, json=BODY, headers={"X-Textveil-Receipt": "signed"})
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "no_receipts" and provider.raw == []
    assert client.get("/v1/receipts/key").status_code == 404


def test_the_api_tells_counts_too(signing: httpx.Client) -> None:
    answer = signing.post("/v1/sanitize", json={"text": [NOTE, NAME]})
    assert answer.headers["x-textveil-counts"] == "code=1, person=2"


@pytest.mark.parametrize("told", ["client", "log"])
def test_counts_are_in_the_log_the_metrics_and_the_page_only_if_the_operator_says_so(
    folder: Path, provider: Provider, told: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with running(config(folder, provider, counts=told), MemoryLedger()) as server:
        answers = [server.post(CHATS, json=BODY) for _ in range(2)]
        for answer in answers:  # the texts of a conversation are counted in each of its requests
            assert answer.headers["x-textveil-counts"] == "code=1, person=1"
        page, metrics = server.get("/page/inspected").json(), server.get("/metrics").text
        listed = {one["name"]: one["digest"] for one in server.get("/v1/policies").json()["data"]}
    (row,) = page["policies"]
    assert (row["policy"], row["requests"], row["digest"]) == ("canaries", 2, listed["canaries"])
    assert page["version"] == VERSION and page["refused"] == 0
    assert 'textveil_inspected_total{policy="canaries"} 2.0' in metrics
    asked = {answer.headers["x-request-id"] for answer in answers}  # the server of another test may still write
    records = [record for record in caplog.records if getattr(record, "request", "") in asked]
    lines = [LogLines().format(record) for record in records]
    assert len(lines) == 2 and all(f'"digest": "{row["digest"]}", ' in line for line in lines)
    assert all(f'"version": "{VERSION}"' in line for line in lines)
    counted = told == "log"
    assert page["counts"] == counted and row["values"] == ({"code": 2, "person": 2} if counted else {})
    assert ('textveil_values_total{kind="person",policy="canaries"} 2.0' in metrics) == counted
    assert all(('"kinds": {"code": 1, "person": 1}' in line) == counted for line in lines)
    assert not any("kinds" in line for line in lines) or counted
    everything = "".join([*lines, metrics, str(page), caplog.text])
    assert not any(value in everything for value in PRIVATE)


def test_what_others_sent_is_shown_to_admins_alone(folder: Path, provider: Provider, tmp_path: Path) -> None:
    told = config(folder, provider)
    place = str(tmp_path / "ledger.sqlite")
    with Ledger(place) as ledger, contextlib.closing(ApiKeys(place)) as keys:
        (_, users), (_, admins) = keys.create("clinic"), keys.create("clinic", admin=True)
        with serving(make_app(told, ledger=ledger, keys=keys), told) as server:
            own, others = ({"authorization": f"Bearer {key}"} for key in (users, admins))
            assert server.get("/page/inspected", headers=own).status_code == 403
            assert server.get("/page/inspected", headers=others).status_code == 200
            assert server.post("/page/account", json={}, headers=own).json()["sees_inspections"] is False
            refused = server.post("/page/account", json={}, headers=others).json()
            assert refused["error"]["code"] == "admin_key", "by which the page knows an admin"
            assert server.get("/page/inspected").status_code == 401
            assert server.get("/v1/receipts/key").status_code == 200, "a public key is public"
