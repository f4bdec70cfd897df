"""What a word released by spherical noise says of the word behind it: a public estimate, for the decoder.

The decoder asks a channel for P(y | x). Noise has no such table: it would take an integral in hundreds of dimensions
for each pair. What is exact is the probability that y beats x, P(Z > d(x, y) / 2) (equation 20 of Asghar et al. 2026).
So the estimate is

    P(x | x) = exp(-k S(x)),   P(y | x) = (1 - P(x | x)) P(Z > d(x, y) / 2) / S(x),   S(x) = sum over y of P(Z > d / 2)

with S from a random part of the words, and k such that the mean of P(x | x) is the share of words that stay when the
mechanism draws for public words. It is made of public data alone, so decoding with it is post-processing; where it is
wrong the decoded text is worse, and the guarantee is the same.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq

from textveil.mechanisms.kinds import WordMechanism
from textveil.mechanisms.sampling.output_columns import Columns
from textveil.privacy.guarantees import Guarantee
from textveil.types import Ids, Reals
from textveil_lab.laws.dot_product import NoisyDotProduct

_GRID: Final = 2000  # Distances at which the logarithm of the tail is computed; between them it is interpolated
_PARTNERS: Final = 512  # Words that S is summed over, by a random sample
_TRIALS: Final = 400  # Public words that are drawn for once, to see how many stay


class NoiseEvidence:
    """Columns of the estimate; a ``ChannelColumns`` for ``TextDecoder``.

    Args:
        mechanism: spherical noise of one rate on vectors as they are, then the nearest word.
        rate: nats per unit of Euclidean distance.
        rng: chooses partners and draws the trials.
        partners: words that S is summed over.
        trials: public words that are drawn for.
    """

    def __init__(
        self,
        mechanism: WordMechanism,
        rate: float,
        rng: np.random.Generator,
        *,
        partners: int = _PARTNERS,
        trials: int = _TRIALS,
    ) -> None:
        self.vocabulary = mechanism.vocabulary
        self.guarantee: Guarantee = mechanism.guarantee
        self.name: str = mechanism.name
        self.parameters: Mapping[str, Any] = mechanism.parameters
        self._points = self.vocabulary.vectors.astype(np.float64)
        self._squares = np.square(self._points).sum(axis=1)
        size = len(self._points)
        reach = 2 * float(np.sqrt(self._squares.max()))  # no two words are farther apart
        self._distances = np.linspace(0.0, reach, _GRID)
        self._log_tails = NoisyDotProduct(self.vocabulary.dim, rate).log_survival(self._distances / 2)
        chosen = np.sort(rng.choice(size, size=min(partners, size), replace=False)).astype(np.int64)
        beaten = np.exp(self._log_beaten(chosen))
        beaten[chosen, np.arange(len(chosen))] = 0.0  # a word is no partner of itself
        counted = np.full(size, len(chosen))
        counted[chosen] -= 1
        self._sums = np.maximum(beaten.sum(axis=1) * (size - 1) / np.maximum(counted, 1), np.finfo(np.float64).tiny)
        tried = np.sort(rng.choice(size, size=min(trials, size), replace=False)).astype(np.int64)
        kept = float((mechanism.privatize(tried, rng) == tried).mean())
        self.stays = _fitted_stays(self._sums, kept, len(tried))

    def columns(self, outputs: Ids) -> Columns:
        """See ``capabilities.ChannelColumns``; complete, for every word may be behind every other."""
        logs = self._log_beaten(outputs) + (np.log1p(-self.stays) - np.log(self._sums))[:, None]
        logs[outputs, np.arange(len(outputs))] = np.log(self.stays[outputs])
        least = logs.min(axis=0) if len(outputs) else np.zeros(0)
        ratios = (logs - least).T
        above = ratios > 0
        starts = np.concatenate([[0], np.cumsum(above.sum(axis=1))]).astype(np.int64)
        return Columns(starts, np.nonzero(above)[1].astype(np.int64), ratios[above], least)

    def _log_beaten(self, outputs: Ids) -> Reals:
        """Ln P(y beats x) for every x and these y, shape (n, outputs)."""
        squares = self._squares[:, None] + self._squares[outputs] - 2 * self._points @ self._points[outputs].T
        found: Reals = np.interp(np.sqrt(np.maximum(squares, 0.0)), self._distances, self._log_tails)
        return found


def _fitted_stays(sums: Reals, kept: float, trials: int) -> Reals:
    """exp(-k S) with the k whose mean is the share that stayed; shares of 0 and 1 are taken half a trial inside."""
    wanted = min(max(kept, 0.5 / trials), 1 - 0.5 / trials)

    def excess(log_factor: float) -> float:
        return float(np.exp(-np.exp(log_factor) * sums).mean()) - wanted

    widest = float(np.log(sums.max() / sums.min())) if len(sums) else 0.0
    middle = -float(np.log(np.median(sums)))
    low, high = middle - widest - 20, middle + widest + 20
    factor = float(np.exp(brentq(excess, low, high)))
    return np.clip(np.exp(-factor * sums), 1e-300, 1 - 1e-15)
