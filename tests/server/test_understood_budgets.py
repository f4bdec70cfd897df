"""Budgets as people read them: in messages, with what costs and when they are renewed; and policies by key and team."""

import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from tests.helpers.servers import serving

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.errors import ParameterError
from textveil.server.app import make_app, message_costs
from textveil.server.budgets import limit_of
from textveil.server.config import Config, load_config
from textveil.server.keys import ApiKeys

AGES = "I am 44, and she is 51."
CONFIG = Config(policy="prompts", tenant_policies={"team": ("prompts", "all-words")})


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, dict[str, dict[str, str]]]]:
    place = str(tmp_path_factory.mktemp("books") / "budgets.db")
    with Ledger(place) as ledger, contextlib.closing(ApiKeys(place)) as keys:
        made = {
            "ward": keys.create("ward"),
            "team": keys.create("team", "bob"),
            "own": keys.create("team", "eve", policies=["identifiers", "all-words"]),
        }
        ledger.set_limit(Account("ward"), Limit(epsilon=41.0, period="day"), each="unit")
        app = make_app(CONFIG, ledger=ledger, keys=keys)
        with serving(app, CONFIG) as client:
            yield client, {name: {"authorization": f"Bearer {key}"} for name, (_, key) in made.items()}


def test_what_is_left_is_told_in_messages_like_this_one(keyed: tuple[httpx.Client, dict[str, dict[str, str]]]) -> None:
    client, keys = keyed
    told = client.post("/v1/sanitize", json={"text": AGES, "unit": "ann"}, headers=keys["ward"]).json()
    assert told["guarantee"]["epsilon"] == 4.0, "two ages at epsilon 2 each"
    assert told["budget"]["messages_left"] == 9, "of 41 nats 37 are left: nine times 4"
    assert told["budget"]["left"] == "9 messages like this one left"
    free = client.post("/v1/sanitize", json={"text": "I am Maria.", "unit": "ann"}, headers=keys["ward"]).json()
    assert free["budget"]["messages_left"] is None and free["budget"]["left"] == "18 values left"


def test_a_refusal_says_what_it_costs_and_when_the_budget_is_renewed(
    keyed: tuple[httpx.Client, dict[str, dict[str, str]]],
) -> None:
    client, keys = keyed
    many = " ".join(f"She is {age} years old." for age in range(30, 49))
    assert client.post("/v1/sanitize", json={"text": AGES, "unit": "eve"}, headers=keys["ward"]).status_code == 200
    before = datetime.now(UTC).date()
    refused = client.post("/v1/sanitize", json={"text": many, "unit": "eve"}, headers=keys["ward"])
    message = refused.json()["error"]["message"]
    assert refused.status_code == 429
    days = [day + timedelta(days=1) for day in (before, datetime.now(UTC).date())]
    assert any(f"renewed on {day} at 00:00 UTC" in message for day in days) and "needs epsilon 38" in message
    assert "It costs: 19 of age, 2-DP each. A kind whose rule says `placeholder = true` costs nothing." in message
    assert 0 < int(refused.headers["retry-after"]) <= 86_400
    more = " ".join(f"She is {age} years old." for age in range(30, 55))
    refused = client.post("/v1/sanitize", json={"text": more, "unit": "eve"}, headers=keys["ward"])
    assert "more than a whole period's budget" in refused.json()["error"]["message"]
    assert "retry-after" not in refused.headers, "waiting does not help"


def test_a_key_names_its_own_policies_or_its_teams(keyed: tuple[httpx.Client, dict[str, dict[str, str]]]) -> None:
    client, keys = keyed

    def used(key: str, **asked: object) -> tuple[int, str]:
        for route in ("/v1/sanitize", "/v1/detect", "/page/release"):
            answer = client.post(route, json={"text": "Hello.", **asked}, headers=keys[key])
        data = answer.json()
        return answer.status_code, data["policy"] if answer.status_code == 200 else data["error"]["code"]

    assert used("team") == (200, "prompts") and used("own") == (200, "identifiers")
    assert used("team", policy="identifiers") == (403, "other_policy")
    assert used("own", policy="prompts") == (403, "other_policy")
    assert used("ward", policy="identifiers") == (200, "identifiers"), "a team without policies may use all"
    asked = {"text": "Hello.", "policy": "all-words", "epsilon": 4}
    assert client.post("/v1/sanitize", json=asked, headers=keys["own"]).json()["guarantee"]["policy"] == "all-words@4"
    listed = client.get("/v1/policies", headers=keys["own"]).json()["data"]
    assert [(one["name"], one["default"]) for one in listed] == [("identifiers", True), ("all-words", False)]
    for route, body in (("/v1/explain", {}), ("/page/account", {})):
        refused = client.post(route, json={"policy": "prompts", **body}, headers=keys["own"])
        assert refused.json()["error"]["code"] == "other_policy", route
    assert client.get("/v1/budget?policy=prompts", headers=keys["own"]).status_code == 403


def test_a_budget_is_spelled_in_nats_or_messages() -> None:
    def spelled(budget: str, policy: str = "prompts", **named: object) -> Limit:
        return limit_of(budget, lambda: message_costs(Config(), policy), **named)  # type: ignore[arg-type]

    assert spelled("20") == spelled("20 nats") == Limit(20.0)
    assert spelled("40 messages a day") == spelled("40 messages", period="day") == Limit(320.0, period="day")
    assert spelled("1 message per week", "all-words") == Limit(160.0, period="week")
    for wrong, policy, told in (
        ("-1", "prompts", "a number of nats or messages"),
        ("forty", "prompts", "a number of nats or messages"),
        ("4 messages", "identifiers", "they cost nothing"),
        ("4 messages", "common-words", "Messages cost something at all-words, content-words, clinical, prompts: name"),
    ):
        with pytest.raises(ParameterError, match=told):
            spelled(wrong, policy)
    with pytest.raises(ParameterError, match="period"):
        spelled("4 a week", period="day")


def test_policies_of_teams_come_from_the_environment_and_must_be_there(tmp_path: Path) -> None:
    told = load_config(None, {"TEXTVEIL_TENANT_POLICIES": '{"ward": ["prompts"]}'})
    assert told.tenant_policies == {"ward": ("prompts",)}
    assert re.search(r'^tenant_policies = \{"ward" = \["prompts"\]\}$', told.shown(), flags=re.MULTILINE)
    for wrong in ('{"ward": []}', "ward", '{"ward": "prompts"}'):
        with pytest.raises(ParameterError, match="tenant_policies"):
            load_config(None, {"TEXTVEIL_TENANT_POLICIES": wrong})
    with pytest.raises(ParameterError, match="policy must be one of"):
        make_app(Config(tenant_policies={"ward": ("none",)}))
