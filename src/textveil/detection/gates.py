"""Gates: what tells in little time that a search of the embedded detector can find nothing in a text.

Most texts hold no card number and no address. A gate reads what one glance at the text has gathered: its words, and the
surroundings of its digits. It may let a text through in which its search finds nothing, and never the other way round.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple, Protocol

from textveil.text.patterns import SLICE, check_time, lazy_regex, letters_and_words, search, words_of

BEFORE_DIGITS: Final = 8
AFTER_DIGITS: Final = 12
LONG_RUN: Final = 14

CUT: Final = r"(?:\0|\A|\Z)"
"""Matches where the surroundings of a group of digits begin or end."""

_DIGITS: Final = lazy_regex(f"[0-9]++(?:[^0-9]{{1,{BEFORE_DIGITS + AFTER_DIGITS}}}+[0-9]++)*+")
"""Groups of digits whose surroundings meet are one, so that what is gathered is no longer than the text."""
_NO_MARKS: Final = b"abcdefghijklmnopqrstuvwxyz0123456789 \t\n\r"
_RUNS: Final = re.compile("[a-z]++")
_FEW: Final = 12
"""Words up to which a text is searched for each of them: that is faster than to look at each of its words."""


class Seen(NamedTuple):
    """The marks, words and digits that a glance at a plain text shows."""

    digits: str  # every group of digits, with the 8 characters before it and the 12 behind it, or all up to the next
    words: frozenset[str]  # every run of letters, in small letters
    runs: str  # every run of 14 characters at least without white space
    marks: frozenset[str]  # every character but small letters, digits and white space


class Gate(Protocol):
    """Tells where a search can find nothing."""

    def __call__(self, text: str, seen: Seen) -> object:
        """False for a plain text, parts of which may be covered by now, only if a search finds nothing in it."""


class _OfWords(dict[str, tuple[tuple[int, str], ...]]):
    """What each word makes worth a look: gates, each with a piece that must stand in the text, or none.

    It fills itself as words are met, up to a bound.
    """

    def __init__(self) -> None:
        self.whole: dict[str, list[tuple[int, str]]] = {}
        self.inner: dict[str, list[tuple[int, str]]] = {}  # by letters within a word

    def __missing__(self, word: str) -> tuple[tuple[int, str], ...]:
        told = list(self.whole.get(word, ()))
        if len(word) <= _LONGEST_WORD:
            starts = range(len(word) + 1)
            inner = {
                word[start:end] for start in starts for end in starts[start + _FEWEST_LETTERS :]
            } & self.inner.keys()
        else:
            inner = set(self.inner)
        told += chain.from_iterable(map(self.inner.__getitem__, inner))
        if len(self) < _MOST_WORDS:
            self[word] = tuple(told)
        return tuple(told)


_LONGEST_WORD, _FEWEST_LETTERS, _MOST_WORDS = 32, 3, 1 << 13


class Gates:
    """Many gates, of which one look at a text tells those that are open in it, and perhaps a few more.

    Each word of the text tells at once which gates it opens, and which pieces are worth a look, as each mark does. A
    gate of two conditions is asked if the one that words or pieces tell is met; a text without digits opens no gate
    that asks for them.
    """

    def __init__(self, gates: Sequence[Gate]) -> None:
        self._always = bytes([gate is anywhere for gate in gates])
        self._of_words = _OfWords()
        self._by_mark: dict[str, list[tuple[int, str]]] = {"": []}
        self._at_digits: list[tuple[int, re.Pattern[str]]] = []
        self._asked: list[tuple[int, int, Gate]] = []
        self._in_runs: list[tuple[int, Gate]] = []
        self._others: list[tuple[int, Gate]] = []
        for number, gate in enumerate(gates):
            for part in _alternatives(gate):
                if isinstance(part, _Matching) and part.part == "digits":
                    self._at_digits.append((number, part.pattern))
                elif told := _told(part):
                    place = number if told == [part] else len(gates) + len(self._asked)
                    for sign in told:
                        self._file(place, sign)
                    if place != number:
                        self._asked.append((place, number, part))
                elif part is not anywhere:
                    in_runs = isinstance(part, _Matching | _Holding) and part.part == "runs"
                    (self._in_runs if in_runs else self._others).append((number, part))

    def _file(self, number: int, sign: "WithWords | _Holding") -> None:
        for word in sign.words() if isinstance(sign, WithWords) else ():
            self._of_words.whole.setdefault(word, []).append((number, ""))
        for piece in sign.pieces if isinstance(sign, _Holding) else ():
            words = list(_RUNS.finditer(piece.lower()))
            letters = max([word[0] for word in words], key=len, default="")
            if whole := [word[0] for word in words if word.start() and word.end() < len(piece)]:
                pieces = self._of_words.whole.setdefault(whole[0], [])
            elif len(letters) >= _FEWEST_LETTERS:
                pieces = self._of_words.inner.setdefault(letters, [])
            else:
                dotted = _DOTTED.search(piece)
                mark = dotted[0] if dotted else next((mark for mark in _RARE if mark in piece), "")
                pieces = self._by_mark.setdefault(mark, [])
            pieces.append((number, piece))

    def opened(self, text: str, seen: Seen) -> bytearray:
        """Return a byte for each gate: whether it is open."""
        check_time()
        opened = bytearray(self._always) + bytes(len(self._asked))
        of_words = self._of_words
        for word in seen.words:
            for number, piece in of_words[word]:
                if not opened[number] and piece in text:
                    opened[number] = 1
        for mark in self._by_mark.keys() & seen.marks.union(_DOTTED.findall(text), ("",)):
            for number, piece in self._by_mark[mark]:
                if not opened[number] and piece in text:
                    opened[number] = 1
        digits = seen.digits
        short = len(digits) <= SLICE
        for number, pattern in self._at_digits if digits else ():
            if not opened[number] and (pattern.search(digits) if short else search(pattern, digits)):
                opened[number] = 1
        for place, number, gate in self._asked:
            if opened[place] and not opened[number] and gate(text, seen):
                opened[number] = 1
        for number, gate in chain(self._others, self._in_runs if seen.runs else ()):
            if not opened[number] and gate(text, seen):
                opened[number] = 1
        return opened[: len(self._always)]


_DOTTED: Final = lazy_regex(r"\.[a-z]")
"""A point and what follows it without a space: as prose hardly has it."""
_RARE: Final = "`~^|\\{}[]<>=@#$%&*+_;\"/()!QZXJKVYUGFBOLWPERHNDMCTSIA:'-,."
"""Marks that pieces hold, from those that few texts have; a piece is looked for where its first of these stands."""


def _alternatives(gate: Gate) -> Iterator[Gate]:
    """Yield gates of which one is open where a gate is."""
    if isinstance(gate, _OfTwo) and not gate.both:
        yield from _alternatives(gate.first)
        yield from _alternatives(gate.second)
    else:
        yield gate


def _told(gate: Gate) -> "list[WithWords | _Holding]":
    """Return gates that words or pieces open, one of which is open if a gate is; none if nothing such tells."""
    if isinstance(gate, WithWords) or (isinstance(gate, _Holding) and gate.part == "whole"):
        return [gate]
    if not isinstance(gate, _OfTwo):
        return []
    first, second = _told(gate.first), _told(gate.second)
    return first or second if gate.both else first + second if first and second else []


def glance(text: str) -> Seen:
    """Return what gates look at, gathered once, before anything is covered."""
    groups = map(re.Match.span, _DIGITS.finditer(text))
    around = [text[max(0, start - BEFORE_DIGITS) : end + AFTER_DIGITS] for start, end in groups]
    pieces = text.split()
    long = max(map(len, pieces), default=0) >= LONG_RUN  # as in few texts
    runs = " ".join([run for run in pieces if len(run) >= LONG_RUN]) if long else ""
    marks = text.encode("latin-1", "replace").translate(None, _NO_MARKS).decode("latin-1")
    return Seen("\0".join(around), words_of(text), runs, frozenset(marks))


def places_of(text: str, words: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield where runs of letters stand that are among these words in small letters, by start."""
    letters, all_words = letters_and_words(text) if len(text) <= SLICE else letters_and_words.__wrapped__(text)
    if not (present := words & all_words):
        return iter(())
    if len(present) > _FEW:
        return (run.span() for run in _RUNS.finditer(letters) if run[0] in present)
    whole = f" {letters} "
    places = []
    for word in present:
        spaced, length = f" {word} ", len(word)
        place = whole.find(spaced)
        while place >= 0:
            places.append((place, place + length))
            place = whole.find(spaced, place + 1)
    places.sort()
    return iter(places)


def anywhere(text: str, seen: Seen) -> bool:
    """Tell that a search may find something in any text."""
    return True


class _Matching:
    def __init__(self, pattern: str, part: Literal["whole", "digits", "runs"]) -> None:
        self.pattern, self.part = lazy_regex(pattern), part

    def __call__(self, text: str, seen: Seen) -> object:
        return search(self.pattern, text if self.part == "whole" else getattr(seen, self.part))


def at_digits(pattern: str) -> Gate:
    """Return the gate of a search that finds something only if this pattern matches in a digit's surroundings."""
    return _Matching(pattern, "digits")


def matching(pattern: str, *, amid: str = "") -> Gate:
    """Return the gate of a search that finds something only if this pattern, which must be a fast one, matches.

    If ``amid`` is a piece, each match holds it.
    """
    gate = _Matching(pattern, "whole")
    return both(holding(amid), gate) if amid else gate


def in_runs(pattern: str) -> Gate:
    """Return the gate of a search that finds something only if this pattern matches in a long run."""
    return _Matching(pattern, "runs")


class WithWords:
    """The gate of a search that finds something only in a text with one of the words, in small letters."""

    def __init__(self, words: Callable[[], frozenset[str]]) -> None:
        self.words = words

    def __call__(self, text: str, seen: Seen) -> bool:
        return not self.words().isdisjoint(seen.words)


def with_words(words: str, *, begun_by: str = "") -> Gate:
    """Return the gate of a search that finds something only in a text with one of these words, parted by spaces.

    If ``begun_by`` holds letters, one of them stands before each word.
    """
    known = joined_words(words, begun_by)
    return WithWords(lambda: known)


def joined_words(words: str, begun_by: str = "") -> frozenset[str]:
    """Return the words that ``with_words`` looks for."""
    begun = [first + word for word in words.split() for first in begun_by] if begun_by else [words]
    return frozenset(" ".join(begun).split())


class _Holding:
    def __init__(self, pieces: Sequence[str], part: Literal["whole", "runs"]) -> None:
        self.pieces, self.part = tuple(pieces), part

    def __call__(self, text: str, seen: Seen) -> object:
        return any(map((text if self.part == "whole" else seen.runs).__contains__, self.pieces))


def holding(*pieces: str) -> Gate:
    """Return the gate of a search that finds something only in a text that holds one of these pieces."""
    return _Holding(pieces, "whole")


def holding_in_runs(*pieces: str) -> Gate:
    """The gate of a search that finds something only in a text with a long run that holds one of these pieces."""
    return _Holding(pieces, "runs")


class _OfTwo:
    def __init__(self, first: Gate, second: Gate, *, both: bool) -> None:
        self.first, self.second, self.both = first, second, both

    def __call__(self, text: str, seen: Seen) -> object:
        first = self.first(text, seen)
        return self.second(text, seen) if bool(first) is self.both else first


def either(first: Gate, second: Gate) -> Gate:
    """Return the gate of a search that finds something only if one of two gates is open."""
    return _OfTwo(first, second, both=False)


def both(first: Gate, second: Gate) -> Gate:
    """Return the gate of a search that finds something only if two gates are open."""
    return _OfTwo(first, second, both=True)
