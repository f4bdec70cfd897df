"""Public facts of a vocabulary: its geometry, how often its words occur, which name somebody, and their classes.

Norms, clipping, exact diameters, the closest pair and neighborhoods are stored among its facts, or else computed once
for each vocabulary object. The facts have these keys:

    digest                  SHA-256 of words and vectors, as ``Vocabulary.digest`` defines it
    norms                   minimum (rounded down), mean, maximum (rounded up)
    raw, unit               for the vectors as they are, and divided by their norms:
      diameter.1, .2, .inf    value (rounded up), first, second
      minimum_distance        least L2 distance between two words
    neighborhood            sizes; sums: the mean over all words of the sum of cosines of the m nearest words

The embedded vocabulary carries counts from Wikipedia (``tools/build_frequencies.py``); a file of counts can stand in
for them; without either, frequencies follow the order of the words by Zipf's law. Classes such as ``place`` and
``food`` are from WordNet (``tools/build_word_classes.py``); a class is a function of the word alone. All of it is
public: nothing here may be computed from the texts that are to be released.
"""

import hashlib
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, VocabularyError, need
from textveil.json_text import json_file
from textveil.types import Ids, Integers, Progress, Reals, Vectors
from textveil.vocabulary.embedded import DATA, load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

SAMPLED_ROWS = 1024
"""Words over which neighborhoods are averaged if no curve is stored: evenly spaced in the vocabulary."""
_MEMORY: WeakKeyDictionary[Vocabulary, dict[Any, Any]] = WeakKeyDictionary()
_T = TypeVar("_T")


def mean_neighbor_similarity(vocabulary: Vocabulary, progress: Progress | None = None) -> tuple[Integers, Reals]:
    """Similarity of a word to its m nearest words, for m on a public grid.

    Returns:
        Sizes m (all to 512, then steps of 2 %, and the number of words last), and for each the mean over
        words of the sum of cosines of the m nearest words, the word itself included. The mean runs over
        all words if the facts hold it, else over ``SAMPLED_ROWS`` evenly spaced ones.
    """
    if (stored := vocabulary.facts.get("neighborhood")) is not None:
        return np.array(stored["sizes"], dtype=np.int64), np.array(stored["sums"], dtype=np.float64)
    n = len(vocabulary)
    rows = np.arange(min(n, SAMPLED_ROWS), dtype=np.int64) * n // min(n, SAMPLED_ROWS)
    sums = remembered(vocabulary, "neighborhood", lambda: similarity_sums(vocabulary.vectors, rows, progress))
    return neighborhood_sizes(n), sums.copy()


def remembered(vocabulary: Vocabulary, key: Any, compute: Callable[[], _T]) -> _T:
    """``compute()``, done once for a vocabulary and a key, and kept as long as the vocabulary lives."""
    kept = _MEMORY.setdefault(vocabulary, {})
    if key not in kept:
        kept[key] = compute()
    result: _T = kept[key]
    return result


def neighborhood_sizes(n: int) -> Integers:
    """The sizes at which neighborhoods are measured: all to 512, then steps of 2 %, and ``n``."""
    sizes = list(range(1, min(n, _DENSE) + 1))
    while sizes[-1] < n:
        sizes.append(min(n, int(np.ceil(sizes[-1] * _STEP))))
    return np.array(sizes, dtype=np.int64)


def similarity_sums(vectors: NDArray[Any], rows: Ids, progress: Progress | None = None) -> Reals:
    """Mean over ``rows`` of the sum of cosines of the m nearest rows, for every size m of the grid.

    The row itself is the first of its neighbors, with cosine 1; a zero row has cosine 0 with others. Cosines are
    rounded to float32 before they are sorted and added in float64. ``vectors``: finite real numbers, shape (n, dim);
    ``rows``: the rows that are averaged over, shape (batch,).

    Returns:
        One sum for each of ``neighborhood_sizes(n)``, float64.
    """
    n = len(vectors)
    total = np.zeros(n)
    for part in parts(len(rows), n):
        here = rows[part]
        left = unit_rows(vectors[here].astype(np.float64))
        table = np.empty((len(here), n), dtype=np.float32)
        for columns in column_parts(n):
            np.negative(left @ unit_rows(vectors[columns].astype(np.float64)).T, out=table[:, columns])
        table[np.arange(len(here)), here] = -1.0
        table.sort(axis=1)
        total -= table.sum(axis=0, dtype=np.float64)
        if progress is not None:
            progress(part.stop, len(rows))
    return (np.cumsum(total) / len(rows))[neighborhood_sizes(n) - 1]


def normalize(vectors: NDArray[Any]) -> Vectors:
    """Each row divided by its norm, rounded to float32; zero rows stay zero.

    The exact norm of a row of the result differs from 1 by at most 2^-23.
    """
    out = np.empty(vectors.shape, dtype=np.float32)
    for part, rows in row_blocks(vectors):
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        out[part] = np.divide(rows, np.where(lengths > 0, lengths, 1.0)[:, None], out=rows)
    return out


_COLUMNS = 2048
_SCORES = 1 << 22  # scores that are held at once: 33 MB
_DENSE = 512
_STEP = 1.02


def unit_rows(rows: Reals) -> Reals:
    """Rows divided by their norms; zero rows stay zero."""
    lengths = np.sqrt((rows * rows).sum(axis=1))
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def parts(batch: int, n: int) -> Iterator[slice]:
    """Yield slices of a batch of rows whose scores against n columns fit into memory."""
    rows = max(8, _SCORES // n)
    return (slice(start, min(start + rows, batch)) for start in range(0, batch, rows))


def column_parts(n: int) -> Iterator[slice]:
    """Yield slices of n columns."""
    return (slice(start, min(start + _COLUMNS, n)) for start in range(0, n, _COLUMNS))


UNIT_ROUNDOFF = 2.0**-53


def row_blocks(vectors: NDArray[Any]) -> Iterator[tuple[slice, Reals]]:
    """Row blocks of about 16 MB, as private float64 copies."""
    rows = max(1, BLOCK_BYTES // (8 * vectors.shape[1]))
    for start in range(0, len(vectors), rows):
        part = slice(start, start + rows)
        yield part, vectors[part].astype(np.float64)


BLOCK_BYTES = 1 << 24
FREQUENCIES_FILES = (
    "frequencies.npy",
    "names.npy",
)  # counts, uint32, and one bit for each word that names people or places
FREQUENCIES_RECORD = "frequencies.json"  # where they come from, and their digests
_ZIPF_SHIFT = 27
"""Tenths. Mandelbrot's correction of Zipf's law for the most frequent words: 1 / (rank + 2.7), rank from 1."""

_ZIPF_WHOLE = 1 << 40
_HALVES = 2  # counts are kept in halves: a word that the public text does not hold counts one half
_MOST = 1 << 40


@dataclass(frozen=True, slots=True, eq=False)
class WordFrequencies:
    """Counts of the words of a vocabulary in public text.

    Whole numbers, so that what is computed from them is the same on every machine. Raises ParameterError: another
    shape, or a count that is not a whole number from 1 to 2^40.
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
    record = json_file(DATA / FREQUENCIES_RECORD)
    for name, digest in record["files"].items():
        if hashlib.sha256((DATA / name).read_bytes()).hexdigest() != digest:
            raise InputError(f"the embedded file {name} must be intact; got another. Install textveil again.")
    counts, bits = (np.load(DATA / name, allow_pickle=False) for name in FREQUENCIES_FILES)
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
        if (index := vocabulary.id_of(word.strip())) is not None:
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


CLASSES_FILE: Final = "word_classes.xz"
CLASSES_RECORD: Final = "word_classes.json"

CLASS_NAMES: Final = (
    "other", "name", "function", "quality", "manner", "thing", "act", "animal", "trait", "body", "idea", "message",
    "event", "feeling", "food", "group", "place", "nature", "person", "plant", "money", "amount", "relation", "shape",
    "state", "substance", "time", "change", "think", "say", "compete", "eat", "touch", "make", "move", "perceive",
    "have", "deal", "be", "weather",
)  # fmt: skip
"""All classes. ``other`` holds words that are in no list, ``name`` those of them with a capital."""

_ENDINGS: Final = (
    ("ies", "y"), ("ied", "y"), ("sses", "ss"), ("es", "e"), ("es", ""), ("s", ""), ("ed", "e"), ("ed", ""),
    ("ing", "e"), ("ing", ""), ("ier", "y"), ("iest", "y"), ("er", "e"), ("er", ""), ("est", "e"), ("est", ""),
    ("ly", ""), ("ily", "y"), ("bly", "ble"), ("ally", "al"), ("ness", ""), ("iness", "y"),
)  # fmt: skip
"""Endings of inflected words, and what a base form has in their place."""

_SHORTEST: Final = 3


def base_forms(word: str) -> Iterator[str]:
    """Words of which a word may be an inflected form, the likeliest first."""
    if word.endswith("'s"):
        yield word[:-2]
    for ending, base in _ENDINGS:
        if (stem := word.removesuffix(ending)) == word or len(stem) < _SHORTEST:
            continue
        yield stem + base
        if not base and stem[-1] == stem[-2]:
            yield stem[:-1]


@cache
def _table() -> dict[str, int]:
    packed = (DATA / CLASSES_FILE).read_bytes()
    record = json_file(DATA / CLASSES_RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {CLASSES_FILE} must be intact; got another. Install textveil again.")
    return dict(zip(load_vocabulary().words, lzma.decompress(packed), strict=True))


def word_classes(words: Sequence[str]) -> Integers:
    """The class of each word, as its place in ``CLASS_NAMES``, shape (n,).

    A word has the class of its lower case, or of a base form, in the embedded vocabulary. A word without a known class
    is a ``name`` if it begins with a capital, else ``other``. Raises InputError: the embedded file is not the one that
    was shipped.
    """
    table = _table()
    return np.array([_class_of(word, table) for word in words], dtype=np.int64)


def _class_of(word: str, table: dict[str, int]) -> int:
    lower = word.lower()
    if (known := table.get(lower)) is None:
        known = next((table[form] for form in base_forms(lower) if form in table), 0)
    return known or int(word[:1].isupper())


MILDER_FILE = "milder.txt"  # lines of a coarse word's id and the word that is written
IDS_OF = "b9afd2a84bed2504"  # begins the digest of the vocabulary whose ids these are


def milder_words(vocabulary: Vocabulary) -> Mapping[int, int]:
    """Ids of coarse words, with the ids of the words that are written in their place.

    ``vocabulary``: the embedded one or the first words of it; another is its user's choice, and is written as it is.
    """
    whole = load_vocabulary()
    size = len(vocabulary)
    if vocabulary is whole:
        return _pairs()
    if vocabulary.name != whole.name or vocabulary.words != whole.words[:size]:
        return MappingProxyType({})
    return {coarse: milder for coarse, milder in _pairs().items() if coarse < size and milder < size}


@cache
def _pairs() -> Mapping[int, int]:
    words = load_vocabulary()
    if not words.digest.startswith(IDS_OF):  # other words would be rewritten
        raise VocabularyError(f"{MILDER_FILE} must be made again: its ids are of the vocabulary {IDS_OF}; got another.")
    lines = (line.split() for line in (DATA / MILDER_FILE).read_text(encoding="ascii").splitlines())
    pairs = {int(coarse): words.id_of(milder) for coarse, milder in lines}
    return MappingProxyType({coarse: milder for coarse, milder in pairs.items() if milder is not None})
