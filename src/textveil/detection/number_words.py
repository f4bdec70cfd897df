"""Numbers that are written as English words, as patterns."""

from __future__ import annotations

from typing import Final

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
