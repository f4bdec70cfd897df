"""Exact distribution of the noisy dot product: spherical Laplace noise along one direction.

One quadrature through the saddle point gives density and tail of the symmetric variance-gamma distribution.

The mean of several independent noisy dot products has its exact distribution here, and Chebyshev's bound.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx

from textveil.errors import need
from textveil.randomness import resolve
from textveil.types import Reals
from textveil_lab.laws.noise_components import as_probabilities, as_reals, checked_order, over_power
from textveil_lab.noise.distribution import check_parameters

_FALL = 44.0  # Nats below the peak at which the window ends


_FARTHEST = 1e300  # Below this nothing overflows


_BLOCK = 1 << 15  # Integrand values that are held at once: the work space stays in the cache


def log_density_and_tail(x: Reals, dim: int) -> tuple[Reals, Reals]:
    """Return ln f(x) and ln S(x), S(x) = P(X > x), at rate 1; shape (count,) each.

    Args:
        x: shape (count,), float64, every entry >= 0; from 1e300 on the logarithms are taken as -inf.
        dim: >= 1, checked by the caller.
    """
    order = dim / 2
    log_density, log_tail = np.empty_like(x), np.empty_like(x)
    nodes = _node_count(order)
    rows = max(1, _BLOCK // nodes)
    far = x >= _FARTHEST
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        log_density[part], log_tail[part] = _block(np.where(far[part], 0.0, x[part]), order, nodes)
    log_tail[x == 0] = -math.log(2)  # exact, by symmetry
    log_density[far] = log_tail[far] = -np.inf
    return log_density, log_tail


def _block(x: Reals, order: float, nodes: int) -> tuple[Reals, Reals]:
    w = np.hypot(x, order)
    below = np.where(x > order, (w - order) / 2, np.minimum(x, order) * (x / (2 * (order + w))))  # no cancellation
    above = (order + w) / 2  # v0
    left, right = _window(w)
    s = (left + right)[:, None] * np.linspace(0, 1, nodes) - left[:, None]
    weights = np.exp(_phi(s, order, w[:, None], above[:, None], below[:, None]))
    with np.errstate(over="ignore", under="ignore"):  # erfcx(inf) = 0 is the limit
        ratios = np.sqrt(above)[:, None] * np.exp(s / 2) * erfcx(np.sqrt(below)[:, None] * np.exp(-s / 2))
    total = weights.sum(axis=1)
    step = (left + right) / (nodes - 1)
    exponent = order * np.log1p(below / order) - 2 * below + _log_constant(order)
    log_density = exponent + np.log(total * step)
    return log_density, log_density + np.log(math.sqrt(math.pi) * (weights * ratios).sum(axis=1) / total)


def _window(w: Reals) -> tuple[Reals, Reals]:
    """Return distances left and right of the peak beyond which phi is below -_FALL, for any order up to w.

    Right: phi(s) <= -w (cosh s - 1) = -2 w sinh(s/2)^2. Left: phi(-r) <= -w (r - 1 + exp(-r)), the value at order = w,
    and r - 1 + exp(-r) >= q at r = q + sqrt(2 q): with a = sqrt(2 q) this reads a - 1 + exp(-(a + a^2 / 2)) >= 0, which
    is plain for a >= 1 and else follows from log(1 - a) <= -a - a^2 / 2. The right distance has one more, for the
    factor of the tail, which grows like e^(s/2).
    """
    fall = _FALL / w
    return fall + np.sqrt(2 * fall), 2 * np.arcsinh(np.sqrt((fall + 1 / w) / 2))


def _node_count(order: float) -> int:
    """Return the number of nodes that keeps the step within its limit for every w >= order: it falls as w grows."""
    left, right = _window(np.array([order]))
    t = np.linspace(0.01, 1.57, 400)
    step = float((2 * math.pi * t / (40 - order * np.log(np.cos(t)))).max())
    return math.ceil(float(left[0] + right[0]) / step) + 1


def _phi(s: Reals, order: float, w: Reals, above: Reals, below: Reals) -> Reals:
    """Return the exponent relative to its peak without cancellation: one form near the peak, one away from it."""
    near = np.abs(s) < 0.3
    small = np.where(near, s, 0.0)
    square = small * small
    sinh_minus = small * square / 6 * (1 + square / 20 * (1 + square / 42 * (1 + square / 72 * (1 + square / 110))))
    close = -2 * w * np.sinh(small / 2) ** 2 - order * sinh_minus
    return np.where(near, close, order * s - above * np.expm1(s) - below * np.expm1(-s))


def _log_constant(order: float) -> float:
    """Return ln C + order ln(order) - order; by Stirling's series if lgamma would lose digits."""
    if order < 16:
        return order * math.log(order) - order - math.lgamma(order + 0.5) - math.log(4 * math.pi) / 2
    i = 1 / order**2
    series = (-1 / 24 + i * (7 / 2880 - i * (31 / 40320 - i * (127 / 215040 - i * 511 / 608256)))) / order
    return -series - math.log(2 * math.pi) / 2 - math.log(4 * math.pi) / 2


_LOG_HALF = -math.log(2)
_LEAST_LOG = -1e299
"""Smallest ln of a tail that has a quantile: tails beyond are taken as zero."""


@dataclass(frozen=True, slots=True)
class NoisyDotProduct:
    """Z = <eta, u>, where eta in R^dim has density proportional to exp(-rate ||eta||) and u is any unit vector.

    Symmetric variance-gamma distribution, the difference of two independent Gamma((dim + 1) / 2, 1 / rate):

        f(z) = rate / (sqrt(pi) Gamma((dim + 1) / 2)) (rate |z| / 2)^(dim / 2) K_{dim / 2}(rate |z|)

    *Proof.* exp(-rate ||x||) is, up to a constant, the Gaussian mixture of covariance 2 V I with V of density
        proportional to v^((dim + 1) / 2 - 1) exp(-rate^2 v) (the Laplace transform of the one-sided stable distribution
        of
    index 1/2; the mixing weight carries the normalizers (4 pi v)^(dim / 2)). So Z = sqrt(2 V) N with
    V ~ Gamma((dim + 1) / 2, 1 / rate^2), its characteristic function is E exp(-t^2 V) =
    (1 + t^2 / rate^2)^(-(dim + 1) / 2), and (1 + t^2) = (1 - i t)(1 + i t) is the difference of two Gammas.

    The density is log-concave for every dim >= 1, as a convolution of two log-concave densities. For two words, P(w' is
    nearer to the noisy vector than w) = 1 - cdf(||w' - w|| / 2).

    Methods take arrays of any shape and return float64 of that shape. Logarithms of densities and tails differ from
    40-digit ones by less than 3e-14, or 3e-15 of their size where that is more (tested in dimensions 1 to 4,096); the
    smaller tail is never computed as one minus the larger.

    Raises:
        ParameterError: a parameter or an argument is outside its domain, or not a number.

    Source: the question is that of Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784); the distribution is
    that of Madan and Seneta 1990, here with the shape that the noise gives it. Numbers:
    textveil_lab/laws/dot_product.py.
    """

    dim: int  # dimension of the vectors, >= 1
    rate: float  # nats per unit of Euclidean distance, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, rate=self.rate)

    @property
    def variance(self) -> float:
        """Variance (dim + 1) / rate^2, in squared units of distance; the mean is 0.

        Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 9.
        """
        return (self.dim + 1) / self.rate / self.rate

    @property
    def excess_kurtosis(self) -> float:
        """Excess kurtosis 6 / (dim + 1): the distribution tends to a Gaussian as dim grows."""
        return 6 / (self.dim + 1)

    def moment(self, order: int) -> float:
        """Return E Z^order = product over j < order / 2 of (2 j + 1)(dim + 1 + 2 j) / rate^2; zero for odd orders.

        It is computed in integers and rounded once; infinity beyond the largest float.
        """
        if checked_order(order) % 2:
            return 0.0
        factors = ((2 * j + 1) * (self.dim + 1 + 2 * j) for j in range(order // 2))
        return over_power(math.prod(factors), self.rate, order)

    def log_absolute_moment(self, order: float) -> float:
        """Return ln E |Z|^order for any real order > -1, by Gamma functions."""
        need(-1 < order < math.inf, "order", order, "finite and > -1")
        shape = (self.dim + 1) / 2
        normal = math.lgamma((order + 1) / 2) - math.lgamma(0.5)
        scale = math.lgamma(shape + order / 2) - math.lgamma(shape)
        return normal + scale + order * (math.log(2) - math.log(self.rate))

    def cumulant(self, order: int) -> float:
        """Return (dim + 1) (order - 1)! / rate^order for even orders >= 2; zero for odd ones and for order 0."""
        if checked_order(order) % 2 or order == 0:
            return 0.0
        return over_power((self.dim + 1) * math.factorial(order - 1), self.rate, order)

    def log_pdf(self, z: ArrayLike) -> Reals:
        return self._logs(as_reals(z, "z"))[0] + math.log(self.rate)

    def pdf(self, z: ArrayLike) -> Reals:
        """Return the density per unit of distance; zero if it is below every float."""
        return np.exp(self.log_pdf(z))

    def log_survival(self, z: ArrayLike) -> Reals:
        """Return ln P(Z > z)."""
        points = as_reals(z, "z")
        log_tail = self._logs(points)[1]
        return np.where(points >= 0, log_tail, np.log1p(-np.exp(log_tail)))

    def survival(self, z: ArrayLike) -> Reals:
        """Return P(Z > z), to the relative precision of the smaller tail."""
        points = as_reals(z, "z")
        tail = np.exp(self._logs(points)[1])
        return np.where(points >= 0, tail, 1 - tail)

    def log_cdf(self, z: ArrayLike) -> Reals:
        """Return ln P(Z <= z)."""
        return self.log_survival(-as_reals(z, "z"))

    def cdf(self, z: ArrayLike) -> Reals:
        """Return P(Z <= z), to the relative precision of the smaller tail."""
        return self.survival(-as_reals(z, "z"))

    def quantile(self, probability: ArrayLike) -> Reals:
        """Return the z with P(Z <= z) = ``probability``, which is strictly between 0 and 1."""
        p = as_probabilities(probability, "probability")
        size = self._upper_point(np.log(np.minimum(p, 1 - p)))
        return np.where(p < 0.5, -size, size)

    def log_quantile(self, log_probability: ArrayLike) -> Reals:
        """Return the z with ln P(Z <= z) = log_probability; it reaches tails that no float probability holds.

        Args:
            log_probability: below 0 and at least -1e299; any shape.

        By symmetry, -z has ln P(Z > -z) = log_probability.
        """
        log_p = as_reals(log_probability, "log_probability")
        inside = bool(((log_p < 0) & (log_p >= _LEAST_LOG)).all())
        need(inside, "log_probability", "an entry outside", "below 0 and at least -1e299")
        lower = log_p <= _LOG_HALF
        log_other = np.log(-np.expm1(np.where(lower, _LOG_HALF, log_p)))
        size = self._upper_point(np.minimum(np.where(lower, log_p, log_other), _LOG_HALF))
        return np.where(lower, -size, size)

    def sample(self, count: int, rng: np.random.Generator | None = None) -> Reals:
        """Return independent draws, shape (count,): differences of two Gammas.

        Args:
            count: >= 0.
        """
        need(isinstance(count, int | np.integer) and count >= 0, "count", count, "an integer >= 0")
        halves = resolve(rng).standard_gamma((self.dim + 1) / 2, size=(2, count))
        return (halves[0] - halves[1]) / self.rate

    def _logs(self, z: Reals) -> tuple[Reals, Reals]:
        with np.errstate(over="ignore"):  # so far out the tail is below every float: -inf
            x = np.abs(z).reshape(-1) * self.rate
        log_density, log_tail = log_density_and_tail(x, self.dim)
        return log_density.reshape(z.shape), log_tail.reshape(z.shape)

    def _upper_point(self, log_tail: Reals) -> Reals:
        """Return the z >= 0 with ln P(Z > z) = log_tail <= ln(1/2), by Newton's method.

        log P(Z > z) is concave and falling (the density is log-concave), so from any start the second point lies right
        of the root and the next ones fall to it.
        """
        target = log_tail.reshape(-1)
        x = np.sqrt(2 * (self.dim + 1) * (_LOG_HALF - target)) + _LOG_HALF - target
        active = np.flatnonzero(target < _LOG_HALF)
        for _ in range(100):
            if active.size == 0:
                break
            log_density, reached = log_density_and_tail(x[active], self.dim)
            step = (reached - target[active]) * np.exp(reached - log_density)
            x[active] = np.maximum(x[active] + step, 0)
            moved = np.abs(step) > 1e-15 * (x[active] + np.abs(target[active]))
            active = active[moved]
        with np.errstate(over="ignore"):
            return (x / self.rate).reshape(log_tail.shape)


def mean_of_draws(dim: int, rate: float, draws: int) -> NoisyDotProduct:
    """Return the distribution of the mean of ``draws`` independent noisy dot products; its variance is theirs / draws.

    Args:
        rate: nats per unit of distance, finite and > 0.
        draws: N >= 1.
    """
    check_parameters(dim, rate=rate)
    need(isinstance(draws, int | np.integer) and draws >= 1, "draws", draws, "an integer >= 1")
    return NoisyDotProduct(int(draws) * (dim + 1) - 1, int(draws) * rate)


def log_chebyshev_of_mean(z: ArrayLike, dim: int, rate: float, draws: int) -> Reals:
    """Return ln of the bound P(|mean of N draws| >= z) <= (dim + 1) / (N rate^2 z^2), at most 0.

    Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 10.

    Args:
        z: in units of distance, >= 0; any shape.
        rate: nats per unit of distance, finite and > 0.
        draws: N >= 1.
    """
    variance = mean_of_draws(dim, rate, draws).variance
    points = as_reals(z, "z")
    need(bool((points >= 0).all()), "z", "an entry below 0", ">= 0: both tails are counted")
    with np.errstate(divide="ignore"):
        return np.minimum(math.log(variance) - 2 * np.log(points), 0.0)
