"""The shape of an auto-encoder and how it is trained: data, checked once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from textveil.errors import ModelError, ParameterError, need


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoencoderSettings:
    """What is stated of the published experiments (Huang et al., EMNLP 2024), and defaults where nothing is.

    Raises:
        ParameterError: one of them is outside its domain.
    """

    hidden: int = 256  # numbers of an LSTM's state, in each direction of the encoder and in the decoder, >= 1
    code: int = 128  # numbers of a sentence's code, between encoder and decoder, >= 1
    # share of the word vectors' and decoder states' coordinates that training leaves out, in [0, 1)
    dropout: float = 0.5
    learning_rate: float = 0.01  # of Adam, > 0
    betas: tuple[float, float] = (0.5, 0.999)  # of Adam, each in [0, 1)
    batch: int = 1024  # sentences of one step, >= 1
    epochs: int = 100  # passes over the sentences, >= 1
    length: int = 32  # words of a sentence at most, >= 1; longer ones are for the caller to cut
    tune_vectors: bool = True
    # of matrix products in training, ``"float32"`` or ``"bfloat16"``: where the processor multiplies the latter, that
    # takes less than half of the time. Weights, and what is measured afterwards, are float32.
    precision: Literal["float32", "bfloat16"] = "float32"

    def __post_init__(self) -> None:
        for name in ("hidden", "code", "batch", "epochs", "length"):
            value = getattr(self, name)
            need(isinstance(value, int) and not isinstance(value, bool) and value >= 1, name, value, "an integer >= 1")
        need(0 <= self.dropout < 1, "dropout", self.dropout, "in [0, 1)")
        need(0 < self.learning_rate < math.inf, "learning_rate", self.learning_rate, "finite and > 0")
        fits = len(self.betas) == 2 and all(0 <= beta < 1 for beta in self.betas)
        need(fits, "betas", self.betas, "two numbers in [0, 1)")
        need(self.precision in ("float32", "bfloat16"), "precision", self.precision, "float32 or bfloat16")

    def to_data(self) -> dict[str, Any]:
        """JSON data, by the names of the attributes."""
        return {**asdict(self), "betas": list(self.betas)}

    @staticmethod
    def of_data(data: Mapping[str, Any]) -> AutoencoderSettings:
        """The settings that ``to_data`` gave. Raises ModelError: they are not of this form."""
        known = {setting.name for setting in fields(AutoencoderSettings)}
        try:
            if set(data) != known:
                raise ParameterError("other names")
            return AutoencoderSettings(**{**data, "betas": tuple(data["betas"])})
        except (TypeError, ValueError, KeyError):
            raise ModelError("settings of a network must be those that it was saved with; got others.") from None
