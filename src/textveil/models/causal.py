"""Causal Hugging Face models as language models over a vocabulary's words.

Words are spelled in the model's tokens, and a tree of all spellings makes the probabilities of words sum to 1: at the
root, the model's probabilities of the tokens that begin a word, divided by their sum; at a place where a word ends and
others go on, those of the tokens that go on as they are, and all the rest for the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple, final

import numpy as np

from textveil.errors import ModelError, need
from textveil.models.base import check_contexts, check_words
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.models.spelling import Spelling, Tokens, spelling
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

REACH: Final = 64
"""Earlier ids that a model looks at unless told otherwise."""

_ROOT: Final[Tokens] = ()


class _Branch(NamedTuple):
    """What may follow the beginning of a word: tokens that go on, and whether it is a word already."""

    tokens: Ids
    ends: bool


@final
@dataclass(frozen=True, eq=False)
class CausalModel:
    """A causal model on disk; made by ``causal_language_model``."""

    folder: Path
    foreign: ForeignModel
    spelling: Spelling
    vocabulary: str
    reach: int
    batch: int

    @property
    def name(self) -> str:
        """What reports call it: the name of its folder."""
        return self.foreign.name

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its files, of the vocabulary's digest, and of how far it looks."""
        return files_digest(self.folder, "causal", self.vocabulary, str(self.reach))

    @property
    def size(self) -> int:
        """Words of its vocabulary."""
        return len(self.spelling.words)

    @property
    def order(self) -> int:
        """One more than the earlier ids that it looks at."""
        return self.reach + 1

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        """Natural logarithms of P(word | context), float32, shape (batch, k).

        Every different context is read once, and once more for every beginning of several tokens that asked words
        share.

        Args:
            contexts: ids in [0, n + 2), the latest last, shape (batch, order - 1).
            words: ids in [0, n), shape (batch, k).

        Raises:
            ParameterError: another shape, or an id outside its range.
            ModelError: the model gives NaN.
        """
        check_contexts(contexts, self.reach, self.size)
        check_words(words, len(contexts), self.size)
        if words.size == 0:
            return np.zeros(words.shape, dtype=np.float32)
        distinct, rows = np.unique(contexts, axis=0, return_inverse=True)
        rows = rows.reshape(-1)
        asked: list[set[int]] = [set() for _ in distinct]
        for row, some in zip(rows.tolist(), words.tolist(), strict=True):
            asked[row].update(some)
        room = self.foreign.room - self.spelling.longest - len(self._begin)
        found = self._scores([self._begin + self.spelling.before(one, room) for one in distinct], asked)
        scores = [[found[row][word] for word in some] for row, some in zip(rows.tolist(), words.tolist(), strict=True)]
        return np.array(scores, dtype=np.float32)

    def _scores(self, texts: list[list[int]], asked: list[set[int]]) -> list[dict[int, float]]:
        """The logarithm for every word that is asked for after each text."""
        places = {
            (row, self.spelling.words[word][:depth])
            for row, some in enumerate(asked)
            for word in some
            for depth in range(len(self.spelling.words[word]) + 1)
            if self.spelling.words[word][:depth] in self._tree
        }
        steps: dict[tuple[int, Tokens], dict[int, float]] = {}
        queue = sorted(places, key=lambda place: len(texts[place[0]]) + len(place[1]))
        for start in range(0, len(queue), self.batch):
            some = queue[start : start + self.batch]
            logits = self._logits([texts[row] + list(begun) for row, begun in some])
            for place, line in zip(some, logits, strict=True):
                steps[place] = _step(self._tree[place[1]], line)
        return [{word: self._path(steps, row, word) for word in some} for row, some in enumerate(asked)]

    def _path(self, steps: dict[tuple[int, Tokens], dict[int, float]], row: int, word: int) -> float:
        """The logarithm of a word: the steps along its tokens, and that it ends there."""
        tokens = self.spelling.words[word]
        total = sum(steps[row, tokens[:depth]][token] for depth, token in enumerate(tokens))
        return total + (steps[row, tokens][_END] if tokens in self._tree else 0.0)

    def _logits(self, rows: list[list[int]]) -> Reals:
        """What the model says after the last token of each row, shape (rows, tokens)."""
        torch = load_libraries().torch
        longest = max(map(len, rows))
        ends = torch.tensor([len(row) for row in rows], device=self.foreign.device)
        ids = torch.tensor([row + [row[-1]] * (longest - len(row)) for row in rows], device=self.foreign.device)
        mask = (torch.arange(longest, device=self.foreign.device)[None] < ends[:, None]).long()
        with torch.inference_mode():  # what pads a row stands after it, where a causal model does not look
            logits = self.foreign.model(input_ids=ids, attention_mask=mask).logits
        last = logits[torch.arange(len(rows), device=self.foreign.device), ends - 1]
        found: Reals = last.float().cpu().numpy().astype(np.float64)
        if np.isnan(found).any() or np.isposinf(found).any():
            raise ModelError(f"the language model {self.name} must give finite numbers; got NaN. Check its weights.")
        return found

    @cached_property
    def _begin(self) -> list[int]:
        """Tokens before every text: the model's mark for a beginning, or else a full stop."""
        tokenizer = self.foreign.tokenizer
        for one in (tokenizer.bos_token_id, tokenizer.cls_token_id, tokenizer.eos_token_id):
            if one is not None:
                return [int(one)]
        return list(self.spelling.stop)

    @cached_property
    def _tree(self) -> dict[Tokens, _Branch]:
        """The beginnings of words that more tokens follow."""
        going_on: dict[Tokens, set[int]] = {}
        for word in self.spelling.words:
            for depth, token in enumerate(word):
                going_on.setdefault(word[:depth], set()).add(token)
        ends = set(self.spelling.words)
        return {begun: _Branch(np.array(sorted(tokens)), begun in ends) for begun, tokens in going_on.items()}


_END: Final = -1


def _step(branch: _Branch, logits: Reals) -> dict[int, float]:
    """Logarithms of what follows the beginning of a word: each token that goes on, and the end where it may end."""
    some = logits[branch.tokens]
    if not branch.ends:
        logs = some - np.logaddexp.reduce(some)
        return dict(zip(branch.tokens.tolist(), logs.tolist(), strict=True))
    logs = some - np.logaddexp.reduce(logits)
    others = np.delete(logits, branch.tokens)
    end = np.logaddexp.reduce(others) - np.logaddexp.reduce(logits) if len(others) else -np.inf
    return {**dict(zip(branch.tokens.tolist(), logs.tolist(), strict=True)), _END: float(end)}


def causal_language_model(
    folder: Path | str, vocabulary: Vocabulary, *, reach: int = REACH, batch: int = 64, device: str = "cpu"
) -> CausalModel:
    """The causal model in a folder, asked about a vocabulary's words.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.
        vocabulary: public words.
        reach: earlier ids that it looks at, 1 to 1,024.
        batch: texts that are given to the model together, >= 1.
        device: where torch keeps the model.

    Raises:
        ParameterError: ``reach`` or ``batch`` is outside its range.
        MissingExtra: torch or transformers is not installed.
        ModelError: no such model in the folder, or its tokens cannot spell the vocabulary.
    """
    need(1 <= reach <= 1024, "reach", reach, "from 1 to 1024")
    need(batch >= 1, "batch", batch, ">= 1")
    foreign = read_model(folder, "causal", device)
    words = spelling(foreign.tokenizer, vocabulary, foreign.name)
    return CausalModel(Path(folder), foreign, words, vocabulary.digest, reach, batch)
