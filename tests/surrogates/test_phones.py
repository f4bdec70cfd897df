"""Telephone numbers: format, country, reserved ranges, and draws that ignore the digits that are not public."""

import re
from collections import Counter

import numpy as np
import phonenumbers
import pytest
from scipy.stats import chisquare
from tests.helpers.surrogates import outputs

from textveil.surrogates.making import make_surrogate
from textveil.surrogates.pools import pool
from textveil.surrogates.scopes import KeyedScope, MemoryScope
from textveil.surrogates.surrogate import Mention, Page

ALPHA = 1e-6

PHONE = make_surrogate("phone")

RESERVED = [
    ("(617) 253-1000", r"\(\d{3}\) 555-01\d\d"),
    ("+1 617-253-1000 ext. 12", r"\+1 \d{3}-555-01\d\d ext\. \d\d"),
    ("1.617.253.1000 x3", r"1\.\d{3}\.555\.01\d\d x\d"),
    ("253-1000", r"555-01\d\d"),
    ("+44 7911 123456", r"\+44 \d{4} \d{6}"),
    ("07700 900461", r"07700 900\d{3}"),
    ("0161 496 0331", r"01\d\d 49[68] 0\d{3}"),
    ("020 7946 0321", r"02\d \d{4} \d{4}"),
    ("+44 (0)7911 123456", r"\+44 \(0\)7700 900\d{3}"),
    ("0033 6 12 34 56 78", r"0033 [1-6]( \d\d){4}"),
    ("+49(0)7040 72113", r"\+49\(0\)[1-9]\d{3} \d{5}"),
    ("+33 (0)3 53 21 15 25", r"\+33 \(0\)[1-6]( \d\d){4}"),
    ("8 (495) 919-01-14", r"8 \([3489]\d\d\) \d{3}-\d\d-\d\d"),
]


@pytest.mark.parametrize(("value", "form"), RESERVED)
def test_numbers_are_of_reserved_ranges_in_their_format(value: str, form: str) -> None:
    for seed in range(20):
        (drawn,) = outputs(PHONE, [value], seed)
        assert re.fullmatch(form, drawn)
        digits = re.sub(r"\D", "", drawn)
        if "44 " in value:
            assert digits.replace("440", "44", 1)[2:9] in pool("phone 44 10")
        if value.startswith("0") and "33 " not in value:
            assert digits[1:8] in pool("phone 44 10")
        if value.startswith("0033"):
            assert digits[4:9] in pool("phone 33 9")


@pytest.mark.parametrize(
    ("first", "second"), [("8 (495) 919-01-14", "+7 495 919 01 14"), ("+41 (0)44 668 18 00", "+41 44 668 18 00")]
)
def test_one_number_has_one_draw_with_and_without_what_is_dialed_at_home(first: str, second: str) -> None:
    drawn = outputs(PHONE, [first, second], 3)
    ends = [re.sub(r"\D", "", number)[-9:] for number in drawn]
    assert ends[0] == ends[1]


def test_elsewhere_numbers_are_valid() -> None:
    for value in ("+49 30 12345678", "+34 612 34 56 78", "+91 98765 43210", "+81 90 1234 5678", "+61 412 345 678"):
        for seed in range(10):
            (drawn,) = outputs(PHONE, [value], seed)
            assert phonenumbers.is_valid_number(phonenumbers.parse(drawn)), drawn


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["617-253-1000", "1-800-FLOWERS"], ["212-999-0000", "1-900-ZZZZZZZ"]),
        (["+44 20 7946 0000", "+999 12", "911 x5"], ["+44 77 0090 0999", "+999 34", "112 x9"]),
        (["06 12 34 56 78"], ["09 99 99 99 99"]),
        (["07700 900461", "+44 7700 900461"], ["09999 999999", "+44 9999 999999"]),
    ],
)
def test_one_seed_gives_one_output_for_all_values_of_one_form(first: list[str], second: list[str]) -> None:
    for seed in range(20):
        assert outputs(PHONE, first, seed) == outputs(PHONE, second, seed)


MOBILES = [
    ("de", "Handy: ", "0171 5550183", "01[5-7]"), ("fr", "mon portable ", "06 39 98 14 27", "0[67]"),
    ("nl", "mobiel ", "06-39550183", "06"), ("es", "m\xf3vil: ", "612 34 56 78", "[67]"),
    ("it", "Cell. ", "347 555 0183", "3"), ("pl", "kom. ", "512 555 014", "[5-8]"),
    ("pt", "telem\xf3vel ", "912 345 678", "9"), ("en", "mobile ", "07700 900 461", "07"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "before", "value", "begins"), MOBILES)
def test_a_word_for_a_mobile_asks_for_one_whatever_the_number_was(
    language: str, before: str, value: str, begins: str
) -> None:
    page = Page(language)
    shape = [value, re.sub("[0-9]", "4", value)] if value[0] != "0" else [value, "0" + re.sub("[0-9]", "4", value[1:])]
    for seed in range(10):
        drawn = {
            PHONE.draw([Mention(one, before, page=page)], MemoryScope(), np.random.default_rng(seed))[0]
            for one in shape
        }
        assert len(drawn) == 1 and re.match(begins, drawn.pop())


def test_a_number_is_that_of_a_mobile_wherever_it_stands_if_one_of_its_mentions_says_so() -> None:
    mentions = [Mention("+49 171 5550183", page=Page("de")), Mention("0171 5550183", "Handy ", page=Page("de"))]
    for seed in range(10):
        first, second = PHONE.draw(mentions, MemoryScope(), np.random.default_rng(seed))
        assert first.replace("+49 ", "0") == second and second[1] == "1"


@pytest.mark.parametrize("scope", [MemoryScope(), KeyedScope(b"k" * 32)])
def test_formats_of_one_number_agree(scope: MemoryScope | KeyedScope, rng: np.random.Generator) -> None:
    forms = ["(617) 253-1000", "617.253.1000", "+1 617 253 1000", "1-617-253-1000 x9"]
    drawn = PHONE.draw([Mention(form) for form in forms], scope, rng)
    assert len({re.sub(r" x\d|\D", "", one)[-10:] for one in drawn}) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("+999 12345", "+44 12345"),
        ("+44 12345", "12345"),
        ("012345", "12345"),
        ("+1 617 253 1000 x22", "212 222 3333 x22"),
    ],
)
def test_numbers_that_are_not_equal_share_nothing(first: str, second: str) -> None:
    """Else that they have one rest, or one extension, would be told."""
    drawn = [outputs(PHONE, [first, second], seed) for seed in range(40)]
    assert any(one[-2:] != other[-2:] for one, other in drawn)


def test_the_country_of_numbers_without_one_is_a_setting() -> None:
    (drawn,) = outputs(make_surrogate("phone", options={"country_code": 33}), ["06 12 34 56 78"], 1)
    assert re.sub(r"\D", "", drawn)[1:6] in pool("phone 33 9")


@pytest.mark.parametrize(
    ("language", "value", "region"),
    [
        ("de", "0341 5550178", "DE"),
        ("fr", "04 78 55 01 92", "FR"),
        ("es", "612 55 01 98", "ES"),
        ("it", "347 555 0192", "IT"),
        ("pt", "(81) 3555-0140", "BR"),
        ("tr", "0532 555 01 23", "TR"),
    ],
)
def test_a_number_is_of_the_pages_country(language: str, value: str, region: str) -> None:
    page = Page(language)
    for seed in range(10):
        own, _ = PHONE.draw(
            [Mention(value, page=page), Mention("0161 496 0331", page=Page("en"))],
            MemoryScope(),
            np.random.default_rng(seed),
        )
        assert phonenumbers.is_possible_number(phonenumbers.parse(own, region)), own
        assert (
            own
            == PHONE.draw(
                [Mention("".join(str(9 - int(c)) if c in "345678" else c for c in value), page=page)],
                MemoryScope(),
                np.random.default_rng(seed),
            )[0]
        )
    keyed = KeyedScope(b"k" * 32)
    alone, elsewhere = (
        PHONE.draw([Mention(value, page=own)], keyed, np.random.default_rng(1)) for own in (page, Page("en"))
    )
    assert alone == elsewhere


def test_areas_and_lines_are_uniform(rng: np.random.Generator) -> None:
    """The mutant that dies never draws the last ten of the hundred lines."""
    lines = Counter(PHONE.draw([Mention("617-253-1000")], MemoryScope(), rng)[0][-2:-1] for _ in range(2_000))
    counts = [lines[str(ten)] for ten in range(10)]
    assert chisquare(counts).pvalue > ALPHA
    assert chisquare([*counts[:9], 0]).pvalue < ALPHA
