"""Texts that others may have written a part of: answers, calls and what tools answered.

Whoever writes the answers could write a guessed name into one, and wait until it comes back: were its surrogate that of
the user's value, the guess would be right. So such a text shares no scope with the user's texts, nor with another such
text. One thing stays equal: where a tool was called with surrogates, and with nothing beside them that may be a guess,
what these stand for has these surrogates in the tool's answer.

Every decision here follows from what the upstream knows anyway (which surrogates it wrote, where it had them from, and
what else it wrote), and never from a comparison of what it wrote with what is private: that would tell the guess too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, need
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.sanitize.ways import Prepared
from textveil.server.conversations import OWN, UNTRACED, ConversationState
from textveil.server.phrases import Phrase, Phrases, phrase, without
from textveil.surrogates.mentions import KnownSurrogate, compared_form
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import name_parts
from textveil.surrogates.scopes import ApartScope, MemoryScope


class ForeignValues(NamedTuple):
    """What happens to values of texts that others may have written a part of.

    Attributes:
        shared: whether they have the surrogates that equal values have elsewhere in the conversation. Whoever can write
            such a value then tests guesses of the user's values, one with each.
        most: how many of them a conversation may bring.
    """

    shared: bool = False
    most: int = 2000

    @classmethod
    def of(cls, values: str, limit: int) -> ForeignValues:
        """By the settings ``foreign_values`` and ``foreign_values_limit``.

        Raises:
            ParameterError: one of them has no such value.
        """
        need(values in ("apart", "shared"), "foreign_values", values[:40], "apart or shared")
        need(limit > 0, "foreign_values_limit", limit, "at least 1")
        return cls(values == "shared", limit)


class TooManyForeignValues(InputError):
    """A conversation brings more values from others than it may; nothing was drawn or paid."""


class Call(NamedTuple):
    """What the upstream wrote to have a tool answer.

    Attributes:
        words: all that it said.
        maps: private; by which it was restored.
    """

    words: str
    maps: tuple[PrivateMap, ...]


class Origin(NamedTuple):
    """Whence a text comes that its asker may not have written.

    Attributes:
        message: told by nothing but what the upstream knows; texts of one message share a scope.
        call: that was answered by it; None where it is not known, or there was none.
        mixed: without a call, whether guesses may stand in it beside what was restored.
    """

    message: str
    call: Call | None = None
    mixed: bool = True


class _Surface(NamedTuple):
    kind: str
    original: str
    source: str


class CallRead:
    """A call, read once.

    Attributes:
        surfaces: the surrogates that stand in it, by how they are written.
        rest: what it says beside surrogates.
        beside: the kinds of what is found in ``rest``.
    """

    def __init__(self, surfaces: Mapping[str, _Surface], rest: str) -> None:
        self.surfaces = surfaces
        self.rest = rest
        self.beside: Collection[str] = ()


def read_calls(calls: Mapping[str, Call], state: ConversationState) -> dict[str, CallRead]:
    """The surrogates in calls, by message, in time that grows with the calls and with what was released, not with both.

    Args:
        calls: by message.
        state: of the conversation.
    """
    maps = list({id(each): each for call in calls.values() for each in call.maps}.values())
    known = _known_surfaces(maps, state)
    phrases = Phrases(known)
    return {message: _call_read(call, phrases, known) for message, call in calls.items()}


def scopes_of(
    origins: Sequence[Origin | None], scope: MemoryScope, calls: Mapping[str, CallRead]
) -> tuple[list[MemoryScope | ApartScope], list[str]]:
    """The scope of each text, and the source of its values; None among origins is the asker's own text.

    Args:
        origins: of the texts.
        scope: of the asker's texts.
        calls: by message, those of all origins that have one.
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


def few_values(prepared: Prepared, origins: Sequence[Origin | None], before: int, most: int) -> int:
    """How many values of others a conversation has with these texts.

    Raises:
        TooManyForeignValues: more than it may.
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
    """Of each text, the kinds of what would have surrogates in it.

    Args:
        sanitizer: of a policy.
        texts: private.
        found: the spans of each, if they are known.
    """
    counted = sanitizer.prepare(texts, found=found).counts
    drawn = kinds_with_surrogates(sanitizer.setting)
    return [drawn & {kind for kind, count in counts.items() if count} for counts in counted]


def kinds_with_surrogates(setting: Setting) -> frozenset[str]:
    """The kinds of spans that have surrogates."""
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
    """Kinds, where names are one: what is a person's here may be a town's there."""
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
    """A surrogate of a release.

    Attributes:
        number: by which several are ordered: those released last come first.
        written: the surrogate.
        meant: what it stands for.
        private_map: of the release.
    """

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
