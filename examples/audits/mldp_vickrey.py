"""mldp-text 0.1.2, Vickrey: the noise of the multivariate mechanism, then a choice among the nearest of four words.

Where the nearest word is the input, it is dropped before the choice: the choice consults the true word, so it is no
post-processing of the noisy vector.
"""

from collections.abc import Callable
from functools import cache

from mldp_words import Points, distance, made

from textveil_lab.audit.report.report import Claim

EPSILON_PER_DISTANCE = 1.0
POINTS: Points = {"north": (0.0,), "east": (1.0,), "south": (2.0,), "west": (3.0,)}
PAIR = ("north", "east")
SAMPLES = 16_000

CLAIM = Claim(epsilon=EPSILON_PER_DISTANCE * distance(POINTS, *PAIR))


@cache
def _mechanism() -> Callable[[list[str]], list[str]]:
    return made("vickrey", POINTS, EPSILON_PER_DISTANCE)


def sanitize(words: list[str]) -> list[str]:
    """One draw for each word."""
    return _mechanism()(words)
