"""Document budgets shared over words by scores of the private text itself, as published: for audits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from textveil.detection.embedded import embedded_detector
from textveil.mechanisms.declaration import refuted
from textveil.numerics.integer_weights import TwoLevelWeights, flip, two_level_weights
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT
from textveil.randomness import resolve
from textveil.registry.options import Option, named
from textveil.text.codes import TextCodes
from textveil.text.render import written
from textveil.types import Ids, Reals
from textveil.vocabulary.facts import milder_words, word_frequencies
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.channels.same_tag import ENDINGS, Tags, WordTags, word_tags
from textveil_lab.mechanisms.document.words import text_of, words_of
from textveil_lab.mechanisms.parameters import DocumentEpsilon
from textveil_lab.mechanisms.published.claims import FormTrial

REFUTATION: Final = "textveil_lab/proofs/scored_budgets_published.md"
INFORMATION, SPEECH, ENTITIES, SIMILARITY, ALL = "information", "speech", "entities", "similarity", "all"
_PENN: Final[Mapping[str, float]] = MappingProxyType({"NN": 14, "PR": 7, "VB": 15, "CD": 2, "JJ": 5, "RB": 5})
"""Weights of the public code, by the first two letters of a Penn Treebank tag."""

_OTHER: Final = 0.1  # of the public code: of every other tag

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
"""Penn Treebank tags in place of the tags by endings; function words are every other tag."""


@dataclass(frozen=True, slots=True, eq=False)
class BudgetScores:
    """Five scores of a document's words, each >= 0, shape (words,), from the document alone.

    Source: Meisenbacher, Lee and Matthes 2025 (arXiv 2503.22379), section 3, and public code (EpsilonDistributor).
    """

    vocabulary: Vocabulary
    tags: WordTags  # part of speech of each word: Penn Treebank tags, or those by endings

    def shares(self, ids: Ids, scores: str) -> Reals:
        """Return the sensitivity of each word, with sum 1: the mean of the named scores, each divided by its sum.

        A score that is 0 for all words is skipped, as the paper does with named entities; if all are, all words are
        equal.
        """
        parts = {
            INFORMATION: (self.information,),
            SPEECH: (self.speech,),
            ENTITIES: (self.entities,),
            SIMILARITY: (self.left_out, self.alone),
        }
        every = tuple(score for some in parts.values() for score in some)
        scored = [score(ids) for score in parts.get(scores, every)]
        counted = [score_of_words / score_of_words.sum() for score_of_words in scored if score_of_words.sum() > 0]
        out: Reals = np.mean(counted, axis=0) if counted else np.full(len(ids), 1 / len(ids))
        return out

    def information(self, ids: Ids) -> Reals:
        """Return -ln of each word's public frequency, in place of the information content of WordNet."""
        counts = word_frequencies(self.vocabulary).counts
        out: Reals = math.log(float(counts.sum())) - np.log(counts[ids])
        return out

    def speech(self, ids: Ids) -> Reals:
        """Return the weight of each word's part of speech: verbs 15, nouns 14, pronouns 7, adjectives 5 and so on."""
        weights = np.array([_PENN.get(_ENDINGS.get(tag, tag)[:2], _OTHER) for tag in self.tags.tags])
        out: Reals = weights[self.tags.groups[ids]]
        return out

    def entities(self, ids: Ids) -> Reals:
        """Return 1 for each word in a span that the embedded detector finds in the document, else 0."""
        text, out, start = text_of(self.vocabulary, ids.tolist()), np.zeros(len(ids)), 0
        spans = embedded_detector().detect([text])[0]
        milder = milder_words(self.vocabulary)
        for place, word in enumerate(ids.tolist()):
            stop = start + len(written(self.vocabulary.words[milder.get(word, word)]))
            out[place] = any(span.start < stop and start < span.end for span in spans)
            start = stop + 1
        return out

    def left_out(self, ids: Ids) -> Reals:
        """Return how far the mean vector turns without the word; mean vectors stand in for a sentence encoder."""
        vectors = self.vocabulary.vectors[ids].astype(np.float64)
        whole = vectors.sum(axis=0)
        return np.abs(1 - _cosines(whole - vectors, whole))

    def alone(self, ids: Ids) -> Reals:
        vectors = self.vocabulary.vectors[ids].astype(np.float64)
        return np.abs(_cosines(vectors, vectors.sum(axis=0)))


def _cosines(rows: Reals, vector: Reals) -> Reals:
    lengths = np.sqrt((rows**2).sum(axis=1) * (vector**2).sum())
    return np.divide(rows @ vector, lengths, out=np.zeros(len(rows)), where=lengths > 0)


_LEAST_SHARE: Final = 1e-6  # of epsilon: smallest budget of a word, so that its weights are integers

_SCORES = Option(
    named(INFORMATION, SPEECH, ENTITIES, SIMILARITY, ALL),
    "The score of words: their information, part of speech, whether they "
    "are named entities, similarity to the document, or the mean of all.",
    "NAME",
    "Budgets of words",
)


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ScoredBudgets:
    """Randomized response on word i of a document with epsilon_i = epsilon (1 / s_i) / sum over j of 1 / s_j.

    The scores s_i are computed from the private document and sum to 1. The claim is that the epsilon_i sum to epsilon
    and so does the loss, but another document has other epsilon_i. Source: Meisenbacher, Lee and Matthes 2025, section
    3, and public code; refutation: textveil_lab/proofs/scored_budgets_published.md.
    """

    name: ClassVar[str] = "scored-budgets-published"
    vocabulary: Vocabulary
    guarantee: PureDP
    scores: str  # which
    tags: WordTags = field(repr=False)  # parts of speech
    _scored: BudgetScores = field(repr=False)
    _codes: TextCodes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts anew: this one's memory of the texts that it has seen stays here.
        return _made, (self.vocabulary, self.guarantee, self.scores, self.tags)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon, "scores": self.scores, "tags": self.tags.source}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return a word for each word of a text, separated by spaces; see ``TextMechanism.privatize_texts``."""
        generator, out = resolve(rng), []
        for ids in words_of(self._codes, texts):
            weights = self._weights(ids)
            drawn = [int(flip(ids[at : at + 1], word_weights, generator)[0]) for at, word_weights in enumerate(weights)]
            out.append(text_of(self.vocabulary, drawn))
        return out

    def document_rows(self, ids: Ids) -> Reals:
        size = len(self.vocabulary)
        rows = [
            word_weights.rows(ids[at : at + 1, None])[0] / word_weights.total
            for at, word_weights in enumerate(self._weights(ids))
        ]
        return np.array(rows, dtype=np.float64).reshape(len(ids), size)

    def budgets(self, ids: Ids) -> Reals:
        """Return epsilon_i of each word of a document, shape (words,); their sum is epsilon."""
        if len(ids) == 0:
            return np.empty(0)
        inverse = 1 / np.maximum(self._scored.shares(ids, self.scores), _LEAST_SHARE)
        out: Reals = self.guarantee.epsilon * np.maximum(inverse / inverse.sum(), _LEAST_SHARE)
        return out

    def _weights(self, ids: Ids) -> list[TwoLevelWeights]:
        size = len(self.vocabulary)
        return [two_level_weights(size=size, members=1, epsilon=nats) for nats in self.budgets(ids).tolist()]


def _made(vocabulary: Vocabulary, guarantee: PureDP, scores: str, tags: WordTags) -> ScoredBudgets:
    scored = BudgetScores(vocabulary, tags)
    return ScoredBudgets(vocabulary, guarantee, scores, tags, scored, TextCodes(vocabulary.words))


@refuted(
    family="document",
    notion="pure DP",
    proof=REFUTATION,
    adjacency=ONE_DOCUMENT,
    source="Meisenbacher, Lee and Matthes 2025 (CODASPY, arXiv 2503.22379), and public code",
    summary="A document's epsilon shared by scores of the private text; the shares tell more than their sum.",
    instead="word-budgets",
)
def scored_budgets_published(
    vocabulary: Vocabulary,
    *,
    epsilon: DocumentEpsilon,
    scores: Annotated[str, _SCORES] = ALL,
    tags: Tags | Mapping[str, str] = ENDINGS,
) -> ScoredBudgets:
    """Budgets by scores of the private text. Use ``word_budgets`` for budgets that are public.

    The paper draws words by 1-Diffractor, or whole texts by DP-BART; here by randomized response, whose loss at
    epsilon_i is exactly epsilon_i, so any excess over the sum comes from the scores.
    """
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ONE_DOCUMENT)
    return _made(vocabulary, claim, scores, word_tags(vocabulary, tags))


TRIAL: Final = FormTrial(
    work="Spend Your Budget Wisely (2025)",
    reading=(
        "Section 3 claims epsilon for a document whose words are scored by WordNet, spaCy and a sentence encoder, "
        "and drawn by 1-Diffractor. Here public substitutes score them and randomized response draws them: the "
        "loss that is found is not that of the published scorers."
    ),
)
