"""SQLite with one table per shape: the peer that a programmer with a database would build."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from gtopss.experiments.peers.shape_sql import Join, shape_join
from gtopss.experiments.peers.subscription_shapes import Shape, ShapeGroup, declined_without_shapes, group_by_shape
from gtopss.experiments.peers.term_numbers import ClassMembership, TermNumbers, comparable_value
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

PRAGMAS = ("journal_mode=OFF", "synchronous=OFF", "temp_store=MEMORY", "locking_mode=EXCLUSIVE", "cache_size=-1000000")
MAX_COMPOUND_SELECTS = 500  # per statement, SQLite's limit
UNBOUNDED = 3e38  # above every value, within the R*Tree's 32-bit floats


class SQLiteByShape:
    """Write an item's triples to a small table, and join them with the tables of all shapes in one statement."""

    name = "SQLite by shape"
    tuning = (
        "in memory, no journal; terms as integers; a WITHOUT ROWID table per shape keyed by all its constants, an "
        "R*Tree where it has ranges; the join order forced by CROSS JOIN; all shapes in one prepared UNION ALL"
    )

    def declines(self, workload: Workload) -> str | None:
        return declined_without_shapes(workload, 10_000)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self._numbers, self._membership = TermNumbers(), ClassMembership(taxonomy)
        self._ids, groups = group_by_shape(subscriptions)
        self._ranges = any(group.shape.ranges() for group in groups)
        self._is_a = any(group.shape.is_a() for group in groups)
        self._database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=1_000)
        for pragma in PRAGMAS:
            self._database.execute(f"PRAGMA {pragma}")
        self._create("item (p, s, o, PRIMARY KEY (p, s, o)) WITHOUT ROWID")
        self._create("kind (node, instance, class, PRIMARY KEY (node, instance, class)) WITHOUT ROWID")
        self._create("value (node INTEGER PRIMARY KEY, value REAL)")
        self._database.execute("BEGIN")
        selects = [self._store_group(f"t{place}", group) for place, group in enumerate(groups)]
        self._database.execute("COMMIT")
        self._database.execute("ANALYZE")
        cuts = range(0, len(selects), MAX_COMPOUND_SELECTS)
        self._statements = [" UNION ALL ".join(selects[cut : cut + MAX_COMPOUND_SELECTS]) for cut in cuts]

    def match_many(self, publications: Sequence[Publication]) -> Iterator[set[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> set[str]:
        run, number = self._database.execute, self._numbers.of_publication()
        run("BEGIN")
        triples = [(number[p], number[s], number[o]) for s, p, o in publication.triples]
        self._database.executemany("INSERT INTO item VALUES (?, ?, ?)", triples)
        if self._ranges:
            values = [(number[o], v) for _, _, o in publication.triples if (v := comparable_value(o)) is not None]
            self._database.executemany("INSERT OR IGNORE INTO value VALUES (?, ?)", values)
        if self._is_a:
            kinds = [
                (number[node], instance, number[cls]) for node, cls, instance in self._membership.rows(publication)
            ]
            self._database.executemany("INSERT INTO kind VALUES (?, ?, ?)", kinds)
        found = {self._ids[row] for statement in self._statements for (row,) in run(statement)}
        for table in ("item", "value", "kind"):
            run(f"DELETE FROM {table}")
        run("COMMIT")
        return found

    def _create(self, table: str) -> None:
        self._database.execute(f"CREATE TABLE {table}")

    def _store_group(self, table: str, group: ShapeGroup) -> str:
        """Fill the table of a shape; return the SELECT that finds its matching rows."""
        if group.shape.ranges():
            return self._store_boxes(table, group)
        columns = [f"c{place}" for place in range(group.shape.parameters)]
        self._create(
            f"{table} ({', '.join([*columns, 'id'])}, PRIMARY KEY ({', '.join([*columns, 'id'])})) WITHOUT ROWID"
        )
        rows = sorted((*map(self._numbers.of, constants), row) for row, constants in group.rows)
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * (len(columns) + 1))})", rows)
        if not columns:
            edges = shape_join(group.shape, table, self._numbers.of)
            found = Join(edges.sources[:-1], edges.conditions)
            return f"SELECT id FROM {table} WHERE EXISTS ({_select('1', found)})"
        return _select(
            "t.id", shape_join(group.shape, table, self._numbers.of, after=_subscriptions_after(group.shape))
        )

    def _store_boxes(self, table: str, group: ShapeGroup) -> str:
        """Store ranges as boxes in an R*Tree, which rounds them outwards, with the exact bounds in additional
        columns."""
        shape = group.shape
        variables = list(dict.fromkeys(test.variable for test in shape.ranges()))
        sides = [f"{side}{place}" for place in range(len(variables)) for side in ("low", "high")]
        exact = [f"+c{place}" for place in range(shape.parameters)]
        self._database.execute(f"CREATE VIRTUAL TABLE {table} USING rtree({', '.join(['id', *sides, *exact])})")
        bounded = {test.parameter for test in shape.ranges()}
        rows = []
        for row, constants in group.rows:
            stored = [
                self._numbers.column_value(each, compared=f"${place}" in bounded)
                for place, each in enumerate(constants)
            ]
            box = [-UNBOUNDED, UNBOUNDED] * len(variables)
            for test in shape.ranges():
                box[2 * variables.index(test.variable) + (test.function[0] == "<")] = stored[int(test.parameter[1:])]
            rows.append((row, *box, *stored))
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        made = shape_join(shape, table, self._numbers.of)
        for place, variable in enumerate(variables):
            column = made.columns[f"{variable} value"]
            made.conditions += [f"t.low{place} <= {column}", f"t.high{place} >= {column}"]
        return _select("t.id", made)


def _select(what: str, made: Join) -> str:
    """Return a SELECT. SQLite keeps the order of tables in a CROSS JOIN."""
    where = f" WHERE {' AND '.join(made.conditions)}" if made.conditions else ""
    return f"SELECT {what} FROM {' CROSS JOIN '.join(made.sources)}{where}"


def _subscriptions_after(shape: Shape) -> int | None:
    """Return after how many edges to join the subscriptions; None: after all.

    If properties are parameters, one edge with a constant node finds few rows, otherwise two edges that share a node.
    """
    if shape.by_property():
        return None
    return 1 if any("$" in s + o for s, _, o in shape.edges) else 2
