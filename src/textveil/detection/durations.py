"""Durations: how long something took or is to take, in digits or words, with its unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import with_words
from textveil.detection.number_words import BELOW_HUNDRED, at_numbers
from textveil.text.patterns import lazy_regex, matches

_UNIT: Final = (
    r"(?:(?:calendar|working|business|consecutive|whole|full|more|further|additional|long|short|school|military) ){0,2}"
    r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|decades?|fortnights?|nights?|weekends?|semesters?"
    r"|trimesters?|yrs?|mos?|wks?|hrs?|mins?|secs?)(?![A-Za-z])"
)
_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}|[0-9]{0,2})(?:\.[0-9]{1,2})?(?: (?:1/2|[1-3]/4))?"
    rf"|(?i:{BELOW_HUNDRED}(?: hundred)?|half an?))(?: and (?:a |one )?half)?"
)
_RANGE: Final = rf"{_NUMBER}(?:(?:-| - | to | or |\+ ?| and ){_NUMBER})?\+?"
_LENGTH: Final = rf"{_RANGE}[ -]?{_UNIT}"
_NOT_AGE: Final = r"(?![- ](?:old|of age)|\.? ?o(?:ld)?(?![a-z]))"
_DURATION: Final = lazy_regex(
    rf"{_LENGTH}(?:(?:,? and | ){_LENGTH}){{0,3}}{_NOT_AGE}(?:'(?!s))?"
    r"(?:(?:-| )(?:long|and a half)(?![a-z]))?"
)
_SHORT: Final = lazy_regex(
    r"(?<![\w.,$\xa4/:-])[0-9]{1,3}(?:\.[0-9])?(?:-[0-9]{1,3})? ?(?:h|min|sec|hr|w(?:k ?)?[0-6] ?d)"
    r"(?![A-Za-z0-9/']|\.[A-Za-z0-9])"
)
_FORTNIGHT: Final = lazy_regex(r"(?<![A-Za-z])[Aa] fortnight(?![A-Za-z])")

DURATION_GATE: Final = with_words(
    "year years month months week weeks day days hour hours minute minutes second seconds decade decades fortnight"
    " fortnights night nights weekend weekends semester semesters trimester trimesters yr yrs mo mos wk wks hr hrs"
    " min mins sec secs"
)
_AT_SENTENCE: Final = lazy_regex(r"[Oo]ne (?:day|night)$")


def find_durations(text: str) -> Iterator[Found]:
    """Lengths of time: three months, 6 weeks, a two-day hearing, eight months' imprisonment, a fortnight."""
    for match in at_numbers(_DURATION, text):
        if not _AT_SENTENCE.match(match[0]):  # "one day" is no length
            yield Found(*match.span(), "duration", 0.8, "unit")


def find_fortnights(text: str) -> Iterator[Found]:
    """A fortnight."""
    for match in matches(_FORTNIGHT, text):
        yield Found(*match.span(), "duration", 0.8, "unit")


def find_short_durations(text: str) -> Iterator[Found]:
    """Hours and minutes with a unit cut short: 24h, 30 min."""
    for match in matches(_SHORT, text):
        yield Found(*match.span(), "duration", 0.7, "unit")


FORTNIGHT_GATE: Final = with_words("fortnight")
SHORT_GATE: Final = with_words("h hr min sec w wk")
