"""Measurements, quantities and durations: their numbers are drawn, and all that stands around them stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Final, final

import numpy as np

from textveil.detection.quantities import AFTER_SECTION, LIST_NUMBER
from textveil.detection.units import WITH_DIGITS
from textveil.errors import need
from textveil.registry.options import Option, interval
from textveil.surrogates.ages import WORDS
from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Counts, Mention, Surrogate
from textveil.surrogates.windows import window
from textveil.surrogates.writing import filled, in_case_of, ordinal_ending
from textveil.text.patterns import lazy_regex

_CELLS: Final = 1000
"""Numbers that are told apart in a range at the most; in a longer one they are drawn by cells."""
_MOST_DIGITS: Final = 15
_MOST_WORDS: Final = 20
"""The highest number that is written as a word."""

_WORD: Final = "|".join(sorted(WORDS[1:], key=len, reverse=True)).replace("-", "[ -]")
_TOKENS: Final = lazy_regex(
    rf"(?P<kept>(?<![A-Za-z0-9])(?:{WITH_DIGITS})(?![A-Za-z0-9]))"
    r"|(?P<ordinal>(?<![0-9.,])(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15})(?:st|nd|rd|th)(?![A-Za-z0-9]))"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3}){1,12}+(?![0-9])|[0-9]++)(?:\.[0-9]++)?)"
    rf"|(?P<word>(?<![A-Za-z])(?i:{_WORD})(?![A-Za-z]))",
    re.ASCII,
)
_OF_TIME: Final = "year|month|week|day|hour|minute|second|night|decade"
_COUNTED: Final = lazy_regex(
    rf"(?<![A-Za-z0-9.,/-])(?P<number>[0-9]+|(?i:{_WORD})) (?P<unit>(?i:{_OF_TIME}))[sS]?(?![A-Za-z-])"
)

_FINITE: Final = interval("finite", -1e12, 1e12, without=(-1e12, 1e12))
_LOW = Option(domain=_FINITE, help="The smallest value; smaller ones count as it.", metavar="X", unset="digits")
_HIGH = Option(domain=_FINITE, help="The largest value; larger ones count as it.", metavar="X", unset="digits")


@declared(
    summary="Numbers near the true ones, or any; name, unit and format stay.",
    kinds=("measurement", "quantity", "duration", "number"),
    proof=SURROGATES,
)
def measurement(
    *,
    epsilon: OptionalEpsilon = 0.0,
    low: Annotated[float, _LOW] | None = None,
    high: Annotated[float, _HIGH] | None = None,
) -> Surrogate:
    """Each number of a value by a staircase, uniform at epsilon 0; ``epsilon`` is shared over the numbers of a value.

    Without ``low`` and ``high`` a number is one of those with as many digits, before the decimal point and behind it.
    Ordinals keep a right ending, and numbers in words are words from one to twenty. Numbers in names (SpO2, COVID-19)
    stay, and so do those of lists and sections ("2.", "page 3").
    """
    need((low is None) == (high is None), "high", high, "given together with low")
    need(low is None or high is None or low < high, "high", high, "above low")
    label = f"measurement {epsilon!r} {low!r} {high!r}"

    def drawn_place(low_place: int, high_place: int, place: int, share: float, rng: np.random.Generator) -> int:
        size = high_place - low_place + 1
        if share == 0:
            return low_place + int(rng.integers(size))
        step = -(-size // _CELLS)
        cells = -(-size // step)
        cell = window(size=cells, epsilon=share).draw((min(max(place, low_place), high_place) - low_place) // step, rng)
        first = low_place + cell * step
        return first + int(rng.integers(min(step, high_place + 1 - first)))

    def number(written: str, share: float, rng: np.random.Generator) -> str:
        whole, mark, fraction = written.replace(",", "").partition(".")
        if len(whole) + len(fraction) > _MOST_DIGITS:
            return filled("9" * len(whole), rng) + mark + filled("9" * len(fraction), rng)
        power = 10 ** len(fraction)
        if low is None or high is None:
            least, most = (10 ** (len(whole) - 1) if len(whole) > 1 else 0) * power, 10 ** len(whole) * power - 1
        else:
            least = round(low * power)
            most = max(round(high * power), least + 1)
        place = drawn_place(least, most, int(whole + fraction), share, rng)
        sign, (units, rest) = "-" if place < 0 else "", divmod(abs(place), power)
        return f"{sign}{units:{',' if ',' in written else ''}d}{mark}{f'{rest:0{len(fraction)}d}' if fraction else ''}"

    def token(match: re.Match[str], share: float, rng: np.random.Generator) -> str:
        written = match[0]
        if match["number"]:
            return number(written, share, rng)
        if match["ordinal"]:
            digits = written[:-2].replace(",", "")
            place = drawn_place(10 ** (len(digits) - 1), 10 ** len(digits) - 1, int(digits), share, rng)
            return f"{place:{',' if ',' in written else ''}d}{ordinal_ending(place)}"
        if match["word"]:
            place = drawn_place(1, _MOST_WORDS, WORDS.index(written.lower().replace(" ", "-")), share, rng)
            return in_case_of(written, WORDS[place]) if written.isupper() or written.islower() else WORDS[place].title()
        return written

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        count = sum(match["kept"] is None for match in _TOKENS.finditer(value))
        share = epsilon / max(count, 1)

        def made(source: np.random.Generator) -> str:
            if LIST_NUMBER.fullmatch(value):
                return value
            return _COUNTED.sub(_counted, _TOKENS.sub(lambda match: token(match, share, source), value))

        return agreed(scope, label, _singular(value), rng, made)

    given = {} if low is None else {"low": low, "high": high}
    drawn = Drawn(
        name="measurement",
        parameters={"epsilon": epsilon, **given},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: all but its numbers, and how many digits each has; which are ordinals or words, stand in "
            "known names (SpO2), or count items or sections",
        ),
        equality="which are equal, but for the plural of a unit of time",
        surrogate_of=surrogate_of,
    )
    return _Measurement(drawn)


@final
class _Measurement:
    """Draws, but where a word in front says that a number is that of a section."""

    counts: Counts = "value"
    consistent = True

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn
        self.name, self.parameters, self.guarantee = drawn.name, drawn.parameters, drawn.guarantee
        self.public, self.equality = drawn.public, drawn.equality

    def key(self, value: str) -> str:
        return _singular(value)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        surrogate_of, of_section = self._drawn.surrogate_of, AFTER_SECTION.search
        return [
            mention.value if of_section(mention.before) else surrogate_of(mention.value, scope, rng)
            for mention in mentions
        ]


def _singular(value: str) -> str:
    """A value with its units of time in the singular: a drawn number has its own plural."""
    return _COUNTED.sub(lambda match: f"{match['number']} {match['unit']}", value)


def _counted(match: re.Match[str]) -> str:
    """A unit of time in the singular or plural that its drawn number asks for."""
    single = match["number"].lower() in ("1", "one")
    return f"{match['number']} {match['unit']}{'' if single else in_case_of(match['unit'], 's')}"
