"""A running broker: its store, its deliveries, its feeds and the threads that do its work."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from types import TracebackType
from typing import Self

from gtopss.broker.broker import Broker
from gtopss.broker.delivery.deliveries import DUE_SPACING_SECONDS, Deliveries
from gtopss.broker.delivery.email import EmailDelivery
from gtopss.broker.delivery.kind import DeliveryKind
from gtopss.broker.delivery.webhook import WebhookDelivery
from gtopss.broker.feeds.feeds import Feeds
from gtopss.broker.owners import NewOwner
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.statistics import StoreStatistics, read_statistics
from gtopss.broker.store.store import Store
from gtopss.broker.store.subscription_rows import SubscriptionRow
from gtopss.broker.websub.distribution import Distribution
from gtopss.broker.websub.followers import Followers
from gtopss.broker.websub.hub_requests import PushSettings
from gtopss.broker.workers import Step, Workers
from gtopss.engine import Engine
from gtopss.engine.loading import load_isolated_taxonomy
from gtopss.engine.taxonomy_input import infer_taxonomy
from gtopss.errors import MalformedPublication
from gtopss.feeds.namespaces import GTOPSS
from gtopss.feeds.writing import FeedHeader
from gtopss.http.access import Access
from gtopss.http.examples import publish_examples
from gtopss.http.live_events import LiveEvents
from gtopss.http.metrics import Metrics
from gtopss.http.publish_queue import PublishQueue
from gtopss.http.route_threads import RouteThreads
from gtopss.http.settings import ServiceSettings
from gtopss.net import Connector
from ontology import Taxonomy

Progress = Callable[[str], None]
MAX_TITLE_CHARACTERS = 80
"""Characters of a subscription's text in the title of its feed."""


class Service:
    """Owns the store, the broker, its deliveries, feeds and workers. A context manager that closes all of them.

    `start` runs the workers. Without it, `broker.run_pending()` does what is due, as tests want it.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        *,
        clock: Callable[[], float] = time.time,
        store: Store | None = None,
        engine: Engine | None = None,
        connector: Connector | None = None,
        progress: Progress = lambda message: None,
    ) -> None:
        """Open everything. Raises a StoreError, an InvalidTaxonomy or another GtopssError.

        `store` and `engine` are opened and made as the settings say, unless they are given. The caller closes a store
        that it gives.
        """
        self.settings, self.clock = settings, clock
        self.metrics = Metrics()
        self._closing = ExitStack()
        self.workers: Workers | None = None
        with ExitStack() as opened:
            self.store = opened.enter_context(open_store(settings.store)) if store is None else store
            made = engine if engine is not None else _engine(settings, progress)
            self.taxonomy: Taxonomy = made.taxonomy
            keys = settings.keys_required
            config = replace(settings.broker, anonymous_subscribing=not keys, anonymous_publishing=not keys)
            self.broker = opened.enter_context(Broker(self.store, made, config, clock=clock))
            connector = Connector(allow=settings.allow) if connector is None else connector
            kinds: dict[str, DeliveryKind] = {"webhook": WebhookDelivery(connector)}
            if settings.smtp is not None:
                kinds["email"] = EmailDelivery(settings.smtp)
            self.delivery_kinds = tuple(kinds)
            self.deliveries = Deliveries(self.broker, kinds)
            opened.callback(self.deliveries.close)
            self.feeds = Feeds(self.broker, connector, push=_push_settings(settings))
            opened.callback(self.feeds.close)
            self.followers = Followers(self.store, connector, clock=clock)
            self.distribution = Distribution(
                self.store,
                connector,
                self.broker.composer.compose,
                lambda row, topic: feed_header(row, topic, hub_of_topic(topic)),
                broker_id=self.broker.id,
                clock=clock,
            )
            opened.callback(self.distribution.close)
            self.access = Access(self.broker, keys_required=keys)
            self.live = LiveEvents(self.broker.arrivals, most_clients=settings.max_event_streams)
            opened.callback(self.live.close_threads)
            self.route_threads = RouteThreads()
            opened.callback(self.route_threads.close)
            self.publish_queue = PublishQueue(self.broker, self.route_threads)
            self.started_at = clock()
            self._closing = opened.pop_all()

    def prepare(self, progress: Progress = lambda message: None) -> None:
        """Publish the examples, and read the list of feeds. Nothing is matched yet."""
        if self.settings.opml is not None:
            try:
                imported = self.feeds.list.import_opml(self.settings.opml.read_bytes())
            except MalformedPublication as error:
                raise MalformedPublication(error.reason, publication_id=str(self.settings.opml)) from None
            progress(f"{imported.added} new feeds from {self.settings.opml}, {len(imported.refused)} refused")
        if self.settings.examples is not None:
            publish_examples(self.broker, self.settings.examples, progress)

    def start(self, progress: Progress = lambda message: None) -> None:
        """Prepare, and run the workers."""
        self.prepare(progress)
        self.run_workers()

    def run_workers(self) -> None:
        """Run the workers until the service is closed."""
        followers = Step("followers", self.distribution.start_due, 1.0, spacing=DUE_SPACING_SECONDS)
        self.workers = Workers(self.broker, [*self.deliveries.steps(), *self.feeds.steps(), followers])
        self.workers.start()
        self._closing.callback(self.workers.stop)

    def statistics(self) -> StoreStatistics:
        """Return how much the store has, and how much waits."""
        now = self.clock()
        return self.store.read(lambda connection: read_statistics(connection, now))

    def create_administrator(self) -> NewOwner | None:
        """Store the configured administrator's key; without one, create a key if there is no administrator yet."""
        return self.broker.owners.create_administrator(self.settings.administrator_key)

    def close(self) -> None:
        """Stop the workers when their steps are done, and close everything."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def feed_header(row: SubscriptionRow, self_link: str, hub_link: str | None) -> FeedHeader:
    """Return what the feed of a subscription says about itself."""
    shown = " ".join(row.query.split())
    title = f"gtopss: {shown if len(shown) <= MAX_TITLE_CHARACTERS else f'{shown[:MAX_TITLE_CHARACTERS]}…'}"
    return FeedHeader(title=title, id=f"{GTOPSS}subscription:{row.id}", self_link=self_link, hub_link=hub_link)


def hub_of_topic(topic: str) -> str:
    """Return the address of the hub for an address of a feed, `.../read/{id}/{token}/feed.atom`."""
    return f"{topic.rsplit('/read/', 1)[0]}/hub"


def _push_settings(settings: ServiceSettings) -> PushSettings | None:
    """Return how hubs of feeds are asked to push; None if they would not know where to."""
    if settings.public_url is None:
        return None
    return PushSettings(f"{settings.public_url.rstrip('/')}/websub")


def _engine(settings: ServiceSettings, progress: Progress) -> Engine:
    if settings.ontology is None:
        return Engine(settings.engine)
    progress(f"reading the ontology {settings.ontology}")
    if settings.reasoner is not None:
        taxonomy = infer_taxonomy(settings.ontology, settings.reasoner, settings.cycles)
        return Engine(settings.engine, taxonomy=taxonomy)
    return Engine(settings.engine, taxonomy=load_isolated_taxonomy(settings.ontology, cycles=settings.cycles))
