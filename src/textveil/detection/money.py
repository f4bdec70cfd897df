"""Amounts of money: a currency's sign, code or word with its number, and "million" where it belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near
from textveil.detection.gates import at_digits, with_words
from textveil.detection.number_words import AMOUNT
from textveil.text.slices import matches

_SCALE: Final = r"(?: ?-?(?:[Hh]undred|[Tt]housand|[Mm]illion|[Bb]illion|[Tt]rillion|mln|bln|[KkMmBb]n?)\b)"
_NUMBER: Final = r"(?:[0-9]{1,3}(?:[,' ][0-9]{3}){1,6}(?![0-9])|[0-9]{1,15})(?:[.,][0-9]{1,2}(?![0-9]))?"
"""Of seven groups at the most: a longer row is no amount, and would be read again from each of its groups."""
CODES: Final = "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|INR|CNY|RMB|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|RUB|TRY|KRW|SGD|HKD"
"""Codes of currencies, as a pattern; surrogates of amounts keep them."""

_WORD: Final = (
    r"(?:US )?[Dd]ollars?|[Ee]uros?|[Pp]ounds? sterling|bucks?|cents?|[Pp]ence|quid|[Yy]en|[Rr]upees?|[Pp]esos?"
    r"|[Rr]ubles?|[Yy]uan|[Ff]rancs?|[Kk]rona|[Kk]roner"
)
_SIGN: Final = re.compile(rf"\$|\xa4|{CODES}|Rs")
_SIGNED: Final = re.compile(
    rf"(?:(?:US|C|CA|A|AU|NZ|HK|S)?\$|\xa4|(?<![A-Za-z])(?:{CODES}|Rs\.?)) ?-?{_NUMBER}{_SCALE}?"
    rf"(?: (?:{CODES})\b)?"
)
_NAMED: Final = re.compile(
    rf"(?=[0-9])(?<![\w.,/-]){_NUMBER}{_SCALE}?(?:[ -](?:{_WORD})\b| ?(?:{CODES})\b| ?(?:\xa4|\$)(?!\w))"
)
_SPOKEN: Final = re.compile(rf"(?<![\w-])(?i:{AMOUNT})[ -](?:{_WORD})\b")
_WORDS: Final = re.compile(rf"[ -](?:{_WORD})\b")

SIGNED_GATE: Final = at_digits(r"[A-Z$\xa4s.] ?-?[0-9]")
NAMED_GATE: Final = at_digits(
    r"[0-9](?: ?-?(?:[KkMmBb]|[Hh]un|[Tt]ho|[Tt]ri)|[ -](?:US|[Dd]ol|[Ee]ur|[Pp]ou|buc|cen|[Pp]en|qui|[Yy]en|[Rr]up"
    rf"|[Pp]es|[Rr]ub|[Yy]ua|[Ff]ra|[Kk]ro)| ?(?:{CODES}|\xa4|\$))"
)
SPOKEN_GATE: Final = with_words(
    "dollar dollars euro euros sterling buck bucks cent cents pence quid yen rupee rupees peso pesos ruble rubles yuan"
    " franc francs krona kroner"
)


def find_signed_money(text: str) -> Iterator[Found]:
    """Amounts after a sign or a code: $5, US$ 5.2 million, EUR 300."""
    yield from (Found(match.start(), match.end(), "money", 0.9) for match in near(_SIGNED, text, _SIGN, 4, 45))


def find_named_money(text: str) -> Iterator[Found]:
    """Amounts before a word, a code or a sign: 20 dollars, 300 EUR, five hundred dollars."""
    yield from (Found(match.start(), match.end(), "money", 0.9) for match in matches(_NAMED, text))


def find_spoken_money(text: str) -> Iterator[Found]:
    """Amounts in words: five hundred dollars."""
    for match in near(_SPOKEN, text, _WORDS, 120, 1):
        if not match[0].lower().startswith(("a ", "one cent")) or " hundred" in match[0] or " thousand" in match[0]:
            yield Found(match.start(), match.end(), "money", 0.7)
