"""Amplification by shuffling: guarantee of one person's report if n reports are released without their order.

Each of n people draws one report with the same mechanism at epsilon_0, and a trusted shuffler releases the reports in
random order, or counted. The bounds come from binomial laws, not from asymptotic formulas. Proof:
``textveil_lab/proofs/shuffling.md``, which also says what is not covered: the words of a text are released in order.
"""

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from scipy.stats import binom

from textveil.errors import UnsupportedGuarantee, need
from textveil.privacy.guarantees import ApproximateDP, PureDP, Status
from textveil.privacy.units import Adjacency, Unit
from textveil.types import Reals

PROOF: Final = "textveil_lab/proofs/shuffling.md"

ONE_REPORT: Final = Adjacency(
    Unit.PERSON,
    "two sets of as many reports, one a person, that differ in the report of one person, where reports are released in "
    "random order and by nothing else can be told whose they are",
)

_ROUNDING: Final = 1e-11  # error of binomial tails relative to their sum: they are good to 1e-13
_BISECTIONS: Final = 60
_MASSES: Final = 1e-9  # relative error of probabilities of numbers of base draws, by rounding of q
_TAILS: Final = 2.0**-45  # total error of differences of distribution functions
_CELLS: Final = 64  # cells of numbers of base draws, within which delta is rounded up
_MOST_REPORTS: Final = 10**8


def shuffled_delta(epsilon: float, epsilon_0: float, reports: int, base_mass: float | None = None) -> float:
    """Return an upper bound on the smallest delta at ``epsilon`` of n shuffled reports, each drawn at ``epsilon_0``.

    Args:
        epsilon: nats, >= 0.
        epsilon_0: nats of one report, finite and > 0.
        reports: n, >= 1.
        base_mass: None for any mechanism; q if each report is drawn with probability q from one base law, whatever its
            value, and no output is ever more than e^epsilon_0 times as likely as by base draws alone. It gives a second
            bound; the smaller one is returned.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    _check(epsilon_0, reports, base_mass)
    need(0 <= epsilon < math.inf, "epsilon", epsilon, "finite and >= 0")
    if epsilon >= epsilon_0:
        return 0.0
    general = min(1.0, _bound(epsilon, epsilon_0, reports))
    return general if base_mass is None else min(general, _base_draws(epsilon_0, reports, base_mass).delta(epsilon))


def _bound(epsilon: float, epsilon_0: float, reports: int) -> float:
    """Return the sum of the proof for any mechanism: other reports are clones with chance ``_clones``."""
    counts, chances, lost = _numbers(reports - 1, _clones(epsilon_0))
    likely = 1 / (1 + math.exp(-epsilon_0))
    rare = 1 - likely
    # The likelihood ratio rises with the number j of reports of one kind, among count + 1; above edge it is too large.
    factor = math.exp(epsilon)
    edge = (counts + 1) / 2 * (1 + math.tanh(epsilon / 2) / math.tanh(epsilon_0 / 2))
    first = np.floor(edge)  # any threshold gives a lower bound, the right one the value: so rounding of edge is covered
    best = np.zeros(len(counts))
    for start in (first, first + 1):
        with_one, without = binom.sf(start - 2, counts, 0.5), binom.sf(start - 1, counts, 0.5)
        gain = likely * with_one + rare * without - factor * (rare * with_one + likely * without)
        best = np.maximum(best, gain + _ROUNDING * factor * with_one)
    return float(chances @ best) * (1 + _ROUNDING) + lost


class _BaseDraws(NamedTuple):
    """Number of base draws among the reports, in cells of numbers.

    ``fewest``: smallest number of a cell, of base draws whose output only one value raises; shape (cells, 1).
    """

    epsilon_0: float  # nats of one report
    reports: int  # n
    both: bool  # whether outputs that are raised for no one value alone are raised for both, and not for none
    fewest: Reals
    most: Reals  # the largest number of the cell
    others: Reals  # other base draws; shape (other cells,)
    chances: Reals  # of a cell and such a number; shape (cells, other cells)
    lost: float  # bound on the contribution of all other numbers to delta

    def delta(self, epsilon: float) -> float:
        """Return the bound of the proof at epsilon; amounts are over e^epsilon_0."""
        rare, grown = math.exp(-self.epsilon_0), math.expm1(epsilon)
        step = -math.expm1(-self.epsilon_0) * (grown + 2)
        loss = self.most / 2 * step + self.fewest / 2 * (1 + rare) * grown
        loss = loss + (1.0 if self.both else rare) * grown * self.others
        start = np.floor(loss / step) + 1
        mean = self.most / 2 * binom.sf(start - 2, np.maximum(self.most - 1, 0), 0.5)
        gain = step * mean * (1 + _ROUNDING) - loss * binom.sf(start - 1, self.most, 0.5) * (1 - _ROUNDING)
        share = float(np.sum(self.chances * np.maximum(gain, 0.0))) * (1 + _MASSES) / self.reports
        return min(1.0, math.exp(self.epsilon_0) * share + self.lost)


@lru_cache(maxsize=64)
def _base_draws(epsilon_0: float, reports: int, base_mass: float) -> _BaseDraws:
    spent = (1 - base_mass) / math.expm1(epsilon_0)
    each = min(spent, base_mass - spent)  # of outputs that are raised for the one value alone, and for the other alone
    rest = max(0.0, (base_mass - 2 * each) / (1 - 2 * each))
    fewest = _cell_starts(reports, 2 * each, 4 * _CELLS)
    most = np.append(fewest[1:] - 1, reports)
    first, last = fewest[1], fewest[-1]
    masses = binom.pmf(np.arange(first, last), reports, 2 * each)
    sums = np.add.reduceat(masses, (fewest[1:-1] - first).astype(np.intp))
    raised = np.append(binom.cdf(first - 1, reports, 2 * each), sums)
    # Numbers beyond the last cell add at most e^epsilon_0 / n times their mean.
    lost = 2 * each * math.exp(epsilon_0) * float(binom.sf(last - 2, reports - 1, 2 * each)) * (1 + 1e-9)
    others = _cell_starts(reports, max(0.0, base_mass - 2 * each), _CELLS)
    left = (reports - most[:-1])[:, None]
    chances = np.diff(binom.cdf(others - 1, left, rest), axis=1, append=1.0)
    # A cell's numbers are spread to its first one and to the next cell's, with the same mean.
    widths = np.diff(others)
    means = left * rest * np.diff(binom.cdf(others - 2, np.maximum(left - 1, 0), rest), axis=1)
    later = np.where(
        widths > 1, np.clip(means / widths - chances[:, :-1] * (others[:-1] / widths), 0, chances[:, :-1]), 0
    )
    chances[:, :-1] -= later
    chances[:, 1:] += later
    lost += _TAILS * (1 + reports * rest / float(widths.min(initial=reports + 1)))
    return _BaseDraws(
        epsilon_0, reports, spent > each, fewest[:-1, None], most[:-1, None], others, raised[:, None] * chances, lost
    )


def _cell_starts(trials: int, chance: float, cells: int) -> Reals:
    """Return the smallest numbers of cells of successes; the first is 0 to the mean less 9 standard deviations."""
    middle, spread = trials * chance, 9 * math.sqrt(trials * chance * (1 - chance)) + 20
    edges = np.linspace(max(0.0, middle - spread), min(trials + 1.0, middle + spread), cells)
    return np.unique(np.concatenate([[0.0], np.ceil(edges)]))


def shuffled(guarantee: PureDP, reports: int, delta: float, base_mass: float | None = None) -> ApproximateDP:
    """Return the (epsilon, delta) guarantee of one person's report among n that are released in random order.

    Args:
        guarantee: of one report, pure, for any two values of it.
        reports: n.
        delta: in (0, 1).
        base_mass: as in ``shuffled_delta``.

    Returns:
        The smallest epsilon whose bound is at most ``delta``, rounded up; epsilon_0 if shuffling does not help. Its
        status is that of the guarantee.

    Raises:
        UnsupportedGuarantee: the guarantee is not pure.
        ParameterError: an argument is outside its domain.
    """
    if not isinstance(guarantee, PureDP):
        raise UnsupportedGuarantee(
            f"amplification by shuffling needs a pure guarantee of one report; got {guarantee}. Take its worst_case()."
        )
    need(0 < delta < 1, "delta", delta, "in (0, 1)")
    _check(guarantee.epsilon, reports, base_mass)
    low, high = 0.0, guarantee.epsilon
    for _ in range(_BISECTIONS):
        if high - low <= 1e-6 * high:
            break
        middle = (low + high) / 2
        if shuffled_delta(middle, guarantee.epsilon, reports, base_mass) <= delta:
            high = middle
        else:
            low = middle
    proved = guarantee.status is Status.PROVED
    return ApproximateDP(
        epsilon=math.nextafter(high, math.inf) if high < guarantee.epsilon else guarantee.epsilon,
        log_delta=math.log(delta),
        status=guarantee.status,
        source=PROOF if proved else guarantee.source,
        adjacency=ONE_REPORT,
    )


def _check(epsilon_0: float, reports: int, base_mass: float | None) -> None:
    need(0 < epsilon_0 < 700, "epsilon_0", epsilon_0, "between 0 and 700")
    need(1 <= reports <= _MOST_REPORTS, "reports", reports, f"between 1 and {_MOST_REPORTS:,}")
    fits = base_mass is None or math.exp(-epsilon_0) * (1 - _ROUNDING) <= base_mass <= 1
    need(fits, "base_mass", base_mass, "None for any mechanism, or between e^-epsilon_0 and 1")


def _clones(epsilon_0: float) -> float:
    return 2 / (math.exp(epsilon_0) + 1) * (1 - 2.0**-50)  # rounded down: fewer clones give a larger bound


def _numbers(others: int, clones: float) -> tuple[Reals, Reals, float]:
    middle, spread = others * clones, 12 * math.sqrt(others * clones) + 40
    low, high = max(0, int(middle - spread)), min(others, int(middle + spread))
    counts = np.arange(low, high + 1, dtype=np.float64)
    lost = float(binom.cdf(low - 1, others, clones) + binom.sf(high, others, clones))
    return counts, binom.pmf(counts, others, clones), lost * (1 + 1e-9)
