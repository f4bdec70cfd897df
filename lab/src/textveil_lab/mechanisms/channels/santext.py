"""SanText: the exponential mechanism on distances of unclipped vectors; SanText+: among rare words."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.randomized_response import GroupedChannel, IntegerChannel
from textveil.registry.options import GUARANTEE, NEIGHBORHOODS, POSITIVE, Domain, Option, interval
from textveil.types import Ids, Integers, Progress
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.adjacencies import AMONG_SENSITIVE
from textveil_lab.mechanisms.parameters import Clip
from textveil_lab.mechanisms.sampling.distance_weights import WeightRows, distance_weights

PROOF: Final = "textveil_lab/proofs/santext.md"
PER_DISTANCE: Final = 3.0  # Nats per unit of distance in the paper's experiments on GloVe vectors

PURE = Option(
    POSITIVE,
    "In place of epsilon_per_distance: privacy loss in nats of one token, for any two words that are compared.",
    "E",
    GUARANTEE,
)
PAPER = Option(
    POSITIVE, "Nats per unit of distance.", "E", GUARANTEE, unset=f"{PER_DISTANCE:g}, where epsilon is not given"
)


def asked(epsilon: float | None, epsilon_per_distance: float | None) -> tuple[float | None, float | None]:
    """Return the two parameters, or the paper's if none is given."""
    return epsilon, PER_DISTANCE if epsilon is None and epsilon_per_distance is None else epsilon_per_distance


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PROOF,
    source="Yue et al. 2021 (SanText)",
    summary="Weight exp(-rate d) on the distance to each word, with the paper's settings.",
)
def santext(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, PURE] | None = None,
    epsilon_per_distance: Annotated[float, PAPER] | None = None,
    clip: Clip | None = None,
    progress: Progress | None = None,
) -> IntegerChannel:
    """P(y | x) proportional to exp(-epsilon_per_distance / 2 * ||v(x) - v(y)||), as in the paper.

    It is ``exponential`` without clipping, and its metric form is not refused if weights are too small for integers:
    far words whose weight is below about 2^-30 of the largest share the smallest weight.

    With ``epsilon``, which the paper does not have, the rate is the steepest that the normalizers of all words allow.

    Raises:
        ParameterError: both of the first two, one out of its domain, or (for the metric form) words whose vectors
            coincide.
    """
    epsilon, per_distance = asked(epsilon, epsilon_per_distance)
    weights = distance_weights(
        vocabulary, epsilon=epsilon, epsilon_per_distance=per_distance, clip=clip, proof=PROOF, progress=progress
    )
    facts = {**weights.promise.numbers, "epsilon_per_distance": per_distance or 2 * weights.rate, "clip": clip}
    rows, distances = weights.rows(vocabulary), weights.distances(vocabulary)
    return IntegerChannel(vocabulary, "santext", facts, weights.promise, rows, distances)


PLUS_PROOF: Final = "textveil_lab/proofs/santext_plus.md"
_PARTS: Final = 1000


def _whole_parts(value: float) -> bool:
    return 0 < value < 1 and abs(value * _PARTS - round(value * _PARTS)) < 1e-9


_P = Option(
    Domain(f"a multiple of 1/{_PARTS} in (0, 1)", _whole_parts, outside=(0.0, 1.0, 0.5 / _PARTS, math.nan)),
    "Probability that a word that is not sensitive is replaced.",
    "P",
    NEIGHBORHOODS,
)
_W = Option(
    interval("in (0, 1]", 0, 1, without=(0,)),
    "Share of the words, the least frequent in public text, that are sensitive.",
    "W",
    NEIGHBORHOODS,
)


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveRows:
    """Rows over the sensitive words; any other word stays with probability 1 - ``replaced``."""

    sensitive: NDArray[np.bool_]
    replaced: Fraction
    _rows: WeightRows = field(repr=False)

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """Draw by two integers, see ``DrawnRows``: whether a word that is not sensitive stays, and its replacement."""
        out = ids.copy()
        stays = ~self.sensitive[ids]
        lots = rng.integers(0, self.replaced.denominator, size=len(ids), dtype=np.int64)
        stays &= lots >= self.replaced.numerator
        drawn = np.flatnonzero(~stays)
        out[drawn] = self._rows.draw(ids[drawn], rng)
        return out

    def weights(self, words: Ids) -> Integers:
        """Return the integers of one draw with the same probabilities as the two; see ``DrawnRows``."""
        rows = self._rows.weights(words)
        others = np.flatnonzero(~self.sensitive[words])
        totals = rows[others].sum(axis=1)
        rows[others] *= self.replaced.numerator
        rows[others, words[others]] = totals * (self.replaced.denominator - self.replaced.numerator)
        return rows


@proved(
    family="channel",
    notion="pure or metric DP",
    proof=PLUS_PROOF,
    source="Yue et al. 2021 (SanText+)",
    summary="santext among rare words; frequent words are mostly released as they are, and unprotected.",
    adjacency=AMONG_SENSITIVE,
)
def santext_plus(
    vocabulary: Vocabulary,
    *,
    epsilon: Annotated[float, PURE] | None = None,
    epsilon_per_distance: Annotated[float, PAPER] | None = None,
    p: Annotated[float, _P] = 0.2,
    w: Annotated[float, _W] = 0.5,
    clip: Clip | None = None,
    progress: Progress | None = None,
) -> GroupedChannel:
    """``santext`` over the sensitive words: the share ``w`` of the words that is least frequent in public text.

    Any other word is released unchanged with probability 1 - p, and replaced by a sensitive word with probability p.
    The guarantee compares two sensitive words. Other words are not protected: one that comes out certainly went in.
    That frequent words are not sensitive is a policy, not part of the guarantee.

    With ``epsilon`` the loss is that of any two sensitive words, of which there must be at least two.

    Raises:
        ParameterError: an option outside its domain; or as ``santext``.
    """
    n = len(vocabulary)
    count = round(w * n)
    need(count >= 2, "w", w, f"at least {2 / n:.4g}, which makes two of the {n} words sensitive")
    sensitive = np.zeros(n, dtype=bool)
    sensitive[np.argsort(word_frequencies(vocabulary).counts, kind="stable")[:count]] = True
    replaced = Fraction(round(p * _PARTS), _PARTS)
    epsilon, per_distance = asked(epsilon, epsilon_per_distance)
    weights = distance_weights(
        vocabulary,
        epsilon=epsilon,
        epsilon_per_distance=per_distance,
        clip=clip,
        proof=PLUS_PROOF,
        total=count * replaced.denominator,
        adjacency=AMONG_SENSITIVE,
        compared=(np.flatnonzero(sensitive),),
        progress=progress,
    )
    rows = SensitiveRows(sensitive, replaced, weights.rows(vocabulary, sensitive.astype(np.int64)))
    per_distance = per_distance or 2 * weights.rate
    facts = {**weights.promise.numbers, "epsilon_per_distance": per_distance, "p": p, "w": w, "clip": clip}
    groups = np.where(sensitive, 0, -1)
    distances = weights.distances(vocabulary)
    return GroupedChannel(vocabulary, "santext-plus", facts, weights.promise, rows, distances, groups=groups)
