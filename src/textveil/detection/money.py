"""Amounts of money: a currency's sign, code or word with its number, and "million" where it belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near, near_places
from textveil.detection.gates import at_digits, either, joined_words, places_of, with_words
from textveil.detection.number_words import AMOUNT
from textveil.text.patterns import lazy_regex, matches

_SCALE: Final = r"(?: ?-?(?:[Hh]undred|[Tt]housand|[Mm]illion|[Bb]illion|[Tt]rillion|mln|bln|[KkMmBb]n?)\b)"
_NUMBER: Final = r"(?:[0-9]{1,3}(?:[,' ][0-9]{3}){1,6}(?![0-9])|[0-9]{1,15})(?:[.,][0-9]{1,2}(?![0-9]))?"
"""Of seven groups at the most: a longer row is no amount, and would be read again from each of its groups."""
CODES: Final = (
    "USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|INR|CNY|RMB|SEK|NOK|DKK|ISK|PLN|PLZ|CZK|SKK|HUF|RON|ROL|BGN|HRK|RSD|MKD|BAM"
    "|MDL|UAH|BYN"
    "|RUB|RUR|GEL|AMD|AZN|KZT|UZS|KGS|TRY|TRL|ILS|AED|SAR|QAR|KWD|BHD|OMR|JOD|LBP|EGP|TND|DZD|IQD|IRR|PKR|BDT|LKR"
    "|NPR|THB"
    "|VND|IDR|MYR|PHP|SGD|HKD|TWD|KRW|BRL|MXN|ARS|CLP|UYU|BOB|PYG|VEF|CRC|DOP|JMD|TTD|ZAR|NGN|KES|GHS|UGX|TZS|ETB|XAF"
    "|XOF|DEM|FRF|ITL|ESP|PTE|BEF|NLG|ATS|FIM|GRD|IEP|CYP|MTL|LTL|LVL|EEK|SIT|BTC"
)
"""Codes of currencies, as a pattern, those of before the euro too; surrogates of amounts keep them."""

_OF: Final = (
    "US|American|Canadian|Australian|New Zealand|Hong Kong|Singapore|Swedish|Norwegian|Danish|Icelandic|Czech"
    "|Slovak|Polish"
    "|Hungarian|Romanian|Bulgarian|Croatian|Serbian|Macedonian|Moldovan|Ukrainian|Russian|Belarusian|Georgian|Armenian"
    "|Azerbaijani|Turkish|Cypriot|Cyprus|Maltese|Greek|Italian|French|Belgian|Luxembourg|Swiss|German|Austrian"
    "|Finnish|Irish"
    "|Spanish|Portuguese|Dutch|Estonian|Latvian|Lithuanian|Slovenian|Israeli|Egyptian|Lebanese|Syrian|Jordanian|Iraqi"
    "|Iranian|Saudi|Kuwaiti|Moroccan|Tunisian|Algerian|Indian|Pakistani|Sri Lankan|Nepalese|Japanese|Chinese|South"
    " Korean"
    "|Korean|Mexican|Argentine|Chilean|Colombian|Philippine|Cuban|Brazilian|South African|Nigerian|Kenyan|Ghanaian"
    "|British"
    "|Ugandan|Tanzanian|old|new|former|convertible"
)
_OWN: Final = (
    "dollars? euros? bucks? cents? pence quid yen rupees? pesos? rou?bles? rubles? yuan renminbi francs? kron[ae]"
    " kron[eo]r"
    " kron[eu]n? liras? lire zlot(?:ys?|ies) forints? korunas? koruny dinars? dirhams? hryvni(?:as?|i) leva kunas?"
    " shekels? baht"
    " ringgits? rupiah riyals? rials? reais naira cedis? shillings? drachmas? pesetas? escudos? guilders? deutschmarks?"
    " schillings? markka litas tolars? kroons? lari tenge manats?"
)
WORD: Final = (
    rf"(?:(?:{_OF}) ){{0,3}}(?i:{'|'.join(_OWN.split())}|pounds? sterling)"
    rf"|(?:(?:{_OF}) ){{1,3}}(?i:pounds?|marks?|won|lei|leu|levs?|reals?|rands?|crowns?|dong|soms?|drams?|lats|taka)"
)
"""Words for currencies, as a pattern; "pounds" and the like, which are also something else, with their country"
" alone."""

_SINGLE: Final = (
    "dollar dollars euro euros buck bucks cent cents pence quid yen rupee rupees peso pesos ruble rubles rouble roubles"
    " yuan renminbi franc francs krona krone kroner kronor kronen kronun lira liras lire zloty zlotys zloties"
    " forint forints"
    " koruna korunas koruny dinar dinars dirham dirhams hryvnia hryvnias hryvnii leva kuna kunas shekel shekels"
    " baht ringgit"
    " ringgits rupiah riyal riyals rial rials reais naira cedi cedis shilling shillings drachma drachmas peseta pesetas"
    " escudo escudos guilder guilders deutschmark deutschmarks schilling schillings markka litas tolar tolars"
    " kroon kroons"
    " lari tenge manat manats sterling pound pounds mark marks won lei leu lev levs real reals rand rands crown"
    " crowns dong"
    " som soms dram drams lats taka"
)
AGAIN: Final = (
    rf"(?: ?[(\[](?:{CODES}|\xa4|(?:{WORD}))(?:[)\]]|(?=[;,]| [-=]|\Z)))?"
    r"(?: (?:per|an?|each) (?:month|annum|year|week|day|night|hour|person|head|square met(?:er|re)|sq\."
    r" ?m)(?![A-Za-z]))?"
)
"""The currency once more, and what it is paid for: 2,000 euros (EUR), EUR 80 (euros), GBP 215 per month."""

ABOUT: Final = "approximately "
_SIGN: Final = lazy_regex(rf"\$|\xa4|{CODES}|Rs")
_SIGNED: Final = lazy_regex(
    rf"(?:(?:US|C|CA|A|AU|NZ|HK|S)?\$|\xa4|(?<![A-Za-z])(?:(?!INR ?[0-9](?:\.[0-9]+)?(?![0-9]|[.,][0-9]))(?:{CODES})"
    rf"|Rs\.?)) ?-?{_NUMBER}{_SCALE}?"
    rf"(?: (?:{CODES})\b)?{AGAIN}"
)
_NAMED: Final = lazy_regex(
    rf"(?=[0-9])(?<![\w.,/-]){_NUMBER}{_SCALE}?(?:[ -](?:{WORD})\b| ?(?:{CODES})\b| ?(?:\xa4|\$)(?!\w)){AGAIN}"
)
_SPOKEN: Final = lazy_regex(rf"(?<![\w-])(?i:{AMOUNT})[ -](?:{WORD})\b{AGAIN}")
_WORDS: Final = joined_words(_SINGLE)

SIGNED_GATE: Final = at_digits(r"[A-Z$\xa4s.] ?-?[0-9]")
NAMED_GATE: Final = either(
    with_words(_SINGLE), at_digits(rf"[0-9] ?(?:[KkMmBb]n?|[a-z])? ?(?:{CODES}|\xa4|\$)|[0-9] ?[a-z]+ ?\$")
)
SPOKEN_GATE: Final = with_words(_SINGLE)


def find_signed_money(text: str) -> Iterator[Found]:
    """Amounts after a sign or a code: $5, US$ 5.2 million, EUR 300."""
    for match in near(_SIGNED, text, _SIGN, 4, 45):
        yield Found(_begin(text, match.start()), match.end(), "money", 0.9)


def find_named_money(text: str) -> Iterator[Found]:
    """Amounts before a word, a code or a sign: 20 dollars, 300 EUR, five hundred dollars."""
    for match in matches(_NAMED, text):
        yield Found(_begin(text, match.start()), match.end(), "money", 0.9)


def find_spoken_money(text: str) -> Iterator[Found]:
    """Amounts in words: five hundred dollars."""
    words = (
        (start - 1, end) for start, end in places_of(text, _WORDS) if text[max(0, start - 1) : start] in (" ", "-")
    )
    for match in near_places(_SPOKEN, text, words, 120, 1):
        if not match[0].lower().startswith(("a ", "one cent")) or " hundred" in match[0] or " thousand" in match[0]:
            yield Found(match.start(), match.end(), "money", 0.7)


def _begin(text: str, start: int) -> int:
    return start - len(ABOUT) if text.endswith(ABOUT, 0, start) else start
