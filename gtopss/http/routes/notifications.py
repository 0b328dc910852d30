"""The routes by which notifications are read: JSON, JSON lines, Turtle, an Atom feed and an event stream."""

from __future__ import annotations

import hashlib
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from gtopss.broker.broker import MAX_NOTIFICATIONS_READ
from gtopss.broker.websub.hub_links import link_header
from gtopss.http.access import Given
from gtopss.http.direct_writes import offered
from gtopss.http.event_response import EVENTS, EventStreamResponse
from gtopss.http.models.deliveries import MatchesResponse, NotificationModel
from gtopss.http.routes.requests import BaseUrl, Served, problems
from gtopss.http.service import Service, feed_header, hub_of_topic

router = APIRouter(tags=["notifications"])
ATOM, JSON_LINES, TURTLE = "application/atom+xml", "application/jsonl", "text/turtle"
_CONTENT = {
    JSON_LINES: {"schema": {"type": "string"}},
    TURTLE: {"schema": {"type": "string"}},
}
Format = Annotated[str | None, Query(pattern="^(json|jsonl|turtle)$", description="Instead of the Accept header.")]
IfNoneMatch = Annotated[str | None, Header()]
LastEventId = Annotated[str | None, Header()]


@router.get(
    "/subscriptions/{id}/matches",
    response_model=MatchesResponse,
    responses={200: {"content": _CONTENT}, **problems(401, 404, 422, 503)},
)
def matches(
    service: Served,
    given: Given,
    request: Request,
    id: str,
    after: Annotated[int, Query(ge=0, le=2**63 - 1, description="Notifications after this number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_NOTIFICATIONS_READ)] = 100,
    format: Format = None,
) -> Response | MatchesResponse:
    """Return the notifications after a number as JSON or, depending on the Accept header, JSON Lines or Turtle."""
    chosen = format or _accepted(request)
    if chosen == "jsonl":
        service.broker.readable(id, given.ticket)
        lines = service.deliveries.json_lines(id, given.ticket, after=after)
        return StreamingResponse(lines, media_type=JSON_LINES)
    found = service.broker.notifications(id, given.ticket, after=after, limit=limit)
    if chosen == "turtle":
        return Response(b"".join(each.to_turtle() for each in found), media_type=TURTLE)
    last = found[-1].row.sequence if found else after
    made = [NotificationModel.model_validate(each.to_json()) for each in found]
    return MatchesResponse(notifications=made, next_after=last)


def _accepted(request: Request) -> str:
    accept = request.headers.get("accept", "")
    if TURTLE in accept:
        return "turtle"
    return "jsonl" if JSON_LINES in accept or "application/x-ndjson" in accept else "json"


@router.get(
    "/subscriptions/{id}/feed.atom",
    response_class=Response,
    responses={200: {"content": {ATOM: {}}}, 304: {"description": "Not changed"}, **problems(401, 404, 503)},
)
def feed(service: Served, given: Given, base: BaseUrl, id: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the newest notifications as an Atom feed."""
    return _feed(service, id, given.ticket, f"{base}/subscriptions/{id}/feed.atom", if_none_match, can_follow=False)


@router.get(
    "/read/{id}/{token}/feed.atom",
    response_class=Response,
    responses={200: {"content": {ATOM: {}}}, 304: {"description": "Not changed"}, **problems(404, 503)},
)
def read_feed(service: Served, base: BaseUrl, id: str, token: str, if_none_match: IfNoneMatch = None) -> Response:
    """Return the Atom feed without a ticket, by its secret URL. Link headers name a WebSub hub."""
    return _feed(service, id, token, f"{base}/read/{id}/{token}/feed.atom", if_none_match, can_follow=True)


def _feed(
    service: Service, id: str, secret: str, self_link: str, if_none_match: str | None, *, can_follow: bool
) -> Response:
    row = service.broker.readable(id, secret)
    tag = _entity_tag(f"{row.id} {row.last_sequence} {row.query} {self_link}")
    headers = {"ETag": tag, "Cache-Control": "private, max-age=60"}
    hub = hub_of_topic(self_link) if can_follow else None
    if hub is not None:
        headers["Link"] = link_header(hub, self_link)
    if if_none_match is not None and (if_none_match.strip() == "*" or tag in if_none_match):
        return Response(status_code=304, headers=headers)
    header = feed_header(row, self_link, hub)
    return Response(service.deliveries.atom_feed(id, secret, header), media_type=ATOM, headers=headers)


def _entity_tag(text: str) -> str:
    return f'W/"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


@router.get(
    "/subscriptions/{id}/events",
    response_class=Response,
    responses={200: {"content": {EVENTS: {}}}, **problems(401, 404, 503)},
)
async def events(
    service: Served,
    given: Given,
    request: Request,
    id: str,
    last_event_id: LastEventId = None,
    from_id: Annotated[str | None, Query(alias="last_event_id", max_length=40)] = None,
) -> Response:
    """Return the notifications as server-sent events, as they arrive."""
    return await _events(service, request, id, given.ticket, last_event_id or from_id)


@router.get(
    "/read/{id}/{token}/events",
    response_class=Response,
    responses={200: {"content": {EVENTS: {}}}, **problems(404, 503)},
)
async def read_events(
    service: Served,
    request: Request,
    id: str,
    token: str,
    last_event_id: LastEventId = None,
    from_id: Annotated[str | None, Query(alias="last_event_id", max_length=40)] = None,
) -> Response:
    """Return the event stream without a ticket, by its secret URL, for EventSource."""
    return await _events(service, request, id, token, last_event_id or from_id)


async def _events(service: Service, request: Request, id: str, secret: str, last_event_id: str | None) -> Response:
    service.live.check_room()
    reader = await run_in_threadpool(service.deliveries.event_reader, id, secret)
    return EventStreamResponse(service.live.stream(id, reader, last_event_id, offered(request.scope)))
