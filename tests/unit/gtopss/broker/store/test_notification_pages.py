from __future__ import annotations

import pytest
from support.brokers import about, memory_broker, says

from gtopss.broker.broker import Broker
from gtopss.broker.delivery.json_lines import json_lines
from gtopss.broker.store import notification_pages
from gtopss.broker.store.notification_pages import page_after


def sequences(broker: Broker, id: str, after: int, limit: int) -> tuple[list[int], bool]:
    rows, is_last = broker.store.read(lambda connection: page_after(connection, id, after, limit))
    return [row.sequence for row in rows], is_last


def test_a_page_is_bounded_in_rows_and_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_broker() as broker:
        one = broker.subscribe(about("a"))
        broker.publish([says(f"p{number}", "a", *(f"value-{n}" for n in range(20))) for number in range(6)])
        broker.run_pending()
        assert sequences(broker, one.id, 0, 4) == ([1, 2, 3, 4], False)
        assert sequences(broker, one.id, 4, 4) == ([5, 6], True)
        assert sequences(broker, one.id, 6, 4) == ([], True)
        monkeypatch.setattr(notification_pages, "MAX_READ_BYTES", 1_500)  # a publication has about 600
        assert sequences(broker, one.id, 0, 4) == ([1, 2], False)
        monkeypatch.setattr(notification_pages, "MAX_READ_BYTES", 1)
        assert sequences(broker, one.id, 0, 4) == ([1], False)
        assert len(broker.notifications(one.id, one.ticket)) == 1
        assert len(list(json_lines(broker.store, broker.composer.compose, one.id))) == 6
