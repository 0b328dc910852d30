from __future__ import annotations

import json

import pytest

from gtopss.client.errors import InvalidResponse
from gtopss.client.events import MAX_EVENT_CHARACTERS, MAX_PAUSE_SECONDS, EventDecoder, ServerEvent, StreamPlace

MATCH = {"id": "n", "subscription": "s", "sequence": 4, "kind": "match", "created_at": "2026-01-01T00:00:00Z"}


def event(sequence: int, kind: str = "match") -> ServerEvent:
    return ServerEvent(kind, str(sequence), json.dumps({**MATCH, "sequence": sequence, "kind": kind}))


def test_lines_become_events() -> None:
    decoder = EventDecoder("http://localhost")
    lines = [": ping", "", "retry: 3000", "", "event: match", "id: 1", "data: a", "data:b", "", "data: c", ""]
    found = [each for each in map(decoder.add, lines) if each is not None]
    assert found == [ServerEvent("match", "1", "a\nb"), ServerEvent("message", None, "c")]


def test_an_endless_event_is_refused() -> None:
    decoder = EventDecoder("http://localhost")
    with pytest.raises(InvalidResponse, match="too long"):
        decoder.add("data: " + "x" * MAX_EVENT_CHARACTERS)


def test_what_was_seen_is_not_yielded_again() -> None:
    place = StreamPlace("http://localhost", 2)
    assert place.headers()["Last-Event-ID"] == "2"
    found = [place.receive(event(number)) for number in (2, 3, 3, 4)]
    assert [each and each.sequence for each in found] == [None, 3, None, 4]
    assert place.headers()["Last-Event-ID"] == "4"
    assert not place.ended
    assert place.receive(ServerEvent("end", None, "{}")) is None
    assert place.ended


def test_a_gap_is_yielded() -> None:
    place = StreamPlace("http://localhost", 2)
    data = json.dumps({"reason": "no longer retained", "first_sequence": 3, "last_sequence": 7})
    found = place.receive(ServerEvent("gap", "7", data))
    assert found is not None
    assert (found.kind, found.message) == ("gap", "notifications are missing: 3 to 7 (no longer retained)")
    assert place.last == 7


@pytest.mark.parametrize("data", ["", "[]", "{}", '{"id": 1}', "{"])
def test_an_event_that_cannot_be_read_is_an_error(data: str) -> None:
    with pytest.raises(InvalidResponse):
        StreamPlace("http://localhost", None).receive(ServerEvent("match", "1", data))


def test_pauses_grow_and_an_event_ends_their_growth() -> None:
    place = StreamPlace("http://localhost", None, random=lambda: 1.0)
    assert [place.pause() for _ in range(4)] == [0.5, 1.0, 2.0, 4.0]
    assert max(place.pause() for _ in range(20)) == MAX_PAUSE_SECONDS
    place.receive(event(1))
    assert place.pause() == 0.5
