"""Overlaps of public and synthetic texts with private ones. They have no noise: for the sender alone."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

RUN: Final = 8
"""Words in a row that count as the same text."""

_WORD: Final = re.compile(r"\w+")


class Overlap(NamedTuple):
    """A synthetic text that shares a run of words with a private one.

    Attributes:
        line: number of the synthetic text, from 1.
        words: the first such run, in lower case.
    """

    line: int
    words: str


class Comparison(NamedTuple):
    """How public and synthetic texts coincide with private ones.

    Attributes:
        overlaps: of the synthetic texts, in their order.
        in_pool: private texts that stand in the pool word by word.
    """

    overlaps: list[Overlap]
    in_pool: int


def compared(synthetic: Sequence[str], pool: Sequence[str], private: Iterable[str], run: int = RUN) -> Comparison:
    """Compare texts with private ones.

    Public texts may coincide with private ones: by quotation, or where the pool is not public after all.

    Args:
        run: words in a row, >= 1; a shorter text counts as one run.
    """
    lines: dict[tuple[str, ...], list[int]] = {}
    for line, text in enumerate(synthetic, start=1):
        for words in _runs(text, run):
            lines.setdefault(words, []).append(line)
    public, in_pool = set(pool), 0
    shared: dict[int, tuple[str, ...]] = {}
    for text in private:
        in_pool += text.strip() in public
        for words in _runs(text, run):
            for line in lines.get(words, ()):
                shared.setdefault(line, words)
    return Comparison([Overlap(line, " ".join(shared[line])) for line in sorted(shared)], in_pool)


def _runs(text: str, run: int) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) <= run:
        return {tuple(words)} if words else set()
    return set(zip(*(islice(words, first, None) for first in range(run)), strict=False))
