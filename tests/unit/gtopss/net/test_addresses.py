from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from gtopss.net import BlockedAddress, BlockedPort, Connector, InvalidAllowRule, fetch

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
]  # fmt: skip


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


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "127.0.0.1.", "[::ffff:127.0.0.1]", "１２７.1"],
)
def test_spellings_of_loopback_do_not_reach_a_listening_socket(trap, host: str) -> None:
    with pytest.raises(BlockedAddress):
        fetch(f"http://{host}:{trap.port}/", connector=Connector())
    assert not trap.touched


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost."])
def test_the_systems_resolver_is_checked_too(trap, host: str) -> None:
    with pytest.raises(BlockedAddress) as caught:
        fetch(f"http://{host}:{trap.port}/", connector=Connector())
    assert caught.value.host == "localhost"


def test_a_redirect_inward_does_not_reach_a_listening_socket(serve, trap, redirect) -> None:
    server = serve()
    server.routes["/"] = redirect(f"http://127.0.0.1:{trap.port}/latest/meta-data/")
    with pytest.raises(BlockedAddress):
        fetch(f"http://127.0.0.1:{server.port}/", connector=Connector(allow={f"127.0.0.1:{server.port}"}))


def test_an_answer_that_changes_after_the_check_changes_nothing(internet, http) -> None:
    internet.name("rebinding.example", ["93.184.216.34"], ["127.0.0.1"])
    internet.server.routes["/"] = http(b"ok")
    assert fetch("http://rebinding.example/", connector=internet.connector()).body == b"ok"
    assert internet.lookups == ["rebinding.example"]
    assert internet.dialled == ["93.184.216.34"]
    with pytest.raises(BlockedAddress):
        fetch("http://rebinding.example/", connector=internet.connector())


def test_an_answer_that_changes_between_redirects_is_checked_again(internet, redirect) -> None:
    internet.name("rebinding.example", ["93.184.216.34"], ["10.0.0.1"])
    internet.server.routes["/"] = redirect("/again")
    with pytest.raises(BlockedAddress):
        fetch("http://rebinding.example/", connector=internet.connector())
    assert internet.dialled == ["93.184.216.34"]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_inner_address_among_several_refuses_them_all(internet, place: int) -> None:
    answers = ["93.184.216.34", "2606:4700::1111"]
    answers.insert(place, "192.168.0.1")
    internet.name("mixed.example", answers)
    with pytest.raises(BlockedAddress):
        fetch("http://mixed.example/", connector=internet.connector())
    assert internet.dialled == []


def test_an_answer_with_a_zone_is_link_local(internet) -> None:
    internet.name("zone.example", ["fe80::1%eth0"])
    with pytest.raises(BlockedAddress):
        fetch("http://zone.example/", connector=internet.connector())


@pytest.mark.parametrize(
    "entry", ["localhost", "LocalHost.", "localhost:80", "127.0.0.1", "127.0.0.0/8", "127.0.0.1:80", "127.1"]
)
def test_the_operator_may_allow_an_inner_host(internet, http, entry: str) -> None:
    internet.name("localhost", ["127.0.0.1"])
    internet.server.routes["/"] = http(b"ok")
    assert fetch("http://localhost/", connector=internet.connector(allow={entry})).body == b"ok"


@pytest.mark.parametrize(
    "entry", ["localhost:8080", "other", "10.0.0.0/8", "127.0.0.1:8080", "[::1]:80", "::1", "evil-localhost"]
)
def test_an_allowance_covers_nothing_else(internet, entry: str) -> None:
    internet.name("localhost", ["127.0.0.1"])
    with pytest.raises(BlockedAddress):
        fetch("http://localhost/", connector=internet.connector(allow={entry}))


def test_an_allowed_name_does_not_open_cloud_metadata(internet, http) -> None:
    internet.name("feeds.intra", ["169.254.169.254"])
    internet.server.routes["/"] = http(b"ok")
    with pytest.raises(BlockedAddress, match=r"allow '169\.254\.169\.254'"):
        fetch("http://feeds.intra/", connector=internet.connector(allow={"feeds.intra"}))
    assert fetch("http://feeds.intra/", connector=internet.connector(allow={"169.254.169.254"})).body == b"ok"


def test_ipv6_loopback_can_be_allowed(serve, http) -> None:
    try:
        server = serve(family=socket.AF_INET6)
    except OSError:
        pytest.skip("this machine has no IPv6")
    server.routes["/"] = http(b"six")
    url = f"http://[::1]:{server.port}/"
    assert fetch(url, connector=Connector(allow={f"[::1]:{server.port}"})).body == b"six"
    assert f"Host: [::1]:{server.port}" in server.requests[0]
    with pytest.raises(BlockedAddress):
        fetch(url, connector=Connector())


@pytest.mark.parametrize("entry", ["", "http://localhost/", "a b", "localhost:x", "10.0.0.0/99", "user@host"])
def test_an_allowance_that_means_nothing_is_refused(entry: str) -> None:
    with pytest.raises(InvalidAllowRule):
        Connector(allow={entry})


def test_an_allowance_is_not_a_string_of_letters() -> None:
    with pytest.raises(InvalidAllowRule):
        Connector(allow="localhost")


def test_ports_can_be_limited(internet, http) -> None:
    internet.server.routes["/"] = http(b"ok")
    connector = internet.connector(ports={80, 443}, allow={"intra.example:6379"})
    internet.name("intra.example", ["10.0.0.1"])
    assert fetch("http://feeds.example/", connector=connector).body == b"ok"
    assert fetch("http://intra.example:6379/", connector=connector).body == b"ok"
    with pytest.raises(BlockedPort):
        fetch("http://feeds.example:6379/", connector=connector)
