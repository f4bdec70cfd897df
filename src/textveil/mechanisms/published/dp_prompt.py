"""DP-Prompt as its public code has it, without the clipping that its theorem needs: for audits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, NamedTuple, final

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


class Witness(NamedTuple):
    """Two public documents and an output, computed from the integers that are drawn.

    Attributes:
        first: the document under which the output is likelier.
        second: the other.
        output: its tokens; what follows them is left open.
        loss: the logarithm of the ratio of their probabilities.
    """

    first: str
    second: str
    output: tuple[int, ...]
    loss: float


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
    witness = worst_output(unclipped, PUBLIC_SENTENCES[:_SENTENCES], claimed)
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
            "witness_tokens": list(witness.output),
            "witness_loss": witness.loss,
        },
    )


def worst_output(mechanism: PromptedWriting, texts: Sequence[str], enough: float) -> Witness:
    """Of pairs of texts, the output of greatest loss that is found by taking the token of greatest ratio at each step.

    Args:
        mechanism: its weights are what is drawn.
        texts: public, two at least.
        enough: a loss above which the search ends.
    """
    best = Witness(texts[0], texts[1], (), 0.0)
    for first, second in combinations(texts, 2):
        reading, loss = mechanism.model.read(mechanism.prompts([first, second])), 0.0
        output: list[int] = []
        for _ in range(mechanism.tokens):
            rows = mechanism.weights.rows(reading.logits)
            logs = np.log(rows / rows.sum(axis=1, keepdims=True))
            token = int(np.argmax(np.abs(logs[0] - logs[1]) if not output else np.sign(loss) * (logs[0] - logs[1])))
            loss += float(logs[0, token] - logs[1, token])
            output.append(token)
            if abs(loss) > abs(best.loss):
                pair = (first, second) if loss > 0 else (second, first)
                best = Witness(*pair, tuple(output), abs(loss))
            if abs(loss) > enough:
                return best
            if token in mechanism.model.ends:
                break
            reading = reading.going_on(np.arange(2), np.full(2, token))
    return best
