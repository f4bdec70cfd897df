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
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ModelError
from textveil.json_text import json_file
from textveil.models.language_model import Continuations, check_contexts, check_words
from textveil.types import Bytes, Flags, Ids, Integers, Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.table_files import ArrayShape, TableKey, read_key, read_table, write_table_as
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
        return str(self.key.made_from["vocabulary"])

    @property
    def size(self) -> int:
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

        After two, the words listed are those after the latter, with what is known of them after both. Raises
        ParameterError: another shape, or an id outside [0, n + 2).
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
    if (key := read_key(where)) is None or key.kind != KIND:
        raise ModelError(f"the language model {where.name} must be a file that `save` wrote; got another or none.")
    if (arrays := read_table(where, key)) is None:
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


CELLS: Final = 4  # cells of a bucket
_FIRST, _SECOND, _THIRD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F), np.uint64(0xD6E8FEB86659FD93)
_HALF: Final = np.uint64(32)
TAG_BITS: Final = 23
"""Bits of a position that a cell of ``TripleTable`` holds; a bit beside them says which of the two buckets it is in."""

_CODE_BITS: Final = np.uint32(8)
_CODES: Final = np.uint32(1 << 8)
_SIDE: Final = np.uint32(1 << 31)


class Hits(NamedTuple):
    """Result of a look-up: indices of the queries, and the cell of each."""

    found: Ids
    cells: Ids


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """The words that follow each of some contexts: each context has buckets of its own."""

    starts: Integers  # each context's first bucket and the last one's end, shape (contexts + 1,)
    words: NDArray[Any]  # word in each cell; the largest value where there is none, shape (buckets, 4)
    codes: Bytes  # 0 where there is no word, shape (4 * buckets,)

    def find(self, contexts: Ids, words: Ids) -> Hits:
        """Look up words (rows, k) after contexts (rows,); the hits count queries row by row."""
        begin = self.starts[contexts]
        counts = (self.starts[contexts + 1] - begin).astype(np.uint64)
        some = counts > 0
        first, second = sides(words.astype(np.uint64), np.maximum(counts, 1)[:, None])
        begin = np.where(some, begin, 0)[:, None]  # what a context without words reads is judged below
        first, second = begin + first, begin + second
        wanted = words.astype(self.words.dtype)[..., None]
        in_first = self.words.take(first, axis=0) == wanted
        in_second = self.words.take(second, axis=0) == wanted
        hits = _hits(first, second, in_first, in_second)
        if some.all() or not len(hits.found):
            return hits
        fine = some[hits.found // words.shape[1]]
        return Hits(hits.found[fine], hits.cells[fine])

    def listed(self, contexts: Ids) -> tuple[Ids, Ids]:
        """Cells with the words after contexts (rows,), and where each context's begin among them, (rows + 1,)."""
        begin, end = self.starts[contexts] * CELLS, self.starts[contexts + 1] * CELLS
        lengths = end - begin
        ends = np.cumsum(lengths)
        cells = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begin - (ends - lengths), lengths)
        used = self.codes[cells] > 0
        before = np.zeros(len(used) + 1, dtype=np.int64)
        np.cumsum(used, out=before[1:])
        return cells[used], before[np.concatenate([[0], ends])]


@dataclass(frozen=True, slots=True, eq=False)
class TripleTable:
    """Words after numbered contexts, all in one set of buckets.

    A key is turned into a position by two bijections, each of which names a bucket by the position's leading part; a
    cell keeps the low bits of the position, which within a bucket differ for different keys. ``cells``: side (1 bit),
    low bits of the position (23), code (8; 0 if there is none), uint32 (buckets, 4).
    """

    cells: NDArray[np.uint32]
    bits: int  # keys lie in [0, 2^bits)
    size: int  # words; the key of word w after context c is c * size + w

    def find(self, contexts: Ids, words: Ids) -> Hits:
        """Look up words (rows, k) after contexts (rows,); the hits count queries row by row."""
        keys = (contexts[:, None] * self.size + words).astype(np.uint64)
        first, second = positions(keys, self.bits)
        buckets = [bucket(positions, len(self.cells), self.bits) for positions in (first, second)]
        in_first = (self.cells.take(buckets[0], axis=0) ^ tagged(first, 0)[..., None]) < _CODES
        in_second = (self.cells.take(buckets[1], axis=0) ^ tagged(second, 1)[..., None]) < _CODES
        return _hits(buckets[0], buckets[1], in_first, in_second)

    def codes(self, cells: Ids) -> Bytes:
        return self.cells.reshape(-1)[cells].astype(np.uint8)


def sides(words: NDArray[np.uint64], buckets: NDArray[np.uint64]) -> tuple[Ids, Ids]:
    """The two buckets of a word among those of its context; different ones if there are two or more."""
    first = ((words * _FIRST >> _HALF) * buckets) >> _HALF
    others = np.maximum(buckets, np.uint64(2)) - np.uint64(1)
    step = ((words * _SECOND >> _HALF) * others) >> _HALF
    second = first + step + np.uint64(1)
    second -= np.where(second >= buckets, buckets, np.uint64(0))
    return first.astype(np.int64), np.minimum(second, buckets - np.uint64(1)).astype(np.int64)


def positions(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two bijections of [0, 2^bits): products with odd numbers, and exclusive or with the upper half."""
    mask = np.uint64((1 << bits) - 1)
    half = np.uint64((bits + 1) // 2)
    first = keys * _FIRST & mask
    first ^= first >> half
    first *= _SECOND
    first &= mask
    second = first ^ (first >> half)
    second *= _THIRD
    second &= mask
    return first, second


def bucket(positions: NDArray[np.uint64], buckets: int, bits: int) -> Ids:
    """The bucket that holds a position: ``buckets`` stretches of [0, 2^bits), as even as can be."""
    return ((positions * np.uint64(buckets)) >> np.uint64(bits)).astype(np.int64)


def tagged(positions: NDArray[np.uint64], side: int) -> NDArray[np.uint32]:
    """Return what cells hold of positions and sides."""
    low = (positions & np.uint64((1 << TAG_BITS) - 1)).astype(np.uint32) << _CODE_BITS
    return low | _SIDE if side else low


def _hits(first: Ids, second: Ids, in_first: Flags, in_second: Flags) -> Hits:
    """The matches among the cells of two buckets, given for each query and cell, shape (rows, k, 4)."""
    ones, others = in_first.view("<u4").reshape(-1), in_second.view("<u4").reshape(-1)  # a byte for each cell
    places = (ones | others).nonzero()[0]
    single, other = ones.take(places), others.take(places)
    there = single > 0
    match = np.where(there, single, other)
    cells = np.where(there, first.reshape(-1).take(places), second.reshape(-1).take(places)) * CELLS
    for cell in range(1, CELLS):
        cells += match >= 1 << 8 * cell
    return Hits(places, cells)
