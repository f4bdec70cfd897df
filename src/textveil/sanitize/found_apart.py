"""Values found by another process, which is killed if it takes longer than it may, in the middle of a search too."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Final

from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, TextveilError
from textveil.sanitize.finding_process import (
    START_SECONDS,
    Answer,
    Request,
    command,
    environment,
    framed,
    received,
    wall_seconds,
    was_killed_over_limit,
)
from textveil.sanitize.policy.finding import RecordValues
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import too_slow

_ATTEMPTS: Final = 2  # processes that are asked, if the first ends for another reason than a limit

_NAME: Final = "policy"  # by which the process knows the one policy that it has


class FoundApart:
    """Finds the values of a policy in a process that is started when it is first needed, and ends with this one.

    Args:
        policy: one that finds spans.
        seconds: of processor time that the texts of one call may take; they may take ``wall_seconds`` of that by the
            clock.
    """

    def __init__(self, policy: Policy, seconds: float) -> None:
        self._policies = framed(({_NAME: policy}, [_NAME]))
        self._seconds = seconds
        self._wall = wall_seconds(seconds)
        self._process: _Process | None = None

    def found(self, texts: Sequence[str], values: Sequence[RecordValues] | None) -> list[list[DetectedSpan]]:
        """Find the spans of each text; see ``SpanFinder.found_in``.

        Raises:
            SlowText: the texts take too long.
            InputError: they cannot be read.
            TextveilError: the process cannot be started, or fails.
        """
        request = framed(Request(_NAME, texts, self._seconds, values))
        for _ in range(_ATTEMPTS):
            process = self._process = self._process or self._started()
            try:
                answer = process.ask(request, self._wall)
            except EOFError:
                self._process = None
                if process.ended_over_limit():
                    raise too_slow(self._seconds) from None
                continue
            if isinstance(answer, InputError):
                raise answer
            if answer is None:
                raise TextveilError(
                    "what finds values must not fail; it did. Run it without `record_seconds` to see where."
                )
            return answer
        raise InputError(f"the texts must be read by a process; {_ATTEMPTS} crashed on them. Is there enough memory?")

    def _started(self) -> _Process:
        with contextlib.suppress(EOFError, OSError):
            process = _Process()
            if isinstance(process.ask(self._policies, START_SECONDS), list):
                return process
        raise TextveilError("a process that finds values must start; it crashed at once. Is there enough memory?")


class _Process:
    def __init__(self) -> None:
        self._over = False
        self._process = subprocess.Popen(
            command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a warning may quote a text
            start_new_session=True,  # an interrupt from the keyboard ends this process, and so that one
            env=environment(),
        )
        weakref.finalize(self, _end, self._process)

    def ask(self, request: bytes, seconds: float) -> Answer:
        """Its answer.

        Args:
            request: framed.
            seconds: by the clock until it is killed.

        Raises:
            EOFError: it has ended.
        """
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        answer: Answer = None
        with self._killed_after(seconds):
            try:
                requests.write(request)
                requests.flush()
                answer = received(answers)
            except OSError:
                raise EOFError from None
        return answer

    def ended_over_limit(self) -> bool:
        """Wait for its end, and tell whether it took too long."""
        return was_killed_over_limit(self._process.wait()) or self._over

    @contextlib.contextmanager
    def _killed_after(self, seconds: float) -> Iterator[None]:
        timer = threading.Timer(seconds, self._kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        except BaseException:
            self._process.kill()  # also of one that is stopped
            raise
        finally:
            timer.cancel()

    def _kill(self) -> None:
        self._over = True
        self._process.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with process:  # closes its ends, and waits
        pass
