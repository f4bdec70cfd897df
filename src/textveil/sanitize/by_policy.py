"""Releases under a policy with spans: found, cut out, drawn by kind, put together again, and checked at a last gate.

Spans are found in the whole text. The stretches between them are released as they are, or drawn token by token
(``sanitize.outside``); a surrogate is drawn for each span; all of it in the order of the text. Proof:
privacy/proofs/policy.md.

Before anything is handed out, two checks are made, each by another way than the one on which the release was made:

- What stands outside the released spans is what the input says outside its spans, character for character, if words
  stay; if marks are put into plain form, it is the plain form of that.
- A value that came out as it was is drawn again, and so is a neighbor of it. A draw that returns both of them time and
  again is no draw of the law that its surrogate states.

A refusal depends on the private text, as every error does. If the first check fails, textveil has a fault, and what
would be released instead tells more. If every draw follows its law, the second one refuses a value with a
probability of at most ``ALPHA``: that is what it adds to the delta of a release, for each value.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.cuts import between
from textveil.detection.quantities import AFTER_SECTION, LIST_NUMBER
from textveil.detection.spans import DetectedSpan
from textveil.detection.units import WITH_DIGITS
from textveil.errors import InternalError, UnsupportedGuarantee, need, told_by_type
from textveil.privacy.guarantees import Guarantee
from textveil.privacy.units import ONE_ENTITY, ONE_SPAN, ONE_VALUE
from textveil.randomness import resolve
from textveil.sanitize.policy.finding import RecordValues, sure, value_in
from textveil.sanitize.policy.making import PolicyParts
from textveil.sanitize.policy.policy import ScopeName
from textveil.sanitize.release import DrawnSpan, Release
from textveil.sanitize.setting import GUESSED, UNREAD, UNSETTLED, Protected, Setting, mentions_of
from textveil.sanitize.ways import Outside, Stretches, Verbatim, Wanted, plain_value
from textveil.surrogates.drawn import DrawMentions, Drawn
from textveil.surrogates.making import guarantee_of
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.scopes import ApartScope, KeyedScope, KindScope, MemoryScope, Scope
from textveil.surrogates.surrogate import A_SPAN, SAME_KIND, SURNAME_BEFORE, UNKNOWN, Mention, Surrogate, page_of
from textveil.surrogates.writing import gap_of
from textveil.text.escapes import Places, Reading
from textveil.text.marks import Marks, plain_text
from textveil.text.patterns import lazy_regex

BEFORE: Final = 48  # released characters before a span, and behind it, that its surrogate may look at
PERSON: Final = "person"
AGE: Final = "age"  # drawn first, so that birth dates can be drawn to fit what ages became
_LAST: Final = ("organization", "email", "handle", "url", "date")
"""Kinds drawn last: they agree with names, and are written as what is released shows."""
_FIRST: Final = {AGE: -2, "demographic": -1}
_LOOKING_BACK: Final = {AGE: -2, "money": 0.5}
"""Kinds that see released text beyond the span before them; amounts also the numbers, which are drawn before them."""
_COUNTED: Final = ("number", "quantity", "duration", "measurement")
_FAR: Final = 96  # released characters before one of them that it may look at
_GAPS: Final = lazy_regex(r"[ \t]{3,400}")
_WIDE: Final = 400  # characters in which such gaps are looked for
_IN_COLUMNS: Final = frozenset(("person", "date"))
"""Kinds that see the head of their column in place of what stands before them: last_name, dob."""
_MARKS, _BESIDE, _LONGEST_HEADS = "|\t;,", '" ', 1000
_GAP: Final = "  "  # or more, between columns
_COLUMNS: Final = lazy_regex(" {2,}")
_BY_PAGE: Final = frozenset((PERSON, "place", "organization", "demographic", "phone"))
_SHOWS_COUNTRY: Final = ("place", "phone")
_NEAR: Final = 120  # characters between an age and a date of birth that it belongs to
EQUALITY: Final = "whether two are equal"
"""The public equality of values that keep their surrogates within a scope, if the surrogate states none of its own."""


class _Found(NamedTuple):
    readings: Sequence[Reading]
    spans: list[list[DetectedSpan]]  # of each, in order, where they are written
    values: list[list[str]]  # of each span, what its surrogate gets: as it is read
    counts: list[dict[str, int]]  # of each text, how many draws of each kind it takes
    outside: Any


class ByPolicy:
    """Spans by surrogates of their kinds, and what stands outside by ``outside``.

    ``scope``: where one value has one surrogate; ``key``: the secret of a scope over a corpus; None if the scope is
    another.
    """

    number_epsilon: None = None
    digit_keep_limit: None = None

    def __init__(self, parts: PolicyParts, outside: Outside, scope: ScopeName, key: bytes | None) -> None:
        self._finder = parts.finder
        self._surrogates = parts.surrogates
        turns = {kind: turn for turn, kind in enumerate(_LAST, start=1)} | _FIRST | _LOOKING_BACK
        self._by_turn = sorted(parts.surrogates.items(), key=lambda item: turns.get(item[0], 0))
        self._outside = outside
        self._scopes_of = {kind: parts.scopes.get(kind, scope) for kind in parts.surrogates}
        self._key = key
        self._keeps_words = isinstance(outside, Verbatim)
        self.marks: Marks = outside.marks
        spans = [protected(kind, surrogate, self._scopes_of[kind]) for kind, surrogate in parts.surrogates.items()]
        self.protected = (*outside.protected, *spans)

    def prepared(self, texts: Sequence[str], first: int = 1) -> _Found:
        """Find the spans of the texts, and make the stretches between them ready for their draws."""
        readings = self._finder.readings(texts, first)
        return self._cut(readings, self._finder.found_or_guessed(readings, first))

    def prepared_with(self, texts: Sequence[str], values: Sequence[RecordValues]) -> _Found:
        """Prepare texts in which values of each text's record are spans too."""
        readings = self._finder.readings(texts)
        return self._cut(readings, self._finder.found_or_guessed(readings, values=values))

    def prepared_from(self, texts: Sequence[str], spans: Sequence[Sequence[DetectedSpan]]) -> _Found:
        """Prepare texts whose spans were found elsewhere."""
        for number, (text, here) in enumerate(zip(texts, spans, strict=True), start=1):
            ends = [0, *(end for span in here for end in (span.start, span.end)), len(text)]
            need(ends == sorted(ends), "found", f"others for text {number}", "spans of each text, by start, each alone")
        return self._cut(self._finder.readings(texts), [list(here) for here in spans])

    def _cut(self, readings: Sequence[Reading], found: list[list[DetectedSpan]]) -> _Found:
        spans = [sure(here) for here in found]
        stretches = [between(reading.source, here) for reading, here in zip(readings, spans, strict=True)]
        outside = self._outside.prepared(stretches)
        values = [
            [plain_value(value_in(reading, span), self.marks) for span in here]
            for reading, here in zip(readings, spans, strict=True)
        ]
        if self._keeps_words:
            values = [[value.replace(gap_of(value), " ") for value in here] for here in values]
        around = self._outside.counts(outside)
        counts = [
            {**tokens, **self._counted(here, plain)} for tokens, here, plain in zip(around, spans, values, strict=True)
        ]
        if self._keeps_words:
            for reading, here, certain, count in zip(readings, found, spans, counts, strict=True):
                if self._finder.unread(reading.source):
                    count[UNREAD] = 1
                if len(here) > len(certain):
                    count[GUESSED] = len(here) - len(certain)
        return _Found(readings, spans, values, counts, outside)

    def _counted(self, spans: Sequence[DetectedSpan], values: Sequence[str]) -> dict[str, int]:
        values_of: dict[str, list[str]] = {}
        for span, value in zip(spans, values, strict=True):
            values_of.setdefault(span.kind, []).append(value)
        counts = {kind: len(here) for kind, here in values_of.items()}
        for kind, surrogate in self._surrogates.items():
            if kind not in values_of:
                continue
            with told_by_type(f"the surrogate {surrogate.name} must tell values apart"):
                paying = paying_draws(surrogate, values_of[kind], self._scopes_of[kind])
                unsettled = isinstance(surrogate, Drawn) and surrogate.unsettled(values_of[kind])
            if paying is not None:
                counts[kind], counts[mentions_of(kind)] = paying, len(values_of[kind])
            if unsettled:
                counts[UNSETTLED] = 1
        return counts

    def counts(self, prepared: _Found) -> Sequence[Mapping[str, int]]:
        return prepared.counts

    def within(self, prepared: _Found, scopes: Sequence[Scope]) -> _Found:
        """Count again for these scopes: if each mention has one of its own, each mention pays."""
        counts = [
            {kind: count.get(mentions_of(kind), number) for kind, number in count.items()}
            if isinstance(scope, ApartScope) and scope.by_mention
            else count
            for count, scope in zip(prepared.counts, scopes, strict=True)
        ]
        return prepared._replace(counts=counts)

    def releases(self, prepared: _Found, setting: Setting, rng: np.random.Generator, wanted: Wanted) -> list[Release]:
        """Draw what stands outside, then a surrogate for every span; then put the texts together.

        Raises InternalError: the last gate refuses a release.
        """
        outside = self._outside.drawn(prepared.outside, rng)
        scopes = self._scopes(len(prepared.readings)) if wanted.scopes is None else wanted.scopes
        releases = []
        for reading, spans, values, counts, around, scope in zip(*prepared[:4], outside, scopes, strict=True):
            drawn = self._drawn(reading, spans, values, around, scope, rng)
            released, places = self._outside.joined(around, drawn)
            if self._keeps_words:
                check_outside(reading.source, spans, released, places, normalized=self.marks == "normalize")
            found_spans = tuple(DrawnSpan(*place, span.kind) for place, span in zip(places, spans, strict=True))
            replaced = tuple(span for span in found_spans if span.kind in self._surrogates)
            releases.append(
                Release(
                    text=released,
                    spans=(),
                    kinds=counts,
                    setting=setting,
                    mapped=around.mapped,
                    drawn_spans=replaced,
                    private_map=self._map(reading.source, spans, released, places) if wanted.maps else None,
                )
            )
        return releases

    def _scopes(self, count: int) -> list[Scope]:
        if self._key is not None:
            return [KeyedScope(self._key)] * count
        return [MemoryScope() for _ in range(count)]

    def _drawn(
        self,
        reading: Reading,
        spans: Sequence[DetectedSpan],
        values: Sequence[str],
        around: Stretches,
        scope: Scope,
        rng: np.random.Generator,
    ) -> list[str]:
        drawn = [reading.source[span.start : span.end] for span in spans]
        places_of: dict[str, list[int]] = {}
        for place, span in enumerate(spans):
            places_of.setdefault(span.kind, []).append(place)
        page = (
            page_of(_stretches(reading, spans, around))
            if around.shown and not places_of.keys().isdisjoint(_BY_PAGE)
            else UNKNOWN
        )
        heads = _heads(around)
        done: list[str] = []  # of the kinds drawn first
        counted = [kind for kind in _COUNTED if kind not in self._surrogates]  # of numbers, which amounts may follow
        for kind, surrogate in self._by_turn if places_of else ():
            if not (places := places_of.get(kind, [])):
                continue
            if kind == _LAST[-1] and around.shown:
                shown = (drawn[place] for other in _SHOWS_COUNTRY for place in places_of.get(other, ()))
                page = page_of(_stretches(reading, spans, around), shown)
            if isinstance(scope, ApartScope):
                echoes = {place: scope.echo(kind, values[place]) for place in places}
                for place, echo in echoes.items():
                    drawn[place] = drawn[place] if echo is None else echo
                places = [place for place in places if echoes[place] is None]
            if places:
                aged = [] if kind == AGE else places_of.get(AGE, [])
                ages = [drawn[place] for place in aged]
                mentions = [
                    Mention(
                        values[place],
                        _ahead(place, spans, drawn, counted, around)
                        if kind in _LOOKING_BACK
                        else (heads[place] if kind in _IN_COLUMNS else "")
                        or (self._over_one(place, spans, drawn, around) if kind == PERSON else around.before(place)),
                        _behind(place, spans, drawn, done, around),
                        _nearest(place, aged, spans, drawn),
                        heads[place] if kind in _LOOKING_BACK else "",
                        page,
                    )
                    for place in places
                ]
                parted = _parted_years(places, spans, mentions, around) if kind == _LAST[-1] else {}
                for place, year in parted.items():
                    day = " ".join(mentions[place].value.split())
                    mentions[place] = mentions[place]._replace(value=f"{day} {mentions[year].value}")
                kept = [place for place in range(len(places)) if place not in parted.values()]
                values_kept = self._draw(kind, surrogate, [mentions[place] for place in kept], ages, scope, rng)
                own = dict(zip(kept, values_kept, strict=True))
                for place, year in parted.items():
                    own[place], _, own[year] = own[place].rpartition(" ")
                for place, value in own.items():
                    drawn[places[place]] = value
            done += [kind] if kind in _FIRST else []
            counted += [kind] if kind in _COUNTED else []
        if self._keeps_words and not places_of.keys().isdisjoint(self._surrogates):
            writing = Places(reading)
            for place, span in enumerate(spans):
                if span.kind in self._surrogates:
                    gap = gap_of(value_in(reading, span))
                    value = _in_quotes(drawn[place].replace(" ", gap), reading.text, reading.inner(span.start)[0])
                    drawn[place] = writing.written(value, span.start, span.end)
        return drawn

    def _over_one(self, place: int, spans: Sequence[DetectedSpan], drawn: Sequence[str], around: Stretches) -> str:
        """Return the released characters before a span, also before a value in front of it: PC 44 Rao, wife of Al, Di.

        Of that value a mark stands there, or what it is if its kind is kept.
        """
        before = around.before(place)
        if not place or not around.shown or before not in (" ", ", ", " ("):
            return before
        value = A_SPAN if spans[place - 1].kind in self._surrogates else drawn[place - 1]
        return f"{around.before(place - 1)}{value}{before}"[-BEFORE:]

    def _draw(
        self,
        kind: str,
        surrogate: Surrogate,
        mentions: Sequence[Mention],
        ages: Sequence[str],
        scope: Scope,
        rng: np.random.Generator,
    ) -> list[str]:
        with told_by_type(f"the surrogate {surrogate.name} must draw"):
            draw = surrogate.of_text(mentions, ages) if isinstance(surrogate, Drawn) else surrogate.draw
            within = self._scopes_of[kind]
            if not (isinstance(scope, ApartScope) and scope.by_mention):
                return draw_mentions(surrogate, mentions, within, KindScope(scope, kind), rng, draw)
            own = [(mention, KindScope(scope.mention(), kind)) for mention in mentions]
            return [draw_mentions(surrogate, [mention], within, alone, rng, draw)[0] for mention, alone in own]

    def _map(
        self, text: str, spans: Sequence[DetectedSpan], released: str, places: list[tuple[int, int]]
    ) -> PrivateMap:
        pieces: list[Replaced] = []
        begin = origin = 0
        for place, ((start, stop), span) in enumerate(
            zip([*places, (len(released),) * 2], [*spans, None], strict=True)
        ):
            until, ends = len(text) if span is None else span.start, (place > 0, span is not None)
            pieces += self._outside.pieces(text[origin:until], begin, ends, released[begin:start])
            if span is not None:
                original = text[span.start : span.end]
                if span.kind in self._surrogates:
                    pieces.append(Replaced(start, stop, original, span.kind))
                begin, origin = stop, span.end
        return PrivateMap(released=released, replaced=tuple(pieces))


def _ahead(
    place: int, spans: Sequence[DetectedSpan], drawn: Sequence[str], counted: Sequence[str], around: Stretches
) -> str:
    """Return the released characters before a span, with marks for others: little \ufffc (4; 20\ufffc % is \ufff9."""
    before = stretch = _narrowed(place, around)
    kind = spans[place].kind
    while place and len(stretch) < around.shown and len(before) < _FAR:
        place -= 1
        stretch = _narrowed(place, around)
        value = drawn[place] if spans[place].kind in counted else ""
        before = f"{stretch}{value}{SAME_KIND if spans[place].kind == kind else A_SPAN}{before}"
    return before[-_FAR:]


def _narrowed(place: int, around: Stretches) -> str:
    """Return the released characters before a span, gaps of cells as two spaces."""
    if not around.shown:
        return ""
    return _GAPS.sub("  ", around.texts[place][-_WIDE:])[-around.shown :]


def _heads(around: Stretches) -> list[str]:
    """Return for each span the head of the column that it begins a cell of, if the table's first line is released."""
    told = [""] * (len(around.texts) - 1)
    heads: list[str] = []
    mark, column = "", 0
    for place, stretch in enumerate(around.texts[:-1] if around.shown else ()):
        if not heads and "\n" not in stretch:
            continue
        lines = stretch.split("\n")
        for number, line in enumerate(lines):
            if number:
                mark, heads = (mark, heads) if heads and column else ("", [])
                if (not heads or mark == _GAP) and (number > 1 or not place):
                    mark, heads = _heads_in(lines[number - 1][:_LONGEST_HEADS]) or (mark, heads)
                column = 0
            column += _ended(line.lstrip() if number and mark == _GAP else line, mark)
        before = around.before(place)
        quoted = before.endswith('"') and around.after(place) == ", "  # the family of a quoted name: "Zuse, Ada"
        begins = before if mark == _GAP else before.rstrip('" ')
        if column < len(heads) and not quoted and begins.endswith((mark, "\n")):
            told[place] = f"{heads[column].strip(_BESIDE)} "
    return told


def _heads_in(line: str) -> tuple[str, list[str]] | None:
    """Return the mark between the heads of columns that a line is, and these; columns of gaps have one for a family."""
    mark = next((each for each in _MARKS if line.count(each) > 1 and _ended(line, each) > 1), "")
    if mark:
        return mark, line.split(mark)
    heads = _COLUMNS.split(line.strip()) if line.count(_GAP) > 1 else []
    is_of_names = len(heads) > 2 and any(SURNAME_BEFORE.fullmatch(f"{head} ") for head in heads)
    return (_GAP, heads) if is_of_names else None


def _ended(row: str, mark: str) -> int:
    """Return how many cells of a row have ended: a comma before a space is within one, as in a quoted name."""
    if mark == _GAP:
        return len(_COLUMNS.findall(row))
    return row.count(mark) - (row.count(f"{mark} ") if mark in ",;" else 0) if mark else 0


def _behind(
    place: int, spans: Sequence[DetectedSpan], drawn: Sequence[str], done: Sequence[str], around: Stretches
) -> str:
    """Return the released characters behind a span, over spans of kinds that are drawn already: Ann, 58 F."""
    after = around.after(place)
    while around.shown and place + 1 < len(spans) and len(after) < BEFORE and spans[place + 1].kind in done:
        place += 1
        after += drawn[place] + around.after(place)
    return after[:BEFORE]


_CLOCK: Final = lazy_regex(rf" (?:{A_SPAN}|[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?)(?: [A-Z]{{3,5}})? ")
_DAY_ALONE: Final = lazy_regex(r"[^\W\d_][^\n]{0,24} [0-9]{1,2}")
_YEAR_ALONE: Final = lazy_regex("[12][0-9]{3}")


def _parted_years(
    places: Sequence[int], spans: Sequence[DetectedSpan], mentions: Sequence[Mention], around: Stretches
) -> dict[int, int]:
    """Return which dates go on behind a time, by their year: Mon Mar 4 09:12:44 2024. Both are told by their turn."""

    def is_parted(turn: int, day: int, year: int) -> bool:
        between = A_SPAN.join(around.texts[day + 1 : year + 1]) if around.shown and year - day < 3 else ""
        is_year = _YEAR_ALONE.fullmatch(mentions[turn + 1].value) and _DAY_ALONE.fullmatch(mentions[turn].value)
        is_timed = year - day == 1 or spans[day + 1].kind == "time"
        return bool(is_timed and is_year and _CLOCK.fullmatch(between))

    return {turn: turn + 1 for turn, (day, year) in enumerate(pairwise(places)) if is_parted(turn, day, year)}


def _nearest(place: int, aged: Sequence[int], spans: Sequence[DetectedSpan], drawn: Sequence[str]) -> str:
    """Return the released age next to a span; empty if none is near."""
    ways = [(abs(spans[other].start - spans[place].start), drawn[other]) for other in aged]
    distance, age = min(ways, default=(_NEAR, ""))
    return age if distance < _NEAR else ""


def _stretches(reading: Reading, spans: Sequence[DetectedSpan], around: Stretches) -> Sequence[str]:
    """Return the released stretches as they are read, without their escapes."""
    if reading.text == reading.source:
        return around.texts
    return between(reading.text, [(reading.inner(span.start)[0], reading.inner(span.end)[1]) for span in spans])


_QUOTE: Final = lazy_regex(r"(?<![^\W_])'(?![0-9]{2}(?![^\W_]))|'(?![^\W_])")  # not that of '84
_LONGEST_STRING: Final = 400


def _in_quotes(value: str, text: str, start: int) -> str:
    """Return a value with a typographic apostrophe if it stands in single quotes, which the plain one would end.

    ``start``: where in it the surrogate will stand.
    """
    if "'" not in value:
        return value
    begin = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_STRING)
    return value.replace("'", "\u2019") if len(_QUOTE.findall(text, begin, start)) % 2 else value


def draw_mentions(
    surrogate: Surrogate,
    mentions: Sequence[Mention],
    within: ScopeName,
    scope: Scope,
    rng: np.random.Generator,
    draw: DrawMentions | None = None,
) -> list[str]:
    """Draw a surrogate for each mention of a text.

    Args:
        mentions: of one kind in one text, in order.
        within: the scope of the kind's rule, else of the policy.
        scope: where one value has one surrogate; unused if each mention has its own.
        draw: the surrogate's for this text; None is its ``draw``.

    Raises UnsupportedGuarantee: the surrogate returns something else than a string for each; InternalError: the
    surrogate returns what it is given (``last_gate``).
    """
    drawing = surrogate.draw if draw is None else draw
    if within == "mention":
        values = [value for mention in mentions for value in drawing([mention], MemoryScope(), rng)]
    else:
        values = drawing(mentions, scope, rng)
    if len(values) != len(mentions) or not all(isinstance(value, str) for value in values):
        raise UnsupportedGuarantee(
            f"the surrogate {surrogate.name} must return {len(mentions)} strings; got {len(values)} values, or "
            "others. Correct its `draw`."
        )
    values = [str.__str__(value) for value in values]  # of a class of its own, a value may say that it equals another
    check_draws(surrogate, mentions, values, drawing)
    return values


def paying_draws(surrogate: Surrogate, values: Sequence[str], scope: ScopeName) -> int | None:
    """Count the draws that pay for the values of all mentions in a text or scope; None if every mention pays.

    Values are told apart as the surrogate tells them apart: how they are written may be hidden (leading zeros of a
    date), and would show in a count.
    """
    if scope == "mention" or surrogate.counts == "mention":
        return None
    different = set(values)
    return 1 if surrogate.counts == "scope" or len(different) == 1 else len({*map(surrogate.key, different)})


def protected(kind: str, surrogate: Surrogate, scope: ScopeName) -> Protected:
    """Return what a draw of this kind protects, by what pays for it."""
    paid = "mention" if scope == "mention" else surrogate.counts
    guarantee: Guarantee = guarantee_of(surrogate)
    if paid != "scope":
        guarantee = replace(guarantee, adjacency=ONE_SPAN if paid == "mention" else ONE_ENTITY)
    public = surrogate.public
    if surrogate.consistent and paid == "value":
        public += (surrogate.equality or EQUALITY,)
    return Protected(kind, guarantee, done=surrogate.name, public=public, pays=paid)


ALPHA: Final = 1e-12  # probability that a value is refused though its draws follow their law
_HIGHEST_EPSILON: Final = 4.0  # above it, a law may keep a value so often that few draws say nothing
_NAMES_WITH_DIGITS: Final = lazy_regex(rf"(?<![A-Za-z0-9])(?:{WITH_DIGITS})(?![A-Za-z0-9])")
_SMALL, _LARGE = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NEXT_LETTER: Final = str.maketrans(_SMALL + _LARGE, _SMALL[1:] + "a" + _LARGE[1:] + "A")


def check_outside(
    text: str, spans: Sequence[Sequence[Any]], released: str, places: Sequence[Sequence[Any]], *, normalized: bool
) -> None:
    """Refuse a release whose words outside its spans are not those that the text has outside its spans.

    Args:
        text: the private text.
        spans: of it, each begins with its start and its end.
        released: what would be handed out.
        places: of what stands there for the spans, in order.
        normalized: whether marks outside are in plain form.

    Raises InternalError: they differ, or spans do not lie in their text, by start and disjoint.
    """
    own, shown = between(text, spans), between(released, places)
    if own == shown:
        return
    last = len(own) - 1
    if normalized and len(own) == len(shown):
        ends = [(place > 0, place < last) for place in range(len(own))]
        if all(
            here == there or plain_text(here, *end) == there for here, there, end in zip(own, shown, ends, strict=True)
        ):
            return
    raise InternalError(
        "a release must be its text outside of spans; got another text. Nothing was released; report it."
    )


def check_draws(surrogate: Surrogate, mentions: Sequence[Mention], drawn: Sequence[str], draw: DrawMentions) -> None:
    """Refuse draws that return their input though their law says that they do not always.

    Let a draw be epsilon-DP for any two values of one public form, and let it return x for x with probability a, and y
    for y with b. Then a + b e^-epsilon <= 1 and b + a e^-epsilon <= 1, so a b <= (1 + e^-epsilon)^-2. So many pairs of
    draws are taken that all of them return their inputs with probability ``ALPHA`` at most; one that does not ends it.

    Args:
        surrogate: draws a kind of spans.
        mentions: of that kind, in one text.
        drawn: what was drawn for each.
        draw: the surrogate's, for the text of the mentions.

    Raises InternalError: a value and its neighbor are always returned, and are not public as a whole.
    """
    same = [mention for mention, value in zip(mentions, drawn, strict=True) if value == mention.value]
    epsilon = _epsilon(surrogate) if same else None
    if epsilon is None:
        return
    for mention in same:
        if _public(surrogate, mention):
            continue
        pair = (mention, mention._replace(value=neighbor(mention.value)))
        rng = resolve(None)  # of its own, so that a seeded release does not depend on it
        copies = (draw([other], MemoryScope(), rng) == [other.value] for _ in range(_pairs(epsilon)) for other in pair)
        if pair[0] != pair[1] and all(copies):
            raise InternalError(
                f"the surrogate {surrogate.name} must draw what it is given; got values that it returns as they are. "
                "Nothing was released; report it."
            )


def neighbor(value: str) -> str:
    """Another value, of the same form for most surrogates: with other digits of any writing, or with other letters."""
    other = "".join(map(_other_digit, value))
    return value.translate(_NEXT_LETTER) if other == value else other


def _other_digit(character: str) -> str:
    """Return another digit in place of one, of the same writing if that has one next to it; all else as it is."""
    if not character.isnumeric():
        return character
    for other in (chr(ord(character) + 1), chr(ord(character) - 1)):
        if other.isnumeric() and other.isdecimal() == character.isdecimal():
            return other
    return "\xb2"


def _epsilon(surrogate: Surrogate) -> float | None:
    """Return the nats between any two values; None without such a promise, or if it allows nearly everything."""
    guarantee = surrogate.guarantee
    if not guarantee.promises or guarantee.adjacency != ONE_VALUE:
        return None
    part = guarantee.approximate()
    return part.epsilon if part.delta == 0 and part.epsilon <= _HIGHEST_EPSILON else None


def _pairs(epsilon: float) -> int:
    return math.ceil(-math.log(ALPHA) / (2 * math.log1p(math.exp(-epsilon))))


def _public(surrogate: Surrogate, mention: Mention) -> bool:
    """Tell whether a value is public as a whole: numbers of items and sections, names with digits."""
    if surrogate.name != "measurement":
        return False
    numbers = _NAMES_WITH_DIGITS.sub("", mention.value)
    if not any(map(str.isnumeric, numbers)):
        return True
    return LIST_NUMBER.fullmatch(mention.value) is not None or AFTER_SECTION.search(mention.before) is not None
