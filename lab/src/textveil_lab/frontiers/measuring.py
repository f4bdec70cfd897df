"""Cells of the frontier: a mechanism calibrated, verified and scored."""

import hashlib
import math
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.randomness import seeded_generator
from textveil.statistics import Bound
from textveil_lab.frontiers.calibrated import Calibrated, calibrated, given_as_it_is
from textveil_lab.frontiers.cells import Values, cell_seed
from textveil_lab.frontiers.equal_vulnerability import Bracket, curve_of, epsilon_within, vulnerability_at
from textveil_lab.frontiers.limits import cosine_limit
from textveil_lab.frontiers.measures import VULNERABILITY
from textveil_lab.frontiers.points import GUARANTEE, VULNERABILITY_WAY, FrontierContender
from textveil_lab.frontiers.study import FrontierStudy, texts_apart, words_apart
from textveil_lab.frontiers.word_scores import accuracy_scores, recovery_scores, vulnerability, word_scores

_UNSAFE: Final = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class FrontierCell:
    """Contender at one verified epsilon."""

    contender: FrontierContender
    epsilon: float

    @property
    def way(self) -> str:
        return GUARANTEE

    @property
    def name(self) -> str:
        return f"{slug(self.contender.label)}-{self.way}-{self.epsilon:.17g}"


@dataclass(frozen=True, slots=True)
class CurveCell:
    """Bayes vulnerability of a contender over its epsilons."""

    contender: FrontierContender

    @property
    def name(self) -> str:
        return f"{slug(self.contender.label)}-curve"


@dataclass(frozen=True, slots=True)
class EqualCell:
    """Metric contender at the vulnerability of a reference."""

    contender: FrontierContender
    epsilon: float
    reference: str
    wanted: float
    bracket: Bracket  # where the contender reaches it

    @property
    def way(self) -> str:
        return VULNERABILITY_WAY

    @property
    def name(self) -> str:
        return f"{slug(self.contender.label)}-as-{slug(self.reference)}-{self.epsilon:.17g}"


@dataclass(frozen=True, slots=True)
class CosineLimitCell:
    """Upper limit of the mean cosine at one epsilon."""

    epsilon: float
    steps: int

    @property
    def name(self) -> str:
        return f"cosine-limit-{self.steps}-{self.epsilon:.17g}"


def slug(label: str) -> str:
    """Return a label as part of a file's name, distinct for distinct labels."""
    plain = _UNSAFE.sub("-", label.lower())
    if plain == label:
        return plain
    return f"{plain[:60]}-{hashlib.blake2b(label.encode(), digest_size=4).hexdigest()}"


Cell: TypeAlias = FrontierCell | EqualCell | CurveCell | CosineLimitCell


def measured_cell(study: FrontierStudy, cell: Cell) -> Values:
    """Return the values of a cell of any kind."""
    if isinstance(cell, CurveCell):
        given, vulnerabilities = curve_of(study, cell.contender, cell_seed(cell, study.seed))
        return {"given": given, "vulnerability": vulnerabilities}
    if isinstance(cell, CosineLimitCell):
        return {"value": cosine_limit(study, cell.epsilon)}
    return _scored(study, cell)


def _scored(study: FrontierStudy, cell: FrontierCell | EqualCell) -> Values:
    try:
        mechanism = _made(study, cell)
    except (ParameterError, UnsupportedGuarantee) as error:
        return _values(None, math.inf, 0.0, "", "", {}, str(error))
    rng = seeded_generator(cell_seed(cell, study.seed))
    scores = word_scores(study, mechanism.mechanism, rng)
    known = vulnerability(study, mechanism.mechanism, rng)
    if known is not None:
        scores[VULNERABILITY] = known
    scores |= words_apart(study, mechanism.mechanism, rng) | texts_apart(study, mechanism.mechanism, rng)
    stream = cell_seed(cell, study.seed)
    scores |= recovery_scores(study, mechanism.mechanism, stream)
    scores |= accuracy_scores(study, mechanism.mechanism, stream)
    return _values(
        mechanism.given,
        mechanism.epsilon,
        mechanism.delta,
        mechanism.verified,
        str(mechanism.mechanism.guarantee),
        scores,
        "",
    )


def _made(study: FrontierStudy, cell: FrontierCell | EqualCell) -> Calibrated:
    if isinstance(cell, FrontierCell):
        return calibrated(cell.contender, study.vocabulary, cell.epsilon, study.delta)
    stream = cell_seed(cell, study.seed)

    def reached(epsilon: float) -> float:
        estimated = vulnerability_at(study, cell.contender, epsilon, stream)
        return 1.0 if estimated is None else estimated

    given = epsilon_within(cell.bracket, cell.wanted, reached)
    return given_as_it_is(cell.contender, study.vocabulary, given, study.delta)


def _values(
    given: float | None,
    epsilon: float,
    delta: float,
    verified: str,
    guarantee: str,
    scores: dict[str, Bound],
    missing: str,
) -> Values:
    return {
        "given": given,
        "verified_epsilon": epsilon if math.isfinite(epsilon) else None,
        "verified_delta": delta,
        "verified": verified,
        "guarantee": guarantee,
        "scores": {key: list(bound) for key, bound in scores.items()},
        "missing": missing,
    }
