"""A client of the HTTP service (docs/client.md): `Client` for plain scripts, `AsyncClient` for asyncio.

    from gtopss.client import Client

    with Client("http://127.0.0.1:8080") as client:
        mine = client.subscribe('"open source" -sponsored', form="short")
        for found in client.follow(mine.id, mine.ticket):
            print(found.title, found.link, found.why)

It needs httpx and nothing of the broker's database: `pip install 'gtopss[client]'`.
"""

from gtopss.client.async_client import AsyncClient
from gtopss.client.calls import Document, Target
from gtopss.client.client import Client
from gtopss.client.errors import InvalidResponse, RequestRefused, ServiceError, ServiceUnreachable
from gtopss.client.models import (
    Accepted,
    AddedFeed,
    Check,
    Feed,
    ImportedFeeds,
    Item,
    ListedSubscription,
    NewSubscription,
    Notification,
    Published,
    PublishResult,
    Renewed,
    Subscription,
)

__all__ = [
    "Accepted",
    "AddedFeed",
    "AsyncClient",
    "Check",
    "Client",
    "Document",
    "Feed",
    "ImportedFeeds",
    "InvalidResponse",
    "Item",
    "ListedSubscription",
    "NewSubscription",
    "Notification",
    "PublishResult",
    "Published",
    "Renewed",
    "RequestRefused",
    "ServiceError",
    "ServiceUnreachable",
    "Subscription",
    "Target",
]
