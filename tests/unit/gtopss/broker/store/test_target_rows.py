from __future__ import annotations

from sqlalchemy import Connection, select
from support.postgresql_server import PostgresqlServer

from gtopss.broker.store import target_rows
from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import targets
from gtopss.broker.store.target_rows import SigningSecret, Target, TargetState


def test_a_target_that_is_read_to_be_changed_is_locked_for_other_brokers(postgresql: PostgresqlServer) -> None:
    """Otherwise an attempt that another broker records meanwhile is undone by the change."""
    url = postgresql.new_store_url()
    target = Target("t", "s", "webhook", "http://a.example/", (SigningSecret("x"),), TargetState.ACTIVE)
    with open_store(url) as one, open_store(url) as two:
        one.write(lambda connection: target_rows.insert_target(connection, target))

        def free(connection: Connection) -> list[str]:
            return list(connection.scalars(select(targets.c.id).with_for_update(skip_locked=True)))

        def change(connection: Connection) -> list[str]:
            assert target_rows.target_of(connection, "s", "t", lock=True) == target
            return two.write(free)

        assert one.write(change) == []
        assert two.write(free) == ["t"]
