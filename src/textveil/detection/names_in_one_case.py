"""Names on pages in small letters, or in capitals alone: by lists and words beside them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.formal_names import end_of_small_name
from textveil.detection.found import Found, plain, words_in
from textveil.detection.gates import either, holding, matching
from textveil.detection.language_words import LanguageWords
from textveil.detection.lists import LANGUAGES, Marks, is_nickname, lists, ordinary_words, places
from textveil.detection.people_in_records import is_plain_form
from textveil.detection.secrets import apart
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./'-].)[a-z]++(?:-[a-z]++)*+(?![A-Za-z0-9_@/])")
_CAPITALIZED: Final = lazy_regex(r"[A-Z](?<![A-Za-z].)")
_BEFORE: Final = re.compile(r"([a-z]{1,40}+) $")
_FEW: Final = 0.02
"""Capitals a word up to which a page is written in small letters."""
_SOME: Final = 0.15
_BEGINS: Final = lazy_regex(r"[\n.!?:] ?([A-Za-z])")
"""The start of a line or a sentence: if most are in small letters, ``_SOME`` capitals a word are allowed."""
_MOST: Final = 0.6
_SHORTEST: Final = 3
_LONG: Final = 6  # letters from which on a word that no list holds is a family name, behind a given one
_GIVEN, _FAMILY, _COMMON = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.COMMON)
_ALONE: Final = _COMMON | int(Marks.SMALL | Marks.OTHER)
_INTRODUCES: Final = re.compile(
    r"(?:ich bin(?: die| der)?|mein name ist|ich hei[sz]s?e|je suis|je m'appelle|moi c'est|me llamo|mi nombre es|soy"
    r"|mi chiamo|sono|meu nome e|chamo-me|me chamo|sou o|sou a|ik ben|mijn naam is|ik heet|nazywam sie|mam na imie"
    r"|jestem|hallo|bonjour|salut|hola|ciao|ola|hoi|czesc|liebe|lieber|chere?|querid[oa]|car[oa]|beste) $"
)
_TITLES: Final = words_in(
    "herr herrn frau mevr mevrouw meneer dhr mme mlle monsieur madame signor signora sig dona don senor pan pani"
)
_BACK: Final = 24


class NamesInOneCase:
    """The search for names where letter case tells nothing: what two lists, a word before, or a place show."""

    def __init__(self, language: str) -> None:
        self._words = LanguageWords(language)

    def find(self, text: str) -> Iterator[Found]:
        """Yield names of a page whose words have no capitals, or nothing else, by start."""
        upper, small = _cases(text)
        if not (capitals := upper > _MOST * (upper + small)) and not is_small(text):
            return
        low = text.lower() if capitals else text
        cues, reached = self._words.cues, 0
        words = list(matches(_WORD, low))
        for at, word in enumerate(words):
            if word.start() < reached or not self._is_name(word[0]):
                continue
            match = _BEFORE.search(low, max(0, word.start() - _BACK), word.start())
            before = match[1] if match else ""
            end = self._end(low, words, at)
            titled = before in cues.role
            marks = self._marks(word[0])
            if (
                end > word.end()
                or (titled and (marks or before in _TITLES))
                or (marks and (self._stands_alone(word[0], before) or self._is_introduced(low, word.start())))
            ):
                reached = end
                yield Found(word.start(), end, "person", 0.6, "list" if end > word.end() else "cue")
            elif self._words.is_place(word[0]) == 2 and before in cues.in_:
                yield Found(word.start(), end, "place", 0.5, "cue")

    def _is_name(self, low: str) -> bool:
        return len(low) >= _SHORTEST and low not in self._words.cues.function and not self._words.judged(low)[1]

    def _stands_alone(self, low: str, before: str) -> bool:
        plain = self._words.judged(low)[0] & _ALONE or low in self._words.words_too
        return not (plain or before in self._words.cues.in_)

    def _marks(self, low: str) -> int:
        marks = self._words.judged(low)[0]
        return 0 if marks & _COMMON else marks & _GIVEN

    @staticmethod
    def _is_introduced(low: str, start: int) -> bool:
        return _INTRODUCES.search(low, max(0, start - _BACK), start) is not None

    def _end(self, low: str, words: list[re.Match[str]], at: int) -> int:
        """Return where the family name behind a given name ends; the end of the word for none."""
        word = words[at]
        if not self._marks(word[0]):
            return word.end()
        for following in words[at + 1 : at + 4]:
            gap = low[word.end() : following.start()].split(" ")
            if any(piece and piece not in self._words.cues.joint for piece in gap) or len(gap) < 2:
                break
            marks = self._words.judged(following[0])[0]
            if self._is_name(following[0]) and (marks & _FAMILY or (not marks and len(following[0]) >= _LONG)):
                return following.end()
        return word.end()


def _cases(text: str) -> tuple[int, int]:
    """Return how many capitals and how many small letters a text has."""
    if not text.isascii():
        return sum(map(str.isupper, text)), sum(map(str.islower, text))
    letters = text.encode()
    return len(letters) - len(letters.translate(None, _LARGE)), len(letters) - len(letters.translate(None, _LOW))


_LARGE, _LOW = ascii_uppercase.encode(), ascii_lowercase.encode()


@lru_cache(maxsize=1)
def is_small(text: str) -> bool:
    """Return whether a page is written in small letters, but for a few words."""
    if (written := len(_CAPITALIZED.findall(text))) <= _FEW * text.count(" "):
        return True
    if written > _SOME * text.count(" "):
        return False
    begins = _BEGINS.findall(f"\n{text}" if text[:1] != " " else text)
    return 2 * sum(map(str.islower, begins)) > len(begins)


_KNOWN: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_ANY_WORD: Final = lazy_regex(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_OF_CODE: Final = (*'{}<>=|\\$&_/@"', " -", "\n  ")
_FEWEST_OF_CODE: Final = 12  # words for each mark of code in prose
_OPENS: Final = ("\n", ".", "!", "?", ":")
_READ: Final = 400  # characters that tell in which case a text is
_FEWEST_CAPITALS: Final = 20  # letters of them in capitals
_FEW_BEGUN: Final = 12  # small letters for each capital at least in a text in small letters
_PERSON: Final = _GIVEN | _FAMILY
_NAME: Final = _PERSON | int(Marks.PLACE | Marks.KNOWN_PLACE)
_CUES: Final = (
    known.TITLES | known.RELATIONS | {"dear", "hi", "hello", "hey", "called", "named", "thanks", "from", "cc"} | _TITLES
)


_THINGS: Final = ("the", "a", "an", "this", "that", "some", "any")
_LONG_FAMILY: Final = 5
_NO_NAMES: Final = known.FUNCTION_WORDS | known.VERBS | {"said"}
_OF_VERBS: Final = ("ed", "ing", "es", "t")


class _Cased(NamedTuple):
    start: int
    low: str  # in plain letters
    marks: int
    ordinary: bool
    gap: str  # before it


def with_capitals(text: str, language: str) -> str:
    """Return a text of one letter case, as long as it was, with capitals where others write them; empty for others.

    A word gets one if a list has it as a name and nothing else, or as a name behind a title, a relation or beside a
    sure name, or if no list has it there; in small letters also at the start of a sentence.
    """
    begun = text[:_READ]
    upper, small = _cases(begun)
    capitals = upper > max(_FEWEST_CAPITALS, _MOST * (upper + small))
    low = text.lower() if capitals else text
    if len(low) != len(text) or not (capitals or (small > _FEW_BEGUN * upper and is_small(plain(text).text))):
        return ""
    ordinary = ordinary_words(language) if language in LANGUAGES else frozenset()
    marks_of, end = lists().words.get, 0
    words: list[_Cased] = []
    for match in matches(_ANY_WORD, low):
        written = plain(match[0]).text.partition("'")[0]
        marks = marks_of(written, 0)
        is_ordinary = bool(marks & _KNOWN) or written in ordinary
        words.append(_Cased(match.start(), written, marks, is_ordinary, low[end : match.start()]))
        end = match.end()
    code = sum(map(text.count, _OF_CODE))
    if 2 * sum(word.ordinary for word in words) < len(words) or _FEWEST_OF_CODE * code > len(words):
        return ""  # no prose
    letters = list(low)
    for at, word in enumerate(words):
        letter = low[word.start].upper()
        if len(letter) == 1 and _has_capital(words, at, small=not capitals):
            letters[word.start] = letter
    return "".join(letters)


def _has_capital(words: Sequence[_Cased], at: int, *, small: bool) -> bool:
    word, gap = words[at], words[at + 1].gap if at + 1 < len(words) else ""
    if "-" in (word.gap, gap):  # osei-bonsu, gaming-pc
        other = words[at - 1 if word.gap == "-" else at + 1]
        return bool(word.marks & other.marks & _NAME) and not (word.ordinary or other.ordinary)
    if len(word.low) == 1 and gap in (". ", "."):
        return not words[at + 1].ordinary  # an initial
    thing = at > 0 and words[at - 1].low in _THINGS  # the hoover
    short = small and word.marks == _FAMILY and len(word.low) < _LONG_FAMILY and word.gap != ". "  # hes, pic
    if word.marks & _NAME and not (word.ordinary or thing or short):
        return True
    ahead = word.gap.rstrip(" \"'(")
    if small and word.ordinary and (ahead.endswith(_OPENS) or not (at or ahead)):
        return not gap.startswith(":")
    if word.low in _NO_NAMES:
        return False
    before = words[at - 1] if at and word.gap in (" ", ". ") else None
    after_name = before is not None and not before.ordinary and bool(before.marks & _NAME)
    if not word.marks and not word.ordinary and len(word.low) >= _SHORTEST:
        beside = (after_name or word.gap == ". ") and not word.low.endswith(_OF_VERBS)
        told = before is not None and before.low in _CUES
        return beside or told or word.gap.endswith("] " if small else (": ", "] "))
    if before is not None and word.marks & _PERSON:
        called = after_name and before.marks & _GIVEN and not word.marks & int(Marks.SMALL)
        if called or before.low in _CUES:
            return True
    behind = words[at + 1] if gap == " " else None
    return bool(word.marks & _GIVEN and behind and behind.marks & _FAMILY and not behind.ordinary)


_SMALL_WORD: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./\xb7'-].)[a-z]{2,24}+(?![A-Za-z0-9_@/(-]|:\n)")
_SMALL_BEFORE: Final = re.compile(r"([a-z]{1,16}+)[,]? $")
_NEAR: Final = 20
_BEHIND: Final = lazy_regex(
    r"(?P<own>'?s (?:place|house|flat|gaff|mum|mom|dad|sister|brother|gf|bf|wife|husband|kids?|car|van|dog|cat|bday"
    r"|birthday|party|number|phone|room|garden|work|mate|boss|ex|stuff|shop|anniversary|wedding|landline|mobile|round|gran"
    r"|nan|daughter|son|leaving do|funeral|bike|keys?|coat|street|friend))(?![a-z])"
    r"|(?P<says> (?:says|said|rang|told|asked|texted|wants|reckons|thinks|knows|owes|moved|changed|fancies|lives|works"
    r"|went|came|got|gave|took|ghosted|messaged|wont|isnt|doesnt|didnt|hasnt))(?![a-z])|(?P<comma>, |[?!])"
)
_JOINED: Final = lazy_regex(r"[._](?:[a-z]{1,2}|[0-9]{1,4}|(?P<family>[a-z]{3,16}))(?![A-Za-z0-9_@/(-]|\.[A-Za-z0-9])")
"""The rest of a login behind a name: idris.b."""
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
_SCORE: Final = 0.5


@apart
def find_small_talk(text: str) -> Iterator[Found]:
    """Yield persons, places and handles of a page in small letters that a word beside them tells, by start."""
    if not is_small(text):
        return
    yield from (Found(*match.span("name"), "handle", 0.6, "cue") for match in matches(_HANDLE, text))
    marks_of = lists().words.get
    cues = frozenset(known.written("en")["before small names"])
    for match in matches(_SMALL_WORD, text):
        start, end = match.span()
        marks = marks_of(match[0], 0)
        if match[0] in known.FUNCTION_WORDS or match[0] in known.chat_words():
            continue
        cue = _SMALL_BEFORE.search(text, max(0, start - _NEAR), start)
        before = cue[1] if cue else ""
        kind = _kind(text, match, marks, before, cues)
        joined = _JOINED.match(text, end) if kind else None
        if joined is not None and (joined["family"] is None or marks_of(joined["family"], 0) & Marks.FAMILY):
            yield Found(start, joined.end(), "handle", _SCORE, "cue")
        elif kind:
            yield Found(start, end_of_small_name(text, match, match[0]), "person", _SCORE, "cue")
        elif before in _PLACED and not marks & _KNOWN:
            large, small = places()
            following = _SMALL_WORD.match(text, end + 1) if text[end : end + 1] == " " else None
            if following and ((both := f"{match[0]} {following[0]}") in large or both in small):
                yield Found(start, following.end(), "place", _SCORE, "cue")
            elif match[0] in large or match[0] in small:
                yield Found(start, end, "place", _SCORE, "cue")
            elif not marks and end - start > 4 and _LIVES.search(text, max(0, start - _NEAR), start):
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
    if behind is not None and given and behind["own"] is not None:
        return True
    if behind is None or thing or not given:
        return False
    return behind["says"] is not None and (before in _WEAK or not before)


_SPELLED: Final = lazy_regex(r"(?<![A-Za-z0-9'.-])[A-Z](?:-[A-Z]){2,15}(?![A-Za-z0-9-]|'[a-z])", holds=("-",))
_SAID_LETTER: Final = "(?:[Dd]ouble [A-Z]|[A-Z](?: for [A-Z]?[a-z]{2,12})?)"
_SAID_LETTERS: Final = lazy_regex(rf"(?<![A-Za-z0-9'.-]){_SAID_LETTER}(?:,? {_SAID_LETTER}){{2,20}}(?![A-Za-z0-9'-])")
"""Letters as they are told: T for Tango, I, double L, E, Y."""
SPELLED_GATE: Final = either(matching(r"[A-Z]-[A-Z]-[A-Z]", amid="-"), holding(" for ", "ouble "))
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


def find_spelled(text: str) -> Iterator[Found]:
    """Yield names that are spelled, letter by letter, though nobody says whose they are: P-E-T-T-I-F-E-R."""
    for match in matches(_SPELLED, text):
        low = match[0].replace("-", "").lower()
        named = lists().words.get(low, 0) & (Marks.GIVEN | Marks.FAMILY)
        if named or not (is_plain_form(low) or low in known.letters() or low in _ALPHABET or len(set(low)) == 1):
            yield Found(*match.span(), "person", _SCORE, "pair")
    for match in matches(_SAID_LETTERS, text):
        if " for " in match[0] or "ouble " in match[0]:
            yield Found(*match.span(), "id", _SCORE, "pair")
