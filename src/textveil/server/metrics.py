"""Counters for Prometheus: by route, policy and status, and never by what somebody wrote or who it was."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class ServerMetrics:
    """The counters of one application.

    Attributes:
        requests: by route, method and status.
        seconds: until a request was answered whole, by route.
        under_way: requests that are being answered.
        releases: texts that were released, by policy.
        epsilon: nats that were spent, by policy.
        unprotected: requests that were sent on as they came, by policy.
        refused: requests that were not answered as asked, by the code of the error.
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
        self.unprotected = Counter(
            "textveil_unprotected", "Requests sent on unprotected.", ["policy"], registry=self._registry
        )
        self.refused = Counter("textveil_refused", "Requests refused.", ["code"], registry=self._registry)

    def text(self) -> bytes:
        """All of them in the form that Prometheus reads."""
        return generate_latest(self._registry)
