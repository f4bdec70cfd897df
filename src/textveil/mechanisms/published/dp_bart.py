"""DP-BART with the classical Gaussian formula at any epsilon, as its sample script runs it: for audits."""

from __future__ import annotations

import math

from textveil.mechanisms.code_bounds import ClampedValues
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.dp_bart import NEEDS, Beams, ClipValue, state_coder
from textveil.mechanisms.document.noisy_codes import NoisyCodes, judged_claim
from textveil.mechanisms.parameters import DocumentDelta, DocumentEpsilon, Length, LongTexts, ModelFolder
from textveil.noise.gaussian import Gaussian
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

    Args:
        vocabulary: public words, of which the two texts are made.
        model: the folder of an encoder-decoder.
        epsilon: the claimed nats of a whole document, finite and > 0.
        delta: the claimed delta of a document, in (0, 1).
        length: tokens that are read and written at most.
        clip_value: C, to whose two sides every coordinate is clamped.
        beams: of the search for the likeliest text.
        long_texts: "refuse" documents of more tokens, or "cut" off their ends, as the script does.

    Raises:
        ParameterError: as ``dp_bart``.
        MissingExtra: as there.
        ModelError: as there.
    """
    coder = state_coder(model, length, beams)
    bound = ClampedValues(clip_value)
    sigma = 2 * clip_value * math.sqrt(coder.dim) * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
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
