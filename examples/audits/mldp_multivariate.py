"""mldp-text 0.1.2, multivariate calibrated: spherical Laplace noise and the nearest of four words on a line.

The noise has density proportional to exp(-epsilon * norm), which is epsilon times distance for any two words.
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
    return made("multivariate_calibrated", POINTS, EPSILON_PER_DISTANCE)


def sanitize(words: list[str]) -> list[str]:
    """One draw for each word."""
    return _mechanism()(words)
