"""DP-Prompt: paraphrases by a language model with clipped logits, and the integer weights of their draws."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.numerics.integer_weights import exp_minus_half_ceiling, log_ratio_up
from textveil.privacy.composition import repeat
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_DOCUMENT
from textveil.types import Integers, Reals
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.generation.prompted import PromptedWriting, checked_prompt, need_room, public_range
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
from textveil_lab.models.next_tokens import NextTokens, next_tokens

_BITS = 61  # rows of weights sum to at most 2^61


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWeights:
    """Weights max(floor, floor(top exp((clip(l, min_logit, max_logit) - max_logit) / temperature))) of logits l.

    The exponential mechanism on clipped logits, in integers: every weight is at least ``floor`` and at most ``top``, so
    a draw costs at most 2 ln(top / floor), whatever the logits are. Proof: textveil_lab/proofs/clipped_sampling.md.
    """

    size: int  # tokens n
    min_logit: float  # lower logits count as this one
    max_logit: float  # higher ones as this one
    temperature: float  # > 0
    top: int  # the largest weight
    floor: int  # the smallest, >= 1

    def __post_init__(self) -> None:
        need(1 <= self.floor <= self.top, "floor", self.floor, f"between 1 and {self.top}")
        need(self.size * self.top <= 1 << _BITS, "top", self.top, f"at most 2^{_BITS} / {self.size}")

    @property
    def epsilon(self) -> float:
        """Largest loss of one draw in nats, rounded up."""
        return 2 * log_ratio_up(self.top, self.floor)

    def rows(self, logits: Reals) -> Integers:
        """Return the integers that are drawn, int64, shape (rows, size); NaN counts as ``min_logit``."""
        clipped = np.clip(np.where(np.isnan(logits), self.min_logit, logits), self.min_logit, self.max_logit)
        weights = np.exp((clipped - self.max_logit) / self.temperature) * float(self.top)
        return np.clip(weights.astype(np.int64), self.floor, self.top)


def token_weights(
    *, size: int, min_logit: float, max_logit: float, epsilon: float | None = None, temperature: float | None = None
) -> TokenWeights:
    """Return the weights at ``epsilon`` nats for a token, or at temperature 2 (max_logit - min_logit) / epsilon.

    If integers cannot span the range of weights, weights below 1 are raised to 1, and less is spent.

    Args:
        size: number of tokens, >= 2.
        min_logit: finite.
        max_logit: finite, above ``min_logit``.
        epsilon: nats of one draw; finite and > 0.
        temperature: in place of epsilon; finite and > 0.
    """
    spread = max_logit - min_logit
    need(math.isfinite(spread) and spread > 0, "max_logit", max_logit, f"finite and above min_logit, {min_logit:g}")
    if epsilon is None:
        assert temperature is not None
        epsilon = 2 * spread / temperature
    else:
        temperature = 2 * spread / epsilon
    top = 1 << (_BITS - math.ceil(math.log2(max(2, size))))
    return TokenWeights(
        size=size,
        min_logit=min_logit,
        max_logit=max_logit,
        temperature=temperature,
        top=top,
        floor=exp_minus_half_ceiling(epsilon, top),
    )


PROOF: Final = "textveil_lab/proofs/clipped_sampling.md"


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
    """Return the mechanism under one of the names that share this law.

    Args:
        model: source of the logits.
        prompt: with one placeholder for the document.
        guaranteed: name and value of the given one of epsilon, epsilon_per_token and temperature.
        tokens: largest number of generated tokens.
        logits: their range; None: it is measured.
        long_texts: treatment of documents that are too long.
        device: for reports.
    """
    need_room(model, checked_prompt(prompt), tokens)
    least, most = logits
    if least is None or most is None:
        measured = public_range(model, prompt)
        least, most = measured[0] if least is None else least, measured[1] if most is None else most
    given, value = guaranteed
    if given == "temperature":
        weights = token_weights(size=model.size, min_logit=least, max_logit=most, temperature=value)
    else:
        # epsilon / tokens in floating point may exceed the share by half an ulp; one step down pays it.
        share = value if given == "epsilon_per_token" or tokens == 1 else math.nextafter(value / tokens, 0.0)
        weights = token_weights(size=model.size, min_logit=least, max_logit=most, epsilon=share)
    cut = repeat(PureDP(epsilon=weights.epsilon), tokens).approximate().epsilon
    asked = {"epsilon": value, "epsilon_per_token": value * tokens}.get(given, cut)
    spent = asked if asked * (1 - 1e-9) < cut <= asked else cut
    promise = PureDP(epsilon=spent, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_DOCUMENT)
    return PromptedWriting(
        name=name,
        model=model,
        weights=weights,
        prompt=prompt,
        tokens=tokens,
        long_texts=long_texts,
        guarantee=promise,
        parameters={
            given: value,
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


PROMPT: Final = "Document : {text}\nParaphrase of the document :"


@proved(
    family="document",
    notion="pure DP",
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

    Give exactly one of ``epsilon``, which the tokens share, ``epsilon_per_token`` and ``temperature``. The vocabulary
    is not used: draws are the model's tokens.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: the folder has no such model.
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
