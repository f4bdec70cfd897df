"""Names of persons, places and organizations: capitals read by public lists and by what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, final

from textveil.detection import name_words as known
from textveil.detection.found import Found
from textveil.detection.lists import Lists, Marks, lists
from textveil.detection.plain import OTHER
from textveil.text.slices import matches

_ABBREVIATED: Final = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Jr|Sr|Inc|Corp|Ltd|Co|Gen|Sen|Rep|Gov|Lt|Col|Sgt|Capt|Rev|Hon|Mt|Ft"
_WORD: Final = rf"(?:(?:{_ABBREVIATED})\.|(?:[A-Z]\.){{1,25}}+(?![a-z])|[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+)"
_SMALL: Final = "van|von|der|den|de|del|della|di|da|dos|du|la|le|bin|ibn|al|el|ter|ten|af|y|zu|of|the|and|&|for"
_FIRST: Final = (
    r"[A-Z](?<![A-Za-z0-9].)(?:(?:(?<=M)(?:rs?|[sxt])|(?<=D)r|(?<=P)rof|(?<=S)(?:[tr]|en|gt)|(?<=J)r|(?<=I)nc"
    r"|(?<=C)(?:orp|ol?|apt)|(?<=L)td?|(?<=G)(?:en|ov)|(?<=R)e[pv]|(?<=H)on|(?<=F)t)\.|\.(?:[A-Z]\.){0,24}+(?![a-z])"
    r"|[A-Za-z]*+(?:['-][A-Za-z]++)*+)"
)
"""``_WORD`` where no letter or digit stands before it; patterns that begin with a set of characters are fast."""

_RUN: Final = re.compile(
    rf"{_FIRST}(?:(?: {{1,2}}(?:(?:{_SMALL}) ){{0,3}}|, (?=(?:Inc|Ltd|LLC|Corp|Jr|Sr|Co)\b))"
    rf"{_WORD}){{0,24}}+"
)
_PIECE: Final = re.compile(rf"{_WORD}|(?:{_SMALL})(?![A-Za-z])").finditer
_WORD_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"
_BACK: Final = 24
_CONTRACTED: Final = frozenset(("m", "d", "ll", "re", "ve", "t", "em", "all"))
_CUE: Final = re.compile(
    r"(?:[Nn]ames?(?:'s| is|:)?|[Nn]amed|[Cc]all(?:ed|s)? (?:me|him|her)|[Dd]ear|[Uu]ser:|[Bb]y:|I am|I'm"
    r"|[Tt]his is|[Ss]tarring|[Ss]incerely|[Rr]egards|[Ss]igned|[Nn]ame\?|[Hh]ello|[Hh]i|[Hh]ey|[Tt]hanks"
    r"|[Pp]atient:|[Dd]octor:),?[ \t\n]*$"
).search
_AFTER_SUBJECT: Final = re.compile(
    r"(?:'s|,? (?:and(?= [A-Z])|is|was|has|had|says|said|who|will|lives|lived|wrote|began|went|came|called|told|asked"
    r"|works|shouted|spent|joined|left|made|took|got|gave|died|moved|looked|smiled)(?![A-Za-z])|: [\"A-Z]|, can )"
).match
_OF_ENGLISH: Final = re.compile(
    r"(?:ic|ical|ous|ive|ary|able|ible|oid|ed|ing|ings|ly|tion|tions|sion|ness|ment|ity|ism|ist|ists|itis|osis|emia"
    r"|pathy|ectomy|scopy|graphy|gram|plasty|azole|mycin|cillin|statin|pril|mab|olol|idine|amine|less|ful|ship"
    r"|ward|wise|like)$"
).search
_FOR_COMPANIES: Final = re.compile(
    r"(?:'s)? (?:website|office|offices|orchestra|ceo|shares|stock|stocks|spokesman|spokeswoman|employees?|headquarters"
    r"|executives?|customers|products?|stores?|app|software)(?![A-Za-z])",
    re.IGNORECASE,
).match
_AT_COMPANIES: Final = re.compile(
    r"(?:[Ww]ork(?:s|ed|ing)? (?:for|at)|[Ee]mployed (?:by|at)|CEO of|[Ff]ounder of|[Ss]hares of|[Jj]oined"
    r"|[Ii]nterned at|[Ee]mployee (?:of|at)|[Ii]nvested in|[Aa]cquired by)(?: the)? $"
).search
_SPEAKS: Final = re.compile(r",? (?:said|says|told|asked|wrote|called)(?![a-z])").match
_SHORTENED: Final = re.compile(r"(?:Inc|Ltd|Corp|Co)$").search
_GOES_ON: Final = re.compile(r"\.(?:,| [a-z(])").match
_CODE: Final = re.compile(r",? (?:[0-9]{4,6}(?:-[0-9]{3,4})?|[0-9]{3} [0-9]{2})(?![A-Za-z0-9.,-]|[,.][0-9])").match
_ENDS: Final = known.COMPANY_ENDS | known.INSTITUTIONS | known.PLACE_ENDS
_NAMED_AFTER: Final = re.compile(
    r" (?:[A-Z][A-Za-z]* ){0,2}(?:Hospital|Clinic|Infirmary|University|College|School|Academy|Church|Cathedral)\b"
).match
_STRICTLY_PLACED: Final = frozenset(("in", "from", "near", "to"))

_PERSON, _PLACE, _ORGANIZATION = "person", "place", "organization"
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_GIVEN, _FAMILY, _IS_PLACE, _COMMON, _SMALL_TOO, _OTHER, _KNOWN_PLACE = (
    int(mark)
    for mark in (
        Marks.GIVEN, Marks.FAMILY, Marks.PLACE, Marks.COMMON, Marks.SMALL, Marks.OTHER, Marks.KNOWN_PLACE,
    )
)  # fmt: skip


@final
class _Word(NamedTuple):
    """One word of a run: where it stands without a possessive ending, in small letters, with the marks of the lists."""

    start: int
    end: int
    low: str
    marks: int
    capitals: bool


def find_names(text: str) -> Iterator[Found]:
    """Names of persons, places and organizations, by start."""
    public = lists()
    marks_of = public.words.get
    for run in matches(_RUN, text):
        written = run[0]
        start, end = run.span()
        if not written.isalpha():
            yield from _Run(text, start, end, public).found()
            continue
        low = written.lower()
        marks = marks_of(low, 0)
        if marks & _OTHER or marks & (_COMMON | _LISTED) == _COMMON or low in known.FUNCTION_WORDS:
            continue
        one = _Run(text, start, end, public).alone(low, marks)
        if one is not None:
            yield one


def _title(word: str) -> int:
    """2 for a word after which a name stands whatever it is, 1 for one that may be part of another name, else 0."""
    return (word in known.TITLES) + (word in known.FIRM_TITLES)


def _titled_name(titled: int, word: _Word) -> bool:
    """Whether a listed name stands behind a title, where it is no verb: Dr. Will, Ms. May."""
    return titled > 1 and bool(word.marks & _NAMES) and word.low not in known.LINKS


@final
class _Run:
    """A run of capitalized words, with the small words that names hold."""

    def __init__(self, text: str, start: int, end: int, public: Lists) -> None:
        self._text = text
        self._public = public
        self._start, self._end = start, end
        before = text[max(0, start - _BACK) : start]
        bare = before.rstrip(" \t\n")
        last = bare.removesuffix(".")
        self._before = last[len(last.rstrip(_WORD_LETTERS)) :].lower()
        if last is not bare and self._before not in known.FIRM_TITLES:
            self._before = ""  # the last word of another sentence
        stripped = before.rstrip(" \t\"'([*_>-")
        self._opens = not stripped or stripped[-1] in ".!?:;\n|" or "\n" in before[len(stripped) :]

    def alone(self, low: str, marks: int) -> Found | None:
        """The name that a run of one word is."""
        word = _Word(self._start, self._end, low, marks, self._end - self._start > 1 and self._written().isupper())
        titled = _title(self._before) if self._text[self._start - 1 : self._start] == " " else 0
        if not (_titled_name(titled, word) or self._in_name([word], 0, self._opens and not titled)):
            return None
        kind, score = self._judged([word], titled, self._before, self._opens)
        return Found(word.start, self._with_code(word.end, kind), kind, score) if kind else None

    def _written(self) -> str:
        return self._text[self._start : self._end]

    def found(self) -> Iterator[Found]:
        """The names in the run."""
        group: list[_Word] = []
        titled = _title(self._before) if self._text[self._start - 1 : self._start] == " " else 0
        before, opens = self._before, self._opens
        for piece in _PIECE(self._text, self._start, self._end):
            written = piece[0]
            low = written.rstrip(".").lower()
            if low in known.TITLES and not (group and low not in known.FIRM_TITLES):
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], _title(low), low, False
                continue
            owner, whole = low.endswith("'s"), low
            while low.endswith("'s"):
                low = low[:-2]
            if owner:
                owner = _NAMED_AFTER(self._text, piece.end()) is None
            base, apostrophe, rest = low.rpartition("'")
            single = len(low) == 1 and (not group or (low in "ia" and written[-1] != "." and piece.end() == self._end))
            if (apostrophe and rest in _CONTRACTED) or single:
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], 0, base or low, False
                if (
                    rest != "t"
                    and not self._public.words.get(base, _COMMON) & _COMMON
                    and base not in known.FUNCTION_WORDS
                ):
                    word = _Word(piece.start(), piece.start() + len(base), base, self._marks(base), False)
                    yield from self._read([word], 0, before, opens)
                continue
            end = piece.end() - (len(whole) - len(low) if owner else 0)
            if (
                written[-1] == "."
                and len(written) > 2
                and low.replace(".", "") not in known.SUFFIXES
                and "." not in low
            ):
                end -= piece.end() == self._end and low not in ("st", "mt", "ft")
            group.append(_Word(piece.start(), end, low, self._marks(low), written.isupper() and len(low) > 1))
            if owner:
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], 0, "", False
        yield from self._read(group, titled, before, opens)

    def _marks(self, low: str) -> int:
        marks = self._public.words.get(low)
        if marks is None and "-" in low:
            parts = [self._public.words.get(part, 0) for part in low.split("-")]
            marks = parts[0] | parts[-1] if not all(part & _COMMON for part in parts) else _COMMON
        return marks or 0

    def _read(self, group: list[_Word], titled: int, before: str, opens: bool) -> Iterator[Found]:
        """The names in words that stand together."""
        place = 0
        ends = any(word.low in _ENDS for word in group)
        while place < len(group):
            if place + 1 < len(group) and group[place].low in known.TITLES and not titled:
                titled, opens, before = _title(group[place].low), False, group[place].low
                place += 1
                continue
            length, kind, score = self._whole(group, place, titled, ends)
            if length:
                yield Found(group[place].start, self._with_code(group[place + length - 1].end, kind), kind, score)
                place += length
                titled, opens, before = 0, False, group[place - 1].low
                continue
            stop = place + 1
            named = _titled_name(titled, group[place])
            if named or self._in_name(group, place, opens and place == 0 and not titled):
                while stop < len(group) and self._goes_on(group, stop):
                    stop += 1
                while group[stop - 1].low in known.PARTICLES and stop - 1 > place:
                    stop -= 1
                kind, score = self._judged(group[place:stop], titled, before, opens and place == 0)
                if kind:
                    yield Found(group[place].start, self._with_code(group[stop - 1].end, kind), kind, score)
            titled, opens, before = 0, False, group[stop - 1].low
            place = stop

    def _with_code(self, end: int, kind: str) -> int:
        """The end of a place with the postal code after it, of a company with the full stop of "Inc."."""
        if kind == _ORGANIZATION and _SHORTENED(self._text, max(0, end - 5), end) and _GOES_ON(self._text, end):
            return end + 1
        code = _CODE(self._text, end) if kind == _PLACE else None
        return code.end() if code else end

    def _whole(self, group: list[_Word], place: int, titled: int, ends: bool) -> tuple[int, str, float]:
        """How many words from ``place`` on are an organization or a place of several words, and which."""
        first = group[place]
        if first.low in known.LINKS or titled > 1:
            return 0, "", 0.0
        reach = self._public.openings.get(first.low, 0)
        for count in range(min(reach, len(group) - place), 1, -1):
            words = group[place : place + count]
            if " ".join([word.low.replace("-", " ") for word in words]) in self._public.phrases:
                following = group[place + count].low if place + count < len(group) else ""
                if following not in known.COMPANY_ENDS and following not in known.INSTITUTIONS:
                    return count, _PLACE, 0.8
        if not ends:
            return 0, "", 0.0
        if first.low in known.INSTITUTIONS and place + 2 < len(group) and group[place + 1].low in ("of", "for"):
            stop = place + 2
            while stop < len(group) and (group[stop].low not in ("and", "&", "for") or stop == place + 2):
                stop += 1
            return stop - place, _ORGANIZATION, 0.8
        for count in range(2, min(7, len(group) - place) + 1):
            last = group[place + count - 1]
            if last.low in known.LINKS and last.low not in ("&", "and", "of"):
                break
            if first.low == "the" or group[place + count - 2].low in known.LINKS:
                continue
            if last.low in known.COMPANY_ENDS or last.low in known.INSTITUTIONS:
                while place + count < len(group) and group[place + count].low in known.COMPANY_ENDS:
                    count += 1
                if place + count + 1 < len(group) and group[place + count].low == "of":
                    count += 2
                common = all(word.marks & _COMMON and not word.marks & _LISTED for word in group[place : place + count])
                return (0, "", 0.0) if common and last.low not in known.COMPANY_ENDS else (count, _ORGANIZATION, 0.8)
            if last.low in known.PLACE_ENDS and not (first.marks & _COMMON and not first.marks & _LISTED):
                return count, _PLACE, 0.6
        return 0, "", 0.0

    def _in_name(self, group: list[_Word], place: int, opens: bool) -> bool:
        """Whether a word can begin a name."""
        word = group[place]
        if word.low in known.LINKS or (word.low in known.PARTICLES and len(group) == 1):
            return False
        if word.marks & _OTHER or (word.marks & (_SMALL_TOO | _LISTED)) == _SMALL_TOO:
            return False
        if not word.marks & _COMMON:
            return word.low not in known.FUNCTION_WORDS
        if not word.marks & _NAMES or word.low in known.FUNCTION_WORDS:
            return False
        return not opens or self._goes_on(group, place + 1) or _SPEAKS(self._text, word.end) is not None

    def _goes_on(self, group: list[_Word], place: int) -> bool:
        """Whether a word can go on a name."""
        if place >= len(group):
            return False
        word = group[place]
        if word.low in known.PARTICLES and place + 1 < len(group):
            return not group[place + 1].marks & _COMMON or bool(group[place + 1].marks & _NAMES)
        if word.low in known.LINKS or word.marks & _OTHER:
            return False
        if word.low in known.FUNCTION_WORDS:
            return False
        return not word.marks & _COMMON or (bool(word.marks & _FAMILY) and not word.capitals)

    def _judged(self, words: list[_Word], titled: int, before: str, opens: bool) -> tuple[str, float]:
        """The kind of a name and how sure that is; no kind where it is taken for none."""
        if len(words) == 1 and words[0].low in known.COMPANIES and titled < 2:
            return _ORGANIZATION, 0.7
        if titled and not (titled == 1 and words[0].marks & _KNOWN_PLACE):
            return _PERSON, 0.8
        if (
            not words[0].marks & _GIVEN
            and not (len(words) == 1 and words[0].marks & (_LISTED | _COMMON))
            and (
                _FOR_COMPANIES(self._text, words[-1].end)
                or _AT_COMPANIES(self._text, max(0, words[0].start - _BACK), words[0].start)
            )
        ):
            return _ORGANIZATION, 0.5
        if words[0].capitals:
            return self._in_capitals(words, before)
        if max(word.end - word.start for word in words) == 1 and len(words) > 1:
            return "", 0.0  # letters that are spoken: an M R I
        placed = before in known.BEFORE_PLACES
        if len(words) == 1:
            return self._single(words[0], placed, before, opens)
        marks = [word.marks for word in words if word.low not in known.PARTICLES]
        if words[-1].low in known.COMPANY_ENDS:
            return _ORGANIZATION, 0.6
        initials = any(len(word.low) == 1 for word in words)
        if all(mark & _KNOWN_PLACE for mark in marks) and not marks[0] & _GIVEN:
            return _PLACE, 0.7
        if marks[0] & _GIVEN or initials:
            return _PERSON, 0.8 if any(mark & _FAMILY for mark in marks[1:]) or initials else 0.6
        if any(mark & _KNOWN_PLACE for mark in marks) or words[0].low in known.PLACE_STARTS:
            return _PLACE, 0.5
        if any(mark & _NAMES for mark in marks) and not (placed and marks[-1] & _IS_PLACE):
            return _PERSON, 0.5
        if placed or all(mark & _IS_PLACE for mark in marks):
            return _PLACE, 0.4
        return (_PERSON, 0.4) if len(words) <= 3 else (_ORGANIZATION, 0.3)

    def _single(self, word: _Word, placed: bool, before: str, opens: bool) -> tuple[str, float]:
        marks = word.marks
        if "." in word.low or len(word.low) == 1:
            return (_PLACE, 0.7) if word.low in known.COUNTRY_LETTERS else ("", 0.0)
        if word.low in known.STATES and self._text[word.end : word.end + 1] == ".":
            return _PLACE, 0.7
        if (
            word.low in known.FUNCTION_WORDS
            or word.low in known.TITLES
            or word.low in known.PLACE_ENDS
            or word.low == "st"
        ):
            return "", 0.0
        if marks & _COMMON:
            listed = before in known.BEFORE_PERSONS or self._text[max(0, word.start - 2) : word.start] == ", "
            fits = listed if not opens else _SPEAKS(self._text, word.end) is not None
            return (_PERSON, 0.3) if marks & _GIVEN and fits else ("", 0.0)
        after = self._text[word.end : word.end + 16]
        if after.startswith("'s ") and after[3:].partition(" ")[0].rstrip(".,;") in known.MEDICAL_AFTER:
            return "", 0.0
        if marks & _KNOWN_PLACE:
            return _PLACE, 0.7
        if marks & _IS_PLACE and (placed or not marks & _NAMES):
            return _PLACE, 0.5
        if marks & _NAMES:
            return _PERSON, 0.7 if marks & _GIVEN else 0.5
        return self._unknown(word, placed, opens)

    def _unknown(self, word: _Word, placed: bool, opens: bool) -> tuple[str, float]:
        """One word that no list holds: a name where it stands like one and is not made like an English word."""
        text, start = self._text, word.start
        if word.marks & _SMALL_TOO or word.low in known.FUNCTION_WORDS or text[start - 1 : start] in ("#", "_", "@"):
            return "", 0.0
        if _CUE(text, max(0, start - _BACK), start):
            return _PERSON, 0.6
        if _OF_ENGLISH(word.low):
            return "", 0.0
        if not opens:
            return (_PLACE if placed else _PERSON), 0.3
        line = text[word.end : word.end + 2]
        if "\n" in text[max(0, start - 4) : start] and (not line.strip() or line[0] == "\n"):
            return (_PLACE if OTHER in text[max(0, start - 2 * _BACK) : start] else _PERSON), 0.3
        return (_PERSON, 0.3) if _AFTER_SUBJECT(text, word.end) else ("", 0.0)

    def _in_capitals(self, words: list[_Word], before: str) -> tuple[str, float]:
        """Names in capitals alone: only what the lists hold, and no common words."""
        if len(words) == 1 and words[0].low in known.COUNTRY_LETTERS:
            return _PLACE, 0.7
        sure = [word for word in words if word.marks & _LISTED and not word.marks & (_COMMON | _SMALL_TOO)]
        alone = len(words) == 1 and words[0].end - words[0].start == self._end - self._start
        if not sure and before in _STRICTLY_PLACED and len(words[0].low) >= 5 and not words[0].marks & _COMMON:
            return _PLACE, 0.3
        if not sure or (len(words[0].low) < (5 if alone and before not in known.BEFORE_PERSONS else 3)):
            return "", 0.0
        if all(word.marks & _KNOWN_PLACE for word in sure) or not any(word.marks & _NAMES for word in sure):
            return _PLACE, 0.5
        return (_PLACE if before in known.BEFORE_PLACES and sure[0].marks & _IS_PLACE else _PERSON), 0.5
