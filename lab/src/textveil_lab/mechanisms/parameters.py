"""Options that several mechanisms declare in one way, and what several constructors make of them."""

import math
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

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
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.nearest.choice import BACKENDS, FASTEST
from textveil_lab.noise.calibration import classical_gaussian_sigma, spherical_laplace_rate


def _folder(wanted: str, hint: str) -> Domain:
    return Domain(wanted, lambda value: value != "" and Path(value).is_dir(), hint=hint, outside=("", "no such folder"))


EpsilonPerDistance: TypeAlias = Annotated[
    float, Option(POSITIVE, "In place of epsilon, for metric mechanisms: nats per unit of distance.", "E", GUARANTEE)
]


Delta: TypeAlias = Annotated[float, Option(FRACTION, "Delta of one token, for approximate DP.", "D", GUARANTEE)]


ClaimedDelta: TypeAlias = Annotated[
    float, Option(FRACTION, "The claimed delta.", "D", GUARANTEE, unset="4^-noise_dim, as in the paper")
]
"""Of a published form, whose paper takes 4^-d."""


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
    """The one option that is given, with its value.

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
    """The options that are not None, for the parameters of a report."""
    return {name: value for name, value in options.items() if value is not None}


def checked_clip(clip: float | None) -> float | None:
    """A clipping norm that is None or finite and > 0."""
    need(clip is None or 0 < clip < math.inf, "clip", clip, "finite and > 0, or None for no clipping")
    return clip


def outward(diameter: float) -> float:
    """A diameter enlarged to hold for the float32 vectors that noise is added to."""
    return diameter * _MARGIN


def rate_within(epsilon: float, diameter: float) -> float:
    """The greatest rate at which a metric guarantee, whose loss at the diameter is rounded up, is within epsilon."""
    rate = spherical_laplace_rate(epsilon, diameter)
    while math.nextafter(rate * diameter, math.inf) > epsilon:
        rate = math.nextafter(rate, 0.0)
    return rate


def proved_metric(
    epsilon_per_distance: float, metric: str, diameter: float, proof: str, adjacency: Adjacency = ONE_TOKEN
) -> MetricDP:
    """A guarantee per distance that a page of proofs proves."""
    numbers = {"epsilon_per_distance": epsilon_per_distance, "diameter": diameter}
    return MetricDP(**numbers, metric=metric, status=status_under(proof), source=proof, adjacency=adjacency)


def metric_name(order: str, clip: float | None) -> str:
    """The metric of a guarantee, with what it is measured on."""
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
"""The heading under which help lists what only mechanisms of vectors take."""


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
    """What was asked for, or the dimension of the vocabulary's vectors."""
    return vocabulary.dim if vector_dim is None else vector_dim
