"""The routes of WebSub: the callback that the hubs of polled feeds use, and the hub of the feeds of subscriptions."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import APIRouter, Header, Query, Request, Response

from gtopss.broker.errors import CallbackNotFound
from gtopss.broker.websub.followers import FollowRequest
from gtopss.broker.websub.hub_requests import FORM
from gtopss.broker.websub.pushes import Push, Pushes, Verification
from gtopss.http.bodies import Body, RequestBody
from gtopss.http.problems import InvalidRequest, RequestProblem, UnsupportedMediaType
from gtopss.http.route_threads import runs_in
from gtopss.http.routes.requests import BaseUrl, Served, problems
from gtopss.http.service import Service

router = APIRouter(tags=["websub"])
MAX_CHALLENGE_CHARACTERS = 2_000
"""Characters of a challenge that a hub sends."""
MAX_FORM_FIELDS = 50
"""Fields of a request to the hub."""
MAX_FORM_BYTES = 16_384
"""Bytes of a request to the hub."""
MAX_LEASE_DIGITS = 12
"""Digits of a lease in seconds."""
_FORM_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            FORM: {
                "schema": {
                    "type": "object",
                    "required": ["hub.mode", "hub.callback", "hub.topic"],
                    "properties": {
                        "hub.mode": {"type": "string", "enum": ["subscribe", "unsubscribe"]},
                        "hub.callback": {"type": "string"},
                        "hub.topic": {"type": "string"},
                        "hub.lease_seconds": {"type": "string"},
                        "hub.secret": {"type": "string"},
                    },
                }
            }
        },
    }
}
_PUSH_BODY = {
    "requestBody": {
        "required": True,
        "content": {name: {"schema": {"type": "string"}} for name in ("application/atom+xml", "application/rss+xml")},
    }
}


def _parameter(name: str, length: int) -> object:
    return Query(alias=name, max_length=length)


@router.get(
    "/websub/{callback}",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **problems(404, 422, 503)},
)
def verify(
    service: Served,
    callback: str,
    mode: Annotated[str, _parameter("hub.mode", 20)],
    topic: Annotated[str, _parameter("hub.topic", 2_000)],
    challenge: Annotated[str, _parameter("hub.challenge", MAX_CHALLENGE_CHARACTERS)] = "",
    lease_seconds: Annotated[str | None, _parameter("hub.lease_seconds", MAX_LEASE_DIGITS)] = None,
    reason: Annotated[str | None, _parameter("hub.reason", 2_000)] = None,
) -> Response:
    """Answer a hub that asks whether this service has sent a request: with the challenge if it has, else with 404."""
    lease = None if lease_seconds is None else _seconds(lease_seconds)
    _pushes(service).verify(callback, Verification(mode, topic, lease, reason))
    return Response(challenge.encode("utf-8", "replace"), media_type="text/plain")


@router.post(
    "/websub/{callback}", status_code=202, responses=problems(403, 410, 413, 422, 503), openapi_extra=_PUSH_BODY
)
@runs_in("publish")
def receive(
    service: Served,
    callback: str,
    body: Body,
    request: Request,
    x_hub_signature: Annotated[str | None, Header()] = None,
) -> Response:
    """Publish what a hub has sent. 202 says that it is stored; 410 that nothing more is wanted."""
    headers = [(name.lower(), value) for name, value in request.headers.items()]
    try:
        _pushes(service).receive(callback, Push(body.data, x_hub_signature, headers))
    except CallbackNotFound as error:
        raise RequestProblem(410, "callback-not-found", "No such callback", str(error)) from error
    return Response(status_code=202)


@router.post("/hub", status_code=202, responses=problems(404, 413, 415, 422, 503), openapi_extra=_FORM_BODY)
def follow(service: Served, base: BaseUrl, body: Body) -> Response:
    """Follow the feed of a subscription, or follow it no longer. 202 says that the callback will be asked."""
    fields = _fields(body)
    topic = fields.get("hub.topic", "")
    id, token = _subscription_of(topic, base)
    lease = fields.get("hub.lease_seconds")
    asked = FollowRequest(
        mode=fields.get("hub.mode", ""),
        callback=fields.get("hub.callback", ""),
        topic=topic,
        lease_seconds=None if not lease else _seconds(lease),
        secret=fields.get("hub.secret") or None,
    )
    service.followers.request(id, token, asked)
    return Response(status_code=202)


def _pushes(service: Service) -> Pushes:
    if service.feeds.pushes is None:
        raise CallbackNotFound
    return service.feeds.pushes


def _seconds(text: str) -> float:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_LEASE_DIGITS):
        raise InvalidRequest("hub.lease_seconds is not a whole number of seconds")
    return float(text)


def _fields(body: RequestBody) -> dict[str, str]:
    if body.media_type != FORM:
        raise UnsupportedMediaType(f"the Content-Type is {body.media_type[:100] or 'none'}: send {FORM}")
    if len(body.data) > MAX_FORM_BYTES:
        raise RequestProblem(413, "body-too-large", "Body too large", f"a request has at most {MAX_FORM_BYTES:,} bytes")
    try:
        return dict(parse_qsl(body.data.decode(), max_num_fields=MAX_FORM_FIELDS))
    except ValueError as error:
        raise InvalidRequest(f"the form cannot be read: {error}") from None


def _subscription_of(topic: str, base: str) -> tuple[str, str]:
    """Return the id and the token in the address of a feed of this service."""
    parts = topic.removeprefix(f"{base}/read/").split("/")
    if not topic.startswith(f"{base}/read/") or len(parts) != 3 or parts[2] != "feed.atom":
        raise InvalidRequest(
            f"hub.topic is not the address of a feed of this service, {base}/read/ID/TOKEN/feed.atom: "
            "take it from the feed, where it has rel=self"
        )
    return parts[0], parts[1]
