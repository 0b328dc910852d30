"""The client for asyncio: the methods of `Client`, as coroutines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Self, TypeVar

import httpx

from gtopss.broker.errors import InvalidTicket
from gtopss.client import calls
from gtopss.client.calls import Call, Document, Form, Span, Target
from gtopss.client.events import EventDecoder, StreamPlace
from gtopss.client.models import (
    AddedFeed,
    Check,
    Feed,
    ImportedFeeds,
    ListedSubscription,
    Matches,
    NewSubscription,
    Notification,
    Published,
    ReadAddress,
    Renewed,
    Subscription,
)
from gtopss.client.responses import (
    DEFAULT_URL,
    STREAM_TIMEOUT,
    TIMEOUT,
    check_stream,
    checked_address,
    problem_of,
    result_of,
    unreachable,
)

T = TypeVar("T")


class AsyncClient:
    """A client of the HTTP service that `gtopss serve` runs, for asyncio.

    Use it as an asynchronous context manager, which closes its connections. Errors of the service are raised as the
    errors of this project, such as `InvalidQuery`, `InvalidTicket` and `MalformedPublication`; every method raises
    `ServiceUnreachable` if no service answers. docs/client.md has examples.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str | None = None,
        timeout: httpx.Timeout = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Create a client. `key` is an API key, if the service requires one. `transport` and `sleep` are for tests.

        Raises InvalidAddress if `url` does not begin with http:// or https://.
        """
        self.url, self._key, self._sleep = checked_address(url), key, sleep
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, follow_redirects=False)

    # Subscriptions

    async def check(self, query: str, *, form: Form = "sparql") -> Check:
        """Check a query without registering it: warnings, recent items that it matches, and its cost.

        `form` is "sparql" or "short". Raises InvalidSubscription.
        """
        return await self._send(calls.check(query, form))

    async def subscribe(
        self,
        query: str,
        *,
        form: Form = "sparql",
        validity: Span | None = None,
        deliver: Iterable[Target] = (),
        digest: Span | None = None,
        at_most: int | None = None,
        at_most_period: Span | None = None,
        join_articles: bool | None = None,
        backfill: bool | None = None,
    ) -> NewSubscription:
        """Register a subscription, and return it with its ticket. Store the ticket: it cannot be read again.

        `form` is "sparql" or "short". Times are seconds, or texts such as "12h" and "7d". `validity` is the time until
        the subscription expires. `deliver` lists webhooks and e-mail addresses to push matches to. `digest` joins the
        matches of each period into one delivery; `at_most` limits the deliveries per `at_most_period`, which is a day
        by default. `join_articles` sends one notification for an article that several feeds carry. `backfill` also
        sends notifications for stored items that match. Raises InvalidSubscription.
        """
        options = {
            "validity": validity,
            "digest": digest,
            "at_most": at_most,
            "at_most_period": at_most_period,
            "join_articles": join_articles,
            "backfill": backfill,
        }
        return await self._send(calls.subscribe(query, form, deliver, options))

    async def subscription(self, id: str, ticket: str) -> Subscription:
        """Return a subscription with its settings and state. Raises InvalidTicket."""
        return await self._send(calls.subscription(id, ticket))

    async def subscriptions(self) -> tuple[ListedSubscription, ...]:
        """Return the subscriptions of the API key. Without a key, return all, if the service permits it."""
        return (await self._send(calls.subscriptions())).subscriptions

    async def replace(self, id: str, ticket: str, query: str, *, form: Form = "sparql") -> Check:
        """Replace the query of a subscription. Raises InvalidTicket or InvalidSubscription."""
        return await self._send(calls.replace(id, ticket, query, form))

    async def renew(self, id: str, ticket: str, *, validity: Span | None = None) -> Renewed:
        """Renew a subscription: its validity starts again, by default as long as before. Raises InvalidTicket."""
        return await self._send(calls.renew(id, ticket, validity))

    async def unsubscribe(self, id: str, ticket: str) -> None:
        """Delete a subscription and its notifications. Raises InvalidTicket."""
        await self._send(calls.unsubscribe(id, ticket))

    async def pause(self, id: str, ticket: str) -> None:
        """Stop matching a subscription until `resume`. It expires as before. Raises InvalidTicket."""
        await self._send(calls.pause(id, ticket))

    async def resume(self, id: str, ticket: str) -> None:
        """Match a paused subscription again. Raises InvalidTicket."""
        await self._send(calls.resume(id, ticket))

    async def read_address(self, id: str, ticket: str) -> ReadAddress:
        """Create new URLs for feed readers, which need no ticket, and revoke the old ones. Raises InvalidTicket."""
        return await self._send(calls.read_address(id, ticket))

    # Notifications

    async def matches(self, id: str, ticket: str, *, after: int = 0, limit: int = 100) -> Matches:
        """Return up to `limit` stored notifications with numbers above `after`. Raises InvalidTicket."""
        return await self._send(calls.matches(id, ticket, after, limit))

    async def atom_feed(self, id: str, ticket: str) -> str:
        """Return the newest notifications as an Atom feed. Raises InvalidTicket."""
        return await self._send(calls.atom_feed(id, ticket))

    async def follow(self, id: str, ticket: str, *, after: int | None = None) -> AsyncGenerator[Notification, None]:
        """Yield the notifications of a subscription as they arrive, each once, until the subscription ends.

        `after` is the number of a notification to continue after; with 0, it starts with the oldest stored one, and by
        default with the next new one. If the connection is lost, the client reconnects and continues after the last
        notification. Raises InvalidTicket, or ServiceUnreachable if the first connection fails. To leave the loop
        early, close the iterator with `contextlib.aclosing`.
        """
        if after is None:  # a number to continue from, should the first connection break before the first event
            with suppress(InvalidTicket):  # an expired subscription can still be read
                after = (await self.subscription(id, ticket)).notifications
        place = StreamPlace(self.url, after)
        while not place.ended:
            async with aclosing(self._connection(id, ticket, place)) as connection:
                async for found in connection:
                    yield found
            if not place.ended:
                await self._sleep(place.pause())

    async def _connection(self, id: str, ticket: str, place: StreamPlace) -> AsyncGenerator[Notification, None]:
        """Yield what one connection brings, until it ends or breaks."""
        headers = {**place.headers(), "Authorization": f"Bearer {ticket}"}
        url = self.url + calls.events_path(id)
        try:
            async with self._http.stream("GET", url, headers=headers, timeout=STREAM_TIMEOUT) as response:
                if place.waits_after(response.status_code):
                    return
                if not response.is_success:
                    await response.aread()
                    raise problem_of(self.url, response)
                check_stream(self.url, response)
                place.accepted()
                decoder = EventDecoder(self.url)
                async for line in response.aiter_lines():
                    event = decoder.add(line)
                    if event is not None and (found := place.receive(event)) is not None:
                        yield found
                    if place.ended:
                        return
        except httpx.HTTPError as error:
            if not place.connected:
                raise unreachable(self.url, error) from error

    # Publications

    async def publish(
        self, content: bytes | str, content_type: str | None = None, *, id: str | None = None, source: str | None = None
    ) -> Published:
        """Publish an RDF document or a feed. The service has stored it when this method returns.

        `content_type` is its media type, such as "text/turtle"; by default the service detects it. `id` names a
        document that is a single publication, and `source` says where it comes from. Raises MalformedPublication.
        """
        return await self._send(calls.publish(content, content_type, id, source))

    async def publish_many(self, documents: Sequence[Document]) -> Published:
        """Publish several documents with one request. Each has its own result. Raises only if all are refused."""
        return await self._send(calls.publish_many(documents))

    # Feeds

    async def feeds(self) -> tuple[Feed, ...]:
        """Return the polled feeds with their state."""
        return (await self._send(calls.feeds())).feeds

    async def add_feed(self, url: str) -> AddedFeed:
        """Add a feed to the polled feeds, and publish its items. Raises NoFeedFound or FetchError."""
        return await self._send(calls.add_feed(url))

    async def remove_feed(self, url: str) -> None:
        """Stop polling a feed. Its publications stay. Raises FeedNotFound."""
        await self._send(calls.remove_feed(url))

    async def import_opml(self, opml: bytes) -> ImportedFeeds:
        """Add all feeds of an OPML file to the polled feeds."""
        return await self._send(calls.import_opml(opml))

    async def export_opml(self) -> str:
        """Return the polled feeds as OPML."""
        return await self._send(calls.export_opml())

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _send(self, call: Call[T]) -> T:
        try:
            response = await self._http.request(
                call.method,
                self.url + call.path,
                params=call.parameters,
                content=call.content,
                headers=call.headers(self._key),
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise unreachable(self.url, error) from error
        return result_of(call, self.url, response)
