"""The draw of the pages that reviewers read, as a file of marks records it before any page is shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from textveil.certificate.drawing import Sample, draw_order
from textveil.errors import need
from textveil.randomness import secure_generator

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

    Attributes:
        pages: numbers of records, from 1.
        weights: positive integers, one a page: the next page is one of those left, with probability in proportion.
        total: the weights of all pages of the corpus, in the order or not.
        least: the smallest weight of a page that is not in the order; 0 if all are in it.
    """

    pages: tuple[int, ...]
    weights: tuple[int, ...]
    total: int
    least: int

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
    everything = sum(unsure)
    if not everything:
        return [1] * len(unsure)
    return [EVEN + (MEAN - EVEN) * len(unsure) * count // everything for count in unsure]
