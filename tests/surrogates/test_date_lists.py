"""Lists and ranges of dates: one value, read date by date, written anew with what the new dates share."""

import datetime
import re
from collections.abc import Sequence

import numpy as np
import pytest
from tests.helpers.surrogates import outputs

from textveil.detection.embedded import embedded_detector
from textveil.surrogates import dates
from textveil.surrogates.date_lists import read_dates
from textveil.surrogates.making import make_surrogate


def moved(values: Sequence[str], days: int, monkeypatch: pytest.MonkeyPatch, **options: str) -> list[str]:
    """What a text of these dates becomes where the number of days is given."""
    monkeypatch.setattr(dates, "discrete_laplace", lambda scale, source: days)
    return outputs(make_surrogate("date-shift", 1.0, options), values, 0)


MOVED = [
    ("29 and 30 June 1992", 1, "30 June and 1 July 1992"),
    ("30 June and 1 July 1992", -1, "29 and 30 June 1992"),
    ("3-5 May 2021", 28, "31 May-2 June 2021"),
    ("3rd to 5th May 2021", -2, "1st to 3rd May 2021"),
    ("March 3-5, 2021", 28, "March 31-April 2, 2021"),
    ("March 3, 4 and 5", 1, "March 4, 5 and 6"),
    ("between 20 December and 5 January 2005", -5, "between 15 and 31 December 2004"),
    ("16 January, 20 March and 8 September 2003", 365, "16 January, 19 March and 7 September 2004"),
    ("10 May, on 7 July and on 26 September 1994", 1, "11 May, on 8 July and on 27 September 1994"),
    ("13 March 2006 and 4 June 2007", 300, "7 January 2007 and 30 March 2008"),
    ("13 March 2006 and 4 June 2006", 1, "14 March 2006 and 5 June 2006"),
    ("July and December 1995", 30, "August 1995 and January 1996"),
    ("1994, 1995 and 1997", 365, "1995, 1996 and 1998"),
    ("1998-2003", -365, "1997-2002"),
    ("02.01. bis 09.01.2024", -5, "28.12.2023 bis 04.01.2024"),
    ("2.-4.1.2024", 1, "03.01.-05.01.2024"),
    ("02.01. bis zum 09.01.2024", -5, "28.12.2023 bis zum 04.01.2024"),
    ("3. bis 5. Mai 2020", 27, "30. Mai bis 1. Juni 2020"),
    ("3 al 5 de mayo de 2020", 27, "30 de mayo al 1 de junio de 2020"),
    ("3 et 5 juillet", 1, "4 et 6 juillet"),
    ("Q4 2021", 60, "Q1 2022"),
    ("1990s", 3653, "2000s"),
    ("'90s", 3653, "'00s"),
    ("1/2 - 25/2/2024", 1, "02/02 - 26/02/2024"),
]


@pytest.mark.parametrize(("written", "days", "other"), MOVED)
def test_a_list_moves_date_by_date(written: str, days: int, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert moved([written], days, monkeypatch) == [other]


@pytest.mark.parametrize("forms", [("{0} and {1}", 1), ("{0} to {1}", 40), ("between {0} and {1}", 366)])
def test_a_list_moved_by_t_and_then_by_z_is_moved_by_both(
    forms: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss of lists is that of the draw alone: which dates share a month is no part of the form."""
    form, apart = forms
    first = datetime.date(2022, 12, 20)

    def written(day: datetime.date) -> str:
        then = day + datetime.timedelta(days=apart)
        left = f"{day.day}"
        if (day.year, day.month) != (then.year, then.month):
            left += f" {day:%B}"
        if day.year != then.year:
            left += f" {day.year}"
        return form.format(left, f"{then.day} {then:%B} {then.year}")

    for t in (0, 1, 5, 11, 12, 31, 59, 400):
        for z in (-30, 0, 3, 60):
            here = written(first + datetime.timedelta(days=t))
            there = written(first + datetime.timedelta(days=t + z))
            if here.count("20") == there.count("20"):
                assert moved([here], z, monkeypatch) == [there]


@pytest.mark.parametrize("value", ["", "3 and", "and 5 May", "3 and 5", "5 May, 7 bananas", "1994 and 3 May", "-" * 99])
def test_what_is_no_list_is_not_read(value: str) -> None:
    assert read_dates(value) is None


def test_a_list_with_a_day_that_the_calendar_has_not_has_a_form(rng: np.random.Generator) -> None:
    (drawn,) = outputs(make_surrogate("date-shift", 1.0), ["28 and 30 February 2023"], 1)
    assert read_dates(drawn) is not None


@pytest.mark.parametrize("within", [None, 40])
def test_a_window_draws_lists_alike_and_in_order(within: int | None) -> None:
    """At epsilon 0: the same draws for any dates of one form, and a range that does not end before it begins."""
    options = {} if within is None else {"within": within}
    surrogate = make_surrogate("date-window", options=options)
    for seed in range(30):
        first = outputs(surrogate, ["3 and 5 May 2021", "1998-2003"], seed)
        assert first == outputs(surrogate, ["31 August and 2 September 1977", "2001-2002"], seed)
        begin, end = first[1].split("-")
        assert begin <= end


def test_each_list_that_is_found_can_be_read() -> None:
    """A list that is found but not read would be released as one date, in another form than it had."""
    for written, _, _ in MOVED:
        text = f"Seen {written}."
        found = [text[span.start : span.end] for span in embedded_detector().detect([text])[0]]
        assert found == [written]


@pytest.mark.parametrize(
    ("values", "language", "form"),
    [
        (["deux mars", "dix-sept avril", "trente-et-un mai"], "fr", r"\d{1,2} [a-z\xe0-\xff]+"),
        (["twenty-second of August", "first of May"], "en", r"\d{1,2}(st|nd|rd|th) of [A-Z][a-z]+"),
        (["March third", "July twenty ninth", "May the fourth"], "en", r"[A-Z][a-z]+ \d{1,2}"),
        (["veintid\xf3s de mayo", "treinta y uno de julio"], "es", r"\d{1,2} de [a-z]+"),
        (["zweiten M\xe4rz", "einunddrei\xdfigsten Mai"], "de", r"\d{1,2}\. [A-Z][a-z\xe4]+"),
        (["twee\xebntwintig mei", "drie juni"], "nl", r"\d{1,2} [a-z]+"),
    ],
)
def test_a_day_in_words_is_one_in_digits_and_gains_no_year(values: list[str], language: str, form: str) -> None:
    surrogate = make_surrogate("date-window", options={"language": language, "births": "with-others"})
    drawn = [{outputs(surrogate, [value], seed)[0] for seed in range(20)} for value in values]
    assert all(one == drawn[0] for one in drawn) and len(drawn[0]) > 10
    assert all(re.fullmatch(form, one) for one in drawn[0])
