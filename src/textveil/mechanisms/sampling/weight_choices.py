"""Which exponent and base mass base weights have at an epsilon: stored for the embedded vocabulary, else chosen."""

from __future__ import annotations

import json
import math
from functools import cache
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from textveil.mechanisms.sampling.weight_shares import CriterionSample, chosen, sample_of
from textveil.types import Progress
from textveil.vocabulary.embedded import DATA
from textveil.vocabulary.frequencies import WordFrequencies
from textveil.vocabulary.vocabulary import Vocabulary

CHOICES: Final = "weight_choices.json"
"""Built by ``tools/build_weight_choices.py``."""


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
    asked for. For others it takes some seconds, and the sample is kept as long as the vocabulary lives.

    Args:
        vocabulary: public words and vectors.
        frequencies: of its words.
        epsilon: nats, finite and > 0.
        progress: called while it is chosen.
    """
    stored = _stored()
    if (vocabulary.digest, frequencies.digest) == stored.of and epsilon >= stored.rows[0][0]:
        row = max(row for row in stored.rows if row[0] <= epsilon)
        return WeightChoice(row[1], row[2])
    kept = _SAMPLES.get(vocabulary)
    if kept is None or kept[0] != frequencies.digest:
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
    data = json.loads(path.read_text(encoding="ascii"))
    return _Stored(
        (data["vocabulary"], data["frequencies"]), tuple((row[0], row[1], row[2]) for row in data["choices"])
    )
