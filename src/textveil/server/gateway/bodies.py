"""The released body of a request, and what the request reads of its conversation and adds to it."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from operator import is_
from typing import Any, NamedTuple

from textveil.budget.account import Account
from textveil.errors import InternalError
from textveil.json_text import Leaf, leaves
from textveil.sanitize.release import Release
from textveil.server.conversations import ConversationState
from textveil.server.foreign import Call
from textveil.server.gateway.documents import Documents
from textveil.server.gateway.json_text import canonical
from textveil.server.gateway.reading import TEXTS, Reader, RequestReading, written
from textveil.server.kept_data import Written
from textveil.server.service import LONG_CHARACTERS, QUICK_CHARACTERS, SanitizingService, beside
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.restoring import Restorer
from textveil.text.escapes import BORDER


class RequestMemory:
    """A conversation as one request sees it.

    An answer is restored by the texts that this request sent, and by the maps of those earlier answers that it sent
    again: never by texts of the conversation that its client did not send.

    ``behind`` is the key under which the upstream's answer to this request is remembered.
    """

    def __init__(self, state: ConversationState) -> None:
        self._state = state
        self._maps: tuple[PrivateMap, ...] = ()
        self._met: Counter[tuple[str, ...]] = Counter()
        self._restorer: Restorer | None = None
        self.behind = ""
        """The key under which the reply's originals are restored."""

    def answer(self, place: str, text: str, behind: str = "", handle: str = "") -> str | None:
        compared, behind = _compared(place, text), _behind(behind, handle)
        everywhere, there = (place, compared), (place, compared, behind)
        written = self._state.written(
            place, compared, self._met[everywhere], behind=behind, number_behind=self._met[there]
        )
        if written is None:
            return None
        self._met[everywhere] += 1
        self._met[there] += 1
        self._add(written.maps)
        return written.text

    def called(self, handle: str) -> Call | None:
        if (written := self._state.called(handle)) is None:
            return None
        parts = leaves(written.text)
        said = [written.text] if parts is None else [part.text for part in parts if isinstance(part, Leaf)]
        return Call("\n".join(said), written.maps)

    def handle(self, text: str) -> str:
        return self._state.handle(text)

    def sent(self, releases: Sequence[Release]) -> None:
        maps = {id(release.private_map): release.private_map for release in releases if release.private_map}
        self._add(tuple(maps.values()))

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        return self._maps

    @property
    def hosts(self) -> frozenset[str]:
        """Hosts of URLs in texts that the client wrote in the conversation."""
        return self._state.hosts

    async def restorer(self) -> Restorer:
        """Return the answer's restorer; it is kept over the turns of a conversation, and extended in each."""
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
    """Return the key of a text that goes back under its seal alone: a seal of another text does not fit it."""
    return f"{seal}\n{read}"


def _behind(behind: str, handle: str) -> str:
    return f"{handle} {behind}" if handle else behind


def _compared(place: str, text: str) -> str:
    """Return a text without its margins and its spelling of JSON: clients change them when they send it again."""
    return canonical(text) if place == "arguments" else text.strip()


class SanitizedBody(NamedTuple):
    """A body in which every text was released, the memory that restores its answer, and headers for the client."""

    body: dict[str, Any]
    memory: RequestMemory
    headers: dict[str, str]
    releases: tuple[Release, ...]


async def sanitized_body(
    service: SanitizingService,
    asked: Mapping[str, Any],
    readers: Mapping[str, Reader],
    needed: Sequence[str],
    *,
    account: Account,
    state: ConversationState,
    policy: str | None = None,
    size: int = 0,
    most: int = TEXTS,
    documents: Documents | None = None,
) -> SanitizedBody:
    """Return a body with every text of it released.

    Args:
        service: releases.
        asked: the body as it came; it is not changed.
        readers: of its fields.
        needed: fields.
        account: that pays.
        state: of the conversation.
        policy: a name; None is the default.
        size: bytes of the body, if known: a long one is read in a thread.
        most: maximum number of texts.
        documents: makes what goes on of documents; None refuses them.

    Raises ApiError: a part of it cannot be read, and so does not go on; BudgetExhausted: nothing was drawn.
    """
    memory = RequestMemory(state)
    chosen = service.policies.policy(service.policies.name(policy))
    reading = RequestReading(
        memory,
        escapes=not chosen.draws_words,
        most=most,
        takes_documents="refuse" if documents is None else documents.goes_on,
    )
    template = await beside(size, partial(reading.fields, asked, "", readers, needed))
    memory.behind = reading.stands("messages" if "messages" in readers else "input")
    headers = {"X-Textveil-Left-Out": ", ".join(reading.left_out)[:2000]} if reading.left_out else {}
    texts: list[str] = []
    releases: tuple[Release, ...] = ()
    if documents is not None and reading.documents:
        documents.need_writable(chosen, list(reading.documents.values()))
        found = await documents.texts(list(reading.documents.values()))
        for number, read in zip(reading.documents, found, strict=True):
            reading.pieces[number] = reading.pieces[number]._replace(text=read)
    if reading.pieces:
        wholes = reading.wholes()
        paid = await service.release(
            [BORDER.join(piece.text for piece in pieces) for pieces in wholes],
            policy=policy,
            account=account,
            conversation=state,
            labels=[pieces[0].label for pieces in wholes],
            origins=[pieces[0].origin for pieces in wholes],
            contexts=[pieces[0].context if len(pieces) == 1 else None for pieces in wholes],
        )
        releases = paid.releases
        memory.sent(releases)
        of_documents: dict[int, Release] = {}
        for release, pieces in zip(paid.releases, wholes, strict=True):
            if len(texts) in reading.documents:
                of_documents[len(texts)] = release
            parts = release.text.split(BORDER) if len(pieces) > 1 else [release.text]
            if len(parts) != len(pieces):
                raise InternalError(
                    "a release must have the parts of its text; got others. Nothing was sent; report it."
                )
            texts += parts
        if documents is not None and of_documents:
            sent = await documents.sent(list(reading.documents.values()), [of_documents[n] for n in reading.documents])
            for number, data in zip(reading.documents, sent, strict=True):
                texts[number] = data
        headers["X-Textveil-Guarantee"] = str(paid.guarantee["text"]).encode("ascii", "replace").decode()
        headers["X-Textveil-Policy"] = paid.policy
        if paid.balance.releases:
            headers["X-Textveil-Spent"] = str(paid.balance.spent)
        if paid.budget["remaining"] is not None:
            headers["X-Textveil-Budget"] = paid.budget["left"]
    return SanitizedBody(await beside(size, partial(written, template, texts)), memory, headers, releases)


def beginning(asked: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the beginning of a history: all until the first message of its user."""
    begins: dict[str, Any] = {}
    for name in names:
        value = asked.get(name)
        if isinstance(value, list):
            first = (
                at for at, message in enumerate(value) if isinstance(message, dict) and message.get("role") == "user"
            )
            value = value[: next(first, len(value)) + 1]
        begins[name] = _said(value)
    return json.dumps(begins, sort_keys=True)


def _said(value: Any) -> Any:
    """Return what JSON data says, however a client writes it: marks of caches move, and single texts may be lists.

    Otherwise a client that writes its history another way would begin another conversation, and pay for all of it
    again.
    """
    if isinstance(value, dict):
        said = {name: _said(part) for name, part in value.items() if name != "cache_control"}
        return said["text"] if said.keys() == {"type", "text"} and said["type"] == "text" else said
    if isinstance(value, list):
        several = [_said(part) for part in value]
        return several[0] if len(several) == 1 and isinstance(several[0], str) else several
    return value
