"""Processes that can be killed while they work for another: requests on their standard input, answers on their output.

Some work holds the interpreter until it ends, or fills the memory: a limit that is looked at between two steps does not
hold for it. A process of its own can be killed: by the system's kernel, which counts its processor time, and by whoever
started it, by the clock.

Requests are pickles. Answers are JSON and bytes: a process that reads hostile files may be taken over by one, and what
it says must not run code in the process that started it. Only that one holds the other ends. Texts go nowhere else:
whoever starts the process discards what it prints.
"""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

SIZE: Final = 8  # bytes before each message that tell its length, the largest first
START_SECONDS: Final = 120.0
"""By the clock until a process must be ready; one that was just started reads every list that detection needs."""

_ENVIRONMENT: Final = (
    *("HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PATH", "PYTHONHOME", "PYTHONUTF8"),
    *("SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ"),
)
"""Variables that a process gets: none of textveil's, which hold keys and passwords."""


def framed(message: object) -> bytes:
    """Frame a request for sending."""
    data = pickle.dumps(message)
    return len(data).to_bytes(SIZE, "big") + data


def received(stream: IO[bytes]) -> Any:
    """Read the next request. Raises EOFError: the stream ends before it, or in it."""
    return pickle.loads(_message(stream))


def _message(stream: IO[bytes]) -> bytes:
    size = stream.read(SIZE)
    data = stream.read(int.from_bytes(size, "big")) if len(size) == SIZE else b""
    if len(size) < SIZE or len(data) < int.from_bytes(size, "big"):
        raise EOFError
    return data


def framed_answer(answer: object) -> bytes:
    """Frame an answer of numbers, texts, bytes, and lists and mappings of these: JSON, and all bytes behind it."""
    packed: list[bytes] = []

    def place(data: object) -> dict[str, int]:
        if not isinstance(data, bytes):
            raise TypeError(f"an answer must be plain data; got {type(data).__name__}.")
        packed.append(data)
        return {_BYTES: len(data)}

    said = json.dumps(answer, default=place).encode("ascii")
    size = SIZE + len(said) + sum(map(len, packed))
    return b"".join((size.to_bytes(SIZE, "big"), len(said).to_bytes(SIZE, "big"), said, *packed))


def answer_in(message: bytes) -> Any:
    """Return the answer in a message without its frame. Raises ValueError: it is none."""
    at = SIZE + int.from_bytes(message[:SIZE], "big")

    def placed(read: dict[str, Any]) -> Any:
        nonlocal at
        if read.keys() != {_BYTES}:
            return read
        start, at = at, at + int(read[_BYTES])
        if not start <= at <= len(message):
            raise ValueError("an answer must hold the bytes that it says; it does not.")
        return message[start:at]

    try:
        return json.loads(message[SIZE:at], object_hook=placed)
    except (RecursionError, TypeError) as error:
        raise ValueError(f"an answer must be plain data; it is something else ({type(error).__name__}).") from None


_BYTES: Final = "bytes"


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

    They raise MemoryError. If no file of the system tells how much the process has, there is no limit.
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


class Process:
    """A process that runs a command and answers messages until it is killed; it ends with this object."""

    def __init__(self, command: Sequence[str]) -> None:
        self._over = False
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # a warning may quote a text
            start_new_session=True,  # an interrupt from the keyboard ends this process, and so that one
            env=environment(),
        )
        weakref.finalize(self, _end, self._process)

    def ask(self, request: bytes, seconds: float) -> Any:
        """Return its answer to a request.

        ``request``: framed; ``seconds``: by the clock until it is killed. Raises EOFError: it has ended, or says what
        is no answer, and is killed.
        """
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None and answers is not None
        answer = None
        with self._killed_after(seconds):
            try:
                requests.write(request)
                requests.flush()
                answer = answer_in(_message(answers))
            except (OSError, ValueError):
                raise EOFError from None
        return answer

    def end(self) -> None:
        self._process.kill()

    def ended_over_limit(self) -> bool:
        """Wait for its end, and tell whether it took too long."""
        return was_killed_over_limit(self._process.wait()) or self._over

    @contextmanager
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
