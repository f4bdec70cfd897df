"""Keywords in place of a document: k words, drawn with more weight on words of the document."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.privacy.composition import repeat
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import resolve
from textveil.registry.options import Option, at_least
from textveil.text.codes import TextCodes
from textveil.types import Ids, Integers
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.words import text_of, words_of
from textveil_lab.mechanisms.parameters import DocumentEpsilon

PROOF = "textveil_lab/proofs/keywords.md"
CANDIDATES = 16  # words of a document that weigh more, if nothing else is asked
_GROUP = "Keywords of documents"


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Keywords:
    """Release k words for a document, each y with weight a if y is in S(document), else b, over m a + (n - m) b.

    S(document) has exactly m words: of the vocabulary's words in the document and its first m, the m last in the
    vocabulary's order, which is that of falling frequency in the embedded one. Each draw is neighborhood response with
    the document as input, so k draws cost k ln(a / b) for any two documents. Nothing else of a document is released,
    not even its length. Proof: textveil_lab/proofs/keywords.md.
    """

    name: ClassVar[str] = "keywords"
    vocabulary: Vocabulary
    weights: TwoLevelWeights  # the two integers; ``weights.members`` is m
    keywords: int  # k
    guarantee: PureDP
    _codes: TextCodes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts anew: this one's memory of the texts that it has seen stays here.
        return _made, (self.vocabulary, self.weights, self.keywords, self.guarantee)

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"epsilon": self.guarantee.epsilon, "keywords": self.keywords, "candidates": self.weights.members}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return K words for each text, separated by spaces; see ``TextMechanism.privatize_texts``."""
        sets = self.candidate_sets(texts)
        document = np.repeat(np.arange(len(sets)), self.keywords)
        drawn, member = self.weights.draw(len(document), resolve(rng))
        inside = np.flatnonzero(drawn < 0)
        drawn[inside] = sets[document[inside], member[inside]]
        return [text_of(self.vocabulary, row) for row in drawn.reshape(len(sets), self.keywords).tolist()]

    def candidate_sets(self, texts: Sequence[str]) -> Ids:
        """Return S(text) of each text, shape (texts, m)."""
        count = self.weights.members
        first = np.arange(count)
        sets = [np.union1d(ids, first)[-count:] for ids in words_of(self._codes, texts)]
        return np.array(sets, dtype=np.int64).reshape(len(texts), count)

    def integer_weights_of(self, texts: Sequence[str]) -> Integers:
        """Return the integers that each of the k draws uses for each text, int64, shape (texts, n)."""
        return self.weights.rows(self.candidate_sets(texts))


def _made(vocabulary: Vocabulary, weights: TwoLevelWeights, keywords: int, guarantee: PureDP) -> Keywords:
    return Keywords(vocabulary, weights, keywords, guarantee, TextCodes(vocabulary.words))


@proved(
    family="document",
    notion="pure DP",
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    source=f"{PROOF}; extremal shape: Kairouz, Oh and Viswanath 2014",
    summary="Replaces a whole document by a few words, likelier those that stand in it.",
)
def keywords(
    vocabulary: Vocabulary,
    *,
    epsilon: DocumentEpsilon,
    keywords: Annotated[int, Option(at_least(1), "Words that a document becomes.", "K", _GROUP)] = 1,
    candidates: Annotated[
        int,
        Option(
            at_least(1),
            "Words of a document that weigh more, the rarest.",
            "M",
            _GROUP,
            unset=f"{CANDIDATES}, or all words where there are fewer",
        ),
    ]
    | None = None,
) -> Keywords:
    """Keywords of documents at ``epsilon`` nats for any two documents.

    The keywords share ``epsilon``. The vocabulary lists the words to prefer last.
    """
    size = len(vocabulary)
    members = min(CANDIDATES, size) if candidates is None else candidates
    need(1 <= members <= size, "candidates", members, f"between 1 and the {size} words of the vocabulary")
    # epsilon / keywords in floating point may exceed the share by half an ulp; one step down pays it.
    share = epsilon if keywords == 1 else math.nextafter(epsilon / keywords, 0.0)
    weights = two_level_weights(size=size, members=members, epsilon=share)
    cut = repeat(PureDP(epsilon=weights.stated(share)), keywords).approximate().epsilon
    spent = epsilon if cut > epsilon * (1 - 1e-9) else cut
    promise = PureDP(epsilon=spent, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_DOCUMENT)
    return _made(vocabulary, weights, keywords, promise)
