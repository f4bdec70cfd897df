"""Numbers in plain writing, and which groups of digits are one number."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textveil.text.codes import TextCodes
from textveil.text.numbers import JOINING, plain_number
from textveil.text.tokens import Kind, classify, tokenize

DIGIT_OF_ANY_WRITING = st.characters(categories=("Nd",))
PARTS = st.lists(
    st.tuples(
        DIGIT_OF_ANY_WRITING, st.sampled_from(["", "\u200e", "\ufe0f\u20e3"]), st.sampled_from(["", "", ".", ","])
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(
    ("surface", "plain"),
    [("1,000.50", "1,000.50"), ("\u0661\u0662", "12"), ("5\ufe0f\u20e3", "5"), ("none", ""), ("1984", "1984")],
)
def test_examples(surface: str, plain: str) -> None:
    assert plain_number(surface) == plain


@settings(deadline=None, max_examples=200)
@given(PARTS)
def test_only_digits_and_separators_come_out(parts: list[tuple[str, str, str]]) -> None:
    surface = "".join(digit + attached + joint for digit, attached, joint in parts).rstrip(".,")
    assert classify(surface) is Kind.NUMBER
    plain = plain_number(surface)
    assert plain == "".join(str(int(digit)) + joint for digit, _, joint in parts).rstrip(".,")
    assert classify(plain) is Kind.NUMBER
    assert plain_number(plain) == plain


@given(st.text())
def test_of_any_string_nothing_else_survives(text: str) -> None:
    assert set(plain_number(text)) <= set("0123456789.,")


CODES = TextCodes(["the", "cat", "a", "b"], marks="keep")


def numbers_of(*texts: str) -> list[str]:
    """The digits of each number of the texts, which may not run over a text's end."""
    found = CODES.numbers(CODES.encode(texts))
    digits = iter(found.digits.tolist())
    return ["".join(str(next(digits)) for _ in range(length)) for length in found.lengths.tolist()]


ONE_NUMBER = [
    *(
        "1234 5678 9012 3456",
        "1234-5678-9012-3456",
        "4 1 1 1 1 1 1 1",
        "12/03/2024",
        "2024-03-12T10:30",
        "555-123-4567",
    ),
    *(
        "(555) 123-4567",
        "+1 (555) 123-4567",
        "12 / 03 / 2024",
        "A1B2C3",
        "6'2\"",
        "6' 2\"",
        "6\u20192\u201d",
        "1,234.56",
    ),
    *("SW1A 1AA", "GB29 6016 1331", "192.168.0.1", "1\u00a0234", "1\u2009234", "1_000", "12\n34", "12\t34", "x1y2z3"),
    *("2024\u5e7412\u67083\u65e5", "1\U0001f6002", "1caf\u00e92", "\u0661\u0662 \u0663", "1\u20132", "12:30", "1%2"),
]
MORE_NUMBERS = [
    ("1, 2, 3", ["1", "2", "3"]),
    ("in 2009. 12 people", ["2009", "12"]),
    ("12  34", ["12", "34"]),
    ("12 -- 34", ["12", "34"]),
    ("$12-$15", ["12", "15"]),
    ("page 12 of 34", ["12", "34"]),
    ("1 a 2", ["1", "2"]),
    ("1 - - 2", ["1", "2"]),
    ("1: 2; 3! 4? 5", ["1", "2", "3", "4", "5"]),
    ("1\r\n2", ["1", "2"]),
    ("1 -a 2", ["1", "2"]),
]


@pytest.mark.parametrize("text", ONE_NUMBER, ids=ascii)
def test_groups_that_touch_or_are_parted_by_one_separator_are_one_number(text: str) -> None:
    whole = "".join(str(int(one)) for one in text if one.isdecimal())
    assert numbers_of(text) == [whole]
    assert numbers_of(text, text) == [whole, whole]
    assert numbers_of(f"the 7 cats, {text}. The 8") == ["7", whole, "8"]


@pytest.mark.parametrize(("text", "numbers"), MORE_NUMBERS, ids=[ascii(text) for text, _ in MORE_NUMBERS])
def test_groups_that_are_parted_by_more_are_numbers_of_their_own(text: str, numbers: list[str]) -> None:
    assert numbers_of(text) == numbers


def test_any_one_character_of_white_space_or_punctuation_is_a_single_separator() -> None:
    passing = [one for one in map(chr, range(0x3100)) if classify(one) in (Kind.SPACE, Kind.PUNCTUATION)]
    assert len(passing) > 500
    assert numbers_of(*(f"12{one}34" for one in passing)) == ["1234"] * len(passing)


def slow_numbers(text: str) -> list[str]:
    """The rule read aloud, a token at a time."""
    numbers: list[str] = []
    between = None
    for start, end, kind in tokenize(text):
        surface = text[start:end]
        if kind is Kind.NUMBER:
            digits = "".join(str(int(one)) for one in surface if one.isdecimal())
            if between is not None and is_single(between):
                numbers[-1] += digits
            else:
                numbers.append(digits)
            between = ""
        elif between is not None:
            between += surface if kind in (Kind.SPACE, Kind.PUNCTUATION) else "x"
    return numbers


def is_single(between: str) -> bool:
    separators = between.strip("x")
    if "x" in separators:
        return False
    marks = [one for one in separators if not one.isspace()]
    spaced = separators.replace(marks[0], "", 1) if len(marks) == 1 and marks[0] in JOINING else None
    sides = separators.split(marks[0]) if spaced else []
    return len(separators) <= 1 or (spaced is not None and all(len(side) <= 1 for side in sides))


PIECES_OF_NUMBERS = st.lists(
    st.sampled_from(
        [
            *"0123456789 -/()'\".,:;$\n\t",
            "cat",
            "a",
            "\u00e9",
            "\u5e74",
            "\U0001f600",
            "\u00a0",
            "\u2013",
            "@a",
            "1 2",
            "1-2",
        ]
    ),
    max_size=14,
).map("".join)


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(st.lists(PIECES_OF_NUMBERS, max_size=4))
def test_numbers_are_those_of_the_rule_read_aloud(texts: list[str]) -> None:
    assert numbers_of(*texts) == [one for text in texts for one in slow_numbers(text)]


def test_long_rows_of_groups_take_linear_time() -> None:
    for text, count in (("1 " * 300_000, 1), ("1, " * 300_000, 300_000), ("1a" * 300_000, 1), ("1 - " * 300_000, 1)):
        assert len(numbers_of(text)) == count


PIECES = st.lists(
    st.sampled_from(["12", "7", "the", " ", "  ", "\n", "-", ",", "(", ")", "/", "'", "\u2600"]), max_size=16
)


@settings(deadline=None, max_examples=300)
@given(PIECES)
def test_a_text_alone_has_the_numbers_that_it_has_among_others(pieces: list[str]) -> None:
    """A short text's numbers are told apart in another way where that is enough."""
    text = "".join(pieces)
    assert numbers_of(text) == numbers_of(text, "the")
