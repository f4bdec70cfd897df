"""DP-Paraphrase: paraphrases by a causal model that was fine-tuned to write them, from clipped logits."""

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

PROMPT: Final = "{text} >>>>> "


@declared(
    family="document",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    adjacency=ANY_DOCUMENT,
    needs="a causal model on disk (extra transformers)",
    source="Mattern, Weggenmann and Kerschbaum 2022 (arXiv 2205.02130)",
    summary="Paraphrases a document by a causal model that learned to, each token from clipped logits.",
)
def dp_paraphrase(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: DocumentEpsilon | None = None,
    epsilon_per_token: EpsilonPerToken | None = None,
    temperature: Temperature | None = None,
    tokens: WrittenTokens = 50,
    min_logit: MinLogit | None = None,
    max_logit: MaxLogit | None = None,
    prompt: Prompt | None = None,
    long_texts: LongTexts = "refuse",
    device: Device = "cpu",
) -> PromptedWriting:
    """DP-Paraphrase over a causal model like GPT-2 that learned to paraphrase; see ``PromptedWriting`` for the law.

    The law and the guarantee are those of ``dp-prompt``; the prompt is the document and a mark, as in public code for
    the model that the paper fine-tuned. How many tokens the paper draws could not be read: 50 is this package's
    default.
    Source: Mattern, Weggenmann and Kerschbaum 2022; proof: privacy/proofs/clipped_sampling.md.

    Exactly one of ``epsilon``, which the tokens share, ``epsilon_per_token`` and ``temperature`` is given. The
    vocabulary is not used: what is drawn are the model's tokens.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model in the folder.
        ParameterError: an option is outside its domain, or the model has no room for so many tokens.
    """
    return prompted_writing(
        "dp-paraphrase",
        next_tokens(model, device=device, causal=True),
        prompt=PROMPT if prompt is None else prompt,
        guaranteed=one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token, temperature=temperature),
        tokens=tokens,
        logits=(min_logit, max_logit),
        long_texts=long_texts,
        device=device,
    )
