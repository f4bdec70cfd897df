"""Hostile strings through a sanitizer: every character of every release must be accounted for.

A release may hold the letters of the vocabulary, digits, the placeholders, and the white space and marks of
``textveil.text.marks.PLAIN``; nothing else. The vocabularies are made of four letters each, so that a letter that is
kept is seen: those of one vocabulary are private characters for the others. Digits are drawn: of all digits of the
input no more may come back than the limit on keeping one allows.
"""

import itertools
import re
import string
import sys
import unicodedata
from collections.abc import Sequence

import numpy as np

from textveil.catalog import mechanism
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.marks import PLAIN, with_plain_marks
from textveil.text.tokens import PLACEHOLDERS, Kind, tokenize
from textveil.vocabulary.vocabulary import Vocabulary

LETTERS = ("bcdf", "ghjk", "lmnp", "qrst", "vwxz", "aeio", "uyae")
"""One vocabulary each; together all letters."""

CODE_POINTS = 0x110000

CONTEXTS = (
    "{0}",
    "b{0}c {0}d e{0}",
    "4{0}2 {0}7 1.{0}",
    "a'{0} {0}'a. {0}a, ({0}) -{0}",
    "www.a{0}b.org c{0}@d.org @e{0} http://{0}.de",
    "{0}{0}{0}{0} b{0}\u0301\u200d{0}4",
)
"""What each code point stands in; 0 is the code point."""

SWEPT = 7
"""Of ten strings so many are a code point in a context, the others a mix of categories."""

STRIDE = 611_953
"""Prime to the number of code points: any run of strings is spread over all of them."""

LONGEST = 40
BATCH = 20_000
COUNTED_BATCHES = 10
"""The digits of one batch in so many are counted."""


def vocabulary_of(letters: str) -> Vocabulary:
    """All words of two and three of these letters."""
    words = ["".join(parts) for size in (2, 3) for parts in itertools.product(letters, repeat=size)]
    return Vocabulary(words, np.random.default_rng(0).normal(size=(len(words), 3)).astype(np.float32), letters)


def allowed(letters: str) -> re.Pattern[str]:
    """What a release may be made of, line ends between releases included."""
    constants = "|".join(map(re.escape, PLACEHOLDERS.values()))
    return re.compile(f"(?:{constants}|[{letters}{letters.upper()}0-9{re.escape(PLAIN)}])*+")


def hostile_strings(count: int, seed: int, first: int = 0) -> list[str]:
    """Sanitizes ``count`` strings from number ``first`` on, and what was tried, in sentences.

    Raises:
        AssertionError: a release holds a character of its own text, with the number of the string.
    """
    sanitizers = [Sanitizer(mechanism("randomized-response", vocabulary_of(one), epsilon=8.0)) for one in LETTERS]
    patterns = [allowed(letters) for letters in LETTERS]
    by_category = _categories()
    digits = kept = characters = 0
    for start in range(first, first + count, BATCH):
        which = start // BATCH % len(LETTERS)
        numbers = range(start, min(start + BATCH, first + count))
        texts = strings_of(numbers, seed, by_category)
        characters += sum(map(len, texts))
        counted = start // BATCH % COUNTED_BATCHES == 0
        releases = sanitizers[which].batch(texts, spans=counted)
        found = [one.text for one in releases]
        if patterns[which].fullmatch("\n".join(found)) is None:
            number = next(i for i, text in enumerate(found) if patterns[which].fullmatch(text) is None)
            raise AssertionError(f"string {numbers[number]} of seed {seed}: {texts[number]!a} gave {found[number]!a}")
        if counted:
            for text, one in zip(texts, releases, strict=True):
                before, after = (
                    _digits_of(text),
                    "".join(one.text[a:b] for a, b, kind in one.spans if kind == Kind.NUMBER),
                )
                after = "".join(filter(str.isdigit, after))
                assert len(before) == len(after), f"string of seed {seed}: {text!a} has other digits than its release"
                digits += len(before)
                kept += sum(map(str.__eq__, before, after))
        if sys.stderr.isatty():
            print(f"{numbers[-1] + 1 - first:,} of {count:,} strings", end="\r", file=sys.stderr, flush=True)
    limit = sanitizers[0].setting.digit_keep_limit or 0.0
    most = limit * digits + 6 * (limit * (1 - limit) * digits) ** 0.5
    assert kept <= most, f"{kept:,} of {digits:,} digits came back, more than the {most:,.0f} that chance explains"
    return [
        f"{count:,} strings from number {first:,}, seed {seed}, {characters:,} characters: no private one in a release",
        f"of {digits:,} digits that were counted {kept / max(digits, 1):.1%} came back; the limit is {limit:.0%}",
    ]


def strings_of(numbers: range, seed: int, by_category: Sequence[np.ndarray]) -> list[str]:
    """The strings of these numbers: seven of ten are the next code point in a context, the others are mixed."""
    rng = np.random.default_rng([seed, numbers.start])
    mixed = iter(_mixed(rng, by_category, len(numbers)))
    texts = []
    for number in numbers:
        if number % 10 < SWEPT:
            context, place = divmod(number // 10 * SWEPT + number % 10, CODE_POINTS)
            character = chr((place * STRIDE + seed) % CODE_POINTS)
            texts.append(CONTEXTS[context % len(CONTEXTS)].format(character))
        else:
            texts.append(next(mixed))
    return texts


def _mixed(rng: np.random.Generator, by_category: Sequence[np.ndarray], count: int) -> list[str]:
    """Strings of up to ``LONGEST`` characters, each of four categories at most, ASCII among them as often as not."""
    lengths = rng.integers(1, LONGEST + 1, size=count)
    of_string = np.repeat(np.arange(count), lengths)
    categories = rng.integers(0, len(by_category), size=(count, 4))
    categories[rng.random((count, 4)) < 0.4] = 0  # the first of them is ASCII
    chosen = categories[of_string, rng.integers(0, 4, size=len(of_string))]
    codes = np.empty(len(of_string), dtype="<u4")
    for index, points in enumerate(by_category):
        here = np.flatnonzero(chosen == index)
        codes[here] = rng.choice(points, size=len(here))
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    ends = np.cumsum(lengths).tolist()
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _categories() -> list[np.ndarray]:
    """Printable ASCII, then the code points of each general category."""
    found: dict[str, list[int]] = {}
    for code in range(CODE_POINTS):
        found.setdefault(unicodedata.category(chr(code)), []).append(code)
    return [np.array([*map(ord, string.printable)]), *(np.array(codes) for codes in found.values())]


def _digits_of(text: str) -> str:
    """The digits of the numbers of a text, in ASCII; marks first take their plain form, which can join tokens."""
    text = with_plain_marks(text)
    numbers = "".join(text[token.start : token.end] for token in tokenize(text) if token.kind == Kind.NUMBER)
    return "".join(str(unicodedata.decimal(one)) for one in numbers if one.isdecimal())
