"""Bounds on what was missed in a corpus, by the pages of it that were read.

``upper_mean`` and ``lower_mean`` hold at whatever page reading stops. Each is a bet against a mean: the wealth of
somebody who bets on every page, at odds that are fair if the mean is m, exceeds 1 / (1 - level) with probability
1 - level at most (Ville), so that means which let the bettor get so rich are ruled out. Proof:
``privacy/proofs/certificate.md``.

Beside them: thresholds of guesses that keep a promise, and a test that what is released looks like what was reviewed.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, final

import numpy as np

from textveil.certificate.sampling import Sample
from textveil.errors import ParameterError, need
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Flags, Integers, Reals

LEVEL: Final = 0.95
"""Confidence of each statement, unless told otherwise."""

_UPPER: Final = ((1.0, 0.44), (0.85, 0.45), (0.5, 0.08), (0.2, 0.03))
"""Stakes of the bets on few misses, as shares of what can be lost at all, each with its share of the money.

All but a ninth is on no or hardly a miss: if none is seen, a bound takes a tenth more pages than the exact one for a
number of pages that was fixed before, where one is seen, twice as many. The best stake is 1 minus the rate over the
bound; the others are for rates nearer to it.
"""
_LOWER: Final = tuple((0.5**power, 1 / 12) for power in range(12))
_SLACK: Final = 1e-9  # of log wealth: more than rounding errors of sums over all pages
_LEAST_ROOM: Final = 1e-12
_HALVINGS: Final = 40
_AHEAD: Final = 100_000  # pages that are looked ahead at most


def none_missed_upper(sample: Sample, level: float = LEVEL) -> int:
    """Return an upper confidence bound on the number of pages with a miss, if none of those read has one.

    The largest M for which the product of 1 - M * (smallest probability) over all pages read is above 1 - level. That
    is the exact hypergeometric probability of no miss for uniform draws, and an upper bound on it for weighted ones. It
    holds whenever reading stops, as long as no miss was seen. Choose before the first page is read whether this bound
    or ``upper_count`` is stated: the smaller of both fails with up to 2 (1 - level).

    ``sample``: of pages without a miss; ``level``: confidence, between 0 and 1.
    """
    log_alpha = -log_wealth_needed(level)
    low, high = 0, sample.left
    while low < high:
        middle = (low + high + 1) // 2
        if float(np.log1p(-np.minimum(middle * sample.smallest, 1 - _LEAST_ROOM)).sum()) > log_alpha:
            low = middle
        else:
            high = middle - 1
    return low


def upper_mean(values: Reals, sample: Sample, level: float = LEVEL) -> float:
    """Return an upper bound on the mean of a value over all pages of the corpus.

    It holds with probability ``level`` at all pages at once: whenever reading stops, for whatever reason.

    Args:
        values: of the pages read, in [0, 1], in the order of ``sample``; shape (read,).
        sample: how they were drawn.
        level: confidence, between 0 and 1.

    Source: Waudby-Smith and Ramdas 2024; without replacement and by weights, Shekhar et al. 2023.
    """
    bets = Bets(values, sample)
    low, high = bets.possible
    return min(high, _last_ruled_out(lambda mean: float(bets.below(mean)[-1]), high, low, level))


def upper_count(values: Reals, sample: Sample, level: float = LEVEL) -> int:
    """Return an upper bound on the number of pages whose value is 1, if all are 0 or 1; law as of ``upper_mean``.

    If no value is 1 and weights are equal, it is at most the exact (hypergeometric) bound at .44 of 1 - level.
    """
    need(bool(np.all(np.isin(values, (0.0, 1.0)))), "values", "others", "0 or 1 for every page")
    # A count that is possible lies below the bound: not to be lost by rounding, it is given a millionth of a page.
    return math.floor(sample.population * upper_mean(values, sample, level) + 1e-6)


def lower_mean(values: Reals, sample: Sample, level: float = LEVEL) -> float:
    """Return a lower bound on the mean of a value over all pages; arguments and law as of ``upper_mean``."""
    bets = Bets(values, sample)
    low, high = bets.possible
    return max(low, _last_ruled_out(lambda mean: float(bets.above(mean)[-1]), low, high, level))


@final
class Bets:
    """Wealth of bettors against any mean, page by page: what ``upper_mean`` and ``lower_mean`` rule means out by.

    If the mean of the corpus is the one that is bet against, wealth is at most 1 in expectation after every page, and
    ever reaches 1 / alpha with probability alpha at most.
    """

    def __init__(self, values: Reals, sample: Sample) -> None:
        """Take the values of the pages read, in [0, 1], in the order of their sample; shape (read,)."""
        array = np.asarray(values, dtype=np.float64)
        need(array.shape == (sample.read,), "values", array.shape, f"one for each of the {sample.read} pages read")
        need(bool(np.all((array >= 0) & (array <= 1))), "values", "others", "between 0 and 1")
        least = float(array.sum()) / sample.population
        self.possible = (least, least + sample.left / sample.population)
        """Means that the corpus may have, by what was read."""
        self._seen = (np.cumsum(array) - array) / sample.population  # part of the mean that was seen before the page
        self._drawn = array / (sample.population * sample.probabilities)  # has the mean of the part that is left
        self._largest = 1 / (sample.population * sample.smallest)  # what it is at most

    def below(self, mean: float) -> Reals:
        """Return log wealth of bets that the mean is below ``mean``, before any page and after each: (read + 1,)."""
        left = np.maximum(mean - self._seen, 0.0)
        # Where all pages left must have the value 1, nothing can be won: rounding errors are not to be divided by less.
        room = np.maximum(self._largest - left, _LEAST_ROOM * self._largest)
        return _mixed((left - self._drawn) / room, _UPPER)

    def above(self, mean: float) -> Reals:
        """Return log wealth of bets that the mean is above ``mean``, before any page and after each: (read + 1,)."""
        left = np.maximum(mean - self._seen, 0.0)
        gain = np.divide(self._drawn, left, out=np.where(self._drawn > 0, np.inf, 0.0), where=left > 0)
        return _mixed(gain - 1, _LOWER)


def _mixed(gains: Reals, stakes: tuple[tuple[float, float], ...]) -> Reals:
    """Log of the money of all bettors, each of whom puts a fixed share of what can be lost on every page."""
    shares, money = (np.array(column)[:, None] for column in zip(*stakes, strict=True))
    start = np.log(money)
    with np.errstate(divide="ignore"):
        won = np.log1p(np.maximum(shares * gains, -1.0))
    return np.asarray(np.logaddexp.reduce(np.concatenate([start, start + np.cumsum(won, axis=1)], axis=1), axis=0))


def log_wealth_needed(level: float) -> float:
    """Return the log wealth that rules a mean out with confidence ``level``, between 0 and 1."""
    need(0 < level < 1, "level", level, "between 0 and 1", "Usual is 0.95.")
    return -math.log1p(-level) + _SLACK


def _last_ruled_out(log_wealth: Callable[[float], float], ruled_out: float, possible: float, level: float) -> float:
    """Return the mean nearest to ``possible`` that is ruled out; ``ruled_out`` itself if nothing else is.

    ``ruled_out`` is the last mean that is possible at all; wealth falls from there to ``possible``.
    """
    enough = log_wealth_needed(level)
    if log_wealth(ruled_out) < enough:
        return ruled_out
    for _ in range(_HALVINGS):
        middle = (ruled_out + possible) / 2
        if log_wealth(middle) >= enough:
            ruled_out = middle
        else:
            possible = middle
    return ruled_out


def missed_share(
    missed: Reals, wrong: Reals, found: Reals, sample: Sample, *, most: int, level: float = LEVEL
) -> float:
    """Return an upper bound on the share of spans that were missed, of all that should have been found.

    Times 1,000 it is "at most so many missed in a thousand". Of one page at most ``most`` missed spans are counted: no
    sample bounds what one page may hide. Nine tenths of 1 - level are spent on the missed ones, a tenth on the wrong
    ones, since found spans that are wrong are none that should have been found.

    Args:
        missed: spans missed, by page read, >= 0; shape (read,).
        wrong: spans found that are none, by page read; shape (read,).
        found: spans found, by page of the corpus, in the order of its pages; shape (population,).
        sample: how pages were drawn.
        most: missed spans of one page that are counted, >= 1.
        level: confidence, between 0 and 1.

    Returns: the bound; 1.0 if nothing is known yet.
    """
    need(most >= 1, "most", most, ">= 1")
    log_wealth_needed(level)
    _need_counts("missed", missed, sample.read)
    spent = 1 - level
    overlooked = sample.population * most * upper_mean(np.minimum(missed, most) / most, sample, 1 - 0.9 * spent)
    right = _at_least_right(wrong, found, sample, 1 - 0.1 * spent)
    return overlooked / (overlooked + right) if overlooked + right > 0 else 0.0


def wrong_share(wrong: Reals, found: Reals, sample: Sample, level: float = LEVEL) -> float:
    """Return an upper bound on the share of found spans that are wrong; arguments as of ``missed_share``."""
    right = _at_least_right(wrong, found, sample, level)
    total = float(np.sum(found))
    return 1 - right / total if total > 0 else 0.0


def _at_least_right(wrong: Reals, found: Reals, sample: Sample, level: float) -> float:
    """Lower bound on the number of found spans of the corpus that are right.

    Pages with many spans would widen every bet. So wrong ones of a page count up to a cap, which only what was found
    sets, and all spans above it count as wrong.
    """
    _need_counts("found", found, sample.population)
    _need_counts("wrong", wrong, sample.read)
    total = float(np.sum(found))
    if total == 0:
        return 0.0
    cap = max(1.0, float(np.quantile(found, 0.99)))
    above = float(np.maximum(found - cap, 0).sum())
    mistaken = sample.population * cap * upper_mean(np.minimum(wrong, cap) / cap, sample, level) + above
    return max(0.0, total - mistaken)


def pages_still_needed(values: Reals, sample: Sample, target: float, level: float = LEVEL) -> int | None:
    """Return about how many more pages must be read until ``upper_count`` is at most a share of all pages.

    An estimate, for whoever reads: it takes further pages to be like those read. None if neither all pages nor
    100,000 would do.

    Args:
        values: 0 or 1, by page read; shape (read,).
        sample: how they were drawn.
        target: share of all pages, between 0 and 1.
        level: confidence, between 0 and 1.
    """
    need(0 < target < 1, "target", target, "between 0 and 1")
    allowed = math.floor(target * sample.population + _SLACK)
    if upper_count(values, sample, level) <= allowed:
        return 0
    rate = float(np.mean(values)) if sample.read else 0.0
    if rate * sample.left + float(np.sum(values)) >= allowed + 1:
        return None
    more = min(sample.left, _AHEAD)
    bets = Bets(np.concatenate([values, _spread(more, rate)]), _longer(sample, more))
    ruled_out = bets.below((allowed + 1) / sample.population)[sample.read :] >= log_wealth_needed(level)
    return int(np.argmax(ruled_out)) if ruled_out.any() else more if more == sample.left else None


def _spread(pages: int, rate: float) -> Reals:
    """Values of 1 at even distances among so many pages."""
    counts = np.floor(np.arange(pages + 1) * rate + 0.5)
    return np.minimum(np.diff(counts), 1.0)


def _longer(sample: Sample, more: int) -> Sample:
    """A sample with so many uniform draws behind it, whose smallest probability is as far from uniform as before."""
    equal = 1 / np.arange(sample.left, sample.left - more, -1)
    left = np.arange(sample.population, sample.left, -1)
    share = min(1.0, float(np.mean(sample.smallest * left))) if sample.read else 1.0
    return Sample(
        sample.population,
        np.concatenate([sample.probabilities, equal]),
        np.concatenate([sample.smallest, equal * share]),
    )


def capture_recapture(first: int, second: int, both: int, confidence: float = LEVEL) -> Bound:
    """Estimate how many misses two readers of the same pages have both overlooked.

    An estimate, no guarantee: it takes readers to be independent and all misses to be equally hard to see. What is hard
    for one is hard for the other, so that the truth is rather above it. The interval comes from the share of the second
    reader's marks that the first one has too; its upper end is infinite if they have none in common.

    ``first``: misses that the first reader marked; ``second``: misses that the second reader marked; ``both``: misses
    that both marked; ``confidence``: of the interval, between 0 and 1. Source: Chapman 1951; interval, Clopper and
    Pearson 1934.
    """
    need(first >= 0, "first", first, ">= 0")
    need(second >= 0, "second", second, ">= 0")
    need(0 <= both <= min(first, second), "both", both, f"between 0 and {min(first, second)}")
    need(0 < confidence < 1, "confidence", confidence, "between 0 and 1")
    overlooked = (first - both) * (second - both) / (both + 1)  # Chapman's estimate without those that were seen
    if second == 0:  # a reader who marks nothing says nothing of the other
        return Bound(0.0, overlooked, math.inf, confidence)
    share = clopper_pearson(both, second, confidence)
    union = first + second - both
    upper = first / share.lower - union if share.lower > 0 else math.inf
    return Bound(min(overlooked, max(0.0, first / share.upper - union)), overlooked, max(upper, overlooked), confidence)


def _need_counts(name: str, counts: Reals, size: int) -> None:
    array = np.asarray(counts, dtype=np.float64)
    need(array.shape == (size,), name, array.shape, f"one count a page, {size} in all")
    need(bool(np.all(np.isfinite(array) & (array >= 0))), name, "others", "finite counts, >= 0")


_PERMUTATIONS: Final = 999
_CELLS: Final = 2_000_000  # numbers that are held at a time
_COMPARED: Final = 4000  # pages of each side at most: more would only cost time


@final
class Threshold(NamedTuple):
    """A threshold of scores from which on guesses are masked."""

    threshold: float
    """Guesses with at least this score are masked."""
    expected: float
    """Bound on the expected loss of a page to come; at most the target."""
    pages: int
    """Number of pages that it was chosen by."""


def conformal_threshold(losses: Reals, thresholds: Sequence[float], target: float, *, most: float = 1.0) -> Threshold:
    """Return the largest threshold, which masks least, whose expected loss on a further page is at most a target.

    It is the largest for which n / (n + 1) times the mean loss plus most / (n + 1) is at most the target, n being the
    number of pages. If the pages read and the page to come are exchangeable, E[loss of that page] <= target, the mean
    being over all of them; if this refuses, nothing is released and the loss counts as 0.

    Args:
        losses: by page and threshold, in [0, most], not falling along a row; shape (pages, thresholds).
        thresholds: rising; a higher one masks fewer guesses.
        target: of the expected loss, between 0 and ``most``.
        most: the largest loss of a page.

    Raises ParameterError: there are too few pages for the target, or too much is missed at the lowest threshold.
    Source: Angelopoulos et al. 2022, theorem 1; proof: ``privacy/proofs/certificate.md``.
    """
    need(most > 0 and math.isfinite(most), "most", most, "finite and > 0")
    need(0 < target < most, "target", target, f"between 0 and {most:g}")
    levels = np.asarray(thresholds, dtype=np.float64)
    rising = levels.ndim == 1 and len(levels) >= 1 and bool(np.all(np.diff(levels) > 0))
    need(rising, "thresholds", "others", "one or more numbers that rise")
    table = np.asarray(losses, dtype=np.float64)
    fits = table.ndim == 2 and table.shape[1] == len(levels)
    need(fits, "losses", table.shape, f"a row a page and a column for each of {len(levels)} thresholds")
    need(bool(np.all((table >= 0) & (table <= most))), "losses", "others", f"between 0 and {most:g}")
    need(bool(np.all(np.diff(table, axis=1) >= 0)), "losses", "some that fall", "not falling along thresholds")
    pages = len(table)
    least = pages_for(target, most=most)
    need(pages >= least, "pages", pages, f"at least {least} for a target of {target:g}", "Review more pages.")
    bounds = (table.sum(axis=0) + most) / (pages + 1)
    kept = np.flatnonzero(bounds <= target)
    if not len(kept):
        raise ParameterError(
            f"target must be at least {float(bounds[0]):.4g}, which is left where every guess is masked; got "
            f"{target:g}. Add own lists for what was missed, or review more pages."
        )
    at = int(kept[-1])
    return Threshold(float(levels[at]), float(bounds[at]), pages)


def pages_for(target: float, *, most: float = 1.0) -> int:
    """Return the smallest number of pages with which ``conformal_threshold`` can keep a target: 99 for .01."""
    need(0 < target < most, "target", target, f"between 0 and {most:g}")
    pages = max(0, math.floor(most / target) - 2)
    while most / (pages + 1) > target:
        pages += 1
    return pages


@final
class Comparison(NamedTuple):
    """Result of a test of exchangeability."""

    p_value: float
    """Probability, at most, of features that differ so much or more if both are of one kind."""
    alike: bool
    """True if the p-value is above 1 - level: nothing was found against it."""
    level: float
    """With at least this probability, pages of one kind are found alike."""
    feature: int
    """Number of the feature that differs most, from 0."""


def exchangeable(reviewed: Reals, release: Reals, level: float = 0.95, *, rng: np.random.Generator) -> Comparison:
    """Test whether the pages to be released look like those reviewed, by features of both.

    A permutation test: the largest Kolmogorov-Smirnov distance over all features is compared with those of 999 random
    divisions of the pages. If all pages together are exchangeable, they are found unlike with probability 1 - level at
    most. Features that are not compared may differ, so "alike" proves nothing.

    Args:
        reviewed: features of the pages reviewed, finite, shape (reviewed, features).
        release: the same features of the pages to be released, shape (released, features).
        level: of the test, between 0 and 1.
        rng: source of the divisions; of more than 4,000 pages on a side so many are drawn.

    Source: Phipson and Smyth 2010, for the p-value.
    """
    need(0 < level < 1, "level", level, "between 0 and 1", "Usual is 0.95.")
    sides = [np.asarray(side, dtype=np.float64) for side in (reviewed, release)]
    for name, side in zip(("reviewed", "release"), sides, strict=True):
        need(side.ndim == 2 and side.size > 0, name, side.shape, "a row a page and a column a feature, one at least")
        need(bool(np.all(np.isfinite(side))), name, "others", "finite numbers")
    same = sides[0].shape[1] == sides[1].shape[1]
    need(same, "release", sides[1].shape, f"of {sides[0].shape[1]} features, as the pages reviewed")
    if (1 - level) * (_PERMUTATIONS + 1) < 1:
        raise ParameterError(f"level must be at most {_PERMUTATIONS / (_PERMUTATIONS + 1):g}; got {level:g}.")
    one, other = (side if len(side) <= _COMPARED else side[rng.choice(len(side), _COMPARED, replace=False)]
                  for side in sides)  # fmt: skip
    values = np.concatenate([one, other])
    order = np.argsort(values, axis=0, kind="stable")
    ordered = np.take_along_axis(values, order, axis=0)
    ends = np.concatenate([ordered[1:] != ordered[:-1], np.ones((1, values.shape[1]), dtype=np.bool_)])
    marks = np.zeros(len(values), dtype=np.bool_)
    marks[: len(one)] = True
    here = _distances(marks[None], order, ends)[0]
    greatest = float(here.max()) - 1e-12  # ties of rounded sums count
    as_far = 0
    batch = max(1, _CELLS // values.size)
    for first in range(0, _PERMUTATIONS, batch):
        divisions = rng.permuted(np.tile(marks, (min(batch, _PERMUTATIONS - first), 1)), axis=1)
        as_far += int((_distances(divisions, order, ends).max(axis=1) >= greatest).sum())
    p_value = (as_far + 1) / (_PERMUTATIONS + 1)
    return Comparison(p_value, p_value > 1 - level, level, int(np.argmax(here)))


def _distances(marks: Flags, order: Integers, ends: Flags) -> Reals:
    """Kolmogorov-Smirnov distances of marked from other pages, by division and feature; only ends of ties count."""
    marked = marks[:, order]
    size = int(marks[0].sum())
    gaps = np.cumsum(np.where(marked, 1 / size, -1 / (marks.shape[1] - size)), axis=1)
    return np.asarray(np.abs(gaps * ends).max(axis=1))
