"""Processes that find values for the server: they compute on other processors, and can be killed.

A search holds the interpreter until it ends, so a time limit between two searches does not bound it. Long texts are
therefore read by these processes only. Each request has a limit on processor time, which the kernel enforces, and
one on time by the clock: a process over either is killed, its request is refused, and another takes its place.

They hold nothing between requests: conversations, budgets and draws stay with the server. Short texts go to one of
them only while other requests are under way. Which process reads a text depends on how busy they are and on its
length, never on its content. A quiet server that has read no long text has started none.

``FoundSpans`` remembers the spans of texts that an account sent before: a system prompt and tools stand in each of its
conversations. What a detector finds in a text depends on the text alone, so a release does not tell whether its spans
were remembered. Each account remembers its own texts only: how quickly a text is read tells nobody what others sent.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from textveil.budget.account import Account
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, InternalError
from textveil.killable import SIZE, START_SECONDS, answer_in, environment, framed, wall_seconds, was_killed_over_limit
from textveil.sanitize.finding_process import Answer, Request, Work, answer_of, command
from textveil.sanitize.policy.policy import Policy
from textveil.server.errors import ApiError
from textveil.server.kept_data import KeyedDigests
from textveil.text.patterns import too_slow

logger = logging.getLogger("textveil.server.finding")

_LONG: Final = 1 << 20  # the weight of a long text among waiting requests: no other waits behind it
_LEAST: Final = 2  # minimum number of processes, so that long texts never hold all of them
_WAITING: Final = 64  # requests that may wait for a process
_ATTEMPTS: Final = 2  # processes that are asked, if the first ends for another reason than a limit
# until a process is started after a failed one: doubled with each further failure, up to the second
_BACK_OFF_SECONDS: Final = (0.5, 60.0)
_SMALL: Final = 1 << 16  # bytes of an answer that is read on the event loop; a larger one is read in a thread
_END_SECONDS: Final = 5.0


class _Ended(Exception):
    """Every process that was asked ended before it answered, none over a limit."""


class FindingProcesses:
    """Up to ``most`` processes (2 at least), each started when the ones before are busy.

    Args:
        most: how many.
        ready: names of the policies that each makes ready when it starts.
        policies: by name, that texts can be read under.
        seconds: processor time that the texts of a request may take.
        wall: seconds by the clock that they may take; None is ``wall_seconds`` of those.
    """

    def __init__(
        self,
        most: int,
        ready: Sequence[str],
        policies: Mapping[str, Policy],
        seconds: float,
        *,
        wall: float | None = None,
    ) -> None:
        self._most = max(_LEAST, most)
        self._policies = framed((dict(policies), list(ready)))
        self._seconds = seconds
        self._wall = wall_seconds(seconds) if wall is None else wall
        self._running: list[_Process] = []
        self._starting: asyncio.Task[None] | None = None
        self._failures = 0
        self._start_after = 0.0
        self._waiting = 0
        self._changed = asyncio.Event()
        self._closed = False

    async def found(
        self, policy: str | None, texts: Sequence[str], *, long: bool = False, must: bool = False
    ) -> list[list[DetectedSpan]] | None:
        """Find the spans of each text; None if no process is free or none could read them, unless one must.

        Args:
            policy: its name; None finds everything that is found without a policy.
            texts: private.
            long: whether no other request may wait behind them.
            must: whether nobody else may read them: then a process is waited for.

        Raises InputError: the texts take too long, or cannot be read; ApiError: a process must read them, and none came
        free or could be started.
        """
        try:
            answer = await self._answered(framed(Request(policy, list(texts), self._seconds)), long=long, must=must)
        except _Ended:
            raise _overloaded(
                "the processes that read long texts end before they answer. Ask who runs the server."
            ) from None
        if answer is None and must:
            raise ApiError(
                500, "internal_error", "the server failed; nothing was sent on. See its log.", "server_error"
            )
        return answer

    async def done(self, call: Callable[[], list[Any]], most_bytes: int) -> list[Any]:
        """Do work on files that others made, in a process that can be killed.

        ``call``: pickled by the names of what it calls; ``most_bytes``: of memory that it may take.

        Raises: as ``found``, but InputError if the work fails, or ends each process; InternalError: a check of it
        failed.
        """
        try:
            answer = await self._answered(framed(Work(call, self._seconds, most_bytes)), long=True, must=True)
        except _Ended:
            answer = None
        if answer is None:
            raise InputError("a document must be whole; what reads it fails or ends on this one. Save it anew.")
        return answer

    async def _answered(self, request: bytes, *, long: bool, must: bool) -> list[Any] | None:
        for _ in range(_ATTEMPTS if must else 1):
            process = await self._awaited(long) if must else self._free(long)
            if process is None:
                return None
            answer = await process.ask(request, self._wall, _LONG if long else 1)
            self._note_change()
            if isinstance(answer, InputError | InternalError):
                raise answer
            if answer is not None or not (must and process.ended):
                break
        else:
            raise _Ended
        return answer

    async def close(self) -> None:
        self._closed = True
        self._note_change()
        if self._starting is not None:
            await asyncio.wait([self._starting])
        await asyncio.gather(*[process.end() for process in self._running])

    def _free(self, long: bool) -> _Process | None:
        if (process := min(self._running, key=_Process.load, default=None)) is None or process.load() > 0:
            self._start_another()
        if process is None or process.load() >= _LONG:
            return None
        holding = sum(each.load() >= _LONG for each in self._running)
        return None if long and holding >= self._most - 1 else process

    async def _awaited(self, long: bool) -> _Process:
        if self._waiting >= _WAITING:
            raise _overloaded("too many texts wait to be read. Try again soon.")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._wall + START_SECONDS):
                while (process := self._free(long)) is None and not self._closed:
                    pause = max(0.05, self._start_after - asyncio.get_running_loop().time())
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._changed.wait(), pause if self._failures else None)
        except TimeoutError:
            raise _overloaded("no process that reads long texts came free. Try again later.") from None
        finally:
            self._waiting -= 1
        if process is None:
            raise _overloaded("the server ends. Try again later.")
        return process

    def _note_change(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _start_another(self) -> None:
        idle = self._starting is None or self._starting.done()
        if self._closed or not idle or len(self._running) >= self._most:
            return
        if asyncio.get_running_loop().time() >= self._start_after:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        process = None
        with contextlib.suppress(OSError, NotImplementedError):  # not every event loop can start one
            process = _Process(
                await asyncio.create_subprocess_exec(
                    *command(),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,  # a warning may quote a text
                    start_new_session=True,  # an interrupt from the keyboard ends the server, which ends this one
                    env=environment(),
                ),
                self._seconds,
            )
        if process is None or not isinstance(await process.ask(self._policies, START_SECONDS, 1), list):
            if process is not None:
                await process.end()
            self._fail()
        else:
            self._running.append(process)
            process.reading.add_done_callback(lambda _: self._ended(process))
        self._note_change()

    def _fail(self) -> None:
        first, most = _BACK_OFF_SECONDS
        self._start_after = asyncio.get_running_loop().time() + min(most, first * 2 ** min(self._failures, 20))
        self._failures += 1

    def _ended(self, process: _Process) -> None:
        if process in self._running:
            self._running.remove(process)
            if not self._closed:
                logger.warning("a process that finds values ended; the server starts another when it needs one")
        if process.answered or process.over_limit:
            self._failures, self._start_after = 0, 0.0
        elif not self._closed:
            self._fail()
        self._note_change()


def _overloaded(message: str) -> ApiError:
    return ApiError(503, "overloaded", message, "server_error", headers={"retry-after": "10"})


def _read(data: bytes) -> Answer:
    return answer_of(answer_in(data))


class _Process:
    """One process; its answers come in the order of the requests.

    Attributes:
        reading: ends with the process.
        over_limit: whether it was killed over a limit.
    """

    def __init__(self, process: asyncio.subprocess.Process, seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._asked: deque[tuple[asyncio.Future[Answer], float, int]] = deque()
        self._load = 0
        self._overdue: asyncio.TimerHandle | None = None
        self._answers = 0
        self.over_limit = False
        self.reading = asyncio.create_task(self._read())

    @property
    def answered(self) -> bool:
        """True if it answered a request after its start."""
        return self._answers > 1

    @property
    def ended(self) -> bool:
        """True if it answers no more."""
        return self.reading.done()

    def load(self) -> int:
        return self._load

    async def ask(self, request: bytes, seconds: float, weight: int) -> Answer:
        """Return its answer; None if it ended; the error if it was killed because of this request.

        ``request``: framed; ``seconds``: by the clock from when the process comes to it: then it is killed; ``weight``:
        of it in ``load``.
        """
        if self.reading.done():
            return None
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked.append((answer, seconds, weight))
        self._load += weight
        if len(self._asked) == 1:
            self._watch()
        assert self._process.stdin is not None
        self._process.stdin.write(request)
        answered = await answer
        await asyncio.sleep(0)  # the end of the process is noted before anybody asks for another
        return answered

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self._kill()
            await self._process.wait()

    def _watch(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
        self._overdue = None
        if self._asked:
            self._overdue = asyncio.get_running_loop().call_later(self._asked[0][1], self._over)

    def _over(self) -> None:
        self.over_limit = True
        self._kill()

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()  # also of one that is stopped

    async def _read(self) -> None:
        answers = self._process.stdout
        assert answers is not None
        try:
            while True:
                size = int.from_bytes(await answers.readexactly(SIZE), "big")
                data = await answers.readexactly(size)
                read = _read(data) if size <= _SMALL else await asyncio.to_thread(_read, data)
                answer, _, weight = self._asked.popleft()
                self._load -= weight
                self._answers += 1
                self._watch()
                if not answer.done():  # it is done if the request was cancelled
                    answer.set_result(read)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            pass
        finally:
            await self._told_all()

    async def _told_all(self) -> None:
        """Answer all who wait: the first is refused if it is over its limit, the others may ask elsewhere."""
        if self._overdue is not None:
            self._overdue.cancel()
        self._load = _LONG  # nobody asks it any more
        # It ends by itself: a signal to a process that has just ended would take its exit code from asyncio.
        await self.end()
        assert self._process.returncode is not None
        self.over_limit = self.over_limit or was_killed_over_limit(self._process.returncode)
        asked, self._asked = self._asked, deque()
        for number, (answer, _, _) in enumerate(asked):
            if not answer.done():
                answer.set_result(too_slow(self._seconds) if self.over_limit and number == 0 else None)


Spans: TypeAlias = Sequence[DetectedSpan]

MOST: Final = 50_000
"""Spans and texts that are remembered, together: about 10 MB."""


class FoundSpans:
    """Remembers where values stand, under keyed digests of texts; no text.

    ``seconds``: how long after a text was last sent; ``clock``: seconds.
    """

    def __init__(self, seconds: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._digest = KeyedDigests(secrets.token_bytes(32))
        self._known: OrderedDict[bytes, tuple[float, Spans]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()  # long texts are prepared in threads

    def recall(self, account: Account, policy: str, texts: Iterable[str]) -> Recalled:
        """Return what is known of private texts under a policy."""
        whose = (account.tenant, account.unit or "", account.key or "", policy)
        keys = [self._digest(*whose, text) for text in texts]
        with self._lock:
            self._forget()
            return Recalled(self, keys, [self._used(key) for key in keys])

    def note(self, key: bytes, spans: Spans) -> None:
        """Remember the spans of a text, unless they are so many that few others would be."""
        if len(spans) > MOST // 2:
            return
        with self._lock:
            if key not in self._known:  # what is found in a text is always the same
                self._size += 1 + len(spans)
            self._known[key] = (self._clock(), tuple(spans))
            self._known.move_to_end(key)
            self._forget()

    def _used(self, key: bytes) -> Spans | None:
        if (known := self._known.get(key)) is None:
            return None
        self._known[key] = (self._clock(), known[1])
        self._known.move_to_end(key)
        return known[1]

    def _forget(self) -> None:
        over = self._clock() - self._seconds
        while self._known and (self._size > MOST or next(iter(self._known.values()))[0] <= over):
            self._size -= 1 + len(self._known.popitem(last=False)[1][1])


class Recalled:
    """The spans that are known of some texts."""

    def __init__(self, memory: FoundSpans, keys: Sequence[bytes], known: Sequence[Spans | None]) -> None:
        self._memory, self._keys, self._known = memory, keys, known

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return those of the texts whose spans are to be found, each once."""
        new = {key: text for key, text, known in zip(self._keys, texts, self._known, strict=True) if known is None}
        return list(new.values())

    def completed(self, found: Iterable[Spans]) -> list[Spans]:
        """Return the spans of all texts, given those of the missing ones, which are remembered."""
        new = dict.fromkeys(key for key, known in zip(self._keys, self._known, strict=True) if known is None)
        spans = dict(zip(new, found, strict=True))
        for key, each in spans.items():
            self._memory.note(key, each)
        return [spans[key] if known is None else known for key, known in zip(self._keys, self._known, strict=True)]
