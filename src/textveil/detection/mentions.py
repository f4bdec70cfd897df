"""Names that a document tells once, found wherever it mentions them: by parts, initials, logins and short forms.

Time is linear in the text: the parts of what was found are looked up in one scan of its capitalized words.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final

from textveil.detection import lists as known
from textveil.detection.firms import house_words
from textveil.detection.found import Found
from textveil.detection.gates import places_of
from textveil.detection.institutions import glosses
from textveil.detection.lists import Marks, lists
from textveil.detection.name_evidence import ACTS, begins_order, modifies_thing
from textveil.detection.names_in_one_case import is_small
from textveil.detection.people_in_records import is_plain_form, is_plain_word, is_thing
from textveil.text.patterns import SLICE, lazy_regex, matches

EVIDENCE: Final = 0.35
"""Spans above this score are found by more than a capital letter."""

_WORD: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9_@#'\xb7-].)(?:(?:\.[ -]?(?=[A-Z])(?:[A-Z]\.[ -]?){0,4}+)?"
    r"[A-Z]?[A-Za-z]*+(?:['-][A-Za-z]++)*+)"
)
"""A capitalized word, with the initials that stand before it."""

_INITIALS: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9_@.'-].)\.(?:[ -]?[A-Z]\.){1,4}+(?! ?[A-Z][a-z])", within=r"\.[ -]?[A-Z]\."
)
_PARTS: Final = lazy_regex(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_NAME_KINDS: Final = frozenset(("person", "place", "organization"))
_RARELY: Final = int(Marks.COMMON | Marks.OTHER | Marks.KNOWN_PLACE)
_KNOWN_WORDS: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_OPENING: Final = ".!?:;\n|*>\xb7"
_ITEM: Final = r"[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+(?: [A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+){0,2}+"
_ENUMERATION: Final = lazy_regex(rf"(?<![A-Za-z0-9_@#'-]){_ITEM}(?:, {_ITEM}){{1,12}}+(?:,? (?:and|&|or) {_ITEM})?+")
_LETTERS: Final = "[A-Z](?:[A-Za-z-]|'(?=[A-Za-z])){0,30}"
_CELL: Final = f"{_LETTERS}(?: {_LETTERS}){{0,2}}"
_CELLS: Final = lazy_regex(
    rf"(?<![A-Za-z0-9_@#-])(?<!\w'){_CELL}(?:(?:\",\s{{0,24}}\"|',\s{{0,24}}'|;\s|\n[ \t]{{0,12}}- ){_CELL}){{1,40}}+",
    holds=('",', "',", ";", "- "),
    within=r"(?:[\"'],\s{0,24}[\"']|;\s|\n[ \t]{0,12}- )[A-Z]",
)
"""The same as strings of JSON, or items of a list of YAML."""
_ITEMS: Final = lazy_regex(_ITEM)
_NO_PART: Final = known.FUNCTION_WORDS | known.SUFFIXES
_NO_ITEM: Final = known.INSTITUTIONS | known.COMPANIES | known.FUNCTION_WORDS | known.PLACE_ENDS
_SHORTEST: Final = 3
_SHORTEST_HOUSE: Final = 5  # letters of the word of a house's name that stands for it
_MOST_LENGTHS: Final = 6  # phrases of so many lengths are looked for behind one first word


class _Known:
    def __init__(self, text: str, spans: Sequence[Found]) -> None:
        self.parts: dict[str, Found] = {}
        self.initials: dict[str, Found] = {}
        self.phrases: dict[str, dict[int, dict[str, Found]]] = {}
        for span in sorted(spans, key=lambda span: (-span.score, span.start)):
            written = text[span.start : span.end]
            if span.kind == "person":
                self._person(written, span)
            elif span.kind == "organization" and " " not in written:
                self.parts.setdefault(written.removesuffix("."), span)
            else:
                self._phrase(written, span)

    def _person(self, written: str, span: Found) -> None:
        words = [word for word in _PARTS.findall(written) if word.lower() not in known.PARTICLES]
        for word in words:
            low = word.lower()
            if len(word) >= _SHORTEST and word[0].isupper() and low not in _NO_PART:
                self.parts.setdefault(word, span)
                self.parts.setdefault(word.upper() if not word.isupper() else word.capitalize(), span)
        first = words[0] if words else ""
        if len(words) > 1 and len(first) == _SHORTEST - 1 and _is_rare_name(first):
            self.parts.setdefault(first, span)  # Mo Farouk
        if "-" in written or "'" in written:
            for whole in written.replace(".", " ").split():
                self.parts.setdefault(whole, span)
        letters = [word[0] for word in words]
        if len(words) > 1 and all(letter.isupper() for letter in letters):
            self.initials.setdefault("".join(letters), span)
            self.initials.setdefault(letters[0] + letters[-1], span)

    def _phrase(self, written: str, span: Found) -> None:
        words = written.split()
        ends = known.COMPANY_ENDS if span.kind == "organization" else ()
        while len(words) > 1 and words[-1].rstrip(".,").lower() in ends:
            words.pop()
        first = words[0].rstrip(",")
        if len(words) == 1:
            if not lists().words.get(first.lower(), 0) & _KNOWN_WORDS and first[0].isupper():
                self.parts.setdefault(first, span)
            return
        if span.kind == "organization":
            own = words[-1] if first.lower() in house_words() else first
            marks = lists().words.get(own.lower(), 0)
            sorted_by = {first.lower(), words[-1].lower()} & house_words() and own.lower() not in house_words()
            named = own[0].isupper() and not marks & ~int(Marks.GIVEN | Marks.FAMILY)
            if sorted_by and named and len(own) >= _SHORTEST_HOUSE:
                self.parts.setdefault(own, span)  # Falegnameria Ronzoni, Thistlewood Joinery
        short = " ".join(words).rstrip(",")
        for phrase in (short, short.upper()):
            lengths = self.phrases.setdefault(phrase.split(" ", 1)[0], {})
            if len(phrase) in lengths or len(lengths) < _MOST_LENGTHS:
                lengths.setdefault(len(phrase), {}).setdefault(phrase, span)


def _is_rare_name(name: str) -> bool:
    marks = lists().words.get(name.lower(), 0)
    return bool(marks & (Marks.GIVEN | Marks.FAMILY)) and not marks & _RARELY


def with_mentions(text: str, spans: Sequence[Found], passed: Sequence[Found] = ()) -> list[Found]:
    """Return disjoint spans of a plain text, by start, with every other mention of their names.

    A mention takes the place of guesses that it meets, never of a span with evidence, nor of one that is ``passed``.
    """
    if not (evident := [span for span in spans if span.kind in _NAME_KINDS and span.score > EVIDENCE]):
        return list(spans)
    beside = list(glosses(text, evident, lists().words))
    within = bytearray(len(text) if beside else 0)
    _take(within, beside)
    firm = [span for span in spans if not (_is_guess(span) or _lies_in(within, span))]
    taken = bytearray(len(text))
    _take(taken, firm)
    _take(taken, passed)
    met = []
    for span in sorted(beside):
        if 1 not in taken[span.start : span.end]:
            met.append(span)
            _take(taken, [span])
    met += _joined(text, _mentions(text, _Known(text, [*evident, *beside]), taken))
    met = _with_guessed(text, met, [span for span in spans if _is_guess(span)])
    met = _with_given(text, met, taken)
    _take(taken, met)
    nicknames = [span for span in _nicknames(text, sorted([*firm, *met])) if 1 not in taken[span.start : span.end]]
    met += nicknames
    _take(taken, nicknames)
    guesses = [
        span for span in spans if (_is_guess(span) or _lies_in(within, span)) and 1 not in taken[span.start : span.end]
    ]
    return sorted([*firm, *met, *guesses])


def _with_guessed(text: str, met: list[Found], guesses: Sequence[Found]) -> list[Found]:
    """Return mentions of persons with the rest of the guess that ends with them: Orla Skelhorn, after a Skelhorn."""
    begun = {guess.end: guess.start for guess in guesses if guess.kind == "person"}
    for number, span in enumerate(met):
        start = begun.get(span.end, span.end)
        if span.kind == "person" and start < span.start and text[start : span.start].count(" ") < _MOST_BEFORE:
            met[number] = span._replace(start=start)
    return met


_MOST_BEFORE: Final = 3
_GIVEN_BEFORE: Final = lazy_regex(r"(?<=[a-z,;:] )(?P<given>[A-Z][a-z]{2,15}) \Z")
_NICKNAME: Final = lazy_regex(
    r"[\"'(](?:(?<= .)(?P<name>[A-Z][a-z]{1,14})[\"')](?= [A-Z(])"
    r"|(?<=\")(?<![\w].)(?P<before>[A-Z][a-z]{1,14})\"(?= \(?[A-Z]))"
)


def _with_given(text: str, met: list[Found], taken: bytearray) -> list[Found]:
    """Return mentions of persons with the unlisted word before them that is another's given name: Shell Castellani."""
    for number, span in enumerate(met):
        given = _GIVEN_BEFORE.search(text, max(0, span.start - 20), span.start) if span.kind == "person" else None
        if given is None or 1 in taken[given.start("given") : span.start] or " " in text[span.start : span.end]:
            continue
        low = given["given"].lower()
        plain = low in known.FUNCTION_WORDS or low in known.TITLES or low in known.RELATIONS
        if not plain and not lists().words.get(low, 0) & (Marks.OTHER | Marks.KNOWN_PLACE):
            met[number] = span._replace(start=given.start("given"))
    return met


def _nicknames(text: str, spans: Sequence[Found]) -> Iterator[Found]:
    """Yield what stands in quotation marks amid a person's name or before it: Lukas "Lucky" Brandt."""
    ends = {span.end for span in spans if span.kind == "person"}
    starts = {span.start for span in spans if span.kind == "person"}
    for match in matches(_NICKNAME, text):
        behind = match.end() + (2 if text[match.end() + 1 : match.end() + 2] == "(" else 1)
        if (match["before"] or match.start() - 1 in ends) and behind in starts:
            yield Found(*match.span(match.lastgroup or 0), "person", 0.6, "mention")


def with_enumerated(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans of a plain text with the other names of each enumeration half of which are persons."""
    if not (persons := {span.start: span for span in spans if span.kind == "person" and span.score > EVIDENCE}):
        return list(spans)
    taken = bytearray(len(text))
    _take(taken, [span for span in spans if not _is_guess(span)])
    listed: list[Found] = []
    ended = (list_ for list_ in matches(_CELLS, text) if not _GOES_ON.match(text, list_.end()))
    for enumeration in chain(matches(_ENUMERATION, text), ended) if len(persons) > 1 else ():
        items = list(_ITEMS.finditer(text, *enumeration.span()))
        named = sum(item.start() in persons for item in items)
        if len(items) >= 3 and 2 * named >= len(items):
            free = (item for item in items if 1 not in taken[item.start() : item.end()] and _can_be_listed(item[0]))
            listed += [Found(*item.span(), "person", 0.5, "enumeration") for item in free]
    for span in persons.values():
        other = _AND_ONE.match(text, span.end)
        low = "" if other is None else other["name"].lower()
        marks = lists().words.get(low, 0)
        unlisted = not (marks or is_thing(low) or other is None or "&" in other[0])
        given = (marks & Marks.GIVEN or unlisted) and low not in _NO_ITEM
        if other is not None and given and 1 not in taken[other.start("name") : other.end("name")]:
            listed.append(Found(*other.span("name"), "person", 0.5, "enumeration"))
    if not listed:
        return list(spans)
    _take(taken, listed)
    return sorted([*(span for span in spans if not _is_guess(span) or 1 not in taken[span.start : span.end]), *listed])


_GOES_ON: Final = lazy_regex("[A-Za-z0-9_]| [a-z]")
_AND_ONE: Final = lazy_regex(
    r" (?<=[a-z] )(?:and|[&+]) (?P<name>[A-Z][a-z]{2,14})(?=[.,;:!?)\n]|'s\b|\Z| (?:to|are|were|have|had|will|would|can"
    r"|both|on|for|in|at|from|who|went|came|got|took|said|say)\b)"
)
"""Behind a person, one more whose name may be a word: Sunil and Hope."""


def _can_be_listed(item: str) -> bool:
    """Return whether no word of an item of an enumeration says that it names no person."""
    marks_of = lists().words.get
    words = [word.lower() for word in _PARTS.findall(item)]
    return not any(
        word in _NO_ITEM or marks_of(word, 0) & (Marks.OTHER | Marks.KNOWN_PLACE)
        or (marks_of(word, 0) & Marks.COMMON and not marks_of(word, 0) & (Marks.GIVEN | Marks.FAMILY))
        for word in words
    )  # fmt: skip


def with_guesses(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans of a plain text, by start, with all other places of the unlisted words that are guesses."""
    guessed = {
        written: span
        for span in spans
        if _is_guess(span) and (written := text[span.start : span.end]).istitle() and written.isalpha()
        and len(written) > _SHORTEST and not lists().words.get(written.lower(), 0)
    }  # fmt: skip
    if not guessed:
        return list(spans)
    taken = bytearray(len(text))
    _take(taken, spans)
    met = []
    for match in _words(text) if len(text) <= SLICE else matches(_WORD, text):
        span = guessed.get(match[0].removesuffix("'s"))
        end = match.start() + len(match[0].removesuffix("'s"))
        if span is not None and 1 not in taken[match.start() : end] and text[end : end + 1] not in _NO_NAME_AFTER:
            met.append(span._replace(start=match.start(), end=end))
    return sorted([*spans, *met])


def _take(taken: bytearray, spans: Sequence[Found]) -> None:
    for span in spans:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)


def _lies_in(within: bytearray, span: Found) -> bool:
    return span.kind in ("person", "place") and bool(within) and 0 not in within[span.start : span.end]


def _is_guess(span: Found) -> bool:
    return span.kind in _NAME_KINDS and span.score <= EVIDENCE


def _mentions(text: str, names: _Known, taken: bytearray) -> Iterator[Found]:
    """Yield every mention where nothing stands, by start; some may touch one another."""
    reached = 0
    for match in _words(text) if len(text) <= SLICE else matches(_WORD, text):
        if (start := match.start()) < reached or taken[start]:
            continue
        span = (_phrase_at(text, names, start) if names.phrases else None) or _part_at(text, names, match)
        if span is not None and 1 not in taken[span.start : span.end]:
            reached = span.end
            yield span
    for match in matches(_INITIALS, text) if names.initials else ():
        whole = names.initials.get(match[0].replace(".", "").replace(" ", "").replace("-", ""))
        if whole is not None and 1 not in taken[match.start() : match.end()]:
            yield Found(*match.span(), whole.kind, 0.6, "mention")


@lru_cache(maxsize=1)
def _words(text: str) -> list[re.Match[str]]:
    """Return the capitalized words of a text, which is read for mentions before and after the tagger."""
    return list(matches(_WORD, text))


def _phrase_at(text: str, names: _Known, start: int) -> Found | None:
    stop = text.find(" ", start, start + 64)
    lengths = names.phrases.get(text[start:stop]) if stop > 0 else None
    for length in sorted(lengths or (), reverse=True):
        whole = lengths[length].get(text[start : start + length]) if lengths else None
        if whole is not None and not text[start + length : start + length + 1].isalnum():
            return Found(start, start + length, whole.kind, 0.6, "mention")
    return None


def _part_at(text: str, names: _Known, match: re.Match[str]) -> Found | None:
    written = match[0]
    owned = written.endswith(("'s", "'S"))
    written = written[:-2] if owned else written
    bare = written.rpartition(".")[2].lstrip(" -")
    whole = names.parts.get(bare) if bare else None
    if whole is None and "-" in bare:
        pieces = bare.split("-")
        whole = names.parts.get(pieces[0]) or names.parts.get(pieces[-1])
    if whole is None:
        return None
    start, end = match.start(), match.start() + len(written)
    if text[end : end + 1] in _NO_NAME_AFTER:
        return None
    if whole.kind != "person" or len(bare) == len(written):
        start = end - len(bare)
    if whole.kind == "person" and (initial := _INITIAL.search(text, max(0, start - 3), start)):
        start = initial.start("letter")  # P NNAMANI
    marks = lists().words.get(bare.lower(), 0)
    if marks & _KNOWN_WORDS and start == end - len(bare):
        fills = marks & (Marks.GIVEN | Marks.FAMILY) and _fills(text, start, end)
        if (_opens(text, start) and not (fills or _acts(text, end) or _is_told(text, start, end, bare, whole))) or (
            not fills and text[end : end + 2].strip()[:1].isalnum() and text[end + 1 : end + 2].isupper()
        ):
            return None
        if bare.isupper() or _BEFORE_WORD.search(text, max(0, start - 8), start) or modifies_thing(text, start, end):
            return None
    if whole.kind == "person" and text[max(0, start - 5) : start].endswith((" in ", "near ", "from ")):
        return None if lists().words.get(bare.lower(), 0) & int(Marks.PLACE) else _mention(start, end, whole)
    return _mention(start, end, whole)


_SUBJECT: Final = lazy_regex(
    r"(?: (?:also|just|still|always|never|then|only|even))? (?:(?:has|had|would|did|does|was|went|came|got|took|gave"
    r"|made|put|ran|left|felt|met|saw|sent|brought|found|kept|paid|won|lost|read|let|says)\b|[a-z]{2,12}(?:ed|[^\Ws]s)\b)"
    r"|'s (?=[a-z])| (?:and|&) [A-Z]"
)
"""Verbs behind a name that begins a sentence and that the text has elsewhere: Ebony called."""
_IS_FIELD: Final = lazy_regex(r"[A-Za-z)]: {1,3}\Z|[a-z]\" ?: ?\"\Z")
_ENDS_FIELD: Final = lazy_regex(r"[ \t]{0,8}(?:[\n,;/|(\"]|\Z)| {2}")
_OF_THINGS: Final = lazy_regex(
    r"(?i)\b(?:colou?r|status|state|type|level|priority|size|brand|make|model|season|month|day|material|finish|category"
    r"|mode|kind|city|town|place|country|street|item|product|title|subject|topic)\"? ?: ?\"?\Z"
)
"""Fields whose value is a word: "color": "Green" is nobody."""


def _acts(text: str, end: int) -> bool:
    return _SUBJECT.match(text, end) is not None or ACTS.match(text, end) is not None


def _is_told(text: str, start: int, end: int, name: str, whole: Found) -> bool:
    """Return whether a word that begins a sentence is the name that the page tells elsewhere: Dusty in a mood."""
    if whole.kind != "person" or whole.why not in _TELLING or text[start - 1 : start] == '"':
        return False
    low = name.lower()
    if whole.why == "title" and not lists().words.get(low, 0) & Marks.GIVEN:
        return False  # Bright red blood, after Dr. Bright
    order = begins_order(text, end, firm=low in known.VERBS, plain=True)
    following = _GOES_ON_SMALL.match(text, end)
    if low in known.ADJECTIVES and following is not None and following["word"] not in (None, *known.FUNCTION_WORDS):
        return False
    return following is not None and not order and not modifies_thing(text, start, end)


_TELLING: Final = frozenset(["byname", "cue", "field", "title", "verb"])
_GOES_ON_SMALL: Final = lazy_regex(r"(?:'s)? (?P<word>[a-z]{1,20})|,? (?:and|&) [A-Z]| - [a-z]|[.!?](?=\s|\Z)")


def _fills(text: str, start: int, end: int) -> bool:
    """Return whether a word is all that stands behind a label: Scribe: Dot."""
    if _ENDS_FIELD.match(text, end) is None or _IS_FIELD.search(text, max(0, start - 5), start) is None:
        return False
    return _OF_THINGS.search(text, max(0, start - 16), start) is None


_BEFORE_WORD: Final = lazy_regex(r"(?i)(?<![a-z])(?:an?|the|this|every|each|im|am|beim|zum|vom|dem|den) \Z")
_INITIAL: Final = lazy_regex(r"(?:\A|[^A-Za-z0-9.])(?P<letter>[B-HJ-Z]) \Z")
_NO_NAME_AFTER: Final = frozenset("0123456789_")


def _mention(start: int, end: int, whole: Found) -> Found:
    return Found(start, end, whole.kind, 0.6, "mention")


def _opens(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \t\"'([")
    return not before or before[-1] in _OPENING or "\n" in text[max(0, start - 4) : start]


def _joined(text: str, spans: Iterator[Found]) -> list[Found]:
    """Mentions of persons that stand side by side as one: the given and the family name."""
    joined: list[Found] = []
    for span in sorted(spans):
        last = joined[-1] if joined else None
        if last is not None and span.start < last.end:
            continue
        if last and last.kind == span.kind == "person" and text[last.end : span.start] == " ":
            joined[-1] = last._replace(end=span.end)
        else:
            joined.append(span)
    return joined


@cache
def _groups() -> dict[str, tuple[tuple[str, ...], ...]]:
    groups: dict[str, tuple[tuple[str, ...], ...]] = {}
    _, *lines = (known.DATA / "short_forms.txt").read_text(encoding="ascii").splitlines()
    for group in map(tuple, map(str.split, lines)):
        for name in group:
            groups[name] = (*groups.get(name, ()), group)
    return groups


def full_names(name: str) -> frozenset[str]:
    """Return the given names, in small letters, that stand before this one in a list of one name's forms."""
    return frozenset(full for group in _groups().get(name, ()) for full in group[: group.index(name)])


def short_names(name: str) -> tuple[str, ...]:
    """Return what bearers of a given name are called, in small letters: what stands behind it in such lists."""
    return tuple(short for group in _groups().get(name, ()) for short in group[group.index(name) + 1 :])


_LOGIN: Final = lazy_regex(r"[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*")
_SPELLED: Final = lazy_regex(
    r"(?<![A-Za-z0-9'])[A-Za-z](?:[ .-]{1,2}[A-Za-z]){2,23}(?![A-Za-z0-9])",
    within="[ .-][A-Za-z][ .-]{1,2}[A-Za-z](?![A-Za-z0-9])",
)
"""A name that is spelled: P-L-A-S-K-O-W."""
_UNSPELLED: Final = str.maketrans("", "", " .-")
_ADDED: Final = lazy_regex(r"[._-]|[0-9]{1,12}\Z")
_GIVEN_OR_OTHER: Final = int(Marks.GIVEN | Marks.PLACE | Marks.COMMON | Marks.SMALL | Marks.OTHER | Marks.KNOWN_PLACE)
_LONGEST_LOGIN: Final = 48
_SHORTEST_LOGIN: Final = 5
_LONGEST_SHORT: Final = 12  # letters of a short form at most, so that a long run of letters has few
_SHORTEST_SMALL: Final = 4  # letters of a short form that no list of names holds


_DECLINING: Final = frozenset(("pl", "cs", "sk", "hr", "sl"))
_CASES: Final = (
    "", "a", "u", "y", "i", "e", "o", "owi", "ovi", "em", "iem", "om", "ie", "ego", "iego", "emu", "iemu", "ej", "iej",
    "im", "ym", "ich", "ych", "ou", "ova", "ove", "ovou", "ow", "ami", "ach",
)  # fmt: skip
_ENDS_IN_VOWEL: Final = lazy_regex(r"(?:a|o|e|y|i|iego|iemu|ego|emu|iem|em|owi|ovi|iej|ej|ie)\Z")
_FLEETING: Final = lazy_regex(r"(?<=[bcdfghjklmnprstvwxz])e(?=[klrc]\Z)")
_SHORTEST_STEM: Final = 4


def _declined(name: str) -> Iterator[str]:
    """Yield the cases of a name in a Slavic language, in plain small letters: kacper, kacpra, kacprowi."""
    stems = {name, _FLEETING.sub("", name), _ENDS_IN_VOWEL.sub("", name)}
    for stem in stems:
        if len(stem) >= _SHORTEST_STEM:
            yield from (stem + case for case in _CASES)
            if stem[-1] == "k":
                yield f"{stem[:-1]}ce"  # halinka, halince


class _Second:
    """Names of a person at a second mention, in small letters."""

    def __init__(self, persons: Iterable[tuple[str, Found]], ordinary: frozenset[str], language: str = "") -> None:
        self.ordinary = ordinary
        self.declines = language in _DECLINING
        self.parts: dict[str, Found] = {}  # names whole
        self.spoken: set[str] = set()  # those that a chat writes in small letters
        self.short: dict[str, Found] = {}  # diminutives and beginnings of given names
        self.called: set[str] = set()  # those of the diminutives that are no beginnings
        self.several: dict[str, Found] = {}  # families, and genitives: the Tierneys, Traugotts Auto
        self.cases: dict[str, Found] = {}  # Kacprowi
        self.logins: dict[str, Found] = {}
        self.beside: dict[str, dict[str, bool]] = {}  # names that stand beside one, and whether it is the given one
        for written, span in persons:
            self.add(written, span)

    def add(self, written: str, span: Found) -> None:
        """Add a person, or a login; what an earlier one may be called too stays that one's."""
        if span.kind == "handle":
            if len(written) >= _SHORTEST_LOGIN and not is_plain_form(written.lower()):
                self.logins.setdefault(written.lower(), span)
                first, _, last = written.lower().partition(".")
                if len(last) > _SHORTEST and last.isalpha():
                    self.logins.setdefault(first[:1] + last, span)  # s.mbatha, of sibusiso.mbatha
            for piece in _SEPARATED.split(written.lower().replace("\\", "")):
                if len(piece) > _SHORTEST and lists().words.get(piece, 0) & _GIVEN_OR_OTHER == Marks.GIVEN:
                    self.parts.setdefault(piece, span._replace(kind="person"))  # wilma.j
        else:
            self._person(written, span)

    def _person(self, written: str, span: Found) -> None:
        if written.islower():
            self.spoken.add(written)
        low = written.lower()
        turned = "<<" if "<<" in low else "/" if written.isupper() and "/" in low else ","
        family, comma, given = low.partition(turned)
        words = _PARTS.findall(f"{given} {family}" if comma else family)
        words = [word for word in words if word not in known.PARTICLES and word not in known.SUFFIXES]
        names = [word for word in words if len(word) >= _SHORTEST and word not in known.FUNCTION_WORDS]
        for name in names:
            self.parts.setdefault(name, span)
            for ending in ("s", "es"):
                self.several.setdefault(name + ending, span)
            for form in _declined(name) if self.declines else ():
                self.cases.setdefault(form, span)
        if names and (len(words) > 1 or lists().words.get(names[0], 0) & Marks.GIVEN) and names[0] == words[0]:
            self._given(names[0], span)
        if len(words) > 1 and names and words[-1] == names[-1]:
            first, last = words[0], words[-1].replace("'", "")
            if len(first) >= _SHORTEST and len(first) + len(last) >= _SHORTEST_PAIR:
                self.beside.setdefault(first, {})[last] = True
                self.beside.setdefault(last, {}).setdefault(first, False)
            for login in (first[0] + last, first + last, last + first[0], last + first, first + last[0]):
                if len(login) >= _SHORTEST_LOGIN:
                    self.logins.setdefault(login, span)
                    self.logins.setdefault(login[:8] if len(last) > 7 else login, span)

    def _given(self, name: str, span: Found) -> None:
        for length in range(_SHORTEST, min(len(name) - 1, _LONGEST_SHORT + 1)):
            begun = name[:length]
            self.short.setdefault(begun, span)
            for ending in ("y", "ie", "i"):
                self.short.setdefault(begun + ending, span)
                self.short.setdefault(begun + begun[-1] + ending, span)
        for form in (form for group in _groups().get(name, ()) for form in group):
            self.short.setdefault(form, span)
            self.called.add(form)

    def pieces(self) -> frozenset[str]:
        """Return the runs of letters at which a mention may stand."""
        whole = {*self.parts, *self.short, *self.several, *self.cases, *self.logins}
        whole.update([login.rpartition(".")[2] for login in self.logins])
        return frozenset(filter(str.isalpha, whole))


def with_possessive(text: str, span: Found) -> Found:
    """Return the span of a name with the apostrophe behind its s that makes it a possessive: James' book.

    Its surrogate ends in its own letter, so the ending is part of the value.
    """
    end = span.end
    if text[end - 1 : end + 2] not in _OWNS or span.kind not in _NAME_KINDS or text[span.start - 1 : span.start] == "'":
        return span
    return span._replace(end=end + 1) if text[end + 2 : end + 3].isalpha() else span


_OWNER_AND_OWNED: Final = lazy_regex(
    r"(?P<owner>[A-Z\xc4\xd6\xdc][a-z\xe4\xf6\xfc\xdf-]{2,30})s (?P<owned>[A-Z\xc4\xd6\xdc][a-z\xe4\xf6\xfc\xdf]{2,40})"
)


def without_owned(text: str, spans: Sequence[Found], ordinary: frozenset[str]) -> list[Found]:
    """Return spans of a German text, those of a name with an s behind it without what it owns: Swantjes Auto.

    The name is one that the text has elsewhere.
    """
    named = {word for span in spans if span.kind == "person" for word in text[span.start : span.end].split()}

    def bare(span: Found) -> Found:
        whole = _OWNER_AND_OWNED.fullmatch(text, span.start, span.end) if span.kind == "person" else None
        owned = whole["owned"].lower() if whole is not None and whole["owner"] in named else ""
        is_noun = owned in ordinary and not lists().words.get(owned, 0) & (Marks.GIVEN | Marks.FAMILY)
        if whole is None or not (is_noun or owned in known.written("de")["kin"]):
            return span
        return span._replace(end=whole.end("owner") + 1)

    return [bare(span) for span in spans]


def whole_login(text: str, span: Found) -> Found:
    """Return the span of a name in small letters with what makes it a login: priya.n, tom_achterberg."""
    low = text[span.start : span.end]
    if text[span.end : span.end + 1] not in (".", "_") or span.kind not in _NAME_KINDS or not low.islower():
        return span
    rest = _REST_OF_LOGIN.match(text, span.end)
    before = text[span.start - 1 : span.start]
    if rest is None or not low.isalpha() or before.isalnum() or before in ("_", ".", "/", "\\", "@", "-", "#"):
        return span
    family = rest["rest"]
    named = lists().words.get(low, 0) & Marks.GIVEN and lists().words.get(family, 0) & (Marks.GIVEN | Marks.FAMILY)
    if len(family) > _SHORTEST - 1 and is_plain_word(family) and (is_thing(family) or not named):
        return span  # grace.hall, but no grace.list
    return span._replace(end=rest.end(), kind="handle")


_REST_OF_LOGIN: Final = lazy_regex(r"[._](?P<rest>[a-z]{1,16})(?![A-Za-z0-9_@(/:=\[]|[.-][A-Za-z0-9])")
_OWNS: Final = ("s' ", "S' ")
_CALLED: Final = frozenset(("person", "handle"))


def with_logins(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans with those persons as handles whom a page calls by a login of another's whole name: jkowalczyk."""
    small = [
        span
        for span in spans
        if span.kind == "person" and span.end - span.start >= _SHORTEST_LOGIN and text[span.start : span.end].islower()
    ]
    whole = [span for span in spans if span.kind == "person" and " " in text[span.start : span.end]] if small else []
    if not whole:
        return list(spans)
    second = _Second([(text[span.start : span.end], span) for span in whole], frozenset())
    logins = {
        span for span in small if (low := text[span.start : span.end]) in second.logins and low not in second.parts
    }
    return [span._replace(kind="handle") if span in logins else span for span in spans]


def with_second_mentions(
    text: str,
    spans: Sequence[Found],
    ordinary: frozenset[str] = frozenset(),
    passed: Sequence[Found] = (),
    language: str = "",
) -> list[Found]:
    """Return spans of a plain text, by start, with what else calls one of its persons, in any letter case.

    Those are logins of the name (tpellatt, t.pellatt), families (the Pellatts), diminutives, names in small letters
    or capitals, and in Slavic languages their cases. A word of English, of programs or of ``ordinary`` is none, unless
    it is the name itself with a capital. None stands in what is ``passed``.
    """
    persons = sorted((span for span in spans if span.kind in _CALLED and span.score > EVIDENCE), key=_by_length)
    if not persons:
        return list(spans)
    second = _Second(((text[span.start : span.end], span) for span in persons), ordinary, language)
    taken = bytearray(len(text))
    _take(taken, [span for span in spans if not _is_guess(span)])
    _take(taken, passed)
    met = _in_full(text, second, spans, passed)
    _take(taken, met)
    for start, end in places_of(text, second.pieces()):
        if taken[start]:
            continue
        if (span := _second_at(text, start, end, second)) is not None and 1 not in taken[span.start : span.end]:
            _take(taken, [span])
            met.append(span)
    for match in matches(_SPELLED, text):
        named = second.parts.get(match[0].lower().translate(_UNSPELLED))
        if named is not None and 1 not in taken[match.start() : match.end()]:
            met.append(Found(*match.span(), "person", 0.6, "mention"))
    if not met:
        return list(spans)
    held = bytearray(len(text))
    _take(held, met)
    return sorted([*(span for span in spans if 1 not in held[span.start : span.end]), *met])


_SHORTEST_PAIR: Final = 7  # letters of both names of a person together, without which they may stand there by chance
_NAME_BEHIND: Final = lazy_regex(r"(?: {1,2}|,? ?\n[ \t>*#-]{0,4}|, | ?/ ?|[._-])(?P<name>[A-Za-z]{2,30})(?![A-Za-z])")
_HUMPS: Final = lazy_regex(r"[A-Za-z](?<![A-Za-z0-9].)[a-z]{2,30}(?:[A-Z][a-z]{1,30}){1,6}", within="[A-Z](?<=[a-z].)")
_HUMP: Final = lazy_regex("[A-Z]?[a-z]+")


def _in_full(text: str, second: _Second, spans: Sequence[Found], passed: Sequence[Found]) -> list[Found]:
    """Return both names of a person side by side, with what was found of them: dawn baker, denisGibsonAccount.

    Side by side they name that person, even if each is a word: in any case, across a line's end, in any order, but for
    words in small letters with the family name first (the banks grant loans).
    """
    met: list[Found] = []
    for start, end in places_of(text, frozenset(second.beside)):
        behind = _NAME_BEHIND.match(text, end)
        first = text[start:end].lower()
        in_order = None if behind is None else second.beside[first].get(behind["name"].lower())
        if (
            behind is not None
            and in_order is not None
            and (in_order or not (behind[0].startswith(" ") and behind[0].islower()))
        ):
            login = text[end] in "._-" and text[start:end].islower()
            met.append(Found(start, behind.end(), "handle" if login else "person", 0.6, "mention"))
    for match in matches(_HUMPS, text) if second.beside else ():
        humps = list(_HUMP.finditer(text, *match.span()))
        met += [
            Found(*hump.span(), "handle", 0.6, "mention")  # each keeps its capital
            for one, other in pairwise(humps)
            if other[0].lower() in second.beside.get(one[0].lower(), ())
            for hump in (one, other)
        ]
    held = [0] * (len(text) if met else 0)
    for number, span in enumerate([*spans, *passed] if met else (), 1):
        held[span.start : span.end] = [number] * (span.end - span.start)
    whole = []
    for span in met:
        numbers = set(held[span.start : span.end]) - {0}
        others = [spans[number - 1] for number in numbers if number <= len(spans)]
        inside = all(span.start <= other.start and other.end <= span.end for other in others)
        covered = any(other.start <= span.start and span.end <= other.end for other in others)
        if inside and not covered and len(others) == len(numbers):
            whole.append(span)
    return whole


class CarriedPersons:
    """Names by which persons of a conversation may be called: made once for each, not for each text. Private."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self._second = _Second((), frozenset())
        self._pieces = frozenset[str]()

    def called(self, names: tuple[str, ...], ordinary: frozenset[str]) -> tuple[_Second, frozenset[str]]:
        """Return what these persons may be called, and the runs of letters at which that stands.

        ``names``: mostly those of the call before and some more; after any others all is made anew.
        """
        if names[: len(self._names)] != self._names:
            self._names, self._second, self._pieces = (), _Second((), frozenset()), frozenset()
        new = [(name, Found(0, 0, "person", 0.6)) for name in names[len(self._names) :]]
        for name, span in new:
            self._second.add(name, span)
        if new:
            self._pieces |= _Second(new, ordinary).pieces()
        self._names, self._second.ordinary = names, ordinary
        return self._second, self._pieces


def carried_mentions(
    text: str, names: Sequence[str], ordinary: frozenset[str] = frozenset(), persons: CarriedPersons | None = None
) -> Iterator[Found]:
    """Yield what calls a person whom an earlier text of a conversation names, by start; plain texts, as ``names`` are.

    No word of English, of programs or of ``ordinary`` is one, whatever its letter case. ``persons``: of the
    conversation; None makes what the names may be called for this text alone.
    """
    second, pieces = (persons or CarriedPersons()).called(tuple(names), ordinary)
    reached = 0
    for start, end in places_of(text, pieces):
        low = text[start:end].lower()
        plain = start < reached or is_plain_form(low) or low in ordinary
        span = None if plain else _second_at(text, start, end, second)
        if span is not None and span.start >= reached:
            reached = span.end
            yield span


def _by_length(span: Found) -> tuple[int, int]:
    return span.start - span.end, span.start


def _second_at(text: str, start: int, end: int, second: _Second) -> Found | None:
    first = start
    while first > 0 and start - first < _LONGEST_LOGIN and (text[first - 1].isalnum() or text[first - 1] in "_.-"):
        first -= 1
    while text[first] in "._-":
        first += 1
    if (token := _LOGIN.match(text, first, start + _LONGEST_LOGIN)) is None or token.end() < end:
        return None
    if (both := _names_in_a_row(token, second)) is not None:
        return both
    if text[first - 1 : first] in ("/", "\\"):
        return _piece(text, start, end, second)
    low = token[0].lower()
    if token.span() != (start, end) or low in second.logins:
        return _login(text, token, second) or _piece(text, start, end, second)
    written = text[start:end]
    emphasis = text[end : end + 1] == text[start - 1 : start] == "_" and not text[end + 1 : end + 2].isalnum()
    if not emphasis and (text[end : end + 1] == "_" or text[first - 1 : first] in ("_", "#")):
        return None
    marks = lists().words.get(low, 0)
    plain = (is_plain_form(low) and not _is_given_alone(low, marks)) or (
        low in second.ordinary and not (written[0].isupper() and low in second.parts)
    )
    the = text[max(0, start - 4) : start].lower() == "the "
    case = low in second.cases and written.istitle() and not (plain and _opens(text, start))
    family = low in second.several and low not in second.parts and written[0].isupper() and (the or not plain)
    if case or family:
        return Found(start, end, "person", 0.6, "mention")
    whole = low in second.parts or low in second.several
    if plain and low in second.called and written.istitle() and not (the or _opens(text, start)):
        return Found(start, end, "person", 0.6, "mention")
    if low in second.spoken and (
        _is_addressed(text, start, end)
        or (plain and written.islower() and is_small(text) and not _DETERMINED.search(text, max(0, start - 8), start))
    ):
        return Found(start, end, "person", 0.6, "mention")
    if plain or not (whole or low in second.short):
        return None
    if not whole and (marks & Marks.PLACE or not (marks & Marks.GIVEN or len(low) >= _SHORTEST_SMALL)):
        return None
    if not whole and not (written[0].isupper() or marks & Marks.GIVEN):
        return None
    label = text[end : end + 2] == ": " and _opens(text, start) and not marks & Marks.GIVEN
    if label or text[end : end + 1] in ("(", "="):
        return None
    return Found(start, end, "person", 0.6, "mention")


def _piece(text: str, start: int, end: int, second: _Second) -> Found | None:
    """Return a name or a login in small letters in what it is joined with: fix/priya-login, .ssh/jhoekstra_rsa.

    With a capital, it is one in a token that an underscore or a hyphen parts: Rota_Keane_v2.
    """
    low = text[start:end]
    if low.istitle() and {text[start - 1 : start], text[end : end + 1]} & _PARTED:
        low = low.lower()
    kind = "person" if low in second.parts else "handle" if low in second.logins else ""
    if len(low) < _SHORTEST_SMALL or not kind or low in second.ordinary or is_plain_form(low):
        return None
    return None if text[end : end + 1] == "(" else Found(start, end, kind, 0.6, "mention")


_PARTED: Final = frozenset("_-")


def _is_given_alone(low: str, marks: int) -> bool:
    """Return whether a given name is a word in small letters now and then, and none of English: tom, shan."""
    rare = marks & (Marks.GIVEN | _KNOWN_WORDS) == Marks.GIVEN | Marks.SMALL
    return rare and low not in known.NOUNS and low not in known.ADJECTIVES and not is_thing(low)


def _is_addressed(text: str, start: int, end: int) -> bool:
    """Return whether a word stands where a person is spoken to: yes, tom; tom, can you; hi tom!"""
    before, behind = text[max(0, start - 2) : start], text[end : end + 2]
    apart = not before.strip() or before.endswith((", ", "\n", ": "))
    word = _LAST.search(text, max(0, start - 16), start)
    if word is not None and word[1].lower() in known.written("en")["before small names"]:
        return True
    return (apart and behind[:1] in (",", "?", "!", "", "\n", ":")) or (before == ", " and behind[:1] in (".", " "))


def _names_in_a_row(token: re.Match[str], second: _Second) -> Found | None:
    """Return two names of persons side by side in a longer token, as in a file's name: Hoekstra_Jelmer_contract."""
    pieces = [(piece.span(), piece[0].lower() in second.parts) for piece in _PIECE.finditer(token[0])]
    named = [
        (place, following)
        for (place, is_name), (following, goes_on) in pairwise(pieces)
        if is_name and goes_on and following[0] - place[1] == 1
    ]
    if len(pieces) < 3 or not named:
        return None
    return Found(token.start() + named[0][0][0], token.start() + named[-1][1][1], "handle", 0.6, "mention")


_LAST: Final = lazy_regex(r"(?<![a-z])([A-Za-z]{2,9}) \Z")
_DETERMINED: Final = lazy_regex(
    r"(?<![a-z])(?:an?|the|this|that|these|those|my|your|his|its|their|some|any|no|every|each|to|of|in|so|too|very|i|u|you"
    r"|we|they|[0-9]{1,8}) \Z"
)
"""Before a word in small letters that names somebody elsewhere, and nobody here: the bear, i bear, to bear."""
_PIECE: Final = lazy_regex("[A-Za-z]+")


def _login(text: str, token: re.Match[str], second: _Second) -> Found | None:
    """Return the handle that a token is, if it is made of a person's names."""
    low = token[0].lower()
    if _ADDED.sub("", low) not in second.logins:
        pieces = [piece.rstrip("0123456789") for piece in _SEPARATED.split(low)]
        named = [
            piece for piece in pieces if piece in second.parts and len(piece) > _SHORTEST and not is_plain_form(piece)
        ]
        rest = [piece for piece in pieces if piece not in named and len(piece) > 1]
        if any(piece in second.logins for piece in pieces) and len(pieces) < 4:
            return Found(*token.span(), "handle", 0.6, "mention")  # PC-JHOEKSTRA
        if not named or (len(pieces) > 1 and any(map(is_plain_word, rest))) or len(pieces) > 3:
            return None
    kind = "person" if token[0][0].isupper() and token[0].replace("-", "").isalpha() else "handle"
    return Found(*token.span(), kind, 0.6, "mention")


_SEPARATED: Final = lazy_regex(r"[._-]")
