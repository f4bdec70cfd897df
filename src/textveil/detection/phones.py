"""Telephone numbers: groups of digits in the forms that people write, weighed by the package phonenumbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from textveil.detection.found import Found, Search
from textveil.detection.gates import CUT, at_digits
from textveil.detection.readings import readings
from textveil.text.patterns import lazy_regex

REGIONS: Final = ("US", "GB", "IN", "DE", "FR", "ES", "IT", "BR", "AU", "MX")
"""Whose national numbers are known where a number names no country: ISO 3166 codes."""

_CANDIDATE: Final = lazy_regex(
    r"(?<![\w@#$%\xa4/:=.,+-])(?:\+ ?|\()?[0-9](?:[0-9]|(?:[./-](?=[0-9(])| (?=[0-9]))|(?:\)[ ./-]{0,2}| ?\()(?=[0-9(])"
    r"|\) - (?=[0-9])| - (?=[0-9]{3})){5,22}"
    r"(?:,? ?(?:x|ext\.?|extension) ?[0-9]{1,6}){0,2}(?![\w%]|[.,:/-][0-9])"
)
_PART: Final = "[ ./()-]"
PHONE_GATE: Final = at_digits(
    rf"[0-9]{{6}}|(?:[0-9]{_PART}{{0,4}}){{5}}[0-9]|[0-9]{_PART}{{1,4}}[0-9]{{1,4}}{_PART}{{1,4}}(?:[0-9]|{CUT})"
)
_BEFORE: Final = lazy_regex(
    r"(?i)\b(?:phone|telephone|tel|call(?:ed|ing)?|fax|cell|mobile|dial|sms|whatsapp|text(?:ed)?|contact|reach(?:ed)?"
    r"|hotline|number|pager|answering|voicemail|ring)\b"
)
_AFTER: Final = lazy_regex(r"(?i),? ?[(-]?(?:office|fax|mobile|cell|phone|home|work|tel|direct)\b")
_REACH: Final = 48
_FORMS: Final = lazy_regex(
    r"(?:\+|001-|1-)?(?:\([0-9]{3}\) ?|[0-9]{3}[-. ])[0-9]{3}[-. ][0-9]{4}\D{0,12}[0-9]{0,6}"  # North America
    r"|\+[0-9 ().-]{7,}(?:,? ?(?:x|ext\.?|extension) ?[0-9]{1,6})?"
    r"|\(0?[0-9]{2,5}\)[ -]?[0-9][0-9 -]{4,}"
    r"|0[0-9]{1,4}[ ./-][0-9][0-9 ./-]{4,}"
    r"|001-[0-9-]{10,}+(?:x[0-9]*)?"
)
_NUMBERED: Final = lazy_regex(r"[1-9][0-9]{2,5}/[0-9]{2,4}")
"""What is no telephone number, whatever stands beside it: numbers of cases, "application number 36391/02"."""

_GROUPS: Final = lazy_regex(r"[0-9]+")
_REMEMBERED: Final = 1 << 12


def phone_search(regions: tuple[str, ...] = REGIONS) -> Search:
    """A search for telephone numbers.

    Args:
        regions: of ``REGIONS``' kind.
    """
    valid = _validity(regions)

    def find(text: str) -> Iterator[Found]:
        def phone(start: int, end: int, whole: bool) -> Found | None:
            written = text[start:end]
            if not whole and not (_FORMS.fullmatch(written) and valid(written)):
                return None  # of a longer row of groups only what is a number beyond doubt
            context = _BEFORE.search(text, max(0, start - _REACH), start) or _AFTER.match(text, end)
            score = _score(written, context is not None, valid)
            lead = written.startswith("(") and ")" not in written  # a bracket of the sentence
            return Found(start + lead, start + len(written.rstrip()), "phone", score) if score else None

        return readings(_CANDIDATE, text, phone)

    return find


def _score(written: str, context: bool, valid: Callable[[str], bool]) -> float:
    """How sure it is that a candidate is a telephone number; 0 where it is not taken for one."""
    groups = _GROUPS.findall(written)
    digits = sum(map(len, groups))
    if not 6 <= digits <= 21:
        return 0.0
    if _NUMBERED.fullmatch(written) is not None or (not context and _is_range(written)):
        return 0.0
    if len(groups) == 1 and "+" not in written:
        return 0.7 if context and digits <= 13 else 0.6 if 10 <= digits <= 11 and valid(written) else 0.0
    if _FORMS.fullmatch(written) is not None:
        return 0.9 if valid(written) else 0.6
    if context:
        return 0.7
    grouped = 7 <= digits <= 13 and len(groups) <= 5 and max(map(len, groups)) >= 3 and min(map(len, groups)) >= 2
    years = all(len(group) == 4 and group[:2] in ("18", "19", "20") for group in groups)
    thousands = " " in written and all(len(group) == 3 for group in groups[1:]) and len(groups[0]) <= 3
    return 0.4 if grouped and not years and not thousands else 0.0


def _is_range(written: str) -> bool:
    """Whether two numbers are the ends of a range: 1000-1500."""
    low, mark, high = written.partition("-")
    ends = low.isdigit() and high.isdigit() and len(low) == len(high) == 4
    return bool(mark) and ends and low[0] != "0" and int(low) < int(high)


@lru_cache(maxsize=8)
def _validity(regions: tuple[str, ...]) -> Callable[[str], bool]:
    """Whether a number is one that a region, or the country it names, can assign; remembers the last 4,096."""

    @lru_cache(maxsize=_REMEMBERED)
    def valid(written: str) -> bool:
        from phonenumbers import NumberParseException, is_valid_number, parse

        for region in (None,) if written.startswith("+") else regions:
            try:
                if is_valid_number(parse(written, region)):
                    return True
            except NumberParseException:
                continue
        return False

    return valid
