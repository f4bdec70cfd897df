"""ADePT with the sensitivity that its codes have: an L2-clipped code, Laplace noise of scale 2C sqrt(n) / epsilon."""

from __future__ import annotations

from textveil.mechanisms.code_bounds import ClippedNorm
from textveil.mechanisms.declaration import declared
from textveil.mechanisms.document.dp_rewrite import NEEDS, ClippingConstant, laplace_codes
from textveil.mechanisms.document.noisy_codes import NoisyCodes
from textveil.mechanisms.parameters import DocumentEpsilon, LongTexts, NetworkFolder
from textveil.models.autoencoder.coder import sentence_coder
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ANY_DOCUMENT
from textveil.vocabulary.vocabulary import Vocabulary

PROOF = "privacy/proofs/dp_rewrite.md"


@declared(
    family="document",
    notion="pure DP",
    status=Status.PROVED,
    proof=PROOF,
    source="Krishna, Gupta and Dupuy 2021 (EACL); sensitivity: Habernal 2021 (EMNLP), corollary 3.4",
    summary="Writes a text of an auto-encoder's L2-clipped code with Laplace noise, by the corrected sensitivity.",
    adjacency=ANY_DOCUMENT,
    needs=NEEDS,
)
def adept(
    vocabulary: Vocabulary,
    *,
    network: NetworkFolder,
    epsilon: DocumentEpsilon,
    clipping_constant: ClippingConstant = 1.0,
    long_texts: LongTexts = "refuse",
) -> NoisyCodes:
    """Laplace noise of scale 2C sqrt(n) / epsilon on a code of n coordinates, clipped to the L2 norm C.

    Source: Krishna, Gupta and Dupuy 2021, with the L1 sensitivity of L2-clipped codes of Habernal 2021; proof:
    privacy/proofs/dp_rewrite.md. ``dp-rewrite`` has the other clippings and noises.

    The vocabulary is not used: the network has its own words.

    Raises:
        ParameterError: an option is outside its domain.
        MissingExtra: torch or safetensors is not installed.
        ModelError: the folder holds no network with its words.
    """
    bound = ClippedNorm(2, clipping_constant)
    return laplace_codes("adept", sentence_coder(network), bound, epsilon, PROOF, long_texts, {})
