"""Requests and responses about notifications, targets and dead letters."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pydantic import BaseModel, Field

from gtopss.broker.delivery.targets import TargetStatus
from gtopss.broker.store.target_rows import DeadLetter
from gtopss.http.models.subscriptions import Request, time_of


class ItemModel(BaseModel):
    """What an item says, as far as a feed reader shows it."""

    id: str
    title: str
    link: str | None
    summary: str | None
    authors: list[str]
    categories: list[str]
    published_at: dt.datetime | None
    received_at: dt.datetime
    triples: str | None = Field(description="N-Triples; null for a large item.")


class SourceModel(BaseModel):
    """One of the feeds that an article was found in."""

    publication: str
    source: str | None
    title: str | None
    link: str | None


class NotificationModel(BaseModel):
    """A match, or a notice of the broker. A notice has a message, and a match all other members."""

    id: str
    subscription: str
    sequence: int
    kind: str = Field(description='"match", or a notice: "expiring", "expired" or "disabled".')
    created_at: dt.datetime
    item: ItemModel | None = None
    bindings: list[dict[str, dict[str, Any]]] | None = Field(None, description="As in SPARQL's results in JSON.")
    truncated: bool | None = None
    why: str | None = None
    sources: list[SourceModel] | None = None
    message: str | None = None
    expires_at: dt.datetime | None = None


class MatchesResponse(BaseModel):
    """Notifications in the order of their numbers. `next_after` continues the list."""

    notifications: list[NotificationModel]
    next_after: int


class TargetModel(BaseModel):
    """A target, without its secret."""

    id: str
    kind: str
    address: str
    state: str = Field(description='"unverified", "active" or "disabled".')
    reason: str | None
    delivered_sequence: int
    failures: int
    next_attempt_at: dt.datetime | None

    @classmethod
    def of(cls, status: TargetStatus) -> TargetModel:
        return cls(
            id=status.id,
            kind=status.kind,
            address=status.address,
            state=status.state,
            reason=status.reason,
            delivered_sequence=status.delivered_sequence,
            failures=status.failures,
            next_attempt_at=time_of(status.next_attempt_at),
        )


class TargetList(BaseModel):
    """The targets of a subscription."""

    targets: list[TargetModel]


class SecretResponse(BaseModel):
    """A new secret, shown this once. The one before it is valid for another day."""

    secret: str


class ConfirmRequest(Request):
    """The code that a mail address has got."""

    code: str = Field(min_length=1, max_length=200)


class DeadLetterModel(BaseModel):
    """A delivery that was given up: a range of notifications of a target."""

    subscription: str
    target: str
    first_sequence: int
    last_sequence: int
    reason: str
    at: dt.datetime
    replay: bool = Field(description="It is to be delivered again.")

    @classmethod
    def of(cls, letter: DeadLetter) -> DeadLetterModel:
        return cls(
            subscription=letter.subscription,
            target=letter.target,
            first_sequence=letter.first_sequence,
            last_sequence=letter.last_sequence,
            reason=letter.reason,
            at=dt.datetime.fromtimestamp(letter.at, dt.UTC),
            replay=letter.replay,
        )


class DeadLetterList(BaseModel):
    """Deliveries that were given up."""

    dead_letters: list[DeadLetterModel]


class ReplayRequest(Request):
    """Which dead letters of a target are delivered again: one, or all of them."""

    first_sequence: int | None = Field(None, ge=0, le=2**63 - 1)


class OperatorReplayRequest(ReplayRequest):
    """The same for the operator, who has no ticket."""

    subscription: str = Field(max_length=200)
    target: str = Field(max_length=200)


class ReplayResponse(BaseModel):
    """How many dead letters are delivered again."""

    replayed: int
