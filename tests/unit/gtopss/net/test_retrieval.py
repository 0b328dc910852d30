from __future__ import annotations

import h11
import pytest

from gtopss.net import (
    BadResponse,
    BlockedAddress,
    Connector,
    DeadlineExceeded,
    FetchLimits,
    Gone,
    InvalidURL,
    ResponseTooLarge,
    TooManyRedirects,
    UnsuccessfulStatus,
    UnsupportedScheme,
    Validators,
    fetch,
    post,
)

FEED = "http://feeds.example/rss"
MODIFIED = "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"
SERVICE = "http://service.example/ask"


def test_a_response_has_the_document_and_its_headers(internet, http) -> None:
    internet.server.routes["/rss"] = http(b"<rss/>", "Content-Type: text/xml", 'ETag: "1"', "Cache-Control: max-age=60")
    response = fetch(FEED, connector=internet.connector())
    assert (response.status, response.body, response.content_type) == (200, b"<rss/>", "text/xml")
    assert (response.url, response.final_url, response.permanent_url) == (FEED, FEED, None)
    assert response.validators == Validators(FEED, '"1"')
    assert response.fresh_for == 60


def test_a_request_names_the_client_and_has_no_other_headers(internet, http) -> None:
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


class TestRedirects:
    @pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    def test_redirects_are_followed(self, internet, http, redirect, status: str) -> None:
        internet.server.routes |= {"/rss": redirect("/new", status), "/new": http(b"new")}
        response = fetch(FEED, connector=internet.connector())
        assert (response.body, response.final_url) == (b"new", "http://feeds.example/new")
        assert response.permanent_url == ("http://feeds.example/new" if status[:3] in ("301", "308") else None)

    def test_permanent_url_is_the_last_of_the_leading_permanent_redirects(self, internet, http, redirect) -> None:
        internet.server.routes |= {
            "/rss": redirect("/1", "301 Moved"),
            "/1": redirect("/2"),
            "/2": redirect("/3", "301 Moved"),
            "/3": http(b""),
        }
        assert fetch(FEED, connector=internet.connector()).permanent_url == "http://feeds.example/1"

    def test_five_redirects_are_followed_and_six_are_refused(self, internet, http, redirect) -> None:
        for step in range(6):
            internet.server.routes[f"/{step}"] = redirect(f"/{step + 1}")
        internet.server.routes["/6"] = http(b"end")
        assert fetch("http://feeds.example/1", connector=internet.connector()).body == b"end"
        with pytest.raises(TooManyRedirects) as caught:
            fetch("http://feeds.example/0", connector=internet.connector())
        assert caught.value.url == "http://feeds.example/0"

    @pytest.mark.parametrize("back", ["/rss", "http://FEEDS.example:80/rss#x", "//feeds.example./rss"])
    def test_a_redirect_loop_is_refused_at_once(self, internet, redirect, back: str) -> None:
        internet.server.routes |= {"/rss": redirect("/a"), "/a": redirect(back)}
        with pytest.raises(TooManyRedirects, match="form a loop"):
            fetch(FEED, connector=internet.connector())
        assert len(internet.server.requests) == 2

    @pytest.mark.parametrize(
        "location",
        ["file:///etc/passwd", "ftp://feeds.example/", "gopher://127.0.0.1:25/_HELO", "data:text/xml,<rss/>", "jar:x"],
    )
    def test_redirects_to_another_scheme_are_refused(self, internet, redirect, location: str) -> None:
        internet.server.routes["/rss"] = redirect(location)
        with pytest.raises(UnsupportedScheme) as caught:
            fetch(FEED, connector=internet.connector())
        assert caught.value.url == FEED
        assert location in str(caught.value)

    @pytest.mark.parametrize("location", ["http://good@127.0.0.1/", "http://a..b/", "http://[::1/", "http://a\\b/"])
    def test_redirects_to_an_invalid_url_are_refused(self, internet, redirect, location: str) -> None:
        internet.server.routes["/rss"] = redirect(location)
        with pytest.raises(InvalidURL):
            fetch(FEED, connector=internet.connector())

    def test_redirects_without_location_are_refused(self, internet, http) -> None:
        internet.server.routes["/rss"] = http(b"", status="302 Found")
        with pytest.raises(BadResponse, match="Location"):
            fetch(FEED, connector=internet.connector())

    def test_redirects_share_one_deadline(self, internet, redirect) -> None:
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


class TestFailures:
    @pytest.mark.parametrize(
        "headers",
        [
            ["Last-Modified: yesterday"],
            [MODIFIED, "Date: Mon, 01 Jan 2024 00:00:00 GMT"],
            ["ETag: " + "a" * 2000],
            ["ETag: \xe9"],
            ["ETag: "],
        ],
        ids=["no date", "same second", "long", "not ASCII", "empty"],
    )
    def test_validators_that_cannot_be_trusted_are_not_kept(self, internet, http, headers: list[str]) -> None:
        internet.server.routes["/rss"] = http(b"items", *headers)
        assert fetch(FEED, connector=internet.connector()).validators is None

    @pytest.mark.parametrize("status", [204, 206, 400, 401, 403, 404, 407, 418, 429, 500, 503, 599])
    def test_a_status_without_document_is_an_error_with_its_number(self, internet, http, status: int) -> None:
        internet.server.routes["/rss"] = http(
            b"" if status == 204 else b"no", status=f"{status} X", length=status != 204
        )
        with pytest.raises(UnsuccessfulStatus) as caught:
            fetch(FEED, connector=internet.connector())
        assert caught.value.status == status


class TestPost:
    @pytest.fixture(autouse=True)
    def service(self, internet) -> None:
        internet.name("service.example")

    def test_post_sends_the_body_and_returns_the_response(self, internet, http) -> None:
        internet.server.routes["/ask"] = http(b'{"answer": true}', "Content-Type: application/json")
        response = post(SERVICE, b"{}", "application/json", connector=internet.connector())
        assert (response.status, response.body, response.content_type) == (200, b'{"answer": true}', "application/json")
        line, *headers = internet.server.requests[0].partition("\r\n\r\n")[0].split("\r\n")
        assert line == "POST /ask HTTP/1.1"
        assert "Content-Length: 2" in headers
        assert "Content-Type: application/json" in headers

    def test_post_sends_an_empty_body(self, internet, http) -> None:
        internet.server.routes["/ask"] = http(b"")
        post(SERVICE, b"", "text/plain", connector=internet.connector())
        assert "Content-Length: 0" in internet.server.requests[0]

    @pytest.mark.parametrize("status", ["200 OK", "201 Created", "202 Accepted", "204 No Content", "299 Whatever"])
    def test_every_2xx_is_a_success(self, internet, http, status: str) -> None:
        internet.server.routes["/ask"] = http(b"", status=status, length=not status.startswith("204"))
        response = post(SERVICE, b"{}", "application/json", connector=internet.connector())
        assert response.status == int(status[:3])

    def test_extra_headers_are_sent(self, internet, http) -> None:
        internet.server.routes["/ask"] = http(b"")
        headers = [("webhook-id", "msg_1"), ("webhook-signature", "v1,abc= v1,def=")]
        post(SERVICE, b"{}", "application/json", connector=internet.connector(), headers=headers)
        sent = internet.server.requests[0].partition("\r\n\r\n")[0].split("\r\n")
        assert {"webhook-id: msg_1", "webhook-signature: v1,abc= v1,def="} <= set(sent)

    @pytest.mark.parametrize("value", ["a\r\nX-Injected: 1", "a\nb", "ü", "a\0b"])
    def test_an_extra_header_cannot_smuggle_others(self, internet, http, value: str) -> None:
        internet.server.routes["/ask"] = http(b"")
        with pytest.raises((h11.LocalProtocolError, UnicodeEncodeError)):
            post(SERVICE, b"", "text/plain", connector=internet.connector(), headers=[("webhook-id", value)])
        assert not internet.server.requests

    def test_410_and_retry_after_are_reported(self, internet, http, clock) -> None:
        internet.server.routes["/ask"] = http(b"", status="410 Gone")
        with pytest.raises(Gone):
            post(SERVICE, b"{}", "application/json", connector=internet.connector())
        internet.server.routes["/ask"] = http(b"", "Retry-After: 120", status="429 Slow Down")
        with pytest.raises(UnsuccessfulStatus) as caught:
            post(SERVICE, b"{}", "application/json", connector=internet.connector(), now=clock)
        assert (caught.value.status, caught.value.retry_after) == (429, 120.0)

    def test_an_endless_body_of_a_success_is_not_read_if_nobody_needs_it(self, internet, http) -> None:
        endless = b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"
        internet.server.routes["/ask"] = internet.server.drip(b"x" * 1000, first=endless)
        response = post(SERVICE, b"{}", "text/plain", connector=internet.connector(), read_body=False)
        assert (response.status, response.body) == (200, b"")

    @pytest.mark.parametrize("status", [b"301 Moved", b"307 Elsewhere", b"404 Not Found", b"500 Broken"])
    def test_post_refuses_every_status_but_2xx_and_follows_no_redirect(self, internet, status: bytes) -> None:
        internet.server.routes["/ask"] = (
            b"HTTP/1.1 " + status + b"\r\nLocation: http://service.example/other\r\nContent-Length: 0\r\n\r\n"
        )
        with pytest.raises(UnsuccessfulStatus) as caught:
            post(SERVICE, b"{}", "application/json", connector=internet.connector())
        assert caught.value.status == int(status.split()[0])
        assert len(internet.server.requests) == 1

    def test_post_obeys_address_checks_and_limits(self, internet, http, trap) -> None:
        with pytest.raises(BlockedAddress):
            post(f"http://127.0.0.1:{trap.port}/", b"secret", "text/plain", connector=Connector())
        assert not trap.touched
        with pytest.raises(InvalidURL):
            post("file:///etc/passwd", b"", "text/plain", connector=Connector())
        internet.server.routes["/ask"] = http(b"x" * 5000)
        with pytest.raises(ResponseTooLarge):
            post(
                SERVICE,
                b"{}",
                "text/plain",
                connector=internet.connector(limits=FetchLimits(total_seconds=5, wire_bytes=1000)),
            )
        internet.server.routes["/ask"] = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"
        with pytest.raises(BadResponse):
            post(SERVICE, b"{}", "text/plain", connector=internet.connector())

    def test_a_content_type_cannot_smuggle_headers(self, internet, http) -> None:
        internet.server.routes["/ask"] = http(b"")
        with pytest.raises(h11.LocalProtocolError):
            post(SERVICE, b"", "text/plain\r\nX-Injected: 1", connector=internet.connector())
        assert not internet.server.requests


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (["Date: Mon, 01 Jan 2024 00:00:00 GMT", "Expires: Mon, 01 Jan 2024 00:10:00 GMT"], 600),
        (["Expires: Tue, 14 Nov 2023 22:14:20 GMT"], 60),  # without a date, from the clock
        (["Expires: Tue, 14 Nov 2023 22:14:20 GMT", "Cache-Control: max-age=5"], 5),
        (["Expires: Tue, 14 Nov 2023 22:14:20 GMT", "Cache-Control: no-cache"], 0),
        (["Expires: 0"], 0),
    ],
)
def test_expires_counts_where_cache_control_has_no_max_age(internet, http, clock, headers, seconds: float) -> None:
    internet.server.routes["/rss"] = http(b"<rss/>", *headers)
    assert fetch(FEED, connector=internet.connector(), now=clock).fresh_for == seconds


def test_a_validator_that_is_too_long_is_not_kept(internet, http) -> None:
    for length, kept in ((1_024, True), (1_025, False)):
        internet.server.routes["/rss"] = http(b"<rss/>", "ETag: " + "a" * length)
        assert (fetch(FEED, connector=internet.connector()).validators is not None) is kept
