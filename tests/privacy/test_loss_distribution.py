"""Loss distributions lie on their stated side of the exact delta, and close to it; composed ones too."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from textveil.errors import ParameterError
from textveil.privacy.loss_distribution import LossDistribution, atoms_loss


def hockey_stick(p, q, epsilon):
    return math.fsum(max(0.0, a - math.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


def pair_loss(p, q, *, step, upper=True):
    """The loss of two rows, as the lab's ``token_losses.pair_loss`` has it."""
    both = (p > 0) & (q > 0)
    losses = np.log(p[both]) - np.log(q[both])
    nudged = losses + (1 if upper else -1) * 2.0**-50 * (1 + np.abs(losses))
    return atoms_loss(nudged, p[both], step=step, upper=upper, infinite=min(1.0, float(p[q == 0].sum())))


def product(row, times):
    return [math.prod(parts) for parts in itertools.product(row, repeat=times)]


rows = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), min_size=2, max_size=5).filter(
    lambda pairs: sum(a for a, _ in pairs) > 0.1 and sum(b for _, b in pairs) > 0.1
)


@settings(deadline=None, max_examples=60)
@example(  # losses 792 nats apart: a doubled step
    pairs=[(1e-38, 0.279), (1e-38, 0.279), (0.719, 0.511), (0.143, 2e-308)], times=1, epsilon=0.51, step=0.01
)
@given(pairs=rows, times=st.integers(1, 3), epsilon=st.floats(0.0, 4.0), step=st.sampled_from([0.3, 0.01]))
def test_discrete_pairs_are_bracketed_against_enumeration(pairs, times, epsilon, step):
    p, q = (np.array(row) / sum(row) for row in zip(*pairs, strict=True))
    if (np.log(np.maximum(p, 1e-300)) - np.log(np.maximum(q, 1e-300))).min() < -600:
        return  # a loss that no grid of this step holds
    exact = hockey_stick(product(p, times), product(q, times), epsilon)
    above = pair_loss(p, q, step=step).repeat(times)
    below = pair_loss(p, q, step=step, upper=False).repeat(times)
    upper, lower = above.delta(epsilon), below.delta(epsilon)
    assert lower <= exact * (1 + 1e-12) + 1e-15
    assert exact <= upper * (1 + 1e-12) + 1e-15
    held = max(above.step, below.step)  # doubled where losses lie so far apart that their bins do not suffice
    assert held == step or max(len(above.masses), len(below.masses)) > 1 << 14
    assert upper - lower <= times * held + 1e-8


@pytest.mark.parametrize("upper", [True, False])
def test_trimmed_ends_move_to_the_side_that_keeps_the_bound(upper):
    masses = np.array([1e-26, 0.5, 0.5, 1e-26])
    long = LossDistribution(step=1.0, first=-1, masses=masses, upper=upper)
    trimmed = long.repeat(1)
    assert len(trimmed.masses) == 2
    assert trimmed.delta(1.5) > long.delta(1.5) if upper else trimmed.delta(1.5) <= long.delta(1.5)
    assert trimmed.infinite == (1e-26 if upper else 0.0)


HALF = LossDistribution(step=1.0, first=0, masses=np.array([0.5]), infinite=0.5)


def test_disclosures_add_up():
    assert HALF.repeat(3).delta(10.0) == pytest.approx(0.875)
    assert HALF.repeat(0).delta(0.0) == 0.0
    assert HALF.epsilon(0.4) == math.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda: HALF.compose(LossDistribution(step=2.0, first=0, masses=np.ones(1))),
        lambda: HALF.compose(LossDistribution(step=1.0, first=0, masses=np.ones(1), upper=False)),
        lambda: HALF.delta(-1.0),
        lambda: HALF.epsilon(1.5),
        lambda: HALF.repeat(-1),
        lambda: LossDistribution(step=0.1, first=0, masses=np.array([2.0])),
        lambda: LossDistribution(step=0.1, first=0, masses=np.array([-0.1])),
        lambda: atoms_loss(np.zeros(1), np.ones(1), step=0.0),
    ],
)
def test_arguments_outside_their_domain_are_refused(call):
    with pytest.raises(ParameterError):
        call()
