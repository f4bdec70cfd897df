"""Lists and ranges of dates in one value (29 and 30 June 1992, 3-5 May 2021), and how a text writes its dates.

What several dates share is written once. Which of them share a month or a year follows from the dates, so it is written
anew for the new ones: "29 and 30 June", moved by a day, is "30 June and 1 July". The form keeps what stands between the
dates, in which order day and month are, and whether every date has its own year.

Whether the day or the month is first, and in which language names are, are public facts of all dates of the text
together: a change of one date that changes them is a change of what is public. ``order`` and ``language`` of a rule
set them; then no date is looked at.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from textveil.detection.units import ORDINAL_WORDS
from textveil.surrogates.calendars import (
    MONTHS,
    Field,
    Known,
    WrittenDate,
    filled,
    month_part,
    names,
    read_as,
    without_endings,
    year_of,
)
from textveil.surrogates.writing import ordinal_ending
from textveil.text.patterns import lazy_regex

OF_TEXT: Final = "document"  # the setting by which the dates of a text tell
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


class Convention(NamedTuple):
    """Order and writing of the dates of a text."""

    day_first: bool  # whether 3/4/2024 is the third of April
    languages: tuple[str, ...]  # of names, the text's first; others where a name is none of it
    settled: bool = True  # False if dates in digits leave open which is first
    shown: bool = True


def convention_of(values: Iterable[str], order: str, language: str, shown: str = "") -> Convention:
    """Return the convention of the dates of a text.

    ``order`` "document" is what dates in digits show (a number above 12); if nothing or both, what stands first beside
    names of months and in dates with dots; else month-first. ``language`` "document" reads most of the names; of
    several, it is ``shown``, the language of the released text ("mai" is German and French), or the first.
    """
    dates = [unicodedata.normalize("NFC", value) for value in values if len(value) <= _LONGEST]
    languages = (language,) if language != OF_TEXT else _languages(dates, shown)
    if order != OF_TEXT:
        return Convention(order == DAY_FIRST, languages)
    if (day_first := _of_digits([pair for date_text in dates for pair in _pairs(date_text)])) is None:
        day_first = _of_form(dates, languages[0])
    if day_first is None:
        return Convention(day_first=False, languages=languages, settled=not any(map(_pairs, dates)), shown=False)
    return Convention(day_first, languages)


def _pairs(value: str) -> list[tuple[int, int]]:
    return [
        (int(match[1]), int(match[3]))
        for match in _PAIR.finditer(value)
        if not _YEAR_AHEAD.search(value, max(0, match.start() - 5), match.start())
    ]


def _of_digits(pairs: Iterable[tuple[int, int]]) -> bool | None:
    """Tell whether the day is first, as numbers above 12 show it; None if there are none, or they contradict."""
    shown = {first > 12 for first, second in pairs if (first > 12) != (second > 12)}
    return shown.pop() if len(shown) == 1 else None


def _of_form(values: Sequence[str], language: str) -> bool | None:
    """Tell whether the day is first in dates with the name of a month or with dots; None if they contradict."""
    shown = {True} if language != "en" else set()
    for value in values:
        if _DAY_THEN_NAME.search(value) or _DOTTED.search(value):
            shown.add(True)
        elif _NAME_THEN_DAY.search(value) and _WORD.match(value):
            shown.add(False)
    return shown.pop() if len(shown) == 1 else None


def _languages(values: Sequence[str], shown: str) -> tuple[str, ...]:
    """Return all languages by how many of the dates they have every name of; ties: ``shown``, the order of ``MONTHS``."""
    read = dict(zip(MONTHS, map(sum, zip(*map(_fits, values), strict=True)), strict=False))
    return tuple(sorted(MONTHS, key=lambda language: (-read.get(language, 0), language != shown)))


@lru_cache(maxsize=1 << 12)
def _fits(value: str) -> tuple[int, ...]:
    """Return how well a date fits each language, in the order of ``MONTHS``."""
    words = [read_as(word) for word in _WORD.findall(value)]
    every = [word for word in words if len(word) >= 3 and any(word in names(language) for language in MONTHS)]
    dotted = bool(re.match(r"[0-9]{1,2}\. [^\W\d_]", value))
    fitting = [bool(every) and all(word in names(language) for word in every) for language in MONTHS]
    # What stands beside the names may sound like the language: "de", "und", the full stop of "3. April".
    sounding = [(dotted and language == "de") or not _PARTICLES[language].isdisjoint(words) for language in MONTHS]
    return tuple(2 * fits + (fits and sounds) for fits, sounds in zip(fitting, sounding, strict=True))


_PARTICLES: Final = {
    language: frozenset(words.split())
    for language, words in {
        "en": "of the and to between",
        "es": "de del y al entre",
        "pt": "de e a entre",
        "fr": "et au entre",
        "it": "di e al tra",
        "nl": "en tot tussen",
        "de": "und bis zwischen",
        "pl": "i do od oraz roku r",
        "ru": "и до по между года г",
        "tr": "ve ile arası",
        "ar": "و إلى بين من",
    }.items()
}


_MOST: Final = 160
_BETWEEN: Final = lazy_regex(
    r"\s{0,2}(?:[,;](?:\s{1,2}(?:and|or|und|et|y|e|en|o)\b)?|\b(?:and|or|to|until|till|through|bis|und|et|au|ou|y|al|a|e|o|tot|en)\b"
    r"|[-\u2013\u2014]|\u2010|\u2011)(?:\s{1,2}(?:on|am|le|el|il|op|the|zum)\b)?\s{0,2}",
    re.IGNORECASE,
)
_BEGIN: Final = lazy_regex(r"(?:between|zwischen(?: dem)?|entre(?: le| el)?|tra il|tussen)\s{1,2}", re.IGNORECASE)
_DAY: Final = r"(?P<day>[0-3]?[0-9])(?P<ordinal>st|nd|rd|th|\.(?=\Z|\s))?"
_OF: Final = r"\s?(?:(?:of|de|di)\s|d')|\s|\s?(?=[^\W\d_])"
_YEAR: Final = r"(?P<year>[12][0-9]{3}|'[0-9]{2})"
_DAY_FIRST: Final = lazy_regex(
    rf"{_DAY}(?:(?P<gap>{_OF})(?P<month>[^\W\d_]{{3,10}})\.?(?:(?P<gap2>,?\s(?:(?:of|de|del)\s)?){_YEAR})?)?"
)
_MONTH_FIRST: Final = lazy_regex(
    rf"(?P<month>[^\W\d_]{{3,10}})\.?(?P<gap>\s(?:the\s)?){_DAY}(?:(?P<gap2>,?\s(?:of\s)?){_YEAR})?"
    rf"|{_DAY.replace('day>', 'day2>').replace('ordinal>', 'ordinal2>')}"
    rf"(?:(?P<gap3>,?\s){_YEAR.replace('year>', 'year2>')})?"
)
_MONTHS_ALONE: Final = lazy_regex(rf"(?P<month>[^\W\d_]{{3,10}})\.?(?:(?P<gap2>,?\s(?:(?:of|de|del)\s)?){_YEAR})?")
_DIGITS: Final = lazy_regex(
    r"(?P<day>[0-3]?[0-9])(?:(?P<gap>\.\s?|/)(?P<month>[0-3]?[0-9])(?:(?P<gap2>\.\s?|/)(?P<year>[12][0-9]{3}|[0-9]{2})?)?"
    r"|\.)"
)
_YEARS: Final = lazy_regex(r"(?P<year>[12][0-9]{3}|[0-9]{2})")


class _Part(NamedTuple):
    """One date of a list, as far as it is written there; 0 and -1 if it is not."""

    day: int
    month: int
    year: int
    short_year: bool = False


class _Style(NamedTuple):
    order: str  # "dm", "md" (names), "m" (months alone), "y" (years alone), "n" (in digits)
    month: str  # the part of a form that writes a month
    gaps: tuple[str, str]
    ordinal: str
    years: tuple[str, ...]  # the part of a form that writes each year; empty if none is written
    full: bool
    case: str = "January"  # a month as it is written, for its letter case


class WrittenDates(NamedTuple):
    """Several dates that were read."""

    dates: tuple[WrittenDate, ...]  # each by itself
    between: tuple[str, ...]  # what stands before, between and behind them: one more than there are dates
    style: _Style

    @property
    def known(self) -> Known:
        """The parts of them that are written."""
        return self.dates[0].known

    def with_days(self, days: Sequence[date]) -> str:
        """Return the form with other dates, what they share written once."""
        written = [self.between[0]]
        for place, day in enumerate(days):
            before = days[place - 1] if place else None
            after = days[place + 1] if place + 1 < len(days) else None
            written += [self._one(place, day, before, after), self.between[place + 1]]
        return "".join(written)

    def _one(self, place: int, day: date, before: date | None, after: date | None) -> str:
        style = self.style

        def fill(part: str, text: str) -> str:
            return filled(Field(part, text), day)

        part = style.years[place]
        own = style.full or after is None or (not self._same_year(day, after))
        year = fill(part, "") if part and (own or style.order == "y") else ""
        if style.order == "y":
            return year
        if style.order == "n":
            left, right = ("day", "month") if style.month == "day first" else ("month", "day")
            end = style.gaps[1] if year or style.gaps[1].strip() == "." else ""
            return fill(left, "") + style.gaps[0] + fill(right, "") + end + year
        year = style.gaps[1] + year if year else ""
        month = fill(style.month, style.case)
        if style.order == "m":
            return month + year
        number = fill("bare day", "") + (fill("ordinal", style.ordinal) if style.ordinal.isalpha() else style.ordinal)
        if style.order == "dm":
            shown = own or after is None or after.month != day.month
            return number + (style.gaps[0] + month if shown else "") + year
        shown = before is None or before.month != day.month or not self._same_year(day, before) or style.full
        return (month + style.gaps[0] if shown else "") + number + year

    def _same_year(self, first: date, other: date) -> bool:
        return not self.style.years[0] or first.year == other.year


def read_dates(
    value: str, *, day_first: bool = False, language: str = "en", short_months: bool = False
) -> WrittenDates | None:
    """The dates of a value that is a list or a range of them; None if it is none. Settings: see ``read_date``."""
    if len(value) > _MOST:
        return None
    text = without_endings(unicodedata.normalize("NFC", value), language)
    begin = _BEGIN.match(text)
    start = begin.end() if begin else 0
    pieces, between = [], [text[:start]]
    for match in _BETWEEN.finditer(text, start):
        if match.start() == start:
            return None
        pieces.append(text[start : match.start()])
        between.append(match[0])
        start = match.end()
    pieces.append(text[start:])
    if len(pieces) < 2 or not pieces[-1]:
        return None
    pieces = _joined_years(pieces, between)
    for read in (_years, _in_digits, _named):
        if (dates := read(pieces, between, day_first, language, short_months)) is not None:
            return dates
    return None


def _joined_years(pieces: list[str], between: list[str]) -> list[str]:
    """Join a year behind a comma to the date before it: "March 3, 2021 and April 5, 2021"."""
    joined: list[str] = []
    marks = [between[0]]
    for place, piece in enumerate(pieces):
        year = re.fullmatch(r"[12][0-9]{3}", piece) and between[place] == ", " and joined
        if year and re.search(r"[^\W\d_]{3}", "".join(pieces)):
            joined[-1] += ", " + piece
        else:
            joined.append(piece)
            marks += [between[place]] if place else []
    between[:] = marks
    return joined


def _made(parts: list[_Part], between: list[str], style: _Style, known: Known) -> WrittenDates | None:
    if len(parts) < 2:
        return None
    full = all(part.year >= 0 for part in parts)
    years = any(part.year >= 0 for part in parts)
    if (shared := _shared(parts, from_left=style.order == "md")) is None:
        return None
    if years and not full:
        shared = _ascending(shared)
    short = any(part.short_year for part in parts)
    kinds = ("year2" if short else "year",) * len(parts) if years else ("",) * len(parts)
    if style.order == "y":
        kinds = tuple("year2" if part.short_year else "year" for part in parts)
    style = style._replace(full=full, years=kinds)
    month_of = {Known.MONTH: (15, 0), Known.YEAR: (1, 7)}.get(known, (0, 0))
    form = (Field("year2", ""),) if "year2" in kinds else ()
    dates = []
    for part in shared:
        year = part.year if part.year >= 0 else 2000
        try:
            day = date(year, part.month or month_of[1], part.day or month_of[0])
        except ValueError:
            empty = WrittenDate(Known.NOTHING, date(2000, 1, 3), ())
            return WrittenDates((empty,) * len(parts), (*between, ""), style)
        dates.append(WrittenDate(known if years else Known.ANNIVERSARY, day, form))
    return WrittenDates(tuple(dates), (*between, ""), style)


def _shared(parts: list[_Part], *, from_left: bool) -> list[_Part] | None:
    months, years = [part.month for part in parts], [part.year for part in parts]
    order = range(1, len(parts)) if from_left else range(len(parts) - 2, -1, -1)
    for place in order:
        if not months[place]:
            months[place] = months[place - 1 if from_left else place + 1]
    for place in range(len(parts) - 2, -1, -1):
        if years[place] < 0:
            years[place] = years[place + 1]
    for place in range(1, len(parts)):
        if years[place] < 0:
            years[place] = years[place - 1]
    if any(part.day for part in parts) and not all(months):
        return None
    return [part._replace(month=month, year=year) for part, month, year in zip(parts, months, years, strict=True)]


def _ascending(parts: list[_Part]) -> list[_Part]:
    """Make a shared year one less if the date else stood after the next: 20 December and 5 January 2005."""
    back = list(parts)
    for place in range(len(back) - 2, -1, -1):
        here, after = back[place], back[place + 1]
        if here.year == after.year and (here.month, here.day) > (after.month, after.day):
            back[place] = here._replace(year=here.year - 1)
        elif here.year > after.year:
            back[place] = here._replace(year=after.year)
    return back


def _year(written: str | None) -> tuple[int, bool]:
    if not written:
        return -1, False
    digits = written.lstrip("'")
    return (int(digits), False) if len(digits) == 4 else (year_of(int(digits)), True)


def _years(pieces: list[str], between: list[str], day_first: bool, language: str, short: bool) -> WrittenDates | None:
    """1994, 1995 and 1997; 1998-2003; 1998-03."""
    matches_of_pieces = [_YEARS.fullmatch(piece) for piece in pieces]
    if not all(matches_of_pieces) or len(pieces[0]) != 4:
        return None
    parts: list[_Part] = []
    century = 0
    for match in matches_of_pieces:
        assert match is not None
        year, two = _year(match["year"])
        if two:
            year = century * 100 + year % 100
            year += 100 * (year < parts[-1].year)
        century = year // 100
        parts.append(_Part(0, 0, year, two))
    return _made(parts, between, _Style("y", "", ("", ""), "", ("",) * len(parts), full=True), Known.YEAR)


def _in_digits(
    pieces: list[str], between: list[str], day_first: bool, language: str, short: bool
) -> WrittenDates | None:
    """02.01. bis 09.01.2024; 2.-4.1.2024; 1/2 - 5/2/2024."""
    matches_of_pieces = [_DIGITS.fullmatch(piece) for piece in pieces]
    if not all(matches_of_pieces) or matches_of_pieces[-1] is None or not matches_of_pieces[-1]["gap"]:
        return None
    mark = matches_of_pieces[-1]["gap"]
    if any(match is not None and (match["gap"] or mark)[0] != mark[0] for match in matches_of_pieces):
        return None
    first = day_first or mark[0] == "."
    pairs = [(int(match["day"]), int(match["month"] or 0)) for match in matches_of_pieces if match is not None]
    turned = None if first and mark[0] == "." else _of_digits(pair for pair in pairs if pair[1])
    turned = first if turned is None else turned
    parts: list[_Part] = []
    for match, (left, right) in zip(matches_of_pieces, pairs, strict=True):
        assert match is not None
        year, two = _year(match["year"])
        day, month = (left, right) if turned or not right else (right, left)
        parts.append(_Part(day, month, year, two))
    end = matches_of_pieces[-1]["gap2"] or (mark if mark[0] == "." else "/")
    if matches_of_pieces[-1]["gap2"] is None and mark[0] == ".":
        return None
    style = _Style("n", "day first" if first else "month first", (mark, end), "", (), full=False)
    return _made(parts, between, style, Known.DATE)


def _named(pieces: list[str], between: list[str], day_first: bool, language: str, short: bool) -> WrittenDates | None:
    """29 and 30 June 1992; March 3-5, 2021; July and December 1995."""
    known = names(language)
    for order, pattern in (("dm", _DAY_FIRST), ("md", _MONTH_FIRST), ("m", _MONTHS_ALONE)):
        matches_of_pieces = [pattern.fullmatch(piece) for piece in pieces]
        if not all(matches_of_pieces):
            continue
        parts: list[_Part] = []
        gaps, ordinal, case = ["", ""], "", ""
        for match in matches_of_pieces:
            assert match is not None
            groups = match.groupdict()
            name = groups.get("month")
            kind, month = known.get(read_as(name), ("", 0)) if name else ("", 0)
            if name and not kind.endswith(" month"):
                return None
            year, two = _year(groups["year"] or groups.get("year2"))
            parts.append(_Part(int(groups.get("day") or groups.get("day2") or 0), month, year, two))
            gaps = [groups.get("gap") or gaps[0], groups.get("gap2") or groups.get("gap3") or gaps[1]]
            ordinal = groups.get("ordinal") or groups.get("ordinal2") or ordinal
            case = case or name or ""
        if (order == "dm" and not parts[-1].month) or (order == "md" and not parts[0].month):
            continue
        if order == "m" and not any(part.year >= 0 for part in parts):
            return None
        if any(part.short_year for part in parts):
            gaps[1] += "'"
        beside = {mark.strip() for separator, mark in pairwise(between)} if order != "dm" else set()
        part = month_part(language, short=short or "/" in beside)
        style = _Style(order, part, (gaps[0] or " ", gaps[1] or " "), ordinal, (), full=False, case=case)
        return _made(parts, between, style, Known.MONTH if order == "m" else Known.DATE)
    return None


_DAYS_IN_WORDS: Final = {
    "en": " ".join(ORDINAL_WORDS)
    + " "
    + " ".join(f"twenty-{word}" for word in ORDINAL_WORDS[:9])
    + " thirtieth thirty-first",
    "fr": "premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
    "dix-neuf vingt vingt-et-un vingt-deux vingt-trois vingt-quatre vingt-cinq vingt-six vingt-sept vingt-huit vingt-neuf "
    "trente trente-et-un",
    "es": "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince diecis\xe9is diecisiete "
    "dieciocho diecinueve veinte veintiuno veintid\xf3s veintitr\xe9s veinticuatro veinticinco veintis\xe9is veintisiete "
    "veintiocho veintinueve treinta treinta-y-uno",
    "it": "uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove venti ventuno ventidue ventitr\xe9 ventiquattro venticinque ventisei ventisette "
    "ventotto ventinove trenta trentuno",
    "pt": "um dois tr\xeas quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito "
    "dezanove vinte vinte-e-um vinte-e-dois vinte-e-tr\xeas vinte-e-quatro vinte-e-cinco vinte-e-seis vinte-e-sete "
    "vinte-e-oito vinte-e-nove trinta trinta-e-um",
    "nl": "een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
    "achttien negentien twintig eenentwintig twee\xebntwintig drie\xebntwintig vierentwintig vijfentwintig zesentwintig "
    "zevenentwintig achtentwintig negenentwintig dertig eenendertig",
    "de": "ersten zweiten dritten vierten f\xfcnften sechsten siebten achten neunten zehnten elften zw\xf6lften dreizehnten "
    "vierzehnten f\xfcnfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten einundzwanzigsten "
    "zweiundzwanzigsten dreiundzwanzigsten vierundzwanzigsten f\xfcnfundzwanzigsten sechsundzwanzigsten "
    "siebenundzwanzigsten achtundzwanzigsten neunundzwanzigsten drei\xdfigsten einunddrei\xdfigsten",
}
_SPELLED: Final = lazy_regex(
    r"(?i)\A(?P<day>[^\W\d]{2,24}(?:[- ](?:et|y|e)[- ][^\W\d]{2,8}|-[^\W\d]{2,12})?) (?=[^\W\d])"
)


@cache
def _spelled(language: str) -> dict[str, int]:
    words = _DAYS_IN_WORDS.get(language, "").split()
    return {read_as(word).replace("-", " "): number for number, word in enumerate(words, 1)}


_NAME_THEN_WORDS: Final = lazy_regex(r"(?i)\A(?P<month>[a-z]{3,9}) (?:the )?(?P<day>[a-z]+(?:[- ][a-z]+)?)(?=,? |\Z)")


def with_day_in_digits(value: str, language: str) -> str:
    """Return a date whose day is a word of the language with the day in digits: deux mars, twenty-second of August.

    In English the day may stand behind the month: March third.
    """
    if language == "en":
        behind = _NAME_THEN_WORDS.match(value)
        day = _spelled(language).get(read_as(behind["day"]).replace("-", " ")) if behind else None
        if behind and day is not None:
            return f"{behind['month']} {day}{value[behind.end() :]}"
    if (spelled := _SPELLED.match(value)) is None or language not in _DAYS_IN_WORDS:
        return value
    if (day := _spelled(language).get(read_as(spelled["day"]).replace("-", " "))) is None:
        return value
    return f"{day}{ordinal_ending(day) if language == 'en' else '.' if language == 'de' else ''}{value[spelled.end('day') :]}"
