"""One text after another, in which one value keeps its surrogate: the messages of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Final

from textveil.sanitize.release import Release
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.scopes import MemoryScope, Scope

_BETWEEN: Final = "\n"


class Conversation:
    """Sanitizes texts of one scope; made by ``Sanitizer.conversation``.

    It remembers every value and its surrogate, in memory alone. Each release is counted as if it were alone: a value
    that was seen before counts again, which is more than it costs.

    Args:
        released: sanitizes a text, whose surrogates agree with those of the scope.

    Example:
        >>> conversation = sanitizer.conversation()
        >>> release = conversation("Ask Maria Gonzalez.")
        >>> answer = tv.restore(model(release.text), conversation.private_map)
    """

    def __init__(self, released: Callable[[str, Scope], Release]) -> None:
        self._released = released
        self._scope = MemoryScope()
        self._maps: list[PrivateMap] = []

    def __call__(self, text: str) -> Release:
        """Sanitize the next text. Raises InputError: ``text`` is not a str."""
        release = self._released(text, self._scope)
        if release.private_map is not None:
            self._maps.append(release.private_map)
        return release

    @property
    def private_map(self) -> PrivateMap:
        """Map of all releases so far, as of one text in which they stand one a line."""
        starts = accumulate((len(map_of_text.released) + len(_BETWEEN) for map_of_text in self._maps), initial=0)
        pieces = tuple(
            piece._replace(start=piece.start + start, end=piece.end + start)
            for map_of_text, start in zip(self._maps, starts, strict=False)
            for piece in map_of_text.replaced
        )
        return PrivateMap(released=_BETWEEN.join(map_of_text.released for map_of_text in self._maps), replaced=pieces)
