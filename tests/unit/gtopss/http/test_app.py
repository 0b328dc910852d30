"""The service as a whole: subscribe, publish, read, renew and expire over HTTP."""

from __future__ import annotations

import json
import re

from support.services import VACCINES, served, ticket_of


def test_a_subscription_receives_what_is_published() -> None:
    with served() as it:
        mine = it.subscribe(validity="2h")
        assert re.fullmatch("gt_.{43}", mine["ticket"])
        it.publish()
        found = it.client.get(f"/subscriptions/{mine['id']}/matches", headers=ticket_of(mine)).json()
        assert [each["item"]["title"] for each in found["notifications"]] == ["A vaccine is tested"]
        assert found["notifications"][0]["bindings"][0]["title"]["value"] == "A vaccine is tested"
        assert found["next_after"] == 1
        feed = it.client.get(mine["read_address"]["feed"])
        assert feed.headers["content-type"] == "application/atom+xml"
        assert "A vaccine is tested" in feed.text
        renewed = it.client.post(f"/subscriptions/{mine['id']}/renew", headers=ticket_of(mine))
        assert renewed.json()["expires_at"] == mine["expires_at"]
        it.clock.advance(2 * 3_600)
        assert it.client.get(f"/subscriptions/{mine['id']}", headers=ticket_of(mine)).status_code == 404


def test_every_route_of_the_schema_answers_without_a_server_error() -> None:
    with served() as it:
        schema = it.client.get("/openapi.json").json()
        assert schema["openapi"].startswith("3.1")
        for path, methods in schema["paths"].items():
            for method in methods:
                if path.endswith("/events"):
                    continue
                url = re.sub(r"{(\w+)(:path)?}", "1", path)
                response = it.client.request(method, url, json={"query": VACCINES})
                assert response.status_code < 500 or path == "/readyz", (method, path, response.text)


def test_a_query_error_has_line_and_column() -> None:
    with served() as it:
        response = it.client.post(
            "/subscriptions",
            content="SELECT ?x {\n ?x rss:title }",
            headers={"Content-Type": "application/sparql-query"},
        )
        assert response.status_code == 422
        assert response.headers["content-type"] == "application/problem+json"
        problem = json.loads(response.content)
        assert (problem["type"], problem["line"]) == ("urn:gtopss:problem:invalid-query", 2)
        assert problem["column"] > 1
        assert problem["request_id"] == response.headers["x-request-id"]
