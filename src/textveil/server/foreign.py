"""Texts that others may have written a part of: answers, calls and what tools answered.

Whoever writes the answers could write a guessed name into one, and wait until it comes back: were its surrogate that of
the user's value, the guess would be right. So such a text shares no scope with the user's texts, nor with another such
text. One thing stays equal: where a tool was called with surrogates, and with nothing beside them that may be a guess,
what these stand for has these surrogates in the tool's answer.

Every decision here follows from what the upstream knows anyway (which surrogates it wrote, where it had them from, and
what else it wrote), and never from a comparison of what it wrote with what is private: that would tell the guess too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias, final

from textveil.errors import InputError, need
from textveil.sanitize.prepared import Prepared
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.setting import Setting
from textveil.server.conversations import OWN, UNTRACED, ConversationState
from textveil.surrogates.known import KnownSurrogate, compared_form
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import name_parts
from textveil.surrogates.scopes import ApartScope, MemoryScope

Detected: TypeAlias = Callable[[Sequence[str]], Collection[str]]
"""The kinds of what is found in texts."""


@final
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


@final
class TooManyForeignValues(InputError):
    """A conversation brings more values from others than it may; nothing was drawn or paid."""


@final
class Call(NamedTuple):
    """What the upstream wrote to have a tool answer.

    Attributes:
        words: all that it said.
        maps: private; by which it was restored.
    """

    words: str
    maps: tuple[PrivateMap, ...]


@final
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


@final
class _Surface(NamedTuple):
    """A surrogate in a call."""

    kind: str
    original: str
    source: str


def scopes_of(
    origins: Sequence[Origin | None], scope: MemoryScope, state: ConversationState, detected: Detected
) -> tuple[list[MemoryScope | ApartScope], list[str]]:
    """The scope of each text, and the source of its values; None among origins is the asker's own text."""
    apart: dict[str, tuple[ApartScope, str]] = {}
    scopes: list[MemoryScope | ApartScope] = []
    sources: list[str] = []
    for origin in origins:
        if origin is not None and origin.message not in apart:
            apart[origin.message] = _apart(origin, scope, state, detected)
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


def span_kinds(sanitizer: Sanitizer, texts: Sequence[str]) -> frozenset[str]:
    """The kinds of what would have surrogates in texts."""
    kinds = {kind for counts in sanitizer.prepare(texts).counts for kind, count in counts.items() if count}
    return kinds_with_surrogates(sanitizer.setting) & kinds


def kinds_with_surrogates(setting: Setting) -> frozenset[str]:
    """The kinds of spans that have surrogates."""
    return frozenset(protected.kind for protected in setting.protected if protected.pays)


def _apart(origin: Origin, scope: MemoryScope, state: ConversationState, detected: Detected) -> tuple[ApartScope, str]:
    """The scope of a message, and the source of its values."""
    if origin.call is None:
        return ApartScope(scope, by_mention=origin.mixed), UNTRACED if origin.mixed else origin.message
    words = origin.call.words
    surfaces = dict(_surfaces(words, origin.call.maps, state))
    rest = _without(words, surfaces)
    beside = set(detected([rest, rest.title()]))  # a tool may write in another case what it was given
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
    """Whether all of them are one with its parts."""
    longest = max(surfaces, key=len).casefold()
    return all(surface.casefold() in longest for surface in surfaces)


def _surfaces(words: str, maps: Sequence[PrivateMap], state: ConversationState) -> Iterator[tuple[str, _Surface]]:
    """The surrogates that stand in a call, each with what it stands for; those released last come first."""
    folded = compared_form(words)
    for private_map in reversed(maps):
        source = state.source_of(private_map)
        for piece in private_map.replaced:
            surface = private_map.released[piece.start : piece.end].strip()
            for written, original in [(surface, piece.original.strip()), *name_parts(surface, piece)]:
                known = piece.kind and len(written) > 1 and compared_form(written) in folded
                if known and re.search(_mention(written), words, re.IGNORECASE):
                    yield written, _Surface(piece.kind, original, source)


def _mention(surface: str) -> str:
    """A pattern of a surrogate as a whole word."""
    words = r"\s+".join(map(re.escape, surface.split()))
    return rf"(?<!\w){words}(?!\w)"


def _without(words: str, surfaces: Mapping[str, _Surface]) -> str:
    """What a call says beside surrogates."""
    longest = sorted(surfaces, key=len, reverse=True)
    return re.sub("|".join(map(_mention, longest)), " ", words, flags=re.IGNORECASE) if longest else words


def _echoes(surfaces: Mapping[str, _Surface]) -> Mapping[str, Mapping[str, KnownSurrogate]]:
    """By kind and original, the surrogates of a call."""
    echoes: dict[str, dict[str, KnownSurrogate]] = {}
    for surface, (kind, original, _) in surfaces.items():
        known = echoes.setdefault(kind, {}).setdefault(compared_form(original), KnownSurrogate())
        known.add(original, surface)
    return echoes
