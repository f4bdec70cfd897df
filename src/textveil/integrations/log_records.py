"""Log records without secrets and persons: a filter for ``logging``, for any handler.

Message with its arguments, traceback, stack, and every attribute that is no name of the logging module's own are read,
and so are those of it that may tell a person (paths, names of threads). Records of one trace share surrogates.
"""

import json
import logging
import re
import threading
from collections.abc import Mapping
from typing import Any, Final

from textveil.corpora.scoped_texts import ScopedTexts
from textveil.text.patterns import time_limit

_PLAIN: Final = frozenset((
    "args", "created", "exc_info", "levelname", "levelno", "lineno", "msecs", "process", "relativeCreated", "thread",
    "otelTraceID", "otelSpanID", "otelTraceSampled", "trace_id", "span_id",
))  # fmt: skip
"""Attributes of records that are no text, or are treated by themselves."""
_TRACES: Final = ("otelTraceID", "trace_id")
_DONE: Final = "_textveil_sanitized"
_TRACEBACK: Final = logging.Formatter().formatException


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
        self._texts = ScopedTexts(policy)
        self._seconds = seconds
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Sanitize a record in place, for all handlers that see it; tell whether it may pass."""
        if getattr(record, _DONE, False):
            return True
        try:
            with self._lock, time_limit(self._seconds):
                self._sanitize(record)
        except Exception:  # whose message may quote a text
            self.dropped += 1
            return False
        setattr(record, _DONE, True)
        return True

    def _sanitize(self, record: logging.LogRecord) -> None:
        trace = next((str(value) for name in _TRACES if (value := record.__dict__.get(name))), "")
        if record.exc_info and not record.exc_text:
            record.exc_text = _TRACEBACK(record.exc_info)
        fields = {name: value for name, value in record.__dict__.items() if name not in _PLAIN} | {
            "msg": record.getMessage()
        }
        texts = {name: text for name, value in fields.items() if (text := _text(value))}
        answers = self._texts.cleaned(trace, [(_KEYS.get(name, name), text) for name, text in texts.items()])
        record.__dict__.update(
            (name, _value(fields[name], answer)) for name, answer in zip(texts, answers, strict=True)
        )
        record.args, record.exc_info = None, None


_KEYS: Final = dict.fromkeys(("exc_text", "msg", "stack_info"), "") | dict.fromkeys(
    ("filename", "funcName", "module", "name"), "scope"
)
"""Attributes whose names say nothing of their texts, and those that are names in a program."""


def _text(value: object) -> str:
    """Return a value as a text, or as JSON; empty for one that is no text."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 10**6):
        return ""
    if isinstance(value, list | tuple | Mapping):
        return json.dumps(value, ensure_ascii=False, default=_said)
    return str(value)


def _value(before: object, text: str) -> Any:
    if isinstance(before, int):
        return int(re.sub(r"\D", "", text) or 0)
    return json.loads(text) if isinstance(before, list | tuple | Mapping) else text


def _said(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)
