"""Measurements, quantities and durations: their numbers are drawn, and all that stands around them stays."""

import re
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Annotated, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.detection.found import plain
from textveil.detection.measurements import GRADED
from textveil.detection.quantities import AFTER_SECTION, LIST_NUMBER, SECTION_NUMBER
from textveil.detection.units import MAGNITUDES, NUMBER_WORD, ORDINAL_WORDS, WITH_DIGITS, is_name
from textveil.errors import need
from textveil.registry.options import Option, interval
from textveil.surrogates.amounts import TAX_WORD
from textveil.surrogates.drawn import Drawn, agreed, proved
from textveil.surrogates.making import SURROGATES, OptionalEpsilon, declared
from textveil.surrogates.quantities import WORDS, window
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Counts, Mention, Surrogate
from textveil.surrogates.writing import filled, in_case_of, ordinal_ending
from textveil.text.patterns import lazy_regex

_CELLS: Final = 1000  # numbers that are told apart in a range at the most; in a longer one they are drawn by cells
_MOST_DIGITS: Final = 15
_MOST_DAYS: Final = 21  # the highest ordinal of two digits, so that it may be a day or a century
_MOST_WORDS: Final = 20  # the highest number that is written as a word
_WORD: Final = "|".join(sorted(WORDS, key=len, reverse=True)).replace("-", "[ -]")
_PLACED: Final = "|".join(sorted(ORDINAL_WORDS, key=len, reverse=True))
_NUMBERS: Final = lazy_regex(
    r"(?P<ordinal>(?<![0-9.,])(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15})(?:st|nd|rd|th)(?![A-Za-z0-9]))"
    r"|(?P<number>(?:[0-9]{1,3}(?:,[0-9]{3}){1,12}+(?![0-9])|[0-9]++)(?:\.[0-9]++)?)"
    r"|(?<![A-Za-z])(?:"
    rf"(?P<one>(?i:an?)(?=[ -](?i:{MAGNITUDES})(?![A-Za-z])))"
    rf"|(?P<word>(?i:{_WORD}))(?=fold|[^A-Za-z]|\Z)"
    rf"|(?P<alone>(?i:{MAGNITUDES})(?![A-Za-z]))"
    rf"|(?P<placed>(?i:{_PLACED}))(?![A-Za-z])"
    r"|(?P<part>(?i:half|quarter)(?:(?i: an?))?)(?![A-Za-z])"
    r"|(?P<times>(?i:once|twice|thrice))(?![A-Za-z])"
    r")",
    re.ASCII,
)
_TOKENS: Final = lazy_regex(
    rf"(?P<name>(?<![A-Za-z0-9])(?:{WITH_DIGITS})(?![A-Za-z0-9]))"
    r"|(?P<power>(?<![A-Za-z])(?:[mck]m|m|ft|in)[23](?![A-Za-z0-9]))"
    rf"|(?<![A-Za-z])(?P<graded>{GRADED})"
    r"(?:(?P<roman>VI{0,3}|I[VX]|I{1,3}|V|X)(?=[-/ A-Ea-e0-9]|\Z)|(?=[A-Ea-e]\Z))"
    rf"|{_NUMBERS.pattern}",
    re.ASCII,
)
_KEPT: Final = frozenset(("name", "power"))
_LETTER: Final = lazy_regex(r"(?P<between>[- ]?)(?P<letter>[A-Ea-e])")
_MAGNITUDE: Final = lazy_regex(rf"(?i:{MAGNITUDES})")
_BEFORE_UNIT: Final = lazy_regex(r"(?:/ ?|\b(?:per|an?|each|every) )\Z")
_OF_TIME: Final = "year|month|week|day|hour|minute|second|night|decade"
_COUNTED: Final = lazy_regex(
    rf"(?<![A-Za-z0-9.,/-])(?P<number>[0-9]+|(?i:{_WORD})) (?P<unit>(?i:{_OF_TIME}))[sS]?(?![A-Za-z-])"
)

# The form of a value that counts a few of a family or a hand.
_FEW: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?:grand|step)?(?:children|sons|daughters)|kids|boys|girls|brothers|sisters|siblings|fingers|toes|"
    r"enfants|fils|filles|fr\xe8res|s\u0153urs|kinder|s\xf6hne|t\xf6chter|hijos|hijas|hermanos|figli|figlie|filhos|filhas|"
    r"kinderen|zonen|dochters|dzieci)(?![^\W_])"
)
_VITAL: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?P<pressure>(?:n?ibp|bp|blood pressure|rr|blutdruck|t\.?a\.?|p\.?a\.?|\u0430\u0434)(?![^\W_])"
    r"(?=[^/]{0,12}/))|(?P<pulse>(?:pulse?|pulso|hr|heart rate|fc|bpm|hf|t\u0119tno|pols|\u0447\u0441\u0441)(?![^\W_]))"
    r"|(?P<saturation>s[pa]o2|o2 sats?|sats?(?![^\W_]))|(?P<temperature>temp)|(?P<breaths>(?:rr|resps?"
    r"|af)(?![^\W_]))|(?P<coma>gcs|glasgow))"
)
_USUAL: Final = MappingProxyType(
    {
        "pressure": (((92, 168),), ((54, 96),)),
        "pulse": (((52, 124),),),
        "saturation": (((90, 100),),),
        "temperature": (((36, 39), (100, 103)),),
        "breaths": (((11, 24),),),
        "coma": (((3, 15),), ((15, 15),)),
    }
)
"""Vital signs by the words of a value's form, and the usual ranges of its numbers, by how many digits they have."""
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
    Ordinals of two digits are 10th to 21st, and all keep a right ending; numbers in words are words from one to twenty,
    grades are I to IV or A to E. At epsilon 0 children, siblings and fingers are two to six, if their number is a word
    or one digit, and vital signs (BP, pulse) lie in their usual ranges. Numbers in names (SpO2, COVID-19) stay, and so
    do those of lists and sections ("2.", "page 3"). A value with a number that is read in none of these ways is
    blanked.
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

    def number(written: str, share: float, rng: np.random.Generator, usual: _Ranges = ()) -> str:
        whole, mark, fraction = written.replace(",", "").partition(".")
        if len(whole) + len(fraction) > _MOST_DIGITS:
            return filled("9" * len(whole), rng) + mark + filled("9" * len(fraction), rng)
        power = 10 ** len(fraction)
        from_one = len(whole) > 1 or (share == 0 and not fraction)  # no 0 h
        least, most = (10 ** (len(whole) - 1) if from_one else 0) * power, 10 ** len(whole) * power - 1
        if low is not None and high is not None:
            least = round(low * power)
            most = max(round(high * power), least + 1)
        else:
            fitting = ((max(least, first * power), min(most, last * power)) for first, last in usual)
            least, most = next((ends for ends in fitting if ends[0] <= ends[1]), (least, most))
        place = drawn_place(least, most, int(whole + fraction), share, rng)
        sign, (units, rest) = "-" if place < 0 else "", divmod(abs(place), power)
        return f"{sign}{units:{',' if ',' in written else ''}d}{mark}{f'{rest:0{len(fraction)}d}' if fraction else ''}"

    def drawn_piece(piece: _Piece, share: float, rng: np.random.Generator) -> str:
        kind, written = piece
        if kind == "ordinal":
            digits = written[:-2].replace(",", "")
            most = _MOST_DAYS if len(digits) == 2 else 10 ** len(digits) - 1  # of a day or a century
            place = drawn_place(10 ** (len(digits) - 1), most, int(digits), share, rng)
            return f"{place:{',' if ',' in written else ''}d}{ordinal_ending(place)}"
        if kind not in _ROWS:
            return written
        row = _ROWS[kind]
        return row.written(written, row.entries[drawn_place(0, len(row.entries) - 1, row.place(written), share, rng)])

    def few_of(piece: _Piece, rng: np.random.Generator) -> str:
        if piece.kind == "word":
            return _cased(piece.written, WORDS[2 + int(rng.integers(5))])
        is_digit = len(piece.written) == 1
        if piece.kind == "number":
            return str(2 + int(rng.integers(5))) if is_digit else number(piece.written, 0.0, rng)
        return drawn_piece(piece, 0.0, rng)

    def surrogate_of(value: str, scope: Scope, rng: np.random.Generator) -> str | None:
        pieces = _pieces(value)
        if pieces is None:
            return None
        share = epsilon / max(sum(piece.kind != "" for piece in pieces), 1)
        form = "".join(piece.written for piece in pieces if not piece.kind) if epsilon == 0 and low is None else ""
        few, vital = _FEW.search(form), _VITAL.search(form)

        def made(source: np.random.Generator) -> str:
            usual = iter(_USUAL[vital.lastgroup or ""] if vital else ())
            shown = [
                few_of(piece, source)
                if few
                else number(piece.written, share, source, next(usual, ()))
                if piece.kind == "number"
                else drawn_piece(piece, share, source)
                for piece in pieces
            ]
            return _COUNTED.sub(_counted, "".join(shown))

        return agreed(scope, label, _singular(value), rng, made)

    given = {} if low is None else {"low": low, "high": high}
    drawn = Drawn(
        name="measurement",
        parameters={"epsilon": epsilon, **given},
        guarantee=proved(epsilon, SURROGATES),
        public=(
            "its format: all but its numbers, and how many digits each has; which are ordinals, words (with hundred, "
            "thousand and the like) or Roman, stand in known names (SpO2), or count items or sections; and whether all "
            "its numbers can be read",
        ),
        equality="which are equal, but for the writing of digits and the plural of a unit of time",
        surrogate_of=surrogate_of,
        read=_singular,
    )
    return _Measurement(drawn)


class _Measurement:
    """Draws, unless a word in front says that a number is that of a section."""

    counts: Counts = "value"
    consistent = True

    def __init__(self, drawn: Drawn) -> None:
        self._drawn = drawn
        self.name, self.parameters, self.guarantee = drawn.name, drawn.parameters, drawn.guarantee
        self.public, self.equality = drawn.public, drawn.equality

    def key(self, value: str) -> str:
        return self._drawn.key(value)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        return [
            mention.value
            if SECTION_NUMBER.fullmatch(mention.value) and AFTER_SECTION.search(mention.before)
            else self._rate(mention, scope, rng)
            or _with_powers(self._drawn.draw([mention], scope, rng)[0], mention.value)
            for mention in mentions
        ]

    def _rate(self, mention: Mention, scope: Scope, rng: np.random.Generator) -> str:
        """Return the rate of a tax that released words beside a percentage show, at epsilon 0; empty if none do."""
        rate = _RATE.fullmatch(mention.value)
        is_free = self.parameters == {"epsilon": 0} and scope.remembers
        if rate is None or not is_free or not (_TAX_BEFORE.search(mention.before) or _TAX_BEHIND.match(mention.after)):
            return ""
        rates = _RATES[len(rate["number"])]
        drawn = agreed(scope, "tax", self.key(mention.value), rng, lambda rng: rates[int(rng.integers(len(rates)))])
        return f"{drawn}{rate['mark']}"


_RATE: Final = lazy_regex(r"(?P<number>[0-9]{1,2})(?P<mark>\s?%)")
_RATES: Final = {1: ("5", "6", "7", "8", "9"), 2: ("10", "12", "13", "15", "19", "20", "21", "22", "23", "25")}
_TAX_BEFORE: Final = lazy_regex(rf"(?<![^\W_]){TAX_WORD}[^\n%0-9]{{0,12}}\Z")
_TAX_BEHIND: Final = lazy_regex(rf"[^\n%0-9]{{0,12}}?(?<![^\W_]){TAX_WORD}(?![^\W_])")
_POWERS: Final = lazy_regex(r"(?<![A-Za-z])(?:[mck]?m|ft|in)(?P<power>[23\xb2\xb3])(?![A-Za-z0-9])")


def _with_powers(drawn: str, value: str) -> str:
    """Return a draw with the powers of its units as they are written, which is a part of the form."""
    powers = [match["power"] for match in _POWERS.finditer(value)]
    ends = [match.end() for match in _POWERS.finditer(drawn)]
    if len(powers) != len(ends):
        return drawn
    characters = list(drawn)
    for end, power in zip(ends, powers, strict=True):
        characters[end - 1] = power
    return "".join(characters)


_Ranges: TypeAlias = "tuple[tuple[int, int], ...]"


class _Piece(NamedTuple):
    """A piece of a value: what kind of number it is, or an empty kind for what stays."""

    kind: str
    written: str


def _pieces(value: str) -> list[_Piece] | None:
    if LIST_NUMBER.fullmatch(value):
        return [_Piece("", value)]
    pieces: list[_Piece] = []
    position = 0
    while (match := _TOKENS.search(value, position)) is not None:
        if match["name"] and not is_name(value, *match.span()):
            match = _NUMBERS.search(value, match.start())
            if match is None:
                return None
        kind, before = match.lastgroup or "", value[position : match.start()]
        if not _may_stay(before):
            return None
        pieces.append(_Piece("", before))
        unit = match[0].lower() == "second" and (_counted_by(pieces) or _BEFORE_UNIT.search(before))
        if unit or (kind == "alone" and _counted_by(pieces)):
            kind = ""
        if kind == "number" and len(match[0]) == 2 and before.strip() == "h" and len(pieces) > 1:
            kind = "minutes"
        position = match.end()
        if kind in ("graded", "roman"):
            grade = match.groupdict()
            pieces += [_Piece("", grade["graded"]), _Piece("roman" if grade["roman"] else "", grade["roman"] or "")]
            letter = _LETTER.fullmatch(value, position)
            if letter is not None:
                pieces += [_Piece("", letter["between"]), _Piece("letter", letter["letter"])]
                position = letter.end()
        else:
            pieces.append(_Piece("" if kind in _KEPT else kind, match[0]))
    rest = value[position:]
    return [*pieces, _Piece("", rest)] if _may_stay(rest) else None


def _may_stay(between: str) -> bool:
    return not any(map(str.isnumeric, between)) and NUMBER_WORD.search(plain(between).text) is None


def _counted_by(pieces: Sequence[_Piece]) -> bool:
    if len(pieces) < 2 or pieces[-1].written not in (" ", "-"):
        return False
    return pieces[-2].kind != "" or _MAGNITUDE.fullmatch(pieces[-2].written) is not None


class _Row(NamedTuple):
    entries: tuple[str, ...]
    place: Callable[[str], int]  # of a word; one outside counts as the nearest
    written: Callable[[str, str], str]  # an entry in the place of a word, in its letter case


def _cased(model: str, entry: str) -> str:
    return in_case_of(model, entry) if model.islower() or (model.isupper() and len(model) > 1) else entry.title()


def _part(model: str, entry: str) -> str:
    _, _, article = model.partition(" ")
    first, *others = [entry, article] if entry == "half" else ["a", entry, "of", article] if article else [entry]
    return " ".join([_cased(model.split(" ")[0], first), *(in_case_of(model, word) for word in others)]).rstrip()


_COUNTS: Final = WORDS[1 : _MOST_WORDS + 1]
_PARTS: Final = ("half", "third", "quarter")
_TIMES: Final = ("once", "twice", "thrice")
_ROMAN: Final = ("I", "II", "III", "IV")
_ALL_ROMAN: Final = (*_ROMAN, "V", "VI", "VII", "VIII", "IX", "X")
_GRADES: Final = "ABCDE"
_ROWS: Final = MappingProxyType(
    {
        "minutes": _Row(tuple(f"{minute:02d}" for minute in range(60)), lambda word: min(int(word), 59), _cased),
        "word": _Row(_COUNTS, lambda word: WORDS.index(word.lower().replace(" ", "-")) - 1, _cased),
        "one": _Row(_COUNTS, lambda word: 0, _cased),
        "alone": _Row(_COUNTS, lambda word: 0, lambda model, entry: f"{_cased(model, entry)} {model}"),
        "placed": _Row(ORDINAL_WORDS, lambda word: ORDINAL_WORDS.index(word.lower()), _cased),
        "part": _Row(_PARTS, lambda word: _PARTS.index(word.partition(" ")[0].lower()), _part),
        "times": _Row(_TIMES, lambda word: _TIMES.index(word.lower()), _cased),
        "roman": _Row(_ROMAN, _ALL_ROMAN.index, lambda model, entry: entry),
        "letter": _Row(tuple(_GRADES), lambda letter: _GRADES.index(letter.upper()), _cased),
    }
)


def _singular(value: str) -> str:
    """Return a value with its units of time in the singular: a drawn number has its own plural."""
    return _COUNTED.sub(lambda match: f"{match['number']} {match['unit']}", value)


def _counted(match: re.Match[str]) -> str:
    single = match["number"].lower() in ("1", "one")
    return f"{match['number']} {match['unit']}{'' if single else in_case_of(match['unit'], 's')}"
