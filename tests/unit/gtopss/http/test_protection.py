"""Pages of other sites cannot use the service, and every response has its headers."""

from __future__ import annotations

import httpx
import pytest
from support.services import VACCINES, listening, served


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8080", ""])
def test_a_foreign_host_reaches_nothing(host: str) -> None:
    with served() as it:
        response = it.client.get("/publications", headers={"Host": host})
        assert (response.status_code, response.json()["type"]) == (421, "urn:gtopss:problem:unknown-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"])
def test_the_names_of_loopback_reach_the_service(host: str) -> None:
    with served() as it:
        assert it.client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1234"},
        {"Origin": "http://[broken"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_of_another_origin_changes_nothing(headers: dict[str, str]) -> None:
    with served() as it:
        form = {"Content-Type": "text/plain"}
        response = it.client.post("/subscriptions?form=short", content="wheat", headers=form | headers)
        assert (response.status_code, response.json()["type"]) == (403, "urn:gtopss:problem:foreign-origin")
        assert it.client.get("/subscriptions").json() == {"subscriptions": []}


@pytest.mark.parametrize("headers", [{"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}])
def test_the_services_own_page_may_change_something(headers: dict[str, str]) -> None:
    with served() as it:
        assert it.client.post("/subscriptions", json={"query": VACCINES}, headers=headers).status_code == 201


def test_cors_is_off_unless_an_origin_is_allowed() -> None:
    asks = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST"}
    with served() as it:
        assert it.client.options("/subscriptions", headers=asks).status_code == 405
        assert "access-control-allow-origin" not in it.client.get("/stats", headers=asks).headers
    with served(cors_origins=("https://app.example",)) as it:
        assert it.client.options("/subscriptions", headers=asks).status_code == 200
        response = it.client.post("/subscriptions", json={"query": VACCINES}, headers={"Origin": asks["Origin"]})
        assert response.status_code == 201
        assert response.headers["access-control-allow-origin"] == "https://app.example"


def test_the_public_address_is_an_origin_and_in_the_addresses() -> None:
    with served(public_url="https://broker.example", allowed_hosts=("broker.example",)) as it:
        headers = {"Host": "broker.example", "Origin": "https://broker.example"}
        made = it.client.post("/subscriptions", json={"query": VACCINES}, headers=headers).json()
        assert made["self_url"] == f"https://broker.example/subscriptions/{made['id']}"
        assert made["read_address"]["feed"].startswith("https://broker.example/read/")


def test_every_response_has_a_request_id_and_security_headers() -> None:
    with served() as it:
        for path in ("/healthz", "/nothing-here", "/", "/publications?limit=x"):
            response = it.client.get(path)
            assert len(response.headers["x-request-id"]) == 16
            policy = response.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["referrer-policy"] == "no-referrer"
        given = it.client.get("/healthz", headers={"X-Request-ID": "mine.1"})
        assert given.headers["x-request-id"] == "mine.1"
        forged = it.client.get("/healthz", headers={"X-Request-ID": "a b"})
        assert forged.headers["x-request-id"] != "a b"


def test_head_is_answered_as_get_without_a_body() -> None:
    with served() as it, listening(it.service) as (host, port):
        mine = it.subscribe()
        events = mine["read_address"]["events"].partition("/read/")[2]
        with httpx.Client(base_url=f"http://{host}:{port}") as client:
            for path in ("/", "/main.js", "/healthz", "/publications", "/openapi.json", f"/read/{events}", "/missing"):
                asked = client.head(path)
                assert asked.content == b""
                if "/events" in path:
                    assert (asked.status_code, asked.headers["content-type"]) == (
                        200,
                        "text/event-stream; charset=utf-8",
                    )
                    continue
                got = client.get(path)
                assert asked.status_code == got.status_code, path
                assert asked.headers["content-type"] == got.headers["content-type"]
                assert asked.headers.get("content-length") == got.headers.get("content-length")
            assert client.head("/subscriptions/check").status_code == client.get("/subscriptions/check").status_code
        assert it.service.live.clients == 0
