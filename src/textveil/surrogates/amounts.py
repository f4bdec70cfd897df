"""Amounts of money and other quantities: a staircase on a public logarithmic grid."""

from __future__ import annotations

import math
import re
from typing import Annotated, Final

import numpy as np

from textveil.detection.money import ABOUT, AGAIN, CODES, WORD
from textveil.errors import need
from textveil.registry.options import POSITIVE, Option, at_least, interval, named
from textveil.surrogates.ages import WORDS
from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import AS_READ, UNREAD, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.windows import window
from textveil.surrogates.writing import in_case_of
from textveil.text.patterns import lazy_regex

_CURRENCY: Final = rf"(?:US|CA|AU|NZ|HK)?\$|[€£¥₹₽₩₪₺₫₴₦฿]|{CODES}|Rs\.?|kr\.?|zł"
_WORDS: Final = rf"(?:{WORD}|(?i:dollars?|euros?|pounds?))"
_AMOUNT: Final = lazy_regex(
    rf"(?P<sign>[-+]?)(?P<before>(?:{ABOUT})?(?:(?i:{_CURRENCY})\s?-?|))"
    r"(?:(?P<number>[0-9][0-9.,'\u00a0\u202f]*(?: [0-9]{3})*)(?P<many>\s?-?(?i:k|m|mln|bln|bn|b|hundred|thousand"
    r"|million|billion|trillion)(?![A-Za-z])|)"
    r"|(?P<spoken>(?i:an?|[a-z]+)(?:[ -][A-Za-z]+){0,34}?(?=[ -])))"
    rf"(?P<after>[\s-]?(?:{_WORDS}|(?i:{_CURRENCY})|%|(?i:percent))|)(?P<again>(?: (?:{CODES}))?{AGAIN})"
)
_COUNTED: Final = lazy_regex(
    r"(?<![A-Za-z])(dollar|cent|euro|pound|franc|rupee|peso|buck|rouble|ruble|lira|dinar|dirham|forint|shekel"
    r"|shilling|zloty|guilder)s?"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""Units with a plural."""
_NUMBERS: Final = {word: number for number, word in enumerate(WORDS)} | {"a": 1, "an": 1, "and": 0}

_MANY: Final = {"hundred": 2, "k": 3, "t": 3, "m": 6, "b": 9, "trillion": 12}
_LONGEST: Final = 120
_MOST_CELLS: Final = 100_000

_LOW = Option(domain=POSITIVE, help="The smallest amount; smaller ones and zero count as it.", metavar="X")
_HIGH = Option(domain=POSITIVE, help="The largest amount; larger ones count as it.", metavar="X")
_SCALE = Option(
    domain=interval("between 0.001 and 10", 0.001, 10),
    help="Relative width of a cell: 0.1 makes cells of 10 %; amounts of one cell are not told apart.",
    metavar="S",
)
_WIDTH = Option(
    domain=at_least(1),
    help="How many cells around the true one are raised.",
    metavar="CELLS",
    unset="the one of least mean error at epsilon",
)
_DECIMAL = Option(
    domain=named(".", ","),
    help="The mark before decimals, where it is in doubt and in what is written.",
    metavar="MARK",
)


@declared(summary="An amount of about the true size, or any.", kinds=("money", "number"), proof=SURROGATES)
def amount(
    *,
    epsilon: OptionalEpsilon = 0.0,
    low: Annotated[float, _LOW] = 1.0,
    high: Annotated[float, _HIGH] = 1_000_000.0,
    scale: Annotated[float, _SCALE] = 0.1,
    width: Annotated[int, _WIDTH] | None = None,
    decimal: Annotated[str, _DECIMAL] = ".",
) -> Drawn:
    """Amounts by a staircase on the cells low * (1 + scale)^i up to high, and a uniform point of the drawn cell.

    Pure DP for any two amounts, however far apart: how many digits there are is drawn too. The currency, the sign and
    whether decimals are written stay; dollars are in the plural where the drawn number asks for it; words such as
    million are read and written out. What cannot be read gets a uniform cell.

    ``width`` is that of the staircase, where ``epsilon`` is above 0. Thousands are parted by the mark that is not
    ``decimal``.
    """
    need(low * (1 + scale) < high < math.inf, "high", high, "finite and at least two cells above low")
    lowest = math.log(low)
    reach = math.log(high) - lowest
    cells = math.ceil(reach / math.log1p(scale) - 1e-9)
    need(cells <= _MOST_CELLS, "scale", scale, f"large enough for at most {_MOST_CELLS:,d} cells between low and high")
    need(epsilon > 0 or width is None, "epsilon", epsilon, "> 0 with `width`", "Leave `width` out for uniform draws.")
    need(width is None or width <= cells, "width", width, f"at most the {cells} cells")
    grid, label = (
        window(size=cells, epsilon=epsilon, width=width),
        f"amount {epsilon!r} {low!r} {high!r} {scale!r} {width}",
    )

    def drawn(cell: int | None, rng: np.random.Generator) -> str:
        place = int(rng.integers(cells)) if cell is None else grid.draw(cell, rng)
        exponent = min((place + rng.random()) * math.log1p(scale), reach)
        return repr(math.exp(lowest + exponent))  # low * exp(exponent) may be beyond all floats

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        match = _AMOUNT.fullmatch(value) if len(value) <= _LONGEST else None
        read = None if match is None else _read(match, decimal)
        if match is None or read is None:
            released = agreed(scope, label, key(value), rng, lambda source: drawn(None, source))
            return _number(float(released), False, decimal)
        cell = 0 if read <= low else int(min((math.log(read) - lowest) / math.log1p(scale), cells - 1))
        released = agreed(scope, label, key(value), rng, lambda source: drawn(cell, source))
        shown = _number(float(released), re.search(r"[.,][0-9]{2}\Z", match["number"] or "") is not None, decimal)
        return match["sign"] + match["before"] + shown + _counted(match["after"] + match["again"], shown)

    def key(value: str) -> str:
        match = _AMOUNT.fullmatch(value) if len(value) <= _LONGEST else None
        read = None if match is None else _read(match, decimal)
        return UNREAD + value if read is None else repr(read)

    given = {} if width is None else {"width": width}
    return Drawn(
        name="amount",
        parameters={"epsilon": epsilon, "low": low, "high": high, "scale": scale, "decimal": decimal, **given},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: currency or unit, sign, whether two decimals are written, and whether it can be read as an "
            "amount",
        ),
        equality=AS_READ,
        surrogate_of=surrogate_of,
        read=key,
    )


def _counted(unit: str, number: str) -> str:
    """A unit in the singular or plural that a number asks for."""
    return _COUNTED.sub(lambda match: match[1] + ("" if number == "1" else in_case_of(match[1], "s")), unit)


def _spoken(words: str) -> float | None:
    """The number that some words are; None where one of them is no number."""
    total = part = 0
    for word in re.split("[ -]", words.lower()):
        if word in ("thousand", "million", "billion", "trillion"):
            total, part = total + max(part, 1) * 10 ** _MANY.get(word, _MANY[word[0]]), 0
        elif word == "hundred":
            part = max(part, 1) * 100
        elif word in _NUMBERS:
            part += _NUMBERS[word]
        else:
            return None
    return float(total + part)


def _read(match: re.Match[str], decimal: str) -> float | None:
    """The amount that was read; None where the number is not well written."""
    if match["spoken"]:
        return _spoken(match["spoken"])
    number = re.sub(r"['\u00a0\u202f ]", "", match["number"])
    marks = [place for place, character in enumerate(number) if character in ".,"]
    fraction = ""
    if marks:
        last = marks[-1]
        alone = number.count(number[last]) == 1 and len(number) - last - 1 != 3
        if alone or (number.count(number[last]) == 1 and number[last] == decimal):
            number, fraction = number[:last], number[last + 1 :]
    digits = re.sub("[.,]", "", number)
    word = match["many"].strip(" -").lower()
    power = _MANY.get(word, _MANY.get(word[:1], 0))
    return float(f"{digits or '0'}.{fraction or '0'}e{power}")


def _number(value: float, decimals: bool, decimal: str) -> str:
    """A number with its thousands parted."""
    shown = f"{value:,.2f}" if decimals else f"{max(1, round(value)) if value >= 0.5 else value:,}"
    return shown if decimal == "." else shown.translate(str.maketrans(",.", ".,"))
