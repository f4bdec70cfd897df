"""What sanitizing spans costs a program that makes 1,000 of them a second, and how many spans are dropped.

    python benchmarks/traces.py [--rate 1000] [--seconds 10] [--rounds 3] [--words 60]

The program does a fixed piece of work (about half of its time) for each request and waits for the next; a request
makes a span: most are of HTTP, one in ten is a call of a language model with a prompt of --words words, a name and a
password in it. Runs with the SDK's batch processor alone and with the sanitizing one alternate; both encode to OTLP.
The program's time is what its work takes by the clock: threads that hold the interpreter make it longer. It is also
printed in processor time of all threads of the program, which other programs disturb less. Prints the median of the
rounds, the share of spans that were dropped, and how many planted values left (fails with 1 if one did).
Wanted: within 2 %, else drops.
"""

import argparse
import itertools
import json
import random
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from textveil.integrations.opentelemetry import SanitizingSpanProcessor

WORDS: Final = (
    "the", "order", "was", "sent", "to", "our", "store", "and", "customer", "asks", "when", "it", "will", "arrive",
    "since", "nobody", "called", "back",
)  # fmt: skip
NAME: Final = "Katarzyna Halvorsen"
WORK: Final = 30_000  # additions of a request
WAITING: Final = 2_048  # spans that may wait, as the SDK has it


class Encoding(SpanExporter):  # type: ignore[misc]
    """Encodes spans as an exporter does, and counts them and the planted values in them."""

    def __init__(self) -> None:
        self.spans = self.leaked = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Encode spans."""
        data = encode_spans(spans).SerializeToString()
        self.spans += len(spans)
        self.leaked += data.count(NAME.encode()) + data.count(b"hX9-kk")
        return SpanExportResult.SUCCESS


def attributes(number: int, words: int, rng: random.Random) -> dict[str, Any]:
    """Return those of a request."""
    if number % 10:
        path = f"/orders/{rng.randrange(1_000_000)}"
        return {"http.request.method": "GET", "url.path": path, "http.response.status_code": 200,
                "server.address": "shop.internal", "user.name": f"user{rng.randrange(10_000)}"}  # fmt: skip
    text = " ".join(rng.choices(WORDS, k=words)) + f" Please ask {NAME}, the password is hX9-kk{number}."
    messages = [{"role": "user", "parts": [{"type": "text", "content": text}]}]
    return {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages)}


def run(processor: BatchSpanProcessor, rate: float, seconds: float, words: int) -> tuple[float, float]:
    """Return the seconds that the work of a program takes by the clock, and of processor time in all its threads."""
    provider, rng = TracerProvider(), random.Random(0)
    provider.add_span_processor(processor)
    tracer, worked = provider.get_tracer("shop"), 0.0
    start, used = time.perf_counter(), time.process_time()
    for number in range(int(rate * seconds)):
        late = start + number / rate - time.perf_counter()
        if late > 0:
            time.sleep(late)
        began = time.perf_counter()
        with tracer.start_as_current_span("GET /orders", attributes=attributes(number, words, rng)):
            for _ in itertools.repeat(None, WORK):
                pass
        worked += time.perf_counter() - began
    used = time.process_time() - used
    provider.force_flush()
    provider.shutdown()
    return worked, used


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=1_000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--words", type=int, default=60)
    options = parser.parse_args()
    plain, sanitized = list[tuple[float, float]](), list[tuple[float, float]]()
    dropped = leaked = sent = 0
    for _ in range(options.rounds):
        plain.append(run(BatchSpanProcessor(Encoding(), WAITING), options.rate, options.seconds, options.words))
        exporter = Encoding()
        processor = SanitizingSpanProcessor(exporter, most_waiting=WAITING)
        sanitized.append(run(processor, options.rate, options.seconds, options.words))
        dropped, leaked, sent = dropped + processor.dropped, leaked + exporter.leaked, sent + exporter.spans
    (work, used), (work_with, used_with) = (
        [statistics.median(each) for each in zip(*runs, strict=True)] for runs in (plain, sanitized)
    )
    request = 1e3 * work / (options.rate * options.seconds)
    print(
        f"work of a request {request:.2f} ms by the clock; sanitizing {100 * (work_with / work - 1):+.1f} % (wanted 2)"
    )
    print(f"processor time of the program {used:.2f} s; sanitizing {100 * (used_with / used - 1):+.1f} %")
    share = 100 * dropped / (sent + dropped)
    print(f"{sent} spans sent, {dropped} dropped ({share:.0f} %), {leaked} planted values left")
    return 1 if leaked else 0


if __name__ == "__main__":
    sys.exit(main())
