"""Record, card and account numbers, other digits and secrets: the format stays, the rest is drawn.

Checksums come out right; what issuers write in front of a secret stays. An epsilon keeps digits, one by one.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Annotated, Final

import numpy as np

from textveil.detection.addresses import SPOKEN_CODE, SPOKEN_DIGITS
from textveil.detection.secrets import KEPT_BEGINNINGS, PEM_LABEL
from textveil.errors import need
from textveil.mechanisms.randomized_response import BASE, KEEP_LIMIT, DigitResponse
from textveil.registry.options import Option, interval
from textveil.surrogates.calendars import read_as
from textveil.surrogates.drawn import IN_ANY_DIGITS, Draw, Drawn, agreed, proved
from textveil.surrogates.making import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention
from textveil.surrogates.writing import (
    ANY,
    FROM_ONE,
    HEX,
    LARGE_HEX,
    LARGE_MIXED,
    MIXED,
    filled,
    shape_in_scripts,
    shape_of,
)
from textveil.text.patterns import lazy_regex

_CARD: Final = lazy_regex(r"9(?:[\s-]?9){12,18}")
_IBAN: Final = lazy_regex(r"AA99(?: ?[Aa9]){11,30}")
# Each by the shape alone: whether a letter is one of A to Z is private.
_SOCIAL: Final = lazy_regex(r"999([\s-])99\1 ?9999")
_UUID: Final = lazy_regex("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEXADECIMAL: Final = lazy_regex(
    r"(?P<lead>0[xX])?(?:[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\2[0-9a-fA-F]{2}){4,6}"
    r"|(?:[0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}|(?(lead)[0-9a-fA-F]{3,}|(?:[0-9a-f]{16,}|[0-9A-F]{16,})))"
)
_PAIRS: Final = lazy_regex("(?=[0-9:]{0,120}[a-fA-F])[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){2,40}")
_ACCOUNT: Final = lazy_regex("[A-Z]{2}[0-9]{13,32}")
"""An IBAN of digits, whose country may look hexadecimal: DE, BE."""
_DIGEST: Final = lazy_regex("[0-9a-f]{7,}|[0-9A-F]{7,}|(?:[0-9A-F]{4} {1,2}){9}[0-9A-F]{4}")
_COORDINATE: Final = lazy_regex(
    r"(?P<before>[NSEWnsew]? ?)(?P<degrees>[0-9]{1,3})"
    r"(?P<rest>\.[0-9]+|(?:[\u00b0 ] ?[0-9]{1,2}(?:['\u2032 ] ?[0-9]{1,2})?(?:\.[0-9]+)?))?"
    r"(?P<after>[\u00b0\"'\u2032\u2033 ]{0,3}[NSEWnsew]?)(?![A-Za-z0-9])"
)
_FORMAT: Final = (
    "its format: which characters are digits, capitals or other letters, and of which script, and the marks and white "
    "space between them"
)
_COUNTERS: Final = frozenset("\u7b2c\u53f7\u865f\u756a\uc81c\ud638")
"""Words for a number in Chinese, Japanese and Korean, which stay: \u7b2c0417-2\u53f7."""
_VERSIONS: Final = "12345678"
_HEMISPHERES: Final = str.maketrans("NSEWnsew", "nneennee")


@declared(
    summary="The format is kept, digits and letters are drawn; card numbers and IBANs have valid checksums.",
    kinds=("id",),
    proof=SURROGATES,
    name="id",
)
def id_surrogate() -> Drawn:
    """A uniform string of the format of a value.

    What a reader would check is made right wherever the format alone says that it would be checked: 13 to 19 digits end
    in a Luhn digit; two capitals, two digits and 11 to 30 letters or digits more are an IBAN, whose country is kept,
    with its check digits; three, two and four digits are a social security number of a range that is never given out.
    Hexadecimal stays hexadecimal, and coordinates stay on the globe.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if spoken := _spoken(value):
            return agreed(
                scope, "id spoken", value, rng, lambda source: _in_words(filled(spoken, source)), distinct=True
            )
        shape = formal_shape(value)
        country = value[:2] if _IBAN.fullmatch(shape) and value[:2].isascii() else ""
        label = f"id {country}"
        return agreed(scope, label, value, rng, lambda source: drawn_id(shape, country, source), distinct=True)

    return Drawn(
        name="id",
        parameters={},
        guarantee=proved(0.0, SURROGATES),
        public=(
            _FORMAT,
            "the country of what is written as an IBAN, where it is two letters of A to Z",
            "whether it is digits in words, and how many; whether it is hexadecimal, with the version of a UUID, or"
            " geographic coordinates; which of its letters are words for a number (\u7b2c, \u53f7)",
        ),
        equality=IN_ANY_DIGITS,
        surrogate_of=surrogate_of,
    )


_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORD: Final = lazy_regex("[a-z]+")
_NUMBER_WORD: Final = lazy_regex("[A-Za-z]{3,}|(?i:oh)(?![A-Za-z])")


def _spoken(value: str) -> str:
    """Return the shape of digits in words, a digit for each word; else nothing."""
    said = SPOKEN_DIGITS.fullmatch(read_as(value))
    if not said and not (SPOKEN_CODE.fullmatch(value) and _NUMBER_WORD.search(value)):
        return ""
    return formal_shape((_WORD if said else _NUMBER_WORD).sub("9", said[0] if said else value))


def _in_words(digits: str) -> str:
    return "".join(_WORDS[int(mark)] if mark.isdigit() else mark for mark in digits)


def formal_shape(value: str) -> str:
    """Return the shape of an id, with a symbol of its own for what is hexadecimal, or a coordinate."""
    if not value.isascii() and not any(mark in value for mark in "\u00b0\u2032\u2033"):
        shape = shape_in_scripts(value)
        return "".join(mark if mark in _COUNTERS else symbol for mark, symbol in zip(value, shape, strict=True))
    if _PAIRS.fullmatch(value):
        return _hexadecimal(value)
    if _UUID.fullmatch(value):
        shape = _hexadecimal(value)
        version = value[14] if value[14] in _VERSIONS else shape[14]
        variant = "V" if LARGE_HEX in shape else "v"
        return f"{shape[:14]}{version}{shape[15:19]}{variant}{shape[20:]}"
    form = _HEXADECIMAL.fullmatch(value)
    if (
        form
        and not _ACCOUNT.fullmatch(value)
        and (not value.isalnum() or form["lead"] or not (value.isdigit() or value.isalpha()))
    ):
        lead = form["lead"] or ""
        return lead + _hexadecimal(value[len(lead) :])
    return _coordinates(value) or shape_of(value)


def _digest_shape(value: str) -> str:
    """Return the shape of a digest or its beginning, of 7 hexadecimal digits and letters or more; else nothing."""
    if _UUID.fullmatch(value):
        return formal_shape(value)
    form = _DIGEST.fullmatch(value)
    return _hexadecimal(value) if form and not (value.isdigit() or value.isalpha()) else ""


def _hexadecimal(value: str) -> str:
    """Return the shape of digits of 16: in capitals if a capital and no small letter is among them."""
    symbol = LARGE_HEX if value.isupper() else HEX
    return "".join(symbol if character.isalnum() else character for character in value)


def _coordinates(value: str) -> str:
    """Return the shape of coordinates: degrees, hemispheres, minutes and seconds; empty for other values."""
    if not any(mark in value for mark in ".\u00b0"):
        return ""
    parts, position = [], 0
    for coordinate in _COORDINATE.finditer(value):
        between = value[position : coordinate.start()]
        if between.strip(" ,;/-+()[]"):
            return ""
        degrees = {1: "9", 2: "d9", 3: "ct9"}[len(coordinate["degrees"])]
        rest = re.sub(
            "[0-9]+", lambda digits: "m9" if len(digits[0]) == 2 else "9" * len(digits[0]), coordinate["rest"] or ""
        )
        rest = "." + "9" * (len(rest) - 1) if (coordinate["rest"] or "").startswith(".") else rest
        parts.append(between + coordinate["before"].translate(_HEMISPHERES) + degrees + rest)
        parts.append(coordinate["after"].translate(_HEMISPHERES))
        position = coordinate.end()
    pair = len(parts) == 4 or (len(parts) == 2 and parts[1].strip() != "")
    whole = pair and not value[position:].strip(" )]")
    return "".join(parts) + value[position:] if whole else ""


def drawn_id(shape: str, country: str, rng: np.random.Generator) -> str:
    """Return a string of that shape; ``country`` is what an IBAN begins with, or empty if that is drawn."""
    drawn = filled(shape, rng)
    if _IBAN.fullmatch(shape):
        return with_iban_check((country or drawn[:2]) + drawn[2:])
    if _CARD.fullmatch(shape):
        return with_luhn_digit("3456"[int(rng.integers(4))] + drawn[1:])
    if _SOCIAL.fullmatch(shape):
        group, serial = int(rng.integers(1, 50)), int(rng.integers(1, 10_000))
        return f"9{drawn[1:3]}{shape[3]}{group:02d}{shape[6:-4]}{serial:04d}"
    return drawn


def with_luhn_digit(number: str) -> str:
    """Return a card number with its last digit such that the Luhn sum is a multiple of ten."""
    digits = [int(character) for character in number if character.isdigit()][:-1]
    doubled = [sum(divmod(2 * digit, 10)) if index % 2 == 0 else digit for index, digit in enumerate(reversed(digits))]
    return number[:-1] + str(-sum(doubled) % 10)


def with_iban_check(number: str) -> str:
    """Return an IBAN with the two check digits that ISO 13616 asks for: the rest after dividing by 97 is 1."""
    bare = number.replace(" ", "").upper()
    moved = "".join(str(int(character, 36)) for character in f"{bare[4:]}{bare[:2]}00")
    return f"{number[:2]}{98 - int(moved) % 97:02d}{number[4:]}"


_LIMIT = Option(
    domain=interval(f"between {1 / BASE} and 1", 1 / BASE, 1),
    help="No digit stays with a larger probability, whatever epsilon is; 1 is no limit.",
    metavar="P",
    unset=f"{KEEP_LIMIT:g} where epsilon is above 0",
)


@declared(
    summary="Each digit by randomized response, epsilon shared over the digits of a value; the format is kept.",
    kinds=("number", "id", "money"),
    proof=SURROGATES,
)
def digits(*, epsilon: OptionalEpsilon = 0.0, digit_keep_limit: Annotated[float, _LIMIT] | None = None) -> Drawn:
    """Digits by ``DigitResponse``, for any two values of one format; letters are drawn uniformly, marks stay.

    At epsilon 0 a number begins with no zero, and a single digit before released words such as "months" is 2 to 9.
    """
    if epsilon == 0:
        hint = "Leave `digit_keep_limit` out for uniform draws."
        need(digit_keep_limit is None, "epsilon", epsilon, "> 0 with `digit_keep_limit`", hint)
    limit = KEEP_LIMIT if digit_keep_limit is None else digit_keep_limit
    response = DigitResponse(epsilon, limit) if epsilon > 0 else None
    label = f"digits {epsilon!r} {limit!r}"

    def of_mentions(mentions: Sequence[Mention], ages: Sequence[str]) -> Draw:
        counted = {mention.value for mention in mentions if _SEVERAL.match(mention.after)}

        def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
            shape = (response is None and _digest_shape(value)) or shape_of(value)
            if response is not None:
                return agreed(scope, label, value, rng, lambda source: _answered(response, value, shape, source))
            if shape == "9" and value in counted:
                return agreed(scope, f"{label} several", value, rng, lambda source: str(2 + int(source.integers(8))))
            if _COUNT.fullmatch(shape):
                shape = FROM_ONE + shape[1:]
            return agreed(scope, label, value, rng, lambda source: filled(shape, source), distinct=True)

        return surrogate_of

    return Drawn(
        name="digits",
        parameters={"epsilon": epsilon} | ({"digit_keep_limit": limit} if epsilon > 0 else {}),
        guarantee=proved(epsilon, SURROGATES),
        public=(_FORMAT,)
        if epsilon
        else (_FORMAT, "whether it is hexadecimal, of 7 digits and letters or more, with the version of a UUID"),
        equality=IN_ANY_DIGITS,
        surrogate_of=lambda value, scope, rng: of_mentions([Mention(value)], ())(value, scope, rng),
        of_mentions=of_mentions,
    )


_COUNT: Final = lazy_regex(r"9(?:9[9.,]*|(?:,999)+(?:\.9+)?)?")
"""The shape of a number that a reader counts by: 40, 1,250.00, 12.5; not 0.125."""
_SEVERAL: Final = lazy_regex(
    r"(?i) (?:(?:weeks|months|days|hours|minutes|years|tagen?|wochen|monaten?|jahren?|stunden|minuten|jours|semaines"
    r"|ans|heures|d\xedas|semanas|meses|a\xf1os|horas|giorni|settimane|mesi|anni|ore|dias|anos|dagen|weken|maanden"
    r"|uren|dni|tygodni|miesi\u0119cy)(?![^\W_]))"
)
"""Released units behind a number that more than one of them is counted by: at epsilon 0 a single digit is 2 to 9."""


def _answered(response: DigitResponse, value: str, shape: str, rng: np.random.Generator) -> str:
    places = [place for place, character in enumerate(shape) if character == "9"]
    out = list(filled(shape, rng))
    if places:
        true = np.array([unicodedata.digit(value[place]) for place in places], dtype=np.int64)
        for place, digit in zip(places, response.privatize(true, np.array([len(places)]), rng).tolist(), strict=True):
            out[place] = str(digit)
    return "".join(out)


_BEGINNING: Final = lazy_regex("|".join(map(re.escape, KEPT_BEGINNINGS)))
_FRAME: Final = lazy_regex(rf"-----(?:BEGIN|END) {PEM_LABEL}-----")
# Line breaks that are written as letters: behind a backslash in other secrets, such letters are drawn.
_FRAME_AND_BREAKS: Final = lazy_regex(rf"{_FRAME.pattern}|\\[rn]")
_SYMBOLS: Final = {"9": "9", "a": "a", "A": "A", "9a": MIXED, "9A": LARGE_MIXED, "Aa": "w", "9Aa": ANY}
_SMALL_HEX: Final = lazy_regex("[^0-9a-f]")
_CAPITAL_HEX: Final = lazy_regex("[^0-9A-F]")
_SHORTEST_HEX: Final = 16
_DRAWN: Final = frozenset("9aA")


@declared(
    summary="A public beginning such as ghp_, marks, length and alphabet are kept; all letters and digits are drawn.",
    kinds=("secret",),
    proof=SURROGATES,
    name="secret",
)
def secret_surrogate() -> Drawn:
    """A uniform string in the place of a secret: of its characters only the alphabet of the whole is public.

    Beginnings that name an issuer stay, and the first and last line of a private key.
    """

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str:
        if spoken := _spoken(value):
            return agreed(
                scope, "secret spoken", value, rng, lambda source: _in_words(filled(spoken, source)), distinct=True
            )
        kept, shape = secret_shape(value)

        def drawn(source: np.random.Generator) -> str:
            characters = iter(filled(shape, source))
            return "".join(next(characters) if mark == "\0" else mark for mark in kept)

        return agreed(scope, "secret", value, rng, drawn, distinct=True)

    return Drawn(
        name="secret",
        parameters={},
        guarantee=proved(0.0, SURROGATES),
        public=(
            "its beginning, where that is one of a public list (ghp_, AKIA); the first and last line of a private key",
            "how long it is, its marks and white space; which of digits, small letters and capitals it has; whether it "
            "is hexadecimal; whether it is digits in words, and how many",
        ),
        equality=IN_ANY_DIGITS,
        surrogate_of=surrogate_of,
    )


def secret_shape(value: str) -> tuple[str, str]:
    """Return what stays of a secret, with a null character for each other character, and the shape of these."""
    kept = list("\0" * len(value))
    beginning = _BEGINNING.match(value)
    frames = [(beginning.start(), beginning.end())] if beginning else []
    framed = _FRAME_AND_BREAKS.finditer(value) if _FRAME.search(value) else ()
    for start, end in [*frames, *(frame.span() for frame in framed)]:
        kept[start:end] = value[start:end]
    rest = "".join(character for character, mark in zip(value, kept, strict=True) if mark == "\0")
    shape = shape_of(rest)
    symbol = _symbol(rest, shape)
    return "".join(kept), "".join(symbol if character in _DRAWN else character for character in shape)


def _symbol(rest: str, shape: str) -> str:
    classes = "".join(symbol for symbol in "9Aa" if symbol in shape)
    word = "".join(character for character in rest if character.isalnum())
    if len(word) >= _SHORTEST_HEX and classes in ("9a", "9A"):
        if not _SMALL_HEX.search(word):
            return HEX
        if not _CAPITAL_HEX.search(word):
            return LARGE_HEX
    return _SYMBOLS.get(classes, "9")
