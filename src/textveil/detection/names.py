"""Names of persons, places and organizations: capitals read by public lists and by what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.found import OTHER, Found
from textveil.detection.institutions import Word, institution, small_end
from textveil.detection.lists import Lists, Marks, lists
from textveil.text.patterns import lazy_regex, matches

_ABBREVIATED: Final = "Mr|Mrs|Ms|Mx|Dr|Prof|St|Jr|Sr|Inc|Corp|Ltd|Co|Gen|Sen|Rep|Gov|Lt|Col|Sgt|Capt|Rev|Hon|Mt|Ft"
_SHORT_GIVEN: Final = "Cz|Sz|Wm|Zh|Dz|Zs|Gy|Chr|Jos|Geo"
_WORD: Final = (
    rf"(?:(?:{_ABBREVIATED}|{_SHORT_GIVEN})\.|[A-Z]\.(?:-?[A-Z]\.){{0,24}}+(?![a-z])"
    r"|[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+(?:(?<=s)'(?= [A-Z]))?)"
)
_SMALL: Final = "van|von|der|den|de|del|della|di|da|dos|du|la|le|bin|ibn|al|el|ter|ten|af|y|zu|of|the|and|&|for"
_FIRST: Final = (
    r"[A-Z](?<![A-Za-z0-9].)(?:(?:(?<=M)(?:rs?|[sxt])|(?<=D)r|(?<=P)rof|(?<=S)(?:[tr]|en|gt)|(?<=J)r|(?<=I)nc"
    r"|(?<=C)(?:orp|ol?|apt)|(?<=L)td?|(?<=G)(?:en|ov)|(?<=R)e[pv]|(?<=H)on|(?<=F)t)\.|\.(?:-?[A-Z]\.){0,24}+(?![a-z])"
    r"|[A-Za-z]*+(?:['-][A-Za-z]++)*+(?:(?<=s)'(?= [A-Z]))?)"
)
"""``_WORD`` where no letter or digit stands before it; patterns that begin with a set of characters are fast."""

_RUN: Final = lazy_regex(
    rf"{_FIRST}(?:(?: {{1,2}}(?:(?:{_SMALL}) ){{0,3}}|, (?=(?:Inc|Ltd|LLC|Corp|Jr|Sr|Co)\b))"
    rf"(?:(?:al|el|ar|as|ash|ad|an|ul|ur)-)?{_WORD}){{0,24}}+"
)
_PIECE: Final = lazy_regex(rf"{_WORD}|(?:{_SMALL})(?![A-Za-z])")
_WORD_LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"
_BACK: Final = 24
_CONTRACTED: Final = frozenset(("m", "d", "ll", "re", "ve", "t", "em", "all"))
_CUE: Final = lazy_regex(
    r"(?:[Nn]ames?(?:'s| is|:)?|[Nn]amed|[Cc]all(?:ed|s)? (?:me|him|her)|[Dd]ear|[Uu]ser:|[Bb]y:|I am|I'm"
    r"|[Tt]his is|[Ss]tarring|[Ss]incerely|[Rr]egards|[Ss]igned|[Nn]ame\?|[Hh]ello|[Hh]i|[Hh]ey|[Tt]hanks"
    r"|[Pp]atient:|[Dd]octor:|[Cc]c:?|CC:?|[Cc]ontact|[Pp]ing(?:ed)?|[Tt]ell|[Aa]sk(?:ed)?|[Ee]mailed|[Pp]aged"
    r"|[Cc]alled"
    r"|(?:[Mm]eeting|[Ss]poke|[Ss]peak|[Tt]alked|[Mm]et|[Cc]hat|[Dd]iscussed|[Vv]isit|[Cc]onfirmed|[Rr]eviewed|[Ll]unch"
    r"|[Ii]nterview|[Dd]inner|[Cc]onsulted|[Ll]iaised|session) with|[Pp]atient of|[Bb]ehalf of|[Cc]are of|[Ww]ill see"
    r"|(?:[Rr]equested|[Rr]eferred|[Ss]een|[Oo]rdered|[Ss]igned|[Dd]ictated|[Aa]ccompanied|[Aa]ssigned|[Rr]eported"
    r"|[Pp]repared|[Aa]pproved|[Vv]erified|[Ww]ritten|[Ii]nterpreted|[Rr]ead|[Aa]dministered|[Pp]erformed|[Rr]ecorded"
    r"|[Ss]ubmitted|[Ww]itnessed|[Tt]riaged|[Ee]xamined) by),?[ \t\n]*$"
)
_ENDS_CUE: Final = frozenset(",:?")  # marks that a cue ends with, where it does not end with a letter

_AFTER_SUBJECT: Final = lazy_regex(
    r"(?:'s|,? (?:and(?= [A-Z])|is|was|has|had|says|said|who|will|lives|lived|wrote|began|went|came|called|told|asked"
    r"|works|shouted|spent|joined|left|made|took|got|gave|died|moved|looked|smiled)(?![A-Za-z])|: [\"A-Z]|, can )"
)
_LOOSELY_SUBJECT: Final = lazy_regex(
    r" (?:[a-z]{3,12}[^s\W]s|[a-z]{3,12}ed|knew|saw|ran|sang|should|would|could|can|must|does|did|are|were|very|so|lol)"
    r"(?![A-Za-z])|!| '"
)
_ORDER: Final = lazy_regex(
    r" (?:as|the|a|an|your|my|our|his|this|that|these|all|each|any|it|them|to|up|out|access)(?![A-Za-z])"
)
_COUNTED: Final = lazy_regex(r":? ?[0-9]")
_LIVES_IN: Final = lazy_regex(
    r"(?:liv(?:e|es|ed|ing)|born|raised|mov(?:e|es|ed|ing)|grew up|based|located|resid(?:e|es|ed|ing)|stay(?:s|ed|ing)"
    r"|travel(?:s|ed|ing|led|ling)?|practi[cs]ing|flew|drove|house|home|flat|village|town|city|area)"
    r" (?:in|to|near|from|of|at) $"
)
_IN_TOWN: Final = lazy_regex(r"(?:[Ii]n|[Tt]o|[Ff]rom|[Nn]ear|[Oo]utside|[Aa]round) $")
_BEFORE_STATE: Final = lazy_regex(r", ([A-Z][a-z]+)")
_OF_ENGLISH: Final = lazy_regex(
    r"(?:ic|ical|ous|ive|ary|able|ible|oid|ed|ing|ings|ly|tion|tions|sion|ness|ment|ity|ism|ist|ists|itis|osis|emia"
    r"|pathy|ectomy|scopy|graphy|gram|plasty|azole|mycin|cillin|statin|pril|mab|olol|idine|amine|less|ful|ship"
    r"|ward|wise|like)$"
)
_FOR_COMPANIES: Final = lazy_regex(
    r"(?:'s)? (?:website|office|offices|orchestra|ceo|shares|stock|stocks|spokesman|spokeswoman|employees?|headquarters"
    r"|executives?|customers|products?|stores?|app|software)(?![A-Za-z])",
    re.IGNORECASE,
)
_AT_COMPANIES: Final = lazy_regex(
    r"(?:[Ww]ork(?:s|ed|ing)? (?:for|at)|[Ee]mployed (?:by|at)|CEO of|[Ff]ounder of|[Ss]hares of|[Jj]oined"
    r"|[Ii]nterned at|[Ee]mployee (?:of|at)|[Ii]nvested in|[Aa]cquired by)(?: the)? $"
)
_SPEAKS: Final = lazy_regex(r",? (?:said|says|told|asked|wrote|called)(?![a-z])")
_SHORTENED: Final = lazy_regex(r"(?:Inc|Ltd|Corp|Co)$")
_LEGAL_FORM: Final = lazy_regex(
    r" (?:A/?S|ASA|ApS|SA|SAS|SARL|SpA|SE|SL|KK|Oy|Oyj|AB|AG|BV|NV|Lda|Ltda|Pty)(?![A-Za-z])"
)
_GOES_ON: Final = lazy_regex(r"\.(?:,| [a-z(])")
_CODE: Final = lazy_regex(r",? (?:[0-9]{4,6}(?:-[0-9]{3,4})?|[0-9]{3} [0-9]{2})(?![A-Za-z0-9.,-]|[,.][0-9])")
_ENDS: Final = known.COMPANY_ENDS | known.INSTITUTIONS | known.PLACE_ENDS
_NAMED_AFTER: Final = lazy_regex(
    r" (?:[A-Z][A-Za-z]* ){0,2}(?:Hospital|Hospice|Clinic|Cent(?:er|re)|Pharmacy|Surgery|Infirmary|University|College"
    r"|School|Academy|Church|Cathedral|Party|Court|Army|Republic|Bank|Union|Office)\b"
)
_SPEAKER: Final = lazy_regex(r"(?:[Pp]atient|[Dd]octor): ?$")
_SPEECH: Final = lazy_regex(r"[,!?]|\.? [a-z]")
_FIELD: Final = lazy_regex(
    r"(?:^|[\n|;,.*-] *)(?:(?:[Pp]atient|[Cc]lient|[Ss]tudent|[Ee]mployee|[Cc]ustomer|[Ff]ull|[Ff]irst|[Ll]ast|[Uu]ser)"
    r"(?:'s)?(?: [Nn]ame)?|[Nn]ame|NAME|PATIENT|[Ff]rom|[Cc]c|CC|[Bb]cc|[Aa]ttn|ATTN|[Aa]ttention|[Ss]eller|[Bb]uyer"
    r"|[Aa]uthor|[Cc]ontact|[Tt]enant|[Ll]andlord|[Pp]rovider|[Pp]hysician|[Ss]ender|[Rr]ecipient|[Aa]pplicant"
    r"|[Ww]itness|[Gg]uardian|[Nn]ext of kin|[Aa]ssignee|[Rr]eviewer|[Rr]eporter|[Ss]igned(?: by)?"
    r"|[Pp]repared by|[Rr]eviewed by|[Aa]pproved by|[Aa]ttending|[Ss]urgeon|[Tt]o|TO|FROM) ?[:#=][ \t\"'<*_]*$"
)
_ENDS_FIELD: Final = frozenset(":#=")
_BEHIND_FIELD: Final = "\n \t\"'<*_"  # what stands between a field and its value

_TOKEN: Final = lazy_regex(r"[A-Za-z0-9_]{1,40}")
_CONSTANT: Final = lazy_regex(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")  # a name of code: LOG_LEVEL

_SIGNATURE: Final = lazy_regex(
    r"(?:[Rr]egards|[Ss]incerely(?: yours)?|[Bb]est(?: wishes)?|[Cc]heers|[Tt]hanks|[Tt]hank you|[Yy]ours(?: truly)?"
    r"|[Ll]ove|[Rr]espectfully|xx|xoxo)[,.!]?[ \t]*\n+[ \t-]*$"
)
_TELLS: Final = lazy_regex(
    r" \((?:[Hh]is |[Hh]er |[Pp]atient's |the )?(?:son|daughter|wife|husband|mother|father|mom|mum|dad|sister|brother"
    r"|spouse|partner|aunt|uncle|niece|nephew|cousin|friend|neighbou?r|fianc[e\xe9]e?|grandson|granddaughter"
    r"|grandmother|grandfather|carer|caregiver|guardian|next of kin|NOK|POA|she|he|they|her|him|RN|MD|PA|LPN|NP|PT|OT"
    r"|SLP|LCSW)(?:[/,][^)\n]{0,30})?\)|,? (?:said|says|told|asked|asks|wrote|replied|emailed|texted|phoned|lives|lived"
    r"|smiled|shouted|laughed|knows|prefers|was born|thinks|wants|who (?:is|was|has|had|said|lives))(?![A-Za-z])"
)
_HUMP: Final = lazy_regex(r"[A-Z][a-z]*")
_NAME_KEY: Final = lazy_regex(r"[\n{,-][ \t]*\"?name\"?: ?\"?$")
_CAMEL: Final = lazy_regex(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_SYLLABLE: Final = (
    "(?:hyun?|min|ji|seo|jin|woo|young|yeong|eun|soo|su|hye|jae|jun|joon|sung|seung|kyung|gyeong|myung|sang|dong|ki"
    "|gi|hee"
    "|hui|ho|won|mi|na|ra|ah|yeon|yun|yoon|in|il|chul|cheol|tae|byung|bong|hwan|hoon|hun|hyeok|hyuk|ye|yu|a|ri|rim"
    "|sook|suk"
    "|jung|jeong|kwang|kyu|gyu|nam|sik|bin|bum|beom|chan|da|do|ha|han|jong|joo|ju|kun|man|mun|moon|nim|og|ok|rae"
    "|sun|wan|yong"
    "|mei|ming|wei|xiao|hong|hui|ying|yan|li|ling|yi|yu|jie|fang|hua|jia|lan|ping|qing|xin|yun|zhen|chih|ching|chun"
    "|fen|hsin"
    "|hsiu|kuo|shu|tsung|wen|ya|yen|yin|yung|chi|chia|chen|hao|hsiang|hung|jen|jui|kai|lung|mao|te|ting|wu)"
)
_TWO_SYLLABLES: Final = lazy_regex(f"{_SYLLABLE}-{_SYLLABLE}")
"""Given names of two syllables, as Korean and Chinese ones are written in Latin letters."""

_INNER_CAPITAL: Final = lazy_regex(
    r"(?:Mc|Mac|O'|D'|De|Di|Du|La|Le|Van|Von|Fitz|St|Al|El|Jo|Ann|Mary)[A-Z][a-z]+(?:['-][A-Za-z]+)?"
)
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


class Judged(NamedTuple):
    """What a name is, how sure that is, and why; no kind for what is none."""

    kind: str = ""
    score: float = 0.0
    why: str = ""


_NOTHING: Final = Judged()
_GUESS: Final = 0.3
_ONLY_NAMES: Final = frozenset((_GIVEN, _FAMILY, _NAMES))  # marks of a name that is no word


def find_names(text: str) -> Iterator[Found]:
    """Yield names of persons, places and organizations, by start."""
    public = lists()
    marks_of = public.words.get
    for run in matches(_RUN, text):
        written = run[0]
        start, end = run.span()
        if text[end : end + 1] in _NO_NAME_AFTER:
            end = start + max(0, written.rfind(" "))  # a word with a digit or an underscore names nobody
            if end == start and _FIELD.search(text[max(0, start - 2 * _BACK) : start]):
                stop = _TOKEN.match(text, start).end()  # type: ignore[union-attr]
                if not _CONSTANT.fullmatch(text, start, stop) or _names_in(text[start:stop]):
                    yield Found(start, stop, _PERSON, 0.6, "field")
            written = text[start:end]
        if not written.isalpha():
            if written:
                yield from _Run(text, start, end, public).found()
            continue
        low = written.lower()
        marks = marks_of(low, 0)
        if marks & _OTHER or marks & (_COMMON | _LISTED) == _COMMON or low in known.FUNCTION_WORDS:
            if low in known.NOTABLE:
                yield Found(start, end, _PERSON, 0.5, "list")
            if low not in known.FUNCTION_WORDS or not marks & _NAMES:
                continue
        span = _Run(text, start, end, public).alone(low, marks)
        if span is not None:
            yield span


def _names_in(constant: str) -> bool:
    marks = (lists().words.get(part.lower(), 0) for part in constant.split("_"))
    return any(mark & _NAMES and not mark & (_COMMON | _SMALL_TOO) for mark in marks)


def is_camel(word: str) -> bool:
    """Return whether a word has capitals inside, as names of programs have them: CardRecognizer, not McAllister."""
    return _CAMEL.search(word) is not None and _INNER_CAPITAL.fullmatch(word) is None


def is_field(text: str, start: int, end: int) -> bool:
    """Return whether a label with its colon is one of a person's name, which the search for names must see."""
    return _FIELD.search(text, max(0, start - 2), end) is not None


_NAMES_NOT_THINGS: Final = lazy_regex(r": ?[\"']|,? (?:and|&) [A-Z]|'s (?!a |an |the )|,? (?:said|says|told|asked)")


def stands_as_word(text: str, start: int, end: int, low: str) -> bool:
    """Return whether a name that is an ordinary word too heads a sentence as that word: Joy is just a word."""
    if low not in known.NOUNS and (low not in known.ADJECTIVES or _AFTER_SUBJECT.match(text, end)):
        return False
    if _NAMES_NOT_THINGS.match(text, end):
        return False
    before = text[max(0, start - _BACK) : start]
    bare = before.rstrip(" \t\"'([])*_>-")
    return not bare or bare[-1] in ".!?:;\n|" or bare[-1] == OTHER or "\n" in before[len(bare) :]


def begins_order(text: str, end: int) -> bool:
    """Return whether what stands behind a word makes it the verb of an order: mark the date."""
    return _ORDER.match(text, end) is not None


_NO_NAME_AFTER: Final = frozenset("0123456789_")


def _title(word: str) -> int:
    """2 for a word after which a name stands whatever it is, 1 for one that may be part of another name, else 0."""
    return (word in known.TITLES) + (word in known.FIRM_TITLES)


def _titled_name(titled: int, word: Word, before: str) -> bool:
    """Return whether a name stands behind a title, where it is no verb: Dr. Will, Ms. May, Mr Short."""
    if titled < 2 or word.low in known.LINKS:
        return False
    if word.marks & _NAMES or len(word.low) == 1:
        return True
    return before in _MOST_FIRM and word.low not in known.FUNCTION_WORDS


_MOST_FIRM: Final = frozenset(("mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mlle"))


class _Run:
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
        """Return the name that a run of one word is."""
        word = Word(self._start, self._end, low, marks, self._end - self._start > 1 and self._written().isupper())
        titled = _title(self._before) if self._text[self._start - 1 : self._start] == " " else 0
        named = _titled_name(titled, word, self._before) or self._in_name([word], 0, self._opens and not titled)
        if not named:
            if not (marks & _NAMES and self._evidence(word, self._before, self._opens).kind):
                return None
            if low in known.FUNCTION_WORDS:
                related = self._before in known.RELATIONS and not self._opens  # the daughter Will, not: Will she?
                return Found(word.start, word.end, _PERSON, 0.6, "cue") if related else None
        judged = self._judged([word], titled, self._before, self._opens)
        if not judged.kind:
            return None
        end = small_end(self._text, word.end) if judged.kind != _PERSON or judged.score <= _GUESS else 0
        if end:
            return Found(word.start, end, _ORGANIZATION, 0.6, "institution")
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
                    word = Word(piece.start(), piece.start() + len(base), base, self._marks(base), False)
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
            group.append(Word(piece.start(), end, low, self._marks(low), written.isupper() and len(low) > 1))
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
        if written[-1] != "." or number + 1 == len(pieces):
            return True
        following = pieces[number + 1][0]
        if not following[0].isupper() or following.lower() in known.FUNCTION_WORDS:
            return True
        if titled:
            return False
        marks = self._marks(following.lower())
        if len(following) == 2 and following[1] == ".":
            return opens
        return (bool(marks & _COMMON) and not marks & _FAMILY) or (opens and not marks & _FAMILY)

    def _marks(self, low: str) -> int:
        marks = self._public.words.get(low)
        if marks is None and "-" in low:
            if _TWO_SYLLABLES.fullmatch(low):
                return _GIVEN
            parts = [self._public.words.get(part, 0) for part in low.split("-")]
            marks = parts[0] | parts[-1] if not all(part & _COMMON for part in parts) else _COMMON
            whole = parts[-1] & (_GIVEN | _COMMON | _SMALL_TOO) == _GIVEN
            if whole and low.partition("-")[0] not in known.PARTICLES:
                marks &= ~(_COMMON | _SMALL_TOO)  # Per-Olof
        return marks or 0

    def _read(self, group: list[Word], titled: int, before: str, opens: bool) -> Iterator[Found]:
        place = 0
        ends = any(word.low in _ENDS for word in group)
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
            named = _titled_name(titled, group[place], before)
            if named or self._in_name(group, place, opens and place == 0 and not titled):
                free = titled > 1 or not (opens and place == 0)
                while stop < len(group) and self._goes_on(group, stop, place if free else -1):
                    stop += 1
                while group[stop - 1].low in known.PARTICLES and stop - 1 > place:
                    stop -= 1
                judged = self._judged(group[place:stop], titled, before, opens and place == 0)
                if judged.kind:
                    yield self._with_tail(group, place, stop, judged)
            titled, opens, before = 0, False, group[stop - 1].low
            place = stop

    def _with_tail(self, group: list[Word], place: int, stop: int, judged: Judged) -> Found:
        start, end = group[place].start, group[stop - 1].end
        if judged.kind != _PERSON or judged.score <= _GUESS:
            tail = small_end(self._text, end)
            if tail:
                return Found(start, tail, _ORGANIZATION, 0.6, "institution")
        return Found(start, self._with_code(end, judged.kind), *judged)

    def _with_code(self, end: int, kind: str) -> int:
        form = _LEGAL_FORM.match(self._text, end) if kind == _ORGANIZATION else None
        if form:
            return form.end()
        if (
            kind == _ORGANIZATION
            and _SHORTENED.search(self._text, max(0, end - 5), end)
            and _GOES_ON.match(self._text, end)
        ):
            return end + 1
        code = _CODE.match(self._text, end) if kind == _PLACE else None
        return code.end() if code else end

    def _whole(self, group: list[Word], place: int, titled: int, ends: bool, opens: bool) -> tuple[int, Judged]:
        """Return how many words from ``place`` on are an organization or a place of several words, and which."""
        first = group[place]
        if first.low in known.LINKS or titled > 1:
            return 0, _NOTHING
        candidate = institution(group, place) if ends and first.low not in known.FUNCTION_WORDS else None
        if candidate and opens and first.marks & (_COMMON | _LISTED) == _COMMON and self._stands_without(group, place):
            return 0, _NOTHING
        if candidate and candidate.proper:
            return candidate.length, Judged(_ORGANIZATION, 0.8, candidate.why)
        reach = self._public.openings.get(first.low, 0)
        for count in range(min(reach, len(group) - place), 1, -1):
            words = group[place : place + count]
            if " ".join([word.low.replace("-", " ") for word in words]) in self._public.phrases:
                return count, Judged(_PLACE, 0.8, "list")
        if candidate:
            return candidate.length, _NOTHING
        return self._place_of_words(group, place) if ends else (0, _NOTHING)

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
                return stop - place, Judged(_PLACE, 0.7, "place-end")
        if first.low in _BEGINS_PLACE and place + 1 < len(group) and group[place + 1].marks & _LISTED:
            return 2, Judged(_PLACE, 0.6, "place-end")
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
                if last.low in known.TOWN_ENDS and first.low not in known.FUNCTION_WORDS:
                    named = named or _IN_TOWN.search(self._text[max(0, first.start - 8) : first.start]) is not None
                return (count, Judged(_PLACE, 0.6, "place-end")) if named else (0, _NOTHING)
        return 0, _NOTHING

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
        if not word.marks & _NAMES or word.low in known.FUNCTION_WORDS:
            return False
        return not opens or self._goes_on(group, place + 1) or _SPEAKS.match(self._text, word.end) is not None

    def _goes_on(self, group: list[Word], place: int, first: int = -1) -> bool:
        if place >= len(group):
            return False
        word = group[place]
        if word.low in known.PARTICLES and place + 1 < len(group):
            return not group[place + 1].marks & _COMMON or bool(group[place + 1].marks & _NAMES)
        if word.low in known.LINKS or word.low in known.FUNCTION_WORDS:
            return False
        if word.marks & (_OTHER | _COMMON):
            given = first >= 0 and first == place - 1 and place + 1 == len(group)
            if given and not word.capitals and word.low not in _ENDS and word.low not in known.TITLES:
                before = group[first]
                if len(before.low) == 1 or "." in before.low or before.marks & (_GIVEN | _COMMON) == _GIVEN:
                    return True
        if word.marks & _OTHER:
            return False
        if word.capitals and not group[place - 1].capitals and (len(word.low) < 4 or not word.marks & _NAMES):
            return False
        return not word.marks & _COMMON or (bool(word.marks & _FAMILY) and not word.capitals)

    def _judged(self, words: list[Word], titled: int, before: str, opens: bool) -> Judged:
        first, last = words[0], words[-1]
        alone = len(words) == 1
        if alone and first.low in known.COMPANIES and titled < 2:
            return Judged(_ORGANIZATION, 0.7, "list")
        if titled and not (titled == 1 and first.marks & _KNOWN_PLACE):
            return Judged(_PERSON, 0.8, "title")
        if self._no_word(words, before):
            return (
                self._evidence(first, before, opens, last.end) if opens and not self._names_thing(first) else _NOTHING
            )
        if not first.marks & _GIVEN and not (alone and first.marks & (_LISTED | _COMMON)):
            at = _AT_COMPANIES.search(self._text, max(0, first.start - _BACK), first.start)
            if at or _FOR_COMPANIES.match(self._text, last.end):
                return Judged(_ORGANIZATION, 0.5, "cue")
        if first.capitals:
            return self._in_capitals(words, before)
        if max(word.end - word.start for word in words) == 1 and not alone:
            return _NOTHING  # letters that are spoken: an M R I
        if alone:
            return self._single(first, before, opens)
        return self._several(words, before, opens)

    def _no_word(self, words: list[Word], before: str) -> bool:
        first, last = words[0], words[-1]
        for word in words:
            if len(words) < 3 and is_camel(self._text[word.start : word.end]):
                return True
        if last.low in known.EPONYMS and (len(words) == 1 or first.low == "positive"):
            return True
        if len(words) == 1 and (
            before in ("negative", "positive") or _COUNTED.match(self._text, first.end, first.start + 6)
        ):
            return True
        after = self._text[last.end : last.end + 24]
        owned = after.startswith("'s ")
        following = after[3 if owned else 1 :].lower().split(" ", 1)[0].split("\n", 1)[0].rstrip(".,;:)/")
        if after[:1] == " " or owned:
            return following in (known.OWNED_AFTER if owned else known.MEDICAL_AFTER)
        return after[:1] == "/" and first.capitals

    def _names_thing(self, word: Word) -> bool:
        """Whether words of a program in one are the name of a thing, in a key of data: - name: CardRecognizer."""
        humps = map(str.lower, _HUMP.findall(self._text[word.start : word.end]))
        named = any(len(hump) > 2 and self._marks(hump) & (_NAMES | _COMMON) in _ONLY_NAMES for hump in humps)
        return not named and _NAME_KEY.search(self._text[max(0, word.start - _BACK) : word.start]) is not None

    def _several(self, words: list[Word], before: str, opens: bool) -> Judged:
        placed = before in known.BEFORE_PLACES
        marks = [word.marks for word in words if word.low not in known.PARTICLES]
        if words[-1].low in known.FIRM_ENDS:
            return Judged(_ORGANIZATION, 0.6, "company-end")
        initials = any(len(word.low) == 1 and self._text[word.start + 1 : word.start + 2] == "." for word in words)
        if all(mark & _KNOWN_PLACE for mark in marks) and not marks[0] & _GIVEN:
            return Judged(_PLACE, 0.7, "list")
        if opens and marks[0] & _COMMON and not initials and not any(mark & _NAMES for mark in marks[1:]):
            return Judged(_PERSON, _GUESS, "guess")
        if marks[0] & _GIVEN or initials or any(_TWO_SYLLABLES.fullmatch(word.low) for word in words):
            return Judged(_PERSON, 0.8 if any(mark & _FAMILY for mark in marks[1:]) or initials else 0.6, "list")
        if any(mark & _KNOWN_PLACE for mark in marks) or words[0].low in known.PLACE_STARTS:
            return Judged(_PLACE, 0.5, "list")
        if any(mark & _NAMES for mark in marks) and not (placed and marks[-1] & _IS_PLACE):
            return Judged(_PERSON, 0.5, "list")
        if placed or all(mark & _IS_PLACE for mark in marks):
            return Judged(_PLACE, 0.4, "cue" if placed else "list")
        evidence = self._evidence(words[0], before, opens, words[-1].end)
        if evidence.kind:
            return evidence
        return Judged(_PERSON if len(words) <= 3 else _ORGANIZATION, _GUESS, "guess")

    def _evidence(self, word: Word, before: str, opens: bool, end: int = 0) -> Judged:
        """A person by what stands around a name: a relation, a field, a greeting, a signature, a verb of saying."""
        text, start = self._text, word.start
        if before in known.RELATIONS and text[start - 1 : start] == " ":
            return Judged(_PERSON, 0.6, "cue")
        if (
            word.marks & _COMMON
            and _SPEECH.match(text, word.end)
            and _SPEAKER.search(text, max(0, start - _BACK), start)
        ):
            return _NOTHING  # "Doctor: Good, so where are you living now?"
        if opens:
            back = text[max(0, start - 2 * _BACK) : start]
            if back.rstrip(_BEHIND_FIELD)[-1:] in _ENDS_FIELD and _FIELD.search(back):
                return Judged(_PERSON, 0.6, "field")
            if "\n" in back and _SIGNATURE.search(back):
                return Judged(_PERSON, 0.6, "cue")
        last = text[max(0, start - _BACK) : start].rstrip(" \t\n")[-1:]
        if (last.isalpha() or last in _ENDS_CUE) and _CUE.search(text, max(0, start - _BACK), start):
            return Judged(_PERSON, 0.6, "cue")
        return Judged(_PERSON, 0.5, "verb") if _TELLS.match(text, end or word.end) else _NOTHING

    def _single(self, word: Word, before: str, opens: bool) -> Judged:
        marks = word.marks
        if "." in word.low or len(word.low) == 1:
            return Judged(_PLACE, 0.7, "list") if word.low in known.COUNTRY_LETTERS else _NOTHING
        if word.low in known.STATES and self._text[word.end : word.end + 1] == ".":
            return Judged(_PLACE, 0.7, "list")
        if (
            word.low in known.FUNCTION_WORDS
            or word.low in known.TITLES
            or word.low in known.PLACE_ENDS
            or word.low == "st"
        ):
            return _NOTHING
        if marks & _KNOWN_PLACE and not marks & _COMMON:
            return Judged(_PLACE, 0.7, "list")
        evidence = self._evidence(word, before, opens)
        if not evidence.kind and self._is_word_here(word, before):
            return _NOTHING
        if opens and word.low in known.VERBS and _ORDER.match(self._text, word.end):
            return _NOTHING
        if marks & _COMMON:
            if evidence.kind and marks & _NAMES and not (opens and evidence.why == "verb"):
                return evidence
            listed = before in known.BEFORE_PERSONS or self._text[max(0, word.start - 2) : word.start] == ", "
            fits = listed if not opens else _SPEAKS.match(self._text, word.end) is not None
            fits = fits and bool(marks & _GIVEN)
            return Judged(_PERSON, _GUESS, "guess") if fits or self._amid_small(word, before, opens) else _NOTHING
        placed = before in known.BEFORE_PLACES
        if marks & _IS_PLACE and (placed or not marks & _NAMES):
            return Judged(_PLACE, 0.5, "cue" if placed else "list")
        if marks & _NAMES:
            state = _BEFORE_STATE.match(self._text, word.end) if placed else None
            placed = state is not None and bool(self._marks(state[1].lower()) & _KNOWN_PLACE)
            if (before in _SURELY_PLACED and not evidence.kind) or placed:
                return Judged(_PLACE, 0.4, "cue")
            if len(word.low) < 3 and not evidence.kind:
                return _NOTHING
            score = 0.7 if marks & _GIVEN else 0.5
            return Judged(_PERSON, max(score, evidence.score), evidence.why or "list")
        return self._unknown(word, placed, opens, evidence)

    def _is_word_here(self, word: Word, before: str) -> bool:
        """Return whether a name that is an ordinary word too stands here as that word."""
        if before in _CONTRACTIONS and word.marks & _NAMES == _FAMILY:
            return True  # im Herbst
        return stands_as_word(self._text, word.start, word.end, word.low)

    def _amid_small(self, word: Word, before: str, opens: bool) -> bool:
        """Return whether a family name that is a word too stands with a capital between words without one."""
        if opens or not word.marks & _FAMILY or before in known.DETERMINERS or not before:
            return False
        around = self._text[word.start - 2 : word.start] + self._text[word.end : word.end + 2]
        return around[:1].islower() and around[1:3].strip() in ("", ",", ".") and not around[3:].isupper()

    def _unknown(self, word: Word, placed: bool, opens: bool, evidence: Judged) -> Judged:
        """One word that no list holds: a name where it stands like one and is not made like an English word."""
        text, start = self._text, word.start
        if word.marks & _SMALL_TOO or word.low in known.FUNCTION_WORDS or text[start - 1 : start] in ("#", "_", "@"):
            return _NOTHING
        if evidence.kind and evidence.why != "verb":
            return evidence
        if placed and _LIVES_IN.search(text, max(0, start - _BACK), start):
            return Judged(_PLACE, 0.5, "cue")
        if _OF_ENGLISH.search(word.low):
            return _NOTHING
        if evidence.kind:
            return evidence
        if not opens:
            return Judged(_PLACE if placed else _PERSON, _GUESS, "guess")
        line = text[word.end : word.end + 2]
        if "\n" in text[max(0, start - 4) : start] and (not line.strip() or line[0] == "\n"):
            kind = _PLACE if OTHER in text[max(0, start - 2 * _BACK) : start] else _PERSON
            return Judged(kind, _GUESS, "guess")
        subject = _AFTER_SUBJECT.match(text, word.end) or _LOOSELY_SUBJECT.match(text, word.end)
        return Judged(_PERSON, _GUESS, "guess") if subject else _NOTHING

    def _in_capitals(self, words: list[Word], before: str) -> Judged:
        """Return names in capitals alone: only what the lists hold, and no common words."""
        if len(words) == 1 and words[0].low in known.COUNTRY_LETTERS:
            return Judged(_PLACE, 0.7, "list")
        sure = [word for word in words if word.marks & _LISTED and not word.marks & (_COMMON | _SMALL_TOO)]
        if not sure and before in _STRICTLY_PLACED and len(words[0].low) >= 5 and not words[0].marks & _COMMON:
            return Judged(_PLACE, _GUESS, "guess")
        shortest = 3 if before in known.RELATIONS or len(sure) > 1 else 5
        if not sure or len(words[0].low) < shortest:
            return _NOTHING
        if all(word.marks & _KNOWN_PLACE for word in sure) or not any(word.marks & _NAMES for word in sure):
            return Judged(_PLACE, 0.5, "list")
        place = before in known.BEFORE_PLACES and sure[0].marks & _IS_PLACE
        return Judged(_PLACE if place else _PERSON, 0.5, "list")


_CONTRACTIONS: Final = frozenset(("im", "vom", "zum", "zur", "beim", "ins"))
"""Prepositions of German with an article: no name of a person stands behind them."""
_BEGINS_PLACE: Final = frozenset(("lake", "mount", "fort", "cape", "gulf", "port"))
_SURELY_PLACED: Final = frozenset(("in", "near", "outside", "around", "into", "across", "throughout"))
