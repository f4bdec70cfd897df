"""DP-Prompt: zero-shot paraphrases by a language model with clipped logits and a temperature for the guarantee."""

from __future__ import annotations

import math
from typing import Annotated, Final, TypeAlias

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.generation.prompted import (
    PromptedWriting,
    checked_prompt,
    need_room,
    public_range,
)
from textveil.mechanisms.generation.token_weights import TokenWeights, token_weights
from textveil.mechanisms.options import GUARANTEE, MODELS, POSITIVE, Domain, Option, at_least, named
from textveil.mechanisms.parameters import DocumentEpsilon, ModelFolder, one_of
from textveil.models.next_tokens import NextTokens, next_tokens
from textveil.privacy.composition import repeat
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary

PROOF: Final = "privacy/proofs/clipped_sampling.md"

PROMPT: Final = "Document : {text}\nParaphrase of the document :"

_FINITE = Domain("finite", math.isfinite)

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
        domain=_FINITE,
        help="Lower logits count as this one; public.",
        metavar="B",
        group=MODELS,
        unset="the mean on public sentences",
    ),
]
MaxLogit: TypeAlias = Annotated[
    float,
    Option(
        domain=_FINITE,
        help="Higher logits count as this one; public.",
        metavar="B",
        group=MODELS,
        unset="four standard deviations above the mean on public sentences",
    ),
]
Prompt: TypeAlias = Annotated[
    str,
    Option(
        domain=Domain("a text with one {text} in it", lambda value: value.count("{text}") == 1),
        help="What the model reads, the document in the place of {text}.",
        metavar="TEXT",
        group=MODELS,
        unset="the paper's",
    ),
]
LongTexts: TypeAlias = Annotated[
    str,
    Option(
        domain=named("refuse", "cut"),
        help="A document that the model has no room for: refuse it, which tells that it is long, or cut off its end.",
        metavar="NAME",
        group=MODELS,
    ),
]
Device: TypeAlias = Annotated[
    str,
    Option(
        domain=Domain("a device of torch", lambda value: value.partition(":")[0] in ("cpu", "cuda", "mps", "xpu")),
        help="Where torch computes: cpu, cuda, cuda:1, mps.",
        metavar="NAME",
        group=MODELS,
    ),
]


@declared(
    family="document",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    needs="a model on disk (extra transformers)",
    source="Utpala, Hooker and Chen 2023 (DP-Prompt, arXiv 2310.16111), section 3",
    summary="Paraphrases a document by a prompted language model, each token from clipped logits at a temperature.",
)
def dp_prompt(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: DocumentEpsilon | None = None,
    epsilon_per_token: EpsilonPerToken | None = None,
    temperature: Temperature | None = None,
    tokens: WrittenTokens = 150,
    min_logit: MinLogit | None = None,
    max_logit: MaxLogit | None = None,
    prompt: Prompt | None = None,
    long_texts: LongTexts = "refuse",
    device: Device = "cpu",
) -> PromptedWriting:
    """DP-Prompt over any causal or encoder-decoder model on disk; see ``PromptedWriting`` for the law.

    Temperature T = 2 (max_logit - min_logit) / e for e nats a token; a document costs ``tokens`` times e.
    Source: Utpala, Hooker and Chen 2023, section 3; proof: privacy/proofs/clipped_sampling.md.

    Args:
        vocabulary: not used: what is drawn are the model's tokens.
        model: folder of a Hugging Face model with its tokenizer.
        epsilon: nats of one document, shared over its tokens; exactly one of this and the two that follow.
        epsilon_per_token: nats of one generated token.
        temperature: T; the guarantee follows from it.
        tokens: tokens that are generated at most.
        min_logit: b1, to which lower logits are clipped; None measures it on public sentences.
        max_logit: b2, to which higher ones are clipped; None measures it on public sentences.
        prompt: with one ``{text}``, the document's place; None is the paper's.
        long_texts: "refuse" documents that the model has no room for, or "cut" off their ends.
        device: where torch computes.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model in the folder.
        ParameterError: an option is outside its domain, or the model has no room for so many tokens.
    """
    read = next_tokens(model, device=device)
    return prompted_writing(
        "dp-prompt",
        read,
        prompt=checked_prompt(PROMPT if prompt is None else prompt),
        guaranteed=one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token, temperature=temperature),
        tokens=tokens,
        logits=(min_logit, max_logit),
        long_texts=long_texts,
        device=device,
    )


def prompted_writing(
    name: str,
    model: NextTokens,
    *,
    prompt: str,
    guaranteed: tuple[str, float],
    tokens: int,
    logits: tuple[float | None, float | None],
    long_texts: str,
    device: str,
) -> PromptedWriting:
    """The mechanism of one of the names that share this law.

    Args:
        name: the catalog's.
        model: gives the logits.
        prompt: with one place for the document.
        guaranteed: which of epsilon, epsilon_per_token and temperature was given, and its value.
        tokens: that are generated at most.
        logits: the range; None where it is to be measured.
        long_texts: what is done with documents that are too long.
        device: for reports.
    """
    need_room(model, prompt, tokens)
    weights, spent = guaranteed_weights(model, prompt, guaranteed, tokens, logits)
    return PromptedWriting(
        name=name,
        model=model,
        weights=weights,
        prompt=prompt,
        tokens=tokens,
        long_texts=long_texts,
        guarantee=spent,
        parameters={
            **{guaranteed[0]: guaranteed[1]},
            "nats_per_token": weights.epsilon,
            "softmax_temperature": weights.temperature,
            "tokens": tokens,
            "min_logit": weights.min_logit,
            "max_logit": weights.max_logit,
            "prompt": prompt,
            "long_texts": long_texts,
            "model": model.name,
            "model_digest": model.digest,
            "device": device,
        },
    )


def guaranteed_weights(
    model: NextTokens,
    prompt: str,
    guaranteed: tuple[str, float],
    tokens: int,
    logits: tuple[float | None, float | None],
) -> tuple[TokenWeights, PureDP]:
    """The weights of a token, and what ``tokens`` draws by them promise of a document."""
    least, most = logits
    if least is None or most is None:
        measured = public_range(model, prompt)
        least, most = measured[0] if least is None else least, measured[1] if most is None else most
    name, value = guaranteed
    if name == "temperature":
        weights = token_weights(size=model.size, min_logit=least, max_logit=most, temperature=value)
    else:
        # epsilon / tokens in floating point may exceed the share by half an ulp; one step down pays it.
        share = value if name == "epsilon_per_token" or tokens == 1 else math.nextafter(value / tokens, 0.0)
        weights = token_weights(size=model.size, min_logit=least, max_logit=most, epsilon=share)
    cut = repeat(PureDP(epsilon=weights.epsilon), tokens).approximate().epsilon
    asked = {"epsilon": value, "epsilon_per_token": value * tokens}.get(name, cut)
    spent = asked if asked * (1 - 1e-9) < cut <= asked else cut
    return weights, PureDP(epsilon=spent, status=Status.PROVED, source=PROOF, adjacency=ANY_DOCUMENT)
