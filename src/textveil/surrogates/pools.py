"""The public pools that surrogates are drawn from, and what chance does with them.

Built by ``tools/build_pools.py`` from the lists of the package faker (MIT license); ``pools.json`` holds the rule, the
sizes and the digest.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from textveil.errors import need
from textveil.surrogates.writing import key_of

FILE: Final = "pools.txt.gz"
RECORD: Final = "pools.json"
DATA: Final = Path(__file__).parent / "data"


@cache
def _all_pools() -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType(pools_of((DATA / FILE).read_bytes()))


def pool(name: str) -> tuple[str, ...]:
    """The entries of an embedded pool, sorted: ``"given"``, ``"family"``, ``"town"``, ``"state"``, ``"phone 33 9"``."""
    return _all_pools()[name]


def has_pool(name: str) -> bool:
    """Whether there is a pool of that name."""
    return name in _all_pools()


@cache
def keys_of(name: str) -> frozenset[str]:
    """What the entries of a pool are compared by."""
    return frozenset(map(key_of, pool(name)))


def pools_of(data: bytes) -> dict[str, tuple[str, ...]]:
    """The pools in the bytes of a file: a line ``[name]`` before the entries of each, one a line."""
    pools: dict[str, list[str]] = {}
    for line in gzip.decompress(data).decode("utf-8").splitlines():
        if line.startswith("["):
            entries = pools[line[1:-1]] = []
        else:
            entries.append(line)
    return {name: tuple(entries) for name, entries in pools.items()}


def chance_of_a_hit(draws: int, present: int, entries: int) -> float:
    """Probability that some of ``draws`` surrogates equals one of ``present`` values that stand in the texts.

    A draw never looks at the texts: to avoid a name because it occurs there would tell that it does. So a released name
    can be somebody's by chance; a reader cannot tell, and the map of the release can.

    Args:
        present: different values of the texts that are entries of the pool; at most as many as there are entries.
    """
    need(draws >= 0, "draws", draws, ">= 0")
    need(0 <= present <= entries, "present", present, f"between 0 and the {entries} entries")
    return 1.0 if 0 < present == entries and draws else -math.expm1(draws * math.log1p(-present / entries))


def chance_of_a_collision(values: int, entries: int) -> float:
    """Probability that two of ``values`` different values share a surrogate in a ``KeyedScope``.

    In a ``MemoryScope`` none do, until every entry of the pool has been given.
    """
    need(values >= 0, "values", values, ">= 0")
    if values > entries:
        return 1.0
    return -math.expm1(math.fsum(math.log1p(-index / entries) for index in range(values)))
