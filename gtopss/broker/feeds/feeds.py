"""The feeds of a broker: their list, and the poller that fetches them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gtopss.broker.feeds.feed_list import FeedList
from gtopss.broker.feeds.polling import FeedPoller, PollingSettings, Publisher
from gtopss.broker.publishing import new_publication
from gtopss.broker.websub.hub_requests import HubRequests, PushSettings
from gtopss.broker.websub.pushes import Pushes
from gtopss.broker.workers import Step
from gtopss.net import Connector
from gtopss.reading.reader_pool import ReaderPool

if TYPE_CHECKING:
    from gtopss.broker.broker import Broker


class Feeds:
    """Polls feeds and publishes their items. The caller closes it before the broker.

    Feeds are read in processes of their own, so that a feed that takes long to read delays no publisher.
    """

    def __init__(
        self,
        broker: Broker,
        connector: Connector,
        *,
        settings: PollingSettings | None = None,
        push: PushSettings | None = None,
    ) -> None:
        """Create the feeds of a broker. With `push`, the hubs of feeds are asked to push (`gtopss.broker.websub`)."""
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
        self.pushes: Pushes | None = None
        """Receives what hubs push; None if hubs are not asked."""
        self.hub_requests: HubRequests | None = None
        """Asks hubs to push; None if hubs are not asked."""
        if push is not None:
            self.hub_requests = HubRequests(broker.store, connector, push, broker_id=broker.id, clock=broker.clock)
            self.pushes = Pushes(broker.store, self.poller, push, clock=broker.clock, published=broker.published)
            self.poller.after_polls, self.list.after_removal = self.pushes.after_polls, self.pushes.end

    def steps(self) -> list[Step]:
        """Return the steps that `Workers` runs for feeds."""
        steps = [Step("feeds", self.poller.start_due, 1.0)]
        if self.hub_requests is not None:
            steps.append(Step("hubs", self.hub_requests.start_due, 5.0))
        return steps

    def close(self) -> None:
        """Finish the fetches that run, and stop the processes."""
        if self.hub_requests is not None:
            self.hub_requests.close()
        self.poller.close()
        self._readers.close()
