"""Institutions by their words, and names that a document tells once, found wherever it mentions them.

Time is linear in the text: the parts of what was found are looked up in one scan of its capitalized words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.found import Found
from textveil.detection.gates import with_words
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex, matches

EVIDENCE: Final = 0.35
"""Spans above this score are found by more than a capital letter."""

_WORD: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9_@#'\xb7-].)(?:(?:\.[ -]?(?=[A-Z])(?:[A-Z]\.[ -]?){0,4}+)?"
    r"[A-Z]?[A-Za-z]*+(?:['-][A-Za-z]++)*+)"
)
"""A capitalized word, with the initials that stand before it."""

_INITIALS: Final = lazy_regex(r"[A-Z](?<![A-Za-z0-9_@.'-].)\.(?:[ -]?[A-Z]\.){1,4}+(?! ?[A-Z][a-z])")
_PARTS: Final = lazy_regex(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_NAME_KINDS: Final = frozenset(("person", "place", "organization"))
_KNOWN_WORDS: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_OPENING: Final = ".!?:;\n|*>\xb7"
_ITEM: Final = r"[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+(?: [A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+){0,2}+"
_ENUMERATION: Final = lazy_regex(rf"(?<![A-Za-z0-9_@#'-]){_ITEM}(?:, {_ITEM}){{1,12}}+(?:,? (?:and|&|or) {_ITEM})?+")
_ITEMS: Final = lazy_regex(_ITEM)
_SHORTEST: Final = 3
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
            if len(word) >= _SHORTEST and word[0].isupper() and low not in known.FUNCTION_WORDS | known.SUFFIXES:
                self.parts.setdefault(word, span)
                self.parts.setdefault(word.upper() if not word.isupper() else word.capitalize(), span)
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
        short = " ".join(words).rstrip(",")
        for phrase in (short, short.upper()):
            lengths = self.phrases.setdefault(phrase.split(" ", 1)[0], {})
            if len(phrase) in lengths or len(lengths) < _MOST_LENGTHS:
                lengths.setdefault(len(phrase), {}).setdefault(phrase, span)


def with_mentions(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans of a plain text, by start, with every other mention of their names.

    A mention takes the place of guesses that it meets, never of a span with evidence.
    """
    evident = [span for span in spans if span.kind in _NAME_KINDS and span.score > EVIDENCE]
    if not evident:
        return list(spans)
    beside = list(glosses(text, evident, lists().words))
    within = bytearray(len(text) if beside else 0)
    _take(within, beside)
    firm = [span for span in spans if not (_is_guess(span) or _lies_in(within, span))]
    taken = bytearray(len(text))
    _take(taken, firm)
    met = []
    for span in sorted(beside):
        if 1 not in taken[span.start : span.end]:
            met.append(span)
            _take(taken, [span])
    met += _joined(text, _mentions(text, _Known(text, [*evident, *beside]), taken))
    _take(taken, met)
    guesses = [
        span for span in spans if (_is_guess(span) or _lies_in(within, span)) and 1 not in taken[span.start : span.end]
    ]
    return sorted([*firm, *met, *guesses])


def with_enumerated(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans of a plain text with the other names of each enumeration half of which are persons."""
    persons = {span.start: span for span in spans if span.kind == "person" and span.score > EVIDENCE}
    if len(persons) < 2:
        return list(spans)
    taken = bytearray(len(text))
    _take(taken, [span for span in spans if not _is_guess(span)])
    listed: list[Found] = []
    for enumeration in matches(_ENUMERATION, text):
        items = list(_ITEMS.finditer(text, *enumeration.span()))
        named = sum(item.start() in persons for item in items)
        if len(items) >= 3 and 2 * named >= len(items):
            free = (item for item in items if 1 not in taken[item.start() : item.end()] and _can_be_listed(item[0]))
            listed += [Found(*item.span(), "person", 0.5, "enumeration") for item in free]
    if not listed:
        return list(spans)
    _take(taken, listed)
    return sorted([*(span for span in spans if not _is_guess(span) or 1 not in taken[span.start : span.end]), *listed])


def _can_be_listed(item: str) -> bool:
    """Return whether no word of an item of an enumeration says that it names no person."""
    marks_of = lists().words.get
    words = [word.lower() for word in _PARTS.findall(item)]
    other = known.INSTITUTIONS | known.COMPANIES | known.FUNCTION_WORDS | known.PLACE_ENDS
    return not any(
        word in other or marks_of(word, 0) & (Marks.OTHER | Marks.KNOWN_PLACE)
        or (marks_of(word, 0) & Marks.COMMON and not marks_of(word, 0) & (Marks.GIVEN | Marks.FAMILY))
        for word in words
    )  # fmt: skip


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
    for match in matches(_WORD, text):
        start = match.start()
        if start < reached or taken[start]:
            continue
        span = (_phrase_at(text, names, start) if names.phrases else None) or _part_at(text, names, match)
        if span is not None and 1 not in taken[span.start : span.end]:
            reached = span.end
            yield span
    for match in matches(_INITIALS, text) if names.initials else ():
        whole = names.initials.get(match[0].replace(".", "").replace(" ", "").replace("-", ""))
        if whole is not None and 1 not in taken[match.start() : match.end()]:
            yield Found(*match.span(), whole.kind, 0.6, "mention")


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
    if lists().words.get(bare.lower(), 0) & _KNOWN_WORDS and start == end - len(bare):
        if _opens(text, start) or (text[end : end + 2].strip()[:1].isalnum() and text[end + 1 : end + 2].isupper()):
            return None
        if bare.isupper() or text[max(0, start - 4) : start].lower().endswith((" a ", "the ")):
            return None
    if whole.kind == "person" and text[max(0, start - 5) : start].endswith((" in ", "near ", "from ")):
        return None if lists().words.get(bare.lower(), 0) & int(Marks.PLACE) else _mention(start, end, whole)
    return _mention(start, end, whole)


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


_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_COMMON, _SMALL, _OTHER = int(Marks.COMMON), int(Marks.SMALL), int(Marks.OTHER)
_HEADS: Final = known.COMPANY_ENDS | known.INSTITUTIONS
_MOST: Final = 9  # words that the name of an institution holds at most before or behind a link
_OF_A_PEOPLE: Final = frozenset(("party", "forces", "staff", "consulate", "embassy", "army", "navy", "bank", "front"))
"""What a people has one of: the Turkish Armed Forces."""
_SMALL_ENDS: Final = lazy_regex(
    r" (?:(?:special type|high security|maximum security|state|general|district|city|central|university) )?"
    r"(?:police station|hospital|prison|garrison|jail|university|barracks|police|courthouse|clinic|high school"
    r"|elementary school|primary school|airport)(?![A-Za-z])"
)
_GLOSS: Final = lazy_regex(r"[\"']? \((?:the )?[\"']?([A-Za-z\xde\xfe&' -]{2,80})[\"']?(?=[):;,])")
_BEFORE_GLOSS: Final = lazy_regex(r"(?<![A-Za-z0-9-])[A-Z][A-Za-z]{0,3}[A-Z-]{1,6} \((?:the )?[\"']?$")
_ACRONYM: Final = lazy_regex(r"[A-Z]{1,2}[A-Za-z]{0,2}[A-Z-]{1,6}")
_SPOKEN_OF: Final = lazy_regex(
    r"(?<![A-Za-z])(?:members?(?:hip)? (?:of|in)|leaders? of|favour of|favor of|support(?:ed|ing|er|ers)? (?:of |for )?"
    r"|organi[sz]ations?,?(?: namely)?|propaganda for|behalf of|employed by|work(?:s|ed)? (?:for|at)) (?:the"
    r" )?(?P<name>[A-Z]{3,8}(?:-[A-Z]{1,3})?)(?![A-Za-z0-9-])"
)
_ENDS_WITH: Final = lazy_regex(
    r"(?P<name>[A-Z](?<![A-Za-z0-9-].)[A-Z]{2,7}(?:-[A-Z]{1,3})?)"
    r" (?:movement|militants?|leaders?hip|guerrillas?|headquarters|spokes(?:man|woman|person))(?![A-Za-z])"
)


class Institution(NamedTuple):
    """How many words an institution's name takes, and whether one of them tells it from others of its sort."""

    length: int
    proper: bool
    why: str


class Word(NamedTuple):
    """One word of a run: where it stands without a possessive ending, in small letters, with the marks of the lists."""

    start: int
    end: int
    low: str
    marks: int
    capitals: bool


def institution(words: Sequence[Word], place: int) -> Institution | None:
    """Return the company or institution that begins at a word, or None."""
    stop = _part(words, place)
    if stop == place or words[place].low in known.LINKS:
        return None
    head = _last_head(words, place, stop)
    if head < 0:
        return _joined_words(words, place, stop)
    company = words[head].low in known.COMPANY_ENDS and head > place
    while company and head + 1 < len(words) and words[head + 1].low in known.COMPANY_ENDS:
        head += 1
    end = head + 1
    if head == place and end < stop:
        end = _after_head(words, place, stop)
    elif end in (stop, len(words)) or words[end].low in known.LINKS:
        end = _with_links(words, end)
    elif (
        not company
        and not any(_proper(words, at, end) for at in range(place, end))
        and words[end].marks & (_COMMON | _SMALL) == 0
    ):
        end += 1  # HM Prison Ranby
    if end - place < 2:
        return None
    firm = company and words[head].low in known.FIRM_ENDS
    proper = firm or any(_proper(words, at, end) for at in range(place, end))
    return Institution(end - place, proper, "company-end" if company else "institution")


def _part(words: Sequence[Word], place: int) -> int:
    """Return the end of the words that stand together without a link."""
    stop = place
    while stop < min(len(words), place + _MOST) and words[stop].low not in known.LINKS:
        stop += 1
    return stop


def _last_head(words: Sequence[Word], place: int, stop: int) -> int:
    """Return where the last word stands that ends an institution's name; -1: none does."""
    return next((at for at in range(stop - 1, place - 1, -1) if words[at].low in _HEADS), -1)


def _after_head(words: Sequence[Word], place: int, stop: int) -> int:
    """Return the end of a name that its sort begins: Prison Ranby, Bank Austria."""
    following = words[place + 1]
    return place + 2 if not following.marks & (_COMMON | _OTHER) and not following.marks & int(Marks.GIVEN) else place


def _joined_words(words: Sequence[Word], place: int, stop: int) -> Institution | None:
    """Equality and Human Rights Commission: words up to "and" whose sort stands behind it."""
    if stop + 1 >= len(words) or words[stop].low not in ("and", "&") or stop - place > 2:
        return None
    if words[stop].low == "and" and any(
        word.marks & int(Marks.GIVEN | Marks.KNOWN_PLACE) for word in words[place:stop]
    ):
        return None
    behind = _part(words, stop + 1)
    head = _last_head(words, stop + 1, behind)
    if head < stop + 1 or words[head].low not in _HEADS or words[head].capitals:
        return None
    end = head + 1
    return Institution(end - place, any(_proper(words, at, end) for at in range(place, end)), "institution")


def _with_links(words: Sequence[Word], end: int) -> int:
    """The end with what stands behind "of" or "for": Court of First Instance, Chamber of the Izmir Assize Court."""
    for _ in range(3):
        if end >= len(words) or words[end].low not in ("of", "for"):
            return end
        start = end + 1 + (end + 1 < len(words) and words[end + 1].low == "the")
        stop = _part(words, start)
        if stop == start:
            return end
        head = _last_head(words, start, stop)
        end = head + 1 if head >= start else stop
        following = words[end : end + 2]
        if len(following) == 2 and following[0].low in ("and", "&") and not following[1].marks & _LISTED:
            tail = _part(words, end + 1)
            end = tail if all(word.marks & _COMMON for word in words[end + 1 : tail]) else end
    return end


def _proper(words: Sequence[Word], at: int, end: int) -> bool:
    word = words[at]
    if word.low in known.LINKS or word.low in _HEADS or word.low in known.GENERIC or word.low in known.FUNCTION_WORDS:
        return False
    if word.marks & _OTHER:
        return any(following.low in _OF_A_PEOPLE for following in words[at + 1 : end])
    if word.marks & _COMMON:
        if at + 1 < end and words[end - 1].low in known.NAMED_BY_WORDS:
            return word.low not in known.GENERIC_CARE  # Mercy General Hospital, but Law School
        # Grace Church, Reading Hospital: a name that is a word too, right before the sort.
        return bool(word.marks & _NAMES) and at + 1 < end and words[at + 1].low in known.INSTITUTIONS
    return len(word.low) > 2 and not (word.marks & _SMALL and not word.marks & _LISTED)


def small_end(text: str, end: int) -> int:
    """The end of a place's name with an institution's sort in small letters behind it: Wronki police station; or 0."""
    match = _SMALL_ENDS.match(text, end)
    return match.end() if match else 0


def glosses(text: str, spans: Sequence[Found], marks_of: Mapping[str, int]) -> Iterator[Found]:
    """Yield what stands in parentheses beside an institution: its short form, or its name in another language."""
    for span in spans:
        if span.kind == "person":
            continue
        match = _GLOSS.match(text, span.end)
        if match is not None:
            inner = match[1]
            words = inner.lower().replace("-", " ").split() or [""]
            foreign = not any(marks_of.get(word, 0) & _COMMON for word in words if len(word) > 3) and len(words[-1]) > 3
            if _ACRONYM.fullmatch(inner) or (foreign and span.kind == "organization"):
                yield Found(match.start(1), match.start(1) + len(inner.rstrip()), "organization", span.score, "gloss")
        before = _BEFORE_GLOSS.search(text, max(0, span.start - 24), span.start)
        if before is not None and span.kind == "organization":
            yield Found(before.start(), text.index(" (", before.start()), "organization", span.score, "gloss")


def find_acronyms(text: str) -> Iterator[Found]:
    """Organizations by capital letters alone, where what stands beside them tells that they are some."""
    for pattern in (_SPOKEN_OF, _ENDS_WITH):
        for match in matches(pattern, text):
            yield Found(*match.span("name"), "organization", 0.5, "cue")


ACRONYM_GATE: Final = with_words(
    "member members membership leader leaders leadership favour favor support supported supporting supporter supporters"
    " organization organizations organisation organisations propaganda behalf employed work works worked movement"
    " militant militants guerrillas headquarters spokesman spokeswoman spokesperson"
)
