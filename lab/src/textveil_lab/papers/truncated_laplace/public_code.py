"""Noises of the first author's public code, as that code draws them; none of them protects a text.

Source: github.com/Skyyyy0920/Trlaplace, ``method.py`` and ``model.py`` (the repository that the paper names was not
readable). The code differs from the paper as follows:

- No vector is clipped. C = 0.005 in the code sets the size of the noise only.
- Gaussian, Laplace, truncated Laplace, CMP and PTE noise is one vector, added to every token of a batch.
- The truncated noise is one-sided: its signs are drawn as bernoulli.rvs(1, 0.5), which is the constant 1.
- The Gaussian noise has standard deviation Delta_1 / epsilon; no delta enters.
- Mahalanobis noise is scaled so that each coordinate has norm 1 over the whole batch, and has the second moment of the
  private batch itself as its shape, not the root of a covariance.
- PTE's projection has entries of standard deviation 1/m, not 1/sqrt(m), and is drawn anew for every batch.
- The noise enters the encoder alone; the decoder reads the clean words (``rewriting``, the feeding ``CLEAN``).

One vector for a batch refutes every guarantee for single words: two tokens of a batch come out equal exactly if their
words are equal, so a reader of both tells two texts apart with delta 1 at every epsilon.

This module also makes the mechanisms of the three ways, for the words of one block.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from textveil.catalog import word_mechanism
from textveil.errors import UnknownNameError, need
from textveil.mechanisms.kinds import WordMechanism
from textveil.privacy.guarantees import PureDP, Status
from textveil.types import Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.additive.perturb_project import perturb_project
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.noise.spherical_laplace import SphericalLaplace
from textveil_lab.papers.truncated_laplace.facts import DIM, NOISE_DIMS
from textveil_lab.papers.truncated_laplace.public_noises import (
    BatchMahalanobis,
    OneSidedTruncatedLaplace,
    PublicNoise,
    SharedNoise,
    ThereAndBack,
    second_moment,
)
from textveil_lab.papers.truncated_laplace.sentences import RewritingCell
from textveil_lab.papers.truncated_laplace.verdicts import VALID_DELTA, ExperimentWay
from textveil_lab.rewriting.injection import Injection, Place
from textveil_lab.vocabulary.geometry import norm_range

CLIP = 0.005  # C of the code: it sizes the noise, and no vector is clipped to it
NOISE_DIMENSIONS = (500, 1700)
"""Dimensions that the code puts into the formula, by a line edited by hand, if 300 are too few."""

_DISTORTION = 0.5
_PTE_DELTA = 1e-6  # beta and delta from which PTE's dimension m follows


def _scale(epsilon: float, noise_dim: int) -> float:
    return 2 * CLIP * math.sqrt(noise_dim) / epsilon


def _gaussian(epsilon: float, vectors: Vectors) -> PublicNoise:
    dim = vectors.shape[1]
    return SharedNoise(distribution=Gaussian(dim=dim, sigma=_scale(epsilon, dim)))


def _laplace(epsilon: float, vectors: Vectors) -> PublicNoise:
    dim = vectors.shape[1]
    return SharedNoise(distribution=CoordinateLaplace(dim=dim, scale=_scale(epsilon, dim)))


def _truncated(epsilon: float, vectors: Vectors) -> PublicNoise:
    dim = vectors.shape[1]
    fitting = [k for k in (dim, *NOISE_DIMENSIONS) if k >= dim and 2 * epsilon < math.sqrt(k)]
    largest = math.sqrt(max(dim, *NOISE_DIMENSIONS)) / 2
    need(bool(fitting), "epsilon", epsilon, f"< {largest:.6g}, which is as far as the public code's dimensions reach")
    scale = _scale(epsilon, fitting[0])
    return OneSidedTruncatedLaplace(
        dim=dim, scale=scale, bound=-scale * math.log1p(-2 * epsilon / math.sqrt(fitting[0]))
    )


def _cmp(epsilon: float, vectors: Vectors) -> PublicNoise:
    return SharedNoise(distribution=SphericalLaplace(dim=vectors.shape[1], rate=epsilon))


def _mahalanobis(epsilon: float, vectors: Vectors) -> PublicNoise:
    return BatchMahalanobis(second_moment=second_moment(vectors), rate=epsilon)


def _pte(epsilon: float, vectors: Vectors) -> PublicNoise:
    dim = vectors.shape[1]
    reach = math.sqrt(math.log(dim)) + math.sqrt(-math.log(_PTE_DELTA))
    return ThereAndBack(dim=dim, rate=epsilon / (1 + _DISTORTION), projected=int(reach**2 / _DISTORTION**2))


_SHARED = (
    "One vector for all tokens of a batch: two equal words come out equal and two different words different, so the "
    "claim for single words is refuted, with delta 1 at every epsilon."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicMechanism:
    """Noise of the public code, with its description in the report."""

    name: str  # the catalog's name of the mechanism that it represents
    code: str  # its name in the code
    # from epsilon and the table of public vectors, shape (n, dim), to the noise
    make: Callable[[float, Vectors], PublicNoise]
    does: str  # effect of the code, and its difference from the paper
    status: str  # truth about its guarantee


_ALL = (
    PublicMechanism(
        name="gaussian",
        code="gau",
        make=_gaussian,
        does="Normal noise of standard deviation 2 C sqrt(d) / epsilon with C = 0.005. No delta enters, and no vector "
        "is clipped.",
        status=_SHARED,
    ),
    PublicMechanism(
        name="laplace",
        code="lap",
        make=_laplace,
        does="Laplace noise of scale 2 C sqrt(d) / epsilon with C = 0.005: the paper's scale, for vectors clipped to "
        "0.005, which they are not.",
        status=_SHARED,
    ),
    PublicMechanism(
        name="truncated-laplace",
        code="trlap",
        make=_truncated,
        does="Exponential noise on [0, A], without signs; A = -(Delta_1 / epsilon) ln(1 - 2 epsilon / sqrt(k)), C = "
        "0.005 and k = d, 500 or 1,700. At small epsilon A is near 4 C = 0.02 whatever epsilon is.",
        status=_SHARED + " And alone in a batch, two words of which a coordinate differs by more than A have no common "
        "output at all.",
    ),
    PublicMechanism(
        name="spherical-laplace",
        code="mdp",
        make=_cmp,
        does="CMP: a uniform direction times a Gamma(d, 1 / epsilon) length. Alone in a batch it is what it says, "
        "epsilon per unit of distance.",
        status=_SHARED,
    ),
    PublicMechanism(
        name="mahalanobis",
        code="maha",
        make=_mahalanobis,
        does="Noise of its own for every token, but each coordinate is divided by its norm over the batch instead of "
        "each vector by its own, so that it shrinks with the root of the batch; its shape is 1/2 S + 1/2 I, not the "
        "root of it, with S the second moment of the private batch (here: of the whole table).",
        status="Nothing is proved: the shape and the size of the noise depend on the private batch. Alone in a batch a "
        "token's noise lies on finitely many lines through its vector, which the lines of other words meet in single "
        "points at most, but for special positions: delta 1.",
    ),
    PublicMechanism(
        name="pte",
        code="privemb",
        make=_pte,
        does="P^T (P x + z), P of entries N(0, 1/m^2) instead of N(0, 1/m) and drawn anew for every batch, m = 149 at "
        "300 dimensions: the vector is shrunk about m-fold, under noise that is not.",
        status=_SHARED,
    ),
)

PUBLIC_CODE: Mapping[str, PublicMechanism] = MappingProxyType({one.name: one for one in _ALL})
"""Six noises of the public code, by their names in the study."""


def public_noise(name: str, epsilon: float, vectors: Vectors) -> PublicNoise:
    """Return the public code's noise of that name.

    Args:
        name: of ``PUBLIC_CODE``.
        epsilon: as in the code, finite and > 0.
        vectors: table of public vectors, not clipped, shape (n, dim); only Mahalanobis noise uses its entries.

    Raises:
        UnknownNameError: there is no such noise.
        ParameterError: the code cannot draw at this epsilon.
    """
    need(name in PUBLIC_CODE, "name", repr(name[:60]), f"one of {', '.join(PUBLIC_CODE)}", kind=UnknownNameError)
    need(0 < epsilon < math.inf, "epsilon", epsilon, "finite and > 0")
    need(vectors.ndim == 2 and len(vectors) >= 1, "vectors", f"shape {vectors.shape}", "a table of shape (n, dim)")
    return PUBLIC_CODE[name].make(epsilon, vectors)


PRINTED: Final = {"gaussian": "gaussian-classical-published", "truncated-laplace": "truncated-laplace-published"}
"""Catalog's mechanisms with the paper's formulas."""


def injection_of(cell: RewritingCell, vocabulary: Vocabulary) -> Injection:
    """Return a cell's noise and its place."""
    if cell.mechanism is None or cell.epsilon is None:
        return Injection.none()
    if cell.way is ExperimentWay.CODE:
        noise = public_noise(cell.mechanism, cell.epsilon, vocabulary.vectors)
        return Injection(place=Place.ENCODER_INPUT, noise=noise, one_vector_a_batch=noise.one_vector_a_batch)
    return Injection(place=Place.TOKENS, mechanism=mechanism_of(cell, vocabulary))


def clip_of(vocabulary: Vocabulary) -> float:
    """Return the clipping norm C, which the paper does not state: the public length of the shortest vector.

    Noise and clipped vectors scale together, so every smaller C gives the same distribution of released words.
    """
    return norm_range(vocabulary)[0]


def mechanism_of(cell: RewritingCell, vocabulary: Vocabulary) -> WordMechanism:
    """Return the mechanism of words for a cell of the first or the third way."""
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
    """Return the mechanism of the paper's text: clip, add noise to every token by its formula, take the nearest word.

    Args:
        name: of one of the paper's three mechanisms.
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
