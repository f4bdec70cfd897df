"""Two words and an output that refute a claim, found by draws under a public seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from textveil.randomness import seeded_generator
from textveil.statistics import clopper_pearson
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary

_SEED: Final = 12
_CONFIDENCE: Final = 1 - 1e-9
"""Of each of the two intervals: a claim that holds is accused with a probability of at most 1e-9."""


@final
@dataclass(frozen=True, slots=True)
class DrawnWitness:
    """An output that tells two words apart by at least so much.

    Attributes:
        output: its id.
        likely: the input under which it is likelier.
        other: the other input.
        loss_at_least: a lower bound on ln P(output | likely) / P(output | other), at confidence 1 - 1e-9.
    """

    output: int
    likely: int
    other: int
    loss_at_least: float

    def to_data(self, vocabulary: Vocabulary) -> dict[str, Any]:
        """For reports: the three words and the bound."""
        named = {"output": self.output, "likely": self.likely, "other": self.other}
        return {**{key: vocabulary.words[one] for key, one in named.items()}, "loss_at_least": self.loss_at_least}


def drawn_witness(
    draw: Callable[[Ids, np.random.Generator], Ids], words: Ids, allowed: Reals, *, draws: int
) -> DrawnWitness | None:
    """Of some words the two, with an output, that exceed what is allowed for them by the most; None where none do.

    Half of the draws choose the two and the output, the other half test them: the choice does not bias the test.

    Args:
        draw: outputs for inputs, with a fresh draw for each.
        words: different ones, shape (words,).
        allowed: the nats that are claimed for every two of them, shape (words, words).
        draws: of each word, in each half.
    """
    rng = seeded_generator(_SEED)
    drawn = draw(words.repeat(draws), rng)
    outputs, which = np.unique(drawn, return_inverse=True)
    counts = np.zeros((len(words), len(outputs)))
    np.add.at(counts, (np.arange(len(words)).repeat(draws), which.reshape(-1)), 1)
    best, chosen = 0.0, None
    for likely in range(len(words)):
        # Few hits of the likelier input and none of the other look like much, and prove nothing.
        gains = np.log((counts[likely] + 0.5) / (counts + 16.0)) - allowed[likely, :, None]
        other, place = np.unravel_index(int(gains.argmax()), gains.shape)
        if gains[other, place] > best:
            best, chosen = float(gains[other, place]), (likely, int(other), int(outputs[place]))
    if chosen is None:
        return None
    likely, other_place, output = chosen
    hits = [int((draw(np.full(draws, words[one]), rng) == output).sum()) for one in (likely, other_place)]
    lower = clopper_pearson(hits[0], draws, _CONFIDENCE).lower
    upper = clopper_pearson(hits[1], draws, _CONFIDENCE).upper
    found = math.log(lower / upper) if lower > 0 else -math.inf
    if found <= allowed[likely, other_place]:
        return None
    return DrawnWitness(output, int(words[likely]), int(words[other_place]), found)
