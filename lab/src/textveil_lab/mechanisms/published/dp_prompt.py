"""DP-Prompt as in its public code, without the clipping that its theorem needs: for audits."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np

from textveil.mechanisms.declaration import refuted
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.types import Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.generation.dp_prompt import prompted_writing
from textveil_lab.mechanisms.generation.prompted import PUBLIC_SENTENCES, LogitWeights, PromptedWriting
from textveil_lab.mechanisms.parameters import (
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
from textveil_lab.mechanisms.published.claims import (
    ComputedTable,
    FormTrial,
    PublishedClaim,
    TrialSetting,
    line,
    softmax,
)
from textveil_lab.models.next_tokens import next_tokens
from textveil_lab.models.random_models import random_gpt2

REFUTATION: Final = "textveil_lab/proofs/dp_prompt_published.md"
PROMPT: Final = "Review: {text}\nParaphrase of the review:"
_SENTENCES: Final = 4  # public sentences of which every pair is tried


@dataclass(frozen=True, slots=True)
class UnclippedWeights:
    """Weights max(1, floor(top exp((l - largest l) / temperature))) of logits l.

    The floor of 1 gives rare tokens a little more than the published softmax does.
    """

    temperature: float  # > 0
    top: int  # the largest weight

    def rows(self, logits: Reals) -> Integers:
        """Return the integers that are drawn, int64, shape (rows, size)."""
        finite = np.nan_to_num(logits, nan=-1e30, posinf=1e30, neginf=-1e30)
        weights = np.exp((finite - finite.max(axis=1, keepdims=True)) / self.temperature) * float(self.top)
        return np.clip(weights.astype(np.int64), 1, self.top)


@refuted(
    family="document",
    notion="pure DP",
    proof=REFUTATION,
    adjacency=ANY_DOCUMENT,
    needs="a model on disk (extra transformers)",
    source="Utpala, Hooker and Chen 2023 (DP-Prompt), public code",
    summary="DP-Prompt without clipping, as its public code has it; false wherever logits leave the range.",
    instead="dp-prompt",
    shown_at={"epsilon": 1.0, "min_logit": -0.02, "max_logit": 0.02},
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
    """Softmax of unclipped logits, at the temperature that the claim has for clipped ones.

    Use ``dp-prompt`` for a guarantee that holds. The status is computed: ``REFUTED`` if two public sentences and an
    output are found whose loss exceeds the claim (``parameters`` has them), else ``CLAIMED``.
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


_BOUNDS: Final = (-19.22705113016047, 7.48324937989716)
"""b1 and b2 of LLMDP's DPPrompt, from a sample of FLAN-T5's logits."""

_LOGITS: Final = np.array([[40.0, -60.0, -30.0, -25.0], [-60.0, 40.0, -25.0, -30.0]])
"""Logits of a made-up model for two prompts; they leave the bounds, since nothing in a model prevents that."""


def _step(setting: TrialSetting, logits: Reals, kept: int = 4) -> ComputedTable:
    temperature = 2 * (_BOUNDS[1] - _BOUNDS[0]) / setting.epsilon
    least = np.sort(logits, axis=1)[:, [-kept]]
    return ComputedTable(
        rows=softmax(np.where(logits >= least, logits / temperature, -np.inf)),
        claims=setting.epsilon,
        inputs=("a prompt", "another prompt"),
        outputs=("token 1", "token 2", "token 3", "token 4"),
        facts={"epsilon of a token": setting.epsilon, "temperature": temperature, "kept": kept},
    )


def _clipped(setting: TrialSetting) -> ComputedTable:
    return _step(setting, np.clip(_LOGITS, *_BOUNDS))


_STEP: Final = line(10.0, 0.0, 1.0)
_LLMDP: Final = "LLMDP (in DPMLM, DP-ST and PrivFill)"


CLAIMS: Final = (
    PublishedClaim(
        name="dp-prompt-unclipped",
        work="DP-Prompt",
        part="open models, any prompt",
        claim="2 (b2 - b1) / temperature a token, for any two prompts",
        source="github.com/SaitejaUtpala/dp_prompt, mechanisms/documentlevel; Utpala et al., arXiv 2310.16111",
        why="No logit is clipped to [b1, b2], so the bound rests on what a model happens to do (here: a made one).",
        repair="clip logits before they are divided by the temperature",
        instead="dp-prompt",
        form="dp-prompt-published",
        reading="The theorem of Utpala et al. clips logits to [b1, b2]; the public code does not. For a model that "
        "keeps its logits within the bounds by itself, the claim holds.",
        setting=_STEP,
        published=lambda setting: _step(setting, _LOGITS),
        repaired=_clipped,
    ),
    PublishedClaim(
        name="llmdp-prompt",
        work=_LLMDP,
        part="DPPrompt, one token",
        claim="epsilon a token, for any two prompts",
        source="github.com/sjmeis/DPMLM, LLMDP.py, class DPPrompt",
        why="Logits are clipped, top_k is 0 and top_p is 1: an exponential mechanism (its length is the input's).",
        setting=_STEP,
        published=_clipped,
    ),
    PublishedClaim(
        name="llmdp-paraphrase",
        work=_LLMDP,
        part="DPParaphrase",
        claim="epsilon a token, for any two prompts",
        source="github.com/sjmeis/DPMLM, LLMDP.py, class DPParaphrase",
        why="top_k stays at its default of 50: outputs are those that the input makes likely (here: 2 of 4).",
        repair="top_k 0",
        instead="dp-paraphrase",
        setting=_STEP,
        published=lambda setting: _step(setting, np.clip(_LOGITS, *_BOUNDS) + np.arange(4) * [[0.1], [-0.1]], kept=2),
        repaired=_clipped,
    ),
)

_LARGE: Final = 16.0  # of the weights of a model whose logits leave the range that another model's logits keep

# The range is LLMDP's, measured on FLAN-T5.
TRIAL: Final = FormTrial(
    options={"epsilon": 8.0, "tokens": 4, "min_logit": -19.23, "max_logit": 7.48},
    model=lambda folder, words: {"model": str(random_gpt2(folder, words.words, spread=_LARGE))},
)
