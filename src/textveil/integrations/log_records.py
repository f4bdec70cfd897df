"""Log records without secrets and persons: a filter for ``logging``, for any handler.

Message with its arguments, traceback, stack, and every attribute that is no name of the logging module's own are read,
and so are those of it that may tell a person (paths, names of threads). Records of one trace share surrogates.
A group of values is cleaned as a file of a transcript is. What the values of a trace told before is remembered: a name
that a later group says alone is found, and one person has one surrogate. The traces that were used least are forgotten.
"""

import codecs
import contextlib
import itertools
import json
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from textveil.corpora.cleaning import PERSONS, SECRETS, Cleaner, Memory, checked_policy
from textveil.corpora.transcripts import Transcript, holds_token
from textveil.errors import InputError
from textveil.json_text import json_data
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.policy.policy import Policy
from textveil.text.patterns import time_limit

_OWN: Final = frozenset((*logging.makeLogRecord({}).__dict__, "asctime", "message", "taskName"))
"""Names of attributes that the logging module gives."""
_TRACES: Final = ("otelTraceID", "trace_id")
_IDS: Final = re.compile(r"0|[0-9a-f]{16}|[0-9a-f]{32}")
_OF_IDS: Final = frozenset((*_TRACES, "otelSpanID", "span_id"))
_NUMBERS: Final = frozenset(("created", "msecs", "process", "relativeCreated", "thread"))
_TRACEBACK: Final = logging.Formatter().formatException
_done: "WeakKeyDictionary[logging.LogRecord, tuple[Any, dict[str, str]]]" = WeakKeyDictionary()
"""The last policy of a record, and what was released: if either is another, all of it is searched again."""
_done_lock: Final = threading.Lock()


class SanitizingFilter(logging.Filter):
    """Replaces values in records that pass; one that cannot be sanitized in time is dropped and counted.

    It works in the thread that logs. Add it to the handler of a ``logging.handlers.QueueListener``, and the program
    waits for none of it. To a logger add none: records of its children would not pass it.

    Args:
        policy: one that keeps words, by name or path, of which all is replaced; None takes secrets and persons out.
        seconds: of processor time that a record may take.

    Raises ParameterError: the policy is none, or draws words.

    Attributes:
        dropped: records that did not pass.
    """

    def __init__(self, policy: str | None = None, *, seconds: float = 1.0) -> None:
        super().__init__()
        self.dropped = 0
        self._texts, self._keys = ScopedTexts(policy), PlainKeys()
        self._policy = (policy is None, policy_of(policy))
        self._seconds = seconds
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Sanitize a record in place, for all handlers that see it; tell whether it may pass."""
        try:
            with self._lock, time_limit(self._seconds):
                self._sanitize(record)
        except Exception:  # whose message may quote a text
            self.dropped += 1
            return False
        return True

    def _sanitize(self, record: logging.LogRecord) -> None:
        trace = next((str(value) for name in _TRACES if _stays(record, name, value := record.__dict__.get(name))), "")
        if record.exc_info and not record.exc_text:
            record.exc_text = _TRACEBACK(record.exc_info)
        record.msg, record.args = _readable(record.msg), _readable(record.args)
        record.msg = record.getMessage()
        record.args = record.exc_info = None
        for name in ("asctime", "message"):  # of another handler's formatter; each formatter makes its own
            record.__dict__.pop(name, None)
        fields = {name: value for name, value in record.__dict__.items() if not _stays(record, name, value)}
        texts = {name: text for name, value in fields.items() if (text := _text(value))}
        with _done_lock:
            if _done.get(record) == (self._policy, texts):
                return
        answers = self._texts.cleaned(trace, [(_KEYS.get(name, name), text) for name, text in texts.items()])
        record.__dict__.update((name, _value(fields[name], said)) for name, said in zip(texts, answers, strict=True))
        renamed = self._rename(record)
        done = {renamed.get(name, name): _text(record.__dict__[renamed.get(name, name)]) for name in texts}
        with _done_lock:
            _done[record] = self._policy, {name: text for name, text in done.items() if text}

    def _rename(self, record: logging.LogRecord) -> dict[str, str]:
        extras = [name for name in record.__dict__ if name not in _OWN and name not in _OF_IDS]
        self._keys.learn(extras, lambda groups: [self._texts.cleaned("", values) for values in groups])
        renamed = {name: self._keys.of(name) for name in extras}
        record.__dict__.update({key: record.__dict__.pop(name) for name, key in renamed.items()})
        return renamed


_KEYS: Final = dict.fromkeys(("exc_text", "msg", "stack_info"), "") | dict.fromkeys(
    ("filename", "funcName", "module", "name"), "scope"
)
"""Attributes whose names say nothing of their texts, and those that are names in a program."""


def _stays(record: logging.LogRecord, name: str, value: object) -> bool:
    """Tell whether an attribute is what its name says, and so no text."""
    if name == "levelname":
        return value == logging.getLevelName(record.levelno)
    if name in _OF_IDS:
        return isinstance(value, str) and _IDS.fullmatch(value) is not None
    return name in _NUMBERS and isinstance(value, int | float)


def _text(value: object) -> str:
    """Return a value as a text, or as JSON; empty for one that is no text."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 10**6):
        return ""
    if isinstance(value, list | tuple | Mapping | Set):
        return json.dumps(_readable(value), ensure_ascii=False, default=str)
    return str(abs(value) if isinstance(value, int) else _readable(value))


def _value(before: object, text: str) -> Any:
    if isinstance(before, int):  # whose sign stays
        digits = int(re.sub(r"\D", "", text) or 0)
        return -digits if before < 0 else digits
    return json_data(text) if isinstance(before, list | tuple | Mapping | Set) else text


def _readable(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        read = text_of_bytes(value)
        return read[0] if read else "[bytes]"
    if isinstance(value, Mapping):
        return {_readable(key): _readable(inner) for key, inner in value.items()}
    if isinstance(value, list | Set):
        return [_readable(inner) for inner in value]
    return tuple(_readable(inner) for inner in value) if isinstance(value, tuple) else value


Values: TypeAlias = Sequence[tuple[str, str]]  # the key of each, and its text

_SCOPES: Final = 2_000  # that are remembered


def policy_of(name: str | None) -> Policy:
    """Return the policy of a name, for ``ScopedTexts``. Raises ParameterError: as there."""
    return checked_policy(policy(name or "prompts"))


class PlainKeys:
    """Keys of attributes that say nothing of a person, and what stands for the others.

    A key is searched as it is written, and as words. One in which something is found, one with many digits, one that
    looks drawn and a long one become ``drawn_attribute_1`` and so on.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._numbers = itertools.count(1)

    def learn(self, keys: Iterable[str], cleaned: Callable[[list[Values]], Sequence[Sequence[str] | None]]) -> None:
        """Search keys that were not seen yet; ``cleaned`` returns the texts of groups, None if it fails."""
        if len(self._known) > _MOST_KEYS:
            self._known.clear()
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        read = [key for key in new if not _is_telling(key)]
        answers = cleaned([[("", key), ("", _as_words(key))] for key in read]) if read else ()
        stays = {
            key
            for key, said in zip(read, answers, strict=True)
            if said is not None and _same(key, said[0]) and _same(_as_words(key), said[1])
        }
        for key in new:
            self._known[key] = key if key in stays else f"drawn_attribute_{next(self._numbers)}"

    def of(self, key: str) -> str:
        """Return a key that was learned, or what stands for it."""
        return self._known[key]


_MOST_KEYS: Final = 10_000  # that are remembered
_LONGEST_KEY: Final = 120
_MOST_DIGITS: Final = 6
_OF_PROGRAMS: Final = frozenset((
    "cassandra", "coldstart", "delta", "faas", "idempotence", "lineno", "lon", "mac", "max", "retries",
))  # fmt: skip
"""Words of keys of programs that a search takes for names."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])")


def _as_words(key: str) -> str:
    return _BETWEEN_WORDS.sub(" ", key).strip()


def _same(text: str, said: str) -> bool:
    """Tell whether a search found nothing in a key, but for words of programs."""
    words, others = _as_words(text).split(), _as_words(said).split()
    changed = [word for word, other in zip(words, others, strict=False) if word != other]
    return text == said or (len(words) == len(others) and bool(changed) and _OF_PROGRAMS.issuperset(changed))


def _is_telling(key: str) -> bool:
    digits = sum(map(str.isdigit, key))
    drawn = any(len(re.findall(r"\d+", part)) > 2 or len(part) > 30 for part in re.split(r"[\W_]+", key))
    return len(key) > _LONGEST_KEY or digits > _MOST_DIGITS or drawn or holds_token(key)


def text_of_bytes(data: bytes | bytearray | memoryview) -> tuple[str, str] | None:
    """Return the text that bytes are, and its encoding; None if they are no text for sure: nobody would read it."""
    raw = bytes(data)
    marked = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16",) if marked else ("utf-8", "utf-16-le", "utf-16-be", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            text = raw.decode(encoding)
            # letters of one byte, two by two, look like Chinese
            unsure = raw[2:].isascii() and b"\0" not in raw if marked else encoding[4:6] == "16" and max(text) >= _WIDE
            if not (unsure or _CONTROLS.search(text)):
                return text, encoding
    return None


_WIDE: Final = "\u0600"
_CONTROLS: Final = re.compile(r"[\0-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f-\x9f]")


class ScopedTexts:
    """Cleans groups of values.

    Args:
        policy_name: a policy that keeps words, by name or path, of which all is replaced; None is ``prompts``, of which
            secrets and persons are.

    Raises ParameterError: it draws words, or finds nothing.
    """

    def __init__(self, policy_name: str | None = None) -> None:
        kinds = None if policy_name else (*SECRETS, *PERSONS)
        self._cleaner = Cleaner(policy_of(policy_name), kinds)
        self._memories: OrderedDict[str, Memory] = OrderedDict()

    def cleaned(self, scope: str, values: Values) -> list[str]:
        """Return the texts of values in the same order; ``scope``: empty for a group that shares nothing.

        Raises InputError: a text takes too long.
        """
        transcript, memory = Transcript(), self._memory(scope)
        places = [transcript.value(key, text) for key, text in values]
        released = self._cleaner.released(transcript, self._cleaner.found(transcript, memory), memory)
        return [transcript.written(numbers, released) for numbers in places]

    def _memory(self, scope: str) -> Memory:
        if not scope:
            return Memory()
        memory = self._memories.setdefault(scope, Memory())
        self._memories.move_to_end(scope)
        if len(self._memories) > _SCOPES:
            self._memories.popitem(last=False)
        return memory


_made = lru_cache(ScopedTexts)


def cleaned_groups(policy_name: str | None, groups: Sequence[tuple[str, Values]], seconds: float) -> list[str | None]:
    """Clean groups of values, each with its scope, in a process that does it for another: JSON, None if one fails.

    ``seconds``: of processor time that a group may take.
    """
    texts, answers = _made(policy_name), list[str | None]()
    for scope, values in groups:
        try:
            with time_limit(seconds):
                answers.append(json.dumps(texts.cleaned(scope, values)))
        except InputError:
            answers.append(None)
    return answers
