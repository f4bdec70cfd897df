"""Texts that others may have written a part of: answers, calls, and answers of tools.

Whoever writes the answers could write a guessed name into one, and wait until it comes back: if its surrogate were
that of the user's value, the guess would be right. So such a text shares no scope with the user's texts, nor with
another such text. One thing stays equal: if a tool was called with surrogates, and with nothing beside them that may
be a guess, their originals have these surrogates in the tool's answer.

Every decision here follows from what the upstream knows anyway (which surrogates it wrote, where it had them from,
and what else it wrote), and never from a comparison of its text with private values: that would tell the guess too.

``Phrases`` finds many phrases in one pass over a text (Aho and Corasick, "Efficient string matching", 1975, over
words): time grows with the text and with the phrases, not with both.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from textveil.cuts import replaced
from textveil.detection.found import plain
from textveil.detection.mentions import CarriedPersons
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, need
from textveil.sanitize.policy.finding import PERSON, SpanFinder
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.sanitize.ways import Prepared
from textveil.server.conversations import OWN, UNTRACED, ConversationState
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.mentions import KnownSurrogate, compared_form
from textveil.surrogates.restoring import name_parts
from textveil.surrogates.scopes import ApartScope, MemoryScope

_PIECE: Final = re.compile(r"\w+|\s+|[^\w\s]")

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z.,' -]{1,80}")
_SURE: Final = 0.6
_WEAK: Final = frozenset(("guess", "pair", "tagger", "verb"))  # evidence that names nobody for other texts
_MOST_PERSONS: Final = 500  # whom a conversation names for its later texts

Phrase: TypeAlias = tuple[str, ...]  # words, marks and single spaces, in small letters


def phrase(text: str) -> Phrase:
    """Return a text as a phrase; white space around it does not count."""
    return tuple(" " if piece.isspace() else piece.casefold() for piece in _PIECE.findall(text.strip()))


class Mention(NamedTuple):
    """The characters ``text[start:end]`` are a phrase."""

    start: int
    end: int
    phrase: Phrase


class Phrases:
    """Finds non-empty phrases as whole words, in any case, with any amount of white space between their words."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._next: list[dict[str, int]] = [{}]
        self._ends: list[Phrase | None] = [None]
        self._longest = 0
        for each in phrases:
            self._longest = max(self._longest, len(each))
            node = 0
            for word in each:
                if (node := self._next[node].setdefault(word, len(self._next))) == len(self._next):
                    self._next.append({})
                    self._ends.append(None)
            self._ends[node] = each
        self._shorter = [0] * len(self._next)  # the longest other node that ends with the same words
        self._inner = [0] * len(self._next)  # among these, the longest that ends a phrase
        waiting = deque(self._next[0].values())
        while waiting:
            node = waiting.popleft()
            for word, child in self._next[node].items():
                self._shorter[child] = self._step(self._shorter[node], word)
                waiting.append(child)
            shorter = self._shorter[node]
            self._inner[node] = shorter if self._ends[shorter] is not None else self._inner[shorter]

    def mentions(self, text: str) -> Iterator[Mention]:
        """Yield every mention in a text, by its end; some overlap. Between two pieces other threads have their turn."""
        node = 0
        held: deque[tuple[int, str]] = deque(maxlen=self._longest + 1)  # starts of pieces, and the pieces
        open_ones: list[Mention] = []  # they end with a mark, and are none if a word follows
        for match in _PIECE.finditer(text):
            piece = match[0]
            if not _is_word(piece):
                yield from open_ones
            open_ones = []
            held.append((match.start(), piece))
            node = self._step(node, " " if piece.isspace() else piece.casefold())
            ending = node if self._ends[node] is not None else self._inner[node]
            while ending:
                found = self._ends[ending]
                assert found is not None
                start, first = held[-len(found)]
                before = held[-len(found) - 1][1] if len(held) > len(found) else ""
                if _is_word(first) or not _is_word(before):
                    mention = Mention(start, match.end(), found)
                    if _is_word(piece):
                        yield mention
                    else:
                        open_ones.append(mention)
                ending = self._inner[ending]
        yield from open_ones

    def _step(self, node: int, word: str) -> int:
        while node and word not in self._next[node]:
            node = self._shorter[node]
        return self._next[node].get(word, 0)


def without(text: str, mentions: Iterable[Mention], counts: Callable[[Phrase], bool]) -> str:
    """Return a text with a space in place of each mention that counts; of overlapping ones, the first."""
    longest: dict[int, int] = {}
    for mention in mentions:
        if counts(mention.phrase):
            longest[mention.start] = max(mention.end, longest.get(mention.start, 0))
    edits: list[tuple[int, int, str]] = []
    for start in sorted(longest):
        if not edits or start >= edits[-1][1]:
            edits.append((start, longest[start], " "))
    return replaced(text, edits)


def _is_word(piece: str) -> bool:
    return piece[:1].isalnum() or piece[:1] == "_"


class ForeignValues(NamedTuple):
    """The treatment of values of texts that others may have written a part of."""

    # whether they have the surrogates of equal values elsewhere in the conversation. Whoever can write such a value
    # then tests guesses of the user's values, one with each.
    shared: bool = False
    most: int = 2000  # how many of them a conversation may bring

    @classmethod
    def of(cls, values: str, limit: int) -> ForeignValues:
        """Read the settings ``foreign_values`` and ``foreign_values_limit``.

        Raises ParameterError: one of them has no such value.
        """
        need(values in ("apart", "shared"), "foreign_values", values[:40], "apart or shared")
        need(limit > 0, "foreign_values_limit", limit, "at least 1")
        return cls(values == "shared", limit)


class TooManyForeignValues(InputError):
    """A conversation brings more values from others than it may; nothing was drawn or paid."""


class Call(NamedTuple):
    """A call of a tool by the upstream: all its words, and the private maps that restored it."""

    words: str
    maps: tuple[PrivateMap, ...]


class Origin(NamedTuple):
    """The origin of a text that the client may not have written."""

    message: str  # told only by what the upstream knows; texts of one message share a scope
    call: Call | None = None  # that it answers; None if it is not known, or there was none
    mixed: bool = True  # without a call, whether guesses may stand in it beside restored values


class Context(NamedTuple):
    """A longer text that a text stands in from ``start`` on: what stands around it tells what it is."""

    text: str  # private
    start: int


class _Surface(NamedTuple):
    kind: str
    original: str
    source: str


class CallRead:
    """A call, read once: its surrogates as they are written, the rest of its words, and kinds of values in the rest."""

    def __init__(self, surfaces: Mapping[str, _Surface], rest: str) -> None:
        self.surfaces = surfaces
        self.rest = rest
        self.beside: Collection[str] = ()


def read_calls(calls: Mapping[str, Call], state: ConversationState) -> dict[str, CallRead]:
    """Read the surrogates in calls, by message; time grows with the calls and with the releases, not with both."""
    maps = list({id(each): each for call in calls.values() for each in call.maps}.values())
    known = _known_surfaces(maps, state)
    phrases = Phrases(known)
    return {message: _call_read(call, phrases, known) for message, call in calls.items()}


def scopes_of(
    origins: Sequence[Origin | None], scope: MemoryScope, calls: Mapping[str, CallRead]
) -> tuple[list[MemoryScope | ApartScope], list[str]]:
    """Return the scope of each text, and the source of its values; None among origins is the client's own text.

    ``origins``: of the texts; ``scope``: of the client's texts; ``calls``: by message, those of all origins that have
    one.
    """
    apart: dict[str, tuple[ApartScope, str]] = {}
    scopes: list[MemoryScope | ApartScope] = []
    sources: list[str] = []
    for origin in origins:
        if origin is not None and origin.message not in apart:
            apart[origin.message] = _apart(origin, scope, calls)
        text_scope, source = (scope, OWN) if origin is None else apart[origin.message]
        scopes.append(text_scope)
        sources.append(source)
    return scopes, sources


def with_carried(
    finder: SpanFinder,
    texts: Sequence[str],
    own: Sequence[bool],
    spans: Sequence[Sequence[DetectedSpan]],
    persons: tuple[str, ...],
    carried: CarriedPersons | None = None,
) -> tuple[list[list[DetectedSpan]], tuple[str, ...]]:
    """Return the spans of texts with mentions of persons whom these or earlier texts name, and all who are named now.

    Only a text that the client wrote names one for others, and is searched for them: in any other, that a word is
    drawn would tell that it is a name of the client's; and it could have words of the client drawn.

    Args:
        finder: of the policy.
        texts: in order.
        own: whether the client said each of them.
        spans: of each text.
        persons: whom earlier texts of the conversation name.
        carried: of the conversation.
    """
    found, named, before = [list(here) for here in spans], [frozenset[str]()] * len(texts), persons
    for number, text in enumerate(texts):
        if own[number]:
            names = (
                plain(text[span.start : span.end]).text
                for span in found[number]
                if span.kind == PERSON and span.score >= _SURE and span.why not in _WEAK
            )
            new = [name for name in dict.fromkeys(names) if _NAME.fullmatch(name)]
            persons = (*persons, *(name for name in new if name not in persons))[:_MOST_PERSONS]
            named[number] = frozenset(new)
    for number, text in enumerate(texts):
        if own[number] and (before or not named[number].issuperset(persons)):
            found[number] = finder.with_carried(text, found[number], persons, carried)
    return found, persons


def in_context(
    finder: SpanFinder,
    texts: Sequence[str],
    spans: Sequence[Sequence[DetectedSpan]],
    contexts: Sequence[Context | None],
    around: Mapping[str, Sequence[DetectedSpan]],
) -> list[list[DetectedSpan]]:
    """Return the spans of texts with those that their contexts show; ``around``: the spans of each context's text."""
    return [
        list(here) if context is None else finder.in_context(text, here, context.start, around[context.text])
        for text, here, context in zip(texts, spans, contexts, strict=True)
    ]


def few_values(prepared: Prepared, origins: Sequence[Origin | None], before: int, most: int) -> int:
    """Return how many values of others a conversation has with these texts.

    Raises TooManyForeignValues: more than it may.
    """
    kinds = kinds_with_surrogates(prepared.setting)
    pairs = zip(origins, prepared.counts, strict=True)
    count = before + sum(counts.get(kind, 0) for origin, counts in pairs if origin is not None for kind in kinds)
    if count > most:
        raise TooManyForeignValues(
            f"answers and tools must bring at most {most} values into a conversation (`foreign_values_limit`); got "
            "more. Begin another conversation, or leave out a part of what the tools answered."
        )
    return count


def span_kinds(
    sanitizer: Sanitizer, texts: Sequence[str], found: Sequence[Sequence[DetectedSpan]] | None = None
) -> list[frozenset[str]]:
    """Return, for each private text, the kinds of spans that would have surrogates; ``found`` are its known spans."""
    counted = sanitizer.prepare(texts, found=found).counts
    drawn = kinds_with_surrogates(sanitizer.setting)
    return [drawn & {kind for kind, count in counts.items() if count} for counts in counted]


def kinds_with_surrogates(setting: Setting) -> frozenset[str]:
    """Return the kinds of spans that have surrogates."""
    return frozenset(protected.kind for protected in setting.protected if protected.pays)


def _apart(origin: Origin, scope: MemoryScope, calls: Mapping[str, CallRead]) -> tuple[ApartScope, str]:
    if origin.call is None:
        return ApartScope(scope, by_mention=origin.mixed), UNTRACED if origin.mixed else origin.message
    call = calls[origin.message]
    surfaces, beside = call.surfaces, call.beside
    sources = {surface.source for surface in surfaces.values()}
    traced = len(sources) == 1 and (UNTRACED not in sources or _is_one(surfaces))
    if surfaces and (not traced or _likes(beside) & _likes(surface.kind for surface in surfaces.values())):
        return ApartScope(scope, by_mention=True), UNTRACED
    source = next(iter(sources), OWN)
    return ApartScope(scope, _echoes(surfaces)), origin.message if beside or source == UNTRACED else source


def _likes(kinds: Iterable[str]) -> set[str]:
    """Return kinds, with one for names: a person's name here may be a town's there."""
    return {"name" if kind in ("person", "place", "organization") else kind for kind in kinds}


def _is_one(surfaces: Collection[str]) -> bool:
    longest = max(surfaces, key=len).casefold()
    return all(surface.casefold() in longest for surface in surfaces)


def _call_read(call: Call, phrases: Phrases, known: Mapping[Phrase, Sequence[_Known]]) -> CallRead:
    allowed = set(map(id, call.maps))
    mentions = list(phrases.mentions(call.words))
    found = {
        phrase: [surface for surface in known[phrase] if id(surface.private_map) in allowed]
        for phrase in {mention.phrase for mention in mentions}
    }
    in_order = sorted((surface for several in found.values() for surface in several), key=attrgetter("number"))
    surfaces = {surface.written: surface.meant for surface in in_order}
    return CallRead(surfaces, without(call.words, mentions, lambda phrase: bool(found[phrase])))


class _Known(NamedTuple):
    """A surrogate of a release; by ``number``, those released last come first."""

    number: int
    written: str
    meant: _Surface
    private_map: PrivateMap


def _known_surfaces(maps: Sequence[PrivateMap], state: ConversationState) -> dict[Phrase, list[_Known]]:
    known: dict[Phrase, list[_Known]] = {}
    number = 0
    for private_map in reversed(maps):
        source = state.source_of(private_map)
        for piece in private_map.replaced:
            surface = private_map.released[piece.start : piece.end].strip()
            for written, original in [(surface, piece.original.strip()), *name_parts(surface, piece)]:
                if piece.kind and len(written) > 1:
                    number += 1
                    meant = _Surface(piece.kind, original, source)
                    known.setdefault(phrase(written), []).append(_Known(number, written, meant, private_map))
    return known


def _echoes(surfaces: Mapping[str, _Surface]) -> Mapping[str, Mapping[str, KnownSurrogate]]:
    echoes: dict[str, dict[str, KnownSurrogate]] = {}
    for surface, (kind, original, _) in surfaces.items():
        known = echoes.setdefault(kind, {}).setdefault(compared_form(original), KnownSurrogate())
        known.add(original, surface)
    return echoes
