"""Vocabularies from files: the format is told from the content, or named.

    word2vec         text: a line "words dim", then a word and dim numbers a line; .gz too
    fasttext         the same, as fastText writes its .vec files; .gz too
    word2vec-binary  the same header, then little-endian float32; .gz too
    glove            text without a header; .gz too
    npy              a folder with vectors.npy and words.txt, or a .npy beside words.txt; mapped
    safetensors      a 2-D tensor, words in its metadata or in words.txt; mapped

Pickles can run code when they are read, so every file that is one is refused, whatever its name.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from textveil.errors import UnknownNameError, VocabularyError, need
from textveil.types import Progress
from textveil.vocabulary.readers.arrays import LONGEST_HEADER, VECTORS, WORDS, read_npy, read_safetensors
from textveil.vocabulary.readers.rows import GZIP, HEADER, opened, read_binary, read_text
from textveil.vocabulary.vocabulary import SMALLEST, Vocabulary, refusal

Reader: TypeAlias = Callable[..., Vocabulary]

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

_ARRAYS = ("npy", "safetensors")
_NPY = b"\x93NUMPY"
_FASTTEXT_MODEL = struct.pack("<i", 793712314)
_PICKLE_SUFFIXES = frozenset({".pkl", ".pickle", ".joblib", ".dill", ".pt", ".pth", ".kv", ".model"})
_PICKLE = re.compile(rb"\x80[\x02-\x07]")
"""Every pickle since protocol 2 starts so; older ones are text that no reader here accepts."""

_HEAD_BYTES = 1 << 16
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r")) + b"\x7f"


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
