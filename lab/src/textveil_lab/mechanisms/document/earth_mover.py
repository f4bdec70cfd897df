"""Bags of words, each moved by spherical Laplace noise: privacy for the earth mover's distance of documents."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final

import numpy as np

from textveil.mechanisms.declaration import proved
from textveil.privacy.guarantees import MetricDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_DOCUMENT
from textveil.randomness import resolve
from textveil.registry.options import GUARANTEE, POSITIVE, Option, at_least
from textveil.text.codes import TextCodes
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import PerturbProject
from textveil_lab.mechanisms.additive.spherical_laplace import spherical_laplace
from textveil_lab.mechanisms.document.words import bags_of, text_of
from textveil_lab.mechanisms.parameters import Clip, DocumentEpsilon, ProjectionName, metric_name, one_of

PROOF: Final = "textveil_lab/proofs/earth_mover.md"

EPSILON_PER_DISTANCE = Option(
    POSITIVE, "In place of epsilon: nats per unit of the earth mover's distance of two documents.", "E", GUARANTEE
)
BAG_SIZE = Option(at_least(1), "Words that are drawn for every document; public.", "N", "Documents of a fixed length")


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class EarthMover:
    """Release N words for a document's first N words, each the word nearest to its vector + noise.

    They are released as a bag, sorted by id, so their order says nothing. Noise of density exp(-rate ||z||) is fresh
    for each word. For two documents the loss is at most rate times the sum of distances in the best matching of their
    words, which is N rate times the earth mover's distance of the two bags. Source: Fernandes, Dras and McIver 2019;
    proof: textveil_lab/proofs/earth_mover.md.
    """

    name: ClassVar[str] = "earth-mover"
    vocabulary: Vocabulary
    bag_size: int  # N
    guarantee: MetricDP  # of a document, for the earth mover's distance
    _word: PerturbProject = field(repr=False)
    _codes: TextCodes = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy starts anew: this one's memory of the texts that it has seen stays here.
        return _made, (self.vocabulary, self.bag_size, self.guarantee, self._word)

    @property
    def parameters(self) -> Mapping[str, Any]:
        given = {key: value for key, value in self._word.parameters.items() if key in ("rate", "clip", "projection")}
        epsilon = self.guarantee.worst_case().epsilon
        per_distance = self.guarantee.epsilon_per_distance
        return {"epsilon": epsilon, "epsilon_per_distance": per_distance, **given, "bag_size": self.bag_size}

    def privatize_texts(self, texts: Sequence[str], rng: np.random.Generator | None = None) -> list[str]:
        """Return N words for each text, separated by spaces; see ``TextMechanism.privatize_texts``."""
        bags = bags_of(self._codes, texts, self.bag_size)
        drawn = self._word.privatize(bags.reshape(-1), resolve(rng)).reshape(bags.shape)
        return [text_of(self.vocabulary, row) for row in np.sort(drawn, axis=1).tolist()]


def _made(vocabulary: Vocabulary, bag_size: int, guarantee: MetricDP, word: PerturbProject) -> EarthMover:
    return EarthMover(vocabulary, bag_size, guarantee, word, TextCodes(vocabulary.words))


@proved(
    family="document",
    notion="metric DP",
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    source="Fernandes, Dras and McIver 2019",
    summary="A document becomes a bag of N words, each moved by noise; the metric is the earth mover's distance.",
)
def earth_mover(
    vocabulary: Vocabulary,
    *,
    epsilon: DocumentEpsilon | None = None,
    epsilon_per_distance: Annotated[float, EPSILON_PER_DISTANCE] | None = None,
    bag_size: Annotated[int, BAG_SIZE] = 32,
    clip: Clip | None = 1.0,
    projection: ProjectionName | None = None,
) -> EarthMover:
    """Bags of words under the earth mover's distance, calibrated by exactly one of its two parameters.

    The rate of the noise on each word is epsilon / (bag_size diameter), or epsilon_per_distance / bag_size: the
    distance of two bags is the mean distance in the best matching. The vocabulary's first word pads short documents.

    Raises:
        ParameterError: neither or both epsilons, or an option outside its domain.
    """
    name, value = one_of(epsilon=epsilon, epsilon_per_distance=epsilon_per_distance)
    # One float below the share pays the rounding of the quotient and of the product with N.
    share = value if bag_size == 1 else math.nextafter(math.nextafter(value / bag_size, 0.0), 0.0)
    word = spherical_laplace(
        vocabulary,
        epsilon=share if name == "epsilon" else None,
        epsilon_per_distance=None if name == "epsilon" else share,
        clip=clip,
        projection=projection,
    )
    of_a_word = word.guarantee
    assert isinstance(of_a_word, MetricDP)
    promise = MetricDP(
        epsilon_per_distance=of_a_word.epsilon_per_distance * bag_size,
        metric=f"earth mover's distance between bags of {bag_size} words, {metric_name('euclidean', clip)}",
        diameter=of_a_word.diameter,
        status=status_of(__name__, PROOF),
        source=PROOF,
        adjacency=ANY_DOCUMENT,
    )
    return _made(vocabulary, bag_size, promise, word)
