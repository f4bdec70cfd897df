"""The routes of the API, over HTTP."""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger

NOTE = "Maria Zyxwell, 44, was seen on 3 March 2024; call 617-555-0133."


@pytest.fixture(scope="module")
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture(scope="module")
def client(ledger: MemoryLedger) -> Iterator[httpx.Client]:
    with running(ledger=ledger) as made:
        yield made


def test_a_text_comes_back_sanitized_with_what_it_cost(client: httpx.Client) -> None:
    answer = client.post("/v1/sanitize", json={"text": NOTE})
    assert answer.status_code == 200
    data = answer.json()
    assert set(data) == {"text", "guarantee", "budget"}
    assert "Zyxwell" not in data["text"] and "617-555-0133" not in data["text"] and " was seen on " in data["text"]
    assert data["guarantee"]["text"] == "0-DP" and data["guarantee"]["policy"] == "identifiers"
    assert {one["kind"]: one["count"] for one in data["guarantee"]["by_kind"]}["person"] == 1
    assert data["budget"]["spent"]["epsilon"] == 0


def test_several_texts_of_one_person_have_one_price(client: httpx.Client) -> None:
    data = client.post("/v1/sanitize", json={"text": [NOTE, NOTE], "report": True}).json()
    assert len(data["text"]) == 2
    assert {one["kind"]: one["count"] for one in data["guarantee"]["by_kind"]}["person"] == 2
    assert data["report"]["documents"] == 2


def test_the_budget_is_taken_before_the_draw_and_noted_after(client: httpx.Client, ledger: MemoryLedger) -> None:
    ledger.calls.clear()
    client.post("/v1/sanitize", json={"text": NOTE})
    assert ledger.calls == ["reserve", "commit"]


@pytest.mark.parametrize(
    ("body", "status", "code", "param"),
    [
        (b"{", 400, "invalid_json", None),
        (b'{"text": "\xff"}', 400, "invalid_json", None),
        (b'{"text": 3}', 400, "invalid_field", "text"),
        (b"{}", 400, "invalid_field", "text"),
        (b"[]", 400, "invalid_field", None),
        (b'{"text": "CANARY", "delta": 3}', 400, "unknown_field", "delta"),
        (b'{"text": "CANARY", "epsilon": 3}', 400, "invalid_parameter", "epsilon"),
        (b'{"text": "CANARY", "policy": "all-words", "epsilon": 8.5}', 400, "invalid_parameter", "epsilon"),
        (b'{"text": "CANARY", "policy": "all-words", "epsilon": 1e999}', 400, "invalid_parameter", "epsilon"),
        (b'{"text": "CANARY", "policy": "all-words", "epsilon": "4"}', 400, "invalid_field", "epsilon"),
        (b'{"text": "CANARY", "policy": "all-words", "epsilon": true}', 400, "invalid_field", "epsilon"),
        (b'{"text": "CANARY", "CANARY is a text": 3}', 400, "unknown_field", "(a field)"),
        (b'{"text": "CANARY", "policy": "CANARY"}', 400, "invalid_parameter", "policy"),
        (b'{"text": "CANARY", "policy": "/etc/passwd.toml"}', 400, "invalid_parameter", "policy"),
        (b'{"text": "\\ud800 CANARY"}', 400, "invalid_field", "text"),
    ],
)
def test_a_bad_request_is_told_what_is_wrong_and_none_of_its_text(
    client: httpx.Client, ledger: MemoryLedger, body: bytes, status: int, code: str, param: str | None
) -> None:
    ledger.calls.clear()
    answer = client.post("/v1/sanitize", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["param"], error["type"]) == (code, param, "invalid_request_error")
    assert "CANARY" not in answer.text and "passwd" not in answer.text
    assert ledger.calls == []


def test_more_protection_than_the_policys_is_had_and_paid_for_as_such(tmp_path: Path) -> None:
    three_words = {"text": "Zyxwell was seen.", "policy": "all-words"}
    with Ledger(str(tmp_path / "budgets.db")) as ledger, running(ledger=ledger) as client:
        for asked, policy, each in ((4, "all-words@4", 4), (8, "all-words", 8), (None, "all-words", 8)):
            spent = ledger.balance(Account("local")).spent.approximate().epsilon
            data = client.post("/v1/sanitize", json={**three_words, "epsilon": asked, "report": True}).json()
            assert data["guarantee"]["policy"] == policy
            assert data["guarantee"]["per_value"]["epsilon"] == each and data["guarantee"]["epsilon"] == 3 * each
            assert data["report"]["guarantee"]["per_token"]["epsilon"] == each
            assert ledger.balance(Account("local")).spent.approximate().epsilon == spent + 3 * each
        by_name = client.post("/v1/sanitize", json={"text": "Seen.", "policy": "all-words@4"}).json()
        assert by_name["guarantee"]["epsilon"] == 4
        ledger.set_limit(Account("local"), Limit(epsilon=100.0))
        left = [client.get(f"/v1/budget?policy={name}").json()["words_left"] for name in ("all-words", "all-words@4")]
        assert left == [4, 9]
        told = client.post("/v1/explain", json={"policy": "all-words", "epsilon": 4, "word": "seen"}).json()
        assert (told["policy"], told["by_kind"][0]["text"]) == ("all-words@4", "4-DP")
        assert [one["epsilons"] for one in client.get("/v1/policies").json()["data"]][1] == [2, 3, 4, 5, 6, 7, 8]
        schemas = client.get("/openapi.json").json()["components"]["schemas"]
        for name in ("SanitizeRequest", "ExplainRequest"):
            assert "without looking at the text" in schemas[name]["properties"]["epsilon"]["description"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/v1/sanitize", 405)])
def test_routes_that_are_not_there_answer_in_the_same_shape(
    client: httpx.Client, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status and set(answer.json()["error"]) == {"message", "type", "param", "code"}


def test_the_server_says_that_it_runs(client: httpx.Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}


def test_originals_come_back_where_that_was_asked_for(client: httpx.Client) -> None:
    made = client.post("/v1/sanitize", json={"text": NOTE, "restorable": True}).json()
    back = client.post("/v1/restore", json={"text": made["text"], "release": made["release"]})
    assert back.status_code == 200 and back.json()["text"] == NOTE
    surrogate = made["text"].split(",")[0]
    answer = client.post("/v1/restore", json={"text": [f"Ask {surrogate}.", "Nobody."], "release": made["release"]})
    assert answer.json() == {"text": ["Ask Maria Zyxwell.", "Nobody."], "replaced": 1, "ambiguous": 0}


def test_what_nobody_asked_to_be_kept_is_not(client: httpx.Client) -> None:
    assert "release" not in client.post("/v1/sanitize", json={"text": NOTE}).json()
    assert "release" not in client.post("/v1/sanitize", json={"text": "Nothing here.", "restorable": False}).json()
    answer = client.post("/v1/restore", json={"text": "x", "release": "rel_of_nobody"})
    assert answer.status_code == 404 and answer.json()["error"]["code"] == "unknown_release"


def test_spans_are_shown_for_nothing(client: httpx.Client, ledger: MemoryLedger) -> None:
    ledger.calls.clear()
    data = client.post("/v1/detect", json={"text": NOTE}).json()
    assert data["policy"] == "identifiers" and ledger.calls == []
    assert [(NOTE[one["start"] : one["end"]], one["kind"]) for one in data["spans"]] == [
        ("Maria Zyxwell", "person"),
        ("44", "age"),
        ("3 March 2024", "date"),
        ("617-555-0133", "phone"),
    ]
    assert client.post("/v1/detect", json={"text": NOTE, "policy": "all-words"}).json()["spans"] == []


def test_a_policy_is_explained_with_what_it_does_not_cover(client: httpx.Client) -> None:
    data = client.post("/v1/explain", json={"policy": "identifiers"}).json()
    assert {one["kind"] for one in data["by_kind"]} >= {"person", "date", "number"}
    assert len(data["not_covered"]) == 3 and data["per_value"]["epsilon"] == 0
    assert any("stood there before" in one for one in data["public_of_conversations"])
    answer = client.post("/v1/explain", json={"policy": "identifiers", "word": "cat"})
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "word"


def test_policies_are_listed_the_default_first(client: httpx.Client) -> None:
    listed = client.get("/v1/policies").json()["data"]
    assert listed[0]["name"] == "identifiers" and listed[0]["default"]
    assert {one["name"] for one in listed} == {
        "identifiers",
        "all-words",
        "content-words",
        "clinical",
        "prompts",
        "common-words",
    }


def test_the_budget_can_be_asked_for(client: httpx.Client) -> None:
    assert client.get("/v1/budget", params={"unit": "p1"}).json()["spent"] == {"epsilon": 0.0, "delta": 0.0}


def test_no_texts_are_no_request(client: httpx.Client) -> None:
    answer = client.post("/v1/sanitize", json={"text": []})
    assert answer.status_code == 400 and answer.json()["error"]["param"] == "text"


def test_the_reference_is_a_page_without_scripts(client: httpx.Client) -> None:
    answer = client.get("/docs")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert (
        "POST /v1/sanitize" in answer.text
        and "restorable" in answer.text
        and "POST /v1/chat/completions" in answer.text
    )
    assert "<script" not in answer.text and "http://" not in answer.text and "https://" not in answer.text
    digest = base64.b64encode(hashlib.sha256(re.search("<style>(.*)</style>", answer.text, re.S)[1].encode()).digest())
    assert f"style-src 'sha256-{digest.decode()}'" in answer.headers["content-security-policy"]
    assert "/v1/sanitize" in client.get("/openapi.json").json()["paths"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"text": []}, "text must be a list of at least 1 elements."),
        ({"text": ["CANARY"] * 10_001}, "text must be a list of at most 10000 elements."),
        ({"text": "CANARY", "unit": ""}, "unit must be a string of at least 1 characters."),
        ({"text": "CANARY", "unit": "CANARY" * 100}, "unit must be a string of at most 256 characters."),
        ({"text": ["CANARY", 5]}, "text must be a string or a list of strings."),
    ],
)
def test_a_length_that_is_refused_is_told_with_its_bound(
    client: httpx.Client, body: dict[str, object], message: str
) -> None:
    assert client.post("/v1/sanitize", json=body).json()["error"]["message"] == message


@pytest.mark.parametrize(
    ("method", "path", "param"),
    [
        ("POST", "/v1/sanitize?policy=all-words", "policy"),
        ("GET", "/v1/budget?unti=CANARY", "unti"),
        ("GET", "/v1/budget?unit=ann&Maria%20CANARY=1", "(a field)"),
    ],
)
def test_what_nobody_reads_in_a_url_is_refused(
    client: httpx.Client, ledger: MemoryLedger, method: str, path: str, param: str
) -> None:
    ledger.calls.clear()
    answer = client.request(method, path, json={"text": NOTE} if method == "POST" else None)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "unknown_field")
    assert answer.json()["error"]["param"] == param
    assert "CANARY" not in answer.text and ledger.calls == []


def test_what_a_url_may_ask_is_answered(client: httpx.Client) -> None:
    assert client.get("/v1/budget?unit=ann&policy=all-words").status_code == 200
    assert client.get("/healthz?now=1").status_code == 200


def test_a_slash_too_many_is_told_in_the_shape_of_all_errors(client: httpx.Client) -> None:
    answer = client.post("/v1/sanitize/", json={"text": NOTE})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
