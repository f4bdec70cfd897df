"""Vocabularies from files: the format is told from the content, or named.

    word2vec         text: a line "words dim", then a word and dim numbers a line; .gz too
    fasttext         the same, as fastText writes its .vec files; .gz too
    word2vec-binary  the same header, then little-endian float32; .gz too
    glove            text without a header; .gz too
    npy              a folder with vectors.npy and words.txt, or a .npy beside words.txt; mapped
    safetensors      a 2-D tensor, words in its metadata or in words.txt; mapped

Pickles can run code when they are read, so every file that is one is refused, whatever its name. Of tables that are
read row by row, memory stays at the table itself plus one chunk, whatever the file promises about its size.
"""

import gzip
import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import UnknownNameError, VocabularyError, need
from textveil.json_text import json_data
from textveil.types import Progress, Vectors
from textveil.vocabulary.vocabulary import SMALLEST, Vocabulary, refusal

Reader: TypeAlias = Callable[..., Vocabulary]
_ARRAYS = ("npy", "safetensors")
_NPY = b"\x93NUMPY"
_FASTTEXT_MODEL = struct.pack("<i", 793712314)
_PICKLE_SUFFIXES = frozenset({".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".kv", ".model"})
_PICKLE = re.compile(rb"\x80[\x02-\x07]")
"""Every pickle since protocol 2 starts so; older ones are text that no reader here accepts."""

_HEAD_BYTES = 1 << 16
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r")) + b"\x7f"
WORDS = "words.txt"
VECTORS = "vectors.npy"
SCALES = "scales.npy"
LONGEST_HEADER = 100_000_000  # bytes that a safetensors header may take; the format's own limit
_ARCHIVE = b"PK\x03\x04"  # first bytes of a .npz file, whatever its name
_BLOCK_ROWS = 8192
_FLOATS: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype("<u2"),
}
"""Stored types that become float32; bfloat16 has no NumPy type and is read by its bits."""


def read_vocabulary(
    path: Path, *, format: str | None = None, limit: int | None = None, progress: Progress | None = None
) -> Vocabulary:
    """The vocabulary in a file or folder.

    Args:
        path: the file, or a folder in the layout of ``npy``.
        format: one of ``FORMATS``; None tells it from the content.
        limit: read this many words at most, the first ones; None reads all.

    Raises VocabularyError: it cannot be read, is a pickle, or is not a valid vocabulary; UnknownNameError: no such
    format; ParameterError: ``limit`` is below two.
    """
    need(limit is None or limit >= SMALLEST, "limit", limit, f"at least {SMALLEST}, or None for all words")
    if format is not None and format not in FORMATS:
        names = f"one of {', '.join(FORMATS)}"
        need(False, "format", repr(format), names, "Choose one of them.", kind=UnknownNameError)
    name = public_name(path)
    if not path.exists():
        raise refusal(name, "an existing file or folder", "neither", "Check the path.")
    try:
        if path.is_dir() and format in (None, "npy"):
            _need_arrays(path, name)
        head = _head(path, name)
        chosen = format or _detected(path, name, head)
        if head.startswith(GZIP) and chosen in _ARRAYS:
            raise refusal(name, f"a plain {chosen} file", "a gzip file", "Unpack it first.")
        return FORMATS[chosen](path, name, limit=limit, progress=progress)
    except VocabularyError:
        raise
    except (OSError, EOFError, zlib.error, MemoryError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
        hint = "Check that it is whole and may be read."
        raise refusal(name, "a readable file", f"an error: {reason}", hint) from None


def public_name(path: Path) -> str:
    """The base name of a path, fit for reports."""
    return "".join("_" if mark in "/\\" or not mark.isprintable() else mark for mark in path.name) or "folder"


def _need_arrays(path: Path, name: str) -> None:
    """Refuse a folder that is not in the layout of ``npy``, and name the file to give if there is only one."""
    if (path / WORDS).is_file() or (path / VECTORS).is_file():
        return
    files = [file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")]
    tables = [file for file in files if file.suffix == ".txt"] or files
    hint = f"Give its file {public_name(tables[0])} instead." if len(tables) == 1 else "Give a file of vectors instead."
    raise refusal(name, f"a file, or a folder with {VECTORS} and {WORDS}", "a folder with neither", hint)


def _head(path: Path, name: str) -> bytes:
    """The first bytes of a file, after refusing pickles, archives and empty files; none of a folder."""
    if path.is_dir():
        return b""
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    if not head:
        raise refusal(name, "a table of vectors", "an empty file", "Choose another file.")
    pickled = _PICKLE.match(head) and not _is_safetensors(head)
    if pickled or path.suffix.lower() in _PICKLE_SUFFIXES:
        hint = "Pickles can run code; export word2vec text, .npy or safetensors instead."
        raise refusal(name, "a table of vectors", "a pickle", hint)
    if head.startswith(b"PK\x03\x04"):
        raise refusal(name, "a table of vectors", "a zip archive", "Unpack it first.")
    if head.startswith(_FASTTEXT_MODEL):
        raise refusal(name, "a table of vectors", "a fastText model", "Use its .vec file.")
    return head


def _is_safetensors(head: bytes) -> bool:
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") <= LONGEST_HEADER


def _detected(path: Path, name: str, head: bytes) -> str:
    if path.is_dir() or head.startswith(_NPY):
        return "npy"
    if _is_safetensors(head):
        return "safetensors"
    if head.startswith(GZIP):
        with opened(path) as (stream, _):
            head = stream.read(_HEAD_BYTES)
    first, _, rest = head.partition(b"\n")
    binary = any(mark in _CONTROLS for mark in rest)
    if HEADER.fullmatch(first):
        return "word2vec-binary" if binary else "word2vec"
    if binary:
        hint = f"Name its format, one of {', '.join(FORMATS)}."
        raise refusal(name, "a known format", "binary content that is none", hint)
    return "glove"


def read_npy(path: Path, name: str, *, limit: int | None = None, progress: Progress | None = None) -> Vocabulary:
    """A folder with ``vectors.npy`` and ``words.txt``, or any .npy file with ``words.txt`` beside it.

    The table is of floats, or int8 with one float32 scale a row in ``scales.npy`` beside it. Words stand one a line in
    UTF-8, in the order of the rows. ``limit``: read this many rows at most; None reads all. Raises VocabularyError: a
    file is missing, damaged, holds Python objects, or the shapes do not agree.
    """
    table_path = path / VECTORS if path.is_dir() else path
    words = read_words(table_path.with_name(WORDS), name)
    table = _mapped(table_path, name)
    _same_length(name, words, table)
    scales = None
    if table.dtype == np.int8:
        scales = _mapped(table_path.with_name(SCALES), name)
        _same_length(name, words, scales)
        scales = scales[:limit]
    vocabulary = _vocabulary(name, words[:limit], table[:limit], scales)
    return _told(vocabulary, table_path, progress)


def read_safetensors(
    path: Path, name: str, *, limit: int | None = None, progress: Progress | None = None
) -> Vocabulary:
    """A safetensors file whose 2-D tensor holds the vectors (F64, F32, F16 or BF16).

    The tensor is the one named ``vectors``, or else the only one with two dimensions. The words are the
    metadata entry ``words``, a JSON list of strings; or else ``words.txt`` beside the file.
    Format: https://github.com/huggingface/safetensors, "Format".

    ``limit``: read this many rows at most; None reads all. Raises VocabularyError: the header is damaged, names no such
    tensor, or the words are missing.
    """
    header, start = _safetensors_header(path, name)
    metadata = header.pop("__metadata__", {})
    table = _tensor(path, name, header, start)
    listed = metadata.get("words") if isinstance(metadata, dict) else None
    words = _listed(listed, name) if listed is not None else read_words(path.with_name(WORDS), name)
    _same_length(name, words, table)
    return _told(_vocabulary(name, words[:limit], table[:limit], None), path, progress)


def read_words(path: Path, name: str) -> list[str]:
    """The lines of ``words.txt``; LF or CRLF, with or without one at the end."""
    if not path.is_file():
        raise refusal(name, f"{WORDS} beside the vectors", "no such file", "Write one word a line, in UTF-8.")
    data = path.read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        hint = "Convert the file to UTF-8."
        raise refusal(name, f"{WORDS} in UTF-8", f"other bytes in row {row}", hint) from None
    # Not splitlines(): real vocabularies hold U+0085 and other marks that it takes for line ends.
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def _mapped(path: Path, name: str) -> NDArray[Any]:
    if not path.is_file():
        raise refusal(name, f"a file {path.name}", "none", f"A folder holds {VECTORS} and {WORDS}.")
    hint = "Save it again with numpy.save; arrays of Python objects are pickles and are refused."
    with path.open("rb") as stream:
        start = stream.read(len(_ARCHIVE))
    if start == _ARCHIVE:
        raise refusal(
            name, f"{path.name} to be one array", "an archive (.npz)", "Save the array alone with numpy.save."
        )
    try:
        # Not numpy.load, which goes by the first bytes and may come back with something else than an array.
        return np.lib.format.open_memmap(path, mode="r")
    except Exception:  # a damaged header makes it raise nearly anything, and the message may quote the file
        raise refusal(name, f"{path.name} to be an array of numbers", "something else", hint) from None


def _same_length(name: str, words: list[str], table: NDArray[Any]) -> None:
    if table.ndim < 1 or len(table) != len(words):
        hint = "Words and vectors must be in the same order, one row each."
        raise refusal(name, f"{len(words)} rows, one for each word", f"shape {table.shape}", hint)


def _vocabulary(name: str, words: list[str], table: NDArray[Any], scales: NDArray[Any] | None) -> Vocabulary:
    """The vocabulary of these arrays; float32 stays mapped, other floats are converted block by block."""
    if scales is not None:
        return Vocabulary(words, name=name, grid=(table, scales))
    if table.ndim != 2 or table.dtype.kind != "f":
        hint = "Store float vectors, or int8 with scales."
        got = "fields with names" if table.dtype.kind == "V" else f"{table.dtype} of shape {table.shape}"
        raise refusal(name, "a 2-D table of floats", got, hint)
    if table.dtype == np.float32:
        return Vocabulary(words, table, name)
    vectors = np.empty(table.shape, dtype=np.float32)
    with np.errstate(over="ignore"):  # an overflow becomes infinite, and is refused as such
        for first in range(0, len(table), _BLOCK_ROWS):
            vectors[first : first + _BLOCK_ROWS] = table[first : first + _BLOCK_ROWS]
    return Vocabulary(words, vectors, name, copy=False)


def _told(vocabulary: Vocabulary, path: Path, progress: Progress | None) -> Vocabulary:
    if progress is not None:
        size = path.stat().st_size
        progress(size, size)
    return vocabulary


def _damaged(name: str, wanted: str, got: str) -> Exception:
    return refusal(name, f"a safetensors file with {wanted}", got, "Save it again.")


def _safetensors_header(path: Path, name: str) -> tuple[dict[str, Any], int]:
    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 2 <= length <= min(LONGEST_HEADER, size - 8):
            raise _damaged(name, "a whole header", "none")
        text = stream.read(length)
    try:
        header = json_data(text)
    except ValueError:  # its message may quote the file
        header = None
    if not isinstance(header, dict):
        raise _damaged(name, "a JSON object as header", "something else")
    return header, 8 + length


def _tensor(path: Path, name: str, header: dict[str, Any], start: int) -> NDArray[Any]:
    tables = {key: entry for key, entry in header.items() if _is_table(entry)}
    if "vectors" in tables:
        entry = tables["vectors"]
    elif len(tables) == 1:
        (entry,) = tables.values()
    else:
        raise _damaged(name, "one 2-D tensor, or one named vectors", f"{len(tables)} tensors with 2 dimensions")
    if (dtype := _FLOATS.get(entry["dtype"])) is None:
        raise _damaged(name, f"vectors of type {', '.join(_FLOATS)}", "another type")
    rows, dim = entry["shape"]
    first, last = entry["data_offsets"]
    fits = first >= 0 and start + last <= path.stat().st_size
    if not fits or last - first != rows * dim * dtype.itemsize:
        raise _damaged(name, "offsets that fit its vectors", "others: it is damaged or cut short")
    if rows < 1 or dim < 1:
        raise _damaged(name, "vectors", "an empty tensor")
    mapped = np.memmap(path, dtype=dtype, mode="r", offset=start + first, shape=(rows, dim))
    return _from_bfloat16(mapped) if entry["dtype"] == "BF16" else mapped


def _is_table(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    pairs = [entry.get("shape"), entry.get("data_offsets")]
    whole = all(isinstance(pair, list) and [type(part) for part in pair] == [int, int] for pair in pairs)
    return whole and isinstance(entry.get("dtype"), str)


def _from_bfloat16(bits: NDArray[Any]) -> NDArray[np.float32]:
    wide = bits.astype("<u4")
    wide <<= 16
    return wide.view("<f4")


def _listed(text: object, name: str) -> list[str]:
    try:
        words = json_data(text) if isinstance(text, str) else None
    except ValueError:
        words = None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _damaged(name, "metadata 'words' as a JSON list of strings", "something else")
    return words


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
        if not (sample := list(islice(lines, _SAMPLE_ROWS))):
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
    if (match := HEADER.fullmatch(stream.readline(64))) is None or int(match[2]) < 1:
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
        if not (line := line.rstrip(b" \t\r\n")):
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
    if (dim := counts.most_common(1)[0][0]) == 0:
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
        if not (more := stream.read(_CHUNK_BYTES)):
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


FORMATS: Mapping[str, Reader] = MappingProxyType(
    {
        "word2vec": partial(read_text, header=True),
        "fasttext": partial(read_text, header=True),
        "word2vec-binary": read_binary,
        "glove": partial(read_text, header=False),
        "npy": read_npy,
        "safetensors": read_safetensors,
    }
)
"""Readers by the names that ``format`` takes."""
