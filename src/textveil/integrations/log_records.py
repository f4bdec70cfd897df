"""Log records without secrets and persons: a filter for ``logging``, for any handler.

Message with its arguments, traceback, stack, and every attribute that is no name of the logging module's own are read,
and so are those of it that may tell a person (paths, names of threads). Records of one trace share surrogates.
"""

import json
import logging
import re
import threading
from collections.abc import Mapping, Set
from typing import Any, Final
from weakref import WeakKeyDictionary

from textveil.corpora.scoped_texts import PlainKeys, ScopedTexts, policy_of, text_of_bytes
from textveil.json_text import json_data
from textveil.text.patterns import time_limit

_OWN: Final = frozenset((*logging.makeLogRecord({}).__dict__, "asctime", "message", "taskName"))
"""Names of attributes that the logging module gives."""
_TRACES: Final = ("otelTraceID", "trace_id")
_IDS: Final = re.compile(r"0|[0-9a-f]{16}|[0-9a-f]{32}")
_OF_IDS: Final = frozenset((*_TRACES, "otelSpanID", "span_id"))
_NUMBERS: Final = frozenset(("created", "msecs", "process", "relativeCreated", "thread"))
_TRACEBACK: Final = logging.Formatter().formatException
_done: "WeakKeyDictionary[logging.LogRecord, tuple[Any, dict[str, str]]]" = WeakKeyDictionary()
"""The last policy of a record, and what was released: where either is another, all of it is searched again."""
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
    """Return a value with texts in the places of bytes, also within others."""
    if isinstance(value, bytes | bytearray | memoryview):
        read = text_of_bytes(value)
        return read[0] if read else "[bytes]"
    if isinstance(value, Mapping):
        return {_readable(key): _readable(inner) for key, inner in value.items()}
    if isinstance(value, list | Set):
        return [_readable(inner) for inner in value]
    return tuple(_readable(inner) for inner in value) if isinstance(value, tuple) else value
