"""The routes of targets and dead letters."""

from __future__ import annotations

from fastapi import APIRouter

from gtopss.http.access import Given
from gtopss.http.models.deliveries import (
    ConfirmRequest,
    DeadLetterList,
    DeadLetterModel,
    OperatorReplayRequest,
    ReplayRequest,
    ReplayResponse,
    SecretResponse,
    TargetList,
    TargetModel,
)
from gtopss.http.models.subscriptions import NewTargetResponse, TargetRequest
from gtopss.http.routes.requests import Served, problems

router = APIRouter(tags=["targets"])


@router.get("/subscriptions/{id}/targets", responses=problems(401, 404, 503))
def list_targets(service: Served, given: Given, id: str) -> TargetList:
    """List the targets of a subscription, without their secrets."""
    found = service.deliveries.targets(id, given.ticket)
    return TargetList(targets=[TargetModel.of(each) for each in found])


@router.post("/subscriptions/{id}/targets", status_code=201, responses=problems(401, 404, 422, 503))
def add_target(service: Served, given: Given, id: str, asked: TargetRequest) -> NewTargetResponse:
    """Add a target: later notifications are pushed to it, once it is verified. Its secret cannot be read again."""
    return NewTargetResponse.of(service.deliveries.add_target(id, given.ticket, asked.kind, asked.address))


@router.delete("/subscriptions/{id}/targets/{target}", status_code=204, responses=problems(401, 404, 503))
def remove_target(service: Served, given: Given, id: str, target: str) -> None:
    """Delete a target and its dead letters."""
    service.deliveries.remove_target(id, given.ticket, target)


@router.post("/subscriptions/{id}/targets/{target}/rotate-secret", responses=problems(401, 404, 503))
def rotate_secret(service: Served, given: Given, id: str, target: str) -> SecretResponse:
    """Give a target a new secret. The one before it is valid for another day."""
    return SecretResponse(secret=service.deliveries.rotate_secret(id, given.ticket, target))


@router.post("/subscriptions/{id}/targets/{target}/confirm", status_code=204, responses=problems(401, 404, 422, 503))
def confirm(service: Served, given: Given, id: str, target: str, asked: ConfirmRequest) -> None:
    """Confirm a mail address with the code that it got."""
    service.deliveries.confirm(id, given.ticket, target, asked.code)


@router.post("/subscriptions/{id}/targets/{target}/enable", status_code=204, responses=problems(401, 404, 503))
def enable(service: Served, given: Given, id: str, target: str) -> None:
    """Verify a disabled target again; then what waits for it is delivered."""
    service.deliveries.enable(id, given.ticket, target)


@router.get("/subscriptions/{id}/dead-letters", responses=problems(401, 404, 503))
def dead_letters(service: Served, given: Given, id: str) -> DeadLetterList:
    """List the deliveries of a subscription that were given up, the oldest first."""
    found = service.deliveries.dead_letters(id, given.ticket)
    return DeadLetterList(dead_letters=[DeadLetterModel.of(each) for each in found])


@router.post("/subscriptions/{id}/targets/{target}/replay", responses=problems(401, 404, 422, 503))
def replay(service: Served, given: Given, id: str, target: str, asked: ReplayRequest | None = None) -> ReplayResponse:
    """Deliver a dead letter of a target again, or all of them."""
    first = None if asked is None else asked.first_sequence
    return ReplayResponse(replayed=service.deliveries.replay(id, given.ticket, target, first))


@router.get("/dead-letters", responses=problems(401, 403, 503))
def all_dead_letters(service: Served, given: Given) -> DeadLetterList:
    """List the deliveries of all subscriptions that were given up, the newest first. For the administrator."""
    service.access.require_administrator(given)
    return DeadLetterList(dead_letters=[DeadLetterModel.of(each) for each in service.deliveries.all_dead_letters()])


@router.post("/dead-letters/replay", responses=problems(401, 403, 404, 422, 503))
def operator_replay(service: Served, given: Given, asked: OperatorReplayRequest) -> ReplayResponse:
    """Deliver dead letters of any target again. For the administrator."""
    service.access.require_administrator(given)
    return ReplayResponse(
        replayed=service.deliveries.replay_any(asked.subscription, asked.target, asked.first_sequence)
    )
