"""Pools of a user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np

from textveil.errors import InputError, need
from textveil.registry.options import Option
from textveil.surrogates.declaration import PSEUDONYMS, declared
from textveil.surrogates.drawn import BUT_FOR_CASE, Drawn, pseudonym
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import key_of

_WORDS = Option(help="The entries: a list of two or more different texts.", metavar="WORDS")
_FILE = Option(help="A file with an entry a line, in place of words.", metavar="FILE")


@declared(
    summary="An entry of a list of your own.",
    kinds=(),
    proof=PSEUDONYMS,
    name="pool",
    sample={"words": ["red", "green", "blue"]},
)
def own_pool(
    *, words: Annotated[list[str], _WORDS] | tuple[str, ...] | None = None, file: Annotated[str, _FILE] | None = None
) -> Drawn:
    """A pseudonym out of public entries that the user gives.

    In a policy's file, ``file`` is a path from its folder.

    Raises:
        ParameterError: neither or both are given, or there are fewer than two different entries.
        InputError: the file cannot be read.
    """
    need((words is None) != (file is None), "words", "both or neither", "given, or `file`, and not both")
    entries = _checked(words, "words") if file is None else _checked(_lines(file), "file")
    label = f"pool {hashlib.sha256(repr(entries).encode('utf-8', 'surrogatepass')).hexdigest()}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        return entries[scope.place(label, key_of(value), len(entries), rng)]

    parameters = {"entries": len(entries), "digest": label[5:21]}
    return pseudonym("pool", (), surrogate_of, len(entries), parameters, equality=BUT_FOR_CASE, read=key_of)


def _checked(words: object, name: str) -> tuple[str, ...]:
    listed = isinstance(words, Sequence) and not isinstance(words, str) and all(isinstance(word, str) for word in words)
    need(listed, name, type(words).__name__, "a list of texts")
    entries = tuple(sorted({word.strip() for word in words if word.strip()}))  # type: ignore[attr-defined]
    need(len(entries) >= 2, name, f"{len(entries)} of them", "at least 2 different entries", "Add some.")
    return entries


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(
            f"file of a pool must be a readable UTF-8 text; got {type(error).__name__}. Check its path."
        ) from error
