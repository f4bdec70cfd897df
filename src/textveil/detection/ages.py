"""Ages of people: the number alone, without "years old"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near, near_places
from textveil.detection.gates import at_digits, either, holding, with_words
from textveil.detection.number_words import BELOW_HUNDRED
from textveil.text.patterns import lazy_regex, matches

_NUMBER: Final = r"(?:1[0-4][0-9]|[1-9]?[0-9])"
_UNIT: Final = r"(?:years?|yrs?|yr|months?|mos?|weeks?|wks?|days?)"

_OLD: Final = lazy_regex(
    rf"(?<![\w.,$\xa4/-])(?P<age>{_NUMBER}(?:\.[0-9]|[ -][1-9]/[1-9])?|(?i:{BELOW_HUNDRED})(?: and (?:a )?half)?)"
    rf"(?:[ -]?{_UNIT}[ -](?:and (?:a )?half )?(?:olds?\b|of age\b)|[ -]?(?:y\.?/?o\.?|yo)(?:[ -]?[mfMF])?(?!\w))"
)
_TO_TURN: Final = (
    r"(?<!\ba )(?<!\b(?:in|at|on|of|by) )(?<!\b(?:the|per|one|for|and) )(?<!\b(?:each|this|that|next|last|from|your) )"
    r"(?<!\b(?:every|first|after|since|until) )turn"
)
"""The verb, as in "will turn 30"; not the noun, as in "Turn 0:" or "in turn 3"."""

_AGED: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:[Aa]ged?(?:s| of| is|:)?|AGE:?|[Aa]t (?:the )?age(?: of)?|[Tt]urn(?:ed|s|ing)|{_TO_TURN}"
    rf"|[Ww]hen (?:he|she|I) was|"
    rf"(?:I am|I'm|she is|he is|she's|he's|She is|He is|She's|He's)(?: only| just| about| around)?)"
    rf" (?P<age>{_NUMBER}|(?i:{BELOW_HUNDRED}))(?![\w%]|[.,:/-][0-9]| ?(?:percent|feet|miles|pounds|kg|cm|lbs?|hours?"
    rf"|minutes?|days?|weeks?"
    rf"|months?|inches|foot|and a half|of (?:the|them|my|our)|more|times|in\b))"
)
_SMALL_UNIT: Final = lazy_regex(r"[ -]?(?:months?|mos?|weeks?|wks?|days?)\b")
_AGED_SMALL: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:[Aa]ged|[Aa]ge:|[Aa]ge of|[Aa]t age) (?P<age>(?:{_NUMBER}|(?i:{BELOW_HUNDRED}))"
    r" (?:months?|mos?|weeks?|wks?|days?))\b"
)
_OLD_WORD: Final = lazy_regex(r"old(?![a-rt-z])|of age|y\.?/?o(?![a-z])")
_AGED_WORD: Final = lazy_regex(
    r"[AaTtHhI](?:(?<=[Aa])ged?(?: of| is|:)?|(?<=A)GE:?|(?<=[Tt])urn(?:ed|s|ing)?|(?<=h)en (?:he|she|I) was"
    r"|(?:(?<=I)(?: am|'m)|(?<=[Hh])e(?: is|'s))(?: only| just| about| around)?)"
    rf" (?=[0-9]|(?i:{BELOW_HUNDRED}))"
)
"""What tells of an age, up to the number."""
_DECADE: Final = lazy_regex(
    r"[Ii](?<![A-Za-z].)n (?:his|her|their|my|your|our) (?:early |mid[ -]?|late )?"
    r"(?P<age>[1-9]0|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)(?=s?\b|'s)"
)
AGED_GATE: Final = either(
    with_words("age aged ages turn turned turns turning"),
    holding("I am ", "I'm ", "e is ", "e's ", "hen he was ", "hen she was ", "hen I was "),
)
_AFTER_NAME: Final = lazy_regex(
    r"[1-9](?:(?<=[a-z], .)[0-9](?=, (?:MRN|DOB|SSN|ID|NHS)\b|, (?![A-Z0-9]))|(?<=[a-z] \(.)[0-9](?=\)|, [A-Z]{2,4}\b))"
)
_CODE: Final = lazy_regex(r"[1-9](?<![\w.,/-].)[0-9](?=[ -]?[MF](?![\w.'/-]))")


DECADE_GATE: Final = either(at_digits("(?<![0-9])[1-9]0(?![0-9])"), holding("ties"))
AFTER_NAME_GATE: Final = at_digits(r"[a-z](?:, | \()[1-9][0-9](?:, |\))")
CODE_GATE: Final = at_digits("[1-9][0-9][ -]?[MF]")


def find_ages(text: str) -> Iterator[Found]:
    """Ages such as 42 years old, 42-year-old, 42 yo, forty-two years old; with a unit that is no year (6 weeks)."""
    for match in near(_OLD, text, _OLD_WORD, 50, 8):
        unit = _SMALL_UNIT.match(text, match.end("age"))
        yield Found(match.start("age"), unit.end() if unit else match.end("age"), "age", 0.9)


def find_ages_after_words(text: str) -> Iterator[Found]:
    """Ages that a word before them tells: aged, age, turned, I am."""
    places = [match.span() for match in matches(_AGED_WORD, text)]
    yield from _found(near_places(_AGED, text, places, 10, 60), 0.7)
    yield from _found(near_places(_AGED_SMALL, text, places, 10, 60), 0.8)


def find_decades_of_age(text: str) -> Iterator[Found]:
    """The number in "in her 40s"."""
    yield from _found(matches(_DECADE, text), 0.8)


def find_ages_after_names(text: str) -> Iterator[Found]:
    """The number in "Maria, 42, said", and in "42F"."""
    yield from _found(matches(_AFTER_NAME, text), 0.6)


def find_coded_ages(text: str) -> Iterator[Found]:
    """The number in "42F"."""
    yield from _found(matches(_CODE, text), 0.5)


def _found(matches: Iterator[re.Match[str]], score: float) -> Iterator[Found]:
    for match in matches:
        yield Found(*match.span(match.lastgroup or 0), "age", score)
