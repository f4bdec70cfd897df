"""Measurements: numbers with a unit, vital signs, laboratory values, doses, scores, stages and grades.

A number is read together with what stands around it: a unit or a schedule behind it, the name of what is measured in
front. The span holds all of it, so that no later search takes "SpO2" or "Plt" for a name.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from textveil.detection.found import Found, finding, near
from textveil.detection.gates import at_digits, with_words
from textveil.detection.lists import Marks, lists, sections
from textveil.detection.units import DOSE_TAIL, NUMBER_WORDS, RATIO, SPOKEN, UNIT, at_numbers
from textveil.text.patterns import lazy_regex, matches

_NUMBER: Final = (
    r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,3}|[0-9]{1,6})(?![0-9])(?:(?:\.[0-9]{1,4}|,[0-9]{1,2})(?![0-9]|,[0-9]))?"
)
_REST: Final = r"(?:[0-9]{0,2}(?:,[0-9]{3}){1,3}|[0-9]{0,5})(?![0-9])(?:(?:\.[0-9]{1,4}|,[0-9]{1,2})(?![0-9]|,[0-9]))?"
_BETWEEN: Final = r"(?:-|/| ?[xX] ?(?!10\^)| - | to | and | or | & )"
_VALUE: Final = lazy_regex(
    rf"[0-9](?:(?<![\w.,/$\xa4+:#-].)|(?<=[A-Za-z][:=].)|(?<=\bBP.)|(?<=\bHR.)|(?<=\bRR.)|(?<=\bEF.)|(?<=[ (][.+-].))"
    rf"{_REST}(?:{_BETWEEN}{_NUMBER}){{0,7}}+(?![0-9]|[.,:/-][0-9])"
)
_UNIT: Final = lazy_regex(
    rf"\+?(?:' ?(?:1[01]|[0-9])(?![0-9])(?:\"|''|)|(?! m\. [0-9])[ -]?(?:{UNIT})(?![A-Za-z0-9])|\"|''| ?%| percent"
    rf"(?![a-z])|"
    rf" ?{RATIO}(?![A-Za-z0-9])){RATIO}?"
)
_GLUED: Final = lazy_regex(r"[LVWgm](?![A-Za-z0-9])")
_SUM: Final = lazy_regex(r"\+(?: ?[1-5](?: ?= ?(?:10|[2-9]))?)?(?!\w)")
"""The rest of a score: 3+4=7, 2+."""
_PERCENT: Final = lazy_regex(r"(?: ?%| percent(?![a-z]))")
_SPOKEN: Final = lazy_regex(
    rf"(?i:{SPOKEN})(?:(?: to | or |-)(?i:{SPOKEN}))?"
    rf"(?:[ -](?=[A-Za-z]{{2}})(?:{UNIT})|(?: %| per ?cent(?:age points?)?))(?![A-Za-z0-9])"
)
_LETTER: Final = lazy_regex(r"[ab](?![A-Za-z0-9])")
_TAIL: Final = lazy_regex(
    r",? ?(?:on |in )?(?:RA\b|room air|(?:[0-9]{1,2}(?:\.5)? ?)?L(?: ?NC|PM)?\b(?! [a-z])|NC\b|BiPAP\b|CPAP\b)"
)
_TEMPERATURE: Final = lazy_regex(r" ?(?:[CF](?![A-Za-z0-9'])|\xb7)")
_LEFT: Final = lazy_regex(r"[A-Za-z][A-Za-z0-9'/-]*|[0-9]+|[^\sA-Za-z0-9]")

_BACK: Final = 56


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_FILLERS: Final = _words(
    """: = - ~ < > ( ) % \xb7 , is was of at to be are were now
    level levels count counts score scores reading readings value values result
    results noted measured today currently current about around approximately approx up down from in the a an as
    rated remains
    remained stable elevated high low normal last most recent her his their has been had between range ranged
    ranges ranging
    running run came back only above below over under near maximum max min yesterday overnight rate panel index on
    that which
    goal target then initially initial repeat fasting random degree number ii iii iv"""
)
_MARKS: Final = _words(": = - ~ < > ( ) % \xb7")
_STRICT: Final = _words(
    "T Ta TAS TAD P R K PT Ca Mg CR RF BE SG UA VL TP TC TG PS GA PR AUDIT GRACE Wells Fisher DASH CK SAT AG Fe Vit"
    " CBC BMP CMP ABG VBG KUB HIV HCV HBV HR PFT fisher garden clark weber type class grade stage phase scale level"
    " schedule score station pressure pressures weight height iron protein sugar titer pulse strength bands"
    " temperature saturation"
)
"""Labels that may be another word or name: the number stands next to them, or a mark between, or a unit behind."""
_RANGES: Final = {
    "T": (34, 108),
    "Ta": (30, 43),
    "P": (30, 220),
    "R": (6, 60),
    "K": (1, 9),
    "PT": (8, 60),
    "HR": (20, 250),
    "Ca": (1, 20),
}
_NEEDS_MARK: Final = _words("level scale score class phase schedule pressure pressures height weight strength bands")
_NOT_AFTER: Final = _words(
    "apt apartment unit suite ste room rm bed flat floor box no number gate seat bus flight route line platform track"
    " bay mrn account id pin case file ext extension"
)
_DOSED: Final = lazy_regex(r"[ -]?(?:m?c?g|\xfeg|mcg|m?L|ml|units?|mEq|meq|I?U|u|%)(?![A-Za-z])")
_MEDICINE: Final = lazy_regex(r"[A-Z][A-Za-z]{1,20}(?:-[A-Z][a-z]+)? $")
_PERSONS: Final = int(Marks.GIVEN | Marks.FAMILY)
_GIVES: Final = _words("gave give gives given for to with told by and mr mrs ms dr miss")

_LEVELS: Final = r"(?:[CTL](?:1[0-2]|[1-9])|S[1-5])"
_CODED: Final = lazy_regex(
    r"(?<![\w-])(?:"
    rf"(?P<level>{_LEVELS}(?:[-/](?:{_LEVELS}|1[0-2]|[1-9])){{1,3}}|V[1-6](?:-V?[1-6]))"
    r"|(?P<tnm>[cpyr]{0,3}T(?:is|[0-4X][a-d]?),? ?[cp]?N[0-3X][a-c]?(?:,? ?[cp]?M[01X][a-c]?)?|[cpy]{1,2}T[0-4][a-d]?)"
    r"|(?P<schedule>[Qq] ?[0-9]{1,2}(?:-[0-9]{1,2})? ?(?:h(?:rs?|ours?)?|H|d(?:ays?)?|wk?s?|weeks?|mo?|min|months?)"
    r"|(?<![Nn]o )(?<![Nn]o\. )(?<!umber )(?<!adge )[xX] ?[0-9]{1,2}(?: (?:days|weeks|doses|months))?)"
    r"|(?P<gleason>[1-5] ?\+ ?[1-5](?: ?= ?(?:[2-9]|10))?)"
    r"|(?P<pulse>[1-4]\+(?![0-9A-Za-z]))|(?P<acuity>20/(?:15|16|20|25|30|32|40|50|60|63|70|80|100|125|150|160|200|250"
    r"|400|800))|(?P<height>[3-7]' ?(?:1[01]|[0-9])(?:\"|'')?)|(?P<gauge>[0-9]{1,2} ?G(?=[ -](?:needle|IV|angiocath"
    r"|cannula|catheter)))|(?P<sixth>[1-6](?:-[1-6])?/6(?=[- ](?:[a-z]+[- ]){0,3}(?:murmur|systolic|diastolic|SEM|HSM"
    r"|holosystolic|crescendo)))|(?P<fifth>[0-5](?:[+-](?!/)|[+-](?=/))?/5(?![0-9/])(?= |,|\.|;|\)|\n|\Z))"
    r"|(?P<tenth>(?:10|[0-9](?:\.5)?)(?:(?:-| to )(?:10|[0-9]))?(?:/10| out of (?:10|ten)))"
    r"|(?P<chance>[0-9]{1,3}[-/][0-9]{1,3} (?=percentile)))(?![\w^]|[/-][0-9])"
)
_MARRIED: Final = lazy_regex(r"(?:1[5-9]|20)[0-9]{2} m\. ?(?=[A-Z(0-9])")
"""A year of birth before a marriage: b. 1902 m. Ada Zuse."""
_BIRTHS: Final = lazy_regex(r"G[0-9](?<![\w-].{2})[0-9]?,? ?P[0-9]{1,4}(?:,? ?[AL][0-9]){0,2}(?:-[0-9]){0,3}(?![\w-])")
_DIGIT: Final = lazy_regex("[0-9]")
_TENTHS: Final = lazy_regex(
    r"pain|rate|scale|sever|intens|score|level|ache|cramp|discomfort|worst|at times|rest|movement"
)
_FIFTHS: Final = lazy_regex(
    r"strength|power|motor|muscle|grip|flex|exten|deltoid|bicep|tricep|quad|bilat|abduct|throughout|reflex"
)
_NEAR: Final = 60

_GRADE_NAMES: Final = (
    "NYHA|[Ss]tages?|STAGE|[Gg]rade|GRADE|[Tt]ype|TYPE|[Mm]allampati|[Cc]hild-[Pp]ugh(?:-Turcotte)?|[Kk]illip"
    "|[Kk]ellgren-Lawrence|[Bb]ethesda|[Bb]osniak|BI-?RADS|[Ff]itzpatrick|FIGO|[Pp]hase|ASA|[Hh]urley|ECOG|CKD"
    "|[Ff]ontaine|[Hh]inchey|[Gg]ustilo|[Ss]alter-[Hh]arris|[Cc]lass|Rai|Ann Arbor|Binet|DIP|Tanner|Garden|Weber|Clark"
    "|Bishop"
)
GRADED: Final = rf"(?:{_GRADE_NAMES})(?:[ -](?:class|type|stage|grade|score|category|level|system))?(?: ?[:=])? ?"
"""Words before a stage, grade, class or type."""
_GRADED: Final = lazy_regex(
    rf"(?<![\w-]){GRADED}"
    r"(?:(?:I{1,3}|IV|VI{0,3}|IX|X|V)(?:[- ]?[A-Ea-e])?(?:[12](?![0-9]))?(?:[-/](?:I{1,3}|IV|V))?"
    r"|[0-5](?:\.[0-9])?[A-Ea-e]?(?:[-/][0-6][A-Ea-e]?)?|(?<=[Pp]ugh )(?:class )?[ABC]|(?<=ugh class )[ABC]"
    r"|(?<=Weber )[ABC]|(?<=Weber type )[ABC])(?![\w]|[./:-][0-9])"
)

BIRTHS_GATE: Final = at_digits("G[0-9]")
MEASUREMENT_GATE: Final = at_digits("[0-9]")
SPOKEN_GATE: Final = with_words(NUMBER_WORDS)
CODED_GATE: Final = at_digits(r"[A-Zxqg] ?[0-9]|[0-9](?:\+|/[0-9]|'| ?\+|-[0-9]| ?G\b| out of| to )")
GRADED_GATE: Final = with_words(
    "nyha stage stages grade type mallampati child killip kellgren bethesda bosniak bi birads fitzpatrick figo phase"
    " asa hurley ecog ckd fontaine hinchey gustilo salter class rai ann binet dip tanner garden weber clark bishop"
)
_ENDS_LABEL: Final = " \t\n:=~<>()%-+.\xb7"
_STRIPPED: Final = ":=~<>()%,;[]*|"
_MEASURES: Final = sections("measures.txt")
_SORTS: Final = ("vital", "laboratory", "score")
_SHORT: Final = {name: sort for sort in _SORTS for name in _MEASURES[f"short {sort}"]}
"""Abbreviations, in the letter case in which they are written."""
_LONG: Final = {name: sort for sort in _SORTS for name in _MEASURES[f"long {sort}"]}
"""Words, in small letters."""
_MAY_END: Final = frozenset([*_FILLERS, *map(str.lower, _SHORT), *[name.rpartition(" ")[2] for name in _LONG]])
"""Words that stand directly in front of a number with a label, in small letters."""


class _Label(NamedTuple):
    """The name of what a number measures: where it begins, what it is, and whether words stand behind it."""

    start: int
    why: str
    name: str
    loose: bool


_POSTAL: Final = lazy_regex(
    r"[1-9](?:(?<=[0-9],[ \n].)|(?<=[0-9][a-z],[ \n].)|(?<=[0-9]\n.))[0-9]{3} ?[A-Z]{2},? (?:'[ts] |de[n]? )?[A-Z][a-z]"
    r"|[0-9](?:(?<=[A-Z][0-9] .)|(?<=[A-Z][0-9][0-9A-Z] .))[ABD-HJLNP-UW-Z]{2}(?!\w)"
)
"""A Dutch postal code and a town behind a house number, and a British code: 8814 GB Beuningen, LS6 3GB: no memory."""
_NO_NUMBERS: Final = frozenset(f"0{digit}" for digit in range(10))
"""A number that begins so is the end of a telephone number or a code."""


def find_measurements(text: str) -> Iterator[Found]:
    """Yield numbers with a unit behind them, or the name of a vital sign, laboratory value or score in front."""
    reached = 0
    for match in matches(_VALUE, text):
        if match.start() < reached or text[match.start() : match.start() + 2] in _NO_NUMBERS:
            continue
        if _MARRIED.match(text, match.start()) or _POSTAL.match(text, match.start()):
            continue
        if (span := _measured(text, match, reached)) is not None:
            reached = span.end
            yield span


find_spoken_measurements: Final = finding(_SPOKEN, "measurement", 0.8, "unit", by=at_numbers)


def find_coded_measurements(text: str) -> Iterator[Found]:
    """Vertebrae, tumor stages, schedules, Gleason sums, pulses, visual acuity, heights and ratings by their form."""
    for match in near(_CODED, text, _DIGIT, 8, 40):
        group = match.lastgroup or ""
        if group in ("tenth", "fifth"):
            words = _TENTHS if group == "tenth" else _FIFTHS
            if not words.search(text, max(0, match.start() - _NEAR), min(len(text), match.end() + _NEAR)):
                continue
        yield Found(*match.span(), "measurement", 0.8, "dose" if group == "schedule" else "score")


find_births: Final = finding(_BIRTHS, "measurement", 0.9, "score")
find_grades: Final = finding(_GRADED, "measurement", 0.8, "score")


def _measured(text: str, value: re.Match[str], reached: int) -> Found | None:
    start, end = value.span()
    unit = _unit_end(text, value)
    label = _label(text, start, reached)
    if label is not None and (_TELEPHONE.match(text, start) or _is_somebody(text, label, start)):
        label = None  # ligar para 916 493 676 is no birth, and Rutherford, 12 High Street no score
    if label is not None and _fits(label, value[0], unit > end):
        if label.why == "score" and unit == end and _LETTER.match(text, end):
            unit = end + 1  # CKD 3a
        added = _SUM.match(text, unit)
        unit = unit if added is None else added.end()
        if not text[unit : unit + 1].isalnum():
            degrees = _TEMPERATURE.match(text, unit)
            ends = unit if degrees is None else degrees.end()
            tail = _TAIL.match(text, ends) or (DOSE_TAIL.match(text, ends) if unit > end else None)
            return Found(label.start, ends if tail is None else tail.end(), "measurement", 0.85, label.why)
    if unit == end or _PERCENT.fullmatch(text, end, unit):
        return _temperature(text, value)
    if _GLUED.fullmatch(text, end, unit) and _word_before(text, start) in _NOT_AFTER:
        return None
    if (tail := DOSE_TAIL.match(text, unit)) is None and not _DOSED.match(text, end):
        return Found(start, unit, "measurement", 0.85, "unit")
    return Found(_medicine(text, start, reached), unit if tail is None else tail.end(), "measurement", 0.85, "dose")


def _is_somebody(text: str, label: _Label, start: int) -> bool:
    """Return whether a score's name is a family name that a comma parts from a number: an address."""
    family = lists().words.get(label.name.lower(), 0) & int(Marks.FAMILY)
    return bool(family) and _COMMA.search(text, max(0, start - 4), start) is not None


def _unit_end(text: str, value: re.Match[str]) -> int:
    if (unit := _UNIT.match(text, value.end())) is None or (unit[0] == '"' and _is_quoted(text, value.start())):
        return value.end()  # the mark ends a quoted string
    return unit.end()


_COMMA: Final = lazy_regex(r", ?[(+]?\Z")
_TELEPHONE: Final = lazy_regex(
    r"(?<=\()[0-9]{2,5}\) ?[0-9]|(?<=\+)[0-9]{1,3}[ -][(0-9]|[0-9]{2,5}[ .-][0-9]{3,4}[ .-][0-9]{3,4}(?![0-9])"
)
_OPENS: Final = lazy_regex(r'(?<![0-9])"')


def _is_quoted(text: str, start: int) -> bool:
    """Return whether a quotation mark is open on the line before a number, or a=1 stands there."""
    before = text[max(0, start - 120) : start].rpartition("\n")[2]
    return before.endswith("=") or len(_OPENS.findall(before)) % 2 == 1


def _fits(label: _Label, value: str, unit: bool) -> bool:
    if label.name in _STRICT and label.loose and not unit:
        return False
    if "/" in value and label.name in ("K", "P", "R", "PT", "Ca", "Mg"):
        return False
    if label.name not in _RANGES:
        return True
    low, high = _RANGES[label.name]
    first = re.match(r"\A[+-]?[0-9]*\.?[0-9]+", value)
    return first is not None and low <= float(first[0]) <= high


def _label(text: str, start: int, reached: int) -> _Label | None:
    last_word = text[max(reached, start - 24) : start].rstrip(_ENDS_LABEL).rsplit(None, 1)
    if not last_word or last_word[-1].strip(_STRIPPED).lower() not in _MAY_END:
        return None
    low = max(reached, start - _BACK)
    words = list(_LEFT.finditer(text, low, start))
    last = len(words) - 1
    skipped = 0
    loose = False
    while last >= 0 and skipped <= 6:
        if (label := _named(words, last, loose=loose, marked=skipped > 0 and not loose)) is not None:
            broken = text.count("\n", label.start, start) > 1
            return None if broken or (low and label.start == low) else label
        if words[last][0].lower() not in _FILLERS:
            return None
        loose = loose or words[last][0] not in _MARKS
        last -= 1
        skipped += 1
    return None


def _named(words: list[re.Match[str]], last: int, *, loose: bool, marked: bool) -> _Label | None:
    for count in (3, 2):
        if last >= count - 1:
            name = " ".join(word[0] for word in words[last - count + 1 : last + 1]).lower()
            if name in _LONG:
                return _Label(words[last - count + 1].start(), _LONG[name], name, loose)
    if (name := words[last][0]) in _SHORT:
        return _Label(words[last].start(), _SHORT[name], name, loose)
    if (name := name.lower()) not in _LONG or (name in _NEEDS_MARK and not marked):
        return None
    return _Label(words[last].start(), _LONG[name], name, loose)


def _temperature(text: str, value: re.Match[str]) -> Found | None:
    degrees = _TEMPERATURE.match(text, value.end())
    if degrees is None or "\xb7" in degrees[0] or not re.fullmatch(r"[0-9]{2,3}\.[0-9]", value[0]):
        return None
    return Found(value.start(), degrees.end(), "measurement", 0.7, "unit")


def _word_before(text: str, start: int) -> str:
    words = _LEFT.findall(text, max(0, start - 24), start)
    return words[-1].lower() if words else ""


def _medicine(text: str, start: int, reached: int) -> int:
    """Return where the name of a medicine before its dose begins; the dose's own start if the word may be a name."""
    name = _MEDICINE.search(text, max(reached, start - 40), start)
    if name is None or text[name.start() - 1 : name.start()].isalnum():
        return start
    word = name[0].strip().lower()
    before = _LEFT.findall(text, max(0, name.start() - 24), name.start())
    while before and not before[-1].isalpha():
        before.pop()
    gives = bool(before) and before[-1].lower() in _GIVES
    return start if gives or lists().words.get(word, 0) & _PERSONS else name.start()
