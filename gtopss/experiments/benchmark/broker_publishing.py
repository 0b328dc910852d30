"""Measure durable publications per second of a broker, beside NATS JetStream that only stores the same bytes.

Both acknowledge a publication when it is on disk, and both have several publications under way at once. The broker
also reads them, matches them with all subscriptions and stores the notifications; the time ends when the last one is
matched.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from gtopss.broker.broker import Broker
from gtopss.broker.config import BrokerConfig
from gtopss.broker.publishing import Document
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import notifications
from gtopss.broker.workers import Workers
from gtopss.engine import Engine
from gtopss.errors import GtopssError
from gtopss.experiments.benchmark.broker_lines import BrokerLine, at_least
from gtopss.experiments.benchmark.broker_subscriptions import store_texts, text_of
from gtopss.experiments.benchmark.broker_waiting import wait_until_matched
from gtopss.experiments.workloads import few_shapes

PUBLISHERS = 4
"""Threads that publish at the same time."""
DOCUMENTS_PER_CALL = 64
"""Documents in one call of `publish`; each has its own acknowledgement."""
NATS_IN_FLIGHT = PUBLISHERS * DOCUMENTS_PER_CALL
"""Messages that were sent to NATS and are not acknowledged yet."""
_TIMEOUT_SECONDS = 600.0
_START_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class PublishingRate:
    """Publications per second: acknowledged, and acknowledged and matched. NATS matches nothing."""

    system: str
    subscriptions: int
    publications: int
    acknowledged_per_second: float
    matched_per_second: float | None
    notifications: int | None
    cpu_microseconds: float | None = None
    """Processor time of the broker's process for a publication, with reading and publishing it."""


def publishing_lines(ours: PublishingRate, nats: PublishingRate | None) -> list[BrokerLine]:
    """Return the lines of the table. The target is what NATS stores."""
    peer = None if nats is None else nats.acknowledged_per_second
    what = f"publications, {ours.subscriptions:,} subscriptions, {ours.system}"
    assert ours.matched_per_second is not None
    assert ours.cpu_microseconds is not None
    return [
        at_least(f"{what}: acknowledged", "1/s", ours.acknowledged_per_second, peer, 1.0, "NATS"),
        at_least(f"{what}: matched too", "1/s", ours.matched_per_second, peer, 1.0, "NATS"),
        BrokerLine(f"{what}: processor time each", "us", ours.cpu_microseconds, None, None, "", None),
    ]


def measure_publishing(store_url: str, *, subscriptions: int, items: int) -> PublishingRate:
    """Publish N-Triples documents of twenty lines to a broker on an empty store."""
    documents = [Document(data, "nt", id=f"urn:item:{number}") for number, data in enumerate(_documents(items))]
    with open_store(store_url) as store:
        store_texts(store, [(each.id, text_of(each)) for each in few_shapes(subscriptions).subscriptions()])
        with Broker(store, Engine(), BrokerConfig()) as broker, Workers(broker):
            broker.publish([replace(documents[0], id="urn:warm-up")])
            wait_until_matched(store)
            began, cpu = time.perf_counter(), time.process_time()
            _publish_in_threads(broker, documents)
            acknowledged = time.perf_counter()
            wait_until_matched(store)
            matched, cpu = time.perf_counter(), time.process_time() - cpu
            made = store.read(lambda connection: connection.scalar(select(func.count()).select_from(notifications)))
    return PublishingRate(
        f"gtopss on {store_url.partition(':')[0]}",
        subscriptions,
        items,
        items / (acknowledged - began),
        items / (matched - began),
        made,
        cpu / items * 1e6,
    )


def _documents(items: int) -> list[bytes]:
    found = few_shapes(100_000).publications(items)
    return ["".join(f"{' '.join(triple)} .\n" for triple in each.triples).encode() for each in found]


def _publish_in_threads(broker: Broker, documents: Sequence[Document]) -> None:
    parts = [documents[start : start + DOCUMENTS_PER_CALL] for start in range(0, len(documents), DOCUMENTS_PER_CALL)]
    _run_in_threads(lambda part: _check(broker.publish(part)), parts)


def _check(results: Sequence[Any]) -> None:
    for each in results:
        if each.error is not None:
            raise each.error


def _run_in_threads(task: Callable[[Any], None], parts: Sequence[Any]) -> None:
    waiting, errors, lock = list(reversed(parts)), list[BaseException](), threading.Lock()

    def run() -> None:
        while not errors:
            with lock:
                if not waiting:
                    return
                part = waiting.pop()
            try:
                task(part)
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(PUBLISHERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if errors:
        raise errors[0]


# --- NATS JetStream ---------------------------------------------------------------------------------------------------


def measure_nats(items: int, program: str | None = None) -> PublishingRate | None:
    """Store the same bytes in a stream of NATS JetStream with a sync after every message.

    Return None if there is no nats-server (2.10 or newer, on PATH or given) or no client for it (nats-py).
    """
    program = program or shutil.which("nats-server")
    try:
        import nats  # noqa: F401
    except ImportError:
        return None
    if program is None:
        return None
    documents = _documents(items)
    with _nats_server(program) as port:
        seconds = asyncio.run(_publish_to_nats(port, documents))
    return PublishingRate("NATS JetStream", 0, items, items / seconds, None, None)


@contextmanager
def _nats_server(program: str) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="gtopss-nats-") as folder:
        settings = Path(folder) / "server.conf"
        stream = f'jetstream {{ store_dir: "{folder}", sync_interval: always }}'
        settings.write_text(f'listen: "127.0.0.1:{port}"\n{stream}\n')
        command, log = [program, "-c", str(settings)], Path(folder) / "log"
        with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as server:
            try:
                _wait_until_open(port, server, log)
                yield port
            finally:
                server.terminate()


def _wait_until_open(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError as error:
            if server.poll() is not None:
                said = " ".join(log.read_text(errors="replace").split())[-500:]
                raise GtopssError(f"nats-server did not start (2.10 or newer is needed): {said}") from error
            if time.monotonic() > deadline:
                raise GtopssError(f"nats-server did not start within {_START_SECONDS:g} seconds") from error
            time.sleep(0.05)


async def _publish_to_nats(port: int, documents: Sequence[bytes]) -> float:
    import nats

    client = await nats.connect(f"nats://127.0.0.1:{port}", max_reconnect_attempts=50, reconnect_time_wait=0.1)
    try:
        stream = client.jetstream()
        await stream.add_stream(name="publications", subjects=["publications"])
        permits = asyncio.Semaphore(NATS_IN_FLIGHT)

        async def publish(document: bytes) -> None:
            async with permits:
                await stream.publish("publications", document, timeout=_TIMEOUT_SECONDS)

        began = time.perf_counter()
        await asyncio.gather(*map(publish, documents))
        return time.perf_counter() - began
    finally:
        await client.close()
