"""Exponential mechanism weighted by a public prior (PRIVIC): the Blahut-Arimoto channel."""

import hashlib
from functools import partial
from typing import Annotated, Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.mechanisms.declaration import proved
from textveil.mechanisms.kinds import Epsilon, Prior
from textveil.mechanisms.randomized_response import IntegerChannel
from textveil.registry.options import NEIGHBORHOODS, Option, at_least
from textveil.types import Integers, Progress, Reals
from textveil.vocabulary.facts import given_frequencies
from textveil.vocabulary.grid import integer_grid
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.parameters import Clip, EpsilonPerDistance
from textveil_lab.mechanisms.sampling.distance_weights import distance_weights
from textveil_lab.vocabulary.grid_distances import grid_distances

PROOF: Final = "textveil_lab/proofs/privic.md"
INPUTS: Final = 1024  # words that the mean over the prior is taken of at most: the most probable
TOTAL: Final = 1 << 22  # approximate sum of the weights; every word has at least weight 1
_ROUNDS = Option(at_least(1), "Steps towards the fixed point of the weights.", "N", NEIGHBORHOODS)


def prior_weights(
    vocabulary: Vocabulary, prior: Reals, beta: float, clip: float | None, rounds: int, progress: Progress | None = None
) -> Integers:
    """Return integers >= 1 near a fixed point of c(y) = sum over x of pi(x) c(y) e^(-beta d(x, y)) / (its sum over y).

    The iteration starts from equal weights. Any public weights keep the guarantee, so the distance to the fixed point
    affects utility alone. Source: Blahut 1972; Arimoto 1972; Biswas and Palamidessi (PRIVIC).
    """
    n = len(vocabulary)
    inputs = np.sort(np.argsort(-prior, kind="stable")[:INPUTS])
    share = (prior[inputs] / prior[inputs].sum()).astype(np.float64)
    kernel: NDArray[np.float32] = np.empty((len(inputs), n), dtype=np.float32)
    for into, row in zip(kernel, grid_distances(integer_grid(vocabulary), clip).rows(inputs), strict=True):
        into[:] = np.exp(-min(beta, 1e6) * row)
    weights = np.full(n, 1.0 / n)
    for step in range(rounds):
        totals = kernel @ weights
        weights = weights * ((share / np.maximum(totals, 1e-300)) @ kernel)
        weights /= weights.sum()
        if progress is not None:
            progress(step + 1, rounds)
    rounded = np.maximum(np.rint(weights * (TOTAL - n if n < TOTAL // 2 else TOTAL)), 1.0).astype(np.int64)
    rounded.flags.writeable = False
    return rounded


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="Biswas and Palamidessi 2024 (PRIVIC); Blahut 1972; Arimoto 1972",
    summary="Weight c(y) exp(-rate d), where c minimizes the mean distance under a public prior.",
)
def privic(
    vocabulary: Vocabulary,
    *,
    epsilon: Epsilon | None = None,
    epsilon_per_distance: EpsilonPerDistance | None = None,
    prior: Prior | NDArray[Any] | None = None,
    rounds: Annotated[int, _ROUNDS] = 8,
    clip: Clip | None = 1.0,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to c(y) exp(-beta d(x, y)), with c(y) = sum over x of pi(x) P(y | x): 2 beta d-privacy.

    At the fixed point no channel of the same mutual information has a smaller mean distance under the prior pi. The
    guarantee holds for any public c, near the fixed point or not. Above 1,024 words the mean is taken over the most
    probable ones.

    With ``epsilon``, beta is the steepest that the normalizers of all words allow; ``epsilon_per_distance`` is 2 beta.
    ``prior`` may also be numbers > 0, one for each word.

    Raises:
        ParameterError: neither or both of the first two, a prior with zeros or of another length, or (for the metric
            form) words whose vectors coincide.
        InputError: the file of counts cannot be read.
    """
    frequencies = given_frequencies(vocabulary, prior)
    weigh = partial(
        distance_weights,
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=epsilon_per_distance,
        clip=clip,
        proof=PROOF,
        total=TOTAL + len(vocabulary),
        progress=progress,
    )
    weights = weigh()
    pi = frequencies.counts / float(frequencies.counts.sum())
    base = prior_weights(vocabulary, pi, weights.rate, clip, rounds, progress)
    if epsilon is not None:
        weights = weigh(base=base)
    facts = {
        **weights.promise.numbers,
        "epsilon_per_distance": epsilon_per_distance or 2 * weights.rate,
        "prior": frequencies.source,
        "rounds": rounds,
        "weights_digest": hashlib.sha256(base.tobytes()).hexdigest()[:16],
        "clip": clip,
    }
    rows, distances = weights.rows(vocabulary, base), weights.distances(vocabulary)
    return IntegerChannel(vocabulary, "privic", facts, weights.promise, rows, distances)
