"""Claims of libraries and papers, each once: statement, computable law, witness and fair reading."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.noise.distribution import ProfiledNoise

METRIC = "epsilon times the distance of two words, for any two words"  # wording of most claims about words
MLDP = "mldp-text 0.1.2 (github.com/sjmeis/MLDP), mechanisms.py"  # the code of a package with many mechanisms of words


class ClaimBasis(Enum):
    """Origin of the judged formula."""

    CODE = "public code, read"
    """Repository in ``source``; its formula was derived again, none of its code was run."""
    PAPER = "formula of the paper"
    INSTALLED = "package as installed, run"
    CATALOG = "published form in the catalog"
    REPORTED = "formula as others report it"  # The paper itself could not be read


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrialSetting:
    """Setting of a trial: words at ``points`` of a line, rising; epsilon in the claim's unit; a dimension."""

    points: Reals
    epsilon: float
    dim: int = 2

    def __post_init__(self) -> None:
        rising = self.points.ndim == 1 and len(self.points) >= 2 and bool((np.diff(self.points) > 0).all())
        need(rising, "points", "others", "two or more numbers, increasing")
        need(0 < self.epsilon < math.inf, "epsilon", self.epsilon, "finite and > 0")

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(f"word at {place:g}" for place in self.points.tolist())

    @property
    def distances(self) -> Reals:
        """Distances |v(x) - v(y)|, shape (n, n)."""
        return np.abs(self.points[:, None] - self.points[None, :])


def line(epsilon: float, *places: float, dim: int = 2) -> TrialSetting:
    """Return a setting with words at these points."""
    return TrialSetting(points=np.array(sorted(places), dtype=np.float64), epsilon=epsilon, dim=dim)


TWO = line(1.0, 0.0, 1.0)  # epsilon 1; of laws that have no words


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ComputedTable:
    """Finite channel with computed probabilities, with the claim about every pair of inputs."""

    rows: Reals  # P(y | x), shape (n, k), each row with sum 1 within ``absolute`` k + 1e-9
    # nats claimed of each ordered pair of inputs, shape (n, n) or a number; ``inf`` compares no such pair
    claims: ArrayLike
    inputs: Sequence[str]  # names of the n inputs
    outputs: Sequence[str]  # names of the k outputs
    log_delta: float = -math.inf  # ln of the delta that is claimed of each pair; ``-inf`` claims pure DP
    relative: float = 1e-12  # relative error of every probability
    absolute: float = 0.0  # absolute error of every probability; 0 if a 0 is one
    facts: Mapping[str, Any] = field(default_factory=dict)  # its settings, for the witness

    def __post_init__(self) -> None:
        n, k = self.rows.shape
        need((len(self.inputs), len(self.outputs)) == (n, k), "rows", (n, k), "one name for each input and output")
        sums = np.abs(self.rows.sum(axis=1) - 1)
        fits = bool((self.rows >= 0).all() and (sums <= k * self.absolute + 1e-9).all())
        need(fits, "rows", "others", "probabilities that add to 1")
        need(bool(np.isfinite(self.claimed).any()), "claims", "inf for all pairs", "a number for one pair at least")

    @property
    def claimed(self) -> Reals:
        """Claim about every ordered pair; inf for an input with itself."""
        n = len(self.rows)
        claimed: Reals = np.array(np.broadcast_to(np.asarray(self.claims, dtype=np.float64), (n, n)))
        np.fill_diagonal(claimed, np.inf)
        return claimed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MovedNoise:
    """Noise of a known profile on two vectors that differ by ``shift``; the claim is (epsilon, e^log_delta)."""

    distribution: ProfiledNoise
    shift: Reals
    epsilon: float
    log_delta: float = -math.inf
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DensityAtPoint:
    """Logarithms of two densities at one point at which both are continuous: a small ball around it has their ratio."""

    log_density: float  # of the output, given the input
    other_log_density: float  # of the same output, given the other input
    error: float  # of the difference of the two, nats
    claimed: float  # nats for this pair of inputs
    facts: Mapping[str, Any] = field(default_factory=dict)  # the inputs and the point, for the witness


Law: TypeAlias = ComputedTable | MovedNoise | DensityAtPoint
"""Law of a form, as far as it is needed to judge a claim."""

Making: TypeAlias = Callable[[TrialSetting], Law]  # from a setting to the law of a form


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedClaim:
    """One claim of one library or paper, and its trial."""

    name: str  # of its row in the table of the field, unique
    work: str  # the library or paper whose claim it is; rows of one work count as one work
    part: str  # the part of it that is meant
    claim: str  # the claim
    source: str  # place of the claim and the formula
    why: str  # the fault, or why it is right, in one sentence
    basis: ClaimBasis = ClaimBasis.CODE  # how the formula came here
    repair: str = ""  # the repair; empty if nothing is wrong
    instead: str = ""  # the catalog's name of a sound form; empty if it has none
    form: str = ""  # the catalog's name of this published form; empty if it has none
    # the claim with its place, and why our reading of it is contested: such a row is counted apart. Empty if the
    # claim is judged as it is printed.
    reading: str = ""
    setting: TrialSetting = TWO  # on which the two laws are computed; None if something else is tested
    published: Making | None = None  # the law of the form that is claimed to hold
    repaired: Making | None = None  # the same with the fault mended, at the same claim; None if nothing is wrong

    @property
    def sound(self) -> Making | None:
        """Form that must never be accused: the mended one, or the form itself if nothing is wrong."""
        return self.published if self.repaired is None else self.repaired


@dataclass(frozen=True, slots=True, kw_only=True)
class FormTrial:
    """Audit of the catalog's own published form, if epsilon alone does not show its worst case."""

    # of the form; those at which its line holds if there are none
    options: Mapping[str, Any] = field(default_factory=dict)
    opposites: bool = False  # whether the claim is of any two vectors of a ball, and fails only for the farthest
    # makes a small model with random weights in a folder, as options: the claim is of every model
    model: Callable[[Path, Vocabulary], Mapping[str, Any]] | None = None
    work: str = ""  # the library or paper, if no other claim is about the form
    reading: str = ""  # why the verdict needs a contested reading, if no other claim is about the form


def softmax(scores: Reals) -> Reals:
    """Return rows exp(scores), each divided by its sum; -inf gives 0."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def word_table(setting: TrialSetting, rows: Reals, claims: Any = None, absolute: float = 0.0) -> ComputedTable:
    """Return a table over a setting's words that claims epsilon, or ``claims``."""
    return ComputedTable(
        rows=rows,
        claims=setting.epsilon if claims is None else claims,
        inputs=setting.words,
        outputs=setting.words,
        absolute=absolute,
        relative=1e-11 if absolute else 1e-12,
        facts={"epsilon": setting.epsilon},
    )


def metric_table(setting: TrialSetting, rows: Reals, absolute: float = 0.0, **facts: object) -> ComputedTable:
    """Return a table over a setting's words that claims epsilon times their distance."""
    table = word_table(setting, rows, setting.epsilon * setting.distances, absolute)
    return replace(table, facts={"epsilon per distance": setting.epsilon, **facts})


def two_inputs(rows: ArrayLike, inputs: tuple[str, str], outputs: tuple[str, ...], **options: float) -> Making:
    """Return two inputs whose outputs, or one event and its opposite, have these probabilities; it claims epsilon."""

    def law(setting: TrialSetting) -> ComputedTable:
        table = np.asarray(rows, dtype=np.float64)
        facts = {"epsilon": setting.epsilon}
        return ComputedTable(rows=table, claims=setting.epsilon, inputs=inputs, outputs=outputs, facts=facts, **options)

    return law


def noise_on_two(inputs: tuple[str, str], *, shared: bool, log_delta: float = -math.inf) -> Making:
    """Return the table of whether two noisy numbers, or vectors, are equal.

    Under one noise for both they are equal if their inputs are; under independent continuous noise, never.
    """
    rows = np.eye(2) if shared else [[0.0, 1.0], [0.0, 1.0]]
    return two_inputs(rows, inputs, ("the two noisy ones are equal", "they differ"), log_delta=log_delta)


TWO_VECTORS = ("two tokens with equal vectors", "two with others")  # inputs of ``noise_on_two``


NODES = 48  # of the quadrature on each piece
ABSOLUTE = 1e-11  # error of an integral of a density that is smooth between the breaks; with room to spare
_REACH = 40.0  # multiples of the noise's scale beyond the outermost break: the rest is below e^-40
_LONGEST = 2.0  # length of a piece in units of the scale


@cache
def _rule() -> tuple[Reals, Reals]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def integral(values: Callable[[Reals], Reals], breaks: Sequence[float], scale: float) -> Reals:
    """Return the integral over the line of a function that is smooth between ``breaks`` and falls off with ``scale``.

    Args:
        values: function from points, shape (m,), to values, shape (m, k).
        breaks: points of jumps or bends.
        scale: > 0; 40 times this beyond the breaks, the function is below 1e-17 of itself.

    Returns:
        Shape (k,).
    """
    inner = np.unique(np.asarray(breaks, dtype=np.float64))
    ends = np.concatenate([[inner[0] - _REACH * scale], inner, [inner[-1] + _REACH * scale]])
    total: Reals = np.zeros(1)
    nodes, weights = _rule()
    for start, stop in pairwise(ends.tolist()):
        parts = np.linspace(start, stop, 1 + max(1, int(np.ceil((stop - start) / (_LONGEST * scale)))))
        half = np.diff(parts) / 2
        at = (parts[:-1] + half)[:, None] + half[:, None] * nodes
        weighted = values(at.reshape(-1)) * (half[:, None] * weights).reshape(-1)[:, None]
        total = total + weighted.sum(axis=0)
    return total


def breaks_of(points: Reals) -> list[float]:
    """Return the points at which the words' order by distance changes: the points and the middle of every two."""
    return [*points.tolist(), *((a + b) / 2 for a, b in combinations(points.tolist(), 2))]


def laplace(at: Reals, center: float, scale: float) -> Reals:
    """Return the density of Laplace noise around ``center``."""
    return np.exp(-np.abs(at - center) / scale) / (2 * scale)
