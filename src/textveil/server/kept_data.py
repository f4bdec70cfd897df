"""What the server keeps of releases and private maps where another process finds it: as JSON data, and back."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from textveil.sanitize.release import DrawnSpan, Release
from textveil.sanitize.setting import Setting
from textveil.surrogates.private_map import PrivateMap, Replaced
from textveil.text.render import Span


class KeptPolicy(NamedTuple):
    """A policy as it is now.

    Attributes:
        setting: of its sanitizer.
        digest: tells it from every other, in secrets too, as the words of its lists: keep it encrypted.
    """

    setting: Setting
    digest: str


class ConversationStore(Protocol):
    """Keeps conversations where another process finds them; ``sealed_conversations.SealedConversations`` does.

    Attributes:
        key: of names of conversations.
        only_traces: whether nothing of a conversation is kept but what tells its answers, so that it is not taken for
            a new one.
    """

    key: bytes
    only_traces: bool

    def save(self, name: bytes, data: Any, answers: Sequence[bytes]) -> None:
        """Keep a conversation as it is now, by its name and by answers that lead to it."""

    def load(self, name: bytes) -> Any:
        """What was kept of it; None where nothing is."""

    def conversation_of(self, answer: bytes) -> bytes | None:
        """The name of the conversation to which an answer leads; None where it leads to none."""

    def expire(self) -> None:
        """Delete what is too old."""


def map_data(private_map: PrivateMap) -> list[Any]:
    """A private map as JSON can write it: private."""
    return [private_map.released, [list(piece) for piece in private_map.replaced]]


def map_of(data: Sequence[Any]) -> PrivateMap:
    """The map of ``map_data``."""
    return PrivateMap(released=data[0], replaced=tuple(Replaced(*piece) for piece in data[1]))


class MapTable:
    """Maps by numbers: each is written once, however many releases and answers hold it."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._maps: list[PrivateMap] = []

    def number(self, private_map: PrivateMap) -> int:
        """The number of a map."""
        if id(private_map) not in self._numbers:
            self._numbers[id(private_map)] = len(self._maps)
            self._maps.append(private_map)
        return self._numbers[id(private_map)]

    def to_data(self) -> list[Any]:
        """All maps that have a number, in order."""
        return [map_data(private_map) for private_map in self._maps]


class MapsRead:
    """The maps of a ``MapTable``: a number is one object, however often it is asked for."""

    def __init__(self, data: Sequence[Any]) -> None:
        self._maps = [map_of(map_read) for map_read in data]

    def __getitem__(self, number: int) -> PrivateMap:
        return self._maps[number]


def release_data(release: Release, maps: MapTable) -> dict[str, Any]:
    """A release as JSON can write it, but for its setting: private. A text that is its map's is not written again."""
    is_mapped = release.private_map is not None and release.private_map.released == release.text
    return {
        "text": None if is_mapped else release.text,
        "spans": [list(span) for span in release.spans],
        "kinds": dict(release.kinds),
        "mapped": release.mapped,
        "drawn": [list(span) for span in release.drawn_spans],
        "map": None if release.private_map is None else maps.number(release.private_map),
    }


def release_of(data: dict[str, Any], setting: Setting, maps: MapsRead) -> Release:
    """The release of ``release_data``; it gives no vectors of its words."""
    private_map = None if data["map"] is None else maps[data["map"]]
    return Release(
        text=private_map.released if data["text"] is None and private_map is not None else data["text"],
        spans=tuple(Span(*span) for span in data["spans"]),
        kinds=data["kinds"],
        setting=setting,
        mapped=data["mapped"],
        drawn_spans=tuple(DrawnSpan(*span) for span in data["drawn"]),
        private_map=private_map,
    )
