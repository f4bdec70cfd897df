"""A word of the same coarse public class, drawn by public frequency: the release tells the class and no more."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.channels.integer_channel import GroupedChannel
from textveil.mechanisms.declaration import proved
from textveil.mechanisms.parameters import Prior
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import within_groups
from textveil.types import Ids, Integers
from textveil.vocabulary.frequencies import given_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil.vocabulary.word_classes import word_classes

PROOF: Final = "privacy/proofs/same_class.md"
CLASSES: Final = within_groups("class")  # which two words are compared


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """One row for each class, the same for all its words; see ``DrawnRows``."""

    classes: Integers  # the class of every word, shape (n,)
    counts: Integers  # the weight of every word as an output, >= 1, shape (n,)
    words: Ids  # all words, class by class, shape (n,)
    sums: Integers  # running sums of their weights, shape (n,)
    starts: Integers  # the sum before each class, one more than classes

    def draw(self, ids: Ids, rng: np.random.Generator) -> Ids:
        """One draw for each id; each takes one uniform integer below the sum of its class."""
        classes = self.classes[ids]
        low, high = self.starts[classes], self.starts[classes + 1]
        drawn = rng.integers(low, high, dtype=np.int64)
        return self.words[np.searchsorted(self.sums, drawn, side="right")]

    def weights(self, words: Ids) -> Integers:
        """The weight of every output for each word, shape (batch, n)."""
        return np.where(self.classes[words][:, None] == self.classes[None, :], self.counts[None, :], 0)


def class_rows(classes: Integers, counts: Integers) -> ClassRows:
    """Rows of a partition: a word's weight is its count within its own class."""
    words = np.argsort(classes, kind="stable")
    sums = np.cumsum(counts[words])
    ends = np.cumsum(np.bincount(classes))
    starts = np.concatenate(([0], sums))[np.concatenate(([0], ends))]
    return ClassRows(classes, counts, words, sums, starts)


@proved(
    family="channel",
    notion="pure DP",
    proof=PROOF,
    source="WordNet's lexicographer files as a public partition; proved here",
    summary="Any word of the same coarse public class (place, food, ...), by public frequency; classes stay visible.",
    adjacency=CLASSES,
)
def same_class(vocabulary: Vocabulary, *, prior: Prior | None = None) -> GroupedChannel:
    """P(y | x) proportional to the public frequency of y over the words y of the class of x.

    The draw depends on the class of the word alone, so it tells nothing else of the word: epsilon is 0 for any two
    words of one class. The class is released, and reports say so.

    Raises:
        ParameterError: no class has two words of the vocabulary.
        InputError: the file of counts cannot be read.
    """
    classes = word_classes(vocabulary.words)
    sizes = np.bincount(classes)
    need(int(sizes.max()) > 1, "vocabulary", "words of which no two share a class", "one with two words of a class")
    frequencies = given_frequencies(vocabulary, prior)
    promise = PureDP(epsilon=0.0, status=status_of(__name__, PROOF), source=PROOF, adjacency=CLASSES)
    facts = {
        "prior": frequencies.source,
        "classes": int((sizes > 0).sum()),
        "classes_digest": hashlib.sha256(classes.tobytes()).hexdigest()[:16],
    }
    groups = np.where(sizes[classes] > 1, classes, -1)  # a word alone in its class is released as it is
    rows = class_rows(classes, frequencies.counts)
    return GroupedChannel(vocabulary, "same-class", facts, promise, rows, groups=groups)
