"""Base weights from public word frequencies: an exponent, two caps, and the criterion by which they are chosen.

b is proportional to frequency^alpha, but
- no word gets more than what a row can raise: beyond (1 - Q) / (Q (e^epsilon - 1)) of the base mass Q the excess of a
  row would not raise it whole, and its weight would be lost;
- no word that names people or places gets more than half of what flat weights would give it: 1 / (2 n). So a frequent
  name is not kept more often than under flat weights.

alpha and Q are chosen to make the mean of two numbers large: the expected cosine of a word and its output over running
words (words by their public frequency), and the same over content words alone, those outside the 3,000 most frequent.
The first alone would spend everything on the few hundred words that need no protection.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.errors import need
from textveil.json_text import json_file
from textveil.types import Ids, Integers, Progress, Reals, Vectors
from textveil.vocabulary.embedded import DATA
from textveil.vocabulary.facts import WordFrequencies, normalize
from textveil.vocabulary.vocabulary import Vocabulary

QUARTERS: Final = (0, 1, 2, 3, 4, 5, 6)  # exponents that are tried, in quarters
BASE_MASSES: Final = (0.5, 0.35, 0.25, 0.2, 0.14, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)  # base masses that are tried
FREQUENT: Final = 3000  # words that are no content words: the most frequent ones
_NAME_SHARE: Final = 0.5
_ROOT_BITS: Final = 160
_HEAD, _RUNNING, _CONTENT = 96, 160, 160
_NEAREST, _BLOCK = 2048, 64


def powers(counts: Integers, quarters: int) -> Reals:
    """counts^(quarters / 4), from whole numbers by exact roots: the same floats on every machine."""
    need(0 <= quarters <= 8, "alpha", quarters / 4, "between 0 and 2, in quarters")
    values, inverse = np.unique(counts, return_inverse=True)
    roots = [
        math.isqrt(math.isqrt(value**quarters << _ROOT_BITS)) / (1 << _ROOT_BITS // 4) for value in values.tolist()
    ]
    return np.array(roots, dtype=np.float64)[inverse]


def capped_shares(frequencies: WordFrequencies, *, alpha: float, epsilon: float, base_mass: float) -> Reals:
    """The shares of the base weights, with sum 1 to rounding; shape (n,).

    Args:
        frequencies: public.
        alpha: exponent, between 0 and 2 in steps of 1/4; 0 is flat but for names.
        epsilon: nats, > 0.
        base_mass: Q, in (0, 1).
    """
    need(float(4 * alpha).is_integer(), "alpha", alpha, "a multiple of 1/4")
    size = len(frequencies.counts)
    wanted = powers(frequencies.counts, int(4 * alpha))
    most = np.full(size, (1 - base_mass) / (base_mass * math.expm1(min(epsilon, 40.0))))
    most[frequencies.names] = np.minimum(most[frequencies.names], _NAME_SHARE / size)
    if math.fsum(most.tolist()) <= 1:  # so much epsilon or base mass that every word reaches its cap
        return most / math.fsum(most.tolist())
    at_cap = np.zeros(size, dtype=bool)
    while True:
        free = 1.0 - math.fsum(most[at_cap].tolist())
        shares = np.where(at_cap, most, wanted * (free / math.fsum(wanted[~at_cap].tolist())))
        over = (shares > most) & ~at_cap
        if not over.any():
            return shares
        at_cap |= over


class Choice(NamedTuple):
    """The chosen weights, and the accuracy that they reach."""

    alpha: float  # the exponent
    base_mass: float  # Q
    cosine: float  # expected cosine of a word and its output over running words
    content_cosine: float  # the same over content words

    @property
    def value(self) -> float:
        """The criterion: the mean of the two."""
        return (self.cosine + self.content_cosine) / 2


@dataclass(frozen=True, eq=False, slots=True)
class CriterionSample:
    """Words over which the criterion is averaged: the most frequent ones, and others evenly by frequency; no draws."""

    running: Reals  # weight of each in the mean over running words
    content: Reals  # weight of each in the mean over content words
    points: Vectors  # their unit vectors, float32
    table: Vectors  # the unit vectors of all words, float32
    order: NDArray[np.int32]  # their nearest words by falling cosine, each itself first; shape (words, nearest)
    cosines: NDArray[np.float32]  # with those


def sample_of(
    vocabulary: Vocabulary, frequencies: WordFrequencies, progress: Progress | None = None
) -> CriterionSample:
    """The sample of a vocabulary."""
    counts = frequencies.counts.astype(np.float64)
    rank = np.argsort(-frequencies.counts, kind="stable")
    head, tail = rank[:_HEAD], rank[_HEAD:]
    running, content = _evenly(tail, counts, _RUNNING), _evenly(rank[FREQUENT:], counts, _CONTENT)
    if not len(content):  # a vocabulary with few words: all are content words
        content = rank
    ids = np.concatenate([head, running, content]).astype(np.int64)
    first = np.concatenate([counts[head], np.full(len(running), counts[tail].sum() / max(1, len(running)))])
    weights = np.zeros((2, len(ids)))
    weights[0, : len(first)] = first / first.sum()
    weights[1, len(first) :] = 1 / len(content)
    table = normalize(vocabulary.vectors)
    look = min(_NEAREST, len(vocabulary))
    cosines = np.empty((len(ids), look), dtype=np.float32)
    order = np.empty((len(ids), look), dtype=np.int32)
    for start in range(0, len(ids), _BLOCK):
        words = ids[start : start + _BLOCK]
        scores = table[words] @ table.T
        scores[np.arange(len(words)), words] = np.inf
        nearest = np.argpartition(-scores, look - 1, axis=1)[:, :look]
        nearest_scores = np.take_along_axis(scores, nearest, axis=1)
        by_cosine = np.argsort(-nearest_scores, axis=1, kind="stable")
        order[start : start + _BLOCK] = np.take_along_axis(nearest, by_cosine, axis=1)
        cosines[start : start + _BLOCK] = np.minimum(np.take_along_axis(nearest_scores, by_cosine, axis=1), 1.0)
        if progress is not None:
            progress(start + len(words), len(ids))
    return CriterionSample(weights[0], weights[1], table[ids], table, order, cosines)


def _evenly(words: Ids, counts: Reals, number: int) -> Ids:
    """``number`` of the words, one for each of as many equal parts of their running mass."""
    if not len(words):
        return words
    mass = np.cumsum(counts[words])
    at = (np.arange(number) + 0.5) * (mass[-1] / number)
    return words[np.searchsorted(mass, at)]


def expected_cosines(sample: CriterionSample, shares: Reals, epsilon: float, base_mass: float) -> tuple[float, float]:
    """The expected cosine of a word and its output, over running words and over content words.

    Excess that goes beyond the 2,048 nearest words counts with the cosine of the last of them.
    """
    base = base_mass * shares
    excess = math.expm1(min(epsilon, 40.0)) * base
    reached = np.minimum(np.cumsum(excess[sample.order], axis=1), 1 - base_mass)
    gains = np.diff(reached, axis=1, prepend=0.0)
    gains[:, -1] += 1 - base_mass - reached[:, -1]
    means = np.einsum("wn,wn->w", gains, sample.cosines) + sample.points @ (base.astype(np.float32) @ sample.table)
    return float(sample.running @ means), float(sample.content @ means)


def chosen(
    frequencies: WordFrequencies, sample: CriterionSample, epsilon: float, progress: Progress | None = None
) -> Choice:
    """The exponent and the base mass of greatest criterion: base masses at exponent 1 first, then exponents.

    ``sample``: of the vocabulary; ``epsilon``: nats, > 0.
    """
    least = 2 * math.exp(-min(epsilon, 40.0))
    masses = [mass for mass in BASE_MASSES if mass > least] or [(1 + math.exp(-epsilon)) / 2]
    done = 0

    def tried(alpha: float, mass: float) -> Choice:
        nonlocal done
        shares = capped_shares(frequencies, alpha=alpha, epsilon=epsilon, base_mass=mass)
        choice = Choice(alpha, mass, *expected_cosines(sample, shares, epsilon, mass))
        done += 1
        if progress is not None:
            progress(done, len(masses) + len(QUARTERS) + 2)
        return choice

    best = max((tried(1.0, mass) for mass in masses), key=lambda choice: choice.value)
    best = max((tried(quarters / 4, best.base_mass) for quarters in QUARTERS), key=lambda choice: choice.value)
    at = masses.index(best.base_mass)
    near = [mass for mass in masses[max(0, at - 1) : at + 2] if mass != best.base_mass]
    return max([best, *(tried(best.alpha, mass) for mass in near)], key=lambda choice: choice.value)


CHOICES: Final = "weight_choices.json"  # built by ``tools/build_weight_choices.py``


class WeightChoice(NamedTuple):
    """Exponent and base mass of base weights; both public."""

    alpha: float
    base_mass: float


_SAMPLES: WeakKeyDictionary[Vocabulary, tuple[str, CriterionSample]] = WeakKeyDictionary()


def weight_choice(
    vocabulary: Vocabulary, frequencies: WordFrequencies, epsilon: float, progress: Progress | None = None
) -> WeightChoice:
    """The choice by the criterion of ``weight_shares``.

    For the embedded vocabulary with its own frequencies it is that of the largest stored epsilon not above the one
    asked for. For others it takes some seconds, and the sample is kept as long as the vocabulary lives. ``epsilon``:
    nats, finite and > 0.
    """
    stored = _stored()
    if (vocabulary.digest, frequencies.digest) == stored.of and epsilon >= stored.rows[0][0]:
        row = max(row for row in stored.rows if row[0] <= epsilon)
        return WeightChoice(row[1], row[2])
    if (kept := _SAMPLES.get(vocabulary)) is None or kept[0] != frequencies.digest:
        kept = _SAMPLES[vocabulary] = (frequencies.digest, sample_of(vocabulary, frequencies, progress))
    choice = chosen(frequencies, kept[1], epsilon, progress)
    return WeightChoice(choice.alpha, choice.base_mass)


class _Stored(NamedTuple):
    of: tuple[str, str]
    rows: tuple[tuple[float, float, float], ...]


@cache
def _stored() -> _Stored:
    path = DATA / CHOICES
    if not path.is_file():  # while the file itself is built
        return _Stored(("", ""), ((math.inf, 0.0, 0.0),))
    data = json_file(path)
    return _Stored(
        (data["vocabulary"], data["frequencies"]), tuple((row[0], row[1], row[2]) for row in data["choices"])
    )
