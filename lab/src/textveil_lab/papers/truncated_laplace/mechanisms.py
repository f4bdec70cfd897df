"""The mechanisms of the three ways, for the words of one block."""

import math
from typing import Final

from textveil.catalog import word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.privacy.guarantees import PureDP, Status
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import perturb_project
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.papers.truncated_laplace.facts import DIM, NOISE_DIMS
from textveil_lab.papers.truncated_laplace.plan import RewritingCell
from textveil_lab.papers.truncated_laplace.public_code import public_noise
from textveil_lab.papers.truncated_laplace.ways import VALID_DELTA, ExperimentWay
from textveil_lab.rewriting.injection import Injection, Place
from textveil_lab.vocabulary.geometry import norm_range

PRINTED: Final = {"gaussian": "gaussian-classical-published", "truncated-laplace": "truncated-laplace-published"}
"""The catalog's mechanisms by the formulas of the paper."""


def injection_of(cell: RewritingCell, vocabulary: Vocabulary) -> Injection:
    """Where noise enters in a cell, and which."""
    if cell.mechanism is None or cell.epsilon is None:
        return Injection.none()
    if cell.way is ExperimentWay.CODE:
        noise = public_noise(cell.mechanism, cell.epsilon, vocabulary.vectors)
        return Injection(place=Place.ENCODER_INPUT, noise=noise, one_vector_a_batch=noise.one_vector_a_batch)
    return Injection(place=Place.TOKENS, mechanism=mechanism_of(cell, vocabulary))


def clip_of(vocabulary: Vocabulary) -> float:
    """The clipping norm C, which the paper does not state: the length of the shortest vector, which is public.

    Noise and clipped vectors grow together, so every smaller C gives the same distribution of released words.
    """
    return norm_range(vocabulary)[0]


def mechanism_of(cell: RewritingCell, vocabulary: Vocabulary) -> WordMechanism:
    """The mechanism of words of a cell of the first or the third way."""
    name, epsilon = cell.mechanism, cell.epsilon
    assert name is not None
    assert epsilon is not None
    if cell.way is ExperimentWay.TEXT:
        return printed_mechanism(name, epsilon, vocabulary)
    if name == "optimal":
        return word_mechanism(name, vocabulary, epsilon=epsilon, prior="flat")
    if name == "neighborhood":
        return word_mechanism(name, vocabulary, epsilon=epsilon, base_weights="flat")
    delta = {} if name == "laplace" else {"delta": VALID_DELTA}
    return word_mechanism(name, vocabulary, epsilon=epsilon, clip=clip_of(vocabulary), **delta)


def printed_mechanism(name: str, epsilon: float, vocabulary: Vocabulary) -> WordMechanism:
    """As the text says: clip, noise every token by the paper's own formula, take the nearest word.

    Args:
        name: one of the paper's three.
        epsilon: nats of one word, as claimed.
        vocabulary: of the words.
    """
    clip, dim = clip_of(vocabulary), vocabulary.dim
    if name == "laplace":  # the catalog's takes the exact diameter in the place of 2 C sqrt(d): less noise
        return perturb_project(
            vocabulary,
            CoordinateLaplace(dim=dim, scale=2 * math.sqrt(dim) * clip / epsilon),
            PureDP(epsilon=epsilon, status=Status.CLAIMED),
            name="laplace, as printed",
            parameters={"epsilon": epsilon},
            clip=clip,
        )
    k = NOISE_DIMS.get(epsilon) if name == "truncated-laplace" else DIM
    return word_mechanism(PRINTED[name], vocabulary, epsilon=epsilon, clip=clip, noise_dim=k)
