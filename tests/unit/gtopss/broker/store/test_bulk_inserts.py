from __future__ import annotations

import pytest
from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from gtopss.broker.store.bulk_inserts import ROWS_PER_STATEMENT, insert_new_rows, insert_rows
from gtopss.broker.store.store import Store
from gtopss.broker.store.tables import counters

COLUMNS = ("name", "value")


def values(connection: Connection) -> dict[str, int]:
    return {name: value for name, value in connection.execute(select(counters)) if name.startswith("n")}


@pytest.mark.parametrize("count", [0, 1, ROWS_PER_STATEMENT, 2 * ROWS_PER_STATEMENT + 1])
def test_all_rows_are_inserted(store: Store, count: int) -> None:
    rows = [(f"n{number}", number) for number in range(count)]
    store.write(lambda connection: insert_rows(connection, "counters", COLUMNS, rows))
    assert store.read(values) == dict(rows)


def test_rows_that_are_there_are_refused_ignored_or_left_out_of_the_result(store: Store) -> None:
    store.write(lambda connection: insert_rows(connection, "counters", COLUMNS, [("n1", 1)]))
    both = [("n1", 5), ("n2", 6)]
    with pytest.raises(IntegrityError):
        store.write(lambda connection: insert_rows(connection, "counters", COLUMNS, both))
    assert store.read(values) == {"n1": 1}
    new = store.write(lambda connection: list(insert_new_rows(connection, "counters", COLUMNS, both, ("name",))))
    assert [tuple(row) for row in new] == [("n2",)]
    store.write(lambda connection: insert_rows(connection, "counters", COLUMNS, [*both, ("n3", 7)], ignore=True))
    assert store.read(values) == {"n1": 1, "n2": 6, "n3": 7}
