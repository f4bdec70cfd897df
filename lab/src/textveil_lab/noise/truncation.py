"""Truncated Laplace noise: the published parameters, and the true delta of truncation.

The distribution is that of ``noise/truncated_laplace.py``: independent coordinates with density proportional to
exp(-|x| / scale) on [-bound, bound]. Two such distributions, one moved by a vector v, have log-ratio at most ||v||_1 /
scale where both are positive, so at every epsilon >= ||v||_1 / scale the smallest delta is the mass that leaves the
moved support:

    delta(v) = 1 - prod_i (1 - F(|v_i|)),   F(w) = mass of the outer strip [-bound, -bound + w]

Proofs: ``textveil_lab/proofs/truncated_laplace.md`` (valid form) and
``textveil_lab/proofs/truncated_laplace_published.md`` (why the published one fails).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals

_LOG_4 = math.log(4.0)
_LARGEST = 1e150
"""Largest epsilon in nats; the published form needs about four times its square of dimensions, as a float."""

_UNIFORM = 2.0**-60  # below this ratio of bound to scale a coordinate is uniform to the last place


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedTruncation:
    """Parameters of Theorem 3 of Huang et al. 2024 as printed. The theorem is false above dimension 1.

    With k = noise_dim and the sensitivities Delta_1 = 2 sqrt(k) clip, Delta_inf = 2 clip:

        alpha = epsilon / Delta_1,   bound = -(1 / alpha) ln(1 - epsilon / (2 delta^(1/k) sqrt(k))),
        normalizer = Delta_inf / delta^(1/k),   density of one coordinate exp(-alpha |x|) / normalizer

    Raises:
        ParameterError: a parameter is outside its domain.

    Source: Huang, Yang, Habernal, Hu and Wang, EMNLP 2024, Theorem 3.
    """

    dim: int  # coordinates of a word's vector, >= 1
    noise_dim: int  # dimension k in the formulas, >= dim; those beyond ``dim`` are dummy dimensions
    epsilon: float  # claimed nats, finite, > 0 and below ``2 delta^(1/k) sqrt(k)``
    clip: float  # Euclidean norm to which vectors are clipped, > 0
    log_delta: float  # ln of the claimed delta, finite and < 0; 4^-1700 has no float

    def __post_init__(self) -> None:
        _check_published(self.dim, self.epsilon, self.clip, self.log_delta)
        need(self.noise_dim >= self.dim, "noise_dim", self.noise_dim, f">= dim = {self.dim}")
        limit = _epsilon_limit(self.noise_dim, self.log_delta)
        need(self.epsilon < limit, "epsilon", self.epsilon, f"< {limit:.6g} at noise_dim {self.noise_dim}")

    @property
    def l1_sensitivity(self) -> float:
        """Delta_1 = 2 sqrt(noise_dim) clip."""
        return 2 * math.sqrt(self.noise_dim) * self.clip

    @property
    def alpha(self) -> float:
        """Decay rate of one coordinate, 1 / ``scale``."""
        return self.epsilon / self.l1_sensitivity

    @property
    def scale(self) -> float:
        """Scale of one coordinate, Delta_1 / epsilon."""
        return self.l1_sensitivity / self.epsilon

    @property
    def bound(self) -> float:
        return -self.scale * math.log1p(-self.epsilon / _epsilon_limit(self.noise_dim, self.log_delta))

    @property
    def normalizer(self) -> float:
        """B = 2 clip / delta^(1/noise_dim), the integral of exp(-alpha |x|) over the support."""
        return 2 * self.clip / _root(self.noise_dim, self.log_delta)


def published_truncation(
    *,
    dim: int,
    epsilon: float,
    clip: float,
    log_delta: float | None = None,
    noise_dim: int | None = None,
    dummy_dimensions: bool = False,
) -> PublishedTruncation:
    """Return the published parameters, with dummy dimensions if epsilon needs them.

    The formulas need epsilon < 2 delta^(1/k) sqrt(k). For a larger epsilon the paper pads every vector with zeros up to
    dimension k (500 for epsilon 10, 1700 for 20). The padding adds the same number, the squared noise in the dummy
    coordinates, to all squared distances between the noisy vector and the words. Coordinates are independent, so the
    nearest word has the same distribution if only the first ``dim`` coordinates are sampled.

    Args:
        dim: number of coordinates of a word's vector, >= 1.
        epsilon: claimed nats, finite and > 0.
        clip: Euclidean norm to which vectors are clipped, finite and > 0.
        log_delta: ln of the claimed delta; None is the paper's 4^-k for k = ``noise_dim``.
        noise_dim: dimension k in the formulas, at least ``dim``; None is ``dim``.
        dummy_dimensions: if ``noise_dim`` is None and ``dim`` is too small for epsilon, take the smallest k that
            suffices.

    Raises:
        ParameterError: a parameter is outside its domain, or the dimension is too small for epsilon.
    """
    _check_published(dim, epsilon, clip, log_delta)
    chosen = dim if noise_dim is None else noise_dim
    need(isinstance(chosen, int) and chosen >= dim, "noise_dim", chosen, f"an integer >= dim = {dim}")
    limit = _epsilon_limit(chosen, log_delta)
    if epsilon >= limit:
        least = _least_noise_dim(chosen, epsilon, log_delta)
        wanted = f"< {limit:.6g}, which is 2 delta^(1/{chosen}) sqrt({chosen}), for the published truncation"
        hint = f"Use dummy_dimensions=True or noise_dim={least}; or the valid form, truncated_laplace_bound."
        need(dummy_dimensions and noise_dim is None, "epsilon", epsilon, wanted, hint)
        chosen = least
    return PublishedTruncation(
        dim=dim,
        noise_dim=chosen,
        epsilon=epsilon,
        clip=clip,
        log_delta=-chosen * _LOG_4 if log_delta is None else log_delta,
    )


def _check_published(dim: int, epsilon: float, clip: float, log_delta: float | None) -> None:
    need(isinstance(dim, int) and dim >= 1, "dim", dim, "an integer >= 1")
    need(0 < epsilon <= _LARGEST, "epsilon", epsilon, f"> 0 and at most {_LARGEST:g}")
    need(0 < clip < math.inf, "clip", clip, "finite and > 0")
    need(log_delta is None or -math.inf < log_delta < 0, "log_delta", log_delta, "finite and < 0")


def _root(noise_dim: int, log_delta: float | None) -> float:
    return 0.25 if log_delta is None else math.exp(log_delta / noise_dim)


def _epsilon_limit(noise_dim: int, log_delta: float | None) -> float:
    """Return 2 delta^(1/k) sqrt(k), the upper limit of epsilon, at which the bound becomes infinite."""
    return 2 * _root(noise_dim, log_delta) * math.sqrt(noise_dim)


def _least_noise_dim(too_small: int, epsilon: float, log_delta: float | None) -> int:
    """Return the smallest dimension whose limit exceeds epsilon; the limit grows with the dimension."""
    low, high = too_small, 2 * too_small
    while _epsilon_limit(high, log_delta) <= epsilon:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _epsilon_limit(middle, log_delta) > epsilon else (middle, high)
    return high


def outer_strip_mass(width: ArrayLike, scale: float, bound: float) -> Reals:
    """Return F(w), the mass of one coordinate in [-bound, -bound + w]: the chance to leave a support moved by w.

    It is exact to a few ulps for every ratio bound / scale.

    Args:
        width: w >= 0, any shape; from 2 bound on the mass is 1.
        scale: scale of the distribution, > 0.
        bound: half-width of the support, > 0.

    Returns:
        Float64 of the shape of ``width``.
    """
    widths, smaller = _smaller_side(width, scale, bound)
    return np.where(widths <= bound, smaller, 1.0 - smaller)


def log_outer_strip_mass(width: ArrayLike, scale: float, bound: float) -> Reals:
    """Return ln of ``outer_strip_mass`` for widths up to the bound, at which the mass is at most 1/2."""
    widths, log_smaller = _log_smaller_side(width, scale, bound)
    need(bool(np.all(widths <= bound)), "width", "a larger one", f"at most the bound, {bound}")
    return log_smaller


def truncated_delta(shift: ArrayLike, scale: float, bound: float) -> Reals:
    """Return delta(v) = 1 - prod_i (1 - F(|v_i|)), exact at every epsilon >= ||v||_1 / scale.

    Args:
        shift: v, shape (..., dim); the difference of two vectors.
        scale: scale of the distribution, > 0.
        bound: half-width of the support, > 0.

    Returns:
        Float64 of shape (...): the smallest delta at such an epsilon for this shift, to about 1e-13 relative.
    """
    log_stay = _log_stay(np.abs(np.asarray(shift, dtype=np.float64)), scale, bound)
    return -np.expm1(log_stay.sum(axis=-1))


def truncated_log_delta(shift: ArrayLike, scale: float, bound: float) -> Reals:
    """Return ln of ``truncated_delta``, also if that underflows; shape (..., dim) to (...)."""
    from scipy.special import logsumexp  # a third of a second, which most releases do not need

    widths, log_smaller = _log_smaller_side(np.abs(np.asarray(shift, dtype=np.float64)), scale, bound)
    delta = truncated_delta(shift, scale, bound)
    # Where all strips are tiny, 1 - prod (1 - F) is the sum of the F up to their products.
    with np.errstate(divide="ignore"):
        return np.where(delta > 1e-200, np.log(delta), logsumexp(np.where(widths > 0, log_smaller, -np.inf), axis=-1))


def equal_spread_delta(distance: float, dim: int, scale: float, bound: float) -> float:
    """Return ``truncated_delta`` of a shift of norm ``distance`` spread equally over ``dim`` coordinates."""
    need(isinstance(dim, int) and dim >= 1, "dim", dim, "an integer >= 1")
    return float(-np.expm1(dim * _log_stay(distance / math.sqrt(dim), scale, bound)))


def one_coordinate_delta(distance: float, scale: float, bound: float) -> float:
    """Return ``truncated_delta`` of a shift by ``distance`` along one coordinate."""
    return float(outer_strip_mass(distance, scale, bound))


def _log_stay(width: ArrayLike, scale: float, bound: float) -> Reals:
    """Return ln(1 - F(w)); past the middle 1 - F(w) is F(2 bound - w), which does not cancel."""
    widths, smaller = _smaller_side(width, scale, bound)
    with np.errstate(divide="ignore"):  # ln 0: a shift by 2 bound surely leaves
        return np.where(widths <= bound, np.log1p(-smaller), np.log(smaller))


def _smaller_side(width: ArrayLike, scale: float, bound: float) -> tuple[Reals, Reals]:
    """Return the widths, at most 2 bound, and the smaller mass of the support's two parts at each.

    For w <= bound that is (e^(w/s) - 1) / (2 (e^(b/s) - 1)), in a form that neither overflows nor cancels.
    """
    widths, part = _parts(width, scale, bound)
    ratio = bound / scale
    if ratio < _UNIFORM:
        return widths, 0.5 * part / bound
    with np.errstate(over="ignore"):
        return widths, 0.5 * np.exp((part - bound) / scale) * np.expm1(-part / scale) / math.expm1(-ratio)


def _log_smaller_side(width: ArrayLike, scale: float, bound: float) -> tuple[Reals, Reals]:
    widths, part = _parts(width, scale, bound)
    ratio = bound / scale
    with np.errstate(divide="ignore", over="ignore"):
        if ratio < _UNIFORM:
            return widths, np.log(0.5 * part / bound)
        return widths, np.log(-0.5 * np.expm1(-part / scale)) + (part - bound) / scale - math.log(-math.expm1(-ratio))


def _parts(width: ArrayLike, scale: float, bound: float) -> tuple[Reals, Reals]:
    need(0 < scale < math.inf, "scale", scale, "finite and > 0")
    need(0 < bound < math.inf, "bound", bound, "finite and > 0")
    widths = np.minimum(np.asarray(width, dtype=np.float64), 2 * bound)
    need(bool(np.all(widths >= 0)), "width", "a negative or NaN entry", ">= 0")
    return widths, np.minimum(widths, 2 * bound - widths)
