"""OpenTelemetry: spans without secrets and persons, whoever made them, before any exporter sees them.

Names, attributes, events, links, descriptions of a status, resources and scopes are read: every string, strings in
lists and maps, JSON in strings, long whole numbers, and keys that are no plain words. Ids, times and kinds stay. The
spans of a trace share surrogates. Texts are searched by a process of their own, not by the program. A span that cannot
be sanitized in time is dropped and counted, never passed on.
"""

import contextlib
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from textveil.corpora.transcripts import is_count
from textveil.errors import MissingExtra
from textveil.integrations.log_records import PlainKeys, Values, cleaned_groups, policy_of, text_of_bytes
from textveil.json_text import json_data
from textveil.sanitize.finding_process import FoundApart

with MissingExtra("opentelemetry-sdk", "otel"):
    from opentelemetry.attributes import BoundedAttributes
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import Link, SpanContext, Status
    from opentelemetry.trace.span import TraceState

logger = logging.getLogger("textveil.integrations.opentelemetry")

_SHORT: Final = 10**6  # numbers below are not searched
_SCHEMA: Final = re.compile(r"https://opentelemetry\.io/schemas/\d{1,3}\.\d{1,3}\.\d{1,3}")
_MEMORY: Final = 2**31  # bytes that the process may take
_SHARED: Final = "resources"  # the scope of what all traces share
_KNOWN: Final = 1_000  # resources and scopes that are remembered


class _Slot(NamedTuple):
    """The place of a text among those of a trace, and what makes its value of its release."""

    number: int
    value_of: Callable[[str], Any]


class _Texts:
    """Collects the texts of a trace; ``keys`` knows the keys of all attributes."""

    def __init__(self, keys: PlainKeys) -> None:
        self.values: list[tuple[str, str]] = []
        self._keys = keys

    def slot(self, key: str, text: str, value_of: Callable[[str], Any] = str) -> Any:
        """Return the place of a text; an empty one stays."""
        if not text:
            return value_of(text)
        self.values.append((key, text))
        return _Slot(len(self.values) - 1, value_of)

    def of(self, key: str, value: Any) -> Any:
        """Return a value of an attribute with slots in the places of its texts."""
        if isinstance(value, str):
            return self.slot(key, value)
        if value is None or isinstance(value, bool | float):
            return value
        if isinstance(value, int):
            short = abs(value) < _SHORT and not key.endswith("user.id")
            stays = short or is_count(key, str(value))
            return value if stays else self.slot(key, str(abs(value)), partial(_whole_number, value < 0))
        if isinstance(value, bytes | bytearray | memoryview):
            read = text_of_bytes(value)
            return self.slot(key, read[0], partial(str.encode, encoding=read[1], errors="replace")) if read else _BYTES
        if isinstance(value, Mapping | Sequence):
            return self.slot(key, json.dumps(value, ensure_ascii=False, default=_plain), json_data)
        return _plain(value)

    def attributes(self, attributes: Mapping[str, Any] | None) -> "_Pairs":
        return [(self._keys.of(key), self.of(key, value)) for key, value in (attributes or {}).items()]


_Pairs: TypeAlias = list[tuple[str, Any]]
"""Keys and values of attributes, with slots in the places of texts."""
_BYTES: Final = b"[bytes]"


def _plain(value: object) -> Any:
    """Return JSON data for what is none; an object of a kind that nobody knows says its kind alone."""
    if isinstance(value, bytes | bytearray | memoryview):
        read = text_of_bytes(value)
        return read[0] if read else _BYTES.decode()
    return dict(value) if isinstance(value, Mapping) else f"[{type(value).__name__}]"


def _whole_number(is_negative: bool, text: str) -> int:
    digits = int(re.sub(r"\D", "", text) or 0)
    return -digits if is_negative else digits


def _filled(value: Any, texts: Sequence[str]) -> Any:
    return value.value_of(texts[value.number]) if isinstance(value, _Slot) else value


def _attributes(pairs: _Pairs, texts: Sequence[str]) -> dict[str, Any]:
    return {key: _filled(value, texts) for key, value in pairs}


class _Reading(NamedTuple):
    """A span, with slots in the places of its texts."""

    span: ReadableSpan
    name: Any
    attributes: _Pairs
    events: list[tuple[Any, _Pairs]]
    links: list[_Pairs]
    status: Any
    states: list[_Pairs]  # of its own context, its parent and its links


def _read(span: ReadableSpan, texts: _Texts) -> _Reading:
    contexts = [span.context, span.parent, *(link.context for link in span.links)]
    return _Reading(
        span=span,
        name=texts.slot("", span.name),
        attributes=texts.attributes(span.attributes),
        events=[(texts.slot("", event.name), texts.attributes(event.attributes)) for event in span.events],
        links=[texts.attributes(link.attributes) for link in span.links],
        status=None if span.status.description is None else texts.slot("", span.status.description),
        states=[texts.attributes(context.trace_state if context else None) for context in contexts],
    )


def _keys_of(spans: Sequence[ReadableSpan]) -> Iterator[str]:
    for span in spans:
        contexts = [span.context, span.parent, *(link.context for link in span.links)]
        states = [context.trace_state for context in contexts if context]
        for one in (span, span.resource, span.instrumentation_scope, *span.events, *span.links):
            yield from (getattr(one, "attributes", None) or {})
        for state in states:
            yield from state


def _context(context: Any, state: _Pairs, texts: Sequence[str]) -> Any:
    if context is None or not state:
        return context
    entries = TraceState(list(_attributes(state, texts).items()))
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags, entries)


def _bounded(pairs: _Pairs, texts: Sequence[str], before: object) -> BoundedAttributes:
    attributes = BoundedAttributes(attributes=_attributes(pairs, texts))
    attributes.dropped = getattr(before, "dropped", 0)
    return attributes


def _written(read: _Reading, texts: Sequence[str], resource: Any, scope: Any) -> ReadableSpan:
    span = read.span
    context, parent, *linked = (
        _context(each, state, texts)
        for each, state in zip(
            [span.context, span.parent, *(link.context for link in span.links)], read.states, strict=True
        )
    )
    return ReadableSpan(
        name=_filled(read.name, texts),
        context=context,
        parent=parent,
        resource=resource,
        attributes=_bounded(read.attributes, texts, span._attributes),
        events=[
            Event(_filled(name, texts), _attributes(pairs, texts), event.timestamp, None)
            for event, (name, pairs) in zip(span.events, read.events, strict=True)
        ],
        links=[
            Link(each, _bounded(pairs, texts, link.attributes))
            for link, each, pairs in zip(span.links, linked, read.links, strict=True)
        ],
        kind=span.kind,
        status=Status(span.status.status_code, _filled(read.status, texts)),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=scope,
    )


_Shared: TypeAlias = tuple[Any, _Texts, Callable[[Sequence[str]], Any]]


class SanitizingExporter(SpanExporter):  # type: ignore[misc]
    """Sanitizes spans, then hands them to another exporter; to stand behind a batch processor, which has a thread.

    Args:
        exporter: any other.
        policy: one that keeps words, by name or path, of which all is replaced; None takes secrets and persons out.
        seconds: of processor time that the spans of a batch may take, in a process of their own.

    Raises ParameterError: the policy is none, or draws words.

    Attributes:
        taken: spans that were handed over so far.
        dropped: those of them that could not be sanitized.
    """

    def __init__(self, exporter: SpanExporter, policy: str | None = None, *, seconds: float = 10.0) -> None:
        self.taken = self.dropped = 0
        self._exporter, self._policy, self._seconds = exporter, policy, seconds
        self._apart = FoundApart(policy_of(policy), seconds)
        self._lock, self._process = threading.Lock(), os.getpid()
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._keys = PlainKeys()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Sanitize spans and export them; those that cannot be sanitized are dropped."""
        self.taken += len(spans)
        kept: list[ReadableSpan] = []
        try:
            with self._lock:
                kept = self._sanitized(spans)
        except Exception as error:  # whose message may quote a text
            logger.warning("spans could not be sanitized: %s", type(error).__name__)
        if dropped := len(spans) - len(kept):
            self.dropped += dropped
            logger.warning("%d spans were dropped, since they could not be sanitized; %d so far", dropped, self.dropped)
        if not kept:
            return SpanExportResult.FAILURE if dropped else SpanExportResult.SUCCESS
        return self._exporter.export(kept)

    def shutdown(self) -> None:
        """Shut the other exporter down."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the other exporter; this one keeps nothing."""
        return self._exporter.force_flush(timeout_millis)

    def _sanitized(self, spans: Sequence[ReadableSpan]) -> list[ReadableSpan]:
        self._keys.learn(_keys_of(spans), lambda keys: self._cleaned([("", values) for values in keys]))
        of_trace: dict[str, tuple[_Texts, list[_Reading]]] = {}
        for span in spans:
            trace = f"{span.context.trace_id:032x}" if span.context else ""
            texts, readings = of_trace.setdefault(trace, (_Texts(self._keys), []))
            with contextlib.suppress(Exception):  # it is dropped alone
                readings.append(_read(span, texts))
        groups = [(trace, texts.values) for trace, (texts, _) in of_trace.items()]
        shared = list(self._new_shared(spans))
        answers = self._cleaned([*groups, *((_SHARED, texts.values) for _, texts, _ in shared)])
        for (one, _, made), answer in zip(shared, answers[len(groups) :], strict=True):
            if answer is None:
                raise TimeoutError
            self._shared[id(one)] = one, made(answer)
        written = []
        for (_, readings), answer in zip(of_trace.values(), answers, strict=False):
            for read in () if answer is None else readings:
                resource, scope = (
                    self._shared[id(one)][1] for one in (read.span.resource, read.span.instrumentation_scope)
                )
                with contextlib.suppress(Exception):
                    written.append(_written(read, answer or (), resource, scope))
        return written

    def _cleaned(self, groups: list[tuple[str, Values]]) -> list[list[str] | None]:
        wanted = [(scope, values) for scope, values in groups if values]
        if self._process != os.getpid():  # forked: the other's process answers the other
            self._theirs, self._process = self._apart, os.getpid()
            self._apart = FoundApart(policy_of(self._policy), self._seconds)
        call = partial(cleaned_groups, self._policy, wanted, self._seconds)
        said = self._apart.done(call, _MEMORY) if wanted else []
        answers = iter([None if each is None else json_data(each) for each in said])
        return [next(answers) if values else [] for _, values in groups]

    def _new_shared(self, spans: Sequence[ReadableSpan]) -> Iterator[_Shared]:
        """Yield resources and scopes that were not read before, their texts, and what makes them of its releases."""
        if len(self._shared) > _KNOWN:
            self._shared.clear()
        self._shared[id(None)] = None, None
        seen = set(self._shared)
        for span in spans:
            for one in (span.resource, span.instrumentation_scope):
                if one is not None and id(one) not in seen:
                    seen.add(id(one))
                    texts = _Texts(self._keys)
                    name = version = None
                    if isinstance(one, InstrumentationScope):
                        name = texts.slot("scope", one.name)
                        version = texts.slot("version", one.version or "")
                    pairs = texts.attributes(one.attributes)
                    schema = one.schema_url if _SCHEMA.fullmatch(one.schema_url or "") else None
                    yield one, texts, partial(_made_shared, name, version, pairs, schema)


def _made_shared(name: Any, version: Any, pairs: _Pairs, schema: str | None, texts: Sequence[str]) -> Any:
    attributes = _attributes(pairs, texts)
    if name is None:
        return Resource(attributes, schema)
    return InstrumentationScope(_filled(name, texts), _filled(version, texts) or None, schema, attributes)


class SanitizingSpanProcessor(BatchSpanProcessor):  # type: ignore[misc]
    """A batch processor whose spans are sanitized; spans that it has no place for are dropped and counted.

    Args:
        exporter: any exporter.
        policy: as of ``SanitizingExporter``.
        seconds: as there.
        most_waiting: spans that may wait.
        options: of the SDK's batch processor, but for the size of its queue.
    """

    def __init__(
        self,
        exporter: SpanExporter,
        policy: str | None = None,
        *,
        seconds: float = 10.0,
        most_waiting: int = 8_192,
        **options: Any,
    ) -> None:
        self._sanitizing = SanitizingExporter(exporter, policy, seconds=seconds)
        self._most, self._process = most_waiting, 0
        self._begin()
        super().__init__(self._sanitizing, max_queue_size=most_waiting, **options)

    def _begin(self) -> None:
        self._process, self._counting = os.getpid(), threading.Lock()
        self._ended, self._overflowed = self._sanitizing.taken, 0

    @property
    def dropped(self) -> int:
        """Spans that were dropped: there was no place for them, or they could not be sanitized."""
        return self._overflowed + self._sanitizing.dropped

    def on_end(self, span: ReadableSpan) -> None:
        """Take an ended span, or count it."""
        if not (span.context and span.context.trace_flags.sampled):
            return
        if self._process != os.getpid():  # forked: the SDK forgets what waited
            self._begin()
        with self._counting:
            if takes := self._ended - self._sanitizing.taken < self._most:
                self._ended += 1
            else:
                self._overflowed += 1
        if takes:
            super().on_end(span)
