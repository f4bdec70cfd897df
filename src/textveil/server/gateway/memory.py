"""What one request reads of its conversation, and what its answer adds to it."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from operator import is_

from textveil.sanitize.release import Release
from textveil.server.conversations import ConversationState
from textveil.server.foreign import Call
from textveil.server.gateway.json_text import Leaf, canonical, leaves
from textveil.server.service import LONG_CHARACTERS, QUICK_CHARACTERS
from textveil.server.written_answers import Written
from textveil.surrogates.private_map import PrivateMap
from textveil.surrogates.restoring import Restorer


class RequestMemory:
    """A conversation as one request meets it.

    An answer is restored by what this request sent, and by what restored those earlier answers that it sent again:
    never by texts of the conversation that its asker did not send.

    Args:
        state: of the conversation.
    """

    def __init__(self, state: ConversationState) -> None:
        self._state = state
        self._maps: tuple[PrivateMap, ...] = ()
        self._met: Counter[tuple[str, ...]] = Counter()
        self._restorer: Restorer | None = None
        self.behind = ""
        """What an answer to the request stands behind."""

    def answer(self, place: str, text: str, behind: str = "", handle: str = "") -> str | None:
        """See ``reading.Memory``."""
        compared, behind = _compared(place, text), _behind(behind, handle)
        everywhere, there = (place, compared), (place, compared, behind)
        written = self._state.written(
            place, compared, self._met[everywhere], behind=behind, number_behind=self._met[there]
        )
        if written is None:
            return None
        self._met.update((everywhere, there))
        self._add(written.maps)
        return written.text

    def called(self, handle: str) -> Call | None:
        """See ``reading.Memory``."""
        written = self._state.called(handle)
        if written is None:
            return None
        parts = leaves(written.text)
        said = [written.text] if parts is None else [part.text for part in parts if isinstance(part, Leaf)]
        return Call("\n".join(said), written.maps)

    def handle(self, text: str) -> str:
        """See ``reading.Memory``."""
        return self._state.handle(text)

    def sent(self, releases: Sequence[Release]) -> None:
        """Note what goes on."""
        maps = {id(release.private_map): release.private_map for release in releases if release.private_map}
        self._add(tuple(maps.values()))

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """What restores the answer."""
        return self._maps

    @property
    def hosts(self) -> frozenset[str]:
        """Of URLs in texts that the asker wrote in the conversation."""
        return self._state.hosts

    async def restorer(self) -> Restorer:
        """What restores the answer; it is kept over the turns of a conversation, and learns what is new in each."""
        maps = self.maps
        kept = self._state.take_restorer(maps) or Restorer((), in_urls="never")  # each answer has a rule of its own
        new = maps[len(kept.maps) :]
        sizes = [len(private_map.released) for private_map in maps]
        if sum(sizes) <= LONG_CHARACTERS and sum(sizes[len(kept.maps) :]) <= QUICK_CHARACTERS:
            kept.extend(new)
        else:
            await asyncio.to_thread(kept.extend, new)
        self._restorer = kept
        return kept

    def restored(self) -> None:
        """Give the restorer back for the conversation's next turn."""
        if self._restorer is not None:
            self._state.give_restorer(self._restorer)
            self._restorer = None

    def wrote(self, place: str, read: str, written: str, handle: str = "") -> None:
        """See ``answers.Remembers``."""
        if read:
            behind = _behind(self.behind, handle)
            self._state.wrote(place, _compared(place, read), Written(written, self.maps), behind=behind)
        if place == "arguments" and handle:
            self._state.wrote("call", handle, Written(written, self.maps))

    def _add(self, maps: tuple[PrivateMap, ...]) -> None:
        if all(map(is_, self._maps, maps)):
            self._maps = max(self._maps, maps, key=len)
            return
        known = set(map(id, self._maps))
        self._maps += tuple(each for each in maps if id(each) not in known)


def under_seal(seal: str, read: str) -> str:
    """By which a text is known that goes back under its seal alone: a seal of another text does not fit it."""
    return f"{seal}\n{read}"


def _behind(behind: str, handle: str) -> str:
    """What tells an answer from others: where it stands, and the handle of a call."""
    return f"{handle} {behind}" if handle else behind


def _compared(place: str, text: str) -> str:
    """A text without what clients change of it when they send it again: its margins, and how JSON is written."""
    return canonical(text) if place == "arguments" else text.strip()
