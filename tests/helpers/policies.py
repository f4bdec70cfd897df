"""Small detectors and surrogates whose laws are known, for tests of policies."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from textveil.detection.spans import DetectedSpan
from textveil.privacy.guarantees import Guarantee, PureDP, Status
from textveil.privacy.units import ONE_SPAN
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention

KEEP_WORDS = Rule(kind="word", action=Action.KEEP)
POOL = ("Ann", "Bob", "Cy", "Dee", "Eve")


@dataclass(frozen=True)
class Finds:
    """Finds what a regular expression matches."""

    regex: str = r"Mar[a-z]+"
    kind: str = "person"
    name: str = "finds"

    @property
    def kinds(self) -> tuple[str, ...]:
        return (self.kind,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [
            [DetectedSpan(*one.span(), self.kind, 1.0, self.name) for one in re.finditer(self.regex, text) if one[0]]
            for text in texts
        ]


@dataclass(frozen=True)
class FromPool:
    """A uniform draw from a pool; with an epsilon, the value's own place is likelier."""

    pool: tuple[str, ...] = POOL
    consistent: bool = True
    counts: Literal["mention", "value", "scope"] = "value"
    epsilon: float = 0.0
    name: str = "from-pool"
    public: tuple[str, ...] = ()
    equality: str = ""

    def key(self, value: str) -> str:
        return value

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"pool": len(self.pool)}

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(epsilon=self.epsilon, status=Status.PROVED, source="tests", adjacency=ONE_SPAN)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        if not self.consistent:
            return [self.pool[int(rng.integers(len(self.pool)))] for _ in mentions]
        places = [scope.place(self.name, one.value, len(self.pool), rng) for one in mentions]
        return [self.pool[place] for place in places]


@dataclass(frozen=True)
class OtherDigits:
    """Uniform digits in the places of digits."""

    consistent: bool = False
    counts: Literal["mention"] = "mention"
    name: str = "digits"
    public: tuple[str, ...] = ("how many digits it has",)
    equality: str = ""

    def key(self, value: str) -> str:
        return value

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {}

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(epsilon=0.0, status=Status.PROVED, source="tests", adjacency=ONE_SPAN)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        return [re.sub(r"\d", lambda _: str(rng.integers(10)), one.value) for one in mentions]


def small_policy(*rules: Rule, **options: Any) -> Policy:
    """A policy that keeps words, with one detector of names."""
    return Policy(
        **{"name": "small", "rules": (KEEP_WORDS, *rules), "detectors": (Finds(),), "marks": "keep", **options}
    )


def surrogate(kind: str, name: str = "from-pool", **options: Any) -> Rule:
    """A rule that draws a surrogate."""
    return Rule(kind=kind, action=Action.SURROGATE, name=name, **options)
