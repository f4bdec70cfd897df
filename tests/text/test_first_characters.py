"""Patterns whose searches pass over characters with which no match begins find what ``re.compile`` finds."""

import random
import re

import pytest
from tests.detection.test_gates import PIECES
from tests.text.test_held_strings import lazy_patterns

from textveil.text.patterns import _quick

CHARACTERS = "aAbkKsSiIz09-_ \n'\u0130\u0131\u017f\u212a\u00e9\u00c9\u0663"
ATOMS = (
    "a", "k", "S", "i", "9", "\u00e9", " ", "-", "[ab]", "[A-Z]", "[^a]", "[k-s]", r"\d", r"\w", r"\s", ".", r"[\d-]",
    "(?<!a)", "(?<=k)", "(?=s)", "(?![ai])", r"\b", r"\A", r"(?!\Z)", r"(?<![\w-])", "(?P<x>a)(?P=x)",
)  # fmt: skip


def written(draw: random.Random, depth: int = 3) -> str:
    """Return a pattern made by chance."""
    parts = []
    for _ in range(draw.randint(1, 3)):
        part = draw.choice(ATOMS)
        if depth and draw.random() < 0.5:
            inner = [written(draw, depth - 1) for _ in range(draw.choice((1, 1, 2, 3)))]
            opened = draw.choice(("(?:", "(?:", "(", "(?i:", "(?>", "(?-i:"))
            part = f"{opened}{'|'.join([*inner, ''] if draw.random() < 0.1 else inner)})"
        if not part.startswith(("(?<", "(?=", "(?!", "\\b", "\\A", "(?P")) and draw.random() < 0.4:
            endless = ("*", "+", "++") if len(part) < 9 and "(" not in part else ()
            part += draw.choice(("?", "{2}", "{0,2}", "{1,3}?", "?+", *endless))
        parts.append(part)
    return "".join(parts)


@pytest.mark.parametrize("first", range(0, 4000, 1000))
def test_patterns_made_by_chance_find_what_re_finds(first: int) -> None:
    skipped = 0
    for seed in range(first, first + 1000):
        draw = random.Random(seed)
        pattern = written(draw)
        if pattern.count("(?P<x>") > 1:
            continue
        flags = draw.choice((0, 0, re.IGNORECASE))
        plain, fast = re.compile(pattern, flags), _quick(pattern, int(flags))
        for _ in range(8):
            text = "".join(draw.choices(CHARACTERS, k=draw.choice((0, 1, 4, 12))))
            found = [(match.span(), match.groups()) for match in plain.finditer(text)]
            assert [(match.span(), match.groups()) for match in fast.finditer(text)] == found, (pattern, flags)
            assert (fast.search(text) is None) == (not found)
            skipped += bool(found)
    assert skipped > 1000


def test_patterns_of_the_package_find_what_re_finds() -> None:
    texts = [piece for piece in PIECES if piece.strip()]
    page = "\n".join(texts)
    found = 0
    for one in lazy_patterns():
        spans = [match.span() for match in re.compile(one.pattern, one._flags).finditer(page)]
        assert [match.span() for match in _quick(one.pattern, int(one._flags)).finditer(page)] == spans, one.pattern
        found += bool(spans)
    assert found > 500


@pytest.mark.parametrize(
    ("pattern", "skips"),
    [
        ("(?<![a-z])[bc]x", True),
        (r"\b(?:x|yz)\d", True),
        ("(?i)(?<!a)bc", True),
        ("(?:a|(?=b)b)?c", True),
        ("(?>a|b)", True),
        ("(?<!a)a*", False),
        ("(?<!a)[^b]c", False),
        ("(?<!a).c", False),
        (r"(?<!a)\wc", False),
        ("(?i)(?<!a)\u00e9", False),
        ("(?<!a)(?:b|c?)", False),
    ],
)
def test_re_is_told_what_begins_a_match(pattern: str, skips: bool, capsys: pytest.CaptureFixture[str]) -> None:
    _quick(pattern, re.DEBUG)
    assert (" INFO 11 0b100 " in re.sub(r"INFO \d+", "INFO 11", capsys.readouterr().out)) is skips
