"""The only way to a release on a server: prepare, take the budget, draw, note that it was drawn.

The API, the gateway and the page all call ``SanitizingService.release``; nothing else on the server draws. Budget is
taken, durably, before randomness is drawn: a failure in between counts as spent.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from textveil.budget.account import Account
from textveil.budget.standing import Balance
from textveil.certificate.samples import Samples
from textveil.detection.detectors import detect
from textveil.detection.spans import DetectedSpan
from textveil.errors import BudgetExhausted, SlowText
from textveil.sanitize.costs import TextCosts
from textveil.sanitize.policy_report import value_data
from textveil.sanitize.release import Release
from textveil.sanitize.setting import Setting, found_of
from textveil.sanitize.ways import Prepared
from textveil.server.budgets import BudgetLedger as BudgetLedger
from textveil.server.budgets import Reserving, budget_data, cost_told
from textveil.server.conversations import OWN, UNTRACED, ConversationState
from textveil.server.errors import ApiError
from textveil.server.finding import FindingProcesses, FoundSpans, Recalled
from textveil.server.foreign import (
    CallRead,
    Context,
    ForeignValues,
    Origin,
    few_values,
    in_context,
    kinds_with_surrogates,
    read_calls,
    scopes_of,
    span_kinds,
    with_carried,
)
from textveil.server.monitoring import ServerMetrics
from textveil.server.policies import OfferedPolicies
from textveil.surrogates.scopes import ApartScope, MemoryScope
from textveil.surrogates.urls import hosts_in, services_in
from textveil.text.patterns import compile_all, time_limit

Result = TypeVar("Result")
Value = TypeVar("Value")
Spans: TypeAlias = list[list[DetectedSpan]]

logger = logging.getLogger("textveil.server.service")
ALONE_CHARACTERS: Final = 2_000
"""Values in longer texts are found by a process that can be killed, never by the server: no search holds others up.

In shorter texts, a search whose time grows with their square takes tenths of a second.
"""

QUICK_CHARACTERS: Final = 8_000
"""Texts of up to so many characters are sanitized on the event loop if the policy keeps words: handing them to a thread
and back takes longer.
"""

LONG_CHARACTERS: Final = 100_000
"""Longer texts are sanitized by few threads if the policy keeps words: the interpreter runs one thread at a time, and
everybody waits for each that wants to run.
"""

SPANS_SECONDS: Final = 3_600.0
SECONDS: Final = 10.0  # processor time that the detection of a call's texts may take
# a call may hold so many values for each of those seconds: drawing and restoring one takes about 0.1 ms
VALUES_A_SECOND: Final = 5_000
CALLED_A_SECOND: Final = 20_000
"""Characters that are read, for each of those seconds, for guesses that the upstream wrote into calls. A longer call is
treated as if it held guesses of every kind, which costs no time.
"""

DOCUMENT: Final = "document"
"""The first word of the label of a document's text."""

_TEXT: Final = 40  # characters that take as long as a text does besides its own
_PIECE: Final = 256  # texts that are looked up, or noted, in a row before others have their turn
_WAITING: Final = 16  # maximum number of calls with long texts that are under way or wait


async def beside(size: int, work: Callable[[], Result]) -> Result:
    """Do work in proportion to a size at once, or in a thread if it is long.

    A caller that is cancelled waits for the thread: it holds what the thread reads. ``size``: characters or bytes;
    ``work``: touches nothing that the server changes meanwhile.
    """
    if size <= LONG_CHARACTERS:
        return work()
    thread = asyncio.ensure_future(asyncio.to_thread(work))
    cancelled: asyncio.CancelledError | None = None
    while not thread.done():
        try:
            await asyncio.wait([thread])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        thread.exception()  # nobody else asks for it
        raise cancelled
    return thread.result()


async def _in_pieces(values: Iterable[Value]) -> AsyncIterator[Value]:
    for number, value in enumerate(values, 1):
        yield value
        if number % _PIECE == 0:
            await asyncio.sleep(0)


def _size(texts: Sequence[str]) -> int:
    return sum(map(len, texts)) + _TEXT * (len(texts) - 1)


# Made up: searches and lists are made when a text first needs them, and these need the most usual.
_FIRST_TEXTS: Final = (
    "Dear Dr. Maria Zyxwell (born 3 March 1984, 41 years old), your flight LH 400 from Boston to New York leaves on "
    "Monday at 10:30 am. Please pay $1,250.00 to GB82 WEST 1234 5698 7654 32 by 04/05/2024, or call +1 (212) 555-0147. "
    "Mr Smith of Acme Ltd, 12 High Street, London SW1A 1AA, said the Germans won 3-2; see https://example.com/a?b=1 or "
    "write to maria@example.com. card: 4111 1111 1111 1111, ip: 192.0.2.1, password=tr0ub4dor, id AB-123456.",
    "Herr Hans Zyxmann wohnt in der Hauptstrasse 5, 80331 München; Frau Dupont habite 3 rue de la Paix à Paris.",
    "1. Zyxcorp Q3 BTC/USD (AP) -- 12:30 GMT, 25 percent, 12 km, #4711; [x] {a: 1}, <b>ok</b>",
)


class PaidReleases(NamedTuple):
    """The releases of one call."""

    releases: tuple[Release, ...]  # one for each text, in order; of a conversation also those that were made before
    guarantee: dict[str, Any]  # the cost of this call for the person whose texts these are, as JSON data without text
    balance: Balance  # of the account, after it
    budget: dict[str, Any]  # the same as JSON data
    policy: str  # the name of the policy


class SanitizingService:
    """Releases texts, each call against a budget.

    Args:
        policies: that may be named.
        ledger: of budgets.
        threads: that sanitize texts, and do other long work; the ledger has one of its own.
        seconds: processor time that the detection of a call's texts may take.
        metrics: counts releases; None: its own.
        foreign: the treatment of values in texts that others may have written a part of.
        finding: processes that find values; without them a search may hold up everybody.
        shares: whether they also read short texts while other requests are under way.
        samples: draws conversations that a person may read, if there are such.
        remembers: seconds for which it is remembered what was found in a text of a conversation.
    """

    def __init__(
        self,
        policies: OfferedPolicies,
        ledger: BudgetLedger,
        *,
        threads: int = 16,
        seconds: float = SECONDS,
        metrics: ServerMetrics | None = None,
        foreign: ForeignValues = ForeignValues(),  # noqa: B008
        finding: FindingProcesses | None = None,
        shares: bool = True,
        samples: Samples | None = None,
        remembers: float = SPANS_SECONDS,
    ) -> None:
        self.policies = policies
        self._spans = FoundSpans(remembers)
        self._samples = samples
        self._ledger = ledger
        self._foreign = foreign
        self._metrics = ServerMetrics() if metrics is None else metrics
        self._reserving = Reserving(ledger)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="textveil-sanitize")
        self._lane = ThreadPoolExecutor(max(1, threads // 8), thread_name_prefix="textveil-long-texts")
        self._seconds = seconds
        self._finding, self._shares = finding, shares
        self._under_way = 0
        self._long = 0
        self._known: dict[str, _Known] = {}

    async def release(
        self,
        texts: Sequence[str],
        *,
        policy: str | None,
        account: Account,
        conversation: ConversationState | None = None,
        labels: Sequence[str] | None = None,
        origins: Sequence[Origin | None] | None = None,
        contexts: Sequence[Context | None] | None = None,
    ) -> PaidReleases:
        """Sanitize texts of one person, and take the cost from every budget that the account is under.

        Args:
            texts: released together, for one price.
            policy: a name; None is the server's default.
            account: that pays.
            conversation: its earlier releases are released again, byte for byte, at no cost.
            labels: for each text of a conversation, tells it from equal ones, which are then released apart.
            origins: for each text of a conversation, where it comes from; None if the client wrote it.
            contexts: for each text of a conversation, the longer one that it stands in; None if it is whole.

        Raises:
            UnknownNameError: there is no such policy.
            BudgetExhausted: a budget does not reach; nothing was drawn.
            InputError: a text cannot be sanitized, the texts take too long or hold too many values, or others bring
                too many; nothing was drawn or paid.
            ApiError: too many long texts wait.
        """
        name = self.policies.name(policy)
        self._under_way += 1
        try:
            if conversation is None:
                prepared, releases, balance = await self._paid(name, list(texts), account)
                return self._told(name, releases, prepared, balance)
            # A caller that goes away must not leave the conversation without what it has paid for.
            wanted = list(zip(labels or [""] * len(texts), texts, strict=True))
            none = [None] * len(texts)
            told = dict(zip(wanted, zip(origins or none, contexts or none, strict=True), strict=True))
            return await asyncio.shield(asyncio.ensure_future(self._in_turn(name, wanted, account, conversation, told)))
        finally:
            self._under_way -= 1

    async def found(self, name: str, text: str) -> list[DetectedSpan]:
        """Find the spans that a policy would treat as such.

        Raises InputError: the text takes too long to be read; ApiError: too many long texts wait.
        """
        spans = await self._found_beside(name, [text])
        return await self._done(name, len(text), partial(self._found, name, text)) if spans is None else spans[0]

    async def detected(self, text: str) -> list[DetectedSpan]:
        """Find spans without a policy; raises as ``found``."""
        if self._finding is None:
            return await self.in_thread(partial(self._found, None, text))
        long = len(text) > LONG_CHARACTERS
        spans = await self._finding.found(None, [text], long=long, must=True)
        assert spans is not None
        return spans[0]

    async def balance(self, account: Account) -> Balance:
        """Return what an account has spent and has left."""
        return await self.in_thread(partial(self._ledger.balance, account))

    async def warm(self) -> None:
        """Make what sanitizes by the default policy, and read a text by it: the first requests do not wait for that."""

        def made() -> None:
            self.policies.sanitizer(self.policies.default)
            if self.policies.is_found_apart(self.policies.default):
                for text in _FIRST_TEXTS:
                    detect(text)
                compile_all()

        await self.in_thread(made)

    def close(self) -> None:
        """Finish work under way."""
        self._pool.shutdown(wait=True)
        self._lane.shutdown(wait=True)
        self._reserving.close()

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _in_turn(
        self,
        name: str,
        wanted: list[tuple[str, str]],
        account: Account,
        conversation: ConversationState,
        told: Mapping[tuple[str, str], tuple[Origin | None, Context | None]],
    ) -> PaidReleases:
        async with conversation.lock:
            digests = await self._digests(name, wanted, conversation)
            releases = {key: conversation.known(digest) for key, digest in digests.items()}
            if new := [key for key, release in releases.items() if release is None]:
                origins, contexts = map(list, zip(*(told[key] for key in new), strict=True))
                own = [told[key][0] is None and not _declares(key[0]) for key in new]
                hosts = [told[key][0] is None and not _is_document(key[0]) for key in new]
                within = _Within(conversation, origins, own, hosts, contexts)
                prepared, drawn, balance = await self._paid(name, [text for _, text in new], account, within)
                async for key, new_release, source in _in_pieces(zip(new, drawn, within.sources, strict=True)):
                    conversation.remember(name, digests[key], new_release, source)
                releases |= zip(new, drawn, strict=True)
                conversation.foreign_values = within.values
                conversation.name_hosts(within.hosts)
                conversation.name_persons(within.persons)
                await self._sample(name, conversation, [text for _, text in new], drawn)
            else:
                prepared, balance = None, await self.balance(account)
            in_order = [release for key in wanted if (release := releases[key]) is not None]
            return self._told(name, in_order, prepared, balance)

    def sampled_share(self, policy: str | None) -> float | None:
        """Return the probability with which a person may read a conversation; None if nobody does."""
        drawn = self._samples is not None and self.policies.name(policy) == self.policies.default
        return self._samples.share if drawn and self._samples is not None else None

    async def _sample(
        self, name: str, conversation: ConversationState, texts: list[str], releases: Sequence[Release]
    ) -> None:
        if self._samples is not None and name == self.policies.default:
            pairs = [(text, release.text) for text, release in zip(texts, releases, strict=True)]
            conversation.sampled = await self.in_thread(partial(self._samples.take, conversation.sampled, pairs))

    async def _digests(
        self, name: str, wanted: list[tuple[str, str]], conversation: ConversationState
    ) -> dict[tuple[str, str], bytes]:
        def digests() -> dict[tuple[str, str], bytes]:
            return {key: conversation.digest(name, *key) for key in wanted}

        few = len(wanted) <= _PIECE and _size([text for _, text in wanted]) <= LONG_CHARACTERS
        return digests() if few else await self.in_thread(digests)

    async def _paid(
        self, name: str, texts: list[str], account: Account, within: _Within | None = None
    ) -> tuple[Prepared, list[Release], Balance]:
        """Prepare, pay, then draw, then note it: in that order and no other."""
        read = [*texts, *(() if within is None else within.around)]
        characters = _size(read)
        if within is None or not self.policies.is_found_apart(name):
            spans = await self._found_beside(name, read)
        else:
            within.recalled = self._spans.recall(account, self.policies.base(name), read)
            missing = within.recalled.missing(read)
            spans = await self._found_beside(name, missing) if missing else []
        if within is not None:
            await self._trace(name, within)
        prepared = await self._sanitized(name, characters, partial(self._prepared, name, texts, within, spans))
        try:
            reservation = await asyncio.wrap_future(self._reserving.reserve(account, prepared.accountant))
        except BudgetExhausted as error:
            known = self._known_of(name, prepared.setting)
            raise error.told_with(cost_told(known.drawn(prepared))) from None
        self._metrics.epsilon.labels(name).inc(prepared.spent.approximate().epsilon)
        releases = await self._sanitized(name, characters, prepared.release, paid=True)
        self._ledger.commit(reservation)
        self._metrics.releases.labels(name).inc(len(releases))
        return prepared, releases, reservation.balance

    async def _sanitized(self, name: str, characters: int, work: Callable[[], Result], *, paid: bool = False) -> Result:
        return await self._done(name, characters, work, paid=paid)

    async def _found_beside(self, name: str, texts: list[str]) -> Spans | None:
        """Find the spans of texts in another process; None if this one shall find them."""
        characters = _size(texts)
        must = characters > ALONE_CHARACTERS
        shared = self._shares and self._under_way > 1
        if self._finding is None or not (must or shared) or not self.policies.is_found_apart(name):
            return None
        return await self._finding.found(self.policies.base(name), texts, long=characters > LONG_CHARACTERS, must=must)

    async def _trace(self, name: str, within: _Within) -> None:
        if self._foreign.shared or not any(within.origins):
            return
        calls = {origin.message: origin.call for origin in within.origins if origin is not None and origin.call}
        sanitizer = await self.in_thread(partial(self.policies.sanitizer, name))
        if not calls or not sanitizer.remembers:
            return
        within.calls = await self.in_thread(partial(read_calls, calls, within.conversation))
        left, short = int(self._seconds * CALLED_A_SECOND), []
        for call in within.calls.values():
            if len(call.rest) > left:  # the upstream knows its length, and so what is made of it
                call.beside = kinds_with_surrogates(sanitizer.setting)
            else:
                left -= len(call.rest)
                short.append(call)
        # A tool may write in another case what it was given.
        texts = [text for call in short for text in (call.rest, call.rest.title())]
        spans = await self._found_beside(name, texts)
        kinds = await self._done(name, _size(texts), partial(self._kinds, name, texts, spans))
        for number, call in enumerate(short):
            call.beside = kinds[2 * number] | kinds[2 * number + 1]

    def _kinds(self, name: str, texts: list[str], spans: Spans | None) -> list[frozenset[str]]:
        with time_limit(self._seconds):
            return span_kinds(self.policies.sanitizer(name), texts, spans)

    def _prepared(self, name: str, texts: list[str], within: _Within | None, spans: Spans | None) -> Prepared:
        sanitizer = self.policies.sanitizer(name)
        with time_limit(self._seconds):
            if within is None:
                return self._few(sanitizer.prepare(texts, found=spans))
            conversation, scope = within.conversation, within.conversation.scope(name)
            told = (text for text, names in zip(texts, within.names_hosts, strict=True) if names)
            within.hosts = frozenset[str]().union(*map(hosts_in, told), *map(services_in, texts))
            scopes: list[MemoryScope | ApartScope] = [scope] * len(texts)
            if sanitizer.remembers and not self._foreign.shared:
                scopes, within.sources = scopes_of(within.origins, scope, within.calls)
            found: Sequence[Sequence[DetectedSpan]] | None = spans
            finder = None if within.recalled is None else self.policies.finder(name)
            if finder is not None and within.recalled is not None:
                read = [*texts, *within.around]
                new = finder.found(within.recalled.missing(read)) if spans is None else spans
                here = within.recalled.completed(new)
                around = dict(zip(within.around, here[len(texts) :], strict=True))
                found = in_context(finder, texts, here[: len(texts)], within.contexts, around)
                if finder.draws_persons and any(within.own):
                    found, within.persons = with_carried(
                        finder, texts, within.own, found, within.persons, conversation.carried
                    )
            prepared = sanitizer.prepare(texts, scopes=scopes if sanitizer.remembers else None, found=found)
        within.values = few_values(prepared, within.origins, conversation.foreign_values, self._foreign.most)
        return self._few(prepared)

    def _few(self, prepared: Prepared) -> Prepared:
        kinds, most = kinds_with_surrogates(prepared.setting), int(self._seconds * VALUES_A_SECOND)
        mentions = (found_of(counts, kind) for counts in prepared.counts for kind in kinds)
        if sum(mentions) > most:
            raise SlowText(f"the texts must hold at most {most:,} values; they hold more. Send less at a time.")
        return prepared

    def _found(self, name: str | None, text: str) -> list[DetectedSpan]:
        with time_limit(self._seconds):
            return detect(text) if name is None else self.policies.found(name, text)

    async def _done(self, name: str, characters: int, work: Callable[[], Result], *, paid: bool = False) -> Result:
        """Do work in proportion to texts where it holds up others the least.

        Raises ApiError: too much waits already; paid work is done all the same.
        """
        plain = self.policies.is_plain(name)
        if plain and characters <= QUICK_CHARACTERS and self.policies.is_made(name):
            return work()
        if not plain or characters <= LONG_CHARACTERS:
            return await self.in_thread(work)
        if self._long >= _WAITING and not paid:
            message = "too many long texts are being sanitized. Try again soon."
            raise ApiError(503, "overloaded", message, "server_error", headers={"retry-after": "10"})
        self._long += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._lane, work)
        finally:
            self._long -= 1

    def _told(
        self, name: str, releases: Sequence[Release], prepared: Prepared | None, balance: Balance
    ) -> PaidReleases:
        setting = self.policies.sanitizer(name).setting
        known = self._known_of(name, setting)
        cost = None if prepared is None else prepared.accountant
        guarantee, budget = known.with_costs(setting, prepared), budget_data(balance, known.costs, cost)
        return PaidReleases(tuple(releases), guarantee, balance, budget, name)

    def _known_of(self, name: str, setting: Setting) -> _Known:
        if (known := self._known.get(name)) is None:
            known = self._known[name] = _known_of(name, setting)
        return known


class _Within:
    """Texts of a conversation: origins, sources of their values, calls by message, foreign values, hosts and persons.

    ``own``: whether the client said each of them, and did not declare a tool by it; ``names_hosts``: whether an answer
    may have originals in URLs to a host that it names; ``around``: the texts of their contexts; ``recalled``: the spans
    of both, as far as they are known, if the policy's values may be found in another process.
    """

    def __init__(
        self,
        conversation: ConversationState,
        origins: Sequence[Origin | None],
        own: Sequence[bool],
        names_hosts: Sequence[bool],
        contexts: Sequence[Context | None],
    ) -> None:
        self.conversation = conversation
        self.origins = origins
        self.own = own
        self.names_hosts = names_hosts
        self.contexts = contexts
        self.around = list(dict.fromkeys(context.text for context in contexts if context is not None))
        self.persons = conversation.persons
        self.sources = [OWN if origin is None else UNTRACED for origin in origins]
        self.calls: Mapping[str, CallRead] = {}
        self.values = conversation.foreign_values
        self.hosts: frozenset[str] = frozenset()
        self.recalled: Recalled | None = None


def _declares(label: str) -> bool:
    """Return whether a text of this label declares a tool: its words are a public vocabulary, and name nobody."""
    return not _DECLARED.isdisjoint(label.split(" ")[1:2])


def _is_document(label: str) -> bool:
    """Return whether a text of this label is that of a document, which the client sends and others may have written."""
    return label.partition(" ")[0] == DOCUMENT


_DECLARED: Final = frozenset(("tools", "functions", "tool_choice", "response_format", "text", "output_config"))
_TOLD_OF_A_KIND: Final = frozenset(("kind", "text", "status", "epsilon", "delta", "unit", "pays"))


class _Known(NamedTuple):
    """Facts about every release under a policy: made once, since they follow from the policy alone."""

    always: dict[str, Any]
    kinds: list[dict[str, Any]]
    costs: TextCosts

    def with_costs(self, setting: Setting, prepared: Prepared | None) -> dict[str, Any]:
        """Return the cost of a call and its guarantee as JSON data without text; with None all was released before."""
        if prepared is None:
            return {**setting.accountant({}).spent.to_data(), **self.always}
        return {**prepared.spent.to_data(), **self.always, "by_kind": self.drawn(prepared)}

    def drawn(self, prepared: Prepared) -> list[dict[str, Any]]:
        """Return, of each kind that is drawn for, the promise of a draw and how many there are."""
        totals = {kind["kind"]: sum(counts.get(kind["kind"], 0) for counts in prepared.counts) for kind in self.kinds}
        return [{**kind, "count": totals[kind["kind"]]} for kind in self.kinds if totals[kind["kind"]]]


def _known_of(policy: str, setting: Setting) -> _Known:
    facts = setting.policy
    always = {
        "policy": policy,
        "per_value": value_data(setting),
        "by_kind": [],
        "not_covered": [] if facts is None else list(facts.not_covered),
        "for_release": setting.for_release,
        "warnings": setting.warnings(),
    }
    kinds = [
        {name: value for name, value in kind.to_data().items() if name in _TOLD_OF_A_KIND} | {"count": 0}
        for kind in setting.protected
    ]
    return _Known(always, kinds, TextCosts.of(setting))
