"""How thoroughly the original of a release is looked for, and by what measure."""

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from textveil.errors import need
from textveil.privacy.guarantees import Guarantee

Choice: TypeAlias = Literal["words", "text", "cosine"]
"""What is best: each word most probable by itself, or the text as a whole; or each word of greatest expected cosine."""

_CHOICES: Final[tuple[str, ...]] = get_args(Choice)
_MOST: Final = 0.8
_PER_EPSILON: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DecoderOptions:
    """How thoroughly, and by what measure; the defaults are those that docs/decoding.md measures."""

    # ``"words"`` is the most probable word at each place, all else summed over; ``"text"`` the most probable sentence
    # as a whole; ``"cosine"`` the candidate of greatest expected cosine with the original
    choose: Choice = "words"
    candidates: int = 24
    # more of them that the language model proposes at each place, where it can name the words it expects
    proposals: int = 8
    width: int = 16  # states of a sentence that go on from a word
    # share of the model's log probabilities, beside all of the channel's; what is left of it goes to those of the
    # prior. None is 0.1 for each nat of the mechanism's epsilon, 0.8 at most: the less the released words around a word
    # say, the less their context is trusted.
    model_weight: float | None = None
    # whether to look twice, the second time with the word frequencies that the first look found in the texts that are
    # decoded together: half a million characters, or a block of a file. Takes twice as long.
    adapt: bool = False

    def __post_init__(self) -> None:
        need(self.choose in _CHOICES, "choose", repr(self.choose), "'words', 'text' or 'cosine'")
        need(self.candidates >= 1, "candidates", self.candidates, "an integer >= 1")
        need(self.proposals >= 0, "proposals", self.proposals, "an integer >= 0")
        need(self.width >= 1, "width", self.width, "an integer >= 1")
        weight = self.model_weight
        need(weight is None or 0 <= weight <= 1, "model_weight", weight, "between 0 and 1, or None")

    def weight_for(self, guarantee: Guarantee) -> float:
        """The weight of the model for releases with this guarantee."""
        if self.model_weight is not None:
            return self.model_weight
        epsilon = guarantee.approximate().epsilon if guarantee.promises else math.inf
        return min(_MOST, _PER_EPSILON * epsilon)
