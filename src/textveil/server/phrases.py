"""Many phrases looked for in one pass over a text: time grows with the text and with the phrases, not with both.

Source: Aho and Corasick, "Efficient string matching", 1975, over words in place of characters.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from textveil.cuts import replaced

_PIECE: Final = re.compile(r"\w+|\s+|[^\w\s]")

Phrase: TypeAlias = tuple[str, ...]
"""Words, marks and single spaces, in small letters."""


def phrase(text: str) -> Phrase:
    """A text as a phrase; white space around it does not count."""
    return tuple(" " if piece.isspace() else piece.casefold() for piece in _PIECE.findall(text.strip()))


class Mention(NamedTuple):
    """The characters ``text[start:end]`` are a phrase."""

    start: int
    end: int
    phrase: Phrase


class Phrases:
    """Finds phrases as whole words, in any case, however much white space is between their words.

    Args:
        phrases: none empty.
    """

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._ends: list[Phrase | None] = [None]
        self._longest = 0
        for each in phrases:
            self._longest = max(self._longest, len(each))
            node = 0
            for word in each:
                node = self._next[node].setdefault(word, len(self._next))
                if node == len(self._next):
                    self._next.append({})
                    self._ends.append(None)
            self._ends[node] = each
        self._shorter = [0] * len(self._next)  # the longest other node that ends with the same words
        self._inner = [0] * len(self._next)  # among these, the longest that ends a phrase
        waiting = deque(self._next[0].values())
        while waiting:
            node = waiting.popleft()
            for word, child in self._next[node].items():
                self._shorter[child] = self._step(self._shorter[node], word)
                waiting.append(child)
            shorter = self._shorter[node]
            self._inner[node] = shorter if self._ends[shorter] is not None else self._inner[shorter]

    def mentions(self, text: str) -> Iterator[Mention]:
        """Every mention in a text, by where it ends; some overlap. Between two pieces other threads have their turn."""
        node = 0
        held: deque[tuple[int, str]] = deque(maxlen=self._longest + 1)  # starts of pieces, and the pieces
        open_ones: list[Mention] = []  # they end with a mark, and are none if a word follows
        for match in _PIECE.finditer(text):
            piece = match[0]
            if not _is_word(piece):
                yield from open_ones
            open_ones = []
            held.append((match.start(), piece))
            node = self._step(node, " " if piece.isspace() else piece.casefold())
            ending = node if self._ends[node] is not None else self._inner[node]
            while ending:
                found = self._ends[ending]
                assert found is not None
                start, first = held[-len(found)]
                before = held[-len(found) - 1][1] if len(held) > len(found) else ""
                if _is_word(first) or not _is_word(before):
                    mention = Mention(start, match.end(), found)
                    if _is_word(piece):
                        yield mention
                    else:
                        open_ones.append(mention)
                ending = self._inner[ending]
        yield from open_ones

    def _step(self, node: int, word: str) -> int:
        while node and word not in self._next[node]:
            node = self._shorter[node]
        return self._next[node].get(word, 0)


def without(text: str, mentions: Iterable[Mention], counts: Callable[[Phrase], bool]) -> str:
    """A text with a space in place of each mention of a phrase that counts; of those that overlap, the first."""
    longest: dict[int, int] = {}
    for mention in mentions:
        if counts(mention.phrase):
            longest[mention.start] = max(mention.end, longest.get(mention.start, 0))
    edits: list[tuple[int, int, str]] = []
    for start in sorted(longest):
        if not edits or start >= edits[-1][1]:
            edits.append((start, longest[start], " "))
    return replaced(text, edits)


def _is_word(piece: str) -> bool:
    return piece[:1].isalnum() or piece[:1] == "_"
