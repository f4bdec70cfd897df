"""Names that are all of a string, a cell, a line or an item: no sentence is around them that tells what they are.

There two words name somebody if the first is a given name, though it may be a word too, and the second is no word:
"Ebony Kaczmarek", - April Nakamura, (Lamb, Gareth). In a sentence the same words may be anything.

Names that are words too (Hope, Will, Rose) count where what only somebody has stands beside them: Happy birthday Hope!
"""

import re
from collections.abc import Iterator
from itertools import chain
from string import ascii_uppercase
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import either, holding, matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.names_in_one_case import is_small
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
_PREFIXED: Final = lazy_regex(
    rf"{_OPENS}(?P<family>(?:[Vv][ao]n|[Tt]e[rn])(?: (?:de[nmr]?|het))? (?P<last>{_PART})){_ENDS}"
)
"""A family name alone that its particle tells: van Berkel."""
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
    for match in matches_at(_PREFIXED, text, openings):
        if _is_part(match["last"].lower(), sure=False):
            yield Found(*match.span("family"), "person", _SCORE, "pair")
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
    if (low := word.lower()) in _GIVEN_TOO:
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
    yield from (Found(*match.span(), "person", 0.7, "title") for match in matches(_GRADED, text))


_ENDS_OF_WORDS: Final = (
    r"(?=[ \t]*(?:[\n.,;:!?)(|]|\Z)"
    r"|[ \t]+(?:-|x{1,3}\b|(?:and|on|for|to|at|with|drives|rent|please|that|here)\b|&|[0-9]))"
)
_PHRASE: Final = (
    r"(?<![A-Za-z])(?:[Hh]appy (?:[a-z0-9]{2,5} )?birthday|RIP|[Mm]emory of|[Ff]uneral of|[Uu]nder the name(?: of)?"
    r"|FAO|[Oo]bo|OBO|[Pp]er pro|[Ii]n the matter of|[Hh]ave you (?:met|rung)|[Ff]arewell to|[Kk]ey ?holder|ACTION"
    r"|[Cc]ongratulations to|[Cc]ongrats to|[Cc]ustomer name -|[Aa]ccount holder|[Nn]ext of kin"
    rf"|[Pp]ayment (?:received )?from|[Gg]ive (?:it|this|them) to|[Rr]emind|[Bb]lamed) (?P<name>WORD){_ENDS_OF_WORDS}"
)
_LABEL: Final = rf": ?\n?(?P<name>WORD){_ENDS_OF_WORDS}"
_LABELS: Final = (
    r"[Aa]pologies|[Pp]resent|[Aa]ttendees|[Aa]bsent|[Gg]oals?|[Ss]corers?|[Ss]ubstitutes|[Ss]ubs|[Mm]an of the match"
    r"|[Pp]layer of the (?:match|day|year)|[Dd]etention|[Pp]lus one|[Ii]nsured|[Ee]mergency contact|[Bb]ill to"
    r"|[Ss]hip to|[Ss]old to|[Dd]eliver to|[Dd]uty|[Ff]irst aider|[Ff]ire marshal|[Ll]ift share|[Ll]ocker [0-9]{1,4}"
    r"|[Cc]over|[Oo]n call|[Vv]ocals|[Dd]rums|NOK|nok"
)
_OFFICE: Final = (
    r"(?P<name>WORD)(?= \((?:Chair|Secretary|Treasurer|Captain|Director|Manager|Teacher|Driver|Minutes)\b"
    r"|, (?:Director|Manager|Treasurer|Secretary|Chair|Head of|Captain)\b| x{1,3}(?: x+)?[ \t]*(?:\n|\Z)"
    r"| - (?:paid|absent|owes|apologies|late|sick|owed|not paid|no show)(?![A-Za-z])| (?:replied|commented): )"
)
_ASIDE: Final = r"(?P<name>WORD)(?= \([a-z]{4,12}\):|, [1-9][0-9], (?:of|from|who)\b)"
_HERE: Final = (
    r"(?:[Ii]t's|[Tt]his is) (?!Spring|Summer|Autumn|Winter)(?P<name>WORD)"
    r"(?= here[ ,.!]| speaking\b| again,)"
)
_OWNER: Final = r"(?:at|round|from) (?P<name>WORD)'s(?=[.,!?\n]|\Z| (?:phone|house|flat|place|mum|dad)\b)"
_ENTERS: Final = r"\[(?P<name>WORD)(?= (?:enters|exits|leaves|laughs|sighs|cries|nods|pauses|crying|laughing)\b)"
_BEFORE_LABEL: Final = lazy_regex(rf"(?:\A|\n|[.;|] )[ \t]{{0,4}}(?:[A-Z][a-z]{{1,12}} )?(?:{_LABELS}) ?\Z")
_BEFORE_LINE: Final = lazy_regex(r"(?:\A|\n|[.;|] )[ \t]{0,4}(?:[-*] )?\Z")
_BEFORE_WORD: Final = lazy_regex(r"(?<![A-Za-z])\Z")
_CUES: Final = (
    (_PHRASE, _BEFORE_WORD,
     "birthday rip memory funeral name fao obo per matter met rung farewell holder keyholder action"
     " congratulations congrats kin payment give remind blamed"),
    (_LABEL, _BEFORE_LABEL,
     "apologies present attendees absent goal goals scorer scorers substitutes subs match player detention one insured"
     " contact bill ship sold deliver duty aider marshal share locker cover call vocals drums nok"),
    (_OFFICE, _BEFORE_LINE,
     "chair secretary treasurer captain director manager teacher driver minutes head x xx xxx paid absent owes"
     " apologies late sick owed show replied commented"),
    (_ASIDE, _BEFORE_LINE, ""),
    (_HERE, _BEFORE_WORD, "here speaking again"),
    (_OWNER, _BEFORE_WORD, ""),
    (_ENTERS, _BEFORE_WORD, "enters exits leaves laughs sighs cries nods pauses crying laughing"),
)  # fmt: skip
"""Patterns of what stands around a name, of what stands before that, and words of which one stands in either."""
_PIECES: Final = {_ENTERS: ("[",), _ASIDE: ("):", ", of", ", from", ", who"), _OWNER: ("'s",)}


_CAPITALIZED: Final = tuple(
    (
        lazy_regex(
            cue.replace("WORD", "[A-Z][a-z]{1,20}"),
            words="" if cue is _LABEL else words,  # a label stands before the match
            holds=_PIECES.get(cue, ()),
        ),
        before,
    )
    for cue, before, words in _CUES
)
_SMALL: Final = tuple(
    (
        lazy_regex(
            cue.replace("WORD", "[A-Za-z][a-z]{1,20}"),
            re.IGNORECASE,
            words="" if cue is _LABEL else words,
            small=_PIECES.get(cue, ()),
        ),
        before,
    )
    for cue, before, words in _CUES
)
"""The same for a page in small letters."""
WORD_NAMES_GATE: Final = either(with_words(" ".join(words for *_, words in _CUES)), holding(*chain(*_PIECES.values())))
_NO_PERSON: Final = words_in("art may june april august page bill grant cash major general sky star storm rain")
_BACK: Final = 48


def find_word_names(text: str) -> Iterator[Found]:
    """Yield persons with a name that is a word, or on no list, by start."""
    reached, small = 0, is_small(text)
    spans = (
        match.span("name")
        for pattern, before in (_SMALL if small else _CAPITALIZED)
        for match in matches(pattern, text)
        if before.search(text, max(0, match.start() - _BACK), match.start())
    )
    for start, end in sorted(spans):
        if start >= reached and _is_name(text[start:end].lower(), small=small):
            reached = end
            yield Found(start, end, "person", _SCORE, "cue")


def _is_name(low: str, *, small: bool) -> bool:
    """Return whether a word can be somebody's name: listed as a given one, or, with a capital, no word at all."""
    marks = lists().words.get(low, 0)
    if low in _NO_PERSON or marks & Marks.KNOWN_PLACE or low in known.COMPANIES or low in known.TITLES:
        return False
    return bool(marks & Marks.GIVEN) or not (
        small or is_plain_form(low) or low in known.FUNCTION_WORDS or marks & Marks.OTHER
    )
