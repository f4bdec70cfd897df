"""Vocabularies from files: the format is told from the content, or named.

    word2vec         text: a line "words dim", then a word and dim numbers a line; .gz too
    fasttext         the same, as fastText writes its .vec files; .gz too
    word2vec-binary  the same header, then little-endian float32; .gz too
    glove            text without a header; .gz too
    npy              a folder with vectors.npy and words.txt, or a .npy beside words.txt; mapped
    safetensors      a 2-D tensor, words in its metadata or in words.txt; mapped

Pickles can run code when they are read, so every file that is one is refused, whatever its name.
"""

import re
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import UnknownNameError, VocabularyError, need
from textveil.json_text import json_data
from textveil.types import Progress
from textveil.vocabulary.readers.rows import GZIP, HEADER, opened, read_binary, read_text
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

    Raises:
        VocabularyError: it cannot be read, is a pickle, or is not a valid vocabulary.
        UnknownNameError: no such format.
        ParameterError: ``limit`` is below two.
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
    """Refuse a folder that is not in the layout of ``npy``, and name the file to give where there is only one."""
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

    The table is of floats, or int8 with one float32 scale a row in ``scales.npy`` beside it. Words stand
    one a line in UTF-8, in the order of the rows.

    ``limit``: read this many rows at most; None reads all. Raises VocabularyError: a file is missing, damaged, holds
    Python objects, or the shapes do not agree.
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
    """The tensor of vectors, memory-mapped read-only."""
    tables = {key: entry for key, entry in header.items() if _is_table(entry)}
    if "vectors" in tables:
        entry = tables["vectors"]
    elif len(tables) == 1:
        (entry,) = tables.values()
    else:
        raise _damaged(name, "one 2-D tensor, or one named vectors", f"{len(tables)} tensors with 2 dimensions")
    dtype = _FLOATS.get(entry["dtype"])
    if dtype is None:
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
