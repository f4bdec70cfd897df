"""Private maps that are kept: for whom, and how long."""

from __future__ import annotations

from textveil.server.maps import KeptMaps
from textveil.surrogates.private_map import PrivateMap, Replaced

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
    kept = KeptMaps(60, 1000)
    first, second, third = (kept.keep(("ward", None), [MAP]) for _ in range(3))
    assert kept.find(("ward", None), first) is None
    assert kept.find(("ward", None), second) == kept.find(("ward", None), third) == (MAP,)


def test_ids_differ_and_say_nothing() -> None:
    kept = KeptMaps(60, 10**6)
    ids = {kept.keep(("ward", None), [MAP]) for _ in range(100)}
    assert len(ids) == 100 and all(len(one) > 30 and "ward" not in one for one in ids)
