"""Common words of public text that is like the sender's: a background."""

from __future__ import annotations

import json
from pathlib import Path

from textveil.errors import ParameterError
from textveil.text.common_words import common_words_of


def words_of_background(path: Path, level: str) -> tuple[str, ...]:
    """The words that stand in a share of public documents, which the level says.

    Args:
        path: a text file with a document a line, or one that ends in .jsonl with a "text" in each record.

    Raises:
        ParameterError: the file cannot be read; or as ``common_words_of``.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [line for line in lines if line.strip()]
        documents = [str(json.loads(one)["text"]) for one in records] if path.suffix == ".jsonl" else records
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as cause:
        why = getattr(cause, "strerror", None) or type(cause).__name__
        error = ParameterError(
            f"background must be a text file with a document a line, or .jsonl with text; got: {why}. Check its path."
        )
        error.parameter = "background"
        raise error from None
    return common_words_of(documents, level)
