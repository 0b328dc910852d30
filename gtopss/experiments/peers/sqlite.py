"""SQLite, one table per shape: the peer that a programmer with a database would build."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from gtopss.experiments.peers.numbers import Above, Numbers, value
from gtopss.experiments.peers.shapes import Group, Shape, grouped, shapeless
from gtopss.experiments.peers.sql import Join, join
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy

PRAGMAS = ("journal_mode=OFF", "synchronous=OFF", "temp_store=MEMORY", "locking_mode=EXCLUSIVE", "cache_size=-1000000")
COMPOUND = 500  # SELECTs in one statement, SQLite's limit
FARTHEST = 3e38  # beyond every value, within the R*Tree's 32-bit numbers


class Sqlite:
    """An item's triples are written to a small table, and one statement joins them with the tables of all shapes."""

    name = "SQLite by shape"
    tuning = (
        "in memory, no journal; terms as integers; a WITHOUT ROWID table per shape keyed by all its constants, an "
        "R*Tree where it has ranges; the join order forced by CROSS JOIN; all shapes in one prepared UNION ALL"
    )

    def declines(self, workload: Workload) -> str | None:
        return shapeless(workload, 10_000)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None) -> None:
        self._numbers, self._above = Numbers(), Above(taxonomy)
        self._ids, groups = grouped(subscriptions)
        self._ranges = any(group.shape.ranges() for group in groups)
        self._is_a = any(group.shape.is_a() for group in groups)
        self._database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=1_000)
        for pragma in PRAGMAS:
            self._database.execute(f"PRAGMA {pragma}")
        self._create("item (p, s, o, PRIMARY KEY (p, s, o)) WITHOUT ROWID")
        self._create("kind (node, instance, class, PRIMARY KEY (node, instance, class)) WITHOUT ROWID")
        self._create("value (node INTEGER PRIMARY KEY, value REAL)")
        self._database.execute("BEGIN")
        selects = [self._stored(f"t{place}", group) for place, group in enumerate(groups)]
        self._database.execute("COMMIT")
        self._database.execute("ANALYZE")
        cuts = range(0, len(selects), COMPOUND)
        self._statements = [" UNION ALL ".join(selects[cut : cut + COMPOUND]) for cut in cuts]

    def match_many(self, publications: Sequence[Publication]) -> Iterator[set[str]]:
        return map(self._match, publications)

    def _match(self, publication: Publication) -> set[str]:
        run, number = self._database.execute, self._numbers.passing()
        run("BEGIN")
        triples = [(number[p], number[s], number[o]) for s, p, o in publication.triples]
        self._database.executemany("INSERT INTO item VALUES (?, ?, ?)", triples)
        if self._ranges:
            values = [(number[o], held) for _, _, o in publication.triples if (held := value(o)) is not None]
            self._database.executemany("INSERT OR IGNORE INTO value VALUES (?, ?)", values)
        if self._is_a:
            kinds = [(number[node], instance, number[cls]) for node, cls, instance in self._above.kinds(publication)]
            self._database.executemany("INSERT INTO kind VALUES (?, ?, ?)", kinds)
        found = {self._ids[row] for statement in self._statements for (row,) in run(statement)}
        for table in ("item", "value", "kind"):
            run(f"DELETE FROM {table}")
        run("COMMIT")
        return found

    def _create(self, table: str) -> None:
        self._database.execute(f"CREATE TABLE {table}")

    def _stored(self, table: str, group: Group) -> str:
        """Fill the shape's table; the SELECT that finds its rows."""
        if group.shape.ranges():
            return self._boxes(table, group)
        columns = [f"c{place}" for place in range(group.shape.parameters)]
        self._create(
            f"{table} ({', '.join([*columns, 'id'])}, PRIMARY KEY ({', '.join([*columns, 'id'])})) WITHOUT ROWID"
        )
        rows = sorted((*map(self._numbers.of, constants), row) for row, constants in group.rows)
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * (len(columns) + 1))})", rows)
        if not columns:
            edges = join(group.shape, table, self._numbers.of)
            found = Join(edges.sources[:-1], edges.conditions)
            return f"SELECT id FROM {table} WHERE EXISTS ({_select('1', found)})"
        return _select("t.id", join(group.shape, table, self._numbers.of, after=_early(group.shape)))

    def _boxes(self, table: str, group: Group) -> str:
        """Ranges as boxes in an R*Tree, which rounds them outwards; the exact bounds stand beside them."""
        shape = group.shape
        variables = list(dict.fromkeys(test.variable for test in shape.ranges()))
        sides = [f"{side}{place}" for place in range(len(variables)) for side in ("low", "high")]
        exact = [f"+c{place}" for place in range(shape.parameters)]
        self._database.execute(f"CREATE VIRTUAL TABLE {table} USING rtree({', '.join(['id', *sides, *exact])})")
        bounded = {test.parameter for test in shape.ranges()}
        rows = []
        for row, constants in group.rows:
            stored = [
                self._numbers.stored(each, compared=f"${place}" in bounded) for place, each in enumerate(constants)
            ]
            box = [-FARTHEST, FARTHEST] * len(variables)
            for test in shape.ranges():
                box[2 * variables.index(test.variable) + (test.function[0] == "<")] = stored[int(test.parameter[1:])]
            rows.append((row, *box, *stored))
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        made = join(shape, table, self._numbers.of)
        for place, variable in enumerate(variables):
            column = made.columns[f"{variable} value"]
            made.conditions += [f"t.low{place} <= {column}", f"t.high{place} >= {column}"]
        return _select("t.id", made)


def _select(what: str, made: Join) -> str:
    """CROSS JOIN is SQLite's way to be told the order."""
    where = f" WHERE {' AND '.join(made.conditions)}" if made.conditions else ""
    return f"SELECT {what} FROM {' CROSS JOIN '.join(made.sources)}{where}"


def _early(shape: Shape) -> int | None:
    """Where properties are parameters: one edge with a constant node finds few rows, else two edges that share one."""
    if shape.by_property():
        return None
    return 1 if any("$" in s + o for s, _, o in shape.edges) else 2
