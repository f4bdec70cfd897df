"""Public vocabularies of a study: named ones, those of $TEXTVEIL_SHARED, or the embedded one.

Words that share their vector with an earlier word are removed: at distance 0 neither ranks nor directions exist.
"""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from textveil.environment import SHARED
from textveil.errors import ParameterError, need
from textveil.types import Ids, Progress, Vectors
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary

_ROWS = 4096  # Rows that are copied at once: tables of millions of words are checked in their own memory


def later_twins(vectors: Vectors) -> Ids:
    """Return ids of the rows that equal an earlier one, in increasing order; -0.0 equals 0.0.

    Rows are compared by digests of 128 bits.
    """
    seen: set[bytes] = set()
    later: list[int] = []
    for start in range(0, len(vectors), _ROWS):
        block = np.ascontiguousarray(vectors[start : start + _ROWS]) + 0.0  # -0.0 becomes 0.0
        for row, values in enumerate(block):
            digest = hashlib.blake2b(values.tobytes(), digest_size=16).digest()
            if digest in seen:
                later.append(start + row)
            seen.add(digest)
    return np.array(later, dtype=np.int64)


def without_twins(vocabulary: Vocabulary) -> tuple[Vocabulary, int]:
    """Return the vocabulary without words that share an earlier word's vector, and their number."""
    later = later_twins(vocabulary.vectors)
    if not len(later):
        return vocabulary, 0
    kept = np.ones(len(vocabulary), dtype=np.bool_)
    kept[later] = False
    words = [word for word, stays in zip(vocabulary.words, kept, strict=True) if stays]
    return Vocabulary(words, vocabulary.vectors[kept], vocabulary.name), len(later)


_NEXT = "Correct it, unset it for the embedded words, or name a `vocabulary`."


def chosen_vocabularies(
    paths: Sequence[Path], folders: Sequence[str], progress: Progress | None = None
) -> tuple[tuple[Vocabulary, ...], str]:
    """Return the vocabularies at ``paths``; without any, those of $TEXTVEIL_SHARED; without that, the embedded one.

    Args:
        paths: files or folders in any format that ``load_vocabulary`` reads.
        folders: names below data/vectors of the shared folder that the study uses.

    Returns:
        The vocabularies, and a sentence about their origin.

    Raises:
        ParameterError: two of them have one name, or $TEXTVEIL_SHARED is set but has none of the folders.
        VocabularyError: one cannot be read.
    """
    if paths:
        found, note = _loaded(paths, progress)
        names = [vocabulary.name for vocabulary in found]
        need(len(set(names)) == len(names), "vocabulary", "two of one name", "of distinct names", "Rename one.")
        return found, f"Vocabularies named by their paths.{note}"
    shared = _shared_paths(folders)
    if shared:
        found, note = _loaded(shared, progress)
        return found, f"Public subsets of the paper's vocabularies, from ${SHARED}.{note}"
    return (load_vocabulary(),), f"The embedded vocabulary: neither a path nor ${SHARED} names another."


def _loaded(paths: Sequence[Path], progress: Progress | None) -> tuple[tuple[Vocabulary, ...], str]:
    """Return the vocabularies of these files without later twins, and a note on twins: published tables have some."""
    found, notes = [], []
    for path in paths:
        vocabulary, left_out = without_twins(load_vocabulary(path, progress=progress))
        found.append(vocabulary)
        if left_out:
            lost = "1 word is" if left_out == 1 else f"{left_out:,} words are"
            notes.append(f" From {vocabulary.name}, {lost} left out: an earlier word has their vector.")
    return tuple(found), "".join(notes)


def _shared_paths(folders: Sequence[str]) -> list[Path]:
    """Return the files of the existing folders; none if the variable is unset or empty.

    A variable that points nowhere is refused: the numbers would be about other words than requested.
    """
    root = os.environ.get(SHARED)
    if not root:
        return []
    vectors = Path(root) / "data" / "vectors"
    shared = []
    for name in folders:
        folder = vectors / name
        single = folder / f"{name}.txt"
        if single.is_file() or folder.is_dir():
            shared.append(single if single.is_file() else folder)
    if not shared:
        wanted = f"a folder whose data/vectors holds one or more of {', '.join(folders)}"
        raise ParameterError(f"${SHARED} must be {wanted}; got none of them. {_NEXT}")
    return shared
