"""Constants in place of words that are neither kept nor drawn: a blank, or the public class of each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import Adjacency, beside_common_words
from textveil.text.codes import Lookup
from textveil.text.render import BLANK, label
from textveil.vocabulary.word_classes import CLASS_NAMES, word_classes

PROOF: Final = "privacy/proofs/common_words.md"

LEFT_OUT: Final = PureDP(epsilon=0.0, status=status_of(__name__, PROOF), source=PROOF)
"""A constant in place of a number."""

SHARED_CLASS: Final = "the public class of every word"


@dataclass(frozen=True)
class LeftOut:
    """Constants in place of words: nothing is drawn."""

    name: str
    labels: tuple[str, ...]
    lookup: Lookup
    adjacency: Adjacency
    blanks: bool = False  # whether the one label stands for numbers, addresses and other writings too

    @property
    def guarantee(self) -> PureDP:
        """Guarantee of a constant, which says nothing of the word."""
        return PureDP(epsilon=0.0, status=status_of(__name__, PROOF), source=PROOF, adjacency=self.adjacency)


def _always_blank(words: Sequence[str]) -> list[tuple[int, bool]]:
    return [(0, False)] * len(words)


def blanks() -> LeftOut:
    """Make one mark in place of everything that goes."""
    return LeftOut("a blank", (BLANK,), _always_blank, beside_common_words(), blanks=True)


def _class_of_each(words: Sequence[str]) -> list[tuple[int, bool]]:
    return [(place, False) for place in word_classes(words).tolist()]


def class_labels() -> LeftOut:
    """Make labels of the public class of each word; numbers are a class of their own."""
    return LeftOut("its class", tuple(map(label, CLASS_NAMES)), _class_of_each, beside_common_words(SHARED_CLASS))
