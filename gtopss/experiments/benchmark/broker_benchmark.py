"""The broker's part of `gtopss bench`: durable publications per second on each store, beside NATS JetStream.

`broker-sqlite` uses a new file. `broker-postgresql` uses the empty database that `GTOPSS_POSTGRESQL` names by its URL.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from typing import Any

from gtopss.errors import GtopssError

BROKER_WORKLOADS = ("broker-sqlite", "broker-postgresql")
POSTGRESQL_VARIABLE = "GTOPSS_POSTGRESQL"


def measure_broker(
    workloads: Iterable[str], *, subscriptions: int, items: int, progress: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Measure each workload and, if its server and client are installed, NATS JetStream. Raises GtopssError."""
    try:
        from dataclasses import asdict

        from gtopss.experiments.benchmark.broker_publishing import measure_nats, measure_publishing
    except ImportError as error:
        raise GtopssError(f"the broker is not installed ({error}): pip install gtopss[broker]") from error
    rows = []
    for name in workloads:
        progress(f"{name}: publishing with {subscriptions:,} subscriptions")
        with tempfile.TemporaryDirectory(prefix="gtopss-broker-") as folder:
            url = f"sqlite:{folder}/broker.db" if name == "broker-sqlite" else os.environ.get(POSTGRESQL_VARIABLE)
            if url is None:
                raise GtopssError(f"{name} needs an empty database: set {POSTGRESQL_VARIABLE} to its URL")
            rows.append(asdict(measure_publishing(url, subscriptions=subscriptions, items=items)))
    if rows:
        progress("NATS JetStream: storing the same documents")
        nats = measure_nats(items)
        rows += [] if nats is None else [asdict(nats)]
    return rows
