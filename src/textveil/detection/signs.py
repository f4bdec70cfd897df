"""Short signs of somebody whom the document names: KO will ask; typed jh; PV/smc; a last line that is T. alone."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from textveil.cuts import held_by
from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import places_of
from textveil.detection.lists import Marks, lists
from textveil.detection.mentions import EVIDENCE
from textveil.detection.people_in_records import is_plain_form
from textveil.text.patterns import lazy_regex, matches, matches_at

_PART: Final = lazy_regex(r"[A-Za-z][A-Za-z']*")
_CAPITALS: Final = lazy_regex(r"[A-Z](?<![\w@#./'&-].)[A-Z]{1,3}+(?![\w@/&-]|\.\w|'[a-rt-z])")
_ACTS: Final = lazy_regex(
    r"(?:'s)? (?:(?:to|will|would|has|had|have|is|was|can|must|says?|said|told|met|saw|rang|wrote|took|gave"
    r"|felt|thinks"
    r"|happy|aware|keen|away|hat|wird|kommt|bringt|sagt|fragt|doit|va|demande|dit|repasse|vraagt|zegt|gaat|komt"
    r"|vervangt|dice|pide|va|chiede|diz|pergunta)\b|[a-z]{3,12}(?:ed|[a-rt-z]s)\b|(?:&|and) [A-Z]{2,3}\b)"
)
_WHO: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?:per|by|cc|ask|asked|asks|tell|told|d/w|ring|rang|call|email|emailed|with|pour|namens"
    r"|door|par"
    r"|von|por|signed|get\.?|gez\.?|signe|visto|vu|checked|off|checked by|copy to|initials|seen by|rec'd|recd"
    r"|received|requested by|noted by|initialled|thanks"
    r"|thank|hi|hello"
    r"|dear|love|regards|rgds)[:,]? |- |, |\A|\n[ \t>*-]{0,8})\Z"
)
# What tells that letters sign, whatever else they stand for: seconded UP; Treasurer (UP); a line RM 11/10 14:20.
_SIGNING: Final = lazy_regex(
    r"(?<![A-Za-z])(?:[Pp]roposed|[Ss]econded|[Ii]nitialled|[Cc]hecked by|[Nn]oted by|[Ss]igned)(?: by|:)? \Z"
    r"|[a-z] \(\Z"
)
_CLOSED: Final = lazy_regex(r"\)(?: [a-z]|[,.;:\n]|\Z)")
_OPENS: Final = lazy_regex(r"[.!?] \Z")
_DATED: Final = lazy_regex(
    r" [0-9]{1,2}[./][0-9]{1,2}(?:[./][0-9]{2,4})?(?:,? [0-9]{1,2}[:.h][0-9]{2})?[ \t]{0,4}(?:\n|\Z)"
)
_ENDS: Final = lazy_regex(r"[.]?[ \t]{0,8}(?:\n|\Z)")
_BEGINS: Final = lazy_regex(r"(?:\A|\n)[ \t>*-]{0,8}\Z")
_NUMBERED: Final = lazy_regex(r"(?:[ :=-]{0,2}[0-9%+]| ?[:=(/>])")
_COUNTED: Final = lazy_regex(r"(?:[0-9/]|\b(?:the|a|an|no|der|die|das|le|la|el|il|de|het|in|on|at)) ?\Z")
_TYPED: Final = lazy_regex(
    r"(?<![A-Za-z])(?i:typed|rec'd|recd|served|actioned|noted|removed|scored|packed|requested|entered|logged"
    r"|written|transcribed|dictated|checked|ck'?d|counted|recorded|input|keyed|signed"
    r"|handed over|reviewed|scribed|filed)(?: (?:by|in by|off by|up by))?:? (?P<sign>[a-z]{2,3}|[A-Z]{2,3})"
    r"(?:/(?P<other>[a-z]{2,3}|[A-Z]{2,3}))?"
    r"(?=[ \t.;,)\"]{0,4}(?:\n|\Z| /|[0-9]{1,2}[:/])|\. [A-Z]| {2}|/[A-Z][a-z])"
)
_BEGINS_TYPED: Final = words_in(
    "typed rec recd served actioned noted removed scored packed requested entered logged written transcribed"
    " dictated checked ck ckd counted recorded input keyed signed handed reviewed scribed filed"
)
_DICTATED: Final = lazy_regex(
    r"(?:\A|\n|[Dd]ictated(?: by)?: "
    r"|[Rr]ef(?:erence)?: )[ \t]{0,8}(?P<sign>[A-Z]{2,4})[/:](?P<typist>[a-z]{2,4}|[A-Z]{2,4})"
    r"(?=[ \t.]{0,8}(?:\n|\Z))",
    within=r"[/:](?<=[A-Z].)(?:[a-z]{2,4}|[A-Z]{2,4})[ \t.]{0,8}(?:\n|\Z)",
)
_TOGETHER: Final = lazy_regex(
    r"[A-Z](?<![\w@#./'&-].)[A-Z]{1,2}+(?:(?:, ?| ?[/&+] ?| and )[A-Z]{2,3}(?![\w@&'-])){1,6}+"
)
_EACH: Final = lazy_regex("[A-Z]{2,3}")
_LAST_OF_ALL: Final = lazy_regex(r"\n[ \t>*-]{0,8}(?P<sign>(?P<first>[A-Z])[A-Z]{1,2}+)\.?\s{0,40}\Z")
_LAST: Final = lazy_regex(
    r"(?:\A|\n)[ \t>*-]{0,8}(?:(?i:gez|get|signe|vu|visto|sgd|signed)[.,:]? ?)?(?P<sign>[A-Z])"
    r"(?:\.|(?= (?:x|xx|xxx)[ \t]{0,4}(?:\n|\Z)))[ \t]{0,8}(?=\n|\Z)"
)
_LINE: Final = lazy_regex("\n")
_NAMES: Final = ("person", "organization")
"""Two unlisted words are as often taken for a firm."""
_HEADS: Final = known.COMPANY_ENDS | known.INSTITUTIONS
_NO_SIGN: Final = words_in(
    """it us am pm tv ok no id uk eu hr pr pc cv dj mc ad bc st ph pe re ps vs tbc tba asap aka
    the all me him her them you hand one two ten now not far any"""
)
_MEASURED: Final = int(Marks.COMMON | Marks.OTHER | Marks.KNOWN_PLACE)


def with_signs(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans by start with the initials, without full stops, of the persons that a plain text names.

    Letters that stand for something else as often are some only if a verb follows, or a word tells who signs.
    """
    named = [span for span in spans if span.kind in _NAMES and span.score > EVIDENCE]
    if not named:
        return list(spans)
    taken = held_by(text, spans)
    signs: set[str] = set()
    firsts: set[str] = set()
    for span in named:
        signs.update(_signs_of(text[span.start : span.end]))
        if span.kind == "person":
            firsts.add(text[span.start].upper())
    met = []
    for start, end in _signed(text, signs, firsts):
        if 1 not in taken[start:end]:
            met.append(Found(start, end, "person", 0.6, "mention"))
            taken[start:end] = b"\1" * (end - start)
    return sorted([*spans, *met]) if met else list(spans)


def _signs_of(written: str) -> Iterator[str]:
    """Yield what a person of two names or more signs with: Ada Mary Zuse-Noor is AMZ, AZ, AMZN and AZN."""
    family, comma, given = (written.partition(" of ")[0] if written[1:2] == "." else written).partition(", ")
    written = written if comma else family
    if not _HEADS.isdisjoint(written.lower().split(" ")):
        return
    words = [
        word
        for word in _PART.findall(f"{given} {family}" if comma else written)
        if word[0].isupper() and word.lower() not in known.PARTICLES and word.lower() not in known.SUFFIXES
    ]
    if len(words) < 2:
        return
    letters = "".join(word[0] for word in words)
    yield letters
    yield letters[0] + letters[-1]
    if "-" in written:
        yield letters[0] + letters[-2:]
        yield letters[0] + letters[-2]


def _signed(text: str, signs: set[str], firsts: set[str]) -> Iterator[tuple[int, int]]:
    known_ones, open_ones = set(), []
    for match in [match for match in matches(_CAPITALS, text) if match[0] in signs] if signs else ():
        sign = match[0]
        before = max(0, match.start() - 16), match.start()
        dated = _BEGINS.search(text, *before) and _DATED.match(text, match.end())
        if _NUMBERED.match(text, match.end()) and not dated:
            continue
        if _COUNTED.search(text, *before):
            continue
        acts, who = _ACTS.match(text, match.end()), _WHO.search(text, *before)
        alone = _BEGINS.search(text, *before) and _ENDS.match(text, match.end())
        tells = _SIGNING.search(text, *before)
        signs_there = dated or (tells and (tells[0][-1] != "(" or _CLOSED.match(text, match.end())))
        opens = acts and _OPENS.search(text, *before) and sign.lower() not in _NO_SIGN
        low = sign.lower()
        sure = (acts or who) and not _stands_for(low)
        if alone or signs_there or opens or (low not in _NO_SIGN and (sure or (acts and who))):
            known_ones.add(sign)
            yield match.span()
        else:
            open_ones.append(match)
    yield from (match.span() for match in open_ones if match[0] in known_ones)
    for match in matches(_TOGETHER, text) if any(map(text.__contains__, signs)) else ():
        every = list(_EACH.finditer(text, *match.span()))
        each = [one for one in every if one[0] in signs]
        all_of_three = len(each) == len(every) > 2
        if all_of_three or sum(not _stands_for(one[0].lower()) for one in each) > 1:
            yield from (one.span() for one in each)
    last = _LAST_OF_ALL.search(text, max(0, len(text) - 60))
    if last is not None and last["first"] in firsts:
        low = last["sign"].lower()
        if low not in _NO_SIGN and not _stands_for(low):
            yield last.span("sign")
    for match in matches_at(_TYPED, text, [start for start, _ in places_of(text, _BEGINS_TYPED)]):
        low = match["sign"].lower()
        if low not in _NO_SIGN and low not in known.letters() and not is_plain_form(low):
            yield match.span("sign")
            if match["other"]:
                yield match.span("other")
    for match in matches(_DICTATED, text):
        yield from (match.span("sign"), match.span("typist"))
    lines = chain((0,), map(re.Match.start, _LINE.finditer(text)))
    for match in matches_at(_LAST, text, lines) if firsts else ():
        if match["sign"] in firsts:
            yield match.span("sign")


def _stands_for(low: str) -> bool:
    """Return whether letters stand for something that a list knows."""
    return low in known.letters() or bool(lists().words.get(low, 0) & _MEASURED)
