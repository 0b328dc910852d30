"""A connection to where a URL leads, or a refusal.

The name is looked up once, every answer is checked, and the connection goes to an address that was checked: an answer
that changes afterwards changes nothing. Nothing is read from the environment, proxies least of all.
"""

from __future__ import annotations

import contextlib
import functools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address

from gtopss.net.addresses import Address, Network, blocked_kind, is_metadata, network, plain
from gtopss.net.errors import (
    BlockedAddress,
    BlockedPort,
    ConnectionFailed,
    DeadlineExceeded,
    InvalidAllowance,
    InvalidURL,
)
from gtopss.net.url import Url, split_authority

Resolve = Callable[[str, int], Sequence[str]]
Dial = Callable[[Address, int, float], socket.socket]

MOST_ADDRESSES = 8  # of one host that are tried, one after the other
MOST_LOOKUPS = 64  # that may hang at once, in the whole process


@dataclass(frozen=True, slots=True)
class Limits:
    """What one fetch may cost, in bytes and seconds."""

    total_seconds: float = 30.0
    connect_seconds: float = 10.0
    wire_bytes: int = 10 * 1024 * 1024
    decoded_bytes: int = 10 * 1024 * 1024
    header_bytes: int = 32 * 1024
    header_count: int = 100
    redirects: int = 5


class Deadline:
    """The end of a whole fetch: lookups, connections, redirects, headers and body share it."""

    __slots__ = ("_clock", "_expires_at", "seconds", "url")

    def __init__(self, seconds: float, *, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self.url, self._clock = seconds, url, clock
        self._expires_at = clock() + seconds

    def remaining(self, stage: str) -> float:
        """Seconds left, more than none; DeadlineExceeded otherwise."""
        left = self._expires_at - self._clock()
        if left <= 0:
            raise self.exceeded(stage)
        return left

    def exceeded(self, stage: str) -> DeadlineExceeded:
        return DeadlineExceeded(self.url, self.seconds, stage)


@dataclass(frozen=True, slots=True)
class _Allowance:
    """One thing that the operator let through: a name or a network, and perhaps only one port of it."""

    name: str | None
    network: Network | None
    port: int | None

    def covers(self, url: Url, address: Address) -> bool:
        if self.port is not None and self.port != url.port:
            return False
        if self.network is not None:
            return address in self.network
        return self.name == url.host and not is_metadata(address)


def _allowance(entry: str) -> _Allowance:
    if not isinstance(entry, str):
        raise InvalidAllowance(entry, "an allowance is a str")
    with contextlib.suppress(ValueError):
        return _Allowance(None, network(entry), None)
    try:
        host, port, address = split_authority(entry, url=entry)
    except InvalidURL as error:
        raise InvalidAllowance(entry, error.reason) from None
    return _Allowance(host, None, port) if address is None else _Allowance(None, network(str(address)), port)


def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, by the machine's own resolver, in its order of preference."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def system_dial(address: Address, port: int, timeout: float) -> socket.socket:
    """A TCP connection to this address; nothing is looked up."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    connection = socket.socket(family, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect((str(address), port))
    except BaseException:
        connection.close()
        raise
    return connection


@functools.cache
def secure_context() -> ssl.SSLContext:
    """Certificates checked against the machine's store, host names too; HTTP/1.1 offered. Made once: it takes long."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


_lookups = threading.BoundedSemaphore(MOST_LOOKUPS)


@dataclass(frozen=True)
class Door:
    """Who may be reached, and at what cost. One door serves any number of threads.

    `allow` lets the operator name what is otherwise refused: a host ("feeds.intra", "localhost:8080": whatever it
    resolves to, except cloud metadata), an address or a network ("127.0.0.1:8080", "10.1.0.0/16": whoever resolves to
    it). `ports`, if given, are the only ports reached, allowed hosts apart.

    >>> door = Door(allow={"localhost:8080", "10.1.0.0/16"}, ports={80, 443})
    """

    allow: Iterable[str] = ()
    ports: Iterable[int] | None = None
    limits: Limits = field(default_factory=Limits)
    allow_downgrade: bool = False
    """Whether a redirect may lead from https to http."""
    resolve: Resolve = system_resolve
    dial: Dial = system_dial
    tls: ssl.SSLContext | None = None
    """None is `secure_context()`."""
    clock: Callable[[], float] = time.monotonic
    _allowances: tuple[_Allowance, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.allow, str):
            raise InvalidAllowance(self.allow, "give a set of entries")
        object.__setattr__(self, "allow", frozenset(self.allow))
        object.__setattr__(self, "ports", None if self.ports is None else frozenset(self.ports))
        object.__setattr__(self, "_allowances", tuple(_allowance(entry) for entry in sorted(self.allow)))

    def deadline(self, url: str) -> Deadline:
        return Deadline(self.limits.total_seconds, url=url, clock=self.clock)

    def check(self, url: Url, deadline: Deadline) -> list[Address]:
        """The addresses of the URL's host, each of which may be reached. One that may not refuses them all."""
        if url.address is not None:
            found: list[Address] = [plain(url.address)]
        else:
            found = [_address(text, url, deadline) for text in self._lookup(url, deadline)]
        if not found:
            raise ConnectionFailed(deadline.url, f"{url.host} has no address")
        for address in found:
            if any(allowance.covers(url, address) for allowance in self._allowances):
                continue
            kind = blocked_kind(address)
            if kind is not None:
                raise BlockedAddress(deadline.url, url.host, str(address), kind)
            if self.ports is not None and url.port not in self.ports:
                raise BlockedPort(deadline.url, url.port)
        return found[:MOST_ADDRESSES]

    def connect(self, url: Url, deadline: Deadline) -> socket.socket:
        """A connection to one of the checked addresses, with TLS for the URL's name if the scheme is https."""
        addresses = self.check(url, deadline)
        failure: OSError | None = None
        for place, address in enumerate(addresses):
            left = deadline.remaining("connecting")
            # A silent address must leave time for those after it.
            patience = min(left / (len(addresses) - place), self.limits.connect_seconds)
            try:
                connection = self.dial(address, url.port, patience)
            except OSError as error:
                failure = error
                continue
            return self._secured(connection, url, deadline) if url.scheme == "https" else connection
        deadline.remaining("connecting")
        raise ConnectionFailed(deadline.url, f"{url.host} port {url.port} cannot be reached: {failure}") from failure

    def _secured(self, connection: socket.socket, url: Url, deadline: Deadline) -> socket.socket:
        context = self.tls or secure_context()
        try:
            connection.settimeout(deadline.remaining("agreeing on TLS"))
            return context.wrap_socket(connection, server_hostname=url.host)
        except TimeoutError:
            connection.close()
            raise deadline.exceeded("agreeing on TLS") from None
        except (OSError, ValueError) as error:
            connection.close()
            raise ConnectionFailed(deadline.url, f"no TLS with {url.host}: {error}") from error
        except BaseException:
            connection.close()
            raise

    def _lookup(self, url: Url, deadline: Deadline) -> Sequence[str]:
        """The resolver's answer, or DeadlineExceeded: a lookup cannot be interrupted, so it is left behind."""
        stage = f"looking up {url.host}"
        if not _lookups.acquire(timeout=deadline.remaining(stage)):
            raise deadline.exceeded(stage)
        answers: list[Sequence[str]] = []
        failures: list[Exception] = []

        def run() -> None:
            try:
                answers.append(self.resolve(url.host, url.port))
            except Exception as error:
                failures.append(error)
            finally:
                _lookups.release()

        thread = threading.Thread(target=run, name="gtopss-lookup", daemon=True)
        try:
            thread.start()
        except BaseException:
            _lookups.release()
            raise
        thread.join(deadline.remaining(stage))
        if answers:
            return answers[0]
        if failures:
            raise ConnectionFailed(deadline.url, f"{url.host} cannot be looked up: {failures[0]}") from failures[0]
        raise deadline.exceeded(stage)


def _address(text: str, url: Url, deadline: Deadline) -> Address:
    try:
        return plain(ip_address(text.partition("%")[0]))
    except ValueError:
        raise ConnectionFailed(deadline.url, f"{url.host} resolves to {text!r}, which is no address") from None
