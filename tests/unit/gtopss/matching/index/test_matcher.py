"""The fast index: what the contract does not ask of every matcher."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest
from support.index_publications import P, clique, node, ring

from gtopss import Engine, Publication, Subscription
from gtopss.errors import GtopssError, MalformedPublication
from gtopss.model.expressions import compare
from gtopss.model.terms import RDF_TYPE, Term
from ontology import Taxonomy


def test_a_subscription_that_is_too_much_work_is_named_and_the_others_are_answered() -> None:
    engine = Engine(work_limit=10_000)
    path = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d")]
    engine.add(Subscription("four", path, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("one", [(node(0), P, "?x")]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("one",)
    ((name, work, limit),) = report.exceeded
    assert (name, limit) == ("four", "work_limit")
    assert work > 10_000
    assert next(iter(engine.costs())) == "four"


def test_rows_found_before_the_limit_are_reported_as_truncated() -> None:
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


@pytest.mark.parametrize("bindings", [True, False])
def test_other_subscriptions_do_not_change_the_rows_of_one(bindings: bool) -> None:
    """One that must see every row shares its pattern with one that wants few."""
    engine = Engine(row_limit=10, work_limit=20_000)
    engine.add(Subscription("few", [("?a", P, "?b"), ("?b", P, "?c")]))
    engine.add(Subscription("all", [("?a", P, "?b"), ("?b", P, "?c")], where=[compare("a", ">", "?c")]))
    report = engine.match(clique(40), bindings=bindings)
    (match,) = report
    assert match.subscription_id == "few"
    assert len(match.solutions) == (10 if bindings else 0)
    assert [each.subscription_id for each in report.exceeded] == ["all"]


def test_a_cheap_subscription_is_answered_beside_expensive_ones() -> None:
    engine = Engine()
    engine._core.matcher._publication_work_limit = 1_000
    for number in range(12):
        edges = [("?a", P, "?b"), ("?b", P, "?c"), ("?c", P, "?d"), ("?d", P, node(number))]
        engine.add(Subscription(f"dear{number}", edges, where=[compare("a", ">", "?d")]))
    engine.add(Subscription("cheap", [(node(1), P, node(2))]))
    report = engine.match(clique(40))
    assert report.subscription_ids == ("cheap",)
    assert len(report.exceeded) == 12


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


FOUR_OF_HUNDRED = "SELECT %s { ?x <urn:p> ?a, ?b, ?c, ?d %s }"
HUNDRED = Publication("hundred", [("<urn:x>", "<urn:p>", number) for number in range(100)])


@pytest.mark.parametrize("bindings", [True, False])
def test_rows_that_python_must_check_are_limited_in_the_kernel(bindings: bool) -> None:
    """There are a hundred million of them: without the limit this test would need many gigabytes."""
    engine = Engine()
    engine.add(FOUR_OF_HUNDRED % ("?x", "FILTER(?a + ?b + ?c + ?d < 0)"), id="many")
    engine.add("SELECT * { ?x <urn:p> 7 }", id="one")
    report = engine.match(HUNDRED, bindings=bindings)
    assert report.subscription_ids == ("one",)
    ((name, steps, limit),) = report.exceeded
    assert (name, limit) == ("many", "work_limit")
    assert 10_000_000 < steps < 10_010_000


def test_distinct_rows_are_found_within_the_same_limit() -> None:
    engine = Engine(work_limit=100_000)
    engine.add(FOUR_OF_HUNDRED % ("DISTINCT ?x", ""), id="few")
    engine.add(FOUR_OF_HUNDRED % ("DISTINCT ?a ?b", ""), id="many")
    report = engine.match(HUNDRED)
    few, many = sorted(report, key=lambda match: match.subscription_id)
    assert few.rows == ({"x": "<urn:x>"},)
    assert few.truncated
    assert many.truncated
    assert {each.subscription_id for each in report.exceeded} == {"few", "many"}


def test_a_join_through_a_property_variable_is_limited() -> None:
    engine = Engine()
    engine.add("SELECT * { ?x ?p ?a . ?y ?p ?b FILTER(STRLEN(?a) > 1000) }", id="product")
    triples = [(node(number), P, f'"text {number}"') for number in range(2_000)]
    report = engine.match(Publication("p", triples))
    assert not report.matches
    assert [(each.subscription_id, each.limit) for each in report.exceeded] == [("product", "work_limit")]


def test_wide_rows_that_python_must_check_are_limited_by_their_values() -> None:
    engine = Engine(value_limit=1_000)
    variables = " ; ".join(f"<urn:p> ?v{number}" for number in range(100))
    engine.add(f"SELECT * {{ ?x {variables} FILTER(?v0 + ?v1 < 0) }}", id="wide")
    report = engine.match(HUNDRED)
    ((name, values, limit),) = report.exceeded
    assert (name, limit) == ("wide", "value_limit")
    assert 9 * 1_000 < values < 11 * 1_000  # the values of about ten matches


def test_many_matches_with_many_rows_share_the_values_of_a_publication() -> None:
    engine = Engine(value_limit=300)
    for number in range(50):
        engine.add(f"SELECT * {{ ?x <urn:p> ?a, ?b . ?x <urn:p> {number} }}", id=str(number))
    report = engine.match(HUNDRED)
    assert len(report) == 50
    assert all(match.truncated and match.solutions for match in report)
    assert sum(3 * len(match.solutions) for match in report) < 10 * 300 + 50 * 3


def test_large_results_of_a_batch_are_matched_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine()
    engine.add("SELECT * { ?x <urn:p> ?a, ?b }", id="s")
    publications = [HUNDRED.replace(id=f"p{number}") for number in range(20)]
    expected = list(engine.match_many(publications))
    monkeypatch.setattr("gtopss.matching.index.matcher.MAX_BATCH_VALUES", 200_000)
    assert list(engine.match_many(publications)) == expected
    monkeypatch.setattr("gtopss.matching.index.matcher.MAX_BATCH_VALUES", 1)
    assert list(engine.match_many(publications)) == expected


def test_the_triples_that_is_a_constraints_add_are_limited() -> None:
    taxonomy = Taxonomy()
    for number in range(20):
        taxonomy.add_subclass(f"urn:c{number}", f"urn:c{number + 1}")
    engine = Engine(taxonomy=taxonomy, expansion_limit=60)
    for number in range(21):
        engine.add(f"SELECT * {{ ?x <urn:p> ?y FILTER(isA(?x, <urn:c{number}>)) }}", id=str(number))
    typed = [(node(number), RDF_TYPE, "<urn:c10>") for number in range(5)]
    stated = [(node(number), "<urn:p>", 1) for number in range(5)]
    within = engine.match(Publication("within", [*typed[:4], *stated]))
    assert within.limits_reached == ()
    assert len(within) == 11
    for bindings in (True, False):
        beyond, after = engine.match_many(
            [Publication("beyond", [*typed, *stated]), Publication("after", [*typed[:1], *stated])], bindings=bindings
        )
        assert beyond.limits_reached == ("expansion_limit",)
        assert beyond.exceeded == ()
        assert (after.limits_reached, len(after)) == ((), 11)


def test_the_triples_that_entailment_adds_are_limited() -> None:
    taxonomy = Taxonomy()
    for number in range(20):
        taxonomy.add_subclass(f"urn:c{number}", f"urn:c{number + 1}")
    engine = Engine(taxonomy=taxonomy, entailment="rdfs", expansion_limit=50)
    engine.add("SELECT * { ?x a <urn:c20> }", id="s")
    few = engine.match([(node(0), RDF_TYPE, "<urn:c10>")])
    assert (len(few), few.limits_reached) == (1, ())
    many = engine.match([(node(number), RDF_TYPE, "<urn:c10>") for number in range(9)])
    assert many.limits_reached == ("expansion_limit",)


@pytest.mark.parametrize("bindings", [True, False])
def test_one_publication_alone_is_answered_as_in_a_batch(bindings: bool) -> None:
    engine = Engine(row_limit=3, work_limit=2_000, allow_cartesian=True)
    for id, text in {
        "one row": "SELECT ?x { <urn:n0> <urn:p> ?x }",
        "constants": "ASK { <urn:n0> <urn:p> <urn:n1> }",
        "many rows": "SELECT ?x { ?x <urn:p> ?y }",
        "distinct": "SELECT DISTINCT ?x { ?x <urn:p> ?y }",
        "two branches": "SELECT ?x { { ?x <urn:p> <urn:n1> } UNION { ?x <urn:q> <urn:n1> } }",
        "tested": "SELECT ?x { ?x <urn:p> ?y FILTER(?x != ?y && STRLEN(STR(?x)) < 8) }",
        "too much work": "SELECT ?a { ?a <urn:p> ?b . ?b <urn:p> ?c . ?c <urn:p> ?d FILTER(?a = ?d) }",
        "no edge": "SELECT ?now { BIND(NOW() AS ?now) }",
    }.items():
        engine.add(text, id=id)
        given = [
            Publication("empty", []),
            Publication("single", [("<urn:n0>", "<urn:p>", "<urn:n1>"), ("<urn:n0>", "<urn:q>", "<urn:n1>")]),
            Publication("other", [("<urn:n7>", "<urn:r>", "<urn:n1>")]),
            clique(12),
        ]
        timed = [each.replace(received_at=datetime(2020, 1, 1, tzinfo=UTC)) for each in given]
        together = list(engine.match_many(timed, bindings=bindings))
        assert [engine.match(each, bindings=bindings) for each in timed] == together
    engine.remove("one row")
    assert "one row" not in engine.match(given[1]).subscription_ids


def test_a_line_break_in_a_term_of_the_only_publication_is_raised() -> None:
    engine = Engine()
    engine.add("SELECT ?x { ?x ?p ?y }")
    with pytest.raises(MalformedPublication, match="line break"):
        engine.match(Publication.trusted("broken", [(Term("<urn:a>"), Term("<urn:p>"), Term('"a\nb"'))]))
