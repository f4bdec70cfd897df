"""Words of everyday pages in other orders: no text may stop a sanitizer, and each release must undo to its text."""

import random
import re
from pathlib import Path

import textveil as tv

PAGES = Path(__file__).with_name("everyday")
POLICIES = ("identifiers", "clinical", "prompts")
SEEMING = (
    "the secret ",
    "password ",
    " . ",
    "<b>",
    "</b>",
    "\\n",
    "/",
    "P<",
    "{",
    "}",
    "[",
    "(",
    "*",
    "+",
    "\n",
    "    ",
)
"""What makes fields, escapes, tags and patterns of what stands beside it."""
LONGEST = 60  # pieces


def pieces() -> list[str]:
    """Return the words and the white space of the pages whose misses may be seen, without their marks."""
    files = sorted([*PAGES.glob("pages/*.txt"), *PAGES.glob("fresh/*.txt")])
    text = "\n".join(re.sub(r"\[[-+?]|[-+?]\]", "", file.read_text(encoding="utf-8")) for file in files)
    return [*re.findall(r"\S+|\s+", text), *SEEMING * 50]


def shuffled_pages(count: int, seed: int) -> list[str]:
    """Sanitize ``count`` texts of random words, under each policy in turn.

    Raises:
        AssertionError: a text stopped a sanitizer, or its release does not undo to it; the text is told by number.
    """
    words, rng = pieces(), random.Random(seed)
    sanitizers = [tv.Sanitizer(policy) for policy in POLICIES]
    for number in range(count):
        text = "".join(rng.choice(words) + rng.choice(("", " ", " ", "\n")) for _ in range(rng.randint(1, LONGEST)))
        try:
            release = sanitizers[number % len(POLICIES)](text)
        except Exception as error:
            raise AssertionError(
                f"text {number} of seed {seed} stopped the sanitizer: {type(error).__name__}"
            ) from error
        private_map = release.private_map
        assert private_map is not None and private_map.original() == text, (
            f"text {number} of seed {seed} does not come back"
        )
    return [f"{count:,} texts of words of everyday pages: none stopped a sanitizer, each comes back from its map"]
