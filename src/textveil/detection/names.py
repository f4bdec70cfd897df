"""Names of persons, places and organizations: capitals read by public lists and by what stands around them."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import OTHER, Found
from textveil.detection.institutions import Word, institution, small_end
from textveil.detection.lists import Marks, lists
from textveil.detection.name_evidence import (
    ACTS,
    BACK,
    NOTHING,
    ORGANIZATION,
    PERSON,
    PLACE,
    Judged,
    is_field,
    person_evidence,
)
from textveil.detection.name_judgement import GUESS, Judge
from textveil.text.patterns import lazy_regex, matches

_ABBREVIATED: Final = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Jr|Sr|Inc|Corp|Ltd|Co|Gen|Sen|Rep|Gov|Lt|Col|Sgt|Capt|Rev|Hon|Mt|Ft"
_SHORT_GIVEN: Final = "Cz|Sz|Wm|Zh|Dz|Zs|Gy|Chr|Jos|Geo"
_WORD: Final = (
    rf"(?:(?:{_ABBREVIATED}|{_SHORT_GIVEN})\.|[A-Z]\.(?:-?[A-Z]\.){{0,24}}+(?![a-z])"
    r"|[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+(?:(?<=s)'(?= [A-Z]))?)"
)
_SMALL: Final = (
    "van|von|der|den|de|del|della|dalla|dal|dei|degli|di|da|dos|du|la|le|bin|ibn|al|el|ter|ten|af|y|zu|ap|ferch"
    "|bint|abu|zur|vom"
    "|of|the|and|&|for"
)
_FIRST: Final = (
    r"[A-Z](?<![A-Za-z0-9].)(?:(?:(?<=M)(?:rs?|[sxt])|(?<=D)r|(?<=P)rof|(?<=S)(?:[tr]|en|gt)|(?<=J)r|(?<=I)nc"
    r"|(?<=C)(?:orp|ol?|apt)|(?<=L)td?|(?<=G)(?:en|ov)|(?<=R)e[pv]|(?<=H)on|(?<=F)t)\.|\.(?:-?[A-Z]\.){0,24}+(?![a-z])"
    r"|[A-Za-z]*+(?:['-][A-Za-z]++)*+(?:(?<=s)'(?= [A-Z]))?)"
)
"""``_WORD`` if no letter or digit stands before it; patterns that begin with a set of characters are fast."""

_RUN: Final = lazy_regex(
    rf"{_FIRST}(?:(?: {{1,2}}(?:(?:{_SMALL}) ){{0,3}}|, (?=(?:Inc|Ltd|LLC|Corp|Jr|Sr|Co)\b))"
    rf"(?:(?:al|el|ar|as|ash|ad|an|ul|ur)-)?{_WORD}){{0,24}}+"
)
_PIECE: Final = lazy_regex(rf"{_WORD}|(?:{_SMALL})(?![A-Za-z])")
_WORD_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"
_CONTRACTED: Final = frozenset(("m", "d", "ll", "re", "ve", "t", "em", "all"))

_SHORTENED: Final = ("Inc", "Ltd", "Corp", "Co")
_LEGAL_FORM: Final = lazy_regex(
    r" (?:A/?S|ASA|ApS|SA|SAS|SARL|SpA|SE|SL|KK|Oy|Oyj|AB|AG|BV|NV|Lda|Ltda|Pty)(?![A-Za-z])"
)
_GOES_ON: Final = lazy_regex(r"\.(?:,| [a-z(])")
_CODE: Final = lazy_regex(r",? (?:[0-9]{4,6}(?:-[0-9]{3,4})?|[0-9]{3} [0-9]{2})(?![A-Za-z0-9.,-]|[,.][0-9])")
_ENDS: Final = known.COMPANY_ENDS | known.INSTITUTIONS | known.PLACE_ENDS

_IN_TOWN: Final = lazy_regex(r"(?:[Ii]n|[Tt]o|[Ff]rom|[Nn]ear|[Oo]utside|[Aa]round) $")
_NAMED_AFTER: Final = lazy_regex(
    r" (?:[A-Z][A-Za-z]* ){0,2}(?:Hospital|Hospice|Clinic|Cent(?:er|re)|Pharmacy|Surgery|Infirmary|University|College"
    r"|School|Academy|Church|Cathedral|Party|Court|Army|Republic|Bank|Union|Office)\b"
)
_TOKEN: Final = lazy_regex(r"[A-Za-z0-9_]{1,40}")
_CONSTANT: Final = lazy_regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # a name of code: LOG_LEVEL


_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_GIVEN, _FAMILY, _IS_PLACE, _COMMON, _SMALL_TOO, _OTHER, _KNOWN_PLACE = (
    int(mark)
    for mark in (
        Marks.GIVEN, Marks.FAMILY, Marks.PLACE, Marks.COMMON, Marks.SMALL, Marks.OTHER, Marks.KNOWN_PLACE,
    )
)  # fmt: skip


def find_names(text: str) -> Iterator[Found]:
    """Yield names of persons, places and organizations, by start."""
    public = lists()
    marks_of = public.words.get
    judge = Judge(text, public)
    for run in matches(_RUN, text):
        written = run[0]
        start, end = run.span()
        if text[end : end + 1] in _NO_NAME_AFTER:
            end = start + max(0, written.rfind(" "))  # a word with a digit or an underscore names nobody
            if end == start and is_field(text, start):
                stop = _TOKEN.match(text, start).end()  # type: ignore[union-attr]
                if not _CONSTANT.fullmatch(text, start, stop) or _names_in(text[start:stop]):
                    yield Found(start, stop, PERSON, 0.6, "field")
            written = text[start:end]
        if not written.isalpha():
            if written:
                yield from _Run(text, start, end, judge).found()
            continue
        low = written.lower()
        marks = marks_of(low, 0)
        if marks & _OTHER or marks & (_COMMON | _LISTED) == _COMMON or low in known.FUNCTION_WORDS:
            if low in known.NOTABLE:
                yield Found(start, end, PERSON, 0.5, "list")
            if low not in known.FUNCTION_WORDS or not marks & _NAMES:
                continue
        span = _Run(text, start, end, judge).alone(low, marks)
        if span is not None:
            yield span


def _names_in(constant: str) -> bool:
    marks = (lists().words.get(part.lower(), 0) for part in constant.split("_"))
    return any(mark & _NAMES and not mark & (_COMMON | _SMALL_TOO) for mark in marks)


_NO_NAME_AFTER: Final = frozenset("0123456789_")


def _title(word: str) -> int:
    """2 for a word after which a name stands whatever it is, 1 for one that may be part of another name, else 0."""
    return (word in known.TITLES) + (word in known.FIRM_TITLES)


def _titled_name(titled: int, word: Word, before: str, *, shortened: bool = False) -> bool:
    """Return whether a name stands behind a title, if it is no verb: Dr. Will, Ms. May, Mr Short, Capt. Strange."""
    if titled < 2 or word.low in known.LINKS:
        return False
    if word.marks & _NAMES or len(word.low) == 1:
        return True
    return (before in _MOST_FIRM or shortened) and word.low not in known.FUNCTION_WORDS


_MOST_FIRM: Final = frozenset(("mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mlle"))


class _Run:
    def __init__(self, text: str, start: int, end: int, judge: Judge) -> None:
        self._text = text
        self._judge = judge
        self._public = judge.public
        self._start, self._end = start, end
        before = text[max(0, start - BACK) : start]
        bare = before.rstrip(" \t\n")
        last = bare.removesuffix(".")
        self._before = last[len(last.rstrip(_WORD_LETTERS)) :].lower()
        if last is not bare and self._before not in known.FIRM_TITLES:
            self._before = ""  # the last word of another sentence
        stripped = before.rstrip(" \t\"'([*_>-")
        self._opens = not stripped or stripped[-1] in ".!?:;\n|" or "\n" in before[len(stripped) :]

    def alone(self, low: str, marks: int) -> Found | None:
        """Return the name that a run of one word is."""
        word = Word(self._start, self._end, low, marks, self._end - self._start > 1 and self._written().isupper())
        titled = _title(self._before) if self._text[self._start - 1 : self._start] == " " else 0
        point = self._text[self._start - 2 : self._start] == ". "
        named = _titled_name(titled, word, self._before, shortened=point) or self._in_name(
            [word], 0, self._opens and not titled
        )
        if not named:
            if not (marks & _NAMES and person_evidence(self._text, word, self._before, self._opens).kind):
                return None
            if low in known.FUNCTION_WORDS:
                related = self._before in known.RELATIONS and not self._opens  # the daughter Will, not: Will she?
                return Found(word.start, word.end, PERSON, 0.6, "cue") if related else None
        judged = self._judge.judged([word], titled, self._before, self._opens)
        if not judged.kind:
            return None
        end = small_end(self._text, word.end) if judged.kind != PERSON or judged.score <= GUESS else 0
        if end:
            return Found(word.start, end, ORGANIZATION, 0.6, "institution")
        return Found(word.start, self._with_code(word.end, judged.kind), *judged)

    def _written(self) -> str:
        return self._text[self._start : self._end]

    def found(self) -> Iterator[Found]:
        """Yield the names in the run."""
        group: list[Word] = []
        titled = _title(self._before) if self._text[self._start - 1 : self._start] == " " else 0
        before, opens = self._before, self._opens
        pieces = list(_PIECE.finditer(self._text, self._start, self._end))
        for number, piece in enumerate(pieces):
            written = piece[0]
            low = written.rstrip(".").lower()
            if low in known.TITLES and not (group and low not in known.FIRM_TITLES):
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], _title(low), low, False
                continue
            owner, whole = low.endswith(("'s", "'")), low
            while low.endswith("'s"):
                low = low[:-2]
            if low.endswith("'"):
                low = low[:-1]
            if owner:
                owner = _NAMED_AFTER.match(self._text, piece.end()) is None
            base, apostrophe, rest = low.rpartition("'")
            single = len(low) == 1 and self._no_initial(pieces, number, bool(group), titled, opens)
            if (apostrophe and rest in _CONTRACTED) or single:
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], 0, base or low, False
                if (
                    rest != "t"
                    and not self._public.words.get(base, _COMMON) & _COMMON
                    and base not in known.FUNCTION_WORDS
                ):
                    word = Word(piece.start(), piece.start() + len(base), base, self._judge.marks(base), False)
                    yield from self._read([word], 0, before, opens)
                continue
            if group and group[-1].capitals and piece.start() - group[-1].end > 1 and not written.isupper():
                yield from self._read(group, titled, before, opens)  # TRIAGE NOTE  Sacred Heart Hospital
                group, titled, before, opens = [], 0, "", True
            end = piece.end() - (len(whole) - len(low) if owner else 0)
            if (
                written[-1] == "."
                and len(written) > 2
                and low.replace(".", "") not in known.SUFFIXES
                and "." not in low
            ):
                end -= piece.end() == self._end and low not in ("st", "mt", "ft")
            group.append(Word(piece.start(), end, low, self._judge.marks(low), written.isupper() and len(low) > 1))
            if owner:
                yield from self._read(group, titled, before, opens)
                group, titled, before, opens = [], 0, "", False
        yield from self._read(group, titled, before, opens)

    def _no_initial(
        self, pieces: Sequence[re.Match[str]], number: int, goes_on: bool, titled: int, opens: bool
    ) -> bool:
        """Return whether a single letter is no initial of a name: what begins a name stands before a family name."""
        written = pieces[number][0]
        low = written[0].lower()
        if goes_on:
            return low in "ia" and written[-1] != "." and pieces[number].end() == self._end
        if number + 1 == len(pieces):
            return True
        following = pieces[number + 1][0]
        if written[-1] != ".":
            marks = self._judge.marks(following.lower())
            return low in "ia" or not (following.isupper() and marks & _FAMILY) or bool(marks & _COMMON)  # P NNAMANI
        if not following[0].isupper() or following.lower() in known.FUNCTION_WORDS:
            return True
        if titled:
            return False
        marks = self._judge.marks(following.lower())
        if len(following) == 2 and following[1] == ".":
            return opens
        return (bool(marks & _COMMON) and not marks & _FAMILY) or (opens and not marks & _FAMILY)

    def _read(self, group: list[Word], titled: int, before: str, opens: bool) -> Iterator[Found]:
        place = 0
        ends = any(word.low in _ENDS or word.low in _BEGINS_ONLY_PLACES for word in group)
        while place < len(group):
            if place + 1 < len(group) and group[place].low in known.TITLES and not titled:
                titled, opens, before = _title(group[place].low), False, group[place].low
                place += 1
                continue
            length, judged = self._whole(group, place, titled, ends, opens and place == 0)
            if length:
                if judged.kind:
                    end = self._with_code(group[place + length - 1].end, judged.kind)
                    yield Found(group[place].start, end, *judged)
                place += length
                titled, opens, before = 0, False, group[place - 1].low
                continue
            stop = place + 1
            point = self._text[group[place].start - 2 : group[place].start] == ". "
            named = _titled_name(titled, group[place], before, shortened=point)
            if named or self._in_name(group, place, opens and place == 0 and not titled):
                free = titled > 1 or not (opens and place == 0)
                while stop < len(group) and self._goes_on(group, stop, place, free=free):
                    stop += 1
                while group[stop - 1].low in known.PARTICLES and stop - 1 > place:
                    stop -= 1
                judged = self._judge.judged(group[place:stop], titled, before, opens and place == 0)
                if judged.kind:
                    yield self._with_tail(group, place, stop, judged)
            titled, opens, before = 0, False, group[stop - 1].low
            place = stop

    def _with_tail(self, group: list[Word], place: int, stop: int, judged: Judged) -> Found:
        start, end = group[place].start, group[stop - 1].end
        if judged.kind != PERSON or judged.score <= GUESS:
            tail = small_end(self._text, end)
            if tail:
                return Found(start, tail, ORGANIZATION, 0.6, "institution")
        return Found(start, self._with_code(end, judged.kind), *judged)

    def _with_code(self, end: int, kind: str) -> int:
        form = _LEGAL_FORM.match(self._text, end) if kind == ORGANIZATION else None
        if form:
            return form.end()
        if kind == ORGANIZATION and self._text.endswith(_SHORTENED, 0, end) and _GOES_ON.match(self._text, end):
            return end + 1
        code = _CODE.match(self._text, end) if kind == PLACE else None
        return code.end() if code else end

    def _whole(self, group: list[Word], place: int, titled: int, ends: bool, opens: bool) -> tuple[int, Judged]:
        """Return how many words from ``place`` on are an organization or a place of several words, and which."""
        first = group[place]
        if first.low in known.LINKS or titled > 1:
            return 0, NOTHING
        candidate = institution(group, place) if ends and first.low not in known.FUNCTION_WORDS else None
        if candidate and opens and first.marks & (_COMMON | _LISTED) == _COMMON and self._stands_without(group, place):
            return 0, NOTHING
        if candidate and group[place + candidate.length - 1].low == "inc" and self._counts(group[place:]):
            return 0, NOTHING
        if candidate and candidate.proper:
            return candidate.length, Judged(ORGANIZATION, 0.8, candidate.why)
        reach = self._public.openings.get(first.low, 0)
        for count in range(min(reach, len(group) - place), 1, -1):
            words = group[place : place + count]
            if " ".join([word.low.replace("-", " ") for word in words]) in self._public.phrases:
                return count, Judged(PLACE, 0.8, "list")
        if candidate:
            return candidate.length, NOTHING
        return self._place_of_words(group, place) if ends else (0, NOTHING)

    def _counts(self, words: list[Word]) -> bool:
        """Return whether a number stands behind capitals that may be short for a word: Incident INC 9122."""
        return words[-1].capitals and self._text[words[-1].end : words[-1].end + 2] == f" {OTHER}"

    def _stands_without(self, group: list[Word], place: int) -> bool:
        first = group[place].low
        candidate = institution(group, place + 1) if place + 1 < len(group) else None
        return candidate is not None and candidate.proper and first not in known.GENERIC and first not in _ENDS

    def _place_of_words(self, group: list[Word], place: int) -> tuple[int, Judged]:
        first = group[place]
        if first.low in known.PLACE_ENDS and place + 2 < len(group) and group[place + 1].low == "of":
            stop = place + 2 + (group[place + 2].low == "the")
            begun = stop
            while stop < len(group) and group[stop].low not in known.LINKS:
                if group[stop].marks & _COMMON and group[stop].low not in known.PLACE_STARTS:
                    break
                stop += 1
            if stop > begun:
                return stop - place, Judged(PLACE, 0.7, "place-end")
        amid = place > 0 or not self._opens
        begins = first.low in _BEGINS_PLACE and place + 1 < len(group)
        if begins and (group[place + 1].marks & _LISTED or (amid and first.low in _BEGINS_ONLY_PLACES)):
            return 2, Judged(PLACE, 0.6, "place-end")
        for count in range(2, min(7, len(group) - place) + 1):
            last = group[place + count - 1]
            if last.low in known.LINKS:
                break
            if last.low in known.PLACE_ENDS:
                named = any(
                    (word.low not in known.GENERIC and (not word.marks & (_COMMON | _OTHER) or word.marks & _LISTED))
                    or (word.marks & _OTHER and last.low in ("republic", "kingdom", "empire"))
                    for word in group[place : place + count - 1]
                )
                named = named or (amid and last.low in _NATURAL)
                if last.low in known.TOWN_ENDS and first.low not in known.FUNCTION_WORDS:
                    named = named or _IN_TOWN.search(self._text[max(0, first.start - 8) : first.start]) is not None
                return (count, Judged(PLACE, 0.6, "place-end")) if named else (0, NOTHING)
        return 0, NOTHING

    def _in_name(self, group: list[Word], place: int, opens: bool) -> bool:
        word = group[place]
        if word.low in known.LINKS or (word.low in known.PARTICLES and len(group) == 1):
            return False
        if len(word.low) == 1:
            return True
        if word.marks & _OTHER or (word.marks & (_SMALL_TOO | _LISTED)) == _SMALL_TOO:
            return False
        if not word.marks & _COMMON:
            return word.low not in known.FUNCTION_WORDS
        if not word.marks & _NAMES or word.low in known.FUNCTION_WORDS or (opens and word.low in known.ORDERS):
            return False
        return not opens or self._goes_on(group, place + 1) or ACTS.match(self._text, word.end) is not None

    def _goes_on(self, group: list[Word], place: int, first: int = -1, *, free: bool = False) -> bool:
        if place >= len(group):
            return False
        word = group[place]
        if word.low in known.PARTICLES and place + 1 < len(group):
            return not group[place + 1].marks & _COMMON or bool(group[place + 1].marks & _NAMES)
        if word.low in known.LINKS or word.low in known.FUNCTION_WORDS:
            return False
        if word.marks & (_OTHER | _COMMON):
            ends = place + 1 == len(group) or (
                place + 2 == len(group) and not group[place + 1].marks & (_COMMON | _OTHER)
            )
            between = [len(word.low.replace(".", "")) for word in group[first + 1 : place]]
            given = first >= 0 and ends and (between == [1] or (free and not between))
            if given and not word.capitals and word.low not in _ENDS and word.low not in known.TITLES:
                before = group[first]
                if len(before.low) == 1 or "." in before.low or before.marks & (_GIVEN | _COMMON) == _GIVEN:
                    return True
        if word.low in _NUMBERS_BEHIND and first >= 0 and place == len(group) - 1 and place - first > 1:
            return True  # Thomas Finch III
        if word.marks & _OTHER:
            return False
        if word.capitals and not group[place - 1].capitals and (len(word.low) < 4 or not word.marks & _NAMES):
            return False
        return not word.marks & _COMMON or (bool(word.marks & _FAMILY) and not word.capitals)


_NUMBERS_BEHIND: Final = frozenset(("ii", "iii", "iv"))
_BEGINS_ONLY_PLACES: Final = frozenset(("mount", "cape", "gulf"))
_NATURAL: Final = frozenset(("river", "mountains", "island", "islands", "peninsula", "ocean", "sea"))
"""What ends the name of a place, whatever words it has: the Raft River, the Red Sea."""
_BEGINS_PLACE: Final = frozenset(("lake", "mount", "fort", "cape", "gulf", "port"))
