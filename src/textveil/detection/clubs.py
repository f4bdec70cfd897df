"""Clubs, teams and bands: by a club's letters, by a nickname behind a town, and by what a text on music calls them.

A club's name is one thing, in every language: Hertha BSC, VfL Wolfsburg, the Miami Dolphins. Letters that stand for
more than clubs count only where the text tells of sport, and what a band may be called where it tells of music.
"""

from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, either, holding, places_of
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex, letters_and_words, matches

_CLUB: Final = words_in("fc afc vfl vfb tus spvgg rufc rlfc")
"""What stands beside a club's name and is little else."""
_CLUB_TOO: Final = words_in(
    """ac as es sv sc sk nk ab sd ud cd cf sg ajr rc ssc us ec ae aek kv kaa ca cr se cs ks gks uc bk if ik tsv tsg fsv
    ssv msv ksc hsc hnk gnk rkc fk rcd bsc hsv rfc ogc sgs esv djk hc jc kc bc osc uec"""
)
_ENDS: Final = words_in("fc afc rufc rlfc cf sv sc sk bk if ik hc bsc fk hsv tsv rfc kc ac bc cd")
"""Those of them that stand behind the name as well."""
_W: Final = r"[A-Z][a-z]{1,24}+(?:[-'][A-Za-z]{2,24}+){0,2}+"
_BEHIND: Final = lazy_regex(
    rf" (?P<name>(?:(?:de|da|do|del|van|of|0[0-9]) )?{_W}(?: {_W}){{0,2}}+)(?: (?:(?:18|19)[0-9]{{2}}|0[0-9]))?+"
    r"(?![A-Za-z0-9_@])"
)
_BEFORE: Final = lazy_regex(rf"(?<![A-Za-z0-9_@-])(?:{_W} ){{0,2}}+{_W}\Z")
_DOTTED: Final = lazy_regex(r" (?:[A-Z]\.){0,2}F\.C\.")
_TEAM: Final = lazy_regex(
    rf"(?<![A-Za-z-])(?:[Tt]he|die|den?|der|des|dos|dei|gli|l[oe]s|aos?|as|os) (?P<name>(?P<town>{_W}(?: {_W}){{0,2}}?)"
    r" (?:[A-Z][a-z]{2,9} )?[A-Z][a-z]{2,14}s)(?![A-Za-z0-9_@]| [A-Z])"
)
_TOWN: Final = lazy_regex(rf"(?<![A-Za-z0-9_@-]){_W}(?: {_W}){{0,2}}+(?: (?:Red|Blue|White|Maple|Golden|Trail))?+\Z")
_BAND: Final = lazy_regex(
    rf"(?P<name>(?:{_W} ){{1,3}}(?:&|and|und|et|y|e|en|i) the {_W}(?: {_W})?+)(?![A-Za-z0-9_@])"
    r"|(?<![A-Za-z])(?:by|with|of|for|and|like|joined|included|featuring|than|par|avec|des?|con|d[ei]i?|per|i|[lo]s|von"
    rf"|mit|und|et|[ey]|met|van|z|com) (?P<the>The {_W}(?: {_W}){{0,2}}+)"
    r"(?![A-Za-z0-9_@])"
    rf"|(?:groups?|bands?|duo|trio|quartet|label|supergroup) (?P<called>{_W}(?: (?:(?:of|and) )?(?:the )?{_W}){{1,3}}+)"
)
_STUDIO: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:by|with|from|of|for|and|at|to|under) (?P<name>(?:{_W} ){{1,3}}(?P<end>[A-Z][a-z]{{3,13}}))"
    r"(?![A-Za-z0-9_@]| [A-Z])"
)
_STUDIOS: Final = words_in("films productions pictures records studios entertainment recordings publications designs")
_EVENTS: Final = words_in("games olympics championships finals masters nationals trials series awards times news")


@cache
def _telling(subject: str) -> frozenset[str]:
    """Return the words of a subject in all languages."""
    return frozenset(chain.from_iterable(known.by_language(subject).values()))


def club_words() -> frozenset[str]:
    """Return the words without which a text names no club or band."""
    return _CLUB | _STUDIOS | _telling("sport") | _telling("music") | _telling("nicknames")


CLUB_GATE: Final = either(WithWords(club_words), holding("F.C."))


def find_clubs(text: str) -> Iterator[Found]:
    """Yield clubs and teams, studios, and bands where the text tells of music."""
    words = letters_and_words(text)[1]
    sport = not words.isdisjoint(_telling("sport"))
    yield from _by_letters(text, sport=sport)
    yield from _by_nickname(text)
    if sport:
        yield from _in_sport(text)
    if not words.isdisjoint(_STUDIOS):
        for studio in matches(_STUDIO, text):
            if studio["end"].lower() in _STUDIOS:
                yield Found(*studio.span("name"), "organization", 0.5, "company-end")
    if not words.isdisjoint(_telling("music")):
        for band in matches(_BAND, text):
            yield Found(*band.span(band.lastgroup or 0), "organization", 0.5, "cue")


def _by_letters(text: str, *, sport: bool) -> Iterator[Found]:
    for start, end in places_of(text, _CLUB | _CLUB_TOO if sport else _CLUB):
        letters = text[start:end]
        if letters[0].isupper() and letters != letters.capitalize() and text[start - 1 : start] in (" ", "", "\n", "("):
            yield from _beside(text, start, end, sport=sport)
    for dotted in matches(_DOTTED, text) if "F.C." in text else ():
        if (begin := _begun(text, dotted.start(), sport=True)) >= 0:
            yield Found(begin, dotted.end(), "organization", 0.6, "institution")


def _by_nickname(text: str) -> Iterator[Found]:
    for start, end in places_of(text, _telling("nicknames")):
        run = _TOWN.search(text, max(0, start - 60), start - 1) if text[start].isupper() else None
        if run is not None and (town := _town_of(run[0])):
            yield Found(run.end() - len(town), end, "organization", 0.6, "institution")


def _in_sport(text: str) -> Iterator[Found]:
    for start, end in places_of(text, _telling("clubs")):
        behind = _BEHIND.match(text, end) if text[start].isupper() else None
        if behind is not None and _names_club(behind["name"].split()[0], sport=False):
            yield Found(start, behind.end(), "organization", 0.6, "institution")
    for team in matches(_TEAM, text):
        if _is_town(team["town"].lower()) and team["name"].rpartition(" ")[2].lower() not in _EVENTS:
            yield Found(*team.span("name"), "organization", 0.6, "institution")


def _is_town(low: str) -> bool:
    return low in lists().phrases or bool(lists().words.get(low, 0) & Marks.KNOWN_PLACE)


def _town_of(run: str) -> str:
    """Return the end of a run of words that a town begins: Toronto Blue; or nothing."""
    words = run.split()
    ends = (words[at:] for at in range(len(words)))
    return next(
        (" ".join(end) for end in ends for stop in range(1, len(end) + 1) if _is_town(" ".join(end[:stop]).lower())), ""
    )


def _beside(text: str, start: int, end: int, *, sport: bool) -> Iterator[Found]:
    """Yield the club whose letters stand here, before its name or else behind it."""
    behind = _BEHIND.match(text, end)
    if behind is not None and _names_club(behind["name"].split()[-1], sport=sport):
        yield Found(start, behind.end(), "organization", 0.6, "institution")
    elif text[start:end].lower() in _ENDS and (begin := _begun(text, start - 1, sport=sport)) >= 0:
        yield Found(begin, end, "organization", 0.6, "institution")


def _begun(text: str, end: int, *, sport: bool) -> int:
    """Return where the name of a club begins that ends here; -1 for none."""
    run = _BEFORE.search(text, max(0, end - 80), end)
    begin, place = -1, end
    for word in reversed(run[0].split() if run else ()):
        place -= len(word) + (begin >= 0)
        if not _names_club(word, sport=sport):
            break
        begin = place
    return begin


def _names_club(word: str, *, sport: bool) -> bool:
    low = word.lower()
    marks = lists().words.get(low, 0)
    if low in known.FUNCTION_WORDS or low in known.TITLES or low in _telling("sport") or low in _telling("function"):
        return False
    return sport or bool(marks & (Marks.PLACE | Marks.FAMILY)) or not marks & (Marks.COMMON | Marks.OTHER)
