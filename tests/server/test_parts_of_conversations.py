"""Conversations that are kept turn by turn: each adds what is new in it, and together they are what one whole was."""

import asyncio
import json
import random
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from tests.helpers.canaries import NAMES

from textveil.budget.account import Account
from textveil.budget.database import opened, set_rows, url_of
from textveil.errors import LedgerError
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.server.conversations import OWN, UNTRACED, Conversations, ConversationState
from textveil.server.kept_data import KeptPolicy, Written
from textveil.server.sealed import CONVERSATIONS, PARTS, SealedConversations, _row


def rows(place: str) -> int:
    """How many parts a database holds."""
    with sqlite3.connect(place) as database:
        (count,) = database.execute(f"SELECT count(*) FROM {PARTS.name}").fetchone()
    database.close()
    return int(count)


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    """Data of a conversation with maps in the place of their numbers, and without an order that says nothing."""
    maps, written, before = data["maps"], {}, list[Any]()
    for key, known in data["written"].items():
        written[key] = []
        for text, shared, numbers in known:
            before = before[:shared] + [maps[number] for number in numbers]
            written[key].append([text, before])
    releases = [[*head, {**kept, "map": maps[kept["map"]]}, source] for *head, kept, source in data["releases"]]
    return {**data, "written": written, "releases": releases, "maps": None, "size": None}


def test_a_conversation_that_was_kept_turn_by_turn_is_the_same_as_one_kept_as_a_whole() -> None:
    """Kills: any of its parts is not among what is new; what was changed in a later turn stays as it was."""
    sanitizer = Sanitizer(policy("prompts"))
    kept = KeptPolicy(sanitizer.setting, "digest")
    for seed in range(30):
        draw, state, parts = random.Random(seed), ConversationState(), list[dict[str, Any]]()
        read: list[str] = []
        for turn in range(draw.randint(2, 8)):
            if draw.random() < 0.8:
                text = " ".join(draw.choice(NAMES) for _ in range(draw.randint(1, 4)))
                release = sanitizer.prepare([f"{turn}: {text}."], scopes=[state.scope("p")]).release()[0]
                state.remember("p", state.digest("p", "label", f"{turn} {text}"), release, draw.choice([OWN, UNTRACED]))
                apart = state.scope("p").apart()
                apart.place("pool", text, 3, np.random.default_rng(seed))
                state.scope("p").place("pool", f"{turn} {text}", 4, np.random.default_rng(seed))  # soon begun anew
                state.scope("p").remembered("role")[draw.choice("ab")] = draw.choice("xyz")
            if draw.random() < 0.7:
                read.append(draw.choice(read) if read and draw.random() < 0.5 else f"answer {turn}")
                written = Written(draw.choice("mn"), state.maps[: draw.randint(0, len(state.maps))])
                state.wrote("content", read[-1], written, behind=draw.choice("uv"))
            if draw.random() < 0.5:
                state.name_persons((*state.persons, f"Person {turn}"))
                state.name_hosts(frozenset((f"host{turn}.example",)))
                state.answered(bytes([turn]) * 32)
            if draw.random() < 0.7 or not parts:
                parts.append(state.to_data(lambda policy: kept, new=bool(parts)))
        parts.append(state.to_data(lambda policy: kept, new=True))
        again = ConversationState.of_data(json.loads(json.dumps(parts)), lambda policy: kept)
        assert _plain(again.to_data(lambda policy: kept)) == _plain(state.to_data(lambda policy: kept))
        nothing = again.to_data(lambda policy: kept, new=True)
        assert not any(
            nothing[name] for name in ("releases", "written", "behind", "maps", "persons", "hosts", "answers")
        )
        assert all(not any(scope.values()) for scope in nothing["scopes"].values())


def test_what_is_added_to_a_conversation_that_another_process_kept_is_refused(tmp_path: Path) -> None:
    place, name = str(tmp_path / "budgets.db"), b"n" * 32
    one, other = SealedConversations(place, 60), SealedConversations(place, 60)
    first = one.save(name, {"of": 1}, [])
    second = one.save(name, {"of": 2}, [], first)
    assert second is not None and one.load(name) == [{"of": 1}, {"of": 2}]
    assert one.save(name, {"of": 3}, [], first) is None, "it is longer by now"
    whole = other.save(name, {"of": 4}, [])
    assert one.save(name, {"of": 5}, [], second) is None and other.load(name) == [{"of": 4}]
    assert one.save(name, {"of": 6}, []) is not None and other.save(name, {"of": 7}, [], whole) is None
    assert other.load(name) == [{"of": 6}] and rows(place) == 1
    for kept in (one, other):
        kept.close()


def test_conversations_that_two_processes_keep_in_turn_are_whole(tmp_path: Path) -> None:
    place, account = str(tmp_path / "budgets.db"), Account("ward")

    async def run() -> None:
        stores = [SealedConversations(place, 60) for _ in range(3)]
        one, other, third = (Conversations(seconds=60, most_bytes=10**6, store=store) for store in stores)
        state = one.of(account, "a")
        for turn in range(2):
            state.wrote("content", f"read {turn}", Written(f"w{turn}", ()))
            await one.keep(state)
        assert rows(place) == 2, "each turn adds what is new in it"
        await other.recall(account, name="a")
        others = other.of(account, "a")
        others.wrote("content", "read elsewhere", Written("x", ()))
        await other.keep(others)
        state.wrote("content", "read last", Written("w2", ()))
        await one.keep(state)
        await third.recall(account, name="a")
        found = third.of(account, "a")
        assert [found.written("content", f"read {which}") is not None for which in (0, 1, "last")] == [True] * 3
        assert found.written("content", "read elsewhere") is None, "who writes last has written all"
        for store in stores:
            store.close()

    asyncio.run(run())


def test_parts_that_are_missing_or_stand_elsewhere_are_refused(tmp_path: Path) -> None:
    place, name = str(tmp_path / "budgets.db"), b"n" * 32
    kept = SealedConversations(place, 60)
    changes = (
        "DELETE FROM {} WHERE number = 1",
        "UPDATE {} SET number = number - 2",
        "UPDATE {} SET sealed = (SELECT sealed FROM {} WHERE number = 0)",
    )
    for change in changes:
        kept.save(name, {"of": 2}, [], kept.save(name, {"of": 1}, []))
        assert kept.load(name) == [{"of": 1}, {"of": 2}]
        with sqlite3.connect(place) as database:
            database.execute(change.format(PARTS.name, PARTS.name))
        database.close()
        with pytest.raises(LedgerError, match="was changed"):
            kept.load(name)
    with sqlite3.connect(place) as database:
        (sealed,) = database.execute(f"SELECT sealed FROM {PARTS.name} WHERE number = 0").fetchone()
        kept.save(name, {"of": 3}, [])  # by another writer, so an old part is none of its own
        database.execute(f"UPDATE {PARTS.name} SET sealed = ?", (sealed,))
    database.close()
    with pytest.raises(LedgerError, match="was changed"):
        kept.load(name)
    kept.close()


def test_a_conversation_of_the_form_before_goes_on(tmp_path: Path) -> None:
    place, account = str(tmp_path / "budgets.db"), Account("ward")
    store = SealedConversations(place, 60)
    begun = Conversations(seconds=60, most_bytes=10**6, store=store).of(account, "a")
    begun.wrote("content", "read 0", Written("w0", ()))
    engine = opened(url_of(place))
    with engine.begin() as connection:  # as the third version made it
        set_rows(connection, CONVERSATIONS, [_row(begun.name, "conversation", begun.to_data(lambda _: None), 2**62)])
        connection.execute(sa.text(f"DROP TABLE {PARTS.name}"))
        connection.execute(sa.text("UPDATE server_version SET version_num = '3'"))
    engine.dispose()
    store.close()

    async def run() -> None:
        for turn in range(1, 4):  # each in another process
            store = SealedConversations(place, 60)
            kept = Conversations(seconds=60, most_bytes=10**6, store=store)
            await kept.recall(account, name="a")
            state = kept.of(account, "a")
            assert all(state.written("content", f"read {before}") is not None for before in range(turn))
            state.wrote("content", f"read {turn}", Written(f"w{turn}", ()))
            await kept.keep(state)
            store.close()

    asyncio.run(run())
    assert rows(place) == 1, "a process that read it keeps it as a whole once"


def test_a_late_turn_adds_no_more_than_an_early_one() -> None:
    """Kills: every answer is kept with the maps of all turns before it."""
    sanitizer = Sanitizer(policy("prompts"))
    kept, state, sizes = KeptPolicy(sanitizer.setting, "digest"), ConversationState(), list[int]()
    for turn in range(100, 200):
        text = f"{turn}: {NAMES[turn % len(NAMES)]} asks."
        release = sanitizer.prepare([text], scopes=[state.scope("p")]).release()[0]
        state.remember("p", state.digest("p", "label", text), release)
        state.wrote("content", f"answer {turn}", Written("w", state.maps), behind=f"{turn}")
        sizes.append(len(json.dumps(state.to_data(lambda policy: kept, new=turn > 100))))
    assert max(sizes[-20:]) <= 1.1 * max(sizes[20:40])
