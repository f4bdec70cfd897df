"""Data that servers keep of releases: estimates of its memory, its JSON data, private maps, and upstream answers.

Memory is in bytes. Strings are measured; the constants are sizes of objects in CPython 3.11 on 64 bits, and tests
compare the sums with ``tracemalloc``.
"""

import hashlib
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from operator import is_
from sys import getsizeof
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from textveil.errors import TextveilError
from textveil.sanitize.release import DrawnSpan, Release
from textveil.sanitize.setting import Setting
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.text.render import Span

# a conversation without texts: its dictionaries, its lock, its entry in the table of conversations
CONVERSATION: Final = 2600
ENTRY: Final = 230  # a dictionary entry whose key is a digest
ANSWER: Final = 500  # an answer's identifier, which finds its conversation: two digests
SCOPE_VALUE: Final = 420  # a value and its surrogate in a scope, without the value's characters
PERSON: Final = 10_000  # a person and what they may be called, without the name's characters
RESTORED_PIECE: Final = 2600  # a piece of a private map in a restorer: a tree of its words, and the original
RESTORED_MAP: Final = 400  # a private map in a restorer, without its text and its pieces
RESTORED_CHARACTER: Final = 14  # of its text: decoded, and where its words stand
_MAP: Final = 120
_PIECE: Final = 160
_RELEASE: Final = 450
_SPAN: Final = 150


def map_bytes(private_map: PrivateMap) -> int:
    """Return the bytes of a private map with its released text."""
    originals = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _MAP + getsizeof(private_map.released) + _PIECE * len(private_map.replaced) + originals


def restorer_bytes(maps: Iterable[PrivateMap]) -> int:
    """Return the bytes of a restorer for these private maps, without the maps themselves."""
    return sum(
        RESTORED_MAP
        + RESTORED_CHARACTER * len(private_map.released)
        + RESTORED_PIECE * sum(bool(piece.kind) for piece in private_map.replaced)
        for private_map in maps
    )


def release_bytes(release: Release) -> int:
    """Return the bytes of a release, its private map and the values that a scope remembers of it."""
    spans = _SPAN * (len(release.spans) + len(release.drawn_spans))
    if (private_map := release.private_map) is None:
        return _RELEASE + spans + getsizeof(release.text)
    values = sum(getsizeof(piece.original) for piece in private_map.replaced)
    return _RELEASE + spans + map_bytes(private_map) + values


class KeptPolicy(NamedTuple):
    """A policy as it is now."""

    setting: Setting  # of its sanitizer
    digest: str  # tells it from every other, even by secrets such as the words of its lists: keep it encrypted


class KeptParts(NamedTuple):
    """A conversation that is kept, in parts: who wrote it, how many they are, and the row that says so."""

    writer: str
    parts: int
    head: bytes


class ConversationStore(Protocol):
    """Keeps conversations where another process finds them; ``sealed.SealedConversations`` does."""

    key: bytes  # of names of conversations
    only_traces: bool  # whether only traces of a conversation's answers are kept, so that it is not taken for a new one

    def save(
        self, name: bytes, data: Any, answers: Sequence[bytes], behind: KeptParts | None = None
    ) -> KeptParts | None:
        """Keep a conversation, or what was added to it ``behind`` what is kept; None if that is no longer kept."""

    def load(self, name: bytes) -> list[Any] | None:
        """Return the data of a conversation, in the order in which they were added; None if there are none."""

    def conversation_of(self, answer: bytes) -> bytes | None:
        """Return the name of the conversation to which an answer leads; None if there is none."""

    def expire(self) -> None:
        """Delete what is too old."""


def map_data(private_map: PrivateMap) -> list[Any]:
    """Return a private map as JSON data: private."""
    return [private_map.released, [list(piece) for piece in private_map.replaced]]


def map_of(data: Sequence[Any]) -> PrivateMap:
    """Return the map of ``map_data``."""
    return PrivateMap(released=data[0], replaced=tuple(Replaced(*piece) for piece in data[1]))


class MapTable:
    """Numbers maps: each is written once, however many releases and answers hold it."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._maps: list[PrivateMap] = []
        self._told = 0

    def number(self, private_map: PrivateMap) -> int:
        if id(private_map) not in self._numbers:
            self._numbers[id(private_map)] = len(self._maps)
            self._maps.append(private_map)
        return self._numbers[id(private_map)]

    def to_data(self) -> list[Any]:
        """Return the maps that got a number since the last call, in order."""
        new, self._told = self._maps[self._told :], len(self._maps)
        return [map_data(private_map) for private_map in new]


def release_data(release: Release, maps: MapTable) -> dict[str, Any]:
    """Return a release without its setting as JSON data: private. A text that is its map's is not repeated."""
    is_mapped = release.private_map is not None and release.private_map.released == release.text
    return {
        "text": None if is_mapped else release.text,
        "spans": [list(span) for span in release.spans],
        "kinds": dict(release.kinds),
        "mapped": release.mapped,
        "drawn": [list(span) for span in release.drawn_spans],
        "map": None if release.private_map is None else maps.number(release.private_map),
    }


def release_of(data: dict[str, Any], setting: Setting, maps: Sequence[PrivateMap]) -> Release:
    """Return the release of ``release_data``; it gives no vectors of its words."""
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


_ENTRY: Final = 700  # bytes around the maps of a release: its id, its owner, its place among the others
Owner: TypeAlias = tuple[str, str | None]  # a tenant and a person of it


class MapKeeper(Protocol):
    """Keeps maps for a while; ``KeptMaps`` and ``sealed.SealedMaps`` do."""

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """Keep the maps of one release; return the id that gives them back, which nobody can guess."""

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        """Return the maps of an id, for their owner alone; None for anybody else, and when their time is over."""


def new_identity() -> str:
    """Return an id of 192 random bits."""
    return f"rel_{secrets.token_urlsafe(24)}"


class _Kept(NamedTuple):
    owner: Owner
    maps: tuple[PrivateMap, ...]
    size: int
    until: float


class KeptMaps:
    """Maps by a random id, for their owners alone; they go when their time is over, or room is needed.

    Args:
        seconds: how long each is kept.
        max_bytes: of all together; the oldest go first.
        clock: seconds that only grow.
    """

    def __init__(self, seconds: float, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._clock = clock
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def keep(self, owner: Owner, maps: Sequence[PrivateMap]) -> str:
        """Keep the maps of one release; return the id that gives them back, which nobody can guess."""
        identity = new_identity()
        size = _ENTRY + sum(map(map_bytes, maps))
        with self._lock:
            self._kept[identity] = _Kept(owner, tuple(maps), size, self._clock() + self._seconds)
            self._size += size
            self._drop()
        return identity

    def find(self, owner: Owner, identity: str) -> tuple[PrivateMap, ...] | None:
        """Return the maps of an id; None if there are none, or they are another's: a stranger cannot tell which.

        ``owner``: of the maps; without a person, any of the tenant's; ``identity``: of ``keep``.
        """
        with self._lock:
            self._drop()
            kept = self._kept.get(identity)
        if kept is None or kept.owner[0] != owner[0] or owner[1] not in (None, kept.owner[1]):
            return None
        return kept.maps

    def _drop(self) -> None:
        now = self._clock()
        while self._kept:
            first = next(iter(self._kept.values()))
            if first.until > now and self._size <= self._max_bytes:
                return
            self._kept.popitem(last=False)
            self._size -= first.size


_KINDS_OF_HANDLES: Final = re.compile(r"(call|fc|msg|rs|toolu)_")
_HANDLE_DIGITS: Final = 24


class KeyedDigests:
    """Digests of several strings, whose ends count: HMAC-SHA256 under one secret key of at most 64 bytes."""

    def __init__(self, key: bytes) -> None:
        padded = key.ljust(64, b"\0")  # what HMAC does with the key is done once: a long history has many digests
        self._inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in padded))
        self._outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in padded))

    def __call__(self, *parts: str) -> bytes:
        """Return the digest of these strings."""
        inner, outer = self._inner.copy(), self._outer.copy()
        for part in parts:
            said = part.encode("utf-8", "surrogatepass")
            inner.update(len(said).to_bytes(8, "big"))
            inner.update(said)
        outer.update(inner.digest())
        return outer.digest()


# parts of an answer that can hold a surrogate, or lead to one
_TRACED: Final = frozenset(("content", "refusal", "reasoning_content", "reasoning", "arguments", "sealed", "response"))


class ForgottenConversation(TextveilError):
    """A history holds an answer of a conversation that this server has forgotten.

    Going on would silently give its values other surrogates than the upstream knows.
    """

    def __init__(self) -> None:
        super().__init__(
            "the server has forgotten this conversation, for example by a restart: its values would get other "
            "surrogates, and be paid again. Begin another with the same history by a new name in "
            'X-Textveil-Conversation. With `maps = "database"` restarts forget nothing.'
        )


class Written(NamedTuple):
    """An answer of the upstream: its text, with surrogates, and the private maps that restored it."""

    text: str
    maps: tuple[PrivateMap, ...]


class _Told(NamedTuple):
    """Changes since all else was kept: keys of answers, and of places; and the maps of the last one kept."""

    written: dict[bytes, None]
    behind: dict[bytes, None]
    maps: tuple[PrivateMap, ...] = ()


class WrittenAnswers:
    """The upstream's answers, by keyed digests of what the client read.

    Answers that read the same may be written otherwise, one with a guess and another with a surrogate. The one that
    stood there goes back: another would tell that the guess was right.
    """

    def __init__(self, digest: KeyedDigests) -> None:
        self._digest = digest
        self._written: dict[bytes, list[Written]] = {}
        self._behind: dict[bytes, list[int]] = {}
        self.traces: dict[bytes, None] = {}
        """Digests of answers to texts in which something was replaced; of ``forgotten`` ones too; by when."""
        self._forgotten: frozenset[bytes] = frozenset()
        self._told: _Told | None = None  # of a conversation that nobody keeps
        self._read: tuple[PrivateMap, ...] = ()

    def find(self, place: str, read: str, number: int, behind: str, number_behind: int) -> Written | None:
        digest = self._digest("wrote", place, read)
        if not (known := self._written.get(digest)):
            if digest in self._forgotten:
                raise ForgottenConversation
            return None
        there = self._behind.get(self._digest("behind", behind, place, read))
        return known[there[min(number_behind, len(there) - 1)] if there else min(number, len(known) - 1)]

    def note(self, place: str, read: str, written: Written, behind: str) -> int:
        """See ``ConversationState.wrote``; return about how many bytes of memory it takes, 0 if known before."""
        digest = self._digest("wrote", place, read)
        known = self._written.setdefault(digest, [])
        if place in _TRACED and any(private_map.replaced for private_map in written.maps):
            self.traces[digest] = None
        same = next((at for at, answer in enumerate(known) if answer.text == written.text), len(known))
        grown = ENTRY + getsizeof(written.text) + getsizeof(written.maps) if same == len(known) else 0
        known[same : same + 1] = [written]
        stands = self._digest("behind", behind, place, read)
        there = self._behind.setdefault(stands, [])
        if self._told is not None:
            self._told.written[digest] = self._told.behind[stands] = None
        if same not in there:
            there.append(same)
            grown += ENTRY
        return grown

    def only(self, place: str, read: str) -> Written | None:
        """Return the upstream's answer there; None if there is none, or several."""
        known = self._written.get(self._digest("wrote", place, read), [])
        return known[0] if len(known) == 1 else None

    def handle(self, text: str) -> str:
        """Return the upstream's own identifiers as they are, any other as a keyed digest."""
        if self._digest("wrote", "handle", text) in self._written:
            return text
        kind = _KINDS_OF_HANDLES.match(text)
        return (kind[0] if kind else "call_") + self._digest("handle", text).hex()[:_HANDLE_DIGITS]

    def forget(self, traces: Iterable[bytes]) -> None:
        """Note answers of which nothing but these traces is left: ``find`` refuses them."""
        told = dict.fromkeys(traces)
        self._forgotten = self._forgotten.union(told)
        self.traces |= told

    def to_data(self, maps: MapTable, *, new: bool = False) -> dict[str, Any]:
        """Return everything, or what is new since the last call, as private JSON data for ``read``.

        ``maps`` takes the maps of the answers.
        """
        told = (
            self._told
            if new and self._told is not None
            else _Told(dict.fromkeys(self._written), dict.fromkeys(self._behind))
        )
        written: dict[str, list[list[Any]]] = {}
        before = told.maps
        for key in told.written:
            written[key.hex()] = []
            for text, own in self._written[key]:  # the maps of an answer mostly begin with those of the answer before
                shared = len(before) if len(before) <= len(own) and all(map(is_, before, own)) else 0
                written[key.hex()].append([text, shared, [maps.number(each) for each in own[shared:]]])
                before = own
        behind = {key.hex(): list(self._behind[key]) for key in told.behind}
        self._told = _Told({}, {}, before)
        return {"written": written, "behind": behind}

    def read(self, data: dict[str, Any], maps: Sequence[PrivateMap]) -> None:
        """Know what ``to_data`` had, behind what it had before."""
        for key, known in data["written"].items():
            self._written[bytes.fromhex(key)] = []
            for text, *shared, numbers in known:  # of an earlier version: without ``shared``
                self._read = self._read[: sum(shared)] + tuple(maps[number] for number in numbers)
                self._written[bytes.fromhex(key)].append(Written(text, self._read))
        self._behind |= {bytes.fromhex(key): list(there) for key, there in data["behind"].items()}
