"""How the words of a vocabulary are spelled in another model's tokens."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from textveil.errors import ModelError
from textveil.models.language_model import boundary_id, other_id
from textveil.types import Ids
from textveil.vocabulary.vocabulary import Vocabulary

Tokens: TypeAlias = tuple[int, ...]
_LED: Final = "the"  # A word that others are written after, to see how they are spelled in running text
_STOP, _OTHER = ".", "_"


@dataclass(frozen=True, slots=True, eq=False)
class Spelling:
    """Tokens of words in running text."""

    words: tuple[Tokens, ...]
    stop: Tokens
    other: Tokens

    def before(self, left: Ids, room: int) -> list[int]:
        """The last ``room`` tokens, at most, of ids before a word, without the boundaries that pad them."""
        inner = np.flatnonzero(left != boundary_id(len(self.words)))
        return self._text(left[inner[0] :] if len(inner) else left[:0])[-room:]

    def after(self, right: Ids, room: int) -> list[int]:
        """The first ``room`` tokens, at most, of ids after a word; of the boundaries that pad them, one is kept."""
        inner = np.flatnonzero(right != boundary_id(len(self.words)))
        return self._text(right[: inner[-1] + 2 if len(inner) else 1])[:room]

    @property
    def longest(self) -> int:
        """Tokens of the word that has most."""
        return max(map(len, self.words))

    def _text(self, ids: Ids) -> list[int]:
        size = len(self.words)
        marks = {boundary_id(size): self.stop, other_id(size): self.other}
        return [
            token for word_id in ids.tolist() for token in (self.words[word_id] if word_id < size else marks[word_id])
        ]


def spelling(tokenizer: Any, vocabulary: Vocabulary, name: str) -> Spelling:
    """The tokens of a vocabulary's words. Raises ModelError: some words cannot be spelled, or two are spelled alike."""
    known = [*(f"{_LED} {word}" for word in vocabulary.words), f"{_LED}{_STOP}", f"{_LED} {_OTHER}"]
    lead = tuple(tokenizer(_LED, add_special_tokens=False)["input_ids"])
    rows = [tuple(row) for row in tokenizer(known, add_special_tokens=False)["input_ids"]]
    tails = [row[len(lead) :] if row[: len(lead)] == lead else () for row in rows]
    unknown = tokenizer.unk_token_id
    words, stop, other = tuple(tails[:-2]), tails[-2], tails[-1]
    missing = sum(not tail or unknown in tail for tail in words)
    alike = len(words) - missing - len({tail for tail in words if tail and unknown not in tail})
    if missing or alike:
        got = f"{missing} words without tokens" if missing else f"{alike} words with the tokens of another"
        raise ModelError(
            f"the tokens of {name} must spell the {len(words)} words of the vocabulary; got {got}. "
            "Take a model whose tokens do, or a smaller vocabulary."
        )
    return Spelling(words, stop, other)
