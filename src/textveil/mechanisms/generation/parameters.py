"""Options of mechanisms that write texts with a language model, declared once."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from textveil.mechanisms.options import FINITE, GUARANTEE, MODELS, POSITIVE, Domain, Option, at_least

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
        "What the model reads, the document in the place of {text}.",
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
