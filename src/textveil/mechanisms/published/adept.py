"""ADePT as published: an L2-clipped code with Laplace noise of scale 2C / epsilon, as if the code were L1-clipped."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from textveil.mechanisms.code_bounds import ClippedNorm
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.dp_rewrite import NEEDS, ClippingConstant
from textveil.mechanisms.document.noisy_codes import NoisyCodes, judged_claim
from textveil.mechanisms.parameters import DocumentEpsilon, LongTexts, NetworkFolder
from textveil.mechanisms.published.claims import ClaimBasis, FormTrial, MovedNoise, PublishedClaim, TrialSetting, line
from textveil.models.autoencoder.coder import sentence_coder
from textveil.models.random_models import random_network
from textveil.noise.coordinate_laplace import CoordinateLaplace
from textveil.privacy.calibration import laplace_scale
from textveil.privacy.guarantees import PureDP, Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary

REFUTATION = "privacy/proofs/adept_published.md"


@declared(
    family="document",
    notion="pure DP",
    status=Status.REFUTED,
    proof=REFUTATION,
    source="Krishna, Gupta and Dupuy 2021 (EACL); refuted by Habernal 2021 (EMNLP)",
    summary="ADePT with the sensitivity 2C of its paper, which an L2-clipped code does not have.",
    instead="adept",
    adjacency=ANY_DOCUMENT,
    needs=NEEDS,
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

    Use ``adept`` for a guarantee that holds. The status is computed: ``REFUTED`` where two texts of the network's
    words have codes farther apart than 2C in L1, ``CLAIMED`` where no such texts were found.
    Refutation: privacy/proofs/adept_published.md.
    """
    coder = sentence_coder(network)
    bound = ClippedNorm(2, clipping_constant)
    noise = CoordinateLaplace(dim=coder.dim, scale=2 * clipping_constant / epsilon)
    judged = judged_claim(
        coder, bound, noise, epsilon=epsilon, log_delta=-math.inf, words=coder.vocabulary.words, long_texts=long_texts
    )
    return NoisyCodes(
        name="adept-published",
        parameters={
            **{"epsilon": epsilon, "scale": noise.scale, "clipping_constant": clipping_constant},
            **{"coordinates": coder.dim, "long_texts": long_texts, **coder.facts, **judged.parameters},
        },
        guarantee=PureDP(epsilon=epsilon, status=judged.status, source=REFUTATION, adjacency=ANY_DOCUMENT),
        coder=coder,
        bound=bound,
        distribution=noise,
        long_texts=long_texts,
    )


def _clipped_ball(sensitivity: Callable[[int], float]) -> Callable[[TrialSetting], MovedNoise]:
    """Laplace noise on vectors of Euclidean norm at most 1, of two opposite vectors with equal coordinates."""

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


CLAIMS: Final = (
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

TRIAL: Final = FormTrial(model=lambda folder, words: {"network": str(random_network(folder, words))})
