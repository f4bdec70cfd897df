"""Private maps that are kept: for whom, and how long."""

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.helpers.servers import serving

from textveil.budget.database import opened, url_of
from textveil.errors import LedgerError
from textveil.server.app import make_app
from textveil.server.config import Config
from textveil.server.kept_data import KeptMaps
from textveil.server.keys import ApiKeys
from textveil.server.sealed import SealedMaps
from textveil.surrogates.map_file import PrivateMap, Replaced

MAP = PrivateMap(released="Ann", replaced=(Replaced(0, 3, "Eve", "person"),))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_map_is_for_its_owner_alone() -> None:
    kept = KeptMaps(60, 10**6)
    identity = kept.keep(("ward", "p1"), [MAP])
    assert kept.find(("ward", "p1"), identity) == (MAP,)
    assert kept.find(("ward", None), identity) == (MAP,)
    assert kept.find(("ward", "p2"), identity) is None
    assert kept.find(("other", None), identity) is None
    assert kept.find(("other", "p1"), identity) is None
    assert kept.find(("ward", "p1"), identity + "x") is None


def test_a_map_goes_when_its_time_is_over() -> None:
    clock = Clock()
    kept = KeptMaps(60, 10**6, clock)
    identity = kept.keep(("ward", None), [MAP])
    clock.now = 59.9
    assert kept.find(("ward", None), identity) == (MAP,)
    clock.now = 60.0
    assert kept.find(("ward", None), identity) is None


def test_the_oldest_maps_make_room() -> None:
    kept = KeptMaps(60, 2500)
    first, second, third = (kept.keep(("ward", None), [MAP]) for _ in range(3))
    assert kept.find(("ward", None), first) is None
    assert kept.find(("ward", None), second) == kept.find(("ward", None), third) == (MAP,)


def test_ids_differ_and_say_nothing() -> None:
    kept = KeptMaps(60, 10**6)
    ids = {kept.keep(("ward", None), [MAP]) for _ in range(100)}
    assert len(ids) == 100 and all(len(one) > 30 and "ward" not in one for one in ids)


class Time:
    now = 10**15

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "budgets.db")


CANARIES = PrivateMap(released="Ann \u2603", replaced=(Replaced(0, 3, "CANARY", "person"),))


def test_maps_in_the_database_outlive_a_process_and_are_for_their_owner_alone(place: str) -> None:
    first = SealedMaps(place, 60)
    identity = first.keep(("ward", "p1"), [CANARIES, MAP])
    first.close()
    second = SealedMaps(place, 60)
    assert second.find(("ward", "p1"), identity) == second.find(("ward", None), identity) == (CANARIES, MAP)
    for stranger in (("ward", "p2"), ("other", "p1"), ("other", None)):
        assert second.find(stranger, identity) is None
    assert second.find(("ward", "p1"), identity[:-1]) is None and second.find(("ward", None), "\ud800") is None
    second.close()


def test_maps_in_the_database_open_for_nobody_without_their_id(place: str) -> None:
    maps = SealedMaps(place, 60)
    identity = maps.keep(("CANARY ward", "CANARY person"), [CANARIES])
    maps.close()
    content = b"".join(path.read_bytes() for path in Path(place).parent.iterdir())
    assert b"CANARY" not in content and identity.encode() not in content and b"server_maps" in content


def test_maps_in_the_database_expire_and_are_deleted(place: str) -> None:
    time = Time()
    maps = SealedMaps(place, 60, clock=time)
    identity = maps.keep(("ward", None), [MAP])
    time.now += 60 * 10**6 - 1
    assert maps.find(("ward", None), identity) == (MAP,)
    time.now += 1
    assert maps.find(("ward", None), identity) is None
    maps.keep(("ward", None), [MAP])
    maps.close()
    with sqlite3.connect(place) as database:
        assert database.execute("SELECT count(*) FROM server_maps").fetchone() == (1,)
    database.close()


def test_a_map_that_was_changed_in_the_database_is_refused(place: str) -> None:
    maps = SealedMaps(place, 60)
    identity = maps.keep(("ward", None), [MAP])
    with sqlite3.connect(place) as database:
        (sealed,) = database.execute("SELECT sealed FROM server_maps").fetchone()
        database.execute("UPDATE server_maps SET sealed = ?", (sealed[:-1] + bytes([sealed[-1] ^ 1]),))
    database.close()
    with pytest.raises(LedgerError, match="was changed"):
        maps.find(("ward", None), identity)
    maps.close()


def test_tables_of_the_version_before_are_brought_into_todays_form(place: str) -> None:
    keys = ApiKeys(place)
    facts, key = keys.create("ward")
    keys.close()
    engine = opened(url_of(place))
    with engine.begin() as connection:  # as the first version made them
        connection.execute(sa.text("DROP TABLE server_maps"))
        connection.execute(sa.text("DROP TABLE server_conversations"))
        connection.execute(sa.text("DROP TABLE server_conversation_parts"))
        connection.execute(sa.text("UPDATE server_version SET version_num = '1'"))
    engine.dispose()
    again = ApiKeys(place)
    assert again.find(key) == facts
    again.close()
    maps = SealedMaps(place, 60)
    assert maps.find(("ward", None), maps.keep(("ward", None), [MAP])) == (MAP,)
    maps.close()


def test_a_server_restores_what_another_process_kept(place: str) -> None:
    told = Config(database=place, maps="database")
    note = "Maria Gonzalez was seen."
    with serving(make_app(told), told) as client:
        made = client.post("/v1/sanitize", json={"text": note, "restorable": True}).json()
    with serving(make_app(told), told) as client:
        back = client.post("/v1/restore", json={"text": made["text"], "release": made["release"]})
        assert back.json()["text"] == note
