"""Requests and responses for operators, and what the page needs besides."""

from __future__ import annotations

import datetime as dt

from pydantic import BaseModel, Field

from gtopss.broker.owners import DEFAULT_ROLES, Role
from gtopss.broker.store.owner_rows import OwnerRow
from gtopss.http.models.subscriptions import Request

MAX_NAME_CHARACTERS = 200
"""Characters of the name of an API key."""


class HealthResponse(BaseModel):
    """Whether the service runs."""

    status: str = Field(examples=["ok"])
    version: str


class ReadyResponse(BaseModel):
    """Whether the service can do its work: the store can be written, and the workers run."""

    status: str = Field(examples=["ready"])
    store: str
    durable: bool


class CostModel(BaseModel):
    """What one subscription costs."""

    subscription: str
    steps: int = Field(description="Steps of the engine since it started.")
    query: str | None
    form: str | None
    notifications: int | None


class CostsResponse(BaseModel):
    """The most expensive subscriptions, and those with the most notifications."""

    expensive: list[CostModel]
    busy: list[CostModel]


class StatsResponse(BaseModel):
    """Figures for a page."""

    version: str
    store: str
    durable: bool
    keys_required: bool
    started_at: dt.datetime
    subscriptions: int
    publications: int = Field(description="Accepted since the store was created.")
    publications_waiting: int
    targets: int
    targets_due: int
    targets_disabled: int
    dead_letters: int
    feeds: int
    feeds_failing: int
    event_stream_clients: int
    delivery_kinds: list[str]
    ontology: str | None
    classes: int


class TermModel(BaseModel):
    """A class of the ontology."""

    iri: str
    term: str = Field(description="Ready to paste into a query.", examples=["medtop:07000000"])
    label: str | None
    labels: list[str]
    below: int = Field(description="Classes and members below it.")
    parents: list[str]


class TermsResponse(BaseModel):
    """Classes whose labels have the words; similar ones if there are none."""

    terms: list[TermModel]


class TemplateModel(BaseModel):
    """A subscription to start from."""

    id: str
    title: str
    group: str = Field(description='"topic", "words", "author", "place", "class" or "example".')
    description: str
    form: str
    query: str


class TemplatesResponse(BaseModel):
    """Subscriptions to start from."""

    templates: list[TemplateModel]


class NewKeyRequest(Request):
    """A new API key."""

    name: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS, pattern=r"^[^\x00-\x1f\x7f]*$")
    roles: list[Role] = Field(default_factory=lambda: list(DEFAULT_ROLES), min_length=1, max_length=3)
    max_subscriptions: int | None = Field(None, ge=0, le=2**31 - 1)
    max_steps: float | None = Field(None, ge=0, le=1e18)


class NewKeyResponse(BaseModel):
    """An API key, shown this once."""

    id: str
    name: str
    key: str
    roles: list[Role]


class KeyModel(BaseModel):
    """An API key, without the key itself."""

    id: str
    name: str
    roles: list[str]
    created_at: dt.datetime
    subscriptions: int
    max_subscriptions: int

    @classmethod
    def of(cls, row: OwnerRow) -> KeyModel:
        return cls(
            id=row.id,
            name=row.name,
            roles=row.roles.split(),
            created_at=dt.datetime.fromtimestamp(row.created_at, dt.UTC),
            subscriptions=row.subscriptions,
            max_subscriptions=row.max_subscriptions,
        )


class KeyList(BaseModel):
    """All API keys, the oldest first."""

    keys: list[KeyModel]


class DeletedKeyResponse(BaseModel):
    """How many subscriptions were deleted with a key."""

    subscriptions: int
