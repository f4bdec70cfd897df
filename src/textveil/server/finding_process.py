"""A process that finds values for the server: requests on its standard input, answers on its standard output.

Both are pickles, and only the server that started the process holds the other ends. The first request is the name of
a policy and all policies; each other is a policy's name, texts, and seconds of processor time. Texts go nowhere else:
the server discards what the process prints, and an error is answered without its message.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO, Final, TypeAlias

from textveil.detection.spans import DetectedSpan
from textveil.errors import SlowText
from textveil.server.policies import OfferedPolicies
from textveil.text.slices import time_limit

SIZE: Final = 8
"""Bytes before each message that tell its length, the largest first."""

Answer: TypeAlias = list[list[DetectedSpan]] | SlowText | None
"""The spans of each text; or that the texts take too long; or None for any other error, which the server then meets."""


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
    answer: object = True
    while True:
        answers.write(framed(answer))
        answers.flush()
        answer = _answer(policies, *_received(requests))


def _answer(policies: OfferedPolicies, name: str, texts: Sequence[str], seconds: float) -> Answer:
    try:
        with time_limit(seconds):
            return [policies.found(name, text) for text in texts]
    except SlowText as error:
        return error
    except Exception:
        return None


def _received(requests: BinaryIO) -> Any:
    size = requests.read(SIZE)
    if len(size) < SIZE:
        raise SystemExit
    return pickle.loads(requests.read(int.from_bytes(size, "big")))
