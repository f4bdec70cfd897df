"""Limits of the frontier: what no mechanism under the guarantee can exceed.

The limit of the mean cosine comes from a short search. Any levels prove a bound (``numerics.utility_sums.upper_bound``;
proof: textveil_lab/proofs/optimal.md, section 2); better levels give a lower one. The levels come from a shortened
search of the ``optimal`` mechanism.
"""

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import need
from textveil_lab.frontiers.measures import NEAR, UNCHANGED, VULNERABILITY, WORDS_BY_EMBEDDING, WORDS_BY_SURFACE
from textveil_lab.frontiers.study import FrontierStudy
from textveil_lab.mechanisms.sampling.optimal_weights import mean_and_spread, utility_of
from textveil_lab.numerics.guarantee_limits import unchanged_limit_of_guesses, unchanged_limit_of_prior
from textveil_lab.numerics.optimal_channel import Problem, begun, optimized
from textveil_lab.numerics.utility_sums import WholeTable, upper_bound

SOURCE: Final = "no epsilon-DP channel exceeds it (textveil_lab/proofs/optimal.md, section 2)"
STEPS: Final = 64  # Of the search: the bound is then some hundredths above the best channels
_FEW: Final = 3000
_MORE_STEPS: Final = 256  # For vocabularies of up to ``_FEW`` words: some thousandths
_BEGIN_POWER: Final = 0.75
_BEGIN_MASS: Final = 0.25  # Base probabilities that the search begins with: a power of the prior, with this sum


_MOST: Final = 40.0  # Epsilon above which words may stay unchanged, except for one draw in 10^12: the limit is 1


def steps_for(words: int) -> int:
    """Return the number of steps of the search."""
    return _MORE_STEPS if words <= _FEW else STEPS


def cosine_limit(study: FrontierStudy, epsilon: float) -> float:
    """Return an upper bound, rounded up, on the mean cosine of every epsilon-DP channel under the study's prior.

    Args:
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


_MARGIN = 1 + 2.0**-40


class LimitLine(NamedTuple):
    """Upper limit of a measure under (epsilon, delta) for any two words."""

    measure: str
    epsilon: float  # nats
    delta: float  # 0 for pure guarantees
    value: float  # rounded up
    source: str
    vocabulary: str = ""  # over which, as tables call it; empty if only one is spoken of


def limits_of(study: FrontierStudy, epsilon: float, delta: float = 0.0) -> Iterator[LimitLine]:
    """Yield the limits under (epsilon, delta)-DP for any two words and the study's prior."""
    most = unchanged_limit_of_prior(study.prior, epsilon, delta)
    stays = "largest for this prior, attained (privacy/limits.py)"
    yield LimitLine(UNCHANGED, epsilon, delta, most, stays)
    yield LimitLine(VULNERABILITY, epsilon, delta, most, f"a guess is post-processing: {stays}")
    near = near_limit(hub_share(study), epsilon, delta)
    yield LimitLine(NEAR, epsilon, delta, near, "what the best fixed output reaches, its odds raised by e^epsilon")
    pair = told_apart_limit(epsilon, delta)
    for key in (WORDS_BY_SURFACE, WORDS_BY_EMBEDDING):
        yield LimitLine(key, epsilon, delta, pair, "best test between two inputs")


def hub_share(study: FrontierStudy) -> float:
    """Return the largest prior mass of words with a common near output: the share that this output alone reaches."""
    rows, columns = study.near.shape
    mass = np.bincount(study.near.ravel(), weights=np.repeat(study.prior, columns), minlength=rows)
    return min(1.0, float(mass.max()) * (1 + 2.0**-30))


def near_limit(hub: float, epsilon: float, delta: float = 0.0) -> float:
    """Return the largest share of outputs in a public set S(x) of the input, under (epsilon, delta) for any two words.

    ``hub`` is the largest, over outputs y, of the prior mass of the x with y in S(x). For delta 0, let q(y) be the
    smallest P(y | x) and Q their sum: P(S(x) | x) is at most e^epsilon q(S(x)), and at most 1 - Q + q(S(x)). The mean
    of q(S(x)) is at most hub Q, and the mix of both bounds that does not depend on Q is e^epsilon hub / (1 + (e^epsilon
    - 1) hub). For delta > 0 the bounds compare with one fixed input x', whose outputs hit with mean at most hub:
    e^epsilon hub + delta, and 1 - e^-epsilon (1 - hub - delta).

    Args:
        hub: in (0, 1].
        epsilon: nats, finite and >= 0.
        delta: in [0, 1].
    """
    if delta == 0:
        return unchanged_limit_of_guesses(hub, epsilon)
    need(0 < hub <= 1, "hub", hub, "in (0, 1]")
    log_kept = epsilon + math.log(hub)
    raised = math.inf if log_kept > 1 else math.exp(log_kept) + delta
    return min(1.0, _MARGIN * min(raised, 1 - math.exp(-epsilon) * max(0.0, 1 - hub - delta)))


def told_apart_limit(epsilon: float, delta: float = 0.0) -> float:
    """Return the limit of right guesses between two equally likely inputs: (e^epsilon + delta) / (1 + e^epsilon).

    The total variation of the two outputs is at most (e^epsilon - 1 + 2 delta) / (e^epsilon + 1).
    """
    return min(1.0, _MARGIN * (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon)))
