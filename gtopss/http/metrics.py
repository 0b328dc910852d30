"""Metrics for Prometheus: rates, latencies and queue lengths, without a label per subscription, feed or target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from gtopss.http.service import Service

CONTENT_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The metrics of one service. Thread-safe."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "gtopss_http_requests", "Requests", ["method", "route", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "gtopss_http_request_seconds",
            "Time until the response was complete, without event streams",
            ["method", "route"],
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self.documents = Counter(
            "gtopss_documents", "Documents that were published over HTTP", ["result"], registry=self._registry
        )
        self.streams = Gauge("gtopss_event_stream_clients", "Clients of event streams", registry=self._registry)
        self.stored = {
            name: Gauge(f"gtopss_{name}", text, registry=self._registry)
            for name, text in (
                ("subscriptions", "Active subscriptions"),
                ("publications_accepted", "Publications accepted since the store was created"),
                ("publications_waiting", "Publications that wait to be matched"),
                ("oldest_waiting_seconds", "Age of the oldest publication that waits"),
                ("targets_due", "Targets that wait for a delivery"),
                ("targets_disabled", "Targets that are disabled"),
                ("dead_letters", "Deliveries that were given up"),
                ("feeds", "Polled feeds"),
                ("feeds_failing", "Polled feeds whose last fetch failed"),
            )
        }

    def observe(self, method: str, route: str, status: int, seconds: float | None) -> None:
        """Count a request. `seconds` is None for a stream."""
        self.requests.labels(method, route, str(status)).inc()
        if seconds is not None:
            self.seconds.labels(method, route).observe(seconds)

    def render(self, service: Service) -> bytes:
        """Return all metrics in the format of Prometheus."""
        found = service.statistics()
        waits_since = found.oldest_waiting_at
        values = {
            "subscriptions": found.subscriptions,
            "publications_accepted": found.publications,
            "publications_waiting": found.publications_waiting,
            "oldest_waiting_seconds": 0.0 if waits_since is None else max(0.0, service.clock() - waits_since),
            "targets_due": found.targets_due,
            "targets_disabled": found.targets_disabled,
            "dead_letters": found.dead_letters,
            "feeds": found.feeds,
            "feeds_failing": found.feeds_failing,
        }
        self.streams.set(service.live.clients)
        for name, value in values.items():
            self.stored[name].set(value)
        return generate_latest(self._registry)
