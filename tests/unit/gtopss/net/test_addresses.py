from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gtopss.net import BlockedAddress, fetch, parse_url
from gtopss.net.addresses import blocked_kind

INSIDE = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "100.64.0.1": "carrier-grade NAT",
    "100.100.100.200": "cloud metadata",
    "169.254.0.1": "link-local",
    "169.254.169.254": "cloud metadata",
    "168.63.129.16": "cloud metadata",
    "192.0.0.1": "reserved",
    "192.0.2.1": "documentation",
    "198.18.0.1": "benchmarking",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "broadcast",
    "::": "unspecified",
    "::1": "loopback",
    "fe80::1": "link-local",
    "fec0::1": "site-local",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "fd00:ec2::254": "cloud metadata",
    "ff02::1": "multicast",
    "2001:db8::1": "documentation",
    "2001::1": "reserved",
    "100::1": "reserved",
    "::7f00:1": "reserved",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:169.254.169.254": "cloud metadata",
    "::ffff:0:127.0.0.1": "reserved",
    "64:ff9b::127.0.0.1": "loopback (embedded)",
    "64:ff9b::169.254.169.254": "cloud metadata (embedded)",
    "64:ff9b:1::10.0.0.1": "reserved",
    "2002:7f00:1::": "loopback (embedded)",
    "2002:a00:1::1": "private (embedded)",
    "2002:c0a8:101::1": "private (embedded)",
    "2606:4700::5efe:10.0.0.1": "private (embedded)",
    "2606:4700::200:5efe:127.0.0.1": "loopback (embedded)",
}
OUTSIDE = [
    "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "223.255.255.255", "2606:4700::1111",
    "64:ff9b::8.8.8.8", "2002:808:808::1", "::ffff:8.8.8.8",
]  # fmt: skip  # fmt: skip


def url_of(address: str) -> str:
    return f"http://[{address}]/" if ":" in address else f"http://{address}/"


@pytest.mark.parametrize(("address", "kind"), INSIDE.items())
def test_an_inner_address_is_refused_as_url_as_answer_and_as_redirect(
    internet, redirect, address: str, kind: str
) -> None:
    connector = internet.connector()
    internet.name("inward.example", [address])
    internet.server.routes = {"/direct": redirect(url_of(address)), "/name": redirect("http://inward.example/")}
    for url in (url_of(address), "http://inward.example/"):
        with pytest.raises(BlockedAddress) as caught:
            fetch(url, connector=connector)
        assert (caught.value.url, caught.value.kind) == (url, kind)
    assert internet.dialled == []
    for path in ("direct", "name"):
        with pytest.raises(BlockedAddress) as caught:
            fetch(f"http://feeds.example/{path}", connector=connector)
        assert caught.value.kind == kind
    assert internet.dialled == ["93.184.216.34"] * 2


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_public_address_is_reached(internet, http, address: str) -> None:
    internet.server.routes["/"] = http(b"ok")
    assert fetch(url_of(address), connector=internet.connector()).body == b"ok"
    assert internet.dialled == [str(getattr(ip_address(address), "ipv4_mapped", None) or ip_address(address))]


@settings(max_examples=200)
@given(number=st.integers(0, 2**32 - 1))
def test_all_spellings_of_an_ipv4_address_get_the_same_verdict(number: int) -> None:
    a, b, c, d = number.to_bytes(4, "big")
    spellings = [f"{number}", f"{number:#x}", f"0{number:o}", f"{a}.{b}.{c}.{d}", f"{a:#x}.0{b:o}.{c << 8 | d}"]
    found = {parse_url(f"http://{host}/").address for host in spellings}
    assert len(found) == 1
    mapped = parse_url(f"http://[::ffff:{a}.{b}.{c}.{d}]/").address
    translated = parse_url(f"http://[64:ff9b::{a}.{b}.{c}.{d}]/").address
    verdicts = {blocked_kind(address) is None for address in (*found, mapped, translated) if address is not None}
    assert len(verdicts) == 1
