"""Requests and responses about subscriptions. Times are in UTC."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from gtopss.broker.broker import OwnedSubscription
from gtopss.broker.delivery.targets import MAX_TARGETS, NewTarget
from gtopss.broker.registration import DryRun, Registration
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.http.durations import Duration
from gtopss.http.models.requests import StrictRequest

MAX_QUERY_CHARACTERS = 100_000
"""Characters of the text of a subscription in a request: what the language accepts."""
MAX_ADDRESS_CHARACTERS = 2_000
"""Characters of the address of a target, or of a feed."""


def time_of(seconds: float | None) -> dt.datetime | None:
    """Return a time of the broker, which has Unix seconds."""
    try:
        return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)
    except (ValueError, OverflowError):
        return None


class Request(StrictRequest):
    """A request whose texts are limited."""

    model_config = ConfigDict(str_max_length=MAX_QUERY_CHARACTERS)


class TargetRequest(Request):
    """Where notifications are pushed to."""

    kind: Literal["webhook", "email"] = "webhook"
    address: str = Field(min_length=1, max_length=MAX_ADDRESS_CHARACTERS, examples=["https://me.example/hook"])


class TextRequest(Request):
    """The text of a subscription."""

    query: str = Field(min_length=1, description="SPARQL, or a line in the short form.", examples=["topic:health"])
    form: Literal["sparql", "short"] = "sparql"


class SubscribeRequest(TextRequest):
    """A new subscription."""

    validity: Duration | None = Field(None, description='How long it is valid; a day by default. "none": no end.')
    deliver: list[TargetRequest] = Field(default_factory=list, max_length=MAX_TARGETS)
    digest: Duration | None = Field(None, description="Join the notifications of each period of this length.")
    at_most: int | None = Field(None, ge=1, le=2**31 - 1, description="Deliveries allowed within `at_most_period`.")
    at_most_period: Duration | None = Field(None, description="A day by default.")
    join_articles: bool = Field(False, description="Join the same article of several feeds into one notification.")
    backfill: bool = Field(False, description="Notify of matches among the newest retained publications.")
    read_address: bool = Field(True, description="Make addresses for feed readers, which need no ticket.")


class RenewRequest(Request):
    """A renewal."""

    validity: Duration | None = Field(None, description="As long as before by default.")


class TriedPublicationModel(BaseModel):
    """A publication of a dry run, and why it matched or what it lacked."""

    id: str
    title: str
    why: str


class DryRunModel(BaseModel):
    """Which of the newest retained publications a subscription matches."""

    publications: int
    matched: int
    since: dt.datetime | None
    matches: list[TriedPublicationModel]
    nearest: list[TriedPublicationModel]
    note: str | None

    @classmethod
    def of(cls, found: DryRun) -> DryRunModel:
        return cls(
            publications=found.publications,
            matched=found.matched,
            since=time_of(found.since),
            matches=[TriedPublicationModel(id=each.id, title=each.title, why=each.why) for each in found.matches],
            nearest=[TriedPublicationModel(id=each.id, title=each.title, why=each.why) for each in found.nearest],
            note=found.note,
        )


class CheckResponse(BaseModel):
    """What is known about the text of a subscription."""

    query: str = Field(description="The query that is registered: what the short form means.")
    warnings: list[str]
    equal: list[str] = Field(description="Subscriptions of the same key that match the same publications.")
    covering: list[str]
    covered: list[str]
    dry_run: DryRunModel
    forecast: str = Field(description="Expected matches in words.", examples=["about 12 a day"])
    per_day: float | None
    steps: float = Field(description="Cost: steps of the engine per publication.")
    calls_operators: bool

    @classmethod
    def of(cls, found: Registration) -> CheckResponse:
        return cls(
            query=found.query,
            warnings=list(found.warnings),
            equal=list(found.equal),
            covering=list(found.covering),
            covered=list(found.covered),
            dry_run=DryRunModel.of(found.dry_run),
            forecast=found.forecast,
            per_day=found.per_day,
            steps=found.steps,
            calls_operators=found.calls_operators,
        )


class NewTargetResponse(BaseModel):
    """A target that was added. The secret is shown this once."""

    id: str
    kind: str
    address: str
    secret: str

    @classmethod
    def of(cls, new: NewTarget) -> NewTargetResponse:
        return cls(id=new.id, kind=new.kind, address=new.address, secret=new.secret)


class ReadAddressResponse(BaseModel):
    """Addresses that need no ticket. They can be revoked together."""

    feed: str = Field(description="The Atom feed.")
    events: str = Field(description="The event stream.")


class SubscribeResponse(CheckResponse):
    """The acknowledgement of a subscription. The ticket and the secrets are shown this once."""

    id: str
    ticket: str
    expires_at: dt.datetime | None
    backfilled: int
    targets: list[NewTargetResponse]
    read_address: ReadAddressResponse | None
    renew_command: str
    self_url: str


class SubscriptionResponse(BaseModel):
    """A subscription as its owner sees it."""

    id: str
    query: str = Field(description="As it was written.")
    form: str
    created_at: dt.datetime
    expires_at: dt.datetime | None
    validity: float | None = Field(description="Seconds; null for no end.")
    paused: bool
    notifications: int = Field(description="How many it has had.")
    steps: float
    calls_operators: bool
    digest: float | None
    at_most: int | None
    at_most_period: float | None
    join_articles: bool
    has_read_address: bool

    @classmethod
    def of(cls, row: SubscriptionRow) -> SubscriptionResponse:
        return cls(
            id=row.id,
            query=row.query,
            form=row.form,
            created_at=dt.datetime.fromtimestamp(row.created_at, dt.UTC),
            expires_at=time_of(row.expires_at),
            validity=row.validity,
            paused=row.paused,
            notifications=row.last_sequence,
            steps=row.steps,
            calls_operators=row.calls_operators,
            digest=row.digest,
            at_most=row.at_most,
            at_most_period=row.at_most_period,
            join_articles=row.join_articles,
            has_read_address=row.reader_hash is not None,
        )


class ListedSubscription(BaseModel):
    """A subscription in a list."""

    id: str
    query: str
    form: str
    created_at: dt.datetime
    expires_at: dt.datetime | None
    paused: bool
    steps: float
    notifications: int

    @classmethod
    def of(cls, found: OwnedSubscription | SubscriptionRow) -> ListedSubscription:
        count = found.last_sequence if isinstance(found, SubscriptionRow) else found.notifications
        return cls(
            id=found.id,
            query=found.query,
            form=found.form,
            created_at=dt.datetime.fromtimestamp(found.created_at, dt.UTC),
            expires_at=time_of(found.expires_at),
            paused=found.paused,
            steps=found.steps,
            notifications=count,
        )


class SubscriptionList(BaseModel):
    """Subscriptions, the newest first."""

    subscriptions: list[ListedSubscription]


class RenewResponse(BaseModel):
    """The end of a subscription after its renewal; null for no end."""

    id: str
    expires_at: dt.datetime | None
