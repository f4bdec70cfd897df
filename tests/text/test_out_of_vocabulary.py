"""Unknown words: the documented rule, and equality with its brute-force definition."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import process
from rapidfuzz.distance import OSA
from tests.helpers.shared import shared_path

from textveil.errors import VocabularyError
from textveil.text.out_of_vocabulary import INFLECTIONS, TypingErrors, WordIndex
from textveil.text.tokens import spelling

WORDS = [
    *("the", "we", "well", "did", "cant", "maria", "obrien", "it", "its", "i", "is", "will", "can", "download"),
    *("treasury", "rebound", "run", "hope", "shop", "happy", "dress", "gentle", "bank", "blank", "Paris", "paris"),
    *("caf\u00e9", "\u043c\u043e\u0441\u043a\u0432\u0430", "new_york", "zoological"),
]
INDEX = WordIndex(WORDS)


def edits(one: str, other: str) -> int:
    """Optimal string alignment by the textbook recursion, row by row."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, start=1):
        row = [i]
        for j, b in enumerate(other, start=1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def shared_prefix(one: str, other: str) -> int:
    size = 0
    while size < min(len(one), len(other)) and one[size] == other[size]:
        size += 1
    return size


def slow_lookup(words: list[str], surface: str) -> tuple[int, bool]:
    """The five steps, each over every word."""
    if surface in words:
        return words.index(surface), False
    spellings = [spelling(word) for word in words]
    s = spelling(surface)
    if s in spellings:
        return spellings.index(s), False
    s = s[:64]
    if "'" in s:
        joined = s.replace("'", "")
        if s.endswith("n't") and joined in spellings:
            return spellings.index(joined), True
        for ending in ("n't", "'s", "'m", "'re", "'ve", "'ll", "'d"):
            if s.endswith(ending):
                s = {"can't": "can", "won't": "will", "shan't": "shall", "ain't": "is"}.get(s, s[: -len(ending)])
                break
        s = s.replace("'", "") or joined
    if s in spellings:
        return spellings.index(s), True
    for ending, replacements in INFLECTIONS:
        if s.endswith(ending) and len(s) >= len(ending) + 3:
            stem = s[: -len(ending)]
            for replacement in replacements:
                if replacement == "=" and stem[-1] != stem[-2]:
                    continue
                guess = stem[:-1] if replacement == "=" else stem + replacement
                if guess in spellings:
                    return spellings.index(guess), True
            break
    distances = [edits(s, other) for other in spellings]
    if min(distances) <= 2:
        return distances.index(min(distances)), True
    order = [(-shared_prefix(s, other), abs(len(other) - len(s)), position) for position, other in enumerate(spellings)]
    return min(order)[2], True


@pytest.mark.parametrize(
    ("surface", "word", "mapped"),
    [
        ("the", "the", False),
        ("THE", "the", False),
        ("Paris", "Paris", False),
        ("PARIS", "Paris", False),
        ("cafe", "caf\u00e9", False),
        ("\u041c\u043e\u0441\u043a\u0432\u0430", "\u043c\u043e\u0441\u043a\u0432\u0430", False),
        ("Maria's", "maria", True),
        ("Maria\u2019s", "maria", True),
        ("it's", "it", True),
        ("we'll", "we", True),
        ("I've", "i", True),
        ("can't", "cant", True),
        ("didn't", "did", True),
        ("won't", "will", True),
        ("ain't", "is", True),
        ("O'Brien's", "obrien", True),
        ("treasuries", "treasury", True),
        ("rebounded", "rebound", True),
        ("hoping", "hope", True),
        ("running", "run", True),
        ("shoppers", "shop", True),
        ("dresses", "dress", True),
        ("gently", "gentle", True),
        ("happiest", "happy", True),
        ("blnak", "blank", True),  # a swap is one edit
        ("b1ank", "bank", True),  # "blank" is as near, but its id is higher
        ("zoologist", "zoological", True),
        ("", "i", True),
        ("'", "i", True),
    ],
)
def test_the_rule_by_example(surface: str, word: str, mapped: bool) -> None:
    found, was_mapped = INDEX.lookup(surface)
    assert (WORDS[found], was_mapped) == (word, mapped)
    assert slow_lookup(WORDS, surface) == (found, was_mapped)


def test_ties_go_to_the_lower_id() -> None:
    assert WordIndex(["cat", "bat"]).lookup("aat")[0] == 0
    assert WordIndex(["bat", "cat"]).lookup("aat")[0] == 0
    assert WordIndex(["abcdefgh", "abcdefgi"]).lookup("abcdexxxxxx")[0] == 0
    assert WordIndex(["THE", "the", "The"]).lookup("tHE")[0] == 0


def test_only_the_first_64_characters_are_read() -> None:
    long = "ab" * 32
    longer = long + "y" * 40
    index = WordIndex([longer, long])
    assert index.lookup(long + "x" * 50) == (1, True)  # read to its end, it would be closer to the other
    assert index.lookup(long + "xyz" * 400_000) == (1, True)
    assert index.lookup(longer) == (0, False)


def test_inflections_leave_a_stem_and_halve_only_what_is_doubled() -> None:
    assert WordIndex(["tapx", "tap"]).lookup("taping") == (1, True)
    assert WordIndex(["tox", "to"]).lookup("toing") == (0, True)  # two letters are no stem
    assert WordIndex(["tax", "ta"]).lookup("taking") == (0, True)  # by its beginning
    assert WordIndex(["tapx", "tap"]).lookup("tapping") == (1, True)
    assert WordIndex(["bos", "box"]).lookup("boss") == (0, True)
    assert WordIndex(["chapx", "chap"]).lookup("chapss") == (0, True)  # "ss" is no plural


def test_no_word_no_index() -> None:
    with pytest.raises(VocabularyError):
        WordIndex([])


def test_the_words_are_copied() -> None:
    words = ["cat", "dog"]
    index = WordIndex(words)
    words[0] = "cow"
    assert index.lookup("cat") == (0, False)


LETTERS = "aabbcst'e\u00e9\u0436_5\U00020000"
SMALL_WORD = st.text(LETTERS, max_size=9)
ENDED_WORD = st.tuples(st.text("abstre", min_size=1, max_size=5), st.sampled_from([e for e, _ in INFLECTIONS])).map(
    "".join
)


@pytest.mark.slow
@settings(deadline=None, max_examples=1500)
@given(st.lists(SMALL_WORD | ENDED_WORD, min_size=1, max_size=25), SMALL_WORD | ENDED_WORD)
def test_equals_brute_force_on_small_vocabularies(words: list[str], surface: str) -> None:
    assert WordIndex(words).lookup(surface) == slow_lookup(words, surface)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.text(max_size=8), min_size=1, max_size=8), st.text(st.characters(exclude_categories=()), max_size=80)
)
def test_total_for_any_string(words: list[str], surface: str) -> None:
    assert WordIndex(words).lookup(surface) == slow_lookup(words, surface)


def english() -> list[str]:
    words = shared_path("data/vectors/glove-840b-300d-33860/words.txt").read_text(encoding="utf-8").split("\n")
    return [word for word in words if word.isascii() and word.isalpha() and word.islower()]


def misspelled(words: list[str], draw: random.Random) -> str:
    """A word with up to four random edits, or letters at random."""
    letters = list(draw.choice(words)) if draw.random() < 0.9 else draw.choices("etaoinshrdlu", k=draw.randint(1, 12))
    for _ in range(draw.randint(1, 4)):
        position = draw.randrange(len(letters) + 1)
        new = draw.choice("abcdefghijklmnopqrstuvwxyz")
        letters[position : position + draw.choice([0, 1, 1, 2])] = draw.choice(
            [[new], [], [new], letters[position : position + 2][::-1]]
        )
    return "".join(letters)


@pytest.mark.slow
def test_equals_brute_force_on_english() -> None:
    words = english()
    index = WordIndex(words)
    known = {word: position for position, word in enumerate(words)}
    draw = random.Random(7)
    queries = [misspelled(words, draw) for _ in range(400)]
    # Steps 1 to 3 are tested on small vocabularies above; here only words that reach steps 4 and 5.
    queries = [
        query for query in queries if query not in known and not query.endswith(tuple(e for e, _ in INFLECTIONS))
    ]
    assert len(queries) > 100
    distances = process.cdist(queries, words, scorer=OSA.distance, dtype=np.uint8)
    by_distance = by_prefix = 0
    for query, row in zip(queries, distances, strict=True):
        found, mapped = index.lookup(query)
        assert mapped
        if row.min() <= 2:
            assert found == int(row.argmin())
            by_distance += 1
        else:
            order = (
                (-shared_prefix(query, word), abs(len(word) - len(query)), position)
                for position, word in enumerate(words)
            )
            assert found == min(order)[2]
            by_prefix += 1
    assert by_distance > 50
    assert by_prefix > 10


def test_rapidfuzz_measures_what_the_rule_says() -> None:
    draw = random.Random(3)
    for _ in range(300):
        one, other = ("".join(draw.choices("abc", k=draw.randint(0, 6))) for _ in range(2))
        assert OSA.distance(one, other) == edits(one, other)


@pytest.mark.slow
@settings(deadline=None, max_examples=600)
@given(st.lists(SMALL_WORD | ENDED_WORD, min_size=1, max_size=25), st.lists(SMALL_WORD | ENDED_WORD, max_size=12))
def test_many_at_once_and_by_the_index_equal_brute_force(words: list[str], surfaces: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textveil.text.out_of_vocabulary._SCANNED", 0)
        patch.setattr("textveil.text.out_of_vocabulary._AT_ONCE", 5)
        assert WordIndex(words).lookup_many(surfaces) == [slow_lookup(words, one) for one in surfaces]


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.lists(st.text("ab\U00020000\x00", max_size=14), min_size=1, max_size=12), st.text("ab\x00c", max_size=70))
def test_long_words_and_few_letters_are_found_by_the_index(words: list[str], surface: str) -> None:
    """Long words agree in what the index reads of them, and few letters make many remainders agree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textveil.text.out_of_vocabulary._SCANNED", 0)
        assert WordIndex(words).lookup(surface) == slow_lookup(words, surface)


@pytest.mark.slow
def test_the_index_equals_the_scan_on_english() -> None:
    words = english()
    index = WordIndex(words)
    draw = random.Random(11)
    queries = [misspelled(words, draw) for _ in range(1500)]
    spelled = {word: position for position, word in reversed(list(enumerate(words)))}
    scanning, indexed = TypingErrors(spelled), TypingErrors(spelled)
    expected = np.concatenate([scanning._scan(queries[start : start + 32]) for start in range(0, len(queries), 32)])
    assert (indexed.nearest(queries) == expected).all()
    assert indexed._index is not None
    assert (expected < 0).any()
    assert index.lookup_many(queries) == [index.lookup(query) for query in queries]
