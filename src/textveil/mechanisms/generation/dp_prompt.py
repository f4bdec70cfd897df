"""DP-Prompt: zero-shot paraphrases by a language model with clipped logits and a temperature for the guarantee."""

from __future__ import annotations

from typing import Final

from textveil.mechanisms.declaration import declared
from textveil.mechanisms.generation.clipped_writing import PROOF, prompted_writing
from textveil.mechanisms.generation.prompted import PromptedWriting
from textveil.mechanisms.parameters import (
    Device,
    DocumentEpsilon,
    EpsilonPerToken,
    LongTexts,
    MaxLogit,
    MinLogit,
    ModelFolder,
    Prompt,
    Temperature,
    WrittenTokens,
    one_of,
)
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
    _causal: bool = False,
) -> PromptedWriting:
    """DP-Prompt over any causal or encoder-decoder model on disk; see ``PromptedWriting`` for the law.

    Temperature T = 2 (max_logit - min_logit) / e for e nats a token; a document costs ``tokens`` times e.
    Source: Utpala, Hooker and Chen 2023; proof: privacy/proofs/clipped_sampling.md.

    Exactly one of ``epsilon``, which the tokens share, ``epsilon_per_token`` and ``temperature`` is given. The
    vocabulary is not used: what is drawn are the model's tokens.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model in the folder.
        ParameterError: an option is outside its domain, or the model has no room for so many tokens.
    """
    return prompted_writing(
        "dp-prompt",
        next_tokens(model, device=device, causal=_causal),
        prompt=PROMPT if prompt is None else prompt,
        guaranteed=one_of(epsilon=epsilon, epsilon_per_token=epsilon_per_token, temperature=temperature),
        tokens=tokens,
        logits=(min_logit, max_logit),
        long_texts=long_texts,
        device=device,
    )
