"""The counts under which a release is most likely: never negative, whatever the channel can tell apart."""

from typing import Final

import numpy as np

from textveil.types import Reals
from textveil_lab.estimation.channel_matrix import ChannelMatrix

STEPS: Final = 50  # Steps from the public frequencies. More fit the noise of words that the channel hardly tells apart.


def most_likely_counts(matrix: ChannelMatrix, counts: Reals, start: Reals, steps: int = STEPS) -> Reals:
    """Counts of the inputs by expectation and maximization; each step raises the likelihood and keeps the sum.

    Args:
        matrix: of the channel.
        counts: of outputs, shape (n,) or (n, k) for several releases.
        start: first guess of the inputs' distribution, > 0 with sum 1, shape (n,).
        steps: how many.

    Returns:
        Counts with the sums of ``counts``, >= 0, of its shape.

    Source: Dempster, Laird and Rubin 1977; for channels Agrawal and Aggarwal 2001.
    """
    inputs = start * counts.sum(axis=0) if counts.ndim == 1 else np.outer(start, counts.sum(axis=0))
    for _ in range(steps):
        expected = np.maximum(matrix.outputs(inputs), np.finfo(np.float64).tiny)
        inputs = inputs * matrix.expected(counts / expected)
    return inputs
