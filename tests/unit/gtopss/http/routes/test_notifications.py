"""The forms in which notifications are read."""

from __future__ import annotations

import json

import rdflib
from support.services import served, ticket_of

from gtopss.feeds.namespaces import RSS


def test_matches_are_json_json_lines_or_turtle() -> None:
    with served() as it:
        mine = it.subscribe()
        it.publish()
        path, ticket = f"/subscriptions/{mine['id']}/matches", ticket_of(mine)
        lines = it.client.get(path, headers=ticket | {"Accept": "application/jsonl"})
        assert lines.headers["content-type"].startswith("application/jsonl")
        (only,) = [json.loads(line) for line in lines.text.splitlines()]
        plain = it.client.get(path, headers=ticket).json()["notifications"]
        assert [each["id"] for each in plain] == [only["id"]]
        turtle = it.client.get(f"{path}?format=turtle", headers=ticket)
        graph = rdflib.Graph().parse(data=turtle.content, format="turtle")
        assert rdflib.Literal("A vaccine is tested") in set(graph.objects(None, rdflib.URIRef(f"{RSS}title")))
        assert turtle.headers["content-type"].startswith("text/turtle")
        assert it.client.get(f"{path}?after=1", headers=ticket).json() == {"notifications": [], "next_after": 1}
        assert it.client.get(f"{path}?format=xml", headers=ticket).status_code == 422


def test_the_feed_is_sent_again_only_if_it_has_changed() -> None:
    with served() as it:
        mine = it.subscribe()
        feed = mine["read_address"]["feed"]
        first = it.client.get(feed)
        tag = {"If-None-Match": first.headers["etag"]}
        same = it.client.get(feed, headers=tag)
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", first.headers["etag"])
        it.publish()
        second = it.client.get(feed, headers=tag)
        assert second.status_code == 200
        assert second.headers["etag"] != first.headers["etag"]
        assert feed in second.text  # rel="self"


def test_notifications_can_be_read_after_the_end() -> None:
    with served() as it:
        mine = it.subscribe(validity="1h")
        it.publish()
        for seconds in (3_300, 301):
            it.clock.advance(seconds)
            it.service.broker.run_pending()
        kinds = it.client.get(f"/subscriptions/{mine['id']}/matches", headers=ticket_of(mine)).json()["notifications"]
        assert [each["kind"] for each in kinds] == ["match", "expiring", "expired"]
        assert kinds[1]["message"].startswith("This subscription is about to expire")
        assert it.client.get(mine["read_address"]["feed"]).status_code == 200


def test_too_many_event_streams_are_refused() -> None:
    with served(max_event_streams=0) as it:
        mine = it.subscribe()
        response = it.client.get(mine["read_address"]["events"])
        assert (response.status_code, response.json()["type"]) == (503, "urn:gtopss:problem:too-many-streams")
