"""The server on PostgreSQL: keys, budgets and encrypted maps in one database, and the database killed under it."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.helpers.canaries import CODE, PRIVATE, write_policy
from tests.helpers.postgres import postgres_server
from tests.helpers.servers import serving
from tests.helpers.upstream import Provider, last_text, saying

from textveil.budget.account import Account, Limit
from textveil.budget.ledger import Ledger
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.keys import ApiKeys
from textveil.server.sealed import SealedConversations

NOTE = "Maria Gonzalez was seen."


@pytest.mark.slow
def test_a_conversation_goes_on_in_another_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY", "ab" * 32)
    with postgres_server() as database, Provider() as provider:
        provider.answer = saying(lambda body: f"Of {last_text(body)} I heard.")
        told = Config(
            database=database.url,
            maps="database",
            upstream=provider.url,
            policy="paid",
            policies=write_policy(tmp_path),
        )
        history = [{"role": "user", "content": f"Ask {CODE}."}]
        for again in range(2):
            with serving(make_app(told), told) as client:
                answer = client.post("/v1/chat/completions", json={"model": "m", "messages": history}).json()
                assert CODE in answer["choices"][0]["message"]["content"]
                history += [answer["choices"][0]["message"], {"role": "user", "content": f"{again}: again {CODE}."}]
                assert client.get("/v1/budget").json()["spent"]["epsilon"] == again + 1
            database.kill()
            database.start()
        first, second = [body["messages"] for body in provider.bodies]
        assert second[0] == first[0] and second[1]["content"] == f"Of {first[0]['content']} I heard."
        assert provider.heard(*PRIVATE) == []


@pytest.mark.slow
def test_keys_budgets_and_maps_are_in_one_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY", "ab" * 32)
    with postgres_server() as database:
        told = Config(database=database.url, maps="database", key_seconds=0.05)
        keys = ApiKeys(database.url)
        facts, key = keys.create("ward", "p1")
        with Ledger(database.url) as ledger:
            ledger.set_limit(Account("ward", "p1"), Limit(20.0))
        headers = {"authorization": f"Bearer {key}"}
        with serving(make_app(told), told) as client:
            client.headers.update(headers)
            made = client.post("/v1/sanitize", json={"text": NOTE, "restorable": True}).json()
            back = client.post("/v1/restore", json={"text": made["text"], "release": made["release"]})
            assert back.json()["text"] == NOTE
            words = {"text": "Maria sings.", "policy": "all-words"}
            assert client.post("/v1/sanitize", json=words).json()["budget"]["words_left"] == 0
            assert client.post("/v1/sanitize", json=words).json()["error"]["code"] == "budget_exhausted"
            database.kill()
            answer = client.post("/v1/sanitize", json={"text": NOTE})
            assert answer.status_code == 503 and answer.json()["error"]["code"] == "ledger_unavailable"
            database.start()
            assert client.post("/v1/sanitize", json={"text": NOTE}).status_code == 200
            assert client.post("/v1/sanitize", json=words).json()["error"]["code"] == "budget_exhausted"
        keys.revoke(facts.identity)
        found = keys.find(key)
        assert found is not None and found.revoked is not None
        keys.close()


@pytest.mark.slow
def test_processes_that_write_the_same_conversations_at_once_all_succeed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTVEIL_LEDGER_KEY", "ab" * 32)
    with postgres_server() as database, contextlib.ExitStack() as held:
        stores = [SealedConversations(database.url, 0.001) for _ in range(4)]  # what is written is over at once
        for one in stores:
            held.callback(one.close)
        answers = [bytes([number]) * 32 for number in range(6)]

        def write(number: int) -> None:
            for turn in range(40):
                told = answers if (turn + number) % 2 else answers[::-1]
                stores[number].save(b"n" * 32, {"of": turn}, told)
                stores[number].expire()

        with ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(write, number) for number in range(4)]:
                done.result()
        assert stores[0].load(b"n" * 32) is None
