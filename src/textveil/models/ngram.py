"""Trigram models on 8 bits, read from a file that is mapped into memory; one for the embedded vocabulary is embedded.

    P(w | u v) = listed for u v, else B(u v) P(w | v);    P(w | v) = listed for v, else B(v) P(w)

A context does not reach past a boundary or a word outside the vocabulary: where v is one of these, u says nothing.
Built by ``ngram_build`` and, for the embedded vocabulary, ``tools/build_language_model.py``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ModelError
from textveil.json_text import json_file
from textveil.models.key_tables import PairTable, TripleTable
from textveil.models.language_model import Continuations, check_contexts, check_words
from textveil.types import Ids, Integers, Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.tables.files import ArrayShape, TableKey, read_key, read_table, write_table_as
from textveil.vocabulary.vocabulary import Vocabulary

DATA: Final = Path(__file__).parent / "data"
FILE: Final = "trigrams.table"
RECORD: Final = "trigrams.json"  # where the embedded model comes from, and its digest
KIND: Final = "trigram-model"
ORDER: Final = 3

_TYPES: Final = {
    "unigram": ("<f4",),
    "pair_starts": ("<u4",),
    "pair_words": ("<u2", "<u4"),
    "pair_codes": ("|u1",),
    "pair_logs": ("<f4",),
    "pair_rest": ("<f4",),
    "triple_cells": ("<u4",),
    "triple_logs": ("<f4",),
    "triple_rest": ("|u1",),
    "rest_logs": ("<f4",),
}

_OPENED: dict[str, NgramModel] = {}  # the embedded model by its digest, once it is open
_BLOCK: Final = 1 << 13  # look-ups that are made together: what they leave behind stays in the processor's cache


@dataclass(frozen=True, eq=False)
class NgramModel:
    """A trigram model of the words of one vocabulary. Raises ModelError: they are no trigram model."""

    key: TableKey  # what the model was made from, and the shapes of its arrays
    arrays: Mapping[str, NDArray[Any]]  # its numbers, read-only

    def __post_init__(self) -> None:
        _check(self.key, self.arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        if self is _OPENED.get(self.digest):
            return _embedded_again, (self.digest,)  # another process maps the file into its own memory
        return NgramModel, (self.key, {name: np.asarray(array) for name, array in self.arrays.items()})

    @property
    def name(self) -> str:
        """What reports call it."""
        return str(self.key.made_from["name"])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what it was made from and of its numbers."""
        total = hashlib.sha256(self.key.digest.encode("ascii"))
        for array in self.key.arrays:
            total.update(np.ascontiguousarray(self.arrays[array.name]).data)
        return total.hexdigest()

    @property
    def vocabulary(self) -> str:
        """Digest of its vocabulary."""
        return str(self.key.made_from["vocabulary"])

    @property
    def size(self) -> int:
        """Words of its vocabulary."""
        return len(self.arrays["unigram"])

    @property
    def order(self) -> int:
        """It looks at two earlier ids."""
        return ORDER

    @property
    def unigram(self) -> Vectors:
        """Natural logarithms of P(word) without a context, float32, shape (n,)."""
        return self.arrays["unigram"]

    @cached_property
    def _pairs(self) -> PairTable:
        starts: Integers = self.arrays["pair_starts"].astype(np.int64)
        return PairTable(starts, self.arrays["pair_words"], self.arrays["pair_codes"])

    @cached_property
    def _triples(self) -> TripleTable:
        return TripleTable(self.arrays["triple_cells"], int(self.key.made_from["bits"] or 0), self.size)

    def log_probabilities(self, contexts: Ids, words: Ids) -> Vectors:
        """Natural logarithms of P(word | context), float32, shape (batch, k).

        ``contexts``: ids in [0, n + 2), the latest last, shape (batch, 2); or (batch, 1), for the prediction from one
        id alone; ``words``: ids in [0, n), shape (batch, k). Raises ParameterError: another shape, or an id outside its
        range.
        """
        self._check_contexts(contexts)
        check_words(words, len(contexts), self.size)
        logs = np.empty(words.shape, dtype=np.float32)
        rows = max(1, _BLOCK // max(1, words.shape[1]))
        for start in range(0, len(words), rows):
            block = slice(start, start + rows)
            logs[block] = self._block(contexts[block], words[block])
        return logs

    def continuations(self, contexts: Ids) -> Continuations:
        """The words listed after contexts of one or two ids, shape (batch, 1) or (batch, 2).

        After two, the words listed are those after the latter, with what is known of them after both.

        Raises ParameterError: another shape, or an id outside [0, n + 2).
        """
        self._check_contexts(contexts)
        latest = contexts[:, -1]
        cells, starts = self._pairs.listed(latest)
        words = self._pairs.words.reshape(-1)[cells].astype(np.int64)
        logs = self.arrays["pair_logs"][self._pairs.codes[cells]]
        rest = self.arrays["pair_rest"][latest].copy()
        if contexts.shape[1] == ORDER - 1:
            rows, numbers = self._longer(contexts[:, 0], latest)
            scale = np.zeros(len(contexts), dtype=np.float32)
            scale[rows] = self.arrays["rest_logs"][self.arrays["triple_rest"][numbers]]
            known = np.full(len(contexts), -1)
            known[rows] = numbers
            lengths = np.diff(starts)
            logs += np.repeat(scale, lengths)
            rest += scale
            after = np.repeat(known, lengths)
            asked = np.flatnonzero(after >= 0)
            for start in range(0, len(asked), _BLOCK):
                some = asked[start : start + _BLOCK]
                hits = self._triples.find(after[some], words[some, None])
                logs[some[hits.found]] = self.arrays["triple_logs"][self._triples.codes(hits.cells)]
        return Continuations(starts, words, np.exp(logs), np.exp(rest))

    def save(self, path: Path | str) -> None:
        """Write the model to a file, which is whole or not there. Raises OSError: it cannot be written."""
        write_table_as(Path(path), self.key, self.arrays)

    def _check_contexts(self, contexts: Ids) -> None:
        short = contexts.ndim == 2 and contexts.shape[1] == 1
        check_contexts(contexts, 1 if short else ORDER - 1, self.size)

    def _block(self, contexts: Ids, words: Ids) -> Vectors:
        latest = contexts[:, -1]
        logs: Vectors = self.arrays["unigram"].take(words)
        logs += self.arrays["pair_rest"][latest][:, None]
        hits = self._pairs.find(latest, words)
        logs.reshape(-1)[hits.found] = self.arrays["pair_logs"][self._pairs.codes[hits.cells]]
        if contexts.shape[1] < ORDER - 1:
            return logs
        rows, numbers = self._longer(contexts[:, 0], latest)
        if len(rows):
            part = logs[rows] + self.arrays["rest_logs"][self.arrays["triple_rest"][numbers]][:, None]
            hits = self._triples.find(numbers, words[rows])
            part.reshape(-1)[hits.found] = self.arrays["triple_logs"][self._triples.codes(hits.cells)]
            logs[rows] = part
        return logs

    def _longer(self, earlier: Ids, latest: Ids) -> tuple[Ids, Ids]:
        rows = np.flatnonzero(latest < self.size)
        hits = self._pairs.find(earlier[rows], latest[rows, None])
        some = self.arrays["triple_rest"][hits.cells] > 0
        return rows[hits.found[some]], hits.cells[some]


def read_ngram_model(path: Path | str, vocabulary: Vocabulary) -> NgramModel:
    """A model that ``NgramModel.save`` wrote; mapped, so that processes share it.

    Raises ModelError: there is no such file, it is cut or changed, no trigram model, or of another vocabulary.
    """
    where = Path(path)
    key = read_key(where)
    if key is None or key.kind != KIND:
        raise ModelError(f"the language model {where.name} must be a file that `save` wrote; got another or none.")
    arrays = read_table(where, key)
    if arrays is None:
        raise ModelError(f"the language model {where.name} must be intact; got a cut or changed file. Build it again.")
    model = NgramModel(key, arrays)
    if model.vocabulary != vocabulary.digest:
        wanted, got = vocabulary.digest[:16], model.vocabulary[:16]
        raise ModelError(
            f"the language model {model.name} must be of vocabulary {wanted}; got one of {got}. "
            "Build one with `ngram_model`."
        )
    return model


def embedded_record() -> dict[str, Any]:
    """Source, license, numbers and SHA-256 digest of the embedded model."""
    record: dict[str, Any] = json_file(DATA / RECORD)
    return record


@cache
def embedded_language_model() -> NgramModel:
    """The model of the embedded vocabulary, after comparing it with its digest; kept for the life of the process.

    Raises ModelError: its file is not intact.
    """
    model = read_ngram_model(DATA / FILE, load_vocabulary())
    if model.digest != embedded_record()["digest"]:
        raise ModelError("the embedded language model must be intact; got another. Install textveil again.")
    _OPENED[model.digest] = model
    return model


def _embedded_again(digest: str) -> NgramModel:
    """The embedded model in the process that unpickles it.

    Raises ModelError: another version of textveil, with another model, is installed there.
    """
    model = embedded_language_model()
    if model.digest != digest:
        wanted, got = digest[:16], model.digest[:16]
        raise ModelError(f"the embedded language model must be {wanted}; got {got}. Install one version everywhere.")
    return model


def table_key(arrays: Mapping[str, NDArray[Any]], made_from: Mapping[str, str | int]) -> TableKey:
    """The key of a model's file."""
    shapes = tuple(ArrayShape(name, arrays[name].dtype.str, arrays[name].shape) for name in _TYPES)
    return TableKey(kind=KIND, made_from=made_from, arrays=shapes)


def _check(key: TableKey, arrays: Mapping[str, NDArray[Any]]) -> None:
    """See that arrays fit each other, so that no look-up reads outside them. Raises ModelError: they do not."""
    fine = set(arrays) == set(_TYPES) and all(arrays[name].dtype.str in kinds for name, kinds in _TYPES.items())
    bits = key.made_from.get("bits")
    fine = fine and {"name", "vocabulary"} <= set(key.made_from) and type(bits) is int and 0 < bits < 64
    if fine:
        n, starts, cells = len(arrays["unigram"]), arrays["pair_starts"], arrays["pair_codes"].size
        shapes = {name: array.shape for name, array in arrays.items()}
        fine = (
            n >= 2
            and shapes["pair_starts"] == (n + 3,)
            and bool(starts[0] == 0 and np.all(starts[:-1] <= starts[1:]))
            and shapes["pair_words"] == (int(starts[-1]), 4)
            and shapes["pair_codes"] == shapes["triple_rest"] == (cells,)
            and cells == arrays["pair_words"].size > 0
            and shapes["pair_rest"] == (n + 2,)
            and len(arrays["triple_cells"]) > 0
            and shapes["triple_cells"][1:] == (4,)
            and all(shapes[name] == (256,) for name in ("pair_logs", "triple_logs", "rest_logs"))
            and bool(np.all((arrays["pair_words"].reshape(-1) < n) | (arrays["pair_codes"] == 0)))
        )
    if not fine:
        raise ModelError("the arrays of a language model must be those of a trigram model; got others. Build it again.")
    for name in ("unigram", "pair_logs", "pair_rest", "triple_logs", "rest_logs"):
        if not np.isfinite(arrays[name]).all():
            raise ModelError(f"the numbers of a language model must be finite; got others in {name}. Build it again.")
