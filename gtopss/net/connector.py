"""Open connections to checked addresses only.

The connector looks the host name up once, checks every address in the answer, and connects to one of the checked
addresses. A DNS answer that changes after the check therefore has no effect. The connector reads nothing from the
environment; in particular it ignores proxy settings.
"""

from __future__ import annotations

import functools
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from ipaddress import IPv4Address, ip_address

from gtopss.net.addresses import Address, blocked_kind, unmap_ipv4
from gtopss.net.allow_rules import AllowRule, parse_allow_rules
from gtopss.net.errors import BlockedAddress, BlockedPort, ConnectionFailed, InvalidAllowRule
from gtopss.net.host_slots import HostSlots
from gtopss.net.limits import Deadline, FetchLimits
from gtopss.net.url import Url

Resolve = Callable[[str, int], Sequence[str]]
Dial = Callable[[Address, int, float], socket.socket]

MAX_ADDRESSES_TRIED = 8
"""Addresses of one host that are tried, one after the other; further ones are ignored."""
MAX_CONCURRENT_LOOKUPS = 64
"""DNS lookups that may run at once in this process; further ones wait until their deadline."""


def system_resolve(host: str, port: int) -> Sequence[str]:
    """Resolve a name with the operating system's resolver. The addresses keep its order of preference."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def system_dial(address: Address, port: int, timeout: float) -> socket.socket:
    """Open a TCP connection to an address. No name is looked up."""
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
    """Return the TLS context: it verifies certificates and host names and offers HTTP/1.1.

    Certificates are verified against the machine's store. The context is cached because loading the store is slow.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


_lookups = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)


@dataclass(frozen=True)
class Connector:
    """Decides which hosts may be reached, and opens connections to them. Thread-safe.

    `allow` lists exceptions to the address checks. An entry is a host ("feeds.intra", "localhost:8080"), which may
    resolve to any address except cloud metadata; or an address or network ("127.0.0.1:8080", "10.1.0.0/16"), which
    may be reached by any name that resolves to it. If `ports` is given, no other port is reached, except on allowed
    hosts.

    >>> connector = Connector(allow={"localhost:8080", "10.1.0.0/16"}, ports={80, 443})
    """

    allow: Iterable[str] = ()
    ports: Iterable[int] | None = None
    limits: FetchLimits = field(default_factory=FetchLimits)
    allow_downgrade: bool = False
    """Whether a redirect may lead from https to http."""
    resolve: Resolve = system_resolve
    dial: Dial = system_dial
    tls: ssl.SSLContext | None = None
    """None means `secure_context()`."""
    clock: Callable[[], float] = time.monotonic
    host_slots: HostSlots | None = None
    """Limits the requests at once on one host; None for no limit."""
    _allow_rules: tuple[AllowRule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.allow, str):
            raise InvalidAllowRule(self.allow, "give a set of entries")
        object.__setattr__(self, "allow", frozenset(self.allow))
        object.__setattr__(self, "ports", None if self.ports is None else frozenset(self.ports))
        object.__setattr__(self, "_allow_rules", parse_allow_rules(self.allow))

    def deadline(self, url: str) -> Deadline:
        """Start the deadline for a fetch of `url`."""
        return Deadline(self.limits.total_seconds, url=url, clock=self.clock)

    def host_slot(self, url: Url, deadline: Deadline) -> AbstractContextManager[None]:
        """Return the context in which one request to the URL's host runs. Entering it may raise HostBusy."""
        if self.host_slots is None:
            return nullcontext()
        return self.host_slots.slot(
            url.host, deadline.url, deadline.remaining(f"waiting for other requests to {url.host}")
        )

    def check(self, url: Url, deadline: Deadline) -> list[Address]:
        """Resolve the URL's host and check every address.

        Raise BlockedAddress if any of them may not be reached, even if others may.
        """
        if url.address is not None:
            found: list[Address] = [unmap_ipv4(url.address)]
        else:
            found = [_address(text, url, deadline) for text in self._lookup(url, deadline)]
        if not found:
            raise ConnectionFailed(deadline.url, f"{url.host} has no address")
        for address in found:
            if any(rule.covers(url, address) for rule in self._allow_rules):
                continue
            kind = blocked_kind(address)
            if kind is not None:
                raise BlockedAddress(deadline.url, url.host, str(address), kind)
            if self.ports is not None and url.port not in self.ports:
                raise BlockedPort(deadline.url, url.port)
        return found[:MAX_ADDRESSES_TRIED]

    def connect(self, url: Url, deadline: Deadline) -> socket.socket:
        """Connect to one of the checked addresses; with TLS for the URL's host name if the scheme is https."""
        addresses = self.check(url, deadline)
        failure: OSError | None = None
        for number, address in enumerate(addresses):
            left = deadline.remaining("connecting")
            # An address that does not answer must leave time for the addresses after it.
            timeout = min(left / (len(addresses) - number), self.limits.connect_seconds)
            try:
                connection = self.dial(address, url.port, timeout)
            except OSError as error:
                failure = error
                continue
            return self._wrap_tls(connection, url, deadline) if url.scheme == "https" else connection
        deadline.remaining("connecting")
        raise ConnectionFailed(deadline.url, f"{url.host} port {url.port} cannot be reached: {failure}") from failure

    def _wrap_tls(self, connection: socket.socket, url: Url, deadline: Deadline) -> socket.socket:
        context = self.tls or secure_context()
        try:
            connection.settimeout(deadline.remaining("the TLS handshake"))
            return context.wrap_socket(connection, server_hostname=url.host)
        except TimeoutError:
            connection.close()
            raise deadline.exceeded("the TLS handshake") from None
        except (OSError, ValueError) as error:
            connection.close()
            raise ConnectionFailed(deadline.url, f"the TLS handshake with {url.host} failed: {error}") from error
        except BaseException:
            connection.close()
            raise

    def _lookup(self, url: Url, deadline: Deadline) -> Sequence[str]:
        """Resolve the URL's host in a thread of its own, or raise DeadlineExceeded.

        A lookup cannot be interrupted, so at the deadline its thread is abandoned.
        """
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
        return unmap_ipv4(ip_address(text.partition("%")[0]))
    except ValueError:
        raise ConnectionFailed(deadline.url, f"{url.host} resolves to {text!r}, which is not an IP address") from None
