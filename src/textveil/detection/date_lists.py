"""Dates with months in German, French, Spanish, Italian, Portuguese, Dutch and Polish; lists and ranges of dates.

A list or range is one span: what its dates share (29 and 30 June 1992) is written once, so no part of it can be read
without the others. Patterns are of the plain form of a text, in which letters have no accents.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeAlias

from textveil.detection.dates import find_named_dates
from textveil.detection.found import Found, finding, settled, without, words_in
from textveil.detection.gates import at_digits, both, either, joined_words, matching, places_of, with_words
from textveil.detection.lists import by_language
from textveil.detection.units import BELOW_HUNDRED, FOREIGN_NUMBER_WORDS, ORDINAL, YEAR, spelled_before, spelled_behind
from textveil.text.patterns import check_time, either_of, lazy_regex, matches

_ENGLISH: Final = "january february march april may june july august september october november december"
_ENGLISH_SHORT: Final = "jan feb mar apr jun jul aug sep sept oct nov dec"
_OTHERS: Final = " ".join([word for words in by_language("months").values() for word in words])
_OTHERS_SHORT: Final = " ".join([word for words in by_language("short months").values() for word in words])


_NOT_ENGLISH: Final = " ".join(sorted(set(_OTHERS.split()) - set(_ENGLISH.split())))
_NOT_SHARED: Final = rf"(?:{either_of(_NOT_ENGLISH)})(?![a-z])"
_NAME: Final = rf"(?:(?:{either_of(_ENGLISH + ' ' + _OTHERS)})(?![a-z])|(?:{either_of(_ENGLISH_SHORT)})(?![a-z])\.?)"
_FULL: Final = rf"(?:{either_of(_OTHERS)})(?![a-z])"
_SHORT: Final = rf"(?:{either_of(_OTHERS_SHORT)})(?![a-z])"
_YEAR: Final = r"(?:1[5-9][0-9][0-9]|20[0-9][0-9])"
_DAY: Final = r"(?:3[01]|[12][0-9]|0?[1-9])"
_ORDINAL_DAY: Final = lazy_regex(
    r"(?<![A-Za-z])(?i:primer[oa]?|premier|primo|primeiro|erste[rsn]?|zweite[rsn]?|dritte[rsn]?|vierte[rsn]?"
    r"|(?:funf|sechs|sieb|acht|neun|zehn|elf|zwolf|(?:drei|vier|funf|sech|sieb|acht|neun)zehn)te[rsn]?"
    r"|(?:(?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und)?(?:zwanzig|dreiss?ig)ste[rsn]?|eerste|tweede|derde"
    r"|pierwszego|drugiego|trzeciego|czwartego|piatego|szostego|siodmego|osmego|dziewiatego|dziesiatego)\Z"
)
_NO_DAY: Final = lazy_regex(
    r"(?i:mil|cent|cien|hundert|tausend|honderd|duizend|sto|six (?:april|august|sept|nov)|(?:due|once) (?:january"
    r"|february|march|april|may|june|july|august|september|october|november|december)\b)"
)
"""Numbers in words that are no day of a month, or are English beside a month that is too."""
_OF_MONTH: Final = lazy_regex(r" (?:d[ei]l? )?\Z")
_OF_YEAR: Final = lazy_regex(rf",? (?:de |del |di |do )?(?P<year>{_YEAR}(?!\w))?")
_AFTER_DAY: Final = r"(?:er|ste|[oa])?(?:\. ?| |-)(?:de |di |d' ?)?"
_OTHER: Final = lazy_regex(
    rf"[0-9](?<![\w/-].)(?<![0-9][.,].)(?:(?<=[0-3])[0-9])?(?i:{_AFTER_DAY}"
    rf"(?:(?:{_NOT_SHARED}|(?<=\. ){_FULL})(?:\.?(?:,? (?:del? )?|-|\.){_YEAR}(?: r\.)?| '[0-9]{{2}})?"
    rf"|{_SHORT}\.?(?:,? (?:del? )?|-|\.)(?:{_YEAR}|'[0-9]{{2}})))(?!\w|[,.][0-9])",
    words=f"{_OTHERS} {_OTHERS_SHORT}",
)
_MONTHS: Final = joined_words(f"{_ENGLISH} {_OTHERS}")
_WEEKDAY: Final = lazy_regex(
    r"(?<![A-Za-z])(?i:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|lundi|mardi|mercredi|jeudi"
    r"|vendredi|samedi|dimanche|lunes|martes|miercoles|jueves|viernes|sabado|domingo|lunedi|martedi|mercoledi|giovedi"
    r"|venerdi|sabato|domenica|(?:segunda|terca|quarta|quinta|sexta)(?:-feira)?|maandag|dinsdag|woensdag|donderdag"
    r"|vrijdag|zaterdag|zondag),? \Z|(?<![A-Za-z])(?:Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun)\.?,? \Z"
)
_A_YEAR: Final = lazy_regex(r"[12](?<![\w-].)(?:(?<=1)[5-9]|(?<=2)0)[0-9]{2}(?!\w|[,.][0-9])")
_MONTH_BEFORE: Final = lazy_regex(
    rf"(?<![\w-])(?:(?i:(?!mar(?:s|co|zo)\b|ma[iy]o?\b|mei\b){_NOT_SHARED})|(?:mars|mar[cz]o|ma[iy]o?|mei)(?![a-z]))"
    r",? (?:del? )?\Z"
)

_AND: Final = r"(?:and|or|to|until|till|through|bis|und|et|au|ou|y|al|a|e|o|tot|en)"
_ON: Final = r"(?:(?:on|am|le|el|il|op|the) )?"
_JOIN: Final = rf"(?:, ?(?:{_AND} )?| {_AND} | ?- ?){_ON}"
_JOIN_BEFORE: Final = lazy_regex(rf"{_JOIN}\Z")
_JOIN_AFTER: Final = lazy_regex(_JOIN)
_BEGIN: Final = lazy_regex(r"(?<![A-Za-z])(?i:between|zwischen(?: dem)?|entre(?: le| el)?|tra il|tussen) \Z")
_NTH: Final = rf"{_DAY}(?:st|nd|rd|th|\.(?=[ -]|\Z))?"
_OF: Final = r" (?:of |de |di |d')?"
_DAY_FIRST: Final = lazy_regex(rf"(?:{_NTH} ?- ?)?{_NTH}{_OF}(?i:{_NAME})(?:,? (?:of |del? )?{_YEAR})?")
_MONTH_FIRST: Final = lazy_regex(rf"(?i:{_NAME}) {_NTH}(?:,? {_YEAR})?")
_MONTH_AND_YEAR: Final = lazy_regex(rf"(?i:{_NAME}),? (?:of |del? )?{_YEAR}")
_DAY_BEFORE: Final = lazy_regex(rf"(?<![\w./,$\xa4-])(?<!(?<![0-9]{{3}})[0-9][ ,])(?<!(?<![0-9]{{3}})[0-9], ){_NTH}\Z")
_MONTH_ALONE: Final = lazy_regex(rf"(?<![\w.-])(?i:{_NAME})\Z")
_DAY_AFTER: Final = lazy_regex(
    rf"{_DAY}(?:st|nd|rd|th)?(?![\w:/]|[,.][0-9]|-[0-9]|{_OF}(?i:{_NAME}))(?:,? {_YEAR}(?!\w))?"
    r"(?![ -](?!(?:at|in|for|on|of|to|and|he|she|we|they|the|with|as|was|were|by|from|when|but|or|it)\b)[A-Za-z])"
)
_IN_DIGITS: Final = lazy_regex(
    rf"[0-9](?<![\w./,-].)(?:(?<=[0-3])[0-9])?(?:\.(?: ?[01]?[0-9]\.)?"
    rf"(?: ?- ?| (?:bis|und|to|and|au|al|a|en|tot) (?:zum )?){_DAY}\. ?[01]?[0-9]\.(?: ?{_YEAR}|[0-9]{{2}})?"
    rf"|/[0-3]?[0-9](?: ?- ?| (?:to|and|au|al|a|tot) )[0-3]?[0-9]/[0-3]?[0-9]/(?:{_YEAR}|[0-9]{{2}}))"
    r"(?!\w|[-/.][0-9])"
)
_YEAR_LIST: Final = lazy_regex(
    rf"[12](?<![\w.,$\xa4/:#-].)(?:(?<=1)[6-9]|(?<=2)0)[0-9]{{2}}(?:, {_YEAR}){{0,10}}"
    rf"(?:,? (?:and|or|to|until|through|bis|und|et|y|a|e|en) |, ){_YEAR}(?!\w|[.,:/-][0-9]|-[a-z])"
)

_OTHER_GATE: Final = both(
    with_words(f"{_OTHERS} {_OTHERS_SHORT}"),
    at_digits(
        rf"[0-9](?i:{_AFTER_DAY}(?:(?:{either_of(_NOT_ENGLISH)})|(?<=\. )(?:{either_of(_OTHERS)})"
        rf"|(?:{either_of(_OTHERS_SHORT)})\.?(?:,? (?:del? )?|-|\.)['12]))"
    ),
)
_WORDS_GATE: Final = both(
    with_words(f"{_ENGLISH} {_OTHERS}"),
    with_words(
        FOREIGN_NUMBER_WORDS + " premier primo primero primeiro ersten dritten zweiten vierten eerste tweede derde"
    ),
)
_SAID_GATE: Final = matching("(?:st|nd|rd|th) of the (?:first|second|third|[a-z]{4,7}th)", amid=" of the ")
OTHER_GATE: Final = either(either(with_words(_NOT_ENGLISH), _WORDS_GATE), either(_OTHER_GATE, _SAID_GATE))
DIGITS_GATE: Final = at_digits(r"[0-9][./](?: ?-| [a-z]|[0-9]{1,2}[./]?(?: ?-| [a-z]))")
YEARS_GATE: Final = at_digits(r"[12][0-9]{3},? (?:[a-z]{1,7} )?[12][0-9]{3}")

_WINDOW: Final = 24
_LONGEST: Final = 140  # characters of a list, about: a longer one is several, which are read one by one


def find_dates_and_lists(text: str) -> Iterator[Found]:
    """English dates with the name of a month, and lists of them: 29 and 30 June 1992; July and December 1995."""
    return _joined(text, list(find_named_dates(text)))


def find_dates_of_languages(text: str) -> Iterator[Found]:
    """Dates with a month of another language than English: 3. Marz 2021, 14 juillet, 3 de mayo de 2020; their lists."""
    dates: list[Found] = []
    for match in matches(_OTHER, text):
        before = _WEEKDAY.search(text, max(0, match.start() - _WINDOW), match.start())
        dates.append(Found(before.start() if before else match.start(), match.end(), "date", 0.9))
    covered = without(text, [(date.start, date.end) for date in dates])
    dates = settled(text, [*dates, *_in_words(covered)])
    covered = without(text, [(date.start, date.end) for date in dates])
    for match in matches(_A_YEAR, covered):
        if before := _MONTH_BEFORE.search(covered, max(0, match.start() - _WINDOW), match.start()):
            dates.append(Found(before.start(), match.end(), "date", 0.9))
    return _joined(text, sorted(dates))


_SAID: Final = lazy_regex(
    rf"(?<![\w-])(?i:(?:{ORDINAL}) of the (?:first|second|third|[a-z]{{3,5}}th|twelfth|eleventh)"
    rf",? (?:{YEAR}|{BELOW_HUNDRED}|[0-9]{{2,4}}))(?![\w-]| [a-z])"
)
"""A date of birth as it is told: the second of the third, fifty-one."""


def _in_words(text: str) -> Iterator[Found]:
    """Yield dates whose day is in words: six fevrier mille neuf cent deux, am dritten Marz, second of the third, 51."""
    if " of the " in text:
        yield from (Found(*match.span(), "date", 0.9) for match in matches(_SAID, text))
    for begin, stop in places_of(text, _MONTHS):
        if (of := _OF_MONTH.search(text, max(0, begin - 5), begin)) is None:
            continue
        ordinal = _ORDINAL_DAY.search(text, max(0, of.start() - 26), of.start())
        start = spelled_before(text, of.start()) if ordinal is None else ordinal.start()
        if start < of.start() and not _NO_DAY.match(text, start):
            year = _OF_YEAR.match(text, stop)
            end = stop if year is None else year.end("year")
            if year is not None and year["year"] is None:
                end = spelled_behind(text, year.end())
                end = stop if end == year.end() else end
            yield Found(start, end, "date", 0.9)


def _joined(text: str, dates: list[Found]) -> Iterator[Found]:
    low = place = 0
    while place < len(dates):
        first = last = dates[place]
        style = _style(text, first)
        place += 1
        if style is None:
            low = last.end
            yield first
            continue
        start = _reach_left(text, first, style, low)
        while place < len(dates) and dates[place].end - start < _LONGEST and _goes_on(text, style, last, dates[place]):
            last = dates[place]
            place += 1
        end = _reach_right(text, last) if style is _MONTH_FIRST else last.end
        if start < first.start or end > first.end:
            before = _BEGIN.search(text, max(low, start - 14), start)
            start = before.start() if before else start
            end = min(end, dates[place].start) if place < len(dates) else end
        low = end
        yield first._replace(start=start, end=end)


def _style(text: str, date: Found) -> re.Pattern[str] | None:
    for pattern in (_DAY_FIRST, _MONTH_FIRST, _MONTH_AND_YEAR):
        if pattern.fullmatch(text, date.start, date.end):
            return pattern
    return None


def _goes_on(text: str, style: re.Pattern[str], before: Found, after: Found) -> bool:
    if _style(text, after) is not style:
        return False
    return after.start - before.end <= _WINDOW and bool(_JOIN_AFTER.fullmatch(text, before.end, after.start))


def _reach_left(text: str, date: Found, style: re.Pattern[str], low: int) -> int:
    """Return where a list begins whose last full date is given: at days, or months, that stand before it alone."""
    alone = {_DAY_FIRST: _DAY_BEFORE, _MONTH_AND_YEAR: _MONTH_ALONE}.get(style)
    start, by_word = date.start, False
    while alone is not None and date.end - start < _LONGEST:
        if (join := _JOIN_BEFORE.search(text, max(low, start - 12), start)) is None:
            break
        by_word = by_word or "," not in join[0] or join[0].strip(", ") != ""
        if (item := alone.search(text, max(low, join.start() - 12), join.start())) is None or not by_word:
            break
        start = item.start()
    return start


def _reach_right(text: str, date: Found) -> int:
    """Return where a list ends that goes on with days behind a month: March 3, 4 and 5."""
    end = date.end
    while end - date.start < _LONGEST:
        join = _JOIN_AFTER.match(text, end, end + 12)
        day = _DAY_AFTER.match(text, join.end(), join.end() + _WINDOW) if join else None
        if day is None:
            break
        end = day.end()
    return end


find_ranges_in_digits: Final = finding(_IN_DIGITS, "date", 0.9)


def find_year_lists(text: str) -> Iterator[Found]:
    """Lists of years: 1994, 1995 and 1997; between 1944 and 1990."""
    for match in matches(_YEAR_LIST, text):
        before = _BEGIN.search(text, max(0, match.start() - 14), match.start())
        yield Found(before.start() if before else match.start(), match.end(), "date", 0.5)


DAY_COLUMN_GATE: Final = matching(r"\| {0,8}[0-9]{1,2}/[0-9]{1,2} {0,8}\|", amid="|")
_DAY_CELL: Final = lazy_regex(r" {0,8}(?P<day>(?P<first>[0-9]{1,2})/(?P<second>[0-9]{1,2})) {0,8}")
_SCORED: Final = words_in("score scores result results mark marks ratio bp rating grade share size ok done passed pain")
"""Heads of columns of shares: 7/10."""
_Columns: TypeAlias = dict[int, list[re.Match[str] | None]]


def find_day_columns(text: str) -> Iterator[Found]:
    """Yield the days without years of a table's column that mostly holds such: | Ada | 3/6 |, | Bea | 14/7 |."""
    columns: _Columns = {}
    scored: set[int] = set()
    start = rows = 0
    for line in (*text.split("\n"), ""):
        check_time()
        if not line.startswith("|"):
            yield from _days_of(columns, scored)
            columns, scored, rows = {}, set(), 0
        else:
            place = start + 1
            for number, cell in enumerate(line.split("|")[1:-1]):
                day = _DAY_CELL.fullmatch(text, place, place + len(cell))
                if day is not None or (rows and cell.strip(" :-")):
                    columns.setdefault(number, []).append(day)
                elif not _SCORED.isdisjoint(cell.lower().split()):
                    scored.add(number)
                place += 1 + len(cell)
            rows += 1
        start += len(line) + 1


def _days_of(columns: _Columns, scored: Collection[int]) -> Iterator[Found]:
    for number, cells in columns.items():
        days = [day for day in cells if day is not None]
        if number not in scored and len(days) > 1 and 2 * len(days) >= len(cells) and _are_days(days):
            yield from (Found(*day.span("day"), "date", 0.7, "column") for day in days)


def _are_days(days: Sequence[re.Match[str]]) -> bool:
    """Return whether all are days of months, in one order, and no shares of one number."""
    firsts, seconds = [int(day["first"]) for day in days], [int(day["second"]) for day in days]
    orders = ((firsts, seconds), (seconds, firsts))
    ordered = min(firsts + seconds) > 0 and any(max(ones) < 32 and max(others) < 13 for ones, others in orders)
    return ordered and (len(set(seconds)) > 1 or max(firsts) > max(seconds))
