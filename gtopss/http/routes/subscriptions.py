"""The routes of subscribers: register, read, replace, renew, pause and delete subscriptions."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from gtopss.broker.broker import Acknowledgement
from gtopss.broker.config import DAY, SubscriptionOptions
from gtopss.broker.delivery.targets import NewTarget
from gtopss.broker.store import subscription_rows
from gtopss.http.access import Given
from gtopss.http.bodies import Body, parse_text_request, text_request_body
from gtopss.http.models.subscriptions import (
    CheckResponse,
    ListedSubscription,
    NewTargetResponse,
    ReadAddressResponse,
    RenewRequest,
    RenewResponse,
    SubscribeRequest,
    SubscribeResponse,
    SubscriptionList,
    SubscriptionResponse,
    TextRequest,
    time_of,
)
from gtopss.http.route_threads import runs_in
from gtopss.http.routes.requests import BaseUrl, Served, problems, read_address

router = APIRouter(tags=["subscriptions"])
Form = Annotated[Literal["sparql", "short"], Query(description="The form of a text/plain body.")]
Validity = Annotated[str | None, Query(max_length=30, description="For a body that is a text.")]
MAX_LISTED_SUBSCRIPTIONS = 1_000
"""Subscriptions in one response, the newest."""


@router.post(
    "/subscriptions",
    status_code=201,
    responses=problems(401, 403, 413, 415, 422, 503),
    openapi_extra=text_request_body(SubscribeRequest),
)
@runs_in("match")
def subscribe(
    service: Served,
    given: Given,
    base: BaseUrl,
    body: Body,
    response: Response,
    form: Form = "sparql",
    validity: Validity = None,
) -> SubscribeResponse:
    """Register a subscription. Store the ticket in the response: it cannot be read again."""
    service.access.require_key(given)
    asked = parse_text_request(body, SubscribeRequest, form, validity=validity)
    for each in asked.deliver:
        service.deliveries.check_target(each.kind, each.address)
    done = service.broker.subscribe(
        asked.query,
        form=asked.form,
        key=given.key,
        validity=asked.validity,
        options=_options(asked),
        backfill=asked.backfill,
    )
    targets = [service.deliveries.add_target(done.id, done.ticket, each.kind, each.address) for each in asked.deliver]
    token = service.broker.new_reader(done.id, done.ticket) if asked.read_address else None
    made = _acknowledged(done, targets, token, base)
    response.headers["Location"] = made.self_url
    return made


def _options(asked: SubscribeRequest) -> SubscriptionOptions:
    period = DAY if asked.at_most is not None and asked.at_most_period is None else asked.at_most_period
    return SubscriptionOptions(
        digest=asked.digest, at_most=asked.at_most, at_most_period=period, join_articles=asked.join_articles
    )


def _acknowledged(done: Acknowledgement, targets: list[NewTarget], token: str | None, base: str) -> SubscribeResponse:
    return SubscribeResponse(
        **CheckResponse.of(done.registration).model_dump(),
        id=done.id,
        ticket=done.ticket,
        expires_at=time_of(done.expires_at),
        backfilled=done.backfilled,
        targets=[NewTargetResponse.of(each) for each in targets],
        read_address=None if token is None else read_address(base, done.id, token),
        renew_command=f"gtopss renew {done.id} --url {base}",
        self_url=f"{base}/subscriptions/{done.id}",
    )


@router.get("/subscriptions", responses=problems(401, 503))
def list_subscriptions(service: Served, given: Given) -> SubscriptionList:
    """List the subscriptions of an API key; all of them, for an administrator without a key of their own."""
    if given.key is not None:
        found = service.broker.list(given.key)[:MAX_LISTED_SUBSCRIPTIONS]
        return SubscriptionList(subscriptions=[ListedSubscription.of(each) for each in found])
    service.access.require_administrator(given)
    now = service.clock()
    rows = service.store.read(lambda connection: subscription_rows.newest(connection, MAX_LISTED_SUBSCRIPTIONS))
    return SubscriptionList(subscriptions=[ListedSubscription.of(row) for row in rows if row.is_active(now)])


@router.post(
    "/subscriptions/check",
    responses=problems(401, 413, 415, 422, 503),
    openapi_extra=text_request_body(TextRequest),
)
@runs_in("match")
def check(service: Served, given: Given, body: Body, form: Form = "sparql") -> CheckResponse:
    """Check a query without registering it: warnings, a dry run on stored items, and its cost."""
    service.access.require_any_key(given)
    asked = parse_text_request(body, TextRequest, form)
    return CheckResponse.of(service.broker.check(asked.query, form=asked.form, key=given.key))


@router.get("/subscriptions/{id}", responses=problems(401, 404, 503))
def get_subscription(service: Served, given: Given, id: str) -> SubscriptionResponse:
    """Return a subscription."""
    return SubscriptionResponse.of(service.broker.authorised(id, given.ticket))


@router.put(
    "/subscriptions/{id}",
    responses=problems(401, 403, 404, 413, 415, 422, 503),
    openapi_extra=text_request_body(TextRequest),
)
@runs_in("match")
def replace(service: Served, given: Given, id: str, body: Body, form: Form = "sparql") -> CheckResponse:
    """Replace the query of a subscription. Its id, ticket, expiry time and targets stay the same."""
    ticket = given.ticket
    asked = parse_text_request(body, TextRequest, form)
    return CheckResponse.of(service.broker.replace(id, ticket, asked.query, form=asked.form))


@router.delete("/subscriptions/{id}", status_code=204, responses=problems(401, 404, 503))
def unsubscribe(service: Served, given: Given, id: str) -> None:
    """Delete a subscription with its notifications and targets."""
    service.broker.unsubscribe(id, given.ticket)


@router.post("/subscriptions/{id}/renew", responses=problems(401, 403, 404, 422, 503))
def renew(service: Served, given: Given, id: str, asked: RenewRequest | None = None) -> RenewResponse:
    """Renew a subscription: its validity starts again from now."""
    end = service.broker.renew(id, given.ticket, validity=None if asked is None else asked.validity)
    return RenewResponse(id=id, expires_at=time_of(end))


@router.post("/subscriptions/{id}/pause", status_code=204, responses=problems(401, 404, 503))
def pause(service: Served, given: Given, id: str) -> None:
    """Stop matching a subscription until it is resumed. It expires as before."""
    service.broker.pause(id, given.ticket)


@router.post("/subscriptions/{id}/resume", status_code=204, responses=problems(401, 404, 503))
def resume(service: Served, given: Given, id: str) -> None:
    """Match a paused subscription again."""
    service.broker.resume(id, given.ticket)


@router.post("/subscriptions/{id}/read-address", status_code=201, responses=problems(401, 404, 503))
def new_read_address(service: Served, given: Given, base: BaseUrl, id: str) -> ReadAddressResponse:
    """Create URLs for reading without a ticket, and revoke the old ones. Store them: they cannot be read again."""
    return read_address(base, id, service.broker.new_reader(id, given.ticket))


@router.delete("/subscriptions/{id}/read-address", status_code=204, responses=problems(401, 404, 503))
def revoke_read_address(service: Served, given: Given, id: str) -> None:
    """Revoke the URLs for reading without a ticket."""
    service.broker.revoke_reader(id, given.ticket)
