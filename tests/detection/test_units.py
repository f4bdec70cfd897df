"""Where numbers begin, in digits and in words, and behind the word for a section."""

import re

from hypothesis import given
from hypothesis import strategies as st
from tests.helpers.pattern_strings import strings_of

from textveil.detection import quantities, units
from textveil.detection.found import near
from textveil.detection.units import NUMBER_WORDS, _starts, at_numbers

WORDS = "|".join(f"(?i:{word[0]}){word[1:]}" for word in NUMBER_WORDS.split())
STARTS = re.compile(rf"(?<![\w.,$\xa4/:#+-])(?:[0-9]|(?:{WORDS})(?![A-Za-z]))")
PIECES = [*"0 9-.,:$\xa4\xdeaO_\n", "one", "Twenty", "TEN", "ninety", "four", "fourteen", "oNE", "half"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_numbers_begin_where_a_search_for_each_finds_them(text: str) -> None:
    assert list(_starts.__wrapped__(text)) == [match.start() for match in STARTS.finditer(text)]


def test_matches_at_numbers_do_not_overlap() -> None:
    pairs = re.compile("(?:[0-9]|one|two) (?:[0-9]|one|two)")
    assert [match[0] for match in at_numbers(pairs, "1 2 one two 3")] == ["1 2", "one two"]


def test_what_stands_before_the_number_of_a_section_begins_with_a_word_that_is_looked_up() -> None:
    words = strings_of(quantities._SECTION_WORD, small=True) or ()
    assert len(words) > 200
    assert {re.split("[^a-z]", word)[0] for word in words} <= quantities._SECTION_STARTS


PLACES = [
    "Section ", "pages ", "sub-section ", "subsections ", "Art. ", "p. ", "no. ", "#", "tax year ", "PAGE ", "12",
    "3.4", "(2)", "(a)", " and ", " to ", "-", "/", ".", ", ", " ", "a", "%", " x ", " or 7", "\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PLACES), max_size=24).map("".join))
def test_numbers_of_sections_are_those_near_a_digit(text: str) -> None:
    found = [match.span("place") for match in near(quantities._SECTION, text, quantities._DIGIT, 24, 30)]
    assert [(span.start, span.end) for span in quantities.find_sections(text)] == found


def test_numbers_of_other_languages_begin_as_they_are_looked_up() -> None:
    begun = [*units._PARTS.split("|"), *(strings_of(units._STEMS) or ()), "einundzwanzig", "eenentwintig"]
    assert all(map(units._is_spelled, begun)) and not units._is_spelled("table")
