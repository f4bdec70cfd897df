"""Ages, times and amounts: formats kept, laws that depend on the value as stated and on nothing else."""

import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare, dlaplace
from tests.helpers.surrogates import outputs

from textveil.detection.quantities import CODES
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import KEEP_LIMIT
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.quantities import WORDS, window
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention, Page

ALPHA = 1e-6

SAME_FORM = [
    ("age", ["45-year-old", "7", "aged 6 months", "forty-six"], ["9-year-old", "99", "aged 1 months", "ten"]),
    ("age", ["30s", "62F", "old"], ["90s", "17 or so", "\ud800"]),
    ("time", ["14:30", "2:31 pm", "0905h", "12:00:00"], ["09:05", "11:59 am", "2358h", "23:59:59"]),
    ("time", ["noon", "25:00"], ["dawn", "x" * 99]),
    ("time", ["09:34:00+02:00", "9:34:00.125-0500", "9:34Z"], ["21:01:59-07:00", "0:00:30.999+1400", "23:59Z"]),
    ("amount", ["$1,234.50", "500 dollars", "7"], ["$0.99", "999999999 dollars", "12345"]),
    ("amount", ["5 million", "some"], ["1k", "9" * 99]),
    ("amount", ["1 dollar", "2 EUROS", "4 Cent", "30 pound"], ["70 dollars", "1 EURO", "99 Cents", "5 pounds"]),
    ("time", ["9:30:15", "09:30:15", "9:30", "09:30"], ["10:30:15", "10:30:15", "10:30", "10:30"]),
    ("time", ["9:30:15", "9:30:20", "9:30:15 am"], ["10:30:15", "11:45:15", "10:30:15 am"]),
]


@pytest.mark.parametrize(("name", "first", "second"), SAME_FORM)
def test_at_epsilon_0_values_of_one_form_have_one_law(name: str, first: list[str], second: list[str]) -> None:
    for seed in range(30):
        assert outputs(make_surrogate(name), first, seed) == outputs(make_surrogate(name), second, seed)


@pytest.mark.parametrize(
    ("name", "values"), [("age", ["62F", "x"]), ("time", ["noon", "26:00"]), ("amount", ["a", "b"])]
)
def test_what_cannot_be_read_has_one_law_at_every_epsilon(name: str, values: list[str]) -> None:
    surrogate = make_surrogate(name, 5.0)
    drawn = [{outputs(surrogate, [value], seed)[0] for seed in range(60)} for value in values]
    assert drawn[0] == drawn[1] and len(drawn[0]) > 10


def _counted(surrogate_name: str, epsilon: float, value: str, options: dict, rng: np.random.Generator) -> Counter[str]:
    surrogate = make_surrogate(surrogate_name, epsilon, options)
    return Counter(surrogate.draw([Mention(value)], MemoryScope(), rng)[0] for _ in range(4_000))


def test_ages_follow_the_staircase(rng: np.random.Generator) -> None:
    """The mutant that dies reads an age one year too high."""
    options = {"lowest": 20, "highest": 29, "width": 3}
    for value, place in (("25", 5), ("3", 0), ("111", 9)):
        found = _counted("age", 2.0, value, options, rng)
        counts = [found[str(age)] for age in range(20, 30)]
        laws = [window(size=10, epsilon=2.0, width=3).probabilities(other) for other in (place, abs(place - 3))]
        right, wrong = ([float(one) * 4_000 for one in law] for law in laws)
        assert chisquare(counts, right).pvalue > ALPHA
        assert chisquare(counts, wrong).pvalue < ALPHA


def test_laplace_ages_are_clamped_noise(rng: np.random.Generator) -> None:
    found = _counted("age", 2.0, "4", {"lowest": 0, "highest": 8, "law": "laplace"}, rng)
    law = dlaplace(2.0 / 8, loc=4)
    expected = [law.cdf(0), *(law.pmf(age) for age in range(1, 8)), law.sf(7)]
    assert chisquare([found[str(age)] for age in range(9)], [one * 4_000 for one in expected]).pvalue > ALPHA


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("45-year-old", r"\d+-year-old"),
        ("45 years old", r"(1 year|\d+ years) old"),
        ("1 yr", r"(1 yr|\d+ yrs)"),
        ("45yo", r"\d+yo"),
        ("40s", r"\d?0s"),
        ("Forty-five", r"[A-Z][a-z]+(-[a-z]+)?"),
        ("Aged 6 months", r"Aged (1 month|\d+ months)"),
    ],
)
def test_ages_keep_their_format(value: str, form: str) -> None:
    for seed in range(20):
        assert re.fullmatch(form, outputs(make_surrogate("age"), [value], seed)[0])


def test_high_ages_are_one_group_where_it_is_asked_for() -> None:
    surrogate = make_surrogate("age", 0.0, {"highest": 99, "top_code": 90})
    drawn = {outputs(surrogate, ["45-year-old"], seed)[0] for seed in range(200)}
    ages = {one.removesuffix("-year-old") for one in drawn}
    assert "90+" in ages and all(int(one) < 90 for one in ages - {"90+"})
    assert len(WORDS) == 100 and WORDS[45] == "forty-five" and WORDS[90] == "ninety"


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ("14:30", r"[012]\d:[0-5]\d"),
        ("9:05", r"[012]\d:[0-5]\d"),
        ("2:30 pm", r"[1-9]\d?:[0-5]\d [ap]m"),
        ("2 P.M.", r"[1-9]\d? [AP]\.M\."),
        ("09:05:33", r"[012]\d:[0-5]\d:[0-5]\d"),
        ("1430 hrs", r"[012]\d[0-5]\d hrs"),
    ],
)
def test_times_keep_their_format(value: str, form: str) -> None:
    for seed in range(20):
        assert re.fullmatch(form, outputs(make_surrogate("time"), [value], seed)[0])


def test_times_of_a_sharp_staircase_are_the_true_ones_in_any_format() -> None:
    """At epsilon 40 with a width of one minute a draw is almost surely the value: then reading and writing agree."""
    surrogate = make_surrogate("time", 30.0, {"width": 1})
    same = ["14:30", "2:30 pm", "12:00 am", "00:00", "12:59 PM", "2359h", "11 a.m."]
    assert outputs(surrogate, same, 1) == same
    ages = ["45", "45-year-old", "ninety-nine", "1 year old", "6 weeks", "30s"]
    assert outputs(make_surrogate("age", 30.0, {"width": 1, "highest": 99}), ages, 1) == ages
    assert outputs(surrogate, ["12 am", "9:07"], 1) == ["12 am", "09:07"]


@pytest.mark.parametrize(
    ("value", "amount", "options"),
    [
        ("$1,234.50", 1234.5, {}),
        ("1.234,50 EUR", 1234.5, {}),
        ("\u20ac3.5 million", 3.5e6, {}),
        ("5k", 5_000, {}),
        ("1.234", 1234, {"decimal": ","}),
        ("12,345,678", 12_345_678, {}),
        ("2 thousand dollars", 2_000, {}),
        ("250 %", 250, {}),
    ],
)
def test_amounts_are_read_and_written(value: str, amount: float, options: dict) -> None:
    surrogate = make_surrogate("amount", 30.0, {"high": 1e9, "scale": 0.01, "width": 1, **options})
    (drawn,) = outputs(surrogate, [value], 3)
    found = re.search("[0-9][0-9.,]*[0-9]", drawn)
    assert found
    shown = found[0].translate(str.maketrans(",.", ".,")) if re.search(r",[0-9]{2}\b", value) or options else found[0]
    assert float(shown.replace(",", "")) == pytest.approx(amount, rel=0.012)
    assert re.sub("[0-9.,]", "", drawn) == re.sub("[0-9.,]| ?million| ?thousand|k", "", value)


@pytest.mark.parametrize(
    ("value", "language", "form"),
    [
        ("98,50 EUR", "", r"[0-9.]+,[0-9]{2} EUR"),
        ("1 450,50 €", "fr", r"[0-9 ]+,[0-9]{2} €"),
        ("€ 3.400", "it", r"€ [0-9.]+"),
        ("£1,150", "en", r"£[0-9,]+"),
        ("$98.50", "de", r"\$[0-9,]+\.[0-9]{2}"),
    ],
)
def test_amounts_are_written_as_their_language_does(value: str, language: str, form: str) -> None:
    surrogate = make_surrogate("amount", 0.0, {"low": 1.0, "high": 1e5})
    for seed in range(20):
        scope, rng = MemoryScope(), np.random.default_rng(seed)
        (drawn,) = surrogate.draw([Mention(value, page=Page(language))], scope, rng)
        assert re.fullmatch(form, drawn)


def test_every_currency_that_is_found_stays_with_its_amount() -> None:
    surrogate = make_surrogate("amount", 30.0, {"high": 1e9, "scale": 0.01, "width": 1})
    for code in CODES.split("|"):
        before, after = outputs(surrogate, [f"{code} 1,200", f"1,200 {code}"], 3)
        assert before.startswith(f"{code} ") and after.endswith(f" {code}")


def test_amounts_follow_the_staircase_of_their_cell(rng: np.random.Generator) -> None:
    """Cells of a factor of two; the mutant that dies is one cell off."""
    found = _counted("amount", 1.0, "70", {"low": 16, "high": 1024, "scale": 1.0, "width": 1}, rng)
    cells = Counter(min(int(np.log2(max(float(one.replace(",", "")), 16) / 16)), 5) for one in found.elements())
    counts = np.array([cells[cell] for cell in range(6)])
    right, wrong = (np.array(window(size=6, epsilon=1.0, width=1).probabilities(cell), float) for cell in (2, 3))
    assert chisquare(counts.tolist(), (right * 4_000).tolist()).pvalue > ALPHA
    assert chisquare(counts.tolist(), (wrong * 4_000).tolist()).pvalue < ALPHA


def test_equal_quantities_agree_in_any_format(rng: np.random.Generator) -> None:
    for name, values in (("age", ["45", "45-year-old", "Forty-five"]), ("time", ["14:30", "2:30 pm"])):
        drawn = make_surrogate(name, 1.0).draw([Mention(value) for value in values], MemoryScope(), rng)
        assert len({re.sub("-year-old", "", one) for one in drawn[:2]}) == 1 or name == "time"
        if name == "age":
            assert WORDS[int(drawn[0])] == drawn[2].lower()
        else:
            hour, minute = map(int, drawn[0].split(":"))
            assert drawn[1] == f"{(hour - 1) % 12 + 1}:{minute:02d} {'ap'[hour >= 12]}m"


def test_times_with_seconds_agree_as_they_are_read() -> None:
    """The second of a minute tells times apart as much as its hour does."""
    for seed in range(20):
        one, other, late, third = outputs(
            make_surrogate("time"), ["9:30:15", "09:30:15", "9:30:20", "09:30:15 am"], seed
        )
        assert one == other != late
        assert int(one[:2]) % 12 == int(third.split(":")[0]) % 12 and one[2:] == third.split(" ")[0][-6:]
    minutes = {tuple(one[:5] for one in outputs(make_surrogate("time"), ["9:30:15", "9:30:20"], s)) for s in range(20)}
    assert any(one != other for one, other in minutes)


@pytest.mark.parametrize("unit", ["dollar", "cent", "euro", "pound", "franc", "rupee"])
def test_the_plural_of_a_unit_follows_the_drawn_number(unit: str) -> None:
    surrogate = make_surrogate("amount", options={"high": 4.0})
    for value in (f"1 {unit}", f"3 {unit}s", f"3 {unit}"):
        drawn = {outputs(surrogate, [value], seed)[0] for seed in range(60)}
        assert drawn == {f"1 {unit}", *(f"{number} {unit}s" for number in (2, 3, 4))}
    assert outputs(surrogate, ["3 percent"], 1)[0].endswith(" percent")


@pytest.mark.parametrize(("low", "high"), [(1e-300, 1.0), (1e-300, 1e300), (1e300, 1.7e308), (1.0, 1e6)])
def test_no_amount_is_beyond_what_can_be_drawn(low: float, high: float) -> None:
    values = ["9" * 79, "$" + "9" * 400, "0", "0.00", "5 trillion", "9" * 60 + " trillion", "-1"]
    for epsilon in (0.0, 1.0):
        drawn = outputs(make_surrogate("amount", epsilon, {"low": low, "high": high, "scale": 1.0}), values, 1)
        assert all(re.search("[0-9]", one) for one in drawn)


def test_options_that_do_not_go_together_are_refused() -> None:
    for name, epsilon, options, said in (
        ("age", 0.0, {"highest": 10, "lowest": 10}, "highest must be above lowest, 10; got 10"),
        ("age", 0.0, {"law": "laplace"}, "epsilon must be > 0 with law laplace; got 0"),
        ("age", 0.0, {"width": 5}, "epsilon must be > 0 with `width`; got 0"),
        ("time", 0.0, {"width": 5}, "epsilon must be > 0 with `width`; got 0"),
        ("amount", 0.0, {"width": 5}, "epsilon must be > 0 with `width`; got 0"),
        ("digits", 0.0, {"digit_keep_limit": 0.9}, "epsilon must be > 0 with `digit_keep_limit`; got 0"),
        ("age", 1.0, {"width": 200}, "width must be no more than the range; got 200"),
        ("time", 1.0, {"width": 2_000}, "width must be at most 1440 minutes; got 2000"),
        ("amount", 1.0, {"low": 5.0, "high": 5.0}, "high must be finite and at least two cells above low; got 5"),
        ("amount", 1.0, {"scale": 0.001, "low": 1e-300, "high": 1e300}, "scale must be large enough"),
    ):
        with pytest.raises(ParameterError, match=said):
            make_surrogate(name, epsilon, options)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [("age", "law", "staircase"), ("digits", "digit_keep_limit", KEEP_LIMIT)],
)
def test_what_has_no_effect_at_epsilon_0_is_no_parameter_there(name: str, option: str, value: object) -> None:
    assert option not in make_surrogate(name).parameters
    assert make_surrogate(name, 1.0).parameters[option] == value


def test_children_stay_children_where_the_group_is_kept(rng: np.random.Generator) -> None:
    """Exactly a staircase of each group: the mutant that dies has one for both."""
    options = {"group": "kept", "highest": 27, "width": 3}
    for value, least, size, place in (("17", 0, 18, 17), ("three", 0, 18, 3), ("18", 18, 10, 0), ("111", 18, 10, 9)):
        found = _counted("age", 2.0, value, options, rng)
        law = window(size=size, epsilon=2.0, width=3).probabilities(place)
        assert sum(found.values()) == 4_000
        words = [WORDS[age] if value == "three" else str(age) for age in range(least, least + size)]
        assert set(found) <= set(words)
        assert chisquare([found[word] for word in words], [float(one) * 4_000 for one in law]).pvalue > ALPHA
    assert "whether it is below 18 years" in make_surrogate("age", 2.0, {"group": "kept"}).public
    assert "whether it is below 18 years" not in make_surrogate("age", 2.0).public


def test_no_age_above_89_is_drawn_unless_it_is_asked_for() -> None:
    for options in ({}, {"group": "kept"}):
        surrogate = make_surrogate("age", 0.0, options)
        drawn = {outputs(surrogate, [value], seed)[0] for value in ("3", "97") for seed in range(300)}
        assert max(map(int, drawn)) == 89


@pytest.mark.parametrize(
    ("value", "last"), [("6 weeks", 52), ("3-month", 24), ("18 mo", 24), ("eighteen-month", 24), ("5 day", 30)]
)
def test_ages_of_small_children_keep_their_unit(value: str, last: int) -> None:
    for seed in range(60):
        drawn = outputs(make_surrogate("age", 1.0), [value], seed)[0]
        found = re.fullmatch(r"([a-z]+(?:-(?!month)[a-z]+)?|\d+)([ -](?:week|month|mo|day)s?)", drawn)
        assert found is not None
        assert 1 <= (int(found[1]) if found[1].isdigit() else WORDS.index(found[1])) <= last


def test_parts_of_a_year_are_not_written() -> None:
    same = [outputs(make_surrogate("age", 1.0), [value], 3)[0] for value in ("6", "6.5", "6 1/2")]
    assert len(set(same)) == 1


@pytest.mark.parametrize(("language", "ending"), [("it", "euro"), ("de", "Euro"), ("en", "euros"), ("fr", "euros")])
def test_units_of_money_have_the_plural_of_the_page(language: str, ending: str) -> None:
    mention = Mention(f"350 {ending}", page=Page(language))
    for seed in range(5):
        drawn = make_surrogate("amount").draw([mention], MemoryScope(), np.random.default_rng(seed))[0]
        assert drawn.endswith(f" {ending}") or drawn == "1 euro"


def test_an_age_goes_with_the_article_before_it() -> None:
    """At epsilon 0 all such ages are equally probable, whatever the age is; above it none is outside the row."""
    an = {8, 11, 18, *range(80, 90)}
    for options in ({}, {"group": "kept"}):
        for epsilon in (0.0, 2.0):
            age = make_surrogate("age", epsilon, options)
            for before, value in (
                ("is an ", "8-year-old"),
                ("is a ", "8-year-old"),
                ("An ", "83 year old"),
                ("a ", "45"),
            ):
                mention = [Mention(value, before, page=Page("en"))]
                drawn = {age.draw(mention, MemoryScope(), np.random.default_rng(seed))[0] for seed in range(40)}
                ages = {int(re.split("[- ]", one)[0]) for one in drawn}
                assert ages <= an if before.strip().endswith("n") else ages.isdisjoint(an)
    laws = [
        [
            make_surrogate("age").draw(
                [Mention(value, "an ", page=Page("en"))], MemoryScope(), np.random.default_rng(seed)
            )
            for seed in range(30)
        ]
        for value in ("81", "18", "11")
    ]
    assert laws[0] == laws[1] == laws[2]
