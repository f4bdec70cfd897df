"""Tokens against a second tokenizer that reads one character at a time, on made and on real text."""

import csv
import gzip
import json
import random
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.helpers.shared import shared_path

from textveil.text.tokens import Kind, is_emoji, is_latin, spelling, split, tokenize

BRACKETS_AND_QUOTES = '()[]<>"`{}|\\^'
TRIMMED = ".,;:!?'*"


def class_of(character: str) -> str:
    """One letter for what a character is: Latin, Script, Mark, Format, Digit, Blank, Punctuation, Other."""
    if character.isspace() and character not in "\x1c\x1d\x1e\x1f":
        return "B"
    category = unicodedata.category(character)
    if category.startswith("L"):
        if is_latin(character):
            return "L"
        return "S" if spelling(character) else "F"
    if category == "Nd":
        return "D"
    if character < "\x80":
        return "P" if category[0] in "PS" else "O"
    other = "E" if is_emoji(character) else "O"
    return {"M": "M", "P": "P"}.get(category[0], {"Cf": "F", "Sc": "P"}.get(category, other))


class SlowTokenizer:
    """The rules of tokens.py, read aloud, a character at a time."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\u2019", "'")
        self.classes = "".join(map(class_of, text))

    def tokens(self) -> Iterator[tuple[int, int, Kind]]:
        gap = 0
        index = 0
        while index < len(self.text):
            found = self.url(index) or self.email(index) or self.handle(index)
            if found is None:
                index += 1
                continue
            yield from self.plain(gap, index)
            end, kind = found
            yield index, end, kind
            # The search goes on after the whole address, its trimmed end included.
            gap, index = end, end
            while kind is Kind.URL and index < len(self.text) and self.text[index] in TRIMMED:
                index += 1
        yield from self.plain(gap, len(self.text))

    def is_name(self, index: int) -> bool:
        return 0 <= index < len(self.text) and (self.classes[index] in "LSMFD" or self.text[index] == "_")

    def is_character(self, index: int, characters: str) -> bool:
        return index < len(self.text) and self.text[index] in characters

    def names(self, index: int, joints: str) -> int:
        """The end of names joined by single joints; ``place`` itself if there is none."""
        if not self.is_name(index):
            return index
        while self.is_name(index) or (self.is_character(index, joints) and self.is_name(index + 1)):
            index += 1
        return index

    def email(self, start: int) -> tuple[int, Kind] | None:
        if self.is_name(start - 1) or not self.is_name(start):
            return None
        at = start + 1
        while at < start + 64 and (self.is_name(at) or self.is_character(at, ".+%'&-")):
            at += 1
        first = self.names(at + 1, "-")
        if not self.is_character(at, "@") or first == at + 1:
            return None
        end = self.names(at + 1, "-.")
        return (end, Kind.EMAIL) if end > first and self.text[first] == "." else None

    def is_address(self, index: int) -> bool:
        if index >= len(self.text) or self.text[index] in BRACKETS_AND_QUOTES:
            return False
        kind = self.classes[index]
        return kind in "LSMFD" or (kind == "P" and self.text[index] < "\x80")

    def url(self, start: int) -> tuple[int, Kind] | None:
        if self.is_name(start - 1) and self.classes[start - 1] != "S":
            return None
        head = self.text[start : start + 8].lower()
        schemes = [scheme for scheme in ("http://", "https://", "ftp://", "www.") if head.startswith(scheme)]
        if not schemes or not self.is_name(start + len(schemes[0])):
            return None
        end = start + len(schemes[0])
        while self.is_address(end) or self.is_character(end, "("):
            if self.is_address(end):
                end += 1
                continue
            close = end + 1
            while self.is_address(close):
                close += 1
            if not self.is_character(close, ")"):
                break
            end = close + 1
        while self.text[end - 1] in TRIMMED:
            end -= 1
        return end, Kind.URL

    def handle(self, start: int) -> tuple[int, Kind] | None:
        if self.text[start] != "@" or self.is_name(start - 1):
            return None
        first = start + 1
        while first < len(self.text) and self.classes[first] in "DMF":
            first += 1
        if not (self.is_name(first) and (self.classes[first] in "LS" or self.text[first] == "_")):
            return None
        end = self.names(start + 1, ".-")
        if self.is_character(end, "@"):
            end = max(end, self.names(end + 1, ".-")) if self.is_name(end + 1) else end
        return end, Kind.HANDLE

    def plain(self, start: int, stop: int) -> Iterator[tuple[int, int, Kind]]:
        while start < stop:
            end, kind = self.next_plain(start, stop)
            yield start, end, kind
            start = end

    def next_plain(self, start: int, stop: int) -> tuple[int, Kind]:
        solid = self.past(start, stop, "F")
        first = self.classes[solid] if solid < stop else ""
        if first in ("L", "S", "D"):
            letters, joints = ("D", ".,") if first == "D" else ("LS", "'")
            end = self.past(solid, stop, letters + "MF")
            while end < stop and self.text[end] in joints:
                # Between digits nothing unseen may follow the joint; between letters it may.
                after = end + 1 if first == "D" else self.past(end + 1, stop, "F")
                if after >= stop or self.classes[after] not in letters:
                    break
                end = self.past(after, stop, letters + "MF")
            if first == "D":
                return end, Kind.NUMBER
            return end, Kind.SCRIPT if "S" in self.classes[start:end] else Kind.WORD
        if self.classes[start] == "B":
            return self.past(start, stop, "B"), Kind.SPACE
        if self.classes[start] == "P":
            return start + 1, Kind.PUNCTUATION
        if self.classes[start] == "E":
            return self.past(start, stop, "EMF"), Kind.EMOJI
        return self.past(start, stop, "OMF"), Kind.SYMBOL

    def past(self, start: int, stop: int, classes: str) -> int:
        while start < stop and self.classes[start] in classes:
            start += 1
        return start


def slow(text: str) -> list[tuple[int, int, Kind]]:
    return list(SlowTokenizer(text).tokens())


FRAGMENTS = [
    *"abZ_@.,-'\u2019+%&:/()[]!*?#\"<> \t0579",
    *("\r\n", "http://", "https://", "HTTP://", "ftp://", "www.", "x.com", "a@b.c", "@ab", "1.5", "don't"),
    *(
        "\u00e9",
        "e\u0301",
        "\u0301",
        "\u00df",
        "\ufb01",
        "\u00b5",
        "\u02bb",
        "\u0436",
        "\u05d0",
        "\u4f60",
        "\u0915",
        "\u093f",
    ),
    *(
        "\u0661",
        "\u00bd",
        "\u2163",
        "\u20ac",
        "\u201c",
        "\u2026",
        "\u3002",
        "\u3000",
        "\u2028",
        "\x00",
        "\x85",
        "\ud800",
    ),
    *(
        "\u200b",
        "\u200d",
        "\u00ad",
        "\u200f",
        "\ufeff",
        "\ufe0f",
        "\U000e0041",
        "\U0001f469",
        "\U0001f3fd",
        "\U0001f1eb",
    ),
    *("\U0001d4d0", "\U00010400", "\U00020000", "\U00011001", "\ue000", "\U0010ffff", "a" * 63, "." * 62),
]
FRAGMENTED_TEXT = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)


@pytest.mark.slow
@settings(deadline=None, max_examples=2500)
@given(FRAGMENTED_TEXT)
def test_fragments_as_the_slow_tokenizer_reads_them(text: str) -> None:
    assert tokenize(text) == slow(text)


@settings(deadline=None, max_examples=400)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_string_as_the_slow_tokenizer_reads_it(text: str) -> None:
    assert tokenize(text) == slow(text)


def real_texts(name: str) -> list[str]:
    if name == "agnews":
        with shared_path("data/text/agnews/test.csv").open(encoding="utf-8", newline="") as lines:
            return [f"{title}\r\n{body}" for _, title, body in csv.reader(lines)]
    if name == "clinical":
        with shared_path("data/text/clinical/aci_bench/valid.csv").open(encoding="utf-8", newline="") as lines:
            return [cell for row in csv.reader(lines) for cell in row if cell]
    if name == "pii":
        path = shared_path("data/text/pii/presidio_synthetic/synth_dataset_v2.json")
        return [record["full_text"] for record in json.loads(path.read_text(encoding="utf-8"))]
    if name == "wikipedia":
        with gzip.open(shared_path("data/text/wikipedia/articles.jsonl.gz"), "rt", encoding="utf-8") as lines:
            return [json.loads(next(lines))["text"] for _ in range(60)]
    return shared_path("data/text/yelp/test.neg.txt").read_text(encoding="utf-8").splitlines()


def sample_of(name: str, characters: int) -> list[str]:
    """Random documents of a corpus, about ``characters`` long together, plus all that have an @ or a URL."""
    texts = real_texts(name)
    random.Random(20240229).shuffle(texts)
    marked = [text[:5000] for text in texts if not text.isascii() or "@" in text or "http" in text or "www" in text]
    chosen = []
    for text in (*marked[: len(marked) // 2 + 1], *texts):
        if characters <= 0:
            break
        chosen.append(text[:20_000])
        characters -= len(chosen[-1])
    return chosen


@pytest.mark.parametrize("name", ["agnews", "clinical", "pii", "wikipedia", "yelp"])
def test_real_text_as_the_slow_tokenizer_reads_it(name: str) -> None:
    for text in sample_of(name, 150_000):
        assert tokenize(text) == slow(text)


PLAIN_WORDS = ["the", "cat", "email", "i", "zoological", "com", "website", "httpd", "ftps", "wwww"]


def kinds_after_replacement(text: str, seed: int) -> tuple[list[Kind], list[Kind]]:
    """The kinds of the tokens before and after every word is replaced by another."""
    tokens = tokenize(text)
    draw = random.Random(seed).choice
    replaced = [
        draw(PLAIN_WORDS) if token.kind is Kind.WORD else surface
        for token, surface in zip(tokens, split(text), strict=True)
    ]
    return [token.kind for token in tokens], [token.kind for token in tokenize("".join(replaced))]


@pytest.mark.slow
@settings(deadline=None, max_examples=1500)
@given(FRAGMENTED_TEXT, st.integers(0, 2**32))
def test_another_word_in_the_place_of_each_changes_no_kind(text: str, seed: int) -> None:
    # Three things can make or break an address: a word that is itself a scheme (not drawn here) and, in a
    # text with an "@", an apostrophe in a word, or a word longer than the local part of an address may be.
    assume("@" not in text or not ("'" in text or "\u2019" in text or len(text) > 60))
    before, after = kinds_after_replacement(text, seed)
    assert before == after


@pytest.mark.parametrize("name", ["agnews", "clinical", "pii", "wikipedia", "yelp"])
def test_another_word_in_real_text_changes_no_kind(name: str) -> None:
    for seed, text in enumerate(sample_of(name, 300_000)):
        before, after = kinds_after_replacement(text, seed)
        assert before == after
