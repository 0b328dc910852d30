"""Requests and responses about polled feeds."""

from __future__ import annotations

import datetime as dt

from pydantic import BaseModel, Field

from gtopss.broker.feeds.feed_list import AddedFeed, FeedHealth, ImportedFeeds, PushHealth
from gtopss.http.models.subscriptions import MAX_ADDRESS_CHARACTERS, Request, time_of


class PushModel(BaseModel):
    """What the WebSub hub of a feed does."""

    hub: str
    state: str = Field(description="pushing, demoted (polled as usual until the next push), requested or failing.")
    lease_end: dt.datetime | None
    pushed_at: dt.datetime | None
    pushes: int
    refused_pushes: int = Field(description="With a wrong signature or topic.")
    polls_saved: float = Field(description="Fetches that were not needed because the hub pushes.")
    error: str | None

    @classmethod
    def of(cls, push: PushHealth) -> PushModel:
        return cls(
            hub=push.hub,
            state=push.state,
            lease_end=time_of(push.lease_end),
            pushed_at=time_of(push.pushed_at),
            pushes=push.pushes,
            refused_pushes=push.refused_pushes,
            polls_saved=round(push.polls_saved, 1),
            error=push.error,
        )


class FeedModel(BaseModel):
    """A polled feed, and how it is doing."""

    url: str
    title: str | None
    added_at: dt.datetime
    last_success_at: dt.datetime | None
    last_error: str | None
    failures: int = Field(description="Failures in a row.")
    gone: bool
    items_per_day: float
    last_item_at: dt.datetime | None
    next_due_at: dt.datetime | None
    moved_to: str | None
    push: PushModel | None = Field(
        description="The hub of the feed; null if it names none, or --public-url is not set."
    )

    @classmethod
    def of(cls, health: FeedHealth) -> FeedModel:
        return cls(
            url=health.url,
            title=health.title,
            added_at=dt.datetime.fromtimestamp(health.added_at, dt.UTC),
            last_success_at=time_of(health.last_success_at),
            last_error=health.last_error,
            failures=health.failures,
            gone=health.gone,
            items_per_day=health.items_per_day,
            last_item_at=time_of(health.last_item_at),
            next_due_at=time_of(health.next_due_at),
            moved_to=health.moved_to,
            push=None if health.push is None else PushModel.of(health.push),
        )


class FeedListResponse(BaseModel):
    """The polled feeds, in the order of their URLs."""

    feeds: list[FeedModel]


class AddFeedRequest(Request):
    """A feed, or a page that names one."""

    url: str = Field(min_length=1, max_length=MAX_ADDRESS_CHARACTERS, examples=["https://site.example/feed"])


class AddFeedResponse(BaseModel):
    """A feed that is polled now."""

    url: str
    title: str | None
    items: int = Field(description="Items that were published.")
    is_new: bool

    @classmethod
    def of(cls, added: AddedFeed) -> AddFeedResponse:
        return cls(url=added.url, title=added.title, items=added.items, is_new=added.is_new)


class RefusedFeed(BaseModel):
    """An entry of an OPML list that cannot be polled."""

    url: str
    reason: str


class ImportResponse(BaseModel):
    """What came of an OPML list. New feeds are fetched within the next half hour."""

    added: int
    known: int
    refused: list[RefusedFeed]

    @classmethod
    def of(cls, imported: ImportedFeeds) -> ImportResponse:
        refused = [RefusedFeed(url=url, reason=reason) for url, reason in imported.refused]
        return cls(added=imported.added, known=imported.known, refused=refused)
