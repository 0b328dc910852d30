"""Exceptions to the address checks: hosts and networks that the operator allows although they are not public."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass

from gtopss.net.addresses import Address, Network, is_metadata, parse_network
from gtopss.net.errors import InvalidAllowRule, InvalidURL
from gtopss.net.url import Url, split_authority


@dataclass(frozen=True, slots=True)
class AllowRule:
    """One exception: a host name or a network, optionally restricted to one port."""

    name: str | None
    network: Network | None
    port: int | None

    def covers(self, url: Url, address: Address) -> bool:
        """Return whether a connection to `address` for `url` is allowed. A name never covers cloud metadata."""
        if self.port is not None and self.port != url.port:
            return False
        if self.network is not None:
            return address in self.network
        return self.name == url.host and not is_metadata(address)


def parse_allow_rules(entries: Iterable[str]) -> tuple[AllowRule, ...]:
    """Parse entries such as "localhost:8080" or "10.1.0.0/16". Raise InvalidAllowRule for any other text."""
    return tuple(parse_allow_rule(entry) for entry in sorted(entries))


def parse_allow_rule(entry: str) -> AllowRule:
    """Parse one host, host:port, address, address:port or network.

    >>> parse_allow_rule("localhost:8080")
    AllowRule(name='localhost', network=None, port=8080)
    """
    if not isinstance(entry, str):
        raise InvalidAllowRule(entry, "an allow rule is a str")
    with contextlib.suppress(ValueError):
        return AllowRule(None, parse_network(entry), None)
    try:
        host, port, address = split_authority(entry, url=entry)
    except InvalidURL as error:
        raise InvalidAllowRule(entry, error.reason) from None
    return AllowRule(host, None, port) if address is None else AllowRule(None, parse_network(str(address)), port)
