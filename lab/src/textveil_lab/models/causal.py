"""Causal Hugging Face models as language models over a vocabulary's words.

Words are spelled in the model's tokens, and a tree of all spellings makes the probabilities of words sum to 1. At the
root, the probabilities of the tokens that begin a word are divided by their sum. At a node at which a word ends and
others continue, the tokens that continue keep their probabilities, and the end gets the rest.
"""

import copy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.errors import ModelError, need
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.models.language_model import check_contexts, check_words
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.masked import Spelling, Tokens, spelling

REACH: Final = 64  # Earlier ids that a model looks at unless told otherwise
_ROOT: Final[Tokens] = ()


class _Branch(NamedTuple):
    """Continuations of the beginning of a word: tokens that continue, and whether it is a word already."""

    tokens: Ids
    ends: bool


@dataclass(frozen=True, eq=False)
class CausalModel:
    """Causal model on disk; made by ``causal_language_model``."""

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
        return files_digest(self.folder, "causal", self.vocabulary, str(self.reach))

    @property
    def size(self) -> int:
        return len(self.spelling.words)

    @property
    def order(self) -> int:
        return self.reach + 1

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        """Return ln P(word | context), float32, shape (batch, k).

        Every distinct context is read once, followed by the beginnings of words of several tokens.

        Args:
            contexts: ids in [0, n + 2), the latest last, shape (batch, order - 1).
            words: ids in [0, n), shape (batch, k).

        Raises:
            ParameterError: another shape, or an id outside its range.
            ModelError: the model returns NaN.
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
        scored = [
            self._scores(self._begin + self.spelling.before(context, room), some)
            for context, some in zip(distinct, asked, strict=True)
        ]
        scores = [[scored[row][word] for word in some] for row, some in zip(rows.tolist(), words.tolist(), strict=True)]
        return np.array(scores, dtype=np.float32)

    def _scores(self, text: list[int], asked: set[int]) -> dict[int, float]:
        spelled = {word: self.spelling.words[word] for word in asked}
        begun = {tokens[:depth] for tokens in spelled.values() for depth in range(len(tokens) + 1)} & self._tree.keys()
        steps = {prefix: _step(self._tree[prefix], logits) for prefix, logits in self._read(text, begun).items()}
        scores = {}
        for word, tokens in spelled.items():
            total = sum(steps[tokens[:depth]][token] for depth, token in enumerate(tokens))
            scores[word] = total + (steps[tokens][_END] if tokens in steps else 0.0)
        return scores

    def _read(self, text: list[int], begun: set[Tokens]) -> dict[Tokens, Reals]:
        """Return the model's output after a text and each of the beginnings of words, the empty one included.

        The text is read once, and then the longest beginnings, which contain the others.
        """
        libraries = load_libraries()
        inner = {prefix[:-1] for prefix in begun if prefix}
        longest = sorted(begun - inner - {_ROOT})
        with libraries.torch.inference_mode():
            out = self.foreign.model(input_ids=self._tensor([text]), use_cache=True)
            logits_of = {_ROOT: self._logits(out.logits[0, -1])}
            for start in range(0, len(longest), self.batch):
                some = longest[start : start + self.batch]
                logits = self._going_on(text, some, getattr(out, "past_key_values", None))
                for row, prefix in enumerate(some):
                    for depth in range(1, len(prefix) + 1):
                        if prefix[:depth] in begun and prefix[:depth] not in logits_of:
                            logits_of[prefix[:depth]] = self._logits(logits[row, depth - 1])
        return logits_of

    def _going_on(self, text: list[int], begun: list[Tokens], past: Any) -> Any:
        deepest = max(map(len, begun))
        rows = [
            [*prefix, *[prefix[-1]] * (deepest - len(prefix))] for prefix in begun
        ]  # a causal model does not look behind
        if not hasattr(past, "batch_repeat_interleave"):
            return self.foreign.model(input_ids=self._tensor([text + row for row in rows])).logits[:, len(text) :]
        kept = copy.deepcopy(past)
        kept.batch_repeat_interleave(len(rows))
        return self.foreign.model(input_ids=self._tensor(rows), past_key_values=kept, use_cache=True).logits

    def _tensor(self, rows: list[list[int]]) -> Any:
        return load_libraries().torch.tensor(rows, device=self.foreign.device)

    def _logits(self, line: Any) -> Reals:
        """Return logits as an array.

        Raises:
            ModelError: one is NaN.
        """
        logits: Reals = line.float().cpu().numpy().astype(np.float64)
        if np.isnan(logits).any() or np.isposinf(logits).any():
            raise ModelError(f"the language model {self.name} must give finite numbers; got NaN. Check its weights.")
        return logits

    @cached_property
    def _begin(self) -> list[int]:
        tokenizer = self.foreign.tokenizer
        for token in (tokenizer.bos_token_id, tokenizer.cls_token_id, tokenizer.eos_token_id):
            if token is not None:
                return [int(token)]
        return list(self.spelling.stop)

    @cached_property
    def _tree(self) -> dict[Tokens, _Branch]:
        going_on: dict[Tokens, set[int]] = {}
        for word in self.spelling.words:
            for depth, token in enumerate(word):
                going_on.setdefault(word[:depth], set()).add(token)
        ends = set(self.spelling.words)
        return {begun: _Branch(np.array(sorted(tokens)), begun in ends) for begun, tokens in going_on.items()}


_END: Final = -1


def _step(branch: _Branch, logits: Reals) -> dict[int, float]:
    """Return ln P of each continuation of a beginning of a word: tokens, and the end if a word may end here."""
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
    """Return the causal model in a folder, for a vocabulary's words.

    Args:
        folder: configuration, weights in safetensors and tokenizer, as ``save_pretrained`` writes them.
        reach: number of earlier ids that it reads, 1 to 1,024.
        batch: number of beginnings of words in one call of the model, >= 1.

    Raises:
        ParameterError: ``reach`` or ``batch`` is outside its range.
        ModelError: the folder has no such model, or its tokens cannot spell the vocabulary.
    """
    need(1 <= reach <= 1024, "reach", reach, "from 1 to 1024")
    need(batch >= 1, "batch", batch, ">= 1")
    foreign = read_model(folder, "causal", device)
    words = spelling(foreign.tokenizer, vocabulary, foreign.name)
    return CausalModel(Path(folder), foreign, words, vocabulary.digest, reach, batch)
