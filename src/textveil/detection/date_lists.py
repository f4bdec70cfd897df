"""Dates with months in German, French, Spanish, Italian, Portuguese and Dutch; lists and ranges of dates.

A list or range is one span: what its dates share (29 and 30 June 1992) is written once, so no part of it can be read
without the others. Patterns are of the plain form of a text, in which letters have no accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near
from textveil.detection.gates import at_digits, with_words
from textveil.detection.plain import without
from textveil.text.slices import matches

_ENGLISH: Final = "january february march april may june july august september october november december"
_ENGLISH_SHORT: Final = "jan feb mar apr jun jul aug sep sept oct nov dec"
_OTHERS: Final = (
    "januar janner februar marz maerz april mai juni juli august september oktober november dezember"
    " janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre"
    " enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre"
    " gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    " janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro"
    " januari februari maart april mei juni juli augustus september oktober november december"
)
_OTHERS_SHORT: Final = (
    "jan feb mrz apr jun jul aug sep sept okt nov dez janv fevr avr juil oct dec ene abr ago dic gen mag giu lug ott"
    " set fev out mrt"
)


def _either(words: str) -> str:
    return "|".join(sorted(set(words.split()), key=lambda word: (-len(word), word)))


_NAME: Final = rf"(?:{_either(_ENGLISH + ' ' + _OTHERS)}|(?:{_either(_ENGLISH_SHORT)})\b\.?)"
_FULL: Final = rf"(?:{_either(_OTHERS)})(?![a-z])"
_SHORT: Final = rf"(?:{_either(_OTHERS_SHORT)})(?![a-z])"
_WEEKDAY: Final = (
    r"(?:(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|lundi|mardi|mercredi|jeudi|vendredi"
    r"|samedi|dimanche|lunes|martes|miercoles|jueves|viernes|sabado|domingo|lunedi|martedi|mercoledi|giovedi|venerdi"
    r"|sabato|domenica|(?:segunda|terca|quarta|quinta|sexta)(?:-feira)?|maandag|dinsdag|woensdag|donderdag|vrijdag"
    r"|zaterdag|zondag),? (?:(?:den|dem|le|el|il|op) )?)"
)
_YEAR: Final = r"(?:1[5-9][0-9][0-9]|20[0-9][0-9])"
_DAY: Final = r"(?:3[01]|[12][0-9]|0?[1-9])"
_OTHER: Final = re.compile(
    rf"(?<![\w/-])(?<![0-9][.,])(?i:{_WEEKDAY}?{_DAY}(?:er|ste|[oa])?(?:\. ?| |-)(?:de |di |d'|d' )?"
    rf"(?:{_FULL}(?:\.?(?:,? (?:del? )?|-|\.){_YEAR}| '[0-9]{{2}})?"
    rf"|{_SHORT}\.?(?:,? (?:del? )?|-|\.)(?:{_YEAR}|'[0-9]{{2}})))(?!\w|[,.][0-9])"
)
_MONTH_OF_YEAR: Final = re.compile(
    rf"(?<![\w-])(?:(?i:(?!mar(?:s|co|zo)|ma[iy]o?|mei)(?:{_FULL}))|mars|mar[cz]o|ma[iy]o?|mei)"
    rf",? (?:del? )?{_YEAR}(?!\w|[,.][0-9])"
)
_OTHER_WORD: Final = re.compile(rf"(?<![A-Za-z])(?i:{_FULL}|{_SHORT})")

_AND: Final = r"(?:and|or|to|until|till|through|bis|und|et|au|ou|y|al|a|e|o|tot|en)"
_ON: Final = r"(?:(?:on|am|le|el|il|op|the) )?"
_BEGIN: Final = r"(?:(?i:between|zwischen(?: dem)?|entre(?: le| el)?|tra il|tussen) )?"
_JOIN: Final = rf"(?:, ?(?:{_AND} )?| {_AND} | ?- ?)"
_NTH: Final = rf"{_DAY}(?:st|nd|rd|th|\.(?=[ -]))?"
_OF: Final = r"(?: (?:of |de |di |d')?)"
_FULL_DATE: Final = rf"{_NTH}{_OF}(?i:{_NAME})(?:,? (?:of |del? )?{_YEAR})?"
_PART: Final = rf"{_NTH}(?:{_OF}(?i:{_NAME})(?:,? (?:of |del? )?{_YEAR})?)?"
_DAY_FIRST: Final = re.compile(
    rf"(?<![\w./,$\xa4-])(?<![0-9] )(?<![0-9], ){_BEGIN}(?:{_PART}{_JOIN}{_ON}){{1,8}}{_FULL_DATE}(?!\w|[,.:][0-9])"
)
_NEXT_WORD: Final = (
    r"(?![ -](?!(?:at|in|for|on|of|to|and|he|she|we|they|the|with|as|was|were|by|from|when|but|or|it)\b)[A-Za-z])"
)
_MONTH_FIRST: Final = re.compile(
    rf"(?<![\w-]){_BEGIN}(?i:{_NAME}) {_NTH}(?!\w)(?:, {_YEAR})?"
    rf"(?:{_JOIN}(?:(?:on )?(?i:{_NAME}) )?{_NTH}(?![\w:]|[,.][0-9]|{_OF}(?i:{_NAME}))(?:,? {_YEAR}(?!\w))?){{1,8}}"
    rf"(?!\w|[:.][0-9]){_NEXT_WORD}"
)
_MONTHS: Final = re.compile(
    rf"(?<![\w-]){_BEGIN}(?i:{_NAME})(?:, (?i:{_NAME})){{0,10}}(?:,? (?:and|or|to|until|through|bis|und|et|y|a|e|en)"
    rf" | ?- ?)(?i:{_NAME}),? (?:of |del? )?{_YEAR}(?!\w|[,.][0-9])"
)
_IN_DIGITS: Final = re.compile(
    rf"(?<![\w./,-])(?:{_DAY}\.(?: ?[01]?[0-9]\.)?(?: ?- ?| (?:bis|und|to|and|au|al|a|en|tot) (?:zum )?)"
    rf"{_DAY}\. ?[01]?[0-9]\.(?: ?{_YEAR}|[0-9]{{2}})?"
    rf"|[0-3]?[0-9]/[0-3]?[0-9](?: ?- ?| (?:to|and|au|al|a|tot) )[0-3]?[0-9]/[0-3]?[0-9]/(?:{_YEAR}|[0-9]{{2}}))"
    r"(?!\w|[-/.][0-9])"
)
_YEAR_LIST: Final = re.compile(
    rf"[12](?<![\w.,$\xa4/:#-].)(?:(?<=1)[6-9]|(?<=2)0)[0-9]{{2}}(?:, {_YEAR}){{0,10}}"
    rf"(?:,? (?:and|or|to|until|through|bis|und|et|y|a|e|en) |, ){_YEAR}(?!\w|[.,:/-][0-9]|-[a-z])"
)
_BETWEEN: Final = re.compile(r"(?:\b[Bb]etween|\b[Zz]wischen|\b[Ee]ntre|\b[Tt]ussen) \Z")
_MONTH_WORD: Final = re.compile(rf"(?<![A-Za-z])(?i:{_NAME})(?![a-z])")
_HAS_AND: Final = re.compile(rf" {_AND} |-").search
_BARE: Final = re.compile(rf"{_NTH}, ").match

OTHER_GATE: Final = with_words(" ".join(sorted(set((_OTHERS + " " + _OTHERS_SHORT).split()))))
LIST_GATE: Final = with_words(" ".join(sorted(set((_ENGLISH + " " + _ENGLISH_SHORT + " " + _OTHERS).split()))))
DIGITS_GATE: Final = at_digits(r"[0-9][./](?: ?-| [a-z]|[0-9]{1,2}[./]?(?: ?-| [a-z]))")
YEARS_GATE: Final = at_digits(r"[12][0-9]{3},? (?:[a-z]{1,7} )?[12][0-9]{3}")


def find_date_lists(text: str) -> Iterator[Found]:
    """Lists and ranges with months by name: 29 and 30 June 1992; between March 3 and 5; July and December 1995."""
    reached = 0
    found = sorted(
        ((match.start(), -match.end()), match[0])
        for pattern in (_DAY_FIRST, _MONTH_FIRST, _MONTHS)
        for match in near(pattern, text, _MONTH_WORD, 60, 60)
        if (not _BARE(match[0]) or _HAS_AND(match[0])) and not match[0].endswith((" may", " march"))
    )
    for (start, end), _ in found:
        if start >= reached:
            reached = -end
            yield Found(start, reached, "date", 0.9)


def find_dates_of_languages(text: str) -> Iterator[Found]:
    """Dates with a month of another language than English: 3. Marz 2021, 14 juillet, 3 de mayo de 2020."""
    for pattern in (_OTHER, _MONTH_OF_YEAR):
        spans = [match.span() for match in near(pattern, text, _OTHER_WORD, 40, 30)]
        for start, end in spans:
            yield Found(start, end, "date", 0.9)
        text = without(text, spans)


def find_ranges_in_digits(text: str) -> Iterator[Found]:
    """Ranges in digits that write once what both dates share: 02.01. bis 09.01.2024; 1/2 - 5/2/2024."""
    for match in matches(_IN_DIGITS, text):
        yield Found(match.start(), match.end(), "date", 0.9)


def find_year_lists(text: str) -> Iterator[Found]:
    """Lists of years: 1994, 1995 and 1997; between 1944 and 1990."""
    for match in matches(_YEAR_LIST, text):
        before = _BETWEEN.search(text, max(0, match.start() - 10), match.start())
        yield Found(before.start() if before else match.start(), match.end(), "date", 0.5)
