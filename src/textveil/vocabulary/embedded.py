"""The embedded vocabulary, and the one door through which every vocabulary is loaded.

The embedded words and vectors come from GloVe 840B (public domain, PDDL 1.0) and are built by
``tools/build_vocabulary.py``; ``data/provenance.json`` says from what, by which rule, with which digests.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from textveil.errors import need
from textveil.json_text import json_file
from textveil.types import Progress
from textveil.vocabulary.readers import read_npy, read_vocabulary
from textveil.vocabulary.vocabulary import SMALLEST, Vocabulary, refusal

EMBEDDED = "embedded"  # the name under which `load_vocabulary` knows the embedded vocabulary
DATA = Path(__file__).parent / "data"  # folder of the embedded vocabulary


def load_vocabulary(
    source: str | Path | None = None,
    *,
    format: str | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Vocabulary:
    """The embedded vocabulary, or the one in a file or folder.

    Args:
        source: None or ``"embedded"`` for the embedded one (kept for the life of the process); otherwise
            the path of a file or folder in one of the formats of ``textveil.vocabulary.readers``.
        format: its name, where the content does not show it.
        limit: take this many words at most, the first ones; None takes all. Stored facts speak of the whole
            vocabulary, so a part has none.

    Raises VocabularyError: it cannot be read, is a pickle, or is not a valid vocabulary; ParameterError: ``limit`` is
    below two, or a format is named for the embedded vocabulary.
    """
    if source is not None and source != EMBEDDED:
        return read_vocabulary(Path(source), format=format, limit=limit, progress=progress)
    need(format is None, "format", format, "None for the embedded vocabulary")
    need(limit is None or limit >= SMALLEST, "limit", limit, f"at least {SMALLEST}, or None for all words")
    whole = _embedded()
    if limit is None or limit >= len(whole) or whole.grid is None:
        return whole
    values, scales = whole.grid
    return Vocabulary(whole.words[:limit], name=whole.name, grid=(values[:limit], scales[:limit]))


def provenance() -> dict[str, Any]:
    """Source, license, selection rule, rounding error and SHA-256 digests of the embedded vocabulary."""
    record: dict[str, Any] = json_file(DATA / "provenance.json")
    return record


@cache
def _embedded() -> Vocabulary:
    """The embedded vocabulary, after comparing its files with their digests (a few milliseconds)."""
    record = provenance()
    name = record["name"]
    for file, digest in record["files"].items():
        if _sha256(DATA / file) != digest:
            raise refusal(name, f"its file {file} intact", "another", "Install textveil again.")
    facts = json_file(DATA / "facts.json")
    bare = read_npy(DATA, name)
    whole = Vocabulary(bare.words, name=name, grid=bare.grid, facts=facts)
    return whole.kept_at(_embedded_again, whole.digest)


def _embedded_again(digest: str) -> Vocabulary:
    """The embedded vocabulary in the process that unpickles it, which maps the file into its own memory.

    Raises VocabularyError: another version of textveil, with other words, is installed there.
    """
    whole = _embedded()
    if whole.digest != digest:
        raise refusal(whole.name, f"digest {digest[:16]}", whole.digest[:16], "Install one version everywhere.")
    return whole


def _sha256(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
