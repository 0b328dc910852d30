"""Terms that no subscription mentions are forgotten, whatever happens meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.index_publications import P, Q, node, ring

from gtopss import Engine, Publication, Subscription
from gtopss.errors import GtopssError
from gtopss.matching.index import renumbering, writer
from gtopss.matching.index.kernels.relations import RELATION_COUNT
from gtopss.matching.index.matcher import IndexMatcher
from gtopss.model.terms import RDF_TYPE, Term, iri
from ontology import Taxonomy


@pytest.fixture
def engine() -> Engine:
    """An engine most of whose terms are dead, with every kind of subscription."""
    engine = Engine(taxonomy=Taxonomy([("urn:n1", "urn:n2"), ("urn:n2", "urn:n3")]), allow_cartesian=True)
    for number in range(300):
        engine.add(Subscription(f"dead {number}", [("?x", iri(f"urn:dead{number}"), "?y"), ("?x", P, node(number))]))
    engine.match(ring(3))
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(isA(?x, <urn:n2>)) }", id="is-a")
    engine.add('SELECT ?x ?z { ?x <urn:q> ?y BIND(CONCAT(STR(?y), "!") AS ?z) }', id="computed")
    engine.add("SELECT ?x { ?x <urn:p> ?y FILTER(?y > 5) }", id="bound")
    engine.add("SELECT ?x { ?x <urn:p> <urn:n1> . ?x ?q ?x }", id="join")
    engine.add("SELECT * { FILTER(2 > 1) }", id="edgeless")
    engine.match(ring(3))
    for number in range(300):
        engine.remove(f"dead {number}")
    return engine


def matcher_of(engine: Engine) -> IndexMatcher:
    assert isinstance(engine._core.matcher, IndexMatcher)
    return engine._core.matcher


def check_uses(engine: Engine) -> None:
    """The index knows exactly which terms its subscriptions mention."""
    index = matcher_of(engine)._writer
    numbers = renumbering.constants_of(index.slots.encoded)
    assert np.array_equal(np.flatnonzero(index._uses.is_used(len(index.dictionary))), np.unique(numbers))


def everything(engine: Engine) -> tuple[Any, ...]:
    publications = [ring(5), ring(2), [(node(0), P, 6)], [(node(0), RDF_TYPE, node(1)), (node(0), P, node(0))]]
    matches = [match for each in publications for match in engine.match(each)]
    found = sorted((match.subscription_id, sorted(map(str, match.bindings))) for match in matches)
    return found, sorted(str(each) for each in engine.subscriptions())


def test_dead_terms_are_forgotten_and_nothing_else_changes(engine: Engine, tmp_path: Path) -> None:
    expected, before = everything(engine), len(matcher_of(engine)._writer.dictionary)
    assert before > 600
    lazy = engine.match(ring(3), bindings=False)
    subscriptions = [str(engine.subscription(id)) for id in lazy.subscription_ids]
    engine.optimise()
    assert len(matcher_of(engine)._writer.dictionary) < RELATION_COUNT + 17
    assert everything(engine) == expected
    check_uses(engine)
    assert [str(match.subscription) for match in lazy.matches] == subscriptions  # read only now
    assert {"is-a", "computed", "join"} <= set(engine.costs())
    engine.save(tmp_path / "engine")
    opened = Engine.open(tmp_path / "engine")
    assert everything(opened) == expected
    check_uses(opened)
    engine.taxonomy.add_subclass("urn:n9", "urn:n1")
    assert engine.affected_by_taxonomy() == ("is-a",)
    assert "is-a" in engine.match([(node(9), P, node(9))]).subscription_ids


def test_terms_are_renumbered_only_when_many_may_be_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In an index that has only grown, the first removal made a thread look at all subscriptions."""
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 10)
    started: list[float] = []
    monkeypatch.setattr(writer.IndexWriter, "renumber_terms", lambda self, pause=0.0: started.append(pause))
    engine = Engine()
    for number in range(200):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number))]))
    engine.remove("s0")
    assert not started
    for number in range(1, 190):
        engine.remove(f"s{number}")
    while (thread := matcher_of(engine)._writer._renumbering_thread) is not None:
        thread.join()
    assert started
    assert all(pause > 0 for pause in started)


def test_subscriptions_that_share_their_terms_come_and_go_without_renumbering(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread looked at all subscriptions again and again, and found every term in use."""
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 10)
    monkeypatch.setattr(writer.IndexWriter, "renumber_terms", lambda self, pause=0.0: pytest.fail("it started"))
    engine = Engine()
    for number in range(100):
        engine.add(Subscription(f"s{number}", [("?x", P, node(number % 20))]))
    for number in range(400):
        engine.remove(f"s{number}")
        engine.add(Subscription(f"s{number + 100}", [("?x", P, node(number % 20))]))
    assert matcher_of(engine)._writer._renumbering_thread is None


def test_terms_of_refused_subscriptions_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 10)
    monkeypatch.setattr(writer, "MAX_MEMBERS", 0)
    engine = Engine(taxonomy=Taxonomy([("urn:n1", "urn:n2")]))
    index = matcher_of(engine)._writer
    for number in range(500):
        with pytest.raises(GtopssError):
            engine.add(f"SELECT ?x {{ ?x <urn:p{number}> ?y FILTER(isA(?x, <urn:n2>)) }}", id="refused")
        engine.add("SELECT ?x { ?x <urn:p> ?y }", id="added")
        engine.remove("added")
        if (thread := index._renumbering_thread) is not None:
            thread.join()
    assert len(index.dictionary) < 100


def test_what_changes_meanwhile_is_kept(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    merge = writer.merge_index_segments

    def change_meanwhile(*arguments: Any, **options: Any) -> Any:
        made = merge(*arguments, **options)
        engine.remove("join")
        engine.remove("bound")
        engine.add("SELECT ?x { ?x <urn:q> <urn:dead7> }", id="join")  # an id that was used, and a term that was dead
        engine.add("SELECT ?x { ?x <urn:new> ?y FILTER(isA(?x, <urn:n3>)) }", id="new")
        for number in range(500):
            engine.add(Subscription(f"short-lived {number}", [("?x", iri(f"urn:short{number}"), "?y")]))
        assert len(engine.match([(node(1), iri("urn:new"), node(1))])) == 2  # flushes the buffer
        for number in range(500):
            engine.remove(f"short-lived {number}")
        engine.add("SELECT ?x { ?x <urn:later> ?y }", id="later")
        return made

    monkeypatch.setattr(writer, "merge_index_segments", change_meanwhile)
    matcher_of(engine)._writer.renumber_terms()
    monkeypatch.undo()
    assert set(engine.match([(node(0), Q, iri("urn:dead7"))]).subscription_ids) == {"join", "computed", "edgeless"}
    assert set(engine.match([(node(1), iri("urn:new"), node(1))]).subscription_ids) == {"new", "edgeless"}
    assert set(engine.match([(node(1), iri("urn:later"), node(1))]).subscription_ids) == {"later", "edgeless"}
    assert set(engine.match([(node(0), P, 6)]).subscription_ids) == {"edgeless"}
    assert {each.id for each in engine.subscriptions()} == {"is-a", "computed", "edgeless", "join", "new", "later"}
    assert len(matcher_of(engine)._writer.dictionary) < RELATION_COUNT + 27
    check_uses(engine)
    slots = matcher_of(engine)._writer.slots
    free = [*slots._free, *slots._released]
    assert len(free) == len(set(free))
    assert not any(slots.alive[slot] for slot in free)


def test_a_view_keeps_the_numbers_that_it_began_with(engine: Engine) -> None:
    index = matcher_of(engine)._writer
    view = index.open_view(flush=True)
    before = index.dictionary
    index.renumber_terms()
    index.close_view()
    assert index.dictionary is not before
    assert view.reports is not index.reports
    assert view.reports._codec.decode(next(each for each in view.reports._encoded if each is not None))


def test_renumbering_begins_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 100)
    matcher = IndexMatcher(Taxonomy())
    matcher.add(Subscription("kept", [("?x", P, node(0))]))
    for number in range(2_000):
        matcher.add(Subscription("s", [("?x", iri(f"urn:p{number}"), iri(f"urn:o{number}"))]))
        matcher.remove("s")
        if (thread := matcher._writer._renumbering_thread) is not None:
            thread.join(60)
    assert len(matcher._writer.dictionary) < RELATION_COUNT + 270
    assert matcher.match(ring(3)).subscription_ids == ("kept",)


def test_removals_alone_make_terms_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 100)
    matcher = IndexMatcher(Taxonomy())
    with matcher.adding_many():
        for number in range(1_000):
            matcher.add(Subscription(str(number), [("?x", iri(f"urn:p{number}"), iri(f"urn:o{number}"))]))
    for number in range(999):
        if (thread := matcher._writer._renumbering_thread) is not None:
            thread.join(60)
        matcher.remove(str(number))
    assert len(matcher._writer.dictionary) < 600
    assert matcher.match(Publication("p", [(node(1), iri("urn:p999"), iri("urn:o999"))])).subscription_ids == ("999",)


def test_terms_in_use_keep_their_numbers() -> None:
    matcher = IndexMatcher(Taxonomy())
    for number in range(100):
        matcher.add(Subscription(str(number), [("?x", P, node(number))]))
    before = matcher._writer.dictionary
    matcher._writer.renumber_terms()
    assert matcher._writer.dictionary is before


def test_threads_match_add_and_remove_while_terms_get_new_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 50)
    engine, wrong, stop = Engine(), list[object](), threading.Event()
    for number in range(50):
        engine.add(f"SELECT ?x {{ ?x <urn:kept{number}> ?y FILTER(STR(?y) != '{number}') }}", id=f"kept {number}")

    def watch() -> None:
        while not stop.is_set():
            for number in range(50):
                found = engine.match([(node(0), iri(f"urn:kept{number}"), node(number))])
                if [(each.subscription_id, each.rows) for each in found] != [(f"kept {number}", ({"x": node(0)},))]:
                    wrong.append(found)

    def come_and_go(name: str) -> None:
        for number in range(1_500):
            id, property = f"{name} {number}", iri(f"urn:{name}{number}")
            engine.add(Subscription(id, [("?x", property, iri(f"urn:{name}/o{number}"))]))
            if number % 10 == 0:
                found = engine.match([(node(0), property, Term(f"<urn:{name}/o{number}>"))])
                if found.subscription_ids != (id,):
                    wrong.append(found)
            engine.remove(id)

    run_together([watch], [lambda: come_and_go("a"), lambda: come_and_go("b")], stop)
    assert not wrong
    assert len(matcher_of(engine)._writer.dictionary) < 1_500


def run_together(endless: list[Callable[[], None]], ending: list[Callable[[], None]], stop: threading.Event) -> None:
    threads = [threading.Thread(target=each) for each in (*ending, *endless)]
    for thread in threads:
        thread.start()
    for thread in threads[: len(ending)]:
        thread.join()
    stop.set()
    for thread in threads:
        thread.join()


def test_templates_plans_and_compiled_expressions_go_with_their_last_subscription() -> None:
    engine = Engine()
    index = matcher_of(engine)._writer
    for number in range(3):
        engine.add(f"SELECT ?x{number} {{ ?x{number} <urn:p> ?y FILTER(STR(?y) != 'a') }}", id=f"{number}")
        engine.add(f"SELECT ?x{number} {{ ?x{number} <urn:p> ?y FILTER(STR(?y) != 'b') }}", id=f"{number} again")
    engine.match(ring(3))
    assert (len(index.codec._templates), len(index.reports._compiled)) == (3, 6)
    engine.remove("0")
    assert (len(index.codec._templates), len(index.reports._compiled)) == (3, 5)
    engine.remove("0 again")
    assert (len(index.codec._templates), len(index.reports._compiled)) == (2, 4)
