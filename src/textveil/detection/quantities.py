"""Quantities: counted things, percentages, ordinals, versions, numbers of lists, names that hold digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near
from textveil.detection.gates import at_digits, both, either, holding, with_words
from textveil.detection.number_words import BELOW_HUNDRED, NUMBER_WORDS, at_numbers
from textveil.detection.units import WITH_DIGITS, is_name
from textveil.text.patterns import lazy_regex, matches

_FIGURES: Final = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,5})(?![0-9])(?:\.[0-9]{1,4}(?![0-9]))?"
_BEFORE: Final = r"(?<![\w.,$\xa4/:#+-])"
_PERCENT: Final = lazy_regex(
    rf"{_BEFORE}[+-]?{_FIGURES}(?:(?:-| to | and |/){_FIGURES})?(?: ?%| per ?cent(?![a-z])| percentage points?|"
    rf" ?\u2030)"
)
_DIGIT: Final = lazy_regex("[0-9]")
_MIXED: Final = lazy_regex(r"[0-9](?:(?<=[A-Za-z.-].)|[0-9]?(?=[A-Za-z(/-]))")
_NAMED: Final = lazy_regex(rf"(?:{WITH_DIGITS})(?![\w/@]|-[0-9]|\.[0-9])")
_ORDINAL: Final = lazy_regex(
    r"(?<![\w.,$\xa4/:-])(?:[0-9]{0,4}(?:1[1-3]th|1st|2nd|3rd|[04-9]th)|[0-9]{0,4}(?:[2-9]|(?<![0-9]))(?:1st|2nd"
    r"|3rd))(?![\w])"
)
_VERSION: Final = lazy_regex(
    r"(?<![A-Za-z])(?:[Vv]ersions?|[Vv]er\.|[Rr]elease|v) ?[0-9]{1,4}(?:\.[0-9]{1,5}){0,3}(?:-?(?:alpha|beta|rc"
    r"|dev)\.?[0-9]{0,2})?(?![\w]|\.[0-9])"
)
_SHARE: Final = lazy_regex(
    rf"(?:[0-9]{{1,5}}|(?i:{BELOW_HUNDRED})) (?:out of|of|in) (?:every )?(?:the )?(?:[0-9]{{1,5}}"
    rf"|(?:{BELOW_HUNDRED}))(?![\w]|[.,:/-][0-9])"
)
_THING: Final = (
    r"(?:(?!(?:days|years|months|weeks|hours|minutes|seconds|was|is|has|as|its|his|this|plus|minus|times)(?![a-z]))"
    r"[a-z]{2,18}(?:[^s\W\d_u]s|ies|children|men|women|people|feet|teeth|mice|sheep|fish|data|staff)|people|men"
    r"|women|children)"
    r"(?![A-Za-z'])"
)
_COUNT: Final = lazy_regex(
    rf"(?:{_FIGURES}(?:(?:-| to | or ){_FIGURES})?|(?i:(?:zero|{BELOW_HUNDRED})(?: (?:hundred|thousand|million))?"
    rf"(?: (?:to|or) (?:{BELOW_HUNDRED}))?))\+? (?:(?:[a-z]{{3,14}}[ -]){{0,2}}?{_THING}|other {_THING})"
)
_SECTION_WORD: Final = (
    r"(?:[Ss]ections?|[Cc]hapters?|[Aa]rticles?|[Pp]aragraphs?|[Pp]aras?\.|[Ff]igures?|[Ff]igs?\.?|[Tt]ables?|[Pp]ages?"
    r"|[Ss]teps?|[Aa]ppendix|[Aa]nnex|[Rr]ules?|[Cc]lauses?|[Ss]ub-?sections?|[Ee]quations?|[Ee]xercises?"
    r"|[Ll]essons?|[Qq]uestions?"
    r"|[Vv]olumes?|[Vv]ol\.|pp?\.|[Nn]otes?|[Ii]tems?|[Pp]arts?|[Ss]lides?|[Pp]rotocol|[Ee]pisodes?|[Ss]eason"
    r"|[Ll]evel|[Ll]ines?)"
)
_PLACE: Final = r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,4}"
_PLACES: Final = rf"{_PLACE}[a-z]?(?:(?:-|, | and | to | or | of ){_PLACE}){{0,6}}"
_SECTION: Final = lazy_regex(rf"(?<![A-Za-z]){_SECTION_WORD} (?:no\. ?)?(?P<place>{_PLACES})(?![\w]|[/:,-][0-9])")
AFTER_SECTION: Final = lazy_regex(rf"(?<![A-Za-z]){_SECTION_WORD} (?:no\. ?)?\Z")
"""Whether a text ends with a word that a number of a section, page or step stands behind."""
SECTION_NUMBER: Final = lazy_regex(_PLACES)
"""Whether a value is the number of a section, or several; with a unit it is none, whatever word stands before it."""
_LISTED: Final = lazy_regex(
    r"(?:(?<=\n)|\A)[ \t>*-]{0,8}(?P<number>[0-9]{1,2}[.)]|\([0-9]{1,2}\)|[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.?)(?=["
    r" \t]+[^\s0-9]|[ \t]*\n)"
)
LIST_NUMBER: Final = lazy_regex(r"\(?[0-9]{1,2}[.)]|[0-9]{1,2}(?:\.[0-9]{1,2}){1,3}\.")
"""Whether a value is the number of an item or a heading, with its mark."""
_INLINE: Final = lazy_regex(r"(?<![\w.,/$-])(?P<number>[1-9][0-9]?[.)])(?= {1,3}[A-Z])")

PERCENT_GATE: Final = at_digits("[0-9](?: ?%| per)")
NAMED_GATE: Final = at_digits("[A-Za-z.2319][-./]?[0-9]|[0-9](?:[A-Za-z(]|-[A-Z]|/)")
ORDINAL_GATE: Final = at_digits("[0-9](?:st|nd|rd|th)")
VERSION_GATE: Final = at_digits("[nsevVr]\\.? ?[0-9]")
SECTION_GATE: Final = at_digits(r"[a-z.] ?(?:no\. ?)?[0-9]")
LIST_GATE: Final = at_digits(r"[0-9][.)]")


def find_named_numbers(text: str) -> Iterator[Found]:
    """Names that hold digits: COVID-19, F-16, MP3. What stands in them is no number."""
    reached = 0
    for digit in matches(_MIXED, text):
        if digit.start() >= reached:
            start = _begins(text, digit.start())
            match = _NAMED.match(text, start) if start >= reached else None
            if match is not None and match.end() > digit.start() and is_name(text, *match.span()):
                reached = match.end()
                yield Found(start, reached, "quantity", 0.7, "list")


def _begins(text: str, place: int) -> int:
    """Where the name that holds a place begins: behind white space or a mark that no name holds."""
    low = max(0, place - 12)
    while place > low and (text[place - 1].isalnum() or text[place - 1] in ".-/"):
        place -= 1
    return place


def find_percentages(text: str) -> Iterator[Found]:
    """Percentages."""
    for match in matches(_PERCENT, text):
        yield Found(*match.span(), "quantity", 0.9, "unit")


def find_ordinals(text: str) -> Iterator[Found]:
    """Ordinals in digits: 1st, 22nd, 113th."""
    for match in matches(_ORDINAL, text):
        yield Found(*match.span(), "quantity", 0.8, "ordinal")


def find_versions(text: str) -> Iterator[Found]:
    """Versions: version 3, v1.2.0-rc1."""
    for match in near(_VERSION, text, _DIGIT, 12, 24):
        yield Found(*match.span(), "quantity", 0.8, "version")


def find_sections(text: str) -> Iterator[Found]:
    """Numbers of pages, sections, steps and tables, behind their word: section 4.2, page 3 of 12."""
    for match in near(_SECTION, text, _DIGIT, 24, 30):
        yield Found(*match.span("place"), "quantity", 0.7, "sequence")


def find_list_numbers(text: str) -> Iterator[Found]:
    """Numbers in front of the items of a list, where they follow one another: 1. 2. 3."""
    previous: list[int] = []
    held: Found | None = None
    for match in matches(_INLINE if "\n" not in text else _LISTED, text):
        number = [int(part) for part in re.findall("[0-9]+", match["number"])]
        span = Found(*match.span("number"), "quantity", 0.7, "sequence")
        if _follows(previous, number):
            if held is not None:
                yield held
                held = None
            yield span
        else:
            held = span if number[-1] == 1 else None
        previous = number


def _follows(before: list[int], number: list[int]) -> bool:
    for level, part in enumerate(number):
        last = before[level] if level < len(before) else 0
        if part != last:
            return bool(before) and part == last + 1 and all(rest == 1 for rest in number[level + 1 :])
    return False


def find_counts(text: str) -> Iterator[Found]:
    """Counted things and shares: 12 patients, seventy-one hearings, two of five."""
    for match in at_numbers(_COUNT, text):
        yield Found(*match.span(), "quantity", 0.6, "count")


def find_shares(text: str) -> Iterator[Found]:
    """Shares of a whole: 3 out of 10, two of five."""
    for match in at_numbers(_SHARE, text):
        if " in " not in match[0] or match[0][0].isdigit():
            yield Found(*match.span(), "quantity", 0.6, "count")


COUNT_GATE: Final = either(at_digits("[0-9]\\+? [a-z]"), with_words(NUMBER_WORDS))
SHARE_GATE: Final = both(
    holding(" of ", " in "), either(at_digits("[0-9] (?:out )?(?:of|in) "), with_words(NUMBER_WORDS))
)
