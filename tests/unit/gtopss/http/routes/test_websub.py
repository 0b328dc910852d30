"""The hub over HTTP: what it refuses. The callback of hubs is tested in tests/unit/gtopss/broker/websub."""

from __future__ import annotations

import httpx
import pytest
from support.websub import Followed, WebSubWorld, followed, websub_world

from gtopss.http.routes.websub import MAX_FORM_BYTES, MAX_FORM_FIELDS


def ask(world: WebSubWorld, feed: Followed, **changes: str) -> httpx.Response:
    form = {
        "hub.mode": "subscribe",
        "hub.topic": feed.topic,
        "hub.callback": f"{world.site.url}/callback",
        "hub.secret": "mine",
        "hub.lease_seconds": "4000",
    }
    return httpx.post(f"{world.url}/hub", data=form | {f"hub.{name}": value for name, value in changes.items()})


def test_a_request_to_follow_is_accepted() -> None:
    with websub_world() as world:
        feed = followed(world)
        assert ask(world, feed).status_code == 202
        assert ask(world, feed, lease_seconds="").status_code == 202
        assert ask(world, feed, mode="unsubscribe").status_code == 202


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"mode": "publish"}, 422),
        ({"topic": "https://other.example/read/a/b/feed.atom"}, 422),
        ({"topic": "{url}/feed.atom"}, 422),
        ({"topic": "{url}/read/a/b/events"}, 422),
        ({"topic": "{url}/read/a/b/feed.atom"}, 404),
        ({"topic": "{url}/read/{id}/gr_wrong/feed.atom"}, 404),
        ({"callback": "http://10.0.0.1/"}, 422),
        ({"callback": "javascript:alert(1)"}, 422),
        ({"lease_seconds": "soon"}, 422),
        ({"lease_seconds": "-1"}, 422),
        ({"secret": "x" * 200}, 422),
    ],
)
def test_a_request_that_cannot_be_done_is_refused(changes: dict[str, str], status: int) -> None:
    with websub_world() as world:
        feed = followed(world)
        response = ask(
            world, feed, **{name: value.format(url=world.url, id=feed.id) for name, value in changes.items()}
        )
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/problem+json"


def test_a_form_that_is_too_large_is_refused() -> None:
    with websub_world() as world:
        url = f"{world.url}/hub"
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert httpx.post(url, content=b"a=" + b"x" * MAX_FORM_BYTES, headers=form).status_code == 413
        assert httpx.post(url, content="&".join(["a=b"] * (MAX_FORM_FIELDS + 1)), headers=form).status_code == 422
        assert httpx.post(url, content=b"\xff=\xff", headers=form).status_code == 422
        assert httpx.post(url, json={"hub.mode": "subscribe"}).status_code == 415


def test_a_page_of_another_site_cannot_make_somebody_follow() -> None:
    with websub_world() as world:
        feed = followed(world)
        form = {"hub.mode": "subscribe", "hub.topic": feed.topic, "hub.callback": f"{world.site.url}/callback"}
        response = httpx.post(f"{world.url}/hub", data=form, headers={"Origin": "https://evil.example"})
        assert response.status_code == 403


def test_callbacks_are_logged_without_their_secret(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "gtopss.http"), websub_world() as world:
        form = world.site.form(world.add())
        world.site.push(form, ("2", "two"))
    # A request is logged after its response: only a service that has ended has surely logged all of them.
    logged = " ".join(record.getMessage() for record in caplog.records)
    assert "POST /websub/... 202" in logged
    assert form["hub.callback"].rpartition("/")[2] not in logged


def test_without_an_address_of_its_own_a_service_has_no_callbacks() -> None:
    with websub_world(public_url=None) as world:
        asked = {"hub.mode": "subscribe", "hub.topic": "x", "hub.challenge": "y"}
        assert httpx.get(f"{world.url}/websub/any", params=asked).status_code == 404
        assert httpx.post(f"{world.url}/websub/any", content=b"x").status_code == 410
