"""Surrogates for tests: one of each name, values of every form, generators that tell what was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from textveil.surrogates.base import Mention, Surrogate
from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate
from textveil.surrogates.scopes import KeyedScope, MemoryScope

STRANGE = (
    *(
        "",
        " ",
        "'s",
        "--",
        "\x00",
        "\ud800",
        "\udfffx",
        "\u0130\u00df",
        "\u00b2\u2460",
        "\u0663/\u0664/\u0662",
        "e\u0301",
    ),
    *("A", "a" * 3_000, "9" * 3_000, "- " * 1_000, "1/2/" * 500, "\U0001f600", "\u738b\u5c0f\u660e", "1" + "," * 900),
    *("2024-02-30", "31/31/31", "0000-00-00", "99:99", "-1", "1e999", "$", "@", "http://", "::", "999.9.9.9", "NaN"),
)
"""Values that no surrogate was made for."""

NEEDED: dict[str, dict[str, Any]] = {"pool": {"words": ["red", "green", "blue"]}}
"""Options that must be given, by surrogate."""


def made(name: str, epsilon: float | None = None) -> Surrogate:
    """The surrogate of that name, at epsilon 1 where 0 is impossible and none is given."""
    if epsilon is None:
        epsilon = 1.0 if SURROGATE_ENTRIES[name].needs_epsilon else 0.0
    return make_surrogate(name, epsilon, NEEDED.get(name, {}))


def outputs(surrogate: Surrogate, values: Sequence[str], seed: int, *, keyed: bool = False) -> list[str]:
    """What one text of these values becomes, with the draws of that seed; in a keyed scope the seed is the secret."""
    scope = KeyedScope(seed.to_bytes(32, "big")) if keyed else MemoryScope()
    return surrogate.draw([Mention(value) for value in values], scope, np.random.default_rng(seed))
