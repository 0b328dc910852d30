from __future__ import annotations

import pytest

from gtopss.broker.store.bulk_inserts import insert_rows
from gtopss.broker.store.bulk_selects import KEYS_PER_STATEMENT, select_by_keys
from gtopss.broker.store.store import Store

COLUMNS = ("feed", "item", "digest", "listed_at")
KEY = ("feed", "item")


@pytest.mark.parametrize("count", [0, 1, KEYS_PER_STATEMENT, 2 * KEYS_PER_STATEMENT + 1])
def test_rows_are_found_by_their_whole_keys(store: Store, count: int) -> None:
    rows = [
        (f"f{number % 7}", f"i{number}", b"\0\\x" + bytes([number % 256]), float(number)) for number in range(count)
    ]
    others = [("f0", "i1", b"", 0.0), ("f1", "i0", b"", 0.0)]
    store.write(lambda connection: insert_rows(connection, "feed_items", COLUMNS, [*rows, *others]))
    keys = [*((feed, item) for feed, item, _, _ in rows), ("f0", "it's not there"), ("no feed", "i0")]
    found = store.read(lambda connection: list(select_by_keys(connection, "feed_items", KEY, keys, COLUMNS)))
    assert sorted((feed, item, bytes(digest), at) for feed, item, digest, at in found) == sorted(rows)


def test_without_keys_nothing_is_read(store: Store) -> None:
    assert store.read(lambda connection: list(select_by_keys(connection, "feed_items", KEY, [], COLUMNS))) == []
