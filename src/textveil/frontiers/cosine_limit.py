"""What the mean cosine of no epsilon-DP channel exceeds: a bound from a short search for the best one.

Any levels prove a bound (``numerics.utility_sums.upper_bound``; proof: privacy/proofs/optimal.md, section 2); the
better the levels, the lower it is. They come from the search of the ``optimal`` mechanism, cut short.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from textveil.frontiers.study import FrontierStudy
from textveil.mechanisms.sampling.optimal_weights import mean_and_spread, utility_of
from textveil.numerics.optimal_channel import Problem, begun, optimized
from textveil.numerics.utility_sums import WholeTable, upper_bound

SOURCE: Final = "no epsilon-DP channel exceeds it (privacy/proofs/optimal.md, section 2)"

STEPS: Final = 64
"""Of the search: the bound is then some hundredths above what a channel reaches."""

_FEW: Final = 3000
_MORE_STEPS: Final = 256
"""For vocabularies of up to ``_FEW`` words: some thousandths."""

_BEGIN_POWER: Final = 0.75
_BEGIN_MASS: Final = 0.25
"""Base probabilities that the search begins with: a power of the prior, with this sum."""


_MOST: Final = 40.0
"""Epsilon above which words may stay as they are, but for one draw in 10^12: the limit is 1."""


def steps_for(words: int) -> int:
    """Steps of the search."""
    return _MORE_STEPS if words <= _FEW else STEPS


def cosine_limit(study: FrontierStudy, epsilon: float) -> float:
    """A number that the mean cosine of no epsilon-DP channel exceeds, under the study's prior; rounded up.

    Args:
        study: vocabulary and prior.
        epsilon: nats, for any two words.
    """
    if epsilon > _MOST:
        return 1.0
    utility = utility_of(study.vocabulary, "cosine")
    mean, spread = mean_and_spread(utility, study.prior)
    kept = np.float32 if len(study.vocabulary) <= _FEW else np.uint8
    problem = Problem(
        table=WholeTable(utility, kept), mean_utility=mean, prior=study.prior, epsilon=epsilon, spread=spread
    )
    search = begun(problem, study.prior**_BEGIN_POWER, _BEGIN_MASS)
    optimum = optimized(problem, search, steps=steps_for(len(study.vocabulary)))
    bound, _ = upper_bound(utility, study.prior, optimum.best_levels, epsilon)
    return min(1.0, bound)
