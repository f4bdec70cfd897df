"""Telephone numbers: format and country stay; digits are of reserved ranges where there are some."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Final, NamedTuple

import numpy as np

from textveil.registry.options import Option, interval
from textveil.surrogates.drawn import Drawn, agreed, proved
from textveil.surrogates.making import SURROGATES, declared
from textveil.surrogates.pools import has_pool, pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.writing import filled, key_of, shape_of
from textveil.text.patterns import lazy_regex

_EXTENSION: Final = lazy_regex(r"\s{0,3}(?:x|ext\.?|extension)\s{0,3}[0-9]{1,6}\Z", re.IGNORECASE)
_LONGEST_EXTENSION: Final = 24
_LOCAL: Final = 7
_ANY: Final = tuple("23456789")

_COUNTRY = Option(
    domain=interval("a calling code from 1 to 999", 1, 999),
    help="The country of numbers without a calling code: 1 for North America, 44 for Britain.",
    metavar="CODE",
)


class _Plan(NamedTuple):
    name: str  # of the pool of beginnings; where no plan is known, what is kept, so that others share no draws
    kept: int  # how many digits in front stay: a calling code, zeros before it, a 0 or 1 before the area
    beginnings: tuple[str, ...]  # of the digits after them, one of which is drawn; 2 to 9 where no plan is known


class _WrittenNumber(NamedTuple):
    bare: str
    extension: str  # an extension with what marks it, or empty
    plan: _Plan
    number: str  # the digits that do not stay
    letters: str  # how many letters there are, and these, case folded; empty if there are none


@declared(
    summary="A number of the same country and format, where possible one that is reserved for examples.",
    kinds=("phone",),
    proof=SURROGATES,
)
def phone(*, country_code: Annotated[int, _COUNTRY] = 1) -> Drawn:
    """A uniform number of the format and country of a value; formats of one number agree.

    In North America it is one of 555-0100 to 555-0199 of a public list of areas, in Britain and France one of those
    that their offices reserve for drama: nobody is called. Elsewhere digits begin as numbers of that country do
    (``phonenumbers``), and the number may be somebody's.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        read = _read(value, country_code)
        plan, number, letters = read.plan, read.number, read.letters
        label = f"{plan.name}, digits"
        drawn = agreed(scope, label, number, rng, lambda source: _drawn(plan, number, source), distinct=True)
        digits = iter(_digits(read.bare)[: plan.kept] + drawn)
        own = f"{plan.name} {number} {letters}"
        capitals = "A" * int(letters.partition(" ")[0] or 0)
        large = iter(agreed(scope, "phone letters", own, rng, lambda source: filled(capitals, source)))
        next_of = {"9": lambda: next(digits), "A": lambda: next(large), "a": lambda: next(large).lower()}
        written = [next_of[symbol]() if symbol in next_of else symbol for symbol in shape_of(read.bare)]
        ending, mark = _digits(read.extension), f"{label}, extension"
        other = agreed(scope, mark, f"{number} x {ending}", rng, lambda source: filled("9" * len(ending), source))
        return "".join(written) + read.extension[: len(read.extension) - len(ending)] + other

    def key(value: str) -> str:
        read = _read(value, country_code)
        return f"{read.plan.name} {read.number} {read.letters} x {_digits(read.extension)}"

    return Drawn(
        name="phone",
        parameters={"country_code": country_code},
        guarantee=proved(0.0, SURROGATES),
        public=(
            "its format: how many digits, capitals and other letters it has, the marks and white space between "
            "them, and an extension's",
            "its country, where the calling code is written after + or 00, and a 0 or 1 in front of the area",
        ),
        equality=(
            "which numbers are equal, without calling code, 0 or 1 in front, letters and extension; and of equal ones, "
            "which letters and which extensions are equal, but for case"
        ),
        surrogate_of=surrogate_of,
        read=key,
    )


def _read(value: str, country_code: int) -> _WrittenNumber:
    match = _EXTENSION.search(value[-_LONGEST_EXTENSION:])
    extension = "" if match is None else match[0]
    bare = value[: len(value) - len(extension)]
    digits, letters = _digits(bare), "".join(filter(str.isalpha, bare))
    letters = f"{len(letters)} {key_of(letters)}" if letters else ""
    plan = _plan(digits, bare.lstrip("( ").startswith("+"), country_code)
    return _WrittenNumber(bare, extension, plan, digits[plan.kept :], letters)


def _plan(digits: str, plus: bool, country_code: int) -> _Plan:
    zeros = 2 if not plus and digits.startswith("00") else 0
    if plus or zeros:
        for length in (1, 2, 3):
            code, rest = digits[zeros : zeros + length], len(digits) - zeros - length
            if has_pool(name := f"phone {code} {rest}"):
                return _Plan(name, zeros + length, pool(name))
        known = (length for length in (1, 2, 3) if digits[zeros : zeros + length] in pool("calling code"))
        length = next(known, 0)
        return _Plan(f"phone +{digits[zeros : zeros + length]}", zeros + length, _ANY)
    trunk = 1 if digits[:1] == "0" or (country_code == 1 and digits[:1] == "1" and len(digits) > _LOCAL) else 0
    if country_code == 1 and len(digits) == _LOCAL:
        return _Plan("phone 1 local", 0, ("55501",))
    name = f"phone {country_code} {len(digits) - trunk}"
    return _Plan(name, trunk, pool(name)) if has_pool(name) else _Plan(f"phone {digits[:trunk]}-", trunk, _ANY)


def _drawn(plan: _Plan, number: str, rng: np.random.Generator) -> str:
    begins = plan.beginnings[int(rng.integers(len(plan.beginnings)))]
    return (begins + filled("9" * len(number), rng))[: len(number)]


def _digits(written: str) -> str:
    return "".join(str(unicodedata.digit(character)) for character in written if character.isdigit())
