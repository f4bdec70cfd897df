"""Amounts of one text: totals add up whatever they were, and released words choose a size; at epsilon 0."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Literal

import pytest
from tests.helpers.policies import Finds, small_policy, surrogate

from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer

AMOUNT = r"-?[£€$][0-9][0-9.,]*[0-9](?: [0-9]{3})?|-?[£€$][0-9]|-?[0-9][0-9.,]*(?: [0-9]{3})*(?:,[0-9]{2})? €"


def released(text: str, seed: int, scope: Literal["document", "mention"] = "document") -> str:
    policy = small_policy(surrogate("money", "amount"), detectors=(Finds(AMOUNT, "money"),), scope=scope)
    return Sanitizer(policy, rng=seeded_generator(seed))(text).text


def amounts(text: str) -> list[Decimal]:
    """The amounts of a page with full stops before cents."""
    return [Decimal(re.sub("[^0-9.-]", "", one)) for one in re.findall(AMOUNT, text)]


INVOICE = (
    "| Item  | Unit    | Total   |\n| Door  | {}  | {}  |\n| Shelf | {} | {} |\n\n"
    "Subtotal {}\nVAT {}\nTotal {}\n\nTotal {}. Deposit paid {}.\n"
)
TRUE = ("£640.00", "£1,280.00", "£45.00", "£270.00", "£1,550.00", "£310.00", "£1,860.00", "£1,860.00", "£500.00")
WRONG = (*TRUE[:4], "£99.00", "£7.10", "£12,345.67", "£12,345.67", "£3.20")


def test_subtotals_and_totals_are_sums_of_what_stands_above_them() -> None:
    for seed in range(20):
        _, door, _, shelf, subtotal, tax, total, again, _ = amounts(released(INVOICE.format(*TRUE), seed))
        assert (subtotal, total, again) == (door + shelf, subtotal + tax, total)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "4 sandalye £900.00 x 4 = £5.00\nmasa £7.00\nAra toplam £8.00\nKDV %20 £2.00\nGenel toplam £9.00\n",
            "unit rows more sub tax all",
        ),
        (
            "3 tortelli a £12.00   £36.00\n1 vino £6.00\nTotale £85.00\ndi cui IVA 10% £7.73\n",
            "unit rows more all held",
        ),
    ],
)
def test_totals_of_other_languages_hold_their_taxes(text: str, parts: str) -> None:
    for seed in range(10):
        own = dict(zip(parts.split(), amounts(released(text, seed)), strict=True))
        whole = own["rows"] + own["more"]
        assert own["rows"] == own["unit"] * (4 if "sub" in own else 3)
        if "sub" in own:
            assert own["sub"] == whole and own["all"] == whole + own["tax"]
            assert abs(own["tax"] - whole / 5) <= Decimal("0.005")
        else:
            assert own["all"] == whole and abs(own["held"] - whole / 11) <= Decimal("0.005")


COLUMNS = """Qty  Item                       Unit price   Amount
{}    Oak door, hung             £340.00      {}
3    hours at £42.00                         {}
                                Subtotal     {}
                                Total        {}
"""


def test_columns_with_wide_gaps_add_up_and_a_row_may_begin_with_its_number() -> None:
    for seed in range(10):
        page = released(COLUMNS.format(2, "£680.00", "£126.00", "£806.00", "£806.00"), seed)
        assert page == released(COLUMNS.format(2, "£1.00", "£2.00", "£7.00", "£7.00"), seed)
        unit, door, hour, hours, subtotal, total = amounts(page)
        assert (door, hours, subtotal, total) == (2 * unit, 3 * hour, door + hours, door + hours)
    unit, amount, *_ = amounts(released(COLUMNS.format("x", "£680.00", "£126.00", "£806.00", "£806.00"), 1))
    assert amount != 2 * unit


def test_the_head_of_a_column_tells_the_size_of_its_amounts() -> None:
    for seed in range(10):
        page = released("| Who | Team | Salary | Tip |\n|---|---|---|---|\n| Bo | A | £84,000 | £9 |\n", seed)
        assert 18_000 <= amounts(page)[0] <= 120_000
    assert (
        min(amounts(released("| Who | Team | Pot |\n|---|---|---|\n| Bo | A | £84,000 |\n", s))[0] for s in range(20))
        < 18_000
    )


def test_an_amount_with_cents_is_none_of_a_million() -> None:
    most = max(amounts(released("Bread was £3.20 then", seed))[0] for seed in range(60))
    assert 100 < most < 2_000
    assert max(amounts(released("Bread was £3 then", seed))[0] for seed in range(60)) > 2_000


def test_whether_the_text_adds_up_shows_nowhere() -> None:
    for seed in range(20):
        assert released(INVOICE.format(*TRUE), seed) == released(INVOICE.format(*WRONG), seed)


SUMS = [
    ("Rent: £900\nFood: £300\nRefund: -£50\nTotal: £1,150\n", (1, 1, -1)),
    ("Miete 900,00 €\nStrom 80,00 €\nGesamtbetrag: 980,00 €\n", (1, 1)),
    ("Loyer 900,00 €\nCharges 80,00 €\nTotal TTC : 980,00 €\n", (1, 1)),
    ("Czynsz £900.10\nPrąd £80.05\nRazem £980.15\n", (1, 1)),
    ("Old £5.00\nOther £6.00\nTotal £11.00\n\nNew £7.00\nMore £8.00\nTotal £15.00\n", (0, 0, 0, 1, 1)),
]


@pytest.mark.parametrize(("text", "signs"), SUMS)
def test_a_total_adds_up_the_lines_since_the_last_one(text: str, signs: Sequence[int]) -> None:
    for seed in range(15):
        page = released(text, seed)
        page = re.sub(r"\.(?=[0-9]{3})|(?<=[0-9])[  ](?=[0-9]{3})", "", page).replace(",", ".") if "€" in page else page
        *parts, total = amounts(page)
        added = sum(sign * abs(part) for sign, part in zip(signs, parts, strict=True))
        assert total == added or (added < 1 and -1 in signs)


@pytest.mark.parametrize(
    "text",
    [
        "One £5.00\nTwo £6.00\nIn all, a total of £11.00\n",
        "One £5.00\nTwo €6.00\nTotal £11.00\n",
        "One £5.00\nTotal £5.00\nTwo £6.00\nTotally £11.00\n",
        "One £11.00\nTwo £6.00\nTotal £11.00\n",
    ],
)
def test_other_amounts_are_drawn(text: str) -> None:
    added = [amounts(released(text, seed)) for seed in range(10)]
    assert not any(numbers[-1] == sum(numbers[:-1]) for numbers in added)


def test_with_a_draw_for_each_mention_no_amount_tells_of_another() -> None:
    """Neither sums, nor that an amount without a word for its size equals one with it."""
    for seed in range(10):
        assert released(INVOICE.format(*TRUE), seed, "mention") == released(INVOICE.format(*WRONG), seed, "mention")
        one, other = (f"Rent £900 a month; paid £{paid} once." for paid in ("900", "70"))
        assert released(one, seed, "mention") == released(other, seed, "mention")


def test_with_a_draw_for_each_mention_no_age_tells_of_another() -> None:
    policy = small_policy(surrogate("age", "age"), detectors=(Finds("[0-9]+", "age"),), scope="mention")
    for seed in range(20):
        one, other = (
            Sanitizer(policy, rng=seeded_generator(seed))(f"a 7-year-old boy; the other is {age}.").text
            for age in ("7", "64")
        )
        assert one == other


SIZES = [
    ("The rent is £{} now.", 200, 4_000),
    ("We let it for £{} a month, a house.", 200, 4_000),
    ("Die Miete beträgt €{} kalt.", 200, 4_000),
    ("Rooms at £{} per night.", 8, 400),
    ("Her salary, £{}, is low.", 18_000, 120_000),
    ("We sold the old house for £{} in May.", 80_000, 900_000),
    ("The rent is paid; a house worth £{}.", 80_000, 900_000),
]


@pytest.mark.parametrize(("text", "least", "largest"), SIZES)
def test_released_words_choose_the_size_of_an_amount(text: str, least: int, largest: int) -> None:
    drawn = [amounts(released(text.format("33"), seed).replace(",", ""))[0] for seed in range(40)]
    assert all(least <= number <= largest for number in drawn)
    assert len(set(drawn)) > 30
    assert max(drawn) > 4 * min(drawn)


def identifiers(text: str, seed: int) -> str:
    return Sanitizer("identifiers", rng=seeded_generator(seed))(text).text


def numbers(text: str) -> list[Decimal]:
    return [Decimal(one.replace(",", "")) for one in re.findall(r"[0-9][0-9,]*(?:\.[0-9]+)?", text)]


ROWS = (
    "Labour, {} hours @ £42.00       {}\nPipe 22 mm, {} m at £9.25   {}\n"
    "Net                              {}\nVAT {}%   {}\nTotal due   {}\n"
)
HOLDS = ("6.5", "£273.00", "4", "£37.00", "£310.00", "20", "£62.00", "£372.00")
FAILS = ("6.5", "£999.99", "4", "£1.00", "£77.00", "20", "£5.55", "£8,000.00")


def test_prices_taxes_and_totals_fit_the_numbers_that_are_released() -> None:
    for seed in range(15):
        page = identifiers(ROWS.format(*HOLDS), seed)
        hours, price, labour, _, length, each, pipe, net, rate, tax, total = numbers(page)
        assert (net, total) == (labour + pipe, net + tax) and (pipe == length * each or not length)
        assert abs(labour - hours * price) <= Decimal("0.005") and abs(tax - net * rate / 100) <= Decimal("0.005")
        assert 5 <= rate <= 25


def test_whether_a_price_or_a_tax_fits_shows_nowhere() -> None:
    for seed in range(10):
        assert identifiers(ROWS.format(*HOLDS), seed) == identifiers(ROWS.format(*FAILS), seed)


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("We paid £85.00 and £120.50, so £205.50 in total.", lambda a, b, total: total == a + b),
        ("Damages of £12.50 and costs of £3.25, a total of £15.75 is due.", lambda a, b, total: total == a + b),
        ("Paid £8.00 each for 30 children, £240.00 in all.", lambda a, count, total: total == a * count),
        ("We paid £85.00. Then £120.50 came. It is £205.50.", lambda a, b, total: total != a + b),
        ("He paid £85.00. She paid £12.00 more, £97.00 in total.", lambda a, b, total: total != a + b),
    ],
)
def test_what_is_in_total_adds_up_its_sentence(text: str, law: Callable[[Decimal, Decimal, Decimal], bool]) -> None:
    for seed in range(10):
        assert law(*numbers(identifiers(text, seed)))


def test_a_tax_that_is_included_is_no_part_of_a_total() -> None:
    for seed in range(10):
        text = identifiers("Chair £96.00\nTable £24.00\nVAT (20% included) £20.00\nTotal £120.00\n", seed)
        chair, table, rate, tax, total = numbers(text)
        assert total == chair + table and abs(tax - total * rate / (100 + rate)) <= Decimal("0.005")
