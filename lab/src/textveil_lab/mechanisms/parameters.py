"""Options and helpers that several mechanisms share.

Bounds of codes: maps into a bounded set before noise is added, with the largest distance of two codes.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from textveil.errors import ParameterError, need
from textveil.mechanisms.kinds import _USUAL
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import MetricDP
from textveil.privacy.proved import status_under
from textveil.privacy.units import ONE_TOKEN, Adjacency
from textveil.registry.options import (
    FINITE,
    FRACTION,
    GUARANTEE,
    MODELS,
    POSITIVE,
    VECTORS,
    Domain,
    Option,
    at_least,
    named,
)
from textveil.types import Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.nearest.choice import BACKENDS, FASTEST
from textveil_lab.noise.calibration import classical_gaussian_sigma, spherical_laplace_rate


def _folder(wanted: str, hint: str) -> Domain:
    return Domain(wanted, lambda value: value != "" and Path(value).is_dir(), hint=hint, outside=("", "no such folder"))


GroupEpsilon: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Privacy loss in nats of one token, for any two words of one public group alone.",
        "E",
        GUARANTEE,
        unset=_USUAL,
    ),
]


EpsilonPerDistance: TypeAlias = Annotated[
    float, Option(POSITIVE, "In place of epsilon, for metric mechanisms: nats per unit of distance.", "E", GUARANTEE)
]


Delta: TypeAlias = Annotated[float, Option(FRACTION, "Delta of one token, for approximate DP.", "D", GUARANTEE)]


ClaimedDelta: TypeAlias = Annotated[
    float, Option(FRACTION, "The claimed delta.", "D", GUARANTEE, unset="4^-noise_dim, as in the paper")
]
"""Delta of a published form; the paper takes 4^-d."""


Clip: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE, "Shorten longer vectors to this Euclidean norm.", "C", VECTORS, without="Use the vectors as they are."
    ),
]


RankConstant: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "Replace the nearest word by its i-th neighbor with weight exp(-C E i).",
        "C",
        VECTORS,
        unset="no replacement",
    ),
]


ProjectionName: TypeAlias = Annotated[
    str,
    Option(
        named(FASTEST, *BACKENDS, hint="See docs/performance.md."),
        "How the nearest word is searched.",
        "NAME",
        VECTORS,
        unset="the fastest exact way that is installed",
    ),
]


DocumentEpsilon: TypeAlias = Annotated[
    float,
    Option(POSITIVE, "Privacy loss in nats of one document, for any two documents.", "E", GUARANTEE, unset=_USUAL),
]


DocumentDelta: TypeAlias = Annotated[
    float, Option(FRACTION, "Delta of one document, for approximate DP.", "D", GUARANTEE)
]


ModelFolder: TypeAlias = Annotated[
    str,
    Option(
        _folder("the folder of a model", "Check its path."),
        "A Hugging Face model on disk: configuration, weights in safetensors, tokenizer.",
        "DIR",
        MODELS,
    ),
]


NetworkFolder: TypeAlias = Annotated[
    str,
    Option(
        _folder("the folder of a trained network", "`textveil rewrite` trains one."),
        "An auto-encoder on disk with its words, trained on public text.",
        "DIR",
        MODELS,
    ),
]


Length: TypeAlias = Annotated[
    int,
    Option(
        at_least(1), "Tokens of a document that are read, and tokens that are written, at most; public.", "N", MODELS
    ),
]


LongTexts: TypeAlias = Annotated[
    str,
    Option(
        named("refuse", "cut"),
        "A document that is too long for the model: refuse it, which shows that it is long, or cut off its end.",
        "NAME",
        MODELS,
    ),
]


CALIBRATIONS = {"analytic": analytic_gaussian_sigma, "classical": classical_gaussian_sigma}


Calibration: TypeAlias = Annotated[
    str,
    Option(
        named(*CALIBRATIONS),
        "How sigma is computed; the classical formula is refused above epsilon 1.",
        "NAME",
        VECTORS,
    ),
]


_MARGIN = 1 + 2.0**-20  # covers the float32 rounding of clipped vectors: diameters are taken this much larger


def one_of(**options: float | None) -> tuple[str, float]:
    """Return the name and value of the one option that is given.

    Raises:
        ParameterError: none or several are given.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if len(given) != 1:
        names = " or ".join(f"`{name}`" for name in options)
        got = " and ".join(f"`{name}`" for name in given) or "neither"
        raise ParameterError(f"exactly one of {names} must be given; got {got}. Give one of them.")
    ((name, value),) = given.items()
    return name, value


def given(**options: Any) -> dict[str, Any]:
    """Return the options that are not None, for the parameters of a report."""
    return {name: value for name, value in options.items() if value is not None}


def checked_clip(clip: float | None) -> float | None:
    """Return a clipping norm that is None or finite and > 0; refuse any other."""
    need(clip is None or 0 < clip < math.inf, "clip", clip, "finite and > 0, or None for no clipping")
    return clip


def outward(diameter: float) -> float:
    """Return a diameter enlarged to hold for the float32 vectors that noise is added to."""
    return diameter * _MARGIN


def rate_within(epsilon: float, diameter: float) -> float:
    """Return the largest rate at which a metric guarantee is within epsilon; its loss at the diameter is rounded up."""
    rate = spherical_laplace_rate(epsilon, diameter)
    while math.nextafter(rate * diameter, math.inf) > epsilon:
        rate = math.nextafter(rate, 0.0)
    return rate


def proved_metric(
    epsilon_per_distance: float, metric: str, diameter: float, proof: str, adjacency: Adjacency = ONE_TOKEN
) -> MetricDP:
    """Return a guarantee per distance that a proof page proves."""
    numbers = {"epsilon_per_distance": epsilon_per_distance, "diameter": diameter}
    return MetricDP(**numbers, metric=metric, status=status_under(proof), source=proof, adjacency=adjacency)


def metric_name(order: str, clip: float | None) -> str:
    """Return the name of a guarantee's metric, with the points that it is on."""
    return order if clip is None else f"{order} on vectors clipped to norm {clip:g}"


EpsilonPerToken: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "In place of epsilon: privacy loss in nats of one token that is generated, for any two documents.",
        "E",
        GUARANTEE,
    ),
]


Temperature: TypeAlias = Annotated[
    float,
    Option(
        POSITIVE,
        "In place of epsilon: the temperature, which makes a token cost 2 (max_logit - min_logit) / temperature.",
        "T",
        GUARANTEE,
    ),
]


WrittenTokens: TypeAlias = Annotated[
    int, Option(at_least(1), "Tokens that are generated at most; public.", "N", MODELS)
]


MinLogit: TypeAlias = Annotated[
    float, Option(FINITE, "Lower logits count as this one; public.", "B", MODELS, unset="the mean on public sentences")
]


MaxLogit: TypeAlias = Annotated[
    float,
    Option(
        FINITE,
        "Higher logits count as this one; public.",
        "B",
        MODELS,
        unset="four standard deviations above the mean on public sentences",
    ),
]


Prompt: TypeAlias = Annotated[
    str,
    Option(
        Domain(
            "a text with one {text} in it",
            lambda value: value.count("{text}") == 1,
            inside=("say: {text}",),
            outside=("", "say", "{text}{text}"),
        ),
        "The text that the model reads, with the document for {text}.",
        "TEXT",
        MODELS,
        unset="the paper's",
    ),
]


Device: TypeAlias = Annotated[
    str,
    Option(
        Domain(
            "a device of torch",
            lambda value: value.partition(":")[0] in ("cpu", "cuda", "mps", "xpu"),
            inside=("cpu:0",),
            outside=("", "tape"),
        ),
        "Where torch computes: cpu, cuda, cuda:1, mps.",
        "NAME",
        MODELS,
    ),
]


REPRESENTATIONS: Final = "Representations of texts"
"""Heading of help for options that only mechanisms of vectors take."""


VectorEpsilon: TypeAlias = Annotated[
    float, Option(POSITIVE, "Privacy loss in nats of one vector, for any two vectors.", "E", GUARANTEE, unset=_USUAL)
]


VectorDelta: TypeAlias = Annotated[
    float,
    Option(
        FRACTION,
        "Delta of one vector: with one the noise is Gaussian.",
        "D",
        GUARANTEE,
        unset="none: Laplace noise, pure DP",
    ),
]


VectorDim: TypeAlias = Annotated[
    int,
    Option(
        at_least(1),
        "Numbers of a vector, k in the papers.",
        "K",
        REPRESENTATIONS,
        unset="that of the vocabulary's vectors",
    ),
]


Lowest: TypeAlias = Annotated[
    float, Option(FINITE, "Smaller numbers are raised to this; it becomes 0.", "A", REPRESENTATIONS)
]


Highest: TypeAlias = Annotated[
    float, Option(FINITE, "Larger numbers are lowered to this; it becomes 1.", "B", REPRESENTATIONS)
]


def dim_of(vocabulary: Vocabulary, vector_dim: int | None) -> int:
    """Return the requested dimension, or that of the vocabulary's vectors."""
    return vocabulary.dim if vector_dim is None else vector_dim


class CodeBound(Protocol):
    """Set of codes, and a map into it that is defined for every code."""

    @property
    def widest(self) -> float:
        """Largest difference of two codes in one coordinate."""

    def __call__(self, codes: Reals) -> Reals:
        """Return a code of the set for each code, float64, shape (batch, dim); NaN and infinity count as 0."""

    def reach(self, dim: int, norm: int) -> float:
        """Return the largest L1 or L2 distance of two codes of ``dim`` coordinates: the sensitivity, rounded up."""


@dataclass(frozen=True, slots=True)
class ClampedValues:
    """Set with every coordinate in [-limit, limit]: distances up to 2 limit dim in L1, 2 limit sqrt(dim) in L2.

    Source: Igamberdiev and Habernal 2023 (DP-BART), theorem 1.
    """

    limit: float  # finite and > 0

    def __post_init__(self) -> None:
        need(0 < self.limit < math.inf, "limit", self.limit, "finite and > 0")

    @property
    def widest(self) -> float:
        return outward(2 * self.limit)

    def __call__(self, codes: Reals) -> Reals:
        return np.clip(_numbers(codes), -self.limit, self.limit)

    def reach(self, dim: int, norm: int) -> float:
        return outward(2 * self.limit * (dim if norm == 1 else math.sqrt(dim)))


@dataclass(frozen=True, slots=True)
class ClippedNorm:
    """Set of codes shortened to the norm ``limit``.

    Two codes of L1 norm at most C are at most 2C apart in both norms; of L2 norm at most C, 2C in L2 and 2C sqrt(dim)
    in L1. Source: Habernal 2021, theorem 3.3 and corollary 3.4.
    """

    order: int  # 1 or 2, the norm
    limit: float  # C, finite and > 0

    def __post_init__(self) -> None:
        need(self.order in (1, 2), "order", self.order, "1 or 2")
        need(0 < self.limit < math.inf, "limit", self.limit, "finite and > 0")

    @property
    def widest(self) -> float:
        return outward(2 * self.limit)

    def __call__(self, codes: Reals) -> Reals:
        known = _numbers(codes)
        norms = np.linalg.norm(known, ord=self.order, axis=1, keepdims=True)
        return known * (self.limit / np.maximum(norms, self.limit))

    def reach(self, dim: int, norm: int) -> float:
        spread = math.sqrt(dim) if self.order == 2 and norm == 1 else 1.0
        return outward(2 * self.limit * spread)


def _numbers(codes: Reals) -> Reals:
    """Return finite numbers unchanged, all others as 0: a text for which a model returns NaN is not distinguished."""
    return np.nan_to_num(np.asarray(codes, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)


def checked_vectors(vectors: ArrayLike, dim: int) -> Reals:
    """Return ``vectors`` as float64 of shape (batch, dim), all finite.

    Raises:
        ParameterError: another shape or type, or a number that is not finite. The message has no numbers: they are
            private.
    """
    array = np.asarray(vectors)
    need(array.dtype.kind in "fiu", "vectors", f"dtype {array.dtype}", "real numbers")
    fits = array.ndim == 2 and array.shape[1] == dim
    need(fits, "vectors", f"shape {array.shape}", f"of shape (batch, {dim})", "Set `vector_dim` to what yours have.")
    array = array.astype(np.float64)
    need(bool(np.isfinite(array).all()), "vectors", "a number that is not", "finite")
    return array
