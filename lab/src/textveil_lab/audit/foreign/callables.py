"""Foreign code under audit: a function from a list of words to a list of words, loaded, watched and checked.

No text of a foreign callable is repeated: its exceptions are named by type only, since their messages may hold words.
"""

import importlib
import math
import multiprocessing
import queue
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from textveil.errors import InputError, ParameterError, TextveilError, need

WordCallable: TypeAlias = Callable[[list[str]], list[str]]  # A list of words in, as many words out
TIME_LIMIT = 60.0  # Seconds that one call may take
START_LIMIT = 300.0  # Seconds that loading a callable in its process may take: models are read from disk then
_ALONE = "Run it alone on public words to see why."


def load_callable(target: str) -> WordCallable:
    """Return the object that ``MODULE:CALLABLE`` names, from the current folder or the installed packages.

    Args:
        target: a dotted module, a colon, and a dotted name in it. The current folder goes to the front of the import
            path and stays there, because the module may import its neighbors later.

    Raises:
        ParameterError: the target has another form, there is no such module or name, or it is not callable.
        InputError: importing the module failed.
    """
    module_name, _, attribute = target.partition(":")
    parts = [*module_name.split("."), *attribute.split(".")]
    good = all(part.isidentifier() for part in parts)
    need(good, "the callable", repr(target), "MODULE:CALLABLE", "For example: my_package.sanitizer:privatize")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        target_object: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and (module_name + ".").startswith(error.name + "."):
            raise ParameterError(
                f"there is no module {module_name} in the current folder or the installed packages. "
                "Change to its folder or install it."
            ) from None
        raise InputError(f"{module_name} needs a module that is not installed: {error.name}. Install it.") from None
    except Exception as error:
        raise InputError(
            f"importing {module_name} raised {type(error).__name__}. Import it alone to see why."
        ) from None
    for part in attribute.split("."):
        target_object = getattr(target_object, part, None)
    need(callable(target_object), target, "nothing callable", "a function from a list of words to a list of words")
    return target_object


class _Runner(Protocol):
    def call(self, words: list[str], limit: float) -> Any:
        """Return the callable's result; ``_Failed`` if it raised, ``TimeoutError`` past ``limit`` seconds."""

    def close(self) -> None:
        """Stop, without waiting for the callable."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """Failure of foreign code: it raised, or its process ended; ``what`` is a type's name or a phrase of ours."""

    what: str


class _InThread:
    """One daemon thread for all calls: a hang blocks the thread, not the audit."""

    __slots__ = ("__weakref__", "_answers", "_questions")

    def __init__(self, function: WordCallable) -> None:
        self._questions: queue.SimpleQueue[list[str] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        arguments = (function, self._questions, self._answers)
        threading.Thread(target=_answer, args=arguments, daemon=True, name="textveil-foreign").start()
        weakref.finalize(self, self._questions.put, None)

    def call(self, words: list[str], limit: float) -> Any:
        self._questions.put(words)
        try:
            return self._answers.get(timeout=limit)
        except queue.Empty:
            raise TimeoutError from None

    def close(self) -> None:
        self._questions.put(None)


def _answer(
    function: WordCallable, questions: queue.SimpleQueue[list[str] | None], answers: queue.SimpleQueue[Any]
) -> None:
    while (words := questions.get()) is not None:
        answers.put(_attempt(function, words))


def _attempt(function: WordCallable, words: list[str]) -> Any:
    """Return the function's result, or the type of its exception without its message; ``SystemExit`` included."""
    try:
        return function(words)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _Failed(f"raised {type(error).__name__}")


class _InChild:
    """Spawned process that loads the callable by name; it is killed past the limit."""

    __slots__ = ("__weakref__", "_pipe", "_process")

    def __init__(self, target: str, limit: float) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(target, theirs), daemon=True)
        self._process.start()
        theirs.close()
        weakref.finalize(self, self._process.kill)
        ready = self.receive(limit)
        if isinstance(ready, TextveilError):
            self.close()
            raise ready

    def call(self, words: list[str], limit: float) -> Any:
        try:
            self._pipe.send(words)
        except OSError:
            return _Failed("ended its process")
        return self.receive(limit)

    def receive(self, limit: float) -> Any:
        if not self._pipe.poll(limit):
            self.close()
            raise TimeoutError
        try:
            return self._pipe.recv()
        except (EOFError, OSError):
            return _Failed("ended its process")

    def close(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(target: str, pipe: Connection) -> None:
    """Serve in the child: load, say so, answer calls until the pipe closes."""
    try:
        function = load_callable(target)
    except TextveilError as error:
        pipe.send(error)
        return
    pipe.send(None)
    while True:
        try:
            words = pipe.recv()
        except EOFError:
            return
        answer = _attempt(function, words)
        # Only plain data crosses: an object of a foreign class could run code when it is unpickled.
        pipe.send(answer if isinstance(answer, _Failed) else _plain(answer))


def _plain(answer: Any) -> Any:
    """Return ``answer`` as a list of strings if it is one, else a description of it."""
    if not isinstance(answer, list | tuple):
        return _Failed(f"returned {type(answer).__name__}, not a list of words")
    return [str(word) if isinstance(word, str) else None for word in answer]


@dataclass(slots=True, eq=False, kw_only=True)
class ForeignCallable:
    """Callable under watch: every call is counted, limited in time and checked.

    Made by ``in_process`` or ``in_child``. After a hang or the end of its process it stays closed.
    """

    name: str  # public name in errors
    time_limit: float  # seconds one call may take
    outputs: frozenset[str] | None  # the words that it states it returns; None checks none
    _runner: _Runner = field(repr=False)
    calls: int = 0
    words: int = 0
    _closed: bool = False

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Return the callable's answer for ``words``.

        Raises:
            InputError: it raised, took longer than the limit, or did not return as many words, all in its stated range.
                The message holds no words.
        """
        sent = list(words)
        if self._closed:
            raise InputError(f"{self.name} was stopped after call {self.calls}. Start it again.")
        self.calls += 1
        try:
            answer = self._runner.call(list(sent), self.time_limit)
        except TimeoutError:
            self.close()
            raise self._error(f"gave no answer within {self.time_limit:g} s") from None
        if not isinstance(answer, _Failed):
            answer = _plain(answer)
        if isinstance(answer, _Failed):
            if answer.what == "ended its process":
                self.close()
            raise self._error(answer.what)
        if len(answer) != len(sent):
            raise self._error(f"returned {len(answer)} words for {len(sent)}")
        if None in answer:
            raise self._error("returned a word that is not a str")
        if self.outputs is not None and not self.outputs.issuperset(answer):
            raise self._error("returned a word outside its stated range")
        self.words += len(sent)
        return answer

    def close(self) -> None:
        """Stop for good; a hanging thread is left running, a hanging process is killed."""
        if not self._closed:
            self._closed = True
            self._runner.close()

    def _error(self, what: str) -> InputError:
        return InputError(f"{self.name} {what} (call {self.calls}, {self.words} words answered before). {_ALONE}")


def in_process(
    function: WordCallable,
    *,
    name: str = "the callable",
    time_limit: float = TIME_LIMIT,
    outputs: Sequence[str] | None = None,
) -> ForeignCallable:
    """Watch ``function`` in a thread of this process.

    A hang ends with an error as long as the function lets other threads run; use ``in_child`` for code that
    may hold the interpreter.

    Raises:
        ParameterError: not callable, or the limit is not finite and > 0.
    """
    need(callable(function), "function", type(function).__name__, "callable")
    return ForeignCallable(
        name=name, time_limit=_limit(time_limit), outputs=_range(outputs), _runner=_InThread(function)
    )


def in_child(
    target: str,
    *,
    time_limit: float = TIME_LIMIT,
    start_limit: float = START_LIMIT,
    outputs: Sequence[str] | None = None,
) -> ForeignCallable:
    """Watch ``MODULE:CALLABLE`` in a spawned process, which may not start processes itself.

    Args:
        time_limit: seconds one call may take.
        start_limit: seconds that loading may take.

    Raises:
        ParameterError, InputError: as ``load_callable``; also if loading takes too long.
    """
    limit, start = _limit(time_limit), _limit(start_limit)
    try:
        runner = _InChild(target, start)
    except TimeoutError:
        raise InputError(f"{target} did not load within {start:g} s. Raise the limit or make it load faster.") from None
    return ForeignCallable(name=target, time_limit=limit, outputs=_range(outputs), _runner=runner)


def _limit(seconds: float) -> float:
    need(0 < seconds < math.inf, "time_limit", seconds, "finite and > 0 seconds")
    return float(seconds)


def _range(outputs: Sequence[str] | None) -> frozenset[str] | None:
    return None if outputs is None else frozenset(outputs)
