"""Authorship by style: how often function words and marks stand in a text (Burrows's Delta, by the cosine)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from textveil.risk.words import without_placeholders, words_of
from textveil.text.function_words import FUNCTION_WORDS
from textveil.types import Reals, Vectors

_MARKS: Final = ".,;:!?()\"'-/&%\n"
_PLAIN: Final = {0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"'}
"""Long dashes and curly quotation marks, as plain ones."""

_OUTSIDE: Final = re.compile(r"(?<!\w)'|'(?!\w)|[^\w\s']|\n")
_FEATURES: Final = {feature: place for place, feature in enumerate([*sorted(FUNCTION_WORDS), *_MARKS])}


@final
@dataclass(frozen=True, slots=True)
class Style:
    """Shares of function words and marks among all of these, each in standard deviations of the background.

    Source: Burrows 2002; the cosine is that of Evert and others 2017.
    """

    name: str = "style"

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        """As ``Attacker.scores``."""
        theirs = _shares(background)
        mean, deviation = theirs.mean(axis=0), theirs.std(axis=0)
        varied = deviation > 0
        ours, theirs = (
            (shares[:, varied] - mean[varied]) / deviation[varied] for shares in (_shares(released), theirs)
        )
        scores: Vectors = (_unit(ours) @ _unit(theirs).T).astype(np.float32)
        return scores


def _shares(texts: Sequence[str]) -> Reals:
    """The share of each feature among all in a text, shape (texts, features)."""
    counts = np.zeros((len(texts), len(_FEATURES)))
    for row, text in zip(counts, texts, strict=True):
        marks = _OUTSIDE.findall(without_placeholders(text).translate(_PLAIN))
        for feature, number in Counter([*words_of(text), *marks]).items():
            place = _FEATURES.get(feature)
            if place is not None:
                row[place] = number
    shares: Reals = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def _unit(rows: Reals) -> Reals:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Reals = rows / np.where(lengths > 0, lengths, 1)
    return unit
