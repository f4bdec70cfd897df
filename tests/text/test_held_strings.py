"""Patterns that say which strings their matches hold: read off their syntax trees, and searched."""

import gc
import random
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import cast

import pytest
from tests.helpers.pattern_strings import checked_by, sample

import textveil.detection
import textveil.surrogates
import textveil.text
from textveil.text import patterns
from textveil.text.patterns import LazyRegex, lacks, lazy_regex, matches, words_of


def lazy_patterns() -> list[LazyRegex]:
    """Return all patterns of the packages that are compiled at their first use."""
    for package in (textveil.detection, textveil.surrogates, textveil.text):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return [one for one in gc.get_objects() if type(one) is LazyRegex]


DECLARED = [one for one in lazy_patterns() if one.holds or one.small]
WITHIN = [one for one in lazy_patterns() if one.within]
WITH_WORDS = [one for one in lazy_patterns() if one.words]


def test_each_match_of_a_pattern_holds_what_it_says() -> None:
    assert len(DECLARED) >= 20
    for one in DECLARED:
        assert not one.holds or checked_by(one.holds, small=False)(one.pattern, one._flags), (one.pattern, one.holds)
        assert not one.small or checked_by(one.small, small=True)(one.pattern, one._flags), (one.pattern, one.small)
        assert all(piece == piece.lower() and piece.isascii() for piece in one.small)


def sampled(one: LazyRegex) -> Iterator[str]:
    """Yield texts with a match of a pattern, beside letters and marks."""
    compiled, draw = re.compile(one.pattern, one._flags), random.Random(3)
    for _ in range(2000):
        edges = draw.choices(["", "a", "Z", "_", "5", " ", "\n", ".", "-", "(", "sudo ", "# ", "= ", " a"], k=2)
        text = sample(one.pattern, one._flags, draw).join(edges)
        if compiled.search(text) is not None:
            yield text


def test_each_match_of_a_pattern_holds_one_of_its_words() -> None:
    """Each holds one as a string by proof; that it stands as a whole word is sampled, beside letters and marks."""
    assert len(WITH_WORDS) >= 10
    for one in WITH_WORDS:
        assert checked_by(tuple(one.words), small=True)(one.pattern, one._flags), one.pattern
        texts = list(sampled(one))
        assert len(texts) > 20, (len(texts), one.pattern)
        assert [text for text in texts if not one.words & words_of(text)] == [], one.pattern


def test_each_match_of_a_pattern_holds_a_match_of_the_one_within() -> None:
    assert len(WITHIN) >= 10
    for one in WITHIN:
        texts = list(sampled(one))
        assert len(texts) > 20, (len(texts), one.pattern)
        assert [text for text in texts if lacks(cast("re.Pattern[str]", one), text)] == [], one.pattern


def test_text_without_its_words_is_not_searched_for_a_pattern() -> None:
    pattern = lazy_regex(r"(?i)\b(?:ab|cask) x", words="ab cask")
    assert lacks(pattern, "abx x") and "finditer" not in vars(pattern)
    assert [match[0] for match in matches(pattern, "AB x")] == ["AB x"]
    assert [match[0] for match in matches(pattern, "ca\u017fk x")] == ["ca\u017fk x"]


@pytest.mark.parametrize(
    ("pattern", "pieces", "right"),
    [
        ("abcd+", ["bc"], True),
        ("abc*", ["bc"], False),
        ("(?:ab|c)d", ["bd", "cd"], True),
        ("(?:ab|c)d", ["bd"], False),
        ("(?:ab|c)?d", ["bd", "cd"], False),
        ("x(?=yz)", ["yz"], True),
        ("x(?!yz)", ["yz"], False),
        ("(?<=[xz]y)z", ["yz"], True),
        ("x(?<=x)y", ["xy"], True),
        ("(?:(?<=x)|w)y", ["xy", "wy"], False),
        ("[Uu]ser [a-z]+", ["ser "], True),
        ("[^a]b", ["ab"], False),
        ("(?i)ab", ["ab"], False),
        ("a{2,}b", ["aa"], True),
        ("a{2,}b", ["aab"], False),
        ("(?:a{2,3}|b)c", ["aac", "bc"], True),
    ],
)
def test_what_is_proved_of_a_pattern(pattern: str, pieces: list[str], right: bool) -> None:
    assert checked_by(pieces, small=False)(pattern, 0) is right


def test_small_letters_are_proved_without_regard_to_case() -> None:
    assert checked_by(["ab"], small=True)("(?i)A[bB]", 0)
    assert not checked_by(["ab"], small=True)("(?i)A[bx]", 0)


def test_text_without_the_strings_is_not_searched_and_every_other_is() -> None:
    pattern = lazy_regex("ab+", holds=("ab",))
    assert lacks(pattern, "a b") and "finditer" not in vars(pattern)
    assert [match.span() for match in matches(pattern, "x abb " * 2000)][:2] == [(2, 5), (8, 11)]
    assert [match.span() for match in matches(pattern, "ab ab", 1)] == [(3, 5)]
    assert not lacks(re.compile("ab"), "")


def test_letters_that_equal_those_of_ascii_without_regard_to_case_are_known() -> None:
    others = map(chr, range(0x80, sys.maxunicode + 1))
    assert "".join(filter(re.compile("(?i)[a-z]").fullmatch, others)) == patterns._ODD
    secret = lazy_regex("(?i)pass", small=("pass",))
    assert [match[0] for match in matches(secret, "PASS, pa\u017fs")] == ["PASS", "pa\u017fs"]
    assert lacks(secret, "pa\u00dfs") and not lacks(secret, "pa\u017fs")
