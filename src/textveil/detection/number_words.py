"""Numbers that are written as English words, as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.text.patterns import lazy_regex
from textveil.text.slices import matches

_UNITS: Final = "one|two|three|four|five|six|seven|eight|nine"
_TEENS: Final = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS: Final = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"

BELOW_HUNDRED: Final = rf"(?:(?:{_TENS})(?:[ -](?:{_UNITS}))?|{_TEENS}|{_UNITS})"
"""One to ninety-nine."""

ORDINAL: Final = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth"
    r"|twentieth|thirtieth"
)
"""First to thirty-ninth: days of a month."""

YEAR: Final = (
    rf"(?:two thousand(?: and)?(?: {BELOW_HUNDRED})?|"
    rf"(?:nineteen|twenty)[ -](?:{_TENS}|{_TEENS}|oh)(?:[ -](?:{_UNITS}))?)"
)
"""Years of the last century and this one, as they are spoken."""

AMOUNT: Final = (
    rf"(?:{BELOW_HUNDRED}|a|hundred|thousand|million)(?:[ -](?:and[ -])?(?:{BELOW_HUNDRED}|hundred|thousand|million|"
    r"billion)){0,8}"
)
"""Whole numbers of any size."""

NUMBER_WORDS: Final = " ".join(f"{_UNITS}|{_TEENS}|{_TENS}|half".split("|"))
"""Words that begin a number, parted by spaces: what gates look for."""

_STARTS: Final = lazy_regex(
    r"[0-9OTFSENHotfsenh](?<![\w.,$\xa4/:#+-].)(?:(?<=[0-9])|(?<=[Oo])ne|(?<=[Tt])(?:wo|hree|en|welve|hirteen|wenty|hirty)"
    r"|(?<=[Ff])(?:our(?:teen)?|ive|ifteen|orty|ifty)|(?<=[Ss])(?:ix(?:teen|ty)?|even(?:teen|ty)?)|(?<=[Ee])(?:ight(?:een|y)?"
    r"|leven)|(?<=[Nn])ine(?:teen|ty)?|(?<=[Hh])alf)(?:(?<=[0-9])|(?![A-Za-z]))"
)


def at_numbers(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern that begins with a number, in digits or words; none overlaps another."""
    reached = 0
    for start in matches(_STARTS, text):
        if start.start() >= reached:
            match = pattern.match(text, start.start())
            if match is not None:
                reached = match.end()
                yield match
