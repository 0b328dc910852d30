"""Every attribute matcher against the naive one, and against the graph engine by conversion to graph patterns."""

from __future__ import annotations

import warnings
from functools import partial

import pytest
from conftest import SOAK
from hypothesis import given, settings
from hypothesis import strategies as st
from support.attribute_strategies import SCHEMA, events, everything, subscriptions

from gtopss import Engine
from gtopss.attributes import MATCHERS, AttributeMatcher, AttributeSubscription, Event, Predicate
from gtopss.attributes.counters import AttributeCounters
from gtopss.attributes.graph_conversion import GraphConverter
from gtopss.attributes.matchers.equality_tree_matcher import EqualityTreeMatcher
from gtopss.attributes.matchers.interval_tree import Interval, IntervalTree

CONVERTER = GraphConverter(SCHEMA)
SLOW = {"sequential-sqlite": 20, "sequential-duckdb": 6, "grouping-sqlite": 20, "grouping-duckdb": 6}
DEPTH = 20 if SOAK else 1


def ids(matcher: AttributeMatcher, event: Event) -> frozenset[str]:
    return matcher.match(event).subscription_ids


@pytest.mark.parametrize("name", [name for name in MATCHERS if name != "naive"])
def test_agrees_with_naive(name: str) -> None:
    capabilities = MATCHERS[name](SCHEMA).capabilities

    @settings(max_examples=DEPTH * SLOW.get(name, 40))
    @given(subscriptions(capabilities), st.lists(events(), min_size=1, max_size=4), st.data())
    def check(registered: list[AttributeSubscription], published: list[Event], data: st.DataObject) -> None:
        matcher, oracle = MATCHERS[name](SCHEMA), MATCHERS["naive"](SCHEMA)
        for each in registered:
            matcher.insert(each)
            oracle.insert(each)
        for event in published:
            assert ids(matcher, event) == ids(oracle, event)
        gone = data.draw(st.lists(st.sampled_from(registered), unique=True))
        for each in gone:
            matcher.remove(each.id)
            oracle.remove(each.id)
            assert ids(matcher, published[0]) == ids(oracle, published[0])
        for each in gone[::2]:
            matcher.insert(each)
            oracle.insert(each)
        for event in published:
            assert ids(matcher, event) == ids(oracle, event)
        assert len(matcher) == len(oracle)

    check()


@pytest.mark.parametrize("name", MATCHERS)
def test_agrees_with_the_graph_engine(name: str) -> None:
    capabilities = MATCHERS[name](SCHEMA).capabilities

    @settings(max_examples=DEPTH * (100 if name == "naive" else 6))
    @given(subscriptions(capabilities), events())
    def check(registered: list[AttributeSubscription], event: Event) -> None:
        matcher = MATCHERS[name](SCHEMA)
        engine = Engine(matcher="reference", taxonomy=CONVERTER.taxonomy)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # contradictions are registered with a warning
            for each in registered:
                matcher.insert(each)
                engine.add(CONVERTER.subscription(each))
        found = engine.match(CONVERTER.publication(event, "p"), bindings=False)
        assert frozenset(found.subscription_ids) == ids(matcher, event)

    check()


ATTRIBUTE_ORDER = ["n", "s", "m", "t", "size"]
SWITCHES = {
    f"{collapse=} {successors=} {refined=} {factor=}": partial(
        EqualityTreeMatcher,
        collapse=collapse,
        successors=successors,
        refined=refined,
        factor=factor,
        order=ATTRIBUTE_ORDER,
    )
    for collapse in (False, True)
    for successors, refined in ((False, False), (True, False), (True, True))
    for factor in (0, 1, 2)
}


@settings(max_examples=DEPTH * 100)
@given(
    st.lists(st.dictionaries(st.sampled_from(ATTRIBUTE_ORDER), st.integers(0, 1), min_size=1), min_size=1, max_size=12),
    st.lists(st.dictionaries(st.sampled_from(ATTRIBUTE_ORDER), st.integers(0, 1)), min_size=1, max_size=4),
    st.data(),
)
def test_every_switch_of_the_equality_tree(
    bodies: list[dict[str, int]], published: list[dict[str, int]], data: st.DataObject
) -> None:
    """Single values over two values per attribute: here paths really overlap, and successor sets are not trivial."""

    def value(name: str, number: int) -> object:
        return {"n": number, "m": number, "s": "ab"[number], "t": "ab"[number], "size": "SM"[number]}[name]

    oracle = MATCHERS["naive"](SCHEMA)
    matchers = {name: make(SCHEMA) for name, make in SWITCHES.items()}
    made = [
        AttributeSubscription(f"s{i}", [Predicate(name, "=", value(name, number)) for name, number in body.items()])  # type: ignore[arg-type]
        for i, body in enumerate(bodies)
    ]
    sent = [Event({name: value(name, number) for name, number in each.items()}) for each in published]  # type: ignore[misc]
    for matcher in (oracle, *matchers.values()):
        for each in made:
            matcher.insert(each)
    gone = data.draw(st.lists(st.sampled_from(made), unique=True))
    for event in sent:
        for name, matcher in matchers.items():
            assert ids(matcher, event) == ids(oracle, event), name
    for each in gone:
        for matcher in (oracle, *matchers.values()):
            matcher.remove(each.id)
    for event in sent:
        for name, matcher in matchers.items():
            assert ids(matcher, event) == ids(oracle, event), name


@given(subscriptions(everything()), events())
def test_there_and_back(registered: list[AttributeSubscription], event: Event) -> None:
    assert CONVERTER.event(CONVERTER.publication(event, "p")) == event
    naive, back = MATCHERS["naive"](SCHEMA), MATCHERS["naive"](SCHEMA)
    for each in registered:
        naive.insert(each)
        back.insert(CONVERTER.attribute_subscription(CONVERTER.subscription(each)))
    assert ids(naive, event) == ids(back, event)


def test_a_fair_share_matches() -> None:
    """The generated cases would prove little if nothing matched."""
    matched = asked = 0

    @given(subscriptions(everything()), events())
    def count(registered: list[AttributeSubscription], event: Event) -> None:
        nonlocal matched, asked
        naive = MATCHERS["naive"](SCHEMA)
        for each in registered:
            naive.insert(each)
        matched, asked = matched + len(ids(naive, event)), asked + len(registered)

    count()
    assert matched > asked / 50


ENDS = st.one_of(st.none(), st.integers(0, 8))
INTERVALS = st.builds(Interval, ENDS, st.booleans(), ENDS, st.booleans()).filter(
    lambda each: bool(each.ends) and not each.is_empty
)


@given(st.lists(INTERVALS, max_size=12), st.lists(st.integers(0, 11), max_size=12))
def test_interval_tree_agrees_with_testing_each_interval(intervals: list[Interval], removed: list[int]) -> None:
    tree = IntervalTree()
    there = {f"i{number}": each for number, each in enumerate(intervals)}
    for name, each in there.items():
        tree.insert(name, each)
    for number in (None, *removed):
        gone = there.pop(f"i{number}", None)
        if gone is not None:
            tree.remove(f"i{number}", gone)
        for key in [half / 2 for half in range(-1, 18)]:
            found = list(tree.containing(key, AttributeCounters()))
            assert sorted(found) == sorted(name for name, each in there.items() if key in each)
    if not there:
        assert tree.root is None
