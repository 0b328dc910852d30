"""DuckDB with one table per shape and many items per query, since a column store is fastest on large sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import duckdb
import numpy as np

from gtopss.experiments.peers.shape_sql import shape_join
from gtopss.experiments.peers.subscription_shapes import ShapeGroup, declined_without_shapes, group_by_shape
from gtopss.experiments.peers.term_numbers import ClassMembership, TermNumbers, comparable_value
from gtopss.experiments.workloads import Workload
from gtopss.model import Publication, Subscription
from ontology import Taxonomy


class DuckDBByShape:
    """All items of a call are one table, and DuckDB's planner orders the joins."""

    name = "DuckDB by shape"
    tuning = (
        "all items at once; in memory, one thread; terms as integers, handed over as numpy arrays; a query per shape"
    )

    def declines(self, workload: Workload) -> str | None:
        return declined_without_shapes(workload, 500)

    def prepare(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy) -> None:
        self._numbers, self._membership = TermNumbers(), ClassMembership(taxonomy)
        self._ids, groups = group_by_shape(subscriptions)
        self._ranges = any(group.shape.ranges() for group in groups)
        self._is_a = any(group.shape.is_a() for group in groups)
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._queries = [self._store_group(f"t{place}", group) for place, group in enumerate(groups)]

    def _store_group(self, table: str, group: ShapeGroup) -> str:
        shape = group.shape
        compared = {int(test.parameter[1:]) for test in shape.ranges()}
        columns = {"id": np.array([row for row, _ in group.rows])}
        for place in range(shape.parameters):
            stored = partial(self._numbers.column_value, compared=place in compared)
            columns[f"c{place}"] = np.array([stored(constants[place]) for _, constants in group.rows])
        self._fill(table, columns)
        made = shape_join(shape, table, self._numbers.of, batch=True)
        where = f" WHERE {' AND '.join(made.conditions)}" if made.conditions else ""
        return f"SELECT DISTINCT e0.item, t.id FROM {', '.join(made.sources)}{where}"

    def _fill(self, table: str, columns: dict[str, np.ndarray[Any, Any]]) -> None:
        """Create a table; DuckDB resolves `columns` as a local variable of its caller."""
        self._database.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM columns")

    def match_many(self, publications: Sequence[Publication]) -> list[set[str]]:
        found: list[set[str]] = [set() for _ in publications]
        for items, rows in self.match_to_arrays(publications):
            for item, row in zip(items.tolist(), rows.tolist(), strict=True):
                found[item].add(self._ids[row])
        return found

    def match_to_arrays(self, publications: Sequence[Publication]) -> list[tuple[Any, Any]]:
        """Return the numbers of items and of subscriptions that match, for each shape."""
        number = self._numbers.of_publication()
        triples = [
            (place, number[s], number[p], number[o])
            for place, each in enumerate(publications)
            for s, p, o in each.triples
        ]
        self._rows("item", ("item", "s", "p", "o"), triples)
        if self._ranges:
            values = {
                (place, number[o], number_value)
                for place, each in enumerate(publications)
                for _, _, o in each.triples
                if (number_value := comparable_value(o)) is not None
            }
            self._rows("value", ("item", "node", "value"), values)
        if self._is_a:
            kinds = [
                (place, number[node], number[cls], instance)
                for place, each in enumerate(publications)
                for node, cls, instance in self._membership.rows(each)
            ]
            self._rows("kind", ("item", "node", "class", "instance"), kinds)
        found = (self._database.execute(query).fetchnumpy().values() for query in self._queries)
        return [(items, rows) for items, rows in found]

    def _rows(self, table: str, names: Sequence[str], rows: Iterable[tuple[float, ...]]) -> None:
        self._fill(table, dict(zip(names, map(np.array, zip(*rows, strict=True)), strict=True)))
