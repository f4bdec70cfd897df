"""What outputs weigh in the channel of least mean distance at a rate: Blahut and Arimoto's fixed point, rounded."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from textveil.types import Integers, Progress, Reals
from textveil.vocabulary.grid import grid_distances, integer_grid
from textveil.vocabulary.vocabulary import Vocabulary

INPUTS: Final = 1024
"""Words that the mean over the prior is taken of at most: the most probable."""

TOTAL: Final = 1 << 22
"""What the weights add up to, about; every word weighs 1 at least."""


def prior_weights(
    vocabulary: Vocabulary,
    prior: Reals,
    beta: float,
    clip: float | None,
    rounds: int,
    progress: Progress | None = None,
) -> Integers:
    """Integers >= 1 near a fixed point of c(y) = sum over x of pi(x) c(y) e^(-beta d(x, y)) / (its sum over y).

    Starts from equal weights; any public weights keep the guarantee, so how near the fixed point is is a question of
    utility alone. Source: Blahut 1972; Arimoto 1972; Biswas and Palamidessi (PRIVIC).

    Args:
        vocabulary: public words and vectors.
        prior: probability of each word, > 0, shape (n,).
        beta: nats per unit of distance.
        clip: norm to which longer vectors are shortened; None leaves them.
        rounds: steps.
        progress: called as steps are done.
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
    made = np.maximum(np.rint(weights * (TOTAL - n if n < TOTAL // 2 else TOTAL)), 1.0).astype(np.int64)
    made.flags.writeable = False
    return made
