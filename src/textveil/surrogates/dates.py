"""Dates: all of a scope moved by one random number of days, or each drawn uniformly from a window."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from typing import Annotated, Final, NamedTuple, TypeAlias, TypedDict

import numpy as np

from textveil.detection.dates import MONTH_FOLLOWS, NOW
from textveil.errors import need
from textveil.numerics.discrete_noise import discrete_laplace
from textveil.privacy.units import Adjacency, Unit
from textveil.registry.options import Domain, Option, at_least, named
from textveil.surrogates.calendars import MONTHS, Known, WrittenDate, month_and_year, read_date, usual_form
from textveil.surrogates.date_lists import (
    DAY_FIRST,
    MONTH_FIRST,
    OF_TEXT,
    Convention,
    WrittenDates,
    convention_of,
    read_dates,
    with_day_in_digits,
)
from textveil.surrogates.drawn import AS_READ, Draw, Drawn, OfMentions, Together, agreed, proved
from textveil.surrogates.making import PSEUDONYMS, SURROGATES, NeededEpsilon, declared
from textveil.surrogates.quantities import age_of
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention
from textveil.text.numbers import in_digits
from textveil.text.patterns import lazy_regex

_FIRST: Final = "1950-01-01"
_LAST: Final = "2029-12-31"


def _is_day(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


_DAY = Domain("a day, as 2024-03-31", _is_day, outside=("", "2024-02-30", "31.3.2024"))
_DAYS = Option(domain=at_least(1), help="Epsilon is the loss of moving all dates by this many days.", metavar="DAYS")
_FROM = Option(domain=_DAY, help="The first day that is drawn.", metavar="DATE")
_UNTIL = Option(domain=_DAY, help="The last day that is drawn.", metavar="DATE")
_ORDER = Option(
    domain=named(OF_TEXT, MONTH_FIRST, DAY_FIRST),
    help="What 3/4/2024 means, and how dates in digits are written; document: as the dates of the text show, which is "
    "then public. With dots the day is always first.",
    metavar="NAME",
)
_MONTHS = Option(
    domain=named("long", "short"),
    help="How names of months are written; with hyphens, slashes or a weekday that is cut short, always short.",
    metavar="NAME",
)
_LANGUAGE = Option(
    domain=named(OF_TEXT, *MONTHS),
    help="Of the names of months and weekdays; document: as the dates of the text show, which is then public.",
    metavar="NAME",
)
_BIRTHS = Option(
    domain=named("apart", "with-others"),
    help="apart: a date after a word such as born or DOB is drawn to fit the released age; "
    "with-others: as any other date, so it shows the age beside another date.",
    metavar="NAME",
)
_WITHIN = Option(
    domain=at_least(2),
    help="All dates of a scope lie in one random stretch of so many days.",
    metavar="DAYS",
    unset="anywhere in the window",
)

_FORM: Final = (
    "its format: which of day, month, year and weekday it has, in digits or names, of which calendar (of Japan's or "
    "Taiwan's years, or Islamic), and the marks between them; of a list or range, how many dates, whether each has its "
    "year, and whether two years are one behind the other; of a month without a day, its case in Russian and Polish; "
    "whether a year stands behind the time of a day and a month"
)
_CONVENTION: Final = (
    "its conventions, where not set: the order of day and month that the dates of a text show together, if any, and "
    "the language of most of their names; of each date, its language where that is another"
)
_APART: Final = "which dates stand behind a word for birth, and which are equal to one that does"
_Written: TypeAlias = WrittenDate | WrittenDates
_Read: TypeAlias = Callable[[str], _Written]


@cache
def all_moved(days: int) -> Adjacency:
    """Two inputs of which one has the dates of the other, all moved by one number of days.

    It has no larger unit: what many dates together reveal are the days between them, which are public.
    """
    return Adjacency(
        Unit.SPAN,
        "two texts in which the same spans of the same kinds are found, and in which all dates of one scope differ by "
        f"the same number of days, {days:,d} at most, as they are read: a month without a day as its 15th, a year as "
        "its 1 July, a day without a year in a leap year; days between dates, so read, are public, and so is the order "
        "of day and month; birth dates that are drawn apart may differ in any way",
    )


@declared(summary="All dates of a scope moved by one random number of days.", kinds=("date",), proof=SURROGATES)
def date_shift(
    *,
    epsilon: NeededEpsilon,
    days: Annotated[int, _DAYS] = 365,
    order: Annotated[str, _ORDER] = OF_TEXT,
    months: Annotated[str, _MONTHS] = "long",
    language: Annotated[str, _LANGUAGE] = OF_TEXT,
    births: Annotated[str, _BIRTHS] = "apart",
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
    settings = _Settings(order, language, months)

    def shifted(written: _Written, value: str, scope: Scope, rng: np.random.Generator) -> list[date]:
        moved_by = int(agreed(scope, label, "", rng, lambda source: str(discrete_laplace(scale, source))))
        every = _each(written)
        if written.known is Known.NOTHING:
            return sorted(_any_day(value, scope, rng, place) for place in range(len(every)))
        return [each.moved(moved_by) for each in every]

    parameters = {"epsilon": epsilon, "days": days, "order": order, "months": months, "language": language}
    return Drawn(
        name="date-shift",
        parameters=parameters | {"births": births},
        guarantee=proved(epsilon, SURROGATES, all_moved(days)),
        public=(
            _FORM,
            *((_CONVENTION,) if settings.asks else ()),
            *((_APART,) if births == "apart" else ()),
            "whether the calendar has it",
            "the days between dates of one scope",
            "which values that are no dates are equal",
        ),
        counts="scope",
        **settings.draws(shifted, births=births == "apart", moved=True),
    )


@declared(summary="A uniform date of a window.", kinds=("date",), proof=PSEUDONYMS)
def date_window(
    *,
    first: Annotated[str, _FROM] | date = _FIRST,
    last: Annotated[str, _UNTIL] | date = _LAST,
    within: Annotated[int, _WITHIN] | None = None,
    order: Annotated[str, _ORDER] = OF_TEXT,
    months: Annotated[str, _MONTHS] = "long",
    language: Annotated[str, _LANGUAGE] = OF_TEXT,
    births: Annotated[str, _BIRTHS] = "apart",
) -> Drawn:
    """A pseudonym for each date, and for what is none: a day of a public window, another for each value of a scope.

    With ``within``, all of a scope lie in one stretch of the window, whose first day is uniform; years without a month
    lie in the forty years up to it. Both rise in the order in which a text has them first, whatever they are, as those
    of most texts do; days behind "your letter of" go before all others, those behind "valid until" behind them.
    """
    begin, end = _day("first", first), _day("last", last)
    need(end > begin, "last", end, f"after first, {begin}")
    size = (end - begin).days + 1
    need(within is None or within <= size, "within", within, f"at most the {size} days of the window")
    label = f"date-window {begin} {end}" + (f" {within}" if within else "")
    settings, stretch = _Settings(order, language, months), within or size

    def drawn(written: _Written, value: str, scope: Scope, rng: np.random.Generator) -> list[date]:
        key = _key_of(written, value)
        since = begin
        if within:
            since += timedelta(days=scope.place(label + " stretch", "", size - within + 1, rng))
        keys = _keys_of(key, written)
        known = scope.remembered(_IN_ORDER) if within else {}
        if all(key in known for key in keys):
            return sorted(date.fromisoformat(known[key]) for key in keys)
        if within and written.known in _YEARS_ALONE:
            return sorted(year_of(key, since, scope, rng) for key in keys)
        return sorted(since + timedelta(days=scope.place(label, key, stretch, rng)) for key in keys)

    def year_of(key: str, since: date, scope: Scope, rng: np.random.Generator) -> date:
        months = 12 if key.startswith(Known.MONTH.value) else 1
        place = scope.place(f"{label} {'months' if months > 1 else 'years'}", key, _CAREER * months, rng)
        years, month = divmod(place, months)
        return date(max(since.year - _CAREER, 0) + 1 + years, month + 1 if months > 1 else 7, 15 if months > 1 else 1)

    def in_order(keys: Sequence[str], alone: Sequence[str], scope: Scope, rng: np.random.Generator) -> None:
        known = scope.remembered(_IN_ORDER)
        since = begin + timedelta(days=scope.place(label + " stretch", "", size - stretch + 1, rng))
        new = [key for key in keys if key not in known]
        days = [since + timedelta(days=scope.place(label, key, stretch, rng)) for key in new]
        years = [key for key in alone if key not in known]
        known |= zip(new, map(str, sorted(days)), strict=True)
        known |= zip(years, map(str, sorted([year_of(key, since, scope, rng) for key in years])), strict=True)

    parameters: dict[str, object] = {"first": str(begin), "last": str(end), "order": order, "months": months}
    parameters |= {"language": language, "births": births} | ({"within": within} if within else {})
    public = (_FORM, *((_CONVENTION,) if settings.asks else ()), *((_APART,) if births == "apart" else ()))
    return Drawn(
        name="date-window",
        parameters=parameters,
        guarantee=proved(0.0, PSEUDONYMS),
        public=public,
        equality=f"{AS_READ}; those of a list count one by one",
        entries=None if within or births == "apart" else size,
        read=settings.key,
        **settings.draws(drawn, births=births == "apart", in_order=in_order if within else None),
    )


# Draws the days of some keys, and the years of others, in order.
_InOrder: TypeAlias = Callable[[Sequence[str], Sequence[str], Scope, np.random.Generator], None]
_Days: TypeAlias = Callable[[_Written, str, Scope, np.random.Generator], list[date]]  # the days that a value gets


class _Mentions(NamedTuple):
    """The dates of a text as they are read."""

    read: _Read
    born: frozenset[str]  # keys behind a word for birth
    dates: Mapping[str, str]  # other full dates, by key; months where there are none
    alone: Mapping[str, str]  # other years alone, by key
    near_age: Mapping[str, str]
    turns: Mapping[str, int]  # -1: released words refer back to it, 1: ahead; by key, of its first mention
    falling: frozenset[bool]  # True: years alone fall as the text goes on, False: other dates do
    ends: Mapping[str, str]  # key of the end of a range whose dates are two values, by the key of its beginning


class _Drawing(TypedDict):
    surrogate_of: Draw
    of_mentions: OfMentions
    unsettled: Callable[[Sequence[str]], bool]


class _Settings(NamedTuple):
    order: str
    language: str
    months: str

    @property
    def asks(self) -> bool:
        return OF_TEXT in (self.order, self.language)

    def convention(self, values: Iterable[str], shown: str = "") -> Convention:
        return convention_of(values, self.order, self.language, shown)

    def reader(self, convention: Convention) -> _Read:
        """Reads values; what has not the pieces of a date has the usual form of one."""
        return lambda value: _read(_OF_YEAR.sub("", value), convention, short_months=self.months == "short")

    def key(self, value: str) -> str:
        """Return what tells values apart, whatever the order of their text.

        A date of two numbers that may be either stands for itself: else its key would equal another form's only if a
        number is above 12.
        """
        alone = Convention(self.order == DAY_FIRST, tuple(MONTHS) if self.language == OF_TEXT else (self.language,))
        written = self.reader(alone)(value)
        if self.order == OF_TEXT and isinstance(written, WrittenDate):
            turned = self.reader(alone._replace(day_first=True))(value)
            either = (
                turned != written
                and isinstance(turned, WrittenDate)
                and [field.part for field in turned.form] != [field.part for field in written.form]
            )
        else:
            either = isinstance(written, WrittenDates) and written.style.order == "n" and "/" in written.style.gaps
        return ("in either order " if either else "") + _key_of(written, value)

    def draws(self, days: _Days, *, births: bool, moved: bool = False, in_order: _InOrder | None = None) -> _Drawing:
        def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
            shown = mentions[0].page.language if mentions else ""
            convention = self.convention((mention.value for mention in mentions), shown)
            by_page = mentions[0].page.day_first if mentions and not convention.settled else None
            if by_page is not None:  # as the released text shows; an order that earlier dates showed goes before it
                convention = convention._replace(day_first=by_page)

            months = {mention.value for mention in mentions if MONTH_FOLLOWS.search(mention.before)}

            @cache
            def read_by(known: Convention) -> _Mentions:
                reads = self.reader(known)
                read = (lambda value: (value in months and month_and_year(value)) or reads(value)) if months else reads
                return _mentions_of(mentions, read, births=births)

            def mentioned(scope: Scope) -> _Mentions:
                known = convention
                if not convention.settled and (order := scope.remembered(_SETTLED).get("")) is not None:
                    known = convention._replace(day_first=order == DAY_FIRST)  # as earlier texts of the scope show
                return read_by(known)

            def first(values: Sequence[str], scope: Scope, rng: np.random.Generator) -> None:
                if in_order is None:
                    return
                facts = mentioned(scope)
                read = {_key_of(written := facts.read(value), value): written for value in values}
                in_order(_in_time(read, facts, years=False), _in_time(read, facts, years=True), scope, rng)

            def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
                reads, born, *_ = facts = mentioned(scope)
                if self.order == OF_TEXT and convention.settled and convention.shown:
                    scope.remembered(_SETTLED)[""] = DAY_FIRST if convention.day_first else MONTH_FIRST
                written = reads(value)
                key = _key_of(written, value)
                before = scope.remembered(_BORN) if births else {}
                if isinstance(written, WrittenDates):
                    return written.with_days(days(written, value, scope, rng))
                if key in before or (key in born and written.known in _WITH_YEAR):
                    own = [age for age in (facts.near_age.get(key, ""),) if age] or ages
                    near, least = _near_birth(facts, before, own, lambda value: days(reads(value), value, scope, rng))
                    day = agreed(scope, _BORN, key, rng, lambda source: str(_birth(near, own, source, least)))
                    return written.with_day(date.fromisoformat(day))
                return written.with_day(days(written, value, scope, rng)[0])

            return Together(lambda value, scope, rng: surrogate_of(value, scope, rng) + _ending(value), first)

        def alone(value: str, scope: Scope, rng: np.random.Generator) -> str | None:
            return of_mentions([Mention(value)], ())(value, scope, rng)

        def unsettled(values: Sequence[str]) -> bool:
            return not self.convention(map(in_digits, values)).settled

        return {"surrogate_of": alone, "of_mentions": of_mentions, "unsettled": unsettled}


_OF_YEAR: Final = lazy_regex(r"(?<=[12][0-9]{3}) r\.\Z")
"""A mark of Polish behind a year, which stays."""
_CAREER: Final = 40  # years that lie in one stretch of years
_YEARS_ALONE: Final = frozenset((Known.YEAR, Known.DECADE))
_IN_ORDER: Final = "dates in order"
_BORN: Final = "birth date"
# What of a birth date tells an age.
_WITH_YEAR: Final = frozenset((Known.DATE, Known.MONTH, Known.QUARTER, Known.YEAR, Known.DECADE))
_SETTLED: Final = "order of day and month"
_BIRTH: Final = lazy_regex(
    r"(?<![A-Za-z])(?:[Bb]orn|BORN|[Bb]irth(?:[ _-]?[Dd]at[ea]|[ _-]?[Yy]ear|[Dd]ay)?|BIRTH(?:[ _-]?DAT[EA]|DAY)?"
    r"|[Gg]eb(?:oren)?|n[\xe9e]e?|[Nn](?:ac|asc|aiss|\xe9e?)\.|[Nn]acid[oa]|[Nn]at[oa]|[Nn]ascid[oa]|[Nn]ascimento|[Nn]acimiento|[Nn]ascita"
    r"|[Nn]aissance|[Gg]eburtsdatum|[Gg]eboortedatum|[Dd]\.?[Oo]\.?[Bb](?![A-Za-z])\.?"
    r"|ur\.|urodz\w{2,6}|[Dd]o\u011fum(?: tarihi)?|\u0440\u043e\u0434\w{2,6}|\u0440\u043e\u0436\u0434\w{2,6}"
    r"|\u0645\u064a\u0644\u0627\u062f|\u0645\u0648\u0627\u0644\u064a\u062f|\u751f\u5e74\u6708\u65e5|\u51fa\u751f(?:\u65e5\u671f|\u5e74\u6708)?|\uc0dd\ub144\uc6d4\uc77c)"
    r"(?: (?:on|in|am|the|le|el|il|op|a|em|is|was|dnia))?[\s.:=#*,;|(\"'\uff1a-]{0,20}\Z"
)
_BACK: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?:letter|e-?mail|message|application|inquiry|enquiry|order|invoice|complaint|request|decision|"
    r"notice|agreement|contract|lease|policy|statement) (?:of|dated|from)|dated|last seen(?: on)?"
    r"|(?:schreiben|brief|mail|bescheid|antrag|rechnung|vertrag|anfrage|bestellung|bewerbung)s? vo[mn]"
    r"|(?:lettre|courrier|courriel|mail|demande|facture|contrat|bail|commande|d\xe9cision|candidature) du"
    r"|(?:carta|correo|escrito|solicitud|factura|contrato|pedido|resoluci\xf3n|requerimento|of\xedcio|fatura) del?"
    r"|(?:lettera|mail|richiesta|fattura|contratto|ordine|domanda) del"
    r"|(?:brief|mail|aanvraag|factuur|overeenkomst|bestelling|contract) van"
    r"|(?:pism[oa]|wnios(?:ek|ku)|umow[ay]|faktur[ay]|zam\xf3wieni[ea]) z(?: dnia)?)[: ] ?(?:the )?\Z"
)
_AHEAD: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:expir(?:es|y|ing|ation)(?: date| on)?|(?:valid|good) (?:until|thru|to)|deadline"
    r"|(?:payment )?due(?: date| on| by)?|g\xfcltig bis|f\xe4llig(?: am| bis)?|\xe9ch\xe9ance|expire le"
    r"|valable jusqu'au|vence(?: el| em)?|vencimi?ento|v\xe1lid[oa] (?:hasta(?: el)?|at\xe9)|scade(?: il)?|scadenza"
    r"|vervaldatum|vervalt op|geldig tot|wa\u017cn[yae] do|termin p\u0142atno\u015bci)[: ] ?(?:the )?\Z"
)
"""What stands before a date that is earlier than those of its page, and before one that is later."""
_NOW: Final = date(2015, 1, 1)
_YEARS_OF_NOW: Final = 10
_UNITS: Final = {"y": 365.25, "m": 30.4375, "w": 7.0, "d": 1.0}


_GROWN, _AT_SCHOOL = range(18, 85), range(5, 25)
"""Years of age if none is told: of somebody at a date, and at the first year of a life's course."""


def _mentions_of(mentions: Sequence[Mention], read: _Read, *, births: bool) -> _Mentions:
    keyed = [(_key_of(read(mention.value), mention.value), mention) for mention in mentions]
    born = frozenset(key for key, mention in keyed if births and _BIRTH.search(mention.before))
    others = [(key, mention.value) for key, mention in keyed if key not in born]
    near_age = {key: mention.age for key, mention in reversed(keyed)}
    dates = {key: value for key, value in others if read(value).known is Known.DATE}
    dates = dates or {key: value for key, value in others if read(value).known is Known.MONTH}
    lasts = any(_is_open(mention) for key, mention in keyed if key not in born)
    coarse = {*_YEARS_ALONE, Known.MONTH} if lasts else _YEARS_ALONE
    alone = {key: value for key, value in others if read(value).known in coarse}
    turns = {key: _turn_of(mention) for key, mention in reversed(keyed)}
    begun = {key in alone: _is_open(mention) for key, mention in reversed(keyed) if key not in born}
    falling = frozenset(years for years, is_open in begun.items() if is_open or (years and any(begun.values())))
    ends = {key: end for (key, mention), (end, _) in reversed([*pairwise(keyed)]) if mention.after.strip() in _DASHES}
    return _Mentions(read, born, dates, alone, near_age, turns, falling, ends)


def _in_time(read: Mapping[str, _Written], facts: _Mentions, *, years: bool) -> list[str]:
    """Return the keys of years alone, or of other dates, as a text has them first, from the first day to the last."""
    step = -1 if years in facts.falling else 1
    every: dict[str, str] = {}
    for begins in read:
        for key in (begins, facts.ends[begins])[::step] if begins in facts.ends else (begins,):
            if key not in facts.born and (key in facts.alone) == years:
                for own in _keys_of(key, read[key])[::step]:
                    every.setdefault(own, key)
    return sorted([*every][::step], key=lambda own: facts.turns.get(every[own], 0))


def _near_birth(
    facts: _Mentions, before: Mapping[str, str], ages: Sequence[str], drawn: Callable[[str], list[date]]
) -> tuple[date | None, range]:
    """Return the released day that a birth goes before, and the usual ages then: of a life's course its first year."""
    other = next((value for key, value in facts.dates.items() if key not in before), None)
    near = None if other is None else drawn(other)[0]
    if ages and near is not None:
        return near, _GROWN
    every = [
        day
        for key, value in facts.alone.items()
        if key not in before and facts.turns.get(key, 0) < 1
        for day in drawn(value)
    ]
    if not every or (near is not None and near <= min(every)):
        return near, _GROWN
    return (max(every), _GROWN) if ages else (min(every), _AT_SCHOOL)


def _birth(near: date | None, ages: Sequence[str], rng: np.random.Generator, usual: range = _GROWN) -> date:
    """Return a birth date by what is released alone.

    It is the first of the ages (else usual ones) before one of its dates (else a uniform day of ten years).
    """
    if near is None:
        near = _NOW + timedelta(days=int(rng.integers(365 * _YEARS_OF_NOW)))
    number, unit = next(filter(None, map(age_of, ages)), (usual[int(rng.integers(len(usual)))], "y"))
    days = _UNITS[unit]
    before = int(number * days) + 1 + int(rng.integers(max(int(days), 1)))
    return date.fromordinal(max(near.toordinal() - before, 1))


def _ending(value: str) -> str:
    ending = _OF_YEAR.search(value)
    return "" if ending is None else ending[0]


_UNTIL_NOW: Final = lazy_regex(
    rf"(?i)\s?[-\u2013\u2014]\s?(?:the )?(?:{NOW}|pr\xe9sent|"
    r"\u043d\u0430\u0441\u0442|\u062d\u062a\u0649 \u0627\u0644\u0622\u0646|\u0627\u0644\u0622\u0646"
    r"|\u81f3\u4eca|\u73fe\u5728|\ud604\uc7ac|g\xfcn\xfcm\xfcz|halen|\u2026|\.\.\.)"
)
_SINCE: Final = lazy_regex(r"(?i)(?:\A|\n)\s{0,4}(?:since|seit|depuis|desde|dal|sinds|od) \Z")
_DASHES: Final = frozenset("-\u2013\u2014")
_COLUMN_BEHIND: Final = lazy_regex(r":|\s{2}|\t")


def _is_open(mention: Mention) -> bool:
    """Return whether released words say that a stretch of time lasts: the first of a life's course that falls."""
    since = _SINCE.search(mention.before) is not None and _COLUMN_BEHIND.match(mention.after) is not None
    return since or _UNTIL_NOW.match(mention.after) is not None


def _turn_of(mention: Mention) -> int:
    return -1 if _BACK.search(mention.before) else 1 if _AHEAD.search(mention.before) else 0


@lru_cache(maxsize=1 << 12)
def _read(value: str, convention: Convention, *, short_months: bool) -> _Written:
    for language in convention.languages:
        spelled = with_day_in_digits(value, language)
        for reads in (read_date, read_dates):
            written = reads(spelled, day_first=convention.day_first, language=language, short_months=short_months)
            if written is not None:
                return written
    return usual_form(convention.languages[0], short_months=short_months)


def _each(written: _Written) -> tuple[WrittenDate, ...]:
    return (written,) if isinstance(written, WrittenDate) else written.dates


def _key_of(written: _Written, value: str) -> str:
    if written.known is Known.NOTHING:
        return f"{written.known.value} {value}"
    return f"{written.known.value} {' '.join(str(day.day) for day in _each(written))}"


def _keys_of(key: str, written: _Written) -> list[str]:
    """Return the key of each date of a value: one of a list has that of the date alone."""
    if isinstance(written, WrittenDate) or written.known is Known.NOTHING:
        return [f"{key} {place}" if place else key for place in range(len(_each(written)))]
    return [_key_of(day, "") for day in written.dates]


def _day(name: str, given: str | date) -> date:
    if isinstance(given, str):
        return date.fromisoformat(given)
    need(isinstance(given, date), name, type(given).__name__, _DAY.wanted)
    return date(given.year, given.month, given.day)


def _any_day(value: str, scope: Scope, rng: np.random.Generator, place: int = 0) -> date:
    begin, end = date.fromisoformat(_FIRST), date.fromisoformat(_LAST)
    size = (end - begin).days + 1
    label = f"date unread {place}" if place else "date unread"
    return begin + timedelta(days=scope.place(label, value, size, rng))
