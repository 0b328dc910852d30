"""The query of a template: what of it the rows of the index decide, and the rest with the constants put in.

Subscriptions that differ only in their constants share a template, and so a plan. Most have the same constants in what
is evaluated after the index (`OPTIONAL { ?x <urn:name> ?name }`): then they share the query too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gtopss.algebra.shape import core_of, count_test, is_never_empty
from gtopss.matching.query_answers import result_branch
from gtopss.model import Call, Term
from gtopss.model.algebra import GRAPH_FORMS, as_call, edges_of
from gtopss.model.codec import Tree, decode_test
from gtopss.model.expressions import calls_in
from gtopss.model.terms import is_variable
from gtopss.semantics.values import ValueKind, value_of

MAX_QUERIES = 1_000
"""Queries of one template that are kept with their constants; all are forgotten when there are more."""
_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": int.__eq__, "!=": int.__ne__, "<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__,
}  # fmt: skip


class CountColumns(NamedTuple):
    """HAVING of one count over the rows of a branch: the places of values, the comparison, the hole of the number."""

    keys: tuple[int, ...]
    counted: int
    """The place of the value of which distinct ones are counted; -1 if rows are."""
    holds: Callable[[int, int], bool]
    number: int


class RunnableQuery(NamedTuple):
    """A query with its constants."""

    query: Call
    core: Call
    """A pattern that has a solution if and only if the query has one, which is all that is asked without rows."""


class QueryPlan:
    """How the queries of one template are evaluated. Thread-safe: what is kept may be computed twice."""

    def __init__(self, tree: Tree, select: Sequence[Term], columns: Sequence[Sequence[Term]]) -> None:
        """`columns` are the names of the values in a row, by branch."""
        self.select = tuple(select)
        self.names = tuple(name[1:] for name in select)
        self.result_branch = result_branch(select)
        shape = decode_test(tree, _Placeholders())
        source = next((call for call in calls_in([shape]) if call.function == "ROWS"), None)
        known = _variables(source)
        self.uses_rows = bool(known) and all(set(known) <= set(each) for each in columns)
        """Whether the evaluation goes on from the rows of the index."""
        is_graph = shape.function in GRAPH_FORMS
        self.is_decided_by_rows = self.uses_rows and not is_graph and is_never_empty(shape)
        """Whether a query matches wherever its required part does."""
        self.places = tuple(
            tuple((name, place) for place, name in enumerate(each) if name in known) if self.uses_rows else ()
            for each in columns
        )
        """The variables of the row source, and the places of their values in a row, by branch."""
        self.has_repeated_rows = len(columns) > 1 or any(len(each) > len(known) for each in columns)
        """Whether several rows of the index may be one row of the query."""
        self.count = None if is_graph or not self.uses_rows else self._count_columns(shape, columns)
        self._whole, self._tree = tree, _residual(tree) if self.uses_rows else tree
        self._holes = sorted(set(_holes(self._tree)))
        self._queries: dict[tuple[Term, ...], RunnableQuery] = {}

    def _count_columns(self, shape: Call, columns: Sequence[Sequence[Term]]) -> CountColumns | None:
        test = count_test(shape)
        if test is None or self.has_repeated_rows:
            return None
        places = {name: place for place, name in enumerate(columns[0])}
        if any(name not in places for name in (*test.keys, *([test.counted] if test.counted else ()))):
            return None
        counted = places[test.counted] if test.counted is not None and test.distinct else -1
        keys = tuple(places[name] for name in test.keys)
        return CountColumns(keys, counted, _SIGNS[test.sign], _Placeholders.number(test.number))

    def query(self, constants: Sequence[Term]) -> RunnableQuery:
        """Return the query with these constants, to be evaluated with rows if it `uses_rows`."""
        key = tuple([constants[hole] for hole in self._holes])
        made = self._queries.get(key)
        if made is None:
            if len(self._queries) >= MAX_QUERIES:
                self._queries.clear()
            made = self._queries[key] = _runnable(decode_test(self._tree, constants))
        return made

    def whole_query(self, constants: Sequence[Term]) -> RunnableQuery:
        """Return the query with these constants, to be evaluated without rows."""
        return _runnable(decode_test(self._whole, constants))


def count_holds(test: CountColumns, number: Term, values: Sequence[int], starts: Iterable[int]) -> bool | None:
    """Return whether a group of rows passes a test of their count; None if the number is no integer.

    `starts` are the places of the first value of each row in `values`.
    """
    value = value_of(number)
    if value.kind is not ValueKind.INTEGER:
        return None
    keys, counted, wanted, holds = test.keys, test.counted, value.data, test.holds
    if counted >= 0:
        distinct: dict[object, set[int]] = {}
        for at in starts:
            distinct.setdefault(tuple([values[at + place] for place in keys]), set()).add(values[at + counted])
        return any(holds(len(each), wanted) for each in distinct.values())
    counts: dict[object, int] = {}
    if len(keys) == 1:
        (only,) = keys
        for at in starts:
            key: object = values[at + only]
            counts[key] = counts.get(key, 0) + 1
    else:
        for at in starts:
            key = tuple([values[at + place] for place in keys])
            counts[key] = counts.get(key, 0) + 1
    return any(holds(count, wanted) for count in counts.values())


class _Placeholders(Sequence[Term]):
    """Terms that stand for the constants of a template."""

    def __len__(self) -> int:
        return 1 << 31

    def __getitem__(self, hole: int) -> Term:  # type: ignore[override]
        return Term(f"<{hole}>")

    @staticmethod
    def number(term: Term) -> int:
        """Return the hole that a placeholder stands for."""
        return int(term[1:-1])


def _runnable(query: Call) -> RunnableQuery:
    return RunnableQuery(query, query if query.function in GRAPH_FORMS else core_of(query))


def _variables(source: Call | None) -> tuple[Term, ...]:
    """Return the variables of the triples in a row source."""
    if source is None:
        return ()
    edges = edges_of(as_call(source.arguments[0]))
    return tuple(dict.fromkeys(part for edge in edges for part in edge if is_variable(part)))


def _residual(tree: Tree) -> Tree:
    """Return a query without what is inside of its row source."""
    if not isinstance(tree, tuple):
        return tree
    if tree[0] == "ROWS":
        return ("ROWS",)
    return tuple(_residual(each) for each in tree)


def _holes(tree: Tree) -> Iterable[int]:
    if isinstance(tree, tuple):
        for each in tree:
            yield from _holes(each)
    elif isinstance(tree, int):
        yield tree
