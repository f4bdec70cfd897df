"""Processes that find values for the server, because Python computes on one processor at a time.

They hold nothing between requests: conversations, budgets and draws stay with the server. A request goes to one of
them only while others are under way or where its texts are long, so a quiet server starts none. Which process reads a
text depends on how busy they are and on its length, never on what it says.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final, final

from textveil.detection.spans import DetectedSpan
from textveil.errors import SlowText
from textveil.sanitize.policy.policy import Policy
from textveil.server.finding_process import SIZE, Answer, framed

logger = logging.getLogger("textveil.server.finding")

_LONG: Final = 1 << 20
"""What a long text weighs among requests that wait: no other waits behind it."""

_FAILED_STARTS: Final = 3
"""After so many no other process is started: the server finds values itself."""

_END_SECONDS: Final = 5.0


@final
class FindingProcesses:
    """Up to so many processes, each started when the ones before are busy.

    Args:
        most: how many.
        default: the name of the policy that each makes ready when it starts.
        policies: by name, that texts can be read under.
        seconds: of processor time that the texts of a request may take.
    """

    def __init__(self, most: int, default: str, policies: Mapping[str, Policy], seconds: float) -> None:
        self._most = most
        self._policies = framed((default, dict(policies)))
        self._seconds = seconds
        self._running: list[_Process] = []
        self._starting: asyncio.Task[None] | None = None
        self._failed_starts = 0

    async def found(self, policy: str, texts: Sequence[str], *, long: bool) -> list[list[DetectedSpan]] | None:
        """The spans of each text; None where no process is free, or none could read them.

        Args:
            policy: its name.
            texts: private texts.
            long: whether they take so long that no other request may wait behind them.

        Raises:
            SlowText: the texts take too long.
        """
        process = min(self._running, key=_Process.load, default=None)
        if process is None or process.load() > 0:
            self._start_another()
        if process is None or process.load() > (0 if long else _LONG - 1):
            return None
        answer = await process.ask(framed((policy, list(texts), self._seconds)), _LONG if long else 1)
        if isinstance(answer, SlowText):
            raise answer
        return answer

    async def close(self) -> None:
        """End the processes."""
        self._most = 0
        if self._starting is not None:
            await asyncio.wait([self._starting])
        await asyncio.gather(*[process.end() for process in self._running])

    def _start_another(self) -> None:
        idle = self._starting is None or self._starting.done()
        if idle and len(self._running) < self._most and self._failed_starts < _FAILED_STARTS:
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        paths = os.pathsep.join(filter(None, sys.path))
        process = None
        with contextlib.suppress(OSError, NotImplementedError):  # not every event loop can start one
            process = _Process(
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-c", "from textveil.server.finding_process import main; main()"),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,  # a warning may quote a text
                    start_new_session=True,  # an interrupt from the keyboard ends the server, which ends this one
                    env={**os.environ, "PYTHONPATH": paths},
                )
            )
            process.reading.add_done_callback(lambda _: self._ended(process))
        if process is None or await process.ask(self._policies, 1) is None:
            self._failed_starts += 1
            return
        self._running.append(process)

    def _ended(self, process: _Process) -> None:
        if process in self._running:
            self._running.remove(process)
            if self._most:
                logger.warning("a process that finds values ended; the server goes on without it")


@final
class _Process:
    """One of them; its answers come in the order of the requests."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asked: deque[tuple[asyncio.Future[Answer], int]] = deque()
        self._load = 0
        self.reading = asyncio.create_task(self._read())

    def load(self) -> int:
        """Requests that it has."""
        return self._load

    async def ask(self, request: bytes, weight: int) -> Answer:
        """Its answer; None where it ended."""
        if self.reading.done():
            return None
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked.append((answer, weight))
        self._load += weight
        assert self._process.stdin is not None
        self._process.stdin.write(request)
        return await answer

    async def end(self) -> None:
        """End it, at once where it does not end by itself."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _read(self) -> None:
        answers = self._process.stdout
        assert answers is not None
        try:
            while True:
                size = int.from_bytes(await answers.readexactly(SIZE), "big")
                read = pickle.loads(await answers.readexactly(size))
                answer, weight = self._asked.popleft()
                self._load -= weight
                if not answer.done():  # it is done where the request was cancelled
                    answer.set_result(read)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            for answer, _ in self._asked:
                if not answer.done():
                    answer.set_result(None)
