"""Write to a store from several threads until killed, and print each change when it is acknowledged.

`python killed_store.py URL FIRST`: the changes are numbered from FIRST. A change writes a row to each of two tables.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import partial
from itertools import count

from sqlalchemy import Connection, insert

from gtopss.broker.store.open_store import open_store
from gtopss.broker.store.tables import counters, feed_items

THREADS = 4


def both_rows(connection: Connection, number: int) -> None:
    """Write one row to each of two tables: they must be there together."""
    connection.execute(insert(counters).values(name=f"c{number}", value=number))
    item = {"feed": "f", "item": f"c{number}", "digest": b"d" * (number * 37 % 3_000), "listed_at": 1.0}
    connection.execute(insert(feed_items).values(**item))


def main() -> None:
    """Write until killed."""
    store = open_store(sys.argv[1])
    numbers = count(int(sys.argv[2]))

    def work() -> None:
        while True:
            number = next(numbers)
            store.write(partial(both_rows, number=number))
            os.write(1, f"{number}\n".encode())  # whole lines, also when killed

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
