"""Process that finds values or reads files for another: requests on its standard input, answers on its output.

A search holds the interpreter until it ends; ``killable`` says why it has a process of its own. The first request is
policies by name, and which of them to make ready; each other is a ``Request``, or ``Work`` on files. An error is
answered without its message, unless it is one of textveil's, whose messages hold no text.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from textveil import killable
from textveil.detection.detectors import detect
from textveil.detection.spans import DetectedSpan
from textveil.environment import collect_seldom
from textveil.errors import InputError, InternalError, SlowText, TextveilError
from textveil.sanitize.policy.finding import RecordValues, SpanFinder
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import time_limit, too_slow

Answer: TypeAlias = list[Any] | InputError | InternalError | None
"""The spans of each text, or what came of the work; or an error that tells no text; or None for any other error."""

_ERRORS: Final = {kind.__name__: kind for kind in (SlowText, InternalError, InputError)}
_GRACE_SECONDS: Final = 1.0  # of processor time after which a process is killed that did not look at its limit


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


def command() -> tuple[str, ...]:
    """Return the command that starts a process."""
    return sys.executable, "-P", "-c", "from textveil.sanitize.finding_process import main; main()"


def main() -> None:
    """Answer until the input ends, which it does when the process that started this one does."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what else is printed is no answer
    requests = sys.stdin.buffer
    collect_seldom()
    try:
        policies, ready = killable.received(requests)
        finders = _Finders(policies)
        for name in ready:
            finders.found(Request(name, ["Maria"], 0))  # what detection reads is read before the first text comes
        answer: Answer = []
        while True:
            answers.write(killable.framed_answer(_as_data(answer)))
            answers.flush()
            answer = _answer(finders, killable.received(requests))
    except EOFError:
        raise SystemExit from None


def _as_data(answer: Answer) -> Any:
    if isinstance(answer, InputError | InternalError):
        kind = next(name for name, kind in _ERRORS.items() if isinstance(answer, kind))
        return {"error": kind, "message": str(answer)}
    return None if answer is None else [_as_data(one) if isinstance(one, InputError) else one for one in answer]


def answer_of(data: Any) -> Answer:
    """Return an answer from what a process said. Raises ValueError: it is none."""
    try:
        if isinstance(data, dict):
            return _ERRORS[data["error"]](data["message"])
        return None if data is None else [_each_of(one) for one in data]
    except (KeyError, TypeError) as error:
        raise ValueError(f"an answer must be spans or what work gave; it is not ({type(error).__name__}).") from None


def _each_of(data: Any) -> Any:
    if isinstance(data, dict):
        return _ERRORS[data["error"]](data["message"])
    return [DetectedSpan(*span) for span in data] if isinstance(data, list) else data


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
        if (finder := self._made[request.policy]) is None:
            return [[] for _ in request.texts]
        return finder.found_in(finder.readings(request.texts), values=request.values)


def _answer(finders: _Finders, request: Request | Work) -> Answer:
    try:
        with killable.killed_after(request.seconds + _GRACE_SECONDS), time_limit(request.seconds):
            if isinstance(request, Request):
                return finders.found(request)
            with killable.within_memory(request.bytes):
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
        self._policies = killable.framed(({_NAME: policy}, [_NAME]))
        self._seconds = seconds
        self._wall = killable.wall_seconds(seconds)
        self._process: killable.Process | None = None

    def found(self, texts: Sequence[str], values: Sequence[RecordValues] | None) -> list[list[DetectedSpan]]:
        """Find the spans of each text; see ``SpanFinder.found_in``.

        Raises SlowText: the texts take too long; InputError: they cannot be read; TextveilError: the process cannot be
        started, or fails.
        """
        return self._asked(killable.framed(Request(_NAME, texts, self._seconds, values)))

    def done(self, call: Callable[[], list[Any]], most_bytes: int) -> list[Any]:
        """Do work on texts in the process, which remembers between two calls what ``call`` keeps in its module.

        ``call``: pickled by the names of what it calls; ``most_bytes``: of memory that it may take. Raises as
        ``found``.
        """
        return self._asked(killable.framed(Work(call, self._seconds, most_bytes)))

    def _asked(self, request: bytes) -> list[Any]:
        for _ in range(_ATTEMPTS):
            process = self._process = self._process or self._started()
            try:
                answer = answer_of(process.ask(request, self._wall))
            except (EOFError, ValueError):
                process.end()
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

    def _started(self) -> killable.Process:
        with contextlib.suppress(EOFError, OSError):
            process = killable.Process(command())
            if isinstance(process.ask(self._policies, killable.START_SECONDS), list):
                return process
        raise TextveilError("a process that finds values must start; it crashed at once. Is there enough memory?")
