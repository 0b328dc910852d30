"""Targets and dead letters over HTTP, with a webhook on loopback that the operator allows."""

from __future__ import annotations

from support.deliveries import webhook_receiver
from support.services import served, ticket_of


def test_a_webhook_gets_what_matches_and_its_dead_letters_are_replayed() -> None:
    with webhook_receiver() as receiver, served(allow=(receiver.host,)) as it:
        mine = it.subscribe(deliver=[{"kind": "webhook", "address": receiver.url}])
        path, ticket = f"/subscriptions/{mine['id']}", ticket_of(mine)
        (target,) = mine["targets"]
        assert target["secret"].startswith("whsec_")
        it.service.deliveries.schedule.run_due()
        it.publish()
        it.service.deliveries.schedule.run_due()
        assert [each["type"] for each in receiver.messages()] == ["match"]
        (listed,) = it.client.get(f"{path}/targets", headers=ticket).json()["targets"]
        assert (listed["state"], listed["delivered_sequence"]) == ("active", 1)
        assert "secret" not in listed
        receiver.respond = lambda body: (500, {}, b"")
        it.publish(b"<urn:i> <http://purl.org/rss/1.0/title> 'another vaccine' .", "text/turtle")
        for _ in range(20):
            it.service.deliveries.schedule.run_due()
            it.clock.advance(30 * 3_600)
        mine_again = it.client.get("/dead-letters").json()["dead_letters"]
        assert [(each["target"], each["first_sequence"]) for each in mine_again] == [(target["id"], 2)]
        receiver.respond = None
        body = {"subscription": mine["id"], "target": target["id"], "first_sequence": 2}
        assert it.client.post("/dead-letters/replay", json=body).json() == {"replayed": 1}
        it.service.deliveries.schedule.run_due()
        assert it.client.get("/dead-letters").json()["dead_letters"] == []
        assert len({each["data"]["id"] for each in receiver.messages()}) == 2


def test_targets_are_added_changed_and_removed_with_the_ticket() -> None:
    with served() as it:
        mine, other = it.subscribe(), it.subscribe()
        path, ticket = f"/subscriptions/{mine['id']}/targets", ticket_of(mine)
        made = it.client.post(path, json={"address": "https://me.example/hook"}, headers=ticket)
        assert made.status_code == 201
        one = f"{path}/{made.json()['id']}"
        assert it.client.post(f"{one}/rotate-secret", headers=ticket).json()["secret"] != made.json()["secret"]
        assert it.client.post(f"{one}/enable", headers=ticket).status_code == 204
        assert it.client.post(f"{one}/confirm", json={"code": "1"}, headers=ticket).status_code == 404
        assert it.client.post(f"{one}/replay", headers=ticket).status_code == 404
        assert it.client.get(f"/subscriptions/{mine['id']}/dead-letters", headers=ticket).json() == {"dead_letters": []}
        assert it.client.delete(one, headers=ticket_of(other)).status_code == 404
        assert it.client.delete(one, headers=ticket).status_code == 204
        assert it.client.get(path, headers=ticket).json() == {"targets": []}
        refused = it.client.post(path, json={"kind": "email", "address": "me@example.org"}, headers=ticket)
        assert (refused.status_code, "choose from webhook" in refused.json()["detail"]) == (422, True)
