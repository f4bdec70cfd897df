"""Surrogates for tests: one of each name, values of every form, generators that tell what was drawn."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from textveil.surrogates.making import SURROGATE_ENTRIES, make_surrogate
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention, Surrogate

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


def made(name: str, epsilon: float | None = None) -> Surrogate:
    """The surrogate of that name, at epsilon 1 where 0 is impossible and none is given."""
    if epsilon is None:
        epsilon = 1.0 if SURROGATE_ENTRIES[name].needs_epsilon else 0.0
    return make_surrogate(name, epsilon, SURROGATE_ENTRIES[name].sample)


def outputs(surrogate: Surrogate, values: Sequence[str], seed: int, *, keyed: bool = False) -> list[str]:
    """What one text of these values becomes, with the draws of that seed; in a keyed scope the seed is the secret."""
    scope = KeyedScope(seed.to_bytes(32, "big")) if keyed else MemoryScope()
    return surrogate.draw([Mention(value) for value in values], scope, np.random.default_rng(seed))


class Scripted(np.random.Generator):
    """A generator whose integers follow a script, and that notes how many choices there were at each."""

    def __init__(self, script: Sequence[int], depth: int) -> None:
        super().__init__(np.random.PCG64(0))
        self.script, self.depth, self.choices = list(script), depth, list[int]()

    def integers(self, low: int, high: int | None = None, size: int | None = None, **kinds: Any) -> Any:
        """The next integer of the script, 0 behind its end; StopIteration beyond the depth."""
        if size is not None:
            return np.array([self.integers(low, high) for _ in range(size)], dtype=np.int64)
        first, last = (0, low) if high is None else (low, high)
        if len(self.choices) == self.depth:
            raise StopIteration
        self.choices.append(last - first)
        place = len(self.choices) - 1
        if place == len(self.script):
            self.script.append(0)
        return first + self.script[place]


def exact_law(surrogate: Surrogate, mentions: Sequence[Mention], depth: int) -> dict[tuple[str, ...], Fraction]:
    """The law of a text's surrogates by going through all random choices; what is longer than the depth is left out."""
    law: dict[tuple[str, ...], Fraction] = {}
    script: list[int] = []
    while True:
        rng = Scripted(script, depth)
        try:
            drawn = tuple(surrogate.draw(mentions, MemoryScope(), rng))
            law[drawn] = law.get(drawn, Fraction(0)) + Fraction(1, math.prod(rng.choices))
        except StopIteration:
            pass
        script = rng.script[: len(rng.choices)]
        while script and script[-1] + 1 == rng.choices[len(script) - 1]:
            script.pop()
        if not script:
            return law
        script[-1] += 1
