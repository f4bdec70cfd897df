"""What one request reads of its conversation, and what its answer adds to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import final

from textveil.sanitize.release import Release
from textveil.server.conversations import ConversationState, Written
from textveil.server.gateway.json_text import canonical
from textveil.surrogates.private_map import PrivateMap


@final
class RequestMemory:
    """A conversation as one request meets it.

    An answer is restored by what this request sent, and by what restored those earlier answers that it sent again:
    never by texts of the conversation that its asker did not send.

    Args:
        state: of the conversation.
    """

    def __init__(self, state: ConversationState) -> None:
        self._state = state
        self._maps: dict[int, PrivateMap] = {}
        self._met: Counter[tuple[str, str]] = Counter()

    def answer(self, place: str, text: str) -> str | None:
        """See ``reading.Memory``."""
        compared = _compared(place, text)
        written = self._state.written(place, compared, self._met[place, compared])
        if written is None:
            return None
        self._met[place, compared] += 1
        self._add(written.maps)
        return written.text

    def handle(self, text: str) -> str:
        """See ``reading.Memory``."""
        return self._state.handle(text)

    def sent(self, releases: Sequence[Release]) -> None:
        """Note what goes on."""
        self._add(one.private_map for one in releases if one.private_map is not None)

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """What restores the answer."""
        return tuple(self._maps.values())

    def wrote(self, place: str, read: str, written: str) -> None:
        """See ``answers.Remembers``."""
        if read:
            self._state.wrote(place, _compared(place, read), Written(written, self.maps))

    def _add(self, maps: Iterable[PrivateMap]) -> None:
        self._maps |= {id(one): one for one in maps}


def _compared(place: str, text: str) -> str:
    """A text without what clients change of it when they send it again: its margins, and how JSON is written."""
    return canonical(text) if place == "arguments" else text.strip()
