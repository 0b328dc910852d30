"""Explanations: small cases with exact expectations, and random ones against naive and brute force."""

from __future__ import annotations

import json
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from conftest import SOAK
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import LITERALS, Case, cases

from gtopss.explain import (
    BranchExplanation,
    Check,
    ClosestValue,
    ConstraintFailure,
    EdgeFailure,
    Explanation,
    IsACheck,
    JoinFailure,
    NearTriple,
    explain,
    explainer,
)
from gtopss.explain.formatting import format_term
from gtopss.explain.graph_layout import layout
from gtopss.explain.mermaid import escape
from gtopss.matching.naive import NaiveMatcher, solutions
from gtopss.model import Branch, Call, Counters, Publication, Subscription, Term, Triple
from gtopss.model.expressions import (
    ancestor_of,
    call,
    compare,
    directly_a,
    instance_of,
    is_a,
    starts_with,
)
from gtopss.model.terms import RDF_TYPE, XSD, iri, literal, term
from gtopss.rdf.parse import read_triples
from gtopss.semantics import EvaluationContext, compile_expressions
from ontology import Taxonomy, load

BIB = {"bib": "http://example.org/bib#"}
P, Q, R = (iri(f"urn:{name}") for name in "pqr")
A, B, C, D = (iri(f"urn:{name}") for name in "abcd")
X, Y, Z = Term("?x"), Term("?y"), Term("?z")


def why(
    tuples: Iterable[Any], triples: Iterable[Any], taxonomy: Taxonomy | None = None, where: Iterable[Call] = ()
) -> BranchExplanation:
    """The explanation of a subscription with one branch."""
    made = explain(Subscription("s", tuples, where=where), Publication("p", triples), taxonomy or Taxonomy())
    assert made.complete
    return made.branches[0]


def failing_check(branch: BranchExplanation) -> Check:
    assert isinstance(branch.failure, ConstraintFailure)
    return branch.failure.check


def integer(number: int) -> Term:
    return literal(str(number), XSD + "integer")


# --- the paper's Figure 5 --------------------------------------------------------------------------------------------


def figure5(data: Path, id: str, change: tuple[str, str] = ("", "")) -> Explanation:
    lines = (data / "figure5" / "subscriptions.jsonl").read_text().splitlines()
    subscription = next(s for s in (Subscription.from_json(json.loads(line)) for line in lines) if s.id == id)
    event = (data / "figure5" / "event.ttl").read_text().replace(*change)
    publication = Publication.trusted("event", read_triples(event, "turtle"))
    return explain(subscription, publication, load(data / "ontologies" / "bibliography.ttl"))


def test_figure_5_is_explained_with_the_way_up_the_taxonomy(data: Path) -> None:
    made = figure5(data, "S2")
    assert made.matched
    (solution,) = made.solutions
    paper, sigmod = iri(BIB["bib"] + "ArnosPaper17"), iri(BIB["bib"] + "SIGMOD")
    assert dict(solution.bindings) == {"?x": integer(2001), "?y": paper}
    assert solution.edges[0].triple == (sigmod, iri(BIB["bib"] + "year"), integer(2001))
    _, question = solution.checks
    (asked,) = question.questions
    assert (asked.path[0], asked.path[-1]) == (paper, iri(BIB["bib"] + "Publication"))
    assert not asked.stated
    taxonomy = load(data / "ontologies" / "bibliography.ttl")
    assert all(taxonomy.directly_a(one[1:-1], other[1:-1]) for one, other in pairwise(asked.path))
    assert made.text(BIB).splitlines() == [
        "S2 matches event: 1 solution",
        "  ?x = 2001   ?y = bib:ArnosPaper17",
        "    ✔ bib:SIGMOD  bib:year  ?x          bib:SIGMOD  bib:year  2001",
        '    ✔ ?y  bib:author  "Arno Jacobsen"   bib:ArnosPaper17  bib:author  "Arno Jacobsen"',
        "    ✔ ?y  bib:conference  bib:SIGMOD    bib:ArnosPaper17  bib:conference  bib:SIGMOD",
        "    ✔ ?x > 1999                         2001 > 1999",
        "    ✔ ?y is-a bib:Publication           " + " → ".join(format_term(step, BIB) for step in asked.path),
    ]


@pytest.mark.parametrize(
    ("id", "change", "says"),
    [
        ("S1", ("2001", "2000"), "✘ ?z > 2000                  2000 > 2000 is false"),
        ("S1", ("2001", '"2001"'), '"2001" > 2000 is a type error: a plain string never compares as a number'),
        ("S2", ("Jacobsen", "Jakobsen"), 'object is "Arno Jakobsen", not "Arno Jacobsen"'),
        ("S2", ("bib:author", "bib:autor"), "property is bib:autor, not bib:author"),
        ("S2", ("bib:ArnosPaper17", "bib:Paper18"), "bib:Paper18 is not a bib:Publication; nothing is known of it"),
        ("S2", ("ArnosPaper17 bib:author", "P18 bib:author"), "✘ ?y  bib:conference  bib:SIGMOD"),
    ],
)
def test_what_the_event_of_figure_5_lacks_is_named(data: Path, id: str, change: tuple[str, str], says: str) -> None:
    event = (data / "figure5" / "event.ttl").read_text()
    assert change[0] in event
    if "P18" in change[1]:  # the other triples of the paper stay with it
        change = (
            'bib:ArnosPaper17 bib:author     "Arno Jacobsen" ;',
            'bib:P18 bib:author "Arno Jacobsen" . bib:ArnosPaper17 ',
        )
        assert change[0] in event
    made = figure5(data, id, change)
    assert not made.matched
    assert says in made.text(BIB)


# --- edges -----------------------------------------------------------------------------------------------------------


def test_an_edge_without_a_triple_is_named_with_its_nearest() -> None:
    branch = why([(X, P, Y), (X, Q, integer(2001))], [(A, P, B), (A, Q, integer(2003)), (B, R, integer(2001))])
    assert [each.edge for each in branch.part] == [(X, P, Y)]
    near = NearTriple((A, Q, integer(2003)), ("object",)), NearTriple((B, R, integer(2001)), ("property",))
    assert branch.failure == EdgeFailure((X, Q, integer(2001)), near)
    assert branch.exact


def test_a_property_spelled_otherwise_is_near_though_nothing_else_is_asked() -> None:
    spelled = (A, iri("http://ex.org/authors"), B)
    branch = why([(X, iri("http://ex.org/author"), Y)], [(A, iri("http://ex.org/price"), B), spelled])
    assert branch.failure == EdgeFailure((X, iri("http://ex.org/author"), Y), (NearTriple(spelled, ("property",)),))


def test_a_literal_of_the_same_text_and_another_type_is_nearest() -> None:
    made = explain(
        Subscription("s", [(X, P, integer(5))]), Publication("p", [(A, P, '"6"'), (A, P, '"5"')]), Taxonomy()
    )
    assert isinstance(made.branches[0].failure, EdgeFailure)
    assert made.branches[0].failure.nearest[0].triple == (A, P, literal("5"))
    assert 'object is "5", not 5 (the same text, of another type)' in str(made)


def test_a_variable_written_twice_asks_for_one_value() -> None:
    branch = why([(X, P, X)], [(A, P, B)])
    assert branch.failure == EdgeFailure((X, P, X), (NearTriple((A, P, B), ("object",)),))


# --- joins -----------------------------------------------------------------------------------------------------------


def test_edges_that_match_alone_but_not_together_show_the_conflict() -> None:
    branch = why([(X, P, Y), (X, Q, C)], [(A, P, B), (B, Q, C), (D, Q, C)])
    assert [(each.edge, each.triple) for each in branch.part] == [((X, P, Y), (A, P, B))]
    assert isinstance(branch.failure, JoinFailure)
    assert branch.failure.edge == (X, Q, C)
    assert branch.failure.triples == ((B, Q, C), (D, Q, C))
    assert [(each.variable, each.in_part, each.in_edge) for each in branch.failure.conflicts] == [(X, A, B)]
    assert dict(branch.bindings) == {X: A, Y: B}


def test_the_largest_part_is_not_the_greedy_one() -> None:
    """The first edge alone keeps the three others out."""
    branch = why([(X, P, A), (X, Q, A), (X, R, A), (X, R, B)], [(A, P, A), (B, Q, A), (B, R, A), (B, R, B)])
    assert [each.edge for each in branch.part] == [(X, Q, A), (X, R, A), (X, R, B)]
    assert branch.exact
    assert isinstance(branch.failure, JoinFailure)
    assert branch.failure.edge == (X, P, A)


def test_of_many_conflicts_the_fewest_are_shown() -> None:
    branch = why([(X, P, Y), (X, Q, Y)], [(A, P, B), (C, P, D), (B, Q, A), (C, Q, A)])
    assert isinstance(branch.failure, JoinFailure)
    assert [(each.variable, each.in_part, each.in_edge) for each in branch.failure.conflicts] == [(Y, D, A)]
    assert dict(branch.bindings) == {X: C, Y: D}


# --- constraints -----------------------------------------------------------------------------------------------------


def test_a_false_comparison_shows_the_value_that_came_closest() -> None:
    triples = [(A, P, 7), (B, P, 9), (C, P, 8)]
    branch = why([(X, P, Y, [], [compare("y", ">", 10)])], triples)
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(integer(9), integer(10), alone=True)
    assert branch.failure.check.substituted == call(">", integer(9), integer(10))
    assert dict(branch.bindings) == {X: B, Y: integer(9)}
    assert branch.failure.rows == 3


@pytest.mark.parametrize(
    ("operator", "limit", "values", "nearest"),
    [
        ("<", 5, [9, 7, 8], 7),
        ("<=", 5, [9, 6], 6),
        (">=", 5, [1, 4, 2], 4),
        (">", '"m"', ['"a"', '"k"', '"b"'], '"k"'),
        *[
            (">", f'"2001-05-2{day}"^^<{XSD}date>', [f'"2001-05-1{d}"^^<{XSD}date>' for d in (3, 8, 5)],
             f'"2001-05-18"^^<{XSD}date>')
            for day in (1, 2)
        ],
    ],
)  # fmt: skip
def test_the_closest_value_of_each_ordered_kind(operator: str, limit: Any, values: list[Any], nearest: Any) -> None:
    branch = why([(A, P, Y, [], [compare("y", operator, limit)])], [(A, P, value) for value in values])
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(term(nearest), term(limit), alone=True)


def test_the_limit_may_stand_on_the_left_or_be_another_value() -> None:
    left = why([(A, P, Y)], [(A, P, 3), (A, P, 4)], where=[call("<", integer(5), Y)])
    both = why([(X, P, Y), (X, Q, Z)], [(A, P, 3), (A, Q, 9), (B, P, 4), (B, Q, 5)], where=[call(">", Y, Z)])
    assert isinstance(left.failure, ConstraintFailure)
    assert isinstance(both.failure, ConstraintFailure)
    assert left.failure.closest == ClosestValue(integer(4), integer(5), alone=True)
    assert both.failure.closest == ClosestValue(integer(4), integer(5), alone=True)


def test_rows_where_everything_else_holds_count_first() -> None:
    """9 is closer to 10, but only in a row that fails the other constraint as well."""
    triples = [(A, P, 9), (A, Q, '"no"'), (B, P, 3), (B, Q, '"yes"')]
    branch = why([(X, P, Y, [], [compare("y", ">", 10)]), (X, Q, Z, [], [starts_with("z", "y")])], triples)
    assert isinstance(branch.failure, ConstraintFailure)
    assert branch.failure.closest == ClosestValue(integer(3), integer(10), alone=True)
    assert [check.holds for check in branch.failure.checks] == [False, True]


@pytest.mark.parametrize(
    ("value", "test", "error"),
    [
        ('"2001"', compare("y", ">", 2000), "a plain string never compares as a number"),
        (B, compare("y", ">", 2000), "an IRI does not compare with a number"),
        (f'"x"^^{D}', compare("y", "=", 5), "a literal of a type we cannot read does not compare with a number"),
        (f'"2001-01-01T00:00:00"^^<{XSD}dateTime>', compare("y", "<", f'"2001-01-01T00:00:00Z"^^<{XSD}dateTime>'),
         "one side has no time zone, and the gap is too small to tell the order without it"),
        ("_:b", call("=", call("STR", Y), literal("b")), "a blank node has no text"),
    ],
)  # fmt: skip
def test_a_type_error_says_which(value: Any, test: Call, error: str) -> None:
    check = failing_check(why([(A, P, Y)], [(A, P, value)], where=[test]))
    assert (check.holds, check.error) == (False, error)


def test_a_failing_conjunction_names_the_member_that_fails() -> None:
    low, high = compare("y", ">", 1), compare("y", "<", 5)
    check = failing_check(why([(A, P, Y)], [(A, P, 8)], where=[call("&&", low, call("&&", low, high))]))
    assert check.asked == high
    assert check.substituted == call("<", integer(8), integer(5))


def test_binds_are_shown_with_their_values_and_their_errors() -> None:
    branch = Branch(
        [(A, P, Y)], [compare("double", "<", 10)], [("?double", call("*", 2, Y)), ("?len", call("STRLEN", Y))]
    )
    made = explain(Subscription("s", branches=[branch]), Publication("p", [(A, P, 4)]), Taxonomy())
    (solution,) = made.solutions
    assert [(each.variable, each.value) for each in solution.computed] == [("?double", integer(8)), ("?len", None)]
    assert solution.computed[1].error == "it is not a string"
    assert dict(solution.bindings)[Term("?double")] == integer(8)
    assert "✔ ?double := 2 * 4       = 8" in str(made)


# --- is-a ------------------------------------------------------------------------------------------------------------

ZOO = Taxonomy(
    [("urn:Cat", "urn:Mammal"), ("urn:Mammal", "urn:Animal"), ("urn:Car", "urn:Thing")],
    instances=[("urn:tom", "urn:Cat")],
)
TOM, CAT, MAMMAL, ANIMAL, CAR = (iri(f"urn:{name}") for name in ("tom", "Cat", "Mammal", "Animal", "Car"))


def asked(test: Call, triples: Iterable[Any]) -> IsACheck:
    made = explain(Subscription("s", [(A, P, X)], where=[test]), Publication("p", triples), ZOO)
    (check,) = made.branches[0].checks()
    (question,) = check.questions
    assert question.answer is check.holds is made.matched
    return question


def test_the_way_up_begins_with_a_stated_type_where_that_made_it_true() -> None:
    question = asked(is_a("x", ANIMAL), [(A, P, B), (B, RDF_TYPE, CAT), (B, RDF_TYPE, CAR)])
    assert (question.path, question.stated) == ((B, CAT, MAMMAL, ANIMAL), True)


@pytest.mark.parametrize(
    ("test", "value", "path"),
    [
        (is_a("x", ANIMAL), TOM, (TOM, CAT, MAMMAL, ANIMAL)),
        (is_a("x", CAT), CAT, (CAT,)),
        (instance_of("x", MAMMAL), TOM, (TOM, CAT, MAMMAL)),
        (directly_a("x", CAT), TOM, (TOM, CAT)),
        (ancestor_of("x", TOM), MAMMAL, (TOM, CAT, MAMMAL)),
    ],
)
def test_the_taxonomys_way_up(test: Call, value: Term, path: tuple[Term, ...]) -> None:
    question = asked(test, [(A, P, value)])
    assert (question.answer, question.path, question.stated) == (True, path, False)


@pytest.mark.parametrize(
    ("test", "value", "path", "parents"),
    [
        (is_a("x", CAR), TOM, (), (CAT,)),
        (is_a("x", CAR), B, (), (CAT,)),  # by the publication's word
        (directly_a("x", ANIMAL), TOM, (TOM, CAT, MAMMAL, ANIMAL), (CAT,)),
        (ancestor_of("x", TOM), CAR, (), (CAT,)),
    ],
)
def test_what_it_is_instead(test: Call, value: Term, path: tuple[Term, ...], parents: tuple[Term, ...]) -> None:
    question = asked(test, [(A, P, value), (B, RDF_TYPE, CAT)])
    assert (question.answer, question.path, question.parents) == (False, path, parents)


def test_an_is_a_question_inside_another_test_is_explained_too() -> None:
    made = explain(
        Subscription("s", [(A, P, X)], where=[call("!", is_a("x", ANIMAL))]), Publication("p", [(A, P, TOM)]), ZOO
    )
    assert failing_check(made.branches[0]).questions[0].path == (TOM, CAT, MAMMAL, ANIMAL)
    assert "is false; <urn:tom> → <urn:Cat> → <urn:Mammal> → <urn:Animal>" in str(made)


# --- branches, caps --------------------------------------------------------------------------------------------------


def test_the_branch_that_got_furthest_comes_first() -> None:
    far = [Branch([(X, Q, Y)]), Branch([(X, P, Y), (Y, Q, X)]), Branch([(X, P, Y)], [compare("y", ">", 5)])]
    triples = [(A, P, 3)]
    made = explain(Subscription("s", branches=far), Publication("p", triples), Taxonomy())
    assert [each.number for each in made.branches] == [3, 2, 1]
    both = explain(Subscription("s", branches=[*far, Branch([(A, P, Y)])]), Publication("p", triples), Taxonomy())
    assert [each.number for each in both.branches] == [4, 3, 2, 1]
    assert both.matched
    assert "branch 3 of 4: the edge matches, but a constraint fails" in str(both)


def test_a_branch_without_edges_is_explained() -> None:
    made = explain(
        Subscription("s", branches=[Branch([], [call("<", 2, 1)])]), Publication("p", [(A, P, B)]), Taxonomy()
    )
    assert failing_check(made.branches[0]).substituted == call("<", 2, 1)
    assert "2 < 1 is false" in str(made)
    ET.fromstring(made.svg())


def test_ten_solutions_are_shown_and_the_rest_counted() -> None:
    branch = why([(A, P, Y)], [(A, P, n) for n in range(25)])
    assert (len(branch.solutions), branch.more) == (10, 15)


LARGE = Publication("large", [(iri(f"urn:n{i}"), P, iri(f"urn:m{j}")) for i in range(71) for j in range(71)])
CHAIN = [(f"?a{i}", f"?p{i}", f"?a{i + 1}") for i in range(10)]
CLIQUE = [(f"?a{i}", "?p", f"?a{j}") for i in range(5) for j in range(i + 1, 5)]
STAR = [("?x", f"?p{i}", f"?o{i}") for i in range(10)]


@pytest.mark.parametrize("pattern", [CHAIN, CLIQUE, STAR, CHAIN + CLIQUE], ids=["chain", "clique", "star", "mixed"])
@pytest.mark.parametrize("where", [False, True])
def test_hostile_patterns_end_soon(pattern: list[tuple[str, str, str]], where: bool) -> None:
    assert len(LARGE.triples) > 5_000
    tests = [call("=", pattern[0][0], "<urn:nowhere>")] if where else []
    begun = time.monotonic()
    made = explain(Subscription("s", pattern, where=tests), LARGE, Taxonomy())
    assert made.matched is (pattern is STAR and not where)
    for _ in (str(made), made.svg(), made.mermaid(), json.dumps(made.to_json())):
        pass
    assert time.monotonic() - begun < 8
    if not made.complete:
        assert "cut at its limits" in str(made)


def test_a_search_that_was_cut_does_not_say_there_is_no_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explainer, "STEPS", 10)
    made = explain(Subscription("s", CHAIN), LARGE, Taxonomy())
    assert (made.matched, made.settled, made.complete) == (False, False, False)
    assert "s was not seen to match large" in str(made)


# --- random cases against naive and brute force ----------------------------------------------------------------------


def matches(edges: Iterable[Triple], publication: Publication) -> bool:
    branch = Branch(edges)
    found = solutions(
        branch, compile_expressions("part", branch), EvaluationContext(publication, Taxonomy()), Counters()
    )
    return next(found, None) is not None


@settings(max_examples=400 * (10 if SOAK else 1))
@given(cases())
def test_explains_what_naive_finds(case: Case) -> None:
    naive = NaiveMatcher(case.taxonomy)
    for subscription in case.subscriptions:
        naive.add(subscription)
    found = {match.subscription_id: match for match in naive.match(case.publication)}
    for subscription in case.subscriptions:
        made = explain(subscription, case.publication, case.taxonomy)
        assert made.complete
        assert made.matched is (subscription.id in found)
        if made.matched:
            shown = {
                (each.number, dict(s.bindings).items().__repr__()) for each in made.branches for s in each.solutions
            }
            assert len(shown) == len(made.solutions)
            if not subscription.distinct:
                assert len(found[subscription.id].solutions) == sum(len(b.solutions) + b.more for b in made.branches)
        for branch in made.branches:
            for solution in branch.solutions:
                assert all(check.holds for check in solution.checks)
                assert {each.triple for each in solution.edges} <= set(case.publication.triples)
            if not branch.matched:
                check_miss(branch, case.publication)
        json.dumps(made.to_json())


def check_miss(branch: BranchExplanation, publication: Publication) -> None:
    """The part matches, none larger does, and the failure is what it says."""
    edges, part = branch.branch.edges(), [each.edge for each in branch.part]
    assert branch.exact
    assert {each.triple for each in branch.part} <= set(publication.triples)
    assert matches(part, publication)
    assert not any(matches(subset, publication) for subset in combinations(edges, len(part) + 1))
    match branch.failure:
        case EdgeFailure(edge):
            assert not matches([edge], publication)
        case JoinFailure(edge, triples, _, conflicts):
            assert matches([edge], publication)
            assert triples
            assert conflicts
            assert all(each.in_part != each.in_edge for each in conflicts)
        case ConstraintFailure(check, checks):
            assert len(part) == len(edges)
            assert not check.holds
            assert check in checks
        case None:
            pytest.fail("a miss without a reason")


# --- pictures --------------------------------------------------------------------------------------------------------

HOSTILE = [
    literal(text)
    for text in (
        "<script>alert(1)</script>", "]]>", "&amp;", "\"'`", "a\nb\r\t\x00\x1b[31m", "\u202eltr\u200f", "%%{init}%%",
        'x"] --> y["', "#quot;", "漢字" * 30, "end", "--\u2028>", "{{}}|[(", "",
    )
]  # fmt: skip
SHAPES = {"svg", "g", "title", "rect", "text", "path", "polygon"}
SVG = "{http://www.w3.org/2000/svg}"
MERMAID = re.compile(r"[^\n\"\[\](){}|<>`;]*")


def check_pictures(made: Explanation) -> None:
    for number in range(len(made.branches)):
        root = ET.fromstring(made.svg(branch=number))
        assert root.tag == SVG + "svg"
        assert {each.tag for each in root.iter()} <= {
            SVG + n for n in ("svg", "g", "title", "rect", "text", "path", "polygon")
        }
        names = {name for each in root.iter() for name in each.attrib}
        assert not any(name.startswith("on") or "href" in name or name in ("style", "id") for name in names)
        for line in made.mermaid(branch=number).splitlines():
            # every line is one of ours, and what is quoted is harmless
            bare = re.sub(r"#\d+;|<br/>", "", line)
            assert re.fullmatch(
                r'flowchart LR|    (n\d+|notes)(\(\["[^"]*"\]\)|\["[^"]*"\])|    n\d+ -\.?-?->\|"[^"]*"\| n\d+'
                r"|    (style|linkStyle) \S+ \S+",
                bare,
            ), line
            for quoted in re.findall(r'"([^"]*)"', bare):
                assert MERMAID.fullmatch(quoted), line
    shown = made._repr_html_()
    assert "<script" not in shown
    assert not set("\u202e\u200f\u2028\x1b") & set(shown + str(made) + made.mermaid())
    (str(made) + shown + made.mermaid()).encode()


@settings(max_examples=150 * (10 if SOAK else 1))
@given(cases(LITERALS + 3 * HOSTILE), st.sampled_from(["s", '<b>"x\n\u202e', "'; drop"]))
def test_pictures_are_well_formed_whatever_the_labels(case: Case, id: str) -> None:
    for subscription in case.subscriptions:
        renamed = Subscription(id, branches=subscription.branches)
        check_pictures(explain(renamed, case.publication, case.taxonomy))


def test_a_picture_shows_loops_parallel_edges_and_the_failing_one() -> None:
    pattern = [(X, P, X), (X, Q, X), (X, P, Y), (X, Q, Y), (Y, P, X), (Y, R, "<urn:nowhere>")]
    made = explain(Subscription("s", pattern), Publication("p", [(A, P, A), (A, Q, A), (A, R, B)]), Taxonomy())
    root = ET.fromstring(made.svg())
    assert len(root.findall(f".//{SVG}polygon")) == len(pattern)  # an arrow's head each
    dashed = [each for each in root.iter(SVG + "path") if each.get("stroke-dasharray")]
    assert [each.get("stroke") for each in dashed] == ["#cf222e"]
    assert made.mermaid().count("-.->") == 1
    check_pictures(made)


def test_long_labels_are_shortened_and_told_in_full() -> None:
    long = iri("http://example.org/" + "x" * 200)
    made = explain(Subscription("s", [(X, P, long)]), Publication("p", [(A, P, long)]), Taxonomy())
    texts = [each for each in ET.fromstring(made.svg()).iter(SVG + "text") if each.find(SVG + "title") is not None]
    assert [each.find(SVG + "title").text for each in texts] == [long]  # type: ignore[union-attr]
    assert all(len(each.find(SVG + "title").tail or "") <= 36 for each in texts)  # type: ignore[union-attr]


def test_a_large_pattern_is_drawn_in_part() -> None:
    pattern = [(f"?a{i}", P, f"?a{i + 1}") for i in range(300)]
    made = explain(Subscription("s", [*pattern, (X, Q, X)]), Publication("p", [(A, P, A)]), Taxonomy())
    root = ET.fromstring(made.svg())
    assert len(root.findall(f".//{SVG}polygon")) == 40
    assert "261 more edges are not drawn" in made.svg()
    assert 'stroke-dasharray="5 4"' in made.svg()  # the failing one is drawn all the same


def graphs(count: int) -> st.SearchStrategy[tuple[list[tuple[float, float]], list[tuple[int, int]]]]:
    """Sizes of so many nodes, and edges between different ones."""
    sizes = st.tuples(st.floats(20, 300), st.floats(20, 90))
    node = st.integers(0, count - 1)
    edges = st.tuples(node, node).filter(lambda edge: edge[0] != edge[1])
    return st.tuples(st.lists(sizes, min_size=count, max_size=count), st.lists(edges, max_size=10))


@given(st.integers(2, 8).flatmap(graphs))
def test_nothing_overlaps(graph: tuple[list[tuple[float, float]], list[tuple[int, int]]]) -> None:
    sizes, edges = graph
    placed = layout(sizes, edges, [(60.0, 17.0)] * len(edges))
    boxes = [*placed.nodes, *(route.label for route in placed.routes)]
    for one, other in combinations(boxes, 2):
        apart_x = abs(one.x - other.x) - (one.width + other.width) / 2
        apart_y = abs(one.y - other.y) - (one.height + other.height) / 2
        assert max(apart_x, apart_y) >= 8
    assert all(-0.1 <= box.left <= box.right <= placed.width + 0.1 for box in boxes)
    assert all(box.y - box.height / 2 >= -0.1 and box.y + box.height / 2 <= placed.height + 0.1 for box in boxes)


def test_mermaid_escapes_what_it_would_read() -> None:
    assert escape('a "b" [c] #35; <br>') == "a #34;b#34; #91;c#93; #35;35#59; #60;br#62;"


def test_equal_questions_have_equal_explanations() -> None:
    """Frozen data: comparable, and hashable."""
    one, other = (explain(Subscription("s", [(X, P, Y)]), Publication("p", [(A, P, B)]), ZOO) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert isinstance(one, Explanation)
