"""docs/operate.md: a copy that is made while the broker works is a whole store at one moment."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from support.brokers import about, says

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.store.open_store import open_store


def test_a_restored_backup_has_all_that_was_acknowledged_before_it(tmp_path: Path) -> None:
    path, copy = tmp_path / "broker.db", tmp_path / "copy.db"
    with open_store(f"sqlite:{path}") as store, Broker(store, Engine(matcher="reference")) as broker:
        mine = broker.subscribe(about("v"))
        broker.publish([says("p1", "v")])
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        broker.publish([says("p2", "v")])
        broker.run_pending()
        later = broker.subscribe(about("v"))
    with open_store(f"sqlite:{copy}") as store, Broker(store, Engine(matcher="reference")) as broker:
        broker.run_pending()
        found = broker.notifications(mine.id, mine.ticket)
        assert [each.publications[0].id for each in found] == ["p1"]
        assert broker.renew(mine.id, mine.ticket) is not None
        assert later.id != mine.id
