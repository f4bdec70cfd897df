"""Names on English pages without capitals: chats and posts, in which words before and behind a name tell it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection import lists as known
from textveil.detection.formal_names import end_of_small_name
from textveil.detection.found import Found, words_in
from textveil.detection.lists import Marks, is_nickname, lists, places
from textveil.detection.names_in_one_case import is_small
from textveil.detection.secrets import apart
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./\xb7'-].)[a-z]{2,24}+(?![A-Za-z0-9_@/(-])")
_BEFORE: Final = re.compile(r"([a-z]{1,16}+)[,]? $")
_BEHIND: Final = lazy_regex(
    r"(?P<own>'?s (?:place|house|flat|gaff|mum|mom|dad|sister|brother|gf|bf|wife|husband|kids?|car|van|dog|cat|bday"
    r"|birthday|party|number|phone|room|garden|work|mate|boss|ex|stuff|shop))(?![a-z])"
    r"|(?P<says> (?:says|said|rang|told|asked|texted|wants|reckons|thinks|knows|owes|moved|changed|fancies|lives|works"
    r"|went|came|got|gave|took|ghosted|messaged|wont|isnt|doesnt|didnt|hasnt))(?![a-z])|(?P<comma>, |[?!])"
)
_HANDLE: Final = lazy_regex(
    r"(?<![\w@./#-])(?P<name>(?=[a-z_.-]{0,30}[0-9])[a-z][a-z0-9_.-]{3,30})"
    r"(?= on (?:insta|ig|twitter|tiktok|snap|fb|facebook|discord|steam|psn|xbox|twitch|reddit|telegram))"
)
_LIVES: Final = lazy_regex(
    r"(?:liv(?:e|es|ed|ing) in|mov(?:e|ed|ing) to|based in|anyone in|back in|born in|works in|flat in|house in) $"
)
_PLACED: Final = words_in("in near outside from to around round")
_WEAK: Final = words_in("with and from to for by is at w love luv miss see saw met meet")
_CLOSE: Final = frozenset(words_in("our nan nana nanna nanny uncle auntie aunty aunt cousin wee lil big"))
_KNOWN: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_BACK: Final = 20
_SCORE: Final = 0.5


@apart
def find_small_talk(text: str) -> Iterator[Found]:
    """Yield persons, places and handles of a page in small letters that a word beside them tells, by start."""
    if not is_small(text):
        return
    for match in matches(_HANDLE, text):
        yield Found(*match.span("name"), "handle", 0.6, "cue")
    marks_of = lists().words.get
    cues = frozenset(known.written("en")["before small names"])
    for match in matches(_WORD, text):
        start, end = match.span()
        marks = marks_of(match[0], 0)
        if match[0] in known.FUNCTION_WORDS or match[0] in known.chat_words():
            continue
        cue = _BEFORE.search(text, max(0, start - _BACK), start)
        before = cue[1] if cue else ""
        kind = _kind(text, match, marks, before, cues)
        if kind:
            yield Found(start, end_of_small_name(text, match, match[0]), "person", _SCORE, "cue")
        elif before in _PLACED and not marks & _KNOWN:
            large, small = places()
            following = _WORD.match(text, end + 1) if text[end : end + 1] == " " else None
            if following and ((both := f"{match[0]} {following[0]}") in large or both in small):
                yield Found(start, following.end(), "place", _SCORE, "cue")
            elif match[0] in large or match[0] in small:
                yield Found(start, end, "place", _SCORE, "cue")
            elif not marks and end - start > 4 and _LIVES.search(text, max(0, start - _BACK), start):
                yield Found(start, end, "place", 0.4, "cue")


def _kind(text: str, match: re.Match[str], marks: int, before: str, cues: frozenset[str]) -> bool:
    """Return whether a word names a person here."""
    low, end = match[0], match.end()
    thing = low in known.NOUNS or low in known.ADJECTIVES or low in known.VERBS or low in known.ORDERS
    nick = not marks and is_nickname(low)
    given = bool(marks & Marks.GIVEN) or nick
    behind = _BEHIND.match(text, end)
    if before in known.DETERMINERS and before not in cues:
        return False
    if before in cues:
        if thing or (marks & Marks.COMMON and marks & Marks.SMALL):
            return before in _CLOSE and given and behind is not None
        return given or not marks
    if nick or (given and not thing and not marks & Marks.COMMON):
        return True
    if behind is None or thing or not given:
        return False
    return behind["own"] is not None or (behind["says"] is not None and (before in _WEAK or not before))
