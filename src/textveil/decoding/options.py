"""How thoroughly the original of a release is looked for, and by what measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from textveil.errors import need

Choice: TypeAlias = Literal["words", "text"]
"""What is to be most probable: each word by itself, or the text as a whole."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderOptions:
    """How thoroughly, and by what measure; the defaults are those that docs/decoding.md measures.

    Attributes:
        choose: ``"words"`` is the most probable word at each place, all else summed over; ``"text"`` the most probable
            sentence as a whole.
        candidates: words that may stand behind a released word.
        proposals: more of them that the language model proposes at each place, where it can name the words it expects.
        width: states of a sentence that go on from a word.
        model_weight: what the model's log probabilities are multiplied with, beside the channel's.
    """

    choose: Choice = "words"
    candidates: int = 24
    proposals: int = 8
    width: int = 16
    model_weight: float = 0.8

    def __post_init__(self) -> None:
        need(self.choose in ("text", "words"), "choose", repr(self.choose), "'text' or 'words'")
        need(self.candidates >= 1, "candidates", self.candidates, "an integer >= 1")
        need(self.proposals >= 0, "proposals", self.proposals, "an integer >= 0")
        need(self.width >= 1, "width", self.width, "an integer >= 1")
        need(0 <= self.model_weight < np.inf, "model_weight", self.model_weight, "finite and >= 0")
