"""Two factors of the noisy dot product: the length of the noise, and its cosine with a direction.

Spherical Laplace noise is eta = L D with L = ||eta|| and D uniform on the unit sphere, independent. For a unit vector
u, <eta, u> = L T with T = <D, u>: the product of a ``NoiseLength`` and an independent ``NoiseDirection`` is a
``NoisyDotProduct``. L grows like dim and T shrinks like 1 / sqrt(dim). In Asghar, Carpentier, Zhao and Kaafar 2026
(arXiv 2411.13784) the product is theorem 3 of section 4, and all moments of T are theorem 1 of section 5.

Here are also quotients by powers of a rate, rounded once, and the checks that this package's distributions share.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, betaln, gammainc, gammaincc, gammainccinv, gammaincinv, hyp2f1

from textveil.errors import need
from textveil.randomness import resolve
from textveil.types import Reals
from textveil_lab.noise.distribution import check_parameters


def checked_order(order: int) -> int:
    """Return the order of a moment: an integer >= 0."""
    need(isinstance(order, int | np.integer) and order >= 0, "order", order, "an integer >= 0")
    return int(order)


def over_power(numerator: int | Fraction, rate: float, order: int) -> float:
    """Return numerator / rate^order, exact and rounded once; infinity beyond the largest float."""
    try:
        return float(Fraction(numerator) / Fraction(rate) ** order)
    except OverflowError:
        return float("inf")


def as_reals(values: ArrayLike, name: str) -> Reals:
    """Return ``values`` as float64 of their own shape; NaN is refused."""
    points = np.asarray(values, dtype=np.float64)
    need(not np.isnan(points).any(), name, "NaN", "a number in every entry")
    return points


def as_probabilities(values: ArrayLike, name: str) -> Reals:
    """Return ``values`` as float64, each strictly between 0 and 1."""
    points = as_reals(values, name)
    need(bool(((points > 0) & (points < 1)).all()), name, "an entry outside", "strictly between 0 and 1")
    return points


_SMALL = 1e-280  # Below this a tail is computed by its logarithm: the incomplete functions are about to underflow


@dataclass(frozen=True, slots=True)
class NoiseLength:
    """Length L = ||eta||_2 in units of distance: Gamma(dim, 1 / rate), density as l^(dim - 1) exp(-rate l).

    Raises:
        ParameterError: a parameter or an argument is outside its domain, or not a number.

    Source: Feyisetan, Balle, Drake and Diethe 2020, section 2.6.
    """

    dim: int  # dimension of the vectors, >= 1
    rate: float  # nats per unit of Euclidean distance, finite and > 0

    def __post_init__(self) -> None:
        check_parameters(self.dim, rate=self.rate)

    @property
    def mean(self) -> float:
        """Mean length dim / rate, in units of distance."""
        return self.dim / self.rate

    @property
    def variance(self) -> float:
        """Variance dim / rate^2, in squared units of distance."""
        return self.dim / self.rate / self.rate

    def moment(self, order: int) -> float:
        """Return E L^order = dim (dim + 1) ... (dim + order - 1) / rate^order, exact and rounded once."""
        return over_power(math.prod(self.dim + j for j in range(checked_order(order))), self.rate, order)

    def log_pdf(self, length: ArrayLike) -> Reals:
        """Return ln of the density; -inf below zero."""
        x = self._scaled(length)
        with np.errstate(divide="ignore"):
            rise = (self.dim - 1) * np.log(np.maximum(x, 0)) if self.dim > 1 else np.where(x < 0, -np.inf, 0.0)
        return rise - np.maximum(x, 0) - math.lgamma(self.dim) + math.log(self.rate)

    def pdf(self, length: ArrayLike) -> Reals:
        return np.exp(self.log_pdf(length))

    def cdf(self, length: ArrayLike) -> Reals:
        """Return P(L <= length)."""
        return gammainc(self.dim, np.maximum(self._scaled(length), 0))

    def survival(self, length: ArrayLike) -> Reals:
        """Return P(L > length)."""
        return gammaincc(self.dim, np.maximum(self._scaled(length), 0))

    def log_cdf(self, length: ArrayLike) -> Reals:
        """Return ln P(L <= length), also if the probability underflows; -inf up to zero."""
        return _log_or(self.cdf(length), np.maximum(self._scaled(length), 0), self._log_lower)

    def log_survival(self, length: ArrayLike) -> Reals:
        """Return ln P(L > length), also if the probability underflows."""
        return _log_or(self.survival(length), self._scaled(length), self._log_upper)

    def quantile(self, probability: ArrayLike) -> Reals:
        """Return the length with P(L <= length) = ``probability``, which is strictly between 0 and 1."""
        p = as_probabilities(probability, "probability")
        return np.where(p < 0.5, gammaincinv(self.dim, p), gammainccinv(self.dim, 1 - p)) / self.rate

    def sample(self, count: int, rng: np.random.Generator | None = None) -> Reals:
        """Return independent draws, shape (count,); ``rng=None`` is the operating system's randomness."""
        _check_count(count)
        return resolve(rng).standard_gamma(self.dim, size=count) / self.rate

    def _scaled(self, length: ArrayLike) -> Reals:
        with np.errstate(over="ignore"):
            return np.minimum(as_reals(length, "length") * self.rate, 1e300)

    def _log_lower(self, x: Reals) -> Reals:
        """Return ln P for 0 <= x < dim: x^dim e^-x / dim! times 1 + x / (dim + 1) + x^2 / ((dim + 1)(dim + 2)) + ..."""
        total, term = np.ones_like(x), np.ones_like(x)
        for j in range(1, 100_000):
            term = term * x / (self.dim + j)  # terms fall, since x < dim
            total += term
            if (term <= 1e-17 * total).all():
                break
        with np.errstate(divide="ignore"):
            return self.dim * np.log(np.maximum(x, 0)) - x - math.lgamma(self.dim + 1) + np.log(total)

    def _log_upper(self, x: Reals) -> Reals:
        """Return ln P, x > dim: x^(dim - 1) e^-x / (dim - 1)! times 1 + (dim - 1) / x + (dim - 1)(dim - 2) / x^2 + ...

        The sum is finite, because dim is an integer.
        """
        total, term = np.ones_like(x), np.ones_like(x)
        for j in range(1, self.dim):
            term = term * (self.dim - j) / x
            total += term
            if (term <= 1e-17 * total).all():
                break
        return (self.dim - 1) * np.log(x) - x - math.lgamma(self.dim) + np.log(total)


@dataclass(frozen=True, slots=True)
class NoiseDirection:
    """Cosine T between the noise and a fixed unit vector: density proportional to (1 - t^2)^((dim - 3) / 2) on [-1, 1].

    T^2 ~ Beta(1/2, (dim - 1) / 2). In one dimension T is -1 or 1, each with probability 1/2, and there is no density.
    The mean is 0 and the variance 1 / dim: in high dimensions noise is nearly orthogonal to any direction fixed in
    advance.

    Raises:
        ParameterError: a parameter or an argument is outside its domain, or not a number.
    """

    dim: int  # dimension of the vectors, >= 1

    def __post_init__(self) -> None:
        check_parameters(self.dim)

    @property
    def variance(self) -> float:
        """Variance 1 / dim."""
        return 1 / self.dim

    def moment(self, order: int) -> float:
        """Return E T^order = product over j < order / 2 of (2 j + 1) / (dim + 2 j); zero for odd orders.

        Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 1.
        """
        if checked_order(order) % 2:
            return 0.0
        return float(math.prod((Fraction(2 * j + 1, self.dim + 2 * j) for j in range(order // 2)), start=Fraction(1)))

    def log_pdf(self, cosine: ArrayLike) -> Reals:
        """Return ln of the density; -inf outside [-1, 1]."""
        need(self.dim >= 2, "dim", self.dim, "2 or more: in one dimension there is no density")
        t = as_reals(cosine, "cosine")
        inside = np.abs(t) <= 1
        square = np.where(inside, (1 - t) * (1 + t), 1.0)
        with np.errstate(divide="ignore"):  # at the ends the density is infinite for dim 2 and zero from dim 4 on
            shape = (self.dim - 3) / 2 * np.log(square) if self.dim != 3 else np.zeros_like(t)
        return np.where(inside, shape - betaln(0.5, (self.dim - 1) / 2), -np.inf)

    def pdf(self, cosine: ArrayLike) -> Reals:
        """Return the density; infinite at the ends for dim 2."""
        return np.exp(self.log_pdf(cosine))

    def survival(self, cosine: ArrayLike) -> Reals:
        """Return P(T > cosine), to the relative precision of the smaller tail."""
        t = as_reals(cosine, "cosine")
        tail = self._upper(np.minimum(np.abs(t), 1))
        return np.where(t >= 0, tail, np.where(t < -1, 1.0, 1 - tail) if self.dim > 1 else np.where(t < -1, 1.0, 0.5))

    def cdf(self, cosine: ArrayLike) -> Reals:
        """Return P(T <= cosine)."""
        t = as_reals(cosine, "cosine")
        if self.dim == 1:
            return 1 - self.survival(t)
        return self.survival(-t)

    def log_survival(self, cosine: ArrayLike) -> Reals:
        """Return ln P(T > cosine), also if the probability underflows."""
        return _log_or(self.survival(cosine), as_reals(cosine, "cosine"), self._log_upper)

    def quantile(self, probability: ArrayLike) -> Reals:
        """Return the smallest cosine with P(T <= cosine) >= ``probability``, which is strictly between 0 and 1."""
        p = as_probabilities(probability, "probability")
        if self.dim == 1:
            return np.where(p <= 0.5, -1.0, 1.0)
        half = (self.dim - 1) / 2
        tail = 2 * np.minimum(p, 1 - p)
        far = np.sqrt(1 - betaincinv(half, 0.5, tail))  # good in the tails
        near = np.sqrt(betaincinv(0.5, half, 1 - tail))  # good about zero
        size = np.where(tail < 0.5, far, near)
        return np.where(p < 0.5, -size, size)

    def sample(self, count: int, rng: np.random.Generator | None = None) -> Reals:
        """Return independent draws, shape (count,): one coordinate of a normal vector divided by its length."""
        _check_count(count)
        source = resolve(rng)
        if self.dim == 1:
            return np.where(source.integers(0, 2, size=count) == 0, -1.0, 1.0)
        first: Reals = source.standard_normal(count)
        others = 2 * source.standard_gamma((self.dim - 1) / 2, size=count)
        return first / np.sqrt(first * first + others)

    def _upper(self, t: Reals) -> Reals:
        if self.dim == 1:
            return np.where(t < 1, 0.5, 0.0)
        half = (self.dim - 1) / 2  # one minus the other only if the tail is large
        return np.where(self.dim * t * t < 1, 1 - betainc(0.5, half, t * t), betainc(half, 0.5, (1 - t) * (1 + t))) / 2

    def _log_upper(self, t: Reals) -> Reals:
        """Return ln P(T > t), a = (dim - 1) / 2 and x = 1 - t^2: x^a 2F1(a, 1/2; a + 1; x) / (2 a B(a, 1/2))."""
        if self.dim == 1:
            return np.full_like(t, -np.inf)  # only t >= 1 asks
        half = (self.dim - 1) / 2
        x = np.maximum((1 - t) * (1 + t), 0)
        with np.errstate(divide="ignore"):
            power = half * np.log(x)
        return power + np.log(hyp2f1(0.5, half, half + 1, x) / 2) - math.log(half) - betaln(half, 0.5)


def _log_or(probability: Reals, points: Reals, logarithm: Callable[[Reals], Reals]) -> Reals:
    """Return ln of a probability; ``logarithm`` of the point if it is about to underflow."""
    p, x = np.atleast_1d(probability), np.atleast_1d(points)
    low = p < _SMALL
    logs = np.log(np.where(low, 1.0, p))
    if low.any():
        logs[low] = logarithm(x[low])
    return logs.reshape(np.shape(probability))


def _check_count(count: int) -> None:
    need(isinstance(count, int | np.integer) and count >= 0, "count", count, "an integer >= 0")
