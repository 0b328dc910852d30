"""Bulk loading into the databases, which inserts all subscriptions or none."""

from __future__ import annotations

import pytest
from support.attribute_strategies import schema

from gtopss.attributes import AttributeSubscription, Event, Predicate
from gtopss.attributes.matchers.databases import Database, DuckDBDatabase, SQLiteDatabase
from gtopss.attributes.matchers.predicate_grouping import PredicateGroupingMatcher
from gtopss.attributes.matchers.sequential_search import SequentialSearchMatcher
from gtopss.errors import DuplicateSubscription


@pytest.fixture(params=[SQLiteDatabase, DuckDBDatabase])
def database(request: pytest.FixtureRequest) -> Database:
    made: Database = request.param()
    return made


@pytest.mark.parametrize("kind", [SequentialSearchMatcher, PredicateGroupingMatcher])
def test_a_bulk_load_inserts_all_or_nothing(
    database: Database, kind: type[SequentialSearchMatcher] | type[PredicateGroupingMatcher]
) -> None:
    matcher = kind(schema(), database)
    many = [
        AttributeSubscription(f"s{number}", [Predicate("n", "<=", number % 5), Predicate("s", "=", "a")])
        for number in range(500)
    ]
    with pytest.raises(DuplicateSubscription):
        matcher.load([*many, many[0]])
    assert len(matcher) == 0
    matcher.load(many)
    assert len(matcher) == 500
    assert len(matcher.match(Event({"n": 3, "s": "a"})).subscription_ids) == 200
    assert matcher.match(Event({"n": 3, "s": "b"})).subscription_ids == frozenset()
    assert matcher.structure_bytes() > 0
