"""Dates as they are written: what of a date is known, the form that is left without it, and the form with another date.

The form shows as little of a date as can be: days and months in digits come in pairs, and a day beside the name of a
month without a leading zero, however the private date is written; else a zero, or none, would tell of a day below ten.
In which order day and month stand, and the language of names, are settings for the same reason.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from enum import Enum
from functools import cache
from typing import Final, NamedTuple, final

from textveil.surrogates.writing import in_case_of

MONTHS: Final = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar M\u00e4rz April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier f\u00e9vrier mars avril mai juin juillet ao\u00fbt septembre octobre novembre d\u00e9cembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro mar\u00e7o abril maio junho julho agosto setembro outubro novembro dezembro",
}
"""Names of months by language."""

_DAYS: Final = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "es": "lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "it": "luned\u00ec marted\u00ec mercoled\u00ec gioved\u00ec venerd\u00ec sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda ter\u00e7a quarta quinta sexta s\u00e1bado domingo",
}
_SHORT: Final = {"month": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "weekday": "Mon Tue Wed Thu Fri Sat Sun"}
_OTHER_SHORT: Final = {"sept": ("short month", 9), "tues": ("short weekday", 2), "thurs": ("short weekday", 4)}
_FILLERS: Final = frozenset(("of", "de", "del", "the"))
_ORDINALS: Final = frozenset(("st", "nd", "rd", "th"))
_MARKS: Final = frozenset(",/-.'")
_TOKEN: Final = re.compile(r"[0-9]+|[^\W\d_]+|\s+|.", re.DOTALL)
_LONGEST: Final = 60
_CENTURY: Final = 1950
"""Years of two digits are in the hundred years from here on."""

_LEAP: Final = 2000
_DAYS_OF_LEAP: Final = 366
_MONDAY: Final = date(_LEAP, 1, 3)


class Known(Enum):
    """What of a date is written; a weekday beside a date follows from it."""

    DATE = "date"
    MONTH = "month and year"
    YEAR = "year"
    ANNIVERSARY = "month and day"
    WEEKDAY = "weekday"


@final
class Field(NamedTuple):
    """A piece of a form.

    Attributes:
        part: empty where the text stays; else what of a date goes there.
        text: what stood there in the value: it stays, or shows the letter case of a name.
    """

    part: str
    text: str


@final
class WrittenDate(NamedTuple):
    """A date that was read.

    Attributes:
        known: what of it is written.
        day: the date; the middle of what is not written (the 15th of a month, 1 July), in the year 2000 where there is
            no year and in its first whole week where there is a weekday alone.
        form: the value without it.
    """

    known: Known
    day: date
    form: tuple[Field, ...]

    def moved(self, days: int) -> date:
        """The date so many days later, or earlier.

        Dates without a year go round the 366 days of a leap year, weekdays round the week, and others end at the first
        and the last day of the years 1 to 9999.
        """
        if self.known is Known.WEEKDAY:
            return _MONDAY + timedelta(days=(self.day.weekday() + days) % 7)
        if self.known is Known.ANNIVERSARY:
            first = date(_LEAP, 1, 1)
            return first + timedelta(days=((self.day - first).days + days) % _DAYS_OF_LEAP)
        return date.fromordinal(min(max(self.day.toordinal() + days, 1), date.max.toordinal()))

    def with_day(self, day: date) -> str:
        """The form with another date."""
        return "".join(_filled(field, day) for field in self.form)


@cache
def _names(language: str) -> dict[str, tuple[str, int]]:
    """The part and the number, from 1, of every name of a month or a weekday, in small letters."""
    found: dict[str, tuple[str, int]] = {}
    for part, names in (("month", MONTHS), ("weekday", _DAYS)):
        for number, name in enumerate(names[language].split(" "), 1):
            found[name.lower()] = (f"{language} {part}", number)
        if language == "en":
            for number, name in enumerate(_SHORT[part].split(" "), 1):
                found.setdefault(name.lower(), (f"short {part}", number))
    return found | (_OTHER_SHORT if language == "en" else {})


def read_date(value: str, *, day_first: bool = False, language: str = "en") -> WrittenDate | None:
    """The date that a value is, with the form in which it is written; None where it cannot be read as one.

    Args:
        value: the span.
        day_first: whether 3/4/2024 is the third of April. Numbers of which only the other order is a date are read in
            that; the form has the order of the setting all the same. With dots the day is first.
        language: of names.
    """
    if len(value) > _LONGEST:
        return None
    parts: list[str] = []
    texts: list[str] = []
    numbers: list[int] = []
    for text in _TOKEN.findall(value):
        part, number = _token(text, language, parts[-1] if parts else "")
        if part is None:
            return None
        parts.append(part)
        texts.append(text)
        numbers.append(number)
    found = {part.split(" ")[-1]: number for part, number in zip(parts, numbers, strict=True) if part}
    read = _with_name(parts, texts, numbers) if "month" in found else _in_numbers(parts, texts, numbers, day_first)
    if read is None:
        return None
    known, year, month, day = read
    if known is Known.WEEKDAY:
        made = _MONDAY + timedelta(days=found["weekday"] - 1)
    else:
        try:
            made = date(year, found.get("month", month), day)
        except ValueError:
            return None
    return WrittenDate(known, made, tuple(map(Field, parts, texts)))


def _token(text: str, language: str, before: str) -> tuple[str | None, int]:
    """What a piece of a value may be: a part, or text that stays (empty), or nothing that a date holds (None)."""
    if text[0] in "0123456789":
        if len(text) <= 2:
            return "small", int(text)
        if len(text) in (4, 8) and text[0] in "12":
            return ("year" if len(text) == 4 else "compact"), int(text)
        return None, 0
    if text.isalpha():
        lower = text.lower()
        if lower in _ORDINALS and before == "small":
            return "ordinal", 0
        if lower in _FILLERS:
            return "", 0
        return _names(language).get(lower, (None, 0))
    return ("", 0) if text.isspace() or text in _MARKS else (None, 0)


_Read = tuple[Known, int, int, int]


def _year(number: int) -> int:
    """The year of two digits."""
    return _CENTURY + (number - _CENTURY) % 100


def _with_name(parts: list[str], texts: list[str], numbers: list[int]) -> _Read | None:
    """What is known beside the name of a month; names the parts."""
    small = [index for index, part in enumerate(parts) if part == "small"]
    years = [index for index, part in enumerate(parts) if part == "year"]
    named = sum(part.endswith(" month") for part in parts)
    if named > 1 or len(years) > 1 or len(small) + len(years) > 2 or "compact" in parts:
        return None
    year = numbers[years[0]] if years else _LEAP
    if not years and small and (len(small) == 2 or texts[small[-1] - 1 : small[-1]] == ["'"]):
        last = small.pop()
        parts[last], year, years = "year2", _year(numbers[last]), [last]
    if not small:
        return (Known.MONTH if years else Known.ANNIVERSARY), year, 0, 15
    (day,) = small
    parts[day] = "day" if texts[day + 1 : day + 2] == ["-"] else "bare day"
    return (Known.DATE if years else Known.ANNIVERSARY), year, 0, numbers[day]


def _in_numbers(parts: list[str], texts: list[str], numbers: list[int], day_first: bool) -> _Read | None:
    """What is known where no month is named; names the parts."""
    small = [index for index, part in enumerate(parts) if part == "small"]
    years = [index for index, part in enumerate(parts) if part == "year"]
    compact = [index for index, part in enumerate(parts) if part == "compact"]
    if len(years) + len(compact) > 1 or "ordinal" in parts or (compact and small):
        return None
    if compact:
        number = numbers[compact[0]]
        return Known.DATE, number // 10_000, number // 100 % 100, number % 100
    year = numbers[years[0]] if years else _LEAP
    if len(small) == 3 and not years:
        last = small.pop()
        parts[last], year, years = "year2", _year(numbers[last]), [last]
    if len(small) == 2:
        return _day_and_month(parts, texts, numbers, small, years, year, day_first)
    if len(small) == 1 and years:
        parts[small[0]] = "month"
        return Known.MONTH, year, numbers[small[0]], 15
    if small:
        return None
    if years:
        return Known.YEAR, year, 7, 1
    return (Known.WEEKDAY, 0, 0, 0) if any(part.endswith("weekday") for part in parts) else None


def _day_and_month(
    parts: list[str],
    texts: list[str],
    numbers: list[int],
    small: list[int],
    years: list[int],
    year: int,
    day_first: bool,
) -> _Read | None:
    """Two numbers, with a year or without."""
    known = Known.DATE if years else Known.ANNIVERSARY
    first, second = small
    if years and first < years[0] < second:
        return None
    ahead = bool(years) and years[0] < first
    day_first = not ahead and (day_first or "." in texts[first + 1 : second])
    parts[first], parts[second] = ("day", "month") if day_first else ("month", "day")
    day, month = (numbers[first], numbers[second]) if day_first else (numbers[second], numbers[first])
    if month > 12 and not ahead:
        day, month = month, day
    return known, year, month, day


def _filled(field: Field, day: date) -> str:
    """One piece of a form for a date."""
    part, text = field
    plain = {
        "": text,
        "year": f"{day.year:04d}",
        "year2": f"{day.year % 100:02d}",
        "month": f"{day.month:02d}",
        "day": f"{day.day:02d}",
        "bare day": str(day.day),
        "compact": f"{day.year:04d}{day.month:02d}{day.day:02d}",
        "ordinal": in_case_of(text, _ordinal(day.day)),
    }
    if part in plain:
        return plain[part]
    language, _, kind = part.partition(" ")
    names = _SHORT[kind] if language == "short" else (MONTHS if kind == "month" else _DAYS)[language]
    name = in_case_of(text, names.split(" ")[day.month - 1 if kind == "month" else day.weekday()])
    return name[0].upper() + name[1:] if text[0].isupper() else name


def _ordinal(number: int) -> str:
    """The letters after a day."""
    return "th" if 11 <= number <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
