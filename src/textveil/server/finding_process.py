"""A process that finds values for the server: requests on its standard input, answers on its standard output.

Both are pickles, and only the server that started the process holds the other ends. The first request is the name of
a policy and all policies; each other is a policy's name, texts, and seconds of processor time. Texts go nowhere else:
the server discards what the process prints, and an error is answered without its message, unless it is one of
textveil's, whose messages hold no text.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Final, TypeAlias

from textveil.detection.detectors import detect
from textveil.detection.spans import DetectedSpan
from textveil.errors import InputError, SlowText
from textveil.server.policies import OfferedPolicies
from textveil.text.slices import time_limit

SIZE: Final = 8
"""Bytes before each message that tell its length, the largest first."""

Answer: TypeAlias = list[list[DetectedSpan]] | InputError | None
"""The spans of each text; or that the texts take too long or cannot be read; or None for any other error."""

_GRACE_SECONDS: Final = 1.0
"""Of processor time after which a process is killed that did not look at its limit."""


def framed(message: object) -> bytes:
    """A message as it is sent."""
    data = pickle.dumps(message)
    return len(data).to_bytes(SIZE, "big") + data


def main() -> None:
    """Answer until the input ends, which it does when the server does."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed is no answer
    requests = sys.stdin.buffer
    default, offered = _received(requests)
    policies = OfferedPolicies(default, policies=offered)
    if policies.is_plain(default):
        policies.found(default, "Maria")  # what detection reads is read before the first text comes
    answer: Answer = []
    while True:
        answers.write(framed(answer))
        answers.flush()
        answer = _answer(policies, *_received(requests))


@contextmanager
def killed_after(seconds: float) -> Iterator[None]:
    """Have the kernel end this process if the block takes longer, also within one search; where there are such timers.

    Args:
        seconds: of processor time of this process.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # no handler of Python's: it would wait for the end of the search
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _answer(policies: OfferedPolicies, name: str | None, texts: Sequence[str], seconds: float) -> Answer:
    try:
        with killed_after(seconds + _GRACE_SECONDS), time_limit(seconds):
            return [detect(text) if name is None else policies.found(name, text) for text in texts]
    except SlowText as error:
        return error
    except InputError as error:
        return InputError(str(error))
    except Exception:
        return None


def _received(requests: BinaryIO) -> Any:
    size = requests.read(SIZE)
    if len(size) < SIZE:
        raise SystemExit
    return pickle.loads(requests.read(int.from_bytes(size, "big")))
