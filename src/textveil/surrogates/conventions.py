"""How the dates of a text are written: whether the day or the month is first, and in which language names are.

Both are facts of all dates of the text together, and public: a change of one date that changes them is a change of what
is public. ``order`` and ``language`` of a rule set them; then no date is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, final

from textveil.surrogates.calendar_names import MONTHS, names, read_as
from textveil.text.patterns import lazy_regex

OF_TEXT: Final = "document"
"""The setting by which the dates of a text tell."""

DAY_FIRST: Final = "day-first"
MONTH_FIRST: Final = "month-first"

_LONGEST: Final = 120
_PAIR: Final = lazy_regex(r"(?<![0-9])([0-9]{1,2})([-/])([0-9]{1,2})(?![0-9])(?:\2[0-9]{2,4}(?![0-9]))?")
_YEAR_AHEAD: Final = lazy_regex(r"[0-9]{4}[-/.]$")
_WORD: Final = lazy_regex(r"[^\W\d_]+")
_DAY_THEN_NAME: Final = lazy_regex(
    r"(?<![0-9])[0-9]{1,2}(?:st|nd|rd|th|er|\.?[\xaa\xba\xb0])?[ .-]{1,2}(?:(?:of|de|di) |d')?(?=[^\W\d_]{3})"
)
_NAME_THEN_DAY: Final = lazy_regex(r"(?<=[^\W\d_]{3})\.?[ -](?:the )?[0-9]{1,2}(?![0-9:])")
_DOTTED: Final = lazy_regex(r"(?<![0-9])[0-9]{1,2}\. ?[0-9]{1,2}\.")


@final
class Convention(NamedTuple):
    """How the dates of a text are read and written.

    Attributes:
        day_first: whether 3/4/2024 is the third of April.
        languages: of names, the text's first; others where a name is none of it.
        settled: False where dates in digits leave open which is first.
    """

    day_first: bool
    languages: tuple[str, ...]
    settled: bool = True
    shown: bool = True


def convention_of(values: Iterable[str], order: str, language: str) -> Convention:
    """The convention of the dates of a text.

    Args:
        order: "day-first", "month-first", or "document": what the dates in digits show (a number above 12); where they
            show nothing, or both, what stands first beside names of months and in dates with dots; else month-first.
        language: one of ``MONTHS``, or "document": the one that reads most of the names, the first of equal ones.
    """
    dates = [unicodedata.normalize("NFC", value) for value in values if len(value) <= _LONGEST]
    languages = (language,) if language != OF_TEXT else _languages(dates)
    if order != OF_TEXT:
        return Convention(order == DAY_FIRST, languages)
    day_first = _of_digits(dates)
    if day_first is None:
        day_first = _of_form(dates, languages[0])
    if day_first is None:
        return Convention(day_first=False, languages=languages, settled=not any(map(_pairs, dates)), shown=False)
    return Convention(day_first, languages)


def _pairs(value: str) -> list[tuple[int, int]]:
    """Numbers that may be a day and a month in either order."""
    return [
        (int(match[1]), int(match[3]))
        for match in _PAIR.finditer(value)
        if not _YEAR_AHEAD.search(value, max(0, match.start() - 5), match.start())
    ]


def _of_digits(values: Sequence[str]) -> bool | None:
    """Whether the day is first, as numbers above 12 show it; None where there are none, or they contradict."""
    shown = {first > 12 for value in values for first, second in _pairs(value) if (first > 12) != (second > 12)}
    return shown.pop() if len(shown) == 1 else None


def _of_form(values: Sequence[str], language: str) -> bool | None:
    """Whether the day is first in dates with the name of a month or with dots; None where they contradict."""
    shown = {True} if language != "en" else set()
    for value in values:
        if _DAY_THEN_NAME.search(value) or _DOTTED.search(value):
            shown.add(True)
        elif _NAME_THEN_DAY.search(value) and _WORD.match(value):
            shown.add(False)
    return shown.pop() if len(shown) == 1 else None


def _languages(values: Sequence[str]) -> tuple[str, ...]:
    """All languages, by how many of the dates they have every name of; in the order of ``MONTHS`` where as many."""
    read = dict(zip(MONTHS, map(sum, zip(*map(_fits, values), strict=True)), strict=False))
    return tuple(sorted(MONTHS, key=lambda language: -read.get(language, 0)))


@lru_cache(maxsize=1 << 12)
def _fits(value: str) -> tuple[int, ...]:
    """How well a date fits each language, in the order of ``MONTHS``."""
    words = [read_as(word) for word in _WORD.findall(value)]
    every = [word for word in words if len(word) >= 3 and any(word in names(language) for language in MONTHS)]
    dotted = bool(re.match(r"[0-9]{1,2}\. [^\W\d_]", value))
    fitting = [bool(every) and all(word in names(language) for word in every) for language in MONTHS]
    return tuple(
        2 * fits + (fits and _sounds(language, words, dotted=dotted))
        for language, fits in zip(MONTHS, fitting, strict=True)
    )


_PARTICLES: Final = {
    "en": frozenset(("of", "the", "and", "to", "between")),
    "es": frozenset(("de", "del", "y", "al", "entre")),
    "pt": frozenset(("de", "e", "a", "entre")),
    "fr": frozenset(("et", "au", "entre")),
    "it": frozenset(("di", "e", "al", "tra")),
    "nl": frozenset(("en", "tot", "tussen")),
    "de": frozenset(("und", "bis", "zwischen")),
}


def _sounds(language: str, words: Sequence[str], *, dotted: bool) -> bool:
    """Whether what stands beside the names is of the language: "de", "und", the full stop of "3. April"."""
    return (dotted and language == "de") or not _PARTICLES[language].isdisjoint(words)
