"""The routes of polled feeds."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from gtopss.http.access import Given
from gtopss.http.bodies import Body
from gtopss.http.models.feeds import AddFeedRequest, AddFeedResponse, FeedListResponse, FeedModel, ImportResponse
from gtopss.http.models.subscriptions import MAX_ADDRESS_CHARACTERS
from gtopss.http.route_threads import runs_in
from gtopss.http.routes.requests import Served, problems

router = APIRouter(tags=["feeds"])
OPML = "text/x-opml"
FeedUrl = Annotated[str, Query(alias="url", max_length=MAX_ADDRESS_CHARACTERS)]


@router.get("/feeds", responses=problems(401, 503))
def list_feeds(service: Served, given: Given) -> FeedListResponse:
    """List the polled feeds with their state."""
    service.access.require_any_key(given)
    return FeedListResponse(feeds=[FeedModel.of(each) for each in service.feeds.list.health()])


@router.post("/feeds", status_code=201, responses=problems(401, 403, 422, 503))
@runs_in("fetch")
def add_feed(service: Served, given: Given, asked: AddFeedRequest, response: Response) -> AddFeedResponse:
    """Add a feed to the polled feeds, and publish its items. For the administrator. 200 if it is polled already."""
    service.access.require_administrator(given)
    added = service.feeds.list.add(asked.url)
    if added.items:
        service.broker.published()
    if not added.is_new:
        response.status_code = 200
    return AddFeedResponse.of(added)


@router.delete("/feeds", status_code=204, responses=problems(401, 403, 404, 422, 503))
def remove_feed(service: Served, given: Given, url: FeedUrl) -> None:
    """Stop polling a feed. Its publications stay. For the administrator."""
    service.access.require_administrator(given)
    service.feeds.list.remove(url)


@router.post("/feeds/fetch", status_code=204, responses=problems(401, 403, 404, 422, 503))
def fetch_feed(service: Served, given: Given, url: FeedUrl) -> None:
    """Schedule a feed to be fetched soon, even if its server said that it is gone. For the administrator."""
    service.access.require_administrator(given)
    service.feeds.list.fetch_soon(url)


@router.get("/feeds.opml", response_class=Response, responses={200: {"content": {OPML: {}}}, **problems(401, 503)})
def export_opml(service: Served, given: Given) -> Response:
    """Return the polled feeds as OPML."""
    service.access.require_any_key(given)
    return Response(service.feeds.list.export_opml("Feeds of gtopss"), media_type=OPML)


@router.post(
    "/feeds.opml",
    responses=problems(401, 403, 413, 422, 503),
    openapi_extra={"requestBody": {"required": True, "content": {OPML: {"schema": {"type": "string"}}}}},
)
@runs_in("publish")
def import_opml(service: Served, given: Given, body: Body) -> ImportResponse:
    """Add the feeds of an OPML file to the polled feeds. For the administrator."""
    service.access.require_administrator(given)
    return ImportResponse.of(service.feeds.list.import_opml(body.data))
