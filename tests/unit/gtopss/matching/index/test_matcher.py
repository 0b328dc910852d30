"""The fast index: what the contract does not ask of every matcher."""

from __future__ import annotations

import dataclasses
import pickle
import random
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.answers import answers

from gtopss import Branch, Engine, MatchReport, Publication, Subscription
from gtopss.errors import DuplicateSubscription, GtopssError, InvalidSnapshot, NeverMatches, UnsupportedSubscription
from gtopss.matching.index import merging
from gtopss.matching.index.array_files import read_json, write_json
from gtopss.matching.index.encode import encode_batch
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.matching.index.value_intervals import NO_INTERVAL, interval_of
from gtopss.model.expressions import ancestor_of, compare, contains, is_a
from gtopss.model.terms import RDF_TYPE, XSD, Term, iri, literal
from ontology import Taxonomy

P, Q = iri("urn:p"), iri("urn:q")


def node(number: int) -> str:
    return iri(f"urn:n{number}")


def ring(size: int) -> Publication:
    """Every node has an edge to the next and to itself."""
    triples = [(node(i), P, node((i + 1) % size)) for i in range(size)] + [(node(i), Q, node(i)) for i in range(size)]
    return Publication.trusted("ring", triples)


def clique(size: int) -> Publication:
    return Publication.trusted("clique", [(node(i), P, node(j)) for i in range(size) for j in range(size)])


def listed_under(engine: Engine, property: str) -> int:
    """How many patterns are reached by an edge with this property, alone or first of two."""
    matcher = engine._matcher
    (segment,) = matcher._writer.merger.segments
    graph, access = segment.arrays.graph, segment.arrays.access
    edges = np.flatnonzero(graph.labels == matcher._writer.dictionary.number(Term(property)))
    children = np.concatenate([np.arange(access.starts[e, 1], access.starts[e + 1, 1]) for e in edges])
    by_two = np.diff(access.grand_starts)[children].sum()
    return int(by_two + np.diff(access.starts[:, 0])[edges].sum())


# --- structure -------------------------------------------------------------------------------------------------


def test_equal_structures_share_a_pattern_whatever_their_variables_are_called() -> None:
    matcher = IndexMatcher(Taxonomy())
    chain = [("?a", P, "?b"), ("?b", Q, "?c"), ("?c", P, node(1))]
    for number in range(50):
        names = random.Random(number).sample(["?x", "?y", "?z"], 3)
        renamed = dict(zip(["?a", "?b", "?c"], names, strict=True))
        edges = [(renamed[s], p, renamed.get(o, o)) for s, p, o in chain]
        random.Random(number).shuffle(edges)
        matcher.add(Subscription(f"s{number}", edges))
    matcher.optimise()
    (segment,) = matcher._writer.merger.segments
    assert len(segment) == 50
    assert len(segment.arrays.patterns.about) == 2


def test_a_long_list_is_split_by_a_second_edge() -> None:
    """A hundred subscriptions that share their first edge: only those within reach of a second one are looked at."""
    engine = Engine()
    for number in range(100):
        engine.add(Subscription(f"s{number}", [("?x", P, node(0)), ("?x", Q, node(number))]))
    report = engine.match([(node(200), P, node(0)), (node(200), Q, node(7))])
    assert report.subscription_ids == ("s7",)
    assert report.counters.candidates == 1


def test_traffic_chooses_the_access_edge_anew() -> None:
    """An edge that few subscribe to but all publish is a bad way in; after some traffic a merge knows."""
    engine = Engine()
    for number in range(300):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number % 3)), ("?x", Q, node(1000 + number))]))
    for number in range(300):
        engine.add(Subscription(f"t{number}", [("?x", Q, node(1000))]))
    often = [(node(9), Q, node(1000 + i)) for i in range(1, 300)] + [(node(9), P, node(77))]
    engine.optimise()
    assert listed_under(engine, Q) == 301
    for _ in range(40):
        engine.match(often, bindings=False)
    engine.optimise()
    assert listed_under(engine, P) == 299  # all whose other edge is published often


def test_a_self_loop_a_property_variable_and_a_repeated_variable() -> None:
    engine = Engine(allow_cartesian=True)
    engine.add(Subscription("loop", [("?x", "?p", "?x")]))
    engine.add(Subscription("named", [("?x", Q, "?x"), ("?x", P, "?y")]))
    engine.add(Subscription("own", [("?x", "?x", "?y")]))
    found = answers(engine.match(ring(4)))
    assert len(found["loop"]) == len(found["named"]) == 4
    assert "own" not in found
    assert answers(engine.match([(P, P, P)]))["own"]


def test_a_large_publication_is_joined_by_its_ends_not_by_its_tables() -> None:
    """A path of three over a ring of 20,000: with tables alone it would be 10^8 steps."""
    engine = Engine(row_limit=100_000)
    engine.add(Subscription("path", [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d")]))
    (match,) = engine.match(ring(20_000))
    assert len(match.solutions) == 20_000
    assert engine.costs()["path"] < 200_000


# --- thresholds ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("members", [3, 200])
@pytest.mark.parametrize(
    "value",
    ['"5"^^<{x}integer>', '"5.0"^^<{x}decimal>', '"0.1"^^<{x}decimal>', '"0.1"^^<{x}double>', '"0.1"^^<{x}float>',
     '"9007199254740993"^^<{x}integer>', '"1e400"^^<{x}double>', '"NaN"^^<{x}double>', '"2001-05-21"^^<{x}date>',
     '"2001-05-21Z"^^<{x}date>', '"INF"^^<{x}float>', '"-INF"^^<{x}float>', '"1e-45"^^<{x}float>',
     '"2001-05-21T12:00:00"^^<{x}dateTime>', '"five"'],
)  # fmt: skip
def test_bounds_agree_with_naive_however_near(value: str, members: int) -> None:
    thresholds = [
        literal(text, XSD + kind)
        for kind, texts in {
            "integer": ("5", "4", "9007199254740992", "9007199254740993", "1" + "0" * 39, "-1" + "0" * 39),
            "decimal": ("0.1", "0.10000000000000000001", "5.0", "3" * 39 + ".0", "0." + "0" * 44 + "10"),
            "double": ("0.1", "INF"),
            "float": ("0.1",),
            "date": ("2001-05-21", "2001-05-21Z", "2001-05-22+14:00"),
            "dateTime": ("2001-05-21T12:00:00Z", "2001-05-21T12:00:00", "2001-05-22T03:00:00Z"),
        }.items()
        for text in texts
    ]
    fast, slow = Engine(matcher="gm"), Engine(matcher="naive")
    for number in range(members):
        sign, threshold = ("<", "<=", ">", ">=", "=")[number % 5], thresholds[number % len(thresholds)]
        subscription = Subscription(f"s{number}", [(node(1), P, "?v", [], [compare("v", sign, threshold)])])
        fast.add(subscription)
        slow.add(subscription)
    publication = Publication("p", [(node(1), P, value.format(x=XSD))])
    assert answers(fast.match(publication)) == answers(slow.match(publication))


@pytest.mark.parametrize("members", [17, 300, 5_000])
def test_boxes_of_two_values_are_found_whatever_ends_they_lack(members: int) -> None:
    chance = random.Random(members)
    fast, slow = Engine(matcher="gm"), Engine(matcher="naive")
    for number in range(members):
        tests: dict[str, list[Any]] = {"v": [], "w": []}
        for name, sign in (("v", ">="), ("v", "<"), ("w", ">"), ("w", "<=")):
            if chance.random() < 0.7:
                value: int | Term = chance.randrange(100)
                if chance.random() < 0.05:
                    value = literal(f"20{value:02}-01-01", XSD + "date")
                tests[name].append(compare(name, sign, value))
        made = Subscription(f"s{number}", [(node(1), P, "?v", [], tests["v"]), (node(1), Q, "?w", [], tests["w"])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NeverMatches)
            fast.add(made)
            slow.add(made)
    values = [
        *range(-1, 101, 7),
        literal("2050-01-01", XSD + "date"),
        literal("2050-01-01Z", XSD + "date"),
        literal("x"),
    ]
    for number in range(20):
        some, others = chance.sample(values, 2), chance.sample(values, 1)
        made = Publication(f"p{number}", [*((node(1), P, v) for v in some), *((node(1), Q, w) for w in others)])
        assert answers(fast.match(made)) == answers(slow.match(made))


def test_two_lower_bounds_on_one_variable() -> None:
    engine = Engine()
    engine.add(Subscription("s", [(node(1), P, "?v", [], [compare("v", ">", 3), compare("v", ">", 7)])]))
    assert not engine.match([(node(1), P, 5)])
    assert engine.match([(node(1), P, 8)])


def test_what_is_no_number_or_moment_lies_nowhere() -> None:
    assert interval_of(literal("text")) == NO_INTERVAL
    assert interval_of(iri("urn:x")) == NO_INTERVAL
    assert interval_of(literal("9" * 3000, XSD + "integer"))[1:] == (1.7976931348623157e308, float("inf"))


# --- limits ----------------------------------------------------------------------------------------------------


def test_a_subscription_that_is_too_much_work_is_named_and_the_others_are_answered() -> None:
    engine = Engine(work_limit=10_000)
    path = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d")]
    engine.add(Subscription("four", path, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("one", [(node(0), P, "?x")]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("one",)
    ((name, work),) = report.exceeded
    assert name == "four"
    assert work > 10_000
    assert next(iter(engine.costs())) == "four"


def test_rows_found_before_the_limit_are_given_and_said_to_be_some() -> None:
    engine = Engine(work_limit=1_000, row_limit=10**6)
    engine.add(Subscription("s", [("?a", P, "?b"), ("?b", P, "?c")]))
    report = engine.match(clique(40))
    (match,) = report
    assert match.truncated
    assert 0 < len(match.solutions) < 40**3
    assert [each.subscription_id for each in report.exceeded] == ["s"]


def test_costs_belong_to_the_fast_index() -> None:
    with pytest.raises(GtopssError, match="needs the matcher 'gm'"):
        Engine(matcher="naive").costs()
    with pytest.raises(GtopssError, match="steps"):
        Engine(work_limit=0)


# --- live ------------------------------------------------------------------------------------------------------


def test_a_publication_leaves_no_trace() -> None:
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("s", [("?x", P, node(0))]))
    matcher.match(ring(3))
    terms = len(matcher._writer.dictionary)
    matcher.match(ring(1000))
    assert len(matcher._writer.dictionary) == terms


def test_slots_are_used_again() -> None:
    matcher = IndexMatcher(Taxonomy())
    for number in range(2_000):
        matcher.add(Subscription("s", [("?x", P, node(number % 7))]))
        assert matcher.match(ring(7)).subscription_ids == ("s",)
        matcher.remove("s")
        assert not matcher.match(ring(7))
    assert len(matcher._writer.slots.encoded) < 200


def test_what_is_added_waits_until_it_may_match() -> None:
    """A publication that lacks one of its constants makes no segment of it; the first that has them all does."""
    matcher = IndexMatcher(Taxonomy([("urn:c1", "urn:c0")]))
    matcher.add(Subscription("old", [("?x", P, node(0))]))
    assert matcher.match(ring(3)).subscription_ids == ("old",)
    assert matcher.segments() == [1]
    far = Subscription("far", [("?x", P, node(0)), ("?x", P, node(9)), ("?x", "?q", "?y")])
    wide = Subscription("wide", [("?x", P, node(number)) for number in range(1_000)])
    matcher.add(far)
    matcher.add(wide)
    assert matcher.match(ring(3)).subscription_ids == ("old",)
    assert matcher.segments() == [1]
    star = Publication("p", [(node(5), P, node(0)), (node(5), P, node(9))])
    assert set(matcher.match(star).subscription_ids) == {"old", "far"}
    assert sum(matcher.segments()) == 3
    everything = Publication("p", [(node(5), P, node(number)) for number in range(1_000)])
    assert set(matcher.match(everything).subscription_ids) == {"old", "far", "wide"}
    matcher.add(Subscription("class", [("?x", P, "?y", [is_a("x", iri("urn:c0"))])]))
    typed = Publication("p", [(node(7), RDF_TYPE, iri("urn:c1")), (node(7), P, node(8))])
    assert matcher.match(typed).subscription_ids == ("class",)
    matcher.add(Subscription("any", [("?x", "?q", "?y")]))
    assert matcher.match(Publication("p", [(node(1), node(2), node(3))])).subscription_ids == ("any",)


def test_what_is_removed_while_it_waits_is_gone() -> None:
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("old", [("?x", P, node(0))]))
    matcher.match(ring(3))
    for number in range(200):
        matcher.add(Subscription("s", [("?x", P, node(number))]))
        matcher.remove("s")
    assert matcher.match(Publication("p", [(node(5), P, node(199))])).subscription_ids == ()
    assert len(matcher._writer.slots.encoded) < 200


def test_merging_happens_behind_the_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", 2)
    engine = Engine()
    for number in range(400):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number))]))
        assert len(engine.match([(node(0), P, node(number))])) == 1
    merger = engine._matcher._writer.merger._thread
    if merger is not None:
        merger.join(60)
    assert len(engine._matcher.segments()) <= 8
    assert engine.match([(node(0), P, node(i)) for i in range(400)]).counters.matched == 400


def test_what_is_removed_with_its_bounds_is_not_compared() -> None:
    """Nobody asks for values any longer, so none are read: the entry is still in its segment, and must not look."""
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("plain", [("?x", P, "?y")]))
    for number in range(40):
        matcher.add(Subscription(f"s{number}", [("?x", P, "?y", [], [compare("y", "<", number)])]))
    publication = Publication("p", [(node(0), P, 5)])
    assert len(matcher.match(publication)) == 1 + 34
    for number in range(40):
        matcher.remove(f"s{number}")
    report = matcher.match(publication)
    assert report.subscription_ids == ("plain",)
    assert report.counters.constraints_tested == 0


def test_a_merge_decides_once_who_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is removed while the background merges would else keep one of its branches, and its slot be given away."""
    monkeypatch.setattr(merging, "MAX_FLUSH_ENTRIES", 1)
    merge, shared = merging.merge_index_segments, list[bool]()

    def watched(segments: Any, alive: Any, *entries: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            shared.append(np.shares_memory(alive, matcher._writer.slots.alive))
        return merge(segments, alive, *entries)

    monkeypatch.setattr(merging, "merge_index_segments", watched)
    matcher = IndexMatcher(Taxonomy())
    for number in range(50):
        matcher.add(Subscription(f"s{number}", [("?x", P, node(number))]))
        matcher.match(Publication("p", [(node(0), P, node(number))]))
    matcher.optimise()
    assert shared
    assert not any(shared)
    assert matcher.segments() == [50]


def test_threads_add_remove_and_match_at_once() -> None:
    """What is registered throughout is always found; what comes and goes is found only while it is there."""
    engine = Engine()
    for number in range(50):
        engine.add(Subscription(f"stays{number}", [("?x", P, node(number))]))
    publication = Publication("p", [(node(0), P, node(i)) for i in range(60)])
    stop, wrong = threading.Event(), list[object]()

    def come_and_go(name: str) -> None:
        for number in range(150):
            engine.add(Subscription(f"{name}{number}", [("?x", P, node(number % 60)), ("?x", P, node(1))]))
            if name + str(number) not in engine.match(publication).subscription_ids:
                wrong.append((name, number, "missing"))
            engine.remove(f"{name}{number}")
            if name + str(number) in engine.match(publication).subscription_ids:
                wrong.append((name, number, "still there"))

    def watch() -> None:
        while not stop.is_set():
            found = engine.match(publication, bindings=False).subscription_ids
            if sum(each.startswith("stays") for each in found) != 50 or len(set(found)) != len(found):
                wrong.append(found)

    workers = [threading.Thread(target=come_and_go, args=(name,)) for name in ("a", "b")]
    watchers = [threading.Thread(target=watch) for _ in range(2)]
    for thread in (*workers, *watchers):
        thread.start()
    for thread in workers:
        thread.join()
    stop.set()
    for thread in watchers:
        thread.join()
    assert not wrong
    assert len(engine) == 50


def test_a_taxonomy_edit_takes_effect_and_names_whom_it_touched() -> None:
    zoo = Taxonomy([("urn:Cat", "urn:Animal")])
    engine = Engine(taxonomy=zoo)
    for name in ("Animal", "Cat", "Plant"):
        engine.add(Subscription(name, [("?x", P, "?y", [is_a("x", iri(f"urn:{name}"))])]))
    tom = [(iri("urn:tom"), P, 1)]
    assert engine.match(tom).subscription_ids == ()
    assert engine.affected_by_taxonomy() == ()
    zoo.add_instance("urn:tom", "urn:Cat")
    assert set(engine.match(tom).subscription_ids) == {"Animal", "Cat"}
    zoo.remove_instance("urn:tom", "urn:Cat")
    assert engine.match(tom).subscription_ids == ()
    assert set(engine.affected_by_taxonomy()) == {"Animal", "Cat"}
    zoo.add_subclass("urn:tom", "urn:Animal")
    assert engine.affected_by_taxonomy() == ("Animal",)
    assert engine.affected_by_taxonomy() == ()


def test_edits_are_remembered_until_somebody_asks() -> None:
    zoo = Taxonomy([("urn:Cat", "urn:Animal")])
    engine = Engine(taxonomy=zoo)
    engine.add(Subscription("animal", [("?x", P, "?y", [is_a("x", iri("urn:Animal"))])]))
    engine.add(Subscription("above", [("?x", P, "?y", [ancestor_of("x", iri("urn:Cat"))])]))
    zoo.add_instance("urn:tom", "urn:Cat")
    engine.match([(iri("urn:tom"), P, 1)])
    assert set(engine.affected_by_taxonomy()) == {"animal", "above"}
    zoo.add_instance("urn:rock", "urn:Thing")
    assert engine.affected_by_taxonomy() == ("above",)
    assert engine.affected_by_taxonomy() == ()


def test_a_flush_that_fails_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    for number in range(5):
        engine.add(Subscription(f"s{number}", [("?x", P, node(0))]))

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(merging, "merge_index_segments", fail)
        with pytest.raises(KeyboardInterrupt):
            engine.match([(node(1), P, node(0))])
    assert len(engine.match([(node(1), P, node(0))])) == 5


def test_what_is_too_large_for_the_index_is_refused() -> None:
    hub = Subscription("hub", [(node(0), P, f"?v{i}") for i in range(30_001)])
    with pytest.raises(UnsupportedSubscription, match="30001 variables"):
        Engine(allow_cartesian=True).add(hub)
    branches = Subscription("many", branches=[Branch([("?x", P, node(i))]) for i in range(30_001)])
    with pytest.raises(UnsupportedSubscription, match="30001 branches"):
        Engine().add(branches)


@pytest.mark.parametrize("bindings", [True, False])
def test_a_neighbour_does_not_change_what_a_subscription_gets(bindings: bool) -> None:
    """One that must see every row shares its pattern with one that wants few."""
    engine = Engine(row_limit=10, work_limit=20_000)
    engine.add(Subscription("few", [("?a", P, "?b"), ("?b", P, "?c")]))
    engine.add(Subscription("all", [("?a", P, "?b"), ("?b", P, "?c")], where=[compare("a", ">", "?c")]))
    report = engine.match(clique(40), bindings=bindings)
    (match,) = report
    assert match.subscription_id == "few"
    assert len(match.solutions) == (10 if bindings else 0)
    assert [each.subscription_id for each in report.exceeded] == ["all"]


def test_a_cheap_subscription_is_answered_beside_dear_ones() -> None:
    engine = Engine()
    engine._matcher._publication_work_limit = 1_000
    for number in range(12):
        edges = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d"), ("?d", P, node(number))]
        engine.add(Subscription(f"dear{number}", edges, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("cheap", [(node(1), P, node(2))]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("cheap",)
    assert len(report.exceeded) == 12


def test_both_kinds_of_report_have_the_same_fields() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y")]))
    facts = engine.match(ring(3), bindings=False)
    for field in dataclasses.fields(MatchReport):
        getattr(facts, field.name)
    assert facts == engine.match(ring(3), bindings=False)
    assert len({*engine.match(ring(3)), *engine.match(ring(3))}) == 1
    assert "undecided" in repr(facts)


def test_arguments_that_make_no_sense() -> None:
    for wrong in (0, -1, "x", True):
        with pytest.raises(GtopssError, match="batch"):
            Engine().match_many([], batch=wrong)
    with pytest.raises(GtopssError, match="steps"):
        Engine(work_limit=10**30)
    with pytest.raises(GtopssError, match="path"):
        Engine.open(None)  # type: ignore[arg-type]


def test_a_line_break_in_one_publication_is_its_own_error() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y")]))
    torn = Publication.trusted("torn", [(Term("<urn:a\nb>"), P, node(1))])
    one, other = engine.match_many([torn, ring(3)])
    assert "line break" in str(one.error)
    assert other.subscription_ids == ("s",)


def test_only_what_is_asked_follows_from_types() -> None:
    """A publication of many types costs what subscriptions ask about them, and no more."""
    chain = Taxonomy([(f"urn:c{i}", f"urn:c{i + 1}") for i in range(200)])
    matcher = IndexMatcher(chain)
    for number in range(100):
        matcher.add(Subscription(f"s{number}", [("?x", P, "?y", [is_a("x", iri(f"urn:c{number}"))])]))
    publication = Publication.trusted("p", [(node(i), RDF_TYPE, iri("urn:c50")) for i in range(10)])
    encoded = encode_batch([publication], matcher._writer.open_view(flush=True).encoding)
    assert len(encoded.batch.subject) == 10 + 10 * 50 + 50  # the nodes by their types, and c50 itself


# --- on disk ---------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    engine = Engine(taxonomy=Taxonomy([("urn:n1", "urn:n2")]), row_limit=77, allow_cartesian=True)
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:n2>)) }", id="is-a")
    engine.add('SELECT ?x { ?x <urn:q> ?y FILTER(CONTAINS(STR(?y), "n")) }', id="residual\nname")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5) }", id="bound")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y = <urn:n3>) }", id="pushed in")
    with pytest.warns(UserWarning, match="never matches"):
        engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5 && ?y < 3) }", id="never")
    engine.add(Subscription("gone", [("?x", P, "?y")]))
    engine.match(ring(3))
    engine.remove("gone")
    engine.save(tmp_path / "engine")
    return tmp_path / "engine"


def test_a_saved_engine_goes_on(saved: Path) -> None:
    engine = Engine.open(saved)
    assert (len(engine), engine.config.row_limit, engine.config.allow_cartesian) == (5, 77, True)
    assert set(engine.match(ring(5)).subscription_ids) == {"is-a", "residual\nname", "pushed in"}
    assert engine.match([(node(0), P, 6)]).subscription_ids == ("bound",)
    assert "FILTER" not in str(engine.subscription("pushed in"))
    assert engine.explain(ring(3), "never").impossible
    with pytest.raises(DuplicateSubscription):
        engine.add(Subscription("never", [("?x", P, "?y")]))
    assert {each.id for each in engine.subscriptions()} == {"is-a", "residual\nname", "bound", "pushed in", "never"}
    engine.remove("is-a")
    engine.add(Subscription("new", [("?x", P, "?y")]))
    engine.save(saved)
    again = Engine.open(saved)
    assert set(again.match(ring(5)).subscription_ids) == {"new", "residual\nname", "pushed in"}
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_every_file_that_is_cut_off_or_changed_is_refused_by_name(saved: Path) -> None:
    (folder,) = saved.glob("snapshot-*")
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["engine", "records", "records.names", "segment-0", "terms"]
    for path in folder.iterdir():
        whole = path.read_bytes()
        changed = bytearray(whole)
        changed[-1 if path.name != "terms" else 70] ^= 1
        for damaged in (
            whole[:10],
            whole[:-1],
            b"",
            b"<html>" + whole,
            bytes(changed),
            whole[:8] + b"\x09" + whole[9:],
        ):
            path.write_bytes(damaged)
            with pytest.raises(InvalidSnapshot, match=path.name):
                Engine.open(saved)
        path.unlink()
        if not path.name.startswith("segment"):
            with pytest.raises(InvalidSnapshot, match=path.name):
                Engine.open(saved)
        path.write_bytes(whole)
    assert len(Engine.open(saved)) == 5


def test_a_folder_without_an_engine(tmp_path: Path) -> None:
    with pytest.raises(InvalidSnapshot, match="no engine is saved here"):
        Engine.open(tmp_path)
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InvalidSnapshot, match="it holds letter"):
        Engine().save(tmp_path)
    (tmp_path / "CURRENT").write_text("../../etc")
    with pytest.raises(InvalidSnapshot, match="CURRENT"):
        Engine.open(tmp_path)


def test_a_save_that_is_interrupted_leaves_the_last_one(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine.open(saved)
    engine.remove("bound")

    def fail(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gtopss.engine.engine.write_state", fail)
    with pytest.raises(KeyboardInterrupt):
        engine.save(saved)
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_saves_at_once_take_turns(saved: Path) -> None:
    engines = [Engine.open(saved) for _ in range(4)]
    threads = [threading.Thread(target=engine.save, args=(saved,)) for engine in engines for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(Engine.open(saved)) == 5
    assert len(list(saved.glob("snapshot-*"))) == 1


def test_a_crash_in_the_first_save_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "snapshot-0123").mkdir()
    (tmp_path / "CURRENT.new").write_text("snapshot-0123")
    Engine().save(tmp_path)
    assert len(Engine.open(tmp_path)) == 0


def test_a_state_of_another_version_is_refused(saved: Path) -> None:
    (folder,) = saved.glob("snapshot-*")
    state = read_json(folder / "engine")
    del state["operator_subscriptions"]
    write_json(folder / "engine", state)
    with pytest.raises(InvalidSnapshot, match="operator_subscriptions"):
        Engine.open(saved)


def test_reports_and_matches_travel_between_processes() -> None:
    engine = Engine()
    engine.add(Subscription("s", [("?x", P, "?y", [], [contains("y", "n")])]))
    for bindings in (True, False):
        report = engine.match(ring(3), bindings=bindings)
        copied = pickle.loads(pickle.dumps(report))
        assert copied.subscription_ids == report.subscription_ids
        assert [match.rows for match in copied] == [match.rows for match in report]
