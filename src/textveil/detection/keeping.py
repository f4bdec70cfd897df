"""What stays whatever detectors find in it: keep lists of words and patterns, and the public lists that come along.

A keep list is a part of the public function that finds spans: a span that lies in a kept phrase counts as not found.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from textveil.detection.given import TOKEN, checked_pattern, token_key
from textveil.detection.kinds import OWN
from textveil.detection.spans import DetectedSpan
from textveil.errors import need
from textveil.text.patterns import matches

_DATA: Final = Path(__file__).parent / "data" / "keep"
SHIPPED: Final = tuple(sorted(file.stem for file in _DATA.glob("*.txt")))
"""Public lists that come with the package."""

Keeps: TypeAlias = Callable[[DetectedSpan], bool]
"""Whether a span of one text stays."""

_LINKS: Final = frozenset((*"&,/-+.", "and", "or", "of", "the", "with", "on", "for", "vs"))
"""What may stand between two kept phrases of one span."""

_WORD: Final = 40
"""Characters of a word, for the window in which phrases are looked for."""

_GUESSES: Final = frozenset(("", "list", "guess", "shape", "tagger", "verb", "pair"))
"""Evidence for a name that a public list outweighs; a title before it, a cue or a label goes first."""

_SURE: Final = 0.75


@cache
def shipped_words(name: str) -> tuple[str, ...]:
    """The phrases of a public list.

    Raises:
        ParameterError: there is none of that name.
    """
    need(name in SHIPPED, "shipped", repr(name)[:60], f"among {', '.join(SHIPPED)}")
    lines = (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple([line for line in map(str.strip, lines) if line and not line.startswith("#")])


class KeepList:
    """Words and phrases that stay, as whole words in any letter case.

    Args:
        words: at least one.
        kind: of the spans that stay; empty is any.
        public: whether the list comes with the package. A name with evidence of its own, such as a title before it, is
            then no word of the list, unless the list has it in full; capitals count where an entry has nothing else
            ("BERT"); and numbers are drawn as elsewhere.
    """

    def __init__(self, words: Iterable[str], *, kind: str = "", public: bool = False) -> None:
        self._kind, self._public = kind, public
        self.of_numbers = not public and kind in ("", "number")
        entries = {word: _keys_of(word) for word in words}
        self._capitals = frozenset([entry for word, entry in entries.items() if public and word.isupper()])
        self.phrases = frozenset(filter(None, entries.values()))
        need(bool(self.phrases), "words", "none", "words and phrases")
        self._words = frozenset(chain.from_iterable(self.phrases))
        self._goes_on = _LINKS.union(*[phrase[1:] for phrase in self.phrases])
        self._longest = max(map(len, self.phrases))
        begun: dict[str, set[int]] = {}
        for phrase in self.phrases:
            begun.setdefault(phrase[0], set()).add(len(phrase))
        self._lengths = {word: sorted(lengths, reverse=True) for word, lengths in begun.items()}

    def keeping(self, text: str) -> Keeps:
        """What stays of a text."""
        return lambda span: self._may_stay(span) and self._holds(text, span)

    def _may_stay(self, span: DetectedSpan) -> bool:
        if self._public and span.kind == "number":
            return False
        return not self._kind or span.kind == self._kind

    def _holds(self, text: str, span: DetectedSpan) -> bool:
        start = _word_start(text, span.start)
        # No entry has so long a word; a longer one would be read again for each span in it.
        first = TOKEN.match(text, start, min(len(text), start + 2 * _WORD))
        if first is None or (key := token_key(first[0])) not in self._words:
            return False
        reach = self._longest * _WORD
        # A word that only begins entries is kept by an entry that begins there, or not at all.
        begins = first.end() > span.start and key not in self._goes_on and not _evident(span)
        begin = start if begins else _word_start(text, max(0, start - reach))
        before: deque[re.Match[str]] = deque(maxlen=self._longest - 1)
        tokens: list[re.Match[str]] = []
        behind = 0
        for token in TOKEN.finditer(text, begin, min(len(text), span.end + reach)):
            if token.end() <= span.start:
                before.append(token)
                continue
            tokens.append(token)
            behind += token.start() >= span.end
            if behind == self._longest:  # no phrase that reaches the span goes further
                break
        at = len(before)
        tokens = [*before, *tokens]
        keys = [token_key(token[0]) for token in tokens]
        for place in range(at + 1):
            count = self._covered(tokens, keys, place, span.end)
            if count > at - place:
                return not (self._public and count == 1 and _evident(span))
        return False

    def _covered(self, tokens: Sequence[re.Match[str]], keys: Sequence[str], place: int, end: int) -> int:
        """How many tokens from one on are kept phrases and what links them, up to an end at least; 0 where not."""
        reached = place
        while reached < len(tokens) and (reached == place or tokens[reached].start() < end):
            lengths = (n for n in self._lengths.get(keys[reached], ()) if n <= len(keys) - reached)
            count = next((n for n in lengths if self._listed(tokens, keys, reached, n)), 0)
            if not count and not (reached > place and keys[reached] in _LINKS):
                return 0
            reached += count or 1
        return reached - place if reached > place and tokens[reached - 1].end() >= end else 0

    def _listed(self, tokens: Sequence[re.Match[str]], keys: Sequence[str], place: int, count: int) -> bool:
        phrase = tuple(keys[place : place + count])
        if phrase not in self.phrases:
            return False
        return phrase not in self._capitals or "".join(token[0] for token in tokens[place : place + count]).isupper()


def _keys_of(word: str) -> tuple[str, ...]:
    if word.isascii():
        low = word.lower()
        return tuple(low.split() if low.replace(" ", "").isalnum() else TOKEN.findall(low))
    return tuple(map(token_key, TOKEN.findall(word)))


def _evident(span: DetectedSpan) -> bool:
    return span.kind == "person" and (span.why not in _GUESSES or (not span.why and span.score >= _SURE))


def _word_start(text: str, place: int) -> int:
    first = max(0, place - _WORD)
    while place > first and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place


class KeepPattern:
    """What a regular expression matches stays.

    Args:
        regex: in Python's syntax.
        kind: of the spans that stay; empty is any.

    Raises:
        ParameterError: see ``checked_pattern``; or it keeps all values of a kind.
    """

    def __init__(self, regex: str, *, kind: str = "") -> None:
        self._pattern, self._kind = checked_pattern(regex), kind
        self.of_numbers = kind in ("", "number")
        for probed in OWN:
            whole = kind in ("", probed.name) and bool(probed.values) and all(map(self._keeps_value, probed.values))
            hint = f"To keep all of a kind, write keep = true in the rule for {probed.name}."
            need(not whole, "regex", f"one that keeps every {probed.name}", "one that keeps some values", hint)

    def _keeps_value(self, value: str) -> bool:
        text = f"Then {value} came"
        return any(match.start() <= 5 and match.end() >= 5 + len(value) for match in self._pattern.finditer(text))

    def keeping(self, text: str) -> Keeps:
        """What stays of a text."""
        kept = bytearray(len(text) + 1)
        for match in matches(self._pattern, text):
            start, end = match.span()
            kept[start:end] = b"\1" * (end - start)
            kept[start] = 2  # where another match begins
        return lambda span: self._stays(kept, span)

    def _stays(self, kept: bytearray, span: DetectedSpan) -> bool:
        if (self._kind and span.kind != self._kind) or not kept[span.start]:
            return False
        return kept.count(1, span.start + 1, span.end) == span.end - span.start - 1
