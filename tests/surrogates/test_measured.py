"""Measurements as surrogates: names, units and formats stay, and the law of their numbers is the stated one."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.surrogates import exact_law, outputs

from textveil.errors import ParameterError
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.quantities import window
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

ALPHA = 1e-6


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("SpO2 97% RA", r"SpO2 \d\d% RA"),
        ("BP 132/84", r"BP [1-9]\d\d/[1-9]\d"),
        ("2,500 rows", r"[1-9],\d{3} rows"),
        ("7.2 mmol/L", r"\d\.\d mmol/L"),
        ("COVID-19", "COVID-19"),
        ("22nd", r"\d(1st|2nd|3rd|[04-9]th)|1[1-3]th"),
        ("three months", r"(one month|[a-z]+ months)"),
        ("1 day", r"(1 day|[02-9] days)"),
        ("SIX WEEKS", r"[A-Z]+ WEEKS?"),
        ("3.", r"3\."),
        ("1" * 30, r"\d{30}"),
    ],
)
def test_all_but_the_numbers_stays(value: str, form: str) -> None:
    drawn = {outputs(make_surrogate("measurement"), [value], seed)[0] for seed in range(60)}
    assert all(re.fullmatch(form, one) for one in drawn)
    assert len(drawn) > 5 or drawn == {value}


@pytest.mark.parametrize(
    ("value", "ranges"),
    [
        ("BP 132/84", [(100, 168), (54, 96)]), ("RR 97/50", [(92, 99), (54, 96)]), ("pulse 71", [(52, 99)]),
        ("HR 118 bpm", [(100, 124)]), ("SpO2 97% RA", [(90, 99)]), ("sats 100%", [(100, 100)]), ("RR 18", [(11, 24)]),
        ("temp 37.2", [(36, 39)]), ("Temp 101.2 F", [(100, 103)]), ("\u0427\u0421\u0421 88", [(52, 99)]),
        ("GCS 14/15", [(10, 15), (15, 15)]), ("Glasgow 7", [(3, 9)]), ("3 h", [(1, 9)]), ("0.5 h", [(0, 10)]),
        ("pulse 9", [(1, 9)]), ("length 97 cm", [(10, 99)]),
    ],
)  # fmt: skip
def test_vital_signs_lie_in_their_usual_range(value: str, ranges: list[tuple[int, int]]) -> None:
    drawn = [outputs(make_surrogate("measurement"), [value], seed)[0] for seed in range(120)]
    numbers = [[float(number) for number in re.findall(r"(?<!p)(?<!O)\d+(?:\.\d)?", one)] for one in drawn]
    for (least, most), column in zip(ranges, zip(*numbers, strict=True), strict=True):
        assert all(least <= number <= most for number in column)
        assert max(column) - min(column) > (most - least) / 2 or least == most


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["BP 132/84", "2nd", "three months"], ["BP 999/10", "3rd", "nine months"]),
        (["7.2 mg", "05 files", "1 day"], ["0.0 mg", "99 files", "4 days"]),
    ],
)
def test_at_epsilon_0_values_of_one_form_have_one_law(first: list[str], second: list[str]) -> None:
    for seed in range(30):
        assert outputs(make_surrogate("measurement"), first, seed) == outputs(
            make_surrogate("measurement"), second, seed
        )


def test_numbers_follow_the_staircase_of_their_share(rng: np.random.Generator) -> None:
    """The mutant that dies gives each of two numbers the whole epsilon."""
    surrogate = make_surrogate("measurement", 4.0)
    drawn = Counter(surrogate.draw([Mention("5/3")], MemoryScope(), rng)[0].split("/")[0] for _ in range(4_000))
    right, wrong = (
        [float(one) * 4_000 for one in window(size=10, epsilon=epsilon).probabilities(5)] for epsilon in (2.0, 4.0)
    )
    counts = [drawn[str(place)] for place in range(10)]
    assert chisquare(counts, right).pvalue > ALPHA > chisquare(counts, wrong).pvalue


def test_a_range_bounds_what_is_drawn(rng: np.random.Generator) -> None:
    surrogate = make_surrogate("measurement", 3.0, {"low": 35.0, "high": 42.0})
    drawn = {surrogate.draw([Mention("T 36.6 C")], MemoryScope(), rng)[0] for _ in range(300)}
    assert all(35 <= float(one.split()[1]) <= 42 for one in drawn) and len(drawn) > 20
    assert {surrogate.draw([Mention("T 99.9 C")], MemoryScope(), rng)[0] for _ in range(200)} <= {
        f"T {tenths / 10} C" for tenths in range(350, 421)
    }


def test_a_number_behind_the_word_for_a_section_stays(rng: np.random.Generator) -> None:
    surrogate = make_surrogate("measurement")
    assert surrogate.draw([Mention("12", before="see page ")], MemoryScope(), rng) == ["12"]
    assert {surrogate.draw([Mention("12", before="he has ")], MemoryScope(), rng)[0] for _ in range(50)} != {"12"}


@pytest.mark.parametrize("options", [{"low": 1.0}, {"high": 1.0}, {"low": 5.0, "high": 5.0}])
def test_a_range_needs_both_ends(options: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match="high must be"):
        make_surrogate("measurement", 1.0, options)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("2,000 euros (EUR)", r"[\d,]+ euros? \(EUR\)"),
        ("300 Turkish liras", r"[\d,]+ Turkish liras?"),
        ("500 rubles", r"[\d,]+ rubles?"),
        ("fifty bucks", r"[\d,]+ bucks?"),
        ("GBP 215 per month", r"GBP [\d,]+ per month"),
        ("approximately 27,000 euros", r"approximately [\d,]+ euros?"),
    ],
)
def test_amounts_keep_the_words_of_their_currency(value: str, form: str) -> None:
    for seed in range(20):
        assert re.fullmatch(form, outputs(make_surrogate("amount"), [value], seed)[0])


def test_amounts_in_words_are_read() -> None:
    for written, digits in (("two thousand five hundred dollars", "2,500 dollars"), ("fifty bucks", "50 bucks")):
        assert make_surrogate("amount").key(written) == make_surrogate("amount").key(digits)


def test_an_ordinal_of_two_digits_may_be_a_day_or_a_century() -> None:
    drawn = {
        outputs(make_surrogate("measurement"), [value], seed)[0] for seed in range(60) for value in ("15th", "99th")
    }
    assert drawn == {f"{number}{'st' if number == 21 else 'th'}" for number in range(10, 22)}


@pytest.mark.parametrize("value", ["98 m\xb2", "98 m2", "3 cm\xb3", "12 ft2"])
def test_the_power_of_a_unit_is_written_as_it_was(value: str) -> None:
    for seed in range(6):
        drawn = outputs(make_surrogate("measurement"), [value], seed)[0]
        assert drawn.split(" ")[1] == value.split(" ")[1]


@pytest.mark.parametrize("value", ["6 h 45", "12 h 05", "3h30"])
def test_minutes_behind_hours_are_below_sixty(value: str) -> None:
    """And whatever the minutes are, one law: 97 counts as the nearest."""
    drawn = [outputs(make_surrogate("measurement"), [value], seed)[0] for seed in range(60)]
    assert all(int(one[-2:]) < 60 for one in drawn) and len({one[-2:] for one in drawn}) > 20
    assert drawn == [outputs(make_surrogate("measurement"), [value[:-2] + "97"], seed)[0] for seed in range(60)]


@pytest.mark.parametrize(
    ("values", "form"),
    [
        (["three children", "twenty children"], "(two|three|four|five|six) children"),
        (["9 daughters", "1 daughters"], "[2-6] daughters"),
        (["three mills", "twenty mills"], "[a-z]+ mills"),
    ],
)
def test_children_are_a_few_whatever_their_number(values: list[str], form: str) -> None:
    laws = [exact_law(make_surrogate("measurement"), [Mention(value)], depth=2) for value in values]
    assert laws[0] == laws[1] and all(re.fullmatch(form, drawn) for (drawn,) in laws[0])
    assert len(laws[0]) == (20 if "mills" in form else 5)
