"""Spans of texts by policy: what detectors find of the kinds that have a rule, and all numbers outside.

A text whose words are kept is read through its escapes first (``text.escapes``): what is found in it as it is read is
found where it is written. Where what looks like an escape may be none, it is also read as it stands; and beside that as
quoted-printable has it. What is written in base64 or hexadecimal digits (``text.no_text``) is searched too, and is a
span as a whole if something is found in it, or if it cannot be read.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from textveil.cuts import between, held_by
from textveil.detection.found import plain
from textveil.detection.given import KeepList, KeepPattern, KeepWritten, value_spans
from textveil.detection.kinds import ENCODED, OTHER_LANGUAGE
from textveil.detection.languages import FIT, language_of, unfit
from textveil.detection.lists import LANGUAGES, ordinary_words
from textveil.detection.spans import DetectedSpan, Detector, checked_spans, covering, disjoint
from textveil.errors import InputError, need
from textveil.sanitize.policy.policy import OtherLanguages
from textveil.text.escapes import BORDER, DEEPEST, Reading, is_in_header_word, quoted_printable, read, unquoted
from textveil.text.no_text import encoded_runs
from textveil.text.numbers import number_places
from textveil.text.patterns import lazy_regex, matches

if TYPE_CHECKING:
    from textveil.detection.mentions import CarriedPersons

NUMBERS: Final = "digits"  # the name of what finds numbers
_QUOTED: Final = "quoted-printable"  # the name of what finds values in a text as quoted-printable has it
_NAME: Final = re.compile(r"[^\W\d_]+")
_GOES_ON: Final = re.compile(r" [A-Z0-9]")
_CONTACTS: Final = ("email", "phone", "handle", "id")
_BETWEEN: Final = 3  # characters at most between a name and the contact of its bearer
_WITHIN: Final = 3
"""So often something encoded within something encoded is read; deeper it is taken for what nobody can read."""

_HEADING: Final = re.compile(r"</?[hH]([1-6])(?=[\s/>])")
"""The digits of these tags are markup, as their letters are: if words are kept, they are no numbers."""

GUESS: Final = "guess, not drawn"
"""The detector of spans that only seem to be of their kind: their score is too low, and they stay as they are."""

LAST: Final = "last pattern"  # the name of patterns that rank behind the detectors
PERSON: Final = "person"
CARRIED: Final = "carried"  # the name of what finds persons whom an earlier text of a conversation names
_CODE_NUMBER: Final = "code-number"
RECORD: Final = "record"  # the name of what finds values of a text's record
RecordValues: TypeAlias = Sequence[tuple[str, str]]  # values of other columns of a text's record, each with its kind
Keeper: TypeAlias = KeepList | KeepPattern | KeepWritten  # what stays whatever detectors find in it


class SpanFinder:
    """Finds spans of which no two share a character.

    Args:
        detectors: by rank, which decides between spans of one length (``detection.spans``).
        drawn: kinds of the spans that are wanted and replaced.
        kept: kinds of the spans that are wanted and stay: a span of them never hides one that is replaced. Spans of
            other kinds are as if they had not been found.
        numbers: whether every group of digits that lies in no other span is a span of the kind number.
        stands_for: kinds of detectors' spans that are taken for another kind.
        scored: those of the detectors whose spans need a score.
        min_scores: by kind, the score that their spans need; 0 if none is given.
        keepers: what stays whatever is found in it, but for what ``firm`` detectors and records find.
        other_languages: what happens to documents in languages without rules; they are masked by a span of the kind
            ``OTHER_LANGUAGE``.
    """

    def __init__(
        self,
        detectors: Sequence[Detector],
        drawn: Collection[str],
        kept: Collection[str],
        *,
        numbers: bool,
        escapes: bool = False,
        stands_for: Mapping[str, str] = MappingProxyType({}),
        scored: Sequence[Detector] = (),
        min_scores: Mapping[str, float] = MappingProxyType({}),
        keepers: Sequence[Keeper] = (),
        firm: Sequence[Detector] = (),
        other_languages: OtherLanguages = "warn",
    ) -> None:
        self._other_languages = other_languages
        self._warns = [detector.name for detector in scored] == ["embedded"] and other_languages == "warn"
        self._keepers = tuple(keepers)
        self._firm = frozenset((RECORD, ENCODED, *(detector.name for detector in firm)))
        self._detectors = tuple(detectors)
        needed = {kind: score for kind, score in min_scores.items() if score > 0}
        self._needed = [needed if any(detector is other for other in scored) else {} for detector in detectors]
        self._guesses = any(self._needed)
        self._order = [detector.name for detector in detectors]
        self._drawn, self._kept = frozenset(drawn), frozenset(kept)
        self._numbers = numbers
        self._escapes = escapes
        self._stands_for = stands_for

    def readings(self, texts: Sequence[str], first: int = 1) -> list[Reading]:
        """Texts as they are read.

        ``texts``: private texts. Raises InputError: one of them has escapes in escapes, too many to read.
        """
        if not self._escapes:
            return [Reading(text) for text in texts]
        readings = [read(text) for text in texts]
        for number, reading in enumerate(readings, start=first):
            if not reading.whole:
                raise InputError(
                    f"document {number} must have at most {DEEPEST} layers of escapes; got more. Decode it first."
                )
        return readings

    def found(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """Find the spans of each text, by start; see ``found_in``."""
        return self.found_in(self.readings(texts))

    def found_in(
        self, readings: Sequence[Reading], first: int = 1, values: Sequence[RecordValues] | None = None
    ) -> list[list[DetectedSpan]]:
        """Find the spans of each text without guesses; see ``found_or_guessed``."""
        return [sure(spans) for spans in self.found_or_guessed(readings, first, values)]

    def found_or_guessed(
        self, readings: Sequence[Reading], first: int = 1, values: Sequence[RecordValues] | None = None
    ) -> list[list[DetectedSpan]]:
        """Find the spans of each text, by start, in characters of the text as it is written; and guesses beside them.

        ``readings``: of private texts; ``values``: for each text, values of its record that are found in it too; they
        rank before all detectors. Raises InputError: a detector's answer is no list of spans for each text
        (``detection.spans``); or a text is in a language without rules, and such texts are refused; ParameterError:
        words stay, and a value is of a kind without a rule.
        """
        if self._other_languages != "warn":
            return self._found_by_language(readings, first, values)
        return self._found_in(readings, first, values)

    @property
    def draws_persons(self) -> bool:
        return self._stands_for.get(PERSON, PERSON) in self._drawn

    def with_carried(
        self,
        text: str,
        spans: Sequence[DetectedSpan],
        persons: Sequence[str],
        carried_persons: "CarriedPersons | None" = None,
    ) -> list[DetectedSpan]:
        """Return the spans of a text with mentions of persons whom earlier texts named (``carried_mentions``).

        ``text``: private; ``spans``: of the text, as ``found`` gives them; ``persons``: private, in plain form;
        ``carried_persons``: of the conversation.
        """
        from textveil.detection.mentions import carried_mentions

        (reading,) = self.readings([text])
        read, language = plain(reading.text), language_of(text)
        ordinary = ordinary_words(language) if language in LANGUAGES else frozenset()
        taken = held_by(text, spans)
        keeps = [keeper.keeping(reading.text) for keeper in self._keepers]
        kind, carried = self._stands_for.get(PERSON, PERSON), []
        for mention in carried_mentions(read.text, persons, ordinary, carried_persons):
            found = DetectedSpan(*read.original(mention.start, mention.end), kind, mention.score, CARRIED)
            start, end = reading.written(found.start, found.end)
            if 1 not in taken[start:end] and not any(keep(found) for keep in keeps):
                carried.append(found._replace(start=start, end=end))
        return sorted([*spans, *carried])

    def in_context(
        self, text: str, spans: Sequence[DetectedSpan], start: int, around: Sequence[DetectedSpan]
    ) -> list[DetectedSpan]:
        """Return the spans of a text with what is drawn in it where it stands in a longer one, from ``start`` on.

        ``spans``: of the text alone; ``around``: of the longer text.
        """
        met = [
            span._replace(start=max(span.start - start, 0), end=min(span.end - start, len(text)))
            for span in around
            if span.kind in self._drawn and span.start < start + len(text) and span.end > start
        ]
        if not (met := [span for span in met if any(map(str.isalnum, text[span.start : span.end]))]):
            return list(spans)
        drawn = covering(text, [*(span for span in spans if span.kind in self._drawn), *met], self._order)
        taken = held_by(text, drawn)
        rest = (span for span in spans if span.kind not in self._drawn and 1 not in taken[span.start : span.end])
        return sorted([*drawn, *rest])

    def unread(self, text: str) -> bool:
        """Tell whether to warn: only the embedded detector reads the text, and has no rules for its language."""
        return self._warns and unfit(text)

    def _found_by_language(
        self, readings: Sequence[Reading], first: int, values: Sequence[RecordValues] | None
    ) -> list[list[DetectedSpan]]:
        others = [unfit(reading.source) for reading in readings]
        if self._other_languages == "refuse" and any(others):
            raise InputError(
                f"document {first + others.index(True)} must be in a language that detection has rules for "
                f"({', '.join(FIT)}); it is in another. Leave it out, or set other_languages in the policy."
            )
        spans = self._found_in(readings, first, values)
        for place, reading in enumerate(readings):
            if others[place]:
                spans[place] = [DetectedSpan(0, len(reading.source), OTHER_LANGUAGE, 1.0, "language")]
        return spans

    def _found_in(
        self, readings: Sequence[Reading], first: int, values: Sequence[RecordValues] | None, depth: int = 0
    ) -> list[list[DetectedSpan]]:
        answers = self._answers([reading.text for reading in readings], first, values)
        places = [place for place, reading in enumerate(readings) if reading.doubtful]
        sources = [readings[place].source.replace(BORDER, "\n") for place in places]
        own = None if values is None else [values[place] for place in places]
        written = dict(zip(places, self._answers(sources, first, own), strict=True))
        if self._escapes:
            answers = [
                [*answer, *quoted, *encoded]
                for answer, quoted, encoded in zip(
                    answers,
                    self._quoted(readings, first, values),
                    self._encoded(readings, first, values, depth),
                    strict=True,
                )
            ]
        return [
            self._of_one(reading, answer, written.get(place, ()))
            for place, (reading, answer) in enumerate(zip(readings, answers, strict=True))
        ]

    def _quoted(
        self, readings: Sequence[Reading], first: int, values: Sequence[RecordValues] | None
    ) -> list[list[DetectedSpan]]:
        """Find spans in texts decoded as quoted-printable, over an escape of it: in characters of the readings."""
        found: list[list[DetectedSpan]] = [[] for _ in readings]
        decoded = {place: quoted_printable(reading) for place, reading in enumerate(readings)}
        there = {place: reading for place, reading in decoded.items() if reading is not None}
        own = None if values is None else [values[place] for place in there]
        answers = self._answers([reading.text for reading in there.values()], first, own)
        for (place, reading), answer in zip(there.items(), answers, strict=True):
            plain = readings[place]
            for span in sure(answer):
                # An escape beside a value hides it where the text is read as it stands ("Mr=20Abernathy").
                around = max(span.start - 1, 0), min(span.end + 1, len(reading.text))
                start, end = reading.written(*around)
                if plain.text[plain.inner(start)[0] : plain.inner(end)[1]] == reading.text[slice(*around)]:
                    continue
                start, end = reading.written(span.start, span.end)
                start, end = plain.inner(start)[0], plain.inner(end)[1]
                if start < end:
                    found[place].append(span._replace(start=start, end=end, detector=_QUOTED))
        return found

    def _encoded(
        self, readings: Sequence[Reading], first: int, values: Sequence[RecordValues] | None, depth: int
    ) -> list[list[DetectedSpan]]:
        if ENCODED not in self._drawn:
            return [[] for _ in readings]
        runs = [(place, run) for place, reading in enumerate(readings) for run in encoded_runs(reading.text)]
        readable = [(place, run) for place, run in runs if run.plain is not None and depth < _WITHIN]
        inner = [read(run.plain or "") for _, run in readable]
        own = None if values is None else [values[place] for place, _ in readable]
        holds = {
            (place, run.start): any(span.kind in self._drawn for span in sure(spans))
            for (place, run), spans in zip(readable, self._found_in(inner, first, own, depth + 1), strict=True)
        } if readable else {}  # fmt: skip
        found: list[list[DetectedSpan]] = [[] for _ in readings]
        for place, run in runs:
            if holds.get((place, run.start), True):
                found[place].append(DetectedSpan(run.start, run.end, ENCODED, 1.0, ENCODED))
        return found

    def _answers(
        self, texts: Sequence[str], first: int, values: Sequence[RecordValues] | None
    ) -> list[list[DetectedSpan]]:
        if not texts:
            return []
        answers = [
            _evident(self._renamed(checked_spans(detector, texts, first)), needed)
            for detector, needed in zip(self._detectors, self._needed, strict=True)
        ]
        if values is not None:
            self._need_ruled(kind for own in values for _, kind in own)
            own_spans = [value_spans(text, own, RECORD) for text, own in zip(texts, values, strict=True)]
            answers.insert(0, self._renamed(own_spans))
        return [list(chain.from_iterable(answer[place] for answer in answers)) for place in range(len(texts))]

    def _need_ruled(self, kinds: Iterable[str]) -> None:
        """Refuse values of a kind without a rule if words stay: the value itself would stay."""
        ruled = self._drawn | self._kept | self._stands_for.keys() | ({"number"} if self._numbers else frozenset())
        unruled = next((kind for kind in kinds if self._escapes and kind not in ruled), None)
        need(unruled is None, "values", f"one of kind {unruled}", "of kinds that the policy has a rule for", "Add one.")

    def _renamed(self, answers: list[list[DetectedSpan]]) -> list[list[DetectedSpan]]:
        if not self._stands_for:
            return answers
        kind_of = self._stands_for
        return [[span._replace(kind=kind_of.get(span.kind, span.kind)) for span in spans] for spans in answers]

    def _of_one(
        self, reading: Reading, answer: Sequence[DetectedSpan], written: Sequence[DetectedSpan]
    ) -> list[DetectedSpan]:
        """The spans of one text. ``written``: what was found as it stands, if that is something else."""
        order = [RECORD, *self._order]
        text = reading.text
        candidates = [*answer, *_as_read(reading, answer, written)]
        guesses: list[DetectedSpan] = []
        keeps = [keeper.keeping(text) for keeper in self._keepers] if self._keepers else []
        if keeps:
            candidates = self._not_kept(text, candidates, keeps)
        if self._guesses:
            guesses = [span for span in candidates if span.detector == GUESS and span.kind in self._drawn]
            candidates = sure(candidates)
        if _CODE_NUMBER in self._kept and any(span.detector == LAST for span in candidates):
            candidates = _outside_code(text, candidates)
        spans = covering(text, (span for span in candidates if span.kind in self._drawn), order)
        if self._kept:
            taken = held_by(text, spans)
            kept = (span for span in candidates if span.kind in self._kept and taken.find(1, span.start, span.end) < 0)
            spans = [*spans, *disjoint(kept, order)]
        if self._numbers:
            numbers = list(_numbers_outside(text, sorted(spans)))
            if self._escapes and "<" in text and numbers:
                heads = {match.start(1) for match in matches(_HEADING, text)}
                numbers = [span for span in numbers if span.start not in heads]
            counted = [keep for keeper, keep in zip(self._keepers, keeps, strict=True) if keeper.of_numbers]
            numbers = [span for span in numbers if not any(keep(span) for keep in counted)] if counted else numbers
            spans += _whole_words(text, numbers, spans) if numbers and self._drawn >= {"id", "number"} else numbers
        if guesses:
            spans += _apart(guesses, spans)
        if not reading.escaped:
            return sorted(spans)
        ends = ((span, *reading.written(span.start, span.end)) for span in sorted(spans))
        return [span._replace(start=start, end=end) for span, start, end in ends]

    def _not_kept(
        self, text: str, candidates: Sequence[DetectedSpan], keeps: Sequence[Callable[[DetectedSpan], bool]]
    ) -> list[DetectedSpan]:
        """Return what no list keeps.

        A public list keeps nobody who is drawn elsewhere (Wendy, and Wendy's hens), or whose contact stands behind.
        """
        drawn = [self._stands(span) or not any(keep(span) for keep in keeps) for span in candidates]
        if all(drawn):
            return list(candidates)
        near = {span.start - gap for span in candidates if span.kind in _CONTACTS for gap in range(_BETWEEN + 1)}
        drawn = [goes or (_is_person(span) and span.end in near) for span, goes in zip(candidates, drawn, strict=True)]
        pairs = zip(self._keepers, keeps, strict=True)
        own = [keep for keeper, keep in pairs if not (isinstance(keeper, KeepList) and keeper.public)]
        names = frozenset(
            chain.from_iterable(_names_in(text, span) for span in compress(candidates, drawn) if _is_person(span))
        )
        return [
            span
            for span, goes in zip(candidates, drawn, strict=True)
            if goes
            or (
                _is_person(span)
                and names.issuperset(_names_in(text, span))
                and not _GOES_ON.match(text, span.end)  # a Ford Fiesta
                and not any(keep(span) for keep in own)
            )
        ]

    def _stands(self, span: DetectedSpan) -> bool:
        """Tell whether nothing keeps a span: the user's own lists or patterns found it, or its kind stays anyway."""
        return span.detector in self._firm or span.kind not in self._drawn


def _is_person(span: DetectedSpan) -> bool:
    return span.kind == PERSON and span.detector != GUESS


def _names_in(text: str, span: DetectedSpan) -> list[str]:
    return _NAME.findall(text[span.start : span.end].casefold().removesuffix("'s"))


def value_in(reading: Reading, span: DetectedSpan) -> str:
    """Return the value of a span, as it is read."""
    value = reading.value(span.start, span.end)
    if span.detector != _QUOTED:
        return value
    spaced = is_in_header_word(reading.text, reading.inner(span.start)[0])
    return unquoted(value).replace("_", " ") if spaced else unquoted(value)


def _evident(answers: list[list[DetectedSpan]], needed: Mapping[str, float]) -> list[list[DetectedSpan]]:
    if not needed:
        return answers
    return [
        [span if span.score >= needed.get(span.kind, 0.0) else span._replace(detector=GUESS) for span in spans]
        for spans in answers
    ]


def sure(spans: Iterable[DetectedSpan]) -> list[DetectedSpan]:
    """Return the spans without guesses."""
    return [span for span in spans if span.detector != GUESS]


def _apart(guesses: Iterable[DetectedSpan], spans: Iterable[DetectedSpan]) -> Iterator[DetectedSpan]:
    """Yield the guesses that share no character with a span or an earlier guess."""
    taken = sorted((span.start, span.end) for span in spans)
    end = 0
    for guess in sorted(guesses):
        at = bisect_left(taken, (guess.end,))
        if guess.start >= max(end, taken[at - 1][1] if at else 0):
            yield guess
            end = guess.end


def _outside_code(text: str, candidates: Sequence[DetectedSpan]) -> list[DetectedSpan]:
    """Return the spans, those of last patterns without what lies in a number of code: a digest, an error code."""
    code = sorted(span for span in candidates if span.kind == _CODE_NUMBER)
    kept = []
    for span in candidates:
        inside = [] if span.detector != LAST else [one for one in code if one.start < span.end and span.start < one.end]
        starts = [span.start, *(one.end for one in inside)]
        ends = [*(one.start for one in inside), span.end]
        parts = [pair for pair in zip(starts, ends, strict=True) if any(map(str.isalnum, text[pair[0] : pair[1]]))]
        kept += [span._replace(start=start, end=end) for start, end in parts] if inside else [span]
    return kept


def _as_read(
    reading: Reading, answer: Sequence[DetectedSpan], written: Sequence[DetectedSpan]
) -> Iterator[DetectedSpan]:
    r"""Yield what was found in a text as it stands, in characters of the text as it is read.

    An escape of which a span holds a part ("nMaria" in "\nMaria") is left out of it, or is in it if nothing else
    was found there, which then was hardly an escape ("C:\nathan").
    """
    known = held_by(reading.text, sure(answer) if written else ())
    for span in written:
        (start, inner_start), (inner_end, end) = reading.inner(span.start), reading.inner(span.end)
        if inner_start >= inner_end:
            continue  # a part of an escape
        if any(known[start:end]):
            start, end = inner_start, inner_end
        yield span._replace(start=start, end=end)


def _whole_words(text: str, numbers: Sequence[DetectedSpan], spans: Sequence[DetectedSpan]) -> Iterator[DetectedSpan]:
    """Yield numbers, and for those that are a part of a word with three letters at least, the word: basil2012."""
    taken = held_by(text, spans)
    inside = held_by(text, [(span.start + 1, span.end) for span in numbers]) + b"\0"  # no word ends there
    end = 0
    for span in numbers:
        if span.start < end:
            continue
        begin, stop = span.start, span.end
        while begin > max(end, span.start - _LONGEST_WORD) and _IN_WORD.match(text, begin - 1):
            begin -= 1
        while stop < min(len(text), span.end + _LONGEST_WORD) and _IN_WORD.match(text, stop):
            stop += 1
        word = text[begin:stop]
        digits = sum(map(str.isdigit, word))
        amid = min(span.start - begin, stop - span.end) >= _LETTERS_OF_CODE  # kippers4tea
        whole = word.isalnum() and (digits > 1 or amid) and len(word) - digits >= _LETTERS_OF_CODE
        if whole and not (inside[begin] or inside[stop]) and 1 not in taken[begin:stop]:
            yield DetectedSpan(begin, stop, "id", span.score, NUMBERS)
            end = stop
        else:
            yield span


_IN_WORD: Final = lazy_regex(r"[0-9A-Za-z\u00c0-\u024f\u0370-\u04ff]")
_LONGEST_WORD, _LETTERS_OF_CODE = 64, 3


def _numbers_outside(text: str, spans: Sequence[DetectedSpan]) -> Iterator[DetectedSpan]:
    starts = [0, *(span.end for span in spans)]
    for position, stretch in zip(starts, between(text, spans), strict=True):
        for begin, stop in number_places(stretch):
            yield DetectedSpan(position + begin, position + stop, "number", 1.0, NUMBERS)
