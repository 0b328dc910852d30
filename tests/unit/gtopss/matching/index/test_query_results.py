"""Queries that the index evaluates with its own rows: the same answers as those of other matchers."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path

import pytest

from gtopss import Engine, Publication
from gtopss.matching.index import renumbering

QUERIES = {
    "optional": "SELECT ?x ?n { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }",
    "any": "SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?z } }",
    "constant": "SELECT ?x { ?x <urn:p> ?y MINUS { ?x <urn:d> 1 } }",
    "pattern": "SELECT ?x { ?x <urn:p> ?y FILTER NOT EXISTS { ?x <urn:d> ?z . ?z <urn:q> ?w } }",
    "having": "SELECT ?x (COUNT(?y) AS ?c) { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(?y) > 1)",
    "distinct": "SELECT ?x { ?x <urn:p> ?y . ?x <urn:n> ?n } GROUP BY ?x HAVING (COUNT(DISTINCT ?n) = 2)",
    "sum": "SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (SUM(?y) > 2)",
    "filtered": "SELECT ?x ?n { ?x <urn:p> ?y FILTER(?y * 2 > 3) OPTIONAL { ?x <urn:n> ?n } }",
    "equal": "SELECT ?x ?y { ?x <urn:p> ?y FILTER(sameTerm(?y, 1)) OPTIONAL { ?x <urn:n> ?n } }",
    "exists": "SELECT ?x ?n { ?x <urn:p> ?y FILTER EXISTS { ?x <urn:n> ?m } OPTIONAL { ?x <urn:n> ?n } }",
    "union": "SELECT ?x ?y { ?x <urn:p> ?y { ?x <urn:n> ?a } UNION { ?x <urn:d> ?a } OPTIONAL { ?x <urn:q> ?n } }",
    "ordered": "SELECT ?y { ?x <urn:p> ?y } ORDER BY DESC(?y) LIMIT 2",
    "made": "CONSTRUCT { ?x <urn:made> ?y } { ?x <urn:p> ?y }",
    "described": "DESCRIBE ?x { ?x <urn:d> 1 }",
    "ask": "ASK { ?x <urn:p> ?y FILTER(?y > 1) FILTER NOT EXISTS { ?x <urn:d> ?y } }",
    "counted": "SELECT (COUNT(*) AS ?c) { ?x <urn:nothing> ?y }",
    "absent": "ASK { FILTER NOT EXISTS { ?x <urn:d> 1 } }",
}
PUBLICATIONS = [
    [("<urn:a>", "<urn:p>", 1), ("<urn:a>", "<urn:p>", 2), ("<urn:a>", "<urn:n>", 5), ("<urn:a>", "<urn:n>", 6)],
    [("<urn:b>", "<urn:p>", 1), ("<urn:b>", "<urn:d>", 1)],
    [
        ("<urn:c>", "<urn:p>", 3),
        ("<urn:c>", "<urn:d>", 2),
        ("<urn:e>", "<urn:p>", 1),
        ("<urn:e>", "<urn:d>", "<urn:z>"),
    ],
    [
        ("<urn:c>", "<urn:p>", 3),
        ("<urn:c>", "<urn:d>", "<urn:z>"),
        ("<urn:z>", "<urn:q>", 1),
        ("<urn:c>", "<urn:n>", 3),
    ],
    [("<urn:x>", "<urn:y>", 1)],
]


def engine_with_queries(matcher: str) -> Engine:
    engine = Engine(matcher=matcher)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for id, text in QUERIES.items():
            engine.add(text, id=id)
    return engine


def answers(engine: Engine, publications: list[Publication]) -> list[dict[str, object]]:
    return [
        {match.subscription_id: (sorted(map(str, match.rows)), sorted(match.graph or ())) for match in report}
        for report in engine.match_many(publications)
    ]


def published(more: int = 0) -> list[Publication]:
    others = [(f"<urn:other{number}>", "<urn:other>", number) for number in range(more)]
    return [Publication(f"p{number}", [*triples, *others]) for number, triples in enumerate(PUBLICATIONS)]  # type: ignore[list-item]


@pytest.mark.parametrize("more", [0, 600], ids=["small", "large"])
def test_answers_are_those_of_the_naive_matcher(more: int) -> None:
    """Large publications have more triples than are compared one by one with a triple that must not be there."""
    index, naive = engine_with_queries("gm"), engine_with_queries("naive")
    expected = answers(naive, published(more))
    assert answers(index, published(more)) == expected
    assert [dict(answers(index, [each])[0]) for each in published(more)] == expected
    assert [set(each) for each in expected[:2]] != [set(), set()]
    for report, each in zip(index.match_many(published(more), bindings=False), expected, strict=True):
        assert set(report.subscription_ids) == set(each)
        assert len(report) == len(each)


def test_queries_survive_saving_removal_and_other_terms(tmp_path: Path) -> None:
    index = engine_with_queries("gm")
    before = answers(index, published())
    index.save(tmp_path / "saved")
    opened = Engine.open(tmp_path / "saved")
    assert answers(opened, published()) == before
    opened.remove("any")
    opened.remove("having")
    left = [{id: found for id, found in each.items() if id not in ("any", "having")} for each in before]
    assert answers(opened, published()) == left


def test_new_term_numbers_keep_negated_triples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renumbering, "MIN_DEAD_TERMS", 50)
    index = Engine()
    for number in range(300):  # of which most are removed again, so that terms get new numbers
        index.add(f"ASK {{ ?x <urn:p{number}> <urn:o{number}> }}", id=str(number))
    index.add(QUERIES["any"], id="any")
    index.add(QUERIES["constant"], id="constant")
    before = len(index._core.matcher._writer.dictionary)  # type: ignore[attr-defined]
    for number in range(290):
        if (thread := index._core.matcher._writer._renumbering_thread) is not None:  # type: ignore[attr-defined]
            thread.join(60)
        index.remove(str(number))
    assert len(index._core.matcher._writer.dictionary) < before  # type: ignore[attr-defined]
    found = [set(report.subscription_ids) for report in index.match_many(published(), bindings=False)]
    assert found == [{"any", "constant"}, set(), {"constant"}, {"constant"}, set()]


def test_matches_are_pickled_and_compared_whole() -> None:
    report = engine_with_queries("gm").match(published()[0])
    assert pickle.loads(pickle.dumps(report)) == report.to_report()
    made = next(match for match in report if match.subscription_id == "made")
    assert made.turtle.count("<urn:made>") == 2
    assert [len(match.solutions) for match in report if match.subscription_id == "optional"] == [4]


def test_rows_beyond_a_limit_make_the_query_begin_anew() -> None:
    """With fewer rows than there are, a count would be wrong: then the query is evaluated from the beginning."""
    data = Publication("p", [("<urn:a>", "<urn:p>", number) for number in range(400)])
    index = Engine(work_limit=30_000)
    index.add("SELECT ?x { ?x <urn:p> ?y } GROUP BY ?x HAVING (COUNT(*) < 350)", id="few")
    index.add("SELECT ?x ?y { ?x <urn:p> ?y OPTIONAL { ?x <urn:n> ?n } }", id="optional")
    report = index.match(data)
    assert not report.exceeded
    assert [(match.subscription_id, len(match.rows), match.truncated) for match in report] == [("optional", 400, False)]


def test_costs_count_the_evaluation() -> None:
    index = engine_with_queries("gm")
    list(index.match_many(published()))
    assert index.costs()["sum"] > 0
    index.remove("sum")
    assert "sum" not in index.costs()
