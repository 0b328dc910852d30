"""Classify IP addresses: which ones must not be reached unless the operator allows them.

The tables are those of the IANA special-purpose registries (RFC 6890 and its updates). They are written out here
because the answers of `ipaddress.is_global` differ between the Python versions that we support. For IPv6 the table
lists what is allowed (global unicast) with exceptions; for IPv4 it lists what is blocked.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Metadata services hand out facts about the machine, including credentials. Azure's address is in public space.
METADATA_ADDRESSES: dict[Address, str] = {
    IPv4Address("169.254.169.254"): "cloud metadata",
    IPv4Address("169.254.170.2"): "cloud metadata",
    IPv4Address("100.100.100.200"): "cloud metadata",
    IPv4Address("192.0.0.192"): "cloud metadata",
    IPv4Address("168.63.129.16"): "cloud metadata",
    IPv6Address("fd00:ec2::254"): "cloud metadata",
    IPv6Address("fd00:ec2::23"): "cloud metadata",
    IPv6Address("fd20:ce::254"): "cloud metadata",
}

_BLOCKED_V4 = tuple(
    (IPv4Network(network), kind)
    for network, kind in (
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    )
)

_BLOCKED_V6 = tuple(
    (IPv6Network(network), kind)
    for network, kind in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
        ("2001::/23", "reserved"),  # Teredo, ORCHID, benchmarking
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
    )
)

_GLOBAL_V6 = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ISATAP = (0x00005EFE, 0x02005EFE)  # the upper half of the interface identifier


def unmap_ipv4(address: Address) -> Address:
    """Return the IPv4 address behind an IPv4-mapped IPv6 address; return any other address unchanged.

    >>> unmap_ipv4(IPv6Address("::ffff:127.0.0.1"))
    IPv4Address('127.0.0.1')
    """
    if isinstance(address, IPv6Address) and address in _MAPPED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def _embedded(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address to which a translator or tunnel (NAT64, 6to4, ISATAP) would send the packets."""
    number = int(address)
    if address in _NAT64:
        return IPv4Address(number & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def blocked_kind(address: Address) -> str | None:
    """Return the reason why `address` is blocked, or None for an ordinary public address.

    >>> blocked_kind(IPv4Address("10.1.2.3")), blocked_kind(IPv4Address("8.8.8.8"))
    ('private', None)
    >>> blocked_kind(IPv6Address("64:ff9b::7f00:1"))
    'loopback (embedded)'
    """
    address = unmap_ipv4(address)
    if address in METADATA_ADDRESSES:
        return METADATA_ADDRESSES[address]
    if isinstance(address, IPv4Address):
        return next((kind for network, kind in _BLOCKED_V4 if address in network), None)
    embedded = _embedded(address)
    if embedded is not None and (kind := blocked_kind(embedded)) is not None:
        return f"{kind} (embedded)"
    for network, kind in _BLOCKED_V6:
        if address in network:
            return kind
    return None if address in _GLOBAL_V6 or address in _NAT64 else "reserved"


def is_metadata(address: Address) -> bool:
    """Return whether `address` is, or is translated to, a cloud metadata service. Allowed names do not cover these."""
    address = unmap_ipv4(address)
    embedded = _embedded(address) if isinstance(address, IPv6Address) else None
    return address in METADATA_ADDRESSES or embedded in METADATA_ADDRESSES


def parse_network(text: str) -> Network:
    """Parse a CIDR network, or a single address as a network of one. Raise ValueError for any other text."""
    return ip_network(text, strict=False)
