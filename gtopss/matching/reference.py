"""G-ToPSS as the paper prints it (Petrovic, Liu, Jacobsen: "G-ToPSS: Fast Filtering of Graph-based Metadata",
WWW 2005, section 4). It stays close to the pseudo-code, because the default matcher is compared with it.

| paper                     | here                                                                           |
|---------------------------|--------------------------------------------------------------------------------|
| GM                        | `ReferenceMatcher`                                                             |
| GM.T1                     | `_first_level`: vertex pair -> second-level table                              |
| T2                        | its values: property label -> `_Edge`                                          |
| E, E2, E3; E.v, E.w       | `_Edge`; its `tail` and `head`                                                 |
| E.subs                    | `_Edge.subs`                                                                   |
| E.bindingTable            | `BindingTable`, one per fired edge and publication                             |
| E.smEdge                  | `_Entry.edges`: the edges of GM that a subscription's edges became             |
| \\*i                       | `*1`, `*2`, ...; `_Stars` knows which of them stand where                      |
| S.edgeCount, SubSet       | what `count_edges` returns; its keys                                           |
| (S, R)                    | `Match`                                                                        |
| CheckConstraint, isTrue   | `check_constraint`, `is_true`                                                  |

A subscription with several branches is several S; the matches of its branches are one match.

Two additions to the printed algorithms: subscriptions can be removed, and a property may be a variable, by "the same
techniques" (section 6): a label may be a star, and a publication edge probes the star labels as well.

Mistakes in the printed pseudo-code, corrected here (each has a test in `tests/paper/test_gtopss_corrections.py`):

1. `S.edgeCount = 0` stands inside the success branch of `match`, so a subscription that was hit but not completed
   carries its count into the next publication. Counts live only as long as one call here.
2. Binding tables are never emptied, so rows of one publication would join with those of the next. They, too, live only
   as long as one call; so several threads may match at once.
3. `S.edgeCount++` runs for every publication edge that hits an edge of GM, so one edge hit three times counts as
   three matched edges. An edge counts when its first row arrives.
4. The "fully connected graph" G'E also contains edges from E.w to E.v; probing them would match a triple backwards.
   Only pairs from {E.v, stars} to {E.w, stars} are probed.
5. CheckConstraint returns after the first variable it looks at. All constraints must hold.
6. isTrue's EQ is printed as `c.equals(v)`, while section 3.2 says "?x is the direct instance of class v (ie, a child
   of v)". The text is followed.
7. Self-loops: a triple with E.v = E.w would be entered under (*1, *1) only if the star pair is probed, and an edge
   (*1, p, *1) must not take a triple with two different ends. A star that stands twice in an edge must have one value.
8. The same edge twice in a subscription would need two counts where GM gives one. A subscription's edges are a set.

Two choices that the paper leaves open. The order of the joins: each table shares a star with those joined before it,
where there is such an order, and rows are joined one at a time, so that a caller who needs few rows pays for few. The
star pairs of G'E: only those in GM are probed; otherwise one subscription with many variables would slow down every
publication by the square of their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, TypeVar, Unpack

from gtopss.matching.match_collector import MatchCollector
from gtopss.matching.matcher import MatcherLimits, OneByOneMatcher
from gtopss.model import (
    Branch,
    Counters,
    MatchReport,
    Publication,
    Solution,
    Subscription,
    Term,
    Triple,
)
from gtopss.semantics import BranchExpressions, CompiledTest, EvaluationContext, compile_expressions
from gtopss.semantics.is_a import IS_A_FUNCTIONS
from ontology import Taxonomy

STEPS_PER_JOINED_ROW = 5
"""Steps of the work limit for one row of a binding table that a join tries."""

_Key = TypeVar("_Key")
Label: TypeAlias = str
"""The name of a vertex or edge of GM: a term, or a star `*i`."""
ConstrainedRow: TypeAlias = tuple[tuple[CompiledTest, ...], dict[Term, Term]]
"""A row of a branch's variables, and the constraints of the branch."""


@dataclass(eq=False, slots=True)
class _Edge:
    """An edge of GM, shared by every subscription that contains it."""

    tail: Label
    label: Label
    head: Label
    subs: dict[_Entry, None] = field(default_factory=dict)
    columns: tuple[Label, ...] = ()

    def __post_init__(self) -> None:
        parts = (self.tail, self.label, self.head)
        self.columns = tuple(dict.fromkeys(part for part in parts if part[0] == "*"))

    def bind(self, triple: Triple) -> tuple[Term, ...] | None:
        """Return the row of a triple that reached this edge; None if a star would need two values."""
        values: dict[Label, Term] = {}
        for part, value in zip((self.tail, self.label, self.head), triple, strict=True):
            if part[0] == "*" and values.setdefault(part, value) != value:
                return None
        return tuple(values.values())


@dataclass(eq=False, slots=True)
class _Entry:
    """One branch of a subscription in GM: the paper's S."""

    subscription: Subscription
    branch: Branch
    stars: dict[Term, Label]
    edges: list[_Edge]
    expressions: BranchExpressions


@dataclass(frozen=True, slots=True)
class BindingTable:
    """Rows over named columns."""

    columns: tuple[Label, ...]
    rows: list[tuple[Term, ...]] = field(default_factory=list)


def natural_join(
    tables: Iterable[BindingTable], count_row: Callable[[], object] = lambda: None
) -> Iterator[dict[Label, Term]]:
    """Join the rows of all tables that are equal on their common columns (Figure 8). Yield one at a time.

    `count_row` is called for each row of a table that is tried, and may raise to end the join.

    >>> a1 = BindingTable(("*1",), [("B",), ("C",), ("E",)])
    >>> b1 = BindingTable(("*1",), [("A",), ("D",), ("C",), ("E",), ("G",)])
    >>> list(natural_join([a1, b1]))
    [{'*1': 'C'}, {'*1': 'E'}]
    """
    steps: list[tuple[tuple[Label, ...], dict[tuple[Term, ...], list[dict[Label, Term]]]]] = []
    seen: set[Label] = set()
    for table in tables:
        common = tuple(column for column in table.columns if column in seen)
        by_key: dict[tuple[Term, ...], list[dict[Label, Term]]] = {}
        for row in table.rows:
            named = dict(zip(table.columns, row, strict=True))
            by_key.setdefault(tuple(named[column] for column in common), []).append(named)
        steps.append((common, by_key))
        seen.update(table.columns)
    stack: list[tuple[dict[Label, Term], Iterator[dict[Label, Term]]]] = [({}, iter([{}]))]
    while stack:
        before, rows = stack[-1]
        more = next(rows, None)
        if more is None:
            stack.pop()
            continue
        count_row()
        joined = {**before, **more}
        if len(stack) > len(steps):
            yield joined
        else:
            common, by_key = steps[len(stack) - 1]
            stack.append((joined, iter(by_key.get(tuple(joined[column] for column in common), ()))))


class _Stars:
    """Count which stars occur where in GM, so that only pairs that exist are probed."""

    def __init__(self) -> None:
        self.tails: Counter[Label] = Counter()
        self.heads: Counter[Label] = Counter()
        self.pairs: Counter[tuple[Label, Label]] = Counter()
        self.labels: Counter[Label] = Counter()

    def count(self, edge: _Edge, change: int) -> None:
        """Count an edge that was added to GM (1) or removed from it (-1)."""
        tail, head = edge.tail[0] == "*", edge.head[0] == "*"
        if tail and head:
            _count(self.pairs, (edge.tail, edge.head), change)
        elif tail:
            _count(self.tails, edge.tail, change)
        elif head:
            _count(self.heads, edge.head, change)
        if edge.label[0] == "*":
            _count(self.labels, edge.label, change)

    def pairs_of(self, tail: Term, head: Term) -> Iterator[tuple[Label, Label]]:
        """Yield the vertex pairs of GM that an edge from `tail` to `head` may match: the paper's G'E."""
        yield tail, head
        for star in self.heads:
            yield tail, star
        for star in self.tails:
            yield star, head
        yield from self.pairs


class ReferenceMatcher(OneByOneMatcher):
    """Hold the merged graph GM of all subscriptions, with Algorithms Insert and match. For one thread at a time."""

    name = "reference"

    def __init__(self, taxonomy: Taxonomy, **limits: Unpack[MatcherLimits]) -> None:
        super().__init__(taxonomy, **limits)
        self._first_level: dict[tuple[Label, Label], dict[Label, _Edge]] = {}
        self._entries: dict[str, list[_Entry]] = {}
        self._edgeless: dict[_Entry, None] = {}
        self._stars = _Stars()

    @property
    def edge_count(self) -> int:
        """Return |GM.edges|, the number of distinct edges of all subscriptions."""
        return sum(map(len, self._first_level.values()))

    def table(self) -> dict[tuple[Label, Label], dict[Label, set[str]]]:
        """Return GM as Figure 7 draws it: vertex pair -> label -> the ids of the subscriptions on that edge."""
        return {
            pair: {label: {entry.subscription.id for entry in edge.subs} for label, edge in second_level.items()}
            for pair, second_level in self._first_level.items()
        }

    def _insert(self, subscription: Subscription) -> None:
        compiled = [compile_expressions(subscription.id, branch) for branch in subscription.branches]
        self._entries[subscription.id] = [
            self._insert_branch(subscription, branch, expressions)
            for branch, expressions in zip(subscription.branches, compiled, strict=True)
        ]

    def _insert_branch(self, subscription: Subscription, branch: Branch, expressions: BranchExpressions) -> _Entry:
        """Run Algorithm Insert(GS)."""
        stars: dict[Term, Label] = {name: f"*{i}" for i, name in enumerate(branch.variables(), start=1)}
        entry = _Entry(subscription, branch, stars, [], expressions)
        for edge in branch.edges():
            tail, label, head = (stars.get(part, part) for part in edge)
            second_level = self._first_level.setdefault((tail, head), {})
            if label not in second_level:
                second_level[label] = _Edge(tail, label, head)
                self._stars.count(second_level[label], 1)
            second_level[label].subs[entry] = None
            entry.edges.append(second_level[label])
        if not entry.edges:
            self._edgeless[entry] = None
        entry.edges = _connected_order(entry.edges)
        return entry

    def _discard(self, subscription: Subscription) -> None:
        for entry in self._entries.pop(subscription.id):
            self._edgeless.pop(entry, None)
            for edge in entry.edges:
                del edge.subs[entry]
                if not edge.subs:
                    self._drop(edge)

    def _drop(self, edge: _Edge) -> None:
        second_level = self._first_level[edge.tail, edge.head]
        del second_level[edge.label]
        if not second_level:
            del self._first_level[edge.tail, edge.head]
        self._stars.count(edge, -1)

    def _match_one(self, publication: Publication, row_limit: int) -> MatchReport:
        """Run Algorithm match(GE): stage 1 finds the edges that fire, stage 2 joins their binding tables."""
        counters = Counters()
        tables = self.fire(publication, counters)
        context = self._context(publication)
        collector = MatchCollector(context, row_limit)
        for entries in self._complete(tables).values():
            found = (solution for entry in entries for solution in _solutions(entry, tables, context, counters))
            collector.add(entries[0].subscription, found)
        return collector.report(counters)

    def match_structure(self, publication: Publication) -> list[ConstrainedRow]:
        """Run both stages without the constraints; return each joined row with the constraints that it would have to
        meet."""
        tables, context = self.fire(publication, Counters()), self._context(publication)
        return [
            (entry.expressions.tests, values)
            for entries in self._complete(tables).values()
            for entry in entries
            for values in _joined_rows(entry, tables, context)
        ]

    def _complete(self, tables: Mapping[_Edge, BindingTable]) -> dict[str, list[_Entry]]:
        """Return the branches all of whose edges fired, by the ids of their subscriptions."""
        complete: dict[str, list[_Entry]] = {}
        for entry, count in self.count_edges(tables).items():
            if count == len(entry.edges):
                complete.setdefault(entry.subscription.id, []).append(entry)
        return complete

    def fire(self, publication: Publication, counters: Counters) -> dict[_Edge, BindingTable]:
        """Run stage 1: return the binding tables of all edges of GM that a publication edge matches."""
        tables: dict[_Edge, BindingTable] = {}
        for triple in publication.triples:
            tail, label, head = triple
            for pair in self._stars.pairs_of(tail, head):
                counters.edges_probed += 1
                second_level = self._first_level.get(pair)
                if second_level is None:
                    continue
                for edge in filter(None, map(second_level.get, (label, *self._stars.labels))):
                    row = edge.bind(triple)
                    if row is None:
                        continue
                    if edge not in tables:
                        tables[edge] = BindingTable(edge.columns)
                    tables[edge].rows.append(row)
        counters.edges_fired = len(tables)
        return tables

    def count_edges(self, fired: Iterable[_Edge]) -> Counter[_Entry]:
        """Run the rest of stage 1: return SubSet, with the number of edges of each subscription that fired."""
        edge_count: Counter[_Entry] = Counter(dict.fromkeys(self._edgeless, 0))
        for edge in fired:
            edge_count.update(edge.subs.keys())
        return edge_count


def _count(counter: Counter[_Key], key: _Key, change: int) -> None:
    """Change a count, and delete it when it is 0."""
    counter[key] += change
    if not counter[key]:
        del counter[key]


def _connected_order(edges: Sequence[_Edge]) -> list[_Edge]:
    """Order the edges so that each, where possible, comes after one that shares a star with it."""
    left, ordered, seen = list(edges), list[_Edge](), set[Label]()
    while left:
        edge = next((e for e in left if not e.columns or seen.intersection(e.columns)), left[0])
        left.remove(edge)
        ordered.append(edge)
        seen.update(edge.columns)
    return ordered


def _solutions(
    entry: _Entry, tables: Mapping[_Edge, BindingTable], context: EvaluationContext, counters: Counters
) -> Iterator[Solution]:
    """Run stage 2 for one branch: join the binding tables, then check constraints row by row."""
    counters.candidates += 1
    for values in _joined_rows(entry, tables, context):
        counters.joined += 1
        kept = entry.expressions.bind(values, context)
        if check_constraint(values, entry.expressions.tests, context, counters):
            context.budget.keep(kept)
            yield Solution.of(entry.branch, values)


def _joined_rows(
    entry: _Entry, tables: Mapping[_Edge, BindingTable], context: EvaluationContext
) -> Iterator[dict[Term, Term]]:
    """Join the binding tables of one branch; yield the values of its variables."""
    spend_row = partial(context.budget.spend, STEPS_PER_JOINED_ROW)
    for joined in natural_join((tables[edge] for edge in entry.edges), spend_row):
        yield {name: joined[star] for name, star in entry.stars.items()}


def check_constraint(
    values: Mapping[Term, Term], constraints: tuple[CompiledTest, ...], context: EvaluationContext, counters: Counters
) -> bool:
    """Run Algorithm CheckConstraint(R, CS, T)."""
    for test in constraints:
        counters.constraints_tested += 1
        if not is_true(test, values, context):
            return False
    return True


def is_true(test: CompiledTest, values: Mapping[Term, Term], context: EvaluationContext) -> bool:
    """Algorithm isTrue(v, op, c, T): is-a by the taxonomy, everything else by value."""
    match test.call.arguments:
        case (str(variable), str(cls)) if test.call.function in IS_A_FUNCTIONS and variable in values:
            return IS_A_FUNCTIONS[test.call.function](values[variable], values.get(cls, cls), context)
    return test.holds(values, context)
