"""Clients of the HTTP service that `gtopss serve` runs: `Client`, and `AsyncClient` for asyncio (docs/client.md).

    from gtopss.client import Client

    with Client("http://127.0.0.1:8080") as client:
        mine = client.subscribe('"open source" -sponsored', form="short")
        for found in client.follow(mine.id, mine.ticket):
            print(found.title, found.link, found.why)

Install it with `pip install 'gtopss[client]'`. It needs httpx, and not the packages of the broker's database.
"""

from gtopss.extras import require_extra

require_extra("client", "gtopss.client")

from gtopss.client.async_client import AsyncClient  # noqa: E402
from gtopss.client.calls import Document, Target  # noqa: E402
from gtopss.client.client import Client  # noqa: E402
from gtopss.client.errors import (  # noqa: E402
    InvalidAddress,
    InvalidResponse,
    RequestRefused,
    ServiceError,
    ServiceUnreachable,
)
from gtopss.client.models import (  # noqa: E402
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
    "InvalidAddress",
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
