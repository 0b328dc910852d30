from __future__ import annotations

from gtopss.broker.store.sqlite import memory_store
from gtopss.broker.store.tables import counters
from gtopss.broker.store.upserts import MAX_LISTED_VALUES, in_parts, insert_or_ignore


def test_a_row_that_is_there_is_left_as_it_is() -> None:
    with memory_store() as store:
        for value in (1, 2):
            row = {"name": "a", "value": value}
            store.write(lambda connection, row=row: connection.execute(insert_or_ignore(connection, counters), row))
        assert store.read(lambda connection: connection.execute(counters.select()).fetchall()) == [("a", 1)]


def test_long_lists_are_split() -> None:
    values = list(range(2 * MAX_LISTED_VALUES + 1))
    assert [value for part in in_parts(values) for value in part] == values
    assert max(map(len, in_parts(values))) == MAX_LISTED_VALUES
    assert list(in_parts([])) == []
