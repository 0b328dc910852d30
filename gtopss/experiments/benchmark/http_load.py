"""Measure the HTTP service under load on loopback. The service and the generator of the load are two processes.

    gtopss bench --workload broker-http
    python -m gtopss.experiments.benchmark.http_load --subscriptions 100000 --requests 3000 --clients 10000

Publishing: requests with one document each, then with many, from several connections, while all subscriptions are
matched. Event streams: clients that wait for the same subscription; the memory of the service for each of them, and the
time from sending a publication until they have its notification.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gtopss.experiments.benchmark.broker_lines import BrokerLine
from gtopss.experiments.benchmark.broker_subscriptions import store_texts, text_of
from gtopss.experiments.workloads import few_shapes
from gtopss.model.display import counted

CONNECTIONS = 8
"""Connections that publish at the same time."""
DOCUMENTS_AT_ONCE = 100
"""Documents of one request, in the second measurement of publishing."""
MAX_BROADCAST_P99_SECONDS = 0.4
"""Target: the time until 99 of 100 waiting clients have a notification."""
_CONNECTS_AT_ONCE = 100
_START_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class PublishingLoad:
    """Requests that publish. Times are in seconds, of one request."""

    subscriptions: int
    requests: int
    documents: int
    """Documents of each request."""
    connections: int
    documents_per_second: float
    server_cpu_seconds: float
    """Processor time of the service for each document, until all were matched."""
    p50: float
    p99: float
    matched_after: float
    """From the last acknowledgement until everything was matched."""

    def percentiles(self) -> tuple[tuple[str, float], tuple[str, float]]:
        """Return the names and the values of both."""
        return ("p50", self.p50), ("p99", self.p99)


@dataclass(frozen=True, slots=True)
class StreamLoad:
    """Clients that wait for the events of one subscription."""

    clients: int
    bytes_each: float
    """Growth of the service's memory for each client."""
    p50: float
    p99: float
    slowest: float
    service_cpu_seconds: float
    """Processor time of the service from sending the publication until all clients have it."""
    generator_cpu_seconds: float
    """The same of the process with the clients."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of all values lies.

    >>> percentile([4.0, 1.0, 2.0, 3.0], 0.5)
    3.0
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@contextmanager
def running_service(subscriptions: int) -> Iterator[tuple[int, int]]:
    """Run a service with subscriptions on an SQLite store in a process of its own; yield its port and process id."""
    with tempfile.TemporaryDirectory(prefix="gtopss-http-") as folder:
        command = [sys.executable, "-m", __spec__.name, "--serve", folder, "--subscriptions", str(subscriptions)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout is not None
                yield int(process.stdout.readline()), process.pid
            finally:
                process.terminate()


def serve(folder: Path, subscriptions: int) -> None:
    """Run the service, and print its port when it is ready."""
    from gtopss.http.app import create_app
    from gtopss.http.server import allow_many_connections, bind, freeze_memory, server_of
    from gtopss.http.service import Service
    from gtopss.http.settings import ServiceSettings

    allow_many_connections()
    with bind("127.0.0.1", 0) as listener, Service(ServiceSettings(store=f"sqlite:{folder / 'store.db'}")) as service:
        store_texts(service.store, [(each.id, text_of(each)) for each in few_shapes(subscriptions).subscriptions()])
        service.start()
        freeze_memory()
        listener.listen(1_024)
        print(listener.getsockname()[1], flush=True)
        server_of(create_app(service)).run(sockets=[listener])


def measure_publishing(
    port: int, process: int, subscriptions: int, requests: int, connections: int, documents: int = 1
) -> PublishingLoad:
    """Publish documents of twenty triples, one or several in each request."""
    waiting = _requests(requests, documents, first=f"{documents}:")
    _send_all(port, _requests(connections, documents, first=f"start:{documents}:"), connections)
    _wait_until_matched(port)
    cpu, began = cpu_seconds(process), time.perf_counter()
    seconds = _send_all(port, waiting, connections)
    acknowledged = time.perf_counter()
    _wait_until_matched(port)
    matched = time.perf_counter()
    return PublishingLoad(
        subscriptions,
        requests,
        documents,
        connections,
        requests * documents / (acknowledged - began),
        (cpu_seconds(process) - cpu) / (requests * documents),
        percentile(seconds, 0.5),
        percentile(seconds, 0.99),
        matched - acknowledged,
    )


@dataclass(frozen=True, slots=True)
class _Request:
    path: str
    media_type: str
    data: bytes


def _requests(count: int, documents: int, first: str) -> list[_Request]:
    """Return requests that publish; `first` begins the ids of their documents."""
    texts = _documents(count * documents)
    if documents == 1:
        paths = [f"/publications?id=urn:item:{first}{number}" for number in range(count)]
        pairs = zip(paths, texts, strict=True)
        return [_Request(path, "application/n-triples", text.encode()) for path, text in pairs]
    listed = [
        {"content": text, "content_type": "application/n-triples", "id": f"urn:item:{first}{number}"}
        for number, text in enumerate(texts)
    ]
    bodies = [json.dumps({"documents": listed[at : at + documents]}) for at in range(0, len(listed), documents)]
    return [_Request("/publications", "application/vnd.gtopss.documents+json", each.encode()) for each in bodies]


def _documents(count: int) -> list[str]:
    found = few_shapes(100_000).publications(count)
    return ["".join(f"{' '.join(triple)} .\n" for triple in each.triples) for each in found]


def _send_all(port: int, requests: Sequence[_Request], connections: int) -> list[float]:
    waiting, seconds, errors, lock = list(requests), list[float](), list[str](), threading.Lock()

    def run() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.connect()
        connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            with lock:
                if not waiting or errors:
                    break
                request = waiting.pop()
            began = time.perf_counter()
            connection.request("POST", request.path, request.data, {"Content-Type": request.media_type})
            response = connection.getresponse()
            body = response.read()
            seconds.append(time.perf_counter() - began)
            if response.status != 202:
                errors.append(body.decode())
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(connections)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if errors:
        raise RuntimeError(errors[0])
    return seconds


def _call(port: int, method: str, path: str, body: bytes | None = None, media_type: str = "text/plain") -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, body, {"Content-Type": media_type})
    response = connection.getresponse()
    data = response.read()
    connection.close()
    if response.status >= 300:
        raise RuntimeError(data.decode())
    return json.loads(data)


def _wait_until_matched(port: int) -> None:
    while _call(port, "GET", "/stats")["publications_waiting"]:
        time.sleep(0.02)


class _WaitingClients:
    """Clients that wait for events, in one thread without a task for each: they share the processors with the service.

    The time of an event is taken once for all connections that are found readable together.
    """

    def __init__(self, port: int, path: str) -> None:
        self._address = ("127.0.0.1", port)
        self._request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self._sockets: dict[int, socket.socket] = {}
        self._poll = select.epoll()

    def connect(self, count: int) -> None:
        """Open connections, and return when each has the beginning of its stream."""
        for start in range(0, count, _CONNECTS_AT_ONCE):
            wanted = min(_CONNECTS_AT_ONCE, count - start)
            for _ in range(wanted):
                made = socket.create_connection(self._address)
                made.sendall(self._request)
                made.setblocking(False)
                self._sockets[made.fileno()] = made
                self._poll.register(made, select.EPOLLIN)
            while wanted:
                wanted -= sum(count for _, count in self._received(b"retry:"))

    def wait_for_match(self) -> list[float]:
        """Return when each client had a notification."""
        arrived = list[float]()
        while len(arrived) < len(self._sockets):
            for moment, count in self._received(b"event: match"):
                arrived += [moment] * count
        return arrived

    def _received(self, text: bytes) -> Iterator[tuple[float, int]]:
        """Wait for data, and yield when it was found, and on how many connections it has a text."""
        found = self._poll.poll(maxevents=_CONNECTS_AT_ONCE)
        moment = time.perf_counter()
        yield moment, sum(text in self._sockets[number].recv(65_536) for number, _ in found)

    def close(self) -> None:
        """Close all connections."""
        for each in self._sockets.values():
            each.close()
        self._poll.close()


def measure_streams(port: int, process: int, clients: int) -> StreamLoad:
    """Let clients wait for events, and then publish one document that matches."""
    from gtopss.http.server import allow_many_connections

    allow_many_connections()
    mine = _call(port, "POST", "/subscriptions", b"SELECT ?x { ?x <urn:broadcast> ?y }")
    waiting = _WaitingClients(port, mine["read_address"]["events"].partition(str(port))[2])
    before = resident_bytes(process)
    waiting.connect(clients)
    after = resident_bytes(process)
    document = b"<urn:a> <urn:broadcast> <urn:b> ."
    publishing = threading.Thread(target=_call, args=(port, "POST", "/publications", document, "application/n-triples"))
    cpu, own, began = cpu_seconds(process), time.process_time(), time.perf_counter()
    publishing.start()
    seconds = [each - began for each in waiting.wait_for_match()]
    service_cpu, generator_cpu = cpu_seconds(process) - cpu, time.process_time() - own
    publishing.join()
    waiting.close()
    return StreamLoad(
        clients,
        (after - before) / clients,
        percentile(seconds, 0.5),
        percentile(seconds, 0.99),
        max(seconds),
        service_cpu,
        generator_cpu,
    )


def measure_http(
    subscriptions: int, requests: int, connections: int, clients: int
) -> Iterator[PublishingLoad | StreamLoad]:
    """Run a service, and yield what publishing one by one and many at once takes, and then what waiting clients do."""
    with running_service(subscriptions) as (port, process):
        for documents in (1, DOCUMENTS_AT_ONCE):
            count = max(connections, requests // documents)
            yield measure_publishing(port, process, subscriptions, count, connections, documents)
        yield measure_streams(port, process, clients)


def http_lines(subscriptions: int, requests: int, clients: int) -> list[BrokerLine]:
    """Measure the service, and return the lines of the benchmark's table."""
    lines = list[BrokerLine]()
    for load in measure_http(subscriptions, requests, CONNECTIONS, clients):
        if isinstance(load, PublishingLoad):
            name = f"HTTP, {load.subscriptions:,} subscriptions, {counted(load.documents, 'document')} in a request"
            lines.append(_plain_line(f"{name}: acknowledged", "/s", load.documents_per_second))
            lines += (_plain_line(f"{name}, {part}", "ms", at * 1e3) for part, at in load.percentiles())
        else:
            name = f"HTTP, {load.clients:,} clients that wait for events"
            lines.append(_plain_line(f"{name}: memory for each", "KB", load.bytes_each / 1e3))
            met = load.p99 <= MAX_BROADCAST_P99_SECONDS
            target = f"{MAX_BROADCAST_P99_SECONDS * 1e3:g} ms"
            lines.append(BrokerLine(f"{name}: broadcast, p99", "ms", load.p99 * 1e3, None, None, target, met))
    return lines


def _plain_line(what: str, unit: str, ours: float) -> BrokerLine:
    return BrokerLine(what, unit, ours, None, None, "", None)


def resident_bytes(process: int) -> int:
    """Return the memory of a process that is in RAM."""
    text = Path(f"/proc/{process}/status").read_text()
    (line,) = [each for each in text.splitlines() if each.startswith("VmRSS:")]
    return int(line.split()[1]) * 1_024


def cpu_seconds(process: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Run all measurements, and print them as JSON."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--subscriptions", type=int, default=100_000)
    arguments.add_argument("--requests", type=int, default=3_000)
    arguments.add_argument(
        "--connections", type=int, default=CONNECTIONS, help="connections that publish at the same time"
    )
    arguments.add_argument("--clients", type=int, default=10_000)
    arguments.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.serve is not None:
        serve(given.serve, given.subscriptions)
        return
    for load in measure_http(given.subscriptions, given.requests, given.connections, given.clients):
        print(json.dumps(asdict(load)), flush=True)


if __name__ == "__main__":
    main()
