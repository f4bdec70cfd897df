"""Counters for Prometheus, and logs as lines of JSON; neither holds text.

Counters are by route, policy and status, never by a text or a person. A log line has named facts of ours. A message
of another package is logged as its code writes it, without its arguments, and an exception as its type and place:
either may quote a request, an address with a key, or an answer.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from textveil.server.errors import place_of

# of our own lines beside their message; anything else is left out
FACTS: Final = (
    "request",
    "method",
    "route",
    "status",
    "milliseconds",
    "key",
    "policy",
    "place",
    "code",
    "address",
    "digest",
    "kinds",
    "version",
)
_OWN = "textveil"


class LogLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        at = datetime.fromtimestamp(record.created, UTC)
        own = record.name.split(".")[0] == _OWN
        line = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": str(record.msg).strip() if isinstance(record.msg, str) else type(record.msg).__name__,
        }
        if own:
            line |= {name: getattr(record, name) for name in FACTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1] is not None:
            line["place"] = place_of(record.exc_info[1])
        return json.dumps(line, ensure_ascii=True, default=lambda value: type(value).__name__)


def log_as_json(*, requests: bool) -> None:
    """Send the logs of the process to standard error as lines of JSON, with a line for each request if wanted."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(_OWN).setLevel(logging.INFO)
    logging.getLogger("textveil.server.requests").disabled = not requests
    logging.captureWarnings(True)


_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class ServerMetrics:
    """The counters of one application.

    Attributes:
        requests: by route, method and status.
        seconds: until a request was answered whole, by route.
        under_way: requests that are being answered.
        releases: texts that were released, by policy.
        epsilon: nats that were spent, by policy.
        inspected: requests whose texts were inspected, by policy.
        values: values in them, by policy and kind; counted only if the configuration says so.
        refused: requests that were refused, by the code of the error.
        samples: conversations that were "counted" for a sample, drawn or not, or were "lost" by a failure.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        named = ["route", "method", "status"]
        self.requests = Counter("textveil_requests", "Requests.", named, registry=self._registry)
        self.seconds = Histogram(
            "textveil_request_seconds", "Until answered whole.", ["route"], buckets=_SECONDS, registry=self._registry
        )
        self.under_way = Gauge("textveil_requests_under_way", "Requests under way.", registry=self._registry)
        self.releases = Counter("textveil_releases", "Texts released.", ["policy"], registry=self._registry)
        self.epsilon = Counter("textveil_epsilon_spent", "Nats spent.", ["policy"], registry=self._registry)
        self.inspected = Counter("textveil_inspected", "Requests inspected.", ["policy"], registry=self._registry)
        self.values = Counter("textveil_values", "Values drawn in them.", ["policy", "kind"], registry=self._registry)
        self.refused = Counter("textveil_refused", "Requests refused.", ["code"], registry=self._registry)
        self.samples = Counter("textveil_samples", "Conversations sampled.", ["what"], registry=self._registry)

    def text(self) -> bytes:
        """Return all of them in the form that Prometheus reads."""
        return generate_latest(self._registry)
