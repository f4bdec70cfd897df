"""Common words of public text that is like the sender's: a background."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from textveil.errors import ParameterError, need
from textveil.text.common_words import LEVELS, common_words_of

FEWEST: Final = 20
"""Documents that a background has at least."""


def words_of_background(path: Path, level: str) -> tuple[str, ...]:
    """The words that stand in a share of public documents, which the level says.

    Args:
        path: a text file with a document a line, or one that ends in .jsonl with a "text" in each record.
        level: of ``LEVELS``.

    Raises:
        ParameterError: the file cannot be read, has fewer than ``FEWEST`` documents, or shares too few words.
    """
    need(level in LEVELS, "level", repr(level)[:60], f"one of {', '.join(LEVELS)}")
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [line for line in lines if line.strip()]
        documents = [str(json.loads(one)["text"]) for one in records] if path.suffix == ".jsonl" else records
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _fault(f"a text file with a document a line, or .jsonl with text; got: {why}. Check its path.") from None
    if len(documents) < FEWEST:
        raise _fault(
            f"of {FEWEST} documents or more, one a line; got {len(documents)}. Add public text, or leave it out."
        )
    words = common_words_of(documents, level)
    if not words:
        raise _fault(f"of documents that share words; got none at the level {level}. Give texts that are like yours.")
    return words


def _fault(what: str) -> ParameterError:
    error = ParameterError(f"background must be {what}")
    error.parameter = "background"
    return error
