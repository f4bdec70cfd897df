"""Ages: a staircase or Laplace noise on a public range."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Annotated, Final, NamedTuple, final

import numpy as np

from textveil.errors import need
from textveil.numerics.discrete_laplace import discrete_laplace
from textveil.registry.options import Option, at_least, named
from textveil.surrogates.declaration import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.drawn import AS_READ, UNREAD, Drawn, agreed, proved
from textveil.surrogates.scopes import Scope
from textveil.surrogates.windows import window
from textveil.surrogates.writing import in_case_of
from textveil.text.patterns import lazy_regex

_ONES: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS: Final = (
    *_ONES,
    *(ten + (f"-{unit_word}" if unit_word != "zero" else "") for ten in _TENS for unit_word in _ONES[:10]),
)
"""Numbers from 0 to 99, in words."""

_NUMBERS: Final = {word: number for number, word in enumerate(WORDS)}

_AGE: Final = lazy_regex(
    r"(?P<before>age[ds]?:?\s{1,3}|age of\s{1,3})?"
    r"(?:(?P<digits>[0-9]{1,3})(?:\.[0-9]|[ -][1-9]/[1-9])?(?P<decade>s)?"
    r"|(?P<word>[a-z]+(?:[ -](?!months?|mos?\b|weeks?|days?)[a-z]+)?)(?: and (?:a )?half)?)"
    r"(?:(?P<gap>[ -]?)(?P<unit>year|yr|y|month|mo|week|wk|day)(?P<many>s?)(?P<old>[ -]?old|/o|\.?o\.?|))?",
    re.IGNORECASE,
)
ADULT: Final = 18
"""Years from which on an age is not a child's."""

_LAST: Final = {"d": 30, "w": 52, "m": 24}
"""The highest age in days, weeks and months."""

_LOWEST = Option(domain=at_least(0), help="The lowest age; lower ones count as it.", metavar="YEARS")
_HIGHEST = Option(domain=at_least(1), help="The highest age; higher ones count as it.", metavar="YEARS")
_WIDTH = Option(
    domain=at_least(1),
    help="How many ages around the true one are raised.",
    metavar="YEARS",
    unset="the one of least mean error at epsilon",
)
_LAW = Option(
    domain=named("staircase", "laplace"),
    help="staircase: ages around the true one are raised by e^epsilon; laplace: discrete Laplace noise, clamped.",
    metavar="NAME",
)
_GROUP = Option(
    domain=named("hidden", "kept"),
    help="kept: who is below 18 stays below, others stay above. This is public, at any epsilon.",
    metavar="NAME",
)
_TOP = Option(
    domain=at_least(1),
    help="Ages from this one on become one group: 90 writes 90+, as HIPAA's Safe Harbor does.",
    metavar="YEARS",
    unset="none",
)


@final
class _Read(NamedTuple):
    """An age as it is written: the number, the unit's first letter, and the match; no match where it cannot be read."""

    number: int
    unit: str
    match: re.Match[str] | None


@declared(summary="An age near the true one, or any.", kinds=("age",), proof=SURROGATES)
def age(
    *,
    epsilon: OptionalEpsilon = 0.0,
    lowest: Annotated[int, _LOWEST] = 0,
    highest: Annotated[int, _HIGHEST] = 89,
    width: Annotated[int, _WIDTH] | None = None,
    law: Annotated[str, _LAW] = "staircase",
    top_code: Annotated[int, _TOP] | None = None,
    group: Annotated[str, _GROUP] = "hidden",
) -> Drawn:
    """Ages by a staircase on ``lowest`` to ``highest``: pure DP for any two ages, uniform at epsilon 0.

    No age above 89 is written, unless ``highest`` is above it. With ``group`` kept, ages below 18 and others have a
    staircase each: children stay children, and the guarantee is for two ages of one group.

    Days, weeks and months have ranges of their own (1 to 30, 52, 24). What cannot be read gets a uniform age.

    The Laplace law adds discrete noise of scale (highest - lowest) / epsilon. ``width`` is that of the staircase,
    where ``epsilon`` is above 0.
    """
    need(highest > lowest, "highest", highest, f"above lowest, {lowest}")
    need(epsilon > 0 or width is None, "epsilon", epsilon, "> 0 with `width`", "Leave `width` out for uniform draws.")
    need(width is None or width <= highest - lowest + 1, "width", width, "no more than the range")
    need(law != "laplace" or epsilon > 0, "epsilon", epsilon, "> 0 with law laplace")
    need(law != "laplace" or width is None, "width", width, "None with law laplace", "Leave it out.")
    kept = group == "kept"
    need(not kept or lowest < ADULT - 1, "lowest", lowest, f"at most {ADULT - 2} with groups kept")
    need(not kept or highest > ADULT, "highest", highest, f"at least {ADULT + 1} with groups kept")
    label = f"age {epsilon!r} {lowest} {highest} {width} {law}" + (" by group" if kept else "")

    def drawn_years(number: int, rng: np.random.Generator) -> int:
        least, most = _group(number, lowest, highest) if kept else (lowest, highest)
        place = min(max(number, least), most) - least
        if law == "laplace":
            noisy = place + discrete_laplace(Fraction(most - least) / Fraction(epsilon), rng)
            return least + min(max(noisy, 0), most - least)
        size = most - least + 1
        raised = None if width is None else min(width, size)
        return least + window(size=size, epsilon=epsilon, width=raised).draw(place, rng)

    def drawn(read: _Read, rng: np.random.Generator) -> int:
        if read.match is None:
            return lowest + int(rng.integers(highest - lowest + 1))
        if read.unit in _LAST:
            last = _LAST[read.unit]
            return 1 + window(size=last, epsilon=epsilon).draw(min(max(read.number, 1), last) - 1, rng)
        return drawn_years(read.number, rng)

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        read = _read(value)
        number = agreed(scope, label, _key(value), rng, lambda source: str(drawn(read, source)))
        return _written(int(number), read, top_code)

    given = {
        "law": law if epsilon > 0 else None,
        "width": width,
        "top_code": top_code,
        "group": group if kept else None,
    }
    return Drawn(
        name="age",
        parameters={"epsilon": epsilon, "lowest": lowest, "highest": highest}
        | {name: value for name, value in given.items() if value is not None},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: digits or words, letter case, what stands around the number but for plurals and parts of a "
            "year, its unit (years, months, weeks, days), and whether it can be read as an age",
            *((f"whether it is below {ADULT} years",) if kept else ()),
        ),
        equality=AS_READ,
        surrogate_of=surrogate_of,
        read=_key,
    )


def _group(number: int, lowest: int, highest: int) -> tuple[int, int]:
    """The ages of a child, or of an adult."""
    return (lowest, ADULT - 1) if number < ADULT else (max(lowest, ADULT), highest)


def _key(value: str) -> str:
    """What ages are told apart by: the number and the unit, where they can be read."""
    read = _read(value)
    return UNREAD + value if read.match is None else f"{read.number} {read.unit}"


def _read(value: str) -> _Read:
    """The age in a value."""
    match = _AGE.fullmatch(value) if len(value) <= 40 else None
    if match is None:
        return _Read(0, "y", None)
    if match["digits"] is not None:
        number = int(match["digits"])
    else:
        number = _NUMBERS.get(match["word"].lower().replace(" ", "-"), -1)
    if number < 0:
        return _Read(0, "y", None)
    return _Read(number, (match["unit"] or "y")[0].lower(), match)


def age_of(value: str) -> tuple[int, str] | None:
    """The number of an age and the first letter of its unit; None where it cannot be read."""
    read = _read(value)
    return None if read.match is None else (read.number, read.unit)


def _written(number: int, read: _Read, top_code: int | None) -> str:
    """A drawn age in the format of one that was read."""
    match, top = read.match, top_code is not None and read.unit == "y" and number >= top_code
    shown = f"{top_code}+" if top else str(number)
    if match is None:
        return shown
    if match["decade"]:
        shown = f"{number // 10 * 10}s"
    elif match["word"] and not top:
        shown = in_case_of(match["word"], WORDS[number] if number < len(WORDS) else str(number))
        shown = shown.capitalize() if match["word"][0].isupper() and not match["word"].isupper() else shown
    unit, old = match["unit"], match["old"] or ""
    if unit is None:
        return (match["before"] or "") + shown
    joined = match["gap"] == "-" or old.startswith("-") or len(unit) == 1
    many = "" if joined or number == 1 else in_case_of(unit, "s")
    return (match["before"] or "") + shown + match["gap"] + unit + many + old
