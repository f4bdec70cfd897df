"""Exact channel from word to nearest word, if all words lie on one line; any two words do, in any dimension.

The nearest word then depends on the noise only through its product with the line's direction, and each word is given on
an interval, its cell. Cell probabilities come from the tails of the noise, between two bounds in logarithms, so that a
cell too rare for a float is not called impossible. In more dimensions cells are polyhedra with up to as many sides as
words; their probabilities have no closed form, and the audit is about the noisy vector.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from textveil.statistics import Bound
from textveil.types import Ids, Reals
from textveil_lab.audit.noise.profiles import as_delta
from textveil_lab.audit.report.report import Claim, Finding, Verdict
from textveil_lab.mechanisms.capabilities import NearestWord, NoisyVectors
from textveil_lab.noise.distribution import LineNoise
from textveil_lab.numerics.log_concave import log_difference

METHOD = "exact cells"
WORDS = 256  # Vocabularies of more words are not computed: every pair is compared on every cell
_PLACE = 2.0**-48
"""Rounding of a position on the line, relative to its length: borders are moved by it to either side."""

_SUM = 2.0**-45  # Relative rounding of a sum of as many terms as there are words, and of its exponentials


@dataclass(frozen=True, slots=True, eq=False)
class CellTable:
    """Bounds on ln P(y | x), both of shape (n, n); -inf for a word that is never given."""

    lower: Reals  # at most the true values
    upper: Reals  # at least the true values


def cell_table(mechanism: NoisyVectors) -> CellTable | None:
    """Return the table if the words lie on one line and the noise offers tails; else None."""
    noise = mechanism.distribution
    if len(mechanism.points) > WORDS or not isinstance(noise, LineNoise):
        return None
    line = _on_a_line(mechanism.points.astype(np.float64))
    if line is None:
        return None
    direction, places = line
    owners, edges = _cells(places)
    if not len(edges):
        return None
    distances = edges - places[:, None]
    tails = _tails(noise, direction, np.abs(distances), _PLACE * float(np.ptp(places)))
    if tails is None:
        return None
    lower, upper = np.full((2, len(places), len(places)), -np.inf)
    lower[:, owners], upper[:, owners] = _masses(distances >= 0, *tails)
    return CellTable(lower, np.minimum(upper, 0.0))


def audit_cells(mechanism: NearestWord, claim: Claim) -> Finding | None:
    """Return the verdict on the released word, from its exact channel; None if ``cell_table`` is None.

    ``CERTIFIED`` if an upper bound holds for every pair of words, ``REFUTED`` if a pair exceeds the claim. If the
    released word is drawn from the nearest one, ``CERTIFIED`` holds for it too; else there is no finding.
    """
    table = cell_table(mechanism)
    if table is None:
        return None
    finding = _judged(mechanism, claim, table)
    return finding if mechanism.resampling is None or finding.verdict is Verdict.CERTIFIED else None


def _judged(mechanism: NoisyVectors, claim: Claim, table: CellTable) -> Finding:
    given = np.flatnonzero(np.isfinite(table.upper).any(axis=0))
    low, high = table.lower[:, given], table.upper[:, given]
    loss, (likely, unlikely, output) = _pure_loss(low, high)
    log_delta = _log_delta(low, high, claim.epsilon)
    if loss.upper <= claim.epsilon:
        log_delta = Bound(-math.inf, -math.inf, -math.inf, 1.0)
    words = mechanism.vocabulary.words
    end = max(claim.twice, 1.2 * loss.upper if math.isfinite(loss.upper) else 0.0, 1.0)
    epsilons = sorted({*np.linspace(0.0, end, 17).tolist(), claim.epsilon})
    deltas = (0.0 if epsilon >= loss.upper else as_delta(_log_delta(low, high, epsilon)).upper for epsilon in epsilons)
    return Finding(
        verdict=_verdict(claim, loss, log_delta),
        claim=claim,
        epsilon=_epsilon(low, high, claim, loss),
        delta=as_delta(log_delta),
        log_delta=log_delta,
        method=METHOD,
        witness={
            "input": words[likely],
            "other_input": words[unlikely],
            "output": words[int(given[output])],
            "probability": math.exp(high[likely, output]),
            "other_probability": math.exp(high[unlikely, output]),
            "log_ratio": loss.estimate,
        },
        profile=tuple(zip(epsilons, deltas, strict=True)),
        notes=(
            f"Computed from the probability of every word's cell: the {len(words)} words lie on one line. The noise is "
            "that of the proof, in real numbers; rounding in its sampler is not part of it.",
        ),
    )


def _verdict(claim: Claim, loss: Bound, log_delta: Bound) -> Verdict:
    if claim.log_delta == -math.inf:
        if loss.upper <= claim.epsilon:
            return Verdict.CERTIFIED
        return Verdict.REFUTED if loss.lower > claim.epsilon else Verdict.NOT_REFUTED
    if log_delta.upper <= claim.log_delta:
        return Verdict.CERTIFIED
    return Verdict.REFUTED if log_delta.lower > claim.log_delta else Verdict.NOT_REFUTED


def _on_a_line(points: Reals) -> tuple[Reals, Reals] | None:
    lengths = np.linalg.norm(points - points[0], axis=1)
    farthest = int(np.argmax(lengths))
    if lengths[farthest] == 0 or not _straight(points, farthest):
        return None
    direction = (points[farthest] - points[0]) / lengths[farthest]
    return direction, (points - points[0]) @ direction


def _straight(points: Reals, farthest: int) -> bool:
    first, *others = ([Fraction(entry) for entry in row] for row in points.tolist())
    along = [b - a for a, b in zip(first, others[farthest - 1], strict=True)]
    axis = max(range(len(along)), key=lambda index: abs(along[index]))
    return all(
        (entry - start) * along[axis] == (point[axis] - first[axis]) * step
        for point in others
        for start, entry, step in zip(first, point, along, strict=True)
    )


def _tails(noise: LineNoise, direction: Reals, distances: Reals, slack: float) -> tuple[Reals, Reals] | None:
    """Return bounds on ln P(noise > distance), for distances that are off by at most ``slack``."""
    far = noise.log_tail(direction, distances + slack)
    near = noise.log_tail(direction, np.maximum(distances - slack, 0.0))
    across = noise.log_tail(direction, np.array([slack]))
    if far is None or near is None or across is None:
        return None
    return far[0], np.where(distances >= slack, near[1], _complement(across[0]))


def _cells(places: Reals) -> tuple[Ids, Reals]:
    """Return the words that are given, from left to right, and their cells' borders; of equal positions the first."""
    _, firsts = np.unique(places, return_index=True)
    there = places[firsts]
    return firsts, (there[:-1] + there[1:]) / 2


def _masses(ahead: NDArray[np.bool_], tail_low: Reals, tail_high: Reals) -> tuple[Reals, Reals]:
    # ln P(noise > border) and ln P(noise < border): one of them is a tail, the other its complement.
    tails = ((tail_low, tail_high), (tail_high, tail_low))
    beyond = [np.where(ahead, tail, _complement(other)) for tail, other in tails]
    before = [np.where(ahead, _complement(other), tail) for tail, other in tails]
    first, last = [sides[:, :1] for sides in before], [sides[:, -1:] for sides in beyond]
    # Between two borders: the difference on the side where both are tails, which does not cancel.
    right = [log_difference(beyond[side][:, :-1], beyond[1 - side][:, 1:]) for side in range(2)]
    left = [log_difference(before[side][:, 1:], before[1 - side][:, :-1]) for side in range(2)]
    inner = [np.where(ahead[:, :-1], *pair) for pair in zip(right, left, strict=True)]
    masses = [np.concatenate([first[side], inner[side], last[side]], axis=1) for side in range(2)]
    return masses[0], masses[1]


def _complement(log_tail: Reals) -> Reals:
    return log_difference(np.zeros(log_tail.shape), log_tail)


def _pure_loss(low: Reals, high: Reals) -> tuple[Bound, tuple[int, int, int]]:
    middle = np.where(np.isfinite(low), (low + np.where(np.isfinite(low), high, 0.0)) / 2, high)
    with np.errstate(invalid="ignore"):
        spread = middle.max(axis=0) - middle.min(axis=0)
        output = int(np.argmax(np.nan_to_num(spread, nan=-1.0, posinf=np.inf)))
        upper = float((high.max(axis=0) - low.min(axis=0)).max())
        lower = float(np.nan_to_num(low.max(axis=0) - high.min(axis=0), nan=0.0, posinf=np.inf).max())
    likely, unlikely = int(np.argmax(middle[:, output])), int(np.argmin(middle[:, output]))
    return Bound(max(0.0, lower), float(spread[output]), upper, 1.0), (likely, unlikely, output)


def _log_delta(low: Reals, high: Reals, epsilon: float) -> Bound:
    deltas = []
    for of, against in ((low, high), (high, low)):
        best = -math.inf
        for row in of:
            gains = log_difference(np.maximum(row, against + epsilon), against + epsilon)
            top = float(gains.max())
            if top > -math.inf:
                best = max(best, top + math.log(float(np.exp(gains - top).sum(axis=1).max())))
        deltas.append(best)
    lower, upper = deltas[0] - _SUM, min(0.0, deltas[1] + _SUM)
    middle = lower if lower == upper else float(np.logaddexp(lower, upper)) - math.log(2)
    return Bound(lower, middle, upper, 1.0)


def _epsilon(low: Reals, high: Reals, claim: Claim, loss: Bound) -> Bound:
    if claim.log_delta == -math.inf:
        return loss
    ends = []
    for side in (0, 2):
        start, stop = 0.0, loss.upper if math.isfinite(loss.upper) else 1e4
        if _log_delta(low, high, start)[side] <= claim.log_delta:
            ends.append(start)
            continue
        if _log_delta(low, high, stop)[side] > claim.log_delta and math.isinf(loss.upper):
            ends.append(math.inf if side else stop)
            continue
        while stop - start > 1e-9 * stop:
            middle = (start + stop) / 2
            start, stop = (start, middle) if _log_delta(low, high, middle)[side] <= claim.log_delta else (middle, stop)
        ends.append(stop if side else start)
    return Bound(ends[0], (ends[0] + ends[1]) / 2, ends[1], 1.0)
