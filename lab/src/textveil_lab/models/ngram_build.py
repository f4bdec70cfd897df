"""Texts as context ids of language models, and trigram models of any vocabulary built from public text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import ModelError, need
from textveil.models.language_model import boundary_id, other_id
from textveil.models.ngram import NgramModel, table_key
from textveil.text.codes import GOES_ON, TextCodes
from textveil.text.tokens import Kind
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.models.key_table_build import pair_table, triple_table
from textveil_lab.models.pruning import Kept, TrigramCounter, TrigramCounts, kept_within, quantized

SENTENCE_ENDS: Final = frozenset(".!?\n")  # Marks that end a sentence; all other marks and white space are skipped
_SKIPPED: Final = (GOES_ON, int(Kind.SPACE), int(Kind.PUNCTUATION))


class ReadTexts(NamedTuple):
    """Texts in a row."""

    ids: Ids  # context ids of all, each text led by a boundary, int64, shape (total,)
    bounds: Ids  # where each text begins and the last one ends, int64, shape (texts + 1,)


class TextReader:
    """Reader of texts as context ids, with the tokens of releases.

    Args:
        words: of the vocabulary; any other word is read like anything else.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._size = len(words)
        self._codes = TextCodes(words)

    def __call__(self, texts: Iterable[str]) -> ReadTexts:
        """Return the ids of texts; each begins with a boundary."""
        codes, bounds = self._codes.encode(texts)
        kinds = self._codes.legend.kinds[codes]
        ends = self._sentence_ends(codes) & (kinds != GOES_ON)  # no point within a number
        words = codes < self._size
        kept = ends | ~np.isin(kinds, _SKIPPED)
        ids = np.full(len(codes), other_id(self._size))
        ids[words] = codes[words]
        ids[ends] = boundary_id(self._size)
        places = np.concatenate([[0], np.cumsum(kept)])[bounds]
        led = np.insert(ids[kept], places[:-1], boundary_id(self._size))
        return ReadTexts(led, places + np.arange(len(places)))

    def _sentence_ends(self, codes: Ids) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        written = self._codes.legend.written
        marks = [code for code in np.unique(codes[codes >= 2 * self._size]).tolist() if written[code] in SENTENCE_ENDS]
        return np.isin(codes, marks)


MAX_BYTES: Final = 12_000_000  # Bytes of a model, at most, unless told otherwise
_TEXTS: Final = 200  # Texts that are read together
_LEAST_LOG: Final = -60.0
_REST_LEVELS: Final = 255
_REST_POWER: Final = 4 / 3
"""Levels of the rest after two ids are (i / 255)^(4/3): within .003 of the whole, within .6 % of a half."""

_FIXED_BYTES: Final = 1 << 14


def ngram_model(vocabulary: Vocabulary, texts: Iterable[str], *, name: str, max_bytes: int = MAX_BYTES) -> NgramModel:
    """Return a trigram model of a vocabulary's words: interpolated modified Kneser-Ney, pruned, on 8 bits.

    Args:
        vocabulary: public words. Those missing from the text share the mass that smoothing leaves.
        texts: public text, read once; memory grows with its distinct triples of words (about 100 bytes each), not with
            its length.
        name: of the model in reports.
        max_bytes: largest size of the model's file; the sequences that help least for their bytes are left out.

    Raises:
        ParameterError: ``max_bytes`` has no room for the words alone.
        ModelError: the text has no two consecutive words of the vocabulary.
    """
    return compressed(counted(vocabulary, texts), vocabulary.digest, name=name, max_bytes=max_bytes)


def counted(vocabulary: Vocabulary, texts: Iterable[str]) -> TrigramCounts:
    """Return how often the vocabulary's words follow each other in texts, read once."""
    counter = TrigramCounter(len(vocabulary))
    reader = TextReader(vocabulary.words)
    for some in _batches(texts):
        counter.add(reader(some).ids)
    return counter.counts()


def compressed(counts: TrigramCounts, vocabulary: str, *, name: str, max_bytes: float) -> NgramModel:
    """Return a model of counted sequences of at most ``max_bytes``; ``vocabulary`` is a digest.

    Raises:
        ParameterError: ``max_bytes`` has no room for the words alone.
        ModelError: nothing was counted.
    """
    fixed = _FIXED_BYTES + 12 * (counts.size + 2)
    need(max_bytes > fixed, "max_bytes", max_bytes, f"more than {fixed} for so many words")
    if not len(counts.triples):
        raise ModelError("the text must hold two words of the vocabulary in a row; got none. Is it the right text?")
    room = max_bytes - fixed
    while (model := _within(counts, vocabulary, name, room)).key.nbytes > max_bytes:
        room *= 0.99 * max_bytes / model.key.nbytes
    return model


def _within(counts: TrigramCounts, vocabulary: str, name: str, room: float) -> NgramModel:
    kept = kept_within(counts, room)
    arrays, bits = _arrays(counts, kept)
    made_from: dict[str, str | int] = {
        "name": name,
        "vocabulary": vocabulary,
        "bits": bits,
        "words": int(counts.pair_counts.sum()),
        "pairs": int(kept.pairs.sum()),
        "triples": int(kept.triples.sum()),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return NgramModel(table_key(arrays, made_from), arrays)


def _arrays(counts: TrigramCounts, kept: Kept) -> tuple[dict[str, NDArray[Any]], int]:
    n, wide, estimated = counts.size, counts.size + 2, kept.made
    unigram = np.log(estimated.unigram).astype(np.float32)
    single = np.exp(unigram.astype(np.float64))
    keys = counts.pairs[kept.pairs]
    contexts, words = keys // n, keys % n
    pairs = quantized(estimated.bigram[kept.pairs], contexts, single[words], wide, n)
    table, cells = pair_table(n, contexts, words, pairs.codes, wide)
    pair_rest = _logs(pairs.rest)

    triple_keys = counts.triples[kept.triples]
    pair_of, row = np.unique(triple_keys // n, return_inverse=True)
    above = cells[np.searchsorted(keys, pair_of // wide * n + pair_of % wide)]
    last = triple_keys % n
    below = np.exp(pairs.logs.astype(np.float64))[pairs.codes[np.searchsorted(keys, pair_of[row] % wide * n + last)]]
    triples = quantized(estimated.trigram[kept.triples], row, below, len(pair_of), n)
    unsound = (triples.rest > 1)[row]  # the listed words would take from the others' lower probabilities, not give
    if unsound.any():
        some = np.flatnonzero(kept.triples)[unsound]
        kept.triples[some] = False
        return _arrays(counts, kept)
    long_table = triple_table(n, above[row], last, triples.codes, len(table.codes))
    levels = (np.arange(_REST_LEVELS + 1) / _REST_LEVELS) ** _REST_POWER
    rest = np.zeros(len(table.codes), dtype=np.uint8)
    rest[above] = np.clip(np.rint(triples.rest ** (1 / _REST_POWER) * _REST_LEVELS), 1, _REST_LEVELS)
    rest_logs = _logs(levels)
    rest_logs[0] = 0
    return {
        "unigram": unigram,
        "pair_starts": table.starts.astype(np.uint32),
        "pair_words": table.words,
        "pair_codes": table.codes,
        "pair_logs": pairs.logs,
        "pair_rest": pair_rest,
        "triple_cells": long_table.cells,
        "triple_logs": triples.logs,
        "triple_rest": rest,
        "rest_logs": rest_logs,
    }, long_table.bits


def _logs(values: Reals) -> Vectors:
    """Return ln of values, none below -60."""
    return np.log(np.maximum(values, np.exp(_LEAST_LOG))).astype(np.float32)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    left = iter(texts)
    while some := list(islice(left, _TEXTS)):
        yield some
