"""The routes of operators and monitors: health, readiness, metrics, costs, figures and API keys."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

import gtopss
from gtopss.broker.store import statistics, subscription_rows
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.http.access import Given
from gtopss.http.metrics import CONTENT_TYPE
from gtopss.http.models.operations import (
    CostModel,
    CostsResponse,
    DeletedKeyResponse,
    HealthResponse,
    KeyList,
    KeyModel,
    NewKeyRequest,
    NewKeyResponse,
    ReadyResponse,
    StatsResponse,
)
from gtopss.http.models.subscriptions import time_of
from gtopss.http.problems import RequestProblem
from gtopss.http.routes.requests import Served, problems

router = APIRouter(tags=["operations"])
MAX_LISTED_COSTS = 100
"""Subscriptions in each list of costs."""


@router.get("/healthz")
async def health() -> HealthResponse:
    """Say that the process runs."""
    return HealthResponse(status="ok", version=gtopss.__version__)


@router.get("/readyz", responses=problems(503))
def ready(service: Served) -> ReadyResponse:
    """Say whether the store can be written and the workers run."""
    if service.workers is None or service.workers.stopped_by is not None:
        raise RequestProblem(503, "not-ready", "Not ready", "the broker's workers are not running")
    service.store.check()
    return ReadyResponse(status="ready", store=service.store.name, durable=service.store.durable)


@router.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE: {}}}, **problems(401, 403)})
def metrics(service: Served, given: Given) -> Response:
    """Return metrics for Prometheus. For the administrator."""
    service.access.require_administrator(given)
    return Response(service.metrics.render(service), media_type=CONTENT_TYPE)


@router.get("/costs", responses=problems(401, 403, 422, 503))
def costs(service: Served, given: Given, most: Annotated[int, Query(ge=1, le=MAX_LISTED_COSTS)] = 20) -> CostsResponse:
    """List the most expensive subscriptions, and those with the most notifications. For the administrator."""
    service.access.require_administrator(given)
    counted = service.broker.costs(most)
    rows, busy = service.store.read(
        lambda connection: (
            subscription_rows.get_many(connection, list(counted)),
            statistics.busiest(connection, most),
        )
    )
    return CostsResponse(
        expensive=[_cost(id, steps, rows.get(id)) for id, steps in counted.items()],
        busy=[_cost(row.id, counted.get(row.id, 0), row) for row in busy],
    )


def _cost(id: str, steps: int, row: SubscriptionRow | None) -> CostModel:
    if row is None:
        return CostModel(subscription=id, steps=steps, query=None, form=None, notifications=None)
    return CostModel(subscription=id, steps=steps, query=row.query, form=row.form, notifications=row.last_sequence)


@router.get("/stats", responses=problems(401, 503))
def stats(service: Served, given: Given) -> StatsResponse:
    """Return figures for a page."""
    service.access.require_any_key(given)
    found = service.statistics()
    started_at = time_of(service.started_at)
    assert started_at is not None
    return StatsResponse(
        version=gtopss.__version__,
        store=service.store.name.partition(":")[0],
        durable=service.store.durable,
        keys_required=service.access.keys_required,
        started_at=started_at,
        subscriptions=found.subscriptions,
        publications=found.publications,
        publications_waiting=found.publications_waiting,
        targets=found.targets,
        targets_due=found.targets_due,
        targets_disabled=found.targets_disabled,
        dead_letters=found.dead_letters,
        feeds=found.feeds,
        feeds_failing=found.feeds_failing,
        event_stream_clients=service.live.clients,
        delivery_kinds=list(service.delivery_kinds),
        ontology=None if service.settings.ontology is None else service.settings.ontology.name,
        classes=len(service.taxonomy.classes),
    )


@router.post("/keys", status_code=201, responses=problems(401, 403, 422, 503))
def create_key(service: Served, given: Given, asked: NewKeyRequest) -> NewKeyResponse:
    """Create an API key, which is shown this once. For the administrator."""
    service.access.require_administrator(given)
    new = service.broker.create_owner(
        asked.name, max_subscriptions=asked.max_subscriptions, max_steps=asked.max_steps, roles=set(asked.roles)
    )
    return NewKeyResponse(id=new.id, name=asked.name, key=new.key, roles=sorted(set(asked.roles)))


@router.get("/keys", responses=problems(401, 403, 503))
def list_keys(service: Served, given: Given) -> KeyList:
    """List the API keys. For the administrator."""
    service.access.require_administrator(given)
    return KeyList(keys=[KeyModel.of(row) for row in service.broker.owners.all()])


@router.delete("/keys/{id}", responses=problems(401, 403, 404, 503))
def delete_key(service: Served, given: Given, id: str) -> DeletedKeyResponse:
    """Delete an API key with all its subscriptions. For the administrator."""
    service.access.require_administrator(given)
    if id not in {row.id for row in service.broker.owners.all()}:
        raise RequestProblem(404, "key-not-found", "No such key", "there is no API key with this id: list the keys")
    return DeletedKeyResponse(subscriptions=service.broker.owners.delete_by_id(id))
