"""Decoded texts gone over again with a model that looks at both sides of a word.

Starting from a decoded text, each word in turn becomes the candidate whose probability given all the others as they
now stand, times that of the released word, is greatest; every other word at once, then those between them, until
nothing changes or the sweeps are used up (iterated conditional modes: Besag, On the statistical analysis of dirty
pictures, 1986).
"""

from dataclasses import dataclass

import numpy as np

from textveil.errors import need
from textveil.models.language_model import MaskedLanguageModel, boundary_id
from textveil.types import Ids, Integers
from textveil_lab.decoding.candidates import NONE, Candidates


@dataclass(frozen=True, slots=True, kw_only=True)
class BothSides:
    """How texts are gone over."""

    model: MaskedLanguageModel  # public
    sweeps: int = 3  # times that every word is looked at, at most, >= 1
    model_weight: float = 1.0  # what the model's log probabilities are multiplied with, beside the channel's, >= 0

    def __post_init__(self) -> None:
        need(self.sweeps >= 1, "sweeps", self.sweeps, "an integer >= 1")
        need(0 <= self.model_weight < np.inf, "model_weight", self.model_weight, "finite and >= 0")

    def __call__(self, ids: Ids, bounds: Integers, at: Integers, candidates: Candidates) -> Ids:
        """The words after the sweeps.

        Args:
            ids: of all places, the words as they were decoded, shape (places,).
            bounds: where each text begins in them and the last one ends, shape (texts + 1,).
            at: the places of words, rising, shape (words,).
            candidates: of each word, the decoded one among them.

        Returns:
            Ids, shape (words,).
        """
        now = ids.copy()
        texts = np.searchsorted(bounds, at, side="right") - 1
        for _ in range(self.sweeps):
            changed = False
            for turn in (0, 1):
                rows = np.arange(turn, len(at), 2)
                best = self._best(now, bounds, at[rows], texts[rows], _some(candidates, rows))
                changed |= bool((best != now[at[rows]]).any())
                now[at[rows]] = best
            if not changed:
                break
        return now[at]

    def _best(self, now: Ids, bounds: Integers, at: Integers, texts: Integers, candidates: Candidates) -> Ids:
        """The best candidate at each of some places, given all other words as they are; ties to the first."""
        if len(at) == 0:
            return at
        near = np.arange(1, self.model.reach + 1)
        sides = []
        for steps in (-near[::-1], near):
            places = at[:, None] + steps
            inside = (places >= bounds[texts, None]) & (places < bounds[texts + 1, None])
            sides.append(np.where(inside, now[np.clip(places, 0, len(now) - 1)], boundary_id(self.model.size)))
        there = candidates.words != NONE
        words = np.where(there, candidates.words, 0).astype(np.int64)
        logs = self.model.log_probabilities(sides[0], sides[1], words)
        scores = np.where(there, self.model_weight * logs + candidates.log_ratios, -np.inf)
        return words[np.arange(len(at)), np.argmax(scores, axis=1)]


def _some(candidates: Candidates, rows: Integers) -> Candidates:
    return Candidates(candidates.words[rows], candidates.log_ratios[rows])
