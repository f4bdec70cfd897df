"""What the upstream wrote in a conversation: it goes back as it was written, though its asker read it restored."""

import hmac
import re
from collections.abc import Iterable, Sequence
from operator import is_
from sys import getsizeof
from typing import Any, Final, NamedTuple

from textveil.errors import TextveilError
from textveil.server.held import ENTRY
from textveil.server.kept_data import MapsRead, MapTable
from textveil.surrogates.private_map import PrivateMap

_KINDS_OF_HANDLES: Final = re.compile(r"(call|fc|msg|rs|toolu)_")
_HANDLE_DIGITS: Final = 24


def keyed_digest(key: bytes, parts: Sequence[str]) -> bytes:
    """A digest of several strings, whose ends count."""
    said = [part.encode("utf-8", "surrogatepass") for part in parts]
    return hmac.digest(key, b"".join([len(data).to_bytes(8, "big") + data for data in said]), "sha256")


_TRACED: Final = frozenset(("content", "refusal", "reasoning_content", "reasoning", "arguments", "sealed", "response"))
"""Parts of an answer that can hold what stands for a value, or lead to such."""


class ForgottenConversation(TextveilError):
    """A history holds an answer of a conversation that this server has forgotten.

    To go on would give its values other surrogates than the upstream knows, without a word.
    """

    def __init__(self) -> None:
        super().__init__(
            "the server has forgotten this conversation, for example by a restart: its values would get other "
            "surrogates, and be paid again. Begin another with the same history by a new name in "
            'X-Textveil-Conversation. With `maps = "database"` restarts forget nothing.'
        )


class Written(NamedTuple):
    """What the upstream wrote.

    Attributes:
        text: as it wrote it, with surrogates.
        maps: private; by which it was restored.
    """

    text: str
    maps: tuple[PrivateMap, ...]


class WrittenAnswers:
    """What the upstream wrote, by digests of what its asker read.

    Answers that read the same may be written otherwise, one with a guess where another has a surrogate. What goes back
    is then what stood there: another would tell that the guess was right.

    Args:
        key: of the digests.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._written: dict[bytes, list[Written]] = {}
        self._behind: dict[bytes, list[int]] = {}
        self.traces: set[bytes] = set()
        """Digests of answers to texts in which something was replaced; of ``forgotten`` ones too."""
        self._forgotten: frozenset[bytes] = frozenset()

    def find(self, place: str, read: str, number: int, behind: str, number_behind: int) -> Written | None:
        """See ``ConversationState.written``."""
        digest = self._digest("wrote", place, read)
        known = self._written.get(digest)
        if not known:
            if digest in self._forgotten:
                raise ForgottenConversation
            return None
        there = self._behind.get(self._digest("behind", behind, place, read))
        return known[there[min(number_behind, len(there) - 1)] if there else min(number, len(known) - 1)]

    def note(self, place: str, read: str, written: Written, behind: str) -> int:
        """See ``ConversationState.wrote``; how many bytes of memory that takes, about: 0 where it was noted before."""
        digest = self._digest("wrote", place, read)
        known = self._written.setdefault(digest, [])
        if place in _TRACED and any(private_map.replaced for private_map in written.maps):
            self.traces.add(digest)
        same = next((at for at, answer in enumerate(known) if answer.text == written.text), len(known))
        grown = ENTRY + getsizeof(written.text) + getsizeof(written.maps) if same == len(known) else 0
        known[same : same + 1] = [written]
        there = self._behind.setdefault(self._digest("behind", behind, place, read), [])
        if same not in there:
            there.append(same)
            grown += ENTRY
        return grown

    def only(self, place: str, read: str) -> Written | None:
        """What it wrote there; None where that is nothing, or several things."""
        known = self._written.get(self._digest("wrote", place, read), [])
        return known[0] if len(known) == 1 else None

    def handle(self, text: str) -> str:
        """An identifier: the upstream's own as it is, any other as a keyed digest."""
        if self._digest("wrote", "handle", text) in self._written:
            return text
        kind = _KINDS_OF_HANDLES.match(text)
        return (kind[0] if kind else "call_") + self._digest("handle", text).hex()[:_HANDLE_DIGITS]

    def forget(self, traces: Iterable[bytes]) -> None:
        """Know that answers were written of which nothing but these traces is left: ``find`` refuses them."""
        self._forgotten = frozenset(traces)
        self.traces |= self._forgotten

    def to_data(self, maps: MapTable) -> dict[str, Any]:
        """Everything of it as JSON can write it, for ``read``: private.

        Args:
            maps: takes those of the answers.
        """
        written: dict[str, list[list[Any]]] = {}
        before: tuple[PrivateMap, ...] = ()
        for key, known in self._written.items():
            written[key.hex()] = []
            for text, own in known:  # the maps of an answer mostly begin with those of the answer before
                shared = len(before) if len(before) <= len(own) and all(map(is_, before, own)) else 0
                written[key.hex()].append([text, shared, [maps.number(each) for each in own[shared:]]])
                before = own
        return {"written": written, "behind": {key.hex(): there for key, there in self._behind.items()}}

    def read(self, data: dict[str, Any], maps: MapsRead) -> None:
        """Know what ``to_data`` had."""
        before: tuple[PrivateMap, ...] = ()
        for key, known in data["written"].items():
            self._written[bytes.fromhex(key)] = []
            for text, *shared, numbers in known:  # of an earlier version: without ``shared``
                before = before[: sum(shared)] + tuple(maps[number] for number in numbers)
                self._written[bytes.fromhex(key)].append(Written(text, before))
        self._behind = {bytes.fromhex(key): list(there) for key, there in data["behind"].items()}

    def _digest(self, *parts: str) -> bytes:
        return keyed_digest(self._key, parts)
