"""Authorship by style: how often function words and marks stand in a text (Burrows's Delta, by the cosine)."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.risk.linkage import Fits
from textveil.risk.words import without_placeholders, words_of
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Reals, Vectors

_MARKS: Final = ".,;:!?()\"'-/&%\n"
_PLAIN: Final = {0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"'}  # long dashes and curly quotation marks
_OUTSIDE: Final = re.compile(r"(?<!\w)'|'(?!\w)|[^\w\s']|\n")
_FEATURES: Final = {feature: place for place, feature in enumerate([*sorted(FUNCTION_WORDS), *_MARKS])}
_LEAST: Final = 1e-9  # A smaller deviation is rounding: the share does not vary


class _Usual(NamedTuple):
    """A background's mean shares, their deviations, and its texts in these: rows of length 1."""

    mean: Reals
    deviation: Reals
    rows: Vectors

    def rows_of(self, shares: Reals) -> Vectors:
        """Shares of texts in deviations, as rows of length 1; what does not vary counts for nothing."""
        varied = self.deviation > _LEAST
        rows = np.where(varied, shares - self.mean, 0) / np.where(varied, self.deviation, 1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


class Style:
    """Shares of function words and marks among all of these, each in standard deviations of the background.

    Source: Burrows 2002; the cosine is that of Evert and others 2017.
    """

    name: Final = "style"

    def __init__(self) -> None:
        self._fits = Fits(_usual)

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        """As ``Attacker.scores``."""
        usual = self._fits.of(background)
        scores: Vectors = usual.rows_of(_shares(released)) @ usual.rows.T
        return scores


def _usual(background: Sequence[str]) -> _Usual:
    shares = _shares(background)
    usual = _Usual(shares.mean(axis=0), shares.std(axis=0), np.zeros((0, shares.shape[1]), dtype=np.float32))
    return usual._replace(rows=usual.rows_of(shares))


def _shares(texts: Sequence[str]) -> Reals:
    """The share of each feature among all in a text, shape (texts, features)."""
    counts = np.zeros((len(texts), len(_FEATURES)))
    for row, text in zip(counts, texts, strict=True):
        marks = _OUTSIDE.findall(without_placeholders(text).strip().translate(_PLAIN))
        for feature, number in Counter([*words_of(text), *marks]).items():
            place = _FEATURES.get(feature)
            if place is not None:
                row[place] = number
    shares: Reals = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares
