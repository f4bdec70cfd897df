"""A public vocabulary: distinct words, a finite vector for each, and what is known about them.

Everything in a vocabulary is public, and so is everything computed from it. Guarantees name one by
its digest: SHA-256 over the words and the float32 vectors, whatever file or storage they came from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import VocabularyError, need
from textveil.types import Vectors

SMALLEST = 2  # words that a vocabulary must hold at least: with one there is nothing to protect
LEVELS = 127  # largest magnitude of an 8-bit coordinate; -128 is unused, so the grid is symmetric
BLOCK_BYTES = 1 << 24  # size of the pieces in which whole tables are scanned
_DIGEST_HEAD = b"textveil vocabulary 1\n"


class Grid(NamedTuple):
    """Vectors on 8 bits: row i is ``values[i] * scales[i]``, one float32 product a coordinate.

    ``values`` is int8 in [-127, 127], shape (n, dim); ``scales`` is float32, > 0, shape (n,).
    """

    values: NDArray[np.int8]
    scales: NDArray[np.float32]


PairOfArrays: TypeAlias = tuple[NDArray[np.int8], NDArray[np.float32]]


def refusal(name: str, wanted: str, got: str, hint: str) -> VocabularyError:
    """The one-line error for a vocabulary: what, wanted, got, what to do next; never its content."""
    return VocabularyError(f"vocabulary {name}: wanted {wanted}; got {got}. {hint}")


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Vocabulary:
    """Distinct words and their vectors, in one order; row i belongs to the word with id i.

    ``facts``: what its builder computed from exactly these words and vectors and stored with them (digest, norms,
    diameters, neighborhood curve; see ``geometry``). Read-only; trusted, so never pass the facts of another vocabulary.
    Empty if nothing was stored.
    """

    words: tuple[str, ...]  # n >= 2 distinct, non-empty strings
    name: str  # a public name, never a path; the base name of the file that it was read from
    facts: Mapping[str, Any]
    grid: Grid | None  # the 8-bit storage, or None where the vectors are stored as they are

    def __init__(
        self,
        words: Sequence[str],
        vectors: NDArray[Any] | None = None,
        name: str = "unnamed",
        *,
        grid: PairOfArrays | None = None,
        facts: Mapping[str, Any] | None = None,
        copy: bool = True,
    ) -> None:
        """Check and keep ``words`` with either ``vectors`` or ``grid``.

        Args:
            vectors: real numbers, shape (n, dim); rounded to float32. Copied, unless it is a memory map
                opened read-only that already is float32 and C-contiguous.
            name: what reports call it.
            grid: int8 values (n, dim) and float32 scales (n,), in place of ``vectors``; copied under the
                same rule.
            facts: stored facts about exactly these words and vectors.
            copy: False hands the arrays over: they become read-only, and the caller keeps no view of them.

        Raises VocabularyError: fewer than two words, an empty or repeated word, a word that is not Unicode text, a
        vector that is not finite, or shapes that do not agree; rows are counted from 1; ParameterError: the name is a
        path, or not exactly one of ``vectors`` and ``grid`` is given.
        """
        need(bool(name) and not set(name) & {"/", "\\", "\n"}, "name", repr(name), "a name, not a path")
        need((vectors is None) != (grid is None), "vectors", "both or none", "given, or else grid")
        kept = tuple(words)
        index = _index(name, kept)
        put = self.__dict__.update  # the dataclass is frozen: its fields are set here and nowhere else
        put(words=kept, name=name, facts=_frozen(facts or {}), grid=None, _index=index)
        if grid is not None:
            put(grid=_checked_grid(name, len(kept), grid, copy))
        elif vectors is not None:
            put(vectors=_checked_vectors(name, len(kept), vectors, copy))

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary(name={self.name!r}, words={len(self)}, dim={self.dim})"

    def kept_at(self, load: Callable[..., Vocabulary], *arguments: str) -> Vocabulary:
        """This vocabulary, of which a pickle now holds no numbers: ``load(*arguments)`` gives it again elsewhere.

        For what every process can open for itself. ``load`` must give these very words and vectors.
        """
        self.__dict__["_elsewhere"] = (load, arguments)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        elsewhere: tuple[Any, ...] | None = self.__dict__.get("_elsewhere")
        if elsewhere is not None:
            return elsewhere
        grid = None if self.grid is None else tuple(np.asarray(array) for array in self.grid)
        vectors = np.asarray(self.vectors) if grid is None else None
        return _rebuild, (self.words, vectors, self.name, grid, _plain(self.facts))

    @property
    def dim(self) -> int:
        """Coordinates of one vector, >= 1."""
        table = self.vectors if self.grid is None else self.grid.values
        return int(table.shape[1])

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors, float32, C-contiguous, read-only, shape (n, dim).

        Made from the grid on first use, one float32 product a coordinate, so every machine gets the
        same bits.
        """
        if self.grid is None:  # pragma: no cover - __init__ stored them under this very name
            raise AttributeError("vectors")
        vectors = np.empty(self.grid.values.shape, dtype=np.float32)
        np.multiply(self.grid.values, self.grid.scales[:, None], out=vectors)
        return _sealed(vectors)

    @cached_property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the words and vectors; the same for every storage of them.

        The hash runs over: the line ``textveil vocabulary 1``; n and dim; the length in bytes of each
        word (all these as 64-bit little-endian integers); the words in UTF-8, one after the other; the
        vectors as little-endian float32, row by row. A digest among the facts is taken as it is.
        """
        stored = self.facts.get("digest")
        if isinstance(stored, str):
            return stored
        encoded = [word.encode("utf-8") for word in self.words]
        total = hashlib.sha256(_DIGEST_HEAD)
        total.update(np.array([len(self), self.dim, *map(len, encoded)], dtype="<u8").tobytes())
        total.update(b"".join(encoded))
        for block in _blocks(self.vectors):
            total.update(np.ascontiguousarray(block, dtype="<f4").data)
        return total.hexdigest()

    def id_of(self, word: str) -> int | None:
        """The id of ``word``, spelled exactly so, or None."""
        return self._ids.get(word)

    @property
    def _ids(self) -> dict[str, int]:
        ids: dict[str, int] = self.__dict__["_index"]
        return ids


def _rebuild(
    words: tuple[str, ...], vectors: NDArray[Any] | None, name: str, grid: PairOfArrays | None, facts: Mapping[str, Any]
) -> Vocabulary:
    return Vocabulary(words, vectors, name, grid=grid, facts=facts, copy=False)


def _index(name: str, words: tuple[str, ...]) -> dict[str, int]:
    hint = "Repair the vocabulary."
    if len(words) < SMALLEST:
        hint = "Give a larger vocabulary: with fewer words there is nothing to protect."
        raise refusal(name, f"at least {SMALLEST} words", str(len(words)), hint)
    index = dict(zip(words, range(len(words)), strict=True))
    if "" in index:
        raise refusal(name, "a word in every row", f"none in row {words.index('') + 1}", hint)
    if len(index) < len(words):
        first, second = _repeated(words)
        hint = "Remove one of the rows."
        raise refusal(name, "distinct words", f"one word in rows {first} and {second}", hint)
    try:
        "".join(words).encode("utf-8")
    except (UnicodeEncodeError, TypeError):
        row = next(i for i, word in enumerate(words, 1) if not _is_text(word))
        raise refusal(name, "words that are Unicode text", f"something else in row {row}", hint) from None
    return index


def _repeated(words: tuple[str, ...]) -> tuple[int, int]:
    seen: dict[str, int] = {}
    for row, word in enumerate(words, 1):
        if word in seen:
            return seen[word], row
        seen[word] = row
    raise AssertionError("called only where a word is repeated")


def _is_text(word: object) -> bool:
    if not isinstance(word, str):
        return False
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _checked_vectors(name: str, n: int, vectors: NDArray[Any], copy: bool) -> Vectors:
    array = _checked_table(name, n, vectors)
    if array.dtype.kind not in "fiu":
        raise refusal(name, "real numbers", f"dtype {array.dtype}", "Convert the vectors to float32.")
    with np.errstate(over="ignore"):  # an overflow becomes infinite, and is refused as such
        kept = _private(array, np.float32, copy)
    done = 0
    for block in _blocks(kept):
        bad = ~np.isfinite(block).all(axis=1)
        if bad.any():
            row = done + int(np.argmax(bad)) + 1
            raise refusal(name, "finite numbers", f"NaN or infinity in row {row}", "Repair or remove it.")
        done += len(block)
    return kept


def _checked_grid(name: str, n: int, grid: PairOfArrays, copy: bool) -> Grid:
    """``grid`` as private read-only arrays with ``n`` rows on the symmetric 8-bit grid."""
    values, scales = grid
    hint = "Round each row to [-127, 127] and keep its scale."
    table = _checked_table(name, n, values)
    if table.dtype != np.int8 or scales.dtype != np.float32:
        raise refusal(name, "int8 values and float32 scales", f"{table.dtype}, {scales.dtype}", hint)
    if scales.shape != (n,):
        raise refusal(name, f"{n} scales", f"shape {scales.shape}", hint)
    limit = float(np.finfo(np.float32).max) / LEVELS
    bad = ~((scales > 0) & (scales <= limit))
    if bad.any():
        row = int(np.argmax(bad)) + 1
        raise refusal(name, "scales that are finite and > 0", f"another in row {row}", hint)
    kept = _private(table, np.int8, copy)
    if int(kept.min()) < -LEVELS:
        row = int(np.argmax((kept < -LEVELS).any(axis=1))) + 1
        raise refusal(name, f"values in [-{LEVELS}, {LEVELS}]", f"-128 in row {row}", hint)
    return Grid(kept, _private(scales, np.float32, copy))


def _checked_table(name: str, n: int, vectors: NDArray[Any]) -> NDArray[Any]:
    array = np.asanyarray(vectors)
    if array.ndim != 2 or array.shape[1] < 1:
        hint = "Give one vector of at least one number for each word."
        raise refusal(name, "a table of shape (words, dim >= 1)", f"shape {array.shape}", hint)
    if len(array) != n:
        hint = "Words and vectors must be in the same order, one row each."
        raise refusal(name, f"{n} vectors, one for each word", str(len(array)), hint)
    return array


def _private(array: NDArray[Any], dtype: type[Any], copy: bool) -> NDArray[Any]:
    """``array`` itself if nobody can write through it or it was handed over, else a copy; read-only."""
    fits = array.dtype == np.dtype(dtype) and array.flags.c_contiguous and array.flags.aligned
    mapped = isinstance(array, np.memmap) and array.mode == "r" and not array.flags.writeable
    if fits and (mapped or not copy):
        return _sealed(array)
    return _sealed(np.array(array, dtype=dtype, order="C", subok=False))


def _sealed(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def _blocks(table: NDArray[Any]) -> Iterator[NDArray[Any]]:
    rows = max(1, BLOCK_BYTES // max(1, table.strides[0]))
    yield from (table[start : start + rows] for start in range(0, len(table), rows))


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _frozen(part) for key, part in value.items()})
    return tuple(_frozen(part) for part in value) if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return tuple(_plain(part) for part in value) if isinstance(value, tuple) else value
