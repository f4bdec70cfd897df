"""Thresholds of guesses that keep a promise, and a test that what is released looks like what was reviewed."""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, final

import numpy as np

from textveil.errors import ParameterError, need
from textveil.types import Flags, Integers, Reals

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
    being over all of them; where this refuses, nothing is released and the loss counts as 0.

    Args:
        losses: by page and threshold, in [0, most], not falling along a row; shape (pages, thresholds).
        thresholds: rising; a higher one masks fewer guesses.
        target: of the expected loss, between 0 and ``most``.
        most: the largest loss of a page.

    Raises:
        ParameterError: there are too few pages for the target, or too much is missed at the lowest threshold.

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
    """Whether the p-value is above 1 - level: nothing was found against it."""
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
