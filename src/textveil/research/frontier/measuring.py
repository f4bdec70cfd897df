"""One cell of the frontier: a mechanism calibrated, verified and scored."""

from __future__ import annotations

import hashlib
import math
import re
from dataclasses import dataclass
from typing import Final, final

from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.randomness import seeded_generator
from textveil.research.cells import Values, cell_seed
from textveil.research.frontier.calibrated import calibrated
from textveil.research.frontier.contenders import Contender
from textveil.research.frontier.measures import VULNERABILITY
from textveil.research.frontier.points import GUARANTEE
from textveil.research.frontier.study import FrontierStudy
from textveil.research.frontier.told_apart import texts_apart, words_apart
from textveil.research.frontier.word_scores import vulnerability, word_scores
from textveil.statistics import Bound

_UNSAFE: Final = re.compile(r"[^a-z0-9.-]+")


@final
@dataclass(frozen=True, slots=True)
class FrontierCell:
    """A contender at an epsilon, in one way of comparing."""

    contender: Contender
    epsilon: float
    way: str = GUARANTEE

    @property
    def name(self) -> str:
        """Of the cell's file."""
        return f"{slug(self.contender.label)}-{self.way}-{self.epsilon:.17g}"


def slug(label: str) -> str:
    """A label as part of a file's name, distinct for distinct labels."""
    plain = _UNSAFE.sub("-", label.lower())
    if plain == label:
        return plain
    return f"{plain[:60]}-{hashlib.blake2b(label.encode(), digest_size=4).hexdigest()}"


def measured_cell(study: FrontierStudy, cell: FrontierCell) -> Values:
    """The values of a cell; where the mechanism cannot be made for its epsilon, why."""
    try:
        made = calibrated(cell.contender, study.vocabulary, cell.epsilon, study.delta)
    except (ParameterError, UnsupportedGuarantee) as error:
        return _values(None, math.inf, 0.0, "", "", {}, str(error))
    rng = seeded_generator(cell_seed(cell, study.seed))
    scores = word_scores(study, made.mechanism, rng)
    known = vulnerability(study, made.mechanism, rng)
    if known is not None:
        scores[VULNERABILITY] = known
    scores |= words_apart(study, made.mechanism, rng) | texts_apart(study, made.mechanism, rng)
    return _values(made.given, made.epsilon, made.delta, made.verified, str(made.mechanism.guarantee), scores, "")


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
