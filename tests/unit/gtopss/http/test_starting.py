"""What a service answers while it starts."""

from __future__ import annotations

from fastapi.testclient import TestClient
from support.services import FEED, served

from gtopss.http.app import create_app
from gtopss.http.settings import ServiceSettings
from gtopss.http.starting import StartingApp


def client_of(app: StartingApp) -> TestClient:
    return TestClient(app, base_url="http://localhost")


def test_before_the_application_is_there_the_page_is_served_and_the_rest_says_why_not() -> None:
    client = client_of(StartingApp(ServiceSettings(), "it opens the store"))
    assert client.get("/healthz").json()["status"] == "ok"
    page = client.get("/")
    assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (200, "text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert client.get("/main.js").status_code == 200
    for method, path in (("GET", "/readyz"), ("GET", "/feeds"), ("POST", "/subscriptions"), ("GET", "/../settings.py")):
        response = client.request(method, path)
        assert response.status_code == 503, path
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["retry-after"]
        assert response.json()["type"] == "urn:gtopss:problem:not-ready"
        assert "it opens the store" in response.json()["detail"]
        assert response.headers["x-request-id"] == response.json()["request_id"]


def test_the_host_is_checked_while_it_starts() -> None:
    client = client_of(StartingApp(ServiceSettings(), "it opens the store"))
    assert client.get("/healthz", headers={"Host": "evil.example"}).status_code == 421


def test_what_needs_no_matching_is_answered_before_the_service_is_ready() -> None:
    with served() as it:
        it.publish(FEED)
        app = StartingApp(ServiceSettings(), "it opens the store")
        ended: list[bool] = []
        app.pass_on(create_app(it.service), lambda: ended.append(True))
        app.waiting_for = "it compiles the matching loops"
        client = client_of(app)
        assert len(client.get("/publications").json()["publications"]) == 2
        assert client.get("/feeds").status_code == 200
        for method, path in (
            ("GET", "/readyz"),
            ("POST", "/subscriptions/check"),
            ("POST", "/publications"),
            ("GET", "/publications/1/explain/2"),
        ):
            response = client.request(method, path)
            assert response.status_code == 503
            assert "it compiles the matching loops" in response.json()["detail"]
        app.waiting_for = None
        assert client.post("/subscriptions/check", json={"query": "vaccine", "form": "short"}).status_code == 200
        app.end_streams()
        assert ended == [True]
