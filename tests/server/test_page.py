"""The page's routes: what is sent, under which headers, and what is done with a text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from tests.helpers.servers import MemoryLedger, running

from textveil.sanitize.policy.choice import policy, policy_of_data, preset_text
from textveil.server.page import EXAMPLES, PAGE, corrections_of, page_files, recovery

NOTE = "\U0001f600 Maria Gonzalez, 44, was seen on 3 March 2024; call 617-555-0133."


@pytest.fixture(scope="module")
def ledger() -> MemoryLedger:
    return MemoryLedger(limit=100.0)


@pytest.fixture(scope="module")
def client(ledger: MemoryLedger) -> Iterator[httpx.Client]:
    with running(ledger=ledger) as made:
        yield made


def test_every_file_comes_under_a_policy_that_keeps_everything_else_out(client: httpx.Client) -> None:
    for name, file in page_files().items():
        answer = client.get("/" if name == PAGE else f"/page/files/{name}")
        assert (answer.status_code, answer.content) == (200, file.content)
        rules = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
        assert rules["default-src"] == rules["base-uri"] == rules["frame-ancestors"] == "'none'"
        assert {rules[one] for one in ("script-src", "style-src", "img-src", "connect-src")} == {"'self'"}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("name", ["../routes.py", "%2e%2e/routes.py", "index.html", "nothing.js", "page.js/"])
def test_no_other_file_is_sent(client: httpx.Client, name: str) -> None:
    answer = client.get(f"/page/files/{name}")
    assert answer.status_code in (404, 307)
    assert "def " not in answer.text


def test_the_page_names_no_place_but_this_server() -> None:
    for name, file in page_files().items():
        text = file.content.decode("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", text), name
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|localStorage", text), name
        assert name != PAGE or not re.search(r"<script>|<style|\bstyle=|\son[a-z]+=", text)
        assert text.count("\n") < 400


def test_examples_are_public_and_free(client: httpx.Client, ledger: MemoryLedger) -> None:
    ledger.calls.clear()
    data = client.get("/page/examples", params={"epsilon": 2}).json()
    assert [one["text"] for one in data["examples"]] == list(EXAMPLES)
    assert all(one["released"] != one["text"] for one in data["examples"])
    assert [len(one["released"].split()) for one in data["examples"]] == [len(one.split()) for one in EXAMPLES]
    again = client.get("/page/examples", params={"epsilon": 2}).json()
    assert data["examples"] != again["examples"] and data["words"] == again["words"]
    assert ledger.calls == []


@pytest.mark.parametrize("epsilon", ["2.5", "0", "-1", "nan", "1e9", "x", ""])
def test_examples_come_at_measured_epsilons_alone(client: httpx.Client, epsilon: str) -> None:
    answer = client.get("/page/examples", params={"epsilon": epsilon})
    assert (answer.status_code, answer.json()["error"]["param"] in ("epsilon", "query.epsilon")) == (400, True)


def test_recovery_is_what_reports_quote() -> None:
    data = recovery()
    assert [row["epsilon"] for row in data["rows"]] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert data["epsilon"] == 8 and len(data["texts"]) == 3
    for row in data["rows"]:
        assert all(0 <= share["low"] <= share["high"] <= 1 for share in row["shares"])
    for before, after in zip(data["rows"], data["rows"][1:], strict=False):
        assert before["shares"][0]["high"] < after["shares"][0]["high"]


def test_a_release_comes_with_the_way_back(client: httpx.Client, ledger: MemoryLedger) -> None:
    ledger.calls.clear()
    made = client.post("/page/release", json={"text": NOTE}).json()
    assert ledger.calls == ["reserve", "commit"]
    assert (made["policy"], made["guarantee"]["per_value"]["text"]) == ("identifiers", "0-DP")
    assert made["guarantee"]["not_covered"] and made["guarantee"]["for_release"] is True
    assert made["text"] != NOTE
    assert [one["was"] for one in made["pieces"]] == ["Maria Gonzalez", "44", "3 March 2024", "617-555-0133"]
    name = made["text"][made["pieces"][0]["start"] : made["pieces"][0]["end"]]
    answer = f"So {name.upper()} it was."
    held = {key: made[key] for key in ("text", "pieces")}
    back = client.post("/page/restore", json={"answer": answer, "maps": [held]})
    assert back.json()["text"] == "So MARIA GONZALEZ it was."
    assert back.json()["originals"] == [{"start": 3, "end": 17}]


def test_where_every_word_is_drawn_nothing_can_be_put_back(client: httpx.Client) -> None:
    made = client.post("/page/release", json={"text": "A plain note.", "policy": "all-words"}).json()
    assert made["pieces"] is None
    assert made["guarantee"]["per_token"]["epsilon"] == 8
    assert made["guarantee"]["per_document"]["protected_tokens"] == 3


@pytest.mark.parametrize(
    "pieces",
    [
        [{"start": 3, "end": 2, "was": "CANARY", "kind": "person"}],
        [{"start": 0, "end": 99, "was": "CANARY", "kind": "person"}],
        [{"start": 2, "end": 4, "was": "", "kind": ""}, {"start": 3, "end": 5, "was": "CANARY", "kind": "person"}],
        [{"start": -1, "end": 4, "was": "CANARY", "kind": "person"}],
        [{"start": 0, "end": 4, "was": "CANARY"}],
        [{"start": 0, "end": 4, "was": "CANARY", "kind": "person", "of a CANARY": 1}],
    ],
)
def test_a_map_that_is_none_is_refused(client: httpx.Client, pieces: list[dict[str, Any]]) -> None:
    answer = client.post("/page/restore", json={"answer": "CANARY", "maps": [{"text": "Anna Lee", "pieces": pieces}]})
    assert answer.status_code == 400
    assert "CANARY" not in answer.text and set(answer.json()["error"]) == {"message", "type", "param", "code"}


def test_answers_with_text_are_kept_nowhere(client: httpx.Client) -> None:
    made = client.post("/page/release", json={"text": NOTE})
    assert made.headers["cache-control"] == "no-store"
    back = client.post("/page/restore", json={"answer": "", "maps": [{"text": "", "pieces": []}]})
    assert back.headers["cache-control"] == "no-store"


def test_corrections_extend_presets_as_a_whole_and_tell_nothing_of_an_operators_lists(client: httpx.Client) -> None:
    made = client.post("/page/release", json={"text": NOTE}).json()["corrections"]
    assert made["toml"].endswith(preset_text("identifiers")[-60:]) and "person" in made["kinds"]
    rules = [{"kind": "word", "keep": True}, {"kind": "crew", "placeholder": True}]
    own = policy_of_data({"name": "own", "rules": rules, "lists": [{"kind": "crew", "words": ["CANARY"]}]})
    assert corrections_of(own) == {"extends": "own", "toml": "", "kinds": ["crew"]}
    assert corrections_of(replace(own, name="identifiers"))["toml"] == ""
    assert corrections_of(replace(policy("all-words"), name="own")) is None
