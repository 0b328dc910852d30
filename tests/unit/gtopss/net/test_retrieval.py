from __future__ import annotations

import pickle
import shutil
import socket
import ssl
import subprocess
import time

import pytest

import gtopss.net as fetching
from gtopss.errors import GtopssError
from gtopss.net import (
    BadResponse,
    ConnectionFailed,
    Connector,
    DeadlineExceeded,
    FetchLimits,
    InsecureRedirect,
    InvalidURL,
    ResponseTooLarge,
    TooManyRedirects,
    UnsuccessfulStatus,
    UnsupportedScheme,
    Validators,
    fetch,
)

FEED = "http://feeds.example/rss"


def test_a_document_comes_with_what_was_said_about_it(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"<rss/>", "Content-Type: text/xml", 'ETag: "1"', "Cache-Control: max-age=60")
    response = fetch(FEED, connector=internet.connector())
    assert (response.status, response.body, response.content_type) == (200, b"<rss/>", "text/xml")
    assert (response.url, response.final_url, response.permanent_url) == (FEED, FEED, None)
    assert response.validators == Validators(FEED, '"1"')
    assert response.fresh_for == 60


def test_the_request_is_honest_and_carries_nothing_else(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"", "Set-Cookie: a=b")
    connector = internet.connector()
    fetch(FEED, connector=connector)
    fetch(FEED, connector=connector)
    for request in internet.server.requests:
        line, *headers = request.strip().split("\r\n")
        assert line == "GET /rss HTTP/1.1"
        names = [header.partition(":")[0] for header in headers]
        assert names == ["Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"]
        assert "User-Agent: gtopss/0.1" in headers


def test_validators_cannot_smuggle_headers(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"")
    fetch(FEED, connector=internet.connector(), validators=Validators(FEED, '"1"\r\nX-Injected: 1', "ü"))
    assert "If-" not in internet.server.requests[0]
    assert "Injected" not in internet.server.requests[0]


def test_proxies_of_the_environment_are_ignored(internet, http, trap, monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{trap.port}")
    internet.server.routes["/rss"] = http(b"ok")
    assert fetch(FEED, connector=internet.connector()).body == b"ok"


class TestRedirects:
    @pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    def test_are_followed(self, internet, http, redirect, status: str) -> None:
        internet.server.routes |= {"/rss": redirect("/new", status), "/new": http(b"new")}
        response = fetch(FEED, connector=internet.connector())
        assert (response.body, response.final_url) == (b"new", "http://feeds.example/new")
        assert response.permanent_url == ("http://feeds.example/new" if status[:3] in ("301", "308") else None)

    def test_only_the_permanent_ones_at_the_beginning_count(self, internet, http, redirect) -> None:
        internet.server.routes |= {
            "/rss": redirect("/1", "301 Moved"),
            "/1": redirect("/2"),
            "/2": redirect("/3", "301 Moved"),
            "/3": http(b""),
        }
        assert fetch(FEED, connector=internet.connector()).permanent_url == "http://feeds.example/1"

    def test_five_are_followed_and_six_are_not(self, internet, http, redirect) -> None:
        for step in range(6):
            internet.server.routes[f"/{step}"] = redirect(f"/{step + 1}")
        internet.server.routes["/6"] = http(b"end")
        assert fetch("http://feeds.example/1", connector=internet.connector()).body == b"end"
        with pytest.raises(TooManyRedirects) as caught:
            fetch("http://feeds.example/0", connector=internet.connector())
        assert caught.value.url == "http://feeds.example/0"

    @pytest.mark.parametrize("back", ["/rss", "http://FEEDS.example:80/rss#x", "//feeds.example./rss"])
    def test_a_loop_is_seen_at_once(self, internet, redirect, back: str) -> None:
        internet.server.routes |= {"/rss": redirect("/a"), "/a": redirect(back)}
        with pytest.raises(TooManyRedirects, match="form a loop"):
            fetch(FEED, connector=internet.connector())
        assert len(internet.server.requests) == 2

    @pytest.mark.parametrize(
        "location",
        ["file:///etc/passwd", "ftp://feeds.example/", "gopher://127.0.0.1:25/_HELO", "data:text/xml,<rss/>", "jar:x"],
    )
    def test_to_another_scheme_are_refused(self, internet, redirect, location: str) -> None:
        internet.server.routes["/rss"] = redirect(location)
        with pytest.raises(UnsupportedScheme) as caught:
            fetch(FEED, connector=internet.connector())
        assert caught.value.url == FEED
        assert location in str(caught.value)

    @pytest.mark.parametrize("location", ["http://good@127.0.0.1/", "http://a..b/", "http://[::1/", "http://a\\b/"])
    def test_to_a_bad_url_are_refused(self, internet, redirect, location: str) -> None:
        internet.server.routes["/rss"] = redirect(location)
        with pytest.raises(InvalidURL):
            fetch(FEED, connector=internet.connector())

    def test_without_location_are_refused(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(b"", status="302 Found")
        with pytest.raises(BadResponse, match="Location"):
            fetch(FEED, connector=internet.connector())

    def test_share_one_deadline(self, internet, redirect) -> None:
        now = [0.0]

        def dial(*arguments):
            now[0] += 0.4
            return internet.dial(*arguments)

        for step in range(6):
            internet.server.routes[f"/{step}"] = redirect(f"/{step + 1}")
        connector = Connector(
            resolve=internet.resolve, dial=dial, clock=lambda: now[0], limits=FetchLimits(total_seconds=1)
        )
        with pytest.raises(DeadlineExceeded):
            fetch("http://feeds.example/0", connector=connector)
        assert len(internet.dialled) == 3


class TestHostileResponses:
    @pytest.mark.parametrize(
        "answer",
        [
            b"",
            b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
            b"\x00\xff\x16\x03\x01" * 50 + b"\r\n\r\n",
            b"<rss/>\n\n",
            b"HTTP/1.1 abc OK\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 5",
            b"HTTP/1.1 200 OK\r\nBad Header : x\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
            b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabcde\r\n0\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n" * 20 + b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 304 Not Modified\r\n\r\n",
        ],
    )
    def test_what_is_not_a_whole_http_response_is_refused(self, internet, answer: bytes) -> None:
        internet.server.routes["/rss"] = answer
        with pytest.raises(BadResponse) as caught:
            fetch(FEED, connector=internet.connector())
        assert (caught.value.url, bool(caught.value.reason)) == (FEED, True)

    def test_bytes_after_the_stated_length_are_ignored(self, internet) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nmore"
        assert fetch(FEED, connector=internet.connector()).body == b"ok"

    def test_chunks_and_bodies_to_the_end_are_read(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(
            b"2\r\nab\r\n1;x=y\r\nc\r\n0\r\nTrailer: 1\r\n\r\n", "Transfer-Encoding: chunked", length=False
        )
        assert fetch(FEED, connector=internet.connector()).body == b"abc"
        internet.server.routes["/rss"] = http(b"abc", length=False)
        assert fetch(FEED, connector=internet.connector()).body == b"abc"

    @pytest.mark.parametrize(
        "headers",
        [
            [f"X-{n}: 1" for n in range(200)],
            ["X: " + "a" * 40_000],
            [f"X-{n}: {'a' * 1000}" for n in range(60)],
        ],
    )
    def test_huge_headers_are_refused(self, internet, http, headers: list[str]) -> None:
        internet.server.routes["/rss"] = http(b"ok", *headers)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    def test_endless_headers_are_refused(self, internet) -> None:
        first, piece = b"HTTP/1.1 200 OK\r\n", b"X: " + b"a" * 1000 + b"\r\n"
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first, every=0)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    def test_a_stated_length_above_the_cap_is_refused_before_the_body(self, internet) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector())

    @pytest.mark.parametrize(
        ("header", "piece"),
        [
            (b"", b"a" * 65536),
            (b"Transfer-Encoding: chunked\r\n", b"10000\r\n" + b"a" * 65536 + b"\r\n"),
        ],
    )
    def test_an_endless_body_ends_at_the_cap(self, internet, header: bytes, piece: bytes) -> None:
        first = b"HTTP/1.1 200 OK\r\n" + header + b"\r\n"
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first, every=0)
        with pytest.raises(ResponseTooLarge):
            fetch(FEED, connector=internet.connector(limits=FetchLimits(wire_bytes=1_000_000, total_seconds=5)))

    def test_a_body_in_tiny_chunks_is_refused(self, internet) -> None:
        first = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        internet.server.routes["/rss"] = internet.server.drip(b"1\r\na\r\n" * 1000, first=first, every=0)
        with pytest.raises(BadResponse, match="chunks"):
            fetch(FEED, connector=internet.connector())

    @pytest.mark.parametrize("extra", [b"1;" + b"x" * 200_000, b"0\r\n" + b"X: y\r\n" * 50_000])
    def test_endless_chunk_extensions_and_trailers_are_refused(self, internet, extra: bytes) -> None:
        internet.server.routes["/rss"] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + extra
        with pytest.raises((ResponseTooLarge, BadResponse)):
            fetch(FEED, connector=internet.connector())

    @pytest.mark.parametrize("status", [204, 206, 400, 401, 403, 404, 407, 418, 429, 500, 503, 599])
    def test_a_status_without_document_is_an_error_with_its_number(self, internet, http, status: int) -> None:
        internet.server.routes["/rss"] = http(
            b"" if status == 204 else b"no", status=f"{status} X", length=status != 204
        )
        with pytest.raises(UnsuccessfulStatus) as caught:
            fetch(FEED, connector=internet.connector())
        assert caught.value.status == status


class TestDeadlines:
    @pytest.mark.parametrize(
        ("first", "piece"),
        [
            (b"", b""),
            (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
            (b"HTTP/1.1 200 OK\r\nX: ", b"a"),
            (b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"a"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
        ],
        ids=["silence", "headers", "one header", "body", "body with length", "chunks"],
    )
    def test_a_server_that_drips_meets_the_deadline(self, internet, first: bytes, piece: bytes) -> None:
        internet.server.routes["/rss"] = internet.server.drip(piece, first=first)
        started = time.monotonic()
        with pytest.raises(DeadlineExceeded) as caught:
            fetch(FEED, connector=internet.connector(limits=FetchLimits(total_seconds=0.3)))
        assert time.monotonic() - started < 1
        assert (caught.value.url, caught.value.seconds) == (FEED, 0.3)

    def test_a_lookup_that_hangs_meets_the_deadline(self, internet) -> None:
        def resolve(host: str, port: int) -> list[str]:
            internet.server.stopping.wait(5)
            return []

        with pytest.raises(DeadlineExceeded, match="looking up"):
            fetch(FEED, connector=Connector(resolve=resolve, limits=FetchLimits(total_seconds=0.2)))

    def test_a_tls_handshake_that_hangs_meets_the_deadline(self, internet) -> None:
        # The plain server waits for a request's end, which a handshake does not have.
        with pytest.raises(DeadlineExceeded, match="TLS"):
            fetch("https://feeds.example/", connector=internet.connector(limits=FetchLimits(total_seconds=0.3)))

    def test_a_silent_address_leaves_time_for_the_next_one(self, internet, http) -> None:
        patience = []

        def dial(address, port, timeout):
            patience.append(timeout)
            if len(patience) == 1:
                raise TimeoutError("timed out")
            return internet.dial(address, port, timeout)

        internet.name("two.example", ["2606:4700::1111", "93.184.216.34"])
        internet.server.routes["/"] = http(b"ok")
        connector = Connector(resolve=internet.resolve, dial=dial, limits=FetchLimits(total_seconds=4))
        assert fetch("http://two.example/", connector=connector).body == b"ok"
        assert patience[0] <= 2


class TestConnections:
    def test_an_unknown_name_is_named(self, internet) -> None:
        with pytest.raises(ConnectionFailed, match=r"nowhere\.example"):
            fetch("http://nowhere.example/", connector=internet.connector())

    @pytest.mark.parametrize("answer", [[], ["not an address"], [""]])
    def test_a_useless_answer_is_a_failure(self, internet, answer: list[str]) -> None:
        internet.name("odd.example", answer)
        with pytest.raises(ConnectionFailed):
            fetch("http://odd.example/", connector=internet.connector())

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


def test_errors_travel_between_processes() -> None:
    errors = [
        fetching.InvalidURL("u", "r"),
        fetching.UnsupportedScheme("u", "file"),
        fetching.BlockedAddress("u", "h", "10.0.0.1", "private"),
        fetching.BlockedPort("u", 25),
        fetching.ConnectionFailed("u", "r"),
        fetching.TooManyRedirects("u", "r"),
        fetching.InsecureRedirect("u", "r"),
        fetching.DeadlineExceeded("u", 0.5, "connecting"),
        fetching.ResponseTooLarge("u", "body", 10),
        fetching.BadResponse("u", "r"),
        fetching.UnsupportedEncoding("u", "r"),
        fetching.UnsuccessfulStatus("u", 503, retry_after=3.0),
        fetching.Gone("u", 410),
        fetching.NotDue("u", 10.0, 5.0),
    ]
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)
        assert isinstance(again, GtopssError)
        assert again.url == "u"
        assert again.reason
    assert isinstance(errors[0], ValueError)
