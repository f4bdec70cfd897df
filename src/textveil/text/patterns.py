"""Regular expressions: compiled at their first use, and run on long texts in slices.

Compiling all of them takes half a second. One search of a pattern holds the interpreter until it matches, or the text
ends. Between two slices other threads get their turn, and a time limit is checked. A search reads beyond its slice by
as much as a match could reach, so it finds what the whole text would give, character for character.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib import import_module
from math import inf
from typing import Any, Final, cast

from textveil.errors import SlowText

_KEPT: Final = ("finditer", "search", "match", "fullmatch", "findall", "sub", "subn", "split", "groupindex", "flags")
_MADE: Final[list["LazyRegex"]] = []


class LazyRegex:
    """Stands for a compiled pattern; has its methods as attributes of its own from their first use on.

    ``holds``: strings, one of which stands in every text in which the pattern matches; ``small``: the same of texts in
    small letters; ``words``: the same of whole words (``words_of``), parted by spaces; ``within``: a pattern, found
    sooner, that matches in each match or right behind it. ``matches`` looks for them first, which is quicker than a
    search.
    """

    def __init__(
        self,
        pattern: str,
        flags: re.RegexFlag = re.NOFLAG,
        *,
        holds: tuple[str, ...] = (),
        small: tuple[str, ...] = (),
        words: str = "",
        within: str = "",
    ) -> None:
        self.pattern = pattern
        self._flags = flags
        self.holds, self.small, self.words = holds, small, frozenset(words.split())
        self.within = lazy_regex(within) if within else None
        self.asks = bool(holds or small or words or within)
        _MADE.append(self)

    def __getattr__(self, name: str) -> Any:
        if name not in _KEPT:
            raise AttributeError(name)
        compiled = _quick(self.pattern, int(self._flags))
        self.__dict__.update({kept: getattr(compiled, kept) for kept in _KEPT})
        return self.__dict__[name]


def compile_all() -> None:
    """Compile every pattern that was imported, as a server does once: no text waits for its own then."""
    for pattern in _MADE:
        if "search" not in vars(pattern):
            pattern.__getattr__("search")


class _Parts(list[Any]):
    """Parts of a parsed pattern. ``re`` asks for the first by its number only to see what a match begins with."""

    first: Any = None

    def __getitem__(self, place: Any) -> Any:
        return self.first if place == 0 and self.first is not None else super().__getitem__(place)


def _quick(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """``re.compile(pattern, flags)``, whose searches pass over characters with which no match begins.

    ``re`` does so itself if a pattern begins with a character or a class. Most patterns begin with what must not stand
    before them, or with words in any case, and would be tried at every character. Versions of Python with which this
    was not tested compile patterns as they are.
    """
    if sys.version_info >= _UNTESTED:
        return re.compile(pattern, flags)
    tree = _PARSER.parse(pattern, flags)
    first, empty = _first(tree.data, tree.state.flags)
    if first and not empty:
        tree.data = _Parts(tree.data)
        members = _PARSER.SubPattern(tree.state, [(_SRE.IN, list(first))])
        tree.data.first = (_SRE.SUBPATTERN, (None, 0, _SRE.SRE_FLAG_IGNORECASE, members))
    compiled: re.Pattern[str] = _COMPILER.compile(tree, flags)
    return compiled


def _first(row: Iterable[tuple[Any, Any]], flags: int) -> tuple[set[Any] | None, bool]:
    """Return characters of which a match of parts in a row begins with one, and whether it may be empty.

    They are members of a class as ``re`` parses it; None: it may be any character.
    """
    found: set[Any] = set()
    for operation, argument in row:
        if operation in _OF_NO_WIDTH:
            continue
        first, empty = _first_of_one(operation, argument, flags)
        if first is None:
            return None, False
        found |= first
        if not empty:
            return found, False
    return found, True


def _first_of_one(operation: Any, argument: Any, flags: int) -> tuple[set[Any] | None, bool]:
    if operation is _SRE.LITERAL:
        return _members([(operation, argument)], flags), False
    if operation is _SRE.IN:
        return _members(argument, flags), False
    if operation is _SRE.BRANCH:
        parts = [_first(row.data, flags) for row in argument[1]]
        known = [first for first, _ in parts if first is not None]
        return set().union(*known) if len(known) == len(parts) else None, any(empty for _, empty in parts)
    if operation is _SRE.SUBPATTERN:
        return _first(argument[3].data, (flags | argument[1]) & ~argument[2])
    if operation is _SRE.ATOMIC_GROUP:
        return _first(argument.data, flags)
    if operation in _REPEATS:
        first, empty = _first(argument[2].data, flags)
        return first, empty or argument[0] == 0
    return None, False


def _members(members: Iterable[tuple[Any, Any]], flags: int) -> set[Any] | None:
    """Return the members of a class, and if case does not count their other letter cases; None of any other."""
    found = set(members)
    for operation, argument in members:
        if operation not in (_SRE.LITERAL, _SRE.RANGE) and argument is not _SRE.CATEGORY_DIGIT:
            return None
        if flags & _SRE.SRE_FLAG_IGNORECASE and operation is not _SRE.CATEGORY:
            low, high = (argument, argument) if operation is _SRE.LITERAL else argument
            if high >= _ASCII:
                return None
            letters = "".join(map(chr, range(low, high + 1)))
            small = letters.lower()
            odd = _ODD if any(map(small.__contains__, "iks")) else ""
            found.update((_SRE.LITERAL, ord(letter)) for letter in small + letters.upper() + odd)
    return found


_UNTESTED: Final = (3, 14)
_PARSER, _COMPILER, _SRE = map(import_module, ("re._parser", "re._compiler", "re._constants"))
_REPEATS: Final = (_SRE.MAX_REPEAT, _SRE.MIN_REPEAT, _SRE.POSSESSIVE_REPEAT)
_OF_NO_WIDTH: Final = (_SRE.ASSERT, _SRE.ASSERT_NOT, _SRE.AT)
_ASCII: Final = 0x80


class CharacterTable(dict[int, str]):
    """A table for ``str.translate`` that fills itself as it meets characters, up to a bound: there are a million."""

    def __init__(self, plain_of: Callable[[str], str], most: int = 1 << 12) -> None:
        super().__init__()
        self._plain_of, self._most = plain_of, most

    def __missing__(self, code: int) -> str:
        plain = self._plain_of(chr(code))
        if len(self) < self._most:
            self[code] = plain
        return plain


lazy_regex = cast("Callable[..., re.Pattern[str]]", LazyRegex)
"""``re.compile(pattern, flags)``, at the first use of what it returns."""


def either_of(words: str) -> str:
    """Return a pattern of these words, the longest first."""
    return "|".join(sorted(sorted(set(words.split())), key=len, reverse=True))


SLICE: Final = 4096  # characters
_UNTIL: Final[ContextVar[tuple[float, float, float] | None]] = ContextVar("until", default=None)
"""Until when by the processor's time of the thread, from when on by the clock it can be over, and the seconds."""
_MARGIN: Final = 0.9  # of the seconds: the clock may be slowed down a little


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the processor time of this thread, in seconds, for the texts that it reads within."""
    token = _UNTIL.set((time.thread_time() + seconds, time.monotonic() + _MARGIN * seconds, seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def check_time() -> None:
    """Raise SlowText if a time limit is over: a thread uses no more of a processor than the clock says went by.

    To ask for the processor's time takes a call of the kernel, and is done a hundred times a text.
    """
    if (until := _UNTIL.get()) is not None and time.monotonic() >= until[1] and time.thread_time() > until[0]:
        raise too_slow(until[2])


def too_slow(seconds: float) -> SlowText:
    """Return the error of texts that take longer than so many seconds."""
    return SlowText(f"the texts must take at most {seconds:g} s to be read; they take longer. Send less at a time.")


def translated(text: str, table: Mapping[int, str | int | None]) -> str:
    """``text.translate(table)``."""
    if len(text) <= SLICE:
        return text.translate(table)
    return "".join([text[start : start + SLICE].translate(table) for start in range(0, len(text), SLICE)])


def matches(pattern: re.Pattern[str], text: str, start: int = 0, end: int | None = None) -> Iterator[re.Match[str]]:
    """Like ``pattern.finditer(text, start, end)``, in slices if matches of the pattern have a longest length."""
    lazy: object = pattern
    if isinstance(lazy, LazyRegex) and lazy.asks and (start == 0 or end is None) and lacks(pattern, text):
        return iter(())
    stop = len(text) if end is None else min(end, len(text))
    if stop - start <= SLICE:
        return pattern.finditer(text, start, stop)
    reach = reach_of(pattern)
    return _checked(pattern.finditer(text, start, stop)) if reach == inf else _sliced(pattern, text, start, stop, reach)


def lacks(pattern: re.Pattern[str], text: str) -> bool:
    """Tell at once, of a pattern of ``lazy_regex``, whether it matches nowhere in a text; False if that is open."""
    lazy: object = pattern
    if not isinstance(lazy, LazyRegex) or not lazy.asks:
        return False
    if lazy.words and lazy.words.isdisjoint(words_of(text)):
        return text.isascii() or not any(map(text.__contains__, _ODD))
    if lazy.holds and _has_none(lazy.holds, text):
        return True
    if lazy.small and (small := _in_small(text)) is not None and _has_none(lazy.small, small):
        return True
    return lazy.within is not None and search(lazy.within, text) is None


def _has_none(pieces: tuple[str, ...], text: str) -> bool:
    for piece in pieces:  # noqa: SIM110 - of few pieces, twice as fast as any
        if piece in text:
            return False
    return True


_ODD: Final = "\u0130\u0131\u017f\u212a"
"""Characters outside ASCII that a pattern without regard to case takes for letters of ASCII."""


@lru_cache(maxsize=2)
def _in_small(text: str) -> str | None:
    return text.lower() if text.isascii() or not any(map(text.__contains__, _ODD)) else None


def words_of(text: str) -> frozenset[str]:
    """Return every run of letters of ASCII, in small letters."""
    return letters_and_words(text)[1] if len(text) <= SLICE else letters_and_words.__wrapped__(text)[1]


@lru_cache(maxsize=2)
def letters_and_words(text: str) -> tuple[str, frozenset[str]]:
    """Return a text with small letters and with spaces for all that is no letter of ASCII, and its words.

    Most searches of a phase read the same text. Bytes are changed and cut fast.
    """
    letters = text.encode("latin-1", "replace").translate(_LETTERS).decode("ascii")
    return letters, frozenset(letters.split())


_LETTERS: Final = bytes([code if chr(code).islower() and code < 0x80 else 0x20 for code in bytes(range(256)).lower()])


def matches_at(pattern: re.Pattern[str], text: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that begin at one of the places, which come in order; none overlaps another."""
    reached = 0
    for place in places:
        if place >= reached and (match := pattern.match(text, place)) is not None:
            reached = match.end()
            yield match


def search(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """``pattern.search(text)``, in slices."""
    return pattern.search(text) if len(text) <= SLICE else next(matches(pattern, text), None)


def _sliced(pattern: re.Pattern[str], text: str, start: int, end: int, reach: float) -> Iterator[re.Match[str]]:
    while start < end:
        check_time()
        stop = start + SLICE
        for match in pattern.finditer(text, start, min(end, int(stop + reach))):
            if match.start() >= stop:  # it may be longer in the next slice
                break
            yield match
            if (start := match.end()) >= stop:
                break
        start = max(start, stop)


def _checked(matched: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    for number, match in enumerate(matched):
        if number % SLICE == 0:
            check_time()
        yield match


@lru_cache(maxsize=1024)  # more than the patterns that read one text, or each is read anew
def reach_of(pattern: re.Pattern[str]) -> float:
    """Return how many characters from its start decide a match at most; infinity if unbounded or possibly empty."""
    parsed = import_module("re._parser").parse(pattern.pattern, pattern.flags)
    return inf if parsed.getwidth()[0] == 0 else _reach(parsed, {}) + 1  # an end is looked at too


def _reach(parsed: Any, groups: dict[int, float]) -> float:
    total = 0.0
    for operation, argument in parsed:
        if (name := str(operation)) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            endless = argument[1] is import_module("re._constants").MAXREPEAT
            total += inf if endless else argument[1] * _reach(argument[2], groups)
        elif name == "BRANCH":
            total += max(_reach(part, groups) for part in argument[1])
        elif name == "SUBPATTERN":
            groups[argument[0]] = _reach(argument[-1], groups)
            total += groups[argument[0]]
        elif name == "ATOMIC_GROUP":
            total += _reach(argument, groups)
        elif name in ("ASSERT", "ASSERT_NOT"):
            total += _reach(argument[1], groups) if argument[0] > 0 else 0
        else:
            total += groups.get(argument, inf) if name == "GROUPREF" else inf if name == "GROUPREF_EXISTS" else 1
    return total
