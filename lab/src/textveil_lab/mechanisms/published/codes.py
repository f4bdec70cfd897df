"""ADePT and DP-BART as published: noise on the code of a text, calibrated too low. For audits."""

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from textveil.mechanisms.declaration import refuted
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import ApproximateDP, PureDP
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.dp_bart import NEEDS as MODEL_NEEDS
from textveil_lab.mechanisms.document.dp_bart import Beams, ClipValue, state_coder
from textveil_lab.mechanisms.document.dp_rewrite import NEEDS as NETWORK_NEEDS
from textveil_lab.mechanisms.document.dp_rewrite import ClippingConstant
from textveil_lab.mechanisms.document.noisy_codes import NoisyCodes, judged_claim
from textveil_lab.mechanisms.parameters import (
    ClampedValues,
    ClippedNorm,
    DocumentDelta,
    DocumentEpsilon,
    Length,
    LongTexts,
    ModelFolder,
    NetworkFolder,
)
from textveil_lab.mechanisms.published.claims import (
    TWO_VECTORS,
    ClaimBasis,
    FormTrial,
    MovedNoise,
    PublishedClaim,
    TrialSetting,
    line,
    noise_on_two,
)
from textveil_lab.models.autoencoder.coder import sentence_coder
from textveil_lab.models.random_models import random_bart, random_network
from textveil_lab.noise.calibration import laplace_scale
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace
from textveil_lab.noise.gaussian import Gaussian

_ADEPT_PROOF = "textveil_lab/proofs/adept_published.md"


@refuted(
    family="document",
    notion="pure DP",
    proof=_ADEPT_PROOF,
    source="Krishna, Gupta and Dupuy 2021 (EACL); refuted by Habernal 2021 (EMNLP)",
    summary="ADePT with the sensitivity 2C of its paper, which an L2-clipped code does not have.",
    instead="adept",
    adjacency=ANY_DOCUMENT,
    needs=NETWORK_NEEDS,
)
def adept_published(
    vocabulary: Vocabulary,
    *,
    network: NetworkFolder,
    epsilon: DocumentEpsilon,
    clipping_constant: ClippingConstant = 1.0,
    long_texts: LongTexts = "refuse",
) -> NoisyCodes:
    """Laplace noise of scale 2C / epsilon on a code of n coordinates, clipped to the L2 norm C.

    Use ``adept`` for a guarantee that holds. The status is computed: ``REFUTED`` if two texts of the network's words
    have codes farther apart than 2C in L1, ``CLAIMED`` if no such texts were found.
    """
    coder = sentence_coder(network)
    bound = ClippedNorm(2, clipping_constant)
    noise = CoordinateLaplace(dim=coder.dim, scale=2 * clipping_constant / epsilon)
    judged = judged_claim(
        coder,
        bound,
        noise,
        epsilon=epsilon,
        log_delta=-math.inf,
        words=coder.vocabulary.words,
        proof=_ADEPT_PROOF,
        long_texts=long_texts,
    )
    return NoisyCodes(
        name="adept-published",
        parameters={
            **{"epsilon": epsilon, "scale": noise.scale, "clipping_constant": clipping_constant},
            **{"coordinates": coder.dim, "long_texts": long_texts, **coder.facts, **judged.parameters},
        },
        guarantee=PureDP(epsilon=epsilon, status=judged.status, source=_ADEPT_PROOF, adjacency=ANY_DOCUMENT),
        coder=coder,
        bound=bound,
        distribution=noise,
        long_texts=long_texts,
    )


def _clipped_ball(sensitivity: Callable[[int], float]) -> Callable[[TrialSetting], MovedNoise]:
    def law(setting: TrialSetting) -> MovedNoise:
        scale = laplace_scale(setting.epsilon, sensitivity(setting.dim))
        return MovedNoise(
            distribution=CoordinateLaplace(dim=setting.dim, scale=scale),
            shift=np.full(setting.dim, 2 / math.sqrt(setting.dim)),
            epsilon=setting.epsilon,
            facts={"vectors": "norm 1, all coordinates equal; and its opposite"},
        )

    return law


_as_published = _clipped_ball(lambda dim: 2.0)
_mended = _clipped_ball(lambda dim: 2 * math.sqrt(dim) * (1 + 1e-9))


_BART_PROOF = "textveil_lab/proofs/dp_bart_published.md"


@refuted(
    family="document",
    notion="approximate DP",
    proof=_BART_PROOF,
    source="Igamberdiev and Habernal 2023 (ACL Findings), sample script of the public code: gaussian, epsilon 250",
    summary="DP-BART with the classical sigma at any epsilon; its claim can be false above 1.",
    instead="dp-bart",
    adjacency=ANY_DOCUMENT,
    needs=MODEL_NEEDS,
    shown_at={"epsilon": 250.0},
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

    Use ``dp-bart`` for a guarantee that holds. The status is computed: ``PROVED`` if the noise's guarantee for any two
    codes is within the claim, ``REFUTED`` if two texts of the vocabulary's words exceed it under this model, else
    ``CLAIMED``.
    """
    coder = state_coder(model, length, beams)
    bound = ClampedValues(clip_value)
    sigma = _classical(epsilon, delta, 2 * clip_value * math.sqrt(coder.dim))
    noise = Gaussian(dim=coder.dim, sigma=sigma)
    log_delta = math.log(delta)
    judged = judged_claim(
        coder,
        bound,
        noise,
        epsilon=epsilon,
        log_delta=log_delta,
        words=vocabulary.words,
        proof=_BART_PROOF,
        long_texts=long_texts,
    )
    return NoisyCodes(
        name="dp-bart-published",
        parameters={
            **{"epsilon": epsilon, "delta": delta, "sigma": sigma, "clip_value": clip_value},
            **{"coordinates": coder.dim, "long_texts": long_texts, **coder.facts, **judged.parameters},
        },
        guarantee=ApproximateDP(
            epsilon=epsilon, log_delta=log_delta, status=judged.status, source=_BART_PROOF, adjacency=ANY_DOCUMENT
        ),
        coder=coder,
        bound=bound,
        distribution=noise,
        long_texts=long_texts,
    )


def _classical(epsilon: float, delta: float, reach: float) -> float:
    return reach * math.sqrt(2 * math.log(1.25 / delta)) / epsilon


def _latent(sigma: Callable[[float, float, float], float]) -> Callable[[TrialSetting], MovedNoise]:
    def law(setting: TrialSetting) -> MovedNoise:
        return MovedNoise(
            distribution=Gaussian(dim=setting.dim, sigma=sigma(setting.epsilon, 1e-5, 0.2 * math.sqrt(setting.dim))),
            shift=np.full(setting.dim, 0.2),
            epsilon=setting.epsilon,
            log_delta=math.log(1e-5),
        )

    return law


_SCRIPT: Final = line(250.0, 0.0, 1.0, dim=20 * 768)  # of the sample script: 20 tokens of BART's width


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
    PublishedClaim(
        name="adept",
        work="ADePT",
        part="Laplace noise on the clipped latent vector",
        claim="epsilon, for two texts",
        source="Krishna et al., EACL 2021; Habernal, EMNLP 2021, arXiv 2109.03175",
        basis=ClaimBasis.REPORTED,
        why="A vector clipped in the L2 norm has L1 sensitivity 2 C sqrt(dim), and 2 C is paid for.",
        repair="scale 2 C sqrt(dim) / epsilon",
        instead="adept",
        form="adept-published",
        setting=line(1.0, 0.0, 1.0, dim=128),
        published=_as_published,
        repaired=_mended,
    ),
    PublishedClaim(
        name="dp-rewrite",
        work="DP-Rewrite",
        part="L2 clipping with Laplace noise",
        claim="epsilon, for two texts",
        source="Igamberdiev, Arora and Habernal 2022; get_sensitivity_for_clip_by_norm in their dp_bart.py",
        why="Scale 2 C sqrt(dim) / epsilon pays for the L1 sensitivity.",
        setting=line(1.0, 0.0, 1.0, dim=128),
        published=_mended,
    ),
)

ADEPT_TRIAL: Final = FormTrial(model=lambda folder, words: {"network": str(random_network(folder, words))})
BART_TRIAL: Final = FormTrial(model=lambda folder, words: {"model": str(random_bart(folder, words.words))})
