"""What no form of a date shows: which month is never cut short, which day has an ending, which hour has two digits.

Values are written from days as people write them, by rules that shorten some names and not others. A release must be
the same function of the moved day for all of them.
"""

import calendar
import datetime
import math
import re
import runpy
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import dlaplace
from tests.helpers.surrogates import outputs

from textveil.detection.dates import find_named_dates
from textveil.surrogates import dates
from textveil.surrogates.calendars import MONTHS, Known, read_date
from textveil.surrogates.drawn import Drawn
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention, Page

Write = Callable[[datetime.date], str]

CUT = {
    "three": ("en", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"),
    "stops": ("en", "Jan. Feb. Mar. Apr. May Jun. Jul. Aug. Sept. Oct. Nov. Dec."),
    "five letters at most": ("en", "Jan. Feb. March April May June July Aug. Sept. Oct. Nov. Dec."),
    "German": ("de", "Jan. Feb. M\u00e4rz Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."),
    "German, other": ("de", "J\u00e4n Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
    "French": ("fr", "janv. f\u00e9vr. mars avr. mai juin juil. ao\u00fbt sept. oct. nov. d\u00e9c."),
    "French, no accents": (
        "fr",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    ),
    "French, two characters": (
        "fr",
        "janvier fe\u0301vrier mars avril mai juin juillet aou\u0302t sept. oct. nov. de\u0301c.",
    ),
    "Dutch": ("nl", "jan. feb. mrt. apr. mei jun. jul. aug. sept. okt. nov. dec."),
    "Spanish": ("es", "ene. feb. mar. abr. mayo jun. jul. ago. set. oct. nov. dic."),
    "Italian": ("it", "gen. feb. mar. apr. mag. giu. lug. ago. sett. ott. nov. dic."),
    "Portuguese": ("pt", "jan. fev. mar. abr. maio jun. jul. ago. set. out. nov. dez."),
}
"""Names of months as they are written beside each other, by language."""

WEEKDAYS = {
    "en": "Mon Tues Weds Thurs Fri Sat Sun",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Sonnabend Sonntag",
    "es": "lunes martes mi\u00e9rcoles jueves viernes s\u00e1bado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "it": "lunedi' martedi' mercoledi' giovedi' venerdi' sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda-feira ter\u00e7a-feira quarta-feira quinta-feira sexta-feira s\u00e1bado domingo",
}
LENGTHS = ("long", "short")
FIRSTS = {"fr": "1er", "es": "primero", "it": "1\u00ba", "pt": "1.\u00ba", "nl": "1ste"}
"""The first of a month."""


def _named(kind: str, form: str) -> tuple[str, Write]:
    """The language, and how a day is written: ``form`` with its parts."""
    language, months = CUT[kind]

    def write(day: datetime.date) -> str:
        number = FIRSTS.get(language, "1") if day.day == 1 else str(day.day)
        weekday = WEEKDAYS[language].split(" ")[day.weekday()]
        return form.format(
            m=months.split(" ")[day.month - 1], d=number, w=weekday, y=day.year, s=f"{day.year % 100:02d}"
        )

    return language, write


def _in_digits(form: str) -> Write:
    return lambda day: form.format(m=day.month, d=day.day, y=day.year, s=f"{day.year % 100:02d}")


def _nth(day: datetime.date) -> str:
    return f"{day:%B} {day.day}" + (
        "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    )


WRITTEN: list[tuple[str, Write]] = [
    *(_named(kind, form) for kind in CUT for form in ("{d} {m} {y}", "{w}, {d} {m} {s}", "{m}-{d}-{y}")),
    *(
        ("en", _in_digits(form))
        for form in ("{m}/{d}/{y}", "{m}/{d}/{s}", "{y}-{m}-{d}", "{d}.{m}.{y}", "{y}.{m:02d}.{d}")
    ),
    ("en", lambda day: f"{_nth(day)}, {day.year}"),
    ("en", lambda day: f"{day:%Y%m%d}"),
]
WITHOUT_A_YEAR = [*(_named(kind, form) for kind in CUT for form in ("{d} {m}", "{m}")), ("en", _in_digits("{m}/{d}"))]

DAYS = [
    *(datetime.date(2024, month, day) for month in range(1, 13) for day in (1, 2, 9, 10, 11, 20, 23)),
    *(datetime.date(2024, 2, 29), datetime.date(2024, 5, 31), datetime.date(2024, 12, 31)),
]


@pytest.mark.parametrize(("language", "write"), [*WRITTEN, *WITHOUT_A_YEAR])
@pytest.mark.parametrize("months", LENGTHS)
def test_a_window_draws_alike_for_every_day(language: str, write: Write, months: str) -> None:
    """Bit by bit, alone and beside another date of the scope."""
    surrogate = make_surrogate("date-window", options={"language": language, "months": months})
    beside = write(datetime.date(1971, 8, 23))
    assert len({tuple(outputs(surrogate, [write(day)], 1)) for day in DAYS}) == 1
    pairs = [[write(day), beside] for day in DAYS[::7] if write(day) != beside]
    assert len({tuple(outputs(surrogate, pair, 2)) for pair in pairs}) == 1


def test_the_length_of_months_is_a_setting() -> None:
    values = ["May 3, 2024", "Jan 3, 2024", "January 4, 2024", "3-May-2024", "Fri, May 3"]
    written = {
        length: outputs(make_surrogate("date-window", options={"months": length}), values, 3) for length in LENGTHS
    }
    months = {length: [re.findall("[A-Z][a-z]+", one)[-1] for one in drawn] for length, drawn in written.items()}
    assert [len(month) for month in months["short"]] == [3] * 5
    assert [month in calendar.month_name for month in months["long"][:3]] == [True] * 3
    assert months["long"][3:] == months["short"][3:]
    assert [month[:3] for month in months["long"]] == months["short"]


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """What a scope of values becomes where the number of days is given."""

    made = cache(lambda **options: make_surrogate("date-shift", 1.0, options))

    def release(values: Sequence[str], moved_by: int, **options: Any) -> list[str]:
        monkeypatch.setattr(dates, "discrete_laplace", lambda scale, source: moved_by)
        return outputs(made(**options), values, 0)

    return release


@pytest.mark.parametrize(("language", "write"), WRITTEN)
def test_a_shift_is_a_function_of_true_days_moved(
    language: str, write: Write, released: Callable[..., list[str]]
) -> None:
    """Days moved by t and then by z are released as the days moved by t + z: the loss is that of t for the draw alone.

    The years go over the ends of the hundred years that two digits are read in, and over days that two others have not.
    """
    for first in (datetime.date(1949, 12, 20), datetime.date(2023, 2, 20), datetime.date(2024, 2, 25)):
        truth = [first, first + datetime.timedelta(days=75)]
        for t in (1, 2, 7, 10, 12, 31, 59, 61, 100, 130, 365, 366):
            moved = [write(day + datetime.timedelta(days=t)) for day in truth]
            for z in (-400, -1, 0, 60):
                expected = released([write(day) for day in truth], t + z, language=language)
                assert released(moved, z, language=language) == expected


def _loss(first: Sequence[str], second: Sequence[str], release: Callable[..., list[str]]) -> float:
    """The largest of any release, at epsilon 1 for 60 days; only those of 600 days at most are looked at."""
    moves = np.arange(-800, 801)
    laws: list[Counter[tuple[str, ...]]] = []
    near: set[tuple[str, ...]] = set()
    for values in (first, second):
        law: Counter[tuple[str, ...]] = Counter()
        for moved_by, probability in zip(moves.tolist(), dlaplace(1 / 60).pmf(moves).tolist(), strict=True):
            output = tuple(release(values, moved_by))
            law[output] += probability
            near |= {output} if abs(moved_by) <= 600 else set()
        laws.append(law)
    one, other = laws
    return max(
        abs(math.log(one[output] / other[output])) if one[output] * other[output] else math.inf for output in near
    )


def test_coarse_dates_lose_what_their_point_moves(released: Callable[..., list[str]]) -> None:
    """A move of ten days from 28 May moves the 15th, by which a month is read, by 31; within a month by none."""
    assert _loss(["May 2023"], ["June 2023"], released) == pytest.approx(31 / 60, rel=1e-6)
    assert _loss(["May 28, 2023"], ["June 7, 2023"], released) == pytest.approx(10 / 60, rel=1e-6)
    assert _loss(["Jan 5, 2023", "Mon"], ["May 5, 2023", "Tue"], released) == pytest.approx(120 / 60, rel=1e-6)


def test_a_month_beside_a_full_date_is_not_promised(released: Callable[..., list[str]]) -> None:
    """Their points do not move alike over the end of a month: the adjacency leaves such pairs out, and must."""
    assert _loss(["May 31, 2023", "May 2023"], ["June 1, 2023", "June 2023"], released) == math.inf


def test_points_of_coarse_dates_move_little_more_than_the_day() -> None:
    """The bounds of the proof, over all days of eight years."""
    days = [datetime.date(2019, 1, 1) + datetime.timedelta(days=place) for place in range(8 * 365)]
    for t in (1, 10, 28, 31, 59, 365, 366, 400):
        for day in days:
            then = day + datetime.timedelta(days=t)
            assert abs((then.replace(day=15) - day.replace(day=15)).days - t) <= 30
            assert abs((datetime.date(then.year, 7, 1) - datetime.date(day.year, 7, 1)).days - t) <= 365


TIMES: list[tuple[str, Callable[[int, int], str]]] = [
    ("no zeros", lambda hour, minute: f"{hour}:{minute:02d}"),
    ("no zeros, no mark", lambda hour, minute: f"{hour}{minute:02d}h"),
    ("24 at midnight", lambda hour, minute: f"{hour if hour or minute else 24:02d}:{minute:02d}"),
    ("24 hours and a half", lambda hour, minute: f"{hour}:{minute:02d} {'am' if hour < 12 else 'pm'}"),
    ("no marks at all", lambda hour, minute: f"{hour:02d}{minute:02d}00"),
    ("12 hours", lambda hour, minute: f"{(hour - 1) % 12 + 1}{minute:02d} {'am' if hour < 12 else 'pm'}"),
]


def test_a_full_stop_behind_a_cut_month_is_found_with_it() -> None:
    """Left in the text it would tell that the month is not May; at the end of a sentence it stands behind any."""
    for text, date in (
        ("on 5 Mar. we met", "5 Mar."),
        ("on 5 May we met", "5 May"),
        ("Seen 5 Mar., then", "5 Mar."),
        ("It was 5 Mar.", "5 Mar"),
        ("It was 5 Mar. We met", "5 Mar"),
    ):
        assert [text[one.start : one.end] for one in find_named_dates(text)] == [date]


@pytest.mark.parametrize(("name", "write"), TIMES)
def test_times_are_drawn_alike_for_every_minute(name: str, write: Callable[[int, int], str]) -> None:
    surrogate = make_surrogate("time")
    for seed in range(2):
        assert len({outputs(surrogate, [write(*divmod(minute, 60))], seed)[0] for minute in range(0, 1440, 7)}) == 1


ATTACK = Path(__file__).resolve().parents[2] / "benchmarks/attacks/dates.py"


def test_the_attack_finds_no_odd_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert runpy.run_path(str(ATTACK))["main"](["--scopes", "30"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 17 and all(re.fullmatch(r"[a-z-]+, .*: \d+ of 30 found", line) for line in told)


def test_the_attack_sees_what_it_looks_for(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Drawn, "draw", lambda surrogate, mentions, scope, rng: [mention.value for mention in mentions])
    assert runpy.run_path(str(ATTACK))["main"](["--scopes", "30"]) == 1
    assert capsys.readouterr().out.count("above chance") > 10


@pytest.mark.parametrize(
    ("language", "value", "end"),
    [
        ("ru", "Март 2019", "ьйт"), ("ru", "марта 2019", ""), ("ru", "марте 2019", "е"),
        ("pl", "marca 2019", ""), ("pl", "Marzec 2019", ""), ("pl", "marcu 2019", "ume"),
    ],
)  # fmt: skip
def test_a_month_without_a_day_keeps_its_case(language: str, value: str, end: str) -> None:
    is_genitive = value.split(" ")[0] in MONTHS[language].split(" ")
    for seed in range(12):
        mention = Mention(value, page=Page(language))
        month, year = (
            make_surrogate("date-window").draw([mention], MemoryScope(), np.random.default_rng(seed))[0].split(" ")
        )
        assert (month.lower() in MONTHS[language].split(" ")) == is_genitive and len(year) == 4
        assert month[0].isupper() == value[0].isupper() and (not end or month[-1] in end)


@pytest.mark.parametrize("value", ["25 maja", "25 maja 2024", "1 wrze\u015bnia 2023", "3 pa\u017adziernika 1999"])
def test_polish_dates_stay_polish(value: str) -> None:
    for seed in range(8):
        drawn = make_surrogate("date-shift", epsilon=1.0).draw(
            [Mention(value)], MemoryScope(), np.random.default_rng(seed)
        )
        day, month, *year = drawn[0].split(" ")
        assert day.isdigit() and month in MONTHS["pl"].split(" ") and len(year) == len(value.split(" ")) - 2


@pytest.mark.parametrize(
    ("value", "day", "moved"),
    [
        ("昭和29年11月3日", "1954-11-03", "平成11年3月4日"),
        ("平成30年", "2018-07-01", "平成11年"),
        ("S41.7.22", "1966-07-22", "H11.3.4"),
        ("民國52年8月9日", "1963-08-09", "民國88年3月4日"),
        ("15 شعبان 1445", "2024-02-25", "16 ذو القعدة 1419"),
    ],
)
def test_years_of_an_era_stay_in_its_calendar(value: str, day: str, moved: str) -> None:
    written = read_date(value)
    assert written is not None
    assert (str(written.day), written.with_day(written.day)) == (day, value)
    assert written.with_day(datetime.date(1999, 3, 4)) == moved


def test_an_era_does_not_show_in_the_form() -> None:
    eras = ("昭和29年11月3日", "平成2年1月5日", "令和3年10月20日")
    assert len({read.form for value in eras if (read := read_date(value))}) == 1
    assert len({read.form for value in ("S41.7.22", "R5.9.14") if (read := read_date(value))}) == 1


def test_days_of_the_islamic_calendar_are_undone() -> None:
    form = read_date("1 محرم 1400")
    assert form is not None
    for day in range(0, 60_000, 97):
        there = datetime.date(1900, 1, 1) + datetime.timedelta(days=day)
        again = read_date(form.with_day(there))
        assert again is not None and again.day == there


@pytest.mark.parametrize("value", ["S41.13.22", "31 شعبان 1445"])
def test_days_that_a_calendar_lacks_are_none(value: str) -> None:
    read = read_date(value)
    assert read is not None and read.known is Known.NOTHING


def test_a_day_before_a_slash_and_a_month_has_two_digits(rng: np.random.Generator) -> None:
    window = make_surrogate("date-window", options={"first": "2024-03-01", "last": "2024-03-09"})
    values = ["10/Oct/2024", "1/Oct/2024", "10-Oct-2024", "10 Oct 2024"]
    drawn = window.draw(list(map(Mention, values)), MemoryScope(), rng)
    assert [re.fullmatch(r"0\d([/-])Mar\1\d{4}", one) is not None for one in drawn] == [True, True, True, False]
