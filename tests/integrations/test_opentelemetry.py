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
from textveil.integrations.log_records import PlainKeys  # noqa: E402
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
    memory, fails = InMemorySpanExporter(), list[bool | None]((True,))
    exporter = SanitizingExporter(memory)
    own = exporter._apart.done

    def failing(call: Any, most_bytes: int) -> list[Any]:
        if what := fails.pop():
            raise ValueError(NAME)
        answers = own(call, most_bytes)
        return answers if what is None else [None, *answers[1:]]  # of the trace, not of resources and scopes

    monkeypatch.setattr(exporter._apart, "done", failing)
    made = provider(BatchSpanProcessor(exporter))
    with caplog.at_level(logging.WARNING):
        planted(made)
        made.force_flush()
    assert exporter.dropped == exporter.taken == 2 and not memory.get_finished_spans()
    assert "2 spans were dropped" in caplog.text and NAME not in caplog.text
    fails.extend((False, None))  # keys are searched first
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


CARD = 4111111111111111
LETTERS = "aBcdEfghIjklMnopQrstUvwxYzAbCdEfGhIj"


def released(provider: Callable[[Any], TracerProvider], attributes: dict[Any, Any]) -> dict[str, Any]:
    memory = InMemorySpanExporter()
    made = provider(SanitizingSpanProcessor(memory))
    made.get_tracer("a").start_span("a", attributes=attributes).end()
    assert made.force_flush()
    return attributes_of(memory.get_finished_spans())


def test_numbers_stay_where_a_word_of_the_key_counts_and_keep_their_sign(
    provider: Callable[[Any], TracerProvider],
) -> None:
    stay = {"input_tokens": 12345678, "start_time": 1764403200123, "thread.id": 140539596819328, "a.line": 7654321,
            "balance": -1234567, "debt": -7}  # fmt: skip
    words = ("account", "discount", "passport", "support", "airport", "uptime", "tokens", "event_time", "items", "port")
    taken = {f"customer.{word}": CARD for word in words} | {"phone": -PHONE}
    found = released(provider, stay | taken)
    assert {key: found[key] for key in stay} == stay
    assert all(found[key] != value and type(found[key]) is int for key, value in taken.items()) and found["phone"] < 0
    assert abs(found["phone"]) != PHONE


def test_keys_are_read_as_words_and_what_tells_is_drawn(provider: Callable[[Any], TracerProvider]) -> None:
    token = f"ghp_{LETTERS}"
    keys = ["siegfried.ottermann", "user.4915123456789", token.lower(), token, f"x_{token}", "userKatarzynaHalvorsen",
            "katarzyna_halvorsen", "4915.123.456.789", "a1b2c3d4e5f6", MAIL, "max.mustermann", 99 * "a"]  # fmt: skip
    plain = ["http.request.method", "gen_ai.prompt.12.content", "faas.name", "db.cassandra.table", "max_retries",
             "gen_ai.request.max_tokens", "llm.input_messages.3.message.tool_calls.1.name", "Content-Type"]  # fmt: skip
    found = released(provider, dict.fromkeys([*keys, *plain], True))
    drawn = [f"drawn_attribute_{number}" for number in range(1, len(keys) + 1)]
    assert sorted(found) == sorted([*drawn, *plain])


@pytest.mark.parametrize("key", ["gen_ai.response.id", "thread_id", "response_id", "gen_ai.tool.call.id"])
def test_a_token_behind_the_prefix_of_an_id_does_not_pass(provider: Callable[[Any], TracerProvider], key: str) -> None:
    for prefix in ("chatcmpl-", "call_", "resp_", "thread_"):
        assert f"ghp_{LETTERS}" not in str(released(provider, {key: f"{prefix}ghp_{LETTERS}"}))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"])
def test_bytes_are_read_in_their_encoding(provider: Callable[[Any], TracerProvider], encoding: str) -> None:
    data = f"ä of {MAIL}".encode(encoding)
    found = released(
        provider, {"raw": data, "list": {"inner": [data, bytearray(data)]}, "binary": b"\0\1\x80 " + MAIL.encode()}
    )
    for raw in (found["raw"], str(found["list"]).encode(), found["binary"]):
        assert not any(MAIL.encode(each) in raw for each in ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le"))
        assert b"acme" not in raw.replace(b"\0", b"").replace(b"\\x00", b"").replace(b"\\u0000", b"")
    if encoding in ("utf-16", "latin-1"):
        assert found["raw"].decode(encoding).startswith("ä of ")


def test_only_the_schemas_of_opentelemetry_stay() -> None:
    for url, stays in (
        ("https://opentelemetry.io/schemas/1.37.0", True),
        (f"https://opentelemetry.io/schemas/{MAIL}", False),
        ("https://opentelemetry.io/schemas/1.37.0?of=siegfried", False),
        ("https://opentelemetry.io/schemas/4915.123456.789", False),
    ):
        memory = InMemorySpanExporter()
        made = TracerProvider(resource=Resource({"a": "b"}, url))
        made.add_span_processor(SanitizingSpanProcessor(memory))
        made.get_tracer("a", schema_url=url).start_span("a").end()
        made.shutdown()
        (span,) = memory.get_finished_spans()
        assert (span.resource.schema_url == url) is (span.instrumentation_scope.schema_url == url) is stays


def test_an_object_of_an_unknown_kind_does_not_pass(provider: Callable[[Any], TracerProvider]) -> None:
    class Person:
        def __repr__(self) -> str:
            return NAME

    texts = ours._Texts(PlainKeys())
    assert texts.of("a", Person()) == "[Person]" and "Person" in texts.values[texts.of("b", [Person()]).number][1]


def test_a_policy_that_draws_words_is_refused() -> None:
    with pytest.raises(ParameterError, match="keeps words"):
        SanitizingExporter(InMemorySpanExporter(), "all-words")
