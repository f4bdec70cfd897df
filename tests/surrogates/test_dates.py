"""Dates: read and written in their form, moved together by an exact law, or drawn in a window."""

import datetime
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, dlaplace
from tests.helpers.surrogates import outputs

from textveil.errors import ParameterError
from textveil.privacy.units import Unit
from textveil.surrogates import dates
from textveil.surrogates.calendars import Known, read_date
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention

ALPHA = 1e-6

DAY = datetime.date(2024, 3, 4)
FORMS = [
    *(("2024-03-04", "2025-12-31"), ("03/04/2024", "12/31/2025"), ("3/4/2024", "12/31/2025"), ("3/4/24", "12/31/25")),
    *(
        ("March 4, 2024", "December 31, 2025"),
        ("MARCH 4th", "DECEMBER 31st"),
        ("4th of March 2024", "31st of December 2025"),
    ),
    *(("04-Mar-2024", "31-Dec-2025"), ("Mon, Mar. 4, 2024", "Wed, Dec 31, 2025"), ("20240304", "20251231")),
    *(("Mar. 4, 2024", "December 31, 2025"), ("May 4, 2024", "December 31, 2025"), ("4/Mar/2024", "31/Dec/2025")),
    *(("4.3.2024", "31.12.2025"), ("monday", "wednesday"), ("March 4 '24", "December 31 '25")),
]


@pytest.mark.parametrize(("written", "other"), FORMS)
def test_a_date_keeps_its_form(written: str, other: str) -> None:
    read = read_date(written)
    assert read is not None
    assert read.with_day(datetime.date(2025, 12, 31)) == other
    if read.known in (Known.DATE, Known.ANNIVERSARY):
        assert (read.day.month, read.day.day) == (5 if "May" in written else 3, 4)
    if read.known is Known.DATE:
        assert read.day.year == 2024


@pytest.mark.parametrize(
    ("written", "known", "other"),
    [
        ("March 2024", Known.MONTH, "December 2025"),
        ("03/2024", Known.MONTH, "12/2025"),
        ("Mar. '24", Known.MONTH, "December '25"),
        ("2024", Known.YEAR, "2025"),
        ("3/4", Known.ANNIVERSARY, "12/31"),
        ("Tues", Known.WEEKDAY, "Wed"),
    ],
)
def test_partial_dates_keep_what_they_have(written: str, known: Known, other: str) -> None:
    read = read_date(written)
    assert read is not None and read.known is known
    assert read.with_day(datetime.date(2025, 12, 31)) == other


def test_order_and_language_are_settings() -> None:
    american, european = (read_date("3/4/2024", day_first=first) for first in (False, True))
    assert american and european
    assert (american.day.month, european.day.month) == (3, 4)
    turned = read_date("25/12/2024")
    assert turned and turned.day == datetime.date(2024, 12, 25) and turned.with_day(DAY) == "03/04/2024"
    german = read_date("Montag, 4. M\u00e4rz 2024", language="de")
    assert german and german.with_day(datetime.date(2025, 12, 31)) == "Mittwoch, 31. Dezember 2025"
    assert read_date("4. M\u00e4rz 2024") is None
    old = read_date("1/2/49"), read_date("1/2/50")
    assert [one and one.day.year for one in old] == [2049, 1950]


@pytest.mark.parametrize(
    "value", ["", "yesterday", "1/2/3/4", "March March", "12", "x" * 99, "- " * 30 + "2024-02-03", "monday feira"]
)
def test_what_has_not_the_pieces_of_a_date_is_not_read(value: str) -> None:
    assert read_date(value) is None


@pytest.mark.parametrize("value", ["2023-02-29", "30/30/2024", "99-03-04", "Feb 30", "00/2024", "20241301"])
def test_what_the_calendar_has_not_has_a_form(value: str) -> None:
    read = read_date(value)
    assert read is not None and read.known is Known.NOTHING
    again = read_date(read.with_day(DAY))
    assert again is not None and again.known is not Known.NOTHING


DATES = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))


@given(DATES, st.integers(-4_000_000, 4_000_000), st.integers(-400, 400), st.sampled_from([form for form, _ in FORMS]))
def test_moving_is_an_action_of_the_integers(day: datetime.date, first: int, second: int, form: str) -> None:
    """What the proof asks: to move by t and then by z is to move by t + z, up to the ends of the calendar."""
    model = read_date(form)
    assert model is not None
    there = model._replace(day=model._replace(day=day).moved(first))
    together, apart = model._replace(day=day).moved(first + second), there.moved(second)
    ends = {datetime.date.min, datetime.date.max}
    assert together == apart or {there.day, together, apart} & ends
    assert re.fullmatch(r"[\w ,./'-]+", model.with_day(apart))


def test_the_shift_is_two_sided_geometric(rng: np.random.Generator) -> None:
    """The mutant that dies moves all dates one day on."""
    surrogate = make_surrogate("date-shift", 2.0, {"days": 6})
    found: Counter[int] = Counter()
    for _ in range(3_000):
        (drawn,) = surrogate.draw([Mention("2024-03-04")], MemoryScope(), rng)
        found[min(max((datetime.date.fromisoformat(drawn) - DAY).days, -8), 8)] += 1
    law = dlaplace(2.0 / 6)
    expected = [law.cdf(-8), *(law.pmf(days) for days in range(-7, 8)), law.sf(7)]
    counts = [found[days] for days in range(-8, 9)]
    assert chisquare(counts, [one * 3_000 for one in expected]).pvalue > ALPHA
    assert chisquare([*counts[1:], counts[0]], [one * 3_000 for one in expected]).pvalue < ALPHA


@pytest.mark.parametrize("scope", [MemoryScope(), KeyedScope(b"k" * 32)])
def test_all_dates_of_a_scope_move_together(scope: MemoryScope | KeyedScope, rng: np.random.Generator) -> None:
    surrogate = make_surrogate("date-shift", 1.0)
    texts = [["2024-02-29", "March 1, 2024"], ["12/31/1999", "soon", "2024-02-29"]]
    drawn = [surrogate.draw([Mention(value) for value in values], scope, rng) for values in texts]
    first, other = (datetime.date.fromisoformat(drawn[text][place]) for text, place in ((0, 0), (1, 2)))
    assert first == other
    read = read_date(drawn[0][1])
    assert read and (read.day - first).days == 1
    assert (first - datetime.datetime.strptime(drawn[1][0], "%m/%d/%Y").date()).days == 8826


def test_the_guarantee_says_what_is_moved() -> None:
    surrogate = make_surrogate("date-shift", 0.5, {"days": 30})
    assert surrogate.counts == "scope"
    adjacency = surrogate.guarantee.adjacency
    assert adjacency.unit is Unit.SPAN and adjacency.larger is None
    assert "differ by the same number of days, 30 at most" in adjacency.text
    assert make_surrogate("date-window").guarantee.epsilon == 0


def test_moved_dates_end_where_the_calendar_ends() -> None:
    read = read_date("2024-03-04")
    assert (
        read
        and read.with_day(read.moved(10**9)) == "9999-12-31"
        and read.with_day(read.moved(-(10**9))) == "0001-01-01"
    )
    tiny = outputs(make_surrogate("date-shift", 1e-300), ["2024-03-04", "Monday", "3/4"], 1)
    assert tiny[0] in ("9999-12-31", "0001-01-01")


def test_dates_without_a_year_go_round_a_leap_year() -> None:
    last, short = read_date("12/31"), read_date("2/28")
    assert last and short
    assert [last.with_day(last.moved(days)) for days in (1, 366, -366, 60)] == ["01/01", "12/31", "12/31", "02/29"]
    assert short.with_day(short.moved(1)) == "02/29"
    thirteenth = read_date("13/12/2024")
    assert thirteenth and thirteenth.day == datetime.date(2024, 12, 13)


def test_a_window_has_one_law_for_all_dates_of_one_form(rng: np.random.Generator) -> None:
    surrogate = make_surrogate("date-window")
    first = ["2024-03-04", "3/5/24", "March 2024", "Mar 4", "Monday", "soon"]
    second = ["1951-12-31", "12/31/99", "April 1999", "Dec 31", "Sunday", "\ud800"]
    for seed in range(20):
        assert outputs(surrogate, first, seed) == outputs(surrogate, second, seed)
    few = make_surrogate("date-window", options={"first": "2024-02-28", "last": datetime.date(2024, 3, 1)})
    found = Counter(few.draw([Mention("2024-02-29")], MemoryScope(), rng)[0] for _ in range(3_000))
    assert set(found) == {"2024-02-28", "2024-02-29", "2024-03-01"}
    assert chisquare(list(found.values())).pvalue > ALPHA
    assert Fraction(few.guarantee.epsilon) == 0


def test_windows_and_settings_that_are_none_are_refused() -> None:
    for name, epsilon, options, said in (
        ("date-window", 0.0, {"first": "2024-13-01"}, "first must be a day, as 2024-03-31; got 2024-13-01"),
        ("date-window", 0.0, {"first": 3}, "first must be a day, as 2024-03-31; got int"),
        ("date-window", 0.0, {"first": "2024-01-01", "last": "2024-01-01"}, "last must be after first, 2024-01-01"),
        ("date-shift", 0.0, {}, "epsilon must be finite and > 0; got 0"),
        ("date-shift", 1.0, {"days": 0}, "days must be an integer >= 1; got 0"),
        ("date-shift", 1.0, {"language": "xx"}, "language must be one of document, en, de"),
    ):
        with pytest.raises(ParameterError, match=said):
            make_surrogate(name, epsilon, options)


def test_dates_of_a_text_are_read_once_each_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    days = [f"2021-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    mentions = [Mention(day, before="born on ") for day in days]
    surrogate_of = make_surrogate("date-window", options={"births": "apart"}).of_mentions(mentions, ())
    keyed = []
    own = dates._key_of
    monkeypatch.setattr(dates, "_key_of", lambda *given: keyed.append(given) or own(*given))
    scope, rng = MemoryScope(), np.random.default_rng(0)
    for day in days:
        surrogate_of(day, scope, rng)
    assert len(keyed) <= 4 * len(days)
