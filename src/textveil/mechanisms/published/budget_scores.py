"""How sensitive the words of a document are, by scores of the document itself: as published, for audits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, final

import numpy as np

from textveil.detection.embedded import embedded_detector
from textveil.mechanisms.document.words import text_of
from textveil.mechanisms.sampling.word_tags import WordTags
from textveil.text.render import written
from textveil.types import Ids, Reals
from textveil.vocabulary.frequencies import word_frequencies
from textveil.vocabulary.milder import milder_words
from textveil.vocabulary.vocabulary import Vocabulary

INFORMATION, SPEECH, ENTITIES, SIMILARITY, ALL = "information", "speech", "entities", "similarity", "all"

_PENN: Final[Mapping[str, float]] = MappingProxyType({"NN": 14, "PR": 7, "VB": 15, "CD": 2, "JJ": 5, "RB": 5})
"""Of the public code: by the first two letters of a Penn Treebank tag."""

_OTHER: Final = 0.1
"""Of the public code: of every other tag."""

_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "participle": "VB",
        "past": "VB",
        "verb": "VB",
        "adverb": "RB",
        "adjective": "JJ",
        "superlative": "JJ",
        "plural or third person": "NN",
        "other": "NN",
    }
)
"""What the tags by endings stand for; function words are every other tag."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class BudgetScores:
    """The five scores of a document's words, each >= 0, shape (words,), from nothing but the document.

    Source: Meisenbacher, Lee and Matthes 2025 (arXiv 2503.22379), section 3, and public code (EpsilonDistributor).

    Attributes:
        vocabulary: the public words and vectors.
        tags: part of speech of each word: Penn Treebank tags, or those by endings.
    """

    vocabulary: Vocabulary
    tags: WordTags

    def shares(self, ids: Ids, scores: str) -> Reals:
        """How sensitive each word is, adding to 1: the mean of the named scores, each divided by its sum.

        A score that is 0 for all words takes no part, as the paper has it of named entities; where none takes part,
        all words are equal.
        """
        parts = {
            INFORMATION: (self.information,),
            SPEECH: (self.speech,),
            ENTITIES: (self.entities,),
            SIMILARITY: (self.left_out, self.alone),
        }
        every = tuple(score for some in parts.values() for score in some)
        found = [score(ids) for score in parts.get(scores, every)]
        counted = [one / one.sum() for one in found if one.sum() > 0]
        out: Reals = np.mean(counted, axis=0) if counted else np.full(len(ids), 1 / len(ids))
        return out

    def information(self, ids: Ids) -> Reals:
        """-ln of the public frequency of each word, which stands for the information content of WordNet."""
        counts = word_frequencies(self.vocabulary).counts
        out: Reals = math.log(float(counts.sum())) - np.log(counts[ids])
        return out

    def speech(self, ids: Ids) -> Reals:
        """The weight of each word's part of speech: verbs 15, nouns 14, pronouns 7, adjectives 5 and so on."""
        weights = np.array([_PENN.get(_ENDINGS.get(tag, tag)[:2], _OTHER) for tag in self.tags.tags])
        out: Reals = weights[self.tags.groups[ids]]
        return out

    def entities(self, ids: Ids) -> Reals:
        """1 for each word that stands in a span which the embedded detector finds in the document, else 0."""
        text, out, start = text_of(self.vocabulary, ids.tolist()), np.zeros(len(ids)), 0
        spans = embedded_detector().detect([text])[0]
        milder = milder_words(self.vocabulary)
        for place, one in enumerate(ids.tolist()):
            stop = start + len(written(self.vocabulary.words[milder.get(one, one)]))
            out[place] = any(span.start < stop and start < span.end for span in spans)
            start = stop + 1
        return out

    def left_out(self, ids: Ids) -> Reals:
        """How far the mean vector turns when the word is left out; mean vectors stand for a sentence encoder."""
        vectors = self.vocabulary.vectors[ids].astype(np.float64)
        whole = vectors.sum(axis=0)
        return np.abs(1 - _cosines(whole - vectors, whole))

    def alone(self, ids: Ids) -> Reals:
        """How near the word's vector is to the mean vector."""
        vectors = self.vocabulary.vectors[ids].astype(np.float64)
        return np.abs(_cosines(vectors, vectors.sum(axis=0)))


def _cosines(rows: Reals, one: Reals) -> Reals:
    """The cosine of each row with one vector; 0 where either is zero."""
    lengths = np.sqrt((rows**2).sum(axis=1) * (one**2).sum())
    return np.divide(rows @ one, lengths, out=np.zeros(len(rows)), where=lengths > 0)
