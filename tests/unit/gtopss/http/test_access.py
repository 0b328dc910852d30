"""API keys and tickets: who may do what."""

from __future__ import annotations

import pytest
from support.services import FEED, VACCINES, Served, served, ticket_of

from gtopss.broker.owners import Role

ADMINISTRATOR = {"X-API-Key": "gk_chosen-by-the-operator"}
OPERATIONS = [
    ("GET", "/costs"),
    ("GET", "/metrics"),
    ("GET", "/dead-letters"),
    ("GET", "/keys"),
    ("POST", "/keys"),
    ("POST", "/feeds"),
    ("DELETE", "/feeds?url=http://a.example/"),
    ("POST", "/feeds.opml"),
]
READING = ["/publications", "/feeds", "/feeds.opml", "/stats", "/terms?q=x", "/templates"]


def with_keys() -> dict[str, object]:
    return {"keys_required": True, "administrator_key": ADMINISTRATOR["X-API-Key"]}


def key_of(it: Served, *roles: Role) -> dict[str, str]:
    body = {"name": "somebody", "roles": [str(each) for each in roles]}
    response = it.client.post("/keys", json=body, headers=ADMINISTRATOR)
    assert response.status_code == 201, response.text
    return {"X-API-Key": response.json()["key"]}


def test_without_keys_everything_is_open() -> None:
    with served() as it:
        assert it.client.get("/costs").status_code == 200
        assert it.client.get("/keys").json() == {"keys": []}
        assert it.client.get("/stats").json()["keys_required"] is False


def test_with_keys_nothing_but_the_health_is_open() -> None:
    with served(**with_keys()) as it:
        it.service.create_administrator()
        schema = it.client.get("/openapi.json").json()
        for path, methods in schema["paths"].items():
            for method in methods:
                if path in ("/healthz", "/readyz") or path.startswith(("/read/", "/websub/")):
                    continue
                response = it.client.request(method, path.replace("{", "").replace("}", ""), json={"query": VACCINES})
                assert response.status_code in (401, 415, 422), (method, path, response.text)
                if response.status_code == 422:  # the body is looked at first
                    assert response.json()["type"] == "urn:gtopss:problem:invalid-request"
        assert it.client.get("/healthz").status_code == 200


def test_roles_permit_what_they_say() -> None:
    with served(**with_keys()) as it:
        it.service.create_administrator()
        publisher, subscriber = key_of(it, Role.PUBLISHER), key_of(it, Role.SUBSCRIBER)
        feed = {"Content-Type": "application/rss+xml"}
        for key, publishes, subscribes in ((publisher, 202, 403), (subscriber, 403, 201), (ADMINISTRATOR, 202, 201)):
            assert it.client.post("/publications", content=FEED, headers=feed | key).status_code == publishes
            assert it.client.post("/subscriptions", json={"query": VACCINES}, headers=key).status_code == subscribes
            for path in READING:
                assert it.client.get(path, headers=key).status_code == 200
        for method, path in OPERATIONS:
            for key in (publisher, subscriber):
                body = {"name": "x", "url": "http://a.example/"}
                response = it.client.request(method, path, headers=key, json=body if method == "POST" else None)
                assert response.status_code in (403, 422), (method, path)
        assert it.client.get("/costs", headers=ADMINISTRATOR).status_code == 200


def test_an_unknown_key_is_refused_also_where_none_is_needed() -> None:
    with served() as it:
        wrong = {"X-API-Key": "gk_wrong"}
        for path in READING:
            response = it.client.get(path, headers=wrong)
            assert (response.status_code, response.json()["type"]) == (401, "urn:gtopss:problem:invalid-key")


def test_a_key_may_be_a_bearer_token_and_lists_its_own_subscriptions() -> None:
    with served(**with_keys()) as it:
        it.service.create_administrator()
        mine, other = key_of(it, Role.SUBSCRIBER), key_of(it, Role.SUBSCRIBER)
        made = it.client.post("/subscriptions", json={"query": VACCINES}, headers=mine).json()
        bearer = {"Authorization": f"Bearer {mine['X-API-Key']}"}
        assert [one["id"] for one in it.client.get("/subscriptions", headers=bearer).json()["subscriptions"]] == [
            made["id"]
        ]
        assert it.client.get("/subscriptions", headers=other).json() == {"subscriptions": []}
        # The ticket alone is enough for what belongs to the subscription.
        assert it.client.post(f"/subscriptions/{made['id']}/renew", headers=ticket_of(made)).status_code == 200


def test_a_key_is_deleted_with_its_subscriptions() -> None:
    with served(**with_keys()) as it:
        it.service.create_administrator()
        mine = key_of(it, Role.SUBSCRIBER)
        it.client.post("/subscriptions", json={"query": VACCINES}, headers=mine)
        listed = it.client.get("/keys", headers=ADMINISTRATOR).json()["keys"]
        (id,) = [each["id"] for each in listed if each["roles"] == ["subscriber"]]
        assert it.client.delete(f"/keys/{id}", headers=ADMINISTRATOR).json() == {"subscriptions": 1}
        assert it.client.delete(f"/keys/{id}", headers=ADMINISTRATOR).status_code == 404
        assert it.client.get("/subscriptions", headers=mine).status_code == 401


def test_a_generated_administrators_key_is_made_once() -> None:
    with served(keys_required=True) as it:
        first = it.service.create_administrator()
        assert first is not None
        assert it.service.create_administrator() is None
        assert it.client.get("/keys", headers={"X-API-Key": first.key}).status_code == 200


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic Zm9vOmJhcg=="])
def test_a_ticket_that_is_missing_is_asked_for(header: str) -> None:
    with served() as it:
        mine = it.subscribe()
        response = it.client.get(f"/subscriptions/{mine['id']}", headers={"Authorization": header})
        assert response.status_code == 401
        assert response.headers["www-authenticate"].startswith("Bearer")


def test_a_wrong_ticket_and_an_unknown_id_have_the_same_answer() -> None:
    with served() as it:
        mine, other = it.subscribe(), it.subscribe()
        answers = [
            it.client.get(f"/subscriptions/{id}", headers=ticket_of(other)).json() | {"request_id": None}
            for id in (mine["id"], "0" * 24, "nonsense")
        ]
        assert answers[0] == answers[1] == answers[2]
        assert answers[0]["status"] == 404
