"""Numbers that are written as English words, as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.text.patterns import lazy_regex, matches

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

MAGNITUDES: Final = "hundred|thousand|million|billion|trillion|dozen"
"""What multiplies the number before it, and stands for one of it without."""

ORDINAL_WORDS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
    *("twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"),
    "twentieth",
)
"""First to twentieth."""

_OTHERS: Final = """
eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn
achtzehn neunzehn zwanzig dreissig dreisig vierzig funfzig sechzig siebzig achtzig neunzig hundert tausend
deux trois quatre cinq sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante cinquante
soixante mille
cero dos tres cuatro cinco seis siete ocho nueve diez doce trece catorce dieciseis diecisiete dieciocho diecinueve
veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento doscientos quinientos mil
tre quattro cinque sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto
diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta cento mila
dois duas quatro oito dez doze quinze dezasseis dezesseis vinte trinta quarenta sessenta oitenta cem
twee drie vijf zes zeven negen tien twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig
dertig veertig vijftig zestig zeventig tachtig negentig honderd duizend
"""
_NOT_SECOND: Final = "|".join(word for word in ORDINAL_WORDS if word != "second")
_ENGLISH: Final = rf"{_UNITS}|{_TEENS}|{_TENS}|{MAGNITUDES}|zero|half|{_NOT_SECOND}|once|twice|thrice"
NUMBER_WORD: Final = lazy_regex(
    rf"(?i)(?<![A-Za-z])(?:(?:{_ENGLISH})(?:fold)?"
    rf"|(?:(?:ein|und|en|e|i|y){{0,2}}(?:{'|'.join(dict.fromkeys(_OTHERS.split()))})){{1,6}})(?![A-Za-z])"
)
"""A number in words, in English or in one of six other languages, as plain forms write it."""

SPOKEN: Final = (
    rf"(?:{BELOW_HUNDRED}|zero)(?:[ -]and a half| (?:{MAGNITUDES})"
    rf"(?:(?: and)? {BELOW_HUNDRED}(?: (?:{MAGNITUDES}))?){{0,3}})?"
)
"""Whole numbers of any size, and a half more."""

NUMBER_WORDS: Final = " ".join(f"zero|{_UNITS}|{_TEENS}|{_TENS}|half".split("|"))
"""Words that begin a number, parted by spaces: what gates look for."""

_STARTS: Final = lazy_regex(
    r"[0-9OTFSENHZotfsenhz](?<![\w.,$\xa4/:#+-].)(?:(?<=[0-9])|(?<=[Oo])ne|(?<=[Zz])ero|(?<=[Tt])(?:wo|hree|en|welve|hirteen|wenty|hirty)"
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
