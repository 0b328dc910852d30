from __future__ import annotations

from dataclasses import replace

from gtopss.broker.store import owner_rows
from gtopss.broker.store.owner_rows import OwnerRow
from gtopss.broker.store.sqlite import memory_store


def test_an_owner_is_found_by_id_and_by_key_until_it_is_deleted() -> None:
    row = OwnerRow("o", "Ann", b"hash", 5, None, 1.0)
    with memory_store() as store:
        store.write(lambda connection: owner_rows.insert(connection, row))
        store.write(lambda connection: owner_rows.insert(connection, replace(row, name="Bob")))
        assert store.read(lambda connection: owner_rows.get(connection, "o", lock=True)) == row
        assert store.read(lambda connection: owner_rows.by_key_hash(connection, b"hash")) == row
        assert store.read(lambda connection: owner_rows.by_key_hash(connection, b"other")) is None
        store.write(lambda connection: owner_rows.add_usage(connection, "o", 2, 1.5))
        store.write(lambda connection: owner_rows.add_usage(connection, "o", -1, -0.5))
        store.write(lambda connection: owner_rows.set_quota(connection, "o", 7, 8.0))
        used = store.read(lambda connection: owner_rows.get(connection, "o"))
        assert used == replace(row, subscriptions=1, steps=1.0, max_subscriptions=7, max_steps=8.0)
        store.write(lambda connection: owner_rows.delete(connection, "o"))
        assert store.read(lambda connection: owner_rows.get(connection, "o")) is None
