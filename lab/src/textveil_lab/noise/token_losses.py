"""Losses of single tokens, from which ``privacy.accounting.compose_tokens`` computes the cost of documents."""

import math

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import need
from textveil.privacy.loss_distribution import LossDistribution, atoms_loss
from textveil.types import Reals
from textveil_lab.numerics.accounting import Composed, GaussianTokens, calibrate

_UNIT = 2.0**-53


def two_level_loss(
    *, size: int, members: int, inside: int, outside: int, overlap: int | None = None
) -> LossDistribution:
    """Return the loss of a two-level channel's worst pair: weight ``inside`` on some outputs, else ``outside``.

    Rows x, x' with sets of m outputs that share k have losses e = ln(inside/outside) with mass (m - k) inside / T,
    -e with mass (m - k) outside / T, and 0 with the rest, T the common total. So at every epsilon in [0, e]

        delta(epsilon) = (m - k) (inside - e^epsilon outside) / T,

    which falls in k; below 0 the same follows from symmetry. So the pair of smallest overlap dominates, and no two sets
    of m out of n outputs share fewer than max(0, 2m - n). On a grid of step e nothing is rounded.

    Args:
        size: number of outputs n, >= 2.
        members: m, between 1 and n.
        inside: integer weight of a member, > outside.
        outside: integer weight of the others, >= 1.
        overlap: a lower bound on the members that any two sets share; None is max(0, 2m - n).

    Raises:
        ParameterError: an argument is outside its domain.
    """
    need(size >= 2, "size", size, ">= 2")
    need(1 <= members <= size, "members", members, f"between 1 and {size}")
    need(1 <= outside < inside, "outside", outside, f"between 1 and {inside - 1}")
    least = max(0, 2 * members - size)
    shared = least if overlap is None else overlap
    need(least <= shared <= members, "overlap", shared, f"between {least} and {members}")
    total = members * inside + (size - members) * outside
    apart = members - shared
    masses = [apart * outside / total, (total - apart * (inside + outside)) / total, apart * inside / total]
    step = math.log(inside / outside) if inside > 2 * outside else math.log1p((inside - outside) / outside)
    return LossDistribution(step=step * (1 + 8 * _UNIT), first=-1, masses=np.array(masses))


def token_sigma(*, epsilon: float, delta: float, l2_sensitivity: float, tokens: int, releases: int = 1) -> float:
    """Find the smallest sigma of Gaussian noise on each token at which all tokens together keep (epsilon, delta).

    Raises:
        ParameterError: an argument is outside its domain.
    """
    need(0 < delta < 1, "delta", delta, "in (0, 1)")
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")

    def composed(sigma: float) -> Composed:
        return GaussianTokens(sigma=sigma, l2_sensitivity=l2_sensitivity, times=tokens * releases)

    enough = l2_sensitivity  # doubled until it keeps the guarantee: a start for the bisection
    while composed(enough).delta(epsilon) > delta:
        enough *= 2
        need(enough < 1e300, "the calibrated sigma", enough, "below 1e300", "Rescale the vectors.")
    return calibrate(composed, epsilon=epsilon, delta=delta, private=enough, other=enough * 2.0**-40)


def pair_loss(first: ArrayLike, second: ArrayLike, *, step: float, upper: bool = True) -> LossDistribution:
    """Return the loss of a discrete pair, such as two rows of a channel; one direction, ``first`` against ``second``.

    Args:
        first: P, probabilities of shape (outputs,) that sum to 1 within 1e-9.
        second: Q, the same shape.
        step: nats between neighbors of the grid.
        upper: the side to round to.

    Raises:
        ParameterError: shapes, signs or sums are wrong.
    """
    p, q = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    need(p.ndim == 1 and p.shape == q.shape, "second", f"shape {q.shape}", f"of shape {p.shape}, one row")
    for name, row in (("first", p), ("second", q)):
        need(bool(np.all(row >= 0)), name, "a negative or NaN entry", ">= 0")
        total = float(row.sum())
        need(abs(total - 1) <= 1e-9, name, f"a row of sum {total:.12g}", "a row of sum 1")
    both = (p > 0) & (q > 0)
    losses = np.log(p[both]) - np.log(q[both])
    nudge = 2.0**-50 * (1 + np.abs(losses))  # more than the rounding of the logarithms
    losses = losses + nudge if upper else losses - nudge
    infinite = min(1.0, float(p[q == 0].sum()))
    return atoms_loss(losses, p[both], step=step, upper=upper, infinite=infinite)


def gaussian_loss(shift: float, sigma: float, *, step: float, upper: bool = True) -> LossDistribution:
    """Return the loss of Gaussian noise against itself moved by ``shift``: N(mu^2/2, mu^2) with mu = |shift| / sigma.

    It stops 12 standard deviations from its mean; the rest, 2e-33 at each end, is rounded to ``upper``'s side. Many
    tokens together are exactly one Gaussian (``accounting.GaussianTokens``); this is for mixed compositions.

    Args:
        shift: finite and not 0; its sign does not matter.
        sigma: finite and > 0.
        step: nats between neighbors of the grid.
        upper: the side to round to.
    """
    from scipy.special import ndtr  # a third of a second, which most releases do not need

    need(math.isfinite(shift) and shift != 0, "shift", shift, "finite and not 0")
    need(0 < sigma < math.inf, "sigma", sigma, "finite and > 0")
    mu = abs(shift) / sigma
    low, high = mu * mu / 2 - 12 * mu, mu * mu / 2 + 12 * mu
    losses, weights = _nodes(low, high, min(step, mu / 8))
    masses = weights * np.exp(-0.5 * ((losses - mu * mu / 2) / mu) ** 2) / (mu * math.sqrt(2 * math.pi))
    tail = float(ndtr(-12.0))
    losses = np.append(losses, low if upper else high)
    return atoms_loss(losses, np.append(masses, tail), step=step, upper=upper, infinite=tail if upper else 0.0)


def bulk_nodes(edge: float, step: float) -> tuple[Reals, Reals]:
    """Return losses and masses of the density e^(l/2) on [-edge, edge], as nodes of a quadrature."""
    losses, weights = _nodes(-edge, edge, step)
    return losses, weights * np.exp(losses / 2)


def merged_bulk(edge: float, step: float) -> tuple[Reals, Reals]:
    """Return the same density merged into cells around the points of the grid, which become their losses.

    The density under Q is e^(-l/2), so a cell around j step has masses of ratio e^(j step) exactly. The rest at the two
    ends is rounded down.
    """
    half = math.floor(max(0.0, edge / step - 0.5))
    centers = step * np.arange(-half, half + 1, dtype=np.float64)
    if edge < step / 2:
        return np.array([-step]), np.array([4 * math.sinh(edge / 2)])
    inner = (half + 0.5) * step
    ends = np.array([-edge, inner])
    losses = np.concatenate([centers, [-step * math.ceil(edge / step), half * step]])
    cells = 4 * math.sinh(step / 4) * np.exp(centers / 2)
    return losses, np.concatenate([cells, 2 * np.exp(ends / 2) * math.expm1((edge - inner) / 2)])


def _nodes(low: float, high: float, step: float) -> tuple[Reals, Reals]:
    """Return quadrature nodes and weights over [low, high], eight in each cell of the grid, no cell over 1/2."""
    need(0 < step < math.inf, "step", step, "finite and > 0")
    cell = step / math.ceil(2 * step)
    need((high - low) / cell <= 1 << 22, "step", step, "large enough for fewer than 2^22 cells")
    inner = cell * np.arange(math.floor(low / cell) + 1, math.ceil(high / cell))
    edges = np.concatenate([[low], inner[(inner > low) & (inner < high)], [high]])
    points, weights = np.polynomial.legendre.leggauss(8)
    half = np.diff(edges)[:, None] / 2
    centers = (edges[:-1] + edges[1:])[:, None] / 2
    return (centers + half * points).ravel(), (half * weights).ravel()
