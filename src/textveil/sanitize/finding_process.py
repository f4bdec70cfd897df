"""Process that finds values or reads files for another: requests on its standard input, answers on its output.

A search holds the interpreter until it ends, so that no limit on time which is looked at between two searches holds for
it. A process of its own can be killed: by the system's kernel, which counts its processor time, and by whoever started
it, by the clock.

Both sides send pickles, and only the process that started this one holds the other ends. The first request is policies
by name, and which of them to make ready; each other is a ``Request``, or ``Work`` on files. Texts go nowhere else:
whoever starts the process discards what it prints, and an error is answered without its message, unless it is one of
textveil's, whose messages hold no text.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias

from textveil.detection.detectors import detect
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, InternalError, SlowText, TextveilError
from textveil.sanitize.policy.finding import RecordValues, SpanFinder
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import time_limit, too_slow

SIZE: Final = 8  # bytes before each message that tell its length, the largest first
START_SECONDS: Final = 120.0
"""By the clock until a process must be ready; one that was just started reads every list that detection needs."""

Answer: TypeAlias = list[Any] | InputError | InternalError | None
"""The spans of each text, or what came of the work; or an error that tells no text; or None for any other error."""

_GRACE_SECONDS: Final = 1.0  # of processor time after which a process is killed that did not look at its limit

_ENVIRONMENT: Final = (
    *("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONUTF8"),
    *("SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ"),
)
"""Variables that a process gets: none of textveil's, which hold keys and passwords."""


class Request(NamedTuple):
    """Texts to be read."""

    policy: str | None  # the name of one that was sent; None is everything that is found without a policy
    texts: Sequence[str]  # private texts
    seconds: float  # of processor time that all of them may take
    values: Sequence[RecordValues] | None = None  # see `SpanFinder.found_in`


class Work(NamedTuple):
    """Something to be done with files that others made, which may take any time and memory."""

    call: Callable[[], list[Any]]  # pickled by the names of what it calls
    seconds: float  # of processor time
    bytes: int  # of memory that it may take, where the system tells how much a process has


def framed(message: object) -> bytes:
    """Frame a message for sending."""
    data = pickle.dumps(message)
    return len(data).to_bytes(SIZE, "big") + data


def received(stream: IO[bytes]) -> Any:
    """Read the next message. Raises EOFError: the stream ends before it, or in it."""
    size = stream.read(SIZE)
    data = stream.read(int.from_bytes(size, "big")) if len(size) == SIZE else b""
    if len(size) < SIZE or len(data) < int.from_bytes(size, "big"):
        raise EOFError
    return pickle.loads(data)


def command() -> tuple[str, ...]:
    """Return the command that starts a process."""
    return sys.executable, "-P", "-c", "from textveil.sanitize.finding_process import main; main()"


def wall_seconds(seconds: float) -> float:
    """Return the limit by the clock for one on processor time: generous, since other programs run too."""
    return 3 * seconds + 10


def environment() -> dict[str, str]:
    """Return the environment of a process: where things are, and no secret."""
    paths = os.pathsep.join(filter(None, sys.path))
    return {name: value for name, value in os.environ.items() if name in _ENVIRONMENT} | {"PYTHONPATH": paths}


def was_killed_over_limit(code: int) -> bool:
    """Tell whether the kernel ended a process with this exit code over a limit."""
    return code in (-getattr(signal, name) for name in ("SIGPROF", "SIGALRM") if hasattr(signal, name))


def main() -> None:
    """Answer until the input ends, which it does when the process that started this one does."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed is no answer
    requests = sys.stdin.buffer
    try:
        policies, ready = received(requests)
        finders = _Finders(policies)
        for name in ready:
            finders.found(Request(name, ["Maria"], 0))  # what detection reads is read before the first text comes
        answer: Answer = []
        while True:
            answers.write(framed(answer))
            answers.flush()
            answer = _answer(finders, received(requests))
    except EOFError:
        raise SystemExit from None


@contextmanager
def killed_after(seconds: float) -> Iterator[None]:
    """Have the kernel end this process if the block takes longer, even within one search, if it has such timers.

    ``seconds``: of processor time of this process; by the clock they are ``wall_seconds``, so that it ends although
    whoever started it has died.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    for number in (signal.SIGPROF, signal.SIGALRM):  # no handler of Python's: it would wait for the end of the search
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, wall_seconds(seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def within_memory(most: int) -> Iterator[None]:
    """Have allocations fail in the block that would take more memory than the process has, and so many bytes more.

    They raise MemoryError. Where no file of the system tells how much the process has, there is no limit.
    """
    try:
        import resource

        size = int(Path("/proc/self/statm").read_bytes().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [size + most, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


class _Finders:
    def __init__(self, policies: Mapping[str, Policy]) -> None:
        self._policies = policies
        self._made: dict[str, SpanFinder | None] = {}

    def found(self, request: Request) -> list[list[DetectedSpan]]:
        if request.policy is None:
            return [detect(text) for text in request.texts]
        if request.policy not in self._made:
            chosen = self._policies[request.policy]
            self._made[request.policy] = parts_of(chosen).finder if chosen.finds_spans else None
        finder = self._made[request.policy]
        if finder is None:
            return [[] for _ in request.texts]
        return finder.found_in(finder.readings(request.texts), values=request.values)


def _answer(finders: _Finders, request: Request | Work) -> Answer:
    try:
        with killed_after(request.seconds + _GRACE_SECONDS), time_limit(request.seconds):
            if isinstance(request, Request):
                return finders.found(request)
            with within_memory(request.bytes):
                return request.call()
    except SlowText as error:
        return error
    except InputError as error:
        return InputError(str(error))
    except InternalError as error:
        return InternalError(str(error))
    except MemoryError:
        return InputError("the documents must take less memory; they take more than they may. Send less at a time.")
    except Exception:
        return None


_ATTEMPTS: Final = 2  # processes that are asked, if the first ends for another reason than a limit
_NAME: Final = "policy"  # by which the process knows the one policy that it has


class FoundApart:
    """Finds the values of a policy in a process that is started when it is first needed, and ends with this one.

    ``policy``: one that finds spans; ``seconds``: of processor time that the texts of one call may take; they may take
    ``wall_seconds`` of that by the clock.
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
            if isinstance(answer, InputError | InternalError):
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

        ``request``: framed; ``seconds``: by the clock until it is killed. Raises EOFError: it has ended.
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
