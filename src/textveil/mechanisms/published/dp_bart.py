"""DP-BART with the classical Gaussian formula at any epsilon, as its sample script runs it: for audits."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from textveil.mechanisms.code_bounds import ClampedValues
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.dp_bart import NEEDS, Beams, ClipValue, state_coder
from textveil.mechanisms.document.noisy_codes import NoisyCodes, judged_claim
from textveil.mechanisms.parameters import DocumentDelta, DocumentEpsilon, Length, LongTexts, ModelFolder
from textveil.mechanisms.published.claims import (
    TWO_VECTORS,
    FormTrial,
    MovedNoise,
    PublishedClaim,
    TrialSetting,
    line,
    noise_on_two,
)
from textveil.models.random_models import random_bart
from textveil.noise.gaussian import Gaussian
from textveil.privacy.calibration import analytic_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/dp_bart_published.md"


@declared(
    family="document",
    notion="approximate DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="Igamberdiev and Habernal 2023 (ACL Findings), sample script of the public code: gaussian, epsilon 250",
    summary="DP-BART with the classical sigma at any epsilon; its claim can be false above 1.",
    instead="dp-bart",
    adjacency=ANY_DOCUMENT,
    needs=NEEDS,
)
def dp_bart_published(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: DocumentEpsilon,
    delta: DocumentDelta = 1e-5,
    length: Length = 20,
    clip_value: ClipValue = 0.1,
    beams: Beams = 3,
    long_texts: LongTexts = "refuse",
) -> NoisyCodes:
    """Noise N(0, sigma^2 I) with sigma = 2 C sqrt(length * width) sqrt(2 ln(1.25 / delta)) / epsilon at any epsilon.

    Use ``dp-bart`` for a guarantee that holds. The status is computed: ``PROVED`` where what the noise gives for any
    two codes is within the claim, ``REFUTED`` where two texts of the vocabulary's words exceed it under this model,
    ``CLAIMED`` between them. Refutation: privacy/proofs/dp_bart_published.md.
    """
    coder = state_coder(model, length, beams)
    bound = ClampedValues(clip_value)
    sigma = _classical(epsilon, delta, 2 * clip_value * math.sqrt(coder.dim))
    noise = Gaussian(dim=coder.dim, sigma=sigma)
    log_delta = math.log(delta)
    judged = judged_claim(
        coder, bound, noise, epsilon=epsilon, log_delta=log_delta, words=vocabulary.words, long_texts=long_texts
    )
    return NoisyCodes(
        name="dp-bart-published",
        parameters={
            **{"epsilon": epsilon, "delta": delta, "sigma": sigma, "clip_value": clip_value},
            **{"coordinates": coder.dim, "long_texts": long_texts, **coder.facts, **judged.parameters},
        },
        guarantee=ApproximateDP(
            epsilon=epsilon, log_delta=log_delta, status=judged.status, source=REFUTATION, adjacency=ANY_DOCUMENT
        ),
        coder=coder,
        bound=bound,
        distribution=noise,
        long_texts=long_texts,
    )


def _classical(epsilon: float, delta: float, reach: float) -> float:
    """The classical formula for sigma, whatever epsilon is."""
    return reach * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _latent(sigma: Callable[[float, float, float], float]) -> Callable[[TrialSetting], MovedNoise]:
    """Gaussian noise on ``dim`` coordinates clamped to [-0.1, 0.1], for two opposite corners."""

    def law(setting: TrialSetting) -> MovedNoise:
        return MovedNoise(
            distribution=Gaussian(dim=setting.dim, sigma=sigma(setting.epsilon, 1e-5, 0.2 * math.sqrt(setting.dim))),
            shift=np.full(setting.dim, 0.2),
            epsilon=setting.epsilon,
            log_delta=math.log(1e-5),
        )

    return law


_SCRIPT: Final = line(250.0, 0.0, 1.0, dim=20 * 768)
"""Of the sample script: 20 tokens of BART's width."""


CLAIMS: Final = (
    PublishedClaim(
        name="dp-bart-script",
        work="DP-BART",
        part="sample script: dp_mechanism gaussian, epsilon 250, 20 tokens",
        claim="(250, 1e-5) for two documents",
        source="github.com/trusthlt/dp-bart-private-rewriting, sample_scripts and dp_bart.py; arXiv 2302.07636",
        why="The classical formula for sigma holds for epsilon below 1.",
        repair="sigma from the exact curve (dp_mechanism analytic_gaussian)",
        instead="dp-bart",
        form="dp-bart-published",
        setting=_SCRIPT,
        published=_latent(_classical),
        repaired=_latent(analytic_gaussian_sigma),
    ),
    PublishedClaim(
        name="dp-bart-analytic",
        work="DP-BART",
        part="dp_mechanism analytic_gaussian",
        claim="(epsilon, 1e-5) for two documents",
        source="github.com/trusthlt/dp-bart-private-rewriting, dp_bart.py; arXiv 2302.07636",
        why="Clamped coordinates have L2 sensitivity 0.2 sqrt(k), and sigma is from the exact curve.",
        setting=_SCRIPT,
        published=_latent(analytic_gaussian_sigma),
    ),
    PublishedClaim(
        name="llmdp-bart-shared",
        work="LLMDP (in DPMLM, DP-ST and PrivFill)",
        part="DPBart",
        claim="(epsilon, 1e-5) for two documents",
        source="github.com/sjmeis/DPMLM, LLMDP.py, class DPBart",
        why="One vector of noise is added at every token's place: differences of clipped vectors are exact.",
        repair="noise of its own at every place, of the scale that all places together need",
        instead="dp-bart",
        published=noise_on_two(TWO_VECTORS, shared=True, log_delta=math.log(1e-5)),
        repaired=noise_on_two(TWO_VECTORS, shared=False, log_delta=math.log(1e-5)),
    ),
)

TRIAL: Final = FormTrial(
    options={"epsilon": 250.0}, model=lambda folder, words: {"model": str(random_bart(folder, words.words))}
)
