"""Audits of mechanisms that release vectors or sets of words: exact if the law is known, else by sampling."""

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.kinds import SetMechanism, VectorMechanism
from textveil.types import Reals
from textveil_lab.audit.methods import Audit, Method, is_a
from textveil_lab.audit.noise.profiles import epsilon_at, profile_finding
from textveil_lab.audit.report.report import Claim, Finding, Subject
from textveil_lab.audit.sampled.bounds import SAMPLES, Draw, Score, audit_sampled
from textveil_lab.audit.sampled.stated import StatedPair, check_profile
from textveil_lab.mechanisms.capabilities import LikelihoodRatio, WorstInputs, released, shown_input

_CELLS = 32  # Cells into which outputs are sorted if their law is not known
_PILOT = 2000  # Draws that choose how outputs are sorted
_DECIMALS = 9  # Of a log-likelihood ratio: a loss that many outputs share is one level, not rounding noise


def _run_worst_inputs(audit: Audit) -> None:
    mechanism = audit.mechanism
    audit.findings.append(_exact(mechanism, audit.claim))
    pair, draw, score = _compared(mechanism, audit.rng)
    stated = StatedPair(*pair, mechanism.worst_profile())
    show = partial(shown_input, mechanism)
    audit.draws = check_profile(draw, [stated], show, subject=Subject.RELEASE, score=score)
    audit.tell_contradiction()


def _run_samples(audit: Audit) -> None:
    mechanism = audit.mechanism
    pair, draw, score = _compared(mechanism, audit.rng)
    sampled = audit_sampled(
        draw,
        [pair],
        audit.claim,
        samples=audit.samples or SAMPLES,
        confidence=audit.confidence,
        score=score,
        name=lambda place: shown_input(mechanism, place) if isinstance(place, np.ndarray) else f"cell {place}",
    )
    audit.findings.append(replace(sampled, subject=Subject.RELEASE))


def _compared(mechanism: Any, rng: np.random.Generator) -> tuple[tuple[NDArray[Any], NDArray[Any]], Draw, Score | None]:
    pair = mechanism.worst_inputs() if isinstance(mechanism, WorstInputs) else _any_inputs(mechanism)
    draw: Draw = partial(_drawn, mechanism, rng)
    if isinstance(mechanism, LikelihoodRatio):
        return pair, draw, _rounded(mechanism)
    return pair, _sorted_sets(draw, pair) if isinstance(mechanism, SetMechanism) else _sorted_vectors(draw, pair), None


RELEASES: Final = (
    Method(_run_worst_inputs, is_a(WorstInputs)),
    Method(_run_samples, wanted=lambda audit: audit.needs_samples),
)
"""Methods for mechanisms that release vectors or sets of words, on two inputs."""


def _exact(mechanism: Any, claim: Claim) -> Finding:
    profile = mechanism.worst_profile()
    witness = {"pair": [shown_input(mechanism, place) for place in mechanism.worst_inputs()]}
    log_delta, epsilon = profile.log_delta(claim.epsilon), epsilon_at(profile, claim.log_delta)
    note = "By the law of the numbers that are drawn; no two inputs are easier to tell apart than these."
    finding = profile_finding(
        claim, profile, log_delta, epsilon, subject=Subject.RELEASE, witness=witness, notes=(note,)
    )
    return replace(finding, inputs="any two inputs")


def _drawn(mechanism: VectorMechanism | SetMechanism, rng: np.random.Generator, place: Any, count: int) -> NDArray[Any]:
    return released(mechanism, place, count, rng)


def _rounded(mechanism: LikelihoodRatio) -> Score:
    def score(first: Any, second: Any, outputs: NDArray[Any]) -> Reals:
        return mechanism.log_ratio(np.asarray(first), np.asarray(second), outputs).round(_DECIMALS)

    return score


def _any_inputs(mechanism: VectorMechanism | SetMechanism) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(mechanism, SetMechanism):
        return np.asarray(0), np.asarray(len(mechanism.vocabulary) - 1)
    return -np.ones(mechanism.dim), np.ones(mechanism.dim)


def _sorted_sets(draw: Draw, pair: tuple[NDArray[Any], NDArray[Any]]) -> Draw:
    def cells(place: Any, count: int) -> NDArray[Any]:
        drawn = draw(place, count)
        return 2 * (drawn == pair[0]).any(axis=1) + (drawn == pair[1]).any(axis=1)

    return cells


def _sorted_vectors(draw: Draw, pair: tuple[NDArray[Any], NDArray[Any]]) -> Draw:
    pilots = [np.asarray(draw(place, _PILOT), dtype=np.float64) for place in pair]
    direction = pilots[0].mean(axis=0) - pilots[1].mean(axis=0)
    values = np.concatenate(pilots) @ direction
    edges = np.unique(np.quantile(values, np.linspace(0, 1, _CELLS + 1)[1:-1]))

    def cells(place: Any, count: int) -> NDArray[Any]:
        return np.searchsorted(edges, np.asarray(draw(place, count), dtype=np.float64) @ direction)

    return cells
