"""A learned second opinion on capitalized words that no rule has evidence for: a linear model of hashed features."""

import hashlib
import lzma
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import starmap
from math import exp
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from textveil.detection import lists as known
from textveil.detection.found import Found
from textveil.detection.lists import DATA, Marks, lists, places
from textveil.detection.name_evidence import begins_order, modifies_thing, stands_as_word
from textveil.detection.people_in_records import is_plain_form
from textveil.errors import InputError
from textveil.json_text import json_file
from textveil.text.patterns import lazy_regex, matches

FILE: Final = "tagger.bin.xz"
RECORD: Final = "tagger.json"
VERSION: Final = 1
"""Version of the features: a file that was trained for another one is refused."""

KINDS: Final = ("", "person", "place", "organization")
"""The classes of the model, in order; the first is no name."""

WEAK: Final = 0.35
"""The highest score of a span without evidence."""

LEAST: Final = 0.5
LEAST_ORGANIZATION: Final = 0.9
"""The least probability of a name that no rule guesses."""
LEAST_PLACED: Final = 0.2
"""The least probability of a name behind a preposition of places."""
LEAST_GUESSED: Final = 0.02
"""The least probability of a name that a rule guesses."""
SURE: Final = 0.8
SURE_ORGANIZATION: Final = 0.9
SURE_CLINICAL: Final = 0.98
"""The least probability of a name that is no mere guess; higher in clinical texts, which are full of rare words."""
MOST_TOWN: Final = 0.9
"""The highest probability that a listed place is no name."""
PLACED: Final = 0.4
"""The score of a guess that is a listed place, or stands behind a preposition of places."""
PAIR: Final = 0.4
"""The score of two to four capitalized words that no list of words holds."""

_BIAS: Final = 128
_BITS: Final = 15
_FIELD: Final = (1 << _BITS) - 1
_SHIFTS: Final = tuple(_BITS * place for place in range(len(KINDS)))
"""A row's four weights are one whole number of 60 bits, so that one sum adds them all; 128 rows fit."""

_COMMON, _OTHER = int(Marks.COMMON), int(Marks.OTHER)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
CLINICAL: Final = "clinical"
_TOPICS: Final = tuple(
    (name, frozenset(words.encode().split()))
    for name, words in (
        (
            CLINICAL,
            """patient patients mg pain history daily denies exam symptoms diagnosis medication medications tablet
            bilateral noted chronic acute treatment blood chest surgery disease diabetes hypertension allergies normal
            swelling dose physical knee abdomen tenderness""",
        ),
        (
            "technical",
            """code function server error file files api database string python class method module return returns
            install config configuration query variable script json import deploy docker http git default
            parameter argument command object""",
        ),
        (
            "law",
            """court applicant judgment law article proceedings government appeal defendant plaintiff complaint
            convention prosecutor hearing lodged alleged pursuant""",
        ),
        ("messages", "lol u im dont gonna wanna omg haha rt ur thx pls yeah tonight"),
    )
)
"""Subjects of texts, and words that tell them."""

_CAPITALIZED: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9_@#].)(?:[A-Za-z]++|(?=-[A-Z][a-z]))(?:['-][A-Za-z]++){0,12}+(?![A-Za-z0-9_]|-[0-9])"
)
_RUN_BEHIND: Final = lazy_regex(r"(?:'s)?(?:\.? [A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+){0,5}+")
_RUN_BEFORE: Final = lazy_regex(r"(?: \.?[A-Za-z'-]{0,60}+(?<=[A-Z])(?![A-Za-z0-9])){0,5}+")
"""In a text that is read backward."""
_PAIR: Final = lazy_regex(
    r"[A-Z][a-z]{2,}(?:['-][A-Z]?[a-z]+)*(?: (?:(?:van|von|der|den|de|del|la|bin|al|el)[ -])*"
    r"(?:(?:Mc|Mac|O'|D')?[A-Z][a-z]{2,}(?:['-][A-Z]?[a-z]+)*)){1,3}"
)
_PIECES: Final = lazy_regex(r"[A-Za-z]+(?:['-][A-Za-z]+)*|[0-9]+|[^A-Za-z0-9 \t]")
_LETTERS: Final = bytes(
    [
        code if chr(code) in ascii_lowercase else ord("A") if chr(code) in ascii_uppercase else ord(" ")
        for code in range(256)
    ]
)
_EPONYM: Final = lazy_regex(rf"(?:'s)? (?:{'|'.join(sorted(known.MEDICAL_AFTER))})\b", re.IGNORECASE)
_VERSION: Final = lazy_regex(r" v(?:ersion )?[0-9]{1,4}\.[0-9]")
"""Behind a product: Veeam v4.1. Whole numbers may be those of somebody's draft."""
_BEFORE_PLACE: Final = lazy_regex(
    r"(?:(?P<sure>(?<=[a-z] )(?:at|near|outside|from|to|in)"
    r"|(?i:\b(?:ward|unit|branch|depot|clinic|hospital|facility|practice|surgery|school|college|station)) ?:) {1,4}"
    r"|(?<![a-z])(?:at|near|outside|from|to|in|into|around|across|via|visit(?:ed|ing)?|leaving|reached|between) "
    r"|[a-z], |\()\Z"
)
_NUMERALS: Final = frozenset("ii iii iv vi vii viii ix".split())  # noqa: SIM905
_JOINS: Final = frozenset((" ", ". ", "-", " & "))
_OPENINGS: Final = frozenset('.!?:;|"*-^\n(')
_WINDOW: Final = 40  # characters on each side that features look at


class Word(NamedTuple):
    """A capitalized word of a run: where it stands without a possessive ending, and in small letters."""

    start: int
    end: int
    low: str


class Tagger:
    """8-bit weights, a row of the classes for each hashed feature; ``scale`` is one unit in logarithms of odds."""

    def __init__(self, weights: NDArray[np.int8], scale: float) -> None:
        fields = (weights.astype(np.int64) + _BIAS) << (np.arange(len(KINDS)) * _BITS)
        self._packed: list[int] = fields.sum(axis=1).tolist()
        self._mask = len(weights) - 1
        self._scale = scale

    def sums(self, features: Sequence[str]) -> tuple[int, ...]:
        """Return the sum of the features' weights for each class: whole numbers, the same on every machine."""
        mask, packed = self._mask, self._packed
        pieces = "\0".join(features).encode("latin-1").split(b"\0")
        total = sum([packed[crc32(piece) & mask] for piece in pieces])
        least = _BIAS * len(pieces)
        return tuple([(total >> shift & _FIELD) - least for shift in _SHIFTS])

    def shares(self, sums: Sequence[int]) -> list[float]:
        """Sums as probabilities of the classes."""
        most = max(sums)
        powers = [exp((total - most) * self._scale) for total in sums]
        whole = sum(powers)
        return [power / whole for power in powers]


@cache
def tagger() -> Tagger:
    """Return the embedded model, read once; raise InputError if the file is not the one that was shipped."""
    packed = (DATA / FILE).read_bytes()
    record = json_file(DATA / RECORD)
    if hashlib.sha256(packed).hexdigest() != record["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    if record["version"] != VERSION:
        raise InputError(
            f"the embedded file {FILE} must have version {VERSION}; got {record['version']}. Install textveil again."
        )
    weights = np.frombuffer(lzma.decompress(packed), dtype=np.int8).reshape(-1, len(KINDS))
    return Tagger(weights, float(record["scale"]))


def words_of(text: str, offset: int = 0) -> Iterator[Word]:
    """Yield the capitalized words of a plain text, or of a part of it that begins at ``offset``."""
    for match in matches(_CAPITALIZED, text):
        yield word_at(offset + match.start(), match[0])


def word_at(start: int, written: str) -> Word:
    """Return a word that stands at a place, without a possessive ending."""
    bare = written.removesuffix("'s")
    return Word(start, start + len(bare), bare.lower())


def small_words(text: str) -> frozenset[bytes]:
    """Return the words that a plain text writes in small letters, and nothing that equals one."""
    return frozenset(text.encode("latin-1").translate(_LETTERS).split())


def topic_of(small: frozenset[bytes]) -> str:
    """Return what a text is about, by the words in it: the topic with most of its words, two at least; or none."""
    most, topic = 1, ""
    for name, words in _TOPICS:
        count = len(words & small)
        if count > most:
            most, topic = count, name
    return topic


def _shape(written: str) -> str:
    if written.isupper():
        return f"X{min(len(written), 6)}"
    rest = written[1:]
    if rest.islower():
        return "Xx" if rest.isalpha() else "Xx-x"
    return "XxX" if written.isalpha() else "Xx-X"


def features_of(text: str, word: Word, small: frozenset[bytes], topic: str, marks_of: Any) -> list[str]:
    """Return the features of a capitalized word: its letters, marks, neighbors and place in the run of capitals.

    ``small`` and ``topic`` are what ``small_words`` and ``topic_of`` give; the tool that trains hides some marks.
    """
    start, end, low = word
    before, behind = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    run_before, run_behind = _RUN_BEFORE.match(before[::-1]), _RUN_BEHIND.match(behind)
    first = len(before) - (run_before.end() if run_before else 0)
    last = run_behind.end() if run_behind else 0
    earlier, later = _PIECES.findall(before[first:]), _PIECES.findall(behind[:last])
    p3, p2, p1 = ["^", "^", "^", *_PIECES.findall(before[:first])][-3:]
    n1, n2, n3 = [*_PIECES.findall(behind[last:]), "$", "$", "$"][:3]
    l1, l2, m1 = p1.lower(), p2.lower(), n1.lower()
    opens = "s" if l1 in _OPENINGS else ""
    written = text[start:end]
    shape = _shape(written)
    marks, again = marks_of(low, 0), low.encode() in small
    left = earlier[-1].lower() if earlier else ""
    right = later[0].lower() if later else ""
    place = f"{min(len(earlier), 3)},{min(len(later), 3)}"
    here = "i" if earlier else opens
    return [
        f"w{low}", f"a{low[:2]}", f"A{low[:3]}", f"z{low[-2:]}", f"Z{low[-3:]}", f"y{low[-4:]}",
        f"s{shape},{here}", f"m{marks},{here}", f"M{marks},{shape},{again}", f"e{len(low)},{shape}", f"x{place},{here}",
        f"l{left}", f"r{right}", f"L{marks_of(left, 0)},{marks},{place}", f"R{marks_of(right, 0)},{marks},{place}",
        f"p{l1},{len(earlier)}", f"q{l2} {l1}", f"P{l1},{shape}", f"n{m1},{len(later)}",
        f"N{m1} {n2.lower()}", f"S{m1},{shape}",
        f"2{l2}", f"3{p3.lower()}", f"4{n2.lower()}", f"5{n3.lower()}", f"B{l1} {m1}",
        f"G{before[-1:]},{behind[:1]}", f"k{marks_of(l1, 0)},{p1[:1].isupper()}",
        f"K{marks_of(m1, 0)},{n1[:1].isupper()}",
        f"t{topic},{shape},{here}", f"T{topic},{marks}", f"u{topic},{low[-3:]}", f"U{topic},{l1}", f"V{topic},{m1}",
    ]  # fmt: skip


def tagged(text: str, rest: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans with the names that have no evidence judged by the model: kept, named otherwise, left out, or added.

    ``rest`` is the text with what the rules found covered.
    """
    kept: list[Found] = []
    guesses: list[Found] = []
    for span in spans:
        (guesses if span.score <= WEAK and span.kind in KINDS else kept).append(span)
    marks_of = lists().words.get
    capitalized = [(match.start(), match[0]) for match in matches(_CAPITALIZED, rest)]
    rare = [entry for entry in capitalized if not marks_of(entry[1].removesuffix("'s").lower(), 0) & _COMMON]
    others = [word for word in starmap(word_at, rare) if is_asked(word, marks_of)]
    others = [
        word
        for word in others
        if not begins_order(rest, word.end, firm=word.low in known.VERBS, plain=bool(marks_of(word.low, 0) & _PLAIN))
        and word.low not in _NUMERALS
        and not stands_as_word(rest, word.start, word.end, word.low)
        and not (marks_of(word.low, 0) & _PLAIN and modifies_thing(rest, word.start, word.end))
        and not _VERSION.match(text, word.end)
        and not _EPONYM.match(text, word.end)
    ]
    if not guesses and not others:
        return kept
    judge = _Judge(text)
    kept += [span for guess in guesses for span in judge.guess(guess)]
    kept += judge.names(others)
    kept.sort()
    return kept


def is_asked(word: Word, marks_of: Any) -> bool:
    """Return whether a word can be a name: no function word or title, no people or month, and no plain English word."""
    low = word.low
    marks = marks_of(low, 0)
    return not (
        marks & _OTHER
        or marks & (_COMMON | _NAMES) == _COMMON
        or (not marks and is_plain_form(low))
        or low in known.FUNCTION_WORDS
        or low in known.TITLES
        or low in known.INSTITUTIONS
        or low in known.GENERIC
        or word.end - word.start < 2
    )


def is_pair(written: str) -> bool:
    """Return whether a guess is two to four capitalized words, none of which is a word: Haruto Oyelaran."""
    words = _PAIR.fullmatch(written) and _CAPITALIZED.findall(written)
    lows = [word.lower() for word in words or ()]
    return len(lows) > 1 and not any(map(is_plain_form, lows))


class _Judge:
    def __init__(self, text: str) -> None:
        self._text = text
        self._model = tagger()
        self._marks_of = lists().words.get
        self._small = small_words(text)
        self._topic = topic_of(self._small)

    def _sums(self, word: Word) -> tuple[int, ...]:
        return self._model.sums(features_of(self._text, word, self._small, self._topic, self._marks_of))

    def guess(self, span: Found) -> Iterator[Found]:
        """Yield a guess of the rules, unless the model takes none of its words for a part of a name."""
        if _EPONYM.match(self._text, span.end) or self._modifies(span):
            return
        sums = [self._sums(word) for word in words_of(self._text[span.start : span.end], span.start)]
        shares = [1 - self._model.shares(word_sums)[0] for word_sums in sums]
        if not sums:
            yield span
            return
        pair = self._topic != CLINICAL and is_pair(self._text[span.start : span.end])
        if not pair and _VERSION.match(self._text, span.end):
            return
        if pair or max(shares) >= LEAST_GUESSED:
            name = self._name(span.start, span.end, sums, min(shares))
            if name.score <= WEAK:
                name = name._replace(kind=span.kind)
                name = name._replace(score=PAIR, why="pair") if pair else name
            yield name

    def _modifies(self, span: Found) -> bool:
        low = self._text[span.start : span.end].lower()
        return bool(self._marks_of(low, 0) & _PLAIN) and modifies_thing(self._text, span.start, span.end)

    def names(self, words: Sequence[Word]) -> Iterator[Found]:
        """Yield the names among words that no rule takes for one; neighbors are one name."""
        group: list[tuple[Word, float, tuple[int, ...]]] = []
        for word in words:
            sums = self._sums(word)
            none, person, place, organization = self._model.shares(sums)
            named = 1 - none >= (LEAST_ORGANIZATION if organization > person + place else LEAST)
            named = named or (none < MOST_TOWN and self._is_placed(word.start, word.end, sure=False))
            if group and not (named and self._text[group[-1][0].end : word.start] in _JOINS):
                yield self._grouped(group)
                group = []
            if named:
                group.append((word, 1 - none, sums))
        if group:
            yield self._grouped(group)

    def _grouped(self, group: Sequence[tuple[Word, float, tuple[int, ...]]]) -> Found:
        sums = [word_sums for _, _, word_sums in group]
        return self._name(group[0][0].start, group[-1][0].end, sums, min(share for _, share, _ in group))

    def _name(self, start: int, end: int, sums: Sequence[Sequence[int]], share: float) -> Found:
        total = [sum(column) for column in zip(*sums, strict=True)]
        kind = KINDS[max(range(1, len(KINDS)), key=total.__getitem__)]
        score = score_of(share, kind, self._topic)
        if score <= WEAK and self._is_placed(start, end, sure=share >= LEAST_PLACED):
            return Found(start, end, "place", PLACED, "tagger")
        return Found(start, end, kind, score, "tagger")

    def _is_placed(self, start: int, end: int, *, sure: bool) -> bool:
        """Return whether a name is placed: where only places stand, if ``sure``, or a listed place that is no word."""
        before = _BEFORE_PLACE.search(self._text, max(0, start - _WINDOW), start)
        if before is None or (sure and before["sure"]):
            return before is not None
        low = self._text[start:end].lower()
        return not self._marks_of(low, 0) and any(low.replace("-", " ") in listed for listed in places())


def score_of(share: float, kind: str, topic: str) -> float:
    """Return the score of a name of this probability and kind: that of a guess, unless it is sure."""
    sure = SURE_CLINICAL if topic == CLINICAL else SURE_ORGANIZATION if kind == "organization" else SURE
    return 0.3 if share < sure else 0.4 if share < 0.95 else 0.5
