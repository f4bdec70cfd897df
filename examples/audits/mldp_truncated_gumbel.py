"""mldp-text 0.1.2, truncated Gumbel: noise on the distances of the k nearest words, k random and below their number.

The word farthest from the input is never among the k, so it never comes out, while others return it. Least and
greatest distance are given here: left out, the package draws a word from a dict view, which Python 3.11 refuses.
"""

import itertools
from collections.abc import Callable
from functools import cache

from mldp_words import Points, distance, made

from textveil_lab.audit.report.report import Claim

EPSILON_PER_DISTANCE = 7.4
POINTS: Points = {"north": (0.0, 0.0), "east": (1.0, 0.0), "south": (0.5, 0.88)}
PAIR = ("south", "north")
_LENGTHS = [distance(POINTS, *pair) for pair in itertools.combinations(POINTS, 2)]
SAMPLES = 36_000

CLAIM = Claim(epsilon=EPSILON_PER_DISTANCE * distance(POINTS, *PAIR))


@cache
def _mechanism() -> Callable[[list[str]], list[str]]:
    return made(
        "truncated_gumbel", POINTS, EPSILON_PER_DISTANCE, max_inter_dist=max(_LENGTHS), min_inter_dist=min(_LENGTHS)
    )


def sanitize(words: list[str]) -> list[str]:
    """One draw for each word."""
    return _mechanism()(words)
