"""DP-Prompt: zero-shot paraphrases by a language model with clipped logits and a temperature for the guarantee."""

from __future__ import annotations

from typing import Final

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.generation.clipped_writing import PROOF, prompted_writing
from textveil.mechanisms.generation.parameters import (
    Device,
    EpsilonPerToken,
    MaxLogit,
    MinLogit,
    Prompt,
    Temperature,
    WrittenTokens,
)
from textveil.mechanisms.generation.prompted import PromptedWriting
from textveil.mechanisms.parameters import DocumentEpsilon, LongTexts, ModelFolder, one_of
from textveil.models.next_tokens import next_tokens
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary

PROMPT: Final = "Document : {text}\nParaphrase of the document :"


@declared(
    family="document",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    needs="a model on disk (extra transformers)",
    source="Utpala, Hooker and Chen 2023 (DP-Prompt, arXiv 2310.16111)",
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
    Source: Utpala, Hooker and Chen 2023; proof: privacy/proofs/clipped_sampling.md.

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
    return prompted_writing(
        "dp-prompt",
        next_tokens(model, device=device),
        prompt=PROMPT if prompt is None else prompt,
        guaranteed=one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token, temperature=temperature),
        tokens=tokens,
        logits=(min_logit, max_logit),
        long_texts=long_texts,
        device=device,
    )
