"""Judges what a run of capitalized words names: a person, a place, an organization, or nothing."""

import re
from typing import Final

from textveil.detection import lists as known
from textveil.detection.dates import is_day_or_month
from textveil.detection.found import OTHER
from textveil.detection.institutions import Word
from textveil.detection.lists import Lists, Marks
from textveil.detection.name_evidence import (
    ACTS,
    AFTER_SUBJECT,
    BACK,
    NOTHING,
    ORGANIZATION,
    PERSON,
    PLACE,
    TWO_SYLLABLES,
    Judged,
    begins_order,
    is_camel,
    modifies_thing,
    person_evidence,
    stands_as_word,
)
from textveil.text.patterns import lazy_regex

_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_GIVEN, _FAMILY, _IS_PLACE, _COMMON, _SMALL_TOO, _OTHER, _KNOWN_PLACE = (
    int(mark)
    for mark in (
        Marks.GIVEN, Marks.FAMILY, Marks.PLACE, Marks.COMMON, Marks.SMALL, Marks.OTHER, Marks.KNOWN_PLACE,
    )
)  # fmt: skip
_PLAIN: Final = _COMMON | _SMALL_TOO
GUESS: Final = 0.3
"""The score of a name that nothing but its capital shows."""
_ONLY_NAMES: Final = frozenset((_GIVEN, _FAMILY, _NAMES))  # marks of a name that is no word
_STRICTLY_PLACED: Final = frozenset(("in", "from", "near", "to"))
_SURELY_PLACED: Final = frozenset(("in", "near", "outside", "around", "into", "across", "throughout"))
_CONTRACTIONS: Final = frozenset(("im", "vom", "zum", "zur", "beim", "ins"))
"""Prepositions of German with an article: no name of a person stands behind them."""

_LOOSELY_SUBJECT: Final = lazy_regex(
    r" (?:[a-z]{3,12}[^s\W]s|[a-z]{3,12}ed|knew|saw|ran|sang|should|would|could|can|must|does|did|are|were|very|so|lol)"
    r"(?![A-Za-z])|!| '"
)
_SEASONS: Final = frozenset(("winter", "summer", "autumn", "spring"))
_HEADS: Final = lazy_regex(r"(?:(?:\A|[.:;!?\n|(*>-]) {0,3}|[A-Z][a-z]{1,14} )[A-Z][a-z]{0,14} \Z")
"""Before a capital, one that begins a line or a sentence, or two: Hire Car, World Book Day."""
_COUNTED: Final = lazy_regex(r":? ?[0-9]")
_LIVES_IN: Final = lazy_regex(
    r"(?:liv(?:e|es|ed|ing)|born|raised|mov(?:e|es|ed|ing)|grew up|based|located|resid(?:e|es|ed|ing)|stay(?:s|ed|ing)"
    r"|travel(?:s|ed|ing|led|ling)?|practi[cs]ing|flew|drove|house|home|flat|village|town|city|area)"
    r" (?:in|to|near|from|of|at) $"
)
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
_BEFORE_COMPANIES: Final = tuple(f"{word} " for word in "for at by of oined in the".split())  # noqa: SIM905
_HUMP: Final = lazy_regex(r"[A-Z][a-z]*")
_STREETS: Final = frozenset(("st", "rd", "ave", "blvd", "ln", "cres", "tce", "pde"))
_NAME_KEY: Final = lazy_regex(r"[\n{,-][ \t]*\"?name\"?: ?\"?$")


def _is_body(word: Word) -> bool:
    """Return whether a word is the letters of a public body: NBC, NASA."""
    plain = word.marks & _COMMON or word.low in known.letters()
    return word.capitals and not plain and word.low in known.public_bodies()


class Judge:
    """Judges words of one text by the public lists and by what stands around them."""

    def __init__(self, text: str, public: Lists) -> None:
        self._text = text
        self.public = public

    def marks(self, low: str) -> int:
        """Return the marks of a word; those of its parts if it has a hyphen."""
        marks = self.public.words.get(low)
        if marks is None and "-" in low:
            if TWO_SYLLABLES.fullmatch(low):
                return _GIVEN
            parts = [self.public.words.get(part, 0) for part in low.split("-")]
            marks = parts[0] | parts[-1] if not all(part & _COMMON for part in parts) else _COMMON
            whole = parts[-1] & (_GIVEN | _COMMON | _SMALL_TOO) == _GIVEN
            if whole and low.partition("-")[0] not in known.PARTICLES:
                marks &= ~(_COMMON | _SMALL_TOO)  # Per-Olof
        elif marks is None and known.is_nickname(low):
            return _GIVEN
        return marks or 0

    def judged(self, words: list[Word], titled: int, before: str, opens: bool) -> Judged:
        """Return what one name is: some words that stand together, behind a title or not."""
        first, last = words[0], words[-1]
        alone = len(words) == 1
        if alone and titled < 2 and (first.low in known.COMPANIES or _is_body(first)):
            return Judged(ORGANIZATION, 0.7, "list")
        if titled and not (titled == 1 and first.marks & _KNOWN_PLACE):
            return Judged(PERSON, 0.8, "title")
        if self._no_word(words, before):
            return (
                person_evidence(self._text, first, before, opens, last.end)
                if opens and not self._names_thing(first)
                else NOTHING
            )
        if not first.marks & _GIVEN and not (alone and first.marks & (_LISTED | _COMMON)):
            back = max(0, first.start - BACK)
            at = self._text.endswith(_BEFORE_COMPANIES, back, first.start)
            at = at and _AT_COMPANIES.search(self._text, back, first.start) is not None
            if at or _FOR_COMPANIES.match(self._text, last.end):
                return Judged(ORGANIZATION, 0.5, "cue")
        if first.capitals:
            return self._in_capitals(words, before)
        if max(word.end - word.start for word in words) == 1 and not alone:
            return NOTHING  # letters that are spoken: an M R I
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
        """Tell whether words of a program in one are the name of a thing, in a key of data: - name: CardRecognizer."""
        humps = map(str.lower, _HUMP.findall(self._text[word.start : word.end]))
        named = any(len(hump) > 2 and self.marks(hump) & (_NAMES | _COMMON) in _ONLY_NAMES for hump in humps)
        return not named and _NAME_KEY.search(self._text[max(0, word.start - BACK) : word.start]) is not None

    def _several(self, words: list[Word], before: str, opens: bool) -> Judged:
        placed = before in known.BEFORE_PLACES
        marks = [word.marks for word in words if word.low not in known.PARTICLES]
        if words[-1].low in known.FIRM_ENDS:
            return Judged(ORGANIZATION, 0.6, "company-end")
        if words[-1].low in _STREETS and not any(word.low == "st" for word in words[:-1]):
            return Judged(PLACE, 0.5, "place-end")
        initials = any(len(word.low) == 1 and self._text[word.start + 1 : word.start + 2] == "." for word in words)
        if all(mark & _KNOWN_PLACE for mark in marks) and not marks[0] & _GIVEN:
            return Judged(PLACE, 0.7, "list")
        if opens and marks[0] & _COMMON and not initials and not any(mark & _NAMES for mark in marks[1:]):
            return Judged(PERSON, GUESS, "guess")
        if marks[0] & _GIVEN or initials or any(TWO_SYLLABLES.fullmatch(word.low) for word in words):
            return Judged(PERSON, 0.8 if any(mark & _FAMILY for mark in marks[1:]) or initials else 0.6, "list")
        if any(mark & _KNOWN_PLACE for mark in marks) or words[0].low in known.PLACE_STARTS:
            return Judged(PLACE, 0.5, "list")
        if any(mark & _NAMES for mark in marks) and not (placed and marks[-1] & _IS_PLACE):
            return Judged(PERSON, 0.5, "list")
        if placed or all(mark & _IS_PLACE for mark in marks):
            return Judged(PLACE, 0.4, "cue" if placed else "list")
        evidence = person_evidence(self._text, words[0], before, opens, words[-1].end)
        if evidence.kind:
            return evidence
        return Judged(PERSON if len(words) <= 3 else ORGANIZATION, GUESS, "guess")

    def _single(self, word: Word, before: str, opens: bool) -> Judged:
        marks = word.marks & ~(_KNOWN_PLACE | _IS_PLACE) if is_day_or_month(word.low) else word.marks
        if "." in word.low or len(word.low) == 1:
            return Judged(PLACE, 0.7, "list") if word.low in known.COUNTRY_LETTERS else NOTHING
        if word.low in known.STATES and self._text[word.end : word.end + 1] == ".":
            return Judged(PLACE, 0.7, "list")
        if (
            word.low in known.FUNCTION_WORDS
            or word.low in known.TITLES
            or word.low in known.PLACE_ENDS
            or word.low == "st"
        ):
            return NOTHING
        if marks & _KNOWN_PLACE and not marks & _COMMON:
            return Judged(PLACE, 0.7, "list")
        evidence = person_evidence(self._text, word, before, opens)
        if not evidence.kind and self._is_word_here(word, before):
            return NOTHING
        if evidence.why in ("", "verb") and marks & _PLAIN and modifies_thing(self._text, word.start, word.end):
            return NOTHING
        if opens and begins_order(self._text, word.end, firm=word.low in known.VERBS, plain=bool(marks & _PLAIN)):
            return NOTHING
        if marks & _COMMON:
            if evidence.kind and marks & _NAMES and not (opens and evidence.why == "verb"):
                return evidence
            if opens and marks & _NAMES and ACTS.match(self._text, word.end):
                return Judged(PERSON, 0.5, "verb")
            listed = before in known.BEFORE_PERSONS or self._text[max(0, word.start - 2) : word.start] == ", "
            fits = not opens and listed and bool(marks & _GIVEN)
            return Judged(PERSON, GUESS, "guess") if fits or self._amid_small(word, before, opens) else NOTHING
        placed = before in known.BEFORE_PLACES
        if marks & _IS_PLACE and (placed or not marks & _NAMES):
            return Judged(PLACE, 0.5, "cue" if placed else "list")
        if marks & _NAMES:
            state = _BEFORE_STATE.match(self._text, word.end) if placed else None
            placed = state is not None and bool(self.marks(state[1].lower()) & _KNOWN_PLACE)
            if (before in _SURELY_PLACED and not evidence.kind) or placed:
                return Judged(PLACE, 0.4, "cue")
            if len(word.low) < 3 and not evidence.kind:
                return NOTHING
            score = 0.7 if marks & _GIVEN else 0.5
            return Judged(PERSON, max(score, evidence.score), evidence.why or "list")
        return self._unknown(word, placed, opens, evidence)

    def _is_word_here(self, word: Word, before: str) -> bool:
        """Return whether a name that is an ordinary word too stands here as that word."""
        if before in _CONTRACTIONS and word.marks & _NAMES == _FAMILY:
            return True  # im Herbst
        return stands_as_word(self._text, word.start, word.end, word.low)

    def _amid_small(self, word: Word, before: str, opens: bool) -> bool:
        """Return whether a family name that is a word too stands with a capital between words without one."""
        if opens or not word.marks & _FAMILY or before in known.DETERMINERS or not before or word.low in _SEASONS:
            return False
        if before not in known.FUNCTION_WORDS and _HEADS.search(self._text, max(0, word.start - 2 * BACK), word.start):
            return False
        around = self._text[word.start - 2 : word.start] + self._text[word.end : word.end + 2]
        return around[:1].islower() and around[1:3].strip() in ("", ",", ".") and not around[3:].isupper()

    def _unknown(self, word: Word, placed: bool, opens: bool, evidence: Judged) -> Judged:
        """One word that no list holds: a name where it stands like one and is not made like an English word."""
        text, start = self._text, word.start
        if word.marks & _SMALL_TOO or word.low in known.FUNCTION_WORDS or text[start - 1 : start] in ("#", "_", "@"):
            return NOTHING
        if evidence.kind and evidence.why != "verb":
            return evidence
        if placed and _LIVES_IN.search(text, max(0, start - BACK), start):
            return Judged(PLACE, 0.5, "cue")
        if _OF_ENGLISH.search(word.low):
            return NOTHING
        if evidence.kind:
            return evidence
        if not opens:
            return Judged(PLACE if placed else PERSON, GUESS, "guess")
        line = text[word.end : word.end + 2]
        if "\n" in text[max(0, start - 4) : start] and (not line.strip() or line[0] == "\n"):
            kind = PLACE if OTHER in text[max(0, start - 2 * BACK) : start] else PERSON
            return Judged(kind, GUESS, "guess")
        subject = AFTER_SUBJECT.match(text, word.end) or _LOOSELY_SUBJECT.match(text, word.end)
        return Judged(PERSON, GUESS, "guess") if subject else NOTHING

    def _in_capitals(self, words: list[Word], before: str) -> Judged:
        """Return names in capitals alone: only what the lists hold, and no common words."""
        if len(words) == 1 and words[0].low in known.COUNTRY_LETTERS:
            return Judged(PLACE, 0.7, "list")
        sure = [word for word in words if word.marks & _LISTED and not word.marks & (_COMMON | _SMALL_TOO)]
        if not sure and before in _STRICTLY_PLACED and len(words[0].low) >= 5 and not words[0].marks & _COMMON:
            return Judged(PLACE, GUESS, "guess")
        plain = any(word.marks & (_COMMON | _SMALL_TOO) or word.low in known.FUNCTION_WORDS for word in words[1:])
        shortest = 3 if before in known.RELATIONS or len(sure) > 1 or (len(words) > 1 and not plain) else 5
        if not sure or len(words[0].low) < shortest:
            return NOTHING
        if all(word.marks & _KNOWN_PLACE for word in sure) or not any(word.marks & _NAMES for word in sure):
            return Judged(PLACE, 0.5, "list")
        place = before in known.BEFORE_PLACES and sure[0].marks & _IS_PLACE
        return Judged(PLACE if place else PERSON, 0.5, "list")
