"""docs/operate.md: a dump of PostgreSQL that is made while the broker works is a whole store at one moment."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.brokers import about, says
from support.postgresql_server import PostgresqlServer, server_programs

from gtopss import Engine
from gtopss.broker.broker import Broker
from gtopss.broker.store.open_store import open_store


def database(server: PostgresqlServer, name: str) -> str:
    """Create an empty database and return its URL."""
    server.execute(f"CREATE DATABASE {name}")
    return server.url.replace("/postgres?", f"/{name}?")


@pytest.mark.slow
def test_a_restored_dump_has_all_that_was_acknowledged_before_it(postgresql: PostgresqlServer, tmp_path: Path) -> None:
    programs, dump = server_programs(), tmp_path / "store.dump"
    assert programs is not None
    first, second = database(postgresql, "dumped"), database(postgresql, "restored")
    with open_store(first) as store, Broker(store, Engine(matcher="reference")) as broker:
        mine = broker.subscribe(about("v"))
        broker.publish([says("p1", "v")])
        subprocess.run([programs / "pg_dump", "--format=custom", f"--file={dump}", first], check=True)
        broker.publish([says("p2", "v")])
        broker.run_pending()
    subprocess.run([programs / "pg_restore", f"--dbname={second}", "--exit-on-error", dump], check=True)
    with open_store(second) as store, Broker(store, Engine(matcher="reference")) as broker:
        broker.run_pending()
        found = broker.notifications(mine.id, mine.ticket)
        assert [each.publications[0].id for each in found] == ["p1"]
        broker.publish([says("p3", "v")])  # the counters of numbers are restored too
        broker.run_pending()
        found = broker.notifications(mine.id, mine.ticket)
        assert [each.publications[0].id for each in found] == ["p1", "p3"]
