"""The feeds of a broker: their list, and the poller that fetches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gtopss.broker.feeds.feed_list import FeedList
from gtopss.broker.feeds.polling import FeedPoller, PollingSettings, Publisher
from gtopss.broker.publishing import new_publication
from gtopss.broker.workers import Step
from gtopss.net import Connector
from gtopss.reading.reader_pool import ReaderPool

if TYPE_CHECKING:
    from gtopss.broker.broker import Broker


class Feeds:
    """Polls feeds and publishes their items. The caller closes it before the broker.

    Feeds are read in processes of their own, so that a feed that takes long to read delays no publisher.
    """

    def __init__(self, broker: Broker, connector: Connector, *, settings: PollingSettings | None = None) -> None:
        self._readers = ReaderPool(broker.config.reader_processes, limits=broker.publishing.limits)
        publisher = Publisher(self._readers.read_document, new_publication, broker.publishing.insert)
        self.poller = FeedPoller(
            broker.store,
            connector,
            publisher,
            broker_id=broker.id,
            settings=settings,
            clock=broker.clock,
            published=broker.published,
        )
        """Fetches the feeds that are due."""
        self.list = FeedList(broker.store, self.poller, clock=broker.clock)
        """Adds, removes and lists feeds."""

    def steps(self) -> list[Step]:
        """Return the steps that `Workers` runs for feeds."""
        return [Step("feeds", self.poller.start_due, 1.0)]

    def close(self) -> None:
        """Finish the fetches that run, and stop the processes."""
        self.poller.close()
        self._readers.close()
