"""A claim of the field: who makes it, how it is put to the test, and what the sound form costs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias, final

import numpy as np

from textveil.audit.field.subjects import ComputedTable, MovedNoise, UnderTest
from textveil.errors import need
from textveil.types import Reals


class ClaimBasis(Enum):
    """Where the formula that is judged was read."""

    CODE = "public code, read"
    """The repository that ``source`` names; its formula was derived again, none of its code was run."""
    PAPER = "formula of the paper"
    INSTALLED = "package as installed, run"
    CATALOG = "published form in the catalog"
    REPORTED = "formula as others report it"
    """The paper itself could not be read."""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialSetting:
    """Public words on a line, a privacy parameter and a dimension: what a case is tried on.

    Attributes:
        points: places of the words, increasing, shape (n,), n >= 2.
        epsilon: the case's own parameter, nats or nats per unit of distance.
        dim: of vectors, where the case is about vectors.
    """

    points: Reals
    epsilon: float
    dim: int = 2

    def __post_init__(self) -> None:
        rising = self.points.ndim == 1 and len(self.points) >= 2 and bool((np.diff(self.points) > 0).all())
        need(rising, "points", "others", "two or more numbers, increasing")
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")

    @property
    def words(self) -> tuple[str, ...]:
        """Names of the words, by their places."""
        return tuple(f"word at {place:g}" for place in self.points.tolist())

    @property
    def distances(self) -> Reals:
        """|v(x) - v(y)|, shape (n, n)."""
        return np.abs(self.points[:, None] - self.points[None, :])


def line(epsilon: float, *places: float, dim: int = 2) -> TrialSetting:
    """A setting with words at these places."""
    return TrialSetting(points=np.array(sorted(places), dtype=np.float64), epsilon=epsilon, dim=dim)


def made_setting(rng: np.random.Generator) -> TrialSetting:
    """A setting at random, for trying sound forms: four or six words, epsilon between 0.3 and 5, 2 to 40 dimensions."""
    gaps = rng.uniform(0.05, 3.0, int(rng.choice([4, 6])))
    return TrialSetting(points=np.cumsum(gaps), epsilon=float(rng.uniform(0.3, 5.0)), dim=int(rng.integers(2, 41)))


Making: TypeAlias = Callable[[TrialSetting], UnderTest]
"""From a setting to what is put to the test."""


class Cost(NamedTuple):
    """What a repair costs, in one number that both forms have."""

    measure: str
    published: float
    repaired: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimText:
    """A claim and what is to be said of it, in words.

    Attributes:
        name: of the row, unique in the table.
        work: the library or paper whose claim it is; rows of one work count as one work.
        part: the part of it that is meant.
        claim: what is claimed.
        source: where the claim and the formula stand.
        basis: how the formula came here.
        why: what goes wrong, or why it is right, in one sentence.
        repair: what mending is; empty where nothing is wrong.
        instead: the catalog's name of a sound form; empty where it has none.
        form: the catalog's name of this published form; empty where it has none.
        reading: the claim with its place, and why our reading of it is contested: such a row is counted apart. Empty
            where the claim is judged as it is printed.
    """

    name: str
    work: str
    part: str
    claim: str
    source: str
    basis: ClaimBasis
    why: str
    repair: str = ""
    instead: str = ""
    form: str = ""
    reading: str = ""


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """One claim of one library or paper, with how it is put to the test.

    Attributes:
        about: the claim in words.
        setting: on which the case is tried.
        published: the form that is claimed to hold.
        repaired: the same with the fault mended, at the same claim; None where nothing is wrong.
    """

    about: ClaimText
    setting: TrialSetting
    published: Making
    repaired: Making | None = None

    @property
    def name(self) -> str:
        """Of the row."""
        return self.about.name

    @property
    def sound(self) -> Making:
        """What must never be accused: the mended form, or the form itself where nothing is wrong."""
        return self.published if self.repaired is None else self.repaired

    def cost(self) -> Cost | None:
        """What the repair costs at this setting; None where the two forms have no number in common."""
        if self.repaired is None:
            return None
        before, after = utility(self.published(self.setting)), utility(self.repaired(self.setting))
        if before is None or after is None or before[0] != after[0]:
            return None
        return Cost(before[0], before[1], after[1])


def utility(subject: UnderTest) -> tuple[str, float] | None:
    """How useful a form is: the share of inputs that stay, or the size of its noise; None where it has neither."""
    if isinstance(subject, MovedNoise):
        return "standard deviation of one coordinate", math.sqrt(subject.distribution.variance)
    if isinstance(subject, ComputedTable) and tuple(subject.inputs) == tuple(subject.outputs):
        return "share of inputs that come out unchanged", float(np.trace(subject.rows)) / len(subject.rows)
    return None
