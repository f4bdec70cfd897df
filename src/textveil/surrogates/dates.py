"""Dates: all of a scope moved by one random number of days, or each drawn uniformly from a window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Final, TypeAlias

import numpy as np

from textveil.errors import need
from textveil.numerics.discrete_laplace import discrete_laplace
from textveil.privacy.units import Adjacency, Unit
from textveil.registry.options import Domain, Option, at_least, named
from textveil.surrogates.calendar_names import MONTHS
from textveil.surrogates.calendars import Known, WrittenDate, read_date, usual_form
from textveil.surrogates.declaration import PSEUDONYMS, SURROGATES, NeededEpsilon, declared
from textveil.surrogates.drawn import AS_READ, Drawn, agreed, proved, pseudonym
from textveil.surrogates.scopes import Scope

_FIRST: Final = "1950-01-01"
_LAST: Final = "2029-12-31"


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


_DAY = Domain("a day, as 2024-03-31", _is_day)
_DAYS = Option(domain=at_least(1), help="Epsilon is the loss of moving all dates by this many days.", metavar="DAYS")
_FROM = Option(domain=_DAY, help="The first day that is drawn.", metavar="DATE")
_UNTIL = Option(domain=_DAY, help="The last day that is drawn.", metavar="DATE")
_ORDER = Option(
    domain=named("month-first", "day-first"),
    help="What 3/4/2024 means, and how dates in digits are written; with dots the day is always first.",
    metavar="NAME",
)
_MONTHS = Option(
    domain=named("long", "short"),
    help="How names of months are written; with hyphens, slashes or a weekday that is cut short, always short.",
    metavar="NAME",
)
_LANGUAGE = Option(domain=named(*MONTHS), help="Of the names of months and weekdays.", metavar="NAME")

_FORM: Final = (
    "its written format: whether it has the pieces of a date, which of day, month, year and weekday, in digits or in "
    "names, and the marks between them; not leading zeros, nor whether a month is cut short"
)

_Read: TypeAlias = Callable[[str], WrittenDate]


@cache
def all_moved(days: int) -> Adjacency:
    """Two inputs of which one has the dates of the other, all moved by one number of days.

    It has no larger unit: what many dates together reveal are the days between them, which are public.
    """
    return Adjacency(
        Unit.SPAN,
        "two texts in which the same spans of the same kinds are found, and in which all dates of one scope differ by "
        f"the same number of days, {days:,d} at most, as they are read: a month without a day as its 15th, a year as "
        "its 1 July, a day without a year in a leap year; days between dates, so read, are public",
    )


@declared(summary="All dates of a scope moved by one random number of days.", kinds=("date",), proof=SURROGATES)
def date_shift(
    *,
    epsilon: NeededEpsilon,
    days: Annotated[int, _DAYS] = 365,
    order: Annotated[str, _ORDER] = "month-first",
    months: Annotated[str, _MONTHS] = "long",
    language: Annotated[str, _LANGUAGE] = "en",
) -> Drawn:
    """One two-sided geometric number of days for all dates of a scope: P(z) ~ exp(-|z| epsilon / days).

    Days between dates stay as they are, and stay public: the guarantee is for when it all happened, not for a change of
    one date. Dates without a year go round the year, weekdays round the week; months and years that are given without a
    day count as their 15th and as 1 July: a move over the end of a month moves them by a whole one. What is no date
    gets a uniform one of 1950 to 2029.

    ``epsilon`` is for moving all dates of a scope by ``days`` days; fewer days cost in proportion. ``months`` and
    ``language`` are of names.
    """
    scale, label = Fraction(days) / Fraction(epsilon), f"date-shift {epsilon!r} {days}"
    read = _reader(order, months, language)

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        moved_by = int(agreed(scope, label, "", rng, lambda source: str(discrete_laplace(scale, source))))
        written = read(value)
        any_day = written.known is Known.NOTHING
        return written.with_day(_any_day(value, scope, rng) if any_day else written.moved(moved_by))

    return Drawn(
        name="date-shift",
        parameters={"epsilon": epsilon, "days": days, "order": order, "months": months, "language": language},
        guarantee=proved(epsilon, SURROGATES, all_moved(days)),
        public=(
            _FORM,
            "whether the calendar has it",
            "the days between dates of one scope",
            "which values that are no dates are equal",
        ),
        counts="scope",
        surrogate_of=surrogate_of,
    )


@declared(summary="A uniform date of a window.", kinds=("date",), proof=PSEUDONYMS)
def date_window(
    *,
    first: Annotated[str, _FROM] | date = _FIRST,
    last: Annotated[str, _UNTIL] | date = _LAST,
    order: Annotated[str, _ORDER] = "month-first",
    months: Annotated[str, _MONTHS] = "long",
    language: Annotated[str, _LANGUAGE] = "en",
) -> Drawn:
    """A pseudonym for each date, and for what is none: a day of a public window, another for each value of a scope.

    ``months`` and ``language`` are of names.
    """
    begin, end = _day("first", first), _day("last", last)
    need(end > begin, "last", end, f"after first, {begin}")
    size, label = (end - begin).days + 1, f"date-window {begin} {end}"
    read = _reader(order, months, language)

    def key(value: str) -> str:
        written = read(value)
        return f"{written.known.value} {value if written.known is Known.NOTHING else written.day}"

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        return read(value).with_day(begin + timedelta(days=scope.place(label, key(value), size, rng)))

    parameters = {"first": str(begin), "last": str(end), "order": order, "months": months, "language": language}
    return pseudonym("date-window", (_FORM,), surrogate_of, size, parameters, equality=AS_READ, read=key)


def _day(name: str, given: str | date) -> date:
    if isinstance(given, str):
        return date.fromisoformat(given)
    need(isinstance(given, date), name, type(given).__name__, _DAY.wanted)
    return date(given.year, given.month, given.day)


def _reader(order: str, months: str, language: str) -> _Read:
    """Reads values with these settings; what has not the pieces of a date has the usual form of one."""
    short = months == "short"
    read = partial(read_date, day_first=order == "day-first", language=language, short_months=short)
    usual = usual_form(language, short_months=short)
    return lambda value: read(value) or usual


def _any_day(value: str, scope: Scope, rng: np.random.Generator) -> date:
    """A uniform day for a value that is none of the calendar."""
    begin, end = date.fromisoformat(_FIRST), date.fromisoformat(_LAST)
    size = (end - begin).days + 1
    return begin + timedelta(days=scope.place("date unread", value, size, rng))
