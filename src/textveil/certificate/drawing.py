"""Which pages are read, in what order, and with what probability each was drawn: ``privacy/proofs/certificate.md``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from textveil.errors import ParameterError, need
from textveil.types import Ids, Reals

_MOST_WEIGHT: Final = 1e6  # largest weight over the smallest: beyond it a bound would hang on pages that nobody draws


def draw_order(population: int, rng: np.random.Generator, weights: Reals | None = None) -> Ids:
    """Return all pages of a corpus in the order in which they are to be read.

    Pages are drawn one after another without replacement, each time with probability proportional to the weight among
    those that are left. Without weights every order has the same probability.

    Args:
        population: number of pages, >= 1.
        rng: source of the draws; a certificate takes ``secure_generator()``.
        weights: shape (population,), finite and > 0, known before any page is read. None: all equal.

    Source: an exponential of rate w is the least of its fellows with probability w over their sum (Efraimidis and
    Spirakis 2006).
    """
    checked = _checked(population, weights)
    return np.argsort(rng.standard_exponential(population) / checked, kind="stable").astype(np.int64)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """How the pages that were read were drawn: the first ones of ``draw_order``, none left out.

    Make it by ``of``. A page that was skipped ends the sample before it: what is skipped is rarely skipped by chance.
    """

    population: int
    """Number of pages of the corpus."""
    probabilities: Reals
    """By page read: the probability with which it was drawn among those that were left; shape (read,)."""
    smallest: Reals
    """By page read: the smallest such probability of any page that was left; shape (read,)."""

    def __post_init__(self) -> None:
        need(self.population >= 1, "population", self.population, ">= 1")
        shapes = (self.probabilities.shape, self.smallest.shape)
        need(shapes[0] == shapes[1] and len(shapes[0]) == 1, "smallest", shapes[1], f"of the shape {shapes[0]}")
        need(self.read <= self.population, "probabilities", self.read, f"at most {self.population} pages, each once")
        positive = bool(np.all((self.smallest > 0) & (self.probabilities >= self.smallest)))
        most = 1 / np.arange(self.population, self.population - self.read, -1)
        possible = bool(np.all(self.smallest <= most * (1 + 1e-9)) and np.all(self.probabilities <= 1 + 1e-9))
        need(positive and possible, "probabilities", "others", "those of draws without replacement", "Use Sample.of.")
        for name in ("probabilities", "smallest"):
            own = np.array(getattr(self, name), dtype=np.float64)
            own.flags.writeable = False
            object.__setattr__(self, name, own)

    @property
    def read(self) -> int:
        """Number of pages read."""
        return len(self.probabilities)

    @property
    def left(self) -> int:
        """Number of pages that were not read."""
        return self.population - self.read

    @classmethod
    def of(cls, population: int, order: Ids, weights: Reals | None = None) -> Sample:
        """Return the sample of the pages that were read.

        Args:
            population: number of pages of the corpus, >= 1.
            order: numbers of the pages read, from 0, in the order of their draw; shape (read,).
            weights: those of ``draw_order``.

        Raises:
            ParameterError: a page stands twice in ``order``, or is none of the corpus.
        """
        checked = _checked(population, weights)
        pages = np.asarray(order, dtype=np.int64)
        inside = pages.ndim == 1 and bool(np.all((pages >= 0) & (pages < population)))
        need(inside, "order", f"shape {pages.shape}", f"numbers of pages from 0 to {population - 1}")
        need(len(np.unique(pages)) == len(pages), "order", "a page twice", "each page once")
        if weights is None:
            equal = 1 / np.arange(population, population - len(pages), -1)
            return cls(population, equal, equal.copy())
        unread = np.ones(population, dtype=np.bool_)
        unread[pages] = False
        # From the end, so that sums of what is left lose no digits.
        drawn = checked[pages][::-1]
        left = (checked[unread].sum() + np.cumsum(drawn))[::-1]
        smallest = np.minimum.accumulate(np.concatenate([[checked[unread].min(initial=np.inf)], drawn]))[1:][::-1]
        return cls(population, checked[pages] / left, smallest / left)


def _checked(population: int, weights: Reals | None) -> Reals:
    need(population >= 1, "population", population, ">= 1")
    if weights is None:
        return np.ones(population)
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (population,):
        raise ParameterError(f"weights must be one a page, {population}; got {array.size}.")
    need(bool(np.all(np.isfinite(array) & (array > 0))), "weights", "others", "finite and > 0")
    ratio = float(array.max() / array.min())
    need(
        ratio <= _MOST_WEIGHT, "weights", f"a ratio of {ratio:g}", f"within a factor of {_MOST_WEIGHT:g} of each other"
    )
    return array
