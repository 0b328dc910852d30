from __future__ import annotations

import shutil
import socket
import ssl
import subprocess

import pytest

from gtopss.net import (
    BlockedAddress,
    BlockedPort,
    ConnectionFailed,
    Connector,
    DeadlineExceeded,
    FetchLimits,
    InsecureRedirect,
    fetch,
)

FEED = "http://feeds.example/rss"


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


def test_a_lookup_that_changes_after_the_check_has_no_effect(internet, http) -> None:
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


def test_ports_can_be_limited(internet, http) -> None:
    internet.server.routes["/"] = http(b"ok")
    connector = internet.connector(ports={80, 443}, allow={"intra.example:6379"})
    internet.name("intra.example", ["10.0.0.1"])
    assert fetch("http://feeds.example/", connector=connector).body == b"ok"
    assert fetch("http://intra.example:6379/", connector=connector).body == b"ok"
    with pytest.raises(BlockedPort):
        fetch("http://feeds.example:6379/", connector=connector)


def test_proxies_of_the_environment_are_ignored(internet, http, trap, monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")
    internet.server.routes["/rss"] = http(b"ok")
    assert fetch(FEED, connector=internet.connector()).body == b"ok"


class TestDeadlines:
    def test_a_lookup_that_hangs_meets_the_deadline(self, internet) -> None:
        def resolve(host: str, port: int) -> list[str]:
            internet.server.stopping.wait(5)
            return []

        with pytest.raises(DeadlineExceeded, match="looking up"):
            fetch(FEED, connector=Connector(resolve=resolve, limits=FetchLimits(total_seconds=0.2)))

    def test_a_tls_handshake_that_hangs_meets_the_deadline(self, internet) -> None:
        # The server without TLS waits for the end of a request, which a handshake does not have.
        with pytest.raises(DeadlineExceeded, match="TLS"):
            fetch("https://feeds.example/", connector=internet.connector(limits=FetchLimits(total_seconds=0.3)))

    def test_a_silent_address_leaves_time_for_the_next_one(self, internet, http) -> None:
        timeouts = []

        def dial(address, port, timeout):
            timeouts.append(timeout)
            if len(timeouts) == 1:
                raise TimeoutError("timed out")
            return internet.dial(address, port, timeout)

        internet.name("two.example", ["2606:4700::1111", "93.184.216.34"])
        internet.server.routes["/"] = http(b"ok")
        connector = Connector(resolve=internet.resolve, dial=dial, limits=FetchLimits(total_seconds=4))
        assert fetch("http://two.example/", connector=connector).body == b"ok"
        assert timeouts[0] <= 2


class TestConnections:
    def test_an_unknown_host_is_named_in_the_error(self, internet) -> None:
        with pytest.raises(ConnectionFailed, match=r"nowhere\.example"):
            fetch("http://nowhere.example/", connector=internet.connector())

    @pytest.mark.parametrize("answer", [[], ["not an address"], [""]])
    def test_a_dns_answer_without_addresses_is_a_failure(self, internet, answer: list[str]) -> None:
        internet.name("odd.example", answer)
        with pytest.raises(ConnectionFailed):
            fetch("http://odd.example/", connector=internet.connector())

    def test_no_more_than_eight_addresses_are_tried(self, internet) -> None:
        tried = []

        def dial(address, port, timeout):
            tried.append(address)
            raise ConnectionRefusedError

        connector = Connector(resolve=lambda host, port: [f"8.8.8.{n}" for n in range(1, 30)], dial=dial)
        with pytest.raises(ConnectionFailed):
            fetch(FEED, connector=connector)
        assert len(tried) == 8

    def test_a_closed_port_is_a_failure(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        with pytest.raises(ConnectionFailed):
            fetch(f"http://127.0.0.1:{port}/", connector=Connector(allow={"127.0.0.1"}))

    def test_a_reset_is_a_failure(self, internet) -> None:
        def reset(connection: socket.socket) -> None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            connection.close()

        internet.server.routes["/rss"] = reset
        with pytest.raises(ConnectionFailed):
            fetch(FEED, connector=internet.connector())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=feeds.example", "-addext", "subjectAltName=DNS:feeds.example", "-days", "2"),
            *("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")),
        ],
        check=True,
        capture_output=True,
        timeout=20,
    )
    return folder


@pytest.mark.skipif(shutil.which("openssl") is None, reason="certificates are made by the openssl command")
class TestTls:
    @pytest.fixture
    def secure(self, internet, serve, certificate):
        """The internet behind TLS, a context that trusts it, and the names that clients asked for."""
        names: list[str | None] = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
        context.sni_callback = lambda connection, name, context: names.append(name)
        internet.server = serve(wrap=lambda connection: context.wrap_socket(connection, server_side=True))
        return internet, ssl.create_default_context(cafile=str(certificate / "cert.pem")), names

    def test_the_name_is_sent_and_its_certificate_checked(self, secure, http) -> None:
        internet, trusting, names = secure
        internet.server.routes["/"] = http(b"safe")
        assert fetch("https://FEEDS.example./", connector=internet.connector(tls=trusting)).body == b"safe"
        assert names == ["feeds.example"]
        assert internet.dialled == ["93.184.216.34"]

    def test_another_names_certificate_is_refused(self, secure) -> None:
        internet, trusting, _ = secure
        internet.name("other.example")
        with pytest.raises(ConnectionFailed, match="certificate"):
            fetch("https://other.example/", connector=internet.connector(tls=trusting))

    def test_an_unknown_certificate_is_refused(self, secure) -> None:
        internet, _, _ = secure
        with pytest.raises(ConnectionFailed, match="certificate"):
            fetch("https://feeds.example/", connector=internet.connector())

    def test_a_redirect_to_plain_http_is_refused_unless_allowed(self, secure, redirect) -> None:
        internet, trusting, _ = secure
        internet.server.routes["/"] = redirect("http://nowhere.example/")
        with pytest.raises(InsecureRedirect):
            fetch("https://feeds.example/", connector=internet.connector(tls=trusting))
        with pytest.raises(ConnectionFailed, match="nowhere"):
            fetch("https://feeds.example/", connector=internet.connector(tls=trusting, allow_downgrade=True))
