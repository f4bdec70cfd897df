"""DP-BART: adds Gaussian noise to the clamped states of an encoder-decoder, whose decoder writes a text from them."""

import hashlib
from pathlib import Path
from typing import Annotated

from textveil.errors import ParameterError
from textveil.mechanisms.declaration import proved
from textveil.privacy.units import ANY_DOCUMENT
from textveil.registry.options import MODELS, POSITIVE, Option, at_least, file_or_named
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.document.noisy_codes import NoisyCodes, gaussian_codes
from textveil_lab.mechanisms.parameters import (
    CALIBRATIONS,
    Calibration,
    ClampedValues,
    DocumentDelta,
    DocumentEpsilon,
    Length,
    LongTexts,
    ModelFolder,
)
from textveil_lab.models.encoder_decoder import StateCoder, encoder_decoder

PROOF = "textveil_lab/proofs/dp_bart.md"
NEEDS = "an encoder-decoder on disk (extra transformers)"
ClipValue = Annotated[float, Option(POSITIVE, "Every coordinate of a code is clamped to [-C, C].", "C", MODELS)]
Pruned = Annotated[
    str,
    Option(
        file_or_named("a file of coordinates"),
        "Public coordinates of every state, counted from 0, that are left out and written as 0: DP-BART-PR.",
        "FILE",
        MODELS,
        unset="none",
    ),
]
Beams = Annotated[int, Option(at_least(1), "Beams of the search when a text is written.", "B", MODELS)]


@proved(
    family="document",
    notion="approximate DP",
    proof=PROOF,
    source="Igamberdiev and Habernal 2023 (ACL Findings); sigma: Balle and Wang 2018, theorem 8",
    summary="Writes a text of an encoder-decoder's states, clamped, with Gaussian noise: DP-BART-CLV.",
    adjacency=ANY_DOCUMENT,
    needs=NEEDS,
)
def dp_bart(
    vocabulary: Vocabulary,
    *,
    model: ModelFolder,
    epsilon: DocumentEpsilon,
    delta: DocumentDelta = 1e-5,
    length: Length = 20,
    clip_value: ClipValue = 0.1,
    calibration: Calibration = "analytic",
    beams: Beams = 3,
    pruned: Pruned | None = None,
    long_texts: LongTexts = "refuse",
) -> NoisyCodes:
    """Noise N(0, sigma^2 I) on length * width clamped coordinates, whose L2 sensitivity is 2 C sqrt(length * width).

    The encoder reads a text as a row of ``length`` tokens, and the decoder attends to all of its positions: it uses
    only the noisy states of a text. The model must be public, and must not have been trained on the texts.

    ``model`` is an encoder-decoder of transformers: BART, T5 or another. The paper's ``clip_value`` is 0.1. The fewer
    coordinates ``pruned`` leaves, the less noise each gets: choose them, and train the model without them, on public
    text. The vocabulary is not used: the model has its own tokens.

    Raises:
        ParameterError: an option is outside its domain, the model has no room for so many tokens, or its states have no
            such coordinates.
        MissingExtra: torch or transformers is not installed.
        ModelError: the folder has no encoder-decoder with its tokenizer.
    """
    coder = state_coder(model, length, beams, () if pruned is None else _coordinates(pruned))
    bound = ClampedValues(clip_value)
    sigma = CALIBRATIONS[calibration](epsilon, delta, bound.reach(coder.dim, 2))
    digest = hashlib.sha256(" ".join(map(str, sorted(coder.pruned))).encode()).hexdigest()
    left_out = {} if pruned is None else {"pruned": Path(pruned).name, "pruned_digest": digest}
    stated = {"clip_value": clip_value, "calibration": calibration, **left_out}
    return gaussian_codes(
        "dp-bart",
        coder,
        bound,
        sigma,
        epsilon=epsilon,
        delta=delta,
        proof=PROOF,
        long_texts=long_texts,
        parameters=stated,
    )


def _coordinates(file: str) -> tuple[int, ...]:
    try:
        return tuple(int(coordinate) for coordinate in Path(file).read_text(encoding="utf-8").split())
    except (OSError, ValueError):
        raise ParameterError(
            "pruned must be a file of whole numbers between spaces or lines; got another. Write one of public numbers."
        ) from None


def state_coder(model: str, length: int, beams: int, pruned: tuple[int, ...] = ()) -> StateCoder:
    """Return the states of the encoder-decoder in a folder as codes.

    Raises:
        ParameterError: the model has no room for so many tokens; or as ``encoder_decoder``.
    """
    read = encoder_decoder(model)
    read.check_length(length)
    return StateCoder(read, length, beams, pruned)
