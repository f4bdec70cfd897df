"""Spans of the real SDK: nothing planted leaves, the rest stays, what fails is dropped and counted."""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

sdk = pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry.sdk.resources import Resource  # noqa: E402
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import (  # noqa: E402
    BatchSpanProcessor,
    SpanExporter,
    SpanExportResult,
)
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags  # noqa: E402
from opentelemetry.trace.span import TraceState  # noqa: E402

from textveil.errors import ParameterError  # noqa: E402
from textveil.integrations import opentelemetry as ours  # noqa: E402
from textveil.integrations.opentelemetry import SanitizingExporter, SanitizingSpanProcessor  # noqa: E402

NAME, MAIL, PASSWORD = "Katarzyna Halvorsen", "k.halvorsen@acme-mail.com", "hX9-kk2Lq"
TOKEN, PHONE = "ghp_" + "a8Kd02LmXq" * 3 + "R7t2Zs", 4915123456789
PLANTED = (NAME, "alvorsen", MAIL, PASSWORD, TOKEN, str(PHONE))
MESSAGES = [
    {"role": "user", "parts": [{"type": "text", "content": f"I am {NAME}, my password is {PASSWORD}"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "call_8fhG7dhsKJH73hd", "name": "send_mail",
                                     "arguments": json.dumps({"to": MAIL, "password": PASSWORD})}]},
]  # fmt: skip


def planted(provider: TracerProvider) -> None:
    """A trace with a value in every place that a span has for a text."""
    tracer = provider.get_tracer("shop.agent", "1.2.3", attributes={"owner": NAME})
    state = TraceState([("vendor", PASSWORD)])
    link = Link(SpanContext(1, 2, False, TraceFlags(1), state), {"to": MAIL})
    with tracer.start_as_current_span(f"ask {NAME}", links=[link]) as span:
        span.set_attributes({
            "gen_ai.input.messages": json.dumps(MESSAGES),
            "gen_ai.output.messages": MESSAGES,  # type: ignore[dict-item]
            "gen_ai.request.model": "claude-opus-4-1-20250805",
            "gen_ai.usage.input_tokens": 12345678,
            "gen_ai.response.id": "chatcmpl-9fjsk29fjskd29",
            "http.request.header.authorization": [f"Bearer {TOKEN}"],
            "process.command_args": ["run", "--password", PASSWORD],
            "user.name": "khalvorsen",
            "user.id": 77123,
            "phone": PHONE,
            "raw": f"from {NAME}".encode(),
            f"of {NAME}": True,
        })  # fmt: skip
        span.add_event(f"{NAME} said", {"body": MAIL})
        with pytest.raises(KeyError), tracer.start_as_current_span("lookup"):
            raise KeyError(f"no {MAIL} with {TOKEN}")
        span.set_status(Status(StatusCode.ERROR, f"failed for {MAIL}"))


class CollectorFile(SpanExporter):
    """Writes what a collector's file exporter writes: OTLP as JSON, a batch a line, made from OTLP as protobuf."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        encoder = pytest.importorskip("opentelemetry.exporter.otlp.proto.common.trace_encoder")
        json_format = pytest.importorskip("google.protobuf.json_format")
        with self.path.open("a") as stream:
            stream.write(json_format.MessageToJson(encoder.encode_spans(spans), indent=None) + "\n")
        return SpanExportResult.SUCCESS


@pytest.fixture
def provider() -> Iterator[Callable[[Any], TracerProvider]]:
    made: list[TracerProvider] = []

    def make(processor: Any) -> TracerProvider:
        provider = TracerProvider(resource=Resource({"service.name": "shop", "service.owner": NAME}))
        provider.add_span_processor(processor)
        made.append(provider)
        return provider

    yield make
    for provider in made:
        provider.shutdown()


def attributes_of(spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    return {key: value for span in spans for key, value in (span.attributes or {}).items()}


def test_nothing_planted_is_in_a_collectors_file_and_all_else_stays(
    provider: Callable[[Any], TracerProvider], tmp_path: Path
) -> None:
    memory, path = InMemorySpanExporter(), tmp_path / "traces.json"
    processor = SanitizingSpanProcessor(memory)
    planted(made := provider(processor))
    assert made.force_flush()
    spans = memory.get_finished_spans()
    CollectorFile(path).export(spans)
    text = path.read_text()
    assert [value for value in PLANTED if value.lower() in text.lower()] == [] and processor.dropped == 0
    assert not any(value.encode() in attributes_of(spans)["raw"] for value in PLANTED)
    child, parent = spans
    state = parent.links[0].context.trace_state
    assert list(state) == ["vendor"] and state["vendor"] != PASSWORD
    assert child.name == "lookup" and child.parent == parent.context and parent.links[0].context.trace_id == 1
    assert child.context.trace_id == parent.context.trace_id
    found = attributes_of(spans)
    assert found["gen_ai.request.model"] == "claude-opus-4-1-20250805"
    assert found["gen_ai.usage.input_tokens"] == 12345678
    assert found["gen_ai.response.id"] == "chatcmpl-9fjsk29fjskd29"
    assert found["user.id"] != 77123 and isinstance(found["user.id"], int) and isinstance(found["phone"], int)
    assert found["process.command_args"][:2] == ("run", "--password")
    sent, structured = json.loads(found["gen_ai.input.messages"]), found["gen_ai.output.messages"]
    for messages in (sent, structured):
        call = messages[1]["parts"][0]
        assert call["id"] == "call_8fhG7dhsKJH73hd" and call["name"] == "send_mail"
        assert set(json.loads(call["arguments"])) == {"to", "password"}
    assert parent.status.status_code is StatusCode.ERROR and parent.status.description.startswith("failed for ")
    assert parent.end_time and parent.start_time and parent.end_time >= parent.start_time
    assert parent.instrumentation_scope.name == "shop.agent" and parent.instrumentation_scope.version == "1.2.3"
    assert child.events[0].attributes["exception.type"] == "KeyError"
    assert parent.resource.attributes["service.name"] == "shop"


def test_a_person_has_one_surrogate_in_a_trace(provider: Callable[[Any], TracerProvider]) -> None:
    memory = InMemorySpanExporter()
    made = provider(BatchSpanProcessor(SanitizingExporter(memory)))
    tracer = made.get_tracer("a")
    with tracer.start_as_current_span("first", attributes={"said": f"Please ask {NAME} about it."}):
        with tracer.start_as_current_span("second", attributes={"said": f"I am {NAME}"}):
            pass
        made.force_flush()  # in two batches
        with tracer.start_as_current_span("third", attributes={"said": f"Thanks, {NAME}"}):
            pass
    made.force_flush()
    said = {span.name: str(span.attributes["said"]) for span in memory.get_finished_spans()}
    name = said["third"].removeprefix("Thanks, ")
    assert said["second"] == f"I am {name}" and NAME not in name
    assert said["first"] == f"Please ask {name} about it."


def test_spans_that_fail_are_dropped_and_counted_and_no_text_is_logged(
    provider: Callable[[Any], TracerProvider], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    memory, fails = InMemorySpanExporter(), [True]
    exporter = SanitizingExporter(memory)
    own = exporter._apart.done

    def failing(call: Any, most_bytes: int) -> list[Any]:
        if fails.pop():
            raise ValueError(NAME)
        return [None, *own(call, most_bytes)[1:]]  # of the trace, not of resources and scopes

    monkeypatch.setattr(exporter._apart, "done", failing)
    made = provider(BatchSpanProcessor(exporter))
    with caplog.at_level(logging.WARNING):
        planted(made)
        made.force_flush()
    assert exporter.dropped == exporter.taken == 2 and not memory.get_finished_spans()
    assert "2 spans were dropped" in caplog.text and NAME not in caplog.text
    fails.append(False)
    planted(made)
    made.force_flush()
    assert exporter.dropped == 4 and not memory.get_finished_spans()


def test_spans_without_a_place_are_dropped_and_counted(provider: Callable[[Any], TracerProvider]) -> None:
    memory = InMemorySpanExporter()
    processor = SanitizingSpanProcessor(memory, most_waiting=512, schedule_delay_millis=60_000)
    made = provider(processor)
    processor._sanitizing.export = lambda spans: SpanExportResult.FAILURE  # type: ignore[method-assign]
    tracer = made.get_tracer("a")
    for _ in range(600):
        tracer.start_span("a").end()
    assert processor.dropped == 600 - 512


def test_an_object_of_an_unknown_kind_does_not_pass(provider: Callable[[Any], TracerProvider]) -> None:
    class Person:
        def __repr__(self) -> str:
            return NAME

    texts = ours._Texts()
    assert texts.of("a", Person()) == "[Person]" and "Person" in texts.values[texts.of("b", [Person()]).number][1]


def test_a_policy_that_draws_words_is_refused() -> None:
    with pytest.raises(ParameterError, match="keeps words"):
        SanitizingExporter(InMemorySpanExporter(), "all-words")
