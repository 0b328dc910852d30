from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.deliveries import DeliveryWorld, Receiver, RecordingKind, webhook_receiver

from gtopss.broker.store.sqlite import memory_store


@pytest.fixture
def world() -> Iterator[DeliveryWorld]:
    with memory_store() as store:
        made = DeliveryWorld(store, RecordingKind())
        yield made
        made.schedule.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with webhook_receiver() as made:
        yield made
