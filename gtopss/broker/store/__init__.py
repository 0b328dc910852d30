"""The broker's database.

tables.py         the tables
open_store.py     opens the store that a URL names
store.py          changes in groups, and reads
database.py       what a store needs to know about a database
sqlite.py         SQLite, in a file or in memory
postgresql.py     PostgreSQL
migrate.py        creates the tables and brings older ones up to date; migrations/ has the revisions
new_revision.py   writes the next revision
leases.py         claims of rows for a while
counters.py       numbers in the order of commits
retention.py      deletes old rows
*_rows.py         operations on the rows of one table, as functions of a connection

A statement that is built for each change costs several times as much as its execution: build it once, with `bindparam`
or parameters of `execute`. Where many callers do the same at the same time, use `Store.submit_item` with a change that
handles several items by one statement.
"""

from gtopss.extras import require_extra

require_extra("broker", "the broker's store")
