"""What a noise distribution may offer beyond draws and a density: asked for by Protocol, whoever made it.

With an exact profile a mechanism is audited in closed form; without one it is sampled.
"""

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from textveil.mechanisms.capabilities import PrivacyProfile
from textveil.types import Reals
from textveil_lab.noise.distribution import NoiseDistribution


@runtime_checkable
class ProfiledNoise(NoiseDistribution, Protocol):
    """Noise whose privacy profile is known, for one shift and for all shifts of a vocabulary."""

    @property
    def norm(self) -> int:
        """1 or 2: the norm in which the shifts of a vocabulary are compared.

        2 says that delta at every epsilon grows with the L2 norm of the shift and depends on nothing else.
        """

    def privacy_profile(self, shift: ArrayLike) -> PrivacyProfile:
        """The profile of two vectors that differ by ``shift``, shape (dim,), finite and not zero."""

    def worst_log_delta(self, epsilon: float, reach: float, widest: float) -> float:
        """An upper bound on ``log_delta`` for every shift of norm at most ``reach``, no entry above ``widest``."""


@runtime_checkable
class OwnCoordinates(Protocol):
    """Noise whose shifts are compared in coordinates of its own: there its ``norm`` is meant, and every reach."""

    def coordinates(self, vectors: ArrayLike) -> Reals:
        """A linear map of each row, shape (batch, dim) to the same; lengths are known to a relative 2^-24."""


@runtime_checkable
class PairwiseDensity(Protocol):
    """Noise whose density at many differences takes no table of these."""

    def log_densities(self, points: ArrayLike, centers: ArrayLike) -> Reals:
        """``log_density(point - center)`` of every two; shapes (batch, dim) and (n, dim) to (batch, n).

        To rounding; where a square overflows it is -inf.
        """


@runtime_checkable
class BoundedSupport(Protocol):
    """Noise on a bounded support."""

    def log_outside(self, shifts: ArrayLike) -> Reals:
        """Natural logarithm of the mass that leaves the moved support, for shifts of shape (..., dim), to 1e-12."""


@runtime_checkable
class LineNoise(Protocol):
    """Noise whose product with some directions has a known distribution."""

    def log_tail(self, direction: Reals, distance: Reals) -> tuple[Reals, Reals] | None:
        """Lower and upper bounds on ln P(<Z, direction> > distance), or None where they are not known.

        Args:
            direction: a unit vector, shape (dim,).
            distance: >= 0, any shape.
        """
