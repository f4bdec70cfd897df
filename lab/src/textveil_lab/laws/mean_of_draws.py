"""The mean of several independent noisy dot products: its exact distribution, and Chebyshev's bound of it.

The characteristic function of Z is (1 + t^2 / rate^2)^(-(dim + 1) / 2), so that of the mean of N draws is
(1 + t^2 / (N rate)^2)^(-N (dim + 1) / 2): again a noisy dot product, in N (dim + 1) - 1 dimensions at rate N rate. So
what Asghar, Carpentier, Zhao and Kaafar 2026 (arXiv 2411.13784, section 5, theorem 10) bound has a closed form.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.types import Reals
from textveil_lab.laws.dot_product import NoisyDotProduct
from textveil_lab.laws.exact_powers import as_reals
from textveil_lab.noise.distribution import check_parameters


def mean_of_draws(dim: int, rate: float, draws: int) -> NoisyDotProduct:
    """The distribution of the mean of ``draws`` independent noisy dot products; its variance is theirs / draws.

    Args:
        dim: dimension of the vectors, >= 1.
        rate: nats per unit of distance, finite and > 0.
        draws: N >= 1.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    check_parameters(dim, rate=rate)
    need(isinstance(draws, int | np.integer) and draws >= 1, "draws", draws, "an integer >= 1")
    return NoisyDotProduct(int(draws) * (dim + 1) - 1, int(draws) * rate)


def log_chebyshev_of_mean(z: ArrayLike, dim: int, rate: float, draws: int) -> Reals:
    """Logarithm of a bound: P(|mean of N draws| >= z) <= (dim + 1) / (N rate^2 z^2), at most 0.

    Source: Asghar, Carpentier, Zhao and Kaafar 2026, section 5, theorem 10.

    Args:
        z: in units of distance, >= 0; any shape.
        dim: dimension of the vectors, >= 1.
        rate: nats per unit of distance, finite and > 0.
        draws: N >= 1.

    Raises:
        ParameterError: an argument is outside its domain.
    """
    variance = mean_of_draws(dim, rate, draws).variance
    points = as_reals(z, "z")
    need(bool((points >= 0).all()), "z", "an entry below 0", ">= 0: both tails are counted")
    with np.errstate(divide="ignore"):
        return np.minimum(math.log(variance) - 2 * np.log(points), 0.0)
