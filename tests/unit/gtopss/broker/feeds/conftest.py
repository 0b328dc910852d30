from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.polled_feeds import FeedWorld, feed_world

from gtopss.broker.store.sqlite import memory_store


@pytest.fixture
def world() -> Iterator[FeedWorld]:
    with memory_store() as store, feed_world(store) as made:
        yield made
