"""Slices find what the whole text gives, and stop when time is over."""

import importlib
import random
import re
import threading
import time
from collections.abc import Iterator

import pytest
from tests.detection.test_gates import PIECES

from textveil.detection.detectors import NumberDetector
from textveil.detection.embedded import embedded_detector
from textveil.detection.found import plain
from textveil.detection.given import PatternDetector
from textveil.errors import SlowText
from textveil.text import patterns as slices
from textveil.text.numbers import number_places
from textveil.text.patterns import LazyRegex, check_time, matches, reach_of, search, time_limit, translated

MODULES = (
    "addresses",
    "dates",
    "identifiers",
    "name_evidence",
    "name_judgement",
    "names",
    "people_in_records",
    "people_in_tables",
    "quantities",
    "streets",
)


def patterns() -> Iterator[re.Pattern[str]]:
    """Every pattern of the embedded detector that a match of has a longest length."""
    for module in MODULES:
        values = vars(importlib.import_module(f"textveil.detection.{module}")).values()
        yield from (one for one in values if isinstance(one, re.Pattern | LazyRegex) and reach_of(one) < float("inf"))


PATTERNS = tuple(patterns())


def hostile(seed: int) -> str:
    """Pieces in a row, some of them again and again, so that matches stand wherever a slice may end."""
    draw = random.Random(seed)
    parts = [draw.choice(PIECES) * draw.choice((1, 1, 1, 2, 7)) for _ in range(draw.choice((5, 20, 40)))]
    return draw.choice(("", " ", ", ", "\n")).join(parts)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 5, 16, 64, 301])
def test_slices_of_any_size_give_the_matches_of_the_whole(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE", size)
    count = 0
    for seed in range(40):
        text = plain(hostile(1000 * size + seed)).text
        for pattern in PATTERNS:
            whole = [one.span() for one in pattern.finditer(text)]
            assert [one.span() for one in matches(pattern, text)] == whole, (seed, pattern.pattern)
            low, high = len(text) // 3, 2 * len(text) // 3
            part = [one.span() for one in pattern.finditer(text, low, high)]
            assert [one.span() for one in matches(pattern, text, low, high)] == part, (seed, pattern.pattern)
            assert (found := search(pattern, text)) is None or found.span() == whole[0]
            count += len(whole)
    assert count > 500 and len(PATTERNS) > 25


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 3, 16, 64])
def test_detectors_find_the_same_spans_in_slices_of_any_size(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [hostile(seed) + " Mu\u0308ller \u0661\u0662" for seed in range(60)]
    detectors = (embedded_detector(), NumberDetector(), PatternDetector("id", r"(?<!\d)\d(?:-?\d){5,9}(?!\d)$|A-"))
    whole = [one.detect(texts) for one in detectors], [number_places(text) for text in texts]
    monkeypatch.setattr(slices, "SLICE", size)
    assert ([one.detect(texts) for one in detectors], [number_places(text) for text in texts]) == whole
    assert sum(map(len, whole[0][0])) > 500


@pytest.mark.parametrize(
    ("pattern", "reach"),
    [
        ("abc", 4),
        ("a{2,5}b?", 7),
        ("(?:ab|cde)(?=fg)", 6),
        (r"(?<=abc)d(?!e\b)", 4),
        ("(?P<s>ab?)c(?P=s)", 6),
        ("a++", float("inf")),
        ("a(?=b*)", float("inf")),
        ("(?=a)|b", float("inf")),
        ("(?>a{3})b", 5),
    ],
)
def test_the_reach_of_a_pattern_is_what_decides_a_match(pattern: str, reach: float) -> None:
    assert reach_of(re.compile(pattern)) == reach


def test_a_text_is_translated_slice_by_slice() -> None:
    text = "\u00e9a\u0301" * slices.SLICE
    table = {0xE9: "e", 0x301: None}
    assert translated(text, table) == text.translate(table) == "ea" * slices.SLICE


def test_texts_are_read_no_longer_than_their_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    check_time()
    with time_limit(1000):
        check_time()
        now = time.thread_time() + 1001
        later = time.monotonic() + 901
        monkeypatch.setattr(slices.time, "thread_time", lambda: now)
        check_time()  # the clock says that it cannot be: the processor's time is not asked for
        monkeypatch.setattr(slices.time, "monotonic", lambda: later)
        with pytest.raises(SlowText, match="at most 1000 s"):
            check_time()
        with pytest.raises(SlowText):
            embedded_detector().detect(["Maria Gonzalez"])
        for pattern in ("x", "x+"):
            with pytest.raises(SlowText):
                list(matches(re.compile(pattern), "x" * (2 * slices.SLICE)))
        other = threading.Thread(target=check_time)
        other.start()
        other.join()
    check_time()
