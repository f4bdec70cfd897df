"""Attackers by style (function words and marks: Burrows's Delta, by the cosine) and by meaning (vectors)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.errors import ModelError
from textveil.json_text import json_file
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.risk.linkage import Fits, without_placeholders, words_of
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Reals, Vectors

_MARKS: Final = ".,;:!?()\"'-/&%\n"
_PLAIN: Final = {0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"'}  # long dashes and curly quotation marks
_OUTSIDE: Final = re.compile(r"(?<!\w)'|'(?!\w)|[^\w\s']|\n")
_FEATURES: Final = {feature: place for place, feature in enumerate([*sorted(FUNCTION_WORDS), *_MARKS])}
_LEAST: Final = 1e-9  # A smaller deviation is rounding: the share does not vary


class _Usual(NamedTuple):
    """A background's mean shares, their deviations, and its texts in these: rows of length 1."""

    mean: Reals
    deviation: Reals
    rows: Vectors

    def rows_of(self, shares: Reals) -> Vectors:
        """Shares of texts in deviations, as rows of length 1; what does not vary counts for nothing."""
        varied = self.deviation > _LEAST
        rows = np.where(varied, shares - self.mean, 0) / np.where(varied, self.deviation, 1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


class Style:
    """Shares of function words and marks among all of these, each in standard deviations of the background.

    Source: Burrows 2002; the cosine is that of Evert and others 2017.
    """

    name: Final = "style"

    def __init__(self) -> None:
        self._fits = Fits(_usual)

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        """See ``Attacker.scores``."""
        usual = self._fits.of(background)
        scores: Vectors = usual.rows_of(_shares(released)) @ usual.rows.T
        return scores


def _usual(background: Sequence[str]) -> _Usual:
    shares = _shares(background)
    usual = _Usual(shares.mean(axis=0), shares.std(axis=0), np.zeros((0, shares.shape[1]), dtype=np.float32))
    return usual._replace(rows=usual.rows_of(shares))


def _shares(texts: Sequence[str]) -> Reals:
    counts = np.zeros((len(texts), len(_FEATURES)))
    for row, text in zip(counts, texts, strict=True):
        marks = _OUTSIDE.findall(without_placeholders(text).strip().translate(_PLAIN))
        for feature, number in Counter([*words_of(text), *marks]).items():
            place = _FEATURES.get(feature)
            if place is not None:
                row[place] = number
    shares: Reals = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


WINDOWS: Final = 2  # of a document, at most: each is as long as the encoder can read

_BATCH: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """An encoder as an attacker; made by ``sentence_vectors``."""

    encoder: str  # name of the folder and first digits of its files' SHA-256
    foreign: ForeignModel
    room: int  # tokens that it reads at once
    by_first: bool  # whether the first token's vector stands for a text, rather than the mean of all
    known: dict[str, Vectors] = field(default_factory=dict)
    """Vectors of texts that were read: several releases are compared with the same ones."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        return "vectors"

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        """See ``Attacker.scores``."""
        fresh = [text for text in dict.fromkeys([*background, *released]) if text not in self.known]
        self.known.update(zip(fresh, self.vectors(fresh), strict=True))
        ours, theirs = (np.stack([self.known[text] for text in texts]) for texts in (released, background))
        scores: Vectors = ours @ theirs.T
        return scores

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 for each text, from at most ``WINDOWS`` windows of it.

        Raises ModelError: the encoder gives something other than finite numbers.
        """
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = np.zeros((len(texts), self.foreign.model.config.hidden_size), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            block = order[start : start + _BATCH]
            vectors[block] = self._block([texts[place] for place in block])
        if not np.isfinite(vectors).all():
            raise ModelError(f"the encoder {self.foreign.name} must give finite numbers; got others. Check it.")
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _block(self, texts: list[str]) -> Vectors:
        torch, tokenizer = load_libraries().torch, self.foreign.tokenizer
        read = tokenizer(texts, truncation=True, max_length=self.room, return_overflowing_tokens=True)
        windows: list[tuple[int, list[int]]] = []
        for place, ids in zip(read["overflow_to_sample_mapping"], read["input_ids"], strict=True):
            if sum(text == place for text, _ in windows[-WINDOWS:]) < WINDOWS:
                windows.append((int(place), ids))
        longest = max(len(ids) for _, ids in windows)
        ids = torch.zeros((len(windows), longest), dtype=torch.long)
        mask = torch.zeros((len(windows), longest), dtype=torch.long)
        for row, (_, tokens) in enumerate(windows):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            states = self.foreign.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            sums = states[:, 0] if self.by_first else (states * mask[..., None]).sum(dim=1)
        vectors = np.zeros((len(texts), sums.shape[1]), dtype=np.float32)
        np.add.at(vectors, [place for place, _ in windows], sums.numpy())
        return vectors


def sentence_vectors(folder: Path | str) -> SentenceVectors:
    """The sentence encoder in a folder, as an attacker.

    ``folder``: configuration, weights in safetensors and tokenizer; of sentence-transformers' own files, the length
    that it reads and how tokens are pooled (by the first one, else by their mean).

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelError: the folder holds no encoder with weights and tokenizer.
    """
    foreign = read_model(folder, "encoder")
    if not foreign.tokenizer.is_fast:
        raise ModelError(f"the encoder {foreign.name} must have a tokenizer.json; got none. Save its tokenizer again.")
    limit = _settings(Path(folder) / "sentence_bert_config.json").get("max_seq_length")
    room = min(foreign.room, limit) if isinstance(limit, int) and limit > 2 else foreign.room
    by_first = _settings(Path(folder) / "1_Pooling/config.json").get("pooling_mode_cls_token") is True
    return SentenceVectors(f"{foreign.name} {files_digest(folder)[:12]}", foreign, room, by_first)


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json_file(path)
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}
