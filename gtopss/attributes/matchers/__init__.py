"""The matchers of the papers, one file each. `MATCHERS` lists them by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gtopss.attributes.matcher import AttributeMatcher
from gtopss.attributes.matchers.databases import DuckDBDatabase, SQLiteDatabase
from gtopss.attributes.matchers.distributed import DistributedMatcher
from gtopss.attributes.matchers.equality_preferred import EqualityPreferredMatcher
from gtopss.attributes.matchers.equality_tree_matcher import EqualityTreeMatcher
from gtopss.attributes.matchers.fair_predicate import FairPredicateMatcher
from gtopss.attributes.matchers.gough import GoughMatcher
from gtopss.attributes.matchers.hanson import HansonMatcher
from gtopss.attributes.matchers.matching_tree import MatchingTreeMatcher
from gtopss.attributes.matchers.naive import NaiveMatcher
from gtopss.attributes.matchers.neon import NeonMatcher
from gtopss.attributes.matchers.predicate_grouping import PredicateGroupingMatcher
from gtopss.attributes.matchers.quarantining import QuarantiningMatcher
from gtopss.attributes.matchers.sequential_search import SequentialSearchMatcher
from gtopss.attributes.matchers.topss import ListCountingMatcher, TableCountingMatcher
from gtopss.attributes.schema import Schema

MATCHERS: dict[str, Callable[[Schema], AttributeMatcher]] = {
    "naive": NaiveMatcher,
    "fair-predicate": FairPredicateMatcher,
    "fair-predicate-distributed": DistributedMatcher,
    "equality-preferred": EqualityPreferredMatcher,
    "quarantining": QuarantiningMatcher,
    "equality-preferred-distributed": partial(DistributedMatcher, algorithm="equality-preferred"),
    "quarantining-distributed": partial(DistributedMatcher, algorithm="quarantining"),
    "gough": GoughMatcher,
    "hanson": HansonMatcher,
    "matching-tree": MatchingTreeMatcher,
    "matching-tree-printed": partial(MatchingTreeMatcher, insertion="printed", collapse=False),
    "equality-tree": EqualityTreeMatcher,
    "equality-tree-collapsed": partial(EqualityTreeMatcher, collapse=True),
    "equality-tree-successors": partial(EqualityTreeMatcher, successors=True),
    "equality-tree-refined": partial(EqualityTreeMatcher, collapse=True, refined=True),
    "equality-tree-factored": partial(EqualityTreeMatcher, collapse=True, factor=2),
    "neon": NeonMatcher,
    "topss-table-bytes": partial(TableCountingMatcher, association="bytes"),
    "topss-table-bits": partial(TableCountingMatcher, association="bits"),
    "topss-table-lists": partial(TableCountingMatcher, association="lists"),
    "topss-table-lists-constant": partial(TableCountingMatcher, association="lists-constant"),
    "topss-table-lists-without-deletion-table": partial(
        TableCountingMatcher, association="lists-without-deletion-table"
    ),
    "topss-list-bytes": partial(ListCountingMatcher, association="bytes"),
    "topss-list-bits": partial(ListCountingMatcher, association="bits"),
    "topss-list-lists": partial(ListCountingMatcher, association="lists"),
    "sequential-sqlite": lambda schema: SequentialSearchMatcher(schema, SQLiteDatabase()),
    "sequential-duckdb": lambda schema: SequentialSearchMatcher(schema, DuckDBDatabase()),
    "grouping-sqlite": lambda schema: PredicateGroupingMatcher(schema, SQLiteDatabase()),
    "grouping-duckdb": lambda schema: PredicateGroupingMatcher(schema, DuckDBDatabase()),
}
"""Every matcher by name. To add one: one file, one line here. The contract and differential tests use this table."""
