"""Two dimensions: planar Laplace noise on a map of the states of the USA, then the nearest state.

Points are the internal points of the states that the U.S. Census Bureau publishes ("State Area Measurements and
Internal Point Coordinates", 2010; public domain), to four decimals of a degree, in ``data/state_points.csv``. They are
mapped to a plane by the Albers equal-area conic projection of a sphere (Snyder 1987, Map Projections: A Working Manual,
USGS Professional Paper 1395, section 14), with parallels 29.5 and 45.5 degrees north and meridian 96 degrees west. Like
the paper's map (Asghar, Carpentier, Zhao and Kaafar 2026, arXiv 2411.13784), this one leaves Alaska out and keeps
Hawaii, so it has 49 states. The District of Columbia is not a state.
"""

import csv
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from textveil.errors import need
from textveil.mechanisms.kinds import checked_word_id
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary

DATA = Path(__file__).parent / "data/state_points.csv"  # code, name, latitude, longitude of the 50 states
LEFT_OUT = ("AK",)  # Left out by default: Alaska, as in the paper
ANGLES = 4096  # Directions of the average: with four times as many, probabilities of the states move by less than 2e-5
_EARTH = 6371.0088  # Mean radius of the earth in kilometers
_PARALLELS, _ORIGIN = (29.5, 45.5), (23.0, -96.0)


class StatePoint(NamedTuple):
    """State: postal code, name, and its internal point in degrees."""

    code: str
    name: str
    latitude: float
    longitude: float


@cache
def state_points() -> tuple[StatePoint, ...]:
    """Return the 50 states, in order of name."""
    with DATA.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    return tuple(StatePoint(code, name, float(north), float(east)) for code, name, north, east in rows)


def albers(latitude: float, longitude: float) -> tuple[float, float]:
    """Return kilometers east and north of 23 degrees north, 96 degrees west, on this module's equal-area plane."""
    first, second = (math.sin(math.radians(parallel)) for parallel in _PARALLELS)
    cone = (first + second) / 2
    constant = math.cos(math.radians(_PARALLELS[0])) ** 2 + 2 * cone * first

    def radius(north: float) -> float:
        return _EARTH * math.sqrt(constant - 2 * cone * math.sin(math.radians(north))) / cone

    turn = cone * math.radians(longitude - _ORIGIN[1])
    return radius(latitude) * math.sin(turn), radius(_ORIGIN[0]) - radius(latitude) * math.cos(turn)


def state_vocabulary(left_out: Collection[str] = LEFT_OUT) -> Vocabulary:
    """Return the states as words, each with its position on the plane in kilometers.

    Args:
        left_out: postal codes of states to leave out.

    Raises:
        ParameterError: a code is no state's.
    """
    known = {point.code for point in state_points()}
    for code in left_out:
        need(code in known, "left_out", repr(code), "postal codes of states")
    kept = [point for point in state_points() if point.code not in left_out]
    points = np.array([albers(point.latitude, point.longitude) for point in kept], dtype=np.float32)
    return Vocabulary([point.name for point in kept], points, "states")


@dataclass(frozen=True, slots=True, eq=False)
class PlanarLaplace:
    """Distribution of the nearest point to x + noise of density ~ exp(-rate ||z||), in two dimensions.

    The direction is uniform and the length is Gamma(2, 1/rate) with P(length > r) = (1 + rate r) exp(-rate r). Along
    one direction u the nearest point at length r minimizes ||a||^2 - 2 r <u, a>, a the offset of the point from x: a
    lower envelope of lines. So the intervals of r are exact, and only the average over directions uses a quadrature
    rule (equally spaced angles).
    """

    rate: float  # nats per unit of distance, finite and > 0
    # points of a plane, no two of them equal; the states by default, in kilometers
    vocabulary: Vocabulary = field(default_factory=state_vocabulary)
    angles: int = ANGLES  # directions of the average, >= 8

    def __post_init__(self) -> None:
        need(0 < self.rate < math.inf, "rate", self.rate, "finite and > 0")
        need(self.angles >= 8, "angles", self.angles, "8 or more")
        need(self.vocabulary.dim == 2, "vocabulary", f"one of dimension {self.vocabulary.dim}", "points of a plane")
        distinct = len(np.unique(self.vocabulary.vectors, axis=0)) == len(self.vocabulary)
        need(distinct, "vocabulary", "one with equal points", "one without equal points")

    @property
    def name(self) -> str:
        return "laplace on a map"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"rate": self.rate, "clip": None}

    def probabilities(self, word_id: int) -> Reals:
        """Return P(y | x = word_id), shape (n,): exact along each direction, averaged over ``angles`` directions."""
        word = checked_word_id(word_id, len(self.vocabulary))
        points = self.vocabulary.vectors.astype(np.float64)
        offsets = points - points[word]
        angle = 2 * np.pi * (np.arange(self.angles) + 0.5) / self.angles
        slopes = 2 * (np.stack([np.cos(angle), np.sin(angle)], axis=1) @ offsets.T)
        heights = (offsets**2).sum(axis=1)
        distribution = np.zeros(len(points))
        holder, reached = np.full(self.angles, word), np.zeros(self.angles)
        going = np.arange(self.angles)
        while len(going):
            own = holder[going]
            steeper = slopes[going] - slopes[going, own][:, None]
            # The line of ``own`` is crossed next by the steeper line that meets it first.
            meets = np.full(steeper.shape, np.inf)
            np.divide(heights - heights[own][:, None], steeper, out=meets, where=steeper > 0)
            following = meets.argmin(axis=1)
            until = np.maximum(meets[np.arange(len(going)), following], reached[going])
            np.add.at(distribution, own, self._beyond(reached[going]) - self._beyond(until))
            holder[going], reached[going] = following, until
            going = going[np.isfinite(until)]
        return distribution / self.angles

    def _beyond(self, length: Reals) -> Reals:
        scaled = np.minimum(self.rate * length, 750.0)
        return np.where(np.isfinite(length), (1 + scaled) * np.exp(-scaled), 0.0)
