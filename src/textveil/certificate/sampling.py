"""The draw of the pages that reviewers read, as a file of marks records it before any page is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from textveil.errors import ParameterError, need
from textveil.randomness import secure_generator
from textveil.types import Ids, Reals

MEAN: Final = 10_000  # weight of a page in the mean, at most
EVEN: Final = 9_800
"""Weight that every page has; the rest of ``MEAN`` goes to pages with guesses.

A missed page counts at most ``MEAN / EVEN`` = 1.02 times as much as in an even draw, so that at most 1.02 times as many
pages prove the same of a corpus in which nothing was missed.
"""

_GUESSES: Final = 4  # guesses of a page that count: with more of them it is no less sure
_RECORDED: Final = 10_000  # pages of the order, at most: nobody reads more, and a file of marks stays small


@dataclass(frozen=True, slots=True)
class Draw:
    """Pages in the order in which they were drawn, one after another without replacement.

    ``weights``: positive integers, one a page: the next page is one of those left, with probability in proportion.
    """

    pages: tuple[int, ...]  # numbers of records, from 1
    weights: tuple[int, ...]
    total: int  # the weights of all pages of the corpus, in the order or not
    least: int  # the smallest weight of a page that is not in the order; 0 if all are in it

    def __post_init__(self) -> None:
        need(len(self.pages) == len(self.weights) > 0, "weights", len(self.weights), "one for each page, one or more")
        need(len(set(self.pages)) == len(self.pages), "pages", "a page twice", "different pages")
        need(min(self.pages) >= 1, "pages", min(self.pages), ">= 1")
        need(min(self.weights) >= 1, "weights", min(self.weights), ">= 1")
        rest = self.total - sum(self.weights)
        need((rest == self.least == 0) or 1 <= self.least <= rest, "least", self.least, "a weight of the rest")

    def sample(self, population: int, read: int) -> Sample:
        """Return how the first ``read`` pages were drawn from a corpus of ``population`` pages."""
        weights = np.array(self.weights, dtype=np.float64)
        left = self.total - (np.cumsum(weights) - weights)
        smallest = np.minimum.accumulate(weights[::-1])[::-1]
        if self.least:
            smallest = np.minimum(smallest, self.least)
        return Sample(population, (weights / left)[:read], (smallest / left)[:read])


def draw_pages(guesses: Sequence[int], rng: np.random.Generator | None = None) -> Draw:
    """Draw an order of pages; those where the detector was unsure come earlier on average.

    Args:
        guesses: for each page of the corpus, how many likely values the detector left below its threshold.
        rng: randomness; None is the operating system's.
    """
    need(len(guesses) > 0, "guesses", "none", "one number a page, one page or more")
    weights = _weights(guesses)
    order = draw_order(len(weights), rng or secure_generator(), np.array(weights, dtype=np.float64)).tolist()
    pages, rest = order[:_RECORDED], order[_RECORDED:]
    least = min((weights[page] for page in rest), default=0)
    return Draw(tuple(page + 1 for page in pages), tuple(weights[page] for page in pages), sum(weights), least)


def draw_kept(kept: int, population: int, rng: np.random.Generator | None = None) -> Draw:
    """Draw an even order of pages that were themselves drawn from a larger corpus, each with one probability.

    Args:
        kept: number of drawn pages, which are the pages 1 to ``kept``.
        population: number of pages of the larger corpus.
        rng: randomness; None is the operating system's.
    """
    need(kept <= population, "kept", kept, f"at most {population}")
    order = draw_order(kept, rng or secure_generator())[:_RECORDED] + 1
    return Draw(tuple(order.tolist()), (1,) * len(order), population, int(len(order) < population))


def _weights(guesses: Sequence[int]) -> list[int]:
    unsure = [min(count, _GUESSES) for count in guesses]
    if not (everything := sum(unsure)):
        return [1] * len(unsure)
    return [EVEN + (MEAN - EVEN) * len(unsure) * count // everything for count in unsure]


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
    """The pages that were read: the first ones of ``draw_order``, none left out.

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

        Raises ParameterError: a page stands twice in ``order``, or is none of the corpus.
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
