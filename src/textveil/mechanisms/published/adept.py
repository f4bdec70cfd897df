"""ADePT as published: an L2-clipped code with Laplace noise of scale 2C / epsilon, as if the code were L1-clipped."""

from __future__ import annotations

import math

from textveil.mechanisms.code_bounds import ClippedNorm
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.dp_rewrite import NEEDS, ClippingConstant
from textveil.mechanisms.document.noisy_codes import NoisyCodes, judged_claim
from textveil.mechanisms.parameters import DocumentEpsilon, LongTexts, NetworkFolder
from textveil.models.autoencoder.coder import sentence_coder
from textveil.noise.coordinate_laplace import CoordinateLaplace
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

    Args:
        vocabulary: not used; the network has its own words.
        network: the folder of a network with its words.
        epsilon: the claimed nats of a whole document, finite and > 0.
        clipping_constant: C, finite and > 0.
        long_texts: "refuse" documents of more words than the network reads, or "cut" off their ends.

    Raises:
        ParameterError: as ``adept``.
        MissingExtra: as there.
        ModelError: as there.
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
