"""Releases of a conversation: a history that is sent again goes on byte for byte as it did, at no cost.

Texts are told apart by keyed digests under a key of their conversation; their releases, and what puts the originals
back, are kept in memory, and expire. If a store is given (``sealed.SealedConversations``), they are kept there too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import is_not
from sys import getsizeof
from typing import Any, Final, TypeVar
from weakref import WeakValueDictionary

from textveil.budget.account import Account
from textveil.certificate.samples import Part
from textveil.detection.mentions import CarriedPersons
from textveil.errors import LedgerError
from textveil.sanitize.release import Release
from textveil.server import kept_data
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.restoring import Restorer
from textveil.surrogates.scopes import MemoryScope

Key = TypeVar("Key")

logger = logging.getLogger("textveil.server.conversations")

# no guarantee of a text covers this if releases of a conversation are used again
PUBLIC_OF_CONVERSATIONS: Final = (
    "which requests belong to one conversation; without a name, whether they begin alike",
    "at each place of a conversation, whether a text is one that stood there before",
)
OWN: Final = "own"  # the source of values that only the client, or a tool that was told nothing else, can have written
UNTRACED: Final = ""  # the source of values that may include a guess of somebody else
_KEPT_AGAIN: Final = 4  # an unchanged conversation is kept for longer when this part of its time is over
_FORGETS_EVERY: Final = 30.0  # seconds between two searches for expired conversations, at most


@dataclass
class _Told:
    """The part of a conversation that was written as data: what comes later is new."""

    maps: kept_data.MapTable = field(default_factory=kept_data.MapTable)
    scopes: dict[str, MemoryScope] = field(default_factory=dict)
    releases: int = 0
    answers: int = 0
    persons: int = 0
    hosts: frozenset[str] = frozenset()


class ConversationState:
    """The releases of one conversation, and what the upstream wrote in it.

    Args:
        grown: told of every growth of it, in bytes.
        key: 32 bytes, of its digests; None is a new one.

    Attributes:
        lock: held while releasing in this conversation: a message is paid for once.
        size: bytes of memory that it takes, about.
        answers: digests of answers by whose identifiers it is found.
        name: the digest under which it is kept.
        kept: when it was last kept; None if something was added since.
        foreign_values: how many values came by texts that others may have written a part of.
        hosts: of URLs in texts that the client wrote.
        persons: whom texts that the client wrote name, in plain form, by when; private.
        carried: what they may be called; it can be made again.
        traced: how many traces of it were kept.
        stored: what of it a store has; None if all of it is to be kept anew.
        answers_stored: when all of ``answers`` were last kept.
        sampled: whether a person may read it, if the server draws conversations for that.
        restorer_size: bytes of ``size`` that the restorer of its answers takes; it can be made again.
    """

    def __init__(self, grown: Callable[[ConversationState, int], None] | None = None, key: bytes | None = None) -> None:
        self.lock = asyncio.Lock()
        self.size = kept_data.CONVERSATION
        self.answers: list[bytes] = []
        self.name = b""
        self.kept: float | None = None
        self.foreign_values = 0
        self.hosts: frozenset[str] = frozenset()
        self.persons: tuple[str, ...] = ()
        self.carried = CarriedPersons()
        self._grown = grown
        self._values = 0
        self._key = secrets.token_bytes(32) if key is None else key
        self._digest = kept_data.KeyedDigests(self._key)
        self._scopes: dict[str, MemoryScope] = {}
        self._releases: dict[bytes, Release] = {}
        self._policies: dict[bytes, str] = {}
        self._sources: dict[int, str] = {}
        self._written = kept_data.WrittenAnswers(self._digest)
        self._restorer: Restorer | None = None
        self.traced = self.restorer_size = 0
        self.stored: kept_data.KeptParts | None = None
        self.answers_stored = 0.0
        self._told = _Told()
        self.sampled: Part | None = None

    def scope(self, policy: str) -> MemoryScope:
        """Return the scope, under a policy, in which one value has one surrogate."""
        return self._scopes.setdefault(policy, MemoryScope())

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies under which something of it was, or is being, released."""
        return tuple(self._scopes)

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """Private: they put the originals of all its releases back."""
        return tuple(release.private_map for release in self._releases.values() if release.private_map is not None)

    def digest(self, policy: str, label: str, text: str) -> bytes:
        """Return the digest of a private text; safe in a thread.

        ``policy``: its name; ``label``: tells the text from equal ones of the conversation: they are other texts;
        ``text``: private.
        """
        return self._digest("text", policy, label, text)

    def known(self, digest: bytes) -> Release | None:
        """Return the earlier release of a text, by its digest."""
        return self._releases.get(digest)

    def remember(self, policy: str, digest: bytes, release: Release, source: str = OWN) -> None:
        """Release this from now on for the text of a digest; ``source`` is that of its values."""
        self._releases[digest], self._policies[digest] = release, policy
        self._sources[id(release.private_map)] = source
        values, self._values = self._values, sum(scope.values for scope in self._scopes.values())
        twice = 2 if self._told.scopes else 1  # what is kept of a scope is remembered beside it
        self._grow(
            kept_data.ENTRY + kept_data.release_bytes(release) + twice * kept_data.SCOPE_VALUE * (self._values - values)
        )

    def name_hosts(self, hosts: frozenset[str]) -> None:
        """Note hosts that texts of the client name."""
        if new := hosts - self.hosts:
            self.hosts |= new
            self._grow(sum(kept_data.ENTRY + getsizeof(host) for host in new))

    def name_persons(self, persons: Sequence[str]) -> None:
        """Note persons whom texts of the client name; ``persons`` begins with those that are noted."""
        if new := persons[len(self.persons) :]:
            self.persons = tuple(persons)
            self._grow(sum(kept_data.PERSON + getsizeof(person) for person in new))

    def source_of(self, released: PrivateMap) -> str:
        """Return the source of the values of a release."""
        return self._sources.get(id(released), UNTRACED)

    def written(
        self, place: str, read: str, number: int = 0, *, behind: str = "", number_behind: int = 0
    ) -> kept_data.Written | None:
        """Return what the upstream wrote at a place if the client read this; None if it wrote no such thing.

        Args:
            place: of a message.
            read: private.
            number: how many equal ones stand before it in the history, if nothing was written behind ``behind``; beyond
                the last it is the last.
            behind: what stands before it.
            number_behind: how many equal ones stand between.
        """
        return self._written.find(place, read, number, behind, number_behind)

    def wrote(self, place: str, read: str, written: kept_data.Written, *, behind: str = "") -> None:
        """Note what the upstream wrote at a place of a message; the client read ``read``."""
        self._grow(self._written.note(place, read, written, behind))

    def called(self, handle: str) -> kept_data.Written | None:
        """Return what the upstream wrote into a call; None if it made none of this handle, or differing ones."""
        return self._written.only("call", handle)

    def handle(self, text: str) -> str:
        """Return the upstream's own identifiers as they are, any other as a keyed digest."""
        return self._written.handle(text)

    def take_restorer(self, maps: Sequence[PrivateMap]) -> Restorer | None:
        """Take the restorer of an earlier answer, if it is free and these maps begin with its own.

        One request holds it at a time, so no answer is restored by another request's maps.
        """
        restorer = self._restorer
        if restorer is None or len(restorer.maps) > len(maps) or any(map(is_not, restorer.maps, maps)):
            return None
        size, self.restorer_size, self._restorer = self.restorer_size, 0, None
        self._resize(-size)
        return restorer

    def give_restorer(self, restorer: Restorer) -> None:
        """Keep an answer's restorer for the next one, in place of any other, if it knows a surrogate."""
        if not restorer.maps:
            return
        self._restorer = restorer
        grown = kept_data.restorer_bytes(restorer.maps) - self.restorer_size
        self.restorer_size += grown
        self._resize(grown)

    def forget_restorer(self) -> int:
        """Drop the restorer; return the bytes that it took."""
        freed, self.restorer_size, self._restorer = self.restorer_size, 0, None
        self.size -= freed
        return freed

    def to_data(self, policy_of: Callable[[str], kept_data.KeptPolicy | None], *, new: bool = False) -> dict[str, Any]:
        """Return everything, or what is ``new`` since the last call, as private JSON data for ``of_data``.

        ``policy_of``: as there.
        """
        told = self._told_so_far(new=new)
        added = [(key, self._releases[key]) for key in _last(self._releases, len(self._releases) - told.releases)]
        told.releases = len(self._releases)
        kept = {policy: policy_of(policy) for policy in {self._policies[key] for key, _ in added}}
        digests = {policy: now.digest for policy, now in kept.items() if now is not None}
        releases = [
            [
                key.hex(),
                self._policies[key],
                digests[self._policies[key]],
                kept_data.release_data(release, told.maps),
                UNTRACED if release.private_map is None else self.source_of(release.private_map),
            ]
            for key, release in added
            if self._policies[key] in digests
        ]
        scopes = {}
        for policy, scope in self._scopes.items():
            known = told.scopes.setdefault(policy, MemoryScope())
            scopes[policy] = scope.to_data(known)
            known.read(scopes[policy])
        hosts, told.hosts = self.hosts - told.hosts, self.hosts
        persons, told.persons = self.persons[told.persons :], len(self.persons)
        return {
            "key": self._key.hex(),
            "size": self.size - self.restorer_size,
            "answers": [answer.hex() for answer in self._not_told(told)],
            "scopes": scopes,
            "releases": releases,
            **self._written.to_data(told.maps, new=new),
            "foreign_values": self.foreign_values,
            "hosts": sorted(hosts),
            "persons": list(persons),
            "maps": told.maps.to_data(),
        }

    @classmethod
    def of_data(
        cls, parts: Sequence[dict[str, Any]], policy_of: Callable[[str], kept_data.KeptPolicy | None]
    ) -> ConversationState:
        """Return the conversation as it was kept.

        Args:
            parts: of ``to_data``, in order: everything, and then what was new.
            policy_of: a policy by its name; None if there is none. Releases that were made under another policy are
                forgotten, with all that it remembered: they are paid for again.
        """
        state, maps, policies = cls._of_key(parts[0]), list[PrivateMap](), dict[str, kept_data.KeptPolicy | None]()
        for data in parts:
            maps += map(kept_data.map_of, data["maps"])
            state.size = data["size"]
            state.answers += map(bytes.fromhex, data["answers"])
            state.foreign_values = data["foreign_values"]
            state.hosts |= frozenset(data.get("hosts", ()))  # of an earlier version: without
            state.persons += tuple(data.get("persons", ()))
            for key, policy, digest, kept, source in data["releases"]:
                now = policies[policy] = policies[policy] if policy in policies else policy_of(policy)
                if now is not None and now.digest == digest:
                    told, release = bytes.fromhex(key), kept_data.release_of(kept, now.setting, maps)
                    state._releases[told], state._policies[told] = release, policy
                    state._sources[id(release.private_map)] = source
            for policy, scope in data["scopes"].items():
                state.scope(policy).read(scope)
            state._written.read(data, maps)
        used = set(state._policies.values())
        state._scopes = {policy: scope for policy, scope in state._scopes.items() if policy in used}
        return state

    def traces(self, *, new: bool = False) -> dict[str, Any]:
        """Return the traces of its answers, or those that are ``new`` since some were kept; for ``of_traces``."""
        told, traces = self._told_so_far(new=new), self._written.traces
        return {
            "key": self._key.hex(),
            "answers": [answer.hex() for answer in self._not_told(told)],
            "traces": [trace.hex() for trace in _last(traces, len(traces) - (self.traced if new else 0))],
        }

    def _told_so_far(self, *, new: bool) -> _Told:
        if not new:
            self._told = _Told()
        return self._told

    def _not_told(self, told: _Told) -> list[bytes]:
        new, told.answers = self.answers[told.answers :], len(self.answers)
        return new

    @property
    def has_new_traces(self) -> bool:
        """True if it has traces that were not kept."""
        return self.traces_held > self.traced

    @property
    def traces_held(self) -> int:
        return len(self._written.traces)

    @classmethod
    def of_traces(cls, parts: Sequence[dict[str, Any]]) -> ConversationState:
        """Return a conversation that was forgotten except for traces of its answers: they are refused."""
        state = cls._of_key(parts[0])
        for data in parts:
            state.answers += map(bytes.fromhex, data["answers"])
            state._written.forget(map(bytes.fromhex, data["traces"]))
        state.traced = len(state._written.traces)
        return state

    @classmethod
    def _of_key(cls, data: dict[str, Any]) -> ConversationState:
        return cls(key=bytes.fromhex(data["key"]))

    def answered(self, answer: bytes) -> None:
        """Note the digest of an answer's identifier, by which this conversation is found."""
        if answer not in self.answers:
            self.answers.append(answer)
            self._grow(kept_data.ANSWER)

    def tell(self, grown: Callable[[ConversationState, int], None] | None) -> None:
        """Set who is told of its growth from now on; None once it is kept no more, and counts for nobody."""
        self._grown = grown

    def _grow(self, count: int) -> None:
        self.kept = None
        self._resize(count)

    def _resize(self, count: int) -> None:
        self.size += count
        if self._grown is not None:
            self._grown(self, count)


def _last(keys: dict[Key, Any], count: int) -> list[Key]:
    return list(islice(reversed(keys), count))[::-1]


class Conversations:
    """The conversations of a server; if they take too much memory, the least used are forgotten.

    One is kept from its first text on: a request that is refused leaves nothing behind.

    Args:
        seconds: how long one is kept after its last request.
        most_bytes: of memory that all of them may take, about.
        clock: seconds.
        store: keeps them too, if given.
        policy_of: see ``ConversationState.of_data``.
    """

    def __init__(
        self,
        *,
        seconds: float,
        most_bytes: int,
        clock: Callable[[], float] = time.monotonic,
        store: kept_data.ConversationStore | None = None,
        policy_of: Callable[[str], kept_data.KeptPolicy | None] = lambda policy: None,
    ) -> None:
        self._seconds = seconds
        self._most_bytes = most_bytes
        self._clock = clock
        self._store = store
        self._policy_of = policy_of
        self._digests = kept_data.KeyedDigests(secrets.token_bytes(32) if store is None else store.key)
        self._lock = threading.RLock()  # answers are restored, and so remembered, in threads too
        self._bytes = 0
        self._states: OrderedDict[bytes, tuple[float, ConversationState]] = OrderedDict()
        self._empty: WeakValueDictionary[bytes, ConversationState] = WeakValueDictionary()
        self._answers: dict[bytes, bytes] = {}
        self._restoring: OrderedDict[bytes, ConversationState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    @property
    def held_bytes(self) -> int:
        """Bytes of memory of all of them, about; at most ``most_bytes``, except for what is being released."""
        return self._bytes

    def of(self, account: Account, name: str) -> ConversationState:
        """Return a conversation of an account; another account's is another one, whatever its name."""
        digest = self._digest(account, "conversation", name)
        if (state := self._found(digest)) is None:
            state = self._empty.get(digest) or ConversationState(self._grew)
            state.name, self._empty[digest] = digest, state
        return state

    def find(self, account: Account, name: str) -> ConversationState | None:
        """Return a conversation of an account, if there still is one."""
        return self._found(self._digest(account, "conversation", name))

    def of_answer(self, account: Account, answer: str) -> ConversationState | None:
        """Return the conversation of an answer by its identifier; None if this account has none."""
        self.expire()
        digest = self._answers.get(self._digest(account, "answer", answer))
        return None if digest is None else self._found(digest)

    def note_answer(self, account: Account, state: ConversationState, answer: str) -> None:
        """Note the identifier of an answer, by which the client may go on."""
        told = self._digest(account, "answer", answer)
        with self._lock:
            state.answered(told)
            if self._holds(state):
                self._answers[told] = state.name

    async def recall(self, account: Account, *, name: str = "", answer: str = "") -> None:
        """Load a conversation from the store, if it is not known here: by its name, or by an answer of it.

        Raises LedgerError: the store fails.
        """
        if self._store is None:
            return
        digest: bytes | None
        if answer:
            told = self._digest(account, "answer", answer)
            known = self._answers.get(told)
            digest = known or await asyncio.to_thread(self._store.conversation_of, told)
        else:
            digest = self._digest(account, "conversation", name)
        if digest is None or digest in self._states:
            return
        state = await asyncio.to_thread(self._loaded, self._store, digest)
        if state is not None and digest not in self._states:
            state.name = digest
            self._hold(state)

    async def keep(self, state: ConversationState) -> None:
        """Keep a conversation in the store, if there is one, unless it is kept as it is.

        Raises LedgerError: the store fails.
        """
        if self._store is None or state.size == kept_data.CONVERSATION:
            return
        # A caller that goes away must not let go of the lock: what is kept next would be overwritten by this.
        keeping = asyncio.ensure_future(self._keep(self._store, state))
        keeping.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(keeping)

    async def _keep(self, store: kept_data.ConversationStore, state: ConversationState) -> None:
        async with state.lock:
            now = self._clock()
            recent = state.kept is not None and now - state.kept < self._seconds / _KEPT_AGAIN
            if recent or (store.only_traces and not state.has_new_traces):
                return
            try:
                if not await self._added(store, state, now):  # another process kept it meanwhile
                    state.stored = None
                    await self._added(store, state, now)
            except BaseException:
                state.kept = state.stored = None
                raise

    async def _added(self, store: kept_data.ConversationStore, state: ConversationState, now: float) -> bool:
        """Keep what is new in a conversation, or all of it; return whether it is kept."""
        behind, state.kept = state.stored, now
        new = behind is not None
        data = state.traces(new=new) if store.only_traces else state.to_data(self._policy_of, new=new)
        traced, answers = state.traces_held, list(map(bytes.fromhex, data["answers"]))
        if not new or now - state.answers_stored >= self._seconds / _KEPT_AGAIN:
            state.answers_stored, answers = now, list(state.answers)
        state.stored = await asyncio.to_thread(store.save, state.name, data, answers, behind)
        state.traced = traced
        return not new or state.stored is not None

    async def keep_answer(self, state: ConversationState) -> None:
        """Keep what an answer added; if the store fails, the client gets the answer all the same."""
        try:
            await self.keep(state)
        except LedgerError:
            logger.warning("an answer is not kept: behind a restart it would be released as any text")

    def _loaded(self, store: kept_data.ConversationStore, digest: bytes) -> ConversationState | None:
        if (parts := store.load(digest)) and "traces" in parts[0]:
            return ConversationState.of_traces(parts)
        if not parts or "foreign_values" not in parts[0]:  # of a release before 2: its scope was that of all texts
            return None
        return ConversationState.of_data(parts, self._policy_of)

    async def forget(self, every: float | None = None) -> None:
        """Expire conversations for ever, as a task of the server, ``every`` so many seconds."""
        while True:
            await asyncio.sleep(min(_FORGETS_EVERY, self._seconds / 4) if every is None else every)
            self.expire()
            if self._store is not None:
                with contextlib.suppress(LedgerError):  # they are too old to be found all the same
                    await asyncio.to_thread(self._store.expire)

    def expire(self) -> None:
        """Forget conversations that are too old, then the least used ones if they take too much; restorers first."""
        oldest = self._clock() - self._seconds
        with self._lock:
            while self._restoring and self._bytes > self._most_bytes:
                self._bytes -= self._restoring.popitem(last=False)[1].forget_restorer()
            while self._states:
                digest, (used, _) = next(iter(self._states.items()))
                if used > oldest and self._bytes <= self._most_bytes:
                    return
                self._drop(digest)

    def _drop(self, digest: bytes) -> None:
        """Keep a conversation no more; requests in flight may finish, and their size counts for nobody."""
        state = self._states.pop(digest)[1]
        self._bytes -= state.size
        self._restoring.pop(digest, None)
        state.tell(None)
        for answer in state.answers:
            self._answers.pop(answer, None)

    def _found(self, digest: bytes) -> ConversationState | None:
        self.expire()
        with self._lock:
            if (known := self._states.pop(digest, None)) is None:
                return None
            self._states[digest] = (self._clock(), known[1])
            return known[1]

    def _holds(self, state: ConversationState) -> bool:
        known = self._states.get(state.name)
        return known is not None and known[1] is state

    def _hold(self, state: ConversationState) -> None:
        self._empty.pop(state.name, None)
        if state.name in self._states:
            self._drop(state.name)
        self._states[state.name] = (self._clock(), state)
        self._bytes += state.size
        self._answers |= dict.fromkeys(state.answers, state.name)
        state.tell(self._grew)

    def _grew(self, state: ConversationState, count: int) -> None:
        with self._lock:
            if self._holds(state):
                self._bytes += count
            else:
                self._hold(state)
            if state.restorer_size:
                self._restoring[state.name] = state
                self._restoring.move_to_end(state.name)
            self.expire()

    def _digest(self, account: Account, *parts: str) -> bytes:
        return self._digests(account.tenant, account.unit or "", account.key or "", *parts)
