"""What the mechanisms share that draw tokens from clipped logits: their weights, and what they promise."""

from __future__ import annotations

import math
from typing import Final

from textveil.mechanisms.generation.prompted import PromptedWriting, checked_prompt, need_room, public_range
from textveil.mechanisms.generation.token_weights import TokenWeights, token_weights
from textveil.models.next_tokens import NextTokens
from textveil.privacy.composition import repeat
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT

PROOF: Final = "privacy/proofs/clipped_sampling.md"


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
    need_room(model, checked_prompt(prompt), tokens)
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
