"""Spherical Laplace noise on the vector of a word's sense, which the document decides; a guarantee per document."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from textveil.mechanisms.declaration import proved
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import resolve
from textveil.text.codes import TextCodes
from textveil.types import Ids, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.document.earth_mover import BAG_SIZE
from textveil_lab.mechanisms.document.words import bags_of, text_of
from textveil_lab.mechanisms.parameters import Clip, DocumentEpsilon, ProjectionName

PROOF: Final = "textveil_lab/proofs/sense_laplace.md"
MARK: Final = "|"  # separates a word from its sense in a vocabulary of senses: bank|NOUN, bank|VERB


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SenseLaplace:
    """Release N words for a document, which decides the sense of each: the sense nearest to its vector + noise.

    A word with several senses has the one whose vector has the largest cosine with the sum of the other words' mean
    vectors. So one word affects other words' senses, and the guarantee counts all N draws of the document. Source:
    Arnold, Yesilbas and Weinzierl 2023 (arXiv 2306.01457); proof: textveil_lab/proofs/sense_laplace.md.
    """

    name: ClassVar[str] = "sense-laplace"
    # the public senses, spelled word|sense, and their vectors; a word without a mark has one sense
    vocabulary: Vocabulary
    bag_size: int  # N
    guarantee: PureDP
    _sense: PerturbProject = field(repr=False)
    _words: Vocabulary = field(repr=False)
    _word_of: Ids = field(repr=False)
    _codes: TextCodes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts anew: this one's memory of the texts that it has seen stays here.
        return _made, (self.vocabulary, self.bag_size, self.guarantee, self._sense)

    @property
    def parameters(self) -> Mapping[str, Any]:
        given = {key: value for key, value in self._sense.parameters.items() if key in ("rate", "clip", "projection")}
        return {"epsilon": self.guarantee.epsilon, **given, "bag_size": self.bag_size, "words": len(self._words)}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return N words for each text, separated by spaces; see ``TextMechanism.privatize_texts``."""
        senses = self.senses(texts)
        drawn = self._sense.privatize(senses.reshape(-1), resolve(rng)).reshape(senses.shape)
        return [text_of(self._words, row) for row in self._word_of[drawn].tolist()]

    def senses(self, texts: Sequence[str]) -> Ids:
        """Return the id of the sense of each of a text's N words, shape (texts, N). They are private."""
        bags = bags_of(self._codes, texts, self.bag_size)
        means, points = self._words.vectors.astype(np.float64), self.vocabulary.vectors.astype(np.float64)
        order = np.argsort(self._word_of, kind="stable")
        starts = np.searchsorted(self._word_of[order], np.arange(len(self._words) + 1))
        out = np.empty_like(bags)
        for row, words in zip(out, bags, strict=True):
            context = means[words].sum(axis=0)
            for place, word in enumerate(words.tolist()):
                mine = order[starts[word] : starts[word + 1]]
                row[place] = mine[int(np.argmax(_cosines(points[mine], context - means[word])))]
        return out


def _cosines(rows: Reals, vector: Reals) -> Reals:
    lengths = np.sqrt((rows**2).sum(axis=1))
    return np.divide(rows @ vector, lengths, out=np.zeros(len(rows)), where=lengths > 0)


def _made(vocabulary: Vocabulary, bag_size: int, guarantee: PureDP, sense: PerturbProject) -> SenseLaplace:
    words = [sense.rsplit(MARK, 1)[0] or sense for sense in vocabulary.words]
    ids = {word: number for number, word in enumerate(dict.fromkeys(words))}
    word_of = np.array([ids[word] for word in words], dtype=np.int64)
    sums = np.zeros((len(ids), vocabulary.dim))
    np.add.at(sums, word_of, vocabulary.vectors)
    surfaces = Vocabulary(list(ids), sums / np.bincount(word_of)[:, None], vocabulary.name)
    return SenseLaplace(vocabulary, bag_size, guarantee, sense, surfaces, word_of, TextCodes(surfaces.words))


@proved(
    family="document",
    notion="pure DP",
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    source="Arnold, Yesilbas and Weinzierl 2023 (arXiv 2306.01457), after its abstract",
    summary="Noise on the vector of the sense that a word has in its document; a guarantee of the whole document.",
)
def sense_laplace(
    vocabulary: Vocabulary,
    *,
    epsilon: DocumentEpsilon,
    bag_size: Annotated[int, BAG_SIZE] = 32,
    clip: Clip | None = 1.0,
    projection: ProjectionName | None = None,
) -> SenseLaplace:
    """Spherical Laplace noise on senses, at ``epsilon`` nats for any two documents.

    The ``bag_size`` draws of a document share ``epsilon``; they are for its first words, in order. The vocabulary has
    senses, spelled word|sense; words without | have one sense each.

    Raises:
        ParameterError: an option is outside its domain.
        VocabularyError: all senses belong to one word.
    """
    # Two floats below the share pay the rounding of the quotient and of the product with N.
    share = epsilon if bag_size == 1 else math.nextafter(math.nextafter(epsilon / bag_size, 0.0), 0.0)
    sense = spherical_laplace(vocabulary, epsilon=share, clip=clip, projection=projection)
    promise = PureDP(epsilon=epsilon, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_DOCUMENT)
    return _made(vocabulary, bag_size, promise, sense)
