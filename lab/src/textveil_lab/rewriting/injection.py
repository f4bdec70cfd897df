"""Places at which noise enters the rewriting of a sentence, with their guarantees.

The guarantees hold for sentences that a trained network rewrites. Training reads its own sentences unchanged: a network
trained on private text does not protect that text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from textveil.catalog import promised
from textveil.errors import need
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.privacy.guarantees import Guarantee, NoGuarantee
from textveil.randomness import seeded_generator
from textveil.types import Ids, Vectors
from textveil.vocabulary.grid import load_torch
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.mechanisms.capabilities import NoisyVectors
from textveil_lab.vocabulary.geometry import clip as clip_vectors

if TYPE_CHECKING:
    import torch


class Place(Enum):
    """Place at which noise enters."""

    TOKENS = "each-token"  # Every word is replaced by a draw of a mechanism; all that follows sees released words only
    ENCODER_INPUT = "encoder-input"
    """Input of the encoder: noise on the words' vectors, or words drawn by a mechanism."""
    EMBEDDING_TABLE = "embedding-table"
    """Table of vectors, once before training: one noise vector for each word of the vocabulary."""


class Feeding(Enum):
    """Words that the decoder is fed with, as predecessors of the predicted word."""

    CLEAN = "clean"  # The private words (teacher forcing): the output is under no bound
    RELEASED = "released"  # The words that a mechanism released
    FREE = "free"  # Its own output


class Noise(Protocol):
    """Source of noise vectors, such as every distribution of ``textveil_lab.noise``."""

    def sample(self, count: int, rng: np.random.Generator | None = None) -> Any:
        """Return vectors of real numbers, shape (count, dim)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Injection:
    """Noise at one place.

    Raises:
        ParameterError: the parts do not fit together.
    """

    place: Place  # where noise enters
    # draws words, for a sentence as a document if it draws in order; for ``TOKENS`` and ``ENCODER_INPUT``
    mechanism: WordMechanism | SequenceMechanism | None = None
    noise: Noise | None = None  # draws vectors, which are added; for ``ENCODER_INPUT`` and ``EMBEDDING_TABLE``
    clip: float | None = None  # norm to which longer vectors are shortened before the noise; None leaves them
    one_vector_a_batch: bool = False  # whether all tokens of a batch get one and the same noise vector

    def __post_init__(self) -> None:
        tokens, table = self.place is Place.TOKENS, self.place is Place.EMBEDDING_TABLE
        need(self.mechanism is None or self.noise is None, "noise", "both", "given, or else a mechanism")
        need(
            self.noise is None or not tokens,
            "noise",
            "one",
            "left out where each token is drawn",
            "Give a `mechanism`, which ends in a word.",
        )
        need(self.mechanism is None or not table, "mechanism", "one", "left out for a table", "Give `noise`.")
        need(self.clip is None or self.clip > 0, "clip", self.clip, "> 0")
        need(self.clip is None or (self.mechanism is None and not tokens), "clip", self.clip, "the mechanism's own")
        alone = self.noise is not None and self.place is Place.ENCODER_INPUT
        need(not self.one_vector_a_batch or alone, "one_vector_a_batch", True, "of noise at the encoder's input")

    @staticmethod
    def none() -> Injection:
        """Return an injection without noise: every word is released unchanged."""
        return Injection(place=Place.TOKENS)

    @staticmethod
    def of(mechanism: WordMechanism | SequenceMechanism, place: Place) -> Injection:
        """Return the injection of a mechanism at a place: its words at each token, or its noise and clip elsewhere.

        Raises:
            ParameterError: the place is the table, and the mechanism has no noise on vectors.
        """
        if place is Place.TOKENS or not isinstance(mechanism, NoisyVectors):
            return Injection(place=place, mechanism=mechanism)
        return Injection(place=place, noise=mechanism.distribution, clip=mechanism.clip)

    def guarantee(self, feeding: Feeding = Feeding.FREE) -> Guarantee:
        """Return the guarantee of a rewritten sentence for one token of its original, with the reason if there is none.

        Args:
            feeding: of the decoder, when sentences are rewritten.
        """
        if self.mechanism is None and self.noise is None:
            return NoGuarantee(reason="there is no noise")
        if self.place is Place.EMBEDDING_TABLE:
            return NoGuarantee(reason="the noise hides the table's vectors, not which of them a sentence uses")
        if feeding is Feeding.CLEAN:
            return NoGuarantee(reason="the decoder is fed with the private words themselves")
        if self.mechanism is not None:
            return promised(self.mechanism, allow_refuted=True)
        if self.one_vector_a_batch:
            return NoGuarantee(reason="one noise vector for a batch leaves the differences of its words exact")
        if self.clip is None:
            return NoGuarantee(reason="vectors without a bound on their length are moved by bounded noise")
        return NoGuarantee(
            reason="what the noise gives for vectors of that length has to be proved for the noise; none is stated here"
        )

    def check(self, vocabulary: Vocabulary) -> None:
        """Check that mechanism and noise fit a vocabulary's words and dimension; a mechanism may have other vectors.

        Raises:
            ParameterError: they do not fit.
        """
        if self.mechanism is not None:
            same = self.mechanism.vocabulary.words == vocabulary.words
            need(same, "injection", "a mechanism of other words", "of the words of the vocabulary")
        if self.noise is not None:
            shape = np.shape(self.noise.sample(1, seeded_generator(0)))
            wanted = f"noise of {vocabulary.dim} coordinates, as the vocabulary's vectors have"
            need(shape == (1, vocabulary.dim), "injection", f"draws of shape {shape}", wanted)

    def released(self, sentences: Sequence[Ids], rng: np.random.Generator) -> list[Ids]:
        """Return the words for the encoder: a fresh draw for each; without a mechanism, the words themselves."""
        if self.mechanism is None:
            return list(sentences)
        bounds = np.cumsum([len(one) for one in sentences])
        ids = np.concatenate([np.empty(0, np.int64), *sentences])
        if isinstance(self.mechanism, WordMechanism):
            drawn = self.mechanism.privatize(ids, rng)
        else:
            drawn = self.mechanism.privatize_documents(ids, np.concatenate([[0], bounds]), rng)
        return np.split(drawn, bounds[:-1])

    def disturbing(self, rng: np.random.Generator) -> Callable[[torch.Tensor], torch.Tensor] | None:
        """Return the function that disturbs the encoder's input vectors, fresh in every batch; None without noise."""
        if self.place is not Place.ENCODER_INPUT or (self.noise is None and self.clip is None):
            return None

        def disturb(vectors: torch.Tensor) -> torch.Tensor:
            torch = load_torch()
            if self.clip is not None:
                norms = torch.linalg.vector_norm(vectors, dim=1, keepdim=True)
                vectors = vectors * (self.clip / norms.clamp(min=self.clip))
            if self.noise is None:
                return vectors
            drawn = self.noise.sample(1 if self.one_vector_a_batch else len(vectors), rng)
            return vectors + torch.from_numpy(np.asarray(drawn, dtype=np.float32)).to(vectors.device)

        return disturb

    def table(self, vectors: Vectors, rng: np.random.Generator) -> Vectors:
        """Return the initial vectors of the words, shape (n, dim)."""
        if self.place is not Place.EMBEDDING_TABLE:
            return vectors
        clipped = vectors if self.clip is None else clip_vectors(vectors, self.clip)
        if self.noise is None:
            return clipped
        return clipped + np.asarray(self.noise.sample(len(vectors), rng), dtype=np.float32)

    def to_data(self) -> dict[str, Any]:
        """Return all public facts as JSON data."""
        mechanism = self.mechanism
        return {
            "place": self.place.value,
            "mechanism": None if mechanism is None else {"name": mechanism.name, **dict(mechanism.parameters)},
            "noise": None if self.noise is None else _facts(self.noise),
            "clip": self.clip,
            "one_vector_a_batch": self.one_vector_a_batch,
        }


def _facts(noise: Noise) -> dict[str, Any]:
    kind = type(noise)
    if not is_dataclass(noise):
        return {"name": kind.__qualname__}
    values = {one.name: getattr(noise, one.name) for one in fields(noise)}
    plain = {name: value for name, value in values.items() if isinstance(value, str | int | float | bool | None)}
    return {"name": kind.__qualname__, **plain}
