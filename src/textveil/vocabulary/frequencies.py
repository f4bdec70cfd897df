"""How often the words of a public vocabulary occur in public text, and which of them name people and places.

The embedded vocabulary carries counts from Wikipedia (``tools/build_frequencies.py``); a file of counts can stand in
for them; without either, frequencies follow the order of the words by Zipf's law. All of it is public: nothing here
may be computed from the texts that are to be released.
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, need
from textveil.json_text import json_file
from textveil.types import Integers
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

FILES = ("frequencies.npy", "names.npy")  # counts, uint32, and one bit for each word that names people or places
RECORD = "frequencies.json"  # where they come from, and their digests
_ZIPF_SHIFT = 27
"""Tenths. Mandelbrot's correction of Zipf's law for the most frequent words: 1 / (rank + 2.7), rank from 1."""

_ZIPF_WHOLE = 1 << 40
_HALVES = 2  # counts are kept in halves: a word that the public text does not hold counts one half
_MOST = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class WordFrequencies:
    """How often the words of a vocabulary occur in public text.

    Whole numbers, so that what is computed from them is the same on every machine.

    Raises ParameterError: another shape, or a count that is not a whole number from 1 to 2^40.
    """

    counts: Integers  # >= 1, in any unit, int64, shape (n,)
    names: NDArray[np.bool_]  # words that name people or places; False everywhere where that is not known, shape (n,)
    source: str

    def __post_init__(self) -> None:
        given, names = np.asarray(self.counts), np.array(self.names, dtype=bool)
        need(given.ndim == 1 and given.shape == names.shape, "counts", f"shape {given.shape}", "one for each word")
        need(given.dtype.kind in "iu", "counts", f"dtype {given.dtype}", "whole numbers")
        fine = bool(np.all(given >= 1) and np.all(given <= _MOST))
        need(fine, "counts", "one that is not", "between 1 and 2^40 for every word", "Give unseen words a small count.")
        counts = given.astype(np.int64)
        for name, array in (("counts", counts), ("names", names)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def digest(self) -> str:
        """SHA-256 of the numbers."""
        return hashlib.sha256(self.counts.tobytes() + np.packbits(self.names).tobytes()).hexdigest()


FLAT, ZIPF = "flat", "zipf"  # priors with a name; a file of that name is given as `./flat`


def word_frequencies(vocabulary: Vocabulary, path: Path | str | None = None) -> WordFrequencies:
    """The public frequencies of a vocabulary's words.

    ``path``: a text file, each line a word and a count parted by white space; words that it lacks count one half. None
    takes what is embedded for the embedded vocabulary, and Zipf's law by the order of the words, the most frequent
    first, for any other. ``"zipf"`` is that law, ``"flat"`` counts all words alike; neither knows names. Raises
    InputError: the file cannot be read, or holds a line that is no word with a count > 0 (by number).
    """
    if path == FLAT:
        return WordFrequencies(np.ones(len(vocabulary), np.int64), np.zeros(len(vocabulary), bool), FLAT)
    if path == ZIPF:
        return zipf_frequencies(len(vocabulary))
    if path is not None:
        return _read(vocabulary, Path(path))
    if vocabulary.digest == load_vocabulary().digest:
        return _embedded()
    return zipf_frequencies(len(vocabulary))


def given_frequencies(vocabulary: Vocabulary, prior: str | NDArray[Any] | None) -> WordFrequencies:
    """The public frequencies of a vocabulary's words, by name, from a file or as numbers.

    ``prior``: as ``word_frequencies`` takes it; or numbers > 0, one for each word. Raises ParameterError: numbers of
    another shape, or one that is not finite and > 0; InputError: as ``word_frequencies``.
    """
    if prior is None or isinstance(prior, str):
        return word_frequencies(vocabulary, prior)
    given = np.asarray(prior)
    need(given.dtype.kind in "iuf", "prior", f"dtype {given.dtype}", "numbers")
    need(
        given.shape == (len(vocabulary),),
        "prior",
        f"shape {given.shape}",
        f"one number for each of {len(vocabulary)} words",
    )
    fine = bool(np.isfinite(given).all() and (given > 0).all())
    need(fine, "prior", "one that is not", "finite and > 0 for every word", "Give unseen words a small number.")
    whole = np.rint(given.astype(np.float64) * (_MOST / float(given.max()))).astype(np.int64)
    names = word_frequencies(vocabulary).names
    return WordFrequencies(np.maximum(whole, 1), names, "own numbers")


def zipf_frequencies(size: int) -> WordFrequencies:
    """Counts in proportion to 1 / (rank + 2.7), the rank from 1 in the order of the words, rounded down."""
    counts = _ZIPF_WHOLE // (10 * np.arange(1, size + 1, dtype=np.int64) + _ZIPF_SHIFT)
    return WordFrequencies(np.maximum(counts, 1), np.zeros(size, bool), "Zipf by order")


@cache
def _embedded() -> WordFrequencies:
    record = json_file(DATA / RECORD)
    for name, digest in record["files"].items():
        actual = hashlib.sha256((DATA / name).read_bytes()).hexdigest()
        if actual != digest:
            raise InputError(f"the embedded file {name} must be intact; got another. Install textveil again.")
    counts, bits = (np.load(DATA / name, allow_pickle=False) for name in FILES)
    names = np.unpackbits(bits, count=len(counts)).astype(bool)
    return WordFrequencies(np.maximum(counts.astype(np.int64) * _HALVES, 1), names, "Wikipedia 2015")


def _read(vocabulary: Vocabulary, path: Path) -> WordFrequencies:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        kind = type(error).__name__
        raise InputError(f"the file of word counts must be readable UTF-8 text; got {kind}. Check its path.") from None
    counts = np.ones(len(vocabulary), dtype=np.int64)
    counted = 0
    for number, line in enumerate(lines, 1):
        word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
        if not line.strip():
            continue
        value = _count(count)
        if not word or value is None:
            got = "no such count" if word else "one entry"
            raise InputError(
                f"line {number} of the word counts must be a word and a count > 0, parted by white space; got {got}. "
                "Correct it, or leave the line out: words without a line count 1."
            )
        index = vocabulary.id_of(word.strip())
        if index is not None:
            counts[index], counted = max(1, round(value * _HALVES)), counted + 1
    if not counted:
        raise InputError("the file of word counts must hold words of the vocabulary; got none. Is it the right file?")
    names = _embedded().names if vocabulary.digest == load_vocabulary().digest else np.zeros(len(vocabulary), bool)
    return WordFrequencies(counts, names, path.name)


def _count(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < _MOST / _HALVES else None
