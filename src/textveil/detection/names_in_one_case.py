"""Names on pages in small letters, or in capitals alone: by lists and words beside them."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from operator import attrgetter
from typing import Final, NamedTuple

from textveil.cuts import between
from textveil.detection import lists as known
from textveil.detection.formal_names import end_of_small_name
from textveil.detection.found import Found, plain, words_in
from textveil.detection.gates import either, holding, matching
from textveil.detection.language_words import LanguageWords
from textveil.detection.lists import LANGUAGES, Marks, is_nickname, lists, ordinary_words, places
from textveil.detection.people_in_records import is_plain_form
from textveil.detection.secrets import apart
from textveil.detection.spans import DetectedSpan
from textveil.text.english import FUNCTION_WORDS
from textveil.text.patterns import lazy_regex, matches
from textveil.vocabulary.embedded import load_vocabulary

_CASES: Final = bytes(
    [0x41 if chr(code).isupper() else 0x61 if chr(code).isalpha() else 0x20 for code in range(0x80)] + [0x20] * 0x80
)
"""A capital, a small letter and a space for what each byte of a text is."""
_FEW: Final = 0.02
"""Capitals a word up to which a page is written in small letters."""
_SOME: Final = 0.15
_BEGINS: Final = lazy_regex(r"(?:\A|[\n.!?:] ?)([A-Za-z])")
"""The start of a line or a sentence: if most are in small letters, ``_SOME`` capitals a word are allowed."""
_MOST: Final = 0.6
_GIVEN, _FAMILY, _SMALL = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.SMALL)
_PERSON: Final = _GIVEN | _FAMILY
_PLACE: Final = int(Marks.PLACE | Marks.KNOWN_PLACE)
_KNOWN: Final = int(Marks.COMMON | Marks.OTHER) | _SMALL
_READ: Final = 400  # characters that tell in which case a text is
_FEWEST_CAPITALS: Final = 20  # letters of them in capitals


@lru_cache(maxsize=1)
def is_small(text: str) -> bool:
    """Return whether a page is written in small letters, but for a few words."""
    written = (b" " + text.encode("latin-1", "replace").translate(_CASES)).count(b" A")
    if written <= _FEW * text.count(" "):
        return True
    if written > _SOME * text.count(" "):
        return False
    begins = _BEGINS.findall(text)
    return 2 * sum(map(str.islower, begins)) > len(begins)


def in_capitals(text: str) -> bool:
    """Return whether most letters at the beginning of a text are capitals."""
    begun = text[:_READ]
    if begun.isascii():
        cases = begun.encode().translate(_CASES)
        upper, lower = cases.count(b"A"), cases.count(b"a")
    else:
        upper, lower = sum(map(str.isupper, begun)), sum(map(str.islower, begun))
    return upper > _FEWEST_CAPITALS and upper > _MOST * (upper + lower)


_WORD: Final = lazy_regex(r"(?P<word>[^\W\d_]+)(?:['\u2019](?:s|re|ve|ll|t|m|d)(?![^\W_]))?")
_OPENS: Final = ("\n", ".", "!", "?", ":")
_TITLES: Final = known.TITLES | words_in(
    "herr herrn frau mevr mevrouw meneer dhr mme mlle monsieur madame signor signora sig dona don senor pan pani"
)
_WEAK_CUES: Final = frozenset(("dear", "hi", "hello", "hey", "called", "named", "thanks", "from", "cc"))
_PLACED: Final = words_in("in near outside from to around round")
_DETERMINERS: Final = known.DETERMINERS - {"in", "of", "under", "all", "no"}
_OF_SENTENCES: Final = known.FUNCTION_WORDS - {"of", "the", "and", "for", "in", "on", "at", "to", "a", "will", "may"}
_OF_VERBS: Final = ("ed", "ing", "es", "t")
_LISTED: Final = ("", "en", *LANGUAGES)
"""Languages whose words are listed: what no list holds is a name."""
_ARTICLES_BEFORE_NAMES: Final = ("de", "it", "pt")
_TOLD: Final = 0.7  # the least score of a name that something beside it tells
_SHORTEST: Final = 3
_LONGEST_SIGN: Final = 4
"""Letters of abbreviations and parts of codes."""
_LONG_STEM: Final = 8
_MOST_WORDS: Final = 4
_FEW_WORDS: Final = 4  # of a text that is read with capitals only if most are known: db cassandra table
_MEASURED: Final = re.compile(",? ?[0-9]")
_HOUSE_BEHIND: Final = lazy_regex(r",? [0-9]{1,3}(?![0-9.,:]{0,8}[0-9]| ?[%\xa4])")
_HOUSE_BEFORE: Final = lazy_regex(r"(?<![0-9.,])[0-9]{1,4} ?\Z")
_MARKS_OF_CODE: Final = (*'{}<>=|\\$&_/@"', " -", "\n  ")
_FEWEST_OF_CODE: Final = 12  # words for each mark of code in prose
_OF_CODE: Final = re.compile("[{}]|[a-z]_[a-z]")
_BEFORE_NO_NAME: Final = frozenset("_@./\\$:-#{<")
_GLUES: Final = frozenset("_@.:=")
_BEHIND_NO_NAME: Final = frozenset("_@=/\\:({[")


@cache
def _told(language: str) -> frozenset[str]:
    """Return the titles and relations that stand before a name in a language."""
    words = known.written(language) if language in LANGUAGES else {}
    of_language = [words.get(name, ()) for name in ("titles of roles", "short titles", "kin", "role")]
    return frozenset().union(_TITLES, known.RELATIONS, _WEAK_CUES, *of_language)


@cache
def _words_of(language: str) -> LanguageWords | None:
    return LanguageWords(language) if language in LANGUAGES else None


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(load_vocabulary().words)


@cache
def _sorted_words(language: str) -> list[str]:
    return sorted(ordinary_words(language))


@cache
def _ends(*names: str) -> frozenset[str]:
    words = known.written("en")
    return frozenset([word.lower() for name in names for word in words[name]])


class _Cased(NamedTuple):
    start: int
    end: int
    low: str  # in plain letters
    marks: int
    rank: int  # 2 for an ordinary word, 1 for a rare one, 0 for none
    gap: str  # before it


_start: Final = attrgetter("start")


class Restored:
    """A text of one letter case, as long as it was, with capitals where others write them.

    A word gets one if a list has it as a name and nothing else, if no list has it, and at the start of a sentence;
    other words do beside a title, a relation, a name or the number of a house, unless many texts write them small.
    Codes are written in capitals.
    """

    def __init__(self, low: str, language: str, *, capitals: bool) -> None:
        self.capitals = capitals
        self._low = low
        self._told = _told(language)
        code = sum(map(low.count, _MARKS_OF_CODE))
        self._prose = capitals or _FEWEST_OF_CODE * code <= low.count(" ") + low.count("\n")
        self._listed = language in _LISTED
        self._guesses = self._listed and self._prose
        self._words = _words_of(language)
        cues = self._words.cues if self._words else None
        self._in = cues.in_ if cues else _PLACED
        self._articles = _DETERMINERS.union(cues.article if cues else ())
        self._function = known.FUNCTION_WORDS.union(cues.function if cues else known.VERBS | {"said"})
        self._no_names = self._function.union(self._words.words_too if self._words else ())
        self._after_articles = _PLACE | (_GIVEN if language in _ARTICLES_BEFORE_NAMES else 0)  # la Dordogne, der Holger
        self._ordinary = ordinary_words(language) if cues else frozenset()
        self._sorted = _sorted_words(language) if cues else []
        self._cased = list(self._read())
        self._gaps = [word.gap for word in self._cased[1:]]
        self._gaps.append(low[self._cased[-1].end :] if self._cased else "")
        self._in_code = list(self._find_code())
        self._alone = [self._is_alone(at) for at in range(len(self._cased))]
        self.is_told = (self._listed and len(self._cased) > _FEW_WORDS) or self._is_mostly_known()
        self.text = self._written()

    def _is_mostly_known(self) -> bool:
        ranks = [word.rank > 0 for word in self._cased if len(word.low) >= _SHORTEST]
        return 2 * sum(ranks) > len(ranks)

    def is_sentence(self, name: DetectedSpan) -> bool:
        """Return whether what was read as a name in capitals alone can be a sentence: few languages tell it apart.

        A name that a label, a title or a relation tells may hold ordinary words, but no function word.
        """
        first, behind = (bisect_left(self._cased, place, key=_start) for place in (name.start, name.end))
        inside = self._cased[first:behind]
        if self._words is None:
            return any(word.low in _OF_SENTENCES for word in inside)
        if name.score < _TOLD:
            return any(word.rank or word.low in self._function for word in inside)
        return any(word.low in self._function and word.low not in known.PARTICLES for word in inside)

    def _read(self) -> Iterator[_Cased]:
        marks_of, end = lists().words.get, 0
        for match in matches(_WORD, self._low):
            low = plain(match["word"]).text
            marks, rank = self._words.judged(low) if self._words else (marks_of(low, 0), 0)
            person = self._words and marks & _PERSON and rank < 2  # others are known by English words
            if (marks & _KNOWN and not person) or (not marks and not rank and self._is_form(low)):
                rank = 2
            yield _Cased(*match.span("word"), low, marks, rank, self._low[end : match.start("word")])
            end = match.end("word")

    def _find_code(self) -> Iterator[bool]:
        """Yield for each word whether its line has marks of code."""
        end, code = 0, False
        for word in self._cased:
            if word.start >= end:
                start, end = self._low.rfind("\n", 0, word.start) + 1, self._low.find("\n", word.start)
                end = len(self._low) if end < 0 else end
                code = _OF_CODE.search(self._low, start, end) is not None
            yield code

    def _is_form(self, low: str) -> bool:
        """Return whether a word that the lists of names lack is an English one, or a form of one of the language."""
        if self._words is None:
            return is_plain_form(low) or low in _vocabulary() or low in known.chat_words()
        stem = low[: -2 if len(low) < _LONG_STEM else -3]
        at = bisect_left(self._sorted, stem)
        return len(stem) > _LONGEST_SIGN and at < len(self._sorted) and self._sorted[at].startswith(stem)

    def _written(self) -> str:
        large = set(self._find_streets() if self._words else self._find_english_streets())
        large.update(self._find_firms(), self._find_places())
        letters, named = list(self._low), False
        for at, word in enumerate(self._cased):
            named = at in large or self._is_name(at, named=named)
            if self._is_code(word):
                letters[word.start : word.end] = self._low[word.start : word.end].upper()
            elif named or self._opens(at) or (word.low in known.TITLES and self._gaps[at][:1] in (" ", ".")):
                letters[word.start] = letters[word.start].upper()
        text = "".join(letters)
        return text if len(text) == len(self._low) else self._low

    def _opens(self, at: int) -> bool:
        """Return whether an ordinary word begins a sentence or a line."""
        word = self._cased[at]
        ahead = word.gap.rstrip(" \"'(")
        opens = self._prose and word.rank == 2 and (ahead.endswith(_OPENS) or not (at or ahead))
        return opens and not (self._gaps[at][:1] in _BEHIND_NO_NAME | {":"} or self._in_code[at])

    def _is_code(self, word: _Cased) -> bool:
        """Return whether a word is a part of a code: h228841907, sv15 kpt, kp-2209-71183."""
        before, behind = self._low[max(0, word.start - 3) : word.start], self._low[word.end : word.end + 3]
        if before[-1:] in _GLUES or behind[:1] in _GLUES or not self._prose:
            return False
        if before[-1:].isdigit() or behind[:1].isdigit():
            return True
        near = {gap for gap, digits in ((before[2:], before[:2]), (behind[:1], behind[1:])) if digits.isdigit()}
        return len(word.low) <= _LONGEST_SIGN and (not near.isdisjoint("-/") or (" " in near and not word.rank))

    def _find_streets(self) -> Iterator[int]:
        """Yield the words that the number of a house stands behind."""
        for at, word in enumerate(self._cased):
            if word.rank < 2 and len(word.low) > _SHORTEST and _HOUSE_BEHIND.match(self._gaps[at]):
                yield at

    def _find_english_streets(self) -> Iterator[int]:
        """Yield the words from behind the number of a house to the end of a street's name."""
        ends = _ends("small street ends", "strong street ends")
        for at, word in enumerate(self._cased):
            for first in range(at - 1, max(-1, at - _MOST_WORDS), -1) if word.low in ends else ():
                if self._gaps[first] != " " or self._cased[first].low in self._function:
                    break
                if _HOUSE_BEFORE.search(self._cased[first].gap):
                    yield from range(first, at + 1)
                    break

    def _find_firms(self) -> Iterator[int]:
        """Yield the words before a legal form, and the form."""
        ends = _ends("firm ends") | {"limited"}
        for at in [at for at, word in enumerate(self._cased) if word.low in ends]:
            first = at
            while at - first < _MOST_WORDS and self._cased[first].gap in (" ", " & ") and not self._joins(first - 1):
                first -= 1
            yield from range(first, at + (first < at))

    def _joins(self, at: int) -> bool:
        return at < 0 or self._cased[at].low in self._function or self._cased[at].low in FUNCTION_WORDS

    def _find_places(self) -> Iterator[int]:
        """Yield the words of places of two words."""
        for at, word in enumerate(self._cased[:-1]):
            behind = self._cased[at + 1]
            told = word.gap == " " and at > 0 and self._cased[at - 1].low in self._in
            if behind.gap == " " and (told or min(word.rank, behind.rank) < 2) and not self._joins(at):
                both = f"{word.low} {behind.low}"
                if any(both in listed for listed in places()):
                    yield from (at, at + 1)

    def _is_alone(self, at: int) -> bool:
        """Return whether a word is a name by itself: a list has it as one, or no list has it."""
        word, gap = self._cased[at], self._gaps[at]
        if word.rank or gap.startswith(":") or word.low in self._no_names or self._in_code[at]:
            return False
        determined = at > 0 and word.gap == " " and self._cased[at - 1].low in self._articles
        if gap[:1] in _BEHIND_NO_NAME or (word.gap[-1:] in _BEFORE_NO_NAME and word.gap):
            return False
        if determined and not (self._words and (not word.marks or word.marks & self._after_articles)):
            return False
        if word.marks & (_PERSON | _PLACE):
            hes = word.marks == _FAMILY and word.gap != ". "
            return len(word.low) > _LONGEST_SIGN or not (hes or _MEASURED.match(gap))  # hes, pic, edd: 14/6
        return self._guesses and not word.marks and len(word.low) > _LONGEST_SIGN

    def _is_name(self, at: int, *, named: bool) -> bool:
        """Return whether a word is a part of a name; ``named``: the one before it is."""
        word, gap = self._cased[at], self._gaps[at]
        before = self._cased[at - 1] if at and word.gap in (" ", ". ", "-") else None
        behind = self._cased[at + 1] if gap in (" ", ". ", ".", "-") and at + 1 < len(self._cased) else None
        follows = behind is not None and self._alone[at + 1]
        if "-" in (word.gap, gap):  # osei-bonsu, gaming-pc
            beside = (before if word.gap == "-" else None, behind if gap == "-" else None)
            if len(word.low) < _SHORTEST:
                return False
            sure = self._alone[at] or (word.gap == "-" and named) or (gap == "-" and follows)
            return self._prose and sure and all(other.rank < 2 for other in (word, *beside) if other)
        if len(word.low) == 1:
            initial = gap == ". " and behind is not None and behind.rank < 2
            last = named and word.gap == " " and (gap[:1] != " " or gap[:2] == "  ")  # junie b: so
            return initial or ((last or (follows and gap != "-")) and word.low not in "ai")
        if self._alone[at]:
            return True
        if word.low in self._function or len(word.low) < _SHORTEST:
            return False
        family = follows or (behind is not None and behind.marks & _FAMILY and behind.rank < 2)
        if word.marks & _GIVEN and gap == " " and family:
            return True
        return before is not None and self._is_told(word, before, named=named, ends=gap != " ")

    def _is_told(self, word: _Cased, before: _Cased, *, named: bool, ends: bool) -> bool:
        """Return whether the word before it tells that a word is a name; ``ends``: no word stands right behind it."""
        if before.low in self._told or (word.gap == ". " and len(before.low) == 1):
            return word.rank < 2 or bool(word.marks & _PERSON and before.low not in _WEAK_CUES)
        if not named:
            listed = any(word.low in listed for listed in places())
            return listed and before.low in self._in and word.rank < 2 and word.low not in self._ordinary
        if word.low in _ends("strong houses", "small street ends", "company ends"):
            return True
        if word.marks & _PERSON:
            return ends or word.rank < 2 or not word.marks & _SMALL
        return not word.marks and word.rank < (1 + ends) and not word.low.endswith(_OF_VERBS)


def with_capitals(text: str, language: str, spans: Iterable[DetectedSpan], *, capitals: bool) -> Restored | None:
    """Return a text of one letter case, but for who writes its lines (Ada: on my way), with capitals; None for others.

    Letters that are mostly of other scripts tell no case.

    ``spans``: what it holds; ``capitals``: as ``in_capitals`` says.
    """
    low = text.lower() if capitals else text
    if language == "tr" or len(low) != len(text) or 2 * len(text.encode("ascii", "ignore")) < len(text):
        return None
    writers = [span for span in spans if text[span.end : span.end + 1] == ":"]
    if not (capitals or is_small(plain("".join(between(text, writers))).text)):
        return None
    restored = Restored(low, language, capitals=capitals)
    return restored if restored.is_told else None


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


_SPELLED: Final = lazy_regex(r"(?<![A-Za-z0-9'.-])[A-Z](?:-[A-Z]){2,15}(?![A-Za-z0-9-]|'[a-z])", within="-[A-Z]-[A-Z]")
_SAID_LETTER: Final = "(?:[Dd]ouble [A-Z]|[A-Z](?: for [A-Z]?[a-z]{2,12})?)"
_SAID_LETTERS: Final = lazy_regex(rf"(?<![A-Za-z0-9'.-]){_SAID_LETTER}(?:,? {_SAID_LETTER}){{2,20}}(?![A-Za-z0-9'-])")
"""Letters as they are told: T for Tango, I, double L, E, Y."""
SPELLED_GATE: Final = either(
    matching(r"[A-Z]-[A-Z]-[A-Z]", amid="-"), either(matching("[A-Z] for ", amid=" for "), holding("ouble "))
)
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"


def find_spelled(text: str) -> Iterator[Found]:
    """Yield names that are spelled, letter by letter, though nobody says whose they are: P-E-T-T-I-F-E-R."""
    for match in matches(_SPELLED, text):
        low = match[0].replace("-", "").lower()
        named = lists().words.get(low, 0) & (Marks.GIVEN | Marks.FAMILY)
        if named or not (is_plain_form(low) or low in known.letters() or low in _ALPHABET or len(set(low)) == 1):
            yield Found(*match.span(), "person", _SCORE, "pair")
    for match in matches(_SAID_LETTERS, text) if " for " in text or "ouble " in text else ():
        if " for " in match[0] or "ouble " in match[0]:
            yield Found(*match.span(), "id", _SCORE, "pair")
