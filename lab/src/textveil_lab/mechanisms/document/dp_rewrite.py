"""DP-Rewrite: adds noise to an auto-encoder's clipped code by the table of sensitivities; its decoder writes a text."""

from typing import Annotated, Any

from textveil.errors import need
from textveil.mechanisms.declaration import proved
from textveil.privacy.composition import analytic_gaussian_sigma
from textveil.privacy.guarantees import PureDP
from textveil.privacy.proved import status_of
from textveil.privacy.units import ANY_DOCUMENT
from textveil.registry.options import FRACTION, GUARANTEE, MODELS, POSITIVE, Option, named
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.noisy_codes import NoisyCodes, gaussian_codes
from textveil_lab.mechanisms.parameters import ClippedNorm, DocumentEpsilon, LongTexts, NetworkFolder
from textveil_lab.models.autoencoder.coder import sentence_coder
from textveil_lab.noise.calibration import laplace_scale
from textveil_lab.noise.coordinate_laplace import CoordinateLaplace

PROOF = "textveil_lab/proofs/dp_rewrite.md"
NEEDS = "a network that `textveil rewrite` trained (extra torch)"
_NORMS = {"l1": 1, "l2": 2}
_USUAL_DELTA = 1e-5
ClippingConstant = Annotated[float, Option(POSITIVE, "C: longer codes are shortened to this norm.", "C", MODELS)]


@proved(
    family="document",
    notion="pure or approximate DP",
    proof=PROOF,
    source="Igamberdiev, Arora and Habernal 2022 (COLING); sensitivities: Habernal 2021 (EMNLP)",
    summary="Writes a text of an auto-encoder's clipped code with Laplace or Gaussian noise.",
    adjacency=ANY_DOCUMENT,
    needs=NEEDS,
)
def dp_rewrite(
    vocabulary: Vocabulary,
    *,
    network: NetworkFolder,
    epsilon: DocumentEpsilon,
    delta: Annotated[
        float,
        Option(
            FRACTION,
            "Delta of one document, where the noise is Gaussian.",
            "D",
            GUARANTEE,
            unset="1e-5 for Gaussian noise, none for Laplace",
        ),
    ]
    | None = None,
    clipping_constant: ClippingConstant = 1.0,
    clipping_norm: Annotated[
        str, Option(named(*_NORMS), "The norm in which codes are clipped.", "NAME", MODELS)
    ] = "l2",
    dp_mechanism: Annotated[
        str, Option(named("laplace", "gaussian"), "The noise on codes.", "NAME", MODELS)
    ] = "laplace",
    long_texts: LongTexts = "refuse",
) -> NoisyCodes:
    """Noise on a code of n coordinates whose norm is at most C, by the sensitivity that the two norms give.

    Clipped in L1, Laplace: 2C. Clipped in L2, Laplace: 2C sqrt(n). Gaussian, clipped in either: 2C, with the analytic
    sigma. The network reads the first words of a document, as many as it was trained with, as one sentence. It must be
    trained on public text: its training text has no guarantee.

    The vocabulary is not used: the network has its own words.

    Raises:
        ParameterError: an option is outside its domain, or a delta is given for Laplace noise.
        MissingExtra: torch or safetensors is not installed.
        ModelError: the folder has no network with its words.
    """
    gaussian = dp_mechanism == "gaussian"
    need(gaussian or delta is None, "delta", delta, "left out for Laplace noise, which is pure DP")
    coder = sentence_coder(network)
    bound = ClippedNorm(_NORMS[clipping_norm], clipping_constant)
    asked: dict[str, Any] = {"clipping_norm": clipping_norm, "dp_mechanism": dp_mechanism}
    if not gaussian:
        scale = laplace_scale(epsilon, bound.reach(coder.dim, 1))
        return NoisyCodes(
            name="dp-rewrite",
            parameters={
                **{"epsilon": epsilon, "scale": scale, "clipping_constant": bound.limit, **asked},
                **{"coordinates": coder.dim, "long_texts": long_texts, **coder.facts},
            },
            guarantee=PureDP(epsilon=epsilon, status=status_of(__name__, PROOF), source=PROOF, adjacency=ANY_DOCUMENT),
            coder=coder,
            bound=bound,
            distribution=CoordinateLaplace(dim=coder.dim, scale=scale),
            long_texts=long_texts,
        )
    delta = _USUAL_DELTA if delta is None else delta
    sigma = analytic_gaussian_sigma(epsilon, delta, bound.reach(coder.dim, 2))
    asked["clipping_constant"] = clipping_constant
    return gaussian_codes(
        "dp-rewrite",
        coder,
        bound,
        sigma,
        epsilon=epsilon,
        delta=delta,
        proof=PROOF,
        long_texts=long_texts,
        parameters=asked,
    )
