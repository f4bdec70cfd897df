"""Where numbers begin, in digits and in words."""

import re

from hypothesis import given
from hypothesis import strategies as st

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
