"""The law of a release, enumerated exactly over every random choice: texts with the same spans, all of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import log
from typing import Any, Literal

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.policies import Finds, FromPool, small_policy, surrogate

from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import ONE_SPAN
from textveil.sanitize.policy import making
from textveil.sanitize.policy.policy import Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention

PLACES = ("Xanadu", "Xi", "Xo")
POOL = ("Ann", "Bob", "Cy")
DEPTH = 14
"""Choices that are followed; what lies deeper, rejections in a row, has a probability below ``SLACK``."""

SLACK = Fraction(1, 1000)


class _Choices(np.random.Generator):
    """Answers ``integers(n)`` by a script, and tells where the script ended."""

    def __init__(self, script: Sequence[int]) -> None:
        super().__init__(np.random.PCG64(0))
        self.script, self.place, self.sizes = list(script), 0, []

    def integers(self, low: int, *args: Any, **more: Any) -> int:
        self.sizes.append(low)
        self.place += 1
        if self.place > len(self.script):
            raise _MoreNeeded(low)
        return self.script[self.place - 1]


class _MoreNeeded(BaseException):
    """Not an error of the surrogate, which would be told by its type."""


@dataclass(frozen=True)
class TwiceAsLikely:
    """The value's own place in the pool is twice as likely as each other one: ln 2 nats of a mention."""

    consistent: bool = False
    counts: Literal["mention"] = "mention"
    name: str = "twice"
    public: tuple[str, ...] = ()
    equality: str = ""

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(epsilon=log(2), status=Status.PROVED, source="tests", adjacency=ONE_SPAN)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        return [(*PLACES, one.value)[int(rng.integers(4))] for one in mentions]


@dataclass(frozen=True)
class AvoidsTheText(FromPool):
    """A mutant: never the name that stands there."""

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        pool = [name for name in self.pool if all(name != one.value for one in mentions)]
        return [pool[scope.place(self.name, one.value, len(pool), rng)] for one in mentions]


def _sanitizer(monkeypatch: pytest.MonkeyPatch, names: FromPool) -> Sanitizer:
    surrogates = {"person": names, "place": TwiceAsLikely()}
    monkeypatch.setattr(making, "_surrogate", lambda rule: surrogates[rule.kind])
    finds = (Finds("Ma[a-z]+|Ann"), Finds("X[a-z]+", "place", "places"))
    rules: tuple[Rule, ...] = (surrogate("person"), surrogate("place"))
    return Sanitizer(small_policy(*rules, detectors=finds), rng=_Choices(()))


def _law(sanitizer: Sanitizer, text: str) -> dict[str, Fraction]:
    """The probability of every release of a text."""
    law: dict[str, Fraction] = defaultdict(Fraction)
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        script, mass = waiting.pop()
        choices = _Choices(script)
        try:
            law[sanitizer.batch([text], rng=choices)[0].text] += mass
        except _MoreNeeded as needed:
            size = int(needed.args[0])
            if len(script) < DEPTH:
                waiting += [((*script, one), mass / size) for one in range(size)]
    assert sum(law.values()) > 1 - SLACK
    return law


def _text(first: str, second: str, place: str, other: str) -> str:
    return f"{first} met {second} in {place}; {first} left {other}."


def _ratio(one: Mapping[str, Fraction], other: Mapping[str, Fraction]) -> Fraction:
    """The largest ratio of two laws, those of what lies too deep left aside."""
    assert set(one) == set(other)
    return max(max(one[text] / other[text], other[text] / one[text]) for text in one)


@pytest.mark.slow
def test_the_law_of_a_release_is_what_the_guarantee_says(monkeypatch: pytest.MonkeyPatch) -> None:
    sanitizer = _sanitizer(monkeypatch, FromPool(pool=POOL))
    names = [("Mara", "Mark"), ("Mark", "Mara"), ("Marz", "Mark")]
    laws = {
        (a, b, c, d): _law(sanitizer, _text(a, b, c, d)) for a, b in names for c, d in product(PLACES[:2], repeat=2)
    }
    for one, other in product(laws, repeat=2):
        differing = sum(first != second for first, second in zip(one[2:], other[2:], strict=True))
        ratio = _ratio(laws[one], laws[other])
        assert ratio <= 2**differing * (1 + SLACK)  # entities cost nothing, however many values and mentions differ
        assert differing == 0 or ratio >= 2**differing * (1 - SLACK)  # and places cost all that they are said to
    release = sanitizer.batch([_text("Mara", "Mark", "Xi", "Xi")], rng=np.random.default_rng(1))[0]
    assert release.guarantee.epsilon == pytest.approx(2 * log(2))


def test_equality_of_names_is_what_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    sanitizer = _sanitizer(monkeypatch, FromPool(pool=POOL))
    same = _law(sanitizer, _text("Mara", "Mara", "Xi", "Xi"))
    other = _law(sanitizer, _text("Mark", "Mark", "Xi", "Xi"))
    apart = _law(sanitizer, _text("Mara", "Mark", "Xi", "Xi"))
    assert _ratio(same, other) == 1 and not set(same) & set(apart)


def test_a_draw_that_looks_at_the_text_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    sanitizer = _sanitizer(monkeypatch, AvoidsTheText(pool=POOL))
    one, other = (_law(sanitizer, _text(name, "Mark", "Xi", "Xi")) for name in ("Ann", "Mara"))
    assert set(one) != set(other)


def _digits(epsilon: float, texts: int = 3000) -> list[int]:
    """How often each digit from 1 comes out where the private one is 3, by the surrogate that presets use."""
    policy = small_policy(surrogate("number", "digits", epsilon=epsilon, scope="mention"), detectors=())
    releases = Sanitizer(policy).batch(["bed 3"] * texts, maps=False)
    return np.bincount([int(one.text[-1]) for one in releases], minlength=10).tolist()[epsilon == 0 :]


def test_digits_at_epsilon_0_are_uniform() -> None:
    assert chisquare(_digits(0.0)).pvalue > 1e-6  # fails once in a million runs
    assert chisquare(_digits(1.0)).pvalue < 1e-6  # 3 with 23 %: the mutant has no chance of 1e-9
