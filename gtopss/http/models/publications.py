"""Requests and responses about publications."""

from __future__ import annotations

import datetime as dt
from typing import Any

from pydantic import BaseModel, Field

from gtopss.broker.publishing import PublishResult
from gtopss.broker.store.publication_rows import ListedPublication
from gtopss.feeds.entries import entry_of
from gtopss.http.models.problems import Problem
from gtopss.http.models.requests import StrictRequest
from gtopss.http.models.subscriptions import MAX_ADDRESS_CHARACTERS, TextRequest, time_of

MAX_DOCUMENTS = 1_000
"""Documents of one request."""
MAX_LISTED_SUMMARY_CHARACTERS = 500
"""Characters of an item's description in the list of publications; a longer one is cut."""


class PublishParameters(BaseModel):
    """The parameters of a request that publishes one document."""

    id: str | None = Field(None, max_length=1_000, description="The id of the one publication in it.")
    source: str | None = Field(None, max_length=MAX_ADDRESS_CHARACTERS, description="Where the document comes from.")


class DocumentRequest(StrictRequest):
    """One of several documents."""

    content: str
    content_type: str | None = Field(None, max_length=200, description="Without it, the content decides.")
    id: str | None = Field(None, max_length=1_000, description="The id of the one publication in it.")
    source: str | None = Field(None, max_length=MAX_ADDRESS_CHARACTERS)


class DocumentsRequest(StrictRequest):
    """Several documents. Each gets its own acknowledgement."""

    documents: list[DocumentRequest] = Field(min_length=1, max_length=MAX_DOCUMENTS)


class AcceptedModel(BaseModel):
    """A publication that is stored."""

    id: str
    number: int | None = Field(description="null for a duplicate.")
    duplicate: bool


class PublishResultModel(BaseModel):
    """The acknowledgement of one document, or why it was refused."""

    publications: list[AcceptedModel]
    warnings: list[str]
    error: Problem | None

    @classmethod
    def of(cls, result: PublishResult, error: Problem | None) -> PublishResultModel:
        return cls(
            publications=[
                AcceptedModel(id=each.id, number=each.number, duplicate=each.is_duplicate)
                for each in result.publications
            ],
            warnings=list(result.warnings),
            error=error,
        )


class PublishResponse(BaseModel):
    """One result for each document, in their order."""

    durable: bool = Field(description="Whether the store survives the end of the process.")
    results: list[PublishResultModel]


class ListedPublicationModel(BaseModel):
    """A retained publication."""

    number: int
    id: str
    title: str
    link: str | None
    summary: str | None
    authors: list[str]
    categories: list[str]
    source: str | None
    source_title: str | None
    published_at: dt.datetime | None
    received_at: dt.datetime
    triples: int
    matched: bool = Field(description="Whether it was matched with the subscriptions.")
    error: str | None

    @classmethod
    def of(cls, listed: ListedPublication) -> ListedPublicationModel:
        row, entry = listed.row, entry_of(listed.row.publication())
        summary = entry.summary
        if summary is not None and len(summary) > MAX_LISTED_SUMMARY_CHARACTERS:
            summary = f"{summary[:MAX_LISTED_SUMMARY_CHARACTERS]}…"
        return cls(
            number=row.number,
            id=row.id,
            title=entry.title,
            link=entry.link,
            summary=summary,
            authors=list(entry.authors),
            categories=list(entry.categories),
            source=row.source,
            source_title=entry.source,
            published_at=time_of(row.published_at),
            received_at=dt.datetime.fromtimestamp(row.received_at, dt.UTC),
            triples=row.triples,
            matched=listed.matched,
            error=listed.error,
        )


class PublicationList(BaseModel):
    """Publications, the newest first. `next_before` continues the list; null at its end."""

    publications: list[ListedPublicationModel]
    next_before: int | None


class ExplanationResponse(BaseModel):
    """Why a publication matches a subscription, or what is missing."""

    publication: str
    subscription: str
    matched: bool
    text: str
    explanation: dict[str, Any] = Field(description="docs/explain.md describes it.")


class ExplainRequest(TextRequest):
    """The text of a subscription that need not be registered."""
