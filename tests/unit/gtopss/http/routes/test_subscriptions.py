"""The routes of subscribers."""

from __future__ import annotations

import json

import pytest
from support.services import VACCINES, served, ticket_of


def test_the_acknowledgement_says_all_that_a_subscriber_needs() -> None:
    with served() as it:
        it.publish()
        it.clock.advance(7_200)
        response = it.client.post("/subscriptions", json={"query": VACCINES, "validity": "7d", "backfill": True})
        made = response.json()
        assert response.headers["location"] == made["self_url"] == f"http://localhost/subscriptions/{made['id']}"
        assert made["renew_command"] == f"gtopss renew {made['id']} --url http://localhost"
        assert made["dry_run"]["matched"] == made["backfilled"] == 1
        assert made["dry_run"]["matches"][0]["title"] == "A vaccine is tested"
        assert made["forecast"] == "about 12 a day"
        found = it.client.get(f"/subscriptions/{made['id']}", headers=ticket_of(made)).json()
        assert (found["query"], found["validity"], found["has_read_address"]) == (VACCINES, 7 * 86_400, True)


@pytest.mark.parametrize(
    ("media_type", "form", "text", "stored"),
    [
        ("application/sparql-query; charset=utf-8", "sparql", VACCINES, "sparql"),
        ("text/plain", "sparql", VACCINES, "sparql"),
        ("text/plain", "short", "vaccine -football", "short"),
    ],
)
def test_a_text_is_registered_by_its_media_type(media_type: str, form: str, text: str, stored: str) -> None:
    with served() as it:
        path = f"/subscriptions?form={form}&validity=2h"
        made = it.client.post(path, content=text, headers={"Content-Type": media_type})
        assert made.status_code == 201, made.text
        found = it.client.get(f"/subscriptions/{made.json()['id']}", headers=ticket_of(made.json())).json()
        assert (found["form"], found["query"], found["validity"]) == (stored, text, 7_200)


@pytest.mark.parametrize("text", ["vaccine", "\n  topic:health -sport", '"open source" OR linux'])
def test_a_short_form_without_its_parameter_says_how_to_name_the_form(text: str) -> None:
    with served() as it:
        plain = it.client.post("/subscriptions", content=text, headers={"Content-Type": "text/plain"}).json()
        for problem in (plain, it.client.post("/subscriptions/check", json={"query": text}).json()):
            assert problem["type"] == "urn:gtopss:problem:invalid-query"
            assert "`?form=short`" in problem["detail"]
            assert '`"form": "short"`' in problem["detail"]
        other = it.client.post("/subscriptions", json={"query": "SELECT ?x { ?x ?p }"}).json()
        assert "form" not in other["detail"]


def test_sparql_in_the_short_form_says_how_to_name_the_form() -> None:
    with served() as it:
        problem = it.client.post("/subscriptions", json={"query": VACCINES, "form": "short"}).json()
        assert '`"form": "sparql"`' in problem["detail"]


def test_members_are_refused_in_plain_words() -> None:
    with served() as it:
        asked = {"query": "", "frm": "short", "zzzz": 1, "deliver": [{"adress": "x"}], "at_most": "x", "backfill": 7}
        problem = it.client.post("/subscriptions", json=asked).json()
        assert {each["field"]: each["reason"] for each in problem["errors"]} == {
            "body.query": "it must have at least 1 character",
            "body.frm": "there is no such member: did you mean 'form'?",
            "body.zzzz": "there is no such member",
            "body.deliver.0.address": "it is missing",
            "body.deliver.0.adress": "there is no such member: did you mean 'address'?",
            "body.at_most": "it must be a valid integer",
            "body.backfill": "it must be a valid boolean",
        }
        assert it.client.post("/subscriptions", json=[]).json()["detail"] == "body: it must be a JSON object"


def test_a_form_post_says_which_content_type_to_send() -> None:
    with served() as it:
        response = it.client.post("/subscriptions", data={"query": VACCINES})
        assert response.status_code == 415
        assert "application/sparql-query" in response.json()["detail"]


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ({"validity": "none"}, 403),
        ({"validity": 1e12}, 403),
        ({"validity": 0}, 422),
        ({"validity": "soon"}, 422),
        ({"validity": True}, 422),
        ({"digest": -1}, 422),
        ({"at_most": 0}, 422),
        ({"at_most_period": "1h"}, 422),
        ({"unknown": 1}, 422),
        ({"form": "sql"}, 422),
        ({"query": ""}, 422),
        ({"query": "SELECT ?x { ?x rss:title \ud800 }"}, 422),
        ({"query": "SELECT ?x { ?x rss:title '\0' }"}, 422),
    ],
)
def test_options_that_cannot_be_used_are_refused_by_name(options: dict[str, object], status: int) -> None:
    with served() as it:
        body = json.dumps({"query": VACCINES, **options})  # in ASCII, a lone surrogate as an escape
        response = it.client.post("/subscriptions", content=body, headers={"Content-Type": "application/json"})
        assert response.status_code == status, response.text
        assert response.json()["detail"]
        assert it.client.get("/subscriptions").json() == {"subscriptions": []}


def test_at_most_has_a_period_of_a_day() -> None:
    with served() as it:
        made = it.subscribe(at_most=5, digest="1h")
        found = it.client.get(f"/subscriptions/{made['id']}", headers=ticket_of(made)).json()
        assert (found["at_most"], found["at_most_period"], found["digest"]) == (5, 86_400, 3_600)


def test_an_address_that_cannot_be_a_target_registers_nothing() -> None:
    with served() as it:
        body = {"query": VACCINES, "deliver": [{"address": "http://127.0.0.1/hook"}]}
        response = it.client.post("/subscriptions", json=body)
        assert (response.status_code, response.json()["type"]) == (422, "urn:gtopss:problem:invalid-target")
        assert it.client.get("/subscriptions").json() == {"subscriptions": []}


def test_a_check_registers_nothing() -> None:
    with served() as it:
        it.publish()
        found = it.client.post("/subscriptions/check", json={"query": "vaccine", "form": "short"}).json()
        assert found["dry_run"]["matched"] == 1
        assert "SELECT" in found["query"]
        assert it.client.get("/subscriptions").json() == {"subscriptions": []}


def test_a_subscription_is_replaced_paused_resumed_and_deleted() -> None:
    with served() as it:
        mine = it.subscribe()
        path, ticket = f"/subscriptions/{mine['id']}", ticket_of(mine)
        assert it.client.put(path, json={"query": "football", "form": "short"}, headers=ticket).status_code == 200
        assert it.client.post(f"{path}/pause", headers=ticket).status_code == 204
        it.publish()
        assert it.client.get(f"{path}/matches", headers=ticket).json()["notifications"] == []
        assert it.client.get(path, headers=ticket).json()["paused"] is True
        assert it.client.post(f"{path}/resume", headers=ticket).status_code == 204
        it.publish(b"<urn:i> <http://purl.org/rss/1.0/title> 'x' .", "text/turtle")
        assert it.client.delete(path, headers=ticket).status_code == 204
        assert it.client.get(path, headers=ticket).status_code == 404


def test_wrong_members_and_broken_json_are_named_with_their_place() -> None:
    with served() as it:
        mine = it.subscribe()
        json_type = {"Content-Type": "application/json"}
        asked = {"query": VACCINES, "validity": "soon"}
        for path, body in (("/subscriptions", asked), (f"/subscriptions/{mine['id']}/renew", {"validity": "soon"})):
            (wrong,) = it.client.post(path, json=body, headers=ticket_of(mine)).json()["errors"]
            assert wrong["field"] == "body.validity"
            assert wrong["reason"].startswith("give seconds")
        broken = it.client.post("/subscriptions", content='{\n "query": ', headers=json_type).json()
        assert broken["detail"].startswith("body: Invalid JSON")
        assert (broken["line"], broken["column"]) == (2, 10)


def test_a_renewal_may_have_another_validity() -> None:
    with served() as it:
        mine = it.subscribe(validity="2h")
        it.clock.advance(3_600)
        path = f"/subscriptions/{mine['id']}/renew"
        same = it.client.post(path, headers=ticket_of(mine)).json()["expires_at"]
        longer = it.client.post(path, json={"validity": "3d"}, headers=ticket_of(mine)).json()["expires_at"]
        assert mine["expires_at"] < same < longer


def test_an_address_for_reading_is_revoked_and_replaced() -> None:
    with served() as it:
        mine = it.subscribe()
        path, first = f"/subscriptions/{mine['id']}/read-address", mine["read_address"]["feed"]
        assert it.client.get(first).status_code == 200
        second = it.client.post(path, headers=ticket_of(mine)).json()["feed"]
        assert (it.client.get(first).status_code, it.client.get(second).status_code) == (404, 200)
        assert it.client.delete(path, headers=ticket_of(mine)).status_code == 204
        assert it.client.get(second).status_code == 404
        # The token reads, and does nothing else.
        token = it.client.post(path, headers=ticket_of(mine)).json()["feed"].split("/")[-2]
        reader = {"Authorization": f"Bearer {token}"}
        assert it.client.get(f"/subscriptions/{mine['id']}/matches", headers=reader).status_code == 200
        for method, where in (("DELETE", ""), ("POST", "/renew"), ("POST", "/read-address"), ("GET", "/targets")):
            response = it.client.request(method, f"/subscriptions/{mine['id']}{where}", headers=reader)
            assert response.status_code == 404, where
