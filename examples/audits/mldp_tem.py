"""mldp-text 0.1.2, TEM: the exponential mechanism on distances cut at a radius, words beyond it drawn together.

The set beyond the radius is weighted by words in all / words within, where its own number is meant. The points make
that matter: twelve words lie just within the radius (0.1 at this epsilon) of one word and just beyond it for another.
A lone word keeps the set beyond the radius from being empty: where it is, the package raises ValueError when it draws
from it. The claim, epsilon times distance, does not depend on the unit of distance.
"""

import math
from collections.abc import Callable
from functools import cache

from mldp_words import Points, distance, made

from textveil_lab.audit.report.report import Claim

EPSILON_PER_DISTANCE = 130.0
_ANGLES = [math.radians(-25 + 50 * i / 11) for i in range(12)]
_FAR: Points = {f"far{i}": (0.0992 * math.cos(a), 0.0992 * math.sin(a)) for i, a in enumerate(_ANGLES)}
POINTS: Points = {
    "left": (-0.002, 0.0),
    "center": (0.0, 0.0),
    "up": (-0.002, 0.002),
    "down": (-0.002, -0.002),
    "lone": (0.0, -1.0),
    **_FAR,
}
PAIR = ("center", "left")
SAMPLES = 80_000

CLAIM = Claim(epsilon=EPSILON_PER_DISTANCE * distance(POINTS, *PAIR))


@cache
def _mechanism() -> Callable[[list[str]], list[str]]:
    return made("tem", POINTS, EPSILON_PER_DISTANCE)


def sanitize(words: list[str]) -> list[str]:
    """One draw for each word."""
    return _mechanism()(words)
