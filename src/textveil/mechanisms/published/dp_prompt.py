"""DP-Prompt as its public code has it, without the clipping that its theorem needs: for audits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, final

import numpy as np

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.generation.clipped_writing import prompted_writing
from textveil.mechanisms.generation.parameters import (
    Device,
    EpsilonPerToken,
    MaxLogit,
    MinLogit,
    Prompt,
    Temperature,
    WrittenTokens,
)
from textveil.mechanisms.generation.prompted import PUBLIC_SENTENCES, LogitWeights, PromptedWriting
from textveil.mechanisms.parameters import DocumentEpsilon, LongTexts, ModelFolder, one_of
from textveil.models.next_tokens import next_tokens
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.types import Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION: Final = "privacy/proofs/dp_prompt_published.md"

PROMPT: Final = "Review: {text}\nParaphrase of the review:"

_SENTENCES: Final = 4
"""Public sentences of which every pair is tried."""


@final
@dataclass(frozen=True, slots=True)
class UnclippedWeights:
    """Weight max(1, floor(top exp((l - largest l) / temperature))) of logit l.

    The floor of 1 lets rare tokens have a little more than the softmax that is published gives them.

    Attributes:
        temperature: > 0.
        top: the largest weight.
    """

    temperature: float
    top: int

    def rows(self, logits: Reals) -> Integers:
        """The integers that are drawn, int64, shape (rows, size)."""
        finite = np.nan_to_num(logits, nan=-1e30, posinf=1e30, neginf=-1e30)
        weights = np.exp((finite - finite.max(axis=1, keepdims=True)) / self.temperature) * float(self.top)
        return np.clip(weights.astype(np.int64), 1, self.top)


@declared(
    family="document",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    adjacency=ANY_DOCUMENT,
    needs="a model on disk (extra transformers)",
    source="Utpala, Hooker and Chen 2023 (DP-Prompt), public code",
    summary="DP-Prompt without clipping, as its public code has it; false wherever logits leave the range.",
    instead="dp-prompt",
)
def dp_prompt_published(
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
    """Softmax of the logits as they are, at the temperature that the claim has for clipped ones.

    Use ``dp-prompt`` for a guarantee that holds. The status is computed: ``REFUTED`` where two public sentences and an
    output are found whose loss exceeds the claim (``parameters`` has them), ``CLAIMED`` where none is found.
    Source: public code of Utpala, Hooker and Chen 2023; refutation: privacy/proofs/dp_prompt_published.md.

    Args:
        vocabulary: not used: what is drawn are the model's tokens.
        model: folder of a Hugging Face model with its tokenizer.
        epsilon: claimed nats of one document; exactly one of this and the two that follow.
        epsilon_per_token: claimed nats of one generated token.
        temperature: T; the claim is 2 (max_logit - min_logit) / T a token.
        tokens: tokens that are generated at most.
        min_logit: b1 of the claim; None measures it on public sentences.
        max_logit: b2 of the claim; None measures it on public sentences.
        prompt: with one ``{text}``, the document's place; None is that of the public code.
        long_texts: "refuse" documents that the model has no room for, or "cut" off their ends.
        device: where torch computes.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model in the folder.
        ParameterError: an option is outside its domain, or the model has no room for so many tokens.
    """
    clipped = prompted_writing(
        "dp-prompt-published",
        next_tokens(model, device=device),
        prompt=PROMPT if prompt is None else prompt,
        guaranteed=one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token, temperature=temperature),
        tokens=tokens,
        logits=(min_logit, max_logit),
        long_texts=long_texts,
        device=device,
    )
    claimed = clipped.guarantee.approximate().epsilon
    heat = float(clipped.parameters["softmax_temperature"])
    weights: LogitWeights = UnclippedWeights(heat, (1 << 61) // (1 << (clipped.model.size - 1).bit_length()))
    unclipped = replace(clipped, weights=weights)
    witness = unclipped.costliest_output(list(combinations(PUBLIC_SENTENCES[:_SENTENCES], 2)), claimed)
    refuted = witness.loss > claimed
    return replace(
        unclipped,
        guarantee=PureDP(
            epsilon=claimed,
            status=Status.REFUTED if refuted else Status.CLAIMED,
            source=REFUTATION,
            adjacency=ANY_DOCUMENT,
        ),
        parameters={
            **clipped.parameters,
            "witness_texts": [witness.first, witness.second],
            "witness_tokens": list(witness.tokens),
            "witness_loss": witness.loss,
        },
    )
