from __future__ import annotations

import socket

import pytest

from gtopss.net import BlockedAddress, Connector, InvalidAllowRule, fetch


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
def test_an_allow_rule_covers_nothing_else(internet, entry: str) -> None:
    internet.name("localhost", ["127.0.0.1"])
    with pytest.raises(BlockedAddress):
        fetch("http://localhost/", connector=internet.connector(allow={entry}))


def test_an_allowed_name_does_not_open_cloud_metadata(internet, http) -> None:
    internet.name("feeds.intra", ["169.254.169.254"])
    internet.server.routes["/"] = http(b"ok")
    with pytest.raises(BlockedAddress, match=r"--allow 169\.254\.169\.254$"):
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
def test_an_invalid_allow_rule_is_refused(entry: str) -> None:
    with pytest.raises(InvalidAllowRule):
        Connector(allow={entry})


def test_a_single_string_of_allow_rules_is_refused() -> None:
    with pytest.raises(InvalidAllowRule):
        Connector(allow="localhost")
