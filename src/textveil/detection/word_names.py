"""Names that are words too (Hope, Will, Rose), where what only somebody has stands beside them: Happy birthday Hope!"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import either, holding, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.names_in_one_case import is_small
from textveil.detection.people_in_records import is_plain_form
from textveil.text.patterns import lazy_regex, matches

_ENDS: Final = (
    r"(?=[ \t]*(?:[\n.,;:!?)(|]|\Z)"
    r"|[ \t]+(?:-|x{1,3}\b|(?:and|on|for|to|at|with|drives|rent|please|that|here)\b|&|[0-9]))"
)
_PHRASE: Final = (
    r"(?<![A-Za-z])(?:[Hh]appy (?:[a-z0-9]{2,5} )?birthday|RIP|[Mm]emory of|[Ff]uneral of|[Uu]nder the name(?: of)?"
    r"|FAO|[Oo]bo|OBO|[Pp]er pro|[Ii]n the matter of|[Hh]ave you (?:met|rung)|[Ff]arewell to|[Kk]ey ?holder|ACTION"
    r"|[Cc]ongratulations to|[Cc]ongrats to|[Cc]ustomer name -|[Aa]ccount holder|[Nn]ext of kin"
    rf"|[Pp]ayment (?:received )?from|[Gg]ive (?:it|this|them) to|[Rr]emind|[Bb]lamed) (?P<name>WORD){_ENDS}"
)
_LABEL: Final = rf": ?\n?(?P<name>WORD){_ENDS}"
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
GATE: Final = either(with_words(" ".join(words for *_, words in _CUES)), holding(*chain(*_PIECES.values())))
_NO_PERSON: Final = words_in("art may june april august page bill grant cash major general sky star storm rain")
_SCORE: Final = 0.6
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
