"""A document's budget shared over its words by scores of the private text itself, as published: for audits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, final

import numpy as np

from textveil.mechanisms.channels.randomized_response import flip
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.words import text_of, words_of
from textveil.mechanisms.options import Option, named
from textveil.mechanisms.parameters import DocumentEpsilon
from textveil.mechanisms.published.budget_scores import ALL, ENTITIES, INFORMATION, SIMILARITY, SPEECH, BudgetScores
from textveil.mechanisms.sampling.word_tags import ENDINGS, Tags, WordTags, word_tags
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ONE_DOCUMENT
from textveil.randomness import resolve
from textveil.text.codes import TextCodes
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION: Final = "privacy/proofs/scored_budgets_published.md"

_LEAST_SHARE: Final = 1e-6
"""Of epsilon: what a word has at least, so that its weights are integers."""

_SCORES = Option(
    domain=named(INFORMATION, SPEECH, ENTITIES, SIMILARITY, ALL),
    help="By what words are scored: their information, their part of speech, whether they are named entities, their "
    "similarity to the document, or the mean of all.",
    metavar="NAME",
    group="Budgets of words",
)


@final
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class ScoredBudgets:
    """Word i of a document by randomized response with epsilon_i = epsilon (1 / s_i) / sum over j of 1 / s_j.

    The scores s_i are computed from the private document and sum to 1. The claim is that the epsilon_i sum to epsilon
    and so does the loss; but another document has other epsilon_i. Source: Meisenbacher, Lee and Matthes 2025, section
    3, and public code; refutation: privacy/proofs/scored_budgets_published.md.

    Attributes:
        vocabulary: the public words and vectors.
        guarantee: as claimed, refuted.
        scores: which.
        tags: parts of speech.
    """

    vocabulary: Vocabulary
    guarantee: PureDP
    scores: str
    tags: WordTags = field(repr=False)
    _scored: BudgetScores = field(repr=False)
    _codes: TextCodes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is made anew: what this one remembers of the texts it has seen stays here.
        return _made, (self.vocabulary, self.guarantee, self.scores, self.tags)

    @property
    def name(self) -> str:
        """The catalog's name."""
        return "scored-budgets-published"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Public parameters, for reports."""
        return {"epsilon": self.guarantee.epsilon, "scores": self.scores, "tags": self.tags.source}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """A word for each word of a text, parted by spaces; see ``TextMechanism.privatize_texts``."""
        generator, out = resolve(rng), []
        for ids in words_of(self._codes, texts):
            weights = self._weights(ids)
            drawn = [int(flip(ids[at : at + 1], one, generator)[0]) for at, one in enumerate(weights)]
            out.append(text_of(self.vocabulary, drawn))
        return out

    def document_rows(self, ids: Ids) -> Reals:
        """See ``capabilities.DocumentRows``."""
        size = len(self.vocabulary)
        rows = [one.rows(ids[at : at + 1, None])[0] / one.total for at, one in enumerate(self._weights(ids))]
        return np.array(rows, dtype=np.float64).reshape(len(ids), size)

    def budgets(self, ids: Ids) -> Reals:
        """epsilon_i of each word of a document, shape (words,); their sum is epsilon."""
        if len(ids) == 0:
            return np.empty(0)
        inverse = 1 / np.maximum(self._scored.shares(ids, self.scores), _LEAST_SHARE)
        out: Reals = self.guarantee.epsilon * np.maximum(inverse / inverse.sum(), _LEAST_SHARE)
        return out

    def _weights(self, ids: Ids) -> list[TwoLevelWeights]:
        size = len(self.vocabulary)
        return [two_level_weights(size=size, members=1, epsilon=one) for one in self.budgets(ids).tolist()]


def _made(vocabulary: Vocabulary, guarantee: PureDP, scores: str, tags: WordTags) -> ScoredBudgets:
    scored = BudgetScores(vocabulary, tags)
    return ScoredBudgets(vocabulary, guarantee, scores, tags, scored, TextCodes(vocabulary.words))


@declared(
    family="document",
    notion="pure DP",
    status=Status.REFUTED,
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

    The paper draws words by 1-Diffractor, or whole texts by DP-BART; here they are drawn by randomized response, whose
    loss at epsilon_i is exactly epsilon_i, so that all that exceeds the sum comes from the scores.
    Source: Meisenbacher, Lee and Matthes 2025; refutation: privacy/proofs/scored_budgets_published.md.

    Args:
        vocabulary: public words and vectors.
        epsilon: the claimed nats of one document, for any two of as many words.
        scores: ``"information"``, ``"speech"``, ``"entities"``, ``"similarity"`` (with the rest of the document, in two
            ways), or ``"all"``, the mean of all five as in the paper.
        tags: parts of speech: a file or a mapping with Penn Treebank tags, or ``"endings"``, a crude rule of English.

    Raises:
        ParameterError: an option is outside its domain, or a word has no tag.
        InputError: the file of tags cannot be read.
    """
    claim = PureDP(epsilon=epsilon, status=Status.REFUTED, source=REFUTATION, adjacency=ONE_DOCUMENT)
    return _made(vocabulary, claim, scores, word_tags(vocabulary, tags))
