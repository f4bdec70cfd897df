"""Vector tables that are read row by row: word2vec text and binary, GloVe, fastText; plain or gzip.

Memory stays at the table itself plus one chunk, whatever the file promises about its size.
"""

import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from textveil.errors import VocabularyError
from textveil.types import Progress, Vectors
from textveil.vocabulary.vocabulary import Vocabulary, refusal

GZIP = b"\x1f\x8b"
HEADER = re.compile(rb"(\d{1,12})[ \t]+(\d{1,6})\s*")
"""First line of word2vec and fastText files: the number of words and of dimensions."""

# Possessive, so that a field is read once: with backtracking, long runs of digits take quadratic time.
_NUMBER = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
LONGEST_NUMBER = 1 << 10  # bytes of a number's field; what writes vectors needs a tenth of it
_LONGEST_LINE = 1 << 22
_LONGEST_WORD = 1 << 12
_CHUNK_BYTES = 1 << 22
_SAMPLE_ROWS = 100  # rows that settle the dimension of a file without a header


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
    """The bytes of a plain or gzip file, and the position reached in the file on disk."""
    with path.open("rb") as raw:
        zipped = raw.read(2) == GZIP
        raw.seek(0)
        if zipped:
            with gzip.GzipFile(fileobj=raw) as unzipped:
                yield io.BufferedReader(unzipped, 1 << 20), raw.tell
        else:
            yield raw, raw.tell


def read_text(
    path: Path, name: str, *, header: bool, limit: int | None = None, progress: Progress | None = None
) -> Vocabulary:
    """A text table: a row is a word, then ``dim`` decimal numbers, separated by spaces or tabs.

    The last ``dim`` fields are the vector, so a word may hold spaces (GloVe 840B has such words). A field
    before them that reads as a number makes the row too long rather than its word odd.

    ``header``: whether the first line says "words dim"; without it the dimension is the number of numeric fields at the
    end of most of the first rows; ``limit``: read this many rows at most; None reads all. Raises VocabularyError: a
    ragged row, a field that is no number or a long one, a word that is not UTF-8, a header that disagrees with the
    rows, or no valid vocabulary. Rows are counted from 1 after the header.
    """
    size = path.stat().st_size
    with opened(path) as (stream, position):
        promised, dim = _header(name, stream) if header else (None, 0)
        lines = _lines(name, stream)
        sample = list(islice(lines, _SAMPLE_ROWS))
        if not sample:
            raise refusal(name, "rows of a word and its numbers", "none", "Choose another file.")
        dim = dim or _dimension(name, sample)
        rows = islice(chain(sample, lines), limit)
        words: list[str] = []
        table = np.empty((0, dim), dtype=np.float32)
        while chunk := list(islice(rows, max(1, _CHUNK_BYTES // (8 * dim)))):
            fields = _split(name, chunk, dim, words)
            table = _room(table, len(words))
            table[len(words) - len(chunk) : len(words)] = _numbers(name, fields, dim, len(words) - len(chunk))
            if progress is not None:
                progress(position(), size)
    if promised is not None:
        _agree(name, promised, len(words), limit)
    return _finished(name, words, table, size, progress)


def read_binary(path: Path, name: str, *, limit: int | None = None, progress: Progress | None = None) -> Vocabulary:
    """word2vec's binary table: a header line, then a word, a space and ``dim`` little-endian float32 a row.

    ``limit``: read this many rows at most; None reads all. Raises VocabularyError: the file ends within a row, or holds
    more or fewer rows than its header says.
    """
    size = path.stat().st_size
    with opened(path) as (stream, position):
        promised, dim = _header(name, stream)
        words: list[str] = []
        table = np.empty((0, dim), dtype=np.float32)
        for word, vector in islice(_binary_rows(name, stream, 4 * dim), limit):
            row = len(words)
            words.append(_decoded(name, row + 1, word))
            if row == len(table):
                table = _room(table, row + 1)
            table[row] = np.frombuffer(vector, dtype="<f4")
            if progress is not None and row % 4096 == 0:
                progress(position(), size)
    _agree(name, promised, len(words), limit)
    return _finished(name, words, table, size, progress)


def _header(name: str, stream: BinaryIO) -> tuple[int, int]:
    match = HEADER.fullmatch(stream.readline(64))
    if match is None or int(match[2]) < 1:
        raise refusal(name, "a first line 'words dimensions'", "another", "Name the format that it has.")
    return int(match[1]), int(match[2])


def _lines(name: str, stream: BinaryIO) -> Iterator[bytes]:
    """Rows without their line ends; blank lines may only come last."""
    row, blank = 0, 0
    while line := stream.readline(_LONGEST_LINE):
        row += 1
        if len(line) == _LONGEST_LINE:
            got = f"a longer one in row {row}"
            raise refusal(name, f"rows below {_LONGEST_LINE} bytes", got, "Choose a table of vectors.")
        line = line.rstrip(b" \t\r\n")
        if not line:
            blank = blank or row
        elif blank:
            raise refusal(name, "a word in every row", f"a blank line in row {blank}", "Remove it.")
        else:
            yield line


def _dimension(name: str, sample: list[bytes]) -> int:
    counts: Counter[int] = Counter()
    for row, line in enumerate(sample, 1):
        fields = line.split()[1:]
        trailing = 0
        while trailing < len(fields) and _NUMBER.fullmatch(fields[-1 - trailing]):
            if len(fields[-1 - trailing]) > LONGEST_NUMBER:
                raise _long_number(name, row)
            trailing += 1
        counts[trailing] += 1
    dim = counts.most_common(1)[0][0]
    if dim == 0:
        hint = "Choose another file, or name its format."
        raise refusal(name, "rows of a word and its numbers", "rows that do not end in numbers", hint)
    return dim


def _split(name: str, lines: list[bytes], dim: int, words: list[str]) -> list[bytes]:
    rests = []
    for line in lines:
        row = len(words) + 1
        word, _, rest = line.partition(b" ")
        if not rest or rest.count(b" ") != dim - 1:
            word, rest = _split_irregular(name, row, line, dim)
        words.append(_decoded(name, row, word))
        rests.append(rest)
    return rests


def _split_irregular(name: str, row: int, line: bytes, dim: int) -> tuple[bytes, bytes]:
    hint = "Repair the row or remove it."
    fields = line.rsplit(None, dim)
    if len(fields) != dim + 1:
        raise refusal(name, f"a word and {dim} numbers in row {row}", f"{len(fields)} fields", hint)
    pieces = fields[0].split()
    if len(pieces) > 1 and _NUMBER.fullmatch(pieces[-1]):
        raise refusal(name, f"a word and {dim} numbers in row {row}", "more numbers", hint)
    return fields[0], b" ".join(fields[1:])


def _decoded(name: str, row: int, word: bytes) -> str:
    if not word:
        raise refusal(name, "a word in every row", f"none in row {row}", "Repair the row or remove it.")
    try:
        return word.decode("utf-8")
    except UnicodeDecodeError:
        hint = "Convert the file to UTF-8."
        raise refusal(name, "words in UTF-8", f"other bytes in row {row}", hint) from None


def _numbers(name: str, fields: list[bytes], dim: int, done: int) -> Vectors:
    joined = np.frombuffer(b" ".join([*fields, b""]), dtype=np.uint8)
    widths = np.diff(np.flatnonzero(joined == ord(" ")), prepend=-1)
    if widths.max(initial=0) > LONGEST_NUMBER + 1:
        raise _long_number(name, done + 1 + int(np.argmax(widths)) // dim)
    try:
        with np.errstate(over="ignore"):  # an overflow becomes infinite, and is refused as such
            table = np.loadtxt(fields, dtype=np.float32, delimiter=" ", comments=None, ndmin=2, encoding="latin1")
    except ValueError:  # its message quotes the file
        table = np.empty((0, 0), dtype=np.float32)
    if table.shape == (len(fields), dim):
        return table
    bad = (row for row, line in enumerate(fields) if not all(map(_NUMBER.fullmatch, line.split(b" "))))
    row = done + 1 + next(bad, 0)
    raise refusal(name, f"{dim} decimal numbers in row {row}", "another field", "Repair the row or remove it.")


def _long_number(name: str, row: int) -> VocabularyError:
    wanted = f"numbers of at most {LONGEST_NUMBER} bytes"
    return refusal(name, wanted, f"a longer field in row {row}", "Repair the row or remove it.")


def _binary_rows(name: str, stream: BinaryIO, width: int) -> Iterator[tuple[bytes, bytes]]:
    buffer, start, row = b"", 0, 1
    while True:
        space = buffer.find(b" ", start, start + _LONGEST_WORD)
        stop = space + 1 + width
        if space >= 0 and stop <= len(buffer):
            yield buffer[start:space].lstrip(b"\n"), buffer[space + 1 : stop]
            start, row = stop, row + 1
            continue
        if space < 0 and len(buffer) - start >= _LONGEST_WORD:
            hint = "Name the format that it has."
            raise refusal(name, f"a word below {_LONGEST_WORD} bytes in row {row}", "a longer one", hint)
        more = stream.read(_CHUNK_BYTES)
        if not more:
            if buffer[start:].strip(b"\r\n"):
                raise refusal(name, "whole rows", f"a file that ends within row {row}", "Fetch it again.")
            return
        buffer, start = buffer[start:] + more, 0


def _room(table: Vectors, rows: int) -> Vectors:
    """``table`` with at least ``rows`` rows; grown in place by an eighth, so that memory is not doubled."""
    if rows > len(table):
        table.resize((max(rows, len(table) + len(table) // 8, 64), table.shape[1]), refcheck=False)
    return table


def _agree(name: str, promised: int, rows: int, limit: int | None) -> None:
    wanted = promised if limit is None else min(promised, limit)
    if rows != wanted:
        hint = "Correct the header, or fetch the file again."
        raise refusal(name, f"the {promised} rows that its header promises", str(rows), hint)


def _finished(name: str, words: list[str], table: Vectors, size: int, progress: Progress | None) -> Vocabulary:
    table.resize((len(words), table.shape[1]), refcheck=False)
    vocabulary = Vocabulary(words, table, name, copy=False)
    if progress is not None:
        progress(size, size)
    return vocabulary
