"""Theorem 4: the variance of the published truncated Laplace noise beside others, and where its comparison holds.

Variances are of one coordinate, in units of the squared clipping norm C; no comparison depends on C. With
delta = e^(-t d) the theorem's condition delta <= e^-d says t >= 1. Three facts decide it:

- Plain Laplace noise has 8 d C^2 / epsilon^2, the classical Gaussian 8 ln(1.25 / delta) C^2 / epsilon^2. So Laplace
  noise, whose delta is 0, has the smaller variance exactly where delta < 1.25 e^-d: always under that condition.
- The published bound cuts off Laplace noise of that very scale. That lowers the variance, but the delta is not delta.
- The valid bound cuts so far out that almost nothing is gained over plain Laplace noise.
"""

from __future__ import annotations

import math

from textveil.noise.truncated_laplace import TruncatedLaplace
from textveil.privacy.truncation import published_truncation
from textveil.research.papers.truncated_laplace.facts import DIM, NOISE_DIMS


def published_variance(epsilon: float, dim: int = DIM, log_delta: float | None = None) -> float:
    """Of one coordinate of Theorem 3's noise, in units of C^2.

    Args:
        epsilon: claimed nats, > 0; at 10 and 20 with the paper's dummy dimensions, where ``log_delta`` is its own.
        dim: dimensions of a word's vector.
        log_delta: natural logarithm of the claimed delta; None is the paper's 4^-d.

    Raises:
        ParameterError: the published bound is infinite there, or an argument is outside its domain.
    """
    padded = NOISE_DIMS.get(epsilon) if log_delta is None and dim == DIM else None
    known = published_truncation(dim=dim, epsilon=epsilon, clip=1.0, log_delta=log_delta, noise_dim=padded)
    return TruncatedLaplace(dim=1, scale=known.scale, bound=known.bound).variance


def laplace_variance(epsilon: float, dim: int = DIM) -> float:
    """Of one coordinate of Laplace noise with scale 2 sqrt(d) C / epsilon, in units of C^2."""
    return 8.0 * dim / epsilon**2


def gaussian_variance(epsilon: float, log_delta: float) -> float:
    """Of one coordinate of the paper's Gaussian noise, 8 ln(1.25 / delta) / epsilon^2, in units of C^2.

    The formula is used as the paper does, above epsilon 1 too, where it is not stated.
    """
    return 8.0 * (math.log(1.25) - log_delta) / epsilon**2
