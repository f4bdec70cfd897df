"""Options of mechanisms that write texts with a language model, declared once."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from textveil.mechanisms.options import FINITE, GUARANTEE, MODELS, POSITIVE, Domain, Option, at_least

EpsilonPerToken: TypeAlias = Annotated[
    float,
    Option(
        domain=POSITIVE,
        help="In place of epsilon: privacy loss in nats of one token that is generated, for any two documents.",
        metavar="E",
        group=GUARANTEE,
    ),
]
Temperature: TypeAlias = Annotated[
    float,
    Option(
        domain=POSITIVE,
        help="In place of epsilon: the temperature, which makes a token cost 2 (max_logit - min_logit) / temperature.",
        metavar="T",
        group=GUARANTEE,
    ),
]
WrittenTokens: TypeAlias = Annotated[
    int,
    Option(domain=at_least(1), help="Tokens that are generated at most; public.", metavar="N", group=MODELS),
]
MinLogit: TypeAlias = Annotated[
    float,
    Option(
        domain=FINITE,
        help="Lower logits count as this one; public.",
        metavar="B",
        group=MODELS,
        unset="the mean on public sentences",
    ),
]
MaxLogit: TypeAlias = Annotated[
    float,
    Option(
        domain=FINITE,
        help="Higher logits count as this one; public.",
        metavar="B",
        group=MODELS,
        unset="four standard deviations above the mean on public sentences",
    ),
]
Prompt: TypeAlias = Annotated[
    str,
    Option(
        domain=Domain(
            "a text with one {text} in it",
            lambda value: value.count("{text}") == 1,
            inside=("say: {text}",),
            outside=("", "say", "{text}{text}"),
        ),
        help="The text that the model reads, with the document for {text}.",
        metavar="TEXT",
        group=MODELS,
        unset="the paper's",
    ),
]
Device: TypeAlias = Annotated[
    str,
    Option(
        domain=Domain(
            "a device of torch",
            lambda value: value.partition(":")[0] in ("cpu", "cuda", "mps", "xpu"),
            inside=("cpu:0",),
            outside=("", "tape"),
        ),
        help="Where torch computes: cpu, cuda, cuda:1, mps.",
        metavar="NAME",
        group=MODELS,
    ),
]
