"""One seed gives values with the same public facts one release: births, lists of dates, ordinals, units, secrets."""

from collections.abc import Sequence

import numpy as np
import pytest
from tests.helpers.surrogates import outputs

from textveil.surrogates.drawn import Drawn
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

SAME = [
    ("date-window", "30 February 1992 and 31 February 1992", "3 March 1992 and 4 April 1992"),
    ("date-window", "30.02.92 bis 31.02.92", "01.02.92 bis 03.02.92"),
    ("date-window", "30 February '92 and 31 February '92", "3 March '92 and 4 April '92"),
    ("measurement", "1,001st", "1,004th"),
    ("measurement", "100000001st", "100000004th"),
    ("measurement", "1 Day", "5 Days"),
    ("measurement", "1 DAY", "5 DAYS"),
    ("secret", "ab\\ndQ7", "ab\\xdQ7"),
]


@pytest.mark.parametrize(("name", "first", "second"), SAME)
def test_values_of_one_form_have_one_law(name: str, first: str, second: str) -> None:
    surrogate = make_surrogate(name)
    for seed in range(20):
        assert outputs(surrogate, [first], seed) == outputs(surrogate, [second], seed)


def _born(value: str) -> Mention:
    return Mention(value, before="Patient, born ")


def _drawn(texts: Sequence[Sequence[Mention]], seed: int) -> list[list[str]]:
    surrogate, scope, rng = make_surrogate("date-shift", 1.0), MemoryScope(), np.random.default_rng(seed)
    assert isinstance(surrogate, Drawn)
    return [surrogate.of_text(mentions, ["44"])(mentions, scope, rng) for mentions in texts]


SEEN = Mention("5/6/2024")
BIRTHS = {
    "a year": lambda born: [[_born("1980" if born else "1961"), SEEN]],
    "a month": lambda born: [[_born("May 1980" if born else "June 1961"), SEEN]],
    "a decade": lambda born: [[_born("1980s" if born else "1960s"), SEEN]],
    "read by the order of an earlier text": lambda born: [
        [Mention("25/03/2024")],
        [_born("3/4/1980" if born else "7/8/1961"), SEEN],
    ],
    "beside another birth, in a later text": lambda born: [
        [_born("01/02/1980" if born else "03/04/1961"), SEEN],
        [Mention("01/02/1980" if born else "03/04/1961"), _born("06/07/1950"), SEEN],
    ],
}


@pytest.mark.parametrize("case", BIRTHS)
def test_no_date_of_birth_shows_in_any_release(case: str) -> None:
    """Each moved with the other dates, or had another birth date drawn near one that had moved."""
    for seed in range(20):
        assert _drawn(BIRTHS[case](True), seed) == _drawn(BIRTHS[case](False), seed)


@pytest.mark.parametrize(
    "before", ["DOB: ", '"dob": "', "date_of_birth=", "birthDate: '", "DOB,", "Birth year: ", "| DOB | ", "born ("]
)
def test_words_for_birth_are_seen_in_tables_and_in_code(before: str) -> None:
    for seed in range(20):
        first, second = ([[Mention(value, before), SEEN]] for value in ("01/02/1980", "03/04/1961"))
        assert _drawn(first, seed) == _drawn(second, seed)


def test_dates_behind_other_words_move() -> None:
    for before in ("reborn ", "stillborn: ", "birthplace, ", "seen "):
        first, second = (_drawn([[Mention(value, before), SEEN]], 1) for value in ("01/02/1980", "03/04/1961"))
        assert first != second
