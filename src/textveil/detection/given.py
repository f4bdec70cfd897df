"""Users' own patterns, words, values of a record to find, and lists of words to keep."""

import re
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from textveil.detection.kinds import OWN, checked_kind
from textveil.detection.lists import Marks, lists
from textveil.detection.spans import DetectedSpan, disjoint
from textveil.errors import ParameterError, need
from textveil.text.patterns import SLICE, lazy_regex, matches, words_of
from textveil.text.tokens import spelling

_UNSEEN: Final = "\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u036f"
_SIGNS: Final = r"\u3040-\u30ff\u3400-\u9fff"
TOKEN: Final = lazy_regex(
    rf"[A-Za-z0-9_]{{1,40}}+(?![A-Za-z0-9_]|[^\x00-\x7f])|(?:[^\W{_SIGNS}]++|[{_UNSEEN}]++)++|[{_SIGNS}]|[^\w\s]"
)
_PLAIN_TOKEN: Final = lazy_regex(r"\w++|[^\w\s]")
"""The same in a text of characters before ``_FIRST_ODD`` without soft hyphens; made and searched faster."""
_FIRST_ODD: Final = "\u0300"
_LONGEST_PATTERN: Final = 10_000
_UNBOUNDED: Final = 1_000  # a repeat of up to that many is taken for one without end

_PART: Final = 3  # letters that a part of a name has at least where it is looked for by itself

_DIGITS: Final = 6  # digits that a value has at least where it is looked for in other groupings


class PatternDetector:
    """Finds a regular expression's matches, all of one kind; the group ``value`` alone, if it has one.

    Python's ``re`` cannot be told to stop. A repeat within a repeat, neither with an end, is refused, since it can take
    time that doubles with each character; other slow patterns (two repeats after one another, alternatives that match
    the same) are not noticed, and take time in proportion to a power of the length of a document.

    Args:
        kind: one of ``kinds.KINDS`` or another name.
        pattern: in Python's syntax; matches of no characters are no spans.
        name: for reports.

    Raises ParameterError: the pattern does not compile, can match nothing at all, or repeats a repeat.
    """

    def __init__(self, kind: str, pattern: str, name: str = "pattern") -> None:
        self.name = name
        self.kinds = (checked_kind(kind),)
        self._pattern = checked_pattern(pattern)
        self._first = _first_character(self._pattern)
        self._group: int | str = "value" if "value" in self._pattern.groupindex else 0

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[DetectedSpan]:
        for match in matches(self._pattern, text) if self._first is None else self._begun(self._first, text):
            start, end = match.span(self._group)
            if start < end:
                yield DetectedSpan(start, end, self.kinds[0], 1.0, self.name)

    def _begun(self, first: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
        reached = 0
        for place in matches(first, text):
            match = self._pattern.match(text, place.start()) if place.start() >= reached else None
            if match is not None:
                reached = match.end()
                yield match


@lru_cache(maxsize=256)
def _first_character(pattern: re.Pattern[str]) -> re.Pattern[str] | None:
    """Return what a match begins with, if that is a digit or one of some characters; None if it may be another."""
    members: list[str] = []
    for operation, argument in import_module("re._parser").parse(pattern.pattern, pattern.flags):
        name, least = str(operation), 1
        parts = argument[1] if name == "BRANCH" else argument[-1:] if name == "SUBPATTERN" else None
        if name in ("ASSERT", "ASSERT_NOT", "AT") or (parts and all(part.getwidth()[1] == 0 for part in parts)):
            continue
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and len(argument[2]) == 1:
            least, (name, argument) = argument[0], (str(argument[2][0][0]), argument[2][0][1])
        for member, value in argument if name == "IN" else [(name, argument)]:
            if str(member) == "LITERAL":
                members.append(re.escape(chr(value)))
            elif str(member) == "CATEGORY" and str(value) == "CATEGORY_DIGIT":
                members.append(r"\d")
            else:
                return None
        if least:
            return re.compile(f"[{''.join(members)}]", pattern.flags)
    return None


def checked_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a user's regular expression; raise ParameterError as ``PatternDetector`` does."""
    need(
        isinstance(pattern, str) and 0 < len(pattern) <= _LONGEST_PATTERN,
        "pattern",
        "none, or a longer one",
        "a string",
    )
    try:
        compiled = re.compile(pattern)
        nested = _is_nested(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        place = f" at character {error.pos + 1}" if isinstance(error, re.error) and error.pos is not None else ""
        raise ParameterError(f"pattern must compile; it does not{place}. Correct it.") from None
    need(compiled.search("") is None, "pattern", "one that matches nothing at all", "one that needs a character")
    hint = "Make the inner repeat possessive (`++`, `*+`) or give it an end."
    need(not nested, "pattern", "a repeat within a repeat", "one whose time is bounded", hint)
    return compiled


@lru_cache(maxsize=256)
def _is_nested(pattern: str) -> bool:
    return _repeats_repeat(import_module("re._parser").parse(pattern), inside=False)


def _repeats_repeat(parsed: Any, *, inside: bool) -> bool:
    """Return whether a parsed pattern holds a repeat without end within another, neither possessive nor atomic."""
    for operation, argument in parsed:
        name = str(operation)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            endless = argument[1] >= _UNBOUNDED
            if (endless and inside) or _repeats_repeat(argument[2], inside=inside or endless):
                return True
            continue
        nested: Any = argument[-1:] if name == "SUBPATTERN" else argument[1] if name == "BRANCH" else ()
        if name in ("ASSERT", "ASSERT_NOT"):
            nested = [argument[1]]
        if any(_repeats_repeat(part, inside=inside) for part in nested):
            return True
    return False


def _placed(entry: str) -> tuple[str, str, str]:
    """Part an entry with a word in double brackets into what stands before, the word, and what stands behind."""
    before, opened, rest = entry.partition("[[")
    word, closed, after = rest.partition("]]")
    return (before, word, after) if opened and word and closed else ("", entry, "")


def _token_in(text: str) -> re.Pattern[str]:
    """Return what matches the tokens of a text."""
    return _PLAIN_TOKEN if text.isascii() else TOKEN


def token_key(token: str) -> str:
    """Return what two tokens share that count as one word, whatever their letter case."""
    return spelling(token) or token


class ListDetector:
    """Words and phrases that are of one kind wherever they stand, as whole words.

    Accents, marks that cannot be seen and the white space between words do not count. Time is linear in the text.

    Args:
        kind: one of ``kinds.KINDS`` or another name.
        words: what to look for; may be private, so no message and no ``repr`` holds it.
        ignore_case: whether "maria" finds "Maria" too. If not, an entry may say what stands around it, character by
            character: "asked [[Will]] to" finds Will there alone.
        name: for reports.

    Raises ParameterError: there is no entry, or one is blank.
    """

    def __init__(self, kind: str, words: Iterable[str], *, ignore_case: bool = True, name: str = "list") -> None:
        self.name = name
        self.kinds = (checked_kind(kind),)
        self._ignore_case = ignore_case
        self._phrases: dict[str, set[tuple[str, ...]]] = {}
        self._lengths: dict[str, list[int]] = {}
        self._around: dict[tuple[str, ...], set[tuple[str, str]]] = {}
        count = 0
        for count, entry in enumerate(words, start=1):
            plain = ignore_case or not isinstance(entry, str)
            before, word, after = ("", entry, "") if plain else _placed(entry)
            phrase = tuple(self._key(token[0]) for token in TOKEN.finditer(word)) if isinstance(word, str) else ()
            need(bool(phrase), "words", f"entry {count}: no text", "words and phrases")
            self._phrases.setdefault(phrase[0], set()).add(phrase)
            self._around.setdefault(phrase, set()).add((before, after))
        need(count > 0, "words", "none", "words and phrases")
        for first, phrases in self._phrases.items():
            self._lengths[first] = sorted({len(phrase) for phrase in phrases}, reverse=True)

    @property
    def phrases(self) -> frozenset[tuple[str, ...]]:
        """Return what it looks for anywhere, as it compares; entries that find the same are one. Private."""
        return frozenset([phrase for phrase, around in self._around.items() if ("", "") in around])

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [list(self._found(text)) for text in texts]

    def _key(self, token: str) -> str:
        if self._ignore_case:
            return token_key(token)
        decomposed = unicodedata.normalize("NFKD", token[:1000])
        return "".join(character for character in decomposed if unicodedata.category(character) not in ("Mn", "Cf"))

    def _found(self, text: str) -> Iterator[DetectedSpan]:
        tokens = list(_token_in(text).finditer(text))
        keys = [self._key(token[0]) for token in tokens]
        place = 0
        while place < len(keys):
            count = self._count(text, tokens, keys, place)
            if count:
                start, end = tokens[place].start(), tokens[place + count - 1].end()
                yield DetectedSpan(start, end, self.kinds[0], 1.0, self.name)
            place += max(1, count)

    def _count(self, text: str, tokens: Sequence[re.Match[str]], keys: list[str], place: int) -> int:
        """Return how many tokens the longest entry takes that begins at ``place``; 0 for none."""
        phrases = self._phrases.get(keys[place])
        if phrases is None:
            return 0
        start = tokens[place].start()
        for count in self._lengths[keys[place]]:
            phrase = tuple(keys[place : place + count])
            if phrase in phrases:
                end = tokens[place + count - 1].end()
                if any(text.endswith(b, 0, start) and text.startswith(a, end) for b, a in self._around[phrase]):
                    return count
        return 0


def value_spans(text: str, values: Iterable[tuple[str, str]], name: str = "record") -> list[DetectedSpan]:
    """Return where the values of a record's other columns stand in one of its texts.

    A name of several words is found in its parts too ("Maria Gonzalez" as "Gonzalez"; parts that are common words only
    with a capital), a value of six digits or more in any grouping.

    Args:
        text: any.
        values: each with its kind; blank ones are passed over.
        name: what reports call the detector.

    Raises ParameterError: a kind is no name of one.
    """
    spans: list[DetectedSpan] = []
    for value, kind in values:
        checked_kind(kind)
        if not value.strip() or TOKEN.search(value) is None:
            continue
        spans += ListDetector(kind, [value], name=name).detect([text])[0]
        digits = re.findall(r"\d", value)
        if len(digits) >= _DIGITS:
            grouped = re.compile(r"(?<!\d)" + r"[ .()/-]{0,3}".join(map(re.escape, digits)) + r"(?!\d)")
            spans += [DetectedSpan(*match.span(), kind, 1.0, name) for match in grouped.finditer(text)]
        elif kind in ("person", "organization") and (parts := _parts(value)):
            for span in ListDetector(kind, parts, name=name).detect([text])[0]:
                part = text[span.start : span.end]
                if part[:1].isupper() or not lists().words.get(spelling(part), 0) & (Marks.COMMON | Marks.SMALL):
                    spans.append(span)
    return disjoint(spans)


def _parts(value: str) -> list[str]:
    words = [token[0] for token in TOKEN.finditer(value)]
    return [word for word in words if len(word) >= _PART and word[0].isalpha()] if len(words) > 1 else []


_DATA: Final = Path(__file__).parent / "data" / "keep"
SHIPPED: Final = tuple(sorted(file.stem for file in _DATA.glob("*.txt")))
"""Public lists that come with the package."""
Keeps: TypeAlias = Callable[[DetectedSpan], bool]
"""Tells whether a span of one text stays."""
_LINKS: Final = frozenset((*"&,/-+.", "and", "or", "of", "the", "with", "on", "for", "vs"))
"""Matches the characters that may part two kept phrases of one span."""
_WORD: Final = 40  # characters of a word, for the window in which phrases are looked for
_NEAR: Final = 64  # characters before a span that mostly hold a token that is on no list
_GUESSES: Final = frozenset(("", "list", "guess", "shape", "tagger", "verb", "pair"))
"""Evidence for a name that a public list outweighs; a title before it, a cue or a label goes first."""
_SURE: Final = 0.75


@cache
def shipped_words(name: str) -> tuple[str, ...]:
    """Return the phrases of a public list; raise ParameterError if there is none of that name."""
    need(name in SHIPPED, "shipped", repr(name)[:60], f"among {', '.join(SHIPPED)}")
    lines = (_DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple([word for line in lines if not line.startswith("#") for word in line.strip().split("; ") if word])


class KeepList:
    """Words and phrases that stay, as whole words in any letter case.

    Args:
        words: at least one.
        kind: of the spans that stay; empty is any.
        public: whether the list comes with the package. A name with evidence of its own, such as a title before it, is
            then no entry of the list, unless an entry goes on beside it (Mr Kipling); capitals count where an entry has
            nothing else ("BERT"); and numbers and secrets are drawn as elsewhere.
    """

    def __init__(self, words: Iterable[str], *, kind: str = "", public: bool = False) -> None:
        self._kind, self.public = kind, public
        self.of_numbers = not public and kind in ("", "number")
        entries: dict[str, tuple[str, ...]] = {}
        wanted = tuple(dict.fromkeys(words))
        accented = [
            word for word in wanted if not word.isascii() and max(word) < _FIRST_ODD and word.replace(" ", "").isalnum()
        ]
        # Spelled at once: shipped lists have over a hundred.
        spelled = zip(accented, spelling("\n".join(accented)).split("\n"), strict=True) if accented else ()
        of_letters = {word: tuple(parts.split()) for word, parts in spelled}
        for word in wanted:
            low = word.lower()
            if word.isascii():
                entries[word] = tuple(low.split() if low.replace(" ", "").isalnum() else _PLAIN_TOKEN.findall(low))
            elif word in of_letters and len(of_letters[word]) == len(word.split()):
                entries[word] = of_letters[word]
            else:
                plain = max(word) < _FIRST_ODD and "\xad" not in word
                entries[word] = tuple(map(token_key, (_PLAIN_TOKEN if plain else TOKEN).findall(word)))
        self._capitals = frozenset([entry for word, entry in entries.items() if public and word.isupper()])
        self.phrases = frozenset(filter(None, entries.values()))
        need(bool(self.phrases), "words", "none", "words and phrases")
        self._words = frozenset(chain.from_iterable(self.phrases))
        self._goes_on = _LINKS.union(*[phrase[1:] for phrase in self.phrases if len(phrase) > 1])
        self._longest = max(map(len, self.phrases))
        lengths: dict[str, set[int]] = {}
        self._several: dict[str, list[tuple[str, ...]]] = {}  # phrases of several words, by each of them
        for phrase in self.phrases:
            if len(phrase) > 1:
                lengths.setdefault(phrase[0], set()).add(len(phrase))
                for word in phrase:
                    self._several.setdefault(word, []).append(phrase)
        self._lengths = {
            first: (*sorted(several, reverse=True), *((1,) if (first,) in self.phrases else ()))
            for first, several in lengths.items()
        }

    def keeping(self, text: str) -> Keeps:
        """Return what stays of a text."""
        return lambda span: self._may_stay(span) and self._holds(text, span)

    def _may_stay(self, span: DetectedSpan) -> bool:
        if self.public and (span.kind in ("number", "secret") or (span.kind == "place" and span.why == "gloss")):
            return False
        return not self._kind or span.kind == self._kind

    def _holds(self, text: str, span: DetectedSpan) -> bool:
        start, first, key = _first_token(text, span.start)
        if key not in self._words or not self._has_phrase(text, key, span):
            return False
        reach, tokens_of = self._longest * _WORD, _token_in(text)
        # A word that only begins entries is kept by an entry that begins there, or not at all.
        begins = first > span.start and key not in self._goes_on and not _evident(span)
        for back in (0,) if begins else (_NEAR, reach):
            begin = _word_start(text, max(0, start - back)) if back else start
            # Words of entries in a row, up to the span: none goes over another word.
            tokens: deque[tuple[re.Match[str], str]] = deque()
            at = behind = 0
            whole = begin == 0
            for token in tokens_of.finditer(text, begin, min(len(text), span.end + reach)):
                key = token_key(token[0])
                before = token.end() <= span.start
                if key not in self._words and key not in _LINKS:
                    if not before:
                        if token.start() < span.end:
                            return False
                        break
                    tokens.clear()
                    at, whole = 0, whole or token.start() > begin  # what stands first may be the end of a word
                    continue
                tokens.append((token, key))
                if before:
                    at += 1
                    if at == self._longest:
                        tokens.popleft()
                        at -= 1
                behind += token.start() >= span.end
                if behind == self._longest:  # no phrase that reaches the span goes further
                    break
            if whole:
                break
        return self._kept([token for token, _ in tokens], [key for _, key in tokens], at, span)

    def _has_phrase(self, text: str, key: str, span: DetectedSpan) -> bool:
        """Return whether a phrase with this word may stand there: all its words are near, or the word links others."""
        if (key,) in self.phrases or key in _LINKS or not text.isascii():
            return True
        if len(text) > SLICE:
            reach = (self._longest + 1) * _WORD
            text = text[max(0, span.start - reach) : span.end + reach]
        words = words_of(text)
        return any(all(word in words or not word.isalpha() for word in phrase) for phrase in self._several[key])

    def _kept(self, tokens: Sequence[re.Match[str]], keys: Sequence[str], at: int, span: DetectedSpan) -> bool:
        for place in range(at + 1):
            count = self._covered(tokens, keys, place, span.end)
            if count > at - place:
                within = place == at and tokens[place + count - 1].end() <= span.end and span.why != "mention"
                return not (self.public and (count == 1 or within) and _evident(span))
        return False

    def _covered(self, tokens: Sequence[re.Match[str]], keys: Sequence[str], place: int, end: int) -> int:
        """Return how many tokens from one on are kept phrases and what links them, up to an end at least; 0 if not."""
        reached = place
        while reached < len(tokens) and (reached == place or tokens[reached].start() < end):
            lengths = (n for n in self._lengths.get(keys[reached], (1,)) if n <= len(keys) - reached)
            count = next((n for n in lengths if self._listed(tokens, keys, reached, n)), 0)
            if not count and not (reached > place and keys[reached] in _LINKS):
                return 0
            reached += count or 1
        return reached - place if reached > place and tokens[reached - 1].end() >= end else 0

    def _listed(self, tokens: Sequence[re.Match[str]], keys: Sequence[str], place: int, count: int) -> bool:
        phrase = tuple(keys[place : place + count])
        if phrase not in self.phrases:
            return False
        return phrase not in self._capitals or "".join(token[0] for token in tokens[place : place + count]).isupper()


@lru_cache(maxsize=2)  # each list asks for each span
def _first_token(text: str, place: int) -> tuple[int, int, str]:
    """Return where the token begins and ends that reaches ``place``, and what it shares with entries."""
    start = _word_start(text, place)
    # No entry has so long a word; a longer one would be read again for each span in it.
    first = _token_in(text).match(text, start, min(len(text), start + 2 * _WORD))
    return (start, start, "") if first is None else (start, first.end(), token_key(first[0]))


def _evident(span: DetectedSpan) -> bool:
    return span.kind == "person" and (span.why not in _GUESSES or (not span.why and span.score >= _SURE))


def _word_start(text: str, place: int) -> int:
    first = max(0, place - _WORD)
    while place > first and (text[place - 1].isalnum() or text[place - 1] == "_"):
        place -= 1
    return place


class KeepPattern:
    """Keeps the matches of a regular expression.

    Args:
        regex: in Python's syntax.
        kind: of the spans that stay; empty is any.

    Raises:
        ParameterError: see ``checked_pattern``; or it keeps all values of a kind.
    """

    def __init__(self, regex: str, *, kind: str = "") -> None:
        self._pattern, self._kind = checked_pattern(regex), kind
        self.of_numbers = kind in ("", "number")
        for probed in OWN:
            whole = kind in ("", probed.name) and bool(probed.values) and all(map(self._keeps_value, probed.values))
            hint = f"To keep all of a kind, write keep = true in the rule for {probed.name}."
            need(not whole, "regex", f"one that keeps every {probed.name}", "one that keeps some values", hint)

    def _keeps_value(self, value: str) -> bool:
        text = f"Then {value} came"
        return any(match.start() <= 5 and match.end() >= 5 + len(value) for match in self._pattern.finditer(text))

    def keeping(self, text: str) -> Keeps:
        """Return what stays of a text, which is searched for the first span that may."""
        return _staying(text, self._kind, lambda: (match.span() for match in matches(self._pattern, text)))


class KeepWritten:
    """Words and phrases stay where they are written with these letters, in these places if an entry names one.

    ``words``: as ``ListDetector`` takes them if case counts; ``kind``: of the spans that stay; empty is any.
    """

    def __init__(self, words: Iterable[str], *, kind: str = "") -> None:
        self._detector, self._kind = ListDetector("kept", words, ignore_case=False), kind
        self.of_numbers = kind in ("", "number")
        self.phrases = self._detector.phrases

    def keeping(self, text: str) -> Keeps:
        """Return what stays of a text, which is searched for the first span that may."""
        return _staying(text, self._kind, lambda: (span[:2] for span in self._detector.detect([text])[0]))


def _staying(text: str, kind: str, places: Callable[[], Iterable[tuple[int, int]]]) -> Keeps:
    marks: list[bytearray] = []

    def stays(span: DetectedSpan) -> bool:
        if kind and span.kind != kind:
            return False
        if not marks:
            marks.append(bytearray(len(text) + 1))
            for start, end in places():
                marks[0][start:end] = b"\1" * (end - start)
                marks[0][start] = 2  # where another match begins
        inside = span.end - span.start - 1
        return bool(marks[0][span.start]) and marks[0].count(1, span.start + 1, span.end) == inside

    return stays
