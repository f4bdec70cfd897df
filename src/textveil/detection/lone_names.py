"""Names that are all of a string, a cell, a line or an item: no sentence is around them that tells what they are.

There two words name somebody if the first is a given name, though it may be a word too, and the second is no word:
"Ebony Kaczmarek", - April Nakamura, (Lamb, Gareth). In a sentence the same words may be anything.
"""

from collections.abc import Iterator
from string import ascii_uppercase
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import is_plain_form, is_thing
from textveil.text.patterns import lazy_regex, matches, matches_at

_SCORE: Final = 0.6
_PART: Final = r"(?:(?:Mc|Mac|O'|D'|De|Di|Du|La|Le|Van|Fitz)?[A-Z][a-z]{1,30}(?:['-][A-Z]?[a-z]{1,30}){0,3})"
_LINKS: Final = r"(?:(?:van|von|der|den|de|del|da|di|dos|la|le|bin|al|el|ter|ten) ){0,3}"
_FAMILY: Final = rf"{_LINKS}{_PART}(?: {_PART})?"
_BULLET: Final = r"(?<![^\n])[ \t]{0,12}(?:[*+>-]|[0-9]{1,2}[.)]) "
_OPENS: Final = rf"(?:{_BULLET}|(?<![^\n\"'`>|;(\[{{\t])|(?<=[|;>:,] )|(?<=\\n)|(?<=\\[nt]- ))"
_ENDS: Final = (
    r"(?!, [1-9][0-9], | \([1-9][0-9][),])(?=[ \t]?(?:[\n\"'`<|;,)\]}\t(/&]|\\n|\Z)|'s(?![a-z])|\.(?:[ \n\"<]|\Z))"
)
_LONE: Final = lazy_regex(rf"{_OPENS}(?<!\w')(?P<given>[A-Z][a-z]{{1,20}}) (?P<family>{_FAMILY}){_ENDS}")
_TURNED: Final = lazy_regex(
    rf"(?:{_BULLET}|(?<![^\n\"`>|;(\[])|(?<=[|;>:] ))(?P<family>{_FAMILY}), (?P<given>[A-Z][a-z]{{1,20}})(?: [A-Z]\.)?"
    r"(?=[ \t]?[\n\"`<|;)\]]|\Z)"
)
_OPENING: Final = lazy_regex(r"[\n\"'`>|;:,(\[{\t]|\\(?:n|[nt]- )")
_BEGINS: Final = frozenset(ascii_uppercase + "abdeltv")
"""What names begin with, and ``_LINKS``; a bullet stands at the start of a line."""
LONE_GATE: Final = matching(r"[a-z],? (?:[A-Z]|(?:van|von|der|den|de|del|da|di|dos|la|le|bin|al|el|ter|ten) )")

_GIVEN, _COMMON, _FAMILY_MARK = int(Marks.GIVEN), int(Marks.COMMON), int(Marks.FAMILY)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL)
_NONE: Final = int(Marks.OTHER | Marks.KNOWN_PLACE)
_SHORTEST: Final = 3  # letters of a part of a compound
_GIVEN_TOO: Final = words_in("april may june will christian roman jesus honor skip philippine")
"""Months, peoples and words that no list has for given names."""
_NO_FAMILY: Final = (
    known.FUNCTION_WORDS | known.TITLES | known.INSTITUTIONS | known.COMPANIES | known.COMPANY_ENDS | known.PLACE_ENDS
    | known.VERBS
)  # fmt: skip
_NO_GIVEN: Final = known.TITLES | known.INSTITUTIONS | known.RELATIONS


def find_lone_names(text: str) -> Iterator[Found]:
    """Yield names of which one part is a word, or no list has it, if they are all that stands."""
    openings = list(_openings(text))
    for match in matches_at(_LONE, text, openings):
        if _is_given(match["given"]) and _is_family(match["family"], match["given"]):
            yield Found(*match.span("given"), "person", _SCORE, "pair")._replace(end=match.end("family"))
    for match in matches_at(_TURNED, text, openings) if ", " in text else ():
        if _is_turned(match["family"], match["given"]):
            yield Found(*match.span("family"), "person", _SCORE, "pair")._replace(end=match.end("given"))


def _openings(text: str) -> Iterator[int]:
    """Yield the places at which ``_OPENS`` can match, and some more, in order."""
    yield 0
    for match in matches(_OPENING, text):
        place = match.end()
        if text[place : place + 1] in _BEGINS or text[place - 1] == "\n":
            yield place
        elif text[place : place + 1] == " " and text[place + 1 : place + 2] in _BEGINS:
            yield place + 1


def _is_given(word: str) -> bool:
    low = word.lower()
    if low in _GIVEN_TOO:
        return True
    return bool(lists().words.get(low, 0) & _GIVEN) and low not in _NO_GIVEN and not is_thing(low)


def _is_family(written: str, given: str) -> bool:
    """Return whether words behind a given name are a family: none is a word, unless they are listed as families."""
    lows = [word for word in written.lower().split() if word not in known.PARTICLES]
    sure = lists().words.get(given.lower(), 0) & (_GIVEN | _PLAIN | _NONE) == _GIVEN
    verb = given.lower() in known.FUNCTION_WORDS or given.lower() in known.VERBS
    return lows != [] and all(_is_part(low, sure=sure) and not (verb and _is_compound(low)) for low in lows)


def _is_compound(low: str) -> bool:
    """Return whether a word on no list is made of two: overwrite, checksum."""
    cuts = range(_SHORTEST, len(low) - _SHORTEST + 1)
    return any(is_plain_form(low[:cut]) and is_plain_form(low[cut:]) for cut in cuts)


def _is_part(low: str, *, sure: bool) -> bool:
    marks = lists().words.get(low, 0)
    if sure and low == "may":
        return True
    if low in _NO_FAMILY or is_thing(low) or marks & _NONE:
        return False
    return bool(marks & _FAMILY_MARK and not marks & _COMMON) or not is_plain_form(low)


def _is_turned(family: str, given: str) -> bool:
    """Return whether two words with a comma between them are a family and a given name: Lamb, Gareth."""
    low, first = given.lower(), family.lower().split()[-1]
    marks, listed = lists().words.get(low, 0), lists().words.get(first, 0)
    if marks & _NONE and low not in _GIVEN_TOO:
        return False
    if marks & _GIVEN and not marks & _PLAIN and not is_thing(low):
        return bool(listed & _FAMILY_MARK and not listed & _NONE) or _is_part(first, sure=True)
    named = bool(marks & _GIVEN or low in _GIVEN_TOO or _is_part(low, sure=False))
    return named and _is_part(first, sure=False) and low not in _NO_FAMILY


_GRADES: Final = "FY[12]|SHO|SpR|StR|RGN|RMN|HCA|ANP|ACP|SLT|CNS|PA-C|LPN"
_GRADED: Final = lazy_regex(
    r"[A-Z](?<![\w.'&-].)\. ?(?:[A-Z]\. ?)?(?:Mc|Mac|O')?[A-Z][a-z]{2,20}(?:-[A-Z][a-z]{2,20})?"
    rf"(?=,? \(?(?:{_GRADES}|ST[1-8]|CT[1-3]|F[12]|RN|GP|SW|HV|OT|PT|MD|DO|NP)(?![\w-]))"
)
GRADED_GATE: Final = with_words("fy sho spr str rgn rmn hca anp acp slt cns pa lpn st ct f rn gp sw hv ot pt md do np")


def find_graded_names(text: str) -> Iterator[Found]:
    """Yield initials with a family before a grade or a post of a ward: R. Mbeki, FY1."""
    for match in matches(_GRADED, text):
        yield Found(*match.span(), "person", 0.7, "title")
