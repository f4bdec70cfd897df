"""Privacy-loss distributions of Laplace noise, truncated or not, on the grid of ``privacy.loss_distribution``."""

import math

import numpy as np

from textveil.errors import need
from textveil.privacy.loss_distribution import LossDistribution, atoms_loss, bulk_nodes, merged_bulk
from textveil_lab.noise.truncation import outer_strip_mass


def laplace_loss(shift: float, scale: float, *, step: float, upper: bool = True) -> LossDistribution:
    """The loss of Laplace noise in one dimension against itself moved by ``shift``.

    Args:
        shift: finite; its sign does not matter.
        scale: finite and > 0.
        step: nats between neighbors of the grid.
        upper: the side to round to.
    """
    return truncated_laplace_loss(shift, scale, math.inf, step=step, upper=upper)


def truncated_laplace_loss(
    shift: float, scale: float, bound: float, *, step: float, upper: bool = True
) -> LossDistribution:
    """The loss of Laplace noise on [-bound, bound] against itself moved by v = |shift|, in one dimension.

    With s the scale and t = min(v, 2 bound - v) / s the finite losses lie in [-t, t] with density
    e^((l - v/s)/2) / (4 (1 - e^(-bound/s))), and where v <= bound there are atoms at v/s and -v/s, of masses
    (1 - e^((v-bound)/s)) / (2 (1 - e^(-bound/s))) and e^(-v/s) times that. The loss is infinite on the strip that
    leaves the moved support.

    Args:
        shift: finite; its sign does not matter.
        scale: finite and > 0.
        bound: half-width of the support, > 0; inf is plain Laplace noise.
        step: nats between neighbors of the grid.
        upper: the side to round to.
    """
    need(math.isfinite(shift), "shift", shift, "finite")
    need(0 < scale < math.inf, "scale", scale, "finite and > 0")
    need(bound > 0, "bound", bound, "> 0")
    ratio, width = abs(shift) / scale, bound / scale
    if not upper:  # best tests of a log-concave distribution are half-lines, so delta grows with the shift
        ratio = step * math.floor(ratio / step)
    if ratio >= 2 * width:  # disjoint supports
        return LossDistribution(step=step, first=0, masses=np.zeros(1), infinite=1.0, upper=upper)
    edge = min(ratio, 2 * width - ratio)
    normalizer = -math.expm1(-width)
    losses, masses = bulk_nodes(edge, step) if upper else merged_bulk(edge, step)
    masses = masses * (math.exp(-ratio / 2) / (4 * normalizer))
    if ratio <= width:
        atom = -math.expm1(ratio - width) / (2 * normalizer)
        losses = np.concatenate([losses, [ratio, -ratio]])
        masses = np.concatenate([masses, [atom, atom * math.exp(-ratio)]])
    infinite = 0.0 if math.isinf(bound) else float(outer_strip_mass(ratio * scale, scale, bound))
    return atoms_loss(losses, masses, step=step, upper=upper, infinite=infinite)
