"""Masked Hugging Face models as language models over a vocabulary's words.

A word of m tokens is predicted at m masks between its two sides. Its weight is the product of its tokens' probabilities
there; the weights of all words are divided by their sum.

``Spelling`` spells the words of a vocabulary in another model's tokens.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import numpy as np

from textveil.errors import ModelError, WrongModel, need
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.models.language_model import ModelOfWords, boundary_id, check_contexts, check_words, other_id
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

Tokens: TypeAlias = tuple[int, ...]


_LED: Final = "the"  # A word that others are written after, to see how they are spelled in running text


_STOP, _OTHER = ".", "_"


@runtime_checkable
class MaskedLanguageModel(ModelOfWords, Protocol):
    """Model that predicts a word from the words around it."""

    @property
    def reach(self) -> int:
        """Number of ids that it reads on each side, >= 1."""

    def log_probabilities(self, left: Ids, right: Ids, words: Ids) -> Vectors:
        """Return ln P(word | both sides), float32, shape (batch, k).

        Args:
            left: ids in [0, n + 2) before the word, the nearest last, shape (batch, reach).
            right: ids in [0, n + 2) after the word, the nearest first, shape (batch, reach).
            words: ids in [0, n), shape (batch, k).

        Raises:
            ParameterError: another shape, or an id outside its range.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Spelling:
    """Tokens of words in running text."""

    words: tuple[Tokens, ...]
    stop: Tokens
    other: Tokens

    def before(self, left: Ids, room: int) -> list[int]:
        """Return the last tokens, at most ``room``, of ids before a word, without the boundaries that pad them."""
        inner = np.flatnonzero(left != boundary_id(len(self.words)))
        return self._text(left[inner[0] :] if len(inner) else left[:0])[-room:]

    def after(self, right: Ids, room: int) -> list[int]:
        """Return the first tokens, at most ``room``, of ids after a word, with one of the boundaries that pad them."""
        inner = np.flatnonzero(right != boundary_id(len(self.words)))
        return self._text(right[: inner[-1] + 2 if len(inner) else 1])[:room]

    @property
    def longest(self) -> int:
        return max(map(len, self.words))

    def _text(self, ids: Ids) -> list[int]:
        size = len(self.words)
        marks = {boundary_id(size): self.stop, other_id(size): self.other}
        return [
            token for word_id in ids.tolist() for token in (self.words[word_id] if word_id < size else marks[word_id])
        ]


def spelling(tokenizer: Any, vocabulary: Vocabulary, name: str) -> Spelling:
    """Return the tokens of a vocabulary's words.

    Raises:
        ModelError: some words cannot be spelled, or two have one spelling.
    """
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


REACH: Final = 32  # Ids on each side that a model looks at unless told otherwise


@dataclass(frozen=True, eq=False)
class MaskedModel:
    """Masked model on disk; made by ``masked_language_model``."""

    folder: Path
    foreign: ForeignModel
    spelling: Spelling
    vocabulary: str
    reach: int
    batch: int

    @property
    def name(self) -> str:
        """Name in reports: that of its folder."""
        return self.foreign.name

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its files, the vocabulary's digest and its reach."""
        return files_digest(self.folder, "masked", self.vocabulary, str(self.reach))

    @property
    def size(self) -> int:
        return len(self.spelling.words)

    def log_probabilities(self, left: Ids, right: Ids, words: Ids) -> Vectors:
        """Return ln P(word | both sides), float32, shape (batch, k).

        Each pair of sides is read once for every number of tokens of the vocabulary's words.

        Args:
            left: ids in [0, n + 2) before the word, the nearest last, shape (batch, reach).
            right: ids in [0, n + 2) after the word, the nearest first, shape (batch, reach).
            words: ids in [0, n), shape (batch, k).

        Raises:
            ParameterError: another shape, or an id outside its range.
            ModelError: the model returns NaN.
        """
        check_contexts(left, self.reach, self.size, "left")
        check_contexts(right, self.reach, self.size, "right")
        need(len(left) == len(right), "right", f"{len(right)} rows", f"as many rows as left, {len(left)}")
        check_words(words, len(left), self.size)
        log_values = np.empty(words.shape, dtype=np.float32)
        room = (self.foreign.room - self.spelling.longest - 2) // 2
        for start in range(0, len(words), self.batch):
            block = slice(start, start + self.batch)
            sides = [
                (self.spelling.before(before, room), self.spelling.after(after, room))
                for before, after in zip(left[block], right[block], strict=True)
            ]
            weights = np.empty((len(sides), self.size))
            for length, (some, tokens) in self._lengths.items():
                logs = self._logs([(before, length, after) for before, after in sides])
                weights[:, some] = logs[:, np.arange(length), tokens].sum(axis=2)
            whole = np.logaddexp.reduce(weights, axis=1, keepdims=True)
            log_values[block] = np.take_along_axis(weights - whole, words[block], axis=1)
        return log_values

    @cached_property
    def _lengths(self) -> dict[int, tuple[Ids, Ids]]:
        groups: dict[int, list[int]] = {}
        for word, tokens in enumerate(self.spelling.words):
            groups.setdefault(len(tokens), []).append(word)
        return {
            length: (np.array(some), np.array([self.spelling.words[word] for word in some]))
            for length, some in sorted(groups.items())
        }

    def _logs(self, asked: list[tuple[list[int], int, list[int]]]) -> Reals:
        libraries, tokenizer = load_libraries(), self.foreign.tokenizer
        torch = libraries.torch
        begin, end = tokenizer.cls_token_id, tokenizer.sep_token_id
        lead = [] if begin is None else [begin]
        rows = [
            [*lead, *before, *[tokenizer.mask_token_id] * masks, *after, *([] if end is None else [end])]
            for before, masks, after in asked
        ]
        longest = max(map(len, rows))
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.mask_token_id
        ids = torch.tensor([row + [pad] * (longest - len(row)) for row in rows], device=self.foreign.device)
        mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=self.foreign.device)
        first = torch.tensor([len(lead) + len(before) for before, _, _ in asked], device=self.foreign.device)
        places = first[:, None] + torch.arange(asked[0][1], device=self.foreign.device)[None]
        with torch.inference_mode():
            logits = self.foreign.model(input_ids=ids, attention_mask=mask).logits
            there = logits[torch.arange(len(rows), device=self.foreign.device)[:, None], places]
            logs: Reals = torch.log_softmax(there.float(), dim=-1).cpu().numpy().astype(np.float64)
        if np.isnan(logs).any():
            raise ModelError(f"the language model {self.name} must give finite numbers; got NaN. Check its weights.")
        return logs


def masked_language_model(
    folder: Path | str, vocabulary: Vocabulary, *, reach: int = REACH, batch: int = 32, device: str = "cpu"
) -> MaskedModel:
    """Return the masked model in a folder, for a vocabulary's words.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.
        reach: number of ids that it reads on each side, 1 to 512.

    Raises:
        ParameterError: ``reach`` or ``batch`` is outside its range.
        ModelError: the folder has no such model, its tokens cannot spell the vocabulary, or it has no mask.
    """
    need(1 <= reach <= 512, "reach", reach, "from 1 to 512")
    need(batch >= 1, "batch", batch, ">= 1")
    foreign = read_model(folder, "masked", device)
    if foreign.tokenizer.mask_token_id is None:
        raise WrongModel(f"the tokens of {foreign.name} must have a mask; got none. Take a masked language model.")
    words = spelling(foreign.tokenizer, vocabulary, foreign.name)
    return MaskedModel(Path(folder), foreign, words, vocabulary.digest, reach, batch)
