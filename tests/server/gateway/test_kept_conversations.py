"""Conversations that are kept encrypted: a gateway that was killed goes on with them byte for byte, and pays once."""

import asyncio
import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest
import sqlalchemy as sa
from tests.helpers.canaries import NAME, NAMES, PRIVATE
from tests.helpers.servers import serving
from tests.helpers.upstream import Provider, saying, send_json

from textveil.budget.account import Account
from textveil.budget.database import opened, url_of
from textveil.errors import LedgerError
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.conversations import Conversations
from textveil.server.kept_data import Written
from textveil.server.keys import ApiKeys
from textveil.server.sealed import SealedConversations

Message = dict[str, Any]


@contextlib.contextmanager
def killed(told: Config) -> Iterator[httpx.Client]:
    """A client of a server in a process of its own, which is killed at the end of the block."""
    options = {"database": told.database, "upstream": told.upstream, "policy": told.policy}
    line = [sys.executable, "-m", "textveil", "serve", "--port", "0"]
    line += [part for name, value in options.items() for part in (f"--{name}", str(value))]
    file = Path(str(told.database)).with_name("server.toml")
    file.write_text(f'maps = "database"\npolicies = {json.dumps(str(told.policies))}\n')
    with subprocess.Popen([*line, "--config", str(file)], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            found = re.search(r"http://\S+?(?=,)", said)
            assert found is not None, said
            with httpx.Client(base_url=found[0], timeout=60, trust_env=False) as client:
                yield client
        finally:
            process.send_signal(signal.SIGKILL)
            process.stderr.read()
            process.wait(60)


def restarted(told: Config) -> contextlib.AbstractContextManager[httpx.Client]:
    """A client of a server that knows what its database holds."""
    return serving(make_app(told), told)


def asked(turn: int) -> Message:
    return {"role": "user", "content": f"{turn}: ask {NAMES[turn]} by ZQ-48151623420{turn}."}


def chat(client: httpx.Client, history: list[Message], *, stream: bool = False) -> str:
    """The answer of one turn, which is added to the history."""
    body = {"model": "m", "messages": history, "stream": stream}
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    if stream:
        data = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
        text = "".join(one["choices"][0]["delta"].get("content", "") for one in data)
    else:
        text = answer.json()["choices"][0]["message"]["content"]
    history.append({"role": "assistant", "content": text})
    return text


def spent(client: httpx.Client) -> float:
    return float(client.get("/v1/budget").json()["spent"]["epsilon"])


@pytest.mark.slow
def test_a_killed_gateway_goes_on_byte_for_byte_and_pays_for_what_is_new_alone(
    told: Config, provider: Provider
) -> None:
    history: list[Message] = []
    for turn in range(3):  # each in a process of its own
        with killed(told) as client:
            history.append(asked(turn))
            assert f"ask {NAMES[turn]} by ZQ-48151623420{turn}." in chat(client, history, stream=turn == 1)
            assert spent(client) == turn + 1, "the new code alone"
    sent = [body["messages"] for body in provider.bodies]
    for earlier, later in pairwise(sent):
        assert later[: len(earlier)] == earlier, "byte for byte"
        assert later[len(earlier)]["content"].startswith(f"Of **{earlier[-1]['content']}** I have")
    assert provider.heard(*PRIVATE, "4815162342") == []
    with restarted(told) as client:
        surrogates = sent[-1][0]["content"]
        provider.answer = saying(lambda body: f"As {surrogates} says.")
        assert f"As {history[0]['content']} says." in chat(client, [*history, {"role": "user", "content": "Well?"}])
        assert spent(client) == 3
    content = b"".join(path.read_bytes() for path in Path(str(told.database)).parent.glob("budgets.db*"))
    assert b"server_conversations" in content
    assert not any(text.encode() in content for text in (*PRIVATE, "4815162342", surrogates))


def test_an_answer_leads_to_its_conversation_behind_a_restart(told: Config, provider: Provider) -> None:
    def respond(handler: Any, body: dict[str, Any]) -> None:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        text = {"type": "output_text", "text": "Yes.", "annotations": []}
        send_json(handler, {"id": "resp_1", "object": "response", "output": [{**item, "content": [text]}]})

    provider.answer = respond
    said = {"model": "m", "input": f"Ask {NAME}."}
    with restarted(told) as client:
        assert client.post("/v1/responses", json=said).status_code == 200
    with restarted(told) as client:
        again = {"model": "m", "input": f"Ask {NAME} too.", "previous_response_id": "resp_1"}
        assert client.post("/v1/responses", json=again).status_code == 200
        other = client.post("/v1/responses", json={**again, "previous_response_id": "resp_2"})
        assert other.json()["error"]["code"] == "previous_response_not_found"
    first, second = [body["input"] for body in provider.bodies]
    assert second == f"{first[:-1]} too.", "one name has one surrogate in a conversation"


def test_another_policy_of_the_same_name_pays_anew(told: Config, provider: Provider) -> None:
    history = [asked(0)]
    with restarted(told) as client:
        chat(client, history)
    file = Path(str(told.policies)) / "paid.toml"
    file.write_text(file.read_text().replace("epsilon = 1", "epsilon = 2"))
    with restarted(told) as client:
        chat(client, [*history, asked(1)])
        assert spent(client) == 1 + 2 * 2
    before, after = provider.bodies
    assert before["messages"][0] != after["messages"][0]
    assert after["messages"][1]["content"].startswith("Of **"), "what the upstream wrote is its own still"


def test_other_words_of_a_list_are_looked_for_in_a_conversation_that_was_kept(told: Config, provider: Provider) -> None:
    history = [{"role": "user", "content": "Zibroq of Ward 12 asked."}]
    with restarted(told) as client:
        chat(client, history)
    assert "Zibroq" in provider.bodies[-1]["messages"][0]["content"], "it is no name yet"
    file = Path(str(told.policies)) / "paid.toml"
    file.write_text(file.read_text().replace(f"'{NAMES[4]}'", "'Zibroq'"))  # as many words as before
    with restarted(told) as client:
        chat(client, [*history[:1], asked(1)])
    assert provider.bodies[-1]["messages"][0]["content"] != provider.bodies[0]["messages"][0]["content"]
    assert "Zibroq" not in provider.bodies[-1]["messages"][0]["content"]


def test_a_caller_that_goes_away_does_not_let_older_data_be_written_last() -> None:
    class Store:
        key = b"k" * 32
        only_traces = False
        saved: ClassVar[list[int]] = []
        first = threading.Event()

        def save(self, name: bytes, data: Any, answers: Any, behind: Any = None) -> None:
            if not self.saved and not self.first.is_set():
                self.first.set()
                time.sleep(0.3)
            self.saved.append(len(data["written"]))

        def load(self, name: bytes) -> Any: ...

        def conversation_of(self, answer: bytes) -> bytes | None: ...

        def expire(self) -> None: ...

    async def run() -> None:
        store = Store()
        kept = Conversations(seconds=60, most_bytes=10_000, store=store)
        state = kept.of(Account("ward"), "a")
        await kept.keep(state)  # nothing was said yet: nothing is kept
        assert not store.first.is_set()
        state.wrote("content", "read first", Written("some", ()))
        gone = asyncio.create_task(kept.keep(state))
        while not store.first.is_set():
            await asyncio.sleep(0.001)
        gone.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await gone
        state.wrote("content", "read", Written("more", ()))
        await kept.keep(state)
        while len(store.saved) < 2:
            await asyncio.sleep(0.001)
        assert store.saved == [1, 2]

    asyncio.run(run())


def test_what_is_not_kept_is_not_sent_and_an_answer_comes_all_the_same(
    told: Config, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, saves = SealedConversations.save, []

    def failing(self: SealedConversations, *arguments: Any) -> Any:
        saves.append(arguments)
        if len(saves) in (1, 3):
            raise LedgerError("the disk is full.")
        return save(self, *arguments)

    monkeypatch.setattr(SealedConversations, "save", failing)
    history = [asked(0)]
    with restarted(told) as client:
        refused = client.post("/v1/chat/completions", json={"model": "m", "messages": history})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "ledger_unavailable")
        assert provider.bodies == []
        assert NAMES[0] in chat(client, history), "the second try is sent, and its answer is not kept"
        assert len(saves) == 3 and spent(client) == 1
        chat(client, [*history, asked(1)])
        assert len(saves) == 5 and spent(client) == 2
    with restarted(told) as client:
        chat(client, [*history, asked(1)])
        assert spent(client) == 2, "what was not kept the first time was kept the next"


def test_nothing_but_digests_of_answers_is_kept_unless_asked_for(told: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    saves: list[Any] = []
    save = SealedConversations.save

    def seen(self: SealedConversations, name: bytes, data: Any, *more: Any) -> Any:
        saves.append(data)
        return save(self, name, data, *more)

    monkeypatch.setattr(SealedConversations, "save", seen)
    with restarted(told.model_copy(update={"maps": "memory"})) as client:
        chat(client, [asked(0)])
    assert [data.keys() for data in saves] == [{"key", "answers", "traces"}] and rows(str(told.database)) == 1
    assert all(len(bytes.fromhex(trace)) == 32 for trace in saves[0]["traces"])


def test_what_has_expired_is_deleted_though_nobody_asks(told: Config) -> None:
    with restarted(told) as client:
        chat(client, [asked(0)])
        made = client.post("/v1/sanitize", json={"text": f"Ask {NAME}.", "restorable": True})
        assert made.status_code == 200
    tables = ("server_conversations", "server_maps")
    assert [rows(str(told.database), one) for one in tables] == [1, 1]
    with sqlite3.connect(str(told.database)) as database:
        for one in tables:
            database.execute(f"UPDATE {one} SET until = 1")
    database.close()
    with restarted(told.model_copy(update={"maps_seconds": 0.2})):
        give_up = time.monotonic() + 60
        while any(rows(str(told.database), one) for one in tables):
            assert time.monotonic() < give_up
            time.sleep(0.02)


class Time:
    now = 10**15

    def __call__(self) -> int:
        return self.now


def rows(place: str, table: str = "server_conversations") -> int:
    with sqlite3.connect(place) as database:
        (count,) = database.execute(f"SELECT count(*) FROM {table}").fetchone()
    database.close()
    return int(count)


def test_they_expire_and_are_deleted(tmp_path: Path) -> None:
    place, clock = str(tmp_path / "budgets.db"), Time()
    kept = SealedConversations(place, 60, clock=clock)
    name, answer = b"n" * 32, b"a" * 32
    kept.save(name, {"of": 1}, [answer])
    kept.save(name, {"of": 2}, [answer])
    clock.now += 60 * 10**6 - 1
    assert kept.load(name) == [{"of": 2}] and kept.conversation_of(answer) == name and rows(place) == 2
    assert kept.load(answer + b"x") is None and kept.conversation_of(b"x" * 32) is None
    clock.now += 1
    assert kept.load(name) is None and kept.conversation_of(answer) is None and rows(place) == 2
    kept.expire()
    assert rows(place) == 0
    kept.close()


def test_what_was_changed_in_the_database_is_refused(tmp_path: Path) -> None:
    place = str(tmp_path / "budgets.db")
    kept = SealedConversations(place, 60)
    kept.save(b"n" * 32, {}, [])
    with sqlite3.connect(place) as database:
        (sealed,) = database.execute("SELECT sealed FROM server_conversations").fetchone()
    database.close()
    for changed in (sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed[:20], sealed[:5], b""):
        with sqlite3.connect(place) as database:
            database.execute("UPDATE server_conversations SET sealed = ?", (changed,))
        database.close()
        with pytest.raises(LedgerError, match="was changed"):
            kept.load(b"n" * 32)
    kept.close()


def test_rows_open_for_their_own_name_and_purpose_alone(tmp_path: Path) -> None:
    place = str(tmp_path / "budgets.db")
    kept = SealedConversations(place, 60)
    names = (b"n" * 32, b"m" * 32)
    for name in names:
        kept.save(name, {"of": name.hex()}, [name[::-1][:31] + b"a"])
    with sqlite3.connect(place) as database:
        found = database.execute("SELECT id, sealed FROM server_conversations").fetchall()
        for at, (row, _) in enumerate(found):  # each has what another one had
            database.execute("UPDATE server_conversations SET sealed = ? WHERE id = ?", (found[at - 1][1], row))
    database.close()
    for name in names:
        with pytest.raises(LedgerError, match="was changed"):
            kept.load(name)
        with pytest.raises(LedgerError, match="was changed"):
            kept.conversation_of(name[::-1][:31] + b"a")
    kept.close()


def test_names_are_digests_under_the_ledgers_key(tmp_path: Path) -> None:
    one, other = SealedConversations(str(tmp_path / "1.db"), 60), SealedConversations(str(tmp_path / "2.db"), 60)
    again = SealedConversations(str(tmp_path / "1.db"), 60)
    assert one.key == again.key != other.key and len(one.key) == 32
    for kept in (one, other, again):
        kept.close()


def test_tables_of_the_version_before_are_brought_into_todays_form(tmp_path: Path) -> None:
    place = str(tmp_path / "budgets.db")
    keys = ApiKeys(place)
    facts, key = keys.create("ward")
    keys.close()
    engine = opened(url_of(place))
    with engine.begin() as connection:  # as the second version made them
        connection.execute(sa.text("DROP TABLE server_conversations"))
        connection.execute(sa.text("DROP TABLE server_conversation_parts"))
        connection.execute(sa.text("UPDATE server_version SET version_num = '2'"))
    engine.dispose()
    kept = SealedConversations(place, 60)
    kept.save(b"n" * 32, {"of": 1}, [])
    assert kept.load(b"n" * 32) == [{"of": 1}]
    kept.close()
    again = ApiKeys(place)
    assert again.find(key) == facts
    again.close()
